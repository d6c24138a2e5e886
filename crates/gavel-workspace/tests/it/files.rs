//! Files of a tree: read, written, listed and searched below its root, or not at all.
#![expect(clippy::unwrap_used, reason = "what cannot be set up ends the test")]

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use gavel_workspace::{
    Case, EntryKind, FileError, Pattern, RepoDir, RepoPath, SearchError, SearchLimits, SearchQuery,
    TextAt, TreeName, TreeRoot,
};

use crate::fixture::{put, text};

struct Room {
    temp: tempfile::TempDir,
    root: TreeRoot,
}

/// A tree beside a file that must not be reached.
fn room() -> Room {
    let temp = tempfile::tempdir().unwrap();
    put(temp.path(), "outside/secret.txt", "secret");
    put(temp.path(), "tree/src/lib.rs", "pub fn one() {}\n");
    let root = TreeRoot::open(&temp.path().join("tree")).unwrap();
    Room { temp, root }
}

fn path(text: &str) -> RepoPath {
    RepoPath::new(text).unwrap()
}

#[test]
fn files_are_read_up_to_a_size() {
    let room = room();
    let content = room.root.read(&path("src/lib.rs"), 6).unwrap();
    assert_eq!(
        (content.bytes.as_slice(), content.total_bytes),
        (b"pub fn".as_slice(), 16)
    );
    assert_eq!(content.left_out(), 10);
    let content = room.root.read(&path("src/lib.rs"), 100).unwrap();
    assert_eq!((content.left_out(), content.is_binary()), (0, false));
    let missing = room.root.read(&path("src/none.rs"), 6).unwrap_err();
    assert!(matches!(missing, FileError::NotFound { .. }), "{missing:?}");
    let folder = room.root.read(&path("src"), 6).unwrap_err();
    assert!(matches!(folder, FileError::WrongKind { .. }), "{folder:?}");
}

#[test]
fn symlinks_that_stay_are_read_and_those_that_leave_are_not() {
    let room = room();
    let tree = room.root.path();
    let outside = room.temp.path().join("outside");
    symlink("src/lib.rs", tree.join("inside.rs")).unwrap();
    symlink(&outside, tree.join("absolute")).unwrap();
    symlink("../outside", tree.join("relative")).unwrap();
    symlink("../tree/src/lib.rs", tree.join("round")).unwrap();
    symlink("/proc/self/root", tree.join("magic")).unwrap();
    symlink("loop", tree.join("loop")).unwrap();
    assert_eq!(
        room.root.read(&path("inside.rs"), 100).unwrap().total_bytes,
        16
    );
    for name in [
        "absolute/secret.txt",
        "relative/secret.txt",
        "round",
        "magic/etc/passwd",
        "loop",
    ] {
        let refused = room.root.read(&path(name), 100).unwrap_err();
        assert!(
            matches!(refused, FileError::LeavesTree { .. }),
            "{name}: {refused:?}"
        );
    }
    for name in ["absolute/new.txt", "relative/deep/new.txt", "magic/tmp/x"] {
        let refused = room.root.write(&path(name), b"x").unwrap_err();
        assert!(
            matches!(refused, FileError::LeavesTree { .. }),
            "{name}: {refused:?}"
        );
        assert!(room.root.remove(&path(name)).is_err());
    }
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 1);
    let refused = room
        .root
        .list(&RepoDir::new("absolute").unwrap(), 10)
        .unwrap_err();
    assert!(
        matches!(refused, FileError::LeavesTree { .. }),
        "{refused:?}"
    );
}

#[test]
fn nothing_is_written_through_a_symlink() {
    let room = room();
    let tree = room.root.path();
    symlink("../outside/secret.txt", tree.join("out.txt")).unwrap();
    symlink("src/lib.rs", tree.join("in.rs")).unwrap();
    for name in ["out.txt", "in.rs"] {
        let refused = room.root.write(&path(name), b"x").unwrap_err();
        assert!(
            matches!(refused, FileError::IsSymlink { .. }),
            "{name}: {refused:?}"
        );
    }
    room.root.remove(&path("out.txt")).unwrap();
    assert_eq!(text(room.temp.path(), "outside/secret.txt"), "secret");
    // A symlinked folder that stays inside is a folder like any other.
    symlink("src", tree.join("sources")).unwrap();
    room.root.write(&path("sources/new.rs"), b"new").unwrap();
    assert_eq!(text(tree, "src/new.rs"), "new");
}

