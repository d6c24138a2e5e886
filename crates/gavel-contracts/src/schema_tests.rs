use super::*;
use crate::samples::sample;

#[test]
fn entities_are_read_whole() {
    let entities = parse_schema(&sample(ContractKind::Schema)).unwrap();
    let [keeper, lamp] = entities.as_slice() else {
        panic!("{entities:?}");
    };
    assert_eq!(
        (keeper.name.as_str(), keeper.plural.as_str()),
        ("keeper", "keepers")
    );
    let reference = SchemaField {
        name: "keeper".to_owned(),
        kind: "reference to keeper".to_owned(),
        required: false,
        notes: "who looks after it".to_owned(),
    };
    assert_eq!(lamp.fields[1], reference);
    assert_eq!(lamp.fields[1].target(), Some("keeper"));
    assert_eq!(lamp.fields[0].target(), None);
}

#[test]
fn what_people_write_otherwise_is_read_too() {
    let text = "# S\n\n## Entity: sheep-2 (sheep-2)\nwords\n\n  | Field | TYPE | Required | Notes |\n  \
        |:--|:-:|--:|---|\n  | `colour_Of` | one of a \\| b | No | |\n| of | Reference to `sheep-2` | YES | x |\n\
        ## Conventions\n| a | b |\n";
    let entities = parse_schema(text).unwrap();
    let fields = &entities[0].fields;
    assert_eq!(entities[0].plural, "sheep-2");
    assert_eq!(fields[0].name, "colour_Of");
    assert_eq!(fields[0].kind, "one of a | b");
    assert_eq!((fields[0].required, fields[0].notes.as_str()), (false, ""));
    assert_eq!(
        (fields[1].required, fields[1].target()),
        (true, Some("sheep-2"))
    );
}

#[test]
fn names_are_one_word_in_lower_case() {
    let most = "a".repeat(60);
    for (name, expected) in [
        ("lamp", true),
        ("lamp-post_2", true),
        ("ärger", true),
        (most.as_str(), true),
        ("Lamp", false),
        ("2lamps", false),
        ("lamp post", false),
        ("", false),
        ("-", false),
        ("lamp`", false),
        (&format!("{most}a"), false),
    ] {
        assert_eq!(
            names(&format!("Entity: {name} (x)")).is_some(),
            expected,
            "{name}"
        );
    }
    for title in [
        "Entity lamp (lamps)",
        "Entity: lamp",
        "Entity: lamp (lamps) x",
        "Entity:",
    ] {
        assert_eq!(names(title), None, "{title}");
    }
}
