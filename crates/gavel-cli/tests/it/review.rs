//! `gavel review` and `gavel contracts` through the binary, over a journal that holds every kind of
//! fact and texts that try to be more than texts.

use gavel_domain::ContractKind;
use gavel_testkit::open_store;

use crate::bench::{Bench, run_id};

/// The end of the run's id.
const ID: &str = "099a8057";

#[path = "../../../gavel-report/src/sample.rs"]
mod sample;
use sample::Until;

/// A bench whose store holds one run.
fn bench_with(until: Until) -> Bench {
    let bench = Bench::new();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let store = open_store(&bench.state()).await;
        let brief = sample::brief("/somewhere/bookmarks");
        sample::write(store.as_ref(), run_id(), until, &brief).await;
    });
    bench
}

#[expect(
    clippy::disallowed_methods,
    reason = "for what the binary and its crates do not offer: a terminal, a damaged store"
)]
fn python() -> std::process::Command {
    std::process::Command::new("python3")
}

#[test]
fn a_pipe_gets_markdown() {
    let bench = bench_with(Until::Sealed);
    let told = bench.run(&["review", ID]);
    assert_eq!(told.code, Some(0), "{told:?}");
    for part in [
        "# bookmarks\n\n**sealed · conditional**",
        "## The idea\n\n> a bookmark manager with tags",
        "**Dissent:** a database would be safer",
        "### Sprint 1: phase 0, Genesis",
        "**The done gate passed** with a score of 1.0 (done at 0.9)",
        "| **✓** | A bookmark that was added is listed. | `bookmark_listed` | \
         `cargo test bookmark_listed -- --exact` |",
        "[src/main.rs#L12](./src/main.rs#L12)",
        "- left out: debate: rule-based review only",
        "heard in building, sprint 1",
    ] {
        assert!(told.stdout.contains(part), "{part}\n{}", told.stdout);
    }
    let named = bench.run(&["review", &run_id().short()]);
    assert_eq!(named.stdout, told.stdout);
    assert_eq!(bench.run(&["review", "nonsense"]).code, Some(2));
}

#[test]
fn data_is_the_whole_report() {
    let bench = bench_with(Until::Halted);
    let report = bench.json(&["review", ID]);
    assert_eq!(report["schema"], "gavel/review/v1");
    assert_eq!(report["state"], "halted");
    assert_eq!(report["ended"]["reason"], "max_sprints_reached");
    assert_eq!(report["contracts"].as_array().unwrap().len(), 9);
    assert_eq!(report["sprints"][0]["verifications"][0]["failed"], 1);
    assert_eq!(
        report["questions"][0]["answer"]["text"],
        "One person at a terminal"
    );
    assert_eq!(report["spend"]["by_role"][0]["name"], "coder");
    let usage = bench.json(&["usage", &run_id().to_string()]);
    assert_eq!(report["spend"]["total"]["cost_usd"], usage["cost_usd"]);
    assert_eq!(spent_by_stage(&report), micro_dollars(&usage["cost_usd"]));
}

/// Dollars of a JSON number as the ledger counts them.
fn micro_dollars(dollars: &serde_json::Value) -> u64 {
    let text = format!("{:.6}", dollars.as_f64().unwrap());
    text.replace('.', "").parse().unwrap()
}

/// The sum over the stages, to the micro-dollar.
fn spent_by_stage(report: &serde_json::Value) -> u64 {
    let stages = report["spend"]["by_stage"].as_array().unwrap();
    assert!(stages.len() > 2, "{stages:?}");
    let costs = stages.iter().map(|stage| micro_dollars(&stage["cost_usd"]));
    costs.sum()
}

#[test]
fn a_page_stands_alone_and_runs_nothing() {
    let bench = bench_with(Until::Sealed);
    let told = bench.run(&["review", ID, "--html", "page.html"]);
    assert_eq!(told.code, Some(0), "{told:?}");
    let page = std::fs::read_to_string(bench.folder().join("project/page.html")).unwrap();
    assert!(page.starts_with("<!doctype html>") && page.contains("<svg"));
    for never in [
        "<script", "http://", "https://", "<img", "<link", "@import", "\u{1b}",
    ] {
        assert!(!page.contains(never), "{never}");
    }
    let printed = bench.run(&["review", ID, "--html", "-"]);
    assert_eq!(printed.stdout, page);
    let nowhere = bench.run(&["review", ID, "--html", "no/such/folder.html"]);
    assert_eq!(nowhere.code, Some(1), "{nowhere:?}");
}

