//! Earlier councils of a project whose outcome was doubted, for the next one on the same subject.

use gavel_deliberation::{CouncilRecord, Told};
use gavel_domain::Head;
use gavel_models::ModelId;
use gavel_product::{DoubtedCouncil, Slots, meeting};
use gavel_store::Access;

use crate::commands::council_record;
use crate::context::Context;
use crate::failure::{Failure, unless_damaged};
use crate::which_run::{RunsWanted, Surroundings};

/// How many runs are looked at, the newest first.
const MOST: usize = 20;

/// The last councils of other runs that a person should have looked at. A run that is damaged says nothing;
/// rules alone debate nothing, and need to know of none.
pub(crate) async fn doubted_councils(
    context: &Context,
    slots: &Slots,
    own: &Head,
) -> Result<Vec<DoubtedCouncil>, Failure> {
    if slots.stances.iter().all(ModelId::is_rules) {
        return Ok(Vec::new());
    }
    let store = context.store(Access::ReadOnly).await?;
    let drivers = [gavel_product::DRIVER, meeting::DRIVER];
    let here = Surroundings::of(context)?;
    let runs = here.runs(&store, RunsWanted::newest(MOST)).await?;
    let mut doubted = Vec::new();
    for head in runs.heads {
        if head.run == own.run || !drivers.contains(&head.driver.as_str()) {
            continue;
        }
        let record = council_record(&store, &head, None).await;
        let record = unless_damaged(head.run, record)?.flatten();
        doubted.extend(record.and_then(|record| doubted_council(&head, &record)));
    }
    Ok(doubted)
}

fn doubted_council(head: &Head, record: &CouncilRecord) -> Option<DoubtedCouncil> {
    let verdict = record.verdict.as_ref().filter(|one| one.needs_person)?;
    let decided = record
        .decisions
        .iter()
        .filter_map(|one| one.decision.kept());
    let decided: Vec<&str> = decided.map(|decision| decision.choice.as_str()).collect();
    Some(DoubtedCouncil {
        run: head.run,
        at: head.updated_at,
        topic: record.topic.as_ref().and_then(Told::kept)?.clone(),
        came_to: decided.join(", "),
        confidence: verdict.confidence,
        reason: verdict.reason.kept().cloned().unwrap_or_default(),
    })
}
