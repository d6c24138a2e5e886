//! Which earlier runs had a similar idea: shared words, weighed by how long ago it was.

use std::collections::BTreeSet;

use gavel_domain::Timestamp;

/// How many are recalled.
const MOST: usize = 3;
/// Below this share of words it is another idea, in thousandths.
const LEAST_SHARED: u64 = 200;
/// What a run of this moment weighs, in thousandths.
const FRESH: u64 = 1_000;
/// What a run weighs that is older than [`FADES_MS`], in thousandths.
const OLD: u64 = 300;
/// Thirty days.
const FADES_MS: u64 = 30 * 24 * 3_600 * 1_000;
/// Words that every idea has.
const FILLING: [&str; 30] = [
    "a", "an", "and", "are", "as", "at", "be", "by", "can", "for", "from", "i", "in", "is", "it",
    "me", "my", "of", "on", "or", "that", "the", "their", "them", "this", "to", "want", "we",
    "which", "with",
];

/// An idea of another run, and when that run was last touched.
#[derive(Debug, Clone, Copy)]
pub struct EarlierIdea<'a> {
    /// The idea.
    pub idea: &'a str,
    /// When.
    pub at: Timestamp,
}

/// The places of the most similar ideas, the most telling first, each with its weight in
/// thousandths.
pub fn most_similar(idea: &str, now: Timestamp, earlier: &[EarlierIdea<'_>]) -> Vec<(usize, u32)> {
    let wanted = words(idea);
    let mut found: Vec<(usize, u32)> = earlier
        .iter()
        .enumerate()
        .filter_map(|(place, one)| {
            let shared = shared_words(&wanted, &words(one.idea));
            let weight = shared * recency(now, one.at) / 1_000;
            (shared >= LEAST_SHARED).then(|| (place, u32::try_from(weight).unwrap_or(u32::MAX)))
        })
        .collect();
    found.sort_by_key(|(place, weight)| (std::cmp::Reverse(*weight), *place));
    found.truncate(MOST);
    found
}

/// The share of words that both have, of all words of both, in thousandths.
fn shared_words(left: &BTreeSet<String>, right: &BTreeSet<String>) -> u64 {
    let both = left.intersection(right).count();
    let all = left.union(right).count();
    let thousandths = (both * 1_000).checked_div(all).unwrap_or(0);
    u64::try_from(thousandths).unwrap_or(0)
}

/// Falls evenly from one to 0.3 over thirty days, in thousandths.
fn recency(now: Timestamp, at: Timestamp) -> u64 {
    let age = now.as_millisecond().saturating_sub(at.as_millisecond());
    let age = u64::try_from(age).unwrap_or(0).min(FADES_MS);
    FRESH - (FRESH - OLD) * age / FADES_MS
}

fn words(idea: &str) -> BTreeSet<String> {
    let lower = idea.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric());
    let telling = words.filter(|word| !word.is_empty() && !FILLING.contains(word));
    telling.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn days_ago(days: i64) -> Timestamp {
        Timestamp::from_second(100 * 86_400 - days * 86_400).unwrap()
    }

    fn found(idea: &str, earlier: &[(&str, i64)]) -> Vec<(usize, u32)> {
        let earlier: Vec<EarlierIdea<'_>> = earlier
            .iter()
            .map(|(idea, days)| EarlierIdea {
                idea,
                at: days_ago(*days),
            })
            .collect();
        most_similar(idea, days_ago(0), &earlier)
    }

    #[test]
    fn recent_and_alike_comes_first() {
        let all = [
            ("a bookmark manager with tags", 30),
            ("bookmark manager", 0),
            ("a web shop with payments", 0),
            ("a bookmark manager with tags", 90),
            ("the bookmark manager with tags for my team", 3),
        ];
        let same = found("a bookmark manager with tags", &all);
        // 3/4 three days ago, 2/3 today; the same idea a month ago is 0.3, as is one of long ago.
        assert_eq!(same, [(4, 697), (1, 666), (0, 300)]);
    }

    #[test]
    fn filling_words_make_nothing_similar() {
        assert!(
            found(
                "a tool for the team with me",
                &[("a shop for the city with you", 0)]
            )
            .is_empty()
        );
        assert!(found("", &[("", 0)]).is_empty());
        // One of five is 0.2, which is enough; one of six is not.
        assert_eq!(found("a1 b1 c1", &[("a1 d1 e1", 0)]), [(0, 200)]);
        assert!(found("a1 b1 c1", &[("a1 d1 e1 f1", 0)]).is_empty());
    }

    #[test]
    fn a_clock_that_went_back_counts_as_now() {
        assert_eq!(found("todo list", &[("todo list", -5)]), [(0, 1_000)]);
        assert_eq!(found("todo list", &[("todo list", 15)]), [(0, 650)]);
    }
}
