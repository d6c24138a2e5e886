//! What a deliberation loop is: its protocol as data, its slots, and what they leave behind.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, de};

/// A name inside a loop: of a phase, a role, a type of artifact.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct Word(String);

/// Somebody who takes part in loops: an agent outside, or `gavel` itself.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct AgentId(String);

/// A text that is no name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WordError {
    /// Of a phase, a role, a type.
    #[error(
        "`{0}` is no name for a phase, a role or an artifact: a small letter, then at most 39 small \
         letters, digits and `_`"
    )]
    Word(String),
    /// Of an agent.
    #[error(
        "`{0}` is no agent id: at most 64 letters, digits and `_ . : / @ -`, a letter or digit first"
    )]
    Agent(String),
}

impl Word {
    /// Takes a name that is known to be one.
    pub const fn known(word: String) -> Self {
        Self(word)
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl AgentId {
    /// What Gavel's own models speak as.
    pub const GAVEL: &'static str = "gavel";

    /// Gavel itself.
    pub fn gavel() -> Self {
        Self(Self::GAVEL.to_owned())
    }

    /// True for Gavel's own models.
    pub fn is_gavel(&self) -> bool {
        self.0 == Self::GAVEL
    }

    /// The id.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn shown(text: &str) -> String {
    text.chars().take(80).collect()
}

impl FromStr for Word {
    type Err = WordError;

    fn from_str(text: &str) -> Result<Self, WordError> {
        let first = text
            .bytes()
            .next()
            .is_some_and(|byte| byte.is_ascii_lowercase());
        let part = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
        if first && text.len() <= 40 && text.bytes().all(part) {
            return Ok(Self(text.to_owned()));
        }
        Err(WordError::Word(shown(text)))
    }
}

impl FromStr for AgentId {
    type Err = WordError;

    fn from_str(text: &str) -> Result<Self, WordError> {
        let first = text
            .bytes()
            .next()
            .is_some_and(|byte| byte.is_ascii_alphanumeric());
        let part = |byte: u8| byte.is_ascii_alphanumeric() || b"_.:/@-".contains(&byte);
        if first && text.len() <= 64 && text.bytes().all(part) {
            return Ok(Self(text.to_owned()));
        }
        Err(WordError::Agent(shown(text)))
    }
}

impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for AgentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Word {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(de::Error::custom)
    }
}

impl<'de> Deserialize<'de> for AgentId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(de::Error::custom)
    }
}

/// Declares an enum whose values are words, in JSON and in text.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident ($what:literal) { $($(#[$vdoc:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
        pub enum $name { $($(#[$vdoc])* #[serde(rename = $word)] $variant),+ }

        impl $name {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The stored word.
            pub const fn word(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.word())
            }
        }

        impl FromStr for $name {
            type Err = UnknownLoopWord;

            fn from_str(text: &str) -> Result<Self, UnknownLoopWord> {
                let known = Self::ALL.iter().copied().find(|known| known.word() == text);
                known.ok_or_else(|| UnknownLoopWord {
                    what: $what,
                    word: shown(text),
                    known: Self::ALL.iter().map(|known| known.word()).collect(),
                })
            }
        }
    };
}

/// A word that is none of a list.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{word}` is no {what}: one of {}", known.join(", "))]
pub struct UnknownLoopWord {
    what: &'static str,
    word: String,
    known: Vec<&'static str>,
}

words!(
    /// What a loop is for.
    LoopKind("kind of loop") {
        /// A proposal is held against what the project remembers, until nothing new comes up.
        Ideation = "ideation",
        /// A change is reviewed until the reviewer agrees.
        Review = "review",
        /// Somebody is asked for advice.
        Consult = "consult",
        /// Phases that whoever opened it made up.
        Custom = "custom",
    }
);

words!(
    /// What a brief may hold. Every category returns what exists.
    Category("category of context") {
        /// Traps of the project's memory.
        Traps = "traps",
        /// What people said about the work.
        Feedback = "feedback",
        /// What was observed while something ran.
        RuntimeNotes = "runtime_notes",
        /// What was decided.
        Decisions = "decisions",
        /// What must hold.
        Constraints = "constraints",
        /// What the next one needs to know.
        Handoffs = "handoffs",
        /// What is to be done.
        Plans = "plans",
        /// Items that nobody has accepted yet.
        Candidates = "candidates",
        /// What the project is for.
        ProjectVision = "project_vision",
        /// Critiques of earlier iterations, and of this one once its phase is over.
        CritiqueHistory = "critique_history",
        /// Revisions so far.
        RevisionHistory = "revision_history",
        /// What the loop came to.
        SynthesisArtifact = "synthesis_artifact",
        /// All of them.
        Everything = "*",
    }
);

words!(
    /// What a critic looks out for.
    Profile("profile") {
        /// What can be left out.
        Simplifier = "simplifier",
        /// What will go wrong.
        Pessimist = "pessimist",
        /// Who could abuse it.
        Security = "security",
        /// What it costs, now and later.
        Cost = "cost",
    }
);

