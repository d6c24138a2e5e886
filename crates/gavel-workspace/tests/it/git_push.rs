//! Where a push goes and what it starts: nothing in a repository, on either side, has a say in it.
#![expect(clippy::unwrap_used, reason = "what cannot be set up ends the test")]

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use gavel_domain::Key;
use gavel_workspace::{
    Commands, CommitId, CommitMessage, Confinement, LocalRemote, LocalRemoteError,
    LocalTransportError, NewCommit, PushError, Remote, RemoteUrl, StepMark, WithoutSandbox,
    WorkTree, WorkTreePlace,
};

use crate::fixture::{
    Fixture, author, branch, git_program, moment, put, run, try_user_git, user_git,
};
use crate::room::{Room, door};

/// A server that counts who comes, and sends everybody away with the same answer.
struct Counter {
    port: u16,
    seen: Arc<AtomicUsize>,
}

impl Counter {
    fn start(answer: String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let seen = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&seen);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                counted.fetch_add(1, Ordering::SeqCst);
                stream.and_then(|stream| reply(stream, &answer)).ok();
            }
        });
        Self { port, seen }
    }

    /// Wants a password.
    fn closed() -> Self {
        Self::start(
            "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"x\"\r\n\
             Content-Length: 0\r\nConnection: close\r\n\r\n"
                .to_owned(),
        )
    }

    fn url(&self) -> String {
        format!("http://127.0.0.1:{}/x.git", self.port)
    }

    fn seen(&self) -> usize {
        self.seen.swap(0, Ordering::SeqCst)
    }
}

fn reply(mut stream: TcpStream, answer: &str) -> std::io::Result<()> {
    let mut request = [0; 4096];
    let _read = stream.read(&mut request)?;
    stream.write_all(answer.as_bytes())
}

/// A setting of a repository that sends git elsewhere, or makes it start something.
struct Trap {
    name: &'static str,
    /// `EVIL` stands for the address of a server, `PROGRAM` for a program, `HONEST` for the remote.
    settings: &'static [(&'static str, &'static str)],
    /// The remote; `HONEST` or another protocol.
    remote: &'static str,
    /// What springs it under the user's git.
    spring: &'static [&'static str],
}

const TRAPS: &[Trap] = &[
    Trap {
        name: "insteadOf",
        settings: &[("url.EVIL.insteadOf", "HONEST")],
        remote: "HONEST",
        spring: &["ls-remote", "origin"],
    },
    Trap {
        name: "pushInsteadOf",
        settings: &[("url.EVIL.pushInsteadOf", "HONEST")],
        remote: "HONEST",
        spring: &["push", "origin", "HEAD:refs/heads/x"],
    },
    Trap {
        name: "a push address of its own for the address",
        settings: &[
            ("remote.HONEST.pushurl", "EVIL"),
            ("remote.HONEST.url", "EVIL"),
        ],
        remote: "HONEST",
        spring: &["push", "HONEST", "HEAD:refs/heads/x"],
    },
    Trap {
        name: "http.proxy",
        settings: &[("http.proxy", "EVIL")],
        remote: "HONEST",
        spring: &["ls-remote", "origin"],
    },
    Trap {
        name: "a proxy for one remote",
        settings: &[
            ("remote.origin.proxy", "EVIL"),
            ("http.HONEST.proxy", "EVIL"),
        ],
        remote: "HONEST",
        spring: &["ls-remote", "origin"],
    },
    Trap {
        name: "credential.helper",
        settings: &[("credential.helper", "!PROGRAM")],
        remote: "HONEST",
        spring: &["ls-remote", "origin"],
    },
    Trap {
        name: "core.askPass",
        settings: &[("core.askPass", "PROGRAM")],
        remote: "HONEST",
        spring: &["ls-remote", "origin"],
    },
    Trap {
        name: "core.sshCommand",
        settings: &[("core.sshCommand", "PROGRAM")],
        remote: "ssh://127.0.0.1:1/x.git",
        spring: &["ls-remote", "origin"],
    },
    Trap {
        name: "an address that becomes a command",
        settings: &[
            ("url.ext::PROGRAM .insteadOf", "HONEST"),
            ("protocol.ext.allow", "always"),
            ("protocol.allow", "always"),
        ],
        remote: "HONEST",
        spring: &["ls-remote", "origin"],
    },
];

