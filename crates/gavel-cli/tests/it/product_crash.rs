//! Whole runs of the real binary, killed with -9 at random moments and driven on.

use std::collections::BTreeMap;
use std::process::Child;
use std::time::{Duration, Instant};

use gavel_domain::Digest;
use gavel_store::Store;
use gavel_testkit::{FakeServer, git, open_store, outcomes};
use serde_json::Value;

use crate::bench::{ended, run_id};
use crate::seen::Seen;
use crate::studio::{IDEA, Served, Speaks, Studio, rules_server};

/// The first kill strikes while the place is made.
const AT_THE_BEGINNING: Duration = Duration::from_millis(150);
/// So many records at the end belong to gate, seal and lessons.
const ENDING: u64 = 10;

/// How many times runs are killed; `GAVEL_TEST_KILLS=20` for the long version.
fn kills_wanted() -> u32 {
    gavel_testkit::number_asked_for("GAVEL_TEST_KILLS").unwrap_or(4)
}

/// When a kill strikes.
#[derive(Debug, Clone, Copy)]
enum Strike {
    /// So long after the process began. Most of a run's time is tests that run.
    After(Duration),
    /// As soon as this record is written. Most of a run's records are tools and replies.
    AtRecord(u64),
}

/// Moments from a fixed sequence; where they strike depends on the machine.
struct Moments(u64);

impl Moments {
    fn next(&mut self, below: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below.max(1)
    }

    fn within(&mut self, span: Duration) -> Strike {
        let micros = u64::try_from(span.as_micros()).unwrap();
        Strike::After(Duration::from_micros(self.next(micros)))
    }

    /// The next strike at a run that stands at a record: by time, anywhere behind it, near the end.
    fn strike(&mut self, kills: u32, at: u64, calm: &Calm) -> Strike {
        match kills % 4 {
            _ if at == 0 => self.within(AT_THE_BEGINNING),
            0 | 2 => self.within(calm.took / 3),
            1 => Strike::AtRecord(at + 1 + self.next(calm.records.saturating_sub(at))),
            _ => Strike::AtRecord(calm.records - self.next(ENDING)),
        }
    }
}

/// What a run takes that nobody disturbs.
struct Calm {
    took: Duration,
    records: u64,
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

    /// Where the run stands; nowhere before its first record.
    fn record(&self) -> u64 {
        if !self.studio.bench.state().join("gavel.db").exists() {
            return 0;
        }
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        runtime.unwrap().block_on(async {
            let store = open_store(&self.studio.bench.state()).await;
            seq(store.as_ref()).await
        })
    }

    /// Kills the process when it is time; false when it ended before.
    fn kill(&self, child: &mut Child, strike: Strike) -> bool {
        let mut ended = || child.try_wait().unwrap().is_some();
        let pause = Duration::from_millis(1);
        match strike {
            Strike::After(span) => {
                let begun = Instant::now();
                while begun.elapsed() < span && !ended() {
                    std::thread::sleep(pause);
                }
            }
            Strike::AtRecord(wanted) => {
                let runtime = tokio::runtime::Builder::new_current_thread().build();
                runtime.unwrap().block_on(async {
                    let store = open_store(&self.studio.bench.state()).await;
                    while seq(store.as_ref()).await < wanted && !ended() {
                        std::thread::sleep(pause);
                    }
                });
            }
        }
        let lives = !ended();
        child.kill().unwrap();
        lives
    }

    /// Begins the run, or goes on with it.
    fn drive(&self) -> Child {
        let id = run_id().to_string();
        if self.record() > 0 {
            self.studio.spawn(&["resume", &id, "--yes"])
        } else {
            let start = ["start", IDEA, "--into", "made", "--run", &id, "--yes"];
            self.studio.spawn(&start)
        }
    }
}

/// The last record of the run; zero before its first.
async fn seq(store: &dyn Store) -> u64 {
    let head = store.head(run_id()).await.unwrap();
    head.map_or(0, |head| head.seq.0)
}

