//! Ideas that are easily misread, each driven to its end without a model and with `--yes`: what is
//! sealed says of every ask that it is shown, excluded for a reason, or left out by name.
//!
//! A few are always tried, the others with `GAVEL_TEST_WITH=ideas`.

use gavel_testkit::{asked_for, git};
use serde_json::Value;

use crate::bench::{Ended, run_id};
use crate::studio::Studio;
use crate::terminal::Terminal;

/// Tried always: one of each end.
const ALWAYS: [&str; 6] = [
    "invoice tracker with clients, show unpaid",
    "a todo list, but no web page",
    "liste de courses",
    "flashcards",
    "a todo list, fast and secure",
    "a list of shopping items that syncs with my phone",
];

/// How an idea must end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Built,
    Without,
    Refused,
    Asked,
}

#[derive(Debug)]
struct Expected {
    idea: &'static str,
    end: End,
    named: Vec<&'static str>,
    keeps: Vec<&'static str>,
    never: Vec<&'static str>,
}

fn expected() -> Vec<Expected> {
    let text = include_str!("ideas/honest.txt");
    let blocks = text
        .split("\n\n")
        .filter(|block| block.starts_with("idea: "));
    let read = |block: &'static str| {
        let value = |name: &str| {
            let mut lines = block.lines();
            lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
        };
        let words = |name: &str| -> Vec<&'static str> {
            value(name).map_or_else(Vec::new, |words| words.split(" | ").collect())
        };
        Expected {
            idea: value("idea").unwrap(),
            end: match value("end").unwrap() {
                "built" => End::Built,
                "without" => End::Without,
                "refused" => End::Refused,
                "asked" => End::Asked,
                other => panic!("{other}"),
            },
            named: words("named"),
            keeps: words("keeps"),
            never: words("never"),
        }
    };
    blocks.map(read).collect()
}

fn start(studio: &Studio, idea: &str) -> Ended {
    let id = run_id().to_string();
    let fixed = ["start", idea, "--into", "made", "--run", &id, "--yes"];
    studio.run(&[&fixed[..], &["-c", "proof.mutants=1"]].concat())
}

/// What the built program says about its commands.
fn help(studio: &Studio) -> String {
    let made = studio.bench.folder().join("project/made");
    let branch = format!("gavel/build-{}", run_id().short());
    let text = git(&made, &["show", &format!("{branch}:src/help.txt")]);
    // Its first line repeats the idea.
    text.lines().skip(1).collect::<Vec<_>>().join("\n")
}

fn asks(predicate: &Value) -> Vec<(String, String)> {
    let asks = predicate["asks"].as_array().unwrap().iter();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    asks.map(|ask| (text(&ask["text"]), text(&ask["standing"]["kind"])))
        .collect()
}

/// Sealed, and no ask but those that are named is anything else than shown or excluded.
fn ends_sealed(studio: &Studio, wanted: &Expected, ended: &Ended) {
    let idea = wanted.idea;
    assert_eq!(ended.code, Some(0), "{idea}: {ended:?}");
    let seal = studio.seal();
    let predicate = &seal["statement"]["predicate"];
    let asks = asks(predicate);
    let mut open: Vec<&str> = Vec::new();
    for (text, standing) in &asks {
        match standing.as_str() {
            "covered" | "excluded" => {}
            "open" => open.push(text),
            other => panic!("{idea}: {text} is {other}"),
        }
    }
    assert!(
        asks.iter().any(|(_, standing)| standing == "covered"),
        "{idea}: {asks:?}"
    );
    if wanted.end == End::Built {
        assert_eq!(open, Vec::<&str>::new(), "{idea}: {asks:?}");
    } else {
        // A list in brackets is several asks.
        let named: Vec<&str> = wanted
            .named
            .iter()
            .flat_map(|named| named.split(", "))
            .collect();
        assert_eq!(open, named, "{idea}: {asks:?}");
        assert_ne!(predicate["verdict"], "certified", "{idea}");
        for named in named {
            assert!(ended.stdout.contains(named), "{idea}: {named}: {ended:?}");
        }
    }
    let help = help(studio);
    for word in &wanted.keeps {
        assert!(help.contains(word), "{idea}: {word}: {help}");
    }
    for word in &wanted.never {
        assert!(!help.contains(word), "{idea}: {word}: {help}");
    }
}

