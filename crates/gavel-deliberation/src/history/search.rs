//! Finding what was said by the words of a question: the rarer a shared word, the more it tells.

use std::collections::{BTreeMap, BTreeSet};

/// How many places are quoted.
const MOST: usize = 3;
/// Words that tell nothing about what a question is after.
const STOPS: &str = "the and for are was were has had have did does not but you your can how who why what when \
    where which with from that this they them their there then than its his her she him our out any all \
    about said say says tell told think thought mean means meant anybody somebody everybody someone \
    anyone debate council là và của cho với các những một được không này đó thì mà có gì ai sao nào \
    tại vì nói về cái trong khi như";

/// A place where something was said.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) key: &'a str,
    pub(super) text: &'a str,
}

/// The words of a text by which it can be found.
pub(super) fn terms(text: &str) -> BTreeSet<String> {
    let stops: BTreeSet<&str> = STOPS.split_whitespace().collect();
    let lower = text.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric());
    let long = words.filter(|word| {
        let least = if word.is_ascii() { 3 } else { 2 };
        word.chars().count() >= least && !stops.contains(word)
    });
    long.map(stem).collect()
}

/// The best places for a question, at most three, the best first; none where too little is shared.
pub(super) fn find<'a>(question: &BTreeSet<String>, places: &[Place<'a>]) -> Vec<Place<'a>> {
    let known: Vec<BTreeSet<String>> = places.iter().map(|place| terms(place.text)).collect();
    let mut holders: BTreeMap<&str, usize> = BTreeMap::new();
    for word in known
        .iter()
        .flatten()
        .filter(|word| question.contains(*word))
    {
        *holders.entry(word).or_default() += 1;
    }
    let rarity = |word: &String| {
        let holders = holders.get(word.as_str()).copied().unwrap_or(1).max(1);
        1_000 * places.len() / holders
    };
    let mut ranked = Vec::new();
    for (place, (words, found)) in known.iter().zip(places).enumerate() {
        let shared: Vec<&String> = words.intersection(question).collect();
        // One common word of many is chance.
        if shared.is_empty() || shared.len() * 3 < question.len() {
            continue;
        }
        let score: usize = shared.into_iter().map(rarity).sum();
        ranked.push((std::cmp::Reverse(score), place, *found));
    }
    ranked.sort_by_key(|(score, place, _)| (*score, *place));
    let best = ranked.into_iter().take(MOST);
    best.map(|(_, _, place)| place).collect()
}

/// A word without the ending of its plural or past, so that `retries` finds `retry`.
fn stem(word: &str) -> String {
    let kept = ["ss", "us", "is"].iter().any(|end| word.ends_with(end));
    let cut = |end: &str| {
        word.strip_suffix(end)
            .filter(|stem| stem.chars().count() >= 3)
    };
    match (cut("ies"), cut("s")) {
        (Some(stem), _) => format!("{stem}y"),
        (None, Some(stem)) if !kept => stem.to_owned(),
        (None, _) => word.to_owned(),
    }
}
