//! What `gavel review` says about a real run holds in a clone of its branch: every test is there,
//! every line, every commit; and its money is that of `gavel usage`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use gavel_testkit::git;
use serde_json::Value;

use crate::bench::run_id;
use crate::product_council::{leading_server, left_seat, note, right_seat};
use crate::product_hot::{project, users};
use crate::studio::{Served, Speaks, Studio};

/// A clone of the branch at the judged commit.
fn clone(studio: &Studio, made: &Path, commit: &str) -> PathBuf {
    let branch = format!("gavel/build-{}", run_id().short());
    let clone = studio.bench.folder().join("clone");
    let (from, to) = (made.to_str().unwrap(), clone.to_str().unwrap());
    git(
        studio.bench.folder(),
        &["clone", "-q", "-b", &branch, from, to],
    );
    git(&clone, &["checkout", "-q", commit]);
    clone
}

/// The names of all tests of a checkout, as its runner lists them.
fn tests_of(checkout: &Path) -> Vec<String> {
    #[expect(
        clippy::disallowed_methods,
        reason = "this is what somebody types in a clone"
    )]
    let mut cargo = std::process::Command::new("cargo");
    cargo.args(["test", "--offline", "--quiet", "--", "--list"]);
    cargo.env("CARGO_TARGET_DIR", checkout.join("target"));
    let listed = cargo.current_dir(checkout).output().unwrap();
    assert!(listed.status.success(), "{listed:?}");
    let listed = String::from_utf8(listed.stdout).unwrap();
    let names = listed
        .lines()
        .filter_map(|line| line.strip_suffix(": test"));
    names.map(str::to_owned).collect()
}

/// Everything that stands between two signs, in order.
fn between<'a>(text: &'a str, (left, right): (&str, &str)) -> Vec<&'a str> {
    let parts = text.split(left).skip(1);
    parts
        .filter_map(|part| Some(part.split_once(right)?.0))
        .collect()
}

