//! Searches under what the project's own memory calls something: `PostgreSQL (PSQL)`.

use gavel_rules::council::TopicOptions;

use super::{Shelf, ShelfError};
use crate::item::Item;
use crate::new_item::MAX_TEXT_BYTES;
use crate::search::{Found, Query};

/// A longer query is a text, and finds what it needs by its other words.
const MOST_WORDS: usize = 8;
/// How many items may say what else something is called.
const LOOKED_AT: usize = 64;
/// A shorter word is no name.
const LEAST_LETTERS: usize = 2;

impl Shelf {
    /// Finds as [`Shelf::find`] does, and also under each other name that memory itself gives a word of
    /// the query. An item counts as the name does under which it fits best.
    pub async fn find_called(&self, query: &Query<'_>) -> Result<Vec<Found>, ShelfError> {
        let mut found = self.find(query).await?;
        let words: Vec<&str> = query.text.split_whitespace().map(bare).collect();
        if words.is_empty() || words.len() > MOST_WORDS {
            return Ok(found);
        }
        for text in self.other_texts(query, &words).await? {
            let other = Query {
                text: &text,
                ..*query
            };
            for one in self.find(&other).await? {
                match found.iter_mut().find(|known| known.item.id == one.item.id) {
                    Some(known) if known.score < one.score => *known = one,
                    Some(_) => {}
                    None => found.push(one),
                }
            }
        }
        found.sort_by(|one, other| {
            let by_score = other.score.total_cmp(&one.score);
            by_score.then_with(|| one.item.id.cmp(&other.item.id))
        });
        found.truncate(query.limit);
        Ok(found)
    }

    /// The query with one of its words under another name, for each such name.
    async fn other_texts(
        &self,
        query: &Query<'_>,
        words: &[&str],
    ) -> Result<Vec<String>, ShelfError> {
        let mut texts = Vec::new();
        for (place, word) in words.iter().enumerate() {
            if word.chars().count() < LEAST_LETTERS {
                continue;
            }
            let named = Query {
                text: word,
                kinds: &[],
                limit: LOOKED_AT,
                floor: 0.0,
                paths: &[],
                ..*query
            };
            let told: Vec<String> = self
                .find(&named)
                .await?
                .iter()
                .map(|one| text_of(&one.item))
                .collect();
            let mut asked = TopicOptions {
                options: vec![(*word).to_owned()],
                ..TopicOptions::default()
            };
            asked.learn_aliases(told.iter().map(String::as_str));
            for alias in asked.aliases.iter().flatten() {
                let mut other = words.to_vec();
                if let Some(word) = other.get_mut(place) {
                    *word = alias;
                }
                texts.push(other.join(" "));
            }
        }
        Ok(texts)
    }
}

/// A word without the marks around it.
fn bare(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '+' | '#'))
}

/// An item as one text, its title first; no more of it than Gavel itself would have taken, since its file
/// may be anybody's.
pub(super) fn text_of(item: &Item) -> String {
    let text = match &item.title {
        Some(title) => format!("{title}\n{}", item.text),
        None => item.text.clone(),
    };
    let end = text.floor_char_boundary(MAX_TEXT_BYTES);
    text.get(..end).unwrap_or_default().to_owned()
}
