//! Runs that an earlier Gavel left under way are driven on by this one.
//!
//! `tests/journals/<version>/<case>.tar.gz` holds what such a run had: state, settings, repository. A
//! run records the paths that it works at, so each is unpacked into the folder it was begun in. A run
//! that cannot be driven on is a broken promise: guard the change of the driver with `run.flow()`.
//!
//! To keep the runs of a version, name it: `GAVEL_TEST_KEEP_RUNS=0.2.0 cargo nextest run -p gavel-cli
//! kept_runs` (with `GAVEL_TEST_BINARY=…` for another binary than this build's), and commit the files.

mod questions;

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use gavel_testkit::{FakeReply, FakeServer, fake_server, text_asked_for};
use serde_json::json;

use crate::bench::{Bench, Ended, run_id};
use crate::council::{TOPIC, init_project};
use crate::council_debate::{answers, convened, lead, leader_says, seat};
use crate::ideate::PROPOSAL;
use crate::killing::{Between, kill};
use crate::product_hot::{project, users};
use crate::seen::Seen;
use crate::studio::{Served, Speaks, Studio};

/// Names the version whose runs are to be kept.
const KEEP: &str = "GAVEL_TEST_KEEP_RUNS";
/// A coder that does not answer, so that the run waits for somebody who tries again.
const BROKEN_CODER: &str = "[models]\npaid = \"agreed\"\nslots = { coder = \"broken/rules\" }\n";

/// A place where a run waits for somebody.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    /// Begins the run, up to the place where it waits.
    pub(crate) begin: fn(&Studio),
    /// Goes on to its end.
    pub(crate) finish: fn(&Studio),
}

impl Case {
    fn check(&self) {
        match text_asked_for(KEEP) {
            Some(version) => self.keep(&version),
            None => self.drive_on(),
        }
    }

    /// The same for a place that no version may have kept yet: then this binary begins it, too.
    fn check_newer(&self) {
        let kept = |version: fs::DirEntry| {
            let archive = version.path().join(format!("{}.tar.gz", self.name));
            archive.exists()
        };
        let versions = fs::read_dir(archives()).unwrap();
        let kept = versions.map(Result::unwrap).any(kept);
        if kept || text_asked_for(KEEP).is_some() {
            return self.check();
        }
        let held = self.folder("not-kept");
        let studio = Studio::on(Bench::at(&held.folder));
        (self.begin)(&studio);
        let before = Seen::records_of(&studio.bench);
        (self.finish)(&studio);
        let after = studio.look();
        assert!(after.records.starts_with(&before), "nothing is rewritten");
    }

    fn keep(&self, version: &str) {
        let held = self.folder(version);
        let studio = Studio::on(Bench::at(&held.folder));
        (self.begin)(&studio);
        let target = archives().join(version);
        fs::create_dir_all(&target).unwrap();
        let archive = target.join(format!("{}.tar.gz", self.name));
        // Signing keys are made anew; caches and built files come back.
        tar(&held.folder, |tar| {
            tar.args(["--exclude=target", "--exclude=cache", "--exclude=.local"])
                .args(["--sort=name", "--owner=0", "--group=0", "-czf"])
                .arg(&archive)
                .args(["home", "project", "state"])
        });
    }

    /// Drives on what every version kept of it.
    pub(crate) fn drive_on(&self) {
        let mut versions = 0;
        for version in fs::read_dir(archives()).unwrap() {
            let version = version.unwrap();
            let archive = version.path().join(format!("{}.tar.gz", self.name));
            if !archive.exists() {
                continue;
            }
            let held = self.folder(&version.file_name().into_string().unwrap());
            let studio = Studio::on(Bench::at(&held.folder));
            tar(&held.folder, |tar| tar.arg("-xzf").arg(&archive));
            let before = Seen::records_of(&studio.bench);
            (self.finish)(&studio);
            let after = studio.look();
            assert!(after.records.starts_with(&before), "nothing is rewritten");
            let twice = after.settled.values().filter(|times| **times > 1);
            assert_eq!(twice.count(), 0, "no reply on record is bought again");
            versions += 1;
        }
        assert!(versions > 0, "no version kept the run `{}`", self.name);
    }

    /// The empty folder in which a version's run lives, for as long as nobody else uses it.
    fn folder(&self, version: &str) -> Held {
        let all = Path::new("/tmp/gavel-kept-runs").join(version);
        fs::create_dir_all(&all).unwrap();
        let lock = File::create(all.join(format!("{}.lock", self.name))).unwrap();
        lock.lock().unwrap();
        let folder = all.join(self.name);
        if folder.exists() {
            fs::remove_dir_all(&folder).unwrap();
        }
        fs::create_dir(&folder).unwrap();
        Held {
            folder,
            _lock: lock,
        }
    }
}

