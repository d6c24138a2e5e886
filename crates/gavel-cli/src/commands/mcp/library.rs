//! What can be read over MCP: runs and their journals, contracts, memory items.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use gavel_agent::{Refused, Visit};
use gavel_domain::{ContractKind, EarlierRunsRecalled, Head, ProjectId, Record, RunId, Seq};
use gavel_mcp::{Completing, Library, LibraryError, Listed, Page, ReadText, Template};
use gavel_memory::{Item, Shelf, ShelfItemError, ShelfPlace, Visibility, project_key};
use gavel_product::served::RunDesk;
use gavel_store::{SqliteStore, Store as _};
use gavel_view::Report;
use gavel_view::Text;
use serde_json::json;

use crate::commands::status;
use crate::context::Context;
use crate::project;

const JSON: &str = "application/json";
const LINES: &str = "application/jsonl";
const MARKDOWN: &str = "text/markdown";
/// How many values a completion looks for: one more than are told at once.
const COMPLETED: usize = 101;
/// How much of a journal is read at once.
const RECORDS: u32 = 1_000;
/// How many things a page lists.
const PAGE: usize = 200;
/// How many items a completion reads at once.
const LOOKED_AT: u32 = 2_000;
const RUN: &str = "gavel://runs/";
const CONTRACT: &str = "gavel://contracts/";
const MEMORY: &str = "gavel://memory/";
const JOURNAL: &str = "/journal";

/// The shelves of a project.
#[derive(Debug)]
pub(super) struct Shelves {
    store: Arc<SqliteStore>,
    runs: Arc<RunDesk>,
    project: Option<ProjectId>,
    checkout: Option<PathBuf>,
    /// The folder of index files.
    index: PathBuf,
}

/// Where a page goes on.
enum Mark {
    /// After so many runs.
    Runs(usize),
    /// From this place in memory.
    Memory(i64),
}

impl Mark {
    fn read(mark: Option<&str>) -> Option<Self> {
        let Some(mark) = mark else {
            return Some(Self::Runs(0));
        };
        match mark.split_once(':')? {
            ("runs", from) => from.parse().ok().map(Self::Runs),
            ("memory", place) => place.parse().ok().map(Self::Memory),
            _ => None,
        }
    }
}

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Runs(from) => write!(f, "runs:{from}"),
            Self::Memory(place) => write!(f, "memory:{place}"),
        }
    }
}

type Outcome<T> = Result<T, LibraryError>;

impl Shelves {
    pub(super) fn new(context: &Context, store: Arc<SqliteStore>, runs: Arc<RunDesk>) -> Self {
        Self {
            store,
            runs,
            project: project::of(context.directory()).ok().flatten(),
            checkout: project::root(context.directory()).ok(),
            index: context.index(),
        }
    }

    async fn head(&self, id: &str, uri: &str) -> Outcome<Head> {
        let nothing = || not_found(uri);
        let run: RunId = id.parse().ok().ok_or_else(nothing)?;
        // Another project's run is nobody's business here.
        let head = self.runs.anything(run).await;
        head.map_err(LibraryError::Refused)?.ok_or_else(nothing)
    }

    async fn listed(&self, after: Option<&str>) -> Outcome<Page> {
        let mark = Mark::read(after).ok_or_else(|| {
            LibraryError::Refused(Refused::new("bad_cursor", "that mark is not from here"))
        })?;
        match mark {
            Mark::Runs(from) => {
                let to = from.saturating_add(PAGE);
                let heads = self.runs.everything("", to.saturating_add(1)).await;
                let heads = heads.map_err(LibraryError::Refused)?;
                let runs: Vec<_> = heads.iter().skip(from).take(PAGE).map(run_listed).collect();
                if heads.len() > to {
                    let next = Some(Mark::Runs(to).to_string());
                    return Ok(Page { items: runs, next });
                }
                self.items(None, runs).await
            }
            Mark::Memory(from) => self.items(Some(from), Vec::new()).await,
        }
    }

