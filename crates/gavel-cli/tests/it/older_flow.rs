//! Runs of an older Gavel: they are read, and given up, and not replayed under other keys.

use gavel_domain::{Blob, ProjectId};
use gavel_store::Store as _;
use gavel_testkit::{git, open_store};
use serde_json::json;

use crate::bench::{Bench, run_id};
use crate::usage::Book;

#[test]
fn a_run_of_an_older_flow_is_read_and_not_driven() {
    let bench = Bench::new();
    let id = run_id().to_string();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let made = bench.json(&["init"]);
    let project: ProjectId = made["project"].as_str().unwrap().parse().unwrap();
    let brief = json!({
        "idea": "a list of books", "git": "/usr/bin/git", "checkout": bench.folder(),
        "repository": bench.folder(), "base": "", "work_tree": bench.folder(),
        "branch_prefix": "gavel/", "without_memory": false, "force_council": false,
        "review_phases": false, "mini": false, "from_repo": false,
    });
    let records = runtime.block_on(async {
        let store = open_store(&bench.state()).await;
        let (at, brief) = ("2026-11-14T10:00:00Z", Blob::new(brief.to_string()));
        let of_project = (Some(project), Some(brief));
        drop(Book::begin_with(store.as_ref(), run_id(), at, of_project).await);
        store.head(run_id()).await.unwrap().unwrap().seq
    });
    let refused = bench.run(&["resume", &id]);
    assert_eq!(refused.code, Some(8), "{refused:?}");
    let finish = "gavel start 'a list of books'";
    for told in [
        "was started by an older gavel (0.1.0)",
        finish,
        "gavel abort",
    ] {
        assert!(refused.stderr.contains(told), "{told}: {refused:?}");
    }
    let doctor = bench.json(&["doctor"]);
    let mut checks = doctor["checks"].as_array().unwrap().iter();
    let check = checks.find(|check| check["name"] == "run").unwrap();
    assert_eq!(check["verdict"], "warn", "{check}");
    assert!(check["hint"].as_str().unwrap().contains(finish), "{check}");
    for reads in ["status", "review", "replay"] {
        let read = bench.run(&[reads, &id]);
        assert_eq!(read.code, Some(0), "{reads}: {read:?}");
    }
    let after = runtime.block_on(async {
        let store = open_store(&bench.state()).await;
        store.head(run_id()).await.unwrap().unwrap().seq
    });
    assert_eq!(records, after, "nothing was written");
    // Whoever starts another run here is told first.
    let folder = bench.folder().join("project");
    git(&folder, &["init", "--quiet"]);
    let next = bench.run(&["start", "fix the typos in README.md", "--yes"]);
    let first = next.stderr.lines().next().unwrap_or_default();
    assert!(first.contains("was started by an older gavel"), "{next:?}");
    let given_up = bench.run(&["abort", &id]);
    assert_eq!(given_up.code, Some(0), "{given_up:?}");
    let status = bench.json(&["status", &id]);
    assert_eq!(status["state"], "aborted", "{status}");
}
