//! Remotes that a repository brings with it: nothing of them runs, and nothing goes to them, unless a
//! person agreed.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use gavel_domain::{BranchPushed, PushRefusal, PushState, RunId};
use gavel_testkit::git;
use serde_json::json;

use crate::bench::{Ended, run_id};
use crate::kept_runs::Case;
use crate::mcp::asked;
use crate::product_hot::{project, users};
use crate::studio::Studio;
use crate::terminal::Terminal;

const IDEA: &str = "fix the typos in README.md";
const README: &str = "# Users\n\nYou will recieve a user by teh number.\n";
const SECOND: &str = "01890a5d-ac96-774b-bcce-b302099a8058";

/// A checkout with a README; runs in it make one commit and are pushed at once.
struct Victim {
    studio: Studio,
    folder: PathBuf,
}

impl Victim {
    fn new() -> Self {
        Self::with(&[("README.md", README)])
    }

    fn with(files: &[(&str, &str)]) -> Self {
        let studio = Studio::offline();
        let folder = project(&studio, files);
        Self { studio, folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        let folder = self.studio.bench.folder().canonicalize().unwrap();
        folder.join(name)
    }

    fn mark(&self) -> PathBuf {
        self.path("the-hook-ran")
    }

    fn origin(&self, address: &str) {
        git(&self.folder, &["remote", "add", "origin", address]);
    }

    fn own_settings(&self, text: &str) {
        fs::write(self.studio.bench.own_file(), text).unwrap();
    }

    /// A bare repository with a hook for everything that a push calls.
    fn armed(&self, at: &Path) {
        let (from, to) = (self.folder.to_str().unwrap(), at.to_str().unwrap());
        let above = at.parent().unwrap();
        git(above, &["clone", "--quiet", "--bare", from, to]);
        // Packed refs leave empty folders behind, which no commit takes along.
        git(at, &["update-ref", "refs/heads/kept", "HEAD"]);
        let script = format!(
            "#!/bin/sh\nid > {}\necho inside > {to}/inside\ncat > /dev/null\n",
            self.mark().display()
        );
        for hook in [
            "pre-receive",
            "update",
            "post-receive",
            "reference-transaction",
        ] {
            executable(&at.join("hooks").join(hook), &script);
        }
    }

    fn start(&self, run: RunId) -> Ended {
        let id = run.to_string();
        let studio = &self.studio;
        studio.run(&["start", IDEA, "--run", &id, "--yes", "--non-interactive"])
    }

    /// The run made its commit, and what it records about pushing.
    fn pushed(&self) -> Vec<BranchPushed> {
        let branch = format!("gavel/build-{}:README.md", run_id().short());
        let mended = git(&self.folder, &["show", &branch]);
        assert!(mended.contains("receive a user by the number"), "{mended}");
        self.studio.look().facts::<BranchPushed>()
    }

    /// Why nothing was pushed, by the record and by the status.
    fn withheld(&self) -> PushRefusal {
        let pushed = self.pushed();
        let last = pushed.last().unwrap();
        assert_eq!(last.state(), PushState::NotAgreed);
        let status = self.studio.bench.json(&["status", &run_id().to_string()]);
        assert_eq!(status["pushed"], "none (not agreed)", "{status}");
        last.withheld.unwrap()
    }
}

/// A listener that counts connections and closes them.
pub(crate) struct Listener {
    port: u16,
    seen: Arc<AtomicUsize>,
}

impl Listener {
    fn start() -> Self {
        Self::start_at(0)
    }

    /// At a port that is known; at any one for 0.
    pub(crate) fn start_at(port: u16) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", port)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let seen = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&seen);
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                counted.fetch_add(1, Ordering::SeqCst);
                let _read = stream.read(&mut [0; 4096]);
                let _sent = stream.write_all(
                    b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
                );
            }
        });
        Self { port, seen }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/x.git", self.port)
    }

    pub(crate) fn seen(&self) -> usize {
        self.seen.load(Ordering::SeqCst)
    }
}

