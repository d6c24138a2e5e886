//! What kind of repository it is, and what is refused.
#![expect(clippy::unwrap_used, reason = "what cannot be set up ends the test")]

use gavel_workspace::{
    HeadState, Layout, Refused, Repository, RepositoryClass, RepositoryError, WorkTree,
    WorkTreePlace,
};

use crate::fixture::{Fixture, author, git_program, moment, put, run, text, user_git};

async fn class(fixture: &Fixture, name: &str) -> RepositoryClass {
    let repository = Repository::open(&git_program(), &fixture.path(name))
        .await
        .unwrap();
    repository.class().await.unwrap()
}

#[tokio::test]
async fn an_ordinary_repository_is_ordinary() {
    let fixture = Fixture::new();
    assert_eq!(
        class(&fixture, "checkout").await,
        RepositoryClass {
            head: HeadState::Branch {
                name: "main".to_owned(),
                commit: fixture.head()
            },
            layout: Layout::Checkout,
            files: 3,
            submodules: Vec::new(),
            lfs: false,
            shallow: false,
            sparse: false,
            partial: false,
            alternates: false,
            converts_line_ends: false,
        }
    );
    assert!(class(&fixture, "checkout").await.refusals().is_empty());
}

#[tokio::test]
async fn heads_are_told_apart() {
    let fixture = Fixture::unborn();
    let unborn = HeadState::Unborn {
        name: "main".to_owned(),
    };
    assert_eq!(class(&fixture, "checkout").await.head, unborn);
    fixture.put("a", "a");
    fixture.git(&["add", "-A"]);
    fixture.git(&["commit", "-qm", "one"]);
    fixture.git(&["checkout", "-q", "--detach"]);
    let detached = HeadState::Detached {
        commit: fixture.head(),
    };
    assert_eq!(class(&fixture, "checkout").await.head, detached);
}

#[tokio::test]
async fn submodules_are_refused_by_name() {
    let fixture = Fixture::new();
    user_git(&fixture.path(""), &["clone", "-q", "checkout", "other"]);
    let other = fixture.path("other");
    fixture.git(&[
        "submodule",
        "-q",
        "add",
        other.to_str().unwrap(),
        "third_party/other",
    ]);
    fixture.git(&["commit", "-qm", "a submodule"]);
    let refusals = class(&fixture, "checkout").await.refusals();
    assert_eq!(
        refusals,
        [Refused::Submodules {
            paths: "third_party/other".to_owned()
        }]
    );
    let sentence = refusals.first().unwrap().to_string();
    assert!(sentence.contains("third_party/other"), "{sentence}");
}

#[tokio::test]
async fn lfs_is_refused_wherever_it_is_named() {
    let fixture = Fixture::new();
    fixture.put("# comment", "");
    fixture.put(
        "art/.gitattributes",
        "# filter=lfs\n*.png filter=lfs diff=lfs merge=lfs -text\n",
    );
    fixture.git(&["add", "-A"]);
    fixture.git(&["commit", "-qm", "rules"]);
    assert_eq!(class(&fixture, "checkout").await.refusals(), [Refused::Lfs]);
    fixture.put("art/.gitattributes", "# *.png filter=lfs\n");
    fixture.git(&["commit", "-qam", "no rules"]);
    assert!(!class(&fixture, "checkout").await.lfs);
    put(&fixture.git_dir(), "info/attributes", "*.bin filter=lfs\n");
    assert!(class(&fixture, "checkout").await.lfs);
}

#[tokio::test]
async fn clones_of_every_depth_are_recognised() {
    let fixture = Fixture::new();
    fixture.git(&["commit", "-q", "--allow-empty", "-m", "second"]);
    fixture.git(&["config", "uploadpack.allowFilter", "true"]);
    let url = format!("file://{}", fixture.checkout().display());
    user_git(
        &fixture.path(""),
        &["clone", "-q", "--depth=1", &url, "shallow"],
    );
    let shallow = class(&fixture, "shallow").await;
    assert!(shallow.shallow && shallow.refusals().is_empty());
    user_git(
        &fixture.path(""),
        &["clone", "-q", "--filter=blob:none", &url, "partial"],
    );
    assert_eq!(
        class(&fixture, "partial").await.refusals(),
        [Refused::PartialClone]
    );
    user_git(
        &fixture.path(""),
        &["clone", "-q", "--shared", "checkout", "shared"],
    );
    let shared = class(&fixture, "shared").await;
    assert!(shared.alternates && shared.refusals().is_empty());
    user_git(
        &fixture.path(""),
        &["clone", "-q", "--bare", "checkout", "bare.git"],
    );
    assert_eq!(class(&fixture, "bare.git").await.layout, Layout::Bare);
}

