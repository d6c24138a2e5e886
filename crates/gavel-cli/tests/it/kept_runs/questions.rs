//! Runs that wait with a question of a newer sort: about what runs the tests, a change of tests, other
//! words, a host, a script, the disk; one that was told where to push, and one that is approved later.

use std::collections::BTreeMap;
use std::sync::Mutex;

use gavel_domain::{BranchPushed, PushState, SealApproved};
use gavel_testkit::git;

use super::{Case, assert_state, on, resume};
use crate::attacks::install::{README, Registry, TEST, packed, packed_with};
use crate::attacks::permissions::{CAP, downloads, filling, with_archive};
use crate::attacks::push::Listener;
use crate::attacks::runner::{GREETED, IDEA, JudgeSays, NODE_MANIFEST, coder, sums, write};
use crate::bench::run_id;
use crate::cheats::change::settings;
use crate::cheats::release::{REPOSITORY, a_fifth};
use crate::killing::{Between, kill};
use crate::product_hot::{project, users};
use crate::studio::{Served, Speaks, Studio};
use crate::terminal::Terminal;

/// Ports that stand in what is kept. Each belongs to one case, which nobody else drives meanwhile.
const REGISTRY: u16 = 27_431;
const HOST: u16 = 27_432;
const SCRIPTED: u16 = 27_433;
const FILES: u16 = 27_434;
const SERVER: u16 = 27_435;

const RENAME: &str = "rename get_user to fetch_user in src/lib.rs";
const TYPOS: &str = "fix the typos in README.md";

/// A model behind this server does everything.
fn led_by(studio: &Studio, server: &gavel_testkit::FakeServer, settings: &str) {
    let model = Served {
        name: "small",
        server,
        speaks: Speaks::OpenAi,
    };
    studio.set(settings, &[model]);
}

const LEADER: &str =
    "[models]\npaid = \"agreed\"\nslots = { leader = \"small/rules\", stances = [] }\n";

fn start(studio: &Studio, idea: &str, more: &[&str], code: i32) {
    let id = run_id().to_string();
    let begun = studio.run(&[&["start", idea, "--run", &id][..], more].concat());
    assert_eq!(begun.code, Some(code), "{begun:?}");
}

/// A person sits at the terminal, and is gone when this is asked.
fn left_at(studio: &Studio, args: &[&str], asked: &str) {
    let mut terminal = Terminal::open(studio.command(args), 100);
    terminal.wait_for(asked);
    terminal.wait_for(" › ");
    let mut child = terminal.into_child();
    child.kill().unwrap();
    child.wait().unwrap();
}

/// A person comes back, is asked the same, says this, and approves what comes of it.
fn answered_at(studio: &Studio, args: &[&str], (asked, answer): (&str, &str)) {
    let mut terminal = Terminal::open(studio.command(args), 100);
    terminal.wait_for(asked);
    terminal.wait_for(" › ");
    terminal.press(answer);
    terminal.wait_for("1–");
    terminal.press("1\n");
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(0), "{shown}");
    assert_state(studio, "sealed");
}

fn with_another_runner() -> gavel_testkit::FakeServer {
    let manifest = NODE_MANIFEST.replace("node --test", "node all.js");
    let calls = vec![
        write("README.md", GREETED),
        write("package.json", &manifest),
        write("all.js", "require('./test/add.test.js');\n"),
    ];
    coder(calls, JudgeSays::Met)
}

#[test]
fn a_small_change_that_asks_what_shall_run_its_tests() {
    Case {
        name: "small-change-runner",
        begin: |studio| {
            let server = with_another_runner();
            led_by(studio, &server, LEADER);
            sums(studio);
            start(studio, IDEA, &["--non-interactive"], 3);
            server.finish();
        },
        finish: |studio| {
            let server = with_another_runner();
            led_by(studio, &server, LEADER);
            let done = on(studio, "answer", &["changed", "--resume", "--yes"]);
            assert_eq!(done.code, Some(0), "{done:?}");
            assert_state(studio, "sealed");
            server.finish();
        },
    }
    .check_newer();
}

#[test]
fn a_small_change_that_asks_whether_a_test_may_be_another_one() {
    Case {
        name: "small-change-release",
        begin: |studio| {
            let change = a_fifth();
            let idea = change.idea;
            let server = change.coder();
            led_by(studio, &server, &settings(None));
            project(studio, REPOSITORY);
            start(studio, idea, &["--non-interactive"], 3);
            server.finish();
        },
        finish: |studio| {
            let server = a_fifth().coder();
            led_by(studio, &server, &settings(None));
            let reason = "the request says that the discount is another one";
            let done = on(studio, "answer", &[reason, "--resume", "--yes"]);
            assert_eq!(done.code, Some(0), "{done:?}");
            assert_state(studio, "sealed");
            server.finish();
        },
    }
    .check_newer();
}

#[test]
fn a_product_run_that_waits_for_other_words_since_no_model_is_there() {
    Case {
        name: "product-words",
        begin: |studio| {
            let idea = "rust cli that counts words in a file";
            start(studio, idea, &["--into", "made", "--yes"], 3);
        },
        finish: |studio| {
            let said = on(studio, "answer", &[crate::studio::IDEA]);
            assert_eq!(said.code, Some(0), "{said:?}");
            resume(studio, &["--yes"]);
            assert_state(studio, "sealed");
        },
    }
    .check_newer();
}

/// A person whose registry is at a port that is known.
fn with_registry(studio: &Studio, registry: &Registry) {
    let npmrc = studio.bench.folder().join("home/.npmrc");
    std::fs::write(npmrc, format!("registry={}/\n", registry.url)).unwrap();
}

