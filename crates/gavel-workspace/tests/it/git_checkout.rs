//! A checkout that is filled again holds what a new one would, whatever was done to it in between.
#![expect(clippy::unwrap_used, reason = "what cannot be set up ends the test")]

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::Path;

use gavel_workspace::{WorkTree, WorkTreeError};

use crate::fixture::{Fixture, run};

/// Names, contents and modes of everything in a folder.
fn state(folder: &Path) -> BTreeMap<String, (u32, Vec<u8>)> {
    let mut all = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            let found = path.symlink_metadata().unwrap();
            let content = match found.file_type() {
                kind if kind.is_dir() => Vec::new(),
                kind if kind.is_symlink() => fs::read_link(&path)
                    .unwrap()
                    .into_os_string()
                    .into_encoded_bytes(),
                _ => fs::read(&path).unwrap(),
            };
            let name = path.strip_prefix(folder).unwrap().to_string_lossy();
            all.insert(name.into_owned(), (found.mode(), content));
            if found.is_dir() {
                folders.push(path);
            }
        }
    }
    all
}

fn change_with_the_time_set_back(path: &Path, text: &[u8]) {
    let before = fs::metadata(path).unwrap().modified().unwrap();
    let mut file = fs::OpenOptions::new().write(true).open(path).unwrap();
    file.write_all(text).unwrap();
    file.set_modified(before).unwrap();
}

#[tokio::test]
async fn whatever_was_done_to_a_checkout_the_next_one_is_fresh() {
    type Tamper = fn(&Path);
    let fixture = Fixture::new();
    fixture.put("src/deep/one.txt", "one\n");
    fixture.put("run.sh", "#!/bin/sh\n");
    symlink("src/lib.rs", fixture.checkout().join("link")).unwrap();
    fixture.git(&["add", "-A"]);
    fixture.git(&["commit", "-q", "-m", "more"]);
    let first = fixture.head();
    fixture.put("src/deep/one.txt", "uno\n");
    fixture.git(&["commit", "-q", "-a", "-m", "changed"]);
    let second = fixture.head();
    let tampering: [Tamper; 6] = [
        |_| {},
        |tree| change_with_the_time_set_back(&tree.join("src/lib.rs"), b"PUB fn one() {}\n"),
        |tree| {
            fs::create_dir_all(tree.join("target/debug")).unwrap();
            fs::write(tree.join("target/debug/x"), "left over").unwrap();
            fs::write(tree.join(".gitignore"), "*\n").unwrap();
            fs::write(tree.join("conftest.py"), "").unwrap();
        },
        |tree| {
            fs::remove_dir_all(tree.join("src")).unwrap();
            symlink("/", tree.join("src")).unwrap();
        },
        |tree| fs::set_permissions(tree.join("src"), fs::Permissions::from_mode(0o777)).unwrap(),
        |tree| {
            fs::rename(tree.join("run.sh"), tree.join("src/lib.rs")).unwrap();
            fs::hard_link(tree.join("link"), tree.join("link2")).unwrap();
        },
    ];
    let tree = fixture.filled().await;
    let folder = fixture.path("fresh");
    let new = fixture.path("new");
    let other = WorkTree::open(&fixture.place(), run()).await.unwrap();
    for (number, tamper) in tampering.into_iter().enumerate() {
        for commit in [&second, &first, &first] {
            let made = tree.fresh_checkout(commit, &folder).await.unwrap();
            assert_eq!(made.tree, tree.tree_of(commit).await.unwrap());
            other.fresh_checkout(commit, &new).await.unwrap();
            assert_eq!(state(&folder), state(&new), "after tampering {number}");
            fs::remove_dir_all(&new).unwrap();
            let unknown = WorkTree::open(&fixture.place(), run()).await.unwrap();
            let refused = unknown.fresh_checkout(commit, &folder).await;
            assert!(matches!(refused, Err(WorkTreeError::BadPlace { .. })));
            tamper(&folder);
        }
    }
}

#[tokio::test]
async fn what_nobody_touched_is_not_written_again() {
    let fixture = Fixture::new();
    let tree = fixture.filled().await;
    let folder = fixture.path("fresh");
    let inode = || fs::metadata(folder.join("src/lib.rs")).unwrap().ino();
    tree.fresh_checkout(&fixture.head(), &folder).await.unwrap();
    let before = inode();
    tree.fresh_checkout(&fixture.head(), &folder).await.unwrap();
    assert_eq!(inode(), before);
}

#[tokio::test]
async fn what_a_verification_left_is_removed_at_once() {
    let fixture = Fixture::new();
    let tree = fixture.filled().await;
    let folder = fixture.path("fresh");
    assert!(!tree.clear_checkout(&folder).await, "nobody filled it");
    tree.fresh_checkout(&fixture.head(), &folder).await.unwrap();
    fs::create_dir_all(folder.join("target/debug")).unwrap();
    fs::write(folder.join("target/debug/large"), "built").unwrap();
    assert!(tree.clear_checkout(&folder).await);
    assert!(!folder.join("target").exists() && folder.join("src/lib.rs").exists());
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o777)).unwrap();
    assert!(!tree.clear_checkout(&folder).await, "its mode is another");
}
