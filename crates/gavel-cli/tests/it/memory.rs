//! `gavel init` and `gavel memory` through the binary.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::bench::{Bench, ended};

pub(crate) fn project(bench: &Bench) -> PathBuf {
    bench.folder().join("project")
}

pub(crate) fn add(bench: &Bench, args: &[&str]) -> Value {
    let added = bench.json(&[&["memory", "add"], args].concat());
    assert_eq!(added["schema"], "gavel/memory_item/v1", "{added}");
    added
}

pub(crate) fn texts(list: &Value) -> Vec<&str> {
    let items = list["items"].as_array().unwrap().iter();
    items.map(|item| item["text"].as_str().unwrap()).collect()
}

#[test]
fn a_project_is_made_once() {
    let bench = Bench::new();
    let before = std::fs::read_to_string(project(&bench).join("gavel.toml")).unwrap();
    let made = bench.json(&["init"]);
    assert_eq!(made["made"], json!(["gavel.toml", ".gavel/memory"]));
    let after = std::fs::read_to_string(project(&bench).join("gavel.toml")).unwrap();
    assert!(after.starts_with(&before), "what was there stays: {after}");
    assert!(project(&bench).join(".gavel/memory").is_dir());
    let again = bench.json(&["init"]);
    assert_eq!(
        (&again["made"], &again["project"]),
        (&json!([]), &made["project"])
    );
    let twice = std::fs::read_to_string(project(&bench).join("gavel.toml")).unwrap();
    assert_eq!(twice, after);
    let models = bench.json(&["models", "list"]);
    assert_eq!(models["models"][0]["id"], "fake/model", "settings are read");
}

#[test]
fn a_project_is_made_where_nothing_is() {
    let bench = Bench::new();
    let fresh = bench.folder().join("fresh");
    std::fs::create_dir(&fresh).unwrap();
    let fresh = fresh.to_str().unwrap();
    let nowhere = bench.run(&["-C", fresh, "memory", "list"]);
    assert_eq!(nowhere.code, Some(2), "{nowhere:?}");
    assert!(nowhere.stderr.contains("gavel init"), "{nowhere:?}");
    let made = bench.run(&["-C", fresh, "init"]);
    assert_eq!(made.code, Some(0), "{made:?}");
    let text = std::fs::read_to_string(Path::new(fresh).join("gavel.toml")).unwrap();
    assert!(text.starts_with("[project]\nid = \""), "{text}");
    let list = bench.run(&["-C", fresh, "memory", "list"]);
    assert_eq!(list.stdout, "nothing is remembered yet\n");
    std::fs::write(Path::new(fresh).join("gavel.toml"), "[project]\n").unwrap();
    let nameless = bench.json(&["-C", fresh, "init"]);
    let hint = nameless["error"]["hint"].as_str().unwrap();
    assert!(hint.starts_with("add this line to it: id = "), "{nameless}");
}

#[test]
fn what_is_added_is_listed_found_shown_and_retired() {
    let bench = Bench::new();
    let trap = add(
        &bench,
        &[
            "--kind",
            "trap",
            "--tag",
            "HTTP",
            "--tag",
            "tests",
            "--path",
            "src/../src/server.rs",
            "--severity",
            "high",
            "the server answers before it listens",
        ],
    );
    assert_eq!(trap["kind"], "trap");
    assert_eq!(trap["tags"], json!(["http", "tests"]));
    assert_eq!(trap["paths"], json!(["src/server.rs"]));
    assert_eq!(
        (&trap["acceptance"], &trap["visibility"], &trap["severity"]),
        (&json!("accepted"), &json!("shared"), &json!("high"))
    );
    let file = project(&bench).join(trap["file"].as_str().unwrap());
    assert_eq!(std::fs::read_to_string(file).unwrap().lines().count(), 1);
    add(&bench, &["--kind", "decision", "one server for all tests"]);

    let list = bench.json(&["memory", "list"]);
    assert_eq!(list["schema"], "gavel/memory/v1");
    assert_eq!(list["problems"], json!([]));
    assert_eq!(
        texts(&list),
        [
            "one server for all tests",
            "the server answers before it listens"
        ]
    );
    let traps = bench.json(&["memory", "list", "--kind", "trap"]);
    assert_eq!(texts(&traps), ["the server answers before it listens"]);
    let found = bench.json(&[
        "memory",
        "search",
        "does the server listen?",
        "--limit",
        "1",
    ]);
    assert_eq!(texts(&found).len(), 1);
    assert!(
        found["items"][0]["score"].as_f64().unwrap() > 0.0,
        "{found}"
    );

    let id = trap["id"].as_str().unwrap();
    assert!(id.starts_with("trp_"), "{id}");
    let shown = bench.run(&["memory", "get", trap["short"].as_str().unwrap()]);
    assert!(shown.stdout.contains(id), "{shown:?}");
    assert!(shown.stdout.contains("src/server.rs"), "{shown:?}");
    let retired = bench.json(&["memory", "retire", id]);
    assert_eq!(retired["state"], "retired");
    assert_eq!(
        texts(&bench.json(&["memory", "list"])),
        ["one server for all tests"]
    );
    assert_eq!(texts(&bench.json(&["memory", "list", "--all"])).len(), 2);
    assert_eq!(
        bench.json(&["memory", "search", "listens"])["items"],
        json!([])
    );
    let store = bench.state().join("gavel.db");
    assert!(
        !store.exists(),
        "what is shared and accepted needs no store"
    );
}

