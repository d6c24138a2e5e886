use gavel_domain::{Blob, EvidenceRef, VerifyVerdict};
use proptest::prelude::*;

use super::*;

const TREE: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
const SIX: [&str; 6] = [
    "engineering_floor",
    "evidence",
    "weighted_score",
    "assumption_ledger",
    "owner_customer",
    "user_approval",
];

/// A run that may be sealed, to be spoiled by each test.
#[derive(Debug, Clone)]
pub(crate) struct Build {
    route: Route,
    judged: Option<Vec<CriterionJudged>>,
    unproven: Vec<String>,
    failed: BTreeSet<String>,
    verify: VerifyFinished,
    phases: (u32, u32),
    open_errors: Vec<String>,
    audits: Vec<AuditVerdict>,
    contracts: u32,
    pinned: bool,
    is_default: bool,
    threshold: u32,
    assumptions: Option<Vec<String>>,
    fell: Vec<String>,
    owner: Option<(bool, Vec<String>)>,
    approval: Option<ShipWord>,
    work: Option<WorkChecks<'static>>,
}

fn criterion(id: &str, standing: CriterionStanding) -> CriterionJudged {
    let evidence = match standing {
        CriterionStanding::Met | CriterionStanding::Partial => vec![EvidenceRef::Test {
            name: format!("cli::{id}"),
        }],
        CriterionStanding::Unmet => Vec::new(),
    };
    CriterionJudged {
        id: id.to_owned(),
        standing,
        evidence,
        note: String::new(),
        weight: 1,
        rank: None,
        caught: String::new(),
    }
}

impl Build {
    pub(crate) fn good() -> Self {
        let ids = ["bookmark_added", "bookmark_listed", "tag_found"];
        let met = |id| criterion(id, CriterionStanding::Met);
        Self {
            route: Route::Council,
            judged: Some(ids.map(met).to_vec()),
            unproven: Vec::new(),
            failed: BTreeSet::new(),
            verify: VerifyFinished {
                recipe: "cargo".into(),
                verdict: VerifyVerdict::Passed,
                reason: "all_passed".into(),
                executed: 4,
                passed: 4,
                failed: 0,
                skipped: 0,
                output: Blob::new("…").name(),
                tree: Some(TREE.to_owned()),
                level: None,
                coverage: None,
                smoke: None,
                install: Vec::new(),
            },
            phases: (2, 2),
            open_errors: Vec::new(),
            audits: vec![AuditVerdict::Pass; 2],
            contracts: 9,
            pinned: true,
            is_default: false,
            threshold: 900,
            assumptions: Some(Vec::new()),
            fell: Vec::new(),
            owner: Some((true, Vec::new())),
            approval: Some(ShipWord::Agreed(Approver::Person)),
            work: None,
        }
    }

    pub(crate) fn judge(&self) -> GateVerdict {
        judge_gate(&GateInputs {
            route: self.route,
            verify: &self.verify,
            failed_tests: &self.failed,
            judged_tree: TREE,
            phases_done: self.phases.0,
            phases_all: self.phases.1,
            open_errors: &self.open_errors,
            audits: &self.audits,
            contracts: self.contracts,
            contracts_pinned_equal: self.pinned,
            branch_is_default: self.is_default,
            threshold_thousandths: self.threshold,
            judged: self.judged.as_deref(),
            unproven: &self.unproven,
            assumptions: self.assumptions.as_deref(),
            fell: &self.fell,
            owner: self.owner.as_ref().map(|(ship, objections)| OwnerWord {
                ship: *ship,
                objections,
            }),
            approval: self.approval,
            work: self.work,
        })
    }

    /// Ten criteria of which the last ones are not met.
    pub(crate) fn with_missing(missing: usize, threshold: u32) -> Self {
        let one = |number: usize| {
            let standing = if number < 10 - missing {
                CriterionStanding::Met
            } else {
                CriterionStanding::Unmet
            };
            criterion(&format!("c_{number}"), standing)
        };
        Self {
            judged: Some((0..10).map(one).collect()),
            threshold,
            ..Self::good()
        }
    }

