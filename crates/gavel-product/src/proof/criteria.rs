//! Criteria: their examples executed, their tests run alone and against broken code.

use std::collections::BTreeSet;
use std::time::Instant;

use gavel_build::{
    ExampleCase, JudgedCommit, KeptCase, ProofBench, ProofBudget, Site, TestCase, execute_examples,
    prove_tests, run_kept_tests, try_kept_tests,
};
use gavel_contracts::interface_words;
use gavel_domain::{
    ContractKind, Criterion, CriterionExample, Digest, Example, Scope, TestOutcome,
};
use gavel_rules::work::WorkFinding;
use gavel_rules::{FixShown, TestProof, TestWord, shown_by_test};

use super::work::{Looked, release_findings};
use super::{BaseHeld, Proven, ToProve};
use crate::KEPT_TESTS_FLOW;
use crate::hot_words::is_change_made;
use crate::runner_consent;
use crate::way::{Leave, Way};

/// How many new tests are tried for what a small change is held to.
const NEW_TESTS: usize = 3;
/// How many are tried for a fix, of which one has to notice faults.
const FIX_TESTS: usize = 12;

/// The criterion of a small change that the request was carried out, with tests that fail without it.
fn change_made<'a>(
    criteria: &'a [Criterion],
    (new_tests, most): (&'a [String], usize),
) -> impl Iterator<Item = TestCase<'a>> {
    let made = criteria.iter().find(|one| is_change_made(&one.id));
    let tests = new_tests.iter().take(most);
    tests.filter_map(move |test| {
        Some(TestCase {
            criterion: &made?.id,
            test,
        })
    })
}

/// Fills in what is proven about each criterion.
#[expect(clippy::too_many_lines, reason = "one part of the proof after another")]
pub(super) async fn prove(
    way: Way<'_>,
    (site, scope): (&Site, &Scope),
    (work, looked): (&ToProve<'_>, &Looked),
    proven: &mut Proven,
) -> Result<(), Leave> {
    let run = way.run;
    let case = work.case;
    let judged = JudgedCommit {
        commit: case.commit,
        consent: Box::pin(runner_consent::consent(way, site, case.commit)).await?,
    };
    let random = run.random(&scope.key("seed")?);
    let seed = Digest::of(random.to_le_bytes());
    let bench = ProofBench::new(site, judged, seed);
    let base = JudgedCommit {
        commit: &site.base,
        ..judged
    };
    let before = ProofBench::new(site, base, seed);
    let kept = KeptCase {
        after: &bench,
        before: &before,
        new: &looked.came_with_it,
        changes: &looked.test_changes,
    };
    if looked.kept_alone {
        let seen = run_kept_tests(run, scope.key("kept-tests")?, kept).await?;
        let broken = seen.filter(|seen| !seen.fact.held);
        if let Some(broken) = broken {
            bench.close().await;
            proven.work.base_tests = BaseHeld::Failed(broken.problems);
            return Ok(());
        }
    }
    let known_words = case
        .shelf
        .get(ContractKind::Physics)
        .map_or_else(BTreeSet::new, |physics| interface_words(&physics.text));
    let known_words: Vec<String> = known_words.into_iter().collect();
    let criteria = &case.spec.criteria;
    let examples = given_examples(criteria);
    let examples: Vec<ExampleCase<'_>> = examples
        .iter()
        .map(|(criterion, example)| ExampleCase {
            criterion: &criterion.id,
            example,
            known_words: &known_words,
        })
        .collect();
    let executed = execute_examples(run, scope, &bench, &examples).await;
    let tests = &work.verified.tests;
    let shown = criteria.iter().filter_map(|one| {
        match shown_by_test(&one.id, &tests.passed, &tests.failed) {
            TestWord::Passed(test) => Some(TestCase {
                criterion: &one.id,
                test,
            }),
            TestWord::Failed(_) | TestWord::NoTest => None,
        }
    });
    let mut shown: Vec<TestCase<'_>> = shown.collect();
    let most = match proven.work.fix {
        Some(FixShown::Shown(_)) => FIX_TESTS,
        Some(FixShown::NotAsked | FixShown::Missing | FixShown::Hollow) | None => NEW_TESTS,
    };
    shown.extend(change_made(criteria, (&looked.new_tests, most)));
    let tries_kept = looked.kept_alone && run.flow() >= KEPT_TESTS_FLOW;
    let budget = ProofBudget {
        faults: way.choices.proof_faults,
        until: Instant::now() + way.choices.proof_time,
        touched: &looked.touched,
        kept: tries_kept.then_some(&looked.came_with_it),
    };
    let tested = async {
        for (id, proof) in executed? {
            proven.criteria.entry(id).or_default().example = Some(proof);
        }
        if tries_kept {
            let key = scope.key("kept-faults")?;
            let seen = try_kept_tests(run, key, (kept, &shown), budget).await?;
            let findings: Vec<WorkFinding> =
                seen.blinded.iter().map(WorkFinding::blinded).collect();
            let scope = scope.scope("kept-faults", 1)?;
            release_findings(way, &scope, work, (&findings, &mut proven.work)).await?;
        }
        if !proven.work.holds() {
            return Ok(Vec::new());
        }
        Ok::<_, Leave>(prove_tests(run, scope, &bench, &shown, budget).await?)
    };
    let tested = Box::pin(tested).await;
    bench.close().await;
    let tested = tested?;
    let of_fix = tested.iter().map(|(_, proof)| proof);
    // A fault that a test of a fix catches must lie where the fix wrote.
    let of_fix = of_fix.filter(|proof| looked.new_tests.contains(&proof.test));
    let of_fix: Vec<TestProof> = of_fix.map(|proof| looked.only_in_product(proof)).collect();
    proven.work.fix = proven.work.fix.map(|fix| fix.unless_hollow(of_fix.iter()));
    for (id, proof) in tested {
        // A test of another name makes a judge's word firmer, and never replaces it.
        let is_own = Criterion::is_id(&id);
        if is_own || proof.outcome == TestOutcome::Bites {
            let known = &mut proven.criteria.entry(id).or_default().test;
            *known = known.take().or(Some(proof));
        }
    }
    Ok(())
}

/// The examples that can be executed.
fn given_examples(criteria: &[Criterion]) -> Vec<(&Criterion, Example)> {
    let given = criteria
        .iter()
        .filter_map(|one| match CriterionExample::of(&one.example) {
            CriterionExample::Given(example) => Some((one, example)),
            CriterionExample::None { .. }
            | CriterionExample::Broken(_)
            | CriterionExample::Prose
            | CriterionExample::Missing => None,
        });
    given.collect()
}