#[test]
fn a_list_for_people() {
    let bench = Bench::new();
    add(
        &bench,
        &["--kind", "trap", "dates are local\nin the export"],
    );
    add(
        &bench,
        &[
            "--kind",
            "feedback",
            "--tag",
            "tone",
            "say less \u{1b}[31mred",
        ],
    );
    let list = bench.run(&["memory", "list"]);
    let mut plain = String::new();
    for line in list.stdout.lines() {
        let (id, rest) = line.split_once(' ').unwrap();
        plain.push_str(&format!("{}{rest}\n", id.split('_').next().unwrap()));
    }
    insta::assert_snapshot!(plain, @"
    trp trap      medium  dates are local…
    fb  feedback          say less [31mred  #tone
    ");
}

#[test]
fn texts_may_look_like_flags_or_come_from_a_pipe() {
    let bench = Bench::new();
    let flag = add(
        &bench,
        &["--kind", "constraint", "--", "--force is never used"],
    );
    assert_eq!(flag["text"], "--force is never used");
    let args = ["--json", "memory", "add", "--kind", "plan", "-"];
    let mut child = bench.command(&args).stdin(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input
        .write_all("first this,\nthen that\n".as_bytes())
        .unwrap();
    drop(input);
    let piped = ended(child);
    assert_eq!(piped.code, Some(0), "{piped:?}");
    assert!(
        piped.stdout.contains(r"first this,\nthen that"),
        "{piped:?}"
    );
}

#[test]
fn refusals_have_exit_codes_and_leave_nothing() {
    let bench = Bench::new();
    let token = concat!("ghp", "_16C7e42F292c6912E7710c838347Ae178B4a");
    let secret = bench.run(&["memory", "add", "--kind", "trap", &format!("use {token}")]);
    assert_eq!(secret.code, Some(6), "{secret:?}");
    assert!(
        secret.stderr.contains("[secret: github token]"),
        "{secret:?}"
    );
    assert!(!secret.stderr.contains(token), "{secret:?}");
    for args in [
        &["--kind", "song", "la la"][..],
        &["--kind", "plan", "  "],
        &["--kind", "plan", "--severity", "high", "x"],
        &["--kind", "plan", "--path", "../elsewhere", "x"],
        &["--kind", "plan", "--tag", "two words", "x"],
        &["x"],
    ] {
        let refused = bench.run(&[&["memory", "add"], args].concat());
        assert_eq!(refused.code, Some(2), "{args:?} {refused:?}");
    }
    assert_eq!(bench.run(&["memory", "get", "nobody"]).code, Some(2));
    assert_eq!(bench.run(&["memory", "retire", "nobody"]).code, Some(2));
    assert!(!project(&bench).join(".gavel").exists());
}

#[test]
fn a_damaged_line_is_told_and_the_rest_is_read() {
    let bench = Bench::new();
    let added = add(&bench, &["--kind", "decision", "kept"]);
    let file = project(&bench).join(added["file"].as_str().unwrap());
    std::fs::write(file.with_file_name("torn.jsonl"), "{\"event\":\"add").unwrap();
    let list = bench.run(&["memory", "list"]);
    assert_eq!(list.code, Some(0), "{list:?}");
    assert!(list.stdout.contains("kept"), "{list:?}");
    assert!(
        list.stderr.contains("torn.jsonl:1: the line is damaged"),
        "{list:?}"
    );
    let data = bench.json(&["memory", "list"]);
    assert_eq!(data["problems"][0]["line"], 1, "{data}");
}

#[expect(
    clippy::disallowed_methods,
    reason = "this is how a person merges branches"
)]
pub(crate) fn git(bench: &Bench, args: &[&str]) {
    let identity = ["-c", "user.name=A", "-c", "user.email=a@example.com"];
    let done = Command::new(gavel_testkit::git_program())
        .env_clear()
        .env("HOME", bench.folder().join("home"))
        .current_dir(project(bench))
        .args(identity)
        .args(args)
        .output()
        .unwrap();
    assert!(done.status.success(), "{args:?} {done:?}");
}

/// What a list says of every item, whatever file it lies in.
fn all(bench: &Bench) -> Value {
    let list = bench.json(&["memory", "list", "--all"]);
    assert_eq!(list["problems"], json!([]), "{list}");
    list["items"].clone()
}

#[test]
fn branches_that_remember_merge_without_a_conflict_in_either_order() {
    let bench = Bench::new();
    git(&bench, &["init", "-q", "-b", "main"]);
    let old = add(&bench, &["--kind", "trap", "old"]);
    let plan = add(&bench, &["--kind", "plan", "go"]);
    let (old, plan) = (old["id"].as_str().unwrap(), plan["id"].as_str().unwrap());
    let commit = |message: &str| {
        git(&bench, &["add", "."]);
        git(&bench, &["commit", "-q", "-m", message]);
    };
    commit("base");
    git(&bench, &["checkout", "-q", "-b", "other"]);
    add(&bench, &["--kind", "decision", "on the branch"]);
    bench.json(&["memory", "retire", old]);
    bench.json(&["memory", "mark", plan, "confirmed"]);
    bench.json(&["memory", "edit", plan, "--status", "in_progress"]);
    commit("branch");
    git(&bench, &["checkout", "-q", "main"]);
    add(&bench, &["--kind", "decision", "on main"]);
    bench.json(&["memory", "edit", plan, "--title", "the plan"]);
    bench.json(&["memory", "mark", plan, "confirmed"]);
    commit("main");
    let merge = |ours: &str, theirs: &str| {
        git(&bench, &["checkout", "-q", "--detach", ours]);
        git(&bench, &["merge", "-q", "--no-edit", theirs]);
        all(&bench)
    };
    let merged = merge("main", "other");
    assert_eq!(merge("other", "main"), merged, "whoever merges whom");
    let list = bench.json(&["memory", "list"]);
    let mut left = texts(&list);
    left.sort_unstable();
    assert_eq!(left, ["go", "on main", "on the branch"]);
    let plan = bench.json(&["memory", "get", plan]);
    assert_eq!(
        (
            &plan["title"],
            &plan["status"],
            &plan["marks"]["confirmed"]["count"]
        ),
        (&json!("the plan"), &json!("in_progress"), &json!(2))
    );
}

/// The words of a command as a shell takes them; quotes hold words together.
fn shell_words(line: &str) -> Vec<String> {
    let parts = line.split('"').enumerate();
    let words = parts.flat_map(|(place, part)| {
        if place % 2 == 1 {
            return vec![part.to_owned()];
        }
        part.split_whitespace().map(str::to_owned).collect()
    });
    words.collect()
}

#[test]
fn the_first_example_of_the_page_finds_what_it_adds() {
    let page = include_str!("../../../../docs/memory.md");
    let block = page.split("```").nth(1).unwrap();
    let commands: Vec<Vec<String>> = block
        .lines()
        .filter_map(|line| line.strip_prefix("gavel "))
        .map(shell_words)
        .collect();
    let [add, search, list] = commands.as_slice() else {
        panic!("{commands:?}");
    };
    let bench = Bench::new();
    let does = |words: &[String]| {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        bench.json(&words)
    };
    let added = does(add);
    for looked in [search, list] {
        let found = does(looked);
        assert_eq!(found["items"][0]["id"], added["id"], "{looked:?} {found}");
    }
}
