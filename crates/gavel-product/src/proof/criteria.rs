//! Criteria: their examples executed, their tests run alone and against broken code.

use std::collections::BTreeSet;

use gavel_build::{
    ExampleCase, JudgedCommit, KeptCase, ProofBench, ProofBudget, Site, TestCase, execute_examples,
    prove_tests, run_kept_tests,
};
use gavel_contracts::interface_words;
use gavel_domain::{
    ContractKind, Criterion, CriterionExample, Digest, Example, Scope, TestOutcome,
};
use gavel_rules::{FixShown, TestProof, TestWord, shown_by_test};

use super::work::Looked;
use super::{BaseHeld, Proven, ToProve};
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
    if looked.kept_alone {
        let broken = kept_tests(way, (site, scope), (&bench, judged, seed), looked).await?;
        if !broken.is_empty() {
            bench.close().await;
            proven.work.base_tests = BaseHeld::Failed(broken);
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
    let budget = ProofBudget {
        faults: way.choices.proof_faults,
        time: way.choices.proof_time,
        touched: &looked.touched,
    };
    let tested = match executed {
        Ok(executed) => {
            for (id, proof) in executed {
                proven.criteria.entry(id).or_default().example = Some(proof);
            }
            prove_tests(run, scope, &bench, &shown, budget).await
        }
        Err(error) => Err(error),
    };
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

/// What tests from before the run come to when each runs alone: those that do not hold any more.
async fn kept_tests(
    way: Way<'_>,
    (site, scope): (&Site, &Scope),
    (bench, judged, seed): (&ProofBench<'_>, JudgedCommit<'_>, Digest),
    looked: &Looked,
) -> Result<Vec<String>, Leave> {
    let base = JudgedCommit {
        commit: &site.base,
        ..judged
    };
    let before = ProofBench::new(site, base, seed);
    let kept = KeptCase {
        after: bench,
        before: &before,
        new: &looked.came_with_it,
        changes: &looked.test_changes,
    };
    let key = scope.key("kept-tests")?;
    let seen = run_kept_tests(way.run, key, judged.commit.as_str(), kept).await?;
    let broken = seen.filter(|seen| !seen.fact.held);
    Ok(broken.map(|seen| seen.problems).unwrap_or_default())
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
