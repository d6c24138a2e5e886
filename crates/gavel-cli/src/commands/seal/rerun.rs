//! `gavel seal verify --rerun`: shows again what the seal says was shown, in a place that is removed afterwards.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, anyhow};
use gavel_build::SealStatement;
use gavel_domain::{FaultCount, Settings};
use gavel_product::{RERUN_DRIVER, Reran, RerunCase, RerunEnd, RerunReport, rerun};
use gavel_rules::ShownAgain;
use gavel_run::{Drift, DriveOptions, NewRun, PaidConsent, Run, StopHandle, WaitMode};
use gavel_store::{Access, SqliteStore, StoreOptions};
use gavel_workspace::Repository;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::card::plain;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::stopping::cancel_on_ctrl_c;
use crate::ui::Look;

/// Where reruns lie among the work trees: the only place of Gavel's state that commands may have.
const FOLDER: &str = "worktrees/rerun";
const LOCK: &str = "lock";

/// A folder that is removed when it is dropped, and by the next rerun where this one was killed.
struct Scratch {
    folder: PathBuf,
    _lock: File,
}

impl Scratch {
    fn make(state: &Path) -> Result<Self, Failure> {
        let wrong = |error: anyhow::Error| Failure::new(Exit::Failed, error);
        let all = state.join(FOLDER);
        fs::create_dir_all(&all)
            .with_context(|| all.display().to_string())
            .map_err(wrong)?;
        remove_abandoned(&all);
        let folder = all.join(gavel_run::fresh_id().simple().to_string());
        let made = || -> std::io::Result<File> {
            fs::create_dir(&folder)?;
            let lock = File::create(folder.join(LOCK))?;
            lock.try_lock().map_err(std::io::Error::from)?;
            Ok(lock)
        };
        let lock = made()
            .with_context(|| folder.display().to_string())
            .map_err(wrong)?;
        Ok(Self {
            folder,
            _lock: lock,
        })
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Err(error) = gavel_workspace::remove_tree(&self.folder) {
            tracing::warn!(%error, folder = %self.folder.display(), "what a rerun wrote could not be removed");
        }
    }
}

/// Removes what killed reruns left behind: nobody holds their locks.
fn remove_abandoned(all: &Path) {
    for entry in fs::read_dir(all).into_iter().flatten().flatten() {
        let folder = entry.path();
        let held = match File::open(folder.join(LOCK)).map(|lock| lock.try_lock()) {
            Ok(Err(TryLockError::WouldBlock)) => true,
            Ok(Ok(()) | Err(TryLockError::Error(_))) | Err(_) => false,
        };
        if !held && let Err(error) = gavel_workspace::remove_tree(&folder) {
            tracing::warn!(%error, folder = %folder.display(), "an old rerun could not be removed");
        }
    }
}

/// What a rerun came to, beside what was sealed.
pub(super) struct Told {
    end: RerunEnd,
    sealed: Option<FaultCount>,
}

impl Told {
    /// What came to something else makes a seal worth nothing here; what could not be run again says
    /// nothing about it.
    pub(super) fn exit(&self) -> Option<Exit> {
        match &self.end {
            RerunEnd::Reran(reran) if reran.differs() => Some(Exit::Gate),
            RerunEnd::Reran(reran) if reran.is_incomplete() => Some(Exit::Failed),
            RerunEnd::Reran(_) => None,
            RerunEnd::NotRun(_) => Some(Exit::Failed),
        }
    }

    pub(super) fn as_json(&self) -> Value {
        match &self.end {
            RerunEnd::Reran(reran) => json!({
                "same": !reran.differs(),
                "complete": !reran.is_incomplete(),
                "tests": reran.tests,
                "criteria": reran.criteria,
                "mutants": { "tried": reran.faults.tried, "caught": reran.faults.caught },
            }),
            RerunEnd::NotRun(why) => json!({ "same": null, "complete": false, "why": why }),
        }
    }
}