    /// Takes something away; every number is some piece.
    pub(crate) fn without(mut self, piece: u8) -> Self {
        match piece % 18 {
            0 => self.judged = None,
            1 => self.unproven.extend(["tag_found".to_owned()]),
            2 => self.failed.extend(["cli::tag_found".to_owned()]),
            3 => self.verify.passed = self.verify.passed.saturating_sub(1),
            4 => self.verify.failed += 1,
            5 => self.verify.tree = None,
            6 => self.verify.verdict = VerifyVerdict::Unclear,
            7 => self.phases.0 = self.phases.0.saturating_sub(1),
            8 => self.open_errors.push("test tag_found failed".to_owned()),
            9 => drop(self.audits.pop()),
            10 => self.pinned = false,
            11 => self.is_default = true,
            12 => self.verify.coverage = Some(0),
            13 => self.assumptions = None,
            14 => self.fell.push("one person uses it".to_owned()),
            15 => self.owner = Some((false, vec!["it is slow".to_owned()])),
            16 => self.approval = Some(ShipWord::Refused),
            _ => {
                for one in self.judged.iter_mut().flatten().take(1) {
                    one.standing = CriterionStanding::Unmet;
                    one.evidence.clear();
                }
            }
        }
        self
    }
}

fn code<'a>(verdict: &'a GateVerdict, id: &str) -> (bool, &'a str) {
    let found = verdict.conditions.iter().find(|one| one.id == id);
    let found = found.unwrap();
    (found.holds, found.reason.as_str())
}

#[test]
fn a_good_build_passes_with_the_six_in_order_and_the_others_behind_them() {
    let verdict = Build::good().judge();
    assert!(verdict.passed && verdict.holds_whole());
    assert_eq!((verdict.score, verdict.reasons.as_slice()), (1000, &[][..]));
    assert_eq!(verdict.failed(), None);
    let conditions: Vec<_> = verdict
        .conditions
        .iter()
        .map(|c| (c.id.as_str(), c.looked_at, c.held, c.reason.as_str()))
        .collect();
    assert_eq!(
        conditions,
        [
            ("engineering_floor", 4, 4, ""),
            ("evidence", 3, 3, ""),
            ("weighted_score", 3, 3, ""),
            ("assumption_ledger", 1, 1, ""),
            ("owner_customer", 1, 1, ""),
            ("user_approval", 1, 1, ""),
            ("phases_complete", 2, 2, ""),
            ("no_open_errors", 1, 1, ""),
            ("audited", 2, 2, ""),
            ("contracts_pinned", 1, 1, ""),
            ("branch_is_ours", 1, 1, ""),
        ]
    );
}

