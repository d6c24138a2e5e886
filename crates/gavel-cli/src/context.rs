//! What commands share: folders, settings, the store, models.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::anyhow;
use gavel_domain::{Head, RunId, RunState, Speaker};
use gavel_models::{ModelId, Models};
use gavel_run::{Clock, Engine, Mailbox, SystemClock};
use gavel_store::{Access, HeadsQuery, SqliteStore, Store, StoreOptions};

use crate::args::General;
use crate::environment;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::settings::{Loaded, load};
use crate::slots::OFFLINE;
use crate::ui::{Look, Ui};

/// The version that runs record.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// How many runs a short id is looked for in.
const LOOK_BACK: u32 = 10_000;

pub(crate) struct Context {
    pub(crate) general: General,
    pub(crate) ui: Ui,
    directory: PathBuf,
    state: PathBuf,
}

/// Which runs a command may mean when none is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Newest {
    /// One that can go on.
    Unfinished,
    /// The one that can go on: among several nothing is guessed.
    OnlyUnfinished,
    /// Any.
    OfAll,
}

impl Context {
    pub(crate) fn new(general: General, ui: Ui) -> Result<Self, Failure> {
        let here = std::env::current_dir().map_err(|error| Failure::new(Exit::Failed, error))?;
        let directory = match &general.directory {
            Some(directory) => here.join(directory),
            None => here.clone(),
        };
        // The real path: what lies above `a/..` must not be looked for in `a`.
        let directory = match directory.canonicalize() {
            Ok(real) if real.is_dir() => real,
            Ok(_) | Err(_) => {
                let wrong = format!("{} is not a folder", directory.display());
                return Err(Failure::usage(wrong));
            }
        };
        let state = match &general.state {
            Some(state) => here.join(state),
            None => environment::folder("XDG_STATE_HOME", ".local/state")
                .map(|folder| folder.join("gavel"))
                .ok_or_else(|| {
                    Failure::usage("there is no home folder to keep runs in")
                        .hint("name one with --state DIR")
                })?,
        };
        Ok(Self {
            general,
            ui,
            directory,
            state,
        })
    }

    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    /// Works in another folder from here on: its settings count.
    pub(crate) fn enter(&mut self, directory: &Path) -> Result<(), Failure> {
        self.directory = crate::project::real(directory)?;
        Ok(())
    }

    pub(crate) fn state(&self) -> &Path {
        &self.state
    }

    /// The folder of memory's index files: one for everybody, since what is taken out of memory has to
    /// go from all of them.
    pub(crate) fn index(&self) -> PathBuf {
        self.state.join("index")
    }

    pub(crate) fn settings(&self) -> Result<Loaded, Failure> {
        load(&self.general, &self.directory)
    }

    pub(crate) async fn store(&self, access: Access) -> Result<Arc<SqliteStore>, Failure> {
        Ok(Arc::new(
            SqliteStore::open(StoreOptions::new(&self.state, access)).await?,
        ))
    }

    pub(crate) fn clock() -> Arc<dyn Clock> {
        Arc::new(SystemClock)
    }

    /// An engine with the configured models; a model that a run names although no list knows it is
    /// made available when its provider is.
    pub(crate) fn engine(
        &self,
        store: Arc<SqliteStore>,
        wanted: &[ModelId],
    ) -> Result<Engine, Failure> {
        let mut models = self.models()?;
        for id in wanted.iter().filter(|id| id.as_str() != OFFLINE) {
            models.ensure(id).map_err(|error| {
                Failure::new(Exit::Provider, error)
                    .hint("set the provider's key, or name its endpoint in your config.toml")
            })?;
        }
        Ok(self.engine_with(store, models))
    }

    /// The engine of a run under way. What it cannot reach any more is the run's to ask about: most
    /// of it may be on record.
    pub(crate) fn engine_under_way(
        &self,
        store: Arc<SqliteStore>,
        wanted: &[ModelId],
    ) -> Result<Engine, Failure> {
        let mut models = self.models()?;
        for id in wanted.iter().filter(|id| id.as_str() != OFFLINE) {
            if let Err(error) = models.ensure(id) {
                let warning = self.ui.look_beside("note", Look::Warn);
                self.ui.note(format!("{warning} {error}"));
            }
        }
        Ok(self.engine_with(store, models))
    }

