//! `gavel review` and `gavel contracts` through the binary, over a journal that holds every kind of
//! fact and texts that try to be more than texts.

use gavel_domain::ContractKind;
use gavel_testkit::open_store;

use crate::bench::{Bench, run_id};

#[path = "../../../gavel-product/src/report/sample.rs"]
mod sample;
use sample::Until;

fn brief() -> String {
    let brief = gavel_product::ProductBrief {
        idea: "a bookmark manager with tags".to_owned(),
        git: "/usr/bin/git".into(),
        checkout: "/somewhere/bookmarks".into(),
        repository: "/somewhere/bookmarks/.git".into(),
        base: "b".repeat(40),
        work_tree: "/state/worktrees/1".into(),
        branch_prefix: "gavel/build-".to_owned(),
        stack: None,
        without_memory: false,
        force_council: false,
        review_phases: false,
        mini: false,
    };
    serde_json::to_string(&brief).unwrap()
}

/// A bench whose store holds one run.
fn bench_with(until: Until) -> Bench {
    let bench = Bench::new();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let store = open_store(&bench.state()).await;
        sample::write(store.as_ref(), run_id(), until, &brief()).await;
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
    let told = bench.run(&["review"]);
    assert_eq!(told.code, Some(0), "{told:?}");
    for part in [
        "# bookmarks\n\n**sealed · conditional**",
        "## The idea\n\n> a bookmark manager with tags",
        "**Dissent:** a database would be safer",
        "### Sprint 1: phase 0, Genesis",
        "**The done gate passed** with 1000 of 1000",
        "| ✓ | A bookmark that was added is listed. | `cli::bookmark_listed` |"
            .replace("✓", "**✓**")
            .as_str(),
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
    let report = bench.json(&["review"]);
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
}

#[test]
fn a_page_stands_alone_and_runs_nothing() {
    let bench = bench_with(Until::Sealed);
    let told = bench.run(&["review", "--html", "page.html"]);
    assert_eq!(told.code, Some(0), "{told:?}");
    let page = std::fs::read_to_string(bench.folder().join("project/page.html")).unwrap();
    assert!(page.starts_with("<!doctype html>") && page.contains("<svg"));
    for never in [
        "<script", "http://", "https://", "<img", "<link", "@import", "\u{1b}",
    ] {
        assert!(!page.contains(never), "{never}");
    }
    let printed = bench.run(&["review", "--html", "-"]);
    assert_eq!(printed.stdout, page);
    let nowhere = bench.run(&["review", "--html", "no/such/folder.html"]);
    assert_eq!(nowhere.code, Some(1), "{nowhere:?}");
}

#[test]
fn a_terminal_gets_a_page_and_no_signs_of_others() {
    let bench = bench_with(Until::Sealed);
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
    let gavel = bench.command(&["review"]);
    let mut python = python();
    python.args(["-c", script]);
    python.arg(gavel.get_program()).args(gavel.get_args());
    python.env_remove("NO_COLOR").env("TERM", "xterm");
    python.env("HOME", bench.folder().join("home"));
    python.current_dir(bench.folder().join("project"));
    let done = python.output().unwrap();
    assert!(done.status.success(), "{done:?}");
    let told = String::from_utf8(done.stdout).unwrap();
    assert!(told.contains("\u{1b}[1mbookmarks\u{1b}[0m"), "{told}");
    assert!(told.contains("────"), "{told}");
    // The sample's text holds a control sequence; its letters are shown, its power is gone.
    assert!(told.contains("[31mred"), "{told}");
    assert!(
        !told.contains("\u{1b}[31mred") && !told.contains('\u{202e}'),
        "{told}"
    );
    let widest = told.lines().map(|line| {
        let mut rest = line.to_owned();
        for code in ["[0m", "[1m", "[2m", "[31m", "[32m", "[33m"] {
            rest = rest.replace(&format!("\u{1b}{code}"), "");
        }
        rest.trim_end().chars().count()
    });
    assert!(widest.max().unwrap() <= 120, "{told}");
}

#[test]
fn contracts_are_listed_read_and_windowed() {
    let bench = bench_with(Until::Halted);
    let list = bench.json(&["contracts", "list"]);
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
    let data = bench.json(&["contracts", "get", "builder-directive"]);
    assert_eq!(data["kind"], "builder_directive");
    let refused = bench.run(&["contracts", "get", "phases"]);
    assert_eq!(refused.code, Some(6), "{refused:?}");
    assert!(refused.stderr.contains("contracts window N"), "{refused:?}");
    assert!(!refused.stdout.contains("Genesis"), "{refused:?}");
    assert_eq!(bench.run(&["contracts", "get", "poem"]).code, Some(2));
    let window = bench.run(&["contracts", "window", "0"]);
    assert!(window.stdout.contains("## Phase 1: Finding"), "{window:?}");
    let last = bench.json(&["contracts", "window", "1"]);
    assert!(
        !last["text"].as_str().unwrap().contains("Genesis"),
        "{last}"
    );
    let beyond = bench.run(&["contracts", "window", "2"]);
    assert_eq!(beyond.code, Some(2), "{beyond:?}");
    assert!(beyond.stderr.contains("no phase 2"), "{beyond:?}");
}

#[test]
fn contracts_are_validated_where_they_lie() {
    let bench = bench_with(Until::Halted);
    let held = bench.run(&["contracts", "validate"]);
    assert_eq!(held.code, Some(0), "{held:?}");
    let folder = bench.folder().join("project/contracts");
    std::fs::create_dir_all(&folder).unwrap();
    let empty = bench.run(&["contracts", "validate", "--dir", "contracts"]);
    assert_eq!(empty.code, Some(2), "{empty:?}");
    for kind in ContractKind::ALL
        .into_iter()
        .filter(|kind| *kind != ContractKind::Phases)
    {
        let told = bench.json(&["contracts", "get", kind.word()]);
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
    let told = bench.run(&["review"]);
    assert_eq!(told.code, Some(0), "{told:?}");
    assert!(told.stdout.contains("toy done"), "{told:?}");
    let none = bench.run(&["contracts", "list"]);
    assert_eq!(none.code, Some(2), "{none:?}");
    assert!(none.stderr.contains("has no contracts"), "{none:?}");
}

#[test]
fn a_waiting_run_shows_its_question_first() {
    let bench = bench_with(Until::Waiting);
    let told = bench.run(&["review"]);
    let question = told.stdout.find("Open question").unwrap();
    assert!(
        question < told.stdout.find("## The idea").unwrap(),
        "{told:?}"
    );
    let aborted = bench_with(Until::Aborted);
    assert_eq!(aborted.json(&["review"])["state"], "aborted");
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
    let told = bench.run(&["review"]);
    assert_eq!(told.code, Some(1), "{told:?}");
    assert!(told.stderr.contains("is damaged"), "{told:?}");
}
