use std::io::Write as _;
use std::os::unix::fs::symlink;

use serde_json::json;

use super::*;

#[test]
fn a_report_with_a_line_that_is_not_ours_is_none() {
    let ours = r#"{"token":"t","kind":"end"}"#;
    assert_eq!(
        lines_of(&format!("{ours}\n"), "t"),
        Some(vec![json!({"token": "t", "kind": "end"})])
    );
    for forged in [
        r#"{"kind":"end"}"#,
        r#"{"token":"u","kind":"end"}"#,
        "ok",
        "",
    ] {
        assert_eq!(
            lines_of(&format!("{ours}\n{forged}\n"), "t"),
            None,
            "{forged}"
        );
    }
    assert_eq!(lines_of("", "t"), Some(Vec::new()));
}

#[test]
fn a_report_is_read_from_the_file_that_was_made_before() {
    let cache = tempfile::tempdir().unwrap();
    let scratch = Scratch::new(cache.path()).unwrap();
    let mut file = OpenOptions::new()
        .append(true)
        .open(scratch.report())
        .unwrap();
    file.write_all(b"told").unwrap();
    assert_eq!(scratch.read(), "told");
    let scratch = Scratch::new(cache.path()).unwrap();
    let other = cache.path().join("other");
    fs::write(&other, "forged").unwrap();
    fs::remove_file(scratch.report()).unwrap();
    symlink(&other, scratch.report()).unwrap();
    assert_eq!(scratch.read(), "");
}

#[test]
fn tokens_are_never_the_same() {
    let cache = tempfile::tempdir().unwrap();
    let token = || Scratch::new(cache.path()).unwrap().token().to_owned();
    let (one, other) = (token(), token());
    assert_eq!((one.len(), other.len()), (32, 32));
    assert_ne!(one, other);
}
