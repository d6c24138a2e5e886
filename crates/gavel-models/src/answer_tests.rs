use serde_json::json;

use super::*;

#[test]
fn finds_json_bare_or_fenced() {
    for text in [
        "{\"a\":1}",
        "  {\"a\":1}\n",
        "```json\n{\"a\":1}\n```",
        "Here it is:\n```\n{\"a\":1}\n```\nDone.",
        "```rust\nfn a() {}\n```\n```json\n{\"a\":1}```",
    ] {
        let (found, value) = find_json(text).expect(text);
        assert_eq!((found, value), ("{\"a\":1}", json!({"a": 1})), "{text:?}");
    }
    for text in ["", "no json", "```json\n{\"a\":\n```", "{\"a\":1} trailing"] {
        assert_eq!(find_json(text), None, "{text:?}");
    }
}

fn plan() -> Value {
    json!({
        "type": "object",
        "properties": {
            "title": {"type": "string"},
            "size": {"enum": ["small", "large"]},
            "steps": {"type": "array", "items": {"$ref": "#/$defs/step"}},
            "note": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        },
        "required": ["title", "steps"],
        "additionalProperties": false,
        "$defs": {"step": {
            "type": "object",
            "properties": {"n": {"type": "integer"}},
            "required": ["n"],
        }},
    })
}

#[test]
fn judges_answers_by_types_requirements_and_references() {
    let schema = plan();
    for good in [
        json!({"title": "a", "steps": []}),
        json!({"title": "a", "steps": [{"n": 1}, {"n": 2.0}], "size": "small", "note": null}),
    ] {
        assert_eq!(misfit(&schema, &good), None, "{good}");
    }
    for (bad, told) in [
        (json!([]), "the answer must be of type \"object\""),
        (json!({"title": "a"}), "`steps` is missing"),
        (
            json!({"title": 1, "steps": []}),
            "`title` must be of type \"string\"",
        ),
        (
            json!({"title": "a", "steps": [{"n": "1"}]}),
            "`steps[0].n` must be of type \"integer\"",
        ),
        (
            json!({"title": "a", "steps": [{}]}),
            "`steps[0].n` is missing",
        ),
        (
            json!({"title": "a", "steps": [], "size": "huge"}),
            "`size` is one of [\"small\",\"large\"]",
        ),
        (
            json!({"title": "a", "steps": [], "note": 1}),
            "`note` does not fit",
        ),
        (
            json!({"title": "a", "steps": [], "other": 1}),
            "`other` is not asked for",
        ),
    ] {
        assert_eq!(misfit(&schema, &bad).as_deref(), Some(told), "{bad}");
    }
}

#[test]
fn a_reference_to_itself_ends() {
    let schema = json!({"$ref": "#"});
    assert!(!fits(&schema, &json!(1)));
}

#[test]
fn knows_which_schemas_a_vendor_can_enforce() {
    let closed = json!({"type": "object", "properties": {"a": {"type": "string"}},
        "required": ["a"], "additionalProperties": false});
    assert!(is_closed(&closed));
    assert!(is_closed(&json!({"type": "array", "items": closed})));
    assert!(!is_closed(&plan()));
    assert!(!is_closed(&json!({"type": "object", "properties": {}})));
}