fn executable(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// The attack as it was made: the bare repository travels among the tracked files, and `/proc/self/cwd`
/// is the work tree of the build.
#[test]
fn a_repository_among_the_tracked_files_is_no_remote() {
    let victim = Victim::new();
    victim.armed(&victim.folder.join("evil.git"));
    git(&victim.folder, &["add", "--all", "--force"]);
    git(
        &victim.folder,
        &["commit", "--quiet", "-m", "a remote that travels"],
    );
    victim.origin("/proc/self/cwd/evil.git");
    let ended = victim.start(run_id());
    assert!(!victim.mark().exists(), "the hook ran: {ended:?}");
    assert_eq!(victim.withheld(), PushRefusal::ForbiddenPath);
}

/// Every other way to say "a path on this machine", each in a repository of its own.
#[test]
fn no_spelling_of_a_path_is_pushed_to_unasked() {
    type Arm = fn(&Victim, &Path);
    let spellings: [(&str, Arm, PushRefusal); 6] = [
        (
            "a plain path",
            |victim, evil| victim.origin(evil.to_str().unwrap()),
            PushRefusal::LocalPath,
        ),
        (
            "file://",
            |victim, evil| victim.origin(&format!("file://{}", evil.display())),
            PushRefusal::LocalPath,
        ),
        (
            "file:// with a host",
            |victim, evil| victim.origin(&format!("file://localhost{}", evil.display())),
            PushRefusal::Unusable,
        ),
        (
            "relative",
            |victim, _| victim.origin("../evil.git"),
            PushRefusal::Unusable,
        ),
        (
            "through a symlink in the checkout",
            |victim, evil| {
                symlink(evil, victim.folder.join("link.git")).unwrap();
                victim.origin(victim.folder.join("link.git").to_str().unwrap());
            },
            PushRefusal::LocalPath,
        ),
        (
            "an address that the config turns into a path",
            |victim, evil| {
                let key = format!("url.{}.insteadOf", evil.display());
                git(
                    &victim.folder,
                    &["config", &key, "https://example.invalid/x"],
                );
                victim.origin("https://example.invalid/x");
            },
            PushRefusal::Unasked,
        ),
    ];
    // One after the other they take long; they share nothing.
    std::thread::scope(|scope| {
        for (name, arm, why) in spellings {
            scope.spawn(move || {
                let victim = Victim::new();
                let evil = victim.path("evil.git");
                victim.armed(&evil);
                arm(&victim, &evil);
                let ended = victim.start(run_id());
                assert!(!victim.mark().exists(), "{name}: the hook ran: {ended:?}");
                assert!(!evil.join("inside").exists(), "{name}: it ran inside");
                assert_eq!(victim.withheld(), why, "{name}");
            });
        }
    });
}

/// What settings of a person cannot open: what travels with the checkout, and what belongs to runs.
#[test]
fn a_path_in_the_checkout_or_the_state_is_refused_whatever_settings_say() {
    for place in ["project/evil.git", "state/evil.git"] {
        let victim = Victim::new();
        let evil = victim.path(place);
        fs::create_dir_all(evil.parent().unwrap()).unwrap();
        victim.armed(&evil);
        victim.origin(evil.to_str().unwrap());
        victim.own_settings(&format!("[push]\nremotes = [\"{}\"]\n", evil.display()));
        let ended = victim.start(run_id());
        assert!(!victim.mark().exists(), "{place}: the hook ran: {ended:?}");
        assert_eq!(victim.withheld(), PushRefusal::ForbiddenPath, "{place}");
    }
}

#[test]
fn a_path_that_a_person_names_gets_the_branch_and_its_hooks_do_not_run() {
    let victim = Victim::new();
    let bare = victim.path("remote.git");
    victim.armed(&bare);
    // Another spelling of the same place, on both sides.
    symlink(&bare, victim.path("known.git")).unwrap();
    victim.origin(&format!("file://{}", bare.display()));
    let known = victim.path("known.git");
    victim.own_settings(&format!("[push]\nremotes = [\"{}\"]\n", known.display()));
    let ended = victim.start(run_id());
    let pushed = victim.pushed();
    let last = pushed.last().unwrap();
    assert_eq!(last.state(), PushState::Pushed, "{ended:?}");
    let there = git(&bare, &["rev-parse", &last.branch]);
    assert_eq!(there, last.commit);
    assert!(!victim.mark().exists(), "a hook ran outside");
    assert!(!bare.join("inside").exists(), "a hook ran inside");
    let status = victim.studio.bench.json(&["status", &run_id().to_string()]);
    assert_eq!(status["pushed"], "yes", "{status}");
}

#[test]
fn settings_of_a_cloned_project_agree_to_nothing() {
    let victim = Victim::new();
    let listener = Listener::start();
    victim.origin(&listener.url());
    let settings = format!("[push]\nremotes = [\"{}\"]\n", listener.url());
    fs::write(victim.studio.bench.project_file(), settings).unwrap();
    let ended = victim.start(run_id());
    assert_eq!(ended.code, Some(2), "{ended:?}");
    let refused = "`push.remotes` cannot be set by a project";
    assert!(ended.stderr.contains(refused), "{ended:?}");
    assert_eq!(listener.seen(), 0);
}

#[test]
fn a_server_that_nobody_agreed_to_sees_nothing_and_every_door_says_so() {
    let victim = Victim::with(&users());
    let listener = Listener::start();
    victim.origin(&listener.url());
    let ended = victim.start(run_id());
    assert_eq!(listener.seen(), 0, "something left: {ended:?}");
    assert_eq!(victim.withheld(), PushRefusal::Unasked);
    let said = "none (not agreed)";
    let run = run_id().to_string();
    assert!(
        ended.stdout.contains(&format!("pushed: {said}")),
        "{ended:?}"
    );
    let status = victim.studio.run(&["status", &run]);
    assert!(status.stdout.contains(said), "{status:?}");
    let review = victim.studio.run(&["review", &run]);
    assert!(review.stdout.contains(said), "{review:?}");
    let call = json!({"name": "gavel_get_branch_status", "arguments": {"run": run}});
    let flags = ["--tools", "branch"];
    let answers = asked(&victim.studio.bench, &flags, &[("tools/call", call)]);
    let told = &answers[1]["result"]["structuredContent"];
    assert_eq!(
        (&told["push"], &told["pushed"]),
        (&json!(said), &json!("none"))
    );
}

#[test]
fn a_server_that_settings_name_is_asked_and_its_refusal_is_told() {
    let victim = Victim::new();
    let listener = Listener::start();
    victim.origin(&listener.url());
    victim.own_settings(&format!("[push]\nremotes = [\"{}\"]\n", listener.url()));
    let ended = victim.start(run_id());
    assert!(listener.seen() > 0, "nobody was asked: {ended:?}");
    let pushed = victim.pushed();
    assert_eq!(pushed.last().unwrap().state(), PushState::Failed);
    let status = victim.studio.run(&["status", &run_id().to_string()]);
    assert!(status.stdout.contains("failed"), "{status:?}");
}

#[test]
fn a_command_for_ssh_in_the_repository_is_not_started_even_where_a_person_agreed() {
    let victim = Victim::new();
    let trap = victim.path("ssh-command");
    executable(
        &trap,
        &format!("#!/bin/sh\nid > {}\n", victim.mark().display()),
    );
    git(
        &victim.folder,
        &["config", "core.sshCommand", trap.to_str().unwrap()],
    );
    victim.origin("ssh://127.0.0.1:1/x.git");
    victim.own_settings("[push]\nremotes = [\"ssh://127.0.0.1:1/x.git\"]\n");
    let ended = victim.start(run_id());
    assert_eq!(victim.pushed().last().unwrap().state(), PushState::Failed);
    assert!(!victim.mark().exists(), "the command ran: {ended:?}");
}

/// A run that began before anybody was asked has nobody's consent.
#[test]
fn a_run_of_an_older_flow_pushes_nothing() {
    let finish = |studio: &Studio| {
        let listener = Listener::start();
        let folder = studio.bench.folder().join("project");
        git(&folder, &["remote", "add", "origin", &listener.url()]);
        let ended = studio.run(&["resume", &run_id().to_string(), "--yes"]);
        assert_eq!(ended.code, Some(0), "{ended:?}");
        assert_eq!(listener.seen(), 0, "something left");
        // Flow 5 had settled it before there was a remote.
        assert!(ended.stdout.contains("pushed: none"), "{ended:?}");
    };
    let kept = Case {
        name: "small-change-approval",
        begin: |_| {},
        finish,
    };
    kept.drive_on();
}

#[test]
fn a_person_who_said_no_is_not_asked_again() {
    let victim = Victim::new();
    let listener = Listener::start();
    victim.origin(&listener.url());
    for (run, asked) in [(run_id().to_string(), true), (SECOND.to_owned(), false)] {
        let command = victim.studio.command(&["start", IDEA, "--run", &run]);
        let mut terminal = Terminal::open(command, 100);
        if asked {
            terminal.wait_for("1–2 ›");
            terminal.press("no\n");
        }
        let shown = terminal.wait_for("How shall it go on?");
        assert!(!shown.contains("May the branches"), "{shown}");
        terminal.wait_for(" › ");
        terminal.press("3\n");
        drop(terminal.end());
    }
    assert_eq!(listener.seen(), 0);
    assert_eq!(victim.withheld(), PushRefusal::Declined);
}

/// Asked once for a repository and an address; another address is asked about anew.
#[test]
fn a_person_is_asked_once_and_the_answer_is_remembered() {
    let victim = Victim::new();
    let (first, second) = (Listener::start(), Listener::start());
    victim.origin(&first.url());
    let run = run_id().to_string();
    let command = victim.studio.command(&["start", IDEA, "--run", &run]);
    let mut terminal = Terminal::open(command, 100);
    let card = terminal.wait_for("1–2 ›");
    assert!(card.contains(&first.url()), "{card}");
    assert_eq!(first.seen(), 0, "asked before anything is sent");
    terminal.press("yes\n");
    // It was made and pushed; without tests the run asks how to go on.
    terminal.wait_for("How shall it go on?");
    terminal.wait_for(" › ");
    terminal.press("3\n");
    drop(terminal.end());
    let before = first.seen();
    // Nobody is there any more, and the answer still counts for this address.
    let ended = victim.start(SECOND.parse().unwrap());
    assert!(first.seen() > before, "not remembered: {ended:?}");
    git(
        &victim.folder,
        &["remote", "set-url", "origin", &second.url()],
    );
    let third = "01890a5d-ac96-774b-bcce-b302099a8059".parse().unwrap();
    let ended = victim.start(third);
    assert_eq!(second.seen(), 0, "nobody agreed to this one: {ended:?}");
}
