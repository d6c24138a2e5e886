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

/// The line of an item whose words were written by hand.
fn worded(line: &str, text: &str, tags: &[String]) -> String {
    let mut event: Value = serde_json::from_str(line).unwrap();
    event["text"] = text.into();
    event["tags"] = serde_json::json!(tags);
    format!("{event}\n")
}

#[test]
fn an_item_that_is_longer_than_gavel_takes_is_cut_where_it_is_shown_and_served() {
    let bench = project();
    let add = [
        "memory",
        "add",
        "--kind",
        "trap",
        "the cache is never emptied",
    ];
    assert_eq!(bench.run(&add).code, Some(0));
    let line = bench.run(&["memory", "export"]).stdout;
    let id = bench.json(&["memory", "list"])["items"][0]["id"].clone();
    let id = id.as_str().unwrap();
    let file = memory_file(&bench.folder().join("project/.gavel/memory"));
    let line = line.lines().next().unwrap();
    let long = "cache ".repeat(400_000);
    let tags: Vec<String> = (0..500)
        .map(|number| format!("{number}-{}", "t".repeat(5_000)))
        .collect();
    for (text, tags, cut) in [
        ("the cache is never emptied", &tags[..0], false),
        (long.as_str(), &tags[..], true),
    ] {
        std::fs::write(&file, worded(line, text, tags)).unwrap();
        let shown = bench.run(&["memory", "get", id]);
        assert_eq!(shown.code, Some(0), "{shown:?}");
        assert!(shown.stdout.len() < 2 * MUCH, "{}", shown.stdout.len());
        assert_eq!(
            shown.stdout.contains("more bytes"),
            cut,
            "{}",
            shown.stdout.len()
        );
        for (tool, arguments) in [
            ("gavel_memory_get", serde_json::json!({"id": id})),
            ("gavel_memory_search", serde_json::json!({"text": "cache"})),
        ] {
            let call = serde_json::json!({"name": tool, "arguments": arguments});
            let answers =
                crate::mcp::asked(&bench, &["--tools", "memory"], &[("tools/call", call)]);
            let told = answers[1].to_string();
            assert!(told.contains("cache"), "{tool}: {told}");
            assert!(told.len() < 4 * MUCH, "{tool}: {}", told.len());
        }
    }
}

#[test]
fn a_long_text_that_was_handed_into_a_loop_does_not_fill_pages_and_answers() {
    let bench = project();
    let opened = bench.json(&[
        "loop",
        "open",
        "--title",
        "cache",
        "--proposal",
        "empty the cache at night",
        "--slot",
        "champion:ann",
        "--slot",
        "critic:bob",
        "--agent",
        "ann",
    ]);
    let id = opened["loop_id"].as_str().unwrap().to_owned();
    let text = format!("proposal={}", "cache ".repeat(17_000));
    let added = bench.run(&["loop", "add", &id, "--artifact", &text, "--agent", "ann"]);
    assert_eq!(added.code, Some(0), "{:.2000}", added.stderr);
    let shown = bench.run(&["loop", "get", &id]);
    assert_eq!(shown.code, Some(0), "{:.2000}", shown.stderr);
    assert!(shown.stdout.len() < 2 * MUCH, "{}", shown.stdout.len());
    let call =
        serde_json::json!({"name": "gavel_loop", "arguments": {"intent": "get", "loop_id": id}});
    let answers = crate::mcp::asked(&bench, &["--tools", "loops"], &[("tools/call", call)]);
    let told = answers[1].to_string();
    assert!(told.len() < 4 * MUCH, "{}", told.len());
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
