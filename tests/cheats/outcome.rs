//! What came of a run, as whoever reviews it reads it.

use std::path::PathBuf;

use gavel_testkit::git;
use serde_json::Value;

use crate::bench::{Ended, run_id};
use crate::studio::Studio;

/// What came of a run.
pub(super) struct Outcome {
    pub(super) studio: Studio,
    pub(super) ended: Ended,
    /// Where the branch is.
    pub(super) folder: PathBuf,
}

impl Outcome {
    /// The run as `gavel review` tells it.
    pub(super) fn report(&self) -> Value {
        self.studio.bench.json(&["review", &run_id().to_string()])
    }

    /// The last judgement of the done gate; null when it never came to one.
    pub(super) fn gate(&self) -> Value {
        let report = self.report();
        let gates = report["gates"].as_array().cloned().unwrap_or_default();
        gates.last().cloned().unwrap_or_default()
    }

    /// True when the branch carries a seal.
    pub(super) fn is_sealed(&self) -> bool {
        let branch = format!("gavel/build-{}", run_id().short());
        git(&self.folder, &["ls-tree", "-r", "--name-only", &branch]).contains(".gavel/seal/")
    }

    /// True when the work left this file behind, on its branch or in what it did not commit.
    pub(super) fn left(&self, path: &str) -> bool {
        let refs = git(&self.folder, &["for-each-ref", "--format=%(refname)"]);
        refs.lines().any(|name| {
            let files = git(&self.folder, &["ls-tree", "-r", "--name-only", name]);
            files.lines().any(|file| file == path)
        })
    }

    /// Nothing is sealed, and this condition of the gate is why.
    #[track_caller]
    pub(super) fn refused(&self, condition: &str, reason: &str) -> Value {
        assert_ne!(self.ended.code, Some(0), "{:?}", self.ended);
        assert!(!self.is_sealed(), "{:?}", self.ended);
        let gate = self.gate();
        let failed = failed(&gate);
        let wanted = (condition.to_owned(), reason.to_owned());
        let told = &self.ended.stdout;
        assert!(failed.contains(&wanted), "{failed:?}: {gate:#}\n{told}");
        gate
    }

    /// Nothing is sealed, since the work took something away from what checks it: a finding of this kind
    /// about this file, which nobody released.
    #[track_caller]
    pub(super) fn found(&self, kind: &str, file: &str) {
        let gate = self.refused("tests_unharmed", "tests_weakened");
        let findings = gate["proof"]["findings"].as_array().unwrap();
        let found = findings
            .iter()
            .any(|one| one["kind"] == kind && one["file"] == file);
        assert!(found, "no {kind} in {file}: {findings:#?}");
        assert_eq!(gate["proof"]["released"], serde_json::json!([]));
    }

    /// Nothing is sealed, since the tests do not even pass: the gate was not asked, or its floor does not
    /// hold.
    #[track_caller]
    pub(super) fn not_verified(&self, reason: &str) {
        assert_ne!(self.ended.code, Some(0), "{:?}", self.ended);
        assert!(!self.is_sealed(), "{:?}", self.ended);
        let report = self.report();
        let sprints = report["sprints"].as_array().unwrap();
        let last = &sprints.last().unwrap()["verifications"];
        let last = last.as_array().unwrap().last().cloned().unwrap_or_default();
        let gate = self.gate();
        let at_gate = &gate["verification"]["reason"];
        assert!(
            last["reason"] == reason || at_gate == reason,
            "{last:#}\n{gate:#}\n{}",
            self.ended.stdout
        );
    }

    /// Sealed: what the seal says.
    #[track_caller]
    pub(super) fn sealed(&self) -> Value {
        let told = &self.ended;
        assert_eq!(told.code, Some(0), "{told:?}\n{:#}", self.gate());
        let folder = self.folder.to_str().unwrap();
        let seal = self.studio.bench.json(&["-C", folder, "seal", "verify"]);
        assert_eq!(seal["valid"], true, "{seal}");
        seal["statement"]["predicate"].clone()
    }
}

/// The conditions that were looked at and do not hold, with their codes.
fn failed(gate: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let all = gate["conditions"].as_array().cloned().unwrap_or_default();
    all.iter()
        .filter(|one| one["holds"] == false && one["reason"] != "not_reached")
        .map(|one| (text(&one["id"]), text(&one["reason"])))
        .collect()
}

/// A criterion of a gate or of a seal.
#[track_caller]
pub(super) fn criterion(of: &Value, id: &str) -> Value {
    let all = of["criteria"].as_array().or(of["evidence"].as_array());
    let mut all = all.into_iter().flatten();
    let found = all.find(|one| one["id"] == id);
    found
        .cloned()
        .unwrap_or_else(|| panic!("no {id} in {of:#}"))
}