#[test]
fn git_folders_cannot_be_reached_by_another_name() {
    let room = room();
    put(
        room.root.path(),
        ".git/config",
        "[remote]\nurl = https://user:token@host/x\n",
    );
    symlink(".git", room.root.path().join("alias")).unwrap();
    symlink(".git/config", room.root.path().join("config")).unwrap();
    for name in ["alias/config", "config"] {
        let refused = room.root.read(&path(name), 100).unwrap_err();
        assert!(
            matches!(refused, FileError::Unaddressable { .. }),
            "{name}: {refused:?}"
        );
    }
    assert!(
        room.root
            .write(&path("alias/hooks/pre-commit"), b"x")
            .is_err()
    );
    assert!(!room.root.path().join(".git/hooks").exists());
}

#[test]
fn credential_files_are_not_read_under_any_name() {
    let room = room();
    put(room.root.path(), ".env", "KEY=value\n");
    put(room.root.path(), ".env.example", "KEY=\n");
    symlink(".env", room.root.path().join("notes.txt")).unwrap();
    for name in [".env", "notes.txt"] {
        let refused = room.root.read(&path(name), 100).unwrap_err();
        assert!(
            matches!(refused, FileError::Credential { .. }),
            "{name}: {refused:?}"
        );
    }
    assert!(room.root.read(&path(".env.example"), 100).is_ok());
}

