use gavel_domain::Blob;
use proptest::prelude::*;

use super::*;

const TREE: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

/// A run that may be sealed, to be spoiled by each test.
#[derive(Debug, Clone)]
pub(crate) struct Build {
    criteria: Vec<Criterion>,
    passed: BTreeSet<String>,
    failed: BTreeSet<String>,
    verify: VerifyFinished,
    phases: (u32, u32),
    open_errors: Vec<String>,
    audits: Vec<AuditVerdict>,
    pinned: Option<bool>,
    is_default: Option<bool>,
    threshold: u32,
}

fn criterion(id: &str) -> Criterion {
    Criterion {
        id: id.to_owned(),
        statement: format!("{id} holds"),
        example: String::new(),
    }
}

impl Build {
    pub(crate) fn good() -> Self {
        let ids = ["bookmark_added", "bookmark_listed", "tag_found"];
        let passed = [
            "cli::bookmark_added",
            "bookmark_listed",
            "a::b::tag_found",
            "unit::other",
        ];
        Self {
            criteria: ids.map(criterion).to_vec(),
            passed: passed.map(str::to_owned).into(),
            failed: BTreeSet::new(),
            verify: VerifyFinished {
                recipe: "cargo".into(),
                verdict: VerifyVerdict::Passed,
                reason: "tests_passed".into(),
                executed: 4,
                passed: 4,
                failed: 0,
                skipped: 0,
                output: Blob::new("…").name(),
                tree: Some(TREE.to_owned()),
                level: None,
                coverage: None,
                smoke: None,
            },
            phases: (2, 2),
            open_errors: Vec::new(),
            audits: vec![AuditVerdict::Pass; 2],
            pinned: Some(true),
            is_default: Some(false),
            threshold: 900,
        }
    }

    pub(crate) fn judge(&self) -> GateVerdict {
        judge_gate(&GateInputs {
            criteria: &self.criteria,
            passed_tests: &self.passed,
            failed_tests: &self.failed,
            verify: &self.verify,
            judged_tree: TREE,
            phases_done: self.phases.0,
            phases_all: self.phases.1,
            open_errors: &self.open_errors,
            audits: &self.audits,
            contracts_pinned_equal: self.pinned,
            branch_is_default: self.is_default,
            threshold_thousandths: self.threshold,
        })
    }

    /// Takes one piece of evidence away; every number is some piece.
    pub(crate) fn without(mut self, piece: u8) -> Self {
        match piece % 12 {
            0 => drop(self.passed.pop_first()),
            1 => drop(self.passed.pop_last()),
            2 => self.failed.extend(self.passed.first().cloned()),
            3 => self.verify.passed = self.verify.passed.saturating_sub(1),
            4 => self.verify.failed += 1,
            5 => self.verify.tree = None,
            6 => self.verify.verdict = VerifyVerdict::Unclear,
            7 => self.phases.0 = self.phases.0.saturating_sub(1),
            8 => self.open_errors.push("test tag_found failed".to_owned()),
            9 => drop(self.audits.pop()),
            10 => self.pinned = None,
            _ => self.is_default = None,
        }
        self
    }
}

fn failing(verdict: &GateVerdict) -> Vec<&str> {
    let conditions = verdict.conditions.iter().filter(|c| !c.holds);
    conditions.map(|condition| condition.id.as_str()).collect()
}

#[test]
fn a_good_build_passes_with_every_condition_in_order() {
    let verdict = Build::good().judge();
    assert!(verdict.passed && verdict.holds_whole());
    assert_eq!((verdict.score, verdict.reasons.as_slice()), (1000, &[][..]));
    let conditions: Vec<_> = verdict
        .conditions
        .iter()
        .map(|c| (c.id.as_str(), c.looked_at, c.held))
        .collect();
    assert_eq!(
        conditions,
        [
            ("phases_complete", 2, 2),
            ("tests_passed", 4, 4),
            ("criteria_shown", 3, 3),
            ("no_open_errors", 1, 1),
            ("audited", 2, 2),
            ("contracts_pinned", 1, 1),
            ("branch_is_ours", 1, 1),
        ]
    );
    let evidence: Vec<_> = verdict
        .criteria
        .iter()
        .map(|c| c.evidence.as_str())
        .collect();
    assert_eq!(
        evidence,
        ["cli::bookmark_added", "bookmark_listed", "a::b::tag_found"]
    );
}

