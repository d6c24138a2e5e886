//! `cargo xtask test`: the README's test command. Cheap steps first, the tests last, so that the
//! runner's closing count stands at the end of the output.

mod counts;
mod elsewhere;
mod omitted;
mod parts;
mod steps;

use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use self::counts::Counts;
use self::omitted::Omitted;
use self::parts::Part;
use self::steps::{Outcome, Step};
use crate::args::Args;
use crate::{place, say, setup, table};

/// What to run beyond the steps that always run.
#[derive(Debug)]
pub(crate) struct Plan {
    /// Slow outside parts that were asked for.
    pub(crate) with: Vec<Part>,
    /// Builds the documentation too, with warnings denied.
    pub(crate) documentation: bool,
}

/// A step that was run.
struct Done {
    name: &'static str,
    took: Duration,
    outcome: Outcome,
}

/// Runs the verb.
pub(crate) fn run(mut args: Args) -> Result<()> {
    let with = parts::parse(args.value("--with")?.as_deref())?;
    let on = args.value("--on")?;
    args.finish()?;
    if let Some(machine) = on {
        return elsewhere::run(elsewhere::Machine::parse(&machine)?, &with);
    }
    follow(&Plan {
        with,
        documentation: false,
    })
}

/// Runs every step, also after a failed one, then shows the table and the counts.
pub(crate) fn follow(plan: &Plan) -> Result<()> {
    setup::check()?;
    let model = match plan.with.contains(&Part::Model) {
        true => Some(crate::model::ensure_up()?),
        false => None,
    };
    let mut done = Vec::new();
    let file = Omitted::begin(&place::root().join("target"))?;
    for step in steps::all(plan, (model, file.clone())) {
        done.push(time(&step)?);
    }
    let omitted = Omitted::read(&file)?;
    say::line(&format!("\n{}\n", table::layout(&rows(&done))));
    if let Some(left_out) = parts::left_out(&plan.with) {
        say::line(&left_out);
    }
    let counts = done
        .iter()
        .fold(Counts::default(), |sum, step| sum.plus(step.outcome.counts));
    for line in omitted.lines() {
        say::line(&line);
    }
    let whole = counts
        .passed
        .saturating_sub(u64::try_from(omitted.count()).unwrap_or(u64::MAX));
    say::line(&format!(
        "{counts}; of those that passed {whole} ran in full, {} left something out",
        omitted.count()
    ));
    conclude(&done, counts)
}

fn time(step: &Step) -> Result<Done> {
    say::note(&format!("\n== {}", step.name));
    let start = Instant::now();
    let outcome = (step.run)()?;
    Ok(Done {
        name: step.name,
        took: start.elapsed(),
        outcome,
    })
}

fn rows(done: &[Done]) -> Vec<Vec<String>> {
    let row = |step: &Done| {
        let verdict = if step.outcome.success { "ok" } else { "FAILED" };
        let took = format!("{:.1} s", step.took.as_secs_f64());
        vec![step.name.to_owned(), took, verdict.to_owned()]
    };
    done.iter().map(row).collect()
}

fn conclude(done: &[Done], counts: Counts) -> Result<()> {
    let failed = done.iter().filter(|step| !step.outcome.success);
    let failed: Vec<_> = failed.map(|step| step.name).collect();
    if !failed.is_empty() {
        bail!("failed: {}", failed.join(", "));
    }
    if counts.passed == 0 {
        bail!("no test was executed, and that is not a pass");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn done(success: bool, passed: u64) -> Done {
        Done {
            name: "tests",
            took: Duration::from_secs(2),
            outcome: Outcome {
                success,
                counts: Counts {
                    passed,
                    ..Counts::default()
                },
            },
        }
    }

    #[test]
    fn a_failed_step_and_an_empty_run_are_errors() {
        let verdict = |done: Done| {
            conclude(
                &[done],
                Counts {
                    passed: 0,
                    ..Counts::default()
                },
            )
        };
        assert!(verdict(done(false, 3)).is_err());
        assert!(verdict(done(true, 0)).is_err());
        let three = done(true, 3);
        let counts = three.outcome.counts;
        conclude(&[three], counts).unwrap();
    }
}
