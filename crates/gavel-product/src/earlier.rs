//! Earlier runs with a similar idea: what they came to, for whoever begins the next one.

use gavel_domain::{EarlierRunsRecalled, FaultClass, RunId, RunState, Scope, Timestamp};
use gavel_rules::{EarlierIdea, most_similar};
use gavel_run::{Blobs, Pure, StepFailure};
use serde::{Deserialize, Serialize};

use crate::way::{Leave, Way, read_json};

/// The most of an idea or a reason that is told again.
const MOST_SIGNS: usize = 300;

/// An earlier run, as it is told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Recalled {
    pub(crate) run: RunId,
    pub(crate) idea: String,
    /// Its state, for example `halted`.
    pub(crate) state: RunState,
    /// Why it ended, where it says so.
    pub(crate) reason: String,
    /// How much it tells about this idea, in thousandths.
    pub(crate) weight: u32,
}

impl Recalled {
    /// A line for people.
    pub(crate) fn told(&self) -> String {
        let ended = match self.reason.as_str() {
            "" => self.state.to_string(),
            reason => format!("{}: {reason}", self.state),
        };
        format!("{} ({}, {ended})", self.idea, self.run.short())
    }
}

/// Finds up to three earlier runs with a similar idea, unless the run was told to do without.
pub(crate) async fn recall_earlier(
    way: Way<'_>,
    scope: &Scope,
    now: Timestamp,
) -> Result<Vec<Recalled>, Leave> {
    let Way {
        run, brief, means, ..
    } = way;
    if brief.without_memory {
        return Ok(Vec::new());
    }
    // Which runs there are is no input: the record says what was found when it was looked at.
    let effect = |blobs: Blobs| async move {
        let ideas: Vec<EarlierIdea<'_>> = means
            .earlier
            .iter()
            .map(|one| EarlierIdea {
                idea: &one.idea,
                at: one.at,
            })
            .collect();
        let found: Vec<Recalled> = most_similar(&brief.idea, now, &ideas)
            .into_iter()
            .filter_map(|(place, weight)| {
                let one = means.earlier.get(place)?;
                Some(Recalled {
                    run: one.run,
                    idea: beginning(&one.idea),
                    state: one.state,
                    reason: beginning(&one.reason),
                    weight,
                })
            })
            .collect();
        let text = serde_json::to_string(&found)
            .map_err(|error| StepFailure::of(FaultClass::Failed, &error))?;
        Ok(EarlierRunsRecalled {
            runs: found.iter().map(|one| one.run).collect(),
            texts: blobs.keep(text),
        })
    };
    let key = scope.key("earlier")?;
    let recalled = run.step(key, Pure, &brief.idea, effect).await?;
    Ok(read_json(run, recalled.value.texts).await?)
}

/// The first line of a text, cut.
fn beginning(text: &str) -> String {
    let line = text.trim().lines().next().unwrap_or_default();
    line.chars().take(MOST_SIGNS).collect()
}
