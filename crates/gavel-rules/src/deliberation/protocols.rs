//! The protocols that come with Gavel, as data.

use gavel_domain::{
    Category, CountScope, ExitWhen, Flow, Iteration, LoopKind, LoopPhase, Protocol, Schedule,
    StopCondition, Word,
};

/// Puts a proposal forward and answers critiques.
pub const CHAMPION: &str = "champion";
/// Holds a proposal against what the project remembers.
pub const CRITIC: &str = "critic";
/// Looks at a proposal from what the project is for.
pub const REFRAMER: &str = "reframer";
/// Made a change.
pub const AUTHOR: &str = "author";
/// Judges a change.
pub const REVIEWER: &str = "reviewer";

/// What is put forward.
pub const PROPOSAL: &str = "proposal";
/// What speaks against it, with evidence.
pub const CRITIQUE: &str = "critique";
/// A critic has nothing to add.
pub const NOTHING_NEW: &str = "nothing_new";
/// A critic finds it good enough.
pub const CRITIC_SIGNAL: &str = "critic_signal";
/// The proposal, changed.
pub const REVISION: &str = "revision";
/// The proposal, seen from what the project is for.
pub const REFRAME: &str = "reframe";
/// The phase that draws everything together.
pub const SYNTHESIS: &str = "synthesis";
/// What is to be done.
pub const PLAN_DRAFT: &str = "plan_draft";
/// What was changed.
pub const CHANGE_SUMMARY: &str = "change_summary";
/// Something wrong with it.
pub const FINDING: &str = "finding";
/// What the author says to findings.
pub const AUTHOR_RESPONSE: &str = "author_response";
/// What the reviewer says to that.
pub const FOLLOWUP: &str = "followup";
/// Whether it is accepted.
pub const VERDICT: &str = "verdict";
/// What is asked.
pub const QUESTION: &str = "question";
/// What is advised.
pub const ADVICE: &str = "advice";

/// At least so many critiques end a critique phase.
const FLOOR: u32 = 3;

/// One of the names above.
pub fn word(name: &'static str) -> Word {
    Word::known(name.to_owned())
}

struct Sketch {
    name: &'static str,
    role: &'static str,
    produces: &'static [&'static str],
    context: &'static [Category],
    gate: Option<StopCondition>,
}

impl Sketch {
    fn phase(self) -> LoopPhase {
        LoopPhase {
            name: word(self.name),
            roles: vec![word(self.role)],
            produces: self.produces.iter().map(|kind| word(kind)).collect(),
            context: self.context.to_vec(),
            gate: self.gate,
        }
    }
}

fn at_least(kind: &'static str, n: u32) -> Option<StopCondition> {
    Some(StopCondition::MinArtifactsByType {
        artifact: word(kind),
        n,
        scope: CountScope::Phase,
    })
}

/// Ideation: a proposal, critiques and revisions until nothing new comes up, a plan. With a
/// reframer, somebody looks at it from what the project is for before the plan is drawn.
pub fn ideation(reframe: bool) -> Protocol {
    let mut phases = vec![
        Sketch {
            name: PROPOSAL,
            role: CHAMPION,
            produces: &[PROPOSAL],
            context: &[
                Category::Decisions,
                Category::Constraints,
                Category::Plans,
                Category::ProjectVision,
            ],
            gate: at_least(PROPOSAL, 1),
        },
        Sketch {
            name: CRITIQUE,
            role: CRITIC,
            produces: &[CRITIQUE, NOTHING_NEW, CRITIC_SIGNAL],
            context: &[
                Category::Traps,
                Category::Feedback,
                Category::RuntimeNotes,
                Category::Decisions,
                Category::Constraints,
                Category::CritiqueHistory,
                Category::RevisionHistory,
            ],
            gate: at_least(CRITIQUE, FLOOR),
        },
        Sketch {
            name: REVISION,
            role: CHAMPION,
            produces: &[REVISION],
            context: &[Category::Everything],
            gate: at_least(REVISION, 1),
        },
    ];
    if reframe {
        phases.push(Sketch {
            name: REFRAME,
            role: REFRAMER,
            produces: &[REFRAME],
            context: &[Category::ProjectVision, Category::Constraints],
            gate: at_least(REFRAME, 1),
        });
    }
    phases.push(Sketch {
        name: SYNTHESIS,
        role: CHAMPION,
        produces: &[PLAN_DRAFT],
        context: &[Category::Everything],
        gate: None,
    });
    Protocol {
        kind: LoopKind::Ideation,
        phases: phases.into_iter().map(Sketch::phase).collect(),
        iteration: Some(Iteration {
            cycle: vec![word(CRITIQUE), word(REVISION)],
            max_iterations: 3,
            exit_when: ExitWhen::NoNewCritiqueArtifacts,
        }),
        stop: StopCondition::ArtifactProduced {
            phase: word(SYNTHESIS),
            artifact: word(PLAN_DRAFT),
        },
        schedule: Schedule::Parallel,
        flow: Flow::Manual,
    }
}

/// Review: a change, what is wrong with it, what its author says, and a verdict.
pub fn review() -> Protocol {
    let all: &[Category] = &[Category::Everything];
    let phase = |name, role, produces, gate| Sketch {
        name,
        role,
        produces,
        context: all,
        gate,
    };
    let phases = [
        phase(
            CHANGE_SUMMARY,
            AUTHOR,
            &[CHANGE_SUMMARY],
            at_least(CHANGE_SUMMARY, 1),
        ),
        phase("findings", REVIEWER, &[FINDING, NOTHING_NEW, VERDICT], None),
        phase(
            AUTHOR_RESPONSE,
            AUTHOR,
            &[AUTHOR_RESPONSE],
            at_least(AUTHOR_RESPONSE, 1),
        ),
        phase(
            "followup_review",
            REVIEWER,
            &[FOLLOWUP, NOTHING_NEW, VERDICT],
            None,
        ),
        phase(VERDICT, REVIEWER, &[VERDICT], None),
    ];
    let either = vec![
        StopCondition::ReviewerGreen,
        StopCondition::ArtifactProduced {
            phase: word(VERDICT),
            artifact: word(VERDICT),
        },
        StopCondition::MaxIterations { n: 3 },
    ];
    Protocol {
        kind: LoopKind::Review,
        phases: phases.into_iter().map(Sketch::phase).collect(),
        iteration: None,
        stop: StopCondition::Any { conditions: either },
        schedule: Schedule::Parallel,
        flow: Flow::Manual,
    }
}

/// Consult: a question and advice.
pub fn consult() -> Protocol {
    let phases = [
        Sketch {
            name: QUESTION,
            role: CHAMPION,
            produces: &[QUESTION],
            context: &[Category::Everything],
            gate: at_least(QUESTION, 1),
        },
        Sketch {
            name: ADVICE,
            role: "adviser",
            produces: &[ADVICE],
            context: &[Category::Everything],
            gate: None,
        },
    ];
    Protocol {
        kind: LoopKind::Consult,
        phases: phases.into_iter().map(Sketch::phase).collect(),
        iteration: None,
        // With several advisers it is over once each of them has spoken: the driver asks for as
        // many artifacts as there are advisers.
        stop: StopCondition::ArtifactProduced {
            phase: word(ADVICE),
            artifact: word(ADVICE),
        },
        schedule: Schedule::Parallel,
        flow: Flow::Manual,
    }
}