#[tokio::test]
async fn builds_work_in_shallow_shared_bare_and_linked_repositories() {
    let fixture = Fixture::new();
    fixture.git(&["commit", "-q", "--allow-empty", "-m", "second"]);
    let url = format!("file://{}", fixture.checkout().display());
    user_git(
        &fixture.path(""),
        &["clone", "-q", "--depth=1", &url, "shallow"],
    );
    user_git(
        &fixture.path(""),
        &["clone", "-q", "--shared", "checkout", "shared"],
    );
    user_git(
        &fixture.path(""),
        &["clone", "-q", "--bare", "checkout", "bare.git"],
    );
    fixture.git(&["worktree", "add", "-q", "--detach", "../linked"]);
    for name in ["shallow", "shared", "bare.git", "linked"] {
        let repository = Repository::open(&git_program(), &fixture.path(name))
            .await
            .unwrap();
        let place = WorkTreePlace {
            git: git_program(),
            repository: repository.git_dir().to_owned(),
            folder: fixture.path(&format!("trees/{name}")),
        };
        let tree = WorkTree::open(&place, run()).await.unwrap();
        tree.restore(&fixture.head_tree()).await.unwrap();
        put(tree.folder(), "new", name);
        let recorded = tree.snapshot().await.unwrap();
        tree.restore(&fixture.head_tree()).await.unwrap();
        tree.restore(&recorded).await.unwrap();
        assert_eq!(text(tree.folder(), "new"), name);
    }
    assert_eq!(
        class(&fixture, "linked").await.layout,
        Layout::LinkedWorkTree
    );
}

#[tokio::test]
async fn a_shallow_history_ends_where_it_was_cut() {
    let fixture = Fixture::new();
    fixture.git(&["commit", "-q", "--allow-empty", "-m", "second"]);
    let url = format!("file://{}", fixture.checkout().display());
    user_git(
        &fixture.path(""),
        &["clone", "-q", "--depth=1", &url, "shallow"],
    );
    user_git(&fixture.path("shallow"), &["branch", "gavel/build-1"]);
    let place = WorkTreePlace {
        repository: fixture.path("shallow/.git"),
        ..fixture.place()
    };
    let tree = WorkTree::open(&place, run()).await.unwrap();
    let log = tree.log(&crate::fixture::branch("1"), 10).await.unwrap();
    let subjects: Vec<_> = log.iter().map(|entry| entry.subject.as_str()).collect();
    assert_eq!(subjects, ["second"]);
}

#[tokio::test]
async fn a_sparse_checkout_is_recognised_and_builds_see_everything() {
    let fixture = Fixture::new();
    fixture.git(&["sparse-checkout", "set", "--no-cone", "a.txt"]);
    assert!(!fixture.checkout().join("src/lib.rs").exists());
    assert!(class(&fixture, "checkout").await.sparse);
    let tree = fixture.filled().await;
    assert!(tree.folder().join("src/lib.rs").exists());
    assert_eq!(tree.snapshot().await.unwrap(), fixture.head_tree());
}

#[tokio::test]
async fn line_end_rules_are_recognised() {
    let fixture = Fixture::new();
    fixture.git(&["config", "core.autocrlf", "input"]);
    assert!(class(&fixture, "checkout").await.converts_line_ends);
    fixture.git(&["config", "core.autocrlf", "false"]);
    assert!(!class(&fixture, "checkout").await.converts_line_ends);
    fixture.put(".gitattributes", "* text=auto\n");
    fixture.git(&["add", "-A"]);
    fixture.git(&["commit", "-qm", "rules"]);
    assert!(class(&fixture, "checkout").await.converts_line_ends);
}

