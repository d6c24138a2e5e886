//! What the commands around a run promise: flags are part of the run, trouble has its exit code,
//! status says where the build stands.

use gavel_domain::{CapChanged, QuestionAnswered, RunStarted};
use gavel_testkit::{FakeReply, Gate, SeenRequest, fake_server, git};
use serde_json::json;

use crate::bench::{Bench, run_id};
use crate::seen::Seen;
use crate::studio::{IDEA, Served, Speaks, Studio};
use crate::terminal::Terminal;

const FAR: &str = "a web shop with payments";

#[test]
fn flags_out_of_range_name_the_range() {
    let bench = Bench::new();
    for (args, told) in [
        (&["--max-sprints", "0"][..], "from 1 to 20"),
        (&["--max-sprints", "21"], "from 1 to 20"),
        (&["--done-threshold", "0.5"], "from 0.7 to 1"),
        (&["--done-threshold", "most"], "from 0.7 to 1"),
    ] {
        let start = [&["start", FAR, "--into", "made"], args].concat();
        let wrong = bench.run(&start);
        assert_eq!(wrong.code, Some(2), "{args:?} {wrong:?}");
        assert!(wrong.stderr.contains(told), "{args:?} {wrong:?}");
    }
    let pack = bench.run(&["start", FAR, "--into", "made", "--recipe", "rails"]);
    assert_eq!(pack.code, Some(6), "{pack:?}");
    assert!(pack.stderr.contains("no recipe pack `rails`"), "{pack:?}");
    assert!(!bench.folder().join("project/made").exists());
}

#[test]
fn an_idea_about_a_repository_needs_one() {
    let bench = Bench::new();
    let project = bench.folder().join("project");
    let about = |folder: &str| bench.run(&["start", FAR, "--from-repo", "--into", folder]);
    let missing = about("made");
    assert_eq!(missing.code, Some(2), "{missing:?}");
    assert!(!project.join("made").exists(), "nothing was made");
    std::fs::create_dir(project.join("empty")).unwrap();
    assert_eq!(about("empty").code, Some(2));
    git(&project.join("empty"), &["init", "-q"]);
    let without = about("empty");
    assert_eq!(without.code, Some(2), "{without:?}");
    assert!(without.stderr.contains("has no commit yet"), "{without:?}");
    let asked = about("../checkout");
    assert_eq!(asked.code, Some(3), "{asked:?}");
}

#[test]
fn a_run_keeps_the_values_that_it_began_with() {
    let bench = Bench::new();
    let id = run_id().to_string();
    let flags = [
        "--max-sprints",
        "3",
        "--done-threshold",
        "0.75",
        "--max-cost",
        "2",
    ];
    let start = ["start", FAR, "--into", "made", "--run", &id];
    let asked = bench.run(&[&start[..], &flags].concat());
    assert_eq!(asked.code, Some(3), "{asked:?}");
    // Files and flags of later commands say otherwise.
    let file = bench.folder().join("project/made/gavel.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    let other = format!(
        "{text}\n[run]\nmax_sprints = 2\ndone_threshold = \"1\"\n[caps]\nrun_usd = \"1\"\n"
    );
    std::fs::write(&file, other).unwrap();
    let again = bench.run(&["-C", "made", "resume", &id, "-c", "run.max_sprints=7"]);
    assert_eq!(again.code, Some(3), "{again:?}");
    assert!(
        again.stderr.contains("run.max_sprints is part of the run"),
        "{again:?}"
    );
    let status = bench.json(&["status", &id]);
    assert_eq!(
        (&status["max_sprints"], &status["cap_usd"]),
        (&json!(3), &json!(2.0))
    );
    let started = &Seen::of(&bench).facts::<RunStarted>()[0];
    assert_eq!(started.settings.values["run.done_threshold"], "0.75");
}

#[test]
fn a_cap_is_raised_by_resuming_with_more() {
    let bench = Bench::new();
    let id = run_id().to_string();
    let start = ["start", IDEA, "--into", "made", "--run", &id, "--yes"];
    let paused = bench.run(&[&start[..], &["--max-tokens", "10"]].concat());
    assert_eq!(paused.code, Some(4), "{paused:?}");
    let lifted = bench.run(&["resume", &id, "-c", "caps.run_tokens=none"]);
    assert_eq!(lifted.code, Some(2), "{lifted:?}");
    let more = bench.run(&["resume", &id, "--max-cost", "7", "-c", "caps.run_tokens=20"]);
    assert_eq!(more.code, Some(4), "twenty are too few as well: {more:?}");
    let seen = Seen::of(&bench);
    assert_eq!(seen.facts::<CapChanged>().len(), 2);
    assert_eq!(bench.json(&["status", &id])["cap_usd"], 7.0);
}

