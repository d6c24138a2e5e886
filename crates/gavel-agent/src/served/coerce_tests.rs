use serde_json::json;

use super::*;

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "count": {"type": "integer"},
            "share": {"type": "number"},
            "deep": {"type": "boolean"},
            "names": {"type": "array", "items": {"type": "string"}},
            "sizes": {"type": "array", "items": {"type": "integer"}},
            "text": {"type": "string"},
            "either": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
            "inner": {"type": "object", "properties": {"n": {"type": "integer"}}},
            "things": {
                "type": "array",
                "items": {"type": "object", "properties": {"n": {"type": "integer"}}}
            },
            "any": {}
        },
        "required": ["text"]
    })
}

#[test]
fn what_can_mean_one_thing_is_taken() {
    for (given, read) in [
        (json!({"count": "3"}), json!({"count": 3})),
        (json!({"count": " -3 "}), json!({"count": -3})),
        (json!({"share": "0.5"}), json!({"share": 0.5})),
        (json!({"share": "2"}), json!({"share": 2})),
        (json!({"deep": "true"}), json!({"deep": true})),
        (
            json!({"names": "[\"a\",\"b\"]"}),
            json!({"names": ["a", "b"]}),
        ),
        (json!({"names": "a"}), json!({"names": ["a"]})),
        (json!({"names": "a, b"}), json!({"names": ["a", "b"]})),
        (json!({"names": "a;b"}), json!({"names": ["a", "b"]})),
        (json!({"names": "[a, 'b']"}), json!({"names": ["a", "b"]})),
        (json!({"names": "- a\n- b\n"}), json!({"names": ["a", "b"]})),
        (
            json!({"names": "\"a\", \"b\","}),
            json!({"names": ["a", "b"]}),
        ),
        (json!({"sizes": "1"}), json!({"sizes": [1]})),
        (json!({"sizes": "1, 2"}), json!({"sizes": [1, 2]})),
        (json!({"things": {"n": "4"}}), json!({"things": [{"n": 4}]})),
        (
            json!({"things": "{\"n\":\"4\"}"}),
            json!({"things": [{"n": 4}]}),
        ),
        (json!({"sizes": ["1", 2]}), json!({"sizes": [1, 2]})),
        (json!({"sizes": "[\"1\"]"}), json!({"sizes": [1]})),
        (
            json!({"inner": "{\"n\":\"4\"}"}),
            json!({"inner": {"n": 4}}),
        ),
        (json!({"count": null, "text": "a"}), json!({"text": "a"})),
        (json!({"text": 1}), json!({"text": "1"})),
        (json!({"text": true}), json!({"text": "true"})),
        (json!({"names": [1]}), json!({"names": ["1"]})),
    ] {
        assert_eq!(coerce(&schema(), given.clone()), read, "{given}");
    }
}

#[test]
fn what_could_mean_two_things_stays() {
    for given in [
        json!({"count": "three"}),
        json!({"count": "3.5"}),
        json!({"count": "1e3"}),
        json!({"share": "NaN"}),
        json!({"deep": "yes"}),
        json!({"deep": "1"}),
        json!({"names": "[a"}),
        json!({"names": " , "}),
        json!({"sizes": "1, two"}),
        json!({"things": "a"}),
        json!({"text": "3"}),
        json!({"text": null}),
        json!({"either": "3"}),
        json!({"any": "3"}),
        json!({"other": "3"}),
        json!({"other": null}),
    ] {
        assert_eq!(coerce(&schema(), given.clone()), given);
    }
}

#[test]
fn the_branch_of_a_choice_is_found_by_its_constant() {
    let schema = json!({
        "type": "object",
        "oneOf": [
            {"properties": {"intent": {"const": "a"}, "n": {"type": "integer"}}},
            {"properties": {"intent": {"const": "b"}, "n": {"type": "string"}}}
        ]
    });
    let given = |intent: &str| json!({"intent": intent, "n": "5"});
    assert_eq!(coerce(&schema, given("a")), json!({"intent": "a", "n": 5}));
    assert_eq!(coerce(&schema, given("b")), given("b"));
    assert_eq!(coerce(&schema, given("c")), given("c"));
}