#[test]
fn each_condition_has_something_that_breaks_it_alone() {
    type Spoil = fn(&mut Build);
    let table: [(&str, Spoil); 17] = [
        ("phases_complete", |b| b.phases.0 = 1),
        ("phases_complete", |b| b.phases = (3, 2)),
        ("tests_passed", |b| {
            (b.verify.executed, b.verify.passed) = (0, 0);
        }),
        ("tests_passed", |b| b.verify.failed = 1),
        ("tests_passed", |b| b.failed.extend(["unit::x".to_owned()])),
        ("tests_passed", |b| b.verify.passed = 3),
        ("tests_passed", |b| b.verify.verdict = VerifyVerdict::Failed),
        ("tests_passed", |b| {
            b.verify.verdict = VerifyVerdict::Unclear;
        }),
        ("no_open_errors", |b| {
            b.open_errors.push("it is slow".into());
        }),
        ("audited", |b| b.audits[0] = AuditVerdict::Fail),
        ("audited", |b| b.audits[1] = AuditVerdict::Unclear),
        ("audited", |b| b.audits.truncate(1)),
        ("audited", |b| b.audits.clear()),
        ("contracts_pinned", |b| b.pinned = Some(false)),
        ("contracts_pinned", |b| b.pinned = None),
        ("branch_is_ours", |b| b.is_default = Some(true)),
        ("branch_is_ours", |b| b.is_default = None),
    ];
    for (place, (condition, spoil)) in table.into_iter().enumerate() {
        let mut build = Build::good();
        spoil(&mut build);
        let verdict = build.judge();
        assert!(!verdict.passed, "{place}: {condition}");
        assert_eq!(failing(&verdict), [condition], "{place}");
        let [reason] = verdict.reasons.as_slice() else {
            panic!("{place}: one reason, not {:?}", verdict.reasons);
        };
        assert!(reason.starts_with(&format!("{condition}: ")), "{reason}");
    }
}

#[test]
fn a_verification_of_another_tree_shows_nothing() {
    for tree in [None, Some(String::new()), Some("another".to_owned())] {
        let mut build = Build::good();
        build.verify.tree = tree;
        let verdict = build.judge();
        assert!(!verdict.passed);
        assert_eq!(failing(&verdict), ["tests_passed", "criteria_shown"]);
        assert_eq!(verdict.score, 0);
    }
}

#[test]
fn a_criterion_is_shown_by_the_last_segment_of_a_passed_test_alone() {
    let mut build = Build::good();
    build.criteria = [
        "added",
        "listed",
        "tag_found",
        "other",
        "twice",
        "twice",
        "",
    ]
    .map(criterion)
    .to_vec();
    build.passed.insert("listed::helper".into());
    build.passed.insert("twice".into());
    build.passed.insert("empty::".into());
    build.failed.insert("slow::other".into());
    let verdict = build.judge();
    let shown: Vec<_> = verdict
        .criteria
        .iter()
        .map(|c| (c.id.as_str(), c.holds, c.evidence.as_str()))
        .collect();
    assert_eq!(
        shown,
        [
            ("added", false, "no test of this name was executed"),
            ("listed", false, "no test of this name was executed"),
            ("tag_found", true, "a::b::tag_found"),
            ("other", false, "the test slow::other failed"),
            ("twice", false, "several criteria have this id"),
            ("twice", false, "several criteria have this id"),
            ("", false, "no test can have this name"),
        ]
    );
    assert_eq!(verdict.score, 142);
}

#[test]
fn nothing_to_show_is_not_done() {
    let mut build = Build::good();
    build.criteria.clear();
    build.threshold = 0;
    let verdict = build.judge();
    assert_eq!((verdict.passed, verdict.score), (false, 0));
    assert_eq!(failing(&verdict), ["criteria_shown"]);
}

#[test]
fn the_threshold_excuses_missing_criteria_and_nothing_else() {
    let with_missing = |missing: usize, threshold: u32| {
        let mut build = Build::good();
        build.criteria = (0..10).map(|n| criterion(&format!("c_{n}"))).collect();
        build.passed = (missing..10).map(|n| format!("c_{n}")).collect();
        (build.verify.executed, build.verify.passed) = (10, 10);
        build.threshold = threshold;
        build.judge()
    };
    let table = [
        (0, 1000, true),
        (1, 1000, false),
        (1, 900, true),
        (2, 900, false),
        (3, 700, true),
        (3, 0, true),
        (4, 0, false),
        (0, 5000, true),
    ];
    for (missing, threshold, passed) in table {
        let verdict = with_missing(missing, threshold);
        assert_eq!(verdict.passed, passed, "{missing} missing at {threshold}");
        assert_eq!(verdict.holds_whole(), missing == 0);
        assert_eq!(verdict.reasons.is_empty(), missing == 0);
    }
    let mut build = Build::good();
    build.open_errors.push("it is slow".into());
    build.threshold = 0;
    assert!(!build.judge().passed);
}

proptest! {
    #[test]
    fn taking_evidence_away_never_helps(pieces in prop::collection::vec(any::<u8>(), 0..8), threshold in 0_u32..1100) {
        let mut build = Build { threshold, ..Build::good() };
        let mut before = build.judge();
        for piece in pieces {
            build = build.without(piece);
            let after = build.judge();
            prop_assert!(before.passed || !after.passed);
            prop_assert!(after.score <= before.score);
            for (old, new) in before.conditions.iter().zip(&after.conditions) {
                prop_assert!(old.holds || !new.holds, "{} began to hold", old.id);
                prop_assert_eq!(&old.id, &new.id);
            }
            prop_assert_eq!(after.reasons.is_empty(), after.holds_whole());
            before = after;
        }
    }
}
