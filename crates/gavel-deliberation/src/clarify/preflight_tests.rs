use gavel_domain::{ClarifiedMatter, ClarifyAnswer};

use super::{Meant, read, told};
use crate::clarify::brief::WrittenBy;

#[test]
fn people_say_yes_no_or_what_is_wrong() {
    let reject = |reason: &str| Meant::Reject(reason.to_owned());
    for (words, meant) in [
        ("Yes.", Meant::Approve),
        ("looks good!", Meant::Approve),
        ("withdraw", Meant::Withdraw),
        ("stop", Meant::Withdraw),
        ("no", reject("")),
        ("reject", reject("")),
        ("Reject: it is about money", reject("it is about money")),
        ("no, it is about money", reject("no, it is about money")),
        (
            "yes, but without the cloud",
            reject("yes, but without the cloud"),
        ),
        ("không phải vậy", reject("không phải vậy")),
    ] {
        assert_eq!(read(words), meant, "{words}");
    }
}

#[test]
fn the_card_tells_the_brief_and_what_nobody_said() {
    let answer = |id: &str, by_person| ClarifyAnswer {
        id: id.to_owned(),
        question: format!("What about {id}?"),
        answer: "Twice.".to_owned(),
        by_person,
    };
    let mut brief = ClarifiedMatter {
        problem: "Jobs need a place.".to_owned(),
        constraints: vec!["It runs on one machine.".to_owned()],
        criteria: vec![
            "One store is named.".to_owned(),
            "Its price is told.".to_owned(),
        ],
        scope: "The queue, not the workers.".to_owned(),
        answers: vec![answer("q1", true), answer("q2", false)],
        gaps: vec!["How many jobs there are.".to_owned()],
    };
    let wanted = "Jobs need a place.

Must hold:
- It runs on one machine.

It is answered when:
- One store is named.
- Its price is told.

What belongs to it: The queue, not the workers.

Not answered by you, so taken as:
- What about q2? Twice.

Still open:
- How many jobs there are.";
    assert_eq!(told(&brief, &WrittenBy::Model), wanted);
    brief = ClarifiedMatter {
        problem: "SQLite?".to_owned(),
        criteria: vec!["The question is answered: SQLite?".to_owned()],
        ..ClarifiedMatter::default()
    };
    let wanted = "No model could put this together. These are your own words, as they stand.

SQLite?

It is answered when:
- The question is answered: SQLite?";
    assert_eq!(
        told(&brief, &WrittenBy::Rules("garbage".to_owned())),
        wanted
    );
}
