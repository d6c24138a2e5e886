//! A plan becomes memory once, whoever is cut off on the way.

use std::sync::Arc;

use gavel_deliberation::loops::{Hand, Keeper, PromoteError, Promotion};
use gavel_domain::{LoopStatus, Seq, Speaker};
use gavel_memory::{Kind, Memory};
use gavel_run::{Engine, SystemClock};
use gavel_store::{Answer, Batch, CommitError, Committed, Lease, Store};
use gavel_testkit::{OverlaidStore, Overlay, ScriptedModel, models_with};

use crate::hall::{CHAMPION, Hall, hand, handed, ideation, loop_id};

/// A loop that came to a plan, the same each time.
async fn planned() -> Hall {
    let hall = Hall::new().await;
    hall.ideate(&["anna"], ideation()).await;
    hall.answer("anna", vec![handed("nothing_new", "")]).await;
    let plan = handed("plan_draft", "Extract it behind a trait.");
    let ended = hall.answer(CHAMPION, vec![plan]).await;
    assert_eq!(ended.status, LoopStatus::Completed);
    hall
}

async fn promote(hall: &Hall, engine: &Engine, kind: Kind) -> Result<Promotion, PromoteError> {
    let keeper = Keeper {
        engine,
        means: hall.desk.means(),
        checkout: hall.checkout(),
        project: None,
    };
    let person = Hand {
        speaker: Speaker::PERSON,
        ..hand(CHAMPION)
    };
    keeper.promote(loop_id(), &person, kind).await
}

/// Whoever commits is cut off.
struct CutOff;

impl Overlay for CutOff {
    fn commit<'a>(
        &'a self,
        _store: &'a dyn Store,
        lease: &'a Lease,
        (after, _batch): (Seq, Batch),
    ) -> Answer<'a, Committed, CommitError> {
        let lost = CommitError::Conflict {
            run: lease.run,
            expected: after,
            found: after,
        };
        Box::pin(async move { Err(lost) })
    }
}

/// Keeps the plan in memory, and the journal hears nothing of it.
async fn cut_off(hall: &Hall, kind: Kind) {
    let store = OverlaidStore::new(hall.bed.store(), CutOff);
    let models = Arc::new(models_with(ScriptedModel::new(), None));
    let engine = Engine::new(
        Arc::new(store),
        models,
        Arc::new(SystemClock),
        ("here", "0"),
    );
    let failed = promote(hall, &engine, kind).await;
    assert!(matches!(failed, Err(PromoteError::Loop(_))), "{failed:?}");
}

fn of_the_plan(hall: &Hall) -> Vec<String> {
    let memory = Memory::open(hall.checkout()).unwrap();
    let items = memory.items();
    let made = items.filter(|item| item.text == "Extract it behind a trait.");
    made.map(|item| item.id.to_string()).collect()
}

#[tokio::test(start_paused = true)]
async fn whoever_was_cut_off_before_the_journal_knew_makes_no_second_item() {
    for (first, then) in [(Kind::Plan, Kind::Decision), (Kind::Decision, Kind::Plan)] {
        let hall = planned().await;
        let engine = hall.bed.engine();
        cut_off(&hall, first).await;
        let kept = of_the_plan(&hall);
        assert_eq!(kept.len(), 1);
        let refused = promote(&hall, engine, then).await;
        let Err(PromoteError::KeptAs { item, kind, .. }) = refused else {
            panic!("{refused:?}");
        };
        assert_eq!((item, kind), (kept[0].clone(), then));
        assert_eq!(of_the_plan(&hall), kept, "no second one");
        // The journal knows it now.
        let again = promote(&hall, engine, first).await.unwrap();
        assert_eq!((again.item, again.before), (kept[0].clone(), true));
    }
}

#[tokio::test(start_paused = true)]
async fn whoever_was_cut_off_goes_on_with_the_same_item() {
    let hall = planned().await;
    cut_off(&hall, Kind::Plan).await;
    let kept = promote(&hall, hall.bed.engine(), Kind::Plan).await.unwrap();
    assert_eq!(of_the_plan(&hall), [kept.item]);
}
