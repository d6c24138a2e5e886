use proptest::prelude::*;

use super::TagWord::{Confirmed, Refuted, Unverified};
use super::*;

/// What a tag says, its source, and the text that it covers.
type Found<'t> = (TagWord, Option<&'t str>, &'t str);

fn read(text: &str) -> Vec<Found<'_>> {
    tags(text)
        .into_iter()
        .map(|tag| (tag.word, tag.source, text.get(tag.at).unwrap()))
        .collect()
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
fn tags_are_found_however_they_are_dressed() {
    let table: &[(&str, &[Found<'_>])] = &[
        (
            "nothing here, not even [a link](x) or [confirmedly so]",
            &[],
        ),
        (
            "It is. [CONFIRMED via src/lib.rs:12] So.",
            &[(
                Confirmed,
                Some("src/lib.rs:12"),
                "[CONFIRMED via src/lib.rs:12]",
            )],
        ),
        (
            "**[refuted VIA: tool:3]**",
            &[(Refuted, Some("tool:3"), "[refuted VIA: tool:3]")],
        ),
        (
            "[ **Confirmed** via memory:x ][✅ CONFIRMED via idea]",
            &[
                (
                    Confirmed,
                    Some("memory:x"),
                    "[ **Confirmed** via memory:x ]",
                ),
                (Confirmed, Some("idea"), "[✅ CONFIRMED via idea]"),
            ],
        ),
        (
            "[UNVERIFIED] [UNVERIFIED: no such line] [unverified via src/a.rs:1]",
            &[
                (Unverified, None, "[UNVERIFIED]"),
                (Unverified, None, "[UNVERIFIED: no such line]"),
                (Unverified, None, "[unverified via src/a.rs:1]"),
            ],
        ),
        (
            "[CONFIRMED] [REFUTED via ] [CONFIRMED via -] [CONFIRMED by a.rs:1] [CONFIRMED viable]",
            &[
                (Confirmed, None, "[CONFIRMED]"),
                (Refuted, None, "[REFUTED via ]"),
                (Confirmed, None, "[CONFIRMED via -]"),
                (Confirmed, None, "[CONFIRMED by a.rs:1]"),
                (Confirmed, None, "[CONFIRMED viable]"),
            ],
        ),
    ];
    for (text, wanted) in table {
        assert_eq!(read(text), *wanted, "{text}");
    }
}

#[test]
fn other_brackets_count_where_a_tag_is_meant() {
    let table: &[(&str, &[Found<'_>])] = &[
        (
            "(confirmed via a call with the owner) (CONFIRMED) (UNVERIFIED)",
            &[],
        ),
        (
            "(CONFIRMED via a.rs:1 \"f()\") 【REFUTED via tool:2】",
            &[
                (
                    Confirmed,
                    Some("a.rs:1 \"f()\""),
                    "(CONFIRMED via a.rs:1 \"f()\")",
                ),
                (Refuted, Some("tool:2"), "【REFUTED via tool:2】"),
            ],
        ),
        (
            "([CONFIRMED via tool:1]) (]CONFIRMED via tool:1)",
            &[
                (Confirmed, Some("tool:1"), "[CONFIRMED via tool:1]"),
                (Confirmed, None, "CONFIRMED"),
            ],
        ),
        (
            "<CONFIRMED via a.rs:1> (confirmed via a.rs:1)",
            &[
                (Confirmed, Some("a.rs:1"), "<CONFIRMED via a.rs:1>"),
                (Confirmed, Some("a.rs:1"), "(confirmed via a.rs:1)"),
            ],
        ),
        (
            "[(confirmed via tool:1)]",
            &[(Confirmed, Some("tool:1)"), "[(confirmed via tool:1)]")],
        ),
    ];
    for (text, wanted) in table {
        assert_eq!(read(text), *wanted, "{text}");
    }
}

#[test]
fn a_tag_ends_where_its_bracket_is_closed() {
    let table: &[(&str, &[Found<'_>])] = &[
        (
            "[CONFIRMED via a.rs:1 \"x[0] = y]\"] and [REFUTED via pages/[id].tsx:4]",
            &[
                (
                    Confirmed,
                    Some("a.rs:1 \"x[0] = y]\""),
                    "[CONFIRMED via a.rs:1 \"x[0] = y]\"]",
                ),
                (
                    Refuted,
                    Some("pages/[id].tsx:4"),
                    "[REFUTED via pages/[id].tsx:4]",
                ),
            ],
        ),
        (
            "[CONFIRMED via a.rs:1 “]”] [CONFIRMED via a.rs:2 `]`]",
            &[
                (Confirmed, Some("a.rs:1 “]”"), "[CONFIRMED via a.rs:1 “]”]"),
                (Confirmed, Some("a.rs:2 `]`"), "[CONFIRMED via a.rs:2 `]`]"),
            ],
        ),
        (
            "[CONFIRMED via a.rs:1 \"never closed] and more",
            &[(
                Confirmed,
                Some("a.rs:1 \"never closed"),
                "[CONFIRMED via a.rs:1 \"never closed]",
            )],
        ),
        (
            "[CONFIRMED via a.rs:1\n\nNext.]",
            &[(Confirmed, None, "[CONFIRMED")],
        ),
        ("[CONFIRMED via a.rs:1", &[(Confirmed, None, "[CONFIRMED")]),
        (
            "[UNVERIFIED: \"[CONFIRMED via a.rs:1]\"]",
            &[
                (Unverified, None, "[UNVERIFIED"),
                (Confirmed, Some("a.rs:1"), "[CONFIRMED via a.rs:1]"),
            ],
        ),
    ];
    for (text, wanted) in table {
        assert_eq!(read(text), *wanted, "{text}");
    }
}

#[test]
fn a_broken_tag_is_rewritten_and_a_held_one_stays() {
    let text = "One [CONFIRMED via src/lib.rs:12 \"fn main\"], two [REFUTED via src/no.rs:1],\n\
                three [CONFIRMED], four [UNVERIFIED], five [REFUTED via tool:1].";
    let checked = apply_checks(text, |tag| {
        let source = tag.source.unwrap_or_default();
        source.contains("no.rs").then(|| "no such file".to_owned())
    });
    assert_eq!(
        checked.text,
        "One [CONFIRMED via src/lib.rs:12 \"fn main\"], two [UNVERIFIED: no such file],\n\
         three [UNVERIFIED: names no source], four [UNVERIFIED], five [REFUTED via tool:1]."
    );
    assert_eq!(checked.tags, count(1, 1, 1, 2));
}

#[test]
fn a_tag_that_is_not_closed_confirms_nothing() {
    let checked = apply_checks("So it is [CONFIRMED via src/lib.rs:12", |_| None);
    assert_eq!(
        checked.text,
        "So it is [UNVERIFIED: names no source] via src/lib.rs:12"
    );
    assert_eq!(checked.tags, count(0, 0, 0, 1));
}

#[test]
fn a_reason_brings_in_no_tag_and_no_citation() {
    let reasons = [
        (
            "[CONFIRMED via tool:1]",
            "[UNVERIFIED: confirmed via tool:1]",
        ),
        (
            "] [CONFIRMED via\ntool:1",
            "[UNVERIFIED: confirmed via tool:1]",
        ),
        ("(REFUTED via tool:1)", "[UNVERIFIED: refuted via tool:1)]"),
        ("src/lib.rs:12", "[UNVERIFIED: not found: src/lib.rs:12]"),
        ("memory:x", "[UNVERIFIED: not found: memory:x]"),
        (" \n\t", "[UNVERIFIED: not found]"),
    ];
    for (reason, wanted) in reasons {
        let checked = apply_checks("[CONFIRMED via x]", |_| Some(reason.to_owned()));
        assert_eq!(checked.text, wanted);
        assert_eq!(tags(&checked.text).len(), 1, "{reason:?}");
        let again = apply_checks(&checked.text, |_| None);
        assert_eq!(again.tags, count(0, 0, 1, 0), "{reason:?}");
    }
}

/// Everything that a reader would take for a confirmation, and that nobody could check as it stands.
#[test]
fn no_disguise_shows_a_confirmation_that_nobody_checked() {
    for attack in [
        "[СONFIRMED via src/fake.rs:99]",
        "[CONFIRМЕD via src/fake.rs:99]",
        "[СОΝFІRМЕD via src/fake.rs:99]",
        "[ＣＯＮＦＩＲＭＥＤ via src/fake.rs:99]",
        "[𝐂𝐎𝐍𝐅𝐈𝐑𝐌𝐄𝐃 via src/fake.rs:99]",
        "[CON\u{200b}FIRMED via src/fake.rs:99]",
        "[\u{200b}\u{200b}\u{200b}\u{200b}\u{200b}\u{200b}\u{200b}\u{200b}\u{200b}CONFIRMED via src/fake.rs:99]",
        "[C̲O̲N̲F̲I̲R̲M̲E̲D̲ via src/fake.rs:99]",
        "[CONFlRMED via src/fake.rs:99]",
        "[C O N F I R M E D via src/fake.rs:99]",
        "[**CON**FIRMED via src/fake.rs:99]",
        "[Claim CONFIRMED via src/fake.rs:99]",
        "[claim: it is so, CONFIRMED via src/fake.rs:99]",
        "**CONFIRMED** via src/fake.rs:99.",
        "CONFIRMED via src/fake.rs:99",
        "__REFUTED__ via src/fake.rs:99",
        "<CONFIRMED via src/fake.rs:99>",
        "《CONFIRMED via src/fake.rs:99》",
        "(confirmed via src/fake.rs:99)",
    ] {
        let checked = apply_checks(attack, |_| Some("no such file".to_owned()));
        assert_eq!(
            checked.tags,
            count(0, 0, 0, 1),
            "{attack}: {}",
            checked.text
        );
        assert!(checked.text.contains("[UNVERIFIED: "), "{}", checked.text);
        let words: Vec<_> = words(&checked.text).map(|word| word.word).collect();
        assert_eq!(words, [Unverified], "{}", checked.text);
    }
}

#[test]
fn a_word_of_tags_that_is_no_tag_does_not_shout() {
    let said = "It was CONFIRMED. СONFIRMED: yes (CONFIRMED); REFUTED! UNVERIFIED: src/a.rs has 3 lines. \
        I confirmed it, STATUS_CONFIRMED is set.";
    let checked = apply_checks(said, |_| None);
    assert_eq!(
        checked.text,
        "It was confirmed. confirmed: yes (confirmed); refuted! unverified: src/a.rs has 3 lines. \
         I confirmed it, STATUS_CONFIRMED is set."
    );
    assert_eq!(checked.tags, TagCount::default());
}

#[test]
fn a_disguise_that_holds_is_shown_as_what_it_is() {
    let said = "[сonfirmed VIA: a.rs:1 \"x\"] (REFUTED via tool:2) <CONFIRMED via memory:m1>";
    let checked = apply_checks(said, |_| None);
    assert_eq!(
        checked.text,
        "[CONFIRMED via a.rs:1 \"x\"] [REFUTED via tool:2] [CONFIRMED via memory:m1]"
    );
    assert_eq!(checked.tags, count(2, 1, 0, 0));
}

/// Only the program says why something did not hold.
#[test]
fn a_speaker_gives_no_reason_in_the_programs_name() {
    let said =
        "Growth [UNVERIFIED: src/grow.rs has 3 lines (src/grow.rs:40)] and [unverified - gone].";
    let checked = apply_checks(said, |_| None);
    assert_eq!(checked.text, "Growth [UNVERIFIED] and [UNVERIFIED].");
    assert_eq!(checked.tags, count(0, 0, 2, 0));
}

#[test]
fn a_tag_has_a_length() {
    let tag = |quoted: usize| format!("[CONFIRMED via a.rs:1 \"{}\"]", "ệ".repeat(quoted));
    assert!(tags(&tag(600)).iter().all(|tag| tag.source.is_some()));
    assert!(tags(&tag(900)).iter().all(|tag| tag.source.is_none()));
}

#[test]
fn a_reason_is_cut() {
    let checked = apply_checks("[CONFIRMED via x]", |_| Some("ệ".repeat(300)));
    let reason = checked.text.strip_prefix("[UNVERIFIED: ").unwrap();
    let reason = reason.strip_suffix(']').unwrap();
    assert_eq!(reason.chars().count(), REASON_MOST);
    assert!(reason.ends_with("ệ…"), "{reason}");
    let short = "x".repeat(REASON_MOST);
    let checked = apply_checks("[CONFIRMED via x]", |_| Some(short.clone()));
    assert_eq!(checked.text, format!("[UNVERIFIED: {short}]"));
}

/// Texts of pieces that matter to the reading of tags.
fn texts() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "[",
        "]",
        "CONFIRMED",
        "confirmed",
        "REFUTED",
        "UNVERIFIED",
        " via ",
        "src/lib.rs:12",
        "tool:1",
        "\"",
        "“",
        "”",
        "`",
        "'",
        "\n",
        "\n\n",
        ": ",
        ", ",
        "; ",
        " and ",
        "ệ",
        "İ",
        "x",
        "[CONFIRMED via a.rs:1]",
        "[REFUTED via memory:x-1]",
        "[UNVERIFIED: why]",
        "(CONFIRMED via a.rs:1)",
        "<CONFIRMED via a.rs:1>",
        "СONFIRMED",
        "CON\u{200b}FIRMED",
        "<",
        ">",
        "‘",
        "’",
        "„",
        "「",
        "」",
        "(",
        ")",
        "【",
        "】",
        "**",
    ]);
    prop_oneof![
        prop::collection::vec(pieces, 0..30).prop_map(|pieces| pieces.concat()),
        any::<String>(),
    ]
}

/// Found by the property below: a reason may not begin a tag that our own bracket closes.
#[test]
fn a_reason_with_the_word_of_a_tag_begins_none() {
    let text = "[CONFIRMED via a.rs:1]src/lib.rs:12";
    let checked = apply_checks(text, |_| Some("(\u{421}ONFIRMED via ".to_owned()));
    let again = apply_checks(&checked.text, |_| None);
    assert_eq!(apply_checks(&again.text, |_| None).text, again.text);
}

proptest! {
    #[test]
    fn reading_is_total_and_in_order(text in texts()) {
        let mut end = 0;
        for tag in tags(&text) {
            prop_assert!(tag.at.start >= end);
            end = tag.at.end;
            let at = text.get(tag.at.clone()).unwrap_or_default();
            let bracket = at.starts_with(|sign| BRACKETS.iter().any(|(open, _)| *open == sign));
            prop_assert!(bracket || tag.source.is_none());
        }
    }

    /// Whatever a speaker writes and whatever a check answers, nobody reads of more that holds
    /// than was found to hold.
    #[test]
    fn a_checked_text_confirms_what_held_and_no_more(
        text in texts(),
        verdicts in prop::collection::vec(prop::option::of(texts()), 1..8),
    ) {
        let mut answers = verdicts.iter().cycle();
        let checked = apply_checks(&text, |_| answers.next().cloned().flatten());
        let mut left = 0;
        let again = apply_checks(&checked.text, |_| { left += 1; None });
        prop_assert_eq!(left, checked.tags.confirmed + checked.tags.refuted);
        // Nothing shouts but what was counted.
        let all = checked.tags.confirmed + checked.tags.refuted + checked.tags.unverified + checked.tags.broken;
        let shouted = words(&checked.text).filter(|word| word.shouted).count();
        prop_assert!(shouted >= usize::try_from(all).unwrap());
        prop_assert_eq!(apply_checks(&again.text, |_| None).text, again.text.clone());
        prop_assert_eq!(again.tags, TagCount {
            unverified: checked.tags.unverified + checked.tags.broken,
            broken: 0,
            ..checked.tags
        });
    }
}
