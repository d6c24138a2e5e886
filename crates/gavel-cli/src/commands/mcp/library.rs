//! What can be read over MCP: runs and their journals, contracts, memory items.

use std::path::PathBuf;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use gavel_agent::{Refused, Visit};
use gavel_domain::{ContractKind, Head, ProjectId, RunId, Seq};
use gavel_mcp::{Completing, Library, LibraryError, Listed, Page, ReadText, Template};
use gavel_memory::{Item, Memory, Visibility, project_key};
use gavel_product::Report;
use gavel_product::report::Text;
use gavel_store::{HeadsQuery, SqliteStore, Store as _};
use serde_json::json;

use crate::commands::status;
use crate::context::Context;
use crate::project;

const JSON: &str = "application/json";
const LINES: &str = "application/jsonl";
const MARKDOWN: &str = "text/markdown";
/// How many runs a page and a completion look at.
const RUNS: u32 = 50;
/// How much of a journal is read at once.
const RECORDS: u32 = 1_000;
/// How many items a page lists.
const PAGE: usize = 200;
const RUN: &str = "gavel://runs/";
const CONTRACT: &str = "gavel://contracts/";
const MEMORY: &str = "gavel://memory/";
const JOURNAL: &str = "/journal";

/// The shelves of a project.
#[derive(Debug)]
pub(super) struct Shelves {
    store: Arc<SqliteStore>,
    project: Option<ProjectId>,
    checkout: Option<PathBuf>,
}

type Outcome<T> = Result<T, LibraryError>;

impl Shelves {
    pub(super) fn new(context: &Context, store: Arc<SqliteStore>) -> Self {
        Self {
            store,
            project: project::of(context.directory()).ok().flatten(),
            checkout: project::root(context.directory()).ok(),
        }
    }

    /// Runs of this project; without a project, of all.
    async fn heads(&self) -> Outcome<Vec<Head>> {
        let query = HeadsQuery {
            project: self.project,
            unfinished: false,
            limit: RUNS,
        };
        self.store.heads(query).await.map_err(failed)
    }

    async fn head(&self, id: &str, uri: &str) -> Outcome<Head> {
        let nothing = || not_found(uri);
        let run: RunId = id.parse().ok().ok_or_else(nothing)?;
        let head = self.store.head(run).await.map_err(failed)?;
        let head = head.ok_or_else(nothing)?;
        // Another project's run is nobody's business here.
        let ours = self.project.is_none() || head.project == self.project;
        ours.then_some(head).ok_or_else(nothing)
    }

    /// A page; its mark is the number of the first item after it.
    async fn listed(&self, after: Option<&str>) -> Outcome<Page> {
        let from: usize = match after {
            None => 0,
            Some(mark) => mark.parse().ok().ok_or_else(|| {
                LibraryError::Refused(Refused::new("bad_cursor", "that mark is not from here"))
            })?,
        };
        let mut items = Vec::new();
        for head in self.heads().await? {
            let run = head.run;
            let about = format!("{} run, {}", head.driver, head.state);
            items.push(listed(
                format!("{RUN}{run}"),
                format!("run {}", run.short()),
                about,
                JSON,
            ));
        }
        for item in self.memory().await?.iter().flat_map(Memory::items) {
            if may_see(item) && item.is_trusted(Context::clock().now()) {
                let about = format!("{}: {}", item.kind, item.label());
                let uri = format!("{MEMORY}{}", item.id);
                items.push(listed(uri, item.label(), about, JSON));
            }
        }
        let more = items.len() > from.saturating_add(PAGE);
        let next = more.then(|| from.saturating_add(PAGE).to_string());
        let items = items.into_iter().skip(from).take(PAGE).collect();
        Ok(Page { items, next })
    }

    /// The project's memory, with what the store holds of it.
    async fn memory(&self) -> Outcome<Option<Memory>> {
        let Some(checkout) = &self.checkout else {
            return Ok(None);
        };
        let key = project_key(self.project, checkout);
        let lines = self.store.memory_lines(&key).await.map_err(failed)?;
        Memory::open_with(checkout, &lines)
            .map(Some)
            .map_err(failed)
    }

    async fn read_at(&self, uri: &str) -> Outcome<ReadText> {
        let (mime, text) = if let Some(rest) = uri.strip_prefix(RUN) {
            match rest.strip_suffix(JOURNAL) {
                Some(id) => (LINES, self.journal(id, uri).await?),
                None => {
                    let head = self.head(rest, uri).await?;
                    (JSON, status::as_json(&head).to_string())
                }
            }
        } else if let Some(rest) = uri.strip_prefix(CONTRACT) {
            (MARKDOWN, self.contract(rest, uri).await?)
        } else if let Some(id) = uri.strip_prefix(MEMORY) {
            let memory = self.memory().await?.ok_or_else(|| not_found(uri))?;
            let item = memory.item(id).ok().filter(|item| may_see(item));
            let item = item.ok_or_else(|| not_found(uri))?;
            (JSON, json!(item).to_string())
        } else {
            return Err(not_found(uri));
        };
        let uri = uri.to_owned();
        Ok(ReadText { uri, mime, text })
    }

