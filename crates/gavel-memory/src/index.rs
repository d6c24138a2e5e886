//! How items lie in the index: who may be found, of which kind, and when written, in this order.
//!
//! A place says all three, so that a search for trusted traps reads no other entry, and what is cut
//! off from a long list is the oldest.

use gavel_domain::Timestamp;
use gavel_store::{INDEX_ROOM, IndexDocument};

use crate::id::Kind;
use crate::item::Item;
use crate::search::{Profile, Query, Standing, level};

/// Names everything that decides what is in an index: raised whenever terms, profiles, levels,
/// places, the form of items or the folding of events change.
pub(crate) const FORM: &str = "memory 4";

const TRUSTED: i64 = 1 << 62;
const KIND: i64 = 1 << 59;
const MOST_SECONDS: i64 = KIND / INDEX_ROOM - 1;
/// With more ranges than this it is quicker to read past the wrong kinds.
const MOST_RANGES: usize = 2;

/// The document of an item; one that can never be found again is only kept to be shown.
pub(crate) fn document(item: &Item) -> serde_json::Result<IndexDocument> {
    // What runs out is looked at when somebody searches.
    let ever = Timestamp::MIN;
    let standing = if item.is_trusted(ever) { TRUSTED } else { 0 };
    let seconds = item.created_at.as_second().clamp(0, MOST_SECONDS);
    let words = item.is_live(ever).then(|| {
        let profile = Profile::of(item);
        let words = profile.words();
        words
            .map(|(word, presence)| (word.clone(), level(presence)))
            .collect()
    });
    Ok(IndexDocument {
        name: item.id.to_string(),
        base: standing + place_of(item.kind) * KIND + seconds * INDEX_ROOM,
        body: serde_json::to_string(item)?,
        words,
    })
}

/// The item of a document.
pub(crate) fn item(body: &str) -> serde_json::Result<Item> {
    serde_json::from_str(body)
}

/// Where the items lie that a query may find; places of other kinds may be among them.
pub(crate) fn ranges(query: &Query<'_>) -> Vec<(i64, i64)> {
    let exact = ranges_by_kind(query);
    if !query.kinds.is_empty() && exact.len() <= MOST_RANGES {
        return exact;
    }
    vec![range(query.standing)]
}

/// Where the items of all kinds lie that have a standing.
pub(crate) const fn range(standing: Standing) -> (i64, i64) {
    match standing {
        Standing::Trusted => (TRUSTED, i64::MAX),
        Standing::Proposed => (0, TRUSTED - 1),
        Standing::Live => (0, i64::MAX),
    }
}

/// The same, apart for each kind.
pub(crate) fn ranges_by_kind(query: &Query<'_>) -> Vec<(i64, i64)> {
    let halves: &[i64] = match query.standing {
        Standing::Trusted => &[TRUSTED],
        Standing::Proposed => &[0],
        Standing::Live => &[0, TRUSTED],
    };
    let kinds = match query.kinds {
        [] => &Kind::ALL,
        kinds => kinds,
    };
    let of = |half: i64| kinds.iter().map(move |kind| half + place_of(*kind) * KIND);
    let starts = halves.iter().flat_map(|half| of(*half));
    starts.map(|start| (start, start + (KIND - 1))).collect()
}

/// True when the item in a place is of a kind that a query wants.
pub(crate) fn is_wanted(place: i64, query: &Query<'_>) -> bool {
    let kind = (place / KIND) % 8;
    query.kinds.is_empty() || query.kinds.iter().any(|wanted| place_of(*wanted) == kind)
}

const fn place_of(kind: Kind) -> i64 {
    match kind {
        Kind::Decision => 0,
        Kind::Constraint => 1,
        Kind::Trap => 2,
        Kind::Plan => 3,
        Kind::Feedback => 4,
        Kind::RuntimeNote => 5,
        Kind::Handoff => 6,
        Kind::Vision => 7,
    }
}