/// What the command shows on a terminal.
fn on_a_terminal(bench: &Bench, args: &[&str]) -> String {
    let script = "import os, pty, subprocess, sys\n\
                  ours, theirs = pty.openpty()\n\
                  p = subprocess.Popen(sys.argv[1:], stdout=theirs, stderr=theirs)\n\
                  os.close(theirs)\n\
                  told = b''\n\
                  while True:\n\
                  \x20   try: more = os.read(ours, 65536)\n\
                  \x20   except OSError: break\n\
                  \x20   told += more\n\
                  sys.stdout.buffer.write(told)\n\
                  sys.exit(p.wait())\n";
    let gavel = bench.command(args);
    let mut python = python();
    python.args(["-c", script]);
    python.arg(gavel.get_program()).args(gavel.get_args());
    python.env_remove("NO_COLOR").env("TERM", "xterm");
    python.env("HOME", bench.folder().join("home"));
    python.current_dir(bench.folder().join("project"));
    let done = python.output().unwrap();
    assert!(done.status.success(), "{done:?}");
    String::from_utf8(done.stdout).unwrap()
}

/// Without what makes it coloured.
fn plain(told: &str) -> String {
    let mut rest = told.replace('\r', "");
    for code in ["[0m", "[1m", "[2m", "[31m", "[32m", "[33m"] {
        rest = rest.replace(&format!("\u{1b}{code}"), "");
    }
    rest
}

