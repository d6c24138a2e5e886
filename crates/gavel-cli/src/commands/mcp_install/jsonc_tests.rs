use serde_json::json;

use super::*;

fn entry() -> Vec<Field> {
    vec![("command", json!("gavel")), ("args", json!(["mcp"]))]
}

fn merged(old: &str) -> Merged {
    merge(old, "servers", &entry()).unwrap()
}

fn changed(old: &str) -> String {
    match merged(old) {
        Merged::Changed(new) => new,
        Merged::Same => panic!("nothing was changed"),
    }
}

#[test]
fn a_file_that_is_not_there_is_made() {
    let made = changed("");
    insta::assert_snapshot!(made, @r#"
    {
      "servers": {
        "gavel": {
          "command": "gavel",
          "args": ["mcp"]
        }
      }
    }
    "#);
    assert_eq!(merged(&made), Merged::Same);
    assert_eq!(changed(" \n"), made);
}

#[test]
fn an_entry_goes_behind_the_others_and_comments_stay() {
    let old = r#"// my settings
{
    "theme": "dark", /* at night */
    "servers": {
        // the other one
        "other": { "command": "a" } // stays
    }
}
"#;
    insta::assert_snapshot!(changed(old), @r#"
    // my settings
    {
        "theme": "dark", /* at night */
        "servers": {
            // the other one
            "other": { "command": "a" }, // stays
            "gavel": {
                "command": "gavel",
                "args": ["mcp"]
            }
        }
    }
    "#);
}

#[test]
fn a_table_is_added_where_there_is_none() {
    insta::assert_snapshot!(changed("{\n\t\"a\": [1, 2,], // list\n}\n"), @r#"
    {
    	"a": [1, 2,], // list
    	"servers": {
    		"gavel": {
    			"command": "gavel",
    			"args": ["mcp"]
    		}
    	},
    }
    "#);
    insta::assert_snapshot!(changed("{\"a\": 1}"), @r#"
    {"a": 1,
      "servers": {
        "gavel": {
          "command": "gavel",
          "args": ["mcp"]
        }
      }
    }
    "#);
    insta::assert_snapshot!(changed("{ // nothing yet\n}"), @r#"
    { // nothing yet
      "servers": {
        "gavel": {
          "command": "gavel",
          "args": ["mcp"]
        }
      }
    }
    "#);
}

#[test]
fn only_our_fields_are_brought_up_to_date() {
    let old = r#"{"servers": {"gavel": {"command": "old", "env": {"A": "b"} /* mine */}}}"#;
    let new = changed(old);
    insta::assert_snapshot!(new, @r#"
    {"servers": {"gavel": {"command": "gavel", "env": {"A": "b"}, /* mine */
      "args": ["mcp"]
    }}}
    "#);
    assert_eq!(merged(&new), Merged::Same);
    let odd = r#"{"servers": {"gavel": null}}"#;
    assert_eq!(merged(&changed(odd)), Merged::Same);
    let bare = r#"{"servers": {"gavel": {}}}"#;
    assert_eq!(merged(&changed(bare)), Merged::Same);
}

#[test]
fn what_cannot_be_read_is_refused_with_its_line() {
    let refused = |old: &str| merge(old, "servers", &entry()).unwrap_err().to_string();
    assert_eq!(
        refused("{\n  \"a\": 1\n  \"b\": 2\n}"),
        "line 3: a comma is missing"
    );
    assert_eq!(refused("{\n\"a"), "line 2: a text has no end");
    assert_eq!(refused("{} /* open"), "line 1: a comment has no end");
    assert_eq!(refused("{} {}"), "line 1: something stands behind the end");
    assert_eq!(refused("[]"), "`servers` is not a table of servers");
    assert_eq!(
        refused("{\"servers\": []}"),
        "`servers` is not a table of servers"
    );
    assert_eq!(refused("{\"a\": nothing}"), "line 1: this is no value");
    let deep = "[".repeat(200);
    assert_eq!(refused(&deep), "line 1: this is nested too deeply");
}