/// Each of the six conditions, and what makes it fail with which code; whatever comes after it is
/// not reached.
#[test]
fn the_matrix_of_the_six_conditions() {
    type Spoil = fn(&mut Build);
    let table: [(&str, &str, Spoil); 22] = [
        (SIX[0], "no_recipe", |b| {
            b.verify.reason = "no_recipe".into();
        }),
        (SIX[0], "no_recipe", |b| b.verify.recipe.clear()),
        (SIX[0], "could_not_run", |b| {
            b.verify.reason = "search_stopped".into();
        }),
        (SIX[0], "no_test_commands", |b| {
            b.verify.reason = "no_test_commands".into();
        }),
        (SIX[0], "no_test_executed", |b| {
            (b.verify.executed, b.verify.passed) = (0, 0);
        }),
        (SIX[0], "tests_failed", |b| b.verify.failed = 1),
        (SIX[0], "tests_failed", |b| {
            b.failed.extend(["unit::x".to_owned()]);
        }),
        (SIX[0], "tests_failed", |b| b.verify.passed = 3),
        (SIX[0], "tests_failed", |b| {
            b.verify.verdict = VerifyVerdict::Failed;
        }),
        (SIX[0], "could_not_run", |b| {
            b.verify.verdict = VerifyVerdict::Unclear;
        }),
        (SIX[0], "could_not_run", |b| {
            b.verify.reason = "could_not_run".into();
        }),
        (SIX[0], "not_fresh", |b| b.verify.tree = None),
        (SIX[0], "not_fresh", |b| {
            b.verify.tree = Some("another".into());
        }),
        (SIX[0], "zero_coverage", |b| b.verify.coverage = Some(0)),
        (SIX[1], "missing_evidence", |b| {
            b.unproven.push("tag_found".into());
        }),
        (SIX[1], "missing_evidence", |b| {
            b.judged.as_mut().unwrap()[1].evidence.clear();
        }),
        (SIX[2], "score_below_threshold", |b| {
            *b = Build::with_missing(2, 900);
        }),
        (SIX[2], "score_below_threshold", |b| {
            b.judged = Some(Vec::new());
        }),
        (SIX[3], "unverified_critical_assumptions", |b| {
            b.assumptions = Some(vec!["x".into()]);
        }),
        (SIX[3], "critical_assumption_fell", |b| {
            b.fell.push("x".into());
        }),
        (SIX[4], "rejected", |b| {
            b.owner = Some((false, vec!["it is slow".into()]));
        }),
        (SIX[5], "user_rejected", |b| {
            b.approval = Some(ShipWord::Refused);
        }),
    ];
    for (id, reason, spoil) in table {
        let mut build = Build::good();
        spoil(&mut build);
        let verdict = build.judge();
        assert!(!verdict.passed, "{id} {reason}");
        let failed = verdict.failed().unwrap();
        assert_eq!((failed.id.as_str(), failed.reason.as_str()), (id, reason));
        let place = SIX.iter().position(|one| *one == id).unwrap();
        for (number, other) in SIX.iter().enumerate() {
            let wanted = match number.cmp(&place) {
                std::cmp::Ordering::Less => (true, ""),
                std::cmp::Ordering::Equal => (false, reason),
                std::cmp::Ordering::Greater => (false, "not_reached"),
            };
            assert_eq!(code(&verdict, other), wanted, "{id} {reason}");
        }
        let [told] = verdict.reasons.as_slice() else {
            panic!("{id}: one reason, not {:?}", verdict.reasons);
        };
        assert!(told.starts_with(&format!("{id}: ")), "{told}");
    }
}

#[test]
fn coverage_fails_only_where_it_was_measured() {
    for (coverage, holds) in [
        (None, true),
        (Some(0), false),
        (Some(1), true),
        (Some(1000), true),
    ] {
        let mut build = Build::good();
        build.verify.coverage = coverage;
        assert_eq!(build.judge().passed, holds, "{coverage:?}");
    }
}

#[test]
fn each_condition_of_every_build_stops_before_anybody_is_asked() {
    type Spoil = fn(&mut Build);
    let table: [(&str, Spoil); 9] = [
        ("phases_complete", |b| b.phases.0 = 1),
        ("phases_complete", |b| b.phases = (3, 2)),
        ("no_open_errors", |b| {
            b.open_errors.push("it is slow".into());
        }),
        ("audited", |b| b.audits[0] = AuditVerdict::Fail),
        ("audited", |b| b.audits[1] = AuditVerdict::Unclear),
        ("audited", |b| b.audits.truncate(1)),
        ("audited", |b| b.audits.clear()),
        ("contracts_pinned", |b| b.pinned = false),
        ("branch_is_ours", |b| b.is_default = true),
    ];
    for (place, (id, spoil)) in table.into_iter().enumerate() {
        // Whatever a judge says about it, and before any judge says anything.
        for judged in [
            Build::good(),
            Build::good().without(0),
            Build::good().without(1),
            Build::with_missing(5, 900),
        ] {
            let mut build = judged;
            spoil(&mut build);
            let verdict = build.judge();
            assert!(!verdict.passed, "{place}: {id}");
            assert_eq!(verdict.failed().unwrap().id, id, "{place}");
            assert!(!verdict.failed().unwrap().reason.is_empty(), "{place}");
            assert_eq!(code(&verdict, SIX[0]), (true, ""), "{place}");
            for six in &SIX[1..] {
                assert_eq!(code(&verdict, six), (false, "not_reached"), "{place}");
            }
        }
    }
}

