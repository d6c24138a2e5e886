//! What a model is told when a call cannot be made; the run goes on.

use gavel_agent::WorkStop;
use gavel_domain::{Role, ToolFinished};
use gavel_testkit::ScriptedModel;

use crate::bench::Bench;

#[tokio::test]
async fn a_tool_of_another_role_is_refused_and_not_offered() {
    let model = ScriptedModel::new()
        .calls(&[("a", "write_file", r#"{"path":"a","content":"mine"}"#)])
        .text("I cannot write.");
    let bench = Bench::new(&model, &[("a", "yours")])
        .await
        .role(Role::Auditor);
    let worked = bench.work("Audit.").await;
    model.finish();
    assert_eq!(worked.stop, WorkStop::Done);
    assert_eq!(bench.text("a"), "yours");
    let (ok, sentence) = bench.result("a");
    assert!(!ok);
    insta::assert_snapshot!(sentence, @"`write_file` is not for the role auditor through the engine: it is for coder and fixer in the engine's process or with a token of the run");
    let offered = model.requests().remove(0).tools;
    let names: Vec<_> = offered.into_iter().map(|tool| tool.name).collect();
    insta::assert_snapshot!(names.join(" "), @"check_syntax list_directory read_file search_code");
}

#[tokio::test]
async fn unknown_tools_and_bad_arguments_are_answered_with_a_sentence() {
    let model = ScriptedModel::new()
        .calls(&[
            ("a", "rm_rf_\u{1b}[31m", "{}"),
            ("b", "read_file", r#"{"file":"a"}"#),
            ("c", "read_file", r#"{"path":"a","from":"one"}"#),
            ("d", "edit_file", "{}"),
            ("e", "read_file", r#"{"path":"../secret"}"#),
            ("f", "read_file", r#"{"path":"missing.rs"}"#),
            ("g", "read_file", r#"{"path":".git/config"}"#),
            ("h", "read_file", r#"{"path":"a","from":9}"#),
            ("i", "search_code", r#"{"pattern":"("}"#),
            ("j", "run_command", r#"{"command":"ls"}"#),
        ])
        .text("Sorry.");
    let bench = Bench::new(&model, &[("a", "x\n")]).await;
    bench.work("Try.").await;
    model.finish();
    let mut told = String::new();
    for id in "abcdefghij".chars() {
        let (ok, text) = bench.result(&id.to_string());
        assert!(!ok, "{id}");
        told.push_str(&format!("{id}: {text}\n"));
    }
    insta::assert_snapshot!(told, @r#"
    a: there is no tool `rm_rf_\u{1b}[31m`; yours are: check_syntax, edit_file, list_directory, read_file, search_code, write_file
    b: the arguments of `read_file` do not fit its schema: `file`: unknown field `file`, expected one of `path`, `from`, `lines`; call it again with corrected arguments
    c: the arguments of `read_file` do not fit its schema: `from`: invalid type: string "one", expected u32; call it again with corrected arguments
    d: the arguments of `edit_file` do not fit its schema: missing field `path`; call it again with corrected arguments
    e: `../secret` contains `..`: a path cannot leave the tree, name it from its root
    f: `missing.rs` does not exist: list its folder to see what does
    g: `.git/config` names git's own folder, which no tool reads or writes
    h: a has 1 lines, there is no line 9
    i: the pattern is not a regular expression; for plain text ask for a literal: regex parse error:
        (?:()
        ^
    error: unclosed group
    j: no command can be run here: work with the files alone
    "#);
    // Facts hold no text of models.
    let records = bench.bed.records(bench.run).await;
    let tools: Vec<_> = records
        .iter()
        .filter_map(|record| record.read::<ToolFinished>().ok())
        .map(|finished| (finished.tool, finished.ok))
        .collect();
    assert_eq!(tools.first(), Some(&("unknown".to_owned(), false)));
    assert!(!bench.bed.story(bench.run).await.contains("rm_rf"));
}

#[tokio::test]
async fn what_a_build_is_held_to_is_not_for_agents_to_write() {
    let write = r#"{"path":".gavel/contracts/schema.md","content":"nothing"}"#;
    let capitals = r#"{"path":".GAVEL/seal/x.json","content":"nothing"}"#;
    let edit = r#"{"path":".gavel/contracts/schema.md","old":"held","new":"free"}"#;
    let model = ScriptedModel::new()
        .calls(&[
            ("a", "write_file", write),
            ("b", "write_file", capitals),
            ("c", "edit_file", edit),
        ])
        .text("Done.");
    let contract = "# Schema\n\nheld\n";
    let bench = Bench::new(&model, &[(".gavel/contracts/schema.md", contract)]).await;
    bench.work("Change the contract.").await;
    model.finish();
    for id in ["a", "b", "c"] {
        let (ok, shown) = bench.result(id);
        assert!(!ok && shown.contains("is Gavel's own"), "{shown}");
    }
    assert_eq!(bench.text(".gavel/contracts/schema.md"), contract);
}

#[tokio::test]
async fn what_gavel_keeps_is_not_read_as_a_file() {
    let model = ScriptedModel::new()
        .calls(&[
            (
                "a",
                "read_file",
                r#"{"path":".gavel/memory/2026-11/note.jsonl"}"#,
            ),
            (
                "b",
                "read_file",
                r#"{"path":".GAVEL/memory/2026-11/note.jsonl"}"#,
            ),
            ("c", "search_code", r#"{"pattern":"forged"}"#),
            (
                "d",
                "search_code",
                r#"{"pattern":"forged","path":".gavel"}"#,
            ),
        ])
        .text("Done.");
    let files = [
        (".gavel/memory/2026-11/note.jsonl", "forged in memory\n"),
        ("src/a.rs", "// forged in a file\n"),
    ];
    let bench = Bench::new(&model, &files).await;
    bench.work("Look at the memory.").await;
    model.finish();
    for id in ["a", "d"] {
        let (ok, shown) = bench.result(id);
        assert!(!ok && shown.contains("is Gavel's own"), "{shown}");
    }
    assert!(!bench.result("b").0);
    let (ok, shown) = bench.result("c");
    assert!(ok && shown.contains("src/a.rs:1"), "{shown}");
    assert!(!shown.contains("memory"), "{shown}");
}
