use gavel_domain::Confidence;

use super::*;

const GOOD: &str = r#"{"summary": "SQLite it is.", "sections": [{"key": "risks", "text": "one writer"}],
    "agreed": ["one file"], "tradeoffs": [], "recommendation": "Use SQLite.", "action_items": [],
    "resolved_answer": "", "decisions": [{"id": "store", "why": "no server"}], "settled": [],
    "dissent": [{"who": "Skeptic", "why": "locks"}], "assumptions": [], "readable": ""}"#;

fn summary(text: &str) -> String {
    read_answer(text).unwrap().summary
}

#[test]
fn an_answer_is_found_in_whatever_stands_around_it() {
    let fenced = format!("Here it is:\n```json\n{GOOD}\n```\nI hope that helps. {{not json}}");
    let prose = format!("I weighed {{both}} sides, see \"below\".\n{GOOD}\nThat is all.");
    for text in [GOOD.to_owned(), fenced, prose] {
        let answer = read_answer(&text).unwrap();
        assert_eq!(answer.summary, "SQLite it is.", "{text}");
        assert_eq!(answer.decisions[0].why, "no server");
        assert_eq!(answer.dissent[0].who, "Skeptic");
    }
}

#[test]
fn the_text_for_people_may_stand_behind_a_line() {
    let answer = read_answer(&format!("{GOOD}\n  ---READABLE---  \n# Title\n\nShort.\n")).unwrap();
    assert_eq!(answer.readable, "# Title\n\nShort.");
    // Words that only look like the line divide nothing.
    let (json, readable) = divide("{\"a\": \"x ---READABLE--- y\"}");
    assert_eq!((json, readable), ("{\"a\": \"x ---READABLE--- y\"}", ""));
}

#[test]
fn of_two_objects_the_last_one_counts() {
    let two = r#"{"summary": "a first thought"} but then {"summary": "the better one"}"#;
    assert_eq!(summary(two), "the better one");
    // An object of another kind behind it is no synthesis.
    assert_eq!(summary(r#"{"summary": "this"} {"note": 1}"#), "this");
}

#[test]
fn what_is_wrong_has_a_name() {
    let cut = GOOD.get(..GOOD.len() - 60).unwrap();
    for (text, flaw) in [
        ("", Flaw::Empty),
        ("  \n\t", Flaw::Empty),
        ("---READABLE---\nonly words", Flaw::Empty),
        (cut, Flaw::Cut),
        (
            r#"```json
{"summary": "it goes on and"#,
            Flaw::Cut,
        ),
        ("I would rather not say.", Flaw::NoJson),
        ("{neither} {nor}", Flaw::NoJson),
    ] {
        assert_eq!(read_answer(text), Err(flaw), "{text}");
    }
    for text in [
        r#"{"answer": 42}"#,
        r#"{"summary": "  "}"#,
        r#"{"summary": null, "agreed": []}"#,
    ] {
        let flaw = read_answer(text).unwrap_err();
        assert!(
            matches!(&flaw, Flaw::Unfit(why) if why.contains("summary")),
            "{flaw:?}"
        );
    }
}

#[test]
fn other_spellings_of_the_same_are_taken() {
    let answer = read_answer(
        r#"{"summary": "s", "sections": {"risks": ["one", "two"]}, "agreed": "- a\n- b\n",
            "tradeoffs": [{"cost": "x", "gain": "y"}], "action_items": ["do it", "", null],
            "decisions": {"store": "no server"}, "dissent": ["Skeptic: locks", "nobody"],
            "settled": [{"title": "t", "choice": "c"}, "words"], "recommendation": null,
            "assumptions": ["it fits", {"claim": "c", "confidence": "HIGH", "raised_by": "Skeptic"},
            {"claim": "d", "confidence": "rather"}, {"claim": " "}], "surplus": 1}"#,
    )
    .unwrap();
    assert_eq!(answer.sections[0].text, "one\ntwo");
    assert_eq!(answer.agreed, ["a", "b"]);
    assert_eq!(answer.tradeoffs, ["cost: x; gain: y"]);
    assert_eq!(answer.action_items, ["do it"]);
    assert_eq!(answer.decisions[0].id, "store");
    assert_eq!(answer.dissent.len(), 1);
    assert_eq!(answer.dissent[0].why, "locks");
    assert_eq!(
        (answer.settled.len(), answer.settled[0].why.as_str()),
        (1, "")
    );
    assert_eq!(answer.recommendation, "");
    let assumed = answer.assumptions.iter();
    let assumed: Vec<_> = assumed
        .map(|one| (one.confidence, one.raised_by.as_str()))
        .collect();
    let expected = [
        (Confidence::Low, "leader"),
        (Confidence::High, "Skeptic"),
        (Confidence::Low, "leader"),
    ];
    assert_eq!(assumed, expected);
}

#[test]
fn a_list_loses_its_marks_and_nothing_else() {
    let lines =
        list_lines("- one\n2. two\n\n* three\n3) four\n2026 was good\n**bold** stays\n-5 stays");
    let expected = [
        "one",
        "two",
        "three",
        "four",
        "2026 was good",
        "**bold** stays",
        "-5 stays",
    ];
    assert_eq!(lines, expected);
}
