use super::*;
use crate::council::weight;

fn tally(texts: &[&str]) -> Tally {
    let mut tally = Tally::default();
    for text in texts {
        tally.add_text(text);
    }
    tally
}

fn count(confirmed: u32, refuted: u32, unverified: u32, broken: u32) -> TagCount {
    TagCount {
        confirmed,
        refuted,
        unverified,
        broken,
    }
}

#[test]
fn to_say_it_again_proves_nothing_more() {
    let said = "It is one file [CONFIRMED via README.md:1]. It grows [UNVERIFIED].";
    let once = tally(&[said]);
    assert_eq!(once.claims(), count(1, 0, 1, 0));
    assert_eq!(once.citations(), count(1, 0, 1, 0));
    let padded = said.repeat(9);
    assert_eq!(tally(&[said, &padded]).claims(), once.claims());
    // However it is written.
    let again = "Indeed. It  is **one file** [CONFIRMED via `./README.md:1`].";
    assert_eq!(tally(&[said, again]).citations(), once.citations());
    assert_eq!(tally(&[said, again]).claims(), once.claims());
}

#[test]
fn one_line_for_many_claims_is_one_citation() {
    let said = "One [CONFIRMED via a.rs:1]. Two [CONFIRMED via a.rs:1 \"x\"]. Three [REFUTED via \
        a.rs:1; memory:m1].";
    assert_eq!(tally(&[said]).claims(), count(2, 1, 0, 0));
    assert_eq!(tally(&[said]).citations(), count(2, 0, 0, 0));
}

#[test]
fn lines_that_overlap_are_one_citation() {
    let said =
        "One [CONFIRMED via a.rs:1; a.rs:1-2; a.rs:2-5; a.rs:7]. Two [CONFIRMED via b.rs:1].";
    assert_eq!(tally(&[said]).citations(), count(3, 0, 0, 0));
}

#[test]
fn what_broke_counts_whenever_it_was_tried() {
    let said =
        "Lost [UNVERIFIED: no such file (a.rs:9)]. Lost [UNVERIFIED: no such file (a.rs:9)].";
    assert_eq!(tally(&[said, said]).claims(), count(0, 0, 0, 4));
}

#[test]
fn a_choice_adds_what_it_stands_on_once() {
    let choice = Choice {
        decision: "store".to_owned(),
        option: 0,
        confidence: 70,
        cites: vec!["a.rs:1".to_owned(), "memory:m1".to_owned()],
        broken: vec!["tool:9 (no tool result has this number)".to_owned()],
    };
    let mut tally = tally(&["One [CONFIRMED via a.rs:1]."]);
    tally.add_choice(&choice);
    tally.add_choice(&choice);
    assert_eq!(tally.citations(), count(2, 0, 0, 2));
    assert_eq!(tally.claims(), count(1, 0, 0, 0));
}

/// The attack: one line that holds, cited nine times, to drown one that does not.
#[test]
fn a_false_source_is_not_outweighed_by_repeating_a_true_one() {
    let lie = "Jobs are lost [UNVERIFIED: no such file (src/no.rs:1)]. ";
    let plain = format!("{lie}It is one file [CONFIRMED via README.md:1].");
    let padded = format!(
        "{plain}{}",
        " So it is [CONFIRMED via README.md:1].".repeat(9)
    );
    let heavy = |text: &str| weight(tally(&[text]).citations());
    assert_eq!(heavy(&plain), 500);
    assert_eq!(heavy(&padded), heavy(&plain));
}

#[test]
fn existence_is_half_and_a_quote_that_fits_is_whole() {
    let mut tally = Tally::default();
    tally.add_text(
        "PostgreSQL is forty times faster on the moon [CONFIRMED via README.md:1]. \
         Four writers wait for each other [CONFIRMED via docs/load.md:2 \"four writers wait\"]. \
         Everybody has a server [CONFIRMED via docs/load.md:3 \"the moon\"]. \
         It is known [UNVERIFIED].",
    );
    let worth = tally.claims_worth();
    assert_eq!(
        worth,
        Worth {
            whole: 1,
            half: 2,
            open: 1,
            broken: 0
        }
    );
    assert_eq!(worth.share(), Some(500));
    assert_eq!(worth.whole_share(), Some(250));
    assert!(!tally.is_whole());
    assert_eq!(Worth::default().share(), None);
}

#[test]
fn the_whole_line_that_says_otherwise_shows_nothing() {
    let decisions = [OpenDecision {
        id: "store".to_owned(),
        question: "Which store?".to_owned(),
        options: vec!["PostgreSQL".to_owned(), "SQLite".to_owned()],
    }];
    let cite = "load.md:3 \"PostgreSQL took four writers; SQLite took one\"";
    let said = |text: &str, option: u32| {
        let choice = Choice {
            decision: "store".to_owned(),
            option,
            confidence: 80,
            cites: vec![cite.to_owned()],
            broken: Vec::new(),
        };
        let mut tally = Tally::of(&decisions);
        tally.add_text(&text.replace("CITE", cite));
        tally.add_choice(&choice);
        (
            tally.is_whole(),
            tally.shows_choice(&choice),
            tally.citations_worth(),
        )
    };
    let worth = |whole, half| Worth {
        whole,
        half,
        ..Worth::default()
    };
    for (text, option, whole) in [
        ("SQLite took four writers [CONFIRMED via CITE].", 1, false),
        (
            "I am for SQLite. It took four writers [CONFIRMED via CITE].",
            1,
            false,
        ),
        (
            "SQLite is small [UNVERIFIED]. It took four writers [CONFIRMED via CITE].",
            1,
            false,
        ),
        ("sqlite took four writers [CONFIRMED via CITE].", 1, false),
        (
            "PostgreSQL took four writers [CONFIRMED via CITE].",
            0,
            true,
        ),
        (
            "I am for PostgreSQL. It took four writers [CONFIRMED via CITE].",
            0,
            true,
        ),
        (
            "Unlike SQLite, PostgreSQL took four writers [CONFIRMED via CITE].",
            0,
            true,
        ),
    ] {
        let (is_whole, shows, cited) = said(text, option);
        assert_eq!((is_whole, shows), (whole, whole), "{text}");
        assert_eq!(
            (cited.whole, cited.half),
            (u32::from(whole), u32::from(!whole)),
            "{text}"
        );
    }
    // A choice alone does not say of which of both the line speaks.
    let (_, shows, cited) = said("", 1);
    assert_eq!((shows, cited), (false, worth(0, 1)));
}
