//! What a person says in the place of their first words, through the binary: the first words stay.

use serde_json::Value;

use crate::asks::{Crew, claim};
use crate::bench::run_id;
use crate::studio::{IDEA, Studio};
use crate::terminal::Terminal;

const FIRST: &str = "rust cli that counts words in a file";
const OTHER: &str = "tags, please";
const POINTS: &str = "\"with tags\" → reworded by the person: \"tags, please\"";

/// The ask "with tags" is forgotten, and whatever is the third one is served.
fn serves_the_third(spec: &mut Value) {
    claim(spec, |id| match id {
        "help" => Vec::new(),
        _ => vec!["a1", "a3"],
    });
}

fn asks(predicate: &Value) -> Vec<String> {
    let asks = predicate["asks"].as_array().unwrap().iter();
    asks.map(|ask| {
        let kind = ask["standing"]["kind"].as_str().unwrap();
        let text = ask["text"].as_str().unwrap();
        match ask["reworded_as"].as_array() {
            Some(others) => format!("{text}: {kind} {others:?}"),
            None => format!("{text}: {kind}"),
        }
    })
    .collect()
}

/// Every surface after the end names the first words and what they became.
fn is_told_everywhere(studio: &Studio, line: &str) {
    let id = run_id().to_string();
    for shown in [
        studio.run(&["-C", "made", "seal", "verify"]),
        studio.run(&["review", &id, "--full"]),
        studio.run(&["review", &id, "--html", "-"]),
        studio.run(&["status", &id]),
    ] {
        let text = shown.stdout.split_whitespace().collect::<Vec<_>>();
        let text = text.join(" ").replace("&quot;", "\"");
        assert!(text.contains(line), "{line}: {shown:?}");
    }
}

#[test]
fn words_in_the_place_of_open_asks_keep_the_first_ones() {
    let crew = Crew::of(IDEA, serves_the_third);
    let asked = crew.start(IDEA, &[]);
    assert_eq!(asked.code, Some(3), "{asked:?}");
    let open = crew.answer(&["take-all", "--resume"]);
    assert!(open.stdout.contains("- \"with tags\""), "{open:?}");
    let spec = crew.answer(&[OTHER, "--resume"]);
    assert_eq!(spec.code, Some(3), "{spec:?}");
    assert!(spec.stdout.contains("Build this?"), "{spec:?}");
    assert!(spec.stdout.contains(POINTS), "{spec:?}");
    let id = run_id().to_string();
    let agreed = crew.answer(&["agree"]);
    assert_eq!(agreed.code, Some(0), "{agreed:?}");
    let done = crew.studio.run(&["resume", &id, "--yes"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(done.stdout.contains("reworded by the person"), "{done:?}");
    let seal = crew.studio.seal();
    assert_eq!(seal["valid"], true, "{seal:#}");
    let predicate = &seal["statement"]["predicate"];
    assert_eq!(predicate["idea"], IDEA);
    let became = format!("a bookmark manager\n\n{OTHER}");
    assert_eq!(predicate["idea_became"], became);
    assert_eq!(
        asks(predicate),
        [
            "a bookmark manager: covered",
            "with tags: reworded [String(\"a3\")]",
            "tags, please: covered",
        ]
    );
    is_told_everywhere(&crew.studio, "reworded by the person");
    crew.server.finish();
}

#[test]
fn words_in_the_place_of_open_asks_are_said_in_a_terminal() {
    let crew = Crew::of(IDEA, serves_the_third);
    let id = run_id().to_string();
    let start = ["start", IDEA, "--into", "made", "--run", &id];
    let mut terminal = Terminal::open(crew.studio.command(&start), 100);
    terminal.wait_for("Take them all?");
    terminal.wait_for(" › ");
    terminal.press("\n");
    terminal.wait_for("- \"with tags\"");
    terminal.wait_for(" › ");
    terminal.press(&format!("{OTHER}\n"));
    terminal.wait_for("Build this?");
    terminal.wait_for("reworded by the person");
    terminal.wait_for(" › ");
    terminal.press("2\n");
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(1), "{shown}");
    crew.server.finish();
}

/// What the rules cannot build is said in other words: the seal holds what was asked for first.
#[test]
fn an_idea_in_other_words_keeps_the_first_one() {
    let studio = Studio::offline();
    let id = run_id().to_string();
    let start = ["start", FIRST, "--into", "made", "--run", &id, "--yes"];
    let refused = studio.run(&start);
    assert_eq!(refused.code, Some(3), "{refused:?}");
    let said = studio.run(&["answer", &id, IDEA]);
    assert_eq!(said.code, Some(0), "{said:?}");
    let done = studio.run(&["resume", &id, "--yes"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    let seal = studio.seal();
    assert_eq!(seal["valid"], true, "{seal:#}");
    let predicate = &seal["statement"]["predicate"];
    assert_eq!(
        (&predicate["idea"], &predicate["idea_became"]),
        (&FIRST.into(), &IDEA.into())
    );
    assert_eq!(
        asks(predicate)[0],
        format!("{FIRST}: reworded [String(\"a2\"), String(\"a3\")]")
    );
    is_told_everywhere(&studio, "reworded by the person");
}

/// What was said in between stays on record, also where the draft that heard it was thrown away.
#[test]
fn a_remark_outlives_a_draft_that_is_thrown_away() {
    let crew = Crew::of(IDEA, |_| ());
    let id = run_id().to_string();
    let asked = crew.start(IDEA, &[]);
    assert_eq!(asked.code, Some(3), "{asked:?}");
    let spec = crew.answer(&["take-all", "--resume"]);
    assert!(spec.stdout.contains("Build this?"), "{spec:?}");
    let said = crew.studio.run(&["say", &id, "the list is violet"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    // The rules cannot write a spec for it: the draft before it stays.
    let wish = crew.answer(&["make it talk to Salesforce", "--resume"]);
    assert_eq!(wish.code, Some(3), "{wish:?}");
    let agreed = crew.answer(&["agree"]);
    assert_eq!(agreed.code, Some(0), "{agreed:?}");
    let done = crew.studio.run(&["resume", &id, "--yes"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    let seal = crew.studio.seal();
    assert_eq!(seal["valid"], true, "{seal:#}");
    let told = asks(&seal["statement"]["predicate"]);
    let remark = told
        .iter()
        .find(|one| one.starts_with("the list is violet"));
    assert_eq!(remark.unwrap(), "the list is violet: open", "{told:?}");
    crew.server.finish();
}
