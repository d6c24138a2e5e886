//! Whole runs of the real binary, killed with -9 at random moments and driven on.

use std::collections::BTreeMap;
use std::process::Child;
use std::time::{Duration, Instant};

use gavel_domain::Digest;
use gavel_testkit::{FakeServer, git, outcomes};
use serde_json::Value;

use crate::bench::{ended, run_id};
use crate::studio::{IDEA, Seen, Served, Speaks, Studio, rules_server};

/// The first kill strikes while the place is made.
const AT_THE_BEGINNING: Duration = Duration::from_millis(150);

/// How many times runs are killed; `GAVEL_TEST_KILLS=20` for the long version.
fn kills_wanted() -> u32 {
    gavel_testkit::number_asked_for("GAVEL_TEST_KILLS").unwrap_or(4)
}

/// Moments from a fixed sequence; where they strike depends on the machine.
struct Moments(u64);

impl Moments {
    fn next(&mut self, below: Duration) -> Duration {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let part = u32::try_from((self.0 >> 33) % 1_000).unwrap();
        below * part / 1_000
    }
}

/// A place for a run, and the server of its model if it has one.
struct Place {
    studio: Studio,
    server: Option<FakeServer>,
}

impl Place {
    fn offline() -> Self {
        Self {
            studio: Studio::offline(),
            server: None,
        }
    }

    /// A model behind HTTP leads, codes, audits and has both seats of the council.
    fn served() -> Self {
        let server = rules_server();
        let settings = "[models]\npaid = \"agreed\"\n\n[models.slots]\nleader = \"left/rules\"\n";
        let model = Served {
            name: "left",
            server: &server,
            speaks: Speaks::Anthropic,
        };
        Self {
            studio: Studio::with(settings, &[model]),
            server: Some(server),
        }
    }

    /// Begins the run, or goes on with it.
    fn drive(&self) -> Child {
        let id = run_id().to_string();
        let known = self.studio.bench.run(&["status", &id]).code == Some(0);
        if known {
            self.studio.spawn(&["resume", &id, "--yes"])
        } else {
            let start = ["start", IDEA, "--into", "made", "--run", &id, "--yes"];
            self.studio.spawn(&start)
        }
    }

    /// The subjects and trees of the branch but the seal's, and the state of the user's checkout.
    fn branch(&self) -> (String, String) {
        let made = self.studio.bench.folder().join("project/made");
        let branch = format!("gavel/build-{}", run_id().short());
        let before_seal = format!("{branch}^");
        let log = git(&made, &["log", "--format=%T %s", &before_seal]);
        let users = git(&made, &["log", "--format=%T %s", "main"]);
        let status = git(&made, &["status", "--porcelain"]);
        (log, format!("{users}\n{status}"))
    }
}

/// Runs that were killed as often as wanted, each driven on to its end.
struct Killed {
    places: Vec<Place>,
    kills: u32,
}

/// Kills runs at moments within a third of what a calm one takes. A run that ends before all kills
/// have struck is followed by another one.
fn kill_and_finish(make: fn() -> Place, calm: Duration) -> Killed {
    let mut moments = Moments(20_261_116);
    let mut killed = Killed {
        places: Vec::new(),
        kills: 0,
    };
    while killed.places.is_empty() || killed.kills < kills_wanted() {
        let place = make();
        let mut first = true;
        loop {
            let mut child = place.drive();
            if killed.kills < kills_wanted() {
                let below = if first { AT_THE_BEGINNING } else { calm / 3 };
                std::thread::sleep(moments.next(below));
                if child.try_wait().unwrap().is_none() {
                    child.kill().unwrap();
                    killed.kills += 1;
                }
            }
            first = false;
            let ended = ended(child);
            match ended.code {
                Some(0) => break,
                None => {}
                Some(_) => panic!("{ended:?}"),
            }
        }
        killed.places.push(place);
    }
    killed
}

/// Outcomes without what no two calm runs have in common: ids of commits, which hold times; what
/// commands printed and how long they took; tokens of requests that show such output; the seal.
fn comparable(seen: &Seen) -> BTreeMap<String, Value> {
    let mut all = BTreeMap::new();
    for (key, outcome) in outcomes(&seen.records) {
        let (_, body) = outcome.split_once(' ').unwrap();
        let mut body: Value = serde_json::from_str(body).unwrap();
        let fields = body.as_object_mut().unwrap();
        for name in ["commit", "output", "millis", "usage", "envelope", "key"] {
            fields.remove(name);
        }
        if key == "seal-1/commit" {
            fields.remove("tree");
        }
        all.insert(key, body);
    }
    all
}

/// The server's own log: a request comes again only when the one before it was booked as lost.
fn assert_no_reply_was_asked_for_again(server: &FakeServer, seen: &Seen) -> usize {
    let mut asked: BTreeMap<Digest, usize> = BTreeMap::new();
    for request in server.requests() {
        *asked.entry(request.digest).or_default() += 1;
    }
    let again: usize = asked.values().map(|times| times - 1).sum();
    let lost: usize = seen.lost.values().sum();
    assert_eq!(
        asked.len(),
        seen.settled.len(),
        "one question per recorded reply"
    );
    assert!(
        again <= lost,
        "{again} repeated requests, {lost} lost calls"
    );
    assert_eq!(server.problems(), Vec::<String>::new());
    again
}

fn killed_runs_end_like_the_calm_one(make: fn() -> Place) {
    let calm = make();
    let begun = Instant::now();
    let calm_end = ended(calm.drive());
    assert_eq!(calm_end.code, Some(0), "{calm_end:?}");
    let took = begun.elapsed();
    let calm_seen = calm.studio.look();
    assert_eq!(calm_seen.lost.len(), 0, "{:?}", calm_seen.lost);

    let killed = kill_and_finish(make, took);
    assert!(killed.kills >= kills_wanted(), "{} kills", killed.kills);
    let (mut lost, mut again, mut records) = (0, 0, 0);
    for place in &killed.places {
        let seen = place.studio.look();
        assert_eq!(comparable(&seen), comparable(&calm_seen));
        assert_eq!(place.studio.tree(), calm.studio.tree());
        assert_eq!(place.branch(), calm.branch());
        assert_eq!(place.studio.seal()["valid"], true);
        assert_eq!(
            seen.settled, calm_seen.settled,
            "every reply was bought once"
        );
        lost += seen.lost.values().sum::<usize>();
        records += seen.records.len();
        if let Some(server) = &place.server {
            again += assert_no_reply_was_asked_for_again(server, &seen);
        }
    }
    // The council asks two seats at once.
    assert!(lost <= 2 * killed.kills as usize, "{lost} lost calls");
    println!(
        "{} kills in {} runs (a calm one takes {took:?}, {} records): {lost} lost calls, \
         {again} asked again, {records} records",
        killed.kills,
        killed.places.len(),
        calm_seen.records.len(),
    );
}

#[test]
fn a_run_of_the_rules_killed_at_random_moments_ends_like_a_calm_one() {
    killed_runs_end_like_the_calm_one(Place::offline);
}

#[test]
fn a_run_of_a_served_model_killed_at_random_moments_ends_like_a_calm_one() {
    killed_runs_end_like_the_calm_one(Place::served);
}
