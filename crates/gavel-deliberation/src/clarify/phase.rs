//! The phase as facts: when it began, and what it came to.

use gavel_domain::{CouncilPhase, CouncilPhaseEnded, DebatePart, PhaseOutcome, Scope};
use gavel_run::{Pure, Run, RunError};

pub(super) async fn begin(run: &Run, scope: &Scope) -> Result<(), RunError> {
    let began = CouncilPhase {
        part: DebatePart::Clarify,
        round: 0,
        seats: Vec::new(),
    };
    run.decide(scope.key("clarify/began")?, began).await?;
    Ok(())
}

/// Words say why it did not come to what it was for.
pub(super) async fn end(
    run: &Run,
    scope: &Scope,
    (outcome, why): (PhaseOutcome, &str),
) -> Result<(), RunError> {
    let key = scope.key("clarify/ended")?;
    let input = (outcome, why);
    let ended = run.step(key, Pure, &input, |blobs| {
        let ended = CouncilPhaseEnded {
            part: DebatePart::Clarify,
            round: 0,
            outcome,
            why: (!why.is_empty()).then(|| blobs.keep(why)),
        };
        async move { Ok(ended) }
    });
    ended.await?;
    Ok(())
}
