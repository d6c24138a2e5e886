//! Every way to change a file of a checkout that the stamps must notice.

use std::io::Write as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use super::*;

fn filled() -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("tree");
    fs::create_dir_all(folder.join("src")).unwrap();
    fs::write(folder.join("src/a.txt"), "one\n").unwrap();
    fs::write(folder.join("b.txt"), "two\n").unwrap();
    symlink("b.txt", folder.join("link")).unwrap();
    place
}

fn names(folder: &Path) -> Vec<String> {
    let stamps = Stamps::take(folder).unwrap().unwrap();
    let mut names: Vec<_> = stamps
        .entries
        .into_keys()
        .map(|name| String::from_utf8(name).unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_folder_that_nobody_touched_stays_as_it_is() {
    let place = filled();
    let folder = place.path().join("tree");
    let stamps = Stamps::take(&folder).unwrap().unwrap();
    fs::read(folder.join("b.txt")).unwrap();
    assert_eq!(stamps.clear(&folder).unwrap(), Cleared::Unchanged);
    assert_eq!(names(&folder), ["b.txt", "link", "src", "src/a.txt"]);
    assert!(stamps.are_exactly(b"b.txt\0link\0src/a.txt\0"));
    assert!(!stamps.are_exactly(b"b.txt\0link\0"));
    assert!(!stamps.are_exactly(b"b.txt\0link\0src\0"));
}

#[test]
fn what_came_changed_or_was_replaced_goes() {
    type Change = fn(&Path);
    let table: [(&str, Change, &[&str]); 8] = [
        (
            "same size, time set back",
            |folder| {
                let path = folder.join("b.txt");
                let before = fs::metadata(&path).unwrap().modified().unwrap();
                let mut file = fs::OpenOptions::new().write(true).open(&path).unwrap();
                file.write_all(b"TWO\n").unwrap();
                file.set_modified(before).unwrap();
            },
            &["link", "src", "src/a.txt"],
        ),
        (
            "made executable",
            |folder| {
                let mode = fs::Permissions::from_mode(0o755);
                fs::set_permissions(folder.join("b.txt"), mode).unwrap();
            },
            &["link", "src", "src/a.txt"],
        ),
        (
            "linked to from elsewhere",
            |folder| fs::hard_link(folder.join("b.txt"), folder.with_extension("kept")).unwrap(),
            &["link", "src", "src/a.txt"],
        ),
        (
            "replaced by an equal file",
            |folder| {
                fs::copy(folder.join("b.txt"), folder.join("c")).unwrap();
                fs::rename(folder.join("c"), folder.join("b.txt")).unwrap();
            },
            &["link", "src", "src/a.txt"],
        ),
        (
            "a link that leads elsewhere",
            |folder| {
                fs::remove_file(folder.join("link")).unwrap();
                symlink("/etc/p", folder.join("link")).unwrap();
            },
            &["b.txt", "src", "src/a.txt"],
        ),
        (
            "a file and a folder more",
            |folder| {
                fs::create_dir_all(folder.join("src/deep/er")).unwrap();
                fs::write(folder.join("src/deep/er/x"), "").unwrap();
                fs::write(folder.join("y"), "").unwrap();
            },
            &["b.txt", "link", "src", "src/a.txt"],
        ),
        (
            "a folder in the place of a file",
            |folder| {
                fs::remove_file(folder.join("b.txt")).unwrap();
                fs::create_dir(folder.join("b.txt")).unwrap();
            },
            &["link", "src", "src/a.txt"],
        ),
        (
            "a link in the place of a folder",
            |folder| {
                fs::rename(folder.join("src"), folder.with_extension("moved")).unwrap();
                symlink("../tree.moved", folder.join("src")).unwrap();
            },
            &["b.txt", "link"],
        ),
    ];
    for (name, change, left) in table {
        let place = filled();
        let folder = place.path().join("tree");
        let stamps = Stamps::take(&folder).unwrap().unwrap();
        change(&folder);
        assert_eq!(stamps.clear(&folder).unwrap(), Cleared::Unchanged, "{name}");
        assert_eq!(names(&folder), left, "{name}");
    }
}

#[test]
fn of_a_folder_with_other_rules_nothing_is_said() {
    let changes: [fn(&Path); 3] = [
        |folder| {
            let mode = fs::Permissions::from_mode(0o700);
            fs::set_permissions(folder.join("src"), mode).unwrap();
        },
        |folder| {
            let mode = fs::Permissions::from_mode(0o711);
            fs::set_permissions(folder, mode).unwrap();
        },
        |folder| {
            fs::rename(folder.join("src"), folder.join("old")).unwrap();
            fs::create_dir(folder.join("src")).unwrap();
        },
    ];
    for change in changes {
        let place = filled();
        let folder = place.path().join("tree");
        let stamps = Stamps::take(&folder).unwrap().unwrap();
        change(&folder);
        assert_eq!(stamps.clear(&folder).unwrap(), Cleared::Unsure);
    }
}