/// What listens at a port that is known does so until this process ends, whatever is begun and finished.
fn listening(port: u16, archive: &[u8], more: &'static str) -> Registry {
    static LISTENING: Mutex<BTreeMap<u16, Registry>> = Mutex::new(BTreeMap::new());
    let mut all = LISTENING.lock().unwrap();
    let start = || Registry::start_at(port, archive.to_vec(), more);
    all.entry(port).or_insert_with(start).clone()
}

fn registry_and_host(studio: &Studio) -> [Registry; 2] {
    let archive = packed(studio.bench.folder());
    [REGISTRY, HOST].map(|port| listening(port, &archive, ""))
}

#[test]
fn a_small_change_that_was_left_when_it_asked_about_a_host() {
    Case {
        name: "install-host",
        begin: |studio| {
            let [registry, host] = registry_and_host(studio);
            with_registry(studio, &registry);
            with_archive(studio, &host);
            let id = run_id().to_string();
            left_at(studio, &["start", TYPOS, "--run", &id], "fetched from");
        },
        finish: |studio| {
            let [_registry, host] = registry_and_host(studio);
            let before = host.asked().len();
            let id = run_id().to_string();
            answered_at(studio, &["resume", &id], ("fetched from", "yes\n"));
            assert!(host.asked().len() > before);
        },
    }
    .check_newer();
}

/// A package whose script downloads something; it comes from the registry of this case.
const SCRIPT: &str = r#","scripts":{"postinstall":"node get.js"},"hasInstallScript":true"#;

fn scripted(studio: &Studio) -> [Registry; 2] {
    let files = listening(FILES, &[], "");
    let package = studio.bench.folder().join("package");
    std::fs::create_dir_all(&package).unwrap();
    std::fs::write(package.join("get.js"), downloads(&files)).unwrap();
    let archive = packed_with(studio.bench.folder(), SCRIPT);
    [listening(SCRIPTED, &archive, SCRIPT), files]
}

#[test]
fn a_small_change_that_was_left_when_scripts_asked_for_a_host() {
    Case {
        name: "install-script",
        begin: |studio| {
            let [registry, _files] = scripted(studio);
            with_registry(studio, &registry);
            let manifest = r#"{"name":"demo","version":"1.0.0","scripts":{"test":"node --test"},"dependencies":{"left":"1.0.0"}}"#;
            let files = [
                ("package.json", manifest),
                ("README.md", README),
                ("left.test.js", TEST),
                (".gitignore", "node_modules\n"),
            ];
            project(studio, &files);
            let id = run_id().to_string();
            left_at(studio, &["start", TYPOS, "--run", &id], "talk to");
        },
        finish: |studio| {
            let [_registry, files] = scripted(studio);
            let before = files.asked().len();
            let id = run_id().to_string();
            answered_at(studio, &["resume", &id], ("talk to", "yes\n"));
            assert!(files.asked().len() > before);
        },
    }
    .check_newer();
}

#[test]
fn a_small_change_that_was_left_when_it_asked_for_more_disk() {
    Case {
        name: "disk-cap",
        begin: |studio| {
            filling(studio);
            let id = run_id().to_string();
            let args = [&CAP[..], &["start", TYPOS, "--run", &id]].concat();
            left_at(studio, &args, "ended at the disk cap");
        },
        finish: |studio| {
            let id = run_id().to_string();
            let args = [&CAP[..], &["resume", &id]].concat();
            answered_at(studio, &args, ("ended at the disk cap", "1\n"));
        },
    }
    .check_newer();
}

#[test]
fn a_small_change_whose_remote_a_person_agreed_to() {
    Case {
        name: "push-agreed",
        begin: |studio| {
            let server = Listener::start_at(SERVER);
            let folder = project(studio, &users());
            git(&folder, &["remote", "add", "origin", &server.url()]);
            let id = run_id().to_string();
            let command = studio.command(&["start", RENAME, "--run", &id]);
            let mut terminal = Terminal::open(command, 100);
            terminal.wait_for("May the branches");
            terminal.wait_for(" › ");
            terminal.press("yes\n");
            terminal.wait_for("1–");
            let mut child = terminal.into_child();
            child.kill().unwrap();
            child.wait().unwrap();
            assert!(server.seen() > 0, "it was pushed at once");
        },
        finish: |studio| {
            resume(studio, &["--yes"]);
            assert_state(studio, "sealed");
            // Nobody takes it there any more, and it was tried: a person had agreed.
            let pushed = studio.look().facts::<BranchPushed>();
            assert_eq!(pushed.last().unwrap().state(), PushState::Failed);
        },
    }
    .check_newer();
}

#[test]
fn a_sealed_change_whose_approval_was_cut_off() {
    Case {
        name: "later-approval",
        begin: |studio| {
            project(studio, &users());
            start(studio, RENAME, &["--yes"], 0);
            let id = run_id().to_string();
            let command = studio.command(&["seal", "approve", &id]);
            let mut terminal = Terminal::open(command, 100);
            terminal.wait_for("Do you approve this result?");
            terminal.wait_for(" › ");
            terminal.press("1\n");
            let place = Between {
                near: "later-approval-1/approved",
                after: "later-approval-1/sign",
                before: "later-approval-1/sealed",
            };
            drop(kill(studio, terminal.into_child(), place));
        },
        finish: |studio| {
            let finished = on(studio, "resume", &[]);
            assert_eq!(finished.code, Some(0), "{finished:?}");
            let seen = studio.look();
            assert_eq!(seen.facts::<SealApproved>().len(), 1);
            let seal = studio.bench.json(&["seal", "verify"]);
            assert_eq!(seal["approved_by"], "person", "{seal}");
        },
    }
    .check_newer();
}
