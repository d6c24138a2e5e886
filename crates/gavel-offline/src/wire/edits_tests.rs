//! Words that take away and rename, and what they come to.

use super::super::project::read_idea;
use super::*;
use crate::understand::Understood;

const IDEA: &str = "a bookmark manager with title, url and tags";

fn after(wishes: &[&str]) -> Result<Design, String> {
    let wishes = wishes.iter().map(|wish| format!("\n\n{CHANGE}{wish}"));
    let idea = format!("{IDEA}{}", wishes.collect::<String>());
    match read_idea(&idea) {
        Understood::InReach(design) => Ok(design),
        Understood::Vague { missing } => Err(missing),
        Understood::BeyondReach { reasons, .. } => Err(format!("{reasons:?}")),
    }
}

fn fields(design: &Design) -> Vec<&str> {
    let fields = design.entities()[0].fields.iter();
    fields.map(|field| field.name.as_str()).collect()
}

#[test]
fn what_is_taken_away_is_gone_and_nothing_else() {
    let before = after(&[]).unwrap();
    assert!(fields(&before).contains(&"tags") && before.entities()[0].can("search"));
    for wish in [
        "remove the field tags",
        "Drop tags.",
        "please take out the tags",
    ] {
        let design = after(&[wish]).unwrap();
        let mut kept = fields(&before);
        kept.retain(|name| *name != "tags");
        assert_eq!(fields(&design), kept, "{wish}");
    }
    for wish in ["without a search", "no search", "leave out searching"] {
        let design = after(&[wish]).unwrap();
        assert!(!design.entities()[0].can("search"), "{wish}");
        assert_eq!(fields(&design), fields(&before), "{wish}");
    }
    let both = after(&["remove tags and search", "also a rating"]).unwrap();
    assert!(!both.entities()[0].can("search"));
    assert!(fields(&both).contains(&"rating") && !fields(&both).contains(&"tags"));
}

#[test]
fn a_renamed_field_and_a_renamed_thing_have_their_new_names() {
    let design = after(&["rename the field title to name"]).unwrap();
    assert!(fields(&design).contains(&"name") && !fields(&design).contains(&"title"));
    let design = after(&["rename bookmarks to links"]).unwrap();
    assert_eq!(design.entities()[0].name, "link");
    assert_eq!(design.entities()[0].plural, "links");
}

#[test]
fn what_is_not_there_and_what_would_break_is_refused_with_the_reason() {
    let told = after(&["remove the field colour"]).unwrap_err();
    assert!(told.contains("`colour`") && told.contains("tags"), "{told}");
    let told = after(&["rename tags to title"]).unwrap_err();
    assert!(told.contains("`title`"), "{told}");
    let told = after(&["without a list"]).unwrap_err();
    assert!(told.contains("can list"), "{told}");
    // Words that are no edit are none.
    for wish in [
        "make it blue",
        "remove everything that is not needed at all",
        "rename it",
    ] {
        assert_eq!(SpecEdit::read(wish), None, "{wish}");
    }
}