/// Repeats what a valid seal says was shown, and tells.
pub(super) async fn repeat(
    context: &Context,
    repository: Repository,
    statement: &SealStatement,
) -> Result<Told, Failure> {
    let scratch = Scratch::make(context.state())?;
    let ui = context.ui.clone();
    let report = RerunReport::new(move |text: &str| ui.note(format!("rerun: {text}")));
    let case = RerunCase {
        statement: statement.clone(),
        git: context.git()?,
        repository,
        folder: scratch.folder.join("build"),
        workshop: context.workshop().await?,
    };
    fs::create_dir(&case.folder)
        .with_context(|| case.folder.display().to_string())
        .map_err(|error| Failure::new(Exit::Failed, error))?;
    drive(context, &scratch, (case, report.clone())).await?;
    let end = report
        .end()
        .ok_or_else(|| Failure::new(Exit::Failed, anyhow!("the rerun came to no end")))?;
    let proof = statement.predicate.proof.as_ref();
    let told = Told {
        end,
        sealed: proof.map(|proof| FaultCount {
            tried: proof.mutants,
            caught: proof.killed,
        }),
    };
    show(context, &told);
    Ok(told)
}

/// A run of its own, whose journal goes with the folder.
async fn drive(
    context: &Context,
    scratch: &Scratch,
    (case, report): (RerunCase, RerunReport),
) -> Result<(), Failure> {
    let options = StoreOptions::new(scratch.folder.join("journal"), Access::ReadWrite);
    let store = Arc::new(SqliteStore::open(options).await?);
    let engine = context.engine(store, &[])?;
    let new = NewRun {
        driver: RERUN_DRIVER.to_owned(),
        flow: 1,
        settings: Settings::default(),
        project: None,
        brief: None,
    };
    let run = engine.start(new).await?;
    let options = DriveOptions {
        wait: WaitMode::Leave,
        yes: false,
        drift: Drift::Note,
        paid: PaidConsent::Ask,
    };
    let stop = StopHandle::new();
    let stopped = CancellationToken::new();
    let _watch = cancel_on_ctrl_c(stopped.clone());
    let work = |run: Run| rerun(run, case, report);
    tokio::select! {
        end = Box::pin(engine.drive(run, options, stop.clone(), work)) => {
            end?;
            Ok(())
        }
        () = stopped.cancelled() => {
            stop.cut();
            Err(Failure::new(Exit::Interrupted, anyhow!("interrupted: nothing was compared")))
        }
    }
}

fn show(context: &Context, told: &Told) {
    let ui = &context.ui;
    ui.line("");
    let reran = match &told.end {
        RerunEnd::Reran(reran) => reran,
        RerunEnd::NotRun(why) => {
            let line = format!("NOT repeated: {}", plain(why));
            ui.line(ui.look(&line, Look::Bad));
            return;
        }
    };
    let (line, look) = if reran.differs() {
        ("repeated, and it came to something else:", Look::Bad)
    } else if reran.is_incomplete() {
        ("not everything could be repeated:", Look::Warn)
    } else {
        ("repeated: what can be run came to the same", Look::Good)
    };
    ui.line(ui.look(line, look));
    ui.table(&rows(reran, told.sealed));
}

fn rows(reran: &Reran, sealed: Option<FaultCount>) -> Vec<Vec<crate::ui::Cell>> {
    let mut rows = vec![row("tests", &reran.tests)];
    let criteria = reran.criteria.iter();
    rows.extend(criteria.map(|one| row(&one.id, &one.repeated)));
    let FaultCount { tried, caught } = reran.faults;
    if tried > 0 {
        let before = sealed.filter(|sealed| sealed.tried > 0);
        let before = before.map_or_else(String::new, |sealed| {
            format!("; {} of {} when it was sealed", sealed.caught, sealed.tried)
        });
        let text = format!("{caught} of {tried} killed{before}");
        rows.push(vec![
            ("  mutants".to_owned(), Look::Strong),
            (text, Look::Plain),
        ]);
    }
    rows
}

fn row(name: &str, repeated: &ShownAgain) -> Vec<crate::ui::Cell> {
    let (word, why, look) = match repeated {
        ShownAgain::Same(why) => ("same", why, Look::Plain),
        ShownAgain::Different(why) => ("DIFFERENT", why, Look::Bad),
        ShownAgain::NotRun(why) => ("could not be repeated", why, Look::Warn),
        ShownAgain::NotRepeatable(why) => ("nothing to repeat", why, Look::Faint),
    };
    vec![
        (format!("  {}", plain(name)), Look::Strong),
        (format!("{word}: {}", plain(why)), look),
    ]
}
