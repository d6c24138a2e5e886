//! Which branches may be written and pushed: build branches, and nothing else by any spelling.
#![expect(clippy::unwrap_used, reason = "what cannot be set up ends the test")]

use gavel_domain::Key;
use gavel_workspace::{
    BranchError, BranchPrefix, BuildBranch, CommitError, CommitId, CommitMessage, NewCommit,
    PushError, Remote, RemoteError, RemoteUrl, StepMark, WorkTree,
};

use crate::fixture::{Fixture, author, branch, moment, put, run, user_git};

#[test]
fn no_spelling_of_another_branch_is_a_build_branch() {
    for text in [
        "main",
        "master",
        "trunk",
        "develop",
        "Main",
        "MAIN",
        "refs/heads/main",
        "heads/main",
        "/refs/heads/main",
        "refs/heads/gavel/build-1",
        "HEAD",
        "head",
        "@",
        "@{-1}",
        "@{u}",
        "HEAD:main",
        "HEAD:refs/heads/main",
        ":main",
        "+main",
        "+HEAD:main",
        "+gavel/build-1",
        "origin/main",
        "refs/remotes/origin/main",
        "remotes/origin/main",
        "main.",
        "main..",
        "main ",
        " main",
        "main/",
        "main.lock",
        "-main",
        "--force",
        "--delete",
        "--mirror",
        "--all",
        "gavel",
        "gavel/",
        "gavel//x",
        "gavel/build-1:main",
        "gavel/build-1:refs/heads/main",
        "gavel/../main",
        "gavel/./main",
        "gavel/.main",
        "gavel/x..y",
        "gavel/x.",
        "gavel/x.lock",
        "gavel/-x",
        "gavel/x y",
        "gavel/x\ny",
        "gavel/x\0y",
        "gavel/x~1",
        "gavel/x^",
        "gavel/x^{}",
        "gavel/x*",
        "gavel/x?",
        "gavel/[x]",
        "gavel/x\\y",
        "gavel/@{0}",
        "gavel/Build-1",
        "gavel/ü",
        "gavel/main",
        "gavel/x/master",
        "gavel/head",
        "GAVEL/build-1",
        "",
    ] {
        let refused = BuildBranch::new(&BranchPrefix::default(), text);
        assert!(
            matches!(refused, Err(BranchError::NotABuildBranch { .. })),
            "{text:?} was taken for a build branch"
        );
    }
    for text in ["gavel/build-1", "gavel/build-01890a5d", "gavel/fix/a.b_c"] {
        assert!(
            BuildBranch::new(&BranchPrefix::default(), text).is_ok(),
            "{text}"
        );
    }
}

#[test]
fn a_prefix_cannot_open_the_door_to_other_branches() {
    for text in [
        "",
        "/",
        "gavel",
        "main/",
        "refs/heads/",
        "origin/",
        "../",
        "Gavel/",
        "a b/",
    ] {
        let refused = BranchPrefix::new(text).and_then(|prefix| prefix.build("1"));
        assert!(refused.is_err(), "{text:?} gave {refused:?}");
    }
    let prefix = BranchPrefix::new("bots/gavel/").unwrap();
    assert_eq!(prefix.build("7").unwrap().as_str(), "bots/gavel/build-7");
    assert!(prefix.build("../../main").is_err());
    assert!(BuildBranch::new(&prefix, "gavel/build-1").is_err());
}

#[tokio::test]
async fn a_build_branch_that_is_somebodys_default_is_refused() {
    let fixture = Fixture::new();
    let tree = fixture.filled().await;
    fixture.git(&["update-ref", "refs/remotes/origin/gavel/build-1", "HEAD"]);
    let head = "refs/remotes/origin/HEAD";
    fixture.git(&["symbolic-ref", head, "refs/remotes/origin/gavel/build-1"]);
    assert!(is_default(&try_commit(&fixture, &tree, "1").await));
    fixture.git(&["config", "init.defaultBranch", "gavel/build-2"]);
    assert!(is_default(&try_commit(&fixture, &tree, "2").await));
    assert!(try_commit(&fixture, &tree, "3").await.is_ok());
}

#[tokio::test]
async fn a_branch_that_is_checked_out_elsewhere_is_refused() {
    let fixture = Fixture::new();
    let tree = fixture.filled().await;
    fixture.git(&["worktree", "add", "-q", "-b", "gavel/build-1", "../second"]);
    let error = try_commit(&fixture, &tree, "1").await.unwrap_err();
    assert!(
        matches!(error, CommitError::Branch(BranchError::CheckedOut { .. })),
        "{error:?}"
    );
}

#[tokio::test]
async fn whoever_looks_at_a_build_branch_is_told_to_switch() {
    let fixture = Fixture::new();
    let tree = fixture.filled().await;
    fixture.git(&["checkout", "-q", "-b", "gavel/build-1"]);
    let error = try_commit(&fixture, &tree, "1").await.unwrap_err();
    assert!(
        matches!(error, CommitError::Branch(BranchError::CheckedOut { .. })),
        "{error:?}"
    );
    fixture.git(&["checkout", "-q", "main"]);
    assert!(try_commit(&fixture, &tree, "1").await.is_ok());
}

#[tokio::test]
async fn a_build_branch_is_pushed_once_and_alone() {
    let fixture = Fixture::new();
    let remote = bare_remote(&fixture).await;
    let tree = fixture.filled().await;
    let commit = try_commit(&fixture, &tree, "1").await.unwrap();
    assert_eq!(tree.pushed(&branch("1"), &remote).await.unwrap(), None);
    tree.push(&branch("1"), &commit, &remote).await.unwrap();
    tree.push(&branch("1"), &commit, &remote).await.unwrap();
    assert_eq!(
        tree.pushed(&branch("1"), &remote).await.unwrap(),
        Some(commit.clone())
    );
    let there = user_git(
        &fixture.path("remote.git"),
        &["for-each-ref", "--format=%(refname)"],
    );
    assert_eq!(there, "refs/heads/gavel/build-1\nrefs/heads/main");
}

