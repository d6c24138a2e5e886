//! Examples, executed by Gavel: as written, and with other values, in other folders and orders.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use gavel_domain::{ByHeart, Example, ExampleExecuted, ExampleOutcome, ExampleReport, Scope};
use gavel_rules::ExampleProof;
use gavel_rules::examples::{
    ExampleFolders, StepOrder, Varied, derive_numbers, order_steps, takes_values, vary,
};
use gavel_run::{Blobs, Pure, Run, RunError, StepFailure};
use gavel_workspace::{ExampleExecution, ExampleSeen};

use super::ProofBench;
use super::bench::example_plan;
use super::lanes::Ahead;
use crate::verify::failed;

/// How often an example is executed with other values.
const VARIATIONS: u32 = 2;
/// How many problems are told.
const MOST_PROBLEMS: usize = 8;

/// A criterion whose example is to be executed.
#[derive(Debug, Clone)]
pub struct ExampleCase<'a> {
    /// The criterion.
    pub criterion: &'a str,
    /// Its example.
    pub example: &'a Example,
    /// Words of the interface, which are never varied.
    pub known_words: &'a [String],
}

/// Executes examples, several at the same time: `example-N` below the scope records each, in this order.
pub async fn execute_examples(
    run: &Run,
    scope: &Scope,
    bench: &ProofBench<'_>,
    cases: &[ExampleCase<'_>],
) -> Result<BTreeMap<String, ExampleProof>, RunError> {
    let mut proofs = BTreeMap::new();
    let ahead = Ahead::new(bench.at_once);
    for (number, case) in cases.iter().enumerate() {
        let key = scope.key(&format!("example-{}", number + 1))?;
        let input = (case.criterion, case.example.to_string());
        let left = || cases.iter().skip(number);
        let left = || left().map(|case| execute(bench, case)).collect();
        let effect = |blobs: Blobs| Box::pin(recorded(case, ahead.next(left), blobs));
        let fact = run.step(key, Pure, &input, effect).await?.value;
        let report = run.text(fact.report).await?;
        let report: ExampleReport = serde_json::from_str(&report).unwrap_or_default();
        proofs.insert(
            case.criterion.to_owned(),
            ExampleProof {
                outcome: fact.outcome,
                runs: fact.runs,
                changes: report.changes,
                problem: report.problems.join("; "),
            },
        );
    }
    Ok(proofs)
}

async fn execute(bench: &ProofBench<'_>, case: &ExampleCase<'_>) -> Executed {
    let started = Instant::now();
    let mut seen = Executed::default();
    if let Err(why) = seen.all(bench, case).await {
        seen.outcome = ExampleOutcome::NotRun;
        seen.report.problems.push(why);
    }
    seen.report.problems.truncate(MOST_PROBLEMS);
    seen.took = started.elapsed();
    seen
}

async fn recorded(
    case: &ExampleCase<'_>,
    executed: impl Future<Output = Option<Executed>>,
    blobs: Blobs,
) -> Result<ExampleExecuted, StepFailure> {
    let seen = executed.await;
    let seen = seen.ok_or_else(|| failed("there is no such example"))?;
    let report = serde_json::to_string(&seen.report).map_err(failed)?;
    Ok(ExampleExecuted {
        criterion: case.criterion.to_owned(),
        outcome: seen.outcome,
        runs: seen.runs,
        millis: u64::try_from(seen.took.as_millis()).unwrap_or(u64::MAX),
        report: blobs.keep(report),
    })
}

/// Executes an example once.
async fn executed(
    bench: &ProofBench<'_>,
    execution: &ExampleExecution<'_>,
) -> Result<ExampleSeen, String> {
    let shared = bench.built().await?;
    let ready = shared.ready()?;
    let program = ready.known_program()?;
    let recipe = ready.recipes.first().ok_or("there is no recipe")?;
    let plan = example_plan(&ready.room.plan(recipe));
    let executed = ready.lanes.execute(&ready.room, (plan, program), execution);
    executed.await
}

struct Executed {
    outcome: ExampleOutcome,
    runs: u32,
    report: ExampleReport,
    took: Duration,
}

impl Default for Executed {
    fn default() -> Self {
        Self {
            outcome: ExampleOutcome::NotRun,
            runs: 0,
            report: ExampleReport::default(),
            took: Duration::ZERO,
        }
    }
}

impl Executed {
    /// Executes it as written, then in other folders, with other values and in another order, until
    /// something does not hold.
    async fn all(&mut self, bench: &ProofBench<'_>, case: &ExampleCase<'_>) -> Result<(), String> {
        let seed = bench.number(case.criterion, 0);
        let written = ExampleExecution {
            example: case.example,
            order: StepOrder::written(case.example),
            folders: ExampleFolders::draw(seed, 0),
        };
        let changed_nothing = self.once(bench, &written, "").await?;
        for number in 1..=VARIATIONS {
            if self.outcome != ExampleOutcome::Held {
                return Ok(());
            }
            let own_seed = bench.number(case.criterion, number);
            let varied = vary(case.example, case.known_words, own_seed);
            let varied = varied.unwrap_or_else(|| Varied {
                example: case.example.clone(),
                changed: Vec::new(),
            });
            let order = order_steps(
                &varied.example,
                case.known_words,
                &changed_nothing,
                own_seed,
            );
            let values = varied.changed.iter();
            let values = values.map(|(written, used)| format!("`{used}` for `{written}`"));
            let changes: Vec<String> = values.chain(order.changes.iter().cloned()).collect();
            let with = match changes.is_empty() {
                true => "in another folder: ".to_owned(),
                false => format!("with {}: ", changes.join(", ")),
            };
            self.report.varied.extend(varied.changed.iter().cloned());
            let seen = self.report.changes.get_or_insert_default();
            seen.values |= !varied.changed.is_empty();
            seen.order |= !order.changes.is_empty();
            let execution = ExampleExecution {
                example: &varied.example,
                order,
                folders: ExampleFolders::draw(seed, number),
            };
            self.once(bench, &execution, &with).await?;
        }
        if self.outcome == ExampleOutcome::Held {
            let by_heart = self.by_heart(bench, case).await?;
            self.report.changes.get_or_insert_default().by_heart = by_heart;
        }
        Ok(())
    }

    /// What a program that knows the written answers would keep. Where numbers come out that others
    /// make, those that go in are changed: whoever computes them comes to others.
    async fn by_heart(
        &self,
        bench: &ProofBench<'_>,
        case: &ExampleCase<'_>,
    ) -> Result<ByHeart, String> {
        let folder = VARIATIONS + 1;
        let seed = bench.number(case.criterion, folder);
        let Some(derived) = derive_numbers(case.example, case.known_words, seed) else {
            let has_varied = self.report.changes.is_some_and(|changes| changes.values);
            let is_kept = !has_varied && takes_values(case.example, case.known_words);
            return Ok(match is_kept {
                true => ByHeart::Values,
                false => ByHeart::Nothing,
            });
        };
        let of = |example| ExampleExecution {
            example,
            order: StepOrder::written(example),
            folders: ExampleFolders::draw(bench.number(case.criterion, 0), folder),
        };
        let holds = executed(bench, &of(&derived.open)).await?.held;
        let stays = !holds || executed(bench, &of(&derived.written)).await?.held;
        Ok(match stays {
            true => ByHeart::Numbers,
            false => ByHeart::Nothing,
        })
    }

    /// Executes it once; returns which steps changed no file.
    async fn once(
        &mut self,
        bench: &ProofBench<'_>,
        execution: &ExampleExecution<'_>,
        with: &str,
    ) -> Result<Vec<bool>, String> {
        let seen = executed(bench, execution).await?;
        self.runs += 1;
        self.outcome = if seen.held {
            ExampleOutcome::Held
        } else {
            ExampleOutcome::Failed
        };
        let problems = seen.problems.iter();
        let problems = problems.map(|problem| format!("{with}{problem}"));
        self.report.problems.extend(problems);
        let transcript = bench.site().context.scrub(&seen.transcript);
        self.report.transcript.push_str(&transcript);
        Ok(seen.changed_nothing)
    }
}
