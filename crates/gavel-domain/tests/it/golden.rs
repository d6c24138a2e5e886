//! Every fact's stored text against the golden files: what was written once is read for ever.
//!
//! `tests/golden/<kind>.jsonl` holds the texts of a kind, one a line. When a fact gains a field or a
//! variant, lines are added; one that was released is never changed or removed, for journals hold it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use gavel_domain::{
    BuildFact, CouncilFact, Digest, Epoch, JudgingFact, Key, LoopFact, MoneyFact, OutcomeFact,
    PlanFact, ProofFact, QuestionFact, Record, RecordDraft, RunFact, RunId, Seq, StepFact,
    Timestamp, WorkFact,
};

use crate::examples::{Example, examples};

#[test]
fn every_fact_is_written_as_it_is_frozen() {
    for (kind, examples) in by_kind() {
        let frozen = read(&kind);
        for example in examples {
            assert!(
                frozen.lines().any(|line| line == example.text),
                "{} does not hold this line; add it, and keep the others:\n{}",
                file(&kind).display(),
                example.text
            );
            assert!((example.reads)(&example.text), "{}", example.text);
        }
    }
}

#[test]
fn every_text_that_was_ever_written_is_read() {
    for kind in by_kind().into_keys() {
        for line in read(&kind).lines() {
            let record = record(&kind, line);
            let groups = [
                RunFact::read(&record).map(|fact| fact.is_some()),
                StepFact::read(&record).map(|fact| fact.is_some()),
                QuestionFact::read(&record).map(|fact| fact.is_some()),
                MoneyFact::read(&record).map(|fact| fact.is_some()),
                WorkFact::read(&record).map(|fact| fact.is_some()),
                PlanFact::read(&record).map(|fact| fact.is_some()),
                CouncilFact::read(&record).map(|fact| fact.is_some()),
                OutcomeFact::read(&record).map(|fact| fact.is_some()),
                BuildFact::read(&record).map(|fact| fact.is_some()),
                JudgingFact::read(&record).map(|fact| fact.is_some()),
                LoopFact::read(&record).map(|fact| fact.is_some()),
                ProofFact::read(&record).map(|fact| fact.is_some()),
            ];
            let found = groups.into_iter().filter(|group| *group.as_ref().unwrap());
            assert_eq!(found.count(), 1, "{kind} belongs to one group");
        }
    }
}

#[test]
fn every_kind_is_frozen_and_nothing_else() {
    let groups = [
        RunFact::KINDS,
        StepFact::KINDS,
        QuestionFact::KINDS,
        MoneyFact::KINDS,
        WorkFact::KINDS,
        PlanFact::KINDS,
        CouncilFact::KINDS,
        OutcomeFact::KINDS,
        BuildFact::KINDS,
        JudgingFact::KINDS,
        LoopFact::KINDS,
        ProofFact::KINDS,
    ];
    let kinds: BTreeSet<String> = groups.concat().into_iter().map(str::to_owned).collect();
    let with_examples: BTreeSet<String> = by_kind().into_keys().collect();
    assert_eq!(with_examples, kinds, "kinds with an example");
    let files = std::fs::read_dir(folder()).unwrap();
    let files = files.map(|entry| {
        let path = entry.unwrap().path();
        path.file_stem().unwrap().to_str().unwrap().to_owned()
    });
    assert_eq!(files.collect::<BTreeSet<_>>(), kinds, "golden files");
}

#[test]
fn a_field_that_a_later_version_adds_is_passed_over() {
    let line = r#"{"stage":"council","mood":"calm"}"#;
    let read = RunFact::read(&record("stage_entered", line)).unwrap();
    assert!(matches!(read, Some(RunFact::StageEntered(_))));
}

/// The chain of every journal rests on this: the digest of a record never changes its recipe.
#[test]
fn the_digest_of_a_record_is_frozen() {
    let record = record("stage_entered", r#"{"stage":"council"}"#);
    assert_eq!(
        record.digest().to_string(),
        "aee859e53ea23c67cad59fe6e070ac06ed56bb4c682a62a38c9529ebf2cd31f0"
    );
    // Whole seconds have no decimals; the text of the moment is part of the digest.
    assert_eq!(record.at.to_string(), "2026-11-15T12:00:00.5Z");
}

fn by_kind() -> BTreeMap<String, Vec<Example>> {
    let mut kinds: BTreeMap<String, Vec<Example>> = BTreeMap::new();
    for example in examples() {
        kinds
            .entry(example.kind.to_owned())
            .or_default()
            .push(example);
    }
    kinds
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

fn file(kind: &str) -> PathBuf {
    folder().join(format!("{kind}.jsonl"))
}

#[expect(
    clippy::disallowed_methods,
    reason = "the test reads files; the crate does not"
)]
fn read(kind: &str) -> String {
    std::fs::read_to_string(file(kind)).unwrap_or_default()
}

fn record(kind: &str, body: &str) -> Record {
    let draft = RecordDraft {
        key: Key::new("some/key").unwrap().attempt(2),
        kind: "",
        input: Digest::of("input"),
        body: body.to_owned(),
    };
    let run: RunId = "01890a5d-ac96-774b-bcce-b302099a8057".parse().unwrap();
    let at: Timestamp = "2026-11-15T12:00:00.500Z".parse().unwrap();
    let place = (Seq(7), Epoch(3));
    let mut record = draft.place(run, place, at, Digest::of("prev"));
    kind.clone_into(&mut record.kind);
    record
}
