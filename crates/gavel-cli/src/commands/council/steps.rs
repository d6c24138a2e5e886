//! Carries out the plan of a council: every step is a run of its own, which begins where the one
//! before ended.

mod stopped;

use std::sync::Arc;

use gavel_domain::{ActionPlan, Digest, Head, RunId, RunState, Sealed, Seq, Timestamp};
use gavel_product::meeting::{self, ApprovedPlan, MeetingBrief};
use gavel_store::{SqliteStore, Store as _};
use uuid::Builder;

use self::stopped::{Now, what_now};
use super::super::drive::drive;
use super::super::start;
use crate::context::Context;
use crate::driver::meeting_brief;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::site::Site;
use crate::ui::Look;

/// Where a step stands. There is no other record of it than its runs.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Standing {
    /// No run was started for it, or one goes on.
    ToDo(RunId),
    /// It is done, with this commit.
    Sealed(String),
    /// Its last run ended without a seal; the id that another try would have.
    Stopped { run: RunId, next: RunId },
    /// Its last run ended without a seal, and a later step was begun.
    Skipped,
}

/// A plan that a person agreed to, and where it is carried out.
struct Work<'a> {
    store: &'a Arc<SqliteStore>,
    council: RunId,
    approved: ApprovedPlan,
    brief: MeetingBrief,
}

/// Goes on with the plan that a person agreed to, if there is one, from the first step that is not
/// done. A step's run has an id that follows from the council's, so no step begins twice.
pub(crate) async fn carry_out(
    context: &Context,
    store: &Arc<SqliteStore>,
    head: &Head,
) -> Result<Option<Exit>, Failure> {
    let Some(approved) = approved(store, head).await? else {
        return Ok(None);
    };
    let Some(brief) = meeting_brief(store, head).await? else {
        return Ok(None);
    };
    let work = Work {
        store,
        council: head.run,
        approved,
        brief,
    };
    work.carry_out(context).await.map(Some)
}

/// True when a plan that a person agreed to has a step that is neither sealed nor skipped.
pub(crate) async fn is_under_way(store: &SqliteStore, head: &Head) -> Result<bool, Failure> {
    let Some(approved) = approved(store, head).await? else {
        return Ok(false);
    };
    for place in 0..approved.plan.steps.len() {
        match standing(store, (head.run, &approved), place).await? {
            Standing::ToDo(_) | Standing::Stopped { .. } => return Ok(true),
            Standing::Sealed(_) | Standing::Skipped => {}
        }
    }
    Ok(false)
}

async fn approved(store: &SqliteStore, head: &Head) -> Result<Option<ApprovedPlan>, Failure> {
    if head.driver != meeting::DRIVER || head.state != RunState::Closed {
        return Ok(None);
    }
    Ok(meeting::approved_plan(store, head.run).await?)
}

impl Work<'_> {
    async fn carry_out(&self, context: &Context) -> Result<Exit, Failure> {
        let (steps, mut base) = (self.approved.plan.steps.len(), None);
        let mut skipped: Vec<String> = Vec::new();
        for place in 0..steps {
            let number = (place + 1).to_string();
            let told = format!("step {number} of {steps}");
            context.ui.note(context.ui.look_beside(&told, Look::Strong));
            let run = match self.standing(place).await? {
                Standing::Sealed(commit) => {
                    base = Some(commit);
                    continue;
                }
                Standing::Skipped => {
                    skipped.push(number);
                    continue;
                }
                Standing::ToDo(run) => run,
                Standing::Stopped { run, next } => match what_now(context, (&told, run)).await? {
                    Now::Again => next,
                    Now::Skip => {
                        skipped.push(number);
                        continue;
                    }
                    Now::Drop => {
                        context.ui.note("the plan is dropped: no step begins");
                        return Ok(Exit::Gate);
                    }
                    Now::Nobody => return Ok(self.left(context, &told)),
                },
            };
            let exit = self.one(context, run, (place, base.clone())).await?;
            match self.standing(place).await? {
                Standing::Sealed(commit) => base = Some(commit),
                Standing::Stopped { .. } | Standing::Skipped => {
                    return Ok(self.left(context, &told));
                }
                Standing::ToDo(_) => {
                    context.ui.note(format!(
                        "{told} is not done, so no other begins; gavel resume {} goes on with the \
                         plan",
                        self.council.short()
                    ));
                    return Ok(exit);
                }
            }
        }
        context.ui.note(match skipped.as_slice() {
            [] => format!("all {steps} steps are sealed"),
            skipped => format!(
                "{} of {steps} steps are sealed; skipped: {}",
                steps - skipped.len(),
                skipped.join(", ")
            ),
        });
        Ok(Exit::Done)
    }

    /// A step that was stopped stops the rest, until a person says otherwise.
    fn left(&self, context: &Context, told: &str) -> Exit {
        context.ui.note(format!(
            "{told} was stopped, so no other begins; at a terminal gavel resume {} asks whether to \
             try it again, skip it, or drop the plan",
            self.council.short()
        ));
        Exit::Gate
    }

    async fn standing(&self, place: usize) -> Result<Standing, Failure> {
        standing(self.store, (self.council, &self.approved), place).await
    }

    /// Starts a run of a step unless it was started before, and drives it.
    async fn one(
        &self,
        context: &Context,
        run: RunId,
        (place, base): (usize, Option<String>),
    ) -> Result<Exit, Failure> {
        let mut head = self.store.head(run).await?;
        if head.is_none() {
            let Some(checkout) = &self.brief.checkout else {
                return Err(Failure::usage("without a repository nothing can be built"));
            };
            let mut site = Site::at(context, checkout).await?;
            site.base = base.unwrap_or(site.base);
            let idea = idea(&self.approved.plan, place);
            start::begin_step(context, self.store, (run, idea), &site).await?;
            head = self.store.head(run).await?;
        }
        let Some(head) = head else {
            return Err(gavel_run::RunError::NoRun(run).into());
        };
        let wait = context.wait_mode();
        Box::pin(drive(context, Arc::clone(self.store), &head, wait)).await
    }
}

