//! What earlier runs with the same models spent, from the ledger.

use gavel_domain::{ModelsChosen, RouteDecided, RunState, Seq, SpendClass, Stage};
use gavel_models::ModelId;
use gavel_product::{Slots, SpendHistory};
use gavel_rules::Route;
use gavel_run::Usage;
use gavel_store::{CallsQuery, HeadsQuery, ReadError, Store};

/// How many runs are looked at.
const LOOK_BACK: u32 = 30;
/// Among which records of a run its models and its way are found.
const BEGINNING: u32 = 60;

/// Sums up sealed runs that worked with these models from their beginning to their end.
pub(crate) async fn spend_history(
    store: &dyn Store,
    slots: &Slots,
) -> Result<SpendHistory, ReadError> {
    let mut history = SpendHistory::default();
    let query = HeadsQuery {
        project: None,
        unfinished: false,
        limit: LOOK_BACK,
    };
    let wanted = chosen(slots);
    for head in store.heads(query).await? {
        if head.state != RunState::Sealed || head.driver != gavel_product::DRIVER {
            continue;
        }
        let beginning = store.records(head.run, Seq::ZERO, BEGINNING).await?;
        let models: Vec<ModelsChosen> = beginning.iter().filter_map(|r| r.read().ok()).collect();
        let route: Option<RouteDecided> = beginning.iter().find_map(|r| r.read().ok());
        let route = route.and_then(|decided| way(&decided.route));
        let (Some(route), true) = (route, models.first() == Some(&wanted)) else {
            continue;
        };
        let query = CallsQuery {
            run: Some(head.run),
            month: None,
        };
        let calls = store.calls(query).await?;
        let names = names(&wanted);
        let comparable = calls
            .iter()
            .all(|call| call.class == SpendClass::Metered && names.contains(&call.model.as_str()));
        if !comparable {
            // Another model took over, or nobody knows what it cost.
            continue;
        }
        for (stage, spend) in Usage::of(&calls).by_stage {
            if let Some(stage) = Stage::from_word(&stage) {
                history.add(route, stage, spend.cost);
            }
        }
    }
    Ok(history)
}

fn way(word: &str) -> Option<Route> {
    let ways = [Route::Council, Route::HotPath];
    ways.into_iter().find(|route| route.word() == word)
}

/// As a run records them.
fn chosen(slots: &Slots) -> ModelsChosen {
    ModelsChosen {
        leader: slots.leader.to_string(),
        stances: slots.stances.iter().map(ModelId::to_string).collect(),
        coder: slots.coder.to_string(),
        auditor: slots.auditor.to_string(),
        judge: Some(slots.judge.to_string()),
    }
}

fn names(chosen: &ModelsChosen) -> Vec<&str> {
    let one = [&chosen.leader, &chosen.coder, &chosen.auditor];
    let all = one.into_iter().chain(&chosen.stances).chain(&chosen.judge);
    all.map(String::as_str).collect()
}
