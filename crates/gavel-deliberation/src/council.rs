//! Who can take part in a council, and what a debate comes to.

use gavel_agent::ToolContext;
use gavel_domain::{
    Assumption, Badge, CouncilOutcome, DebatePlan, Decision, SynthesisOutcome, Voices,
};
use gavel_models::{ModelId, ModelInfo};
use gavel_rules::council::Experience;

use crate::Verdict;

/// Which rules a debate is held by: a run keeps those that it began with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Edition {
    /// Memory is asked by the words of the topic alone.
    First,
    /// Memory is asked for each option of each decision too; existence is half of a proof; votes end a
    /// debate; each seat answers once a round.
    Second,
}

/// Who can take part.
#[derive(Debug, Clone)]
pub struct Council {
    /// Which rules the debate is held by.
    pub edition: Edition,
    /// Plans, evaluates and draws together.
    pub leader: ModelInfo,
    /// The model that was configured to lead, when a better one of its provider took its place.
    pub promoted_from: Option<ModelId>,
    /// The models of the seats, in order; with fewer than stances they repeat.
    pub seats: Vec<ModelInfo>,
    /// Reads the synthesis.
    pub judge: ModelInfo,
    /// Looks things up.
    pub researcher: ModelInfo,
    /// Does what a quick model can: the research need, summaries of rounds.
    pub fast: ModelInfo,
    /// Does what a usual model can: questions, the matter, evaluations of rounds.
    pub balanced: ModelInfo,
    /// Reads the tree, and takes secrets out of what people say.
    pub context: ToolContext,
    /// Whether somebody speaks for what went wrong here before.
    pub experience: Experience,
    /// Whether two drafts that agree make the rounds unnecessary.
    pub gate: bool,
}

/// What convening a council came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Convened {
    /// A debate was held, or shown not to be needed.
    Held(Box<Held>),
    /// No debate took place: nobody could open it.
    Stuck {
        /// Why.
        problem: String,
    },
}

/// What a debate came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Held {
    /// Its outcome.
    pub outcome: CouncilOutcome,
    /// The outcome as text for people.
    pub readable: String,
    /// What was decided, in order.
    pub decisions: Vec<Decision>,
    /// What is taken for granted, with who raised it.
    pub assumptions: Vec<Assumption>,
    /// The card that people read: what was decided, who dissented, what is assumed, and what was
    /// left unsaid.
    pub summary: String,
    /// How it was planned.
    pub plan: DebatePlan,
    /// Whose voices stand behind it.
    pub voices: Voices,
    /// Checked of all tagged claims, in hundredths; nothing when nobody tagged.
    pub density: Option<u32>,
    /// How much it can be relied on.
    pub badge: Badge,
    /// How the synthesis came about.
    pub synthesis: SynthesisOutcome,
    /// What the judge said of it.
    pub verdict: Verdict,
    /// How many rounds were held.
    pub rounds: u32,
    /// The models of the seats that spoke, in the order of the seats.
    pub spoke: Vec<ModelId>,
    /// True when a section that was planned is empty.
    pub empty_sections: bool,
    /// True when the leader saw a criterion that is not met in the end.
    pub criteria_unmet: bool,
}
