//! Contradictions: answers of the discovery that cannot both be meant.
//!
//! Answers are free words, so this reads words: which ones an answer says, and whether it says no
//! to them. What it does not recognise contradicts nothing.

mod said;
mod table;

use gavel_domain::DiscoveryAnswer;

pub(crate) use said::Said;
use table::{RULES, Reading};

/// The name under which the idea itself is one side of a contradiction.
pub const IDEA: &str = "idea";

/// Two things that were said and do not go together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Contradiction {
    /// A stable id.
    pub id: &'static str,
    /// What stays when nobody says otherwise: a question's id, or [`IDEA`].
    pub stays: &'static str,
    /// The question whose answer yields.
    pub yields: &'static str,
    /// Why they do not go together, a sentence.
    pub why: &'static str,
}

/// Finds what does not go together, in the order of the table.
pub fn contradictions(idea: &str, answers: &[DiscoveryAnswer]) -> Vec<Contradiction> {
    let said = |question: &str| -> Vec<Said> {
        if question == IDEA {
            return vec![Said::read(idea)];
        }
        let given = answers.iter().filter(|answer| answer.question == question);
        given.map(|answer| Said::read(&answer.answer)).collect()
    };
    let fits = |question: &str, reading: &Reading| {
        let all = said(question);
        all.iter().any(|said| reading.fits(said))
    };
    let rules = RULES.iter().filter(|rule| {
        let (stays, first) = &rule.stays;
        let (yields, second) = &rule.yields;
        fits(stays, first) && fits(yields, second)
    });
    let found = rules.map(|rule| Contradiction {
        id: rule.id,
        stays: rule.stays.0,
        yields: rule.yields.0,
        why: rule.why,
    });
    found.collect()
}

#[cfg(test)]
#[path = "contradictions_tests.rs"]
mod tests;
