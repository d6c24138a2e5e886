//! A council that is killed between two turns goes on where it was, and buys nothing twice.

use std::collections::BTreeMap;

use gavel_domain::{DebateClosed, Fact as _, ModelReplied, StanceSpoke};
use gavel_testkit::FakeServer;

use crate::bench::run_id;
use crate::council::{Project, TOPIC};
use crate::council_debate::{convened, lead, seat};
use crate::killing::{Between, keys_of, kill};
use crate::seen::Seen;

/// A debate with two openings and one round, seats that disagree.
fn disagreeing() -> (Project, [FakeServer; 3]) {
    let project = Project::new();
    let left = seat("A", &["README.md:1"], "One file is enough.");
    let right = seat("B", &["README.md:1"], "A server grows with us.");
    let lead = lead();
    convened(&project.studio, [&left, &right], &lead);
    (project, [left, right, lead])
}

/// What a run without a crash has on record, apart from what crashes add.
fn calm() -> (Vec<String>, usize) {
    let (project, servers) = disagreeing();
    let id = run_id().to_string();
    project.does(&["council", TOPIC, "--run", &id]);
    let seen = Seen::of(&project.studio.bench);
    let requests = servers.iter().map(|server| server.requests().len()).sum();
    servers.into_iter().for_each(FakeServer::finish);
    (sorted(&seen), requests)
}

fn sorted(seen: &Seen) -> Vec<String> {
    let kinds = [ModelReplied::KIND, StanceSpoke::KIND, DebateClosed::KIND];
    let keys = kinds.iter().flat_map(|kind| keys_of(&seen.records, kind));
    let mut keys: Vec<String> = keys.collect();
    keys.sort();
    keys
}

#[test]
fn no_turn_is_bought_twice_wherever_it_is_killed() {
    let (keys, requests) = calm();
    let spoke = keys.iter().filter(|key| key.ends_with("/spoke"));
    assert_eq!(spoke.count(), 4, "two openings, a pair of turns: {keys:?}");
    for place in PLACES {
        let (project, servers) = disagreeing();
        let id = run_id().to_string();
        let child = project.studio.spawn(&["council", TOPIC, "--run", &id]);
        let last = kill(&project.studio, child, place);
        project.does(&["resume", &id]);
        let seen = Seen::of(&project.studio.bench);
        assert_eq!(sorted(&seen), keys, "{place:?}, killed behind {last}");
        let twice: BTreeMap<_, _> = seen
            .settled
            .iter()
            .filter(|(_, times)| **times > 1)
            .collect();
        assert_eq!(twice, BTreeMap::new(), "{place:?}, killed behind {last}");
        let asked: usize = servers.iter().map(|server| server.requests().len()).sum();
        let lost: usize = seen.lost.values().sum();
        assert!(
            asked <= requests + lost,
            "{place:?}: {asked} of {requests}, {lost} lost"
        );
        servers.into_iter().for_each(FakeServer::finish);
    }
}

/// Before the openings, between them and the round, between the two turns of a pair, behind them, and
/// between synthesis and judgement.
const PLACES: [Between; 5] = [
    Between {
        near: "council-1/clarified",
        after: "council-1/seated",
        before: "council-1/round-1/turn-1/spoke",
    },
    Between {
        near: "council-1/seated",
        after: "council-1/opening-*/spoke",
        before: "council-1/round-1/turn-1/spoke",
    },
    Between {
        near: "council-1/seated",
        after: "council-1/round-1/turn-1/spoke",
        before: "council-1/round-1/turn-2/spoke",
    },
    Between {
        near: "council-1/opening-1/spoke",
        after: "council-1/round-1/turn-2/spoke",
        before: "council-1/synthesis-1/try-1",
    },
    Between {
        near: "council-1/opening-1/spoke",
        after: "council-1/synthesis-1/try-1",
        before: "council-1/closed",
    },
];
