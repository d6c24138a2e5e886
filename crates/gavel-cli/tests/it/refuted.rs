//! Assumptions that a person refutes at the gate, through the binary: each is settled alone, and named
//! where people look.

use serde_json::{Value, json};

use crate::asks::Crew;
use crate::bench::{Ended, run_id};
use crate::studio::IDEA;

const FIRST: &str = "One person writes at a time.";
const SECOND: &str = "Links are never longer than a line.";

/// Takes two things for granted that only a person can look at.
fn takes_for_granted(spec: &mut Value) {
    let assumed = |claim: &str| json!({"claim": claim, "confidence": "high", "how_to_validate": "ask a person"});
    spec["assumptions"] = json!([assumed(FIRST), assumed(SECOND)]);
}

fn asked(ended: &Ended) -> (String, String) {
    assert_eq!(ended.code, Some(3), "{ended:?}");
    let line = ended.stdout.lines().last().unwrap_or_default();
    let told: Value = serde_json::from_str(line).unwrap();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let question = &told["questions"][0];
    (text(&question["id"]), text(&question["card"]["why"]))
}

#[test]
fn each_refuted_assumption_is_settled_alone_and_named() {
    let crew = Crew::of(IDEA, takes_for_granted);
    let mut seen = Vec::new();
    let mut ended = crew.start(IDEA, &["--json"]);
    while ended.code == Some(3) {
        assert!(seen.len() < 40, "{seen:?}");
        let (id, why) = asked(&ended);
        let last = id.rsplit('/').next().unwrap_or_default().to_owned();
        let answer: &[&str] = match last.as_str() {
            _ if id.contains("assumptions") => &["1, 2: two people do, and links are long"],
            "after-cb-8" => &["skip"],
            // What denies settles nothing, though it names a test that passed.
            "fallen" if !seen.contains(&last) => &["`help` does not show that"],
            "fallen" => &["see `help`"],
            "fallen-2" => &["--option", "1"],
            "approval" => {
                for line in [
                    format!("- refuted: {FIRST} ("),
                    format!("- refuted: {SECOND} ("),
                ] {
                    assert!(why.contains(&line), "{line}: {why}");
                }
                &["ship"]
            }
            _ => &["--option", "1"],
        };
        if last.starts_with("fallen") {
            let both = why.contains(FIRST) && why.contains(SECOND);
            assert!(!both, "one at a time: {why}");
        }
        seen.push(last);
        ended = crew.answer(&[answer, &["--json", "--resume"]].concat());
    }
    assert_eq!(ended.code, Some(0), "{seen:?}: {ended:?}");
    let fallen = seen.iter().filter(|id| id.starts_with("fallen"));
    assert!(fallen.clone().count() >= 3, "{seen:?}");
    let seal = crew.studio.seal();
    assert_eq!(seal["valid"], true, "{seal:#}");
    let refuted = seal["statement"]["predicate"]["refuted"]
        .as_array()
        .unwrap();
    let settled: Vec<&str> = refuted
        .iter()
        .map(|one| one["settled"].as_str().unwrap())
        .collect();
    assert!(
        settled.contains(&"a person named the test help, which passed"),
        "{settled:?}"
    );
    assert!(
        settled.contains(&"a person said that the result stands without it"),
        "{settled:?}"
    );
    let made = crew.studio.bench.folder().join("project/made");
    let branch = format!("gavel/build-{}", run_id().short());
    let notes = format!("{branch}:.gavel/delivery/{}.md", run_id().short());
    let notes = gavel_testkit::git(&made, &["show", &notes]);
    assert!(
        notes.contains("## Refuted on the way, and not rested on"),
        "{notes}"
    );
    assert!(!notes.contains("## Taken for granted"), "{notes}");
    crew.server.finish();
}
