//! What project memory has to say in a debate: warnings for all, and a selection for each seat.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use gavel_domain::{MemoryNote, Stance, StanceOrigin};

use super::options::{TopicOptions, names_option, read_options};
use super::telling::{shared, telling};

/// How many telling words a warning must share with a topic.
const LEAST_SHARED: usize = 2;
/// The most warnings that a debate answers.
const MOST_WARNINGS: usize = 5;
/// What it weighs that a stance names a note by its id. It outweighs every number of shared words.
const NAMED: usize = 1_000;
/// What it weighs that a note is the best one about an option: whoever argues about it must see it.
const BEST: usize = 100_000;
/// What a word of the stance weighs against a word of the topic.
const OWN_WORD: usize = 3;

/// The traps and the feedback that fit a topic, the best fit first: those that name one of its
/// options, or share two telling words with it (one, where it has no more than two).
pub fn warnings<'a>(topic: &str, memory: &'a [MemoryNote]) -> Vec<&'a MemoryNote> {
    let wanted = telling(topic);
    let asked = read_options(topic);
    let least = if wanted.len() <= LEAST_SHARED {
        1
    } else {
        LEAST_SHARED
    };
    let mut found: Vec<(usize, &MemoryNote)> = memory
        .iter()
        .filter(|note| warns(note))
        .filter_map(|note| {
            let shared = shared(&wanted, &note.text);
            let fits = shared >= least || names_option(&asked, &note.text);
            fits.then_some((shared, note))
        })
        .collect();
    found.sort_by_key(|(shared, note)| (Reverse(*shared), &note.id));
    let found = found.into_iter().map(|(_, note)| note);
    found.take(MOST_WARNINGS).collect()
}

/// The first note that names each option, by their ids: with the best notes first, the best ones.
pub fn best_of_each(options: &[TopicOptions], memory: &[MemoryNote]) -> BTreeSet<String> {
    let mut best = BTreeSet::new();
    for asked in options {
        let named: Vec<_> = memory
            .iter()
            .map(|note| (note, asked.named_in(&note.text)))
            .collect();
        for option in 0..asked.names().len() {
            let first = named.iter().find(|(_, named)| named.contains(&option));
            best.extend(first.map(|(note, _)| note.id.clone()));
        }
    }
    best
}

/// What a seat gets from memory, at most so many: the notes that everybody must see, then those that
/// its focus names by their ids, then those that fit its lens and focus, then those that fit the
/// topic. The order of `memory` breaks ties. A seat that speaks for what went wrong gets warnings
/// before everything else but the first.
pub fn memory_for<'a>(
    stance: &Stance,
    (topic, best): (&str, &BTreeSet<String>),
    memory: &'a [MemoryNote],
    most: usize,
) -> Vec<&'a MemoryNote> {
    let own = telling(&format!("{} {} {}", stance.name, stance.lens, stance.focus));
    let topic = telling(topic);
    let audits = stance.origin == StanceOrigin::ExperienceAuditor;
    let fit = |note: &MemoryNote| {
        let named = names_id(&stance.focus, &note.id) || audits && warns(note);
        let words = OWN_WORD * shared(&own, &note.text) + shared(&topic, &note.text);
        let best = if best.contains(&note.id) { BEST } else { 0 };
        words + best + if named { NAMED } else { 0 }
    };
    let mut found: Vec<(usize, &MemoryNote)> =
        memory.iter().map(|note| (fit(note), note)).collect();
    found.sort_by_key(|(fit, _)| Reverse(*fit));
    let found = found.into_iter().map(|(_, note)| note);
    found.take(most).collect()
}

fn warns(note: &MemoryNote) -> bool {
    matches!(note.kind.as_str(), "trap" | "feedback")
}

/// True when a text names an id, and not only the beginning of a longer one.
pub fn names_id(text: &str, id: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
    !id.is_empty() && text.split(|c: char| !part(c)).any(|word| word == id)
}

#[cfg(test)]
#[path = "notes_tests.rs"]
mod tests;