#[tokio::test]
async fn nothing_is_pushed_to_a_remotes_default_branch() {
    let fixture = Fixture::new();
    let remote = bare_remote(&fixture).await;
    let tree = fixture.filled().await;
    let commit = try_commit(&fixture, &tree, "1").await.unwrap();
    user_git(
        &fixture.path("remote.git"),
        &["branch", "gavel/build-1", "main"],
    );
    user_git(
        &fixture.path("remote.git"),
        &["symbolic-ref", "HEAD", "refs/heads/gavel/build-1"],
    );
    let error = tree.push(&branch("1"), &commit, &remote).await.unwrap_err();
    assert!(
        matches!(error, PushError::Branch(BranchError::Default { .. })),
        "{error:?}"
    );
}

#[tokio::test]
async fn a_remote_that_cannot_tell_its_default_gets_nothing() {
    let fixture = Fixture::new();
    let tree = fixture.filled().await;
    let commit = try_commit(&fixture, &tree, "1").await.unwrap();
    user_git(
        &fixture.path(""),
        &["init", "-q", "--bare", "-b", "main", "remote.git"],
    );
    let remote = fixture.local_remote("remote.git").await;
    let error = tree.push(&branch("1"), &commit, &remote).await.unwrap_err();
    assert!(matches!(error, PushError::EmptyRemote { .. }), "{error:?}");
    fixture.git(&[
        "push",
        "-q",
        fixture.path("remote.git").to_str().unwrap(),
        "main:other",
    ]);
    let error = tree.push(&branch("1"), &commit, &remote).await.unwrap_err();
    assert!(
        matches!(error, PushError::UnknownDefault { .. }),
        "{error:?}"
    );
}

#[tokio::test]
async fn nothing_is_pushed_by_force() {
    let fixture = Fixture::new();
    let remote = bare_remote(&fixture).await;
    let tree = fixture.filled().await;
    let commit = try_commit(&fixture, &tree, "1").await.unwrap();
    fixture.git(&["commit", "-q", "--allow-empty", "-m", "another line"]);
    let there = fixture.path("remote.git");
    fixture.git(&["push", "-q", there.to_str().unwrap(), "main:gavel/build-1"]);
    let error = tree.push(&branch("1"), &commit, &remote).await.unwrap_err();
    assert!(matches!(error, PushError::Rejected { .. }), "{error:?}");
    let kept = user_git(&there, &["rev-parse", "gavel/build-1"]);
    assert_eq!(kept, fixture.head().as_str());
    let error = tree
        .push(&branch("1"), &fixture.head(), &remote)
        .await
        .unwrap_err();
    assert!(matches!(error, PushError::Moved { .. }), "{error:?}");
}

#[test]
fn remotes_that_execute_or_are_no_address_are_refused() {
    for text in [
        "ext::sh -c true",
        "ext::touch%S",
        "fd::17",
        "foo::bar",
        "git://host/x",
        "ftp://host/x",
        "origin",
        "../sibling",
        "./x",
        "https://",
        "ssh://-oProxyCommand=x/y",
        "-oProxyCommand=x:y",
        "git@-oProxyCommand=x:y",
        "~/x.git",
        "~x:y/",
        "file://host/x.git",
        "file:///srv/%78.git",
        "https://evil.example\\@host/y",
        "https://evil.example?@host/y",
        "https://a@evil.example@host/y",
        "ssh://evil.example%2fx@host/y",
        "https://host:port/x",
        "https://host/\u{202e}x",
        &format!("https://host/{}", "x".repeat(2000)),
    ] {
        assert!(RemoteUrl::new(text).is_err(), "{text} was taken");
    }
    assert_eq!(
        RemoteUrl::new("--upload-pack=x"),
        Err(RemoteError::Malformed)
    );
    assert_eq!(RemoteUrl::new("/a b"), Err(RemoteError::Malformed));
    for text in [
        "https://host/x.git",
        "ssh://git@host:22/x",
        "git@host:x/y.git",
        "/srv/x.git",
    ] {
        assert!(RemoteUrl::new(text).is_ok(), "{text} was refused");
    }
    let secret = RemoteUrl::new("https://user:hunter2@host/x").unwrap();
    assert_eq!(
        format!("{secret} {secret:?}"),
        "https://***@host/x https://***@host/x"
    );
    assert_eq!(secret.address(), "https://host/x");
    // An `@` of the path says nothing about the host.
    let odd = RemoteUrl::new("https://evil.example/x/@host/y").unwrap();
    assert_eq!(odd.to_string(), "https://evil.example/x/@host/y");
}

fn is_default<T>(refused: &Result<T, CommitError>) -> bool {
    matches!(
        refused,
        Err(CommitError::Branch(BranchError::Default { .. }))
    )
}

async fn try_commit(fixture: &Fixture, tree: &WorkTree, id: &str) -> Result<CommitId, CommitError> {
    put(tree.folder(), "a.txt", format!("build {id}\n"));
    let files = tree.snapshot().await.unwrap();
    let (branch, parent, author) = (branch(id), fixture.head(), author());
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
    tree.commit(&new).await
}

async fn bare_remote(fixture: &Fixture) -> Remote {
    user_git(
        &fixture.path(""),
        &["clone", "-q", "--bare", "checkout", "remote.git"],
    );
    fixture.local_remote("remote.git").await
}
