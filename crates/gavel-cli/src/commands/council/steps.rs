//! Carries out the plan of a council: every step is a run of its own, which begins where the one
//! before ended.

use std::sync::Arc;

use gavel_domain::{ActionPlan, Digest, Head, RunId, RunState, Sealed, Seq, Timestamp};
use gavel_product::meeting::{self, MeetingBrief};
use gavel_store::{SqliteStore, Store as _};
use uuid::Builder;

use super::super::drive::drive;
use super::super::start;
use crate::context::Context;
use crate::driver::meeting_brief;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::site::Site;
use crate::ui::Look;

/// Goes on with the plan that a person agreed to, if there is one, from the first step that is not
/// done. A step's run has an id that follows from the council's, so no step begins twice.
pub(crate) async fn carry_out(
    context: &Context,
    store: &Arc<SqliteStore>,
    head: &Head,
) -> Result<Option<Exit>, Failure> {
    if head.driver != meeting::DRIVER || head.state != RunState::Closed {
        return Ok(None);
    }
    let Some(approved) = meeting::approved_plan(store.as_ref(), head.run).await? else {
        return Ok(None);
    };
    let Some(brief) = meeting_brief(store, head).await? else {
        return Ok(None);
    };
    let (steps, mut base) = (approved.plan.steps.len(), None);
    for place in 0..steps {
        let run = step_run(head.run, place, approved.at);
        let told = format!("step {} of {steps}", place + 1);
        context.ui.note(context.ui.look_beside(&told, Look::Strong));
        let exit = one(context, store, (run, &brief, &approved.plan), (place, base)).await?;
        let sealed = sealed(store, run).await?;
        let Some(commit) = sealed else {
            let short = head.run.short();
            context.ui.note(format!(
                "{told} is not done, so no other begins; gavel resume {} goes on with it, and \
                 gavel resume {short} with the plan once it is sealed",
                run.short()
            ));
            return Ok(Some(exit));
        };
        base = Some(commit);
    }
    context.ui.note(format!("all {steps} steps are sealed"));
    Ok(Some(Exit::Done))
}

/// True when a plan that a person agreed to has a step that is not sealed.
pub(crate) async fn is_under_way(store: &SqliteStore, head: &Head) -> Result<bool, Failure> {
    if head.driver != meeting::DRIVER || head.state != RunState::Closed {
        return Ok(false);
    }
    let Some(approved) = meeting::approved_plan(store, head.run).await? else {
        return Ok(false);
    };
    for place in 0..approved.plan.steps.len() {
        let run = step_run(head.run, place, approved.at);
        if sealed(store, run).await?.is_none() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Starts the run of a step unless it was started before, and drives it unless it is over.
async fn one(
    context: &Context,
    store: &Arc<SqliteStore>,
    (run, brief, plan): (RunId, &MeetingBrief, &ActionPlan),
    (place, base): (usize, Option<String>),
) -> Result<Exit, Failure> {
    let mut head = store.head(run).await?;
    if head.is_none() {
        let Some(checkout) = &brief.checkout else {
            return Err(Failure::usage("without a repository nothing can be built"));
        };
        let mut site = Site::at(context, checkout).await?;
        site.base = base.unwrap_or(site.base);
        // The step alone: the topic with its options would open again what was decided.
        let step = plan.steps.get(place);
        let idea = step.map_or_else(String::new, |step| step.description.clone());
        start::begin_step(context, store, (run, idea), &site).await?;
        head = store.head(run).await?;
    }
    let Some(head) = head else {
        return Err(gavel_run::RunError::NoRun(run).into());
    };
    if head.state.is_final() {
        return Ok(Exit::Done);
    }
    Box::pin(drive(
        context,
        Arc::clone(store),
        &head,
        context.wait_mode(),
    ))
    .await
}

/// The seal commit of a run, once it is sealed.
async fn sealed(store: &SqliteStore, run: RunId) -> Result<Option<String>, Failure> {
    let records = store.records(run, Seq::ZERO, u32::MAX).await?;
    let mut last = records.iter().rev();
    let sealed = last.find_map(|record| record.read::<Sealed>().ok());
    Ok(sealed.map(|sealed| sealed.commit))
}

/// The id of a step's run: the same whenever it is asked for.
fn step_run(council: RunId, place: usize, at: Timestamp) -> RunId {
    let digest = Digest::of(format!("{council}/step-{}", place + 1));
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
        assert_eq!(step_run(council, 0, at), step_run(council, 0, at));
        assert_ne!(step_run(council, 0, at), step_run(council, 1, at));
        assert_ne!(
            step_run(council, 0, at).short(),
            step_run(council, 1, at).short()
        );
    }
}
