//! Commits read by name, as anybody with a clone reads them.
#![expect(clippy::unwrap_used, reason = "what cannot be set up ends the test")]

use std::os::unix::ffi::OsStringExt as _;

use gavel_workspace::{BranchTip, ChangeKind, FileAt, RepoPath, Repository, TextAt};

use crate::fixture::{Fixture, git_program, user_git};

async fn opened(fixture: &Fixture) -> Repository {
    Repository::open(&git_program(), &fixture.checkout())
        .await
        .unwrap()
}

fn path(text: &str) -> RepoPath {
    RepoPath::new(text).unwrap()
}

#[tokio::test]
async fn branches_are_listed_with_those_of_remotes() {
    let fixture = Fixture::new();
    fixture.git(&["branch", "older"]);
    fixture.put("a.txt", "two\n");
    fixture.git(&["commit", "-qam", "second"]);
    fixture.git(&["tag", "v1"]);
    let url = fixture.checkout().display().to_string();
    user_git(&fixture.path(""), &["clone", "-q", &url, "clone"]);
    let clone = fixture.path("clone");
    let repository = Repository::open(&git_program(), &clone).await.unwrap();
    let branches = repository.branches().await.unwrap();
    let mut names: Vec<_> = branches.iter().map(|tip| tip.name.as_str()).collect();
    names.sort_unstable();
    assert_eq!(
        names,
        [
            "refs/heads/main",
            "refs/remotes/origin/main",
            "refs/remotes/origin/older"
        ]
    );
    let older = branches
        .iter()
        .find(|tip| tip.name.ends_with("older"))
        .unwrap();
    assert_eq!((older.branch(), older.short()), ("older", "origin/older"));
    assert!(!older.is_local());
    let default = repository.remote_default("origin").await.unwrap();
    assert_eq!(default.as_deref(), Some("refs/remotes/origin/main"));
    assert_eq!(repository.remote_default("other").await.unwrap(), None);
}

#[tokio::test]
async fn the_newest_branch_comes_first() {
    let fixture = Fixture::new();
    let tree = fixture.head_tree();
    for (name, seconds) in [
        ("b", 2_000_000_000),
        ("a", 1_000_000_000),
        ("c", 3_000_000_000_u64),
    ] {
        let who = format!("A <a@example.org> {seconds} +0000");
        let text = format!("tree {tree}\nauthor {who}\ncommitter {who}\n\nx\n");
        fixture.put("raw", text);
        let commit = fixture.git(&["hash-object", "-t", "commit", "-w", "raw"]);
        fixture.git(&["branch", name, &commit]);
    }
    let branches = opened(&fixture).await.branches().await.unwrap();
    let names: Vec<_> = branches.iter().map(BranchTip::branch).collect();
    assert_eq!(names, ["c", "b", "main", "a"]);
}

#[tokio::test]
async fn a_commit_tells_its_tree_and_parents_as_stored() {
    let fixture = Fixture::new();
    let first = fixture.head();
    fixture.put("a.txt", "two\n");
    fixture.git(&["commit", "-qam", "second\n\ntree of text\nparent of text"]);
    let repository = opened(&fixture).await;
    let second = fixture.head();
    let read = repository.read_commit(&second).await.unwrap().unwrap();
    assert_eq!(read.parents, std::slice::from_ref(&first));
    assert_eq!(read.tree, fixture.head_tree());
    // What a user's git shows instead does not count.
    fixture.git(&["replace", second.as_str(), first.as_str()]);
    let again = repository.read_commit(&second).await.unwrap().unwrap();
    assert_eq!(again, read);
    let nowhere = "1".repeat(40).parse().unwrap();
    assert_eq!(repository.read_commit(&nowhere).await.unwrap(), None);
}

#[tokio::test]
async fn files_are_read_as_stored_and_capped() {
    let fixture = Fixture::new();
    fixture.put(".gitattributes", "*.txt text eol=crlf ident\n");
    fixture.put("keyword.txt", "$Id$\n");
    fixture.put("folder/[x]*.txt", "literal\n");
    std::os::unix::fs::symlink("a.txt", fixture.checkout().join("link")).unwrap();
    fixture.git(&["add", "-A"]);
    fixture.git(&["commit", "-qm", "more"]);
    let repository = opened(&fixture).await;
    let head = fixture.head();
    let at = async |name: &str| repository.file_at(&head, &path(name), 20).await.unwrap();
    assert_eq!(at("keyword.txt").await, FileAt::File(b"$Id$\n".to_vec()));
    assert_eq!(
        at("folder/[x]*.txt").await,
        FileAt::File(b"literal\n".to_vec())
    );
    assert_eq!(at("folder/[x]a.txt").await, FileAt::Missing);
    assert_eq!(at("link").await, FileAt::NotAFile);
    assert_eq!(at("src").await, FileAt::NotAFile);
    assert_eq!(at("nothing").await, FileAt::Missing);
    assert_eq!(at(".gitattributes").await, FileAt::TooLarge);
}

