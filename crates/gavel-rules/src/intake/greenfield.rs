//! The wish for something new, which the rules of sufficiency do not know.

use super::prompt::Prompt;

const MAKING: [&str; 5] = ["build", "create", "implement", "write", "make"];
/// Before one of these words `build` is a noun: "the build fails".
const BEFORE_NOUNS: [&str; 8] = ["the", "a", "an", "this", "that", "our", "my", "each"];
/// What may stand between the verb and its object.
const BEFORE_OBJECTS: [&str; 14] = [
    "a", "an", "the", "my", "our", "me", "us", "some", "new", "simple", "small", "tiny", "little",
    "another",
];
/// Words that are no object: "make it faster", "make sure", "build for release", "build fails".
const NO_OBJECTS: [&str; 30] = [
    "it", "this", "that", "them", "these", "those", "him", "her", "sure", "sense", "use", "for",
    "in", "on", "with", "to", "from", "and", "or", "is", "was", "are", "fails", "failed",
    "failing", "breaks", "broke", "broken", "down", "up",
];
const SENTENCE_ENDS: [char; 6] = ['.', '!', '?', ';', ':', '\n'];

/// True when a verb of making has an object.
pub(super) fn wants_something_new(prompt: &Prompt<'_>) -> bool {
    let mut places = prompt.words().enumerate();
    places
        .any(|(at, word)| MAKING.contains(&word) && !is_noun(prompt, at) && has_object(prompt, at))
}

fn is_noun(prompt: &Prompt<'_>, at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| prompt.word(before));
    before.is_some_and(|before| BEFORE_NOUNS.contains(&before))
}

fn has_object(prompt: &Prompt<'_>, verb: usize) -> bool {
    let same_sentence = |at: &usize| !prompt.before(*at).contains(SENTENCE_ENDS);
    let mut next = (verb + 1..)
        .take_while(same_sentence)
        .map_while(|at| prompt.word(at));
    let object = next.find(|word| !BEFORE_OBJECTS.contains(word));
    object.is_some_and(|object| !NO_OBJECTS.contains(&object))
}
