//! Choosing which lists to read, and ranking what they hold.

use std::collections::{BTreeMap, BTreeSet};

use gavel_domain::Timestamp;
use gavel_rules::memory::lifecycle;
use gavel_store::{INDEX_LEVELS, PostingList, WordCount};

use super::fit::Sought;
use super::profile::{Profile, level, level_presence};
use super::why::{Why, WordFound};
use super::{Found, Query, Recalled, Standing, Wanted};
use crate::item::Item;

/// So many entries of lists are read for a query at most: that bounds how long it takes.
const MOST_POSTINGS: u32 = 2_000;
/// And so many of one list, the newest items first.
pub(crate) const MOST_OF_A_LIST: u32 = 1_000;
/// What of an item's weight does not fade with age.
const LASTING: f64 = 0.9;
const RECENCY_HALF_LIFE_DAYS: f64 = 90.0;

/// The lists to read, each with what an item in it gains.
#[derive(Debug, Default)]
pub(crate) struct Chosen {
    pub(crate) lists: Vec<(PostingList, f64)>,
    /// True when no entry of any list is left out.
    pub(crate) is_complete: bool,
}

/// Chooses the lists to read: the rarest words first and of each the items that are most about it,
/// until as many entries are read as a query may cost.
pub(crate) fn choose(sought: &Sought, ranges: &[(i64, i64)]) -> Chosen {
    let mut chosen = Chosen {
        lists: Vec::new(),
        is_complete: true,
    };
    let mut spent = 0_u32;
    let paths = sought.paths.iter().map(|word| (word, Sought::path_worth()));
    let words = sought.words.iter().map(|word| (word, word.worth));
    for (word, worth) in paths.chain(words) {
        for level in (0..INDEX_LEVELS).rev() {
            let entries = word.counts.get(level).copied().unwrap_or_default();
            chosen.is_complete &= entries <= MOST_OF_A_LIST;
            let entries = entries.min(MOST_OF_A_LIST);
            if entries == 0 {
                continue;
            }
            if spent > 0 && spent + entries > MOST_POSTINGS {
                chosen.is_complete = false;
                return chosen;
            }
            spent += entries;
            let list = |places: &(i64, i64)| PostingList {
                word: word.word.clone(),
                level,
                places: *places,
            };
            let evidence = worth * level_presence(level);
            let lists = ranges.iter().map(|places| (list(places), evidence));
            chosen.lists.extend(lists);
        }
    }
    chosen
}

/// An item that fits, and how much it weighs.
#[derive(Debug)]
pub(crate) struct Weighed {
    item: Item,
    profile: Profile,
    evidence: f64,
    fit: f64,
    lifecycle: f64,
    recency: f64,
    score: f64,
}

impl Sought {
    /// Weighs an item in full; `None` when it does not fit, or may not be found.
    pub(crate) fn weigh(&self, item: Item, query: &Query<'_>) -> Option<Weighed> {
        if !query.standing.has(&item, query.now) {
            return None;
        }
        // Who names no word wants whatever is there.
        let (profile, evidence, fit) = if self.is_empty() {
            (Profile::default(), 0.0, 1.0)
        } else {
            let profile = Profile::of_sought(&item, self);
            let evidence = self.evidence(&profile);
            (profile, evidence, self.fit(evidence))
        };
        if fit < query.floor || fit <= 0.0 {
            return None;
        }
        let lifecycle = lifecycle(&item.life(), query.now);
        let recency = recency(item.updated_at, query.now);
        Some(Weighed {
            item,
            profile,
            evidence,
            fit,
            lifecycle,
            recency,
            score: (fit * lifecycle * recency).min(1.0),
        })
    }

    /// The best first, ties by id, each with why it was found; at most `limit`.
    pub(crate) fn best(&self, mut weighed: Vec<Weighed>, limit: usize) -> Vec<Found> {
        weighed.sort_by(|one, other| {
            let by_score = other.score.total_cmp(&one.score);
            by_score.then_with(|| one.item.id.cmp(&other.item.id))
        });
        weighed.truncate(limit);
        let best = weighed.into_iter().map(|weighed| Found {
            why: self.why(&weighed),
            score: weighed.score,
            item: weighed.item,
        });
        best.collect()
    }

    fn why(&self, weighed: &Weighed) -> Why {
        let words = self.words.iter().filter_map(|word| {
            let presence = weighed.profile.presence(&word.word);
            (presence > 0.0).then(|| WordFound {
                word: word.word.clone(),
                items: word.items(),
                idf: word.idf,
                worth: word.worth,
                presence,
                fields: weighed.profile.fields(&word.word).to_vec(),
            })
        });
        let words: Vec<WordFound> = words.collect();
        Why {
            bm25: words.iter().map(|word| word.idf * word.presence).sum(),
            words,
            shares_path: self.shares_path(&weighed.profile),
            evidence: weighed.evidence,
            enough: self.enough,
            fit: weighed.fit,
            lifecycle: weighed.lifecycle,
            recency: weighed.recency,
            too_common: self.too_common.clone(),
            unknown: self.unknown.clone(),
        }
    }
}

/// What is a little old weighs a little less, whatever its kind.
fn recency(updated: Timestamp, now: Timestamp) -> f64 {
    let seconds = now.as_second().saturating_sub(updated.as_second()).max(0);
    let days = f64::from(u32::try_from(seconds / 86_400).unwrap_or(u32::MAX));
    LASTING + (1.0 - LASTING) * (-days / RECENCY_HALF_LIFE_DAYS).exp2()
}

/// Ranks items that are at hand by how well they fit, in the same way as the index does, without a
/// look at their age.
pub(crate) fn rank<'a>(
    items: impl Iterator<Item = &'a Item>,
    text: &str,
    wanted: Wanted<'_>,
) -> Vec<Recalled> {
    let items: Vec<&Item> = items.collect();
    let profiles: Vec<Profile> = items.iter().map(|item| Profile::of(item)).collect();
    let query = Query {
        text,
        kinds: wanted.kinds,
        standing: Standing::Live,
        limit: wanted.limit,
        floor: 0.0,
        now: Timestamp::MIN,
        paths: &[],
    };
    let terms = Sought::terms(&query);
    let sought = Sought::new(&terms, count(&profiles, &terms.words), items.len() as u64);
    let mut ranked: Vec<(f64, &Item)> = items
        .into_iter()
        .zip(&profiles)
        .filter(|(item, _)| wanted.kinds.is_empty() || wanted.kinds.contains(&item.kind))
        .map(|(item, profile)| (sought.fit(sought.evidence(profile)), item))
        .filter(|(fit, _)| *fit > 0.0)
        .collect();
    ranked.sort_by(|(a, one), (b, other)| b.total_cmp(a).then(one.id.cmp(&other.id)));
    ranked.truncate(wanted.limit);
    let recalled = ranked.into_iter().map(|(score, item)| Recalled {
        item: item.clone(),
        score,
    });
    recalled.collect()
}

/// In how many profiles each word is, as an index would say it.
pub(crate) fn count(profiles: &[Profile], words: &BTreeSet<String>) -> Vec<WordCount> {
    let mut counts: BTreeMap<&String, [u32; INDEX_LEVELS]> = BTreeMap::new();
    for profile in profiles {
        for word in words {
            let presence = profile.presence(word);
            let slot = level(presence);
            if presence > 0.0
                && let Some(count) = counts.entry(word).or_default().get_mut(slot)
            {
                *count += 1;
            }
        }
    }
    let counts = counts.into_iter().map(|(word, counts)| WordCount {
        word: word.clone(),
        counts,
    });
    counts.collect()
}