#[tokio::test]
async fn repositories_with_longer_ids_work_too() {
    let fixture = Fixture::new();
    user_git(
        &fixture.path(""),
        &["init", "-q", "--object-format=sha256", "-b", "main", "long"],
    );
    put(&fixture.path("long"), "a.txt", "a");
    user_git(&fixture.path("long"), &["add", "-A"]);
    user_git(&fixture.path("long"), &["commit", "-qm", "one"]);
    let place = WorkTreePlace {
        repository: fixture.path("long/.git"),
        ..fixture.place()
    };
    let tree = WorkTree::open(&place, run()).await.unwrap();
    let head = user_git(&fixture.path("long"), &["rev-parse", "HEAD^{tree}"])
        .parse()
        .unwrap();
    tree.restore(&head).await.unwrap();
    put(tree.folder(), "b.txt", "b");
    assert_ne!(tree.snapshot().await.unwrap(), head);
    assert_eq!(head.as_str().len(), 64);
}

#[tokio::test]
async fn an_empty_repository_gets_one_root_commit() {
    let fixture = Fixture::unborn();
    fixture.put("draft.txt", "the user's");
    fixture.git(&["add", "draft.txt"]);
    let repository = Repository::open(&git_program(), &fixture.checkout())
        .await
        .unwrap();
    let author = author();
    let root = repository
        .ensure_root_commit(&author, "Begin", moment())
        .await
        .unwrap();
    let again = repository
        .ensure_root_commit(&author, "Begin again", moment())
        .await
        .unwrap();
    assert_eq!(root, again);
    assert_eq!(fixture.head(), root);
    assert_eq!(fixture.git(&["ls-tree", "-r", "HEAD"]), "");
    assert_eq!(fixture.git(&["status", "--porcelain"]), "A  draft.txt");
    assert_eq!(fixture.git(&["rev-list", "--count", "--all"]), "1");
    fixture.git(&["fsck", "--strict"]);
}

#[tokio::test]
async fn an_orphan_branch_gets_no_root_commit() {
    let fixture = Fixture::new();
    fixture.git(&["checkout", "-q", "--orphan", "fresh"]);
    let repository = Repository::open(&git_program(), &fixture.checkout())
        .await
        .unwrap();
    let error = repository
        .ensure_root_commit(&author(), "Begin", moment())
        .await
        .unwrap_err();
    assert!(matches!(error, RepositoryError::OrphanHead), "{error:?}");
}

#[tokio::test]
async fn what_is_no_repository_is_said_so() {
    let fixture = Fixture::new();
    // A folder inside a checkout is not its checkout: nothing is discovered.
    for name in ["checkout/src", "missing", ""] {
        let opened = Repository::open(&git_program(), &fixture.path(name)).await;
        let error = opened.err().unwrap();
        assert!(
            matches!(error, RepositoryError::NotARepository { .. }),
            "{name}: {error:?}"
        );
    }
    put(&fixture.path("broken"), ".git", "gitdir: /nowhere\n");
    let error = Repository::open(&git_program(), &fixture.path("broken"))
        .await
        .err()
        .unwrap();
    assert!(
        matches!(error, RepositoryError::BrokenLink { .. }),
        "{error:?}"
    );
}

#[tokio::test]
async fn a_repository_is_made_once_and_holds_nothing_but_git() {
    let folder = tempfile::tempdir().unwrap();
    let repository = Repository::init(&git_program(), folder.path())
        .await
        .unwrap();
    let unborn = HeadState::Unborn {
        name: "main".to_owned(),
    };
    assert_eq!(repository.head().await.unwrap(), unborn);
    let class = repository.class().await.unwrap();
    assert_eq!(class.layout, Layout::Checkout);
    assert!(!folder.path().join(".git/hooks").exists(), "no templates");
    let config = text(folder.path(), ".git/config");
    assert!(!config.contains("worktree"), "it may be moved: {config}");
    let status = user_git(folder.path(), &["status", "--porcelain=v2", "--branch"]);
    assert!(status.contains("branch.head main"), "{status}");
    let again = Repository::init(&git_program(), folder.path()).await;
    assert!(
        matches!(again, Err(RepositoryError::Exists { .. })),
        "{again:?}"
    );
}
