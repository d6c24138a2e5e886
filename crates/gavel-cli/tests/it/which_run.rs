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
    let listed = bench.run(&["status", "--all"]);
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

    // Given up is given up: nothing is guessed, not even the only one.
    let unnamed = bench.run(&["-C", "two", "abort"]);
    assert_eq!(unnamed.code, Some(2), "{unnamed:?}");
    assert!(unnamed.stderr.contains(&second.short()), "{unnamed:?}");
    let aborted = bench.run(&["-C", "two", "abort", &second.to_string()]);
    assert_eq!(aborted.code, Some(0), "{aborted:?}");
    let over = bench.run(&["-C", "two", "resume", &second.to_string()]);
    assert_eq!(over.code, Some(1), "{over:?}");
    let named = bench.run(&["-C", "two", "say", &first.to_string(), "And fast."]);
    assert_eq!((named.code, named.stderr.as_str()), (Some(0), ""));
}

#[test]
fn no_command_touches_the_run_of_another_project() {
    let bench = Bench::new();
    let id = run_id().to_string();
    let asked = bench.run(&["start", IDEA, "--into", "one", "--run", &id]);
    assert_eq!(asked.code, Some(3), "{asked:?}");
    std::fs::create_dir(bench.folder().join("project/two")).unwrap();
    assert_eq!(bench.run(&["-C", "two", "init"]).code, Some(0));
    let nowhere = tempfile::tempdir().unwrap();
    let nowhere = nowhere.path().to_str().unwrap();
    let seq = || bench.json(&["status", &id])["seq"].clone();
    let before = seq();
    // The project around all of them, one beside the run's, and a folder that is none.
    for folder in [".", "two", nowhere] {
        for command in [
            &["answer", "1"][..],
            &["answer"],
            &["say", "Stop."],
            &["pause"],
            &["abort"],
            &["ship"],
            &["resume"],
            &["watch"],
            &["replay"],
            &["review"],
            &["contracts", "list"],
        ] {
            let refused = bench.run(&[&["-C", folder], command].concat());
            assert_eq!(refused.code, Some(2), "{folder} {command:?}: {refused:?}");
            assert!(refused.stderr.contains("elsewhere:"), "{refused:?}");
            assert!(refused.stderr.contains(&run_id().short()), "{refused:?}");
        }
        let listed = bench.json(&["-C", folder, "status"]);
        assert_eq!(listed["total"], 0, "{folder}");
    }
    assert_eq!(seq(), before);
    for folder in ["two", nowhere] {
        let shown = bench.run(&["-C", folder, "council", "show"]);
        assert_eq!(shown.code, Some(2), "{shown:?}");
        assert!(
            shown.stderr.contains("no council has met in this"),
            "{shown:?}"
        );
        for of_all in ["list", "stats"] {
            let shown = bench.run(&["-C", folder, "council", of_all]);
            assert_eq!(shown.code, Some(0), "{shown:?}");
            assert!(shown.stdout.contains("no council has met"), "{shown:?}");
        }
    }
    let all = bench.json(&["-C", "two", "status", "--all"]);
    assert_eq!(all["runs"][0]["run"], id);
    let folder = all["runs"][0]["folder"].as_str().unwrap();
    assert!(folder.ends_with("/project/one"), "{folder}");
    // The twin: in its own project each of them means it.
    let said = bench.run(&["-C", "one", "say", "Keep it small."]);
    assert_eq!(said.code, Some(0), "{said:?}");
}

/// Clones share the id in `gavel.toml`, and no runs.
#[test]
fn a_clone_does_not_reach_the_runs_of_the_original() {
    let bench = Bench::new();
    let id = run_id().to_string();
    let asked = bench.run(&["start", IDEA, "--into", "one", "--run", &id]);
    assert_eq!(asked.code, Some(3), "{asked:?}");
    let projects = bench.folder().join("project");
    let original = projects.join("one");
    gavel_testkit::git(&original, &["add", "-A"]);
    gavel_testkit::git(&original, &["commit", "-qm", "settings"]);
    gavel_testkit::git(&projects, &["clone", "-q", "one", "clone"]);
    let config = |folder: &str| std::fs::read_to_string(projects.join(folder).join("gavel.toml"));
    assert_eq!(config("one").unwrap(), config("clone").unwrap());
    for command in [&["say", "Stop."][..], &["abort"], &["resume"], &["review"]] {
        let refused = bench.run(&[&["-C", "clone"], command].concat());
        assert_eq!(refused.code, Some(2), "{command:?}: {refused:?}");
        assert!(refused.stderr.contains(&run_id().short()), "{refused:?}");
    }
    // A work tree of the same repository is the same project, and so is one that moved.
    gavel_testkit::git(
        &projects.join("one"),
        &["worktree", "add", "-q", "../beside"],
    );
    let said = bench.run(&["-C", "beside", "say", "Keep it small."]);
    assert_eq!(said.code, Some(0), "{said:?}");
    std::fs::rename(&original, projects.join("moved")).unwrap();
    let said = bench.run(&["-C", "moved", "say", "And fast."]);
    assert_eq!(said.code, Some(0), "{said:?}");
}

