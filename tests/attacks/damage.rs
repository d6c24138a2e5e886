//! A flipped byte in an old run: it is told, that run is left out, and nothing else stops.

use std::path::PathBuf;
use std::sync::Arc;

use gavel_testkit::{git, open_store};
use serde_json::Value;

use crate::bench::{Bench, Ended, run_id};
use crate::product_hot::{project, users};
use crate::studio::Studio;
use crate::terminal::Terminal;

const RENAME: &str = "rename get_user to fetch_user in src/lib.rs";
const NEXT: &str = "01890a5d-ac96-774b-bcce-b302099a8058";

/// Flips letters of the database file behind the program's back.
pub(crate) fn flip(studio: &Studio, from: &str, to: &str) {
    flip_in(&studio.bench, from, to);
}

fn flip_in(bench: &Bench, from: &str, to: &str) {
    let runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = { runtime }.enable_all().build().unwrap();
    runtime.block_on(async {
        // The last connection to close folds the log into the file.
        let store = open_store(&bench.state()).await;
        Arc::into_inner(store).unwrap().close().await.unwrap();
    });
    let file = bench.state().join("gavel.db");
    let mut bytes = std::fs::read(&file).unwrap();
    let places: Vec<usize> = bytes
        .windows(from.len())
        .enumerate()
        .filter(|(_, window)| *window == from.as_bytes())
        .map(|(place, _)| place)
        .collect();
    assert!(!places.is_empty(), "{from}");
    assert_eq!(from.len(), to.len());
    for place in places {
        bytes[place..place + to.len()].copy_from_slice(to.as_bytes());
    }
    std::fs::write(&file, bytes).unwrap();
}

/// A project beside the first, with files of its own.
fn second(studio: &Studio) -> PathBuf {
    let folder = studio.bench.folder().join("second");
    for (path, text) in users() {
        let file = folder.join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }
    git(&folder, &["init", "--quiet"]);
    git(&folder, &["add", "."]);
    git(&folder, &["commit", "--quiet", "-m", "first"]);
    folder
}

fn start_second(studio: &Studio) -> Ended {
    studio.run(&["-C", "../second", "start", RENAME, "--run", NEXT, "--yes"])
}

/// A studio with a sealed run in its first project.
fn sealed() -> Studio {
    let studio = Studio::offline();
    project(&studio, &users());
    second(&studio);
    let id = run_id().to_string();
    let first = studio.run(&["start", RENAME, "--run", &id, "--yes"]);
    assert_eq!(first.code, Some(0), "{first:?}");
    studio
}

/// The findings of the doctor about the store.
fn damage(studio: &Studio) -> Vec<String> {
    let checks = studio.bench.json(&["doctor"])["checks"].clone();
    let checks = checks.as_array().unwrap().iter();
    let damage = checks.filter(|check| check["name"] == "damage");
    damage
        .map(|check| check["found"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn a_damaged_run_stops_nothing_and_can_be_saved_and_dropped() {
    let studio = sealed();
    let id = run_id().to_string();
    let spent = studio.bench.json(&["usage"]);
    flip(&studio, "\"flow\":", "\"flaw\":");
    let next = start_second(&studio);
    assert_eq!(next.code, Some(0), "{next:?}");
    let warnings = next.stderr.matches("is left out: gavel doctor tells more");
    assert_eq!(warnings.count(), 1, "{next:?}");
    assert!(next.stderr.contains(&id), "{next:?}");

    // Everything that looks at several runs goes on.
    for args in [
        &["status"][..],
        &["usage"],
        &["council", "stats"],
        &["memory", "list"],
        &["memory", "audit"],
        &["memory", "list", "--proposed"],
        &["loop", "list"],
    ] {
        let ended = studio.run(args);
        assert_eq!(ended.code, Some(0), "{args:?} {ended:?}");
    }
    let told = damage(&studio);
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].contains(&id), "{told:?}");
    assert_eq!(studio.run(&["doctor"]).code, Some(1));

    let file = studio.bench.folder().join("saved.jsonl");
    let saved = studio
        .bench
        .json(&["runs", "export", &id, file.to_str().unwrap()]);
    assert_eq!(saved["schema"], "gavel/runs_export/v1", "{saved}");
    assert!(saved["damaged"].as_u64().unwrap() >= 1, "{saved}");
    let lines = std::fs::read_to_string(&file).unwrap();
    let lines: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines[0]["run"], id.as_str());
    assert!(lines[1]["body"]["flaw"].is_number(), "{}", lines[1]);
    assert!(lines.iter().any(|line| !line["damaged"].is_null()));
    assert!(lines.iter().any(|line| line["kind"] == "sealed"));
    let again = studio.run(&["runs", "export", &id, file.to_str().unwrap()]);
    assert_eq!(again.code, Some(1), "nothing is written over: {again:?}");

    let asked = studio.run(&["runs", "drop", &id]);
    assert_eq!(asked.code, Some(2), "{asked:?}");
    assert!(asked.stderr.contains("--yes"), "{asked:?}");
    let dropped = studio.bench.json(&["runs", "drop", &id, "--yes"]);
    assert_eq!(dropped["ledger"], "kept", "{dropped}");
    assert_eq!(damage(&studio), [""; 0]);
    assert_eq!(studio.run(&["doctor"]).code, Some(0));
    assert_eq!(studio.run(&["status", &id]).code, Some(2));
    let after = studio.bench.json(&["usage"]);
    assert!(
        after["calls"].as_u64() >= spent["calls"].as_u64(),
        "{after}"
    );
}

