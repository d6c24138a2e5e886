//! The project's memory, as its shelf has it.

use std::error::Error;
use std::path::PathBuf;
use std::sync::Arc;

use gavel_domain::{Category, ProjectId, Timestamp};
use gavel_memory::{
    Acceptance, Found, Ids, Item, Kind, NamedQuery, Query, Shelf, Standing, Visibility,
};
use gavel_rules::council::{Proposal, read_options};
use gavel_store::Store;

use super::{MAX_RECALLED, Recall, RememberError, Remembered, Remembers};
use crate::warm::WarmShelf;

/// What shares no more than a common word with a proposal is no evidence about it.
const FLOOR: f64 = 0.15;
/// And what the project is for fits everything half.
const VISION: f64 = 0.5;
/// What is private is left out afterwards, so more is asked for.
const ASKED: usize = 4 * MAX_RECALLED;
/// How many items of each name, in each category.
const NAMED: usize = 3;
/// The kinds that a critic stands on.
const OF_CRITICS: [Kind; 5] = [
    Kind::Trap,
    Kind::Feedback,
    Kind::RuntimeNote,
    Kind::Decision,
    Kind::Constraint,
];

/// The memory of a checkout and of its store, for loops. What is private to a person is not told:
/// briefs go to agents outside.
#[derive(Debug)]
pub struct ShelfMemory {
    shelf: WarmShelf,
}

impl ShelfMemory {
    /// The memory of a checkout; `cache` is the folder for index files.
    pub fn new(
        store: Arc<dyn Store>,
        places: (PathBuf, PathBuf),
        project: Option<ProjectId>,
    ) -> Self {
        Self {
            shelf: WarmShelf::new(store, places, project),
        }
    }

    /// The shelf that knows what the store holds now.
    async fn shelf(&self) -> Result<Arc<Shelf>, RememberError> {
        self.shelf.open().await.map_err(unavailable)
    }

    async fn find(&self, query: &Query<'_>) -> Result<Vec<Found>, RememberError> {
        let found = self.shelf().await?.find(query).await;
        let mut found = found.map_err(unavailable)?;
        found.retain(|found| found.item.visibility != Visibility::Private);
        Ok(found)
    }

    async fn of_category(
        &self,
        category: Category,
        text: &str,
        now: Timestamp,
    ) -> Result<Vec<Remembered>, RememberError> {
        let kinds = kinds(category);
        if kinds.is_empty() {
            return Ok(Vec::new());
        }
        let query = Query {
            text,
            kinds,
            standing: standing(category),
            limit: ASKED,
            floor: FLOOR,
            now,
            paths: &[],
        };
        let mut found = self.find(&query).await?;
        if category == Category::ProjectVision && found.len() < MAX_RECALLED {
            // What a project is for holds for everything in it, whatever words it is told in.
            let everything = Query {
                text: "",
                floor: 0.0,
                ..query
            };
            for mut other in self.find(&everything).await? {
                if !found.iter().any(|found| found.item.id == other.item.id) {
                    other.score = VISION;
                    found.push(other);
                }
            }
        }
        let mut items = Vec::new();
        if standing(category) == Standing::Trusted {
            items = self.named(kinds, text, now).await?;
        }
        for found in found {
            if !items.iter().any(|(item, _)| item.id == found.item.id) {
                items.push((found.item, found.score));
            }
        }
        items.truncate(MAX_RECALLED);
        Ok(items.into_iter().map(remembered).collect())
    }

    /// What names the things that a proposal wants or would replace, the best of each, whatever else
    /// it says: a decision for the old one shares no word with the new one.
    async fn named(
        &self,
        kinds: &[Kind],
        text: &str,
        now: Timestamp,
    ) -> Result<Vec<(Item, f64)>, RememberError> {
        let proposal = Proposal::read(text.lines().next().unwrap_or_default());
        let asked = proposal.map_or_else(|| read_options(text), |read| read.names().clone());
        if asked.names().is_empty() {
            return Ok(Vec::new());
        }
        let query = NamedQuery {
            asked: &asked,
            topic: text.lines().next().unwrap_or_default(),
            kinds,
            most: NAMED,
            now,
        };
        let named = self.shelf().await?.find_named(&query).await;
        let items = named.map_err(unavailable)?.in_turn().into_iter();
        Ok(items.map(|item| (item, 1.0)).collect())
    }
}

impl Remembers for ShelfMemory {
    fn recall<'a>(
        &'a self,
        category: Category,
        query: &'a str,
        now: Timestamp,
    ) -> Recall<'a, Vec<Remembered>> {
        Box::pin(self.of_category(category, query, now))
    }

    fn is_empty(&self, now: Timestamp) -> Recall<'_, bool> {
        Box::pin(async move {
            let anything = Query {
                text: "",
                kinds: &OF_CRITICS,
                standing: Standing::Trusted,
                limit: ASKED,
                floor: 0.0,
                now,
                paths: &[],
            };
            Ok(self.find(&anything).await?.is_empty())
        })
    }
}

fn unavailable(cause: impl Error + Send + Sync + 'static) -> RememberError {
    RememberError::Unavailable(Box::new(cause))
}

/// The kinds of items in a category; none where memory has no say. Candidates are of any kind:
/// what sets them apart is that nobody has accepted them yet.
const fn kinds(category: Category) -> &'static [Kind] {
    match category {
        Category::Traps => &[Kind::Trap],
        Category::Feedback => &[Kind::Feedback],
        Category::RuntimeNotes => &[Kind::RuntimeNote],
        Category::Decisions => &[Kind::Decision],
        Category::Constraints => &[Kind::Constraint],
        Category::Handoffs => &[Kind::Handoff],
        Category::Plans => &[Kind::Plan],
        Category::Candidates => &Kind::ALL,
        Category::ProjectVision => &[Kind::Vision],
        Category::CritiqueHistory
        | Category::RevisionHistory
        | Category::SynthesisArtifact
        | Category::Everything => &[],
    }
}

const fn standing(category: Category) -> Standing {
    match category {
        Category::Candidates => Standing::Proposed,
        Category::Traps
        | Category::Feedback
        | Category::RuntimeNotes
        | Category::Decisions
        | Category::Constraints
        | Category::Handoffs
        | Category::Plans
        | Category::ProjectVision
        | Category::CritiqueHistory
        | Category::RevisionHistory
        | Category::SynthesisArtifact
        | Category::Everything => Standing::Trusted,
    }
}

fn remembered((item, score): (Item, f64)) -> Remembered {
    Remembered {
        id: item.id.to_string(),
        kind: item.kind.word().to_owned(),
        score,
        created_at: item.created_at,
        confirmed_at: item.marks.confirmed.last,
        contradicted_at: item.marks.contradicted.last,
        source: item.source(Ids::Short).unwrap_or_default(),
        proposed: item.acceptance == Acceptance::Proposed,
        severity: item.severity.map(|severity| severity.word().to_owned()),
        paths: item.paths.iter().map(ToString::to_string).collect(),
        text: match item.title {
            Some(title) => format!("{title}\n{}", item.text),
            None => item.text,
        },
    }
}

#[cfg(test)]
#[path = "shelf_tests.rs"]
mod tests;
