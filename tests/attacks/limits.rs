//! Limits: what is reached is told, and nothing passes by hiding behind many files or many bytes.

use std::fs;
use std::path::Path;

use gavel_domain::BreakerTripped;
use gavel_testkit::{asked_for, git};

use crate::bench::run_id;
use crate::product_hot::{project, users};
use crate::studio::Studio;

const IDEA: &str = "rename get_user to fetch_user in src/lib.rs";

/// A project whose manifest and tests come behind other files in the order of names.
fn crowded(studio: &Studio, fill: impl FnOnce(&Path)) {
    let folder = project(studio, &users());
    fill(&folder);
    git(&folder, &["add", "."]);
    git(&folder, &["commit", "--quiet", "-m", "more"]);
}

#[track_caller]
fn proven(studio: &Studio) {
    let id = run_id().to_string();
    let ended = studio.run(&["start", IDEA, "--yes", "--run", &id]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.stdout.contains("1 of 1 tests passed"), "{ended:?}");
    assert_eq!(studio.look().facts::<BreakerTripped>(), []);
}

#[test]
fn a_manifest_behind_many_files_of_the_root_is_read() {
    let studio = Studio::offline();
    crowded(&studio, |folder| {
        for number in 0..300 {
            fs::write(folder.join(format!("A{number:03}.md")), "text\n").unwrap();
        }
    });
    proven(&studio);
}

#[test]
fn tests_behind_sixty_thousand_files_are_found() {
    if !asked_for("attacks") {
        return;
    }
    let studio = Studio::offline();
    crowded(&studio, |folder| {
        for number in 0..60_000 {
            let below = folder.join(format!("A{:03}", number / 250));
            fs::create_dir_all(&below).unwrap();
            fs::write(below.join(format!("{number}.md")), "text\n").unwrap();
        }
    });
    proven(&studio);
}
