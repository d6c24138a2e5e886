//! What a council or a review looks at.

use gavel_domain::{DiscoveryAnswer, MemoryNote};
use gavel_rules::{Evidence, KnownEvidence, check_evidence};

/// The kinds of memory that warn.
const WARNINGS: [&str; 2] = ["trap", "feedback"];

/// An idea with everything that is known about it.
#[derive(Debug, Clone, Copy)]
pub struct Topic<'a> {
    /// The idea, as it was typed.
    pub idea: &'a str,
    /// The answers of the discovery.
    pub answers: &'a [DiscoveryAnswer],
    /// What project memory says.
    pub memory: &'a [MemoryNote],
    /// Why the plan before this one did not work out; nothing for the first.
    pub trouble: Option<&'a str>,
}

impl<'a> Topic<'a> {
    /// The memory items that warn of something.
    pub(crate) fn warnings(&self) -> impl Iterator<Item = &'a MemoryNote> + use<'a> {
        let memory = self.memory.iter();
        memory.filter(|note| WARNINGS.contains(&note.kind.as_str()))
    }

    /// What evidence can point at.
    pub(crate) fn sources(&self) -> Sources<'a> {
        let answers = self.answers.iter().map(|answer| answer.question.as_str());
        let memory = self.memory.iter().map(|note| note.id.as_str());
        Sources {
            answers: answers.collect(),
            memory: memory.collect(),
        }
    }
}

/// The ids of everything that evidence can point at.
#[derive(Debug, Clone)]
pub(crate) struct Sources<'a> {
    answers: Vec<&'a str>,
    memory: Vec<&'a str>,
}

impl Sources<'_> {
    pub(crate) fn known(&self) -> KnownEvidence<'_> {
        KnownEvidence {
            answers: &self.answers,
            memory: &self.memory,
        }
    }

    /// The tags that name something, and those that do not with the reason.
    pub(crate) fn divide<'t>(&self, tags: &'t [String]) -> (Vec<&'t str>, Vec<String>) {
        let known = self.known();
        let (mut held, mut broken) = (Vec::new(), Vec::new());
        for tag in tags {
            match check_evidence(tag, &known) {
                Evidence::Held => held.push(tag.trim()),
                Evidence::Broken { why } => broken.push(format!("{tag} ({why})")),
            }
        }
        (held, broken)
    }
}
