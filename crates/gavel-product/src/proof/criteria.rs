//! Criteria: their examples executed, their tests run alone and against broken code.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use gavel_build::{
    ExampleCase, Hiding, JudgedCommit, KeptCase, KeptTrial, ProofBench, ProofBudget, Site,
    TestCase, Unlisted, execute_examples, prove_tests, run_kept_tests, try_kept_tests,
};
use gavel_contracts::{interface_words, parse_phases};
use gavel_domain::{
    ContractKind, Criterion, CriterionExample, Digest, Example, Scope, TestOutcome,
};
use gavel_rules::work::WorkFinding;
use gavel_rules::{FixShown, TestProof, TestWord, shown_by_test};

use super::work::{Looked, NewTests, release_findings};
use super::{BaseHeld, KeptCount, Proven, ToProve};
use crate::hot_words::is_change_made;
use crate::runner_consent;
use crate::way::{Leave, Way};
use crate::{KEPT_TESTS_FLOW, PRINTED_FLOW};

/// From this flow on an example that stands in the contracts alone is executed, too.
const PINNED_EXAMPLES_FLOW: u32 = 9;
/// From this flow on a test whose code was put out of the reach of faults is blinded.
const HIDING_FLOW: u32 = 9;
/// From this flow on an example that a program keeps by doing nothing shows nothing.
const VACUOUS_FLOW: u32 = 9;
/// How many new tests are tried for what a small change is held to.
const NEW_TESTS: usize = 3;
/// How many are tried for a fix, of which one has to notice faults.
const FIX_TESTS: usize = 12;

/// The criterion of a small change that the request was carried out, with tests that fail without it.
fn change_made<'a>(
    criteria: &'a [Criterion],
    new_tests: &'a NewTests,
    most: usize,
) -> impl Iterator<Item = TestCase<'a>> {
    let made = criteria.iter().find(|one| is_change_made(&one.id));
    // What failed before tells more than what could not be built.
    let tests = new_tests
        .failing_before
        .iter()
        .chain(&new_tests.not_built_before);
    let tests = tests.take(most);
    tests.filter_map(move |test| {
        Some(TestCase {
            criterion: &made?.id,
            test,
        })
    })
}

/// Where criteria are proven.
struct CriteriaProof<'a> {
    way: Way<'a>,
    scope: &'a Scope,
    work: &'a ToProve<'a>,
    looked: &'a Looked,
    kept: KeptCase<'a>,
}

