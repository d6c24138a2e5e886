//! Which shape a turn's answer has, and the rules that a model answers by.

use gavel_domain::{LoopKind, LoopPhase, Profile, Slot, Word};
use gavel_rules::deliberation::{
    ADVICE, AUTHOR_RESPONSE, CRITIC_SIGNAL, CRITIQUE, FINDING, FOLLOWUP, NOTHING_NEW, PLAN_DRAFT,
    PROPOSAL, REFRAME, REVISION, VERDICT,
};

/// What every turn is told last.
const CLOSE: &str = "The brief of your turn follows. Answer with the JSON object alone, and write in the \
    language of the proposal.";

/// The shape of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Proposal,
    Critique,
    Revision,
    Reframe,
    Plan,
    Advice,
    Finding,
    Response,
    Verdict,
    /// Whatever else a phase takes.
    Artifacts,
}

impl Shape {
    /// The shape for what a phase takes. A phase that takes anything beyond what a shape can bring
    /// gets the general one.
    pub(super) fn of(phase: &LoopPhase) -> Self {
        let Some(first) = phase.produces.first() else {
            return Self::Artifacts;
        };
        let (shape, beside): (Self, &[&str]) = match first.as_str() {
            PROPOSAL => (Self::Proposal, &[]),
            CRITIQUE => (Self::Critique, &[NOTHING_NEW, CRITIC_SIGNAL]),
            REVISION => (Self::Revision, &[]),
            REFRAME => (Self::Reframe, &[]),
            PLAN_DRAFT => (Self::Plan, &[]),
            ADVICE => (Self::Advice, &[]),
            FINDING | FOLLOWUP => (Self::Finding, &[NOTHING_NEW, VERDICT]),
            AUTHOR_RESPONSE => (Self::Response, &[]),
            VERDICT => (Self::Verdict, &[]),
            _ => return Self::Artifacts,
        };
        let fits = |kind: &Word| kind == first || beside.contains(&kind.as_str());
        if phase.produces.iter().all(fits) {
            shape
        } else {
            Self::Artifacts
        }
    }

    /// Its name on the wire.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Proposal => "loop_proposal",
            Self::Critique => "loop_critique",
            Self::Revision => "loop_revision",
            Self::Reframe => "loop_reframe",
            Self::Plan => "loop_plan",
            Self::Advice => "loop_advice",
            Self::Finding => "loop_finding",
            Self::Response => "loop_response",
            Self::Verdict => "loop_verdict",
            Self::Artifacts => "loop_artifact",
        }
    }

    /// The rules for a slot.
    pub(super) fn system(self, kind: LoopKind, slot: &Slot) -> String {
        let mut system = self.prompt().trim_end().to_owned();
        if let Some(profile) = slot.profile {
            system.push_str("\n\n");
            system.push_str(looks_for(profile));
        }
        if self == Self::Artifacts {
            let (role, kind) = (&slot.role, kind.word());
            system.push_str(&format!(
                "\n\nYour part is called `{role}`, in a loop of the kind `{kind}`."
            ));
        }
        system.push_str("\n\n");
        system.push_str(CLOSE);
        system
    }

    const fn prompt(self) -> &'static str {
        match self {
            Self::Proposal => include_str!("../../../prompts/loop-proposal.md"),
            Self::Critique => include_str!("../../../prompts/loop-critique.md"),
            Self::Revision => include_str!("../../../prompts/loop-revision.md"),
            Self::Reframe => include_str!("../../../prompts/loop-reframe.md"),
            Self::Plan => include_str!("../../../prompts/loop-plan.md"),
            Self::Advice => include_str!("../../../prompts/loop-advice.md"),
            Self::Finding => include_str!("../../../prompts/loop-finding.md"),
            Self::Response => include_str!("../../../prompts/loop-response.md"),
            Self::Verdict => include_str!("../../../prompts/loop-verdict.md"),
            Self::Artifacts => include_str!("../../../prompts/loop-artifact.md"),
        }
    }
}

const fn looks_for(profile: Profile) -> &'static str {
    match profile {
        Profile::Simplifier => {
            "You are the simplifier: look for what can be left out, done later, or done with what is \
             there already."
        }
        Profile::Pessimist => {
            "You are the pessimist: look for what will go wrong, what went wrong before, and what \
             happens when a step fails half way."
        }
        Profile::Security => {
            "You look at security: who could abuse this, which secrets and rights it touches, and \
             what it trusts that it should not."
        }
        Profile::Cost => {
            "You look at cost: the work now, the work of keeping it alive later, and what runs up \
             bills or waiting time."
        }
    }
}
