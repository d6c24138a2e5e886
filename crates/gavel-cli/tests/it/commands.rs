//! Every command, flag and exit code that is documented, through the binary.

use gavel_testkit::FakeReply;
use serde_json::Value;

use crate::bench::{Bench, ended, run_id};

fn toy_run(bench: &Bench) -> String {
    let id = run_id().to_string();
    let ended = bench.run(&bench.toy_args(&id, &["--yes"]));
    assert_eq!(ended.code, Some(0), "{ended:?}");
    id
}

#[test]
fn version_and_wrong_usage() {
    let bench = Bench::new();
    let version = bench.run(&["--version"]);
    assert_eq!(
        (version.code, version.stdout.as_str()),
        (Some(0), "gavel 0.1.0\n")
    );
    let wrong = bench.run(&["bogus"]);
    assert_eq!(wrong.code, Some(2));
    assert!(
        wrong.stderr.contains("unrecognized subcommand"),
        "{wrong:?}"
    );
}

#[test]
fn wrong_usage_is_data_where_data_was_asked_for() {
    let bench = Bench::new();
    let error = bench.json(&["bogus"]);
    assert_eq!(error["schema"], "gavel/error/v1");
    assert_eq!(error["error"]["code"], "usage");
    let message = error["error"]["message"].as_str().unwrap();
    assert_eq!(message, "unrecognized subcommand 'bogus'");
    let ended = bench.run(&["--json", "status", "--nonsense"]);
    assert_eq!((ended.code, ended.stdout.lines().count()), (Some(2), 1));
}

#[test]
fn output_that_cannot_be_written_is_no_success() {
    let bench = Bench::new();
    let full = || {
        std::fs::File::options()
            .write(true)
            .open("/dev/full")
            .unwrap()
    };
    let mut status = bench.command(&["--json", "status"]);
    let ended = crate::bench::ended(status.stdout(full()).spawn().unwrap());
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.stderr.contains("standard output"), "{ended:?}");
    // A failure keeps its exit code, whoever reads the reason.
    let mut missing = bench.command(&["--json", "status", "nonsense"]);
    let ended = crate::bench::ended(missing.stdout(full()).spawn().unwrap());
    assert_eq!(ended.code, Some(2), "{ended:?}");
}

#[test]
fn reading_commands_make_nothing() {
    let bench = Bench::new();
    for args in [
        &["status"][..],
        &["usage"],
        &["config", "show"],
        &["models", "list"],
    ] {
        let ended = bench.run(args);
        assert_eq!(ended.code, Some(0), "{args:?} {ended:?}");
    }
    assert!(!bench.state().exists(), "nothing was made");
    assert_eq!(bench.run(&["replay"]).code, Some(2));
    assert_eq!(bench.run(&["status", "nonsense"]).code, Some(2));
}

#[test]
fn doctor_looks_at_the_machine() {
    let bench = Bench::new();
    let report = bench.json(&["doctor"]);
    let checks = report["checks"].as_array().unwrap();
    let verdict =
        |name: &str| checks.iter().find(|check| check["name"] == name).unwrap()["verdict"].clone();
    for name in ["gavel", "git", "store", "settings", "providers"] {
        assert_eq!(verdict(name), "ok", "{report}");
    }
    assert_eq!(report["schema"], "gavel/doctor/v1");
}

#[test]
fn settings_have_origins_and_wrong_ones_remedies() {
    let bench = Bench::new();
    let shown = bench.run(&["config", "show", "--origin", "-c", "caps.run_usd=2.5"]);
    assert!(
        shown.stdout.contains("flag -c caps.run_usd=2.5"),
        "{shown:?}"
    );
    let data = bench.json(&["config", "show", "-c", "caps.run_usd=2.5"]);
    assert!(
        data["settings"]
            .as_array()
            .unwrap()
            .iter()
            .any(|s| s["value"] == "2.5"),
        "{data}"
    );
    let wrong = bench.json(&["config", "show", "-c", "caps.run_uds=1"]);
    assert_eq!(wrong["error"]["code"], "usage");
    let message = wrong["error"]["message"].as_str().unwrap();
    assert!(
        message.contains("did you mean `caps.run_usd`?"),
        "{message}"
    );
}

#[test]
fn models_are_listed_and_probed() {
    let bench = Bench::new();
    let list = bench.json(&["models", "list"]);
    assert_eq!(list["models"][0]["id"], "fake/model");
    assert_eq!(
        list["models"][0]["price_micro_usd_per_million"]["output"],
        2_000_000
    );
    let all = bench.json(&["models", "list", "--all"]);
    assert!(all["models"].as_array().unwrap().len() > 20);
    let probe = bench.run(&["models", "probe", "fake"]);
    assert_eq!(probe.code, Some(0), "{probe:?}");
    assert!(probe.stdout.contains("answers"), "{probe:?}");
    let nobody = bench.run(&["models", "probe", "nobody"]);
    assert_eq!(nobody.code, Some(2), "{nobody:?}");
}

