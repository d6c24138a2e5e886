//! What a run learned, from its card to the memory of the project; and what a run leaves that was
//! given up or stopped.

use std::path::PathBuf;

use gavel_domain::{LessonProposed, Sealed};
use serde_json::Value;

use crate::bench::{Bench, run_id};
use crate::studio::Studio;

/// Beyond the rules, so that its run waits at once.
const FAR: &str = "a web shop with payments";

fn made(bench: &Bench) -> PathBuf {
    bench.folder().join("project/made")
}

/// The memory files of the made project.
fn memory_files(bench: &Bench) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let months = std::fs::read_dir(made(bench).join(".gavel/memory")).unwrap();
    for month in months {
        let inside = std::fs::read_dir(month.unwrap().path()).unwrap();
        files.extend(inside.map(|entry| entry.unwrap().path()));
    }
    files
}

fn texts(list: &Value) -> Vec<&str> {
    let items = list["items"].as_array().unwrap().iter();
    items.map(|item| item["text"].as_str().unwrap()).collect()
}

/// Drives a whole run in which a person said something, with these flags, to the card of its lessons
/// or past it.
fn with_a_word(studio: &Studio, more: &[&str]) -> crate::bench::Ended {
    let id = run_id().to_string();
    let asked = studio.start(&[]);
    assert_eq!(asked.code, Some(3), "{asked:?}");
    let said = studio.run(&["say", &id, "Names of tags are short."]);
    assert_eq!(said.code, Some(0), "{said:?}");
    studio.run(&[&["resume", &id, "--yes"], more].concat())
}

#[test]
fn under_yes_lessons_stay_proposals_until_somebody_accepts_or_rejects_them() {
    let studio = Studio::offline();
    let bench = &studio.bench;
    let done = with_a_word(&studio, &[]);
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(done.stderr.contains(" memory accept"), "{done:?}");
    let seen = studio.look();
    let lessons = seen.facts::<LessonProposed>();
    assert_eq!(lessons.first().unwrap().kind, "feedback", "{lessons:?}");
    assert!(lessons.first().unwrap().rests_on.is_some());
    assert_eq!(seen.facts::<Sealed>().len(), 1);
    assert!(memory_files(bench).is_empty(), "nothing is kept unasked");

    let proposed = bench.json(&["-C", "made", "memory", "list", "--proposed"]);
    assert!(
        texts(&proposed)[0].contains("Names of tags are short."),
        "{proposed}"
    );
    let id = run_id().to_string();
    let missing = bench.run(&["-C", "made", "memory", "accept", &id, "99"]);
    assert_eq!(missing.code, Some(2), "{missing:?}");
    let kept = bench.json(&["-C", "made", "memory", "accept", &id, "1"]);
    assert_eq!(kept["items"][0]["changed"], true, "{kept}");
    // Keeping it twice is keeping it once.
    let again = bench.json(&["-C", "made", "memory", "accept", &id, "1"]);
    assert_eq!(again["items"][0]["changed"], false, "{again}");
    assert_eq!(memory_files(bench).len(), 1);
    let item = bench.json(&["-C", "made", "memory", "list"]);
    let item = &item["items"][0];
    assert_eq!(item["kind"], "feedback", "{item}");
    assert_eq!(item["acceptance"], "accepted", "{item}");
    assert_eq!(item["provenance"]["run"], id.as_str(), "{item}");
    assert_eq!(item["id"], kept["items"][0]["id"], "{item}");

    let rejected = bench.run(&["-C", "made", "memory", "reject", &id]);
    assert_eq!(rejected.code, Some(0), "{rejected:?}");
    let proposed = bench.json(&["-C", "made", "memory", "list", "--proposed"]);
    assert_eq!(proposed["items"], serde_json::json!([]));
    let all = bench.json(&["-C", "made", "memory", "list", "--all"]);
    assert_eq!(all["items"].as_array().unwrap().len(), 1, "no words: {all}");
}