#[test]
fn every_criterion_links_to_evidence_that_resolves_in_a_clone() {
    let studio = Studio::offline();
    let done = studio.start(&["--yes"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    let kinds = follow(&studio, &studio.bench.folder().join("project/made"));
    let all = ["example", "test"].map(str::to_owned);
    assert_eq!(kinds, all.into());
}

#[test]
fn a_small_change_links_to_its_line_and_its_command() {
    let studio = Studio::offline();
    let folder = project(&studio, &users());
    let id = run_id().to_string();
    let idea = "fix the typo teh -> the in README.md";
    let done = studio.run(&["start", idea, "--run", &id, "--yes"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    let kinds = follow(&studio, &folder);
    let all = ["command", "file"].map(str::to_owned);
    assert_eq!(kinds, all.into(), "one criterion by each");
}

/// Follows everything that the review of a sealed run points at; tells which kinds there were.
fn follow(studio: &Studio, made: &Path) -> BTreeSet<String> {
    let report = studio.bench.json(&["review", &run_id().short()]);
    let gate = report["gates"].as_array().unwrap().last().unwrap();
    let checkout = clone(studio, made, gate["commit"].as_str().unwrap());
    let tests = tests_of(&checkout);
    let counted = &gate["counted"]["judged"];
    let judged = counted.as_array().or(gate["evidence"].as_array());
    let judged = judged.unwrap();
    let criteria = report["spec"]["criteria"].as_array().unwrap();
    assert!(
        !criteria.is_empty() && judged.len() == criteria.len(),
        "{judged:?}"
    );
    let commands = gate["verification"]["commands"].as_array().unwrap();
    let mut kinds = BTreeSet::new();
    for criterion in judged {
        assert_eq!(criterion["standing"], "met", "{criterion}");
        let links = criterion["links"].as_array().unwrap();
        assert!(!links.is_empty(), "{criterion}");
        for link in links {
            resolves(&checkout, &tests, commands, link);
            kinds.insert(link["kind"].as_str().unwrap().to_owned());
        }
    }
    // The same from the document alone, as a reader has it.
    let told = studio.bench.run(&["review", &run_id().short()]).stdout;
    for name in between(&told, ("`cargo test ", " -- --exact`")) {
        let same = tests.iter().filter(|test| *test == name);
        assert_eq!(same.count(), 1, "{name} is one test: {tests:?}");
    }
    for file in between(&told, ("](./", ")")) {
        let (path, line) = file.split_once("#L").unwrap_or((file, "1"));
        let text = std::fs::read_to_string(checkout.join(path)).unwrap();
        assert!(text.lines().count() >= line.parse().unwrap(), "{file}");
    }
    let run_it = told.matches(" -- --exact`").count();
    let shown = judged
        .iter()
        .flat_map(|one| one["links"].as_array().unwrap());
    let by_tests = shown.filter(|link| link["kind"] == "test").count();
    assert_eq!(run_it, by_tests, "each test can be run alone: {told}");
    kinds
}

fn resolves(checkout: &Path, tests: &[String], commands: &[Value], link: &Value) {
    let text = |name: &str| link[name].as_str().unwrap_or_default();
    match text("kind") {
        "test" => assert!(
            tests.iter().any(|test| test == text("name")),
            "{link} {tests:?}"
        ),
        "file" => {
            let read = std::fs::read_to_string(checkout.join(text("path"))).unwrap();
            let line = usize::try_from(link["line"].as_u64().unwrap()).unwrap();
            assert!((1..=read.lines().count()).contains(&line), "{link}");
        }
        "commit" => {
            let kind = git(checkout, &["cat-file", "-t", text("id")]);
            assert_eq!(kind.trim(), "commit", "{link}");
        }
        "command" => {
            let same = |ran: &&Value| {
                let argv = ran["argv"].as_array().unwrap().iter();
                let argv: Vec<&str> = argv.filter_map(Value::as_str).collect();
                argv.join(" ") == text("command") && ran["exit"] == link["exit"]
            };
            assert!(commands.iter().any(|ran| same(&ran)), "{link} {commands:?}");
        }
        "smoke" => assert!(!text("request").is_empty(), "{link}"),
        // It stands with its criterion in the contract that the branch carries.
        "example" => {
            let phases = checkout.join(".gavel/contracts/phases.md");
            assert!(
                std::fs::read_to_string(phases).unwrap().contains("$ "),
                "{link}"
            );
            assert!(link["runs"].as_u64().unwrap() > 0, "{link}");
        }
        other => panic!("{other}: {link}"),
    }
}

/// Dollars of a JSON number as the ledger counts them.
fn micro_dollars(line: &Value) -> u64 {
    let text = format!("{:.6}", line["cost_usd"].as_f64().unwrap());
    text.replace('.', "").parse().unwrap()
}

#[test]
fn money_and_dissent_of_a_real_council_are_told() {
    let (left, right, lead) = (left_seat(), right_seat(), leading_server());
    let settings = "[models]\npaid = \"agreed\"\n\n[models.slots]\nleader = \"lead/rules\"\n\
                    stances = [\"left/rules\", \"right/rules\"]\n";
    let served = |name, server, speaks| Served {
        name,
        server,
        speaks,
    };
    let models = [
        served("left", &left, Speaks::Anthropic),
        served("right", &right, Speaks::OpenAi),
        served("lead", &lead, Speaks::OpenAi),
    ];
    let studio = Studio::with(settings, &models);
    note(&studio);
    let done = studio.start(&["--yes"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    let report = studio.bench.json(&["review", &run_id().short()]);
    let usage = studio.bench.json(&["usage", &run_id().to_string()]);
    let spent = micro_dollars(&usage);
    assert!(spent > 1_000, "{usage}");
    for by in ["by_stage", "by_role", "by_model"] {
        let lines = report["spend"][by].as_array().unwrap();
        assert!(lines.len() > 2, "{by}: {lines:?}");
        assert_eq!(lines.iter().map(micro_dollars).sum::<u64>(), spent, "{by}");
    }
    let told = studio.bench.run(&["review", &run_id().short()]).stdout;
    for part in [
        "## The council",
        "| **Keeper** | `left/rules` | Where are bookmarks kept? → **in one file**",
        "3 held, **1 not found**",
        "- **Keeper** on “Where are bookmarks kept”: ",
        "Evidence: **low** (18 % of the tagged claims were checked)",
        "**NEEDS HUMAN REVIEW**: VERDICT-WORD: nobody looked at two writers.",
        // The customer, who spoke against the result.
        "Two writers at once lose data.",
        "**Expected:** $",
        "### What owner and customer said",
    ] {
        assert!(told.contains(part), "{part}\n{told}");
    }
}
