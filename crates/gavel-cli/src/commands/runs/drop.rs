//! `gavel runs drop`: removes a run that is damaged or over, after showing what it is.

use gavel_domain::{Head, RunId};
use gavel_store::{Access, CommitError, Holder, LeaseError, Purged, SqliteStore, Store as _};
use serde_json::json;

use super::named;
use crate::context::Context;
use crate::driver::given;
use crate::environment;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::summary::clipped;
use crate::ui::Look;

/// How much of an idea is shown.
const IDEA: usize = 200;

/// A run that somebody wants to drop, as far as it can be read.
struct Doomed {
    run: RunId,
    head: Option<Head>,
    damage: Vec<String>,
}

pub(super) async fn run(context: &Context, name: &str) -> Result<Exit, Failure> {
    let store = context.store(Access::ReadWrite).await?;
    let doomed = look(&store, named(context, &store, name).await?).await?;
    doomed.check()?;
    show(context, &store, &doomed).await;
    confirm(context, &doomed)?;
    let damage = match doomed.damage.is_empty() {
        true => Damage::None,
        false => Damage::Some,
    };
    let purged = purge(&store, doomed.run, damage).await?;
    let short = doomed.run.short();
    context.ui.line(format!(
        "run {short} is gone ({} records, {} texts); what it spent stays in the ledger, and its month \
         counts it",
        purged.records, purged.blobs
    ));
    let data = json!({
        "run": doomed.run,
        "records": purged.records,
        "texts": purged.blobs,
        "damage": doomed.damage,
        "ledger": "kept",
    });
    context.ui.data("runs_drop", &data);
    Ok(Exit::Done)
}

/// Whether a run that is to go can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Damage {
    None,
    Some,
}

/// Removes a run that nobody drives.
pub(super) async fn purge(
    store: &SqliteStore,
    run: RunId,
    damage: Damage,
) -> Result<Purged, Failure> {
    let holder = Holder {
        pid: std::process::id(),
        host: environment::host(),
        since: Context::clock().now(),
    };
    let lease = store.acquire(run, holder).await.map_err(held)?;
    let purged = match damage {
        Damage::None => store.purge(&lease).await,
        Damage::Some => store.purge_damaged(&lease).await,
    };
    purged.map_err(refused)
}

async fn look(store: &SqliteStore, run: RunId) -> Result<Doomed, Failure> {
    let damage = match store.damage_of(run).await {
        Ok(damage) => damage.iter().map(ToString::to_string).collect(),
        Err(error) if error.is_damage() => vec![error.to_string()],
        Err(error) => return Err(error.into()),
    };
    let head = match store.head(run).await {
        Ok(head) => head,
        Err(error) if error.is_damage() => None,
        Err(error) => return Err(error.into()),
    };
    Ok(Doomed { run, head, damage })
}

impl Doomed {
    /// What can go on is given up first, so that nobody loses work by a slip.
    fn check(&self) -> Result<(), Failure> {
        let over = self.head.as_ref().is_some_and(|head| head.state.is_final());
        if over || !self.damage.is_empty() {
            return Ok(());
        }
        let short = self.run.short();
        let told = anyhow::anyhow!("run {short} is not over, and nothing of it is damaged");
        let hint = format!("gavel abort {short} gives it up first");
        Err(Failure::new(Exit::Refused, told).hint(hint))
    }
}

async fn show(context: &Context, store: &SqliteStore, doomed: &Doomed) {
    let ui = &context.ui;
    let title = format!("run {}", doomed.run);
    ui.beside(ui.look_beside(&title, Look::Strong));
    if let Some(head) = &doomed.head {
        ui.beside(format!(
            "  {} · {} · spent {} · changed {}",
            head.driver,
            head.state,
            head.spent_text(),
            head.updated_at
        ));
        // What it was given may be what is damaged.
        if let Ok(Some(given)) = given(store, head).await {
            ui.beside(format!("  {}", clipped(&given.idea, IDEA)));
        }
        if let Some(branch) = &head.branch {
            ui.beside(format!("  its branch {branch} stays where it is"));
        }
    }
    for damage in &doomed.damage {
        ui.beside(ui.look_beside(&format!("  {damage}"), Look::Warn));
    }
}

fn confirm(context: &Context, doomed: &Doomed) -> Result<(), Failure> {
    if context.general.yes {
        return Ok(());
    }
    let short = doomed.run.short();
    if !context.attended() {
        let told = format!("run {short} is dropped only when somebody says so");
        let hint = format!("gavel runs drop {short} --yes");
        return Err(Failure::usage(told).hint(hint));
    }
    if context.types_yes("Drop it for good? Type yes, or anything else to keep it: ")? {
        return Ok(());
    }
    let kept = anyhow::anyhow!("run {short} is kept");
    Err(Failure::new(Exit::Refused, kept))
}

fn held(error: LeaseError) -> Failure {
    let exit = match &error {
        LeaseError::Held { .. } => Exit::Conflict,
        LeaseError::Unavailable(_) => Exit::Failed,
    };
    Failure::new(exit, error)
}

fn refused(error: CommitError) -> Failure {
    let exit = match &error {
        CommitError::LeaseLost { .. } | CommitError::Refused { .. } => Exit::Conflict,
        CommitError::Conflict { .. }
        | CommitError::OverCap { .. }
        | CommitError::DuplicateKey { .. }
        | CommitError::Ledger { .. }
        | CommitError::Unavailable(_) => Exit::Failed,
    };
    Failure::new(exit, error)
}