#[test]
fn a_person_names_the_lessons_to_keep_and_the_command_line_writes_them_once() {
    let studio = Studio::offline();
    let bench = &studio.bench;
    let id = run_id().to_string();
    let asked = studio.start(&[]);
    assert_eq!(asked.code, Some(3), "{asked:?}");
    let said = studio.run(&["say", &id, "Names of tags are short."]);
    assert_eq!(said.code, Some(0), "{said:?}");
    // Every card by hand, until the one of the lessons.
    let mut cards = 0;
    let card = loop {
        let status = bench.json(&["status", &id]);
        let question = status["question"].as_str().unwrap_or_default().to_owned();
        if question.starts_with("lessons-1/") {
            break question;
        }
        cards += 1;
        assert!(cards < 20, "{status}");
        if question.starts_with("gate-") {
            // Everything is built: shipping goes on at once, and only the last word is asked for.
            let shipped = studio.run(&["ship", &id]);
            assert_eq!(shipped.code, Some(3), "{shipped:?}");
            let asked = &bench.json(&["status", &id])["question"];
            assert_eq!(*asked, question.as_str(), "{shipped:?}");
        }
        let on = studio.run(&["answer", &id, &question, "--option", "1", "--resume"]);
        assert_eq!(on.code, Some(3), "{on:?}");
    };
    let nothing = studio.run(&["answer", &id, &card, "the good ones", "--resume"]);
    assert_eq!(nothing.code, Some(3), "asked again: {nothing:?}");
    assert!(nothing.stdout.contains("named none of them"), "{nothing:?}");
    let done = studio.run(&["answer", &id, "keep 1", "--resume"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(done.stderr.contains("1 lesson kept in"), "{done:?}");
    assert_eq!(memory_files(bench).len(), 1);
    // Whoever comes again finds it kept.
    let again = studio.run(&["resume", &id]);
    assert_eq!(again.code, Some(0), "{again:?}");
    assert_eq!(memory_files(bench).len(), 1);
    let proposed = bench.json(&["-C", "made", "memory", "list", "--proposed"]);
    let none = serde_json::json!([]);
    assert_eq!(proposed["items"], none, "the others are refused");
}

#[test]
fn a_setting_accepts_without_a_card() {
    let studio = Studio::with("[memory]\nauto_accept = \"on\"\n", &[]);
    let done = with_a_word(&studio, &[]);
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(!memory_files(&studio.bench).is_empty(), "{done:?}");
    assert!(!studio.look().records.iter().any(|record| {
        record.kind == "question_asked" && record.key.as_str().starts_with("lessons-1/")
    }));
}

#[test]
fn an_abort_takes_effect_at_once_and_leaves_its_reason() {
    let bench = Bench::new();
    let id = run_id().to_string();
    let asked = bench.run(&["start", FAR, "--into", "made", "--run", &id]);
    assert_eq!(asked.code, Some(3), "{asked:?}");
    let tree = bench.state().join("worktrees");
    let trees = || walk(&tree).len();
    assert!(trees() > 0, "there is a work tree");
    let long = "x".repeat(5_000);
    let refused = bench.run(&["abort", &id, "--reason", &long]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    let unnamed = bench.run(&["-C", "made", "abort"]);
    assert_eq!(unnamed.code, Some(2), "nothing is guessed: {unnamed:?}");
    let gone = bench.run(&["-C", "made", "abort", &id, "--reason", "Too big for now."]);
    assert_eq!(gone.code, Some(0), "{gone:?}");
    assert!(gone.stdout.contains("is given up"), "{gone:?}");
    assert_eq!(bench.json(&["status", &id])["state"], "aborted");
    assert_eq!(trees(), 0, "its work tree is gone");
    let kept = git_refs(&bench);
    assert!(!kept.contains("refs/gavel/"), "{kept}");
    let proposed = bench.json(&["-C", "made", "memory", "list", "--proposed"]);
    assert_eq!(
        texts(&proposed),
        [format!(
            "A run for \"{FAR}\" was given up in discovery: Too big for now."
        )]
    );
    // Nothing else of this project is unfinished, and another project's run is not meant.
    let other = "01890a5d-ac96-774b-bcce-b302099a8058";
    let asked = bench.run(&["start", FAR, "--into", "other", "--run", other]);
    assert_eq!(asked.code, Some(3), "{asked:?}");
    let none = bench.run(&["-C", "made", "abort"]);
    assert_eq!(none.code, Some(2), "{none:?}");
    assert!(none.stderr.contains("in this project"), "{none:?}");
    assert_eq!(bench.json(&["status", other])["state"], "waiting");
    // Whoever is told to look at the lessons is told where, unless they are there.
    assert!(gone.stderr.contains(": gavel memory list"), "{gone:?}");
    let elsewhere = bench.run(&["abort", other, "--reason", "Too big as well."]);
    let (_, told) = elsewhere.stderr.split_once(": gavel -C ").unwrap();
    let (folder, _) = told.split_once(" memory list --proposed").unwrap();
    assert!(folder.ends_with("/other"), "{elsewhere:?}");
    let proposed = bench.json(&["-C", folder, "memory", "list", "--proposed"]);
    assert_eq!(texts(&proposed).len(), 1, "{proposed}");
    // A run that is over takes no time when somebody resumes it.
    let over = bench.run(&["resume", other]);
    assert!(!over.stderr.contains(" s\n"), "{over:?}");
}

/// The one lesson of a run that was given up: an item like any other, with an id before anybody
/// decided.
#[test]
fn what_waits_is_shown_marked_and_decided_by_its_id() {
    let bench = Bench::new();
    let runs = [8057, 8058, 8059].map(|end| format!("01890a5d-ac96-774b-bcce-b302099a{end}"));
    for run in &runs {
        let asked = bench.run(&["start", FAR, "--into", "made", "--run", run]);
        assert_eq!(asked.code, Some(3), "{asked:?}");
        let gone = bench.run(&["abort", run, "--reason", "Too big."]);
        assert_eq!(gone.code, Some(0), "{gone:?}");
    }
    let json = |args: &[&str]| bench.json(&[&["-C", "made", "memory"], args].concat());
    let proposed = json(&["list", "--proposed"]);
    let ids = proposed["items"].as_array().unwrap().iter();
    let ids: Vec<&str> = ids.map(|item| item["id"].as_str().unwrap()).collect();
    let [one, two, three] = *ids else {
        panic!("{proposed}")
    };
    let shown = json(&["get", one]);
    assert_eq!(
        (&shown["id"], &shown["acceptance"]),
        (&one.into(), &"proposed".into())
    );
    let kept = json(&["accept", one]);
    assert_eq!(kept["items"][0]["changed"], true, "{kept}");
    assert_eq!(json(&["get", one])["acceptance"], "accepted");
    assert_eq!(memory_files(&bench).len(), 1);

    // A mark of a proposal is no file; whoever decides later decides about the marked one.
    json(&["mark", two, "confirmed"]);
    assert_eq!(memory_files(&bench).len(), 1);
    assert_eq!(texts(&json(&["list", "--proposed"])).len(), 2);
    assert_eq!(json(&["get", two])["marks"]["confirmed"]["count"], 1);
    let run = shown["provenance"]["run"].as_str().unwrap();
    let marked = json(&["get", two])["provenance"]["run"].clone();
    assert_ne!(marked, run, "each has its own run");
    let kept = json(&["accept", marked.as_str().unwrap()]);
    assert_eq!(kept["items"][0]["changed"], true, "{kept}");
    assert_eq!(json(&["get", two])["marks"]["confirmed"]["count"], 1);
    assert_eq!(memory_files(&bench).len(), 2);

    // Of what nobody wants no words stay, and nobody is asked again.
    let refused = json(&["reject", three]);
    assert_eq!(refused["items"][0]["acceptance"], "rejected", "{refused}");
    assert_eq!(memory_files(&bench).len(), 3);
    assert_eq!(
        json(&["list", "--proposed"])["items"],
        serde_json::json!([])
    );
    assert_eq!(texts(&json(&["list", "--all"])).len(), 2);
}

#[test]
fn a_run_that_stopped_says_what_can_be_done_and_leaves_why() {
    let bench = Bench::new();
    let id = run_id().to_string();
    let asked = bench.run(&["start", FAR, "--into", "made", "--run", &id]);
    assert_eq!(asked.code, Some(3), "{asked:?}");
    let stopped = bench.run(&["answer", &id, "stop", "--resume"]);
    assert_eq!(stopped.code, Some(1), "{stopped:?}");
    let again = bench.run(&["resume", &id]);
    assert_eq!(again.code, Some(1), "{again:?}");
    assert!(
        again.stderr.contains("gavel start begins anew"),
        "{again:?}"
    );
    let proposed = bench.json(&["-C", "made", "memory", "list", "--proposed"]);
    let told = texts(&proposed);
    assert!(
        told[0].starts_with(&format!(
            "A run for \"{FAR}\" was stopped in discovery: needs a model"
        )),
        "{told:?}"
    );
    // One that can go on is meant before one that stopped.
    let other = "01890a5d-ac96-774b-bcce-b302099a8050";
    let asked = bench.run(&["start", FAR, "--into", "made", "--run", other]);
    assert_eq!(asked.code, Some(3), "{asked:?}");
    let aborted = bench.run(&["abort", &id]);
    assert_eq!(
        aborted.code,
        Some(0),
        "a stopped run may be given up: {aborted:?}"
    );
}

fn walk(folder: &std::path::Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(walk(&path));
            if path.file_name().is_some_and(|name| name == "tree") {
                found.push(path);
            }
        } else {
            found.push(path);
        }
    }
    found
}

fn git_refs(bench: &Bench) -> String {
    gavel_testkit::git(&made(bench), &["for-each-ref"])
}
