//! Which run a command means when none is named.

use crate::bench::{Bench, run_id};

/// Beyond the rules, so that its run waits at once.
const IDEA: &str = "a web shop with payments";

#[test]
fn a_folder_means_the_runs_of_its_project() {
    let bench = Bench::new();
    let first = run_id();
    let second: gavel_domain::RunId = "01890a5d-ac96-774b-bcce-b302099a8058".parse().unwrap();
    for (folder, id) in [("one", first), ("two", second)] {
        let id = id.to_string();
        let asked = bench.run(&["start", IDEA, "--into", folder, "--run", &id]);
        assert_eq!(asked.code, Some(3), "{asked:?}");
    }
    let listed = bench.run(&["status"]);
    assert_eq!(listed.stdout.matches(IDEA).count(), 2, "{listed:?}");
    let shown = bench.json(&["status", &first.to_string()]);
    assert_eq!(shown["idea"], IDEA, "{shown}");
    assert!(shown["folder"].as_str().unwrap().ends_with("/project/one"));

    let means = |folder: &str, id: gavel_domain::RunId| {
        let said = bench.run(&["-C", folder, "say", "Keep it small."]);
        assert_eq!(said.code, Some(0), "{said:?}");
        let named = format!("run {}\n", id.short());
        assert_eq!(said.stderr, named, "{folder}");
    };
    means("one", first);
    means("two", second);
    // No project is named here: the newest of all.
    means(".", second);

    let refused = bench.run(&["abort"]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    for id in [first, second] {
        assert!(refused.stderr.contains(&id.short()), "{refused:?}");
    }
    let aborted = bench.run(&["-C", "two", "abort"]);
    assert_eq!(aborted.code, Some(0), "{aborted:?}");
    let over = bench.run(&["-C", "two", "resume", &second.to_string()]);
    assert_eq!(over.code, Some(1), "{over:?}");
    // Its project has none left that could be meant.
    means("two", first);
    let named = bench.run(&["-C", "two", "say", &first.to_string(), "And fast."]);
    assert_eq!((named.code, named.stderr.as_str()), (Some(0), ""));
}

#[test]
fn an_empty_idea_is_wrong_usage() {
    let bench = Bench::new();
    let nothing = bench.run(&[""]);
    assert_eq!(nothing.code, Some(2), "{nothing:?}");
    assert!(nothing.stderr.contains("give one"), "{nothing:?}");
}