#[test]
fn what_nobody_was_asked_yet_is_not_reached_and_nothing_failed() {
    let mut build = Build::good();
    build.approval = None;
    let verdict = build.judge();
    assert_eq!((verdict.passed, verdict.failed()), (false, None));
    assert_eq!(code(&verdict, "user_approval"), (false, "not_reached"));
    assert_eq!(code(&verdict, "owner_customer"), (true, ""));
    build.judged = None;
    let verdict = build.judge();
    assert_eq!((verdict.passed, verdict.failed()), (false, None));
    for id in &SIX[1..] {
        assert_eq!(code(&verdict, id), (false, "not_reached"), "{id}");
    }
    // A condition of every build says so even before the criteria are judged.
    build.open_errors.push("it is slow".into());
    assert_eq!(build.judge().failed().unwrap().id, "no_open_errors");
}

#[test]
fn a_small_change_has_no_ledger_no_customer_and_perhaps_no_contracts() {
    let mut build = Build::good();
    build.route = Route::HotPath;
    (build.assumptions, build.owner) = (None, None);
    let verdict = build.judge();
    assert!(verdict.passed && verdict.holds_whole(), "{verdict:?}");
    for id in ["assumption_ledger", "owner_customer"] {
        assert_eq!(code(&verdict, id), (true, "not_applicable"));
    }
    assert_eq!(code(&verdict, "contracts_pinned"), (true, ""));
    (build.phases, build.contracts) = ((0, 0), 0);
    build.audits.clear();
    let verdict = build.judge();
    assert!(verdict.passed, "{verdict:?}");
    for id in ["phases_complete", "audited", "contracts_pinned"] {
        assert_eq!(code(&verdict, id), (true, "not_applicable"));
    }
    // The same is not enough where a council planned it.
    build.route = Route::Council;
    (build.assumptions, build.owner) = (Some(Vec::new()), Some((true, Vec::new())));
    assert_eq!(build.judge().failed().unwrap().id, "phases_complete");
    // And a person is asked either way.
    let mut refused = Build::good();
    (refused.route, refused.approval) = (Route::HotPath, Some(ShipWord::Refused));
    assert_eq!(refused.judge().failed().unwrap().reason, "user_rejected");
}

#[test]
fn the_threshold_excuses_missing_criteria_and_nothing_else() {
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
        let verdict = Build::with_missing(missing, threshold).judge();
        assert_eq!(verdict.passed, passed, "{missing} missing at {threshold}");
        assert_eq!(verdict.holds_whole(), missing == 0);
        assert_eq!(verdict.reasons.is_empty(), missing == 0);
    }
    let verdict = Build::with_missing(1, 900).judge();
    assert_eq!(
        verdict.reasons,
        ["weighted_score: 1 criteria are not met: c_9"]
    );
    let mut build = Build::good();
    build.open_errors.push("it is slow".into());
    build.threshold = 0;
    assert!(!build.judge().passed);
}

