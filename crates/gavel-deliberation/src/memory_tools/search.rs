//! `gavel_memory_search`.

use gavel_agent::{Refused, Served, ServedTool, ToolHints, ToolSet, Visit};
use gavel_memory::{Kind, Query, Standing};
use gavel_workspace::RepoPath;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::told::few;
use super::{KindWord, MemoryDesk, may_see, unavailable};

const USUAL: u32 = 8;
const MOST: u32 = 50;
/// How much of a text a hit shows.
const SHOWN: usize = 600;
/// Less fits nothing.
const FLOOR: f64 = 0.05;

/// Searches the project's memory.
#[derive(Debug)]
pub struct MemorySearch(pub MemoryDesk);

/// What is looked for.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SearchInput {
    /// Words, or a whole question
    text: String,
    kinds: Option<Vec<KindWord>>,
    /// Files or folders that it is about
    paths: Option<Vec<String>>,
    /// Also what nobody has accepted yet
    proposed: Option<bool>,
    limit: Option<u32>,
    /// Say why each was found
    explain: Option<bool>,
}

/// What was found, the best first.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SearchOutput {
    items: Vec<Hit>,
}

/// An item that fits.
#[derive(Debug, Serialize, JsonSchema)]
struct Hit {
    id: String,
    kind: KindWord,
    text: String,
    /// True when there is more to read.
    cut: bool,
    score: f64,
    acceptance: String,
    status: String,
    paths: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
}

impl ServedTool for MemorySearch {
    type Input = SearchInput;
    type Output = SearchOutput;

    const NAME: &'static str = "gavel_memory_search";
    const PURPOSE: &'static str =
        "Search what the project remembers: decisions, constraints, traps, plans, feedback";
    const SET: ToolSet = ToolSet::Memory;
    const HINTS: ToolHints = ToolHints::READS;

    async fn call(
        &self,
        _visit: &Visit,
        input: SearchInput,
    ) -> Result<Served<SearchOutput>, Refused> {
        let limit = input.limit.unwrap_or(USUAL);
        if !(1..=MOST).contains(&limit) {
            let wrong = format!("`limit` must be from 1 to {MOST}");
            return Err(Refused::new("bad_arguments", wrong));
        }
        let kinds: Vec<Kind> = input
            .kinds
            .unwrap_or_default()
            .into_iter()
            .map(Into::into)
            .collect();
        let paths = read_paths(input.paths.unwrap_or_default())?;
        let now = self.0.now();
        let shelf = self.0.shelf().await?;
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let standing = if input.proposed == Some(true) {
            Standing::Live
        } else {
            Standing::Trusted
        };
        let query = Query {
            text: &input.text,
            kinds: &kinds,
            standing,
            // Some of them may be private to somebody.
            limit: limit.saturating_mul(2),
            floor: FLOOR,
            now,
            paths: &paths,
        };
        let found = shelf.find_called(&query).await;
        let found = found.map_err(|error| unavailable(&error))?;
        let explain = input.explain == Some(true);
        let seen = found.into_iter().filter(|found| may_see(&found.item));
        let items: Vec<Hit> = seen
            .take(limit)
            .map(|found| {
                let text: String = found.item.text.chars().take(SHOWN).collect();
                Hit {
                    id: found.item.id.to_string(),
                    kind: found.item.kind.into(),
                    cut: text.len() < found.item.text.len(),
                    text,
                    score: (found.score * 1000.0).round() / 1000.0,
                    acceptance: found.item.acceptance.word().to_owned(),
                    status: found.item.status_at(now).word().to_owned(),
                    paths: few(found.item.paths.iter().map(ToString::to_string)),
                    why: explain.then(|| found.why.to_string()),
                }
            })
            .collect();
        let line = match items.first() {
            None => "nothing is remembered about it".to_owned(),
            Some(best) => format!("{} found; best: {} {}", items.len(), best.id, best.text),
        };
        let line: String = line.chars().take(200).collect();
        Ok(Served::new(SearchOutput { items }, line))
    }
}

/// Paths as a caller gives them, from the root of the project.
pub(super) fn read_paths(paths: Vec<String>) -> Result<Vec<RepoPath>, Refused> {
    let read = |path: String| {
        RepoPath::new(path).map_err(|error| Refused::from_error("bad_arguments", &error))
    };
    paths.into_iter().map(read).collect()
}
