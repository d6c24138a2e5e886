//! `gavel ideate` with models behind fake servers: who takes which turn, and that a loop which is
//! killed between two of them goes on where it was and buys nothing twice.

use std::collections::BTreeMap;

use gavel_domain::{ArtifactAdded, Fact as _, LoopClosed, ModelReplied, UsageReserved};
use gavel_offline::Offline;
use gavel_testkit::{FakeReply, FakeServer, fake_server, model_rule};
use serde_json::Value;

use crate::bench::run_id;
use crate::council::Project;
use crate::ideate::{PROPOSAL, counting, known};
use crate::killing::{Between, keys_of, kill};
use crate::seen::Seen;
use crate::studio::{Served, Speaks};

/// The names of answers, for wires that carry the schema alone.
fn shape(schema: &Value) -> Option<&'static str> {
    let fields = schema.get("properties")?.as_object()?;
    [
        ("critiques", "loop_critique"),
        ("addresses_critique", "loop_plan"),
        ("answers", "loop_revision"),
        ("text", "loop_proposal"),
    ]
    .into_iter()
    .find_map(|(field, name)| fields.contains_key(field).then_some(name))
}

fn rules() -> FakeServer {
    fake_server().rule(model_rule(Offline, shape)).start()
}

/// A leader and two seats, each behind its own server; the rules answer on the other side.
fn connected() -> (Project, [FakeServer; 3]) {
    let (project, _) = known();
    let servers = [rules(), rules(), rules()];
    let names = ["lead", "left", "right"];
    let served = names
        .into_iter()
        .zip(&servers)
        .map(|(name, server)| Served {
            name,
            server,
            speaks: Speaks::OpenAi,
        });
    let served: Vec<Served<'_>> = served.collect();
    let settings = "[models]\npaid = \"agreed\"\npatience_s = 5\n\n[models.slots]\n\
                    leader = \"lead/rules\"\nstances = [\"left/rules\", \"right/rules\"]\n";
    project.studio.set(settings, &served);
    (project, servers)
}

fn asked(servers: &[FakeServer]) -> usize {
    servers.iter().map(|server| server.requests().len()).sum()
}

/// What a loop has on record, apart from what crashes add.
fn sorted(seen: &Seen) -> Vec<String> {
    let kinds = [ModelReplied::KIND, ArtifactAdded::KIND, LoopClosed::KIND];
    let keys = kinds.iter().flat_map(|kind| keys_of(&seen.records, kind));
    let mut keys: Vec<String> = keys.collect();
    keys.sort();
    keys
}

#[test]
fn the_leader_champions_and_the_seats_are_the_critics() {
    let (project, servers) = connected();
    let id = run_id().to_string();
    let looped = project
        .studio
        .bench
        .json(&["ideate", PROPOSAL, "--run", &id]);
    assert_eq!(looped["status"], "completed", "{looped}");
    assert!(counting(&looped, "critique").len() >= 2, "{looped}");
    let [lead, left, right] = &servers;
    assert_eq!(
        lead.requests().len(),
        2,
        "a revision and a plan, no proposal of its own"
    );
    assert_eq!(left.requests().len(), 2, "one turn in each round");
    assert_eq!(right.requests().len(), 2);
    let seen = Seen::of(&project.studio.bench);
    let mut spent: BTreeMap<String, usize> = BTreeMap::new();
    for reserved in seen.facts::<UsageReserved>() {
        *spent.entry(reserved.model).or_default() += 1;
    }
    let all = ["lead/rules", "left/rules", "right/rules"];
    assert_eq!(spent.keys().map(String::as_str).collect::<Vec<_>>(), all);
    let status = project.studio.bench.json(&["status", &id]);
    assert!(status["spent_usd"].as_f64().unwrap() > 0.0, "{status}");
    servers.into_iter().for_each(FakeServer::finish);
}

