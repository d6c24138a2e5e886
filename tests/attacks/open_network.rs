//! A machine that gives out no namespaces: fetching dependencies would have its whole network, so a person
//! is asked, and a seal says that it was so.

use std::process::Stdio;

use gavel_domain::{InstallDecided, InstallRequest, VerifyFinished};

use super::install::{README, Registry, TEST, packed, studio_with};
use super::shims::{behind, without_namespaces};
use crate::bench::{Ended, ended, run_id};
use crate::product_hot::project;
use crate::studio::Studio;
use crate::terminal::Terminal;

const IDEA: &str = "fix the typos in README.md";
const NAMED: &str = "dependencies were fetched with the whole network of this machine";

fn with_dependency(studio: &Studio) {
    let manifest = r#"{"name":"demo","version":"1.0.0","scripts":{"test":"node --test"},"dependencies":{"left":"1.0.0"}}"#;
    let files = [
        ("package.json", manifest),
        ("README.md", README),
        ("left.test.js", TEST),
        (".gitignore", "node_modules\n"),
    ];
    project(studio, &files);
}

fn seal_and_review(studio: &Studio) -> String {
    let seal = studio.bench.json(&["seal", "verify"]);
    assert_eq!(seal["valid"], true, "{seal}");
    let review = studio.bench.json(&["review", &run_id().to_string()]);
    format!("{}\n{}", seal["statement"]["predicate"]["left_out"], review)
}

fn elsewhere(program: &std::path::Path, studio: &Studio, args: &[&str]) -> Ended {
    let mut command = behind(program, &studio.command(args));
    let command = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    ended(command.spawn().unwrap())
}

#[test]
fn without_namespaces_a_person_is_asked_before_the_network_is_opened() {
    let Some(shim) = without_namespaces() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let registry = Registry::start(packed(folder.path()));
    let studio = studio_with(&registry);
    with_dependency(&studio);
    let id = run_id().to_string();
    let command = studio.command(&["start", IDEA, "--run", &id]);
    let mut terminal = Terminal::open(behind(&shim, &command), 100);
    let card = terminal.wait_for("1–2");
    assert!(card.contains("whole network of this"), "{card}");
    assert_eq!(registry.asked(), Vec::<String>::new(), "{card}");
    terminal.press("yes\n");
    let shown = terminal.wait_for("1–");
    assert!(!shown.contains("whole network of"), "asked once: {shown}");
    terminal.press("1\n");
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(0), "{shown}");
    assert!(registry.asked().contains(&"/left.tgz".to_owned()));
    let seen = studio.look();
    let [decided] = seen.facts::<InstallDecided>().try_into().unwrap();
    assert_eq!(decided.request, InstallRequest::OpenNetwork);
    assert!(decided.allowed);
    let facts = seen.facts::<VerifyFinished>();
    let last = facts.last().unwrap();
    let fetches = last.install.iter().filter(|step| !step.offline);
    assert!(
        fetches.clone().count() > 0 && fetches.clone().all(|step| step.open),
        "{last:?}"
    );
    let told = seal_and_review(&studio);
    assert!(told.contains(NAMED), "{told}");
}

#[test]
fn without_namespaces_and_without_a_person_nothing_is_fetched() {
    let Some(shim) = without_namespaces() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let registry = Registry::start(packed(folder.path()));
    let studio = studio_with(&registry);
    with_dependency(&studio);
    let id = run_id().to_string();
    let ran = elsewhere(&shim, &studio, &["start", IDEA, "--run", &id, "--yes"]);
    assert_ne!(ran.code, Some(0), "{ran:?}");
    assert_eq!(registry.asked(), Vec::<String>::new(), "{ran:?}");
    let decided = studio.look().facts::<InstallDecided>();
    assert!(
        !decided.is_empty() && decided.iter().all(|one| !one.allowed),
        "{decided:?}"
    );
    let doctor = elsewhere(&shim, &studio, &["doctor"]);
    for gap in ["left open:", "names of other processes", "System V"] {
        assert!(doctor.stdout.contains(gap), "{gap}: {doctor:?}");
    }
}

#[test]
fn the_persons_own_setting_opens_the_network_and_the_seal_says_so() {
    let Some(shim) = without_namespaces() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let registry = Registry::start(packed(folder.path()));
    let studio = studio_with(&registry);
    with_dependency(&studio);
    let settings = "[install]\nopen_network = \"agreed\"\n";
    std::fs::write(studio.bench.own_file(), settings).unwrap();
    let id = run_id().to_string();
    let ran = elsewhere(&shim, &studio, &["start", IDEA, "--run", &id, "--yes"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let told = seal_and_review(&studio);
    assert!(told.contains(NAMED), "{told}");
}

/// The same settings where there are namespaces: the network is not open, and nothing says that it was.
#[test]
fn with_namespaces_the_network_stays_closed_whatever_was_agreed() {
    let folder = tempfile::tempdir().unwrap();
    let registry = Registry::start(packed(folder.path()));
    let studio = studio_with(&registry);
    with_dependency(&studio);
    let settings = "[install]\nopen_network = \"agreed\"\n";
    std::fs::write(studio.bench.own_file(), settings).unwrap();
    if !studio
        .bench
        .run(&["doctor"])
        .stdout
        .contains("namespaces, landlock")
    {
        gavel_testkit::left_out("namespaces", "this machine gives out none");
        return;
    }
    let id = run_id().to_string();
    let ran = studio.run(&["start", IDEA, "--run", &id, "--yes"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let told = seal_and_review(&studio);
    assert!(!told.contains(NAMED), "{told}");
}
