//! Settings through the binary: whose file may say what.

use crate::bench::{Bench, run_id};

#[test]
fn a_cloned_projects_file_cannot_send_a_key_anywhere() {
    let bench = Bench::new();
    let url = bench.server.openai_url();
    let file = bench.project_file();
    for endpoint in [
        format!("[models.endpoints.anthropic]\nurl = \"{url}\"\n"),
        format!("[models.endpoints.mine]\nurl = \"{url}\"\nkey_variable = \"HOME\"\n"),
    ] {
        std::fs::write(&file, &endpoint).unwrap();
        let ended = bench.run(&["models", "probe"]);
        assert_eq!(ended.code, Some(2), "{ended:?}");
        assert!(ended.stderr.contains("where a key is sent"), "{ended:?}");
        // The same words in the person's own file are fine.
        std::fs::write(bench.own_file(), &endpoint).unwrap();
        std::fs::remove_file(&file).unwrap();
        assert_eq!(bench.run(&["models", "list"]).code, Some(0));
    }
}

#[test]
fn a_cloned_projects_file_cannot_weaken_the_money_guards() {
    let bench = Bench::new();
    let url = bench.server.openai_url();
    let free = format!("[models.endpoints.mine]\nurl = \"{url}\"\nfree = true\n");
    let taken = format!("[models.endpoints.fake]\nurl = \"{url}\"\n");
    let id = run_id().to_string();
    for (settings, told) in [
        (
            "[models]\npaid = \"agreed\"\n",
            "cannot be set by a project",
        ),
        ("[caps]\nrun_usd = \"none\"\n", "may only lower it"),
        ("[caps]\nmonth_usd = 50.5\n", "may only lower it"),
        (
            "[[models.catalogue]]\nid = \"fake/model\"\nfree = true\n",
            "cannot say what a model costs",
        ),
        (free.as_str(), "cannot say that a server is free"),
        (taken.as_str(), "names this server already"),
    ] {
        std::fs::write(bench.project_file(), settings).unwrap();
        let refused = bench.run(&bench.toy_args(&id, &["--yes"]));
        assert_eq!(refused.code, Some(2), "{settings} {refused:?}");
        assert!(refused.stderr.contains(told), "{settings} {refused:?}");
        assert!(refused.stderr.contains("gavel.toml"), "{refused:?}");
    }
    assert!(bench.server.requests().is_empty(), "nothing was sent");
    std::fs::write(bench.project_file(), "[caps]\nrun_usd = 0.0001\n").unwrap();
    let lowered = bench.run(&bench.toy_args(&id, &["--yes"]));
    assert_eq!(lowered.code, Some(4), "{lowered:?}");
}

#[test]
fn a_wrong_setting_is_told_by_every_command() {
    let bench = Bench::new();
    let file = bench.folder().join("state");
    for args in [
        &["status"][..],
        &["usage"],
        &["watch"],
        &["replay"],
        &["pause"],
        &["say", "hello"],
        &["answer", "yes"],
        &["init"],
        &["memory", "list"],
        &["intake", "a small tool"],
    ] {
        let wrong = bench.run(&[&["-c", "caps.run_uds=1"], args].concat());
        assert_eq!(wrong.code, Some(2), "{args:?} {wrong:?}");
        let told = "unknown setting `caps.run_uds`";
        assert!(wrong.stderr.contains(told), "{args:?} {wrong:?}");
    }
    assert!(!file.exists(), "nothing was made");
    // The doctor tells it among the rest of what it found.
    let doctor = bench.run(&["doctor", "-c", "caps.run_uds=1"]);
    assert_eq!(doctor.code, Some(1), "{doctor:?}");
    assert!(doctor.stdout.contains("unknown setting"), "{doctor:?}");
}

#[test]
fn a_projects_endpoint_has_no_known_price() {
    let bench = Bench::new();
    let url = bench.server.openai_url();
    let endpoint = format!("[models.endpoints.mine]\nurl = \"{url}\"\n");
    std::fs::write(bench.project_file(), endpoint).unwrap();
    let id = run_id().to_string();
    let mut args = bench.toy_args(&id, &["--yes"]);
    args[8] = "mine/model";
    let asked = bench.run(&args);
    assert_eq!(asked.code, Some(4), "{asked:?}");
    assert!(bench.server.requests().is_empty(), "nothing was sent");
}

#[test]
fn a_project_file_is_looked_for_inside_its_repository_only() {
    let bench = Bench::new();
    let (outside, repository) = (bench.folder().join("clone"), bench.folder().join("clone/r"));
    let below = repository.join("a/b");
    std::fs::create_dir_all(&below).unwrap();
    std::fs::write(outside.join("gavel.toml"), "[caps]\nrun_usd = 1\n").unwrap();
    let limit = || {
        let shown = bench.json(&["-C", below.to_str().unwrap(), "config", "show"]);
        let settings = shown["settings"].as_array().unwrap().clone();
        let found = settings.iter().find(|s| s["key"] == "caps.run_usd");
        found.unwrap()["value"].as_str().unwrap().to_owned()
    };
    assert_eq!(limit(), "5", "no repository: only the folder itself");
    std::fs::create_dir(repository.join(".git")).unwrap();
    assert_eq!(limit(), "5", "what lies above the repository is not read");
    std::fs::write(repository.join("gavel.toml"), "[caps]\nrun_usd = 2\n").unwrap();
    assert_eq!(limit(), "2", "the repository's own is");
    std::fs::remove_dir(repository.join(".git")).unwrap();
    assert_eq!(limit(), "5");
}

#[test]
fn how_a_project_is_verified_is_read_before_anything_starts() {
    let bench = Bench::new();
    let good = "[verify]\ntest = [\"make\", \"check\"]\n[[verify.smoke]]\ncommand = [\"true\"]\n";
    std::fs::write(bench.project_file(), good).unwrap();
    assert_eq!(bench.run(&["models", "list"]).code, Some(0));
    for (text, told) in [
        ("[verify]\ntests = []\n", "unknown field `tests`"),
        ("[verify]\ntest = \"make\"\n", "invalid type"),
        (
            "[[verify.smoke]]\n",
            "name either a `command`, or a `start`",
        ),
    ] {
        std::fs::write(bench.project_file(), text).unwrap();
        let refused = bench.run(&["models", "list"]);
        assert_eq!(refused.code, Some(2), "{refused:?}");
        assert!(refused.stderr.contains(told), "{refused:?}");
        assert!(refused.stderr.contains("gavel.toml"), "{refused:?}");
    }
    // It belongs to a project, and not to a person.
    std::fs::write(bench.project_file(), "").unwrap();
    let own = std::fs::read_to_string(bench.own_file()).unwrap();
    std::fs::write(bench.own_file(), own + good).unwrap();
    let refused = bench.run(&["models", "list"]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(
        refused.stderr.contains("unknown setting `verify."),
        "{refused:?}"
    );
}
