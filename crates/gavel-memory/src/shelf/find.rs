//! Finding: which lists, which items in them, and how good each is.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use gavel_store::{IndexError, TextIndex};
use gavel_workspace::RepoPath;

use super::{Shelf, ShelfError, lock};
use crate::index::{is_wanted, item, range, ranges, ranges_by_kind};
use crate::item::Item;
use crate::memory::FindError;
use crate::search::{Chosen, Found, MOST_OF_A_LIST, Query, Sought, Standing, Weighed, choose};

/// So many items are weighed together, the most promising first; more when more are wanted.
const WEIGHED: usize = 64;
const MOST_WEIGHED: usize = 128;
const WEIGHED_PER_WANTED: usize = 3;
/// And so many times, when too few of them may be found.
const ROUNDS: usize = 5;
/// So many of each kind are looked at when no word is named.
const NEWEST: u32 = 48;
/// A name that fits more items than this is no name.
const MOST_NAMED: u32 = 100;

/// A place, and what its lists say for the item in it.
pub(super) type Promise = (i64, f64);

/// What was asked last, and what it came to.
#[derive(Debug)]
pub(super) struct Last {
    asked: Asked,
    sought: Arc<Sought>,
    /// Everything in its lists, where they are short.
    read: Option<(Standing, Arc<Vec<Promise>>)>,
}

#[derive(Debug)]
struct Asked {
    generation: u64,
    text: String,
    paths: Vec<RepoPath>,
}

impl Shelf {
    /// Finds items, the best first.
    pub async fn find(&self, query: &Query<'_>) -> Result<Vec<Found>, ShelfError> {
        self.refresh().await?;
        match self.find_in(&self.index(), query).await {
            Err(ShelfError::Index(IndexError::Damaged { place, .. })) => {
                self.remake(self.index(), place).await?;
                self.refresh().await?;
                self.find_in(&self.index(), query).await
            }
            done => done,
        }
    }

    async fn find_in(
        &self,
        index: &TextIndex,
        query: &Query<'_>,
    ) -> Result<Vec<Found>, ShelfError> {
        let sought = self.sought(index, query).await?;
        let promises = if sought.is_empty() {
            newest(index, query).await?
        } else {
            self.candidates(index, query, &sought).await?
        };
        weigh(index, query, &sought, &promises).await
    }

    /// What a query looks for. Whoever makes a brief asks the same for each part of it.
    async fn sought(
        &self,
        index: &TextIndex,
        query: &Query<'_>,
    ) -> Result<Arc<Sought>, ShelfError> {
        if let Some(sought) = self.asked_before(query) {
            return Ok(sought);
        }
        let terms = Sought::terms(query);
        let counts = self.counts(index, &terms).await?;
        let sought = Arc::new(Sought::new(&terms, counts.words, counts.documents));
        *lock(&self.last) = Some(Last {
            asked: Asked {
                generation: counts.generation,
                text: query.text.to_owned(),
                paths: query.paths.to_vec(),
            },
            sought: Arc::clone(&sought),
            read: None,
        });
        Ok(sought)
    }

    /// What was sought last, when the same is asked again and nothing was changed since.
    fn asked_before(&self, query: &Query<'_>) -> Option<Arc<Sought>> {
        let generation = self.generation.load(Ordering::Acquire);
        let is_same = |last: &&Last| {
            let asked = &last.asked;
            (asked.generation, asked.text.as_str()) == (generation, query.text)
                && asked.paths == query.paths
        };
        let last = lock(&self.last);
        let last = last.as_ref().filter(is_same);
        last.map(|last| Arc::clone(&last.sought))
    }

    /// The places of the items that may fit, the most promising first.
    async fn candidates(
        &self,
        index: &TextIndex,
        query: &Query<'_>,
        sought: &Arc<Sought>,
    ) -> Result<Vec<Promise>, ShelfError> {
        let every = choose(sought, &[range(query.standing)]);
        if !every.is_complete {
            let chosen = choose(sought, &ranges(query));
            return Ok(most_promising(gains(index, &chosen).await?, query));
        }
        // All lists are short: read once, they serve every kind.
        let read = match &*lock(&self.last) {
            Some(last) if Arc::ptr_eq(&last.sought, sought) => last.read.clone(),
            _ => None,
        };
        let read = match read {
            Some((standing, read)) if standing == query.standing => read,
            _ => Arc::new(gains(index, &every).await?),
        };
        if let Some(last) = &mut *lock(&self.last)
            && Arc::ptr_eq(&last.sought, sought)
        {
            last.read = Some((query.standing, Arc::clone(&read)));
        }
        Ok(most_promising(read.iter().copied(), query))
    }
}

