//! A real run of the real binary, killed with -9 at random moments and resumed.

use std::collections::BTreeMap;
use std::time::Duration;

use gavel_testkit::outcomes;

use crate::bench::{Bench, ended, run_id};
use crate::seen::Seen;

/// How many times the run is killed; `GAVEL_TEST_KILLS=100` for the long version.
fn kills_wanted() -> u32 {
    gavel_testkit::number_asked_for("GAVEL_TEST_KILLS").unwrap_or(20)
}

/// Moments from a fixed sequence; where they strike depends on the machine.
struct Moments(u64);

impl Moments {
    fn next(&mut self, below: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }
}

/// Kills the run again and again, then lets it finish; returns how many kills struck.
fn kill_and_finish(bench: &Bench, args: &[&str]) -> u32 {
    let mut moments = Moments(20_261_115);
    let mut kills = 0;
    loop {
        let mut child = bench.spawn(args);
        if kills < kills_wanted() {
            std::thread::sleep(Duration::from_millis(moments.next(180)));
            if child.try_wait().unwrap().is_none() {
                child.kill().unwrap();
                kills += 1;
            }
        }
        let ended = ended(child);
        match ended.code {
            Some(0) => return kills,
            None => {}
            Some(3) => answer_about_letter(bench),
            Some(_) => panic!("{ended:?}"),
        }
    }
}

/// A person looks whether the letter was sent, and answers.
fn answer_about_letter(bench: &Bench) {
    let question = bench.json(&["status", &run_id().to_string()]);
    let question = question["question"].as_str().unwrap().to_owned();
    assert!(question.starts_with("run/again-"), "{question}");
    let sent = std::fs::read_to_string(bench.toy.letters()).unwrap_or_default();
    let happened = if sent.is_empty() { "again" } else { "happened" };
    let ended = bench.run(&["answer", &run_id().to_string(), &question, happened]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
}

#[test]
fn a_real_run_killed_at_random_moments_ends_like_the_undisturbed_one() {
    let id = run_id().to_string();
    let calm = Bench::new();
    // Long enough that every kill finds it at work, on a fast machine too: a drive gets at most
    // 180 ms before it is killed, and each draft takes two durable commits.
    let drafts = (kills_wanted() * 4).to_string();
    let args = calm.toy_args(&id, &["--yes", "--in-turn", "--drafts", &drafts]);
    let ended = calm.run(&args);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let deadly = Bench::new();
    let kills = kill_and_finish(&deadly, &deadly.toy_args(&id, &args[9..]));

    assert_eq!(kills, kills_wanted());
    let (calm_seen, deadly_seen) = (Seen::of(&calm), Seen::of(&deadly));
    assert_eq!(outcomes(&deadly_seen.records), outcomes(&calm_seen.records));
    let branch = format!("gavel/build-{}", run_id().short());
    assert_eq!(deadly.toy.log(&branch), calm.toy.log(&branch));
    assert_eq!(deadly.toy.checkout_state(), calm.toy.checkout_state());
    let letters = |bench: &Bench| std::fs::read_to_string(bench.toy.letters()).unwrap();
    assert_eq!(
        letters(&deadly),
        letters(&calm),
        "the letter was sent exactly once"
    );

    assert_eq!(
        deadly_seen.settled, calm_seen.settled,
        "every reply was bought once"
    );
    let lost: usize = deadly_seen.lost.values().sum();
    assert!(lost <= kills as usize, "{lost} lost calls in {kills} kills");
    assert_no_reply_was_asked_for_again(&deadly, &deadly_seen);
    println!(
        "{kills} kills, {lost} lost calls, {} records",
        deadly_seen.records.len()
    );
}

/// The provider's own log: a request comes again only when the one before it was booked as lost.
fn assert_no_reply_was_asked_for_again(bench: &Bench, seen: &Seen) {
    let mut asked: BTreeMap<String, usize> = BTreeMap::new();
    for request in bench.server.requests() {
        *asked
            .entry(request.last_asked().unwrap_or_default())
            .or_default() += 1;
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
    assert_eq!(bench.server.problems(), Vec::<String>::new());
}