/// Fills in what is proven about each criterion.
pub(super) async fn prove(
    way: Way<'_>,
    (site, scope): (&Site, &Scope),
    (work, looked): (&ToProve<'_>, &Looked),
    proven: &mut Proven,
) -> Result<(), Leave> {
    let judged = JudgedCommit {
        commit: work.case.commit,
        consent: Box::pin(runner_consent::consent(way, site, work.case.commit)).await?,
    };
    let seed = Digest::of(way.run.random(&scope.key("seed")?).to_le_bytes());
    let bench = ProofBench::new(site, judged, seed);
    let base = JudgedCommit {
        commit: &site.base,
        ..judged
    };
    let before = ProofBench::new(site, base, seed);
    let proof = CriteriaProof {
        way,
        scope,
        work,
        looked,
        kept: KeptCase {
            after: &bench,
            before: &before,
            new: &looked.came_with_it,
            changes: &looked.test_changes,
        },
    };
    let tested = Box::pin(proof.all(proven)).await;
    bench.close().await;
    note_tests(tested?, looked, proven);
    Ok(())
}

impl CriteriaProof<'_> {
    /// One part after another; what the tests of criteria came to. Nothing, where something stands against
    /// the work before.
    async fn all(&self, proven: &mut Proven) -> Result<Vec<(String, TestProof)>, Leave> {
        if self.looked.kept_alone {
            let key = self.scope.key("kept-tests")?;
            let seen = run_kept_tests(self.way.run, key, self.kept).await?;
            if let Some(broken) = seen.filter(|seen| !seen.fact.held) {
                proven.work.base_tests = BaseHeld::Failed(broken.problems);
                return Ok(Vec::new());
            }
        }
        self.execute(proven).await?;
        let shown = self.shown_by_tests(proven.work.fix);
        let budget = self.budget();
        if budget.kept.is_some() {
            self.try_kept(&shown, budget, proven).await?;
        }
        if !proven.work.holds() {
            return Ok(Vec::new());
        }
        let (run, bench) = (self.way.run, self.kept.after);
        Ok(prove_tests(run, self.scope, bench, &shown, budget).await?)
    }

    /// Executes the examples.
    async fn execute(&self, proven: &mut Proven) -> Result<(), Leave> {
        let case = self.work.case;
        let known_words = case
            .shelf
            .get(ContractKind::Physics)
            .map_or_else(BTreeSet::new, |physics| interface_words(&physics.text));
        let known_words: Vec<String> = known_words.into_iter().collect();
        let mut pinned = BTreeMap::new();
        if self.way.run.flow() >= PINNED_EXAMPLES_FLOW
            && let Some(phases) = case.shelf.get(ContractKind::Phases)
        {
            let phases = parse_phases(&phases.text).unwrap_or_default();
            let criteria = phases.into_iter().flat_map(|phase| phase.criteria);
            pinned.extend(criteria.map(|one| (one.id, one.example)));
        }
        let idle = if self.way.run.flow() >= VACUOUS_FLOW {
            IdleExamples::LeftOut
        } else {
            IdleExamples::Executed
        };
        let examples = given_examples(&case.spec.criteria, &pinned, idle);
        let examples: Vec<ExampleCase<'_>> = examples
            .iter()
            .map(|(criterion, example)| ExampleCase {
                criterion: &criterion.id,
                example,
                known_words: &known_words,
            })
            .collect();
        let bench = self.kept.after;
        for (id, proof) in execute_examples(self.way.run, self.scope, bench, &examples).await? {
            proven.criteria.entry(id).or_default().example = Some(proof);
        }
        Ok(())
    }

    /// The criteria that a test shows, and the tests of a small change.
    fn shown_by_tests(&self, fix: Option<FixShown>) -> Vec<TestCase<'_>> {
        let tests = &self.work.named.shown;
        let criteria = &self.work.case.spec.criteria;
        let shown = criteria.iter().filter_map(|one| {
            match shown_by_test(&one.id, &tests.passed, &tests.failed) {
                TestWord::Passed(test) => Some(TestCase {
                    criterion: &one.id,
                    test,
                }),
                TestWord::Failed(_) | TestWord::NoTest => None,
            }
        });
        let most = match fix {
            Some(FixShown::Shown(_)) => FIX_TESTS,
            Some(FixShown::NotAsked | FixShown::Missing | FixShown::Unseen | FixShown::Hollow)
            | None => NEW_TESTS,
        };
        let new = &self.looked.new_tests;
        let made = change_made(criteria, new, most);
        shown.chain(made).collect()
    }

    fn budget(&self) -> ProofBudget<'_> {
        let choices = self.way.choices;
        let tries_kept = self.looked.kept_alone && self.way.run.flow() >= KEPT_TESTS_FLOW;
        ProofBudget {
            faults: choices.proof_faults,
            until: Instant::now() + choices.proof_time,
            touched: &self.looked.touched,
            kept: tries_kept.then_some(&self.looked.came_with_it),
            unlisted: if self.way.run.flow() >= PRINTED_FLOW {
                Unlisted::Refuted
            } else {
                Unlisted::MayBePrinted
            },
        }
    }

    /// Tries tests from before the run with faults; those that see less than before are held against the
    /// work until somebody releases them.
    async fn try_kept(
        &self,
        criteria: &[TestCase<'_>],
        budget: ProofBudget<'_>,
        proven: &mut Proven,
    ) -> Result<(), Leave> {
        let trial = KeptTrial {
            case: self.kept,
            criteria,
            budget,
            hiding: match self.way.run.flow() {
                ..HIDING_FLOW => Hiding::Unknown,
                HIDING_FLOW.. if self.looked.wrote_unplanted => Hiding::BlindsBodies,
                HIDING_FLOW.. => Hiding::Blinds,
            },
        };
        let key = self.scope.key("kept-faults")?;
        let seen = try_kept_tests(self.way.run, key, trial).await?;
        proven.work.kept = Some(KeptCount::of(&seen.fact));
        let findings: Vec<WorkFinding> = seen.blinded.iter().map(WorkFinding::blinded).collect();
        let scope = self.scope.scope("kept-faults", 1)?;
        let findings = (findings.as_slice(), &mut proven.work);
        release_findings(self.way, &scope, self.work, findings).await?;
        Ok(())
    }
}

