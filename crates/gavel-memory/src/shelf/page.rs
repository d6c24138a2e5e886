//! Everything on the shelf, in pages: for whoever shows what there is without a word to look for.

use gavel_store::{IndexError, TextIndex};

use super::find::read;
use super::{Shelf, ShelfError};
use crate::item::Item;

/// Some of what can be found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ShelfPage {
    /// The items, in the order of the shelf.
    pub items: Vec<Item>,
    /// Where the next page begins; `None` when this is the last one.
    pub next: Option<i64>,
}

impl Shelf {
    /// A page of everything that can be found, from where the last one ended. An item that is changed
    /// between two pages may be on both of them or on none.
    pub async fn page(&self, from: Option<i64>, most: u32) -> Result<ShelfPage, ShelfError> {
        self.refresh().await?;
        match page_of(&self.index(), from, most).await {
            Err(ShelfError::Index(IndexError::Damaged { place, .. })) => {
                self.remake(self.index(), place).await?;
                self.refresh().await?;
                page_of(&self.index(), from, most).await
            }
            page => page,
        }
    }
}

async fn page_of(index: &TextIndex, from: Option<i64>, most: u32) -> Result<ShelfPage, ShelfError> {
    let range = (i64::MIN, from.unwrap_or(i64::MAX));
    let places = index.places(&[range], most.saturating_add(1)).await?;
    let mut places = places.into_iter().next().unwrap_or_default();
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let next = places.get(most).copied();
    places.truncate(most);
    let mut documents = index.documents(&places).await?;
    documents.sort_unstable_by_key(|(place, _)| std::cmp::Reverse(*place));
    let items = documents.iter().map(|(_, body)| read(index, body));
    let items = items.collect::<Result<_, _>>()?;
    Ok(ShelfPage { items, next })
}