    fn models(&self) -> Result<Models, Failure> {
        let settings = self.settings()?;
        let configured = settings.models.models();
        let models = configured.map_err(|error| Failure::new(Exit::Usage, error))?;
        let mut secrets = settings.models.keys();
        secrets.extend(settings.sources.secrets());
        Ok(models.with_secrets(&secrets))
    }

    fn engine_with(&self, store: Arc<SqliteStore>, models: Models) -> Engine {
        let host = environment::host();
        Engine::new(store, Arc::new(models), Self::clock(), (&host, VERSION))
    }

    /// A mailbox of the person at this command line.
    pub(crate) fn mailbox(&self, store: Arc<SqliteStore>) -> Mailbox {
        Mailbox::new(store, Self::clock(), Speaker::PERSON)
    }

    /// Finds a run by its id or the end of it; without one, the newest of this folder's project, else
    /// of all.
    pub(crate) async fn run(
        &self,
        store: &dyn Store,
        named: Option<&str>,
        newest: Newest,
    ) -> Result<Head, Failure> {
        let Some(name) = named else {
            return self.newest(store, newest).await;
        };
        if let Ok(id) = name.parse::<RunId>() {
            let head = store.head(id).await?;
            return head.ok_or_else(|| gavel_run::RunError::NoRun(id).into());
        }
        let query = HeadsQuery {
            project: None,
            unfinished: false,
            limit: LOOK_BACK,
        };
        let mut found = store
            .heads(query)
            .await?
            .into_iter()
            .filter(|head| head.run.to_string().ends_with(name));
        match (found.next(), found.next()) {
            (Some(head), None) => Ok(head),
            (Some(_), Some(_)) => Err(Failure::usage(format!(
                "several runs end in `{name}`: give more of the id"
            ))),
            (None, _) => {
                let missing = format!("there is no run `{name}`");
                Err(Failure::usage(missing).hint("gavel status lists all runs"))
            }
        }
    }

    /// The run that is meant when none is named; whoever changes it is told which.
    async fn newest(&self, store: &dyn Store, newest: Newest) -> Result<Head, Failure> {
        let unfinished = newest != Newest::OfAll;
        let mut query = HeadsQuery {
            project: crate::project::of(&self.directory)?,
            unfinished,
            limit: LOOK_BACK,
        };
        let in_project = query.project.is_some();
        let mut heads = store.heads(query.clone()).await?;
        // What is given up stays so: another project's run is never meant by silence.
        let may_look_on = newest != Newest::OnlyUnfinished;
        if heads.is_empty() && may_look_on && query.project.take().is_some() {
            heads = store.heads(query).await?;
        }
        if newest == Newest::OnlyUnfinished && heads.len() > 1 {
            let ids: Vec<_> = heads.iter().map(|head| head.run.short()).collect();
            let several = format!("several runs are unfinished: {}", ids.join(", "));
            return Err(Failure::usage(several).hint("name the one that you mean"));
        }
        // One that stopped for good is meant only when there is nothing that can go on.
        let stopped = |head: &Head| unfinished && head.state == RunState::Halted;
        let chosen = heads.iter().position(|head| !stopped(head)).unwrap_or(0);
        let Some(head) = heads.into_iter().nth(chosen) else {
            let which = if unfinished {
                "no unfinished run"
            } else {
                "no run"
            };
            let place = if in_project && !may_look_on {
                " in this project"
            } else {
                ""
            };
            let none = format!("there is {which}{place}");
            return Err(Failure::usage(none).hint("gavel status lists all"));
        };
        if unfinished {
            self.ui.note(format!("run {}", head.run.short()));
        }
        Ok(head)
    }

    /// The git program, looked up once.
    pub(crate) fn git(&self) -> Result<PathBuf, Failure> {
        environment::program("git")
            .ok_or_else(|| Failure::new(Exit::Failed, anyhow!("git is not in PATH")))
    }
}
