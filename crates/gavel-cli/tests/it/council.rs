//! A council without models: rules hold options against memory and files, with citations.

use std::path::PathBuf;

use gavel_testkit::git;
use serde_json::Value;

use crate::bench::{Ended, run_id};
use crate::studio::Studio;

pub(crate) const TOPIC: &str = "SQLite or PostgreSQL for an embedded job queue?";
const SWAPPED: &str = "PostgreSQL or SQLite for an embedded job queue?";

/// A project with a repository and what its memory holds.
pub(crate) struct Project {
    pub(crate) studio: Studio,
}

impl Project {
    /// A repository with one document, and an empty memory.
    pub(crate) fn new() -> Self {
        let studio = Studio::offline();
        init_project(&studio);
        Self { studio }
    }

    pub(crate) fn folder(&self) -> PathBuf {
        self.studio.bench.folder().join("project")
    }

    /// Remembers something; returns its id.
    pub(crate) fn remember(&self, kind: &str, text: &str) -> String {
        let item = self
            .studio
            .bench
            .json(&["memory", "add", "--kind", kind, text]);
        item["id"].as_str().unwrap().to_owned()
    }

    pub(crate) fn command(&self, args: &[&str], code: i32) -> Ended {
        let ended = self.studio.run(args);
        assert_eq!(ended.code, Some(code), "{args:?} {ended:?}");
        ended
    }

    /// Does something that must succeed.
    pub(crate) fn does(&self, args: &[&str]) {
        drop(self.command(args, 0));
    }

    fn council(&self, topic: &str) -> Value {
        self.studio.bench.json(&["council", topic])
    }
}

/// Makes a repository with one document, and a project of it.
pub(crate) fn init_project(studio: &Studio) {
    let folder = studio.bench.folder().join("project");
    git(&folder, &["init", "-q", "-b", "main"]);
    let readme = "# Jobs\n\nWorkers take jobs from a queue.\n";
    std::fs::write(folder.join("README.md"), readme).unwrap();
    let made = studio.run(&["init"]);
    assert_eq!(made.code, Some(0), "{made:?}");
    git(&folder, &["add", "."]);
    let who = ["-c", "user.name=a", "-c", "user.email=a@b"];
    git(&folder, &[&who[..], &["commit", "-qm", "begin"]].concat());
}

/// The end of an id, as commands take it.
pub(crate) fn end_of(id: &str) -> &str {
    id.split_at(id.len() - 8).1
}

/// What is known about the two: one decision for each, one trap against one of them.
fn known() -> (Project, String, String, String) {
    let project = Project::new();
    let small = project.remember(
        "decision",
        "SQLite is enough for the embedded job queue: one writer, one file.",
    );
    let large = project.remember(
        "decision",
        "We chose PostgreSQL for the embedded job queue of the server edition.",
    );
    let trap = project.remember(
        "trap",
        "The embedded job queue lost jobs on SQLite: the file was locked by two workers.",
    );
    (project, small, large, trap)
}

#[test]
fn rules_review_options_with_citations() {
    let (project, small, large, trap) = known();
    let before = git(&project.folder(), &["status", "--porcelain"]);
    let id = run_id().to_string();
    let ended = project.command(&["council", TOPIC, "--run", &id], 0);
    let page = &ended.stdout;
    assert!(page.starts_with(TOPIC), "{page}");
    assert!(page.contains("rules, not a debate"), "{page}");
    for cited in [&small, &large, &trap] {
        let end = end_of(cited);
        assert!(page.contains(&format!("[memory:{end}]")), "{end} {page}");
    }
    for label in [
        "Decision   PostgreSQL",
        "Why ",
        "Dissent ",
        "Evidence ",
        "Unknown ",
    ] {
        assert!(page.contains(label), "{label} {page}");
    }
    assert!(page.lines().count() < 45, "short: {page}");
    assert!(
        page.lines().all(|line| line.chars().count() <= 100),
        "{page}"
    );
    let after = git(&project.folder(), &["status", "--porcelain"]);
    assert_eq!(before, after, "a council writes nothing into the checkout");

    // What it said is on record, and nothing more comes.
    let again = project.command(&["council", "show", &id], 0);
    assert_eq!(again.stdout, *page);
    let resumed = project.command(&["resume", &id], 0);
    assert_eq!(resumed.stdout, *page);
    let status = project.studio.bench.json(&["status", &id]);
    assert_eq!(status["state"], "closed", "{status}");
    assert_eq!(status["idea"], TOPIC, "{status}");
    let watched = project.command(&["watch", &id], 0);
    assert!(
        watched.stdout.contains("rules held 2 options"),
        "{watched:?}"
    );
    assert!(watched.stdout.contains("closed: reviewed"), "{watched:?}");
    let stats = project.studio.bench.json(&["council", "stats"]);
    assert_eq!(stats["score"]["reviews"], 1, "{stats}");
    assert_eq!(stats["score"]["debates"], 0, "{stats}");
    // Rules are no evidence for themselves.
    let proposed = project.studio.bench.json(&["memory", "list", "--proposed"]);
    assert_eq!(proposed["items"], serde_json::json!([]), "{proposed}");
}

