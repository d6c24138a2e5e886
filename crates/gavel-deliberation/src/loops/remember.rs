//! What a loop asks of the project's memory.

mod shelf;

use std::pin::Pin;

use gavel_domain::{Category, LoopPhase, Timestamp};

use super::categories::memory_categories;

pub use shelf::ShelfMemory;

/// At most so many items of one category stand in a brief.
pub const MAX_RECALLED: usize = 8;

/// An answer that memory gives later.
pub type Recall<'a, T> = Pin<Box<dyn Future<Output = Result<T, RememberError>> + Send + 'a>>;

/// The project's memory, as loops see it.
///
/// Implementors give only items that hold at `now`: in the category of candidates the ones that are
/// proposed, in all others the ones that somebody accepted. The same memory gives the same answer.
pub trait Remembers: Send + Sync {
    /// The items of a category that fit a text best, the best first, at most [`MAX_RECALLED`].
    fn recall<'a>(
        &'a self,
        category: Category,
        query: &'a str,
        now: Timestamp,
    ) -> Recall<'a, Vec<Remembered>>;

    /// True when there is nothing in memory that a critic could stand on: no trap, no feedback, no
    /// observation, no decision and no constraint that holds.
    fn is_empty(&self, now: Timestamp) -> Recall<'_, bool>;
}

/// An item of memory, with what a reader needs to judge it.
#[derive(Debug, Clone, PartialEq)]
pub struct Remembered {
    /// Its whole id.
    pub id: String,
    /// What it is.
    pub kind: String,
    /// What it says.
    pub text: String,
    /// How well it fits, from 0 to 1.
    pub score: f64,
    /// When it was written.
    pub created_at: Timestamp,
    /// When somebody last said that it holds.
    pub confirmed_at: Option<Timestamp>,
    /// When somebody last said that it does not hold.
    pub contradicted_at: Option<Timestamp>,
    /// Where it comes from, in words.
    pub source: String,
    /// True as long as nobody has accepted it.
    pub proposed: bool,
    /// How bad it is; traps alone have it.
    pub severity: Option<String>,
    /// Files and folders that it is about.
    pub paths: Vec<String>,
}

/// Why memory gave no answer.
#[derive(Debug, thiserror::Error)]
pub enum RememberError {
    /// It could not be read or searched: mend what the cause names, and ask for the turn again.
    #[error("the project's memory could not be asked")]
    Unavailable(#[source] Box<dyn std::error::Error + Send + Sync>),
}

/// Asks memory once for each category that a phase wants, in the order of briefs.
pub async fn gather(
    memory: &dyn Remembers,
    phase: &LoopPhase,
    query: &str,
    now: Timestamp,
) -> Result<Vec<(Category, Vec<Remembered>)>, RememberError> {
    let mut all = Vec::new();
    for category in memory_categories(phase) {
        let mut found = memory.recall(category, query, now).await?;
        found.truncate(MAX_RECALLED);
        all.push((category, found));
    }
    Ok(all)
}
