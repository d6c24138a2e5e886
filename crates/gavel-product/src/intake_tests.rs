//! The way that a run takes.

use gavel_models::Tier;
use gavel_run::{Drift, DriveOptions};
use gavel_testkit::{STRICT, ScriptedModel};

use super::*;
use crate::bench::{Bench, Cast, info};
use gavel_domain::ProductBrief;

#[tokio::test]
async fn the_route_on_record_counts_and_not_the_score_of_today() {
    let cast = Cast {
        leader: "test/leader",
        stances: &[],
        auditor: "test/leader",
        judge: "test/leader",
    };
    let models = vec![(info("test/leader", Tier::Premium), ScriptedModel::default())];
    let bench = Bench::new(cast, models, &[]).await;
    let brief_of = |way: Way<'_>, force_council| ProductBrief {
        idea: "fix the typo recieve in README.md".to_owned(),
        force_council,
        ..way.brief.clone()
    };
    let first = bench.drive(async |way| {
        let brief = brief_of(way, false);
        intake(Way {
            brief: &brief,
            ..way
        })
        .await
    });
    assert_eq!(first.await.unwrap(), Route::HotPath);
    // Another version would score it otherwise.
    let noting = DriveOptions {
        drift: Drift::Note,
        ..STRICT
    };
    let second = bench.drive_as(noting, async |way| {
        let brief = brief_of(way, true);
        intake(Way {
            brief: &brief,
            ..way
        })
        .await
    });
    assert_eq!(second.await.unwrap(), Route::HotPath);
    assert_eq!(bench.facts::<RouteDecided>().await.len(), 1);
}
