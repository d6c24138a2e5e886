//! Recording a work tree and making it equal again.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::time::Duration;

use gavel_domain::Key;
use gavel_workspace::{
    CommitError, CommitMessage, NewCommit, StepMark, TreeId, WorkTree, WorkTreeError, WorkTreePlace,
};

use crate::fixture::{Fixture, author, branch, git_program, moment, put, run, text};

#[tokio::test]
async fn a_restored_tree_is_recorded_as_itself() {
    let fixture = Fixture::new();
    let tree = fixture.filled().await;
    assert_eq!(text(tree.folder(), "src/lib.rs"), "pub fn one() {}\n");
    assert!(!tree.folder().join(".git").exists());
    assert_eq!(tree.snapshot().await.unwrap(), fixture.head_tree());
    assert_eq!(fixture.git(&["status", "--porcelain"]), "");
}

#[tokio::test]
async fn changes_of_every_kind_come_and_go() {
    let fixture = Fixture::new();
    let tree = fixture.filled().await;
    let before = tree.snapshot().await.unwrap();
    let root = tree.folder();
    put(root, "a.txt", "two\n");
    put(root, "new/deep/file.txt", "new");
    put(root, "line\nbreak", "odd name");
    fs::remove_file(root.join("src/lib.rs")).unwrap();
    symlink("a.txt", root.join("link")).unwrap();
    put(root, "tool.sh", "#!/bin/sh\n");
    fs::set_permissions(root.join("tool.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    let after = tree.snapshot().await.unwrap();
    let listed = fixture.recorded(&["ls-tree", "-r", "-z", "--name-only", after.as_str()]);
    assert_eq!(
        listed.split_terminator('\0').collect::<Vec<_>>(),
        [
            ".gitignore",
            "a.txt",
            "line\nbreak",
            "link",
            "new/deep/file.txt",
            "tool.sh"
        ]
    );
    tree.restore(&before).await.unwrap();
    assert_eq!(text(root, "a.txt"), "one\n");
    assert!(root.join("src/lib.rs").exists());
    assert!(!root.join("new").exists() && !root.join("link").exists());
    tree.restore(&after).await.unwrap();
    assert_eq!(
        fs::read_link(root.join("link")).unwrap().to_str(),
        Some("a.txt")
    );
    let mode = root
        .join("tool.sh")
        .metadata()
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o111, 0o111);
    assert_eq!(tree.snapshot().await.unwrap(), after);
}

#[tokio::test]
async fn ignored_folders_are_left_alone() {
    let fixture = Fixture::new();
    let tree = fixture.filled().await;
    let before = tree.snapshot().await.unwrap();
    put(tree.folder(), "target/debug/huge", "binary");
    put(tree.folder(), "node_modules/x/index.js", "dependency");
    put(tree.folder(), "trace.log", "log");
    assert_eq!(tree.snapshot().await.unwrap(), before);
    put(tree.folder(), "a.txt", "two\n");
    tree.restore(&before).await.unwrap();
    assert_eq!(text(tree.folder(), "target/debug/huge"), "binary");
    assert_eq!(text(tree.folder(), "trace.log"), "log");
}

#[tokio::test]
async fn a_restored_gitignore_uncovers_files_and_they_go_too() {
    let fixture = Fixture::new();
    let tree = fixture.filled().await;
    let before = tree.snapshot().await.unwrap();
    put(tree.folder(), ".gitignore", "*.tmp\n");
    put(tree.folder(), "hidden.tmp", "was ignored for a while");
    tree.snapshot().await.unwrap();
    tree.restore(&before).await.unwrap();
    assert!(!tree.folder().join("hidden.tmp").exists());
    assert_eq!(tree.snapshot().await.unwrap(), before);
}

#[tokio::test]
async fn a_change_of_equal_size_in_the_same_second_is_seen() {
    let fixture = Fixture::new();
    let tree = fixture.filled().await;
    let mut seen = vec![tree.snapshot().await.unwrap()];
    for word in ["two\n", "six\n", "ten\n", "few\n"] {
        put(tree.folder(), "a.txt", word);
        seen.push(tree.snapshot().await.unwrap());
    }
    let distinct: std::collections::BTreeSet<&TreeId> = seen.iter().collect();
    assert_eq!(distinct.len(), 5);
}

#[tokio::test]
async fn a_change_that_sets_the_old_time_again_is_seen() {
    let fixture = Fixture::new();
    let tree = fixture.filled().await;
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(3600);
    let mut seen = Vec::new();
    for word in ["two\n", "six\n", "ten\n", "few\n"] {
        let path = tree.folder().join("a.txt");
        fs::write(&path, word).unwrap();
        let file = fs::File::options().write(true).open(&path).unwrap();
        file.set_modified(old).unwrap();
        seen.push(tree.snapshot().await.unwrap());
    }
    assert_eq!(tree.snapshot().await.unwrap(), seen[3]);
    let distinct: std::collections::BTreeSet<&TreeId> = seen.iter().collect();
    assert_eq!(distinct.len(), 4);
    tree.restore(&seen[0]).await.unwrap();
    assert_eq!(text(tree.folder(), "a.txt"), "two\n");
}

#[tokio::test]
async fn bytes_stay_as_they_are_whatever_config_and_attributes_say() {
    let fixture = Fixture::new();
    fixture.git(&["config", "core.autocrlf", "true"]);
    fixture.git(&["config", "core.eol", "crlf"]);
    let tree = fixture.filled().await;
    let rules = "* text=auto eol=crlf\n*.id ident\n*.u16 working-tree-encoding=UTF-16LE text\n";
    put(tree.folder(), ".gitattributes", rules);
    put(tree.folder(), "crlf.txt", "a\r\nb\r\n");
    put(tree.folder(), "mixed.txt", "a\r\nb\nc");
    put(tree.folder(), "x.id", "$Id: something $\n");
    put(tree.folder(), "x.u16", "plain ascii\n");
    let recorded = tree.snapshot().await.unwrap();
    for (name, bytes) in [
        ("crlf.txt", "a\r\nb\r\n"),
        ("mixed.txt", "a\r\nb\nc"),
        ("x.id", "$Id: something $\n"),
        ("x.u16", "plain ascii\n"),
    ] {
        let object = format!("{recorded}:{name}");
        assert_eq!(
            fixture.recorded(&["cat-file", "blob", &object]),
            bytes.trim_end_matches('\n')
        );
        fs::remove_file(tree.folder().join(name)).unwrap();
    }
    tree.restore(&recorded).await.unwrap();
    assert_eq!(text(tree.folder(), "crlf.txt"), "a\r\nb\r\n");
    assert_eq!(text(tree.folder(), "mixed.txt"), "a\r\nb\nc");
    assert_eq!(text(tree.folder(), "x.id"), "$Id: something $\n");
    assert_eq!(text(tree.folder(), "a.txt"), "one\n");
}

#[tokio::test]
async fn files_and_folders_trade_places() {
    let fixture = Fixture::new();
    let tree = fixture.filled().await;
    let before = tree.snapshot().await.unwrap();
    fs::remove_file(tree.folder().join("a.txt")).unwrap();
    put(tree.folder(), "a.txt/inner", "now a folder");
    fs::remove_dir_all(tree.folder().join("src")).unwrap();
    symlink("/etc", tree.folder().join("src")).unwrap();
    let after = tree.snapshot().await.unwrap();
    let listed = fixture.recorded(&["ls-tree", "-r", "--name-only", after.as_str()]);
    assert_eq!(
        listed.lines().collect::<Vec<_>>(),
        [".gitignore", "a.txt/inner", "src"]
    );
    tree.restore(&before).await.unwrap();
    assert_eq!(text(tree.folder(), "a.txt"), "one\n");
    assert_eq!(text(tree.folder(), "src/lib.rs"), "pub fn one() {}\n");
    tree.restore(&after).await.unwrap();
    assert_eq!(text(tree.folder(), "a.txt/inner"), "now a folder");
}

#[tokio::test]
async fn pipes_are_no_files() {
    let fixture = Fixture::new();
    let tree = fixture.filled().await;
    let before = tree.snapshot().await.unwrap();
    let pipe = |name: &str| {
        let mode = rustix::fs::Mode::from_raw_mode(0o600);
        let kind = rustix::fs::FileType::Fifo;
        rustix::fs::mknodat(rustix::fs::CWD, tree.folder().join(name), kind, mode, 0).unwrap();
    };
    pipe("pipe");
    assert_eq!(tree.snapshot().await.unwrap(), before);
    fs::remove_file(tree.folder().join("a.txt")).unwrap();
    pipe("a.txt");
    assert_ne!(tree.snapshot().await.unwrap(), before);
    tree.restore(&before).await.unwrap();
    assert_eq!(text(tree.folder(), "a.txt"), "one\n");
}

#[tokio::test]
async fn recorded_trees_survive_garbage_collection() {
    let fixture = Fixture::new();
    let tree = fixture.filled().await;
    let mut recorded = Vec::new();
    for word in ["two", "three", "four"] {
        put(tree.folder(), "a.txt", word);
        recorded.push((word, tree.snapshot().await.unwrap()));
    }
    fixture.git(&["reflog", "expire", "--expire=now", "--all"]);
    fixture.git(&["gc", "-q", "--prune=now"]);
    let again = fixture.open().await;
    for (word, id) in recorded {
        again.restore(&id).await.unwrap();
        assert_eq!(text(again.folder(), "a.txt"), word);
    }
}

#[tokio::test]
async fn a_base_whose_branch_is_gone_is_kept_until_it_is_let_go() {
    let fixture = Fixture::new();
    let tree = fixture.filled().await;
    let base = fixture.head();
    tree.keep_base(&base).await.unwrap();
    put(tree.folder(), "b.txt", "two");
    let recorded = tree.snapshot().await.unwrap();
    fixture.git(&["checkout", "-q", "--orphan", "other"]);
    fixture.git(&["commit", "-qm", "other", "--allow-empty"]);
    fixture.git(&["rm", "-rqf", "."]);
    fixture.git(&["commit", "-qm", "nothing"]);
    fixture.git(&["branch", "-qD", "main"]);
    let collect = || {
        fixture.git(&["reflog", "expire", "--expire=now", "--all"]);
        fixture.git(&["gc", "-q", "--prune=now"]);
    };
    collect();
    fs::remove_file(tree.folder().join("src/lib.rs")).unwrap();
    let again = fixture.open().await;
    again.restore(&recorded).await.unwrap();
    assert!(again.folder().join("src/lib.rs").exists());
    // A second drive keeps what the first kept.
    again.keep_base(&fixture.head()).await.unwrap();
    let kept = fixture.git(&["for-each-ref", "--format=%(objectname)", "refs/gavel"]);
    assert_eq!(kept, base.as_str());
    again.forget().await.unwrap();
    assert_eq!(fixture.git(&["for-each-ref", "refs/gavel"]), "");
}

#[tokio::test]
async fn only_what_is_committed_gets_into_the_repository() {
    let fixture = Fixture::new();
    let tree = fixture.filled().await;
    let objects = || fixture.git(&["count-objects"]);
    let before = objects();
    for word in ["abandoned", "given up", "taken back"] {
        put(tree.folder(), "deep/er/b.txt", word);
        put(tree.folder(), "a.txt", word);
        tree.snapshot().await.unwrap();
    }
    assert_eq!(objects(), before);
    fs::rename(tree.folder().join("src"), tree.folder().join("moved")).unwrap();
    put(tree.folder(), "moved/new.rs", "pub fn two() {}\n");
    fs::remove_file(tree.folder().join("deep/er/b.txt")).unwrap();
    let committed = tree.snapshot().await.unwrap();
    let (key, author) = (Key::new("commit").unwrap(), author());
    let message = CommitMessage::new("Move it", StepMark::new(run(), &key)).unwrap();
    let (branch, parent) = (branch("1"), fixture.head());
    let new = NewCommit {
        branch: &branch,
        tree: &committed,
        parent: &parent,
        message: &message,
        author: &author,
        at: moment(),
    };
    let commit = tree.commit(&new).await.unwrap();
    assert_eq!(tree.commit(&new).await.unwrap(), commit);
    // a.txt, new.rs, moved/, the root and the commit.
    assert_ne!(objects(), before);
    let count = |line: &str| line.split(' ').next().unwrap().parse::<u32>().unwrap();
    assert_eq!(count(&objects()), count(&before) + 5);
    fs::remove_dir_all(fixture.path("trees")).unwrap();
    let damage = fixture.git(&["fsck", "--full", "--strict", "--unreachable"]);
    assert_eq!(damage, "");
    let shown = fixture.git(&["show", &format!("{commit}:moved/new.rs")]);
    assert_eq!(shown, "pub fn two() {}");
}

#[tokio::test]
async fn another_process_goes_on_where_the_first_stopped() {
    let fixture = Fixture::new();
    let first = fixture.filled().await;
    put(first.folder(), "a.txt", "two");
    let recorded = first.snapshot().await.unwrap();
    put(first.folder(), "a.txt", "half written");
    put(first.folder(), "rubbish", "left by a killed step");
    // What a killed git leaves behind.
    fs::write(fixture.path("trees/build.gavel/index.lock"), "").unwrap();
    let second = fixture.open().await;
    second.restore(&recorded).await.unwrap();
    assert_eq!(text(second.folder(), "a.txt"), "two");
    assert!(!second.folder().join("rubbish").exists());
}

#[tokio::test]
async fn a_lost_index_is_noticed_and_made_anew() {
    let fixture = Fixture::new();
    let tree = fixture.filled().await;
    fs::remove_file(fixture.path("trees/build.gavel/index")).unwrap();
    let again = fixture.open().await;
    assert!(matches!(
        again.snapshot().await,
        Err(WorkTreeError::NeverRestored { .. })
    ));
    again.restore(&fixture.head_tree()).await.unwrap();
    assert_eq!(again.snapshot().await.unwrap(), fixture.head_tree());
    drop(tree);
}

#[tokio::test]
async fn a_damaged_index_is_made_anew_by_a_restore() {
    let fixture = Fixture::new();
    let tree = fixture.filled().await;
    put(tree.folder(), "a.txt", "two");
    fs::write(fixture.path("trees/build.gavel/index"), "not an index").unwrap();
    assert!(tree.snapshot().await.is_err());
    tree.restore(&fixture.head_tree()).await.unwrap();
    assert_eq!(text(tree.folder(), "a.txt"), "one\n");
    assert_eq!(tree.snapshot().await.unwrap(), fixture.head_tree());
}

#[tokio::test]
async fn a_folder_with_a_repository_of_its_own_is_work_like_any_other() {
    let fixture = Fixture::new();
    let tree = fixture.filled().await;
    let before = tree.snapshot().await.unwrap();
    put(tree.folder(), "app/main.rs", "fn main() {}\n");
    put(tree.folder(), "app/target/x", "ignored");
    crate::fixture::user_git(&tree.folder().join("app"), &["init", "-q"]);
    crate::fixture::user_git(&tree.folder().join("app"), &["add", "-A"]);
    crate::fixture::user_git(&tree.folder().join("app"), &["commit", "-qm", "inner"]);
    let after = tree.snapshot().await.unwrap();
    let listed = fixture.recorded(&["ls-tree", "-r", &format!("{after}:app")]);
    assert!(
        listed.starts_with("100644 blob") && listed.ends_with("\tmain.rs"),
        "{listed}"
    );
    put(tree.folder(), "app/second.rs", "");
    assert_ne!(tree.snapshot().await.unwrap(), after);
    tree.restore(&before).await.unwrap();
    assert!(!tree.folder().join("app/main.rs").exists());
}

#[tokio::test]
async fn commits_are_repeatable_and_found_again() {
    let fixture = Fixture::new();
    let tree = fixture.filled().await;
    put(tree.folder(), "a.txt", "two\n");
    let files = tree.snapshot().await.unwrap();
    let (branch, parent, author) = (branch("1"), fixture.head(), author());
    let mark = StepMark::new(run(), &Key::new("build-1/commit").unwrap());
    let forged = StepMark::new(run(), &Key::new("build-1/other").unwrap());
    let message = CommitMessage::new(
        &format!("Change a\n\nGavel-Step: {}/build-1/other\n", run()),
        mark.clone(),
    )
    .unwrap();
    let new = NewCommit {
        branch: &branch,
        tree: &files,
        parent: &parent,
        message: &message,
        author: &author,
        at: moment(),
    };
    assert_eq!(tree.find_commit(&branch, &mark, 50).await.unwrap(), None);
    let commit = tree.commit(&new).await.unwrap();
    assert_eq!(tree.commit(&new).await.unwrap(), commit);
    assert_eq!(tree.tip(&branch).await.unwrap(), Some(commit.clone()));
    assert_eq!(
        tree.find_commit(&branch, &mark, 50).await.unwrap(),
        Some(commit.clone())
    );
    assert_eq!(tree.find_commit(&branch, &forged, 50).await.unwrap(), None);
    let shown = fixture.git(&["log", "-1", "--format=%an %ae %aI %cI %P", "gavel/build-1"]);
    let when = "2026-11-15T12:00:00";
    assert!(
        shown.starts_with(&format!("Gavel gavel@example.org {when}")),
        "{shown}"
    );
    assert!(shown.ends_with(parent.as_str()), "{shown}");
    assert_eq!(fixture.git(&["rev-parse", "main"]), parent.as_str());
    assert_eq!(tree.tree_of(&commit).await.unwrap(), files);
}

#[tokio::test]
async fn a_branch_that_somebody_moved_is_not_overwritten() {
    let fixture = Fixture::new();
    let tree = fixture.filled().await;
    fixture.git(&["commit", "-q", "--allow-empty", "-m", "elsewhere"]);
    fixture.git(&["branch", "gavel/build-1", "main"]);
    let parent = fixture.git(&["rev-parse", "main~1"]).parse().unwrap();
    let (branch, files, author) = (branch("1"), fixture.head_tree(), author());
    let mark = StepMark::new(run(), &Key::new("commit").unwrap());
    let message = CommitMessage::new("x", mark).unwrap();
    let new = NewCommit {
        branch: &branch,
        tree: &files,
        parent: &parent,
        message: &message,
        author: &author,
        at: moment(),
    };
    let error = tree.commit(&new).await.unwrap_err();
    assert!(matches!(error, CommitError::Moved { .. }), "{error:?}");
}

#[test]
fn futures_may_move_between_threads() {
    fn is_send<T: Send>(_: &T) {}
    fn check(tree: &WorkTree, id: &TreeId, new: &NewCommit<'_>) {
        is_send(&tree.snapshot());
        is_send(&tree.restore(id));
        is_send(&tree.commit(new));
    }
    let _: fn(&WorkTree, &TreeId, &NewCommit<'_>) = check;
}

#[tokio::test]
async fn whoever_comes_next_waits_for_a_git_that_outlived_its_driver() {
    let fixture = Fixture::new();
    let tree = fixture.filled().await;
    let lock = fs::File::options()
        .write(true)
        .open(fixture.path("trees/build.gavel/lock"))
        .unwrap();
    lock.lock().unwrap();
    let early = tokio::time::timeout(Duration::from_millis(200), tree.snapshot()).await;
    assert!(early.is_err(), "it did not wait");
    lock.unlock().unwrap();
    tree.snapshot().await.unwrap();
}

#[tokio::test]
async fn a_git_that_writes_holds_the_lock_itself() {
    let fixture = Fixture::new();
    let (seen, wrapper) = (fixture.path("seen"), fixture.path("git-wrapper"));
    let script = format!(
        "#!/bin/sh\necho \"$(readlink /proc/$$/fd/0) $*\" >> {}\nexec {} \"$@\"\n",
        seen.display(),
        git_program().display()
    );
    fs::write(&wrapper, script).unwrap();
    fs::set_permissions(&wrapper, fs::Permissions::from_mode(0o755)).unwrap();
    let place = WorkTreePlace {
        git: wrapper,
        ..fixture.place()
    };
    let tree = WorkTree::open(&place, run()).await.unwrap();
    tree.restore(&fixture.head_tree()).await.unwrap();
    put(tree.folder(), "a.txt", "two");
    tree.snapshot().await.unwrap();
    let calls = fs::read_to_string(seen).unwrap();
    let lock = fixture.path("trees/build.gavel/lock").display().to_string();
    for command in [
        "update-index",
        "read-tree",
        "write-tree",
        "ls-files",
        "diff-files",
    ] {
        let word = format!(" {command}");
        let with: Vec<_> = calls.lines().filter(|line| line.contains(&word)).collect();
        assert!(
            !with.is_empty() && with.iter().all(|line| line.starts_with(&lock)),
            "{with:#?}"
        );
    }
}