#[test]
fn pipes_do_not_stop_a_reader() {
    let room = room();
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    let pipe = room.root.path().join("pipe");
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    let rules = room.root.path().join("src/.gitignore");
    rustix::fs::mknodat(rustix::fs::CWD, &rules, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    let refused = room.root.read(&path("pipe"), 100).unwrap_err();
    assert!(
        matches!(refused, FileError::WrongKind { .. }),
        "{refused:?}"
    );
    let refused = room.root.write(&path("pipe"), b"x").unwrap_err();
    assert!(
        matches!(refused, FileError::WrongKind { .. }),
        "{refused:?}"
    );
    assert_eq!(room.root.walk(&RepoDir::ROOT, 10).unwrap().files, []);
}

#[test]
fn writing_replaces_whole_files_and_keeps_modes() {
    let room = room();
    let tree = room.root.path();
    put(tree, "tool.sh", "old");
    fs::set_permissions(tree.join("tool.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    fs::hard_link(tree.join("tool.sh"), room.temp.path().join("outside/hard")).unwrap();
    room.root.write(&path("tool.sh"), b"new").unwrap();
    room.root.write(&path("a/b/c.txt"), b"deep").unwrap();
    assert_eq!(text(tree, "tool.sh"), "new");
    assert_eq!(text(room.temp.path(), "outside/hard"), "old");
    let mode = |name: &str| tree.join(name).metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!((mode("tool.sh"), mode("a/b/c.txt")), (0o755, 0o644));
    let refused = room.root.write(&path("a/b"), b"x").unwrap_err();
    assert!(
        matches!(refused, FileError::WrongKind { .. }),
        "{refused:?}"
    );
    let refused = room.root.write(&path("tool.sh/x"), b"x").unwrap_err();
    assert!(
        matches!(refused, FileError::WrongKind { .. }),
        "{refused:?}"
    );
    let names: Vec<_> = fs::read_dir(tree)
        .unwrap()
        .map(|e| e.unwrap().file_name())
        .collect();
    assert!(
        names
            .iter()
            .all(|name| !name.to_string_lossy().ends_with(".tmp")),
        "{names:?}"
    );
    room.root.remove(&path("a/b/c.txt")).unwrap();
    assert!(room.root.remove(&path("a/b")).is_err());
}

#[test]
fn a_folder_is_listed_in_order_and_what_is_left_out_is_said() {
    let room = room();
    let tree = room.root.path();
    put(tree, ".git/HEAD", "x");
    put(tree, "b.txt", "12345");
    fs::write(tree.join(OsStr::from_bytes(b"odd\xff")), "x").unwrap();
    symlink("b.txt", tree.join("link")).unwrap();
    let listing = room.root.list(&RepoDir::ROOT, 10).unwrap();
    let shown: Vec<_> = listing
        .entries
        .iter()
        .map(|entry| (entry.name.to_string(), entry.kind))
        .collect();
    assert_eq!(
        shown,
        [
            ("b.txt".to_owned(), EntryKind::File { bytes: 5 }),
            ("link".to_owned(), EntryKind::Symlink),
            ("odd\u{fffd}".to_owned(), EntryKind::File { bytes: 1 }),
            ("src".to_owned(), EntryKind::Folder),
        ]
    );
    assert!(matches!(
        listing.entries[2].name,
        TreeName::Unaddressable(_)
    ));
    let listing = room.root.list(&RepoDir::ROOT, 3).unwrap();
    assert_eq!((listing.entries.len(), listing.left_out), (3, 1));
    let below = room.root.list(&RepoDir::new("src").unwrap(), 3).unwrap();
    assert_eq!(below.entries[0].name, TreeName::Path(path("src/lib.rs")));
}

#[test]
fn a_walk_follows_the_trees_own_rules() {
    let room = room();
    let tree = room.root.path();
    put(tree, ".gitignore", "target/\n*.log\n");
    put(tree, "target/x.rs", "x");
    put(tree, "src/trace.log", "x");
    put(tree, "src/.hidden", "x");
    put(tree, "sub/.gitignore", "generated\n");
    put(tree, "sub/generated", "x");
    put(tree, "sub/kept", "x");
    put(tree, ".git/config", "x");
    fs::write(tree.join(OsStr::from_bytes(b"odd\xff")), "x").unwrap();
    symlink("../outside", tree.join("out")).unwrap();
    let walked = room.root.walk(&RepoDir::ROOT, 100).unwrap();
    let names: Vec<_> = walked.files.iter().map(RepoPath::as_str).collect();
    assert_eq!(
        names,
        [
            ".gitignore",
            "src/.hidden",
            "src/lib.rs",
            "sub/.gitignore",
            "sub/kept"
        ]
    );
    assert_eq!(walked.unaddressable, ["odd\u{fffd}"]);
    let walked = room.root.walk(&RepoDir::new("src").unwrap(), 1).unwrap();
    assert_eq!(
        (walked.files, walked.left_out),
        (vec![path("src/.hidden")], 1)
    );
}

fn query(pattern: Pattern) -> SearchQuery {
    SearchQuery {
        pattern,
        case: Case::Counts,
        glob: None,
        below: RepoDir::ROOT,
    }
}

fn found(room: &Room, query: &SearchQuery) -> Vec<String> {
    let result = room.root.search(query, SearchLimits::default()).unwrap();
    let show = |l: &gavel_workspace::FoundLine| format!("{}:{}:{}", l.path, l.line, l.text);
    result.lines.iter().map(show).collect()
}

#[test]
fn code_is_searched_by_text_expression_and_glob() {
    let room = room();
    put(room.root.path(), "src/b.rs", "fn a(x) {}\r\nFN b() {}\n");
    put(room.root.path(), "docs/a.md", "fn a(x)\n");
    let literal = query(Pattern::Literal("a(x)".to_owned()));
    assert_eq!(
        found(&room, &literal),
        ["docs/a.md:1:fn a(x)", "src/b.rs:1:fn a(x) {}"]
    );
    let mut regex = query(Pattern::Regex(r"^fn \w+\(\)".to_owned()));
    assert_eq!(found(&room, &regex), [] as [&str; 0]);
    regex.case = Case::Ignored;
    assert_eq!(found(&room, &regex), ["src/b.rs:2:FN b() {}"]);
    let named = SearchQuery {
        glob: Some("*.md".to_owned()),
        ..literal.clone()
    };
    assert_eq!(found(&room, &named), ["docs/a.md:1:fn a(x)"]);
    let placed = SearchQuery {
        glob: Some("src/**/*.rs".to_owned()),
        ..literal.clone()
    };
    assert_eq!(found(&room, &placed), ["src/b.rs:1:fn a(x) {}"]);
    let below = SearchQuery {
        below: RepoDir::new("docs").unwrap(),
        ..literal
    };
    assert_eq!(found(&room, &below), ["docs/a.md:1:fn a(x)"]);
}

#[test]
fn what_a_search_leaves_out_is_counted() {
    let room = room();
    let tree = room.root.path();
    put(tree, "many.txt", "needle\n".repeat(50));
    put(tree, "long.txt", format!("needle {}\n", "ä".repeat(500)));
    put(tree, "zero.bin", "needle\n\0\n");
    put(tree, ".env", "needle=1\n");
    put(tree, "big.txt", "needle\n".repeat(1000));
    let limits = SearchLimits {
        matches: 20,
        line_bytes: 20,
        file_bytes: 2000,
    };
    let result = room
        .root
        .search(&query(Pattern::Literal("needle".to_owned())), limits)
        .unwrap();
    assert_eq!((result.lines.len(), result.stopped_early), (20, true));
    assert_eq!((result.left_out.large, result.left_out.credentials), (1, 1));
    let long = result
        .lines
        .iter()
        .find(|line| line.path.as_str() == "long.txt")
        .unwrap();
    assert!(long.cut && long.text.len() <= 20 && long.text.starts_with("needle ä"));
    let limits = SearchLimits {
        matches: 1000,
        ..limits
    };
    let result = room
        .root
        .search(&query(Pattern::Literal("needle".to_owned())), limits)
        .unwrap();
    assert_eq!((result.lines.len(), result.stopped_early), (51, false));
    assert_eq!(result.left_out.binary, 1);
}

#[test]
fn malformed_questions_are_refused() {
    let room = room();
    let regex = query(Pattern::Regex("a(".to_owned()));
    let refused = room
        .root
        .search(&regex, SearchLimits::default())
        .unwrap_err();
    assert!(matches!(refused, SearchError::Pattern(_)), "{refused:?}");
    let huge = query(Pattern::Regex("(\\pL{1000}){1000}".to_owned()));
    assert!(room.root.search(&huge, SearchLimits::default()).is_err());
    let glob = SearchQuery {
        glob: Some("a[".to_owned()),
        ..query(Pattern::Literal("x".to_owned()))
    };
    let refused = room
        .root
        .search(&glob, SearchLimits::default())
        .unwrap_err();
    assert!(matches!(refused, SearchError::Glob(_)), "{refused:?}");
}

#[test]
fn all_texts_are_read_but_ignored_files_and_what_links_hide() {
    let room = room();
    let tree = room.temp.path().join("tree");
    put(&tree, ".gitignore", "target\n");
    put(&tree, "target/out.rs", "built");
    put(&tree, ".env", "TOKEN=x");
    put(&tree, ".git/config", "x");
    fs::write(tree.join("b.bin"), b"\0").unwrap();
    fs::write(tree.join("c.py"), b"\xff").unwrap();
    fs::write(tree.join("d.js"), vec![b'x'; 4 * 1024 * 1024 + 1]).unwrap();
    symlink("../outside", tree.join("link")).unwrap();
    let texts = room.root.texts();
    let told: Vec<_> = texts
        .iter()
        .map(|file| (file.path.as_str(), &file.text))
        .collect();
    let text = |text: &str| TextAt::Text(text.to_owned());
    assert_eq!(
        told,
        [
            (".env", &TextAt::Credential),
            (".gitignore", &text("target\n")),
            ("b.bin", &TextAt::Binary),
            ("c.py", &TextAt::NotUtf8),
            ("d.js", &TextAt::TooLarge),
            ("link", &TextAt::Link),
            ("src/lib.rs", &text("pub fn one() {}\n")),
        ]
    );
}
