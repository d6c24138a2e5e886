use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path};

use proptest::prelude::*;

use super::{PathError, RepoDir, RepoPath};

#[test]
fn ordinary_names_parse() {
    for text in [
        "a",
        "src/lib.rs",
        ".gitignore",
        ".github/workflows/ci.yml",
        "a b/ç/日本.md",
        "..a",
        "a..",
        "git",
        "x.git",
        ".gitmodules",
        "...",
        "a/~/b",
        "-rf",
        "git~2",
    ] {
        assert_eq!(
            RepoPath::new(text).map(|p| p.to_string()),
            Ok(text.to_owned())
        );
    }
}

#[test]
fn each_trick_is_refused_for_its_reason() {
    type Check = fn(&PathError) -> bool;
    let table: &[(&str, Check)] = &[
        ("", |e| matches!(e, PathError::Empty)),
        ("/etc/passwd", |e| matches!(e, PathError::Absolute { .. })),
        ("//server/share", |e| {
            matches!(e, PathError::Absolute { .. })
        }),
        ("..", |e| matches!(e, PathError::Parent { .. })),
        ("a/../../b", |e| matches!(e, PathError::Parent { .. })),
        (".", |e| matches!(e, PathError::Dot { .. })),
        ("./a", |e| matches!(e, PathError::Dot { .. })),
        ("a/./b", |e| matches!(e, PathError::Dot { .. })),
        ("a//b", |e| matches!(e, PathError::EmptySegment { .. })),
        ("a/", |e| matches!(e, PathError::EmptySegment { .. })),
        ("a\0b", |e| matches!(e, PathError::Control { code: 0, .. })),
        ("a\nb", |e| matches!(e, PathError::Control { code: 10, .. })),
        ("a\u{7f}", |e| {
            matches!(e, PathError::Control { code: 0x7f, .. })
        }),
        ("..\\..\\b", |e| matches!(e, PathError::Backslash { .. })),
        ("C:\\x", |e| matches!(e, PathError::Backslash { .. })),
        (".git", |e| matches!(e, PathError::GitFolder { .. })),
        (".git/config", |e| matches!(e, PathError::GitFolder { .. })),
        ("a/.GIT/hooks/pre-commit", |e| {
            matches!(e, PathError::GitFolder { .. })
        }),
        (".Git. . ", |e| matches!(e, PathError::GitFolder { .. })),
        (".git ", |e| matches!(e, PathError::GitFolder { .. })),
        ("GIT~1/config", |e| matches!(e, PathError::GitFolder { .. })),
        (".git::$INDEX_ALLOCATION/x", |e| {
            matches!(e, PathError::GitFolder { .. })
        }),
        (".g\u{200c}it/config", |e| {
            matches!(e, PathError::GitFolder { .. })
        }),
        ("\u{feff}.git", |e| matches!(e, PathError::GitFolder { .. })),
    ];
    for (text, is_right) in table {
        let error = RepoPath::new(*text).expect_err(text);
        assert!(is_right(&error), "{text:?} was refused as {error:?}");
    }
}

#[test]
fn overlong_paths_and_segments_are_refused() {
    let segment = "x".repeat(255);
    assert!(RepoPath::new(segment.clone()).is_ok());
    assert_eq!(
        RepoPath::new(format!("{segment}x")),
        Err(PathError::TooLong { bytes: 256 })
    );
    assert_eq!(
        RepoPath::new("a/".repeat(2048) + "b"),
        Err(PathError::TooLong { bytes: 4097 })
    );
}

#[test]
fn names_that_are_not_utf8_are_refused() {
    let path = Path::new(OsStr::from_bytes(b"a\xffb"));
    assert!(matches!(
        RepoPath::from_path(path),
        Err(PathError::NotUtf8 { .. })
    ));
}

#[test]
fn folders_know_the_root() {
    for text in ["", ".", "./"] {
        assert_eq!(RepoDir::new(text), Ok(RepoDir::ROOT));
    }
    let folder = RepoDir::new("src/").unwrap();
    assert_eq!(folder.join("a.rs").unwrap().as_str(), "src/a.rs");
    assert_eq!(folder.join("a.rs").unwrap().folder(), folder);
    assert!(folder.join("../a.rs").is_err());
    assert!(RepoDir::new("/").is_err());
}

#[test]
fn stored_paths_are_checked_when_read() {
    assert!(serde_json::from_str::<RepoPath>("\"src/a.rs\"").is_ok());
    assert!(serde_json::from_str::<RepoPath>("\"../a.rs\"").is_err());
}

fn tricky_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("..".to_owned()),
        Just(".".to_owned()),
        Just("/".to_owned()),
        Just("\\".to_owned()),
        Just(".git".to_owned()),
        Just("\0".to_owned()),
        Just("a".to_owned()),
        Just("~".to_owned()),
        Just("\u{200c}".to_owned()),
        ".{0,3}",
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn whatever_parses_stays_below_the_root(text in tricky_text()) {
        if let Ok(path) = RepoPath::new(text) {
            let mut depth = 0;
            for component in Path::new("/some/tree").join(path.as_path()).components().skip(3) {
                prop_assert!(matches!(component, Component::Normal(_)), "{component:?}");
                depth += 1;
            }
            prop_assert!(Path::new("/some/tree").join(path.as_path()).starts_with("/some/tree"));
            prop_assert_eq!(depth, path.segments().count());
            prop_assert!(!path.segments().any(|s| s.eq_ignore_ascii_case(".git")));
        }
    }
}
