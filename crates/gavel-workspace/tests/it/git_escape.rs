//! Everything in a repository that can make git execute something, and that Gavel's git does not.
//!
//! Each trap is first sprung by the user's git, to show that it works.
#![expect(clippy::unwrap_used, reason = "what cannot be set up ends the test")]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use gavel_domain::Key;
use gavel_workspace::{CommitMessage, NewCommit, Repository, StepMark, WorkTree, WorkTreePlace};

use crate::fixture::{
    Fixture, author, branch, git_program, moment, put, run, try_user_git, user_git,
};

/// A way to make git execute a program.
struct Trap {
    name: &'static str,
    /// Sets it in the repository; gets the program.
    arm: fn(&Fixture, &str),
    /// What springs it under the user's git.
    spring: &'static [&'static str],
}

const TRAPS: &[Trap] = &[
    Trap {
        name: "hooks in the git dir",
        arm: |fixture, program| {
            for hook in HOOKS {
                executable(
                    &fixture.git_dir().join("hooks").join(hook),
                    &script(program),
                );
            }
        },
        spring: &["update-ref", "refs/heads/sprung", "HEAD"],
    },
    Trap {
        name: "core.hooksPath",
        arm: |fixture, program| {
            for hook in HOOKS {
                executable(&fixture.path("elsewhere").join(hook), &script(program));
            }
            let hooks = fixture.path("elsewhere");
            fixture.git(&["config", "core.hooksPath", hooks.to_str().unwrap()]);
        },
        spring: &["update-ref", "refs/heads/sprung", "HEAD"],
    },
    Trap {
        name: "aliases, also of commands that Gavel calls",
        arm: |fixture, program| {
            for name in [
                "trap",
                "ls-files",
                "diff-files",
                "update-index",
                "write-tree",
                "push",
            ] {
                fixture.git(&["config", &format!("alias.{name}"), &format!("!{program}")]);
            }
        },
        spring: &["trap"],
    },
    Trap {
        name: "core.fsmonitor",
        arm: |fixture, program| {
            fixture.git(&["config", "core.fsmonitor", program]);
        },
        spring: &["status"],
    },
    Trap {
        name: "an include",
        arm: |fixture, program| {
            put(
                &fixture.path(""),
                "more.config",
                format!("[core]\nfsmonitor = {program}\n"),
            );
            let more = fixture.path("more.config");
            fixture.git(&["config", "include.path", more.to_str().unwrap()]);
        },
        spring: &["status"],
    },
    Trap {
        name: "filters named by .gitattributes",
        arm: |fixture, program| {
            commit_rules(fixture, "* filter=trap\n");
            arm_filter(fixture, program);
            fixture.put("dirty.txt", "x");
        },
        spring: &["add", "dirty.txt"],
    },
    Trap {
        name: "filters named by info/attributes",
        arm: |fixture, program| {
            put(&fixture.git_dir(), "info/attributes", "* filter=trap\n");
            arm_filter(fixture, program);
            fixture.put("dirty.txt", "x");
        },
        spring: &["add", "dirty.txt"],
    },
    Trap {
        name: "textconv",
        arm: |fixture, program| {
            commit_rules(fixture, "* diff=trap\n");
            fixture.git(&["config", "diff.trap.textconv", program]);
        },
        spring: &["log", "-p", "-1"],
    },
    Trap {
        name: "diff.external",
        arm: |fixture, program| {
            commit_rules(fixture, "# nothing\n");
            fixture.git(&["config", "diff.external", program]);
        },
        spring: &["diff", "HEAD~1", "HEAD"],
    },
    Trap {
        name: "signing",
        arm: |fixture, program| {
            fixture.git(&["config", "commit.gpgSign", "true"]);
            fixture.git(&["config", "push.gpgSign", "true"]);
            fixture.git(&["config", "gpg.program", program]);
        },
        spring: &["commit", "--allow-empty", "-m", "signed"],
    },
    Trap {
        name: "core.sshCommand",
        arm: |fixture, program| {
            fixture.git(&["config", "core.sshCommand", program]);
        },
        spring: &["ls-remote", "ssh://example.invalid/x"],
    },
    Trap {
        name: "core.gitProxy",
        arm: |fixture, program| {
            fixture.git(&["config", "core.gitProxy", program]);
        },
        spring: &["ls-remote", "git://example.invalid/x"],
    },
    Trap {
        name: "a remote that is rewritten to a command",
        arm: |fixture, program| {
            let remote = fixture.path("remote.git");
            let key = format!("url.ext::{program} .insteadOf");
            fixture.git(&["config", &key, remote.to_str().unwrap()]);
            fixture.git(&["config", "protocol.ext.allow", "always"]);
            fixture.git(&["remote", "add", "origin", remote.to_str().unwrap()]);
        },
        spring: &["ls-remote", "origin"],
    },
    Trap {
        name: "the program at the other end of a remote",
        arm: |fixture, program| {
            let remote = fixture.path("remote.git");
            fixture.git(&["remote", "add", "origin", remote.to_str().unwrap()]);
            fixture.git(&["config", "remote.origin.uploadpack", program]);
            fixture.git(&["config", "remote.origin.receivepack", program]);
        },
        spring: &["push", "origin", "HEAD:refs/heads/sprung"],
    },
    Trap {
        name: "objects that are fetched when they are missed",
        arm: |fixture, program| {
            fixture.git(&["config", "core.repositoryFormatVersion", "1"]);
            fixture.git(&["config", "extensions.partialClone", "origin"]);
            fixture.git(&["config", "remote.origin.url", "ssh://example.invalid/x"]);
            fixture.git(&["config", "remote.origin.promisor", "true"]);
            fixture.git(&["config", "core.sshCommand", program]);
        },
        spring: &["cat-file", "-p", MISSING],
    },
    Trap {
        name: "a nested repository with a monitor",
        arm: |fixture, program| {
            fixture.put("nested/x", "x");
            arm_nested(&fixture.checkout().join("nested"), program);
            fixture.git(&["add", "-A"]);
            fixture.git(&["commit", "-qm", "a nested repository"]);
        },
        spring: &["status"],
    },
];

