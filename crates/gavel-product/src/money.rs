//! Money along the way: what a run may cost, before anything is paid, and stages that leave their
//! share behind.

use gavel_domain::{CostPreviewed, Digest, Key, ShareExceeded, Stage};
use gavel_models::ModelInfo;
use gavel_rules::{PreviewCase, PricedModel, PricedStaff, Route, preview_cost, share_left_behind};

use crate::staffing::Staff;
use crate::way::{Leave, Way, json};

/// Tells what a run through the council may cost, before its first paid call. May be called whenever
/// models were chosen: the same are told once.
pub(crate) async fn preview(way: Way<'_>, staff: &Staff) -> Result<(), Leave> {
    tell(way, staff, Route::Council).await
}

/// Tells what a small change may cost, before its first paid call; as [`preview`].
pub(crate) async fn preview_hot(way: Way<'_>, staff: &Staff) -> Result<(), Leave> {
    tell(way, staff, Route::HotPath).await
}

/// Warns, once, when a stage spent far more than its soft share; nothing stops. May be called as
/// often as a stage is through.
pub(crate) async fn note_share(way: Way<'_>, stage: Stage) -> Result<(), Leave> {
    let run = way.run;
    let key = Key::new(format!("shares/{}", stage.word()))?;
    let Some(cap) = run.caps().run_usd else {
        return Ok(());
    };
    if run.has_noted(&key) {
        return Ok(());
    }
    let usage = run.usage().await?;
    let Some(spend) = usage.by_stage.get(stage.word()) else {
        return Ok(());
    };
    let spent = spend.cost + spend.interrupted_ceiling;
    if let Some(share) = share_left_behind(stage, spent, cap) {
        let exceeded = ShareExceeded {
            stage,
            spent,
            share,
        };
        run.note(key, |_| exceeded).await?;
    }
    Ok(())
}

/// Other models, or another way, are told anew: a person may have connected a paid one meanwhile.
async fn tell(way: Way<'_>, staff: &Staff, route: Route) -> Result<(), Leave> {
    let Way { run, means, .. } = way;
    let staff = priced(staff);
    let names = [&staff.leader, &staff.coder, &staff.auditor, &staff.judge];
    let names: Vec<_> = names.into_iter().chain(&staff.seats).collect();
    let names: Vec<_> = names.iter().map(|model| model.name.as_str()).collect();
    let about = Digest::of(format!("{} {}", route.word(), names.join(" ")));
    let key = Key::new(format!("preview/{}", about.short()))?;
    if run.has_noted(&key) {
        return Ok(());
    }
    let preview = preview_cost(PreviewCase {
        route,
        staff: &staff,
        max_sprints: way.choices.max_sprints,
        cap: run.caps().run_usd,
        history: means.spend_history.on(route),
    });
    let text = json(run, &preview)?;
    let noted = run.note(key, |blobs| CostPreviewed {
        low: preview.low,
        high: preview.high,
        unpriced: preview.unpriced,
        stages: blobs.keep(text),
    });
    Ok(noted.await?)
}

fn priced(staff: &Staff) -> PricedStaff {
    let model = |info: &ModelInfo| PricedModel {
        name: info.id.to_string(),
        price: info.price,
    };
    // Whoever sits may be others than the run's own models.
    let council = staff.council.as_ref();
    let seats = council.map_or(&staff.seats, |council| &council.seats);
    PricedStaff {
        leader: model(&staff.leader),
        seats: seats.iter().map(model).collect(),
        coder: model(&staff.coder),
        auditor: model(&staff.auditor),
        judge: model(&staff.judge),
    }
}
