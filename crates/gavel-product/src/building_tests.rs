//! What a round of building begins with.

use gavel_models::Tier;
use gavel_testkit::ScriptedModel;

use super::*;
use crate::bench::{Bench, Cast, info};

#[tokio::test]
async fn sprints_are_numbered_on_after_a_small_change() {
    let cast = Cast {
        leader: "test/leader",
        stances: &[],
        auditor: "test/leader",
        judge: "test/leader",
    };
    let models = vec![(info("test/leader", Tier::Premium), ScriptedModel::default())];
    let bench = Bench::new(cast, models, &[]).await;
    let before = Before {
        commit: Some(bench.commit.clone()),
        gates: 1,
        sprints: 2,
        progress: None,
    };
    let begun = bench.drive(async |way| {
        way.enter(Stage::Intake).await?;
        begin(way, &Shelf::default(), before).await
    });
    let progress = Box::pin(begun).await.unwrap();
    assert_eq!((progress.sprint, progress.gates), (2, 1));
    let again = Before::of(progress);
    assert_eq!((again.sprints, again.gates), (2, 1));
}