words!(
    /// Whether critics work side by side.
    Schedule("schedule") {
        /// All at once; none sees the others' work of this phase.
        Parallel = "parallel",
        /// One after another; each sees the earlier ones.
        Sequential = "sequential",
    }
);

words!(
    /// Who moves a loop on.
    Flow("flow") {
        /// Whoever takes part, by `turn` and `advance`.
        Manual = "manual",
        /// The loop itself: turns are given out on entering a phase, and once all windows of a
        /// phase are closed it goes on.
        Auto = "auto",
    }
);

words!(
    /// When a cycle ends before its last iteration.
    ExitWhen("exit rule") {
        /// Every critic closed its window and said that there is nothing new.
        NoNewCritiqueArtifacts = "no_new_critique_artifacts",
        /// A critic said that it is good enough.
        CriticSignal = "critic_signal",
    }
);

words!(
    /// How a turn ended.
    TurnOutcome("outcome of a turn") {
        /// As asked.
        Done = "done",
        /// It could not be done; it may be given out again.
        Failed = "failed",
        /// It was taken back: the slot does not count in this phase.
        Cancelled = "cancelled",
    }
);

words!(
    /// Where a loop stands.
    LoopStatus("status of a loop") {
        /// Turns may be taken.
        Open = "open",
        /// Somebody paused it.
        Paused = "paused",
        /// It came to its end.
        Completed = "completed",
        /// It ended at a limit, or could not go on.
        Blocked = "blocked",
        /// Somebody gave it up.
        Cancelled = "cancelled",
    }
);

impl LoopStatus {
    /// True when nothing leads on from it.
    pub const fn is_final(self) -> bool {
        match self {
            Self::Open | Self::Paused => false,
            Self::Completed | Self::Blocked | Self::Cancelled => true,
        }
    }
}

/// Which artifacts a count looks at.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CountScope {
    /// Of this phase in this iteration.
    #[default]
    Phase,
    /// Of the whole loop.
    Loop,
}

/// What ends a loop, or lets a phase end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum StopCondition {
    /// The loop is in that phase.
    PhaseReached {
        /// Which.
        phase: Word,
    },
    /// A verdict says "accepted".
    ReviewerGreen,
    /// So many iterations are over; a loop that ends by it is blocked.
    MaxIterations {
        /// How many.
        n: u32,
    },
    /// At least so many iterations are over.
    MinIterations {
        /// How many.
        n: u32,
    },
    /// There is such an artifact that counts, of any iteration.
    ArtifactProduced {
        /// Where.
        phase: Word,
        /// What.
        #[serde(rename = "type")]
        artifact: Word,
    },
    /// There are so many such artifacts that count.
    MinArtifactsByType {
        /// What.
        #[serde(rename = "type")]
        artifact: Word,
        /// How many.
        n: u32,
        /// Where they are counted.
        #[serde(default)]
        scope: CountScope,
    },
    /// No question of the loop is open.
    NoOpenQuestions,
    /// Somebody closes it.
    Manual,
    /// One of these holds.
    Any {
        /// Which.
        conditions: Vec<Self>,
    },
    /// All of these hold.
    All {
        /// Which.
        conditions: Vec<Self>,
    },
}

/// One part of a loop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LoopPhase {
    /// Its name, unique in the loop.
    pub name: Word,
    /// The roles that have a turn in it.
    #[serde(default)]
    pub roles: Vec<Word>,
    /// The types of artifact that it takes; none means any.
    #[serde(default)]
    pub produces: Vec<Word>,
    /// What its briefs hold; none means everything.
    #[serde(default)]
    pub context: Vec<Category>,
    /// What must hold before it may be left; nothing means that it may.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<StopCondition>,
}

/// Phases that are gone through again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Iteration {
    /// The phases, in their order.
    pub cycle: Vec<Word>,
    /// At most so often.
    #[serde(default = "three")]
    pub max_iterations: u32,
    /// When it ends before.
    pub exit_when: ExitWhen,
}

const fn three() -> u32 {
    3
}

/// How a loop goes: fixed when it is opened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Protocol {
    /// What it is for.
    pub kind: LoopKind,
    /// Its phases, in order.
    pub phases: Vec<LoopPhase>,
    /// The phases that are gone through again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iteration: Option<Iteration>,
    /// When it is over.
    pub stop: StopCondition,
    /// Whether those who share a phase work side by side.
    pub schedule: Schedule,
    /// Who moves it on.
    pub flow: Flow,
}

/// A place in a loop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Slot {
    /// Its id, unique in the loop: `slot-1`.
    pub id: String,
    /// Its role.
    pub role: Word,
    /// Who holds it; nothing for one that anybody may take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentId>,
    /// What it looks out for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<Profile>,
}