#[test]
fn a_head_that_cannot_be_read_hides_no_other_run() {
    let studio = sealed();
    let id = run_id().to_string();
    flip(&studio, "\"state\":\"sealed\"", "\"state\":\"sea1ed\"");
    let next = start_second(&studio);
    assert_eq!(next.code, Some(0), "{next:?}");
    assert!(next.stderr.contains(&id), "{next:?}");
    let told = damage(&studio);
    assert!(told.iter().any(|line| line.contains(&id)), "{told:?}");
    let dropped = studio.run(&["runs", "drop", &id, "--yes"]);
    assert_eq!(dropped.code, Some(0), "{dropped:?}");
    assert_eq!(damage(&studio), [""; 0]);
}

#[test]
fn an_undamaged_store_warns_of_nothing_and_a_run_under_way_is_kept() {
    let studio = sealed();
    let next = start_second(&studio);
    assert_eq!(next.code, Some(0), "{next:?}");
    assert!(!next.stderr.contains("left out"), "{next:?}");
    assert_eq!(damage(&studio), [""; 0]);
    let third = "01890a5d-ac96-774b-bcce-b302099a8059";
    let far = studio.run(&[
        "start",
        "a web shop with payments",
        "--into",
        "x",
        "--run",
        third,
    ]);
    assert_eq!(far.code, Some(3), "{far:?}");
    let kept = studio.run(&["runs", "drop", third, "--yes"]);
    assert_eq!(kept.code, Some(6), "{kept:?}");
    // One that is over goes when a person says so, and the others stay.
    let id = run_id().to_string();
    for (typed, code) in [("no", Some(6)), ("yes", Some(0))] {
        let mut person = Terminal::open(studio.command(&["runs", "drop", &id]), 100);
        let shown = person.wait_for("Drop it for good?");
        assert!(shown.contains(RENAME), "{shown}");
        person.press(&format!("{typed}\r"));
        let (ended, shown) = person.end();
        assert_eq!(ended, code, "{typed}: {shown}");
    }
    assert_eq!(studio.run(&["status", &id]).code, Some(2));
    assert_eq!(studio.run(&["replay", NEXT]).code, Some(0));
}

/// A row of the ledger that is not what it should be: it is named, and the others are summed.
#[test]
fn a_damaged_row_of_the_ledger_hides_no_other_row() {
    let bench = Bench::new();
    let mut own = std::fs::read_to_string(bench.own_file()).unwrap();
    own.push_str(
        "\n[[models.catalogue]]\nid = \"fake/other\"\nprice = { input = \"1\", output = \"2\" }\n",
    );
    std::fs::write(bench.own_file(), own).unwrap();
    for (run, model) in [
        (run_id().to_string(), "fake/model"),
        (NEXT.to_owned(), "fake/other"),
    ] {
        let mut args = bench.toy_args(&run, &["--drafts", "1"]);
        let at = args.iter().position(|arg| *arg == "fake/model").unwrap();
        args[at] = model;
        assert_eq!(bench.run(&args).code, Some(3));
    }
    let sound = bench.json(&["usage"]);
    assert_eq!(
        (&sound["calls"], &sound["damaged"]),
        (&2.into(), &serde_json::json!([]))
    );
    // The columns of a row stand one behind the other.
    flip_in(&bench, "fake/othercoder", "fake/otherc0der");
    let shown = bench.run(&["usage"]);
    assert_eq!(shown.code, Some(0), "{shown:?}");
    assert!(shown.stdout.contains("1 reply"), "{shown:?}");
    assert!(shown.stderr.contains("row 2 of the ledger"), "{shown:?}");
    assert!(shown.stderr.contains(NEXT), "{shown:?}");
    let told = bench.json(&["usage"]);
    assert_eq!(told["calls"], 1, "{told}");
    assert_eq!(told["damaged"][0]["row"], 2, "{told}");
    assert_eq!(told["by_model"][0]["model"], "fake/model", "{told}");
    for (run, named) in [(run_id().to_string(), false), (NEXT.to_owned(), true)] {
        let forensics = bench.run(&["usage", "forensics", &run]);
        assert_eq!(forensics.code, Some(0), "{forensics:?}");
        let told = forensics.stderr.contains("row 2 of the ledger");
        assert_eq!(told, named, "{forensics:?}");
    }
    let doctor = bench.run(&["doctor"]);
    assert!(doctor.stdout.contains("the ledger"), "{doctor:?}");
}