/// The step alone: the topic with its options would open again what was decided.
fn idea(plan: &ActionPlan, place: usize) -> String {
    let step = plan.steps.get(place);
    step.map_or_else(String::new, |step| step.description.clone())
}

/// Where a step stands, by its runs and those of the steps behind it.
async fn standing(
    store: &SqliteStore,
    (council, approved): (RunId, &ApprovedPlan),
    place: usize,
) -> Result<Standing, Failure> {
    let id = |place, again| step_run(council, (place, again), approved.at);
    let (mut run, mut again, mut last) = (id(place, 0), 0, None);
    while let Some(head) = store.head(run).await? {
        last = Some(head);
        again += 1;
        run = id(place, again);
    }
    let Some(last) = last else {
        return Ok(Standing::ToDo(run));
    };
    Ok(match last.state {
        RunState::Sealed | RunState::Closed => match sealed(store, last.run).await? {
            Some(commit) => Standing::Sealed(commit),
            None => Standing::Stopped {
                run: last.run,
                next: run,
            },
        },
        RunState::Halted | RunState::Aborted => {
            for later in place + 1..approved.plan.steps.len() {
                if store.head(id(later, 0)).await?.is_some() {
                    return Ok(Standing::Skipped);
                }
            }
            Standing::Stopped {
                run: last.run,
                next: run,
            }
        }
        RunState::Running | RunState::Waiting | RunState::Paused | RunState::Faulted => {
            Standing::ToDo(last.run)
        }
    })
}

/// The seal commit of a run, once it is sealed.
async fn sealed(store: &SqliteStore, run: RunId) -> Result<Option<String>, Failure> {
    let records = store.records(run, Seq::ZERO, u32::MAX).await?;
    let mut last = records.iter().rev();
    let sealed = last.find_map(|record| record.read::<Sealed>().ok());
    Ok(sealed.map(|sealed| sealed.commit))
}

/// The id of a step's run: the same whenever it is asked for. `again` counts the tries before it.
fn step_run(council: RunId, (place, again): (usize, u32), at: Timestamp) -> RunId {
    let step = format!("{council}/step-{}", place + 1);
    let digest = match again {
        0 => Digest::of(step),
        again => Digest::of(format!("{step}/again-{again}")),
    };
    let mut bytes = [0; 10];
    for (byte, of) in bytes.iter_mut().zip(digest.bytes()) {
        *byte = *of;
    }
    let millis = u64::try_from(at.as_millisecond()).unwrap_or_default();
    RunId::from_uuid(Builder::from_unix_timestamp_millis(millis, &bytes).into_uuid())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_has_the_same_run_whenever_it_is_asked_for() {
        let council: RunId = "01890a5d-ac96-774b-bcce-b302099a8057".parse().unwrap();
        let at = Timestamp::from_millisecond(1_700_000_000_000).unwrap();
        let run = |place, again| step_run(council, (place, again), at);
        assert_eq!(run(0, 0), run(0, 0));
        assert_ne!(run(0, 0), run(1, 0));
        assert_ne!(run(0, 0).short(), run(1, 0).short());
        assert_ne!(run(0, 0), run(0, 1), "another try is another run");
    }
}