/// Runs that were killed as often as wanted, each driven on to its end.
struct Killed {
    places: Vec<Place>,
    kills: u32,
}

/// Kills runs again and again, then lets them finish. A run that ends before all kills have struck
/// is followed by another one.
fn kill_and_finish(make: fn() -> Place, calm: &Calm) -> Killed {
    let mut moments = Moments(20_261_116);
    let mut killed = Killed {
        places: Vec::new(),
        kills: 0,
    };
    while killed.places.is_empty() || killed.kills < kills_wanted() {
        let place = make();
        loop {
            let at = place.record();
            let mut child = place.drive();
            if killed.kills < kills_wanted() {
                let strike = moments.strike(killed.kills, at, calm);
                if place.kill(&mut child, strike) {
                    killed.kills += 1;
                }
            }
            let ended = ended(child);
            match ended.code {
                Some(0) => break,
                None => println!("killed between records {at} and {}", place.record()),
                Some(_) => panic!("{ended:?}"),
            }
        }
        killed.places.push(place);
    }
    killed
}

/// Outcomes without what no two calm runs have in common: ids of commits, which hold times; what
/// commands printed and how long they took; tokens of requests that show such output; the seal.
pub(crate) fn comparable(seen: &Seen) -> BTreeMap<String, Value> {
    let mut all = BTreeMap::new();
    for (key, outcome) in outcomes(&seen.records) {
        let (_, body) = outcome.split_once(' ').unwrap();
        let mut body: Value = serde_json::from_str(body).unwrap();
        let fields = body.as_object_mut().unwrap();
        for name in ["commit", "output", "millis", "usage", "envelope", "key"] {
            fields.remove(name);
        }
        // How long it was driven and what lost calls cost differs with every kill.
        let sprint = key.starts_with("sprint-") || key.starts_with("hot-");
        if sprint && key.ends_with("/opened") {
            fields.remove("driven_ms");
            fields.remove("spent");
        }
        if key == "seal-1/commit" {
            fields.remove("tree");
        }
        all.insert(key, body);
    }
    all
}

/// The server's own log: a request comes again only when the one before it was booked as lost.
pub(crate) fn assert_no_reply_was_asked_for_again(server: &FakeServer, seen: &Seen) -> usize {
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
    let records = u64::try_from(calm_seen.records.len()).unwrap();
    assert_eq!(calm_seen.lost.len(), 0, "{:?}", calm_seen.lost);

    let killed = kill_and_finish(make, &Calm { took, records });
    assert!(killed.kills >= kills_wanted(), "{} kills", killed.kills);
    let (mut lost, mut again, mut written) = (0, 0, 0);
    for place in &killed.places {
        let seen = place.studio.look();
        assert_eq!(comparable(&seen), comparable(&calm_seen));
        assert_eq!(place.studio.tree(), calm.studio.tree());
        assert_eq!(place.studio.branch(), calm.studio.branch());
        assert_eq!(place.studio.seal()["valid"], true);
        assert_eq!(
            seen.settled, calm_seen.settled,
            "every reply was bought once"
        );
        lost += seen.lost.values().sum::<usize>();
        written += seen.records.len();
        if let Some(server) = &place.server {
            again += assert_no_reply_was_asked_for_again(server, &seen);
        }
    }
    // The council asks two seats at once.
    assert!(lost <= 2 * killed.kills as usize, "{lost} lost calls");
    println!(
        "{} kills in {} runs (a calm one takes {took:?}, {records} records): {lost} lost calls, \
         {again} asked again, {written} records",
        killed.kills,
        killed.places.len(),
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

#[test]
fn a_place_that_a_killed_start_left_half_made_is_finished() {
    let studio = Studio::offline();
    let made = studio.bench.folder().join("project/made");
    std::fs::create_dir(&made).unwrap();
    git(&made, &["init", "--quiet", "--initial-branch=main"]);
    let begun = studio.start(&[]);
    assert_eq!(begun.code, Some(3), "{begun:?}");
    assert!(made.join("gavel.toml").exists(), "the project has a name");
}
