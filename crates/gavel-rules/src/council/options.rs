//! Options held against evidence, by rules alone.
//!
//! What stands in for a debate where there is no model: which sources name an option, whether they
//! speak for it or against it, and what nobody knows. It recommends something only where the
//! evidence is one-sided, and every line names its source. It reads words, not meaning, so each
//! reading says which words it rests on.

mod bearing;
mod cues;
mod names;
mod passage;
mod passing;
mod question;
mod reading;
mod recommend;
mod review;
mod subject;
mod things;
mod topic;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

pub use bearing::{Bearing, Proposal};
pub(super) use names::names_option;
pub use question::thing_of;
pub use review::review_options;
pub use topic::read_options;

/// What a topic offers to choose from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TopicOptions {
    /// The options, in the order of the topic; empty when it names none.
    pub options: Vec<String>,
    /// What they are for; empty when the topic does not say.
    pub subject: String,
    /// How sources name them, where that is not what they are called: `PostgreSQL` for `migrate to
    /// PostgreSQL`. One name for two options is what a yes or no is about; without options, the things
    /// that the topic names all the same.
    #[serde(default)]
    pub named: Vec<String>,
    /// What else the project's memory calls each of the names, a word each; empty as long as nobody
    /// looked.
    #[serde(default)]
    pub aliases: Vec<Vec<String>>,
}

/// What kind of thing a source is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SourceKind {
    /// Something that went wrong and will again.
    Trap,
    /// What a person said about the work.
    Feedback,
    /// Something that must hold.
    Constraint,
    /// Something that was decided.
    Decision,
    /// What the project is for.
    Vision,
    /// Something that is to be done.
    Plan,
    /// An observation.
    Note,
    /// A place in a file.
    File,
}

impl SourceKind {
    /// The kind of a memory item, by its stored word. What is not known is a note.
    pub fn of_memory(kind: &str) -> Self {
        match kind {
            "trap" => Self::Trap,
            "feedback" => Self::Feedback,
            "constraint" => Self::Constraint,
            "decision" => Self::Decision,
            "vision" => Self::Vision,
            "plan" => Self::Plan,
            _ => Self::Note,
        }
    }

    /// How a sentence calls it.
    const fn called(self) -> &'static str {
        match self {
            Self::Trap => "a trap",
            Self::Feedback => "feedback",
            Self::Constraint => "a constraint",
            Self::Decision => "a decision",
            Self::Vision => "the vision",
            Self::Plan => "a plan",
            Self::Note => "a note",
            Self::File => "a file",
        }
    }
}

/// Something that may speak about options.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OptionSource {
    /// How it is cited.
    pub cite: String,
    /// What it is.
    pub kind: SourceKind,
    /// What it says.
    pub text: String,
}

/// A source that has something to say.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cited {
    /// How it is cited.
    pub cite: String,
    /// The sentence that counts, cut to a line or two.
    pub text: String,
    /// Which words made it count.
    pub why: String,
}

/// An option with everything that speaks about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OptionStanding {
    /// The option.
    pub name: String,
    /// What speaks for it.
    pub speaks_for: Vec<Cited>,
    /// What speaks against it.
    pub speaks_against: Vec<Cited>,
    /// What names it and can be read neither way.
    pub mentions: Vec<Cited>,
}

/// What rules can say about a choice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OptionsReview {
    /// The topic, as it was typed.
    pub topic: String,
    /// What the options are for; empty when the topic does not say.
    pub subject: String,
    /// The options, in the order of the topic.
    pub options: Vec<OptionStanding>,
    /// What names no option and is about the same subject. It counts for nobody.
    pub background: Vec<Cited>,
    /// What is not known, as sentences.
    pub unknown: Vec<String>,
    /// The option that the evidence speaks for, counted from zero; nothing when it is open.
    pub recommended: Option<u32>,
    /// Why, or what is missing for a recommendation.
    pub why: String,
    /// What the reader must know before relying on this.
    pub warning: Option<String>,
}

impl OptionsReview {
    /// The words of the option that is recommended.
    pub fn recommended_name(&self) -> Option<&str> {
        let place = usize::try_from(self.recommended?).ok()?;
        self.options.get(place).map(|option| option.name.as_str())
    }

    /// Every source that it cites, each once.
    pub fn cites(&self) -> BTreeSet<&str> {
        let about = self.options.iter().flat_map(|option| {
            let both = option.speaks_for.iter().chain(&option.speaks_against);
            both.chain(&option.mentions)
        });
        let all = about.chain(&self.background);
        all.map(|cited| cited.cite.as_str()).collect()
    }
}

#[cfg(test)]
#[path = "options_tests.rs"]
mod tests;