#[test]
fn a_terminal_gets_one_screen() {
    let bench = bench_with(Until::Sealed);
    let told = on_a_terminal(&bench, &["review", ID]);
    assert!(told.contains("\u{1b}[1mbookmarks\u{1b}[0m"), "{told}");
    insta::assert_snapshot!(plain(&told), @r#"
    bookmarks  sealed · conditional
    Keeps bookmarks with tags and finds them again.
    run 099a8057 · 2026-11-15 09:30 UTC · worked 25 s · spent $0.1085 · branch
    gavel/build-099a8057 · pushed: none

    Asked for   a bookmark manager with tags
    Route       council, because something new is to be made, and its questions are
                open
    Decided     Storage, part 1 → one tab-separated text file (one user, small data,
                easy to repair by hand); Storage, part 2 → one tab-separated text
                file (one user, small data, easy to repair by hand)
    Dissent     a database would be safer (on: Storage, part 2); owner: an import is
                missed
    Assumed     3 assumptions, 1 open, 1 fell, 1 shown to hold. Open: one file is
                fast enough
    Built       3 sprints, 4 commits; score 0.25 → 0.25 → 1.0 (done at 0.9)
    Not built   synchronising between machines
    Went wrong  sprint 1: test ids_are_never_reused failed: expected 3, found 2,
                mended in sprint 1; the last two sprints changed no file, so: Try
                one more sprint (a person); one model would judge its own work, so:
                the run went on with less; the program died once and the run was
                taken up again
    Proven      9 of 9 tests passed in a fresh checkout; 2 of 2 criteria met, with
                evidence; the gate passed for commit 444444444444
    Not proven  1 assumption open; debate: rule-based review only; coverage: nothing
                measured how much of the code the tests reach
    People      answered 2 questions; 1 question went to --yes or the clock; 1
                remark on the way; the result was approved by --yes
    Cost        $0.1085 of $5.00, most of it in building ($0.059); expected: $0.05
                to $0.09, it became more
    Seal        conditional; check it with gavel seal verify gavel/build-099a8057
    Learned     ids of deleted entries must never be used again

    gavel review 099a8057 --full tells everything; --html FILE makes a page of it
    "#);
}

#[test]
fn a_terminal_gets_everything_and_no_signs_of_others() {
    let bench = bench_with(Until::Sealed);
    let told = on_a_terminal(&bench, &["review", ID, "--full"]);
    assert!(told.contains("────"), "{told}");
    // The sample's text holds a control sequence; its letters are shown, its power is gone.
    assert!(told.contains("[31mred"), "{told}");
    assert!(
        !told.contains("\u{1b}[31mred") && !told.contains('\u{202e}'),
        "{told}"
    );
    let plain = plain(&told);
    let widest = plain.lines().map(|line| line.trim_end().chars().count());
    assert!(widest.max().unwrap() <= 120, "{told}");
    for part in ["What was assumed ──", "The proof ──", "src/main.rs#L12"] {
        assert!(plain.contains(part), "{part}\n{plain}");
    }
}

#[test]
fn contracts_are_listed_read_and_windowed() {
    let bench = bench_with(Until::Halted);
    let list = bench.json(&["contracts", "list", "--run", ID]);
    assert_eq!(list["schema"], "gavel/contracts/v1");
    let kinds: Vec<&str> = list["contracts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|contract| contract["kind"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, ContractKind::ALL.map(ContractKind::word));
    assert_eq!(list["contracts"][3]["pinned"], true);
    let schema = bench.run(&["contracts", "get", "schema", "--run", &run_id().short()]);
    assert!(schema.stdout.starts_with("# Schema\n"), "{schema:?}");
    let data = bench.json(&["contracts", "get", "builder-directive", "--run", ID]);
    assert_eq!(data["kind"], "builder_directive");
    let refused = bench.run(&["contracts", "get", "phases", "--run", ID]);
    assert_eq!(refused.code, Some(6), "{refused:?}");
    assert!(refused.stderr.contains("contracts window N"), "{refused:?}");
    assert!(!refused.stdout.contains("Genesis"), "{refused:?}");
    assert_eq!(
        bench.run(&["contracts", "get", "poem", "--run", ID]).code,
        Some(2)
    );
    let window = bench.run(&["contracts", "window", "0", "--run", ID]);
    assert!(window.stdout.contains("## Phase 1: Finding"), "{window:?}");
    let last = bench.json(&["contracts", "window", "1", "--run", ID]);
    assert!(
        !last["text"].as_str().unwrap().contains("Genesis"),
        "{last}"
    );
    let beyond = bench.run(&["contracts", "window", "2", "--run", ID]);
    assert_eq!(beyond.code, Some(2), "{beyond:?}");
    assert!(beyond.stderr.contains("no phase 2"), "{beyond:?}");
}

#[test]
fn contracts_are_validated_where_they_lie() {
    let bench = bench_with(Until::Halted);
    let held = bench.run(&["contracts", "validate", "--run", ID]);
    assert_eq!(held.code, Some(0), "{held:?}");
    let folder = bench.folder().join("project/contracts");
    std::fs::create_dir_all(&folder).unwrap();
    let empty = bench.run(&["contracts", "validate", "--dir", "contracts"]);
    assert_eq!(empty.code, Some(2), "{empty:?}");
    for kind in ContractKind::ALL
        .into_iter()
        .filter(|kind| *kind != ContractKind::Phases)
    {
        let told = bench.json(&["contracts", "get", kind.word(), "--run", ID]);
        std::fs::write(
            folder.join(kind.file_name()),
            told["text"].as_str().unwrap(),
        )
        .unwrap();
    }
    std::fs::write(folder.join("schema.md"), "# Schema\n\nnothing\n").unwrap();
    let broken = bench.run(&["contracts", "validate", "--dir", "contracts"]);
    assert_eq!(broken.code, Some(5), "{broken:?}");
    let data = bench.json(&["contracts", "validate", "--dir", "contracts"]);
    assert_eq!(data["valid"], false);
    let files: Vec<&str> = data["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| finding["file"].as_str().unwrap())
        .collect();
    assert!(
        files.contains(&"schema.md") && files.contains(&"phases.md"),
        "{data}"
    );
    let both = bench.run(&["contracts", "validate", "x", "--dir", "contracts"]);
    assert_eq!(both.code, Some(2), "{both:?}");
}

#[test]
fn a_run_without_a_product_is_told_as_far_as_it_goes() {
    let bench = Bench::new();
    let id = run_id().to_string();
    assert_eq!(bench.run(&bench.toy_args(&id, &["--yes"])).code, Some(0));
    let told = bench.run(&["review", ID]);
    assert_eq!(told.code, Some(0), "{told:?}");
    assert!(told.stdout.contains("toy done"), "{told:?}");
    let none = bench.run(&["contracts", "list", "--run", ID]);
    assert_eq!(none.code, Some(2), "{none:?}");
    assert!(none.stderr.contains("has no contracts"), "{none:?}");
}

#[test]
fn a_waiting_run_shows_its_question_first() {
    let bench = bench_with(Until::Waiting);
    let told = bench.run(&["review", ID]);
    let question = told.stdout.find("Open question").unwrap();
    assert!(
        question < told.stdout.find("## The idea").unwrap(),
        "{told:?}"
    );
    let aborted = bench_with(Until::Aborted);
    assert_eq!(aborted.json(&["review", ID])["state"], "aborted");
}

#[test]
fn a_journal_that_lost_its_end_is_not_told() {
    let bench = bench_with(Until::Sealed);
    let script = "import sqlite3, sys\n\
                  c = sqlite3.connect(sys.argv[1])\n\
                  c.execute('DELETE FROM records WHERE seq = (SELECT max(seq) FROM records)')\n\
                  c.commit()\n";
    let done = python()
        .args(["-c", script])
        .arg(bench.state().join("gavel.db"))
        .output()
        .unwrap();
    assert!(done.status.success(), "{done:?}");
    let told = bench.run(&["review", ID]);
    assert_eq!(told.code, Some(1), "{told:?}");
    assert!(told.stderr.contains("is damaged"), "{told:?}");
}