/// A folder that only one process uses; it is removed at the end.
struct Held {
    folder: PathBuf,
    _lock: File,
}

impl Drop for Held {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.folder));
    }
}

fn archives() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/journals")
}

#[expect(clippy::disallowed_methods, reason = "archives are read by a program")]
fn tar(folder: &Path, arguments: impl FnOnce(&mut Command) -> &mut Command) {
    let mut command = Command::new("tar");
    let done = arguments(command.arg("-C").arg(folder)).status().unwrap();
    assert!(done.success(), "{done:?}");
}

fn on(studio: &Studio, command: &str, more: &[&str]) -> Ended {
    let id = run_id().to_string();
    studio.run(&[&[command, &id], more].concat())
}

fn begin(studio: &Studio, more: &[&str], code: i32) {
    let begun = studio.start(more);
    assert_eq!(begun.code, Some(code), "{begun:?}");
}

/// Answers the open question with its first option; the run then waits, or ends, with this code.
fn take_first(studio: &Studio, code: i32) {
    let answered = on(studio, "answer", &["--option", "1", "--resume"]);
    assert_eq!(answered.code, Some(code), "{answered:?}");
}

fn resume(studio: &Studio, more: &[&str]) {
    let ended = on(studio, "resume", more);
    assert_eq!(ended.code, Some(0), "{ended:?}");
}

fn assert_state(studio: &Studio, state: &str) {
    let status = studio.bench.json(&["status", &run_id().to_string()]);
    assert_eq!(status["state"], state, "{status}");
}

