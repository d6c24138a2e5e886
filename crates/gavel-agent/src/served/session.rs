//! Sessions: a caller narrows itself, and gets a signed handle that says so.
//!
//! The newest revision of the protocol has no sessions, so what was narrowed comes back with each
//! call as a handle. It is signed with a secret of the store: nobody can write one, and one that is
//! too old is refused. Where one process serves one client, the process remembers it too.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use futures_util::future::BoxFuture;
use gavel_domain::{AgentId, Role, RunId, Timestamp, WordError};
use gavel_rules::KeyScope;
use gavel_run::Clock;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{Refused, Served, ServedTool, Session, ToolHints, ToolSet, Visit};

/// What a handle begins with.
const PREFIX: &str = "gvs_";
/// How long a handle is good for.
const HOURS: i64 = 12;
/// What the key is for, so that a signature of something else is none of ours.
const PURPOSE: &str = "gavel 2026-11 session handle";

/// Finds runs by the names that callers use.
pub trait FindRun: Send + Sync + 'static {
    /// The run of that id, or whose id ends so.
    fn find<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<RunId, Refused>>;
}

/// Writes and reads handles.
pub struct SessionDesk {
    key: [u8; 32],
    clock: Arc<dyn Clock>,
    remembered: Option<Mutex<Narrowed>>,
}

/// What a handle says.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Narrowed {
    #[serde(flatten)]
    session: Session,
    /// The caller gave up its role.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    guest: bool,
    /// Until when, in seconds.
    #[serde(default)]
    until: i64,
}

impl SessionDesk {
    /// A desk for many clients: each brings its handle.
    pub fn for_many(secret: &[u8; 32], clock: Arc<dyn Clock>) -> Self {
        Self {
            key: blake3::derive_key(PURPOSE, secret),
            clock,
            remembered: None,
        }
    }

    /// A desk for the one client of this process: what it said last holds when it brings nothing.
    pub fn for_one(secret: &[u8; 32], clock: Arc<dyn Clock>) -> Self {
        Self {
            remembered: Some(Mutex::default()),
            ..Self::for_many(secret, clock)
        }
    }

    /// Narrows a visit by the handle that came with it, or by what is remembered.
    pub fn narrow(&self, visit: &mut Visit, handle: Option<&str>) -> Result<(), Refused> {
        let remembered = self.recall();
        let gave_up = remembered.guest;
        let narrowed = match handle {
            Some(handle) => self.read(handle)?,
            None => remembered,
        };
        // A role that was given up does not come back with an older handle.
        if narrowed.guest || gave_up {
            visit.speaker.role = Role::Guest;
            visit.speaker.decides = false;
            visit.scope = visit.scope.min(KeyScope::Propose);
        }
        let run = within(visit.bound, narrowed.session.run)?;
        visit.session = Session {
            run,
            agent: narrowed.session.agent,
        };
        Ok(())
    }

    fn recall(&self) -> Narrowed {
        let remembered = self.remembered.as_ref();
        let lock = remembered.map(|lock| lock.lock().unwrap_or_else(PoisonError::into_inner));
        lock.map(|narrowed| narrowed.clone()).unwrap_or_default()
    }

    fn remember(&self, narrowed: &Narrowed) {
        if let Some(lock) = &self.remembered {
            *lock.lock().unwrap_or_else(PoisonError::into_inner) = narrowed.clone();
        }
    }

    fn write(&self, narrowed: &Narrowed) -> Result<String, Refused> {
        let body = serde_json::to_vec(narrowed)
            .map_err(|error| Refused::from_error("internal", &error))?;
        let body = URL_SAFE_NO_PAD.encode(body);
        let mac = blake3::keyed_hash(&self.key, body.as_bytes());
        let mac = URL_SAFE_NO_PAD.encode(mac.as_bytes());
        Ok(format!("{PREFIX}{body}.{mac}"))
    }

    fn read(&self, handle: &str) -> Result<Narrowed, Refused> {
        let parts = handle
            .strip_prefix(PREFIX)
            .and_then(|rest| rest.split_once('.'));
        let (body, mac) = parts.ok_or_else(|| not_ours("is no handle of Gavel"))?;
        let mac: Option<[u8; 32]> = URL_SAFE_NO_PAD
            .decode(mac)
            .ok()
            .and_then(|mac| mac.try_into().ok());
        let expected = blake3::keyed_hash(&self.key, body.as_bytes());
        // Compared in constant time by the hash's own type.
        if mac.is_none_or(|mac| expected != blake3::Hash::from_bytes(mac)) {
            return Err(not_ours("was not signed here"));
        }
        let narrowed = URL_SAFE_NO_PAD.decode(body).ok();
        let narrowed: Option<Narrowed> =
            narrowed.and_then(|body| serde_json::from_slice(&body).ok());
        let narrowed = narrowed.ok_or_else(|| not_ours("is of another version of Gavel"))?;
        if narrowed.until < seconds(self.clock.now()) {
            return Err(not_ours("is too old"));
        }
        Ok(narrowed)
    }
}