#[test]
fn a_run_is_shown_summed_up_and_replayed() {
    let bench = Bench::new();
    let id = toy_run(&bench);
    let list = bench.run(&["status"]);
    assert!(list.stdout.contains(&run_id().short()), "{list:?}");
    let status = bench.json(&["status", &run_id().short()]);
    assert_eq!(
        (&status["run"], &status["state"]),
        (&id.as_str().into(), &"halted".into())
    );
    assert_eq!(
        (&status["question"], &status["cap_usd"]),
        (&serde_json::Value::Null, &5.0.into())
    );
    assert_eq!(
        status["branch"],
        format!("gavel/build-{}", run_id().short())
    );

    let usage = bench.json(&["usage", &id]);
    assert_eq!(usage["calls"], 4, "{usage}");
    assert_eq!(usage["interrupted"]["count"], 0);
    assert_eq!(usage["cost_usd"], status["spent_usd"]);
    assert_eq!(usage["by_model"][0]["model"], "fake/model");
    assert_eq!(usage["by_role"][0]["role"], "coder");
    assert_eq!(usage["by_stage"][0]["stage"], "building");
    let month: String = status["started_at"]
        .as_str()
        .unwrap()
        .chars()
        .take(7)
        .collect();
    assert_eq!(bench.json(&["usage", "--month", &month])["calls"], 4);
    assert_eq!(bench.json(&["usage", "--month", "2001-01"])["calls"], 0);
    assert_eq!(bench.run(&["usage", "--month", "tomorrow"]).code, Some(2));

    let replay = bench.json(&["replay", &id, "--until", "3"]);
    assert_eq!(
        (&replay["records"], &replay["same_head"]),
        (&3.into(), &serde_json::Value::Null)
    );
    let watch = bench.run(&[
        "--json",
        "watch",
        &id,
        "--from",
        "1",
        "--only",
        "commit_made",
    ]);
    assert_eq!(
        (watch.code, watch.stdout.lines().count()),
        (Some(0), 2),
        "{watch:?}"
    );
}

#[test]
fn a_cap_pauses_the_run_and_a_person_raises_it() {
    let bench = Bench::new();
    let id = run_id().to_string();
    let args = bench.toy_args(&id, &["--yes", "-c", "caps.run_usd=0.0001"]);
    let paused = bench.run(&args);
    assert_eq!(paused.code, Some(4), "{paused:?}");
    assert!(
        paused
            .stdout
            .contains("does not fit into caps.run_usd ($0.0001)"),
        "{paused:?}"
    );
    for told in [
        "The next call may cost up to $0.0",
        ": $0.00 spent by this run.",
        "to go on: from $0.0",
        "--limit AMOUNT",
    ] {
        assert!(paused.stdout.contains(told), "{told} {paused:?}");
    }
    assert!(bench.server.requests().is_empty(), "nothing was sent");
    let low = bench.run(&["answer", &id, "--limit", "0.00005"]);
    assert_eq!(low.code, Some(2), "{low:?}");
    let raised = bench.run(&["answer", &id, "$1", "--resume", "--yes"]);
    assert_eq!(raised.code, Some(0), "{raised:?}");
}

#[test]
fn the_first_paid_run_asks_once() {
    let bench = Bench::new();
    let id = run_id().to_string();
    let asking = ["--yes", "-c", "models.paid=ask"];
    let first = bench.run(&bench.toy_args(&id, &asking));
    assert_eq!(first.code, Some(4), "{first:?}");
    assert!(
        first.stdout.contains("first call that costs money"),
        "{first:?}"
    );
    for told in [
        "to fake/model: $1.00 for a million tokens in, $2.00 out, at most $",
        "This run may spend $5.00 in all (caps.run_usd), all runs together $50.00 a month",
        "1. Yes, this run and later ones, each within its caps",
        "2. No, stop here",
    ] {
        assert!(first.stdout.contains(told), "{told} {first:?}");
    }
    assert!(bench.server.requests().is_empty(), "nothing was sent");
    let args = [
        "answer",
        &id,
        "yes",
        "--resume",
        "--yes",
        "-c",
        "models.paid=ask",
    ];
    let agreed = bench.run(&args);
    assert_eq!(agreed.code, Some(0), "{agreed:?}");
    let second = "01890a5d-ac96-774b-bcce-b302099a8058";
    let again = bench.run(&bench.toy_args(second, &asking));
    assert_eq!(again.code, Some(0), "{again:?}");
}

