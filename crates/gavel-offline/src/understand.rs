//! From one sentence to a design, by rules alone: word lists and a small grammar.
//!
//! An idea is in reach only if every word of it is accounted for. Whatever asks for more than lists
//! in a text file, or is not understood, is refused with the words that say so.

mod dictionary;
mod draft;
mod grammar;
mod reach;
mod words;

use std::fmt;

pub use self::reach::Barrier;
pub(crate) use self::words::singular;
use crate::design::Design;

/// What the rule-based model can build, in a sentence for people.
pub const CAN_DO: &str = "command-line programs that keep lists in a text file: things with fields (text, numbers, \
    amounts, days, tags, yes or no), things that belong to others, add, list, show, edit, delete, search, marks, and \
    totals per day, month, year or field";

/// What became of an idea.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Understood {
    /// It can be built.
    InReach(Design),
    /// It does not say what the program keeps.
    Vague {
        /// What to say.
        missing: &'static str,
    },
    /// It needs more than these rules.
    BeyondReach {
        /// Why; never empty.
        reasons: Vec<Reason>,
        /// What could be built instead.
        can_do: &'static str,
    },
}

/// Why an idea is beyond reach, and the words of the idea that say so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    /// What it would need.
    pub barrier: Barrier,
    /// The words.
    pub words: String,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\" {}", self.words, self.barrier)
    }
}

/// Reads an idea. The same sentence always gives the same answer.
pub fn understand(idea: &str) -> Understood {
    let words = words::plain_words(idea);
    if grammar::says_nothing(&words) {
        return Understood::Vague {
            missing: "say what the program keeps, and what is known about each: \"a bookmark manager with tags\"",
        };
    }
    let clauses = words::clauses(idea);
    let (draft, strange) = grammar::read(&clauses);
    let (things, fields) = if strange.is_empty() {
        (draft.thing_words(), draft.kept_words())
    } else {
        (Vec::new(), Vec::new())
    };
    let mut reasons: Vec<Reason> = Vec::new();
    let found = reach::barriers(&words, &things, &fields);
    reasons.extend(
        found
            .into_iter()
            .map(|(barrier, words)| Reason { barrier, words }),
    );
    // Words that may as well be names say little where something else was not understood.
    let strange = strange.into_iter().map(|words| as_said(idea, &words));
    let names: Vec<String> = words.iter().map(|word| words::singular(word)).collect();
    let softly = reach::barriers(&words, &names, &names).is_empty();
    if reasons.is_empty() || softly {
        reasons.extend(strange.map(not_understood));
    }
    if !reasons.is_empty() {
        return beyond(reasons);
    }
    if draft.things.is_empty() {
        return beyond(vec![not_understood(as_said(idea, &words.join(" ")))]);
    }
    match draft.finish(idea) {
        Ok(design) => Understood::InReach(design),
        Err(problem) => beyond(vec![not_understood(problem.to_string())]),
    }
}

/// The words as a person said them: a count was read as one sign, however it was said.
fn as_said(idea: &str, words: &str) -> String {
    const COUNTS: [&str; 3] = ["how many", "number of", "count of"];
    let idea = idea.to_lowercase();
    let said = COUNTS.into_iter().find(|count| idea.contains(count));
    let word = |word| match word {
        "#" => said.unwrap_or(word),
        word => word,
    };
    words.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

fn not_understood(words: String) -> Reason {
    Reason {
        barrier: Barrier::NotUnderstood,
        words,
    }
}

fn beyond(reasons: Vec<Reason>) -> Understood {
    Understood::BeyondReach {
        reasons,
        can_do: CAN_DO,
    }
}

#[cfg(test)]
#[path = "understand_tests.rs"]
mod tests;