#[tokio::test]
async fn changes_and_later_commits_are_found() {
    let fixture = Fixture::new();
    let (first, before) = (fixture.head(), fixture.head_tree());
    fixture.put("src/lib.rs", "pub fn two() {}\n");
    let link = format!("160000,{},vendor", "1".repeat(40));
    fixture.git(&["update-index", "--add", "--cacheinfo", &link]);
    fixture.git(&["add", "src"]);
    fixture.git(&["commit", "-qm", "second"]);
    let repository = opened(&fixture).await;
    let changed = repository
        .changed_between(&before, &fixture.head_tree())
        .await
        .unwrap();
    let changed: Vec<_> = changed
        .iter()
        .map(|file| (file.kind, file.name.to_string()))
        .collect();
    assert_eq!(
        changed,
        [
            (ChangeKind::Modified, "src/lib.rs".to_owned()),
            (ChangeKind::Added, "vendor".to_owned())
        ]
    );
    let head = fixture.head();
    let last = async |name: &str| repository.last_change(&head, &path(name)).await.unwrap();
    assert_eq!(last("src").await, Some(head.clone()));
    assert_eq!(last("a.txt").await, Some(first.clone()));
    assert_eq!(last("nothing").await, None);
    let since = repository.commits_since(&first, &head).await.unwrap();
    assert_eq!(since, 1);
    let subjects = repository.last_subjects(&head, 1).await.unwrap();
    assert_eq!(subjects, ["second"]);
    let subjects = repository.last_subjects(&head, 9).await.unwrap();
    assert!(
        subjects.len() > 1 && subjects[0] == "second",
        "{subjects:?}"
    );
}

#[tokio::test]
async fn history_tells_since_when_it_holds_a_text() {
    let fixture = Fixture::new();
    fixture.put("notes/a.txt", "one\nkey-[7]* of ours\n");
    fixture.git(&["add", "."]);
    fixture.git(&["commit", "-qm", "in"]);
    let since = fixture.head();
    // Moved, and then taken out: history has it all the same.
    fixture.git(&["mv", "notes/a.txt", "notes/b.txt"]);
    fixture.git(&["commit", "-qm", "moved"]);
    fixture.put("notes/b.txt", "one\n");
    fixture.git(&["commit", "-qam", "out"]);
    let repository = opened(&fixture).await;
    let notes = path("notes");
    let first = async |text: &str| repository.first_commit_with(&notes, text).await.unwrap();
    assert_eq!(first("key-[7]*").await, Some(since));
    assert_eq!(first("key-7").await, None, "no pattern");
    let elsewhere = repository.first_commit_with(&path("src"), "key-[7]*").await;
    assert_eq!(elsewhere.unwrap(), None);
    let nowhere = repository.first_commit_with(&path("nothing"), "one").await;
    assert_eq!(nowhere.unwrap(), None);
}

#[tokio::test]
async fn a_file_joins_a_tree_although_it_is_ignored() {
    let fixture = Fixture::new();
    let tree = fixture.filled().await;
    let before = fixture.head_tree();
    let file = path("target/deep/x.log");
    let with = tree
        .tree_with_file(&before, &file, b"kept\r\n")
        .await
        .unwrap();
    assert!(!tree.folder().join("target").exists(), "only a tree");
    let changed = tree.changed_files(&before, &with).await.unwrap();
    let names: Vec<_> = changed.iter().map(|file| file.name.to_string()).collect();
    assert_eq!(names, ["target/deep/x.log"]);
    tree.restore(&with).await.unwrap();
    let written = std::fs::read(tree.folder().join("target/deep/x.log")).unwrap();
    assert_eq!(written, b"kept\r\n");
    assert_eq!(tree.snapshot().await.unwrap(), with);
    // Once more is the same; instead of a folder it replaces it.
    let again = tree.tree_with_file(&with, &file, b"kept\r\n").await;
    assert_eq!(again.unwrap(), with);
    let replaced = tree.tree_with_file(&with, &path("target"), b"x").await;
    let changed = tree.changed_files(&before, &replaced.unwrap()).await;
    assert_eq!(changed.unwrap().len(), 1);
}

#[tokio::test]
async fn all_texts_of_a_tree_are_read_and_what_is_none_is_named() {
    let fixture = Fixture::new();
    fixture.put(".gitattributes", "*.txt text eol=crlf\n");
    fixture.put("deep/er/b.txt", "two\nlines\n");
    fixture.put("empty", "");
    let raw =
        |name: &str, bytes: &[u8]| std::fs::write(fixture.checkout().join(name), bytes).unwrap();
    raw("binary.rs", b"a\0b");
    raw("latin.py", b"# caf\xe9\n");
    raw("large.js", &vec![b'x'; 4 * 1024 * 1024 + 1]);
    let name = std::ffi::OsString::from_vec(b"odd\xff.py".to_vec());
    std::fs::write(fixture.checkout().join(name), "x").unwrap();
    std::os::unix::fs::symlink("deep", fixture.checkout().join("link")).unwrap();
    fixture.git(&["add", "-A"]);
    let other = format!("160000,{},module", fixture.head());
    fixture.git(&["update-index", "--add", "--cacheinfo", &other]);
    fixture.git(&["commit", "-qm", "all kinds"]);
    let read = opened(&fixture).await.texts_of(&fixture.head_tree()).await;
    let read: Vec<_> = read
        .unwrap()
        .into_iter()
        .map(|file| (file.path, file.text))
        .collect();
    let text = |text: &str| TextAt::Text(text.to_owned());
    let expected = [
        (".gitattributes", text("*.txt text eol=crlf\n")),
        (".gitignore", text("target/\n*.log\n")),
        ("a.txt", text("one\n")),
        ("binary.rs", TextAt::Binary),
        ("deep/er/b.txt", text("two\nlines\n")),
        ("empty", text("")),
        ("large.js", TextAt::TooLarge),
        ("latin.py", TextAt::NotUtf8),
        ("link", TextAt::Link),
        ("module", TextAt::Submodule),
        ("odd\u{fffd}.py", TextAt::NotUtf8),
        ("src/lib.rs", text("pub fn one() {}\n")),
    ];
    let expected: Vec<_> = expected.map(|(path, text)| (path.to_owned(), text)).into();
    assert_eq!(read, expected);
}