fn refusing() -> FakeServer {
    let refused = FakeReply::status(401, r#"{"error":{"message":"no such key"}}"#);
    fake_server().rule(move |_| refused.clone()).start()
}

#[test]
fn a_product_run_that_waits_in_its_interview() {
    Case {
        name: "product-interview",
        begin: |studio| begin(studio, &[], 3),
        finish: |studio| {
            resume(studio, &["--yes"]);
            assert_state(studio, "sealed");
        },
    }
    .check();
}

#[test]
fn a_product_run_that_waits_for_its_spec() {
    Case {
        name: "product-spec",
        begin: |studio| {
            begin(studio, &[], 3);
            take_first(studio, 3);
        },
        finish: |studio| {
            resume(studio, &["--yes"]);
            assert_state(studio, "sealed");
        },
    }
    .check();
}

#[test]
fn a_product_run_that_waits_in_building() {
    Case {
        name: "product-building",
        begin: |studio| {
            let coder = refusing();
            let model = Served {
                name: "broken",
                server: &coder,
                speaks: Speaks::OpenAi,
            };
            studio.set(BROKEN_CODER, &[model]);
            begin(studio, &["--yes"], 7);
            coder.finish();
        },
        finish: |studio| {
            resume(studio, &["--yes", "-c", "models.slots.coder=offline"]);
            assert_state(studio, "sealed");
        },
    }
    .check();
}

#[test]
fn a_product_run_that_waits_for_its_approval() {
    Case {
        name: "product-approval",
        begin: |studio| {
            begin(studio, &[], 3);
            take_first(studio, 3);
            take_first(studio, 3);
        },
        finish: |studio| {
            take_first(studio, 0);
            assert_state(studio, "sealed");
        },
    }
    .check();
}

#[test]
fn a_small_change_that_waits_in_building() {
    Case {
        name: "small-change-building",
        begin: |studio| {
            let coder = refusing();
            let model = Served {
                name: "broken",
                server: &coder,
                speaks: Speaks::OpenAi,
            };
            studio.set(BROKEN_CODER, &[model]);
            project(studio, &users());
            let idea = "rename get_user to fetch_user in src/lib.rs";
            let begun = studio.run(&["start", idea, "--yes", "--run", &run_id().to_string()]);
            assert_eq!(begun.code, Some(7), "{begun:?}");
            coder.finish();
        },
        finish: |studio| {
            resume(studio, &["--yes", "-c", "models.slots.coder=offline"]);
            assert_state(studio, "sealed");
        },
    }
    .check();
}

#[test]
fn a_small_change_that_waits_for_its_approval() {
    Case {
        name: "small-change-approval",
        begin: |studio| {
            project(studio, &users());
            let idea = "rename get_user to fetch_user in src/lib.rs";
            let begun = studio.run(&["start", idea, "--run", &run_id().to_string()]);
            assert_eq!(begun.code, Some(3), "{begun:?}");
        },
        finish: |studio| {
            resume(studio, &["--yes"]);
            assert_state(studio, "sealed");
        },
    }
    .check();
}

#[test]
fn a_council_whose_leader_did_not_answer() {
    Case {
        name: "council-leader",
        begin: |studio| {
            init_project(studio);
            let (left, right, lead) = (refusing(), refusing(), refusing());
            convened(studio, [&left, &right], &lead);
            let begun = studio.run(&["council", TOPIC, "--run", &run_id().to_string()]);
            assert_eq!(begun.code, Some(7), "{begun:?}");
            [left, right, lead].into_iter().for_each(FakeServer::finish);
        },
        finish: |studio| {
            let left = seat("A", &["README.md:1"], "One file is enough.");
            let right = seat("B", &["README.md:1"], "A server grows with us.");
            let lead = lead();
            convened(studio, [&left, &right], &lead);
            resume(studio, &[]);
            assert_state(studio, "closed");
            [left, right, lead].into_iter().for_each(FakeServer::finish);
        },
    }
    .check();
}

/// A leader that plans three stances, so that rounds are more than one pair.
fn leader_of_three() -> FakeServer {
    answers(|shape| {
        let mut said = leader_says(shape);
        if shape == "plan" {
            let third = json!({"name": "Operator", "lens": "You run it at night.", "focus": ""});
            said["stances"].as_array_mut().unwrap().push(third);
        }
        said
    })
}

fn debating(studio: &Studio) -> [FakeServer; 3] {
    let left = seat("A", &["README.md:1"], "One file is enough.");
    let right = seat("B", &["README.md:1"], "A server grows with us.");
    let lead = leader_of_three();
    convened(studio, [&left, &right], &lead);
    [left, right, lead]
}

#[test]
fn a_council_that_was_killed_in_a_round() {
    Case {
        name: "council-debate",
        begin: |studio| {
            init_project(studio);
            let servers = debating(studio);
            let child = studio.spawn(&["council", TOPIC, "--run", &run_id().to_string()]);
            let place = Between {
                near: "council-1/openings/evaluated",
                after: "council-1/round-1/turn-1/spoke",
                before: "council-1/round-1/evaluated",
            };
            drop(kill(studio, child, place));
            servers.into_iter().for_each(FakeServer::finish);
        },
        finish: |studio| {
            let servers = debating(studio);
            resume(studio, &[]);
            assert_state(studio, "closed");
            servers.into_iter().for_each(FakeServer::finish);
        },
    }
    .check();
}

#[test]
fn a_loop_whose_model_did_not_answer() {
    Case {
        name: "ideation",
        begin: |studio| {
            init_project(studio);
            let trap = "The dispatcher deadlocked when two workers shared it.";
            let kept = studio.run(&["memory", "add", "--kind", "trap", trap]);
            assert_eq!(kept.code, Some(0), "{kept:?}");
            let lead = refusing();
            let model = Served {
                name: "lead",
                server: &lead,
                speaks: Speaks::OpenAi,
            };
            let slots = "[models]\npaid = \"agreed\"\nslots = { leader = \"lead/rules\" }\n";
            studio.set(slots, &[model]);
            let begun = studio.run(&["ideate", PROPOSAL, "--run", &run_id().to_string()]);
            assert_eq!(begun.code, Some(7), "{begun:?}");
            lead.finish();
        },
        finish: |studio| {
            resume(studio, &["-c", "models.slots.leader=offline"]);
        },
    }
    .check();
}

#[test]
fn a_loop_in_which_a_critic_has_the_turn() {
    Case {
        name: "loop-turn",
        begin: |studio| {
            init_project(studio);
            let auto = studio.bench.folder().join("project/auto.json");
            fs::write(auto, r#"{"flow": "auto"}"#).unwrap();
            let id = run_id().to_string();
            let opened = studio.run(&[
                "loop",
                "open",
                "--title",
                "dispatcher",
                "--proposal",
                PROPOSAL,
                "--slot",
                "champion:ann",
                "--slot",
                "critic:bob",
                "--protocol",
                "auto.json",
                "--agent",
                "ann",
                "--run",
                &id,
            ]);
            assert_eq!(opened.code, Some(0), "{opened:?}");
        },
        finish: |studio| {
            let inbox = studio.bench.json(&["loop", "inbox", "--agent", "bob"]);
            let turn = &inbox["inbox"][0];
            let slot = turn["slot_id"].as_str().unwrap();
            let id = turn["loop_id"].as_str().unwrap();
            let nothing = ["--artifact", "nothing_new=", "--agent", "bob"];
            let ended = studio.run(&[&["loop", "complete", id, slot][..], &nothing].concat());
            assert_eq!(ended.code, Some(0), "{ended:?}");
            let closed = studio.run(&["loop", "close", id, "--agent", "ann"]);
            assert_eq!(closed.code, Some(0), "{closed:?}");
            let looped = studio.bench.json(&["loop", "get", id]);
            assert_eq!(looped["status"], "completed", "{looped}");
        },
    }
    .check();
}
