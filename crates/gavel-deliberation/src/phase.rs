//! The phases of a council as facts: when each began, and what it came to.

use gavel_domain::{CouncilPhase, CouncilPhaseEnded, DebatePart, PhaseOutcome, Scope};
use gavel_run::{Pure, Run, RunError};

/// A phase: its facts stand at `NAME/began` and `NAME/ended`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Phase<'a> {
    /// The room of its keys in the debate's scope.
    pub(crate) name: &'a str,
    pub(crate) part: DebatePart,
    /// Counted from one for rounds and lookups; zero elsewhere.
    pub(crate) round: u32,
}

impl Phase<'_> {
    /// It begins, with these models in its seats.
    pub(crate) async fn begin(
        self,
        run: &Run,
        scope: &Scope,
        seats: Vec<String>,
    ) -> Result<(), RunError> {
        let began = CouncilPhase {
            part: self.part,
            round: self.round,
            seats,
        };
        let key = scope.key(&format!("{}/began", self.name))?;
        run.decide(key, began).await?;
        Ok(())
    }

    /// It ended as it was meant to.
    pub(crate) async fn done(self, run: &Run, scope: &Scope) -> Result<(), RunError> {
        self.end(run, scope, (PhaseOutcome::Done, "")).await
    }

    /// It ended; words say why it did not come to what it was for.
    pub(crate) async fn end(
        self,
        run: &Run,
        scope: &Scope,
        (outcome, why): (PhaseOutcome, &str),
    ) -> Result<(), RunError> {
        let key = scope.key(&format!("{}/ended", self.name))?;
        let input = (outcome, why);
        let ended = run.step(key, Pure, &input, |blobs| {
            let ended = CouncilPhaseEnded {
                part: self.part,
                round: self.round,
                outcome,
                why: (!why.is_empty()).then(|| blobs.keep(why)),
            };
            async move { Ok(ended) }
        });
        ended.await?;
        Ok(())
    }
}
