//! `gavel start` through the binary: a whole run without a key or a network, and what is refused.

use std::path::{Path, PathBuf};

use gavel_testkit::git;
use serde_json::Value;

use crate::bench::{Bench, Ended, ended, run_id};
use crate::seen::Seen;
use crate::studio::{IDEA, Studio};

fn start(bench: &Bench, args: &[&str]) -> Ended {
    let id = run_id().to_string();
    bench.run(&[&["start", "--run", &id], args].concat())
}

fn made(bench: &Bench) -> PathBuf {
    bench.folder().join("project/made")
}

fn last_line(ended: &Ended) -> Value {
    let line = ended.stdout.lines().last().unwrap_or_default();
    serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {ended:?}"))
}

fn files(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn an_idea_is_given_in_words() {
    let bench = Bench::new();
    for (args, told) in [
        (&["start", "  ", "--into", "made"][..], "there is no idea"),
        (&["start", IDEA], "is no git repository"),
        (&["start", IDEA, "--model", "gpt"], "not a model id"),
        (
            &["start", IDEA, "--into", "made", "--max-cost", "much"],
            "`caps.run_usd` cannot be \"much\" (flag --max-cost)",
        ),
        (&["start", IDEA, "--into", "."], "is not empty"),
        (&["start", IDEA, "--into", "gavel.toml"], "cannot be used"),
        (&["start"], "required"),
        (&["starrt"], "'start'"),
    ] {
        let wrong = bench.run(args);
        assert_eq!(wrong.code, Some(2), "{args:?} {wrong:?}");
        assert!(wrong.stderr.contains(told), "{args:?} {wrong:?}");
    }
    let unreachable = start(&bench, &[IDEA, "--into", "made", "--model", "nobody/model"]);
    assert_eq!(unreachable.code, Some(7), "{unreachable:?}");
    assert!(!made(&bench).exists(), "nothing was made");
    assert_eq!(files(&bench.folder().join("project")), ["gavel.toml"]);
}

#[test]
fn a_project_cannot_choose_a_model() {
    let bench = Bench::new();
    let chosen = "[models.slots]\nleader = \"fake/model\"\n";
    std::fs::write(bench.project_file(), chosen).unwrap();
    let refused = start(&bench, &[IDEA, "--into", "made"]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(
        refused
            .stderr
            .contains("`models.slots.leader` cannot be set by a project"),
        "{refused:?}"
    );
}

#[test]
fn what_cannot_be_built_on_is_refused() {
    let bench = Bench::new();
    let checkout = bench.toy.checkout();
    std::fs::write(checkout.join(".gitattributes"), "*.bin filter=lfs\n").unwrap();
    git(&checkout, &["add", ".gitattributes"]);
    git(&checkout, &["commit", "-qm", "large files"]);
    let refused = start(&bench, &[IDEA, "--into", "../checkout"]);
    assert_eq!(refused.code, Some(6), "{refused:?}");
    assert!(refused.stderr.contains("Git LFS"), "{refused:?}");
}

#[test]
fn an_idea_becomes_a_sealed_branch_without_a_key_or_a_network() {
    let studio = Studio::offline();
    let (bench, done) = (&studio.bench, studio.start(&["--json", "--yes"]));
    assert_eq!(done.code, Some(0), "{done:?}");
    let told = last_line(&done);
    let branch = format!("gavel/build-{}", run_id().short());
    assert_eq!(
        (&told["schema"], &told["state"], &told["branch"]),
        (
            &"gavel/run/v1".into(),
            &"sealed".into(),
            &branch.as_str().into()
        )
    );
    for line in [
        "models offline (rule-based, no network), at most $5.00",
        "✓ intake",
        "  sprint 2: running the tests",
        "✓ building   2 phases",
        "✓ gating     passed",
    ] {
        assert!(done.stderr.contains(line), "{line}: {}", done.stderr);
    }
    assert!(!done.stderr.contains('\u{1b}'), "{}", done.stderr);

    let made = made(bench);
    assert_eq!(files(&made), [".gavel", ".git", "gavel.toml"]);
    let listed = git(&made, &["ls-tree", "-r", "--name-only", &branch]);
    assert!(listed.contains("src/main.rs"), "{listed}");
    let seal = format!(".gavel/seal/{}.dsse.json", run_id().short());
    assert!(listed.contains(&seal), "{listed}");
    let main = git(&made, &["ls-tree", "-r", "--name-only", "main"]);
    assert_eq!(main, "", "the default branch is as it was");
    assert_eq!(git(&made, &["rev-list", "--count", "main"]).trim(), "1");
    let state = git(&made, &["symbolic-ref", "HEAD"]);
    assert_eq!(state.trim(), "refs/heads/main");
    assert!(bench.server.requests().is_empty(), "nobody was asked");

    let replay = bench.json(&["replay", &run_id().to_string()]);
    assert_eq!(replay["same_head"], true, "{replay}");
    let again = studio.run(&["resume", &run_id().to_string()]);
    assert_eq!(again.code, Some(0), "{again:?}");
}

#[test]
fn an_idea_beyond_the_rules_asks_for_a_model() {
    let bench = Bench::new();
    let idea = "a web shop with payments by credit card and a mobile app";
    let asked = start(&bench, &["--json", idea, "--into", "made", "--yes"]);
    assert_eq!(asked.code, Some(3), "{asked:?}");
    let told = last_line(&asked);
    assert_eq!(told["schema"], "gavel/question/v1");
    let options = &told["questions"][0]["shape"]["options"];
    assert_eq!(options, &serde_json::json!(["connected", "stop"]), "{told}");
    let status = bench.json(&["status", &run_id().to_string()]);
    assert_eq!(
        (&status["state"], &status["stage"]),
        (&"waiting".into(), &"discovery".into())
    );
    // Without a model nothing changes; with one the run goes on and asks it.
    let same = bench.run(&["-C", "made", "resume"]);
    assert_eq!(same.code, Some(3), "{same:?}");
    let on = bench.run(&["-C", "made", "resume", "--model", "fake/model"]);
    assert!(on.stderr.contains("models fake/model"), "{on:?}");
    assert!(!bench.server.requests().is_empty(), "{on:?}");
    // That model only talks: what it says is no answer, and trying again is offered.
    assert_eq!(on.code, Some(7), "{on:?}");
    let before = bench.server.requests().len();
    let again = bench.run(&["-C", "made", "resume"]);
    assert_eq!(again.code, Some(7), "{again:?}");
    assert!(bench.server.requests().len() > before, "it was tried again");
}

#[test]
fn an_existing_repository_is_built_on_and_left_as_it_is() {
    let bench = Bench::new();
    let checkout = bench.toy.checkout();
    std::fs::write(checkout.join("main.py"), "print(1)\n").unwrap();
    git(&checkout, &["add", "main.py"]);
    git(&checkout, &["commit", "-qm", "a program"]);
    std::fs::write(checkout.join("unclean.txt"), "mine").unwrap();
    let before = bench.toy.checkout_state();
    let asked = start(&bench, &[IDEA, "--into", "../checkout", "--yes"]);
    // The rules only write new programs; what matters here is what was left alone.
    assert_eq!(asked.code, Some(3), "{asked:?}");
    assert_eq!(bench.toy.checkout_state(), before);
    assert!(!checkout.join("gavel.toml").exists());
    let (below, id) = (
        checkout.join("below"),
        "01890a5d-ac96-774b-bcce-b302099a8058",
    );
    std::fs::create_dir(&below).unwrap();
    let below = bench.run(&["-C", below.to_str().unwrap(), "start", "--run", id, IDEA]);
    assert_eq!(below.code, Some(3), "a folder inside it will do: {below:?}");
}

#[test]
fn what_cannot_be_tested_is_not_sealed() {
    let bench = Bench::new();
    let stuck = start(&bench, &["--json", IDEA, "--into", "made", "--yes"]);
    // This machine is the trouble, not a provider.
    assert_eq!(stuck.code, Some(3), "{stuck:?}");
    assert!(stuck.stderr.contains("cargo was not found"), "{stuck:?}");
    let asked = last_line(&stuck);
    assert_eq!(asked["schema"], "gavel/question/v1", "{asked}");
    let id = &asked["questions"][0]["id"];
    assert_eq!(id, "sprint-1/machine-1/trouble", "{asked}");
    // Going on is one more try, and nothing has changed.
    let id = run_id().to_string();
    let again = bench.run(&["resume", &id]);
    assert_eq!(again.code, Some(3), "{again:?}");
    assert!(again.stdout.contains("Try it again?"), "{again:?}");
    let stopped = bench.run(&["answer", &id, "--option", "2", "--resume"]);
    assert_eq!(stopped.code, Some(1), "{stopped:?}");
    let status = bench.json(&["status", &id]);
    assert_eq!(status["state"], "halted", "{status}");
    let branch = format!("gavel/build-{}", run_id().short());
    let listed = git(&made(&bench), &["ls-tree", "-r", "--name-only", &branch]);
    assert!(listed.contains("src/main.rs"), "what was built is kept");
    assert!(!listed.contains(".gavel/seal"), "{listed}");
}

#[test]
fn the_idea_may_come_from_standard_input_and_ship_from_another_terminal() {
    let bench = Bench::new();
    let file = bench.folder().join("idea");
    std::fs::write(&file, "an operating system kernel with drivers\n").unwrap();
    let id = run_id().to_string();
    let mut command = bench.command(&["start", "-", "--run", &id, "--into", "made"]);
    command.stdin(std::fs::File::open(&file).unwrap());
    let asked = ended(command.spawn().unwrap());
    assert_eq!(asked.code, Some(3), "{asked:?}");
    let shipped = bench.run(&["-C", "made", "ship"]);
    assert_eq!(shipped.code, Some(0), "{shipped:?}");
    assert!(shipped.stdout.starts_with("kept"), "{shipped:?}");
}

#[test]
fn memory_is_asked_unless_a_person_says_otherwise() {
    for (flag, asked) in [(None, true), (Some("--no-prior-context"), false)] {
        let bench = Bench::new();
        let mut args = vec!["a web shop with payments", "--into", "made", "--yes"];
        args.extend(flag);
        assert_eq!(start(&bench, &args).code, Some(3), "{flag:?}");
        let recalled = Seen::of(&bench).holds("memory_recalled");
        assert_eq!(recalled, asked, "{flag:?}");
    }
}

#[test]
fn a_wish_about_the_stack_is_heard_and_refused_where_it_cannot_be_met() {
    let bench = Bench::new();
    let asked = start(
        &bench,
        &[IDEA, "--into", "made", "--yes", "--stack", "Python"],
    );
    assert_eq!(asked.code, Some(3), "{asked:?}");
    assert!(asked.stdout.contains("they write Rust alone"), "{asked:?}");
}

#[test]
fn a_cap_on_tokens_pauses_the_run() {
    let bench = Bench::new();
    let paused = start(
        &bench,
        &[IDEA, "--into", "made", "--yes", "--max-tokens", "10"],
    );
    assert_eq!(paused.code, Some(4), "{paused:?}");
    assert!(!Seen::of(&bench).holds("model_replied"));
}