#[test]
fn what_is_on_record_stands_whatever_the_rules_say_today() {
    let judged = |verdict: &GateVerdict| GateJudged {
        commit: "c".to_owned(),
        passed: verdict.passed,
        score: verdict.score,
        conditions: verdict.conditions.clone(),
        evidence: Blob::new("[]").name(),
        faults: None,
    };
    let (good, bad) = (Build::good().judge(), Build::with_missing(2, 900).judge());
    let short = Build::with_missing(1, 900).judge();
    // What is the same keeps its sentences.
    let same = bad.clone().on_record(&judged(&bad), bad.criteria.clone());
    assert_eq!(same, bad);
    let failed = good.clone().on_record(&judged(&bad), bad.criteria.clone());
    assert_eq!((failed.passed, failed.score), (false, 800));
    assert_eq!(failed.failed().unwrap().reason, "score_below_threshold");
    assert_eq!(failed.reasons, ["weighted_score: score_below_threshold"]);
    assert_eq!(failed.criteria, bad.criteria);
    let passed = bad.on_record(&judged(&short), short.criteria.clone());
    assert_eq!((passed.passed, passed.failed()), (true, None));
    assert_eq!(passed, short);
}

#[test]
fn heavy_criteria_count_more() {
    let mut build = Build::with_missing(1, 900);
    for one in build.judged.iter_mut().flatten() {
        one.weight = if one.standing == CriterionStanding::Unmet {
            5
        } else {
            1
        };
    }
    let verdict = build.judge();
    assert_eq!((verdict.passed, verdict.score), (false, 642));
}

proptest! {
    #[test]
    fn taking_something_away_never_helps(pieces in prop::collection::vec(any::<u8>(), 0..8), threshold in 0_u32..1100) {
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
            prop_assert_eq!(after.passed, after.conditions.iter().all(|one| one.holds));
            before = after;
        }
    }

    /// Whatever else is said: without a test that was executed, and with one that failed, no gate
    /// passes.
    #[test]
    fn nothing_passes_without_executed_tests(
        hot in any::<bool>(),
        (executed, passed, failed) in (0_u32..3, 0_u32..3, 0_u32..3),
        reason in "[a-z_]{0,20}",
        verdict in 0_u8..3,
        coverage in prop::option::of(0_u32..1001),
        (approved, ship) in (any::<bool>(), any::<bool>()),
    ) {
        let mut build = Build::good();
        build.route = if hot { Route::HotPath } else { Route::Council };
        build.verify.verdict = match verdict {
            0 => VerifyVerdict::Passed,
            1 => VerifyVerdict::Failed,
            _ => VerifyVerdict::Unclear,
        };
        (build.verify.executed, build.verify.passed, build.verify.failed) = (executed, passed, failed);
        (build.verify.reason, build.verify.coverage) = (reason, coverage);
        let word = if approved {
            ShipWord::Agreed(Approver::Person)
        } else {
            ShipWord::Refused
        };
        (build.approval, build.owner) = (Some(word), Some((ship, Vec::new())));
        let gate = build.judge();
        if gate.passed {
            prop_assert!(executed > 0 && passed == executed && failed == 0);
            prop_assert_eq!(build.verify.verdict, VerifyVerdict::Passed);
            prop_assert!(approved && (hot || ship));
            prop_assert!(coverage != Some(0));
        }
    }
}

const CLEAN: WorkChecks<'static> = WorkChecks {
    hollow: &[],
    files: 7,
    findings: &[],
    base_tests: BaseTests::None,
    fix: FixShown::NotAsked,
    rules: 0,
    broken: &[],
};

/// The condition that a build with this work fails by, and what is told about it.
fn failed_by(work: WorkChecks<'static>) -> Option<(String, String, String)> {
    let build = Build {
        work: Some(work),
        ..Build::good()
    };
    let verdict = build.judge();
    let failed = verdict.failed()?;
    Some((
        failed.id.clone(),
        failed.reason.clone(),
        verdict.reasons.join("; "),
    ))
}