impl fmt::Debug for SessionDesk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SessionDesk(remembers: {})", self.remembered.is_some())
    }
}

fn seconds(at: Timestamp) -> i64 {
    at.as_second()
}

fn not_ours(why: &str) -> Refused {
    let message = format!("the context handle {why}: get another, or leave `context` out");
    let arguments = json!({ "run": "<run id>", "agent": "<your name>" });
    Refused::new("bad_context", message).then(SetSession::NAME, arguments, "to get a new handle")
}

/// `gavel_set_session`: says for which run and under which name the caller works.
pub struct SetSession {
    desk: Arc<SessionDesk>,
    runs: Arc<dyn FindRun>,
}

impl SetSession {
    /// The tool over a desk, and those who know the runs.
    pub fn new(desk: Arc<SessionDesk>, runs: Arc<dyn FindRun>) -> Self {
        Self { desk, runs }
    }
}

impl fmt::Debug for SetSession {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SetSession")
    }
}

/// What a caller narrows itself to.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SetSessionInput {
    /// The run that later calls mean.
    run: Option<String>,
    /// Your name in loops.
    agent: Option<String>,
    /// Only downwards.
    role: Option<NarrowRole>,
}

/// The role that everybody may take.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum NarrowRole {
    Guest,
}

/// What holds now.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SetSessionOutput {
    /// Pass this as `context` with later calls.
    context: String,
    /// Until when it is good.
    expires_at: String,
    role: String,
    run: Option<String>,
    agent: Option<String>,
}

impl ServedTool for SetSession {
    type Input = SetSessionInput;
    type Output = SetSessionOutput;

    const NAME: &'static str = "gavel_set_session";
    const PURPOSE: &'static str = "Say for which run and under which name you work; pass the returned `context` with later calls";
    const SET: ToolSet = ToolSet::Build;
    const HINTS: ToolHints = ToolHints::SETS;

    async fn call(
        &self,
        visit: &Visit,
        input: SetSessionInput,
    ) -> Result<Served<SetSessionOutput>, Refused> {
        let run = match &input.run {
            Some(name) => Some(self.runs.find(name).await?),
            None => visit.session.run,
        };
        let run = within(visit.bound, run)?;
        let agent = match input.agent {
            Some(agent) => Some(checked_name(agent)?),
            None => visit.session.agent.clone(),
        };
        let until = seconds(self.desk.clock.now()) + HOURS * 3600;
        let guest = input.role.is_some() || visit.speaker.role == Role::Guest;
        let session = Session { run, agent };
        let narrowed = Narrowed {
            session,
            guest,
            until,
        };
        let context = self.desk.write(&narrowed)?;
        self.desk.remember(&narrowed);
        let role = if guest {
            Role::Guest
        } else {
            visit.speaker.role
        };
        let role = gavel_rules::role_word(role).to_owned();
        let expires_at = Timestamp::from_second(until)
            .map_err(|error| Refused::from_error("internal", &error))?
            .to_string();
        let run = narrowed.session.run.map(|run| run.to_string());
        let agent = narrowed.session.agent;
        let line = format!(
            "you are {} ({role}){}",
            agent.as_deref().unwrap_or("unnamed"),
            run.as_ref()
                .map(|run| format!(", for run {run}"))
                .unwrap_or_default()
        );
        let output = SetSessionOutput {
            context,
            expires_at,
            role,
            run,
            agent,
        };
        Ok(Served::new(output, line))
    }
}

/// Whoever was bound to a run by the door stays with it.
fn within(bound: Option<RunId>, run: Option<RunId>) -> Result<Option<RunId>, Refused> {
    match (bound, run) {
        (Some(bound), Some(run)) if bound != run => {
            let message = format!("this door is bound to run {bound}, and {run} is another one");
            Err(Refused::new("bound_elsewhere", message))
        }
        (Some(bound), _) => Ok(Some(bound)),
        (None, run) => Ok(run),
    }
}

/// The name of an agent, as loops know it. Nobody outside is Gavel itself.
fn checked_name(agent: String) -> Result<String, Refused> {
    let refused = |why: String| Refused::new("bad_arguments", format!("`agent`: {why}"));
    let known: AgentId = agent
        .parse()
        .map_err(|error: WordError| refused(error.to_string()))?;
    if known.is_gavel() {
        return Err(refused("`gavel` is Gavel itself".to_owned()));
    }
    Ok(agent)
}

#[cfg(test)]
#[path = "session_tests.rs"]
mod tests;