const HOOKS: &[&str] = &[
    "reference-transaction",
    "pre-commit",
    "post-commit",
    "commit-msg",
    "post-checkout",
    "post-index-change",
    "pre-push",
    "post-update",
    "fsmonitor-watchman",
    "pre-auto-gc",
];

const MISSING: &str = "1234567890123456789012345678901234567890";

#[tokio::test]
async fn nothing_in_a_repository_makes_git_execute_anything() {
    for trap in TRAPS {
        let fixture = Fixture::new();
        user_git(
            &fixture.path(""),
            &["clone", "-q", "--bare", "checkout", "remote.git"],
        );
        let program = armed_program(&fixture);
        (trap.arm)(&fixture, &program);
        disarm(&fixture);
        try_user_git(&fixture.checkout(), trap.spring);
        assert!(is_sprung(&fixture), "{}: the trap does not work", trap.name);
        disarm(&fixture);
        do_everything(&fixture, |_tree| {}).await;
        assert!(!is_sprung(&fixture), "{}: it was executed", trap.name);
    }
}

#[tokio::test]
async fn a_git_file_written_into_the_work_tree_is_never_read() {
    let fixture = Fixture::new();
    user_git(
        &fixture.path(""),
        &["clone", "-q", "--bare", "checkout", "remote.git"],
    );
    let program = armed_program(&fixture);
    user_git(&fixture.path(""), &["init", "-q", "evil"]);
    user_git(
        &fixture.path("evil"),
        &["config", "core.fsmonitor", &program],
    );
    let link = format!("gitdir: {}\n", fixture.path("evil/.git").display());
    do_everything(&fixture, |folder| {
        put(folder, ".git", &link);
        try_user_git(folder, &["status"]);
        assert!(is_sprung(&fixture), "the trap does not work");
        disarm(&fixture);
    })
    .await;
    assert!(!is_sprung(&fixture));
}

#[tokio::test]
async fn a_repository_made_inside_the_work_tree_executes_nothing() {
    let fixture = Fixture::new();
    user_git(
        &fixture.path(""),
        &["clone", "-q", "--bare", "checkout", "remote.git"],
    );
    let program = armed_program(&fixture);
    do_everything(&fixture, |folder| {
        put(folder, "nested/x", "x");
        put(folder, "a/b/deeper/x", "x");
        arm_nested(&folder.join("nested"), &program);
        arm_nested(&folder.join("a/b/deeper"), &program);
        disarm(&fixture);
    })
    .await;
    assert!(!is_sprung(&fixture));
}

#[tokio::test]
async fn a_work_tree_named_in_the_config_is_not_used() {
    let fixture = Fixture::new();
    user_git(
        &fixture.path(""),
        &["clone", "-q", "--bare", "checkout", "remote.git"],
    );
    put(&fixture.path("victim"), "a.txt", "precious");
    let victim = fixture.path("victim");
    fixture.git(&["config", "core.worktree", victim.to_str().unwrap()]);
    do_everything(&fixture, |_tree| {}).await;
    assert_eq!(crate::fixture::text(&victim, "a.txt"), "precious");
    assert_eq!(fs::read_dir(&victim).unwrap().count(), 1);
}

