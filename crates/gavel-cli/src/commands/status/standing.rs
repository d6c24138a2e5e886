//! Where the build of a run stands, folded from its facts.

use std::collections::BTreeSet;

use gavel_domain::{
    BranchPushed, BreakerTripped, ContractKind, ContractSubmitted, CriteriaJudged, Head, Purpose,
    PushDecision, PushState, Record, Resumed, RunStarted, SprintOpened, SprintPlanned, Stage,
    VerifyFinished, VerifyVerdict,
};
use gavel_product::{SealsMade, ShippedBy};
use gavel_rules::RunChoices;
use gavel_store::{SqliteStore, Store as _};
use gavel_view::first_errors;
use serde_json::{Value, json};

use crate::driver::records;
use crate::failure::Failure;

/// Where a build stands.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Standing {
    /// How often somebody drove on although the drive before had died.
    pub(crate) unclean: u32,
    /// The sprint under way or done last.
    pub(crate) sprint: Option<u32>,
    pub(crate) max_sprints: u32,
    /// The phase that it works on.
    pub(crate) phase: Option<u32>,
    pub(crate) phases_built: usize,
    /// How many phases the contracts have.
    pub(crate) phases: Option<usize>,
    /// The last score, in thousandths.
    pub(crate) score: Option<u32>,
    /// The breaker that waits for a person: its name and why it tripped.
    pub(crate) breaker: Option<(String, String)>,
    /// The first errors of the last verification, where nothing could even be run.
    pub(crate) errors: Vec<String>,
    /// Whether the branch is at a remote; `None` for what is no build.
    pub(crate) push: Option<PushState>,
    /// Who approved what is sealed; `None` while nothing is.
    pub(crate) approved: Option<ShippedBy>,
}

impl Standing {
    /// Reads it from the store.
    pub(crate) async fn read(store: &SqliteStore, head: &Head) -> Result<Self, Failure> {
        let records = records(store, head).await?;
        let mut standing = Self::of(&records);
        standing.approved = SealsMade::of(&records).approved;
        let mut verified = records.iter().rev();
        let verified = verified.find_map(|record| record.read::<VerifyFinished>().ok());
        let nothing_ran = |last: &VerifyFinished| {
            last.executed == 0 && last.verdict != VerifyVerdict::Passed && standing.sprint.is_some()
        };
        if let Some(last) = verified.filter(nothing_ran)
            && let Some(text) = store.blob(last.output.digest).await?
        {
            standing.errors = first_errors(&String::from_utf8_lossy(&text));
        }
        if head.stage != Some(Stage::Building) {
            standing.phase = None;
        } else if standing.phase.is_some() {
            // The phase under way is not built yet.
            standing.phases_built = standing.phases_built.saturating_sub(1);
        }
        if !head.questions.values().any(|p| *p == Purpose::Breaker) {
            standing.breaker = None;
        }
        let last = |found: Option<ContractSubmitted>, record: &Record| match record.read() {
            Ok(contract @ ContractSubmitted { .. }) if contract.kind == ContractKind::Phases => {
                Some(contract)
            }
            Ok(ContractSubmitted { .. }) | Err(_) => found,
        };
        if let Some(contract) = records.iter().fold(None, last)
            && let Some(text) = store.blob(contract.content.digest).await?
        {
            let phases = gavel_contracts::parse_phases(&String::from_utf8_lossy(&text));
            standing.phases = phases.ok().map(|phases| phases.len());
        }
        Ok(standing)
    }

    fn of(records: &[Record]) -> Self {
        let mut standing = Self::default();
        let mut phases = BTreeSet::new();
        for record in records {
            if let Ok(started) = record.read::<RunStarted>() {
                standing.max_sprints = RunChoices::of(&started.settings).max_sprints;
                if started.driver == gavel_product::DRIVER {
                    standing.push = Some(PushDecision::begun_with(&started.settings));
                }
            } else if let Ok(resumed) = record.read::<Resumed>() {
                standing.unclean += u32::from(resumed.unclean);
            } else if let Ok(pushed) = record.read::<BranchPushed>() {
                standing.push = Some(pushed.state());
            } else if let Ok(opened) = record.read::<SprintOpened>() {
                standing.sprint = Some(opened.sprint);
                standing.phase = opened.phase;
                phases.extend(opened.phase);
            } else if let Ok(planned) = record.read::<SprintPlanned>() {
                standing.sprint = Some(planned.sprint);
                standing.phase = Some(planned.phase);
                phases.insert(planned.phase);
            } else if let Ok(judged) = record.read::<CriteriaJudged>() {
                standing.score = Some(judged.score);
            } else if let Ok(tripped) = record.read::<BreakerTripped>()
                && !tripped.degraded
            {
                standing.breaker = Some((tripped.breaker, tripped.reason));
            }
        }
        standing.phases_built = phases.len();
        standing
    }

    /// `sprint 3 of 8, phase 2, 70 % shown`; nothing before the first sprint.
    pub(crate) fn told(&self) -> Option<String> {
        let sprint = self.sprint?;
        let mut parts = vec![format!("sprint {sprint} of {}", self.max_sprints)];
        // As the contracts count them.
        if let Some(phase) = self.phase {
            parts.push(format!("phase {phase}"));
        }
        if let Some(score) = self.score {
            parts.push(format!("{} % shown", score / 10));
        }
        Some(parts.join(", "))
    }

    /// `after a crash, 2 times`; nothing when no drive died.
    pub(crate) fn crashes(&self) -> Option<String> {
        match self.unclean {
            0 => None,
            1 => Some("resumed after a crash, once".to_owned()),
            many => Some(format!("resumed after a crash, {many} times")),
        }
    }

    pub(crate) fn as_json(&self) -> Value {
        json!({
            "unclean_resumes": self.unclean,
            "sprint": self.sprint,
            "max_sprints": self.max_sprints,
            "phase": self.phase,
            "phases": self.phases,
            "score": self.score.map(|score| f64::from(score) / 1000.0),
            "breaker": self.breaker.as_ref().map(|(breaker, reason)| {
                json!({ "breaker": breaker, "reason": reason })
            }),
            "errors": self.errors,
            "pushed": self.push,
            "approved_by": self.approved.map(|by| by.approver.word()),
        })
    }
}

#[cfg(test)]
#[path = "standing_tests.rs"]
mod tests;
