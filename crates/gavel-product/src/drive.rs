//! The whole way, top to bottom.

use std::sync::Arc;

use gavel_build::{PhaseEnd, Site};
use gavel_contracts::Shelf;
use gavel_domain::{Decision, Stage};
use gavel_rules::{Route, RunChoices, Trip, ship_refused};
use gavel_run::{Run, RunError};

use crate::agreeing::{agree_contracts, phases_of};
use crate::asks::{CHECKED_SINCE, Spoken, note_later};
use crate::breakers::{Choice, Tripped, trip};
use crate::building::{self, BuildEnd, Plan, Progress};
use crate::council::deliberate;
use crate::discovery::{Discovered, discover};
use crate::gating::{GateCase, GateFailure, GateOutcome, Judged};
use crate::hot::{HotEnd, HotLeft, take_hot_path};
use crate::idea::Idea;
use crate::intake::intake;
use crate::people_lately::heed;
use crate::place::Place;
use crate::scoping::{Scoped, scope_out};
use crate::sprint_feedback::SentBack;
use crate::way::{Leave, Way, WayMark};
use crate::{Means, delivery, gating, lessons, money, sealing};
use gavel_domain::ProductBrief;

/// Drives a run from its idea to a sealed branch, or to the point where it needs somebody.
pub async fn drive(run: Run, brief: ProductBrief, means: Means) -> Result<(), RunError> {
    let place = Place::open(&run, &brief).await?;
    let mark = WayMark::default();
    let way = Way {
        run: &run,
        brief: &brief,
        means: &means,
        place: &place,
        choices: RunChoices::of(&run.settings()),
        round: 1,
        mark: &mark,
    };
    match Box::pin(go(way)).await {
        Ok(()) | Err(Leave::Halted) => Ok(()),
        Err(Leave::Run(error)) => Err(error),
    }
}

async fn go(way: Way<'_>) -> Result<(), Leave> {
    match intake(way).await? {
        Route::HotPath => match take_hot_path(way).await? {
            HotEnd::Sealed => Ok(()),
            // The small change was none: the long way begins, with what there is.
            HotEnd::Rethink(left) => {
                Box::pin(through_the_council(way.next_round(), Some(left))).await
            }
        },
        Route::Council => Box::pin(through_the_council(way, None)).await,
    }
}

async fn through_the_council(way: Way<'_>, left: Option<HotLeft>) -> Result<(), Leave> {
    // What a small change was reworded to is what the council is asked about.
    let idea = left.as_ref().and_then(|left| left.idea.clone());
    let idea = idea.unwrap_or_else(|| Idea::of(way.brief));
    let mut found = discover(way, idea).await?;
    money::note_share(way, Stage::Discovery).await?;
    let trouble = left.as_ref().map(|left| left.why.as_str());
    let decisions = deliberate(way, &mut found, trouble).await?;
    money::note_share(way, Stage::Council).await?;
    let scoped = scope_out(way, &mut found, &decisions).await?;
    money::note_share(way, Stage::Scoping).await?;
    let agreed = Agreed { scoped, decisions };
    Box::pin(build_and_seal(way, (found, left), agreed)).await
}

/// What was agreed before anything is built.
#[derive(Debug)]
struct Agreed {
    scoped: Scoped,
    decisions: Vec<Decision>,
}

/// Builds until the gate passes, and seals. After a breaker the council may think again: then the
/// contracts are written anew, and the building goes on from what there is.
async fn build_and_seal(
    mut way: Way<'_>,
    (mut found, left): (Discovered, Option<HotLeft>),
    mut agreed: Agreed,
) -> Result<(), Leave> {
    let mut before = building::Before::default();
    if let Some(left) = left {
        before.commit = left.commit;
        before.gates = left.gates;
        before.sprints = left.sprints;
    }
    loop {
        let Agreed { scoped, decisions } = &agreed;
        let shelf = Arc::new(agree_contracts(way, &mut found, decisions, scoped).await?);
        money::note_share(way, Stage::Contracts).await?;
        let phases = phases_of(way.run, &shelf)?;
        let site = building::site(way, &shelf).await?;
        let plan = Plan {
            spec: &scoped.spec,
            shelf: &shelf,
            phases: &phases,
        };
        let mut progress = building::begin(way, &shelf, before).await?;
        match prove(way, &site, plan, (&mut found, &mut progress)).await? {
            Proven::Passed(judged) => {
                let done = (shelf.as_ref(), judged.as_ref(), &progress);
                return seal(way, &site, (&mut found, &agreed), done).await;
            }
            Proven::Rethink(trouble) => {
                way = way.next_round();
                agreed.decisions = deliberate(way, &mut found, Some(&trouble)).await?;
                before = building::Before::of(progress);
            }
        }
    }
}

