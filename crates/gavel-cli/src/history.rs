//! What earlier runs with the same models spent, from the ledger.

use gavel_domain::{ModelsChosen, RouteDecided, RunState, Seq, SpendClass, Stage};
use gavel_models::ModelId;
use gavel_product::{Slots, SpendHistory};
use gavel_rules::Route;
use gavel_run::Usage;
use gavel_store::{CallsQuery, HeadsQuery, ReadError, Store, unless_damaged};

use crate::slots::models_of;

/// How many runs are looked at.
const LOOK_BACK: u32 = 30;
/// Among which records of a run its models and its way are found.
const BEGINNING: u32 = 60;

/// Sums up sealed runs that worked with these models from their beginning to their end. A damaged one
/// is left out.
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
    let models = models_of(slots);
    for head in store.heads(query).await? {
        if head.state != RunState::Sealed || head.driver != gavel_product::DRIVER {
            continue;
        }
        let beginning = store.records(head.run, Seq::ZERO, BEGINNING).await;
        let Some(beginning) = unless_damaged(head.run, beginning)? else {
            continue;
        };
        let chosen: Option<ModelsChosen> = beginning.iter().find_map(|r| r.read().ok());
        let route: Option<RouteDecided> = beginning.iter().find_map(|r| r.read().ok());
        let route = route.and_then(|decided| way(&decided.route));
        let helpers = chosen.iter().flat_map(helpers).cloned().collect::<Vec<_>>();
        let is_same = chosen.is_some_and(|chosen| are_chosen(slots, &chosen));
        let (Some(route), true) = (route, is_same) else {
            continue;
        };
        let query = CallsQuery {
            run: Some(head.run),
            month: None,
        };
        let calls = store.calls(query).await;
        let Some(calls) = unless_damaged(head.run, calls)? else {
            continue;
        };
        let comparable = calls.iter().all(|call| {
            let ours =
                models.iter().any(|id| id.as_str() == call.model) || helpers.contains(&call.model);
            ours && call.class == SpendClass::Metered
        });
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

/// Those who help a council beside the models of the slots.
fn helpers(chosen: &ModelsChosen) -> impl Iterator<Item = &String> {
    chosen.council.iter().flat_map(|council| {
        let helpers = [&council.fast, &council.balanced].into_iter();
        helpers.chain(&council.leader).chain(&council.seats)
    })
}

fn way(word: &str) -> Option<Route> {
    let ways = [Route::Council, Route::HotPath];
    ways.into_iter().find(|route| route.word() == word)
}

/// Whether a run recorded these very models.
fn are_chosen(slots: &Slots, chosen: &ModelsChosen) -> bool {
    let seats = slots.stances.iter().map(ModelId::as_str);
    chosen.leader == slots.leader.as_str()
        && seats.eq(chosen.stances.iter().map(String::as_str))
        && chosen.coder == slots.coder.as_str()
        && chosen.auditor == slots.auditor.as_str()
        && chosen.judge.as_ref().unwrap_or(&chosen.auditor) == slots.judge.as_str()
}