#[test]
fn retiring_the_item_against_an_option_changes_the_recommendation() {
    let (project, small, large, trap) = known();
    let before = project.council(TOPIC);
    assert_eq!(before["recommendation"], "PostgreSQL", "{before}");
    let cites = before["cites"].to_string();
    for cited in [&small, &large, &trap] {
        assert!(cites.contains(cited.as_str()), "{cited} {before}");
    }
    project.does(&["memory", "retire", &trap]);
    let after = project.council(TOPIC);
    assert!(!after.to_string().contains(&trap), "{after}");
    assert_ne!(after["recommendation"], "PostgreSQL", "{after}");
    assert_eq!(after["decided"], false, "both are vouched for: {after}");
}

#[test]
fn the_order_of_the_options_changes_nothing() {
    let (project, ..) = known();
    let (one, other) = (project.council(TOPIC), project.council(SWAPPED));
    for field in [
        "recommendation",
        "cites",
        "decided",
        "warning",
        "voices",
        "mark",
    ] {
        assert_eq!(one[field], other[field], "{field}");
    }
    assert_eq!(one["recommendation"], "PostgreSQL");
    let named = |council: &Value, place: usize| council["options"][place]["name"].clone();
    assert_eq!(named(&one, 0), named(&other, 1));
}

#[test]
fn without_memory_nothing_is_cited_and_the_reader_is_warned() {
    let project = Project::new();
    let council = project.council(TOPIC);
    assert_eq!(council["cites"], serde_json::json!([]), "{council}");
    assert_eq!(council["recommendation"], "", "{council}");
    assert_eq!(council["voices"], "rules", "{council}");
    let warning = council["warning"].as_str().unwrap();
    assert!(warning.contains("nothing to stand on"), "{warning}");
    let page = project.command(&["council", TOPIC], 0).stdout;
    assert!(page.contains("Decision   open"), "{page}");
    assert!(page.contains("nothing to stand on"), "{page}");
}

#[test]
fn a_line_of_a_file_is_cited_by_its_place() {
    let project = Project::new();
    let notes = project.folder().join("docs");
    std::fs::create_dir(&notes).unwrap();
    let text = "# Stores\n\nWe use SQLite for the queue of jobs.\n";
    std::fs::write(notes.join("stores.md"), text).unwrap();
    let council = project.council(TOPIC);
    assert_eq!(council["cites"], serde_json::json!(["docs/stores.md:3"]));
    assert_eq!(council["recommendation"], "SQLite", "{council}");
    // What the project remembers is not asked for when nobody wants it.
    project.remember("trap", "Avoid SQLite: it locked the queue of jobs.");
    let alone = project
        .studio
        .bench
        .json(&["council", TOPIC, "--no-prior-context"]);
    assert_eq!(alone["recommendation"], "SQLite", "{alone}");
}

#[test]
fn what_is_denied_or_past_is_not_recommended() {
    let project = Project::new();
    let topic = "Redis or MySQL for the embedded job queue?";
    let said = [
        "Nobody here knows Redis for the embedded job queue.",
        "Until 2024 we used Redis for the embedded job queue.",
        "Redis is not available on site for the embedded job queue.",
        "Never again Redis for the embedded job queue.",
    ];
    for text in said {
        project.remember("decision", text);
    }
    let council = project.council(topic);
    let redis = &council["options"][0];
    let count = |list: &str| redis[list].as_array().unwrap().len();
    let counts = (
        count("speaks_for"),
        count("speaks_against"),
        count("mentions"),
    );
    assert_eq!(counts, (0, 2, 2), "{council}");
    assert_eq!(council["recommendation"], "MySQL", "{council}");
    project.remember("decision", "MySQL không phù hợp: embedded job queue.");
    let council = project.council(topic);
    assert_eq!(council["decided"], false, "{council}");
}