fn ends_as_expected(wanted: &Expected) {
    let studio = Studio::offline();
    let ended = start(&studio, wanted.idea);
    let card = match wanted.end {
        End::Built | End::Without => return ends_sealed(&studio, wanted, &ended),
        End::Refused => "This cannot be done as it was said.",
        End::Asked => "these rules know nothing of",
    };
    let idea = wanted.idea;
    assert_eq!(ended.code, Some(3), "{idea}: {ended:?}");
    assert!(ended.stdout.contains(card), "{idea}: {ended:?}");
    for named in &wanted.named {
        assert!(ended.stdout.contains(named), "{idea}: {named}: {ended:?}");
    }
}

#[test]
fn ideas_that_are_easily_misread_end_honestly() {
    let all = expected();
    assert!(all.len() >= 30, "{}", all.len());
    let few = |one: &&Expected| asked_for("ideas") || ALWAYS.contains(&one.idea);
    let tried: Vec<&Expected> = all.iter().filter(few).collect();
    assert!(tried.len() >= ALWAYS.len(), "{tried:?}");
    for wanted in tried {
        ends_as_expected(wanted);
    }
}

/// At a terminal, the first thing that is offered is to build it without what cannot be built, and
/// nobody is asked about it twice.
#[test]
fn a_person_builds_it_without_what_cannot_be_built() {
    let studio = Studio::offline();
    let id = run_id().to_string();
    let idea = "notes with dates, encrypted";
    let asked = studio.run(&[
        "start",
        idea,
        "--into",
        "made",
        "--run",
        &id,
        "--non-interactive",
    ]);
    assert_eq!(asked.code, Some(3), "{asked:?}");
    let first = "1. build it without \"encrypted\"";
    assert!(asked.stdout.contains(first), "{asked:?}");
    let next = studio.run(&["answer", &id, "1", "--resume"]);
    assert_eq!(next.code, Some(3), "{next:?}");
    assert!(next.stdout.contains("Take them all?"), "{next:?}");
    let next = studio.run(&["answer", &id, "1", "--resume"]);
    assert!(
        next.stdout.contains("\"encrypted\" → NOT COVERED"),
        "{next:?}"
    );
    assert!(!next.stdout.contains("would not be built."), "{next:?}");
}

/// A refusal at a terminal is a question with a prompt: it takes other words.
#[test]
fn a_refusal_at_a_terminal_takes_other_words() {
    let studio = Studio::offline();
    let id = run_id().to_string();
    let fixed = ["start", "a game engine", "--into", "made", "--run", &id];
    let mut terminal = Terminal::open(studio.command(&fixed), 100);
    terminal.wait_for("This cannot be done as it was said.");
    terminal.wait_for("or your own words");
    terminal.wait_for("› ");
    terminal.press("a todo list, with a GUI\r");
    terminal.wait_for("build it without \"with a GUI\"");
    terminal.wait_for("Enter takes 1");
    terminal.press("\r");
    terminal.wait_for("Take them all?");
    terminal.wait_for("Enter takes 1");
    terminal.press("\u{4}");
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(130), "{shown}");
}

/// What is said at the spec card is read like the idea: a field, or nothing that could be misread.
#[test]
fn wishes_at_the_spec_card_are_no_entities() {
    let studio = Studio::offline();
    let id = run_id().to_string();
    let asked = studio.run(&[
        "start",
        "a todo list",
        "--into",
        "made",
        "--run",
        &id,
        "--non-interactive",
    ]);
    assert_eq!(asked.code, Some(3), "{asked:?}");
    let spec = studio.run(&["answer", &id, "1", "--resume"]);
    assert!(spec.stdout.contains("Keeps todos"), "{spec:?}");
    let rated = studio.run(&["answer", &id, "with a rating", "--resume"]);
    assert!(rated.stdout.contains("rating"), "{rated:?}");
    assert!(!rated.stdout.contains("Keeps ratings"), "{rated:?}");
    for wish in ["with vim keys", "and no duplicates"] {
        let refused = studio.run(&["answer", &id, wish, "--resume"]);
        assert!(
            refused.stdout.contains("could not be done"),
            "{wish}: {refused:?}"
        );
    }
}