#[tokio::test]
async fn git_sees_no_variable_of_the_outer_world() {
    let fixture = Fixture::new();
    let seen = fixture.path("seen");
    let wrapper = fixture.path("git-wrapper");
    let real = git_program();
    let text = format!(
        "#!/bin/sh\n/usr/bin/env >> {}\nexec {} \"$@\"\n",
        seen.display(),
        real.display()
    );
    executable(&wrapper, &text);
    let place = WorkTreePlace {
        git: wrapper,
        ..fixture.place()
    };
    let tree = WorkTree::open(&place, run()).await.unwrap();
    tree.restore(&fixture.head_tree()).await.unwrap();
    let listed = fs::read_to_string(seen).unwrap();
    let names: std::collections::BTreeSet<_> = listed
        .lines()
        .filter_map(|line| Some(line.split_once('=')?.0))
        .collect();
    let others: Vec<_> = names
        .iter()
        .filter(|name| !name.starts_with("GIT_"))
        // The shell of the wrapper sets the last two.
        .filter(|name| {
            ![
                "PATH",
                "HOME",
                "XDG_CONFIG_HOME",
                "LC_ALL",
                "TZ",
                "SSH_ASKPASS_REQUIRE",
                "PWD",
                "_",
            ]
            .contains(name)
        })
        .collect();
    assert!(others.is_empty(), "{others:?}");
    assert!(listed.contains("HOME=/nonexistent\n"));
    assert!(listed.contains("GIT_CONFIG_GLOBAL=/dev/null\n"));
    assert!(!names.contains("GIT_DIR") && !names.contains("GIT_CONFIG_COUNT"));
}

/// Every operation that touches the repository or the files.
async fn do_everything(fixture: &Fixture, spoil: impl Fn(&Path)) {
    let repository = Repository::open(&git_program(), &fixture.checkout())
        .await
        .unwrap();
    repository.class().await.unwrap();
    let tree = fixture.filled().await;
    let before = tree.snapshot().await.unwrap();
    spoil(tree.folder());
    put(tree.folder(), "a.txt", "changed\n");
    put(tree.folder(), "new.txt", "new\n");
    let after = tree.snapshot().await.unwrap();
    assert_ne!(before, after);
    assert!(
        tree.diff(&before, &after, 10_000)
            .await
            .unwrap()
            .text
            .contains("+changed")
    );
    tree.changed_files(&before, &after).await.unwrap();
    let (branch, parent, author) = (branch("1"), fixture.head(), author());
    let mark = StepMark::new(run(), &Key::new("commit").unwrap());
    let message = CommitMessage::new("Change", mark.clone()).unwrap();
    let new = NewCommit {
        branch: &branch,
        tree: &after,
        parent: &parent,
        message: &message,
        author: &author,
        at: moment(),
    };
    let commit = tree.commit(&new).await.unwrap();
    assert_eq!(
        tree.log(&branch, 10).await.unwrap().len(),
        tree_depth(fixture) + 1
    );
    assert_eq!(
        tree.find_commit(&branch, &mark, 10).await.unwrap(),
        Some(commit.clone())
    );
    tree.fresh_checkout(&commit, &fixture.path("fresh"))
        .await
        .unwrap();
    let remote = fixture.local_remote("remote.git").await;
    tree.push(&branch, &commit, &remote).await.unwrap();
    tree.restore(&before).await.unwrap();
    let missing = MISSING.parse().unwrap();
    tree.tree_of(&missing).await.unwrap_err();
    tree.snapshot().await.unwrap();
}

fn tree_depth(fixture: &Fixture) -> usize {
    fixture
        .git(&["rev-list", "--count", "HEAD"])
        .parse()
        .unwrap()
}

/// A program that leaves a mark.
fn armed_program(fixture: &Fixture) -> String {
    let program = fixture.path("trap");
    executable(
        &program,
        &format!("#!/bin/sh\ntouch {}\n", fixture.path("sprung").display()),
    );
    program.to_str().unwrap().to_owned()
}

fn script(program: &str) -> String {
    format!("#!/bin/sh\nexec {program}\n")
}

fn is_sprung(fixture: &Fixture) -> bool {
    fixture.path("sprung").exists()
}

fn disarm(fixture: &Fixture) {
    if is_sprung(fixture) {
        fs::remove_file(fixture.path("sprung")).unwrap();
    }
}

fn executable(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

fn commit_rules(fixture: &Fixture, rules: &str) {
    fixture.put(".gitattributes", rules);
    fixture.put("a.txt", "second\n");
    fixture.git(&["add", "-A"]);
    fixture.git(&["commit", "-qm", "rules"]);
}

fn arm_filter(fixture: &Fixture, program: &str) {
    let program = &format!("{program}; cat");
    fixture.git(&["config", "filter.trap.clean", program]);
    fixture.git(&["config", "filter.trap.smudge", program]);
    fixture.git(&["config", "filter.trap.required", "true"]);
}

fn arm_nested(folder: &Path, program: &str) {
    user_git(folder, &["init", "-q"]);
    user_git(folder, &["add", "-A"]);
    user_git(folder, &["commit", "-qm", "inner"]);
    user_git(folder, &["config", "core.fsmonitor", program]);
}
