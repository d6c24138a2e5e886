//! Five ideas, each with a script that was written from the idea alone: `gavel start` builds the program, the
//! script uses it as a person would. Two of them are always tried, the others with `GAVEL_TEST_WITH=ideas`.

use std::path::PathBuf;
use std::process::Command;

use gavel_testkit::{asked_for, git, text_asked_for};

use self::program::Program;
use crate::bench::run_id;
use crate::studio::Studio;

#[path = "ideas/cellar.rs"]
mod cellar;
#[path = "ideas/fuel.rs"]
mod fuel;
#[path = "ideas/lent.rs"]
mod lent;
#[path = "ideas/program.rs"]
mod program;
#[path = "ideas/reach.rs"]
mod reach;
#[path = "ideas/recipes.rs"]
mod recipes;
#[path = "ideas/vet.rs"]
mod vet;

/// Drives the idea to a sealed branch, and builds what is on it, as somebody who cloned it would.
fn built(studio: &Studio, idea: &str) -> Program {
    let id = run_id().to_string();
    let fixed = ["start", idea, "--into", "made", "--run", &id, "--yes"];
    let done = studio.run(&[&fixed[..], &["-c", "proof.mutants=4"]].concat());
    assert_eq!(done.code, Some(0), "{done:?}");
    assert_proven(studio, idea);
    let kept = studio.bench.json(&["contracts", "check", &id]);
    assert_eq!(kept["findings"], serde_json::json!([]), "{kept}");
    let branch = format!("gavel/build-{}", run_id().short());
    let folder = studio.bench.folder();
    git(
        folder,
        &["clone", "-q", "-b", &branch, "project/made", "cloned"],
    );
    let cloned = folder.join("cloned");
    let manifest = std::fs::read_to_string(cloned.join("Cargo.toml")).unwrap();
    let name = manifest.split('"').nth(1).unwrap();
    cargo_build(&cloned);
    Program::new(cloned.join("target/debug").join(name))
}

/// Every criterion is shown as firmly as a certified run needs, and its tests catch most faults: which ones
/// are tried depends on the run's seed, so that the share differs from run to run.
fn assert_proven(studio: &Studio, idea: &str) {
    let seal = studio.seal();
    let proof = &seal["statement"]["predicate"]["proof"];
    let number = |name: &str| proof[name].as_u64().unwrap();
    let (killed, mutants) = (number("killed"), number("mutants"));
    eprintln!(
        "{idea}: {killed} of {mutants} mutants killed, {}",
        seal["evidence_ranks"]
    );
    assert!(killed * 10 >= mutants * 9, "{killed} of {mutants}: {proof}");
    assert_eq!(proof.get("hollow"), None, "{proof}");
    let ranks = seal["evidence_ranks"].as_object().unwrap();
    let weak = ranks
        .keys()
        .any(|rank| rank != "executed" && rank != "test_bites");
    assert!(!weak, "{ranks:?}");
}

#[expect(
    clippy::disallowed_methods,
    reason = "this is how a person builds what was made"
)]
fn cargo_build(folder: &PathBuf) {
    let cargo = text_asked_for("CARGO").unwrap_or_else(|| "cargo".to_owned());
    let mut command = Command::new(cargo);
    command.args(["build", "--quiet", "--offline"]);
    command.args(["--target-dir", "target"]).current_dir(folder);
    assert!(command.status().unwrap().success());
}

fn tried(idea: &str, script: fn(&Program)) {
    let studio = Studio::offline();
    script(&built(&studio, idea));
}

#[test]
fn pets_and_their_visits() {
    tried(vet::IDEA, |vet| {
        vet::script(vet);
        vet::no_orphans(vet);
    });
}

#[test]
fn fuel_by_month() {
    tried(fuel::IDEA, fuel::script);
}

#[test]
fn recipes_with_tags() {
    if asked_for("ideas") {
        tried(recipes::IDEA, recipes::script);
    }
}

#[test]
fn wines_in_a_cellar() {
    if asked_for("ideas") {
        tried(cellar::IDEA, cellar::script);
    }
}

#[test]
fn tools_that_were_lent() {
    if asked_for("ideas") {
        tried(lent::IDEA, lent::script);
    }
}
