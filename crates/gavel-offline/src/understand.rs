//! From one sentence to a design, by rules alone: word lists and a small grammar.
//!
//! An idea is in reach only if every word of it is accounted for. Whatever asks for more than lists
//! in a text file, or is not understood, is refused with the words that say so.

mod dictionary;
mod draft;
mod grammar;
mod left_out;
mod pieces;
mod reach;
mod words;

use std::fmt;

pub(crate) use self::dictionary::is_guess;
use self::draft::Draft;
pub(crate) use self::grammar::names_entity;
pub(crate) use self::left_out::{is_exclusion, offer, says_what_is_done, without};
pub use self::reach::Barrier;
pub(crate) use self::words::{is_link, plural, singular};
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
        missing: String,
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

/// True for a word that names nothing of its own: it joins others, or says what every program of
/// these rules is or does.
pub(crate) fn is_known(word: &str) -> bool {
    const LISTS: [&str; 18] = [
        "fillers", "articles", "we", "yes-no", "tools", "holders", "places", "keeping", "enabling",
        "doing", "able", "totals", "tags", "marks", "each", "units", "flags", "known",
    ];
    let listed = |list: &&'static str| words::Words(list).contains(word);
    // Units are listed in the plural, and words are asked about in the singular.
    let unit = words::Words("units").contains(&words::plural(word));
    words::is_link(word) || unit || LISTS.iter().any(listed)
}

/// True for a word that no list knows: what it says of a noun behind it is a guess.
pub(crate) fn is_unlisted(word: &str) -> bool {
    !words::is_listed(word) && dictionary::known(word).is_none()
}

/// True where what stands behind `for` asks for nothing: a place or a thing.
pub(crate) fn is_purpose(text: &str) -> bool {
    let words: Vec<String> = words::plain_words(text);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    grammar::is_purpose(&words)
}

/// What the rules find in an idea before they judge it.
struct Reading {
    words: Vec<String>,
    draft: Draft,
    /// What needs more than these rules, with the words.
    beyond: Vec<(Barrier, String)>,
    /// Phrases that no rule accounts for.
    strange: Vec<String>,
}

impl Reading {
    /// Reads an idea without what it says it does not want.
    fn of(idea: &str) -> Self {
        let words = words::plain_words(idea);
        let clauses = words::clauses(idea);
        let (draft, strange) = grammar::read(&clauses);
        let (things, fields) = if draft.things.is_empty() {
            (Vec::new(), Vec::new())
        } else {
            (draft.thing_words(), draft.kept_words())
        };
        let mut beyond = reach::barriers(&words, &things, &fields);
        for word in words
            .iter()
            .filter(|word| words::Words("praise").contains(word))
        {
            let is_said = |(_, said): &(Barrier, String)| said.split(' ').any(|own| own == word);
            if !beyond.iter().any(is_said) {
                beyond.push((Barrier::Praise, word.clone()));
            }
        }
        if let Some(foreign) = reach::foreign(&words) {
            beyond = vec![(Barrier::OtherLanguage, foreign)];
        }
        Self {
            words,
            draft,
            beyond,
            strange,
        }
    }

    fn says_nothing(&self) -> bool {
        grammar::says_nothing(&self.words)
    }

    /// How much of it stands in the way.
    fn trouble(&self) -> usize {
        self.beyond.len() + self.strange.len()
    }
}

/// Reads an idea. The same sentence always gives the same answer.
pub fn understand(idea: &str) -> Understood {
    let asked = left_out::without_exclusions(idea);
    let reading = Reading::of(&asked);
    if reading.says_nothing() {
        let missing = "say what the program keeps, and what is known about each: \"a bookmark manager with tags\"";
        return Understood::Vague {
            missing: missing.to_owned(),
        };
    }
    let Reading {
        words,
        draft,
        beyond: found,
        strange,
    } = reading;
    let foreign = found
        .iter()
        .any(|(barrier, _)| *barrier == Barrier::OtherLanguage);
    let mut reasons: Vec<Reason> = found
        .into_iter()
        .map(|(barrier, words)| Reason { barrier, words })
        .collect();
    if foreign {
        return beyond(reasons);
    }
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
    if let Some(thing) = draft.only_a_name() {
        let thing = words::plural(&thing);
        return Understood::Vague {
            missing: format!(
                "these rules know nothing of {thing}: say what is kept of each, for example \"{thing} with a \
                 name and a note\""
            ),
        };
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
