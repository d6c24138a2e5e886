//! Which runs a caller sees, and which one it means.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::{Arc, PoisonError};

use gavel_agent::{FindRun, Refused, Visit};
use gavel_domain::{Digest, Door, Head, ProjectId, Role, RunId, RunStarted, Seq, Speaker};
use gavel_rules::KeyScope;
use gavel_run::{Clock, Mailbox};
use gavel_store::{HeadsQuery, ReadError, Store, is_damage, tell_left_out, unless_damaged};
use gavel_workspace::{Belonging, ProjectFolder, RunOrigin};
use serde_json::{Value, json};
use tokio::sync::{Mutex, MutexGuard};

use super::status::is_driven;
use crate::meeting;
use gavel_view::{Report, ReportError};

/// How many runs are read at once, the newest first: what is asked for is mostly among the first few,
/// and nothing is left out when it is not.
const LOOKS: [u32; 3] = [32, 1_000, u32::MAX];
/// How many unfinished runs a refusal names.
const NAMED: usize = 10;
/// The code of the refusal when as many runs are at work as may be.
pub(super) const TOO_MANY: &str = "too_many_runs";
/// How many runs may be at work when nothing else is set.
const MOST_AT_WORK: usize = 4;
/// Shorter ends of ids name too much.
const SHORTEST_NAME: usize = 4;
/// The most characters of a caller's words that a refusal repeats.
const REPEATED: usize = 64;

/// What is served: the runs of a project, or of a checkout that belongs to none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServedPlace {
    /// The project.
    pub project: Option<ProjectId>,
    /// The checkout.
    pub checkout: Option<PathBuf>,
}

impl ServedPlace {
    fn folder(&self) -> ProjectFolder {
        ProjectFolder {
            id: self.project,
            root: self.checkout.clone(),
        }
    }
}

/// How many runs' origins are kept.
const MOST_ORIGINS: usize = 10_000;

/// Where runs were begun, by their ids: that never changes.
type Origins = Arc<std::sync::Mutex<BTreeMap<RunId, Arc<RunOrigin>>>>;

/// The report that was read last, with the digest of its last record.
type LastRead = Option<(Digest, Arc<Report>)>;

/// Finds runs for callers.
#[derive(Clone)]
pub struct RunDesk {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    place: ServedPlace,
    most_at_work: usize,
    /// Whoever wants a run driven looks and launches alone, so that two do not take one place.
    launching: Arc<Mutex<()>>,
    read: Arc<std::sync::Mutex<LastRead>>,
    origins: Origins,
}

impl RunDesk {
    /// A desk for what is served.
    pub fn new(store: Arc<dyn Store>, clock: Arc<dyn Clock>, place: ServedPlace) -> Self {
        Self {
            store,
            clock,
            place,
            most_at_work: MOST_AT_WORK,
            launching: Arc::default(),
            read: Arc::default(),
            origins: Arc::default(),
        }
    }

    /// The same, with so many runs at work at most.
    #[must_use]
    pub const fn with_most_at_work(mut self, most: usize) -> Self {
        self.most_at_work = most;
        self
    }