#[test]
fn what_was_there_before_must_hold() {
    let why: &'static [String] = Box::leak(Box::new(["adds: it failed".to_owned()]));
    assert_eq!(failed_by(CLEAN), None);
    let held = WorkChecks {
        base_tests: BaseTests::Held,
        fix: FixShown::Shown(1),
        rules: 3,
        ..CLEAN
    };
    assert_eq!(failed_by(held), None);
    let table = [
        (
            WorkChecks {
                findings: why,
                ..held
            },
            "tests_unharmed",
            "tests_weakened",
            "1 findings about what was there before: adds: it failed",
        ),
        (
            WorkChecks {
                base_tests: BaseTests::Failed(why),
                ..held
            },
            "base_tests",
            "base_tests_failed",
            "1 tests from before the run do not hold: adds: it failed",
        ),
        (
            WorkChecks {
                fix: FixShown::Missing,
                ..held
            },
            "fix_shown",
            "no_failing_test",
            "no test that came with the fix fails on the code from before it",
        ),
        (
            WorkChecks {
                fix: FixShown::Hollow,
                ..held
            },
            "fix_shown",
            "hollow_test",
            "what came with the fix and fails before it are hollow tests: none notices a fault in the \
             code",
        ),
        (
            WorkChecks {
                hollow: why,
                ..held
            },
            "tests_bite",
            "hollow_tests",
            "1 tests of criteria are hollow: adds: it failed",
        ),
        (
            WorkChecks {
                broken: why,
                ..held
            },
            "contracts_kept",
            "contract_broken",
            "1 places break the contracts: adds: it failed",
        ),
    ];
    for (work, id, reason, told) in table {
        let (failed, code, reasons) = failed_by(work).unwrap();
        assert_eq!((failed.as_str(), code.as_str()), (id, reason));
        assert_eq!(reasons, format!("{id}: {told}"));
    }
}

#[test]
fn a_fix_is_not_shown_by_hollow_tests_alone() {
    use gavel_domain::TestOutcome::{Bites, Failed, Hollow, NotMeasured};
    let proof = |outcome| TestProof {
        test: "it".to_owned(),
        outcome,
        faults: Vec::new(),
        why: String::new(),
    };
    for (tried, shown) in [
        (&[][..], FixShown::Shown(1)),
        (&[Hollow, Bites], FixShown::Shown(1)),
        (&[NotMeasured], FixShown::Shown(1)),
        (&[Hollow, Failed], FixShown::Hollow),
    ] {
        let tried: Vec<TestProof> = tried.iter().copied().map(proof).collect();
        assert_eq!(FixShown::Shown(1).unless_hollow(tried.iter()), shown);
        assert_eq!(
            FixShown::Missing.unless_hollow(tried.iter()),
            FixShown::Missing
        );
    }
}

#[test]
fn older_runs_have_no_conditions_about_the_work() {
    let ids = |build: Build| build.judge().conditions.len();
    assert_eq!(ids(Build::good()), 11);
    let looked = Build {
        work: Some(CLEAN),
        ..Build::good()
    };
    assert_eq!(ids(looked), 15);
}

#[test]
fn whoever_did_not_look_holds_nothing() {
    for (approver, state, looked_at) in [
        (Approver::Person, ConditionState::Holds, 1),
        (Approver::YesFlag, ConditionState::Waived, 0),
        (Approver::Clock, ConditionState::Waived, 0),
    ] {
        let mut build = Build::good();
        build.approval = Some(ShipWord::Agreed(approver));
        let verdict = build.judge();
        let condition = verdict
            .conditions
            .iter()
            .find(|one| one.id == SIX[5])
            .unwrap();
        assert_eq!((condition.state(), condition.looked_at), (state, looked_at));
        assert!(verdict.passed);
    }
}

#[test]
fn conditions_are_counted_by_what_they_came_to() {
    let condition = |holds, reason: &str| GateCondition {
        id: "user_approval".to_owned(),
        holds,
        looked_at: 0,
        held: 0,
        reason: reason.to_owned(),
    };
    let conditions = [
        condition(true, ""),
        condition(true, "not_applicable"),
        condition(true, "yes_flag"),
        condition(false, "user_rejected"),
        condition(false, "not_reached"),
    ];
    assert_eq!(
        conditions_text(&conditions),
        "1 of 4 that apply hold, 1 not applicable, 1 not looked at, user_approval waived (yes_flag)"
    );
}
