//! Rules that are asked to look things up say that they cannot.

use serde_json::json;

use crate::desk::{ask, ask_for, data, request};

#[test]
fn a_lookup_claims_nothing() {
    let task = format!(
        "Research: find out what the council has to know before it argues.\n\n{}",
        data("question", "How are jobs kept now?")
    );
    let tools = [
        "list_directory",
        "read_file",
        "search_code",
        "search_memory",
    ];
    let reply = ask(&request(&task, &tools)).unwrap();
    assert!(reply.tool_calls.is_empty(), "{:?}", reply.tool_calls);
    assert!(reply.text.starts_with("NOTHING NEW\n"), "{}", reply.text);
}

#[test]
fn no_need_is_seen_and_why_is_said() {
    let said = ask_for(
        "council_research_need",
        &[("topic", "SQLite or PostgreSQL?"), ("files", "README.md\n")],
    );
    assert_eq!(said["needed"], json!(false));
    assert!(said["why"].as_str().unwrap().contains("cannot"), "{said}");
}
