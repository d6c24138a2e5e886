//! Examples, executed by Gavel: as written, and with other values.

use std::collections::BTreeMap;
use std::time::Instant;

use gavel_domain::{Example, ExampleExecuted, ExampleOutcome, ExampleReport, Scope};
use gavel_rules::ExampleProof;
use gavel_rules::examples::vary;
use gavel_run::{Blobs, Pure, Run, RunError, StepFailure};
use gavel_workspace::execute_example;

use super::ProofBench;
use super::bench::example_plan;
use crate::verify::{failed, with_sources};

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

/// Executes examples one after another: `example-N` below the scope records each.
pub async fn execute_examples(
    run: &Run,
    scope: &Scope,
    bench: &ProofBench<'_>,
    cases: &[ExampleCase<'_>],
) -> Result<BTreeMap<String, ExampleProof>, RunError> {
    let mut proofs = BTreeMap::new();
    for (number, case) in (1..).zip(cases) {
        let key = scope.key(&format!("example-{number}"))?;
        let input = (case.criterion, case.example.to_string());
        let effect = |blobs: Blobs| Box::pin(execute(bench, case, blobs));
        let fact = run.step(key, Pure, &input, effect).await?.value;
        let report = run.text(fact.report).await?;
        let report: ExampleReport = serde_json::from_str(&report).unwrap_or_default();
        proofs.insert(
            case.criterion.to_owned(),
            ExampleProof {
                outcome: fact.outcome,
                runs: fact.runs,
                problem: report.problems.join("; "),
            },
        );
    }
    Ok(proofs)
}

async fn execute(
    bench: &ProofBench<'_>,
    case: &ExampleCase<'_>,
    blobs: Blobs,
) -> Result<ExampleExecuted, StepFailure> {
    let started = Instant::now();
    let mut seen = Executed::default();
    if let Err(why) = seen.all(bench, case).await {
        seen.outcome = ExampleOutcome::NotRun;
        seen.report.problems.push(why);
    }
    seen.report.problems.truncate(MOST_PROBLEMS);
    let report = serde_json::to_string(&seen.report).map_err(failed)?;
    Ok(ExampleExecuted {
        criterion: case.criterion.to_owned(),
        outcome: seen.outcome,
        runs: seen.runs,
        millis: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
        report: blobs.keep(report),
    })
}

struct Executed {
    outcome: ExampleOutcome,
    runs: u32,
    report: ExampleReport,
}

impl Default for Executed {
    fn default() -> Self {
        Self {
            outcome: ExampleOutcome::NotRun,
            runs: 0,
            report: ExampleReport::default(),
        }
    }
}

impl Executed {
    /// Executes it as written, then with other values, until something does not hold.
    async fn all(&mut self, bench: &ProofBench<'_>, case: &ExampleCase<'_>) -> Result<(), String> {
        self.once(bench, case.example, "").await?;
        for number in 1..=VARIATIONS {
            if self.outcome != ExampleOutcome::Held {
                return Ok(());
            }
            let Some(varied) = vary(
                case.example,
                case.known_words,
                bench.number(case.criterion, number),
            ) else {
                return Ok(());
            };
            let changes: Vec<String> = varied
                .changed
                .iter()
                .map(|(written, used)| format!("`{used}` for `{written}`"))
                .collect();
            self.report.varied.extend(varied.changed.iter().cloned());
            let with = format!("with {}: ", changes.join(", "));
            self.once(bench, &varied.example, &with).await?;
        }
        Ok(())
    }

    async fn once(
        &mut self,
        bench: &ProofBench<'_>,
        example: &Example,
        with: &str,
    ) -> Result<(), String> {
        let mut open = bench.open().await?;
        let ready = open.ready()?;
        let program = ready.program(bench.site()).await?;
        let recipe = ready.recipes.first().ok_or("there is no recipe")?;
        let plan = example_plan(&ready.room.plan(recipe));
        let room = &ready.room;
        let seen = room
            .unseen(execute_example(room.commands(), &plan, &program, example))
            .await
            .map_err(|error| with_sources(&error))?
            .map_err(|error| with_sources(&error))?;
        self.runs += 1;
        self.outcome = if seen.held {
            ExampleOutcome::Held
        } else {
            ExampleOutcome::Failed
        };
        let told = seen
            .problems
            .iter()
            .map(|problem| format!("{with}{problem}"));
        self.report.problems.extend(told);
        let transcript = bench.site().context.scrub(&seen.transcript);
        self.report.transcript.push_str(&transcript);
        Ok(())
    }
}
