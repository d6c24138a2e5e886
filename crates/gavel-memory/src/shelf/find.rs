//! Finding: which lists, which items in them, and how good each is.

use std::collections::HashMap;

use gavel_store::{IndexError, TextIndex};

use super::{Shelf, ShelfError};
use crate::index::{is_wanted, item, ranges, ranges_by_kind};
use crate::item::Item;
use crate::memory::FindError;
use crate::search::{Found, MOST_OF_A_LIST, Query, Sought, choose, sort};

/// So many items are weighed at once, the most promising first.
const WEIGHED: usize = 96;
/// And so many times, when too few of them may be found.
const ROUNDS: usize = 5;
/// A name that fits more items than this is no name.
const MOST_NAMED: u32 = 100;

impl Shelf {
    /// Finds items, the best first.
    pub async fn find(&self, query: &Query<'_>) -> Result<Vec<Found>, ShelfError> {
        self.refresh().await?;
        match find(&self.index(), query).await {
            Err(ShelfError::Index(IndexError::Damaged { place, .. })) => {
                self.remake(self.index(), place).await?;
                self.refresh().await?;
                find(&self.index(), query).await
            }
            done => done,
        }
    }
}

async fn find(index: &TextIndex, query: &Query<'_>) -> Result<Vec<Found>, ShelfError> {
    let terms = Sought::terms(query);
    let (_, items) = index.total().await?;
    let asked: Vec<String> = terms.0.iter().chain(&terms.1).cloned().collect();
    let counts = if asked.is_empty() {
        Vec::new()
    } else {
        index.words(&asked).await?
    };
    let sought = Sought::new(&terms, counts, items);
    let (places, enough) = if sought.is_empty() {
        (newest(index, query).await?, usize::MAX)
    } else {
        (candidates(index, query, &sought).await?, query.limit)
    };
    let mut found = Vec::new();
    for places in places.chunks(WEIGHED).take(ROUNDS) {
        for (_, body) in index.documents(places).await? {
            found.extend(sought.weigh(item(&body)?, query));
        }
        if found.len() >= enough {
            break;
        }
    }
    sort(&mut found);
    found.truncate(query.limit);
    Ok(found)
}

/// The places of the items that may fit, the most promising first.
async fn candidates(
    index: &TextIndex,
    query: &Query<'_>,
    sought: &Sought,
) -> Result<Vec<i64>, ShelfError> {
    let chosen = choose(sought, &ranges(query));
    if chosen.is_empty() {
        return Ok(Vec::new());
    }
    let lists: Vec<_> = chosen.iter().map(|chosen| chosen.list.clone()).collect();
    let postings = index.postings(&lists, MOST_OF_A_LIST).await?;
    let mut gains: HashMap<i64, f64> = HashMap::new();
    for (chosen, places) in chosen.iter().zip(postings) {
        for place in places {
            *gains.entry(place).or_default() += chosen.evidence;
        }
    }
    let mut ranked: Vec<(i64, f64)> = gains
        .into_iter()
        .filter(|(place, _)| is_wanted(*place, query))
        .collect();
    let order = |(one, left): &(i64, f64), (other, right): &(i64, f64)| {
        right.total_cmp(left).then(other.cmp(one))
    };
    let most = WEIGHED * ROUNDS;
    if ranked.len() > most {
        ranked.select_nth_unstable_by(most, order);
        ranked.truncate(most);
    }
    ranked.sort_unstable_by(order);
    Ok(ranked.into_iter().map(|(place, _)| place).collect())
}

/// The newest items of each kind, for whoever names no word.
async fn newest(index: &TextIndex, query: &Query<'_>) -> Result<Vec<i64>, ShelfError> {
    let ranges = ranges_by_kind(query);
    let most = (WEIGHED * ROUNDS)
        .checked_div(ranges.len())
        .unwrap_or_default();
    let most = u32::try_from(most).unwrap_or(u32::MAX);
    let mut places = Vec::new();
    for range in ranges {
        places.extend(index.places(range, most).await?);
    }
    Ok(places)
}

/// An item by its id, its short id or the end of it.
pub(super) async fn by_name(
    index: &TextIndex,
    name: &str,
) -> Result<Result<Item, FindError>, ShelfError> {
    if let Some(body) = index.document(name).await? {
        return Ok(Ok(item(&body)?));
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
        let item = item(&body)?;
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
