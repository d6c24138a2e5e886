//! A wall clock that jumps while something waits: nothing is late because of it, nothing is early, and
//! nothing waits for a day that was skipped.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use gavel_domain::{QuestionAnswered, Resumed};
use gavel_testkit::{FakeReply, Gate};

use super::shims::moved_clock;
use crate::bench::{Bench, ended, run_id};
use crate::product_terminals::{held_at, wait_until_held};
use crate::seen::Seen;
use crate::studio::{Served, Speaks, Studio};
use crate::terminal::Terminal;

const YEAR: i64 = 366 * 24 * 60 * 60;
/// Far more than these runs take, far less than any jump.
const PATIENCE: Duration = Duration::from_secs(300);

/// The clock of one process.
struct Clock {
    library: PathBuf,
    file: PathBuf,
}

impl Clock {
    fn new(folder: &Path) -> Option<Self> {
        let library = moved_clock()?;
        let file = folder.join("clock");
        fs::write(&file, "0").unwrap();
        Some(Self { library, file })
    }

    fn on(&self, mut command: Command) -> Command {
        command.env("LD_PRELOAD", &self.library);
        command.env("GAVEL_TEST_CLOCK", &self.file);
        command
    }

    fn jump(&self, seconds: i64) {
        // In one go: it is read at any time.
        let new = self.file.with_extension("new");
        fs::write(&new, seconds.to_string()).unwrap();
        fs::rename(new, &self.file).unwrap();
    }
}

const JUMPS: [i64; 3] = [0, YEAR, -YEAR];

#[test]
fn a_call_that_waits_for_its_reply_does_not_notice_a_jump() {
    for jump in [YEAR, -YEAR] {
        let gate = Gate::closed();
        let server = held_at(&gate, |seen| {
            seen.body.to_string().contains("\"out_of_scope\"")
        });
        let served = Served {
            name: "fake",
            server: &server,
            speaks: Speaks::OpenAi,
        };
        let slots = "[models]\npaid = \"agreed\"\nslots = { leader = \"fake/rules\", coder = \"offline\", stances = [] }\n";
        let studio = Studio::with(slots, &[served]);
        let Some(clock) = Clock::new(studio.bench.folder()) else {
            return;
        };
        let id = run_id().to_string();
        let idea = crate::studio::IDEA;
        let args = [
            "start", idea, "--into", "made", "--run", &id, "--yes", "--mini",
        ];
        let begun = Instant::now();
        let started = clock.on(studio.command(&args)).spawn().unwrap();
        wait_until_held(&server);
        clock.jump(jump);
        gate.open();
        let done = ended(started);
        assert!(begun.elapsed() < PATIENCE, "{jump}: {done:?}");
        assert_eq!(done.code, Some(0), "{jump}: {done:?}");
        assert_eq!(studio.seal()["valid"], true, "{jump}");
        let answers = studio.look().facts::<QuestionAnswered>();
        assert!(answers.iter().all(|one| !one.timed_out), "{answers:?}");
    }
}

#[test]
fn the_pause_before_another_try_is_as_long_as_it_was_meant() {
    for jump in JUMPS {
        let bench = Bench::new();
        let Some(clock) = Clock::new(bench.folder()) else {
            return;
        };
        let busy = || FakeReply::status(503, r#"{"error":{"message":"busy"}}"#);
        bench.server.push(busy().header("retry-after", "2"));
        bench.server.push(busy().header("retry-after", "1"));
        bench.server.push(FakeReply::text("Done."));
        let id = run_id().to_string();
        let args = bench.toy_args(&id, &["--task", "Say that it is done."]);
        let begun = Instant::now();
        let started = clock.on(bench.command(&args)).spawn().unwrap();
        // It pauses now, or will in a moment: whichever, no pause is a year long.
        while bench.server.requests().is_empty() && begun.elapsed() < PATIENCE {
            std::thread::yield_now();
        }
        clock.jump(jump);
        let done = ended(started);
        let took = begun.elapsed();
        assert_eq!(done.code, Some(0), "{jump}: {done:?}");
        assert!(took < Duration::from_secs(60), "{jump}: {took:?}");
        assert_eq!(bench.server.requests().len(), 3, "{jump}: {done:?}");
    }
}

#[test]
fn a_question_waits_for_a_person_over_a_jump_and_a_second_driver_stays_out() {
    for jump in JUMPS {
        let studio = Studio::offline();
        let Some(clock) = Clock::new(studio.bench.folder()) else {
            return;
        };
        let id = run_id().to_string();
        let idea = crate::studio::IDEA;
        let command = studio.command(&["start", idea, "--into", "made", "--run", &id]);
        let mut terminal = Terminal::open(clock.on(command), 100);
        terminal.wait_for("Take them all?");
        terminal.wait_for(" › ");
        clock.jump(jump);
        // Who holds the run holds it, whatever the time is.
        let second = studio.run(&["resume", &id, "--yes"]);
        assert_eq!(second.code, Some(8), "{jump}: {second:?}");
        terminal.press("\n");
        terminal.wait_for("Build this?");
        terminal.wait_for(" › ");
        terminal.press("2\n");
        let (code, shown) = terminal.end();
        assert_eq!(code, Some(1), "{jump}: {shown}");
        let seen = Seen::of(&studio.bench);
        let answers = seen.facts::<QuestionAnswered>();
        assert!(
            answers.len() == 2 && answers.iter().all(|one| !one.timed_out && !one.assumed),
            "{jump}: {answers:?}"
        );
        assert_eq!(seen.facts::<Resumed>().len(), 0, "{jump}");
    }
}

#[test]
fn a_clock_that_no_record_can_hold_is_a_sentence_of_every_command() {
    let studio = Studio::offline();
    let Some(clock) = Clock::new(studio.bench.folder()) else {
        return;
    };
    let commands: [&[&str]; 6] = [
        &["status"],
        &["usage"],
        &["intake", "a todo list"],
        &["models", "list"],
        &["config", "show"],
        &["start", crate::studio::IDEA, "--into", "made", "--yes"],
    ];
    for (seconds, said) in [
        (-3_000_000_000, "a time before the year 1970"),
        (300_000_000_000, "a time after the year 9998"),
    ] {
        clock.jump(seconds);
        for args in commands {
            let done = ended(clock.on(studio.command(args)).spawn().unwrap());
            assert_eq!(done.code, Some(1), "{args:?}: {done:?}");
            assert!(done.stderr.contains(said), "{args:?}: {done:?}");
            assert!(!done.stderr.contains("panicked"), "{args:?}: {done:?}");
        }
    }
    clock.jump(0);
    for args in commands.into_iter().take(5) {
        let done = ended(clock.on(studio.command(args)).spawn().unwrap());
        assert_eq!(done.code, Some(0), "{args:?}: {done:?}");
    }
}