    /// One record a line; the newest when there are more than fit.
    async fn journal(&self, id: &str, uri: &str) -> Outcome<String> {
        let head = self.head(id, uri).await?;
        let after = Seq(head.seq.0.saturating_sub(u64::from(RECORDS)));
        let records = self
            .store
            .records(head.run, after, RECORDS)
            .await
            .map_err(failed)?;
        let lines = records.iter().map(|record| {
            json!({
                "seq": record.seq,
                "key": record.key,
                "kind": record.kind,
                "at": record.at,
                "body": record.body,
            })
            .to_string()
        });
        Ok(lines.collect::<Vec<_>>().join("\n"))
    }

    async fn contract(&self, rest: &str, uri: &str) -> Outcome<String> {
        let (id, kind) = rest.split_once('/').ok_or_else(|| not_found(uri))?;
        let kind = ContractKind::from_word(&kind.replace('-', "_"));
        let kind = kind.ok_or_else(|| not_found(uri))?;
        let head = self.head(id, uri).await?;
        if kind == ContractKind::Phases {
            let arguments = json!({ "run": id, "phase": 1 });
            let whole = "the contract `phases` is never handed out whole: read a window of it";
            let refused = Refused::new("too_large", whole);
            let refused = refused.then("gavel_get_phase_window", arguments, "to read a phase");
            return Err(LibraryError::Refused(refused));
        }
        let report = Report::read(self.store.as_ref(), head.run).await;
        let report = report.map_err(failed)?;
        let told = report.contracts.iter().find(|told| told.kind == kind);
        match told.map(|told| &told.text) {
            Some(Text::Kept(text) | Text::Odd(text)) => Ok(text.clone()),
            Some(Text::Gone) | None => Err(not_found(uri)),
        }
    }

    async fn completed(&self, completing: &Completing) -> Outcome<Vec<String>> {
        let mut values: Vec<String> = match completing.argument.as_str() {
            "run" => {
                let heads = self.heads().await?;
                heads.iter().map(|head| head.run.to_string()).collect()
            }
            "type" => ContractKind::ALL
                .map(|kind| kind.word().to_owned())
                .to_vec(),
            "id" if completing.of.starts_with(MEMORY) => {
                let memory = self.memory().await?;
                let items = memory
                    .iter()
                    .flat_map(Memory::items)
                    .filter(|item| may_see(item));
                items.map(|item| item.id.to_string()).collect()
            }
            _ => Vec::new(),
        };
        values.retain(|value| value.starts_with(&completing.typed));
        Ok(values)
    }
}

fn listed(uri: String, name: String, about: String, mime: &'static str) -> Listed {
    Listed {
        uri,
        name,
        description: Some(about),
        mime,
    }
}

/// What is private to a person stays with them.
fn may_see(item: &Item) -> bool {
    item.visibility != Visibility::Private
}

fn not_found(uri: &str) -> LibraryError {
    LibraryError::NotFound {
        uri: uri.chars().take(200).collect(),
    }
}

fn failed(error: impl std::error::Error) -> LibraryError {
    LibraryError::Refused(Refused::from_error("unavailable", &error))
}

impl Library for Shelves {
    fn templates(&self) -> Vec<Template> {
        let form = |uri, name, description, mime| Template {
            uri,
            name,
            description,
            mime,
        };
        vec![
            form("gavel://runs/{run}", "run", "Where a run stands", JSON),
            form(
                "gavel://runs/{run}/journal",
                "journal",
                "The facts of a run, one a line",
                LINES,
            ),
            form(
                "gavel://contracts/{run}/{type}",
                "contract",
                "A contract of a run",
                MARKDOWN,
            ),
            form(
                "gavel://memory/{id}",
                "memory",
                "An item of the project's memory",
                JSON,
            ),
        ]
    }

    fn list<'a>(
        &'a self,
        _visit: &'a Visit,
        after: Option<&'a str>,
    ) -> BoxFuture<'a, Outcome<Page>> {
        Box::pin(self.listed(after))
    }

    fn read<'a>(&'a self, _visit: &'a Visit, uri: &'a str) -> BoxFuture<'a, Outcome<ReadText>> {
        Box::pin(self.read_at(uri))
    }

    fn complete<'a>(
        &'a self,
        _visit: &'a Visit,
        completing: &'a Completing,
    ) -> BoxFuture<'a, Outcome<Vec<String>>> {
        Box::pin(self.completed(completing))
    }
}