#[test]
fn whoever_drives_hears_nothing_of_a_resume_that_is_refused() {
    let id = run_id().to_string();
    let refusing = FakeReply::status(401, r#"{"error":{"message":"no such key"}}"#);
    let server = fake_server().rule(move |_| refusing.clone()).start();
    let model = Served {
        name: "broken",
        server: &server,
        speaks: Speaks::OpenAi,
    };
    let settings = "[models]\npaid = \"agreed\"\nslots = { leader = \"broken/rules\" }\n";
    let studio = Studio::with(settings, &[model]);
    let start = ["start", IDEA, "--into", "made", "--run", &id];
    let mut driver = Terminal::open(studio.bench.command(&start), 100);
    driver.wait_for("stop here");
    driver.wait_for("Enter takes 1 › ");
    let asked = server.requests().len();
    let refused = studio.run(&["resume", &id]);
    assert_eq!(refused.code, Some(8), "{refused:?}");
    let status = studio.bench.json(&["status", &id]);
    assert_eq!(
        status["state"], "waiting",
        "nobody answered for them: {status}"
    );
    assert_eq!(server.requests().len(), asked);
    driver.press("b\n");
    let (code, shown) = driver.end();
    assert_eq!(code, Some(1), "a letter means an option, too: {shown}");
    assert!(!studio.look().facts::<QuestionAnswered>().is_empty());
    server.finish();
}

#[test]
fn a_crash_is_told_by_status() {
    let gate = Gate::closed();
    let held = gate.clone();
    let answer = move |_: &SeenRequest| FakeReply::text("nothing").gated(&held);
    let server = fake_server().rule(answer).start();
    let model = Served {
        name: "slow",
        server: &server,
        speaks: Speaks::OpenAi,
    };
    let settings = "[models]\npaid = \"agreed\"\nslots = { leader = \"slow/rules\" }\n";
    let studio = Studio::with(settings, &[model]);
    let id = run_id().to_string();
    let start = ["start", IDEA, "--into", "made", "--run", &id, "--yes"];
    let mut driver = studio.spawn(&start);
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    runtime.unwrap().block_on(server.until_waiting(1));
    driver.kill().unwrap();
    driver.wait().unwrap();
    let status = studio.bench.json(&["status", &id]);
    assert_eq!(
        status["unclean_resumes"], 0,
        "nobody drove on yet: {status}"
    );
    assert_eq!(
        status["state"], "running",
        "programs read what is on record"
    );
    for args in [&["status", "--all"][..], &["status", &id]] {
        let shown = studio.run(args);
        assert!(shown.stdout.contains("interrupted"), "{shown:?}");
        assert!(!shown.stdout.contains("running"), "{shown:?}");
        let next = format!("gavel resume {}", run_id().short());
        assert!(shown.stdout.contains(&next), "{shown:?}");
    }
    let gone = studio.run(&["abort", &id]);
    assert_eq!(gone.code, Some(0), "{gone:?}");
    let status = studio.bench.json(&["status", &id]);
    assert_eq!(status["unclean_resumes"], 1, "{status}");
    let shown = studio.run(&["status", &id]);
    assert!(
        shown.stdout.contains("resumed after a crash, once"),
        "{shown:?}"
    );
    gate.open();
    server.finish();
}

#[test]
fn shipping_says_what_the_gate_will_miss() {
    let bench = Bench::new();
    let id = run_id().to_string();
    let asked = bench.run(&["start", FAR, "--into", "made", "--run", &id]);
    assert_eq!(asked.code, Some(3), "{asked:?}");
    let shipped = bench.run(&["ship", &id]);
    assert_eq!(shipped.code, Some(0), "{shipped:?}");
    assert!(shipped.stdout.starts_with("kept"), "{shipped:?}");
    assert!(
        shipped.stderr.contains("nothing is built yet"),
        "{shipped:?}"
    );
}

#[test]
fn watching_reads_like_sentences() {
    let bench = Bench::new();
    let id = run_id().to_string();
    let asked = bench.run(&["start", FAR, "--into", "made", "--run", &id]);
    assert_eq!(asked.code, Some(3), "{asked:?}");
    let said = bench.run(&["say", &id, "Keep it small."]);
    assert_eq!(said.code, Some(0), "{said:?}");
    let stopped = bench.run(&["answer", &id, "stop", "--resume"]);
    assert_eq!(stopped.code, Some(1), "{stopped:?}");
    let watched = bench.run(&["watch", &id]);
    for line in [
        "the run begins",
        "── discovery ──",
        "asks: This cannot be done as it was said.",
        "somebody drives on\n",
        "somebody says: Keep it small.",
        "a person answered: ",
        "stopped: needs a model",
    ] {
        assert!(watched.stdout.contains(line), "{line}: {watched:?}");
    }
    assert!(!watched.stdout.contains("usage_"), "{watched:?}");
    assert!(!watched.stdout.contains("answered  ("), "{watched:?}");
    let only = bench.run(&["watch", &id, "--only", "halted"]);
    assert!(only.stdout.contains("halted  halt/reason"), "{only:?}");
}
