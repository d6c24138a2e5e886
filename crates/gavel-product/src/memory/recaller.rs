//! Project memory as the engine asks it for a task.

use std::path::PathBuf;

use gavel_domain::Timestamp;
use gavel_memory::{
    Ids, Item, Kind, NamedQuery, Query, Shelf, ShelfItemError, ShelfPlace, Standing, Visibility,
    project_key,
};
use gavel_run::{NamedAsk, RecallAsk, RecallError, RecalledItem, Recaller, Recalling};

use super::MemoryMeans;

/// How well an item fits that was asked for by a name.
const WHOLE: f64 = 1.0;

/// The memory of one checkout.
#[derive(Debug, Clone)]
pub struct ProjectRecaller {
    means: MemoryMeans,
    checkout: PathBuf,
}

impl MemoryMeans {
    /// The memory of a checkout, as an engine asks it.
    pub const fn of_checkout(self, checkout: PathBuf) -> ProjectRecaller {
        ProjectRecaller {
            means: self,
            checkout,
        }
    }
}

impl Recaller for ProjectRecaller {
    fn recall<'a>(&'a self, ask: RecallAsk<'a>) -> Recalling<'a> {
        Box::pin(self.find(ask))
    }

    fn named<'a>(&'a self, ask: NamedAsk<'a>) -> Recalling<'a> {
        Box::pin(self.find_named(ask))
    }

    fn items<'a>(&'a self, ids: &'a [String], now: Timestamp) -> Recalling<'a> {
        Box::pin(self.find_items(ids, now))
    }
}

impl ProjectRecaller {
    async fn shelf(&self) -> Result<Shelf, RecallError> {
        let project = project_key(self.means.project, &self.checkout);
        let lines = self.means.store.memory_lines(&project).await;
        let place = ShelfPlace {
            checkout: self.checkout.clone(),
            cache: self.means.cache.clone(),
            lines: lines.map_err(unreadable)?,
        };
        Shelf::open(&place).await.map_err(unreadable)
    }

    async fn find(&self, ask: RecallAsk<'_>) -> Result<Vec<RecalledItem>, RecallError> {
        let kinds: Vec<Kind> = ask
            .kinds
            .iter()
            .map(|word| word.parse())
            .collect::<Result<_, _>>()
            .map_err(unreadable)?;
        let query = Query {
            text: ask.query,
            kinds: &kinds,
            standing: Standing::Trusted,
            // What is private is left out afterwards.
            limit: 2 * ask.limit,
            floor: f64::from(ask.floor) / 1_000.0,
            now: ask.now,
            paths: &[],
        };
        let found = self.shelf().await?.find_called(&query).await;
        let found = found.map_err(unreadable)?;
        // What a person keeps to themselves must not end up in files that everybody reads.
        let told = found
            .into_iter()
            .filter(|found| found.item.visibility != Visibility::Private);
        let told = told.take(ask.limit);
        Ok(told
            .map(|found| recalled(found.item, found.score))
            .collect())
    }

    async fn find_named(&self, ask: NamedAsk<'_>) -> Result<Vec<RecalledItem>, RecallError> {
        let query = NamedQuery {
            asked: ask.options,
            topic: ask.topic,
            kinds: &[],
            most: ask.most,
            now: ask.now,
        };
        let named = self.shelf().await?.find_named(&query).await;
        let items = named.map_err(unreadable)?.in_turn().into_iter();
        Ok(items.map(|item| recalled(item, WHOLE)).collect())
    }

    async fn find_items(
        &self,
        ids: &[String],
        now: Timestamp,
    ) -> Result<Vec<RecalledItem>, RecallError> {
        let shelf = self.shelf().await?;
        let mut found = Vec::new();
        for id in ids {
            match shelf.item(id).await {
                Ok(item) if is_told(&item, now) => found.push(recalled(item, WHOLE)),
                Ok(_) | Err(ShelfItemError::Find(_)) => {}
                Err(ShelfItemError::Shelf(error)) => return Err(unreadable(error)),
            }
        }
        Ok(found)
    }
}

/// True for what holds, somebody vouches for, and nobody keeps to themselves.
fn is_told(item: &Item, now: Timestamp) -> bool {
    item.is_trusted(now) && item.visibility != Visibility::Private
}

fn recalled(item: Item, score: f64) -> RecalledItem {
    RecalledItem {
        id: item.id.to_string(),
        label: item.id.short(),
        kind: item.kind.to_string(),
        created_at: item.created_at,
        source: item.source(Ids::Short).unwrap_or_default(),
        score: thousandths(score),
        text: match item.title {
            Some(title) => format!("{title}\n{}", item.text),
            None => item.text,
        },
    }
}

/// A share of one as a whole number, for facts hold no fractions.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "clamped to 0..=1000 first"
)]
fn thousandths(share: f64) -> u32 {
    (share.clamp(0.0, 1.0) * 1_000.0).round() as u32
}

fn unreadable(error: impl std::error::Error + Send + Sync + 'static) -> RecallError {
    RecallError::Unreadable(Box::new(error))
}

#[cfg(test)]
#[path = "recaller_tests.rs"]
mod tests;
