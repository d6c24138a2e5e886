//! `gavel seal verify --journal`: an idea that was reworded on the way, and statements that were altered and
//! signed again with the machine's own key.

use std::path::PathBuf;

use gavel_build::{SealKey, SealPredicate, SealRefuted, open_seal, seal_file, sign_seal};
use gavel_domain::AskStanding;
use gavel_testkit::git;
use serde_json::Value;

use crate::bench::run_id;
use crate::product_hot::{project, users};
use crate::studio::Studio;

fn parts(studio: &Studio) -> Vec<(String, String)> {
    let ended = studio.run(&["--json", "seal", "verify", "--journal"]);
    let data: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(data["valid"], true, "{data:#}");
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let parts = data["journal"]["parts"].as_array().unwrap().iter();
    parts
        .map(|part| (text(&part["part"]), text(&part["outcome"])))
        .collect()
}

fn outcome(parts: &[(String, String)], wanted: &str) -> String {
    let found = parts.iter().find(|(part, _)| part == wanted);
    found
        .map(|(_, outcome)| outcome.clone())
        .unwrap_or_default()
}

#[test]
fn an_idea_that_was_reworded_is_the_journals_own() {
    let studio = Studio::offline();
    project(&studio, &users());
    let id = run_id().to_string();
    let vague = "add a retry to the login endpoint";
    let asked = studio.run(&["start", vague, "--run", &id, "--yes"]);
    assert_eq!(asked.code, Some(3), "{asked:?}");
    let other = "rename both to two_users in src/lib.rs";
    let done = studio.run(&["answer", &id, other, "--resume", "--yes"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    let verified = studio.run(&["seal", "verify", "--journal"]);
    assert_eq!(verified.code, Some(0), "{verified:?}");
    let line = format!("same, reworded: the person made of it: {other}");
    assert!(verified.stdout.contains(&line), "{verified:?}");
    let parts = parts(&studio);
    assert_eq!(outcome(&parts, "idea"), "reworded", "{parts:?}");
    let rest = parts.iter().filter(|(part, _)| part != "idea");
    assert!(
        rest.clone().all(|(_, outcome)| outcome == "same"),
        "{parts:?}"
    );
}

/// The folder with a sealed small change that `--yes` shipped.
fn shipped() -> (Studio, PathBuf) {
    let studio = Studio::offline();
    let folder = project(&studio, &users());
    let id = run_id().to_string();
    let idea = "rename get_user to fetch_user in src/lib.rs";
    let done = studio.run(&["start", idea, "--run", &id, "--yes"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    (studio, folder)
}

type Change = fn(&mut SealPredicate);

#[test]
fn each_part_that_was_altered_and_signed_again_is_named() {
    let (studio, folder) = shipped();
    let branch = format!("gavel/build-{}", run_id().short());
    let file = seal_file(&run_id().short());
    git(&folder, &["checkout", "-q", &branch]);
    let kept = std::fs::read(folder.join(&file)).unwrap();
    let (statement, _) = open_seal(&kept).unwrap();
    let keys = studio.bench.folder().join("home/.local/share/gavel/keys");
    let key = std::fs::read(keys.join("seal.pk8")).unwrap();
    let key = SealKey::from_pkcs8(&key).unwrap();
    let changes: [(&str, Change); 6] = [
        ("left_out", |seal| {
            seal.left_out.push("runner: none".to_owned());
        }),
        ("verdict", |seal| seal.reasons.rotate_left(1)),
        ("refuted", |seal| {
            seal.refuted.push(SealRefuted {
                claim: "it fits".to_owned(),
                settled: Some(gavel_rules::Settlement::Person.to_string()),
            });
        }),
        ("proof", |seal| {
            seal.proof
                .as_mut()
                .unwrap()
                .not_checked
                .push("x".to_owned());
        }),
        ("asks", |seal| {
            let criteria = seal.asks[0].criteria().to_vec();
            seal.asks[0].standing = AskStanding::Claimed {
                criteria,
                doubt: gavel_domain::ClaimDoubt::NoSharedWord,
                agreed: true,
            };
        }),
        ("idea", |seal| {
            seal.idea = seal.idea.replace("in src", "In src");
        }),
    ];
    for (part, change) in changes {
        let mut altered = statement.clone();
        change(&mut altered.predicate);
        git(&folder, &["reset", "-q", "--hard", "HEAD~1"]);
        std::fs::create_dir_all(folder.join(".gavel/seal")).unwrap();
        std::fs::write(folder.join(&file), sign_seal(&altered, &key).unwrap()).unwrap();
        git(&folder, &["add", "-f", &file]);
        git(&folder, &["commit", "-q", "-m", "altered"]);
        let told = studio.run(&["seal", "verify", "--journal"]);
        assert_eq!(told.code, Some(5), "{part}: {told:?}");
        let parts = parts(&studio);
        assert_eq!(outcome(&parts, part), "differs", "{part}: {parts:?}");
        let others = parts.iter().filter(|(other, _)| other != part);
        let same = others.clone().all(|(_, outcome)| outcome == "same");
        assert!(same, "{part}: {parts:?}");
    }
}
