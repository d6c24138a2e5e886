//! Reviews that are recorded.

use std::sync::Mutex;

use gavel_deliberation::{ReviewItem, ReviewKind, ReviewStance, review};
use gavel_domain::{Decision, DecisionMade, ReviewMade};
use gavel_testkit::ScriptedModel;

use crate::chamber::{Chamber, Plan, TRAP, answer};

#[tokio::test]
async fn a_review_keeps_its_checklist_and_what_follows() {
    let model = ScriptedModel::new();
    let mut chamber = Chamber::new(&[("a/one", &model)]).await;
    chamber.plan = Plan::idea();
    chamber
        .plan
        .answers
        .push(answer("frontend-approach", "React", false));
    let decisions = Mutex::default();
    let end = chamber.bed.drive(chamber.run, async |run| {
        let scope = run.scope("council", 1)?;
        *decisions.lock().unwrap() = review(&run, &scope, &chamber.plan.topic()).await?;
        Ok(())
    });
    end.await.unwrap();
    let decisions: Vec<Decision> = decisions.into_inner().unwrap();

    let made = chamber.facts::<ReviewMade>().await;
    let [made] = made.as_slice() else {
        panic!("one review");
    };
    assert_eq!((made.speaks_for, made.speaks_against), (0, 2));
    let text = chamber
        .bed
        .store()
        .blob(made.items.digest)
        .await
        .unwrap()
        .unwrap();
    let items: Vec<ReviewItem> = serde_json::from_slice(&text).unwrap();
    let lines: Vec<_> = items
        .iter()
        .map(|item| (item.kind, item.stance, item.source.as_str()))
        .collect();
    let trap = format!("memory:{TRAP}");
    assert_eq!(
        lines,
        [
            (
                ReviewKind::Contradiction,
                ReviewStance::Against,
                "answer:frontend-approach"
            ),
            (ReviewKind::Memory, ReviewStance::Against, trap.as_str()),
            (
                ReviewKind::PersonDecided,
                ReviewStance::Note,
                "answer:db-strategy"
            ),
        ]
    );
    let settled: Vec<_> = items.into_iter().filter_map(|item| item.settled).collect();
    assert_eq!(decisions, settled);
    let made = chamber.facts::<DecisionMade>().await;
    let numbers: Vec<_> = made.iter().map(|made| made.number).collect();
    assert_eq!(numbers, [1, 2, 3]);
    for (made, decision) in made.iter().zip(&decisions) {
        let text = chamber
            .bed
            .store()
            .blob(made.text.digest)
            .await
            .unwrap()
            .unwrap();
        assert_eq!(
            &serde_json::from_slice::<Decision>(&text).unwrap(),
            decision
        );
    }
}
