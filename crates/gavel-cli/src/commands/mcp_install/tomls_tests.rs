use serde_json::json;

use super::*;

fn entry() -> Vec<Field> {
    vec![("command", json!("gavel")), ("args", json!(["mcp"]))]
}

fn changed(old: &str) -> String {
    match merge(old, "mcp_servers", &entry()).unwrap() {
        Merged::Changed(new) => new,
        Merged::Same => panic!("nothing was changed"),
    }
}

#[test]
fn an_entry_is_added_behind_what_is_there() {
    let old = "# mine\nmodel = \"x\" # best\n\n[mcp_servers.other]\ncommand = 'a'\n";
    let new = changed(old);
    assert!(new.starts_with(old), "{new}");
    let added = new.strip_prefix(old).unwrap();
    assert_eq!(added.trim(), alone("mcp_servers", &entry()).trim());
    assert_eq!(merge(&new, "mcp_servers", &entry()).unwrap(), Merged::Same);
    assert_eq!(changed("").trim(), alone("mcp_servers", &entry()).trim());
}

#[test]
fn only_our_fields_are_brought_up_to_date() {
    let old =
        "[mcp_servers.gavel]\ncommand = \"old\" # mine\nstartup_timeout_sec = 5\n\n[tui]\na = 1\n";
    let new = changed(old);
    assert!(new.contains("command = \"gavel\""), "{new}");
    assert!(new.contains("startup_timeout_sec = 5"), "{new}");
    assert!(new.contains("[tui]\na = 1\n"), "{new}");
    assert_eq!(merge(&new, "mcp_servers", &entry()).unwrap(), Merged::Same);
}

#[test]
fn what_cannot_be_read_is_refused() {
    assert!(matches!(
        merge("model = ", "mcp_servers", &entry()),
        Err(MergeError::Toml(_))
    ));
    assert_eq!(
        merge("mcp_servers = 3\n", "mcp_servers", &entry()),
        Err(MergeError::NoTable("mcp_servers"))
    );
}