#[test]
fn a_yes_or_no_and_an_open_question_are_held_against_sources() {
    let project = Project::new();
    let trap = project.remember("trap", "GraphQL queries of the api timed out twice.");
    let id = run_id().to_string();
    let topic = "Should we add GraphQL to the api?";
    let page = project.command(&["council", topic, "--run", &id], 0).stdout;
    assert!(page.contains("Decision   no"), "{page}");
    assert!(page.contains(end_of(&trap)), "{page}");
    let council = project.council(topic);
    assert_eq!(council["recommendation"], "no", "{council}");
    let cites = council["cites"].as_array().unwrap();
    assert_eq!(cites.len(), 1, "{council}");

    // What shares words with a question that names no options is listed, from files as well.
    let open = project.council("How do workers take jobs from a queue?");
    assert_eq!(open["decided"], false, "{open}");
    assert_eq!(open["options"], serde_json::json!([]), "{open}");
    assert_eq!(open["background"][0]["cite"], "README.md:3", "{open}");
    let warning = open["warning"].as_str().unwrap();
    assert!(warning.contains("names no options"), "{warning}");
}

#[test]
fn every_spelling_in_a_file_is_found_and_every_citation_is_counted() {
    let project = Project::new();
    let text = "We run postgres for reports.\nAvoid PostgreSQL for jobs.\n";
    std::fs::write(project.folder().join("NOTES.md"), text).unwrap();
    let id = run_id().to_string();
    let page = project.command(&["council", TOPIC, "--run", &id], 0).stdout;
    for cited in ["NOTES.md:1", "NOTES.md:2"] {
        assert!(page.contains(cited), "{cited} {page}");
    }
    let watched = project.command(&["watch", &id], 0).stdout;
    assert!(watched.contains("against 2 citations"), "{watched}");
    let cites = &project.council(TOPIC)["cites"];
    assert_eq!(*cites, serde_json::json!(["NOTES.md:1", "NOTES.md:2"]));
}

#[test]
fn outside_of_every_project_the_folder_is_read_and_nothing_is_made() {
    let studio = Studio::offline();
    let folder = studio.bench.folder().join("project");
    let ended = studio.run(&["council", TOPIC]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(
        ended.stderr.contains("no project: files, no memory"),
        "{ended:?}"
    );
    assert!(ended.stdout.contains("Decision   open"), "{ended:?}");
    let made: Vec<_> = std::fs::read_dir(&folder).unwrap().collect();
    assert!(made.is_empty(), "{made:?}");
    // A file that is there is looked at, and cited by its place.
    std::fs::write(folder.join("NOTES.md"), "The job queue runs on SQLite.\n").unwrap();
    let ended = studio.run(&["-q", "council", TOPIC]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.stdout.contains("NOTES.md:1"), "{ended:?}");
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1);
}

#[test]
fn what_makes_no_sense_is_refused_with_a_hint() {
    let project = Project::new();
    for (args, told) in [
        (&["council", "  "][..], "there is no topic"),
        (&["council", "show"], "no council has met in this project"),
        (&["council", "ask", "beef", "why?"], "there is no run"),
        (
            &["council", TOPIC, "--seats", "nowhere/model"],
            "no provider nowhere",
        ),
    ] {
        let ended = project.studio.run(args);
        assert!(matches!(ended.code, Some(2 | 7)), "{args:?} {ended:?}");
        assert!(ended.stderr.contains(told), "{args:?} {ended:?}");
    }
    let none = project.command(&["council", "stats"], 0);
    assert!(
        none.stdout.contains("no council has met in this project"),
        "{none:?}"
    );
    // Rules have no turns to ask about.
    let id = run_id().to_string();
    project.does(&["council", TOPIC, "--run", &id]);
    let asked = project
        .studio
        .run(&["council", "ask", &id, "who was against?"]);
    assert_eq!(asked.code, Some(2), "{asked:?}");
    assert!(asked.stderr.contains("nobody debated"), "{asked:?}");
}
