//! Links in a checkout that lead out of it: `gavel init` writes through none of them, and nothing of
//! what lies behind one is shown.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use crate::bench::{Bench, Ended};

const OUTSIDE: &str = "root:$6$canary$behind-the-link:19000:0:99999:7:::\n";

/// A folder without settings, and a file outside of it.
fn checkout() -> (Bench, PathBuf) {
    let bench = Bench::new();
    fs::remove_file(bench.project_file()).unwrap();
    let outside = bench.folder().join("outside");
    fs::write(&outside, OUTSIDE).unwrap();
    (bench, outside)
}

fn names_the_link(ended: &Ended, link: &str) {
    assert_eq!(ended.code, Some(6), "{ended:?}");
    assert!(ended.stderr.contains(link), "{ended:?}");
    assert!(ended.stderr.contains("link"), "{ended:?}");
    let shown = format!("{}{}", ended.stdout, ended.stderr);
    assert!(!shown.contains("canary"), "{ended:?}");
}

#[test]
fn init_does_not_write_through_a_link_in_the_place_of_settings() {
    let (bench, outside) = checkout();
    symlink(&outside, bench.project_file()).unwrap();
    for command in [&["init"][..], &["config", "show"], &["memory", "list"]] {
        names_the_link(&bench.run(command), "gavel.toml");
    }
    assert_eq!(fs::read_to_string(&outside).unwrap(), OUTSIDE);
    assert!(!bench.folder().join("project/.gavel").exists());
}

#[test]
fn init_makes_nothing_behind_a_link_that_leads_nowhere() {
    let (bench, _) = checkout();
    let nowhere = bench.folder().join("not-there-yet");
    symlink(&nowhere, bench.project_file()).unwrap();
    names_the_link(&bench.run(&["init"]), "gavel.toml");
    assert!(!nowhere.exists());
}

#[test]
fn init_makes_no_folder_behind_a_link() {
    for link in [".gavel", ".gavel/memory"] {
        let (bench, _) = checkout();
        let outside = bench.folder().join("elsewhere");
        fs::create_dir(&outside).unwrap();
        let at = bench.folder().join("project").join(link);
        fs::create_dir_all(at.parent().unwrap()).unwrap();
        symlink(&outside, &at).unwrap();
        let ended = bench.run(&["init"]);
        assert_ne!(ended.code, Some(0), "{link}: {ended:?}");
        assert!(ended.stderr.contains(link), "{link}: {ended:?}");
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 0, "{link}");
        // What cannot be done as a whole is not begun.
        assert!(!bench.project_file().exists(), "{link}");
    }
}

#[test]
fn a_plain_file_is_read_and_gets_its_id() {
    let (bench, _) = checkout();
    fs::write(bench.project_file(), "[models]\nmax_input = 70000\n").unwrap();
    let ended = bench.run(&["init"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let text = fs::read_to_string(bench.project_file()).unwrap();
    assert!(
        text.starts_with("[models]\nmax_input = 70000\n\n[project]\nid = "),
        "{text}"
    );
    assert!(bench.folder().join("project/.gavel/memory").is_dir());
    assert_eq!(bench.run(&["init"]).code, Some(0));
}
