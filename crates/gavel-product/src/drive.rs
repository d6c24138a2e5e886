//! The whole way, top to bottom.

use std::sync::Arc;

use gavel_rules::RunChoices;
use gavel_run::{Run, RunError};

use crate::agreeing::{agree_contracts, phases_of};
use crate::council::deliberate;
use crate::discovery::discover;
use crate::gating::judge;
use crate::intake::intake;
use crate::place::Place;
use crate::scoping::scope_out;
use crate::way::{Leave, Way, unusable};
use crate::{Means, ProductBrief, building, lessons, sealing};

/// Drives a run from its idea to a sealed branch, or to the point where it needs somebody.
pub async fn drive(run: Run, brief: ProductBrief, means: Means) -> Result<(), RunError> {
    let place = Place::open(&run, &brief).await?;
    let way = Way {
        run: &run,
        brief: &brief,
        means: &means,
        place: &place,
        choices: RunChoices::of(&run.settings()),
        round: 1,
    };
    match go(way).await {
        Ok(()) | Err(Leave::Halted) => Ok(()),
        Err(Leave::Run(error)) => Err(error),
    }
}

async fn go(way: Way<'_>) -> Result<(), Leave> {
    let run = way.run;
    intake(way).await?;
    let mut found = discover(way).await?;
    let decisions = deliberate(way, &mut found, None).await?;
    let scoped = scope_out(way, &mut found, &decisions).await?;
    let shelf = Arc::new(agree_contracts(way, &mut found, &decisions, &scoped).await?);
    let phases = phases_of(run, &shelf)?;
    let site = building::site(way, &shelf).await;
    let site = site.map_err(|error| unusable(run, &error))?;
    let plan = (shelf.as_ref(), phases.as_slice());
    let built = building::build(way, &site, &mut found.staff, plan).await?;
    let judged = judge(way, &site, plan, &built).await?;
    let sealed = sealing::seal(way, &site, (&found, &built), (&shelf, &judged)).await?;
    lessons::propose(way, &found, (&decisions, &built)).await?;
    sealing::finish(run, &sealed).await
}
