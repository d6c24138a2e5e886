//! Whole loops whose turns the rule-based model takes, from real briefs.

use gavel_deliberation::loops::{Coordinate, CoordinateIntent, LoopView};
use gavel_domain::{Category, LoopStatus, Profile, Schedule};
use gavel_offline::{Offline, info};

use crate::loop_table::{Notes, QUESTION, Table, ideate, told};

const LOCK: &str = "trp_0199c7d2-8a10-7abc-9def-000000000001";
const RETRY: &str = "trp_0199c7d2-8a10-7abc-9def-000000000002";
const WAIT: &str = "fb_0199c7d2-8a10-7abc-9def-000000000003";
const LOGIN: &str = "trp_0199c7d2-8a10-7abc-9def-000000000004";

fn notes() -> Notes {
    Notes::default()
        .with(
            Category::Traps,
            (LOCK, "The dispatcher takes the queue lock before the worker lock; the other order hangs."),
        )
        .with(
            Category::Traps,
            (RETRY, "Retries live in the dispatcher: without its timer they are lost."),
        )
        .with(
            Category::Feedback,
            (WAIT, "People want a dispatcher that can be tested without a database."),
        )
        .with(Category::Traps, (LOGIN, "The login page forgets the language."))
}

async fn table(notes: &Notes) -> Table {
    Table::new(info().unwrap(), Offline, notes).await
}

fn critiques(view: &LoopView) -> Vec<&str> {
    let critiques = view
        .artifacts
        .iter()
        .filter(|one| one.kind.as_str() == "critique");
    let cites = critiques.flat_map(|one| &one.cites);
    cites.map(String::as_str).collect()
}

fn plan(view: &LoopView) -> &str {
    let plan = view
        .artifacts
        .iter()
        .find(|one| one.kind.as_str() == "plan_draft");
    &plan.unwrap().text
}

#[tokio::test]
async fn memory_speaks_against_a_proposal_until_it_is_heeded() {
    let notes = notes();
    let table = table(&notes).await;
    let view = table.held(ideate()).await;
    insta::assert_snapshot!(told(&view));
    assert_eq!(view.status, LoopStatus::Completed);
    assert_eq!(critiques(&view), [LOCK, RETRY]);
    let told = plan(&view);
    let unsure = format!("Words alone cannot tell which way these speak: {WAIT}.");
    assert!(told.contains(&unsure), "{told}");
}

#[tokio::test]
async fn a_retired_trap_is_gone_and_the_plan_differs() {
    let notes = notes();
    let table = table(&notes).await;
    let before = table.held(ideate()).await;
    notes.retire(RETRY);
    let after = table.held(ideate()).await;
    assert_eq!(after.status, LoopStatus::Completed);
    assert_eq!(critiques(&after), [LOCK]);
    assert!(plan(&before).contains(RETRY));
    assert!(!told(&after).contains(RETRY), "{}", told(&after));
}

#[tokio::test]
async fn an_empty_memory_says_nothing_new_and_the_plan_says_so() {
    let table = table(&Notes::default()).await;
    let view = table.held(ideate()).await;
    insta::assert_snapshot!(told(&view));
    assert_eq!(view.status, LoopStatus::Completed);
    assert!(critiques(&view).is_empty());
}

#[tokio::test]
async fn critics_that_say_the_same_are_counted_once() {
    let notes = notes();
    for schedule in [Schedule::Parallel, Schedule::Sequential] {
        let table = table(&notes).await;
        let ask = Coordinate {
            profiles: vec![Profile::Pessimist, Profile::Simplifier, Profile::Security],
            schedule: Some(schedule),
            ..ideate()
        };
        let view = table.held(ask).await;
        assert_eq!(view.status, LoopStatus::Completed, "{}", told(&view));
        let count = |one: &&_| {
            let one: &gavel_deliberation::loops::ArtifactView = one;
            one.kind.as_str() == "critique" && one.counts
        };
        assert_eq!(
            view.artifacts.iter().filter(count).count(),
            2,
            "{}",
            told(&view)
        );
        assert_eq!(view.iteration, 1, "{}", told(&view));
    }
}

#[tokio::test]
async fn the_reframer_sees_what_the_project_is_for() {
    let vision = (
        "vsn_0199c7d2-8a10-7abc-9def-000000000009",
        "One binary, nothing to install.",
    );
    let notes = notes().with(Category::ProjectVision, vision);
    let table = table(&notes).await;
    let view = table
        .held(Coordinate {
            reframe: true,
            ..ideate()
        })
        .await;
    assert_eq!(view.status, LoopStatus::Completed, "{}", told(&view));
    let reframe = view
        .artifacts
        .iter()
        .find(|one| one.kind.as_str() == "reframe")
        .unwrap();
    assert_eq!(reframe.cites, [vision.0]);
    assert!(reframe.text.contains("cannot tell"), "{}", reframe.text);
}

#[tokio::test]
async fn advice_and_reviews_say_what_rules_cannot_know() {
    let notes = notes();
    let table = table(&notes).await;
    let asked = table
        .held(Coordinate::new(CoordinateIntent::Consult, QUESTION))
        .await;
    assert_eq!(asked.status, LoopStatus::Completed, "{}", told(&asked));
    insta::assert_snapshot!("advice", told(&asked));
    let change = "The dispatcher is a package of its own now.";
    let review = table
        .held(Coordinate::new(CoordinateIntent::Review, change))
        .await;
    insta::assert_snapshot!("review", told(&review));
    assert!(review.status.is_final(), "{}", told(&review));
    assert!(!told(&review).contains("accepted:"), "{}", told(&review));
}
