//! `gavel answer` takes words as a card does, and shows the card to whoever says nothing.

use gavel_domain::{AnswerValue, QuestionAnswered};

use crate::bench::{Bench, Ended, run_id};
use crate::seen::Seen;
use crate::studio::IDEA;

/// A run that asks.
fn asking() -> (Bench, String) {
    let bench = Bench::new();
    let id = run_id().to_string();
    let asked = bench.run(&["start", IDEA, "--into", "made", "--run", &id]);
    assert_eq!(asked.code, Some(3), "{asked:?}");
    (bench, id)
}

fn assert_shows(ended: &Ended, text: &str) {
    assert_eq!(ended.code, Some(3), "{ended:?}");
    for part in [text, "    1. ", "    2. ", "gavel answer "] {
        assert!(ended.stdout.contains(part), "{part}: {ended:?}");
    }
}

/// What was answered last.
fn last(bench: &Bench) -> AnswerValue {
    let answers = Seen::of(bench).facts::<QuestionAnswered>();
    answers.last().unwrap().value.clone()
}

#[test]
fn whoever_says_nothing_sees_the_card_and_nothing_is_recorded() {
    let (bench, id) = asking();
    let short = run_id().short();
    let status = bench.json(&["status", &id]);
    let question = status["question"].as_str().unwrap();
    assert_eq!(status["next"], format!("gavel answer {short}"));
    for words in [
        &["answer", &short][..],
        &["answer", &id],
        &["-C", "made", "answer"],
        &["answer", &id, question],
        &["-C", "made", "answer", question],
        &["answer", &short, "--resume"],
    ] {
        assert_shows(&bench.run(words), "Take them all?");
    }
    let data = bench.json(&["answer", &short]);
    assert_eq!(data["questions"][0]["id"], question, "{data}");
    assert_eq!(bench.json(&["status", &id])["seq"], status["seq"]);
    // Nothing waits in the inbox either.
    assert_shows(&bench.run(&["resume", &id]), "Take them all?");

    // A mistyped run is no answer, and neither is what the card does not offer.
    for (words, told) in [
        (&["answer", "4bef4848"][..], "there is no run `4bef4848`"),
        (&["answer", &id, "seven"], "type a number from 1 to 3"),
    ] {
        let refused = bench.run(words);
        assert_eq!(refused.code, Some(2), "{refused:?}");
        assert!(refused.stderr.contains(told), "{refused:?}");
    }
    let stopped = bench.run(&["answer", &id, "--option", "stop", "--resume"]);
    assert_eq!(stopped.code, Some(1), "{stopped:?}");
    let over = bench.run(&["answer", &short]);
    assert_eq!(over.code, Some(2), "{over:?}");
    assert!(over.stderr.contains("has no open question"), "{over:?}");
}

#[test]
fn a_number_or_the_words_of_an_option_mean_it_and_other_words_are_kept() {
    let (bench, id) = asking();
    let answer = |word: &str| bench.run(&["answer", &id, word, "--resume"]);
    // The beginning of a label.
    assert_shows(&answer("go through them"), "What kind of product is it?");
    let one_by_one = AnswerValue::Option {
        id: "one-by-one".to_owned(),
    };
    assert_eq!(last(&bench), one_by_one);
    // A number, where words of one's own are taken, too.
    let card = bench.json(&["answer", &id]);
    let second = card["questions"][0]["card"]["options"][1]["id"].clone();
    assert_eq!(card["questions"][0]["shape"]["form"], "choice_or_text");
    assert_shows(&answer("2"), "Where does it run?");
    let AnswerValue::Option { id: chosen } = last(&bench) else {
        panic!("{:?}", last(&bench));
    };
    assert_eq!(second, chosen);
    let own = answer("2 terminals in the library");
    assert_eq!(own.code, Some(3), "{own:?}");
    assert!(matches!(last(&bench), AnswerValue::Text { .. }));
}

#[test]
fn a_mistyped_command_starts_no_council() {
    let bench = Bench::new();
    for (words, told) in [
        (
            &["council", "stast"][..],
            "did you mean `gavel council stats`?",
        ),
        (
            &["council", "SQLite", "or", "PostgreSQL?"],
            "goes into quotes: gavel council \"SQLite or PostgreSQL?\"",
        ),
    ] {
        let refused = bench.run(words);
        assert_eq!(refused.code, Some(2), "{refused:?}");
        assert!(refused.stderr.contains(told), "{refused:?}");
        let data = bench.json(words);
        let message = data["error"]["message"].as_str().unwrap();
        assert!(message.contains(told), "{data}");
    }
    assert!(!bench.state().exists(), "nothing was started");
}

#[test]
fn what_a_run_does_not_take_is_said() {
    let (bench, id) = asking();
    let other = ["-c", "models.patience_s=5", "-c", "council.gate=off"];
    let resumed = bench.run(&[&["resume", &id][..], &other].concat());
    assert_shows(&resumed, "Take them all?");
    for key in ["models.patience_s", "council.gate"] {
        let told = format!("{key} is part of the run and stays as it began");
        assert_eq!(resumed.stderr.matches(&told).count(), 1, "{resumed:?}");
    }
    let taken = bench.run(&["resume", &id, "-c", "models.paid=agreed"]);
    assert!(!taken.stderr.contains("stays as it began"), "{taken:?}");
}

#[test]
fn own_models_and_endpoints_are_listed_first() {
    let bench = Bench::new();
    let own = "[models.endpoints.left]\nurl = \"http://127.0.0.1:9/v1\"\n\
               [models.endpoints.right]\nurl = \"http://127.0.0.1:9/v1\"\n\
               [models.slots]\nleader = \"right/large\"\nstances = [\"right/large\", \"far/small\"]\n\
               [[models.catalogue]]\nid = \"zeta/own\"\nprice = { input = \"1\", output = \"2\" }\n";
    std::fs::write(bench.own_file(), own).unwrap();
    for args in [&["models", "list"][..], &["models", "list", "--all"]] {
        let list = bench.json(args);
        let ids = list["models"].as_array().unwrap().iter();
        let ids: Vec<_> = ids.map(|model| model["id"].as_str().unwrap()).collect();
        assert!(
            ids.starts_with(&["far/small", "right/large", "zeta/own"]),
            "{ids:?}"
        );
        let of = |place: usize, field: &str| list["models"][place][field].clone();
        assert_eq!(
            (of(0, "configured"), of(1, "configured")),
            (false.into(), true.into())
        );
        assert_eq!(of(0, "works_as"), serde_json::json!(["seat"]));
        assert_eq!(of(1, "works_as").as_array().unwrap().len(), 6);
    }
    let shown = bench.run(&["models", "list"]).stdout;
    let named = "left  http://127.0.0.1:9/v1  none of its models is named";
    assert!(shown.contains(named), "{shown}");
    assert!(shown.contains("gavel models probe left asks"), "{shown}");
    assert!(!shown.contains("probe right"), "{shown}");
}
