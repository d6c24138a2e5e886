//! What commands share: folders, settings, the store, models.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::anyhow;
use gavel_domain::Speaker;
use gavel_models::{ModelId, Models};
use gavel_run::{Clock, Engine, Mailbox, SystemClock};
use gavel_store::{Access, SqliteStore, StoreOptions};

use crate::args::General;
use crate::environment;
use crate::exit::Exit;
use crate::failure::{Failure, GIT_MISSING};
use crate::settings::{Loaded, load};
use crate::slots::OFFLINE;
use crate::ui::{Look, Ui};

/// The version that runs record.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

pub(crate) struct Context {
    pub(crate) general: General,
    pub(crate) ui: Ui,
    directory: PathBuf,
    state: PathBuf,
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
        let settings = self.settings()?.models;
        for id in wanted.iter().filter(|id| id.as_str() != OFFLINE) {
            models.ensure(id).map_err(|error| {
                let remedy = settings.remedy(&error);
                Failure::new(Exit::Provider, error).hint(remedy)
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

    pub(crate) fn models(&self) -> Result<Models, Failure> {
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

    /// The git program, looked up once.
    pub(crate) fn git(&self) -> Result<PathBuf, Failure> {
        environment::program("git").ok_or_else(|| {
            Failure::new(Exit::Failed, anyhow!("git is not in PATH"))
                .because(GIT_MISSING)
                .hint("install git, or add its folder to PATH")
        })
    }
}