#[test]
fn verbose_tells_what_happened_on_the_way() {
    let bench = Bench::new();
    // Nobody listens on that port, so the provider cannot be asked to count.
    let own = "[models]\npaid = \"agreed\"\n\n[models.endpoints.fake]\nwire = \"anthropic\"\n\
               url = \"http://127.0.0.1:9\"\n\n[[models.catalogue]]\nid = \"fake/model\"\n\
               price = { input = \"1\", output = \"2\" }\n";
    std::fs::write(bench.own_file(), own).unwrap();
    for (flag, id, told) in [
        ("-v", "01890a5d-ac96-774b-bcce-b302099a8057", true),
        ("--yes", "01890a5d-ac96-774b-bcce-b302099a8058", false),
        ("-q", "01890a5d-ac96-774b-bcce-b302099a8059", false),
    ] {
        let paused = bench.run(&bench.toy_args(id, &["-c", "caps.run_usd=0.0001", flag]));
        assert_eq!(paused.code, Some(4), "{paused:?}");
        let heard = paused.stderr.contains("debug: the provider did not count");
        assert_eq!(heard, told, "{paused:?}");
    }
}

#[test]
fn provider_trouble_has_its_own_exit_code() {
    let bench = Bench::new();
    bench.server.push(FakeReply::status(401, "{}"));
    bench.server.push(FakeReply::status(401, "{}"));
    bench.server.push(FakeReply::status(401, "{}"));
    let id = run_id().to_string();
    let refused = bench.run(&bench.toy_args(&id, &["--yes"]));
    assert_eq!(refused.code, Some(7), "{refused:?}");
    assert!(
        refused.stderr.contains("the provider refused the key"),
        "{refused:?}"
    );
    let mut args = bench.toy_args("01890a5d-ac96-774b-bcce-b302099a8058", &[]);
    args[8] = "nobody/model";
    let nobody = bench.run(&args);
    assert_eq!(nobody.code, Some(7), "{nobody:?}");
}

#[test]
fn an_aborted_run_is_over() {
    let bench = Bench::new();
    let id = run_id().to_string();
    assert_eq!(bench.run(&bench.toy_args(&id, &[])).code, Some(3));
    let aborted = bench.run(&["abort", &id]);
    assert_eq!(aborted.code, Some(0), "{aborted:?}");
    assert_eq!(bench.run(&["resume", &id]).code, Some(1));
    let over = bench.run(&["say", &id, "hello"]);
    assert_eq!(over.code, Some(8), "{over:?}");
}

#[test]
fn a_text_that_is_too_long_is_refused_and_not_cut() {
    let bench = Bench::new();
    let id = run_id().to_string();
    assert_eq!(bench.run(&bench.toy_args(&id, &[])).code, Some(3));
    let file = bench.folder().join("text");
    let with_text = |args: &[&str], text: &str| {
        std::fs::write(&file, text).unwrap();
        let mut command = bench.command(args);
        command.stdin(std::fs::File::open(&file).unwrap());
        crate::bench::ended(command.spawn().unwrap())
    };
    // The cut would fall inside a letter of two bytes.
    let (fits, long) = ("é".repeat(1 << 19), "é".repeat((1 << 19) + 1));
    for args in [&["say", &id, "-"][..], &["answer", &id, "-"]] {
        let refused = with_text(args, &long);
        assert_eq!(refused.code, Some(2), "{args:?} {}", refused.stderr);
        let told = "standard input is longer than 1048576 bytes";
        assert!(refused.stderr.contains(told), "{}", refused.stderr);
    }
    let said = with_text(&["say", &id, "-"], &fits);
    assert_eq!(said.code, Some(0), "{}", said.stderr);
}

#[expect(
    clippy::disallowed_methods,
    reason = "for what the binary and its crates do not offer: a broken store, a terminal"
)]
fn python() -> std::process::Command {
    std::process::Command::new("python3")
}

fn break_retention(bench: &Bench) {
    // An orphan of which the store wants to be rid, and a store that does not let go of it.
    let script = "import sqlite3, sys\n\
                  c = sqlite3.connect(sys.argv[1])\n\
                  c.execute(\"DELETE FROM blob_uses\")\n\
                  c.execute(\"CREATE TRIGGER stuck BEFORE DELETE ON blobs \
                  BEGIN SELECT RAISE(ABORT, 'stuck'); END\")\n\
                  c.commit()\n";
    let done = python()
        .args(["-c", script])
        .arg(bench.state().join("gavel.db"))
        .output()
        .unwrap();
    assert!(done.status.success(), "{done:?}");
}

#[test]
fn old_texts_that_cannot_go_do_not_fail_a_good_drive() {
    let bench = Bench::new();
    let id = toy_run(&bench);
    break_retention(&bench);
    let again = bench.run(&["resume", &id]);
    assert_eq!(again.code, Some(0), "{again:?}");
    assert!(again.stdout.contains("is halted"), "{again:?}");
    let note = "texts of old runs were not dropped";
    assert!(again.stderr.contains(note), "{again:?}");
}