    /// Room for one more run that is driven; it is held until the value is dropped. Refused where
    /// as many runs of the project are at work as may be, whoever began them: each of them spends.
    pub(super) async fn room(&self) -> Result<MutexGuard<'_, ()>, Refused> {
        let guard = self.launching.lock().await;
        let mut at_work = Vec::new();
        for head in self.heads(true, usize::MAX).await? {
            if is_driven(self, &head).await? {
                at_work.push(head.run);
            }
        }
        if at_work.len() < self.most_at_work {
            return Ok(guard);
        }
        Err(too_many(&at_work, self.most_at_work))
    }

    pub(super) fn store(&self) -> &dyn Store {
        self.store.as_ref()
    }

    /// The mailbox of a caller. A key that may decide speaks for the person who made it.
    pub(super) fn mailbox(&self, visit: &Visit) -> Mailbox {
        let (store, clock) = (Arc::clone(&self.store), Arc::clone(&self.clock));
        Mailbox::new(store, clock, speaker(visit))
    }

    /// A run by its id or the end of it.
    pub async fn named(&self, name: &str) -> Result<Head, Refused> {
        if let Ok(id) = name.parse::<RunId>() {
            let head = self.store.head(id).await.map_err(|error| unread(&error))?;
            return match head {
                Some(head) if is_run(&head) && self.is_ours(&head).await? => Ok(head),
                Some(_) | None => Err(unknown(name)),
            };
        }
        if name.len() < SHORTEST_NAME {
            return Err(unknown(name));
        }
        let named = |head: &Head| is_run(head) && head.run.to_string().ends_with(name);
        let mut found = self.matching(false, 2, named).await?.into_iter();
        match (found.next(), found.next()) {
            (Some(head), None) => Ok(head),
            (Some(_), Some(_)) => {
                let name = repeated(name);
                let message = format!("several runs end in `{name}`: give more of the id");
                Err(Refused::new("ambiguous", message))
            }
            (None, _) => Err(unknown(name)),
        }
    }

    /// The run that a caller asks about: the named one, its own, else the newest.
    pub(super) async fn asked(&self, visit: &Visit, name: Option<&str>) -> Result<Head, Refused> {
        if let Some(head) = self.said(visit, name).await? {
            return Ok(head);
        }
        let newest = self.heads(false, 1).await?.into_iter().next();
        newest.ok_or_else(none_yet)
    }

    /// The run that a caller changes: the named one, its own, else the only unfinished one.
    pub(super) async fn meant(&self, visit: &Visit, name: Option<&str>) -> Result<Head, Refused> {
        if let Some(head) = self.said(visit, name).await? {
            return Ok(head);
        }
        let mut open = self.heads(true, NAMED).await?.into_iter();
        match (open.next(), open.next()) {
            (Some(head), None) => Ok(head),
            (Some(first), Some(second)) => {
                let runs = [first, second].into_iter().chain(open);
                let runs: Vec<String> = runs.map(|head| head.run.to_string()).collect();
                let message = "several runs are unfinished: name one in `run`";
                Err(Refused::new("ambiguous", message).with(json!({ "runs": runs })))
            }
            (None, _) => {
                let refused = Refused::new("not_found", "no run of this project is unfinished");
                Err(refused.then("gavel_run_status", json!({}), "to see the newest run"))
            }
        }
    }

    /// The runs of what is served, newest first. Loops have a tool of their own.
    pub(super) async fn heads(&self, unfinished: bool, most: usize) -> Result<Vec<Head>, Refused> {
        self.matching(unfinished, most, is_run).await
    }

    /// Runs and loops of what is served whose ids begin so, newest first; at most so many.
    pub async fn everything(&self, beginning: &str, most: usize) -> Result<Vec<Head>, Refused> {
        let begins = |head: &Head| head.run.to_string().starts_with(beginning);
        self.matching(false, most, begins).await
    }

    /// A run or loop of what is served, by its whole id.
    pub async fn anything(&self, run: RunId) -> Result<Option<Head>, Refused> {
        let head = self.store.head(run).await.map_err(|error| unread(&error))?;
        match head {
            Some(head) if self.is_ours(&head).await? => Ok(Some(head)),
            Some(_) | None => Ok(None),
        }
    }

    /// What fits of what is served, newest first; at most so many.
    async fn matching(
        &self,
        unfinished: bool,
        most: usize,
        fits: impl Fn(&Head) -> bool,
    ) -> Result<Vec<Head>, Refused> {
        let mut seen: Vec<Head> = Vec::new();
        let mut known = BTreeSet::new();
        for limit in LOOKS {
            let query = HeadsQuery {
                project: self.place.project,
                unfinished,
                limit,
            };
            let heads = self.store.heads(query).await;
            let heads = heads.map_err(|error| unread(&error))?;
            let all = u32::try_from(heads.len()).is_ok_and(|read| read < limit);
            for head in heads {
                if known.insert(head.run) && fits(&head) && self.is_ours(&head).await? {
                    seen.push(head);
                }
                if seen.len() >= most {
                    return Ok(seen);
                }
            }
            if all {
                break;
            }
        }
        Ok(seen)
    }

    /// What a run was given: an idea or a topic, and the checkout. Nothing when it is damaged.
    pub(super) async fn given(&self, head: &Head) -> Result<Option<Given>, Refused> {
        let given = unless_damaged(head.run, self.read_given(head).await);
        Ok(given.map_err(|error| unread(&error))?.flatten())
    }

    async fn read_given(&self, head: &Head) -> Result<Option<Given>, ReadError> {
        let Some(name) = self.started(head).await?.and_then(|started| started.brief) else {
            return Ok(None);
        };
        let text = self.store.blob(name.digest).await?;
        let brief: Option<Value> = text.and_then(|text| serde_json::from_slice(&text).ok());
        Ok(brief.map(|brief| Given::of(&brief)))
    }

    async fn started(&self, head: &Head) -> Result<Option<RunStarted>, ReadError> {
        let first = self.store.records(head.run, Seq::ZERO, 1).await?;
        Ok(first.first().and_then(|record| record.read().ok()))
    }

    /// Everything about a run. A client reads contract after contract of one run, so the journal is
    /// not read again before it grew.
    pub(super) async fn report(&self, head: &Head) -> Result<Arc<Report>, Refused> {
        let report = self.read_report(head).await;
        report.map_err(|error| unreported(&error))
    }

    async fn read_report(&self, head: &Head) -> Result<Arc<Report>, ReportError> {
        let known = self.last_read().clone();
        if let Some((chain, report)) = known
            && chain == head.chain
        {
            return Ok(report);
        }
        let report = Arc::new(Report::read(self.store(), head.run).await?);
        *self.last_read() = Some((head.chain, Arc::clone(&report)));
        Ok(report)
    }

    /// The same of one run among others; nothing when it is damaged, which is said.
    pub(super) async fn report_among(&self, head: &Head) -> Result<Option<Arc<Report>>, Refused> {
        match self.read_report(head).await {
            Ok(report) => Ok(Some(report)),
            Err(error) if matches!(error, ReportError::Damaged { .. }) || is_damage(&error) => {
                tell_left_out(head.run, &error);
                Ok(None)
            }
            Err(error) => Err(unreported(&error)),
        }
    }

    fn last_read(&self) -> std::sync::MutexGuard<'_, LastRead> {
        self.read.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn said(&self, visit: &Visit, name: Option<&str>) -> Result<Option<Head>, Refused> {
        if let Some(name) = name {
            return self.named(name).await.map(Some);
        }
        match visit.session.run {
            Some(run) => self.named(&run.to_string()).await.map(Some),
            None => Ok(None),
        }
    }

    /// True for what belongs to the project that is served. Of what nobody can say where it was
    /// begun, programs hear nothing.
    async fn is_ours(&self, head: &Head) -> Result<bool, Refused> {
        let Some(origin) = self.origin(head).await? else {
            return Ok(false);
        };
        match self.place.folder().belonging(&origin) {
            Belonging::Here | Belonging::Moved => Ok(true),
            Belonging::Elsewhere | Belonging::Unknown => Ok(false),
        }
    }

    /// Where a run was begun; nothing when it is damaged.
    async fn origin(&self, head: &Head) -> Result<Option<Arc<RunOrigin>>, Refused> {
        let known = self.known_origins().get(&head.run).cloned();
        if known.is_some() {
            return Ok(known);
        }
        let read = unless_damaged(head.run, self.read_origin(head).await);
        let Some(origin) = read.map_err(|error| unread(&error))?.flatten() else {
            return Ok(None);
        };
        let origin = Arc::new(origin);
        let mut known = self.known_origins();
        if known.len() >= MOST_ORIGINS {
            known.clear();
        }
        known.insert(head.run, Arc::clone(&origin));
        Ok(Some(origin))
    }

    async fn read_origin(&self, head: &Head) -> Result<Option<RunOrigin>, ReadError> {
        let Some(started) = self.started(head).await? else {
            return Ok(None);
        };
        let brief = match started.brief {
            Some(name) => self.store.blob(name.digest).await?,
            None => None,
        };
        Ok(Some(RunOrigin::of(&started, brief.as_deref())))
    }

    fn known_origins(&self) -> std::sync::MutexGuard<'_, BTreeMap<RunId, Arc<RunOrigin>>> {
        self.origins.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for RunDesk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunDesk")
            .field("place", &self.place)
            .finish_non_exhaustive()
    }
}

