//! `edit_file` and `write_file` never guess.

use gavel_testkit::ScriptedModel;
use serde_json::json;

use crate::bench::Bench;

const FILE: &str = "def one():\n    a = 1\n    return a\n\ndef two():\n    b = 2\n    return b\n";

/// Makes one edit and returns what the model saw and what the file holds.
async fn edit(file: &str, old: &str, new: &str) -> (bool, String, String) {
    let arguments = json!({"path": "m.py", "old": old, "new": new}).to_string();
    let model = ScriptedModel::new()
        .calls(&[("a", "edit_file", &arguments)])
        .text("Done.");
    let bench = Bench::new(&model, &[("m.py", file)]).await;
    bench.work("Edit.").await;
    model.finish();
    let (ok, told) = bench.result("a");
    (ok, told, bench.text("m.py"))
}

#[tokio::test]
async fn an_exact_text_is_replaced() {
    let (ok, told, text) = edit(FILE, "    b = 2\n", "    b = 3\n    c = 4\n").await;
    assert!(ok, "{told}");
    assert_eq!(told, "edited m.py, now lines 6-7");
    assert_eq!(text, FILE.replace("    b = 2\n", "    b = 3\n    c = 4\n"));
}

#[tokio::test]
async fn blanks_are_fitted_when_the_place_is_certain() {
    let (ok, told, text) = edit(FILE, "b = 2\nreturn b\n", "b = 5\nreturn b + 1\n").await;
    assert!(ok, "{told}");
    assert_eq!(
        text,
        FILE.replace("    b = 2\n    return b", "    b = 5\n    return b + 1")
    );
    insta::assert_snapshot!(told, @"edited m.py, now lines 6-7 (found by ignoring blanks, was lines 6-7; the indentation of `new` was fitted)");
}

#[tokio::test]
async fn line_ends_of_the_file_are_kept() {
    let (ok, told, text) = edit("a\r\nb\r\nc\r\n", "a\nb\n", "x\ny\n").await;
    assert!(ok, "{told}");
    assert_eq!(text, "x\r\ny\r\nc\r\n");
}

#[tokio::test]
async fn what_is_ambiguous_or_missing_changes_nothing() {
    let (ok, told, text) = edit(FILE, "    return", "    yield").await;
    assert!(!ok);
    assert_eq!(text, FILE);
    insta::assert_snapshot!(told, @"`old` stands in m.py 2 times, at lines 3, 7: add lines around it until it is unique; nothing was changed");
    let (ok, told, text) = edit(FILE, "    b = 2\n    return c\n", "").await;
    assert!(!ok);
    assert_eq!(text, FILE);
    let expected = "`old` does not stand in m.py as given; the nearest places follow with their line \
        numbers. Copy the text exactly, blanks included. Nothing was changed\n\
        <data source=\"m.py lines 6-7\">\n6\t    b = 2\n7\t    return b\n</data>";
    assert_eq!(told, expected);
    let (ok, _, text) = edit(FILE, "", "x").await;
    assert!(!ok);
    assert_eq!(text, FILE);
    let (ok, _, text) = edit(FILE, "a = 1", "a = 1").await;
    assert!(!ok);
    assert_eq!(text, FILE);
}

#[tokio::test]
async fn lines_that_go_leave_no_empty_line() {
    let (ok, told, text) = edit(FILE, "b = 2\nreturn b\n", "").await;
    assert!(ok, "{told}");
    assert_eq!(text, FILE.replace("    b = 2\n    return b\n", ""));
}

#[tokio::test]
async fn the_mark_of_a_removed_secret_is_not_written() {
    let (ok, told, text) = edit(FILE, "a = 1", "a = \"[secret: github token]\"").await;
    assert!(!ok && told.contains("would destroy the secret"), "{told}");
    assert_eq!(text, FILE);
}