    /// A page with the items that hold behind what stands on it already.
    async fn items(&self, from: Option<i64>, mut listed: Vec<Listed>) -> Outcome<Page> {
        let Some(shelf) = self.shelf().await? else {
            return Ok(Page {
                items: listed,
                next: None,
            });
        };
        let room = u32::try_from(PAGE.saturating_sub(listed.len())).unwrap_or(0);
        let page = shelf.page(from, room).await.map_err(failed)?;
        let now = Context::clock().now();
        let items = page.items.iter();
        let shown = items.filter(|item| may_see(item) && item.is_trusted(now));
        listed.extend(shown.map(item_listed));
        let next = page.next.map(|place| Mark::Memory(place).to_string());
        Ok(Page {
            items: listed,
            next,
        })
    }

    /// The project's memory, with what the store holds of it.
    async fn shelf(&self) -> Outcome<Option<Shelf>> {
        let Some(checkout) = &self.checkout else {
            return Ok(None);
        };
        let key = project_key(self.project, checkout);
        let place = ShelfPlace {
            checkout: checkout.clone(),
            cache: self.index.clone(),
            lines: self.store.memory_lines(&key).await.map_err(failed)?,
        };
        Shelf::open(&place).await.map(Some).map_err(failed)
    }

    /// Ids of items that begin so, up to one more than are told.
    async fn item_ids(&self, beginning: &str) -> Outcome<Vec<String>> {
        let Some(shelf) = self.shelf().await? else {
            return Ok(Vec::new());
        };
        let mut ids = Vec::new();
        let mut from = None;
        loop {
            let page = shelf.page(from, LOOKED_AT).await.map_err(failed)?;
            let items = page.items.iter().filter(|item| may_see(item));
            let known = items.map(|item| item.id.to_string());
            ids.extend(known.filter(|id| id.starts_with(beginning)));
            from = page.next;
            if from.is_none() || ids.len() >= COMPLETED {
                return Ok(ids);
            }
        }
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
            let shelf = self.shelf().await?.ok_or_else(|| not_found(uri))?;
            let item = match shelf.item(id).await {
                Ok(item) => Some(item).filter(may_see),
                Err(ShelfItemError::Find(_)) => None,
                Err(ShelfItemError::Shelf(error)) => return Err(failed(error)),
            };
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
        let mut lines = Vec::with_capacity(records.len());
        for record in records {
            let line = json!({
                "seq": record.seq,
                "key": record.key,
                "kind": record.kind,
                "at": record.at,
                "body": self.own_words(&record).await?,
            });
            lines.push(line.to_string());
        }
        Ok(lines.join("\n"))
    }

    /// The body of a record without the ids of other projects' runs, which a run may have been told
    /// of where its person said so, or before that was asked.
    async fn own_words(&self, record: &Record) -> Outcome<String> {
        let Ok(mut recalled) = record.read::<EarlierRunsRecalled>() else {
            return Ok(record.body.clone());
        };
        let mut ours = Vec::new();
        for run in recalled.runs {
            let head = self.runs.anything(run).await;
            if head.map_err(LibraryError::Refused)?.is_some() {
                ours.push(run);
            }
        }
        recalled.runs = ours;
        serde_json::to_string(&recalled).map_err(failed)
    }

    async fn contract(&self, rest: &str, uri: &str) -> Outcome<String> {
        let (id, kind) = rest.split_once('/').ok_or_else(|| not_found(uri))?;
        let kind = ContractKind::from_word(&kind.replace('-', "_"));
        let kind = kind.ok_or_else(|| not_found(uri))?;
        let head = self.head(id, uri).await?;
        if kind == ContractKind::Phases {
            let arguments = json!({ "run": id, "phase": 0 });
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
                let heads = self.runs.everything(&completing.typed, COMPLETED).await;
                let heads = heads.map_err(LibraryError::Refused)?;
                heads.iter().map(|head| head.run.to_string()).collect()
            }
            "type" => ContractKind::ALL
                .map(|kind| kind.word().to_owned())
                .to_vec(),
            "id" if completing.of.starts_with(MEMORY) => self.item_ids(&completing.typed).await?,
            _ => Vec::new(),
        };
        values.retain(|value| value.starts_with(&completing.typed));
        Ok(values)
    }
}

fn run_listed(head: &Head) -> Listed {
    let run = head.run;
    let about = format!("{} run, {}", head.driver, head.state);
    let name = format!("run {}", run.short());
    listed(format!("{RUN}{run}"), name, about, JSON)
}

fn item_listed(item: &Item) -> Listed {
    let about = format!("{}: {}", item.kind, item.label());
    listed(format!("{MEMORY}{}", item.id), item.label(), about, JSON)
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