#[tokio::test]
async fn no_setting_of_a_repository_says_where_a_push_goes_or_what_it_starts() {
    for trap in TRAPS {
        let fixture = Fixture::new();
        let (honest, evil) = (Counter::closed(), Counter::closed());
        let program = fixture.path("program");
        let sprung = fixture.path("sprung");
        executable(
            &program,
            &format!("#!/bin/sh\ntouch {}\n", sprung.display()),
        );
        let fill = |text: &str| {
            text.replace("EVIL", &evil.url())
                .replace("HONEST", &honest.url())
                .replace("PROGRAM", program.to_str().unwrap())
        };
        let remote = fill(trap.remote);
        fixture.git(&["remote", "add", "origin", &remote]);
        // By an include, too: it is a file that nobody looks into.
        let included = fixture.path("included");
        for (key, value) in trap.settings {
            let file = included.to_str().unwrap();
            fixture.git(&["config", "--file", file, &fill(key), &fill(value)]);
        }
        fixture.git(&["config", "include.path", included.to_str().unwrap()]);
        let is_sprung = || sprung.exists() || evil.seen() > 0;
        let spring: Vec<String> = trap.spring.iter().map(|word| fill(word)).collect();
        let spring: Vec<&str> = spring.iter().map(String::as_str).collect();
        try_user_git(&fixture.checkout(), &spring);
        assert!(is_sprung(), "{}: the trap does not work", trap.name);
        fs::remove_file(&sprung).ok();
        honest.seen();
        let (tree, commit) = committed(&fixture).await;
        let url = RemoteUrl::new(&remote).unwrap();
        let pushed = tree
            .push(&branch("1"), &commit, &Remote::Network(url))
            .await;
        assert!(matches!(pushed, Err(PushError::Git { .. })), "{pushed:?}");
        assert!(!is_sprung(), "{}: it was sprung", trap.name);
        if trap.remote == "HONEST" {
            assert!(honest.seen() > 0, "{}: the remote was not asked", trap.name);
        }
    }
}

#[tokio::test]
async fn a_server_that_sends_a_push_elsewhere_is_not_followed() {
    let fixture = Fixture::new();
    let evil = Counter::closed();
    let honest = Counter::start(format!(
        "HTTP/1.1 302 Found\r\nLocation: {}/info/refs?service=git-receive-pack\r\n\
         Content-Length: 0\r\nConnection: close\r\n\r\n",
        evil.url()
    ));
    let (tree, commit) = committed(&fixture).await;
    let remote = Remote::Network(RemoteUrl::new(&honest.url()).unwrap());
    tree.push(&branch("1"), &commit, &remote).await.unwrap_err();
    assert_eq!((honest.seen() > 0, evil.seen()), (true, 0));
}

#[tokio::test]
async fn a_path_is_no_server() {
    let fixture = Fixture::new();
    bare(&fixture, "remote.git");
    let (tree, commit) = committed(&fixture).await;
    let path = fixture.path("remote.git");
    for text in [
        path.to_str().unwrap().to_owned(),
        format!("file://{}", path.display()),
    ] {
        let remote = Remote::Network(RemoteUrl::new(&text).unwrap());
        let pushed = tree.push(&branch("1"), &commit, &remote).await;
        assert!(
            matches!(pushed, Err(PushError::NotAServer { .. })),
            "{pushed:?}"
        );
    }
}

/// Hooks and settings of a bare repository that start something when somebody pushes to it.
const OTHER_END: &[(&str, &str)] = &[
    ("core.fsmonitor", "PROGRAM"),
    ("core.alternateRefsCommand", "PROGRAM"),
    ("uploadpack.packObjectsHook", "PROGRAM"),
    ("receive.autogc", "true"),
    ("gc.auto", "1"),
    ("core.sshCommand", "PROGRAM"),
    ("core.pager", "PROGRAM"),
];

