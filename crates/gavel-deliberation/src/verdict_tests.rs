use super::*;

fn judged(covered: &[u32], (dissent_kept, evidence_used): (bool, bool), confidence: u32) -> Judged {
    Judged {
        covered: covered.to_vec(),
        dissent_kept,
        evidence_used,
        confidence,
        reason: "It says why.".to_owned(),
    }
}

#[test]
fn what_is_missing_lowers_confidence_whatever_the_judge_says() {
    let with = |criteria, evidence| Seen {
        criteria,
        evidence,
        alone: false,
    };
    let fine = (true, true);
    for (said, seen, confidence, needs_person) in [
        (judged(&[1, 2], fine, 90), with(2, true), 90, false),
        (judged(&[], fine, 90), with(0, true), 90, false),
        (judged(&[], fine, 50), with(0, true), 50, false),
        (judged(&[], fine, 49), with(0, true), 49, true),
        // A criterion that is left out, however often another one is named.
        (judged(&[1, 1, 7], fine, 90), with(2, true), 75, false),
        (judged(&[], fine, 90), with(9, true), 45, true),
        (judged(&[1, 2], (false, true), 90), with(2, true), 65, false),
        (judged(&[1, 2], (true, false), 90), with(2, true), 65, false),
        // The program knows better when nobody cited anything.
        (judged(&[1, 2], fine, 90), with(2, false), 65, false),
        (judged(&[1, 2], (false, false), 90), with(2, true), 40, true),
        (judged(&[], (false, false), 60), with(3, false), 0, true),
        (judged(&[], fine, 4_000), with(0, true), 100, false),
    ] {
        let verdict = weigh(&said, seen);
        let got = (verdict.confidence, verdict.needs_person);
        assert_eq!(got, (Some(confidence), needs_person), "{said:?} {seen:?}");
    }
}

#[test]
fn the_reason_says_what_is_missing() {
    let seen = Seen {
        criteria: 3,
        evidence: true,
        alone: false,
    };
    let verdict = weigh(&judged(&[2], (false, false), 80), seen);
    let expected = "It says why. It leaves out criteria 1, 3. It does not say who still disagrees. \
        Its advice does not rest on the sources that held.";
    assert_eq!(verdict.reason, expected);
}

#[test]
fn a_verdict_is_read_from_prose_too() {
    let good = r#"Well: {"covered": [1], "dissent_kept": true, "evidence_used": false, "confidence": 70,
        "reason": "r"} so much for that"#;
    assert_eq!(read(good).unwrap().confidence, 70);
    for (text, problem) in [
        ("fine by me", "no JSON object"),
        (r#"{"verdict": "good"}"#, "`confidence` is missing"),
        (r#"{"confidence": 70}"#, "dissent_kept"),
        (
            r#"{"dissent_kept": true, "evidence_used": true, "confidence": 900}"#,
            "0 to 100",
        ),
    ] {
        let found = read(text).unwrap_err();
        assert!(found.contains(problem), "{found}");
    }
}

#[test]
fn one_voice_is_no_council_however_sure_the_judge_is() {
    let seen = Seen {
        criteria: 0,
        evidence: true,
        alone: true,
    };
    let verdict = weigh(&judged(&[], (true, true), 90), seen);
    assert_eq!((verdict.confidence, verdict.needs_person), (Some(90), true));
    let first = "Only one seat spoke, so nobody contradicted it.";
    assert!(verdict.reason.starts_with(first), "{}", verdict.reason);
}