/// Notes what the tests of criteria came to.
fn note_tests(tested: Vec<(String, TestProof)>, looked: &Looked, proven: &mut Proven) {
    let of_fix = tested.iter().map(|(_, proof)| proof);
    // A fault that a test of a fix catches must lie where the fix wrote.
    let failed_before = &looked.new_tests.failing_before;
    let of_fix = of_fix.filter(|proof| failed_before.contains(&proof.test));
    let of_fix: Vec<TestProof> = of_fix.map(|proof| looked.only_in_product(proof)).collect();
    proven.work.fix = proven.work.fix.map(|fix| fix.unless_hollow(of_fix.iter()));
    for (id, mut proof) in tested {
        if looked.new_tests.not_built_before.contains(&proof.test) && !Criterion::is_id(&id) {
            proof = looked.only_in_lines(&proof);
        }
        // A test of another name makes a judge's word firmer, and never replaces it.
        let is_own = Criterion::is_id(&id);
        if is_own || proof.outcome == TestOutcome::Bites {
            let known = &mut proven.criteria.entry(id).or_default().test;
            *known = known.take().or(Some(proof));
        }
    }
}

/// What becomes of examples that a program keeps by doing nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum IdleExamples {
    /// They show nothing, so that nothing is executed.
    LeftOut,
    /// They are executed like others, as runs began before anybody asked.
    Executed,
}

/// The examples that can be executed: the spec's, and where it has none those of the pinned contracts, which
/// were there before any code.
fn given_examples<'a>(
    criteria: &'a [Criterion],
    pinned: &BTreeMap<String, String>,
    idle: IdleExamples,
) -> Vec<(&'a Criterion, Example)> {
    let counts = |example: &Example| match idle {
        IdleExamples::LeftOut => example.expects_something(),
        IdleExamples::Executed => true,
    };
    let executable = |text: &str| match CriterionExample::of(text) {
        CriterionExample::Given(example) => Some(example).filter(counts),
        CriterionExample::None { .. }
        | CriterionExample::Broken(_)
        | CriterionExample::Prose
        | CriterionExample::Missing => None,
    };
    let given = criteria.iter().filter_map(|one| {
        let own = executable(&one.example);
        let example = match CriterionExample::of(&one.example) {
            // One that cannot be read says nothing; contracts with such a one are not accepted.
            CriterionExample::Prose | CriterionExample::Missing | CriterionExample::Broken(_) => {
                pinned.get(&one.id).and_then(|text| executable(text))
            }
            CriterionExample::Given(_) | CriterionExample::None { .. } => own,
        };
        Some((one, example?))
    });
    given.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_example_of_the_contracts_stands_in_for_one_that_the_spec_lacks() {
        let criterion = |id: &str, example: &str| Criterion {
            id: id.to_owned(),
            statement: format!("{id} holds"),
            example: example.to_owned(),
        };
        let spec = [
            criterion("own", "$ list\nhas Amber"),
            criterion("lacking", ""),
            criterion("denied", "none: nothing is printed"),
            criterion("broken", "$ list\nhas \"Amber"),
        ];
        let pinned = ["own", "lacking", "denied", "broken"]
            .map(|id| (id.to_owned(), "$ show\nhas Birch".to_owned()));
        let words = |pinned: &BTreeMap<String, String>| {
            let given = given_examples(&spec, pinned, IdleExamples::LeftOut).into_iter();
            given
                .map(|(one, example)| (one.id.clone(), format!("{example:?}").contains("Birch")))
                .collect::<Vec<_>>()
        };
        let idle = [criterion("idle", "$ list\nlacks Amber\nexit 0")];
        let of = |how| given_examples(&idle, &BTreeMap::new(), how).len();
        assert_eq!(of(IdleExamples::LeftOut), 0);
        assert_eq!(of(IdleExamples::Executed), 1);
        let own = ("own".to_owned(), false);
        assert_eq!(words(&BTreeMap::new()), std::slice::from_ref(&own));
        let stands_in = |id: &str| (id.to_owned(), true);
        let wanted = [own, stands_in("lacking"), stands_in("broken")];
        assert_eq!(words(&pinned.into()), wanted);
    }
}