const HOOKS: &[&str] = &[
    "pre-receive",
    "update",
    "post-receive",
    "post-update",
    "reference-transaction",
    "proc-receive",
    "push-to-checkout",
    "pre-auto-gc",
];

#[tokio::test]
async fn a_repository_on_this_machine_takes_a_branch_and_starts_nothing() {
    let fixture = Fixture::new();
    bare(&fixture, "lender.git");
    bare(&fixture, "remote.git");
    let there = fixture.path("remote.git");
    let mark = there.join("sprung");
    let script = format!("#!/bin/sh\ntouch {}\ncat >/dev/null\n", mark.display());
    for hook in HOOKS {
        executable(&there.join("hooks").join(hook), &script);
        executable(&there.join("more").join(hook), &script);
    }
    let program = there.join("program");
    executable(&program, &script);
    put(
        &there,
        "objects/info/alternates",
        format!("{}\n", fixture.path("lender.git/objects").display()),
    );
    // It works for whoever pushes there by hand, and the mark can be made inside the walls.
    try_user_git(
        &fixture.checkout(),
        &[
            "push",
            "-q",
            there.to_str().unwrap(),
            "HEAD:refs/heads/by-hand",
        ],
    );
    assert!(mark.exists(), "the hooks do not work");
    fs::remove_file(&mark).unwrap();
    user_git(
        &there,
        &[
            "config",
            "core.hooksPath",
            there.join("more").to_str().unwrap(),
        ],
    );
    for (key, value) in OTHER_END {
        let value = value.replace("PROGRAM", program.to_str().unwrap());
        user_git(&there, &["config", key, &value]);
    }
    let (tree, commit) = committed(&fixture).await;
    let remote = fixture.local_remote("remote.git").await;
    tree.push(&branch("1"), &commit, &remote).await.unwrap();
    let tip = user_git(&there, &["rev-parse", "refs/heads/gavel/build-1"]);
    assert_eq!(tip, commit.as_str());
    assert!(!mark.exists(), "something of the repository was started");
    // Where a hook must decide, nothing is taken without it.
    user_git(&there, &["config", "receive.procReceiveRefs", "refs"]);
    user_git(&there, &["update-ref", "-d", "refs/heads/gavel/build-1"]);
    fs::remove_file(&mark).unwrap();
    let refused = tree.push(&branch("1"), &commit, &remote).await;
    assert!(
        matches!(refused, Err(PushError::RefusedThere { .. })),
        "{refused:?}"
    );
    assert!(!mark.exists(), "the hook was started");
}

/// Whatever ran at the other end in spite of everything could write that repository, and nothing else.
#[tokio::test]
async fn what_runs_at_the_other_end_is_held_by_every_kind_of_walls() {
    for room in Room::each().await {
        let fixture = Fixture::new();
        bare(&fixture, "remote.git");
        let there = fixture.path("remote.git");
        let (inside, outside) = (there.join("inside"), fixture.path("outside"));
        let program = there.join("git");
        let script = format!(
            "#!/bin/sh\ncase \"$*\" in *receive-pack*) touch {} {} 2>/dev/null ;; esac\n\
             exec {} \"$@\"\n",
            inside.display(),
            outside.display(),
            git_program().display()
        );
        executable(&program, &script);
        let place = WorkTreePlace {
            git: program,
            ..fixture.place()
        };
        let tree = WorkTree::open(&place, run()).await.unwrap();
        tree.restore(&fixture.head_tree()).await.unwrap();
        let commit = commit_change(&fixture, &tree).await;
        let walls = Confinement {
            walls: room.walls,
            landlock_abi: 0,
            because: Vec::new(),
        };
        let remote = Remote::Local {
            repository: LocalRemote::open(&there, &[]).unwrap(),
            commands: Commands::new(door(), walls, WithoutSandbox::Refuse),
        };
        tree.push(&branch("1"), &commit, &remote).await.unwrap();
        let tip = user_git(&there, &["rev-parse", "refs/heads/gavel/build-1"]);
        assert_eq!(tip, commit.as_str(), "{:?}", room.walls);
        assert_eq!(
            (inside.exists(), outside.exists()),
            (true, false),
            "{:?}",
            room.walls
        );
    }
}

