use gavel_domain::Speaker;
use gavel_store::HeadsQuery;
use gavel_testkit::{ScriptedModel, TestBed};

use super::super::{Coordinate, CoordinateIntent, DeskPlace, Hand, ShelfMemory, Verb, coordinate};
use super::*;

fn hand(name: &str) -> Hand {
    Hand {
        agent: name.parse().unwrap(),
        speaker: Speaker::PERSON,
        expected: None,
        request: None,
    }
}

fn desk(bed: &TestBed) -> Desk {
    let checkout = bed.folder().canonicalize().unwrap();
    let places = (checkout.clone(), bed.folder().join("index"));
    let memory = ShelfMemory::new(bed.store(), places, None);
    let place = DeskPlace {
        checkout,
        project: None,
        configured: Vec::new(),
        without_memory: false,
    };
    Desk::new(bed.engine().clone(), Arc::new(memory), place)
}

async fn head_of(desk: &Desk) -> Head {
    let query = HeadsQuery {
        project: None,
        unfinished: false,
        limit: 1,
    };
    desk.means().store.heads(query).await.unwrap().remove(0)
}

#[tokio::test]
async fn a_loop_that_did_not_change_is_not_read_again_and_one_that_did_is_read_on() {
    let bed = TestBed::new(ScriptedModel::new()).await;
    let (here, other) = (desk(&bed), desk(&bed));
    let ask = Coordinate {
        targets: vec!["anna".parse().unwrap()],
        ..Coordinate::new(CoordinateIntent::Ideate, "Move it.")
    };
    let opened = coordinate(&here, &hand("claude"), ask).await.unwrap();
    let first = here.known(&head_of(&here).await).await.unwrap();
    // A copy of the desk knows the same; another process reads for itself.
    let again = here.clone().known(&head_of(&here).await).await.unwrap();
    assert!(Arc::ptr_eq(&first, &again));
    let elsewhere = other.known(&head_of(&other).await).await.unwrap();
    assert!(!Arc::ptr_eq(&first, &elsewhere));
    let id = opened.loop_id.parse().unwrap();
    let pause = Verb::Pause { reason: None };
    other.act(id, &hand("claude"), pause).await.unwrap();
    let after = here.known(&head_of(&here).await).await.unwrap();
    assert!(!Arc::ptr_eq(&first, &after));
    // Read on from where it was, it is what reading all of it gives.
    assert_eq!(after.state, here.state(id).await.unwrap());
    assert_eq!(after.title, first.title);
}

#[test]
fn whoever_came_a_moment_ago_is_not_written_down_again() {
    let (shared, anna) = (Shared::default(), "anna".parse::<AgentId>().unwrap());
    let at = |second| Timestamp::from_second(second).unwrap();
    assert!(!shared.came_lately(&anna, at(100)));
    shared.tell_came(&anna, at(100));
    assert!(shared.came_lately(&anna, at(100 + CAME_LATELY - 1)));
    assert!(!shared.came_lately(&anna, at(100 + CAME_LATELY)));
    // A clock that was set back tells nothing.
    assert!(!shared.came_lately(&anna, at(50)));
}