enum Proven {
    Passed(Box<Judged>),
    Rethink(String),
}

/// Builds, lets the gate judge, and sends back what it refuses.
async fn prove(
    way: Way<'_>,
    site: &Site,
    plan: Plan<'_>,
    (found, progress): (&mut Discovered, &mut Progress),
) -> Result<Proven, Leave> {
    let mut end = building::build(way, site, plan, (found, progress), None).await?;
    let mut refusals = Vec::new();
    loop {
        if let BuildEnd::Rethink(trouble) = end {
            return Ok(Proven::Rethink(trouble));
        }
        money::note_share(way, Stage::Building).await?;
        progress.gates += 1;
        let failure = match judge(way, site, plan, (found, progress)).await? {
            GateOutcome::Passed(judged) => return Ok(Proven::Passed(judged)),
            GateOutcome::Failed(failure) => failure,
        };
        refusals.push(same_reasons(&failure));
        let mut sent_back = SentBack::from(failure);
        if let Some(refused) = ship_refused(&refusals) {
            match after_refusal(way, progress, (&refused, &sent_back)).await? {
                Choice::Rethink => return Ok(Proven::Rethink(sent_back.told.join("\n"))),
                Choice::Retry(words) => sent_back.words = words.or(sent_back.words),
                Choice::ChangeModel | Choice::Raise | Choice::Skip => {}
            }
            refusals.clear();
        }
        end = building::mend(way, site, plan, (found, progress), sent_back).await?;
    }
}

async fn judge(
    way: Way<'_>,
    site: &Site,
    plan: Plan<'_>,
    (found, progress): (&mut Discovered, &mut Progress),
) -> Result<GateOutcome, Leave> {
    let refuted = if way.run.flow() >= CHECKED_SINCE {
        found.fallen.claims()
    } else {
        Vec::new()
    };
    let polish = delivery::Polish {
        spec: plan.spec,
        refuted: &refuted,
        commit: &progress.commit,
        number: progress.gates,
        at: progress.at,
    };
    progress.commit = delivery::polish(way, site, polish).await?;
    // Whoever asked to ship by now has what they asked for.
    heed(way, progress).await?;
    let scope = way.run.scope("said-later", progress.gates)?;
    note_later(way, &scope, found, Spoken::All).await?;
    // A phase that was left as it is counts for nothing.
    let ends = progress.ends.values().filter(|end| end.stuck.is_none());
    let ends: Vec<PhaseEnd> = ends.cloned().collect();
    let case = GateCase {
        route: Route::Council,
        spec: plan.spec,
        shelf: plan.shelf,
        ends: &ends,
        phases: u32::try_from(plan.phases.len()).unwrap_or(u32::MAX),
        commit: &progress.commit,
        planned: Some(&progress.planned),
        number: progress.gates,
        sprints_left: progress.sprint < progress.allowed,
    };
    gating::judge(way, site, found, case).await
}

/// Shipping was refused twice for the same reasons.
async fn after_refusal(
    way: Way<'_>,
    progress: &Progress,
    (refused, why): (&Trip, &SentBack),
) -> Result<Choice, Leave> {
    let scope = way.run.scope("refused", progress.gates)?;
    let told = why.told.join("\n");
    let at = Tripped {
        scope: &scope,
        sprint: Some(progress.sprint),
        role: None,
        told: &told,
    };
    trip(way, at, refused).await
}

async fn seal(
    way: Way<'_>,
    site: &Site,
    (found, agreed): (&mut Discovered, &Agreed),
    (shelf, judged, progress): (&Shelf, &Judged, &Progress),
) -> Result<(), Leave> {
    money::note_share(way, Stage::Gating).await?;
    let scope = way.run.scope("said-before-seal", 1)?;
    note_later(way, &scope, found, Spoken::Interjections).await?;
    let sealing = sealing::Sealing {
        found,
        shelf,
        judged,
        audited_by: progress.audited_by,
        route: Route::Council,
    };
    let sealed = sealing::seal(way, site, sealing).await?;
    let learned = lessons::Learned {
        answers: &found.answers,
        decisions: &agreed.decisions,
    };
    lessons::propose(way, learned).await?;
    sealing::finish(way.run, &sealed).await
}

/// What makes two refusals the same: what failed and what is open, not the words of a model about it.
fn same_reasons(failure: &GateFailure) -> Vec<String> {
    let mut reasons = vec![failure.condition.clone(), failure.reason.clone()];
    reasons.extend(failure.open.iter().cloned());
    reasons.extend(failure.words.iter().cloned());
    reasons
}

impl From<GateFailure> for SentBack {
    fn from(failure: GateFailure) -> Self {
        Self {
            condition: failure.condition,
            told: [failure.told, failure.notes].concat(),
            open: failure.open,
            words: failure.words,
        }
    }
}
