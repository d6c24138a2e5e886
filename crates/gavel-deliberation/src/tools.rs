//! The tools of whoever looks things up for a council.

use std::collections::BTreeSet;
use std::sync::Arc;

use gavel_agent::{
    Data, ListDirectory, ReadFile, Registry, RegistryError, SearchCode, ToolClass, ToolContext,
    ToolHandler, ToolOutput, ToolRefusal,
};
use gavel_domain::MemoryNote;
use gavel_run::{ProjectMemory, RecalledItem};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::ask_source::AskSource;
use crate::task::{list, note};

/// The most items of one answer.
const MOST: usize = 8;
/// Shorter words tell nothing.
const LEAST_LETTERS: usize = 2;

/// `search_memory`: everything that the project remembers and somebody accepted.
pub(crate) struct SearchMemory {
    memory: Option<ProjectMemory>,
    /// What the debate was given; all there is where memory cannot be asked.
    notes: Arc<[MemoryNote]>,
}

/// Its arguments.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SearchMemoryInput {
    /// Words; items that hold more of them come first.
    query: String,
}

impl ToolHandler for SearchMemory {
    type Input = SearchMemoryInput;
    const NAME: &'static str = "search_memory";
    const PURPOSE: &'static str = "Find items of project memory by words; cite them as memory:ID.";
    const CLASS: ToolClass = ToolClass::Pure;

    async fn run(
        &self,
        _context: &ToolContext,
        input: SearchMemoryInput,
    ) -> Result<ToolOutput, ToolRefusal> {
        let found = match &self.memory {
            Some(memory) => {
                let found = memory.search(&input.query, MOST).await;
                let found = found.map_err(|error| ToolRefusal::from_error(&error))?;
                found.into_iter().map(note_of).collect()
            }
            None => search(&self.notes, &input.query),
        };
        if found.is_empty() {
            let words = "no accepted item has one of these words: try others";
            return Ok(ToolOutput::words(words));
        }
        let words = match found.len() {
            1 => "1 item fits".to_owned(),
            some => format!("{some} items fit, the best first"),
        };
        let shown = found.iter().map(note);
        Ok(ToolOutput::words(words).with(Data::new("memory", list(shown))))
    }
}

fn note_of(item: RecalledItem) -> MemoryNote {
    MemoryNote {
        id: item.id,
        kind: item.kind,
        text: item.text,
    }
}

/// What there is to look into.
#[derive(Debug, Clone)]
pub(crate) struct Within<'a> {
    pub(crate) files: bool,
    /// Where memory can be asked, all of it.
    pub(crate) memory: Option<ProjectMemory>,
    /// What the debate was given of it.
    pub(crate) notes: &'a [MemoryNote],
    /// True when somebody outside the project can be asked.
    pub(crate) sources: bool,
}

/// The tools that look into files, memory and sources, as far as there are any.
pub(crate) fn research_tools(within: Within<'_>) -> Result<Registry, RegistryError> {
    let mut registry = Registry::default();
    if within.files {
        registry.add(ReadFile)?;
        registry.add(SearchCode)?;
        registry.add(ListDirectory)?;
    }
    if within.memory.is_some() || !within.notes.is_empty() {
        registry.add(SearchMemory {
            memory: within.memory,
            notes: within.notes.into(),
        })?;
    }
    if within.sources {
        registry.add(AskSource)?;
    }
    Ok(registry)
}

/// The items that hold words of the query, those with most of them first.
fn search(memory: &[MemoryNote], query: &str) -> Vec<MemoryNote> {
    let query = query.to_lowercase();
    let words = query.split(|c: char| !c.is_alphanumeric());
    let words: BTreeSet<_> = words
        .filter(|word| word.chars().count() >= LEAST_LETTERS)
        .collect();
    let fit = |item: &MemoryNote| {
        let said = format!("{} {} {}", item.id, item.kind, item.text).to_lowercase();
        words.iter().filter(|word| said.contains(**word)).count()
    };
    let fits = memory.iter().map(|item| (fit(item), item));
    let mut fits: Vec<_> = fits.filter(|(shared, _)| *shared > 0).collect();
    fits.sort_by_key(|(shared, _)| std::cmp::Reverse(*shared));
    let best = fits.into_iter().take(MOST);
    best.map(|(_, item)| item.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(id: &str, text: &str) -> MemoryNote {
        MemoryNote {
            id: id.to_owned(),
            kind: "trap".to_owned(),
            text: text.to_owned(),
        }
    }

    #[test]
    fn items_with_more_of_the_words_come_first() {
        let memory = [
            item("m1", "The queue lost jobs."),
            item("m2", "SQL locks the queue."),
            item("m3", "Tags are words."),
        ];
        let found = |query: &str| -> Vec<_> {
            let found = search(&memory, query);
            found.iter().map(|item| item.id.clone()).collect()
        };
        assert_eq!(found("SQL queue"), ["m2", "m1"]);
        assert_eq!(found("m3"), ["m3"]);
        assert!(found("x - ?").is_empty());
        assert!(found("").is_empty());
    }
}
