//! Tests from before the run, each in a process of its own: what a suite prints about itself can be
//! forged by code that it runs, and a suite can be ended before it is through.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use futures_util::{StreamExt as _, stream};
use gavel_domain::{BaseTestsRun, Key, test_name};
use gavel_run::{Blobs, Pure, Run, RunError, StepFailure};

use super::ProofBench;
use super::bench::{ListedTest, Ready, passed};
use crate::BaseTestsSeen;
use crate::verify::failed;

/// How many tests are run: all of a small suite, some of a large one, chosen by the run's seed.
const MOST: usize = 60;
/// How long each may take.
const WALL: Duration = Duration::from_secs(120);
/// How many are told.
const NAMED: usize = 20;

/// What is run alone.
#[derive(Debug, Clone, Copy)]
pub struct KeptCase<'a> {
    /// The result.
    pub after: &'a ProofBench<'a>,
    /// The code from before the run. It is only needed where something fails.
    pub before: &'a ProofBench<'a>,
    /// The last parts of the names of tests that came with the work: they are not run.
    pub new: &'a BTreeSet<String>,
    /// By how many tests of a name, its last part, the sources of the result differ from those before.
    pub changes: &'a BTreeMap<String, i64>,
}

/// Runs tests from before the run alone, on the result. One that does not pass stands against it if it
/// passes alone on the code from before; `None` where tests cannot be told apart.
pub async fn run_kept_tests(
    run: &Run,
    key: Key,
    case: KeptCase<'_>,
) -> Result<Option<BaseTestsSeen>, RunError> {
    let commit = case.after.commit();
    let effect = |blobs: Blobs| Box::pin(effect(case, blobs));
    let fact = run.step(key, Pure, &commit, effect).await?.value;
    let problems = run.text(fact.report).await?;
    let problems: Vec<String> = serde_json::from_str(&problems).unwrap_or_default();
    let looked = fact.executed > 0 || !problems.is_empty();
    Ok(looked.then_some(BaseTestsSeen { fact, problems }))
}

async fn effect(case: KeptCase<'_>, blobs: Blobs) -> Result<BaseTestsRun, StepFailure> {
    let is_kept = |name: &str| !case.new.contains(test_name(name));
    let known = own_names(case.before).await.ok().flatten();
    case.before.close().await;
    let (executed, failing) = not_passing(case.after, is_kept).await.unwrap_or_default();
    let found = own_names(case.after).await.ok().flatten();
    let gone = match (known, found) {
        (Some(known), Some(found)) => gone(&known, &found, case.changes),
        (None, _) | (_, None) => Vec::new(),
    };
    let problems = match failing {
        _ if !gone.is_empty() => gone,
        Some(failing) if failing.is_empty() => Vec::new(),
        failing => {
            case.after.close().await;
            let problems = against_before(case.before, failing).await;
            case.before.close().await;
            problems
        }
    };
    let report = serde_json::to_string(&problems).map_err(failed)?;
    Ok(BaseTestsRun {
        commit: case.after.commit().to_owned(),
        held: problems.is_empty(),
        files: 0,
        executed: u32::try_from(executed).unwrap_or(u32::MAX),
        failed: u32::try_from(problems.len()).unwrap_or(u32::MAX),
        report: blobs.keep(report),
    })
}

/// What fails on the result and holds before; `None` for a result whose tests cannot be listed.
async fn against_before(before: &ProofBench<'_>, failing: Option<BTreeSet<String>>) -> Vec<String> {
    let Some(failing) = failing else {
        // Where tests cannot be listed before either, there is nothing to compare with.
        return match names(before).await {
            Ok(names) if !names.is_empty() => {
                vec!["its tests cannot be listed any more".to_owned()]
            }
            Ok(_) | Err(_) => Vec::new(),
        };
    };
    let known = names(before).await.unwrap_or_default();
    let Ok((_, Some(before))) = not_passing(before, |name| failing.contains(name)).await else {
        return Vec::new();
    };
    let broken = failing
        .iter()
        .filter(|name| known.contains(*name) && !before.contains(*name));
    broken
        .map(|name| format!("{name} does not pass when it is run alone"))
        .take(NAMED)
        .collect()
}