#[test]
fn damage_is_told_with_its_place() {
    let bench = Bench::new();
    std::fs::create_dir_all(bench.state()).unwrap();
    std::fs::write(bench.state().join("gavel.db"), vec![7; 8192]).unwrap();
    let status = bench.run(&["status"]);
    assert_eq!(status.code, Some(1), "{status:?}");
    assert!(status.stderr.contains("gavel.db is damaged"), "{status:?}");
    assert_eq!(bench.run(&["doctor"]).code, Some(1));
}

#[test]
fn colours_are_decided_for_each_stream() {
    let bench = Bench::new();
    // Runs the binary with a terminal for one stream and a pipe for the other; prints what came by
    // standard error.
    let script = "import os, pty, subprocess, sys\n\
                  ours, theirs = pty.openpty()\n\
                  pipe = subprocess.PIPE\n\
                  out, err = (theirs, pipe) if sys.argv[1] == 'out' else (pipe, theirs)\n\
                  r = subprocess.run(sys.argv[2:], stdout=out, stderr=err)\n\
                  told = r.stderr if err == pipe else os.read(ours, 65536)\n\
                  sys.stdout.buffer.write(told)\n";
    let stderr_with_terminal_for = |stream: &str| {
        let gavel = bench.command(&["status", "nonsense"]);
        let mut python = python();
        python.args(["-c", script, stream]);
        python.arg(gavel.get_program()).args(gavel.get_args());
        python.env_remove("NO_COLOR").env("TERM", "xterm");
        python.env("HOME", bench.folder().join("home"));
        let done = python.output().unwrap();
        assert!(done.status.success(), "{done:?}");
        String::from_utf8(done.stdout).unwrap()
    };
    let plain = stderr_with_terminal_for("out");
    assert!(plain.starts_with("error: there is no run"), "{plain:?}");
    let coloured = stderr_with_terminal_for("err");
    let red = "\x1b[31merror:\x1b[0m there is no run";
    assert!(coloured.starts_with(red), "{coloured:?}");
}

#[test]
fn completions_are_printed_for_shells() {
    let bench = Bench::new();
    let as_data = bench.run(&["--json", "completions", "bash"]);
    let plain = bench.run(&["completions", "bash"]);
    assert_eq!(as_data.stdout, plain.stdout, "a script is a script");
    let help = bench.run(&["completions", "--help"]);
    assert!(help.stdout.contains("with --json too"), "{help:?}");
    // It needs no settings, so wrong ones do not matter.
    let anyway = bench.run(&["-c", "caps.nonsense=1", "completions", "bash"]);
    assert_eq!(anyway.stdout, plain.stdout);
    for shell in ["bash", "zsh", "fish"] {
        let script = bench.run(&["completions", shell]);
        assert_eq!(script.code, Some(0));
        assert!(script.stdout.contains("gavel"), "{shell}");
    }
}

#[test]
fn uncommitted_changes_are_named_before_a_run_begins_without_them() {
    let bench = Bench::new();
    let folder = bench.folder().join("mine");
    std::fs::create_dir(&folder).unwrap();
    gavel_testkit::git(&folder, &["init", "--quiet"]);
    std::fs::write(folder.join("kept.txt"), "one\n").unwrap();
    gavel_testkit::git(&folder, &["add", "."]);
    gavel_testkit::git(&folder, &["commit", "--quiet", "-m", "first"]);
    let start = || {
        let idea = "a web shop with payments";
        let asked = bench.run(&["-C", folder.to_str().unwrap(), "start", idea]);
        assert_eq!(asked.code, Some(3), "{asked:?}");
        asked.stderr
    };
    let stay_out = "uncommitted changes stay out of this run";
    assert!(!start().contains(stay_out));
    std::fs::write(folder.join("kept.txt"), "two\n").unwrap();
    std::fs::write(folder.join("new.txt"), "new\n").unwrap();
    let said = start();
    for told in [stay_out, "kept.txt, new.txt"] {
        assert!(said.contains(told), "{told}: {said}");
    }
}

#[test]
fn without_git_nothing_starts_and_programs_are_told_by_a_code() {
    let bench = Bench::new();
    let mut command = bench.command(&["--json", "start", "a list of books"]);
    command.env("PATH", "/nowhere");
    let ended = ended(command.spawn().unwrap());
    assert_eq!(ended.code, Some(1), "{ended:?}");
    let told: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(told["error"]["code"], "git_missing", "{told}");
    assert!(
        told["error"]["hint"]
            .as_str()
            .unwrap()
            .contains("install git")
    );
}