impl FindRun for RunDesk {
    fn find<'a>(
        &'a self,
        name: &'a str,
    ) -> Pin<Box<dyn Future<Output = Result<RunId, Refused>> + Send + 'a>> {
        Box::pin(async move { self.named(name).await.map(|head| head.run) })
    }
}

/// What a run was given.
#[derive(Debug)]
pub(super) struct Given {
    pub(super) idea: String,
}

impl Given {
    /// Both kinds of briefs name these fields, in every version.
    fn of(brief: &Value) -> Self {
        let text = |name: &str| brief.get(name).and_then(Value::as_str);
        let idea = text("idea").or_else(|| text("topic")).unwrap_or_default();
        Self {
            idea: idea.to_owned(),
        }
    }
}

fn is_run(head: &Head) -> bool {
    [crate::DRIVER, meeting::DRIVER].contains(&head.driver.as_str())
}

/// Who a caller is to a run.
pub(super) fn speaker(visit: &Visit) -> Speaker {
    match visit.scope {
        KeyScope::Decide => Speaker {
            door: Door::Http,
            role: Role::Person,
            decides: true,
        },
        KeyScope::Read | KeyScope::Propose => visit.speaker,
    }
}

pub(super) fn unread(error: &ReadError) -> Refused {
    Refused::from_error("unavailable", error)
}

