//! Files of a repository that are too long to be shown: what is printed about them is bounded.

use serde_json::Value;

use crate::bench::Bench;
use crate::mcp::project;

/// More than any error or list needs.
const MUCH: usize = 20_000;

fn project_with(settings: &str) -> Bench {
    let bench = Bench::new();
    std::fs::write(bench.project_file(), settings).unwrap();
    bench
}

#[test]
fn an_error_about_a_long_line_of_settings_is_short_and_says_that_it_was_cut() {
    let long = "x".repeat(10 * 1024 * 1024);
    for settings in [
        format!("[models]\nmax_input = \"{long}"),
        format!("[models]\nmax_input = \"{long}\"\n"),
        format!("[models]\n{long} = 1\n"),
        format!("[{long}]\nkey = 1\n"),
    ] {
        let bench = project_with(&settings);
        let shown = bench.run(&["config", "show"]);
        assert_ne!(shown.code, Some(0), "it is wrong");
        assert!(shown.stdout.len() + shown.stderr.len() < MUCH);
        assert!(shown.stderr.contains("gavel.toml"), "{}", shown.stderr);
        assert!(
            shown.stderr.contains("more characters)"),
            "{}",
            shown.stderr
        );
        let data = bench.run(&["--json", "config", "show"]);
        assert!(data.stdout.len() < MUCH, "{}", data.stdout.len());
        let data: Value = serde_json::from_str(&data.stdout).unwrap();
        let message = data["error"]["message"].as_str().unwrap();
        assert!(message.contains("more characters)"), "{message}");
    }
}

#[test]
fn a_wrong_setting_of_usual_length_is_shown_whole() {
    let wrong = "a setting that is wrong, and short enough to be read";
    let bench = project_with(&format!("[models]\nmax_input = \"{wrong}\"\n"));
    let shown = bench.run(&["config", "show"]);
    assert_ne!(shown.code, Some(0), "{shown:?}");
    assert!(shown.stderr.contains(wrong), "{shown:?}");
    assert!(!shown.stderr.contains("more characters"), "{shown:?}");
}

/// The line of an item whose tag was written by hand.
fn tagged(line: &str, tag: &str) -> String {
    let mut event: Value = serde_json::from_str(line).unwrap();
    event["tags"] = serde_json::json!([tag]);
    format!("{event}\n")
}

#[test]
fn a_list_with_a_long_tag_is_short_and_says_that_it_was_cut() {
    let bench = project();
    let add = [
        "memory",
        "add",
        "--kind",
        "trap",
        "the cache is never emptied",
    ];
    let added = bench.run(&[&add[..], &["--tag", "short"]].concat());
    assert_eq!(added.code, Some(0), "{added:?}");
    let line = bench.run(&["memory", "export"]).stdout;
    let file = memory_file(&bench.folder().join("project/.gavel/memory"));
    for (tag, cut) in [("short".to_owned(), false), ("t".repeat(100 * 1024), true)] {
        std::fs::write(&file, tagged(line.lines().next().unwrap(), &tag)).unwrap();
        for command in [&["memory", "list"][..], &["memory", "search", "cache"]] {
            let listed = bench.run(command);
            assert_eq!(listed.code, Some(0), "{listed:?}");
            assert!(listed.stdout.contains("cache"), "{command:?} {listed:?}");
            let shown = listed.stdout.len() + listed.stderr.len();
            assert!(shown < MUCH, "{command:?} {shown}");
            let marked = listed.stdout.contains("more characters)");
            assert_eq!(marked, cut, "{command:?} {listed:?}");
        }
    }
}

/// The one file of a memory.
fn memory_file(folder: &std::path::Path) -> std::path::PathBuf {
    let entries = std::fs::read_dir(folder).unwrap();
    let month = entries
        .map(|entry| entry.unwrap().path())
        .find(|path| path.is_dir())
        .unwrap();
    let mut files = std::fs::read_dir(month).unwrap();
    files.next().unwrap().unwrap().path()
}