#[tokio::test]
async fn without_walls_no_path_is_pushed_to() {
    let fixture = Fixture::new();
    bare(&fixture, "remote.git");
    let (tree, commit) = committed(&fixture).await;
    let bare = Confinement::absent(vec!["no walls here".to_owned()]);
    let remote = Remote::Local {
        repository: LocalRemote::open(&fixture.path("remote.git"), &[]).unwrap(),
        // Even where a person lets other commands run without any.
        commands: Commands::new(door(), bare, WithoutSandbox::AllowedByPerson),
    };
    let error = tree.push(&branch("1"), &commit, &remote).await.unwrap_err();
    assert!(
        matches!(
            error,
            PushError::Local {
                source: LocalTransportError::NoSandbox { .. },
                ..
            }
        ),
        "{error:?}"
    );
    let there = user_git(
        &fixture.path("remote.git"),
        &["for-each-ref", "--format=%(refname)"],
    );
    assert_eq!(there, "refs/heads/main");
}

#[test]
fn only_a_bare_repository_outside_of_closed_folders_is_a_remote() {
    let fixture = Fixture::new();
    bare(&fixture, "remote.git");
    bare(&fixture, "closed/inner.git");
    symlink(fixture.path("closed/inner.git"), fixture.path("link.git")).unwrap();
    symlink(fixture.path("remote.git"), fixture.path("other.git")).unwrap();
    let closed = [fixture.path("closed")];
    let open = |path: PathBuf| LocalRemote::open(&path, &closed);
    for (path, wanted) in [("remote.git", "remote.git"), ("other.git", "remote.git")] {
        let found = open(fixture.path(path)).unwrap();
        assert_eq!(found.path(), fixture.path(wanted));
    }
    for path in [
        fixture.path("closed/inner.git"),
        fixture.path("link.git"),
        fixture.path(""),
        Path::new("/").to_owned(),
        "/proc/self/cwd/remote.git".into(),
        "//proc/self/root".into(),
        "/dev/shm".into(),
        "/sys".into(),
    ] {
        let refused = open(path.clone());
        assert!(
            matches!(refused, Err(LocalRemoteError::Closed { .. })),
            "{}: {refused:?}",
            path.display()
        );
    }
    for path in [fixture.path("closed/../remote.git"), "remote.git".into()] {
        let refused = open(path);
        assert!(matches!(refused, Err(LocalRemoteError::NotPlain { .. })));
    }
    // A checkout has its files beside, which a push may change.
    let refused = open(fixture.checkout());
    assert!(matches!(refused, Err(LocalRemoteError::NotBare { .. })));
    let refused = open(fixture.path("nothing"));
    assert!(matches!(refused, Err(LocalRemoteError::Io { .. })));
}

async fn committed(fixture: &Fixture) -> (WorkTree, CommitId) {
    let tree = fixture.filled().await;
    let commit = commit_change(fixture, &tree).await;
    (tree, commit)
}

async fn commit_change(fixture: &Fixture, tree: &WorkTree) -> CommitId {
    put(tree.folder(), "a.txt", "changed\n");
    let files = tree.snapshot().await.unwrap();
    let (branch, parent, author) = (branch("1"), fixture.head(), author());
    let mark = StepMark::new(run(), &Key::new("commit").unwrap());
    let message = CommitMessage::new("Change", mark).unwrap();
    let new = NewCommit {
        branch: &branch,
        tree: &files,
        parent: &parent,
        message: &message,
        author: &author,
        at: moment(),
    };
    tree.commit(&new).await.unwrap()
}

fn bare(fixture: &Fixture, name: &str) {
    user_git(
        &fixture.path(""),
        &["clone", "-q", "--bare", "checkout", name],
    );
}

fn executable(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}