#[test]
fn a_run_is_found_by_its_folder_where_no_id_names_the_project() {
    let bench = Bench::new();
    let id = run_id();
    let repository = bench.folder().join("plain");
    std::fs::create_dir(&repository).unwrap();
    gavel_testkit::git(&repository, &["init", "-q"]);
    let plain = repository.to_str().unwrap();
    let asked = bench.run(&["-C", plain, "start", IDEA, "--run", &id.to_string()]);
    assert_eq!(asked.code, Some(3), "{asked:?}");
    assert!(!repository.join("gavel.toml").exists());
    let said = bench.run(&["-C", plain, "say", "Keep it small."]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert_eq!(bench.json(&["-C", plain, "status"])["total"], 1);
    // With an id from then on, it is still the project of its folder.
    assert_eq!(bench.run(&["-C", plain, "init"]).code, Some(0));
    let said = bench.run(&["-C", plain, "say", "And fast."]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert_eq!(bench.run(&["say", "Stop."]).code, Some(2));
}

#[test]
fn among_several_that_could_be_meant_nothing_is_guessed() {
    let bench = Bench::new();
    let second = "01890a5d-ac96-774b-bcce-b302099a8058";
    for id in [&run_id().to_string(), second] {
        let asked = bench.run(&["start", IDEA, "--into", "one", "--run", id]);
        assert_eq!(asked.code, Some(3), "{asked:?}");
    }
    for command in [
        &["answer", "1"][..],
        &["say", "Stop."],
        &["pause"],
        &["ship"],
        &["abort"],
    ] {
        let refused = bench.run(&[&["-C", "one"], command].concat());
        assert_eq!(refused.code, Some(2), "{command:?}: {refused:?}");
        assert!(refused.stderr.contains("several runs"), "{refused:?}");
    }
    // The newest goes on.
    let resumed = bench.run(&["-C", "one", "resume"]);
    assert_eq!(resumed.code, Some(3), "{resumed:?}");
    assert!(
        resumed.stderr.starts_with("run b302099a8058\n") || resumed.stderr.contains("099a8058")
    );
}

#[test]
fn what_is_over_is_pruned_after_it_was_shown() {
    let bench = Bench::new();
    let (over, open) = (run_id().to_string(), "01890a5d-ac96-774b-bcce-b302099a8058");
    let start = |folder: &str, id: &str| {
        let asked = bench.run(&["start", IDEA, "--into", folder, "--run", id]);
        assert_eq!(asked.code, Some(3), "{asked:?}");
    };
    let shows = |args: &[&str]| bench.run(&[&["-C", "one", "runs", "prune"], args].concat());
    start("one", &over);
    let aborted = bench.run(&["-C", "one", "abort", &over]);
    assert_eq!(aborted.code, Some(0), "{aborted:?}");
    let elsewhere = bench.run(&["runs", "prune", "--yes"]);
    assert_eq!(elsewhere.code, Some(0), "{elsewhere:?}");
    assert_eq!(bench.json(&["-C", "one", "status"])["total"], 1);

    let unasked = shows(&[]);
    assert_eq!(unasked.code, Some(2), "{unasked:?}");
    assert!(unasked.stderr.contains(IDEA), "{unasked:?}");
    assert_eq!(bench.json(&["-C", "one", "status"])["total"], 1);
    let pruned = bench.json(&["-C", "one", "runs", "prune", "--yes"]);
    assert_eq!(pruned["pruned"], serde_json::json!([over]));
    // A refused idea that waits for a model goes, too, and is shown before.
    start("one", open);
    let unasked = shows(&[]);
    assert_eq!(unasked.code, Some(2), "{unasked:?}");
    assert!(unasked.stderr.contains("1 refused idea"), "{unasked:?}");
    assert_eq!(bench.json(&["-C", "one", "status"])["total"], 1);
    let pruned = bench.json(&["-C", "one", "runs", "prune", "--yes"]);
    assert_eq!(pruned["pruned"], serde_json::json!([open]));
    assert_eq!(bench.json(&["-C", "one", "status"])["total"], 0);
    let again = shows(&["--yes"]);
    assert!(again.stdout.contains("nothing to prune"), "{again:?}");
}

#[test]
fn an_empty_idea_is_wrong_usage() {
    let bench = Bench::new();
    let nothing = bench.run(&[""]);
    assert_eq!(nothing.code, Some(2), "{nothing:?}");
    assert!(nothing.stderr.contains("give one"), "{nothing:?}");
}
