//! Which runs a caller sees, and which one it means.

use std::fmt;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;

use gavel_agent::{FindRun, Refused, Visit};
use gavel_domain::{Door, Head, ProjectId, Role, RunId, RunStarted, Seq, Speaker};
use gavel_rules::KeyScope;
use gavel_run::{Clock, Mailbox};
use gavel_store::{HeadsQuery, ReadError, Store};
use serde_json::{Value, json};

use crate::{Report, ReportError, meeting};

/// How many runs a short id is looked for in.
const LOOK_BACK: u32 = 10_000;
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

/// Finds runs for callers.
#[derive(Clone)]
pub struct RunDesk {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    place: ServedPlace,
}

impl RunDesk {
    /// A desk for what is served.
    pub fn new(store: Arc<dyn Store>, clock: Arc<dyn Clock>, place: ServedPlace) -> Self {
        Self {
            store,
            clock,
            place,
        }
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
                Some(head) if self.sees(&head).await? => Ok(head),
                Some(_) | None => Err(unknown(name)),
            };
        }
        if name.len() < SHORTEST_NAME {
            return Err(unknown(name));
        }
        let heads = self.heads(false, LOOK_BACK).await?;
        let mut found = heads
            .into_iter()
            .filter(|head| head.run.to_string().ends_with(name));
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
        let newest = self.heads(false, LOOK_BACK).await?.into_iter().next();
        newest.ok_or_else(none_yet)
    }

    /// The run that a caller changes: the named one, its own, else the only unfinished one.
    pub(super) async fn meant(&self, visit: &Visit, name: Option<&str>) -> Result<Head, Refused> {
        if let Some(head) = self.said(visit, name).await? {
            return Ok(head);
        }
        let mut open = self.heads(true, LOOK_BACK).await?.into_iter();
        match (open.next(), open.next()) {
            (Some(head), None) => Ok(head),
            (Some(first), Some(second)) => {
                let rest = open.take(8);
                let runs = [first, second].into_iter().chain(rest);
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

    /// The runs that callers see, newest first.
    pub(super) async fn heads(&self, unfinished: bool, most: u32) -> Result<Vec<Head>, Refused> {
        let query = HeadsQuery {
            project: self.place.project,
            unfinished,
            limit: LOOK_BACK,
        };
        let heads = self
            .store
            .heads(query)
            .await
            .map_err(|error| unread(&error))?;
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let mut seen = Vec::new();
        for head in heads {
            if seen.len() == most {
                break;
            }
            if self.sees(&head).await? {
                seen.push(head);
            }
        }
        Ok(seen)
    }

    /// What a run was given: an idea or a topic, and the checkout.
    pub(super) async fn given(&self, head: &Head) -> Result<Option<Given>, Refused> {
        let first = self.store.records(head.run, Seq::ZERO, 1).await;
        let first = first.map_err(|error| unread(&error))?;
        let started = first.first().and_then(|record| record.read().ok());
        let Some(name) = started.and_then(|started: RunStarted| started.brief) else {
            return Ok(None);
        };
        let text = self
            .store
            .blob(name.digest)
            .await
            .map_err(|error| unread(&error))?;
        let brief: Option<Value> = text.and_then(|text| serde_json::from_slice(&text).ok());
        Ok(brief.map(|brief| Given::of(&brief)))
    }

    /// Everything about a run.
    pub(super) async fn report(&self, run: RunId) -> Result<Report, Refused> {
        Report::read(self.store(), run)
            .await
            .map_err(|error| unreported(&error))
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

    /// True for a run of what is served. Loops have a tool of their own.
    async fn sees(&self, head: &Head) -> Result<bool, Refused> {
        if !is_run(head) {
            return Ok(false);
        }
        if self.place.project.is_some() || head.project.is_some() {
            return Ok(head.project == self.place.project);
        }
        let Some(checkout) = &self.place.checkout else {
            return Ok(false);
        };
        let given = self.given(head).await?;
        let of_run = given.and_then(|given| given.checkout);
        Ok(of_run.as_ref() == Some(checkout))
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
    checkout: Option<PathBuf>,
}

impl Given {
    /// Both kinds of briefs name these fields, in every version.
    fn of(brief: &Value) -> Self {
        let text = |name: &str| brief.get(name).and_then(Value::as_str);
        let idea = text("idea").or_else(|| text("topic")).unwrap_or_default();
        let checkout = text("checkout").or_else(|| text("folder"));
        Self {
            idea: idea.to_owned(),
            checkout: checkout.map(PathBuf::from),
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

fn none_yet() -> Refused {
    let arguments = json!({ "idea": "<what to build>" });
    Refused::new("not_found", "this project has no run yet").then(
        "gavel_start_run",
        arguments,
        "to start one",
    )
}