/// Reads lists, and adds up what they say for each item.
async fn gains(index: &TextIndex, chosen: &Chosen) -> Result<Vec<Promise>, ShelfError> {
    if chosen.lists.is_empty() {
        return Ok(Vec::new());
    }
    let lists: Vec<_> = chosen.lists.iter().map(|(list, _)| list.clone()).collect();
    let postings = index.postings(&lists, MOST_OF_A_LIST).await?;
    let mut gains: HashMap<i64, f64> = HashMap::new();
    for ((_, evidence), places) in chosen.lists.iter().zip(postings) {
        for place in places {
            *gains.entry(place).or_default() += evidence;
        }
    }
    Ok(gains.into_iter().collect())
}

fn most_promising(gains: impl IntoIterator<Item = Promise>, query: &Query<'_>) -> Vec<Promise> {
    let order = |(one, left): &Promise, (other, right): &Promise| {
        right.total_cmp(left).then(other.cmp(one))
    };
    let wanted = gains
        .into_iter()
        .filter(|(place, _)| is_wanted(*place, query));
    let mut ranked: Vec<Promise> = wanted.collect();
    let most = MOST_WEIGHED * ROUNDS;
    if ranked.len() > most {
        ranked.select_nth_unstable_by(most, order);
        ranked.truncate(most);
    }
    ranked.sort_unstable_by(order);
    ranked
}

/// Reads the most promising items and weighs them word by word.
async fn weigh(
    index: &TextIndex,
    query: &Query<'_>,
    sought: &Sought,
    promises: &[Promise],
) -> Result<Vec<Found>, ShelfError> {
    // Who names no word wants the best of all that is there.
    let (together, enough) = if sought.is_empty() {
        (promises.len().max(1), usize::MAX)
    } else {
        let together = query.limit * WEIGHED_PER_WANTED;
        (together.clamp(WEIGHED, MOST_WEIGHED), query.limit)
    };
    let mut found: Vec<Weighed> = Vec::new();
    for promises in promises.chunks(together).take(ROUNDS) {
        let places: Vec<i64> = promises.iter().map(|(place, _)| *place).collect();
        for (_, body) in index.documents(&places).await? {
            found.extend(sought.weigh(read(index, &body)?, query));
        }
        if found.len() >= enough {
            break;
        }
    }
    Ok(sought.best(found, query.limit))
}

/// The newest items of each kind, for whoever names no word.
async fn newest(index: &TextIndex, query: &Query<'_>) -> Result<Vec<Promise>, ShelfError> {
    let most = u32::try_from(query.limit).map_or(NEWEST, |limit| limit.max(NEWEST));
    let places = index.places(&ranges_by_kind(query), most).await?;
    let places = places.into_iter().flatten();
    Ok(places.map(|place| (place, 0.0)).collect())
}

/// An item by its id, its short id or the end of it.
pub(super) async fn by_name(
    index: &TextIndex,
    name: &str,
) -> Result<Result<Item, FindError>, ShelfError> {
    if let Some(body) = index.document(name).await? {
        return Ok(Ok(read(index, &body)?));
    }
    // A short id is the kind and the end of the id: `trp_0a1b2c3d`.
    let ending = name.split_once('_').map_or(name, |(_, digits)| digits);
    let mut bodies = Vec::new();
    if !ending.is_empty() {
        for named in index.names_ending(ending, MOST_NAMED).await? {
            bodies.extend(index.document(&named).await?);
        }
    }
    let mut items = Vec::new();
    for body in bodies {
        let item = read(index, &body)?;
        if item.id.answers_to(name) {
            items.push(item);
        }
    }
    let (name, count) = (name.chars().take(80).collect(), items.len());
    Ok(match (items.pop(), count) {
        (Some(item), 1) => Ok(item),
        (Some(_), _) => Err(FindError::Several { name, count }),
        (None, _) => Err(FindError::None { name }),
    })
}

/// Reads an item back. One that another version wrote is as good as damage: it is made anew.
pub(super) fn read(index: &TextIndex, body: &str) -> Result<Item, ShelfError> {
    item(body).map_err(|error| {
        let damage = IndexError::Damaged {
            path: index.path().to_owned(),
            place: format!("an item cannot be read: {error}"),
        };
        damage.into()
    })
}