#[test]
fn no_turn_is_bought_twice_wherever_it_is_killed() {
    let (project, servers) = connected();
    let id = run_id().to_string();
    project.does(&["ideate", PROPOSAL, "--run", &id]);
    let keys = sorted(&Seen::of(&project.studio.bench));
    let requests = asked(&servers);
    servers.into_iter().for_each(FakeServer::finish);
    for (place, goes_on) in PLACES {
        let (project, servers) = connected();
        let child = project.studio.spawn(&["ideate", PROPOSAL, "--run", &id]);
        let last = kill(&project.studio, child, place);
        let resumed = match goes_on {
            GoesOn::Resume => project.command(&["resume", &id], 0),
            GoesOn::Ideate => project.command(&["ideate", "--run", &id], 0),
        };
        assert!(resumed.stdout.contains("complete"), "{resumed:?}");
        let seen = Seen::of(&project.studio.bench);
        assert_eq!(sorted(&seen), keys, "{place:?}, killed behind {last}");
        let twice: Vec<_> = seen
            .settled
            .iter()
            .filter(|(_, times)| **times > 1)
            .collect();
        assert!(
            twice.is_empty(),
            "{place:?}, killed behind {last}: {twice:?}"
        );
        let lost: usize = seen.lost.values().sum();
        let asked = asked(&servers);
        assert!(
            asked <= requests + lost,
            "{place:?}: {asked} of {requests}, {lost} lost"
        );
        servers.into_iter().for_each(FakeServer::finish);
    }
}

/// How somebody goes on after a crash.
#[derive(Debug, Clone, Copy)]
enum GoesOn {
    Resume,
    Ideate,
}

/// Before critics speak, between two of them, before the revision, and before the plan.
const PLACES: [(Between, GoesOn); 4] = [
    (
        Between {
            near: "loop/opened",
            after: "way/n-1",
            before: "way/n-2",
        },
        GoesOn::Resume,
    ),
    (
        Between {
            near: "way/n-1",
            after: "taken-*/try-1",
            before: "way/n-2",
        },
        GoesOn::Ideate,
    ),
    (
        Between {
            near: "way/n-1",
            after: "way/n-2",
            before: "way/n-3",
        },
        GoesOn::Resume,
    ),
    (
        Between {
            near: "way/n-2",
            after: "way/n-4",
            before: "loop/closed",
        },
        GoesOn::Ideate,
    ),
];

#[test]
fn a_model_that_brings_nothing_usable_ends_the_loop_in_a_typed_way() {
    let (project, _) = known();
    let server = fake_server()
        .rule(|_| FakeReply::text("I would rather not."))
        .start();
    let served = Served {
        name: "vague",
        server: &server,
        speaks: Speaks::OpenAi,
    };
    let settings = "[models]\npaid = \"agreed\"\npatience_s = 5\n\n[models.slots]\n\
                    leader = \"vague/rules\"\n";
    project.studio.set(settings, &[served]);
    let ended = project.command(&["--json", "ideate", PROPOSAL], 5);
    let line = ended.stdout.lines().last().unwrap();
    let looped: Value = serde_json::from_str(line).unwrap();
    assert_eq!(looped["status"], "blocked", "{looped}");
    assert_eq!(looped["end"], "stuck", "{looped}");
    assert!(
        looped["reason"].as_str().unwrap().contains("critique"),
        "{looped}"
    );
    server.finish();
}

#[test]
fn a_cap_pauses_the_loop() {
    let (project, servers) = connected();
    let id = run_id().to_string();
    let capped = [
        "ideate",
        PROPOSAL,
        "--run",
        &id,
        "--max-cost",
        "0.000001",
        "--non-interactive",
    ];
    let paused = project.studio.run(&capped);
    assert_eq!(paused.code, Some(4), "{paused:?}");
    let more = project.studio.run(&["resume", &id, "--max-cost", "5"]);
    assert_eq!(more.code, Some(0), "{more:?}");
    servers.into_iter().for_each(FakeServer::finish);
}