fn unreported(error: &ReportError) -> Refused {
    let code = match error {
        ReportError::NoRun(_) => "not_found",
        ReportError::Damaged { .. } => "damaged",
        ReportError::Newer { .. } => "newer_version",
        ReportError::Unread { .. } | ReportError::Ledger { .. } | ReportError::Scanner(_) => {
            "unavailable"
        }
    };
    Refused::from_error(code, error)
}

fn repeated(name: &str) -> String {
    name.chars().take(REPEATED).collect()
}

fn unknown(name: &str) -> Refused {
    let message = format!("there is no run `{}` in this project", repeated(name));
    Refused::new("not_found", message).then("gavel_run_status", json!({}), "to see the runs")
}

fn too_many(at_work: &[RunId], most: usize) -> Refused {
    let runs: Vec<String> = at_work.iter().map(ToString::to_string).collect();
    let data = json!({ "runs": runs, "max_runs": most });
    let Some(first) = at_work.first() else {
        let message = "no run is driven over MCP here (mcp.max_runs is 0): ask your person to start it, \
                       or to raise mcp.max_runs";
        return Refused::new(TOO_MANY, message).with(data);
    };
    let are = match runs.len() {
        1 => "1 run of this project is at work".to_owned(),
        several => format!("{several} runs of this project are at work"),
    };
    let message = format!(
        "{are}, and over MCP one more is driven only below {most} (mcp.max_runs): wait until one ends \
         or asks; or ask your person to pause one (`gavel pause {}`) or to raise mcp.max_runs",
        first.short()
    );
    let refused = Refused::new(TOO_MANY, message).with(data);
    let arguments = json!({ "run": first.to_string() });
    refused.then("gavel_run_status", arguments, "to see whether it is done")
}

fn none_yet() -> Refused {
    let arguments = json!({ "idea": "<what to build>" });
    Refused::new("not_found", "this project has no run yet").then(
        "gavel_start_run",
        arguments,
        "to start one",
    )
}