/// How many tests of each name, its last part, the runners list; none where one of them cannot: another
/// runner than before is a person's to agree to.
async fn own_names(bench: &ProofBench<'_>) -> Result<Option<BTreeMap<String, i64>>, String> {
    let mut open = bench.open().await?;
    let listed = open.ready()?.tests().await?;
    if listed.broken.is_some() || !listed.without_adapter.is_empty() {
        return Ok(None);
    }
    let mut names = BTreeMap::new();
    for one in listed.tests {
        *names
            .entry(test_name(&one.test.name).to_owned())
            .or_default() += 1;
    }
    Ok(Some(names))
}

/// Tests from before that no runner lists any more, although their sources are there: another test of
/// the same name does not stand in for them.
fn gone(
    known: &BTreeMap<String, i64>,
    found: &BTreeMap<String, i64>,
    changes: &BTreeMap<String, i64>,
) -> Vec<String> {
    let missing = known.iter().filter(|(name, before)| {
        let change = changes.get(*name).copied().unwrap_or_default();
        let now = found.get(*name).copied().unwrap_or_default();
        now < **before + change
    });
    let told =
        missing.map(|(name, _)| format!("{name} from before the run is not among those that run"));
    told.take(NAMED).collect()
}

async fn names(bench: &ProofBench<'_>) -> Result<BTreeSet<String>, String> {
    let mut open = bench.open().await?;
    let tests = open.ready()?.tests().await?.tests;
    Ok(tests.into_iter().map(|one| one.test.name).collect())
}

/// How many tests were run alone, and those that did not pass.
async fn not_passing(
    bench: &ProofBench<'_>,
    wanted: impl Fn(&str) -> bool,
) -> Result<(usize, Option<BTreeSet<String>>), String> {
    let shared = bench.listed().await?;
    let ready = shared.ready()?;
    let listed = ready.known_tests();
    if listed.broken.is_some() {
        return Ok((0, None));
    }
    let mut tests: Vec<&ListedTest> = listed.tests.iter().collect();
    tests.retain(|one| wanted(&one.test.name));
    tests.sort_by_key(|one| bench.number(&one.test.name, 0));
    tests.truncate(MOST);
    let runs: Vec<_> = tests.iter().map(|one| failed_name(ready, one)).collect();
    let mut runs = stream::iter(runs).buffered(bench.at_once);
    let mut failing = BTreeSet::new();
    while let Some(failed) = runs.next().await {
        failing.extend(failed?);
    }
    Ok((tests.len(), Some(failing)))
}

/// The name of a test that does not pass alone.
async fn failed_name(ready: &Ready, listed: &ListedTest) -> Result<Option<String>, String> {
    let ran = ready.run(listed, WALL).await?;
    Ok((!passed(&ran)).then(|| listed.test.name.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted<const N: usize>(names: [(&str, i64); N]) -> BTreeMap<String, i64> {
        names.map(|(name, count)| (name.to_owned(), count)).into()
    }

    #[test]
    fn a_new_test_of_the_same_name_does_not_stand_in_for_one_from_before() {
        let known = counted([("adds", 1), ("sums", 2)]);
        for (found, changes, missing) in [
            (counted([("adds", 1), ("sums", 2)]), counted([]), 0),
            // One came, and the one from before is not built any more.
            (
                counted([("adds", 1), ("sums", 2)]),
                counted([("adds", 1)]),
                1,
            ),
            (
                counted([("adds", 2), ("sums", 2)]),
                counted([("adds", 1)]),
                0,
            ),
            // One was taken out of the sources, which is a finding of its own.
            (
                counted([("adds", 1), ("sums", 1)]),
                counted([("sums", -1)]),
                0,
            ),
            (counted([("adds", 1), ("sums", 1)]), counted([]), 1),
            (
                counted([("adds", 1), ("sums", 2), ("new", 1)]),
                counted([("new", 1)]),
                0,
            ),
        ] {
            let gone = gone(&known, &found, &changes);
            assert_eq!(gone.len(), missing, "{found:?} {changes:?}");
        }
    }
}
