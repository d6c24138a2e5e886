//! A disk without room under the repository: told as what it is, and the run goes on once there is room.
//!
//! The disk is a small file system in memory, which needs the right to mount one: where that is missing,
//! the tests say so and show nothing.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use gavel_testkit::{Gate, git, left_out};
use rustix::mount::{MountFlags, UnmountFlags, mount, unmount};

use crate::bench::{Ended, ended, run_id};
use crate::product_hot::project;
use crate::product_terminals::{held_at, wait_until_held};
use crate::studio::{IDEA, Served, Speaks, Studio};

const README: &str = "# Users\n\nYou will recieve a user by teh number.\n";

struct SmallDisk(PathBuf);

impl SmallDisk {
    fn mount(at: &Path, options: &std::ffi::CStr) -> Option<Self> {
        fs::create_dir_all(at).unwrap();
        match mount("tmpfs", at, "tmpfs", MountFlags::empty(), Some(options)) {
            Ok(()) => Some(Self(at.to_owned())),
            Err(error) => {
                left_out(
                    "mount",
                    &format!("no file system can be mounted here: {error}"),
                );
                None
            }
        }
    }

    fn filler(&self) -> PathBuf {
        let git = self.0.join(".git");
        let folder = if git.is_dir() { git } else { self.0.clone() };
        folder.join("filler")
    }

    /// Takes all room but this much.
    fn fill(&self, left: u64) {
        let mut file = File::create(self.filler()).unwrap();
        let mut taken = 0;
        while file.write_all(&[0; 4096]).is_ok() {
            taken += 4096;
        }
        file.set_len(taken - left).unwrap();
    }

    fn make_room(&self) {
        fs::remove_file(self.filler()).unwrap();
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        unmount(&self.0, UnmountFlags::DETACH).unwrap();
    }
}

fn says_what_it_is(ended: &Ended) {
    assert_eq!(ended.code, Some(3), "{ended:?}");
    let shown = format!("{}{}", ended.stdout, ended.stderr);
    for text in ["no space left on device", "/.git", "make room"] {
        assert!(shown.contains(text), "{text}: {shown}");
    }
    assert!(!shown.contains("another model"), "{shown}");
}

#[test]
fn a_full_disk_under_a_small_change_is_no_trouble_with_a_model() {
    // Before the first tree can be recorded, and while the change is made.
    for left in [0, 8192] {
        let studio = Studio::offline();
        let folder = studio.bench.folder().join("project");
        let Some(disk) = SmallDisk::mount(&folder, c"size=400k") else {
            return;
        };
        project(&studio, &[("README.md", README)]);
        disk.fill(left);
        let id = run_id().to_string();
        let started = studio.run(&["start", "fix the typos in README.md", "--run", &id, "--yes"]);
        says_what_it_is(&started);
        disk.make_room();
        let resumed = studio.run(&["resume", &id, "--yes"]);
        let mended = format!("gavel/build-{}:README.md", run_id().short());
        let mended = git(&folder, &["show", &mended]);
        assert!(
            mended.contains("receive a user by the number"),
            "{resumed:?}"
        );
        studio.look();
    }
}

#[test]
fn a_disk_that_fills_up_while_a_phase_is_built_is_no_trouble_with_a_model() {
    let gate = Gate::closed();
    let server = held_at(&gate, |seen| {
        let body = seen.body.to_string();
        ["\"action\"", "\"purpose\"", "\"notes\""]
            .iter()
            .all(|field| body.contains(field))
    });
    let served = Served {
        name: "fake",
        server: &server,
        speaks: Speaks::OpenAi,
    };
    let slots =
        "[models]\npaid = \"agreed\"\n[models.slots]\nleader = \"fake/rules\"\nstances = []\n";
    let studio = Studio::with(slots, &[served]);
    let made = studio.bench.folder().join("project/made");
    let Some(disk) = SmallDisk::mount(&made, c"size=4m") else {
        return;
    };
    let id = run_id().to_string();
    let args = ["start", IDEA, "--into", "made", "--run", &id, "--yes"];
    let started = studio.spawn(&args);
    wait_until_held(&server);
    disk.fill(0);
    gate.open();
    says_what_it_is(&ended(started));
    disk.make_room();
    let resumed = studio.run(&["resume", &id, "--yes"]);
    assert_eq!(resumed.code, Some(0), "{resumed:?}");
    assert_eq!(studio.seal()["valid"], true);
}

/// Before there is a run, a full disk has the code of what a person mends, and says so.
#[test]
fn a_full_disk_before_a_run_begins_has_its_own_code() {
    for (place, command) in [
        (
            "state",
            &["start", "fix the typos in README.md", "--yes"][..],
        ),
        ("project", &["init"]),
    ] {
        let studio = Studio::offline();
        let folder = studio.bench.folder().join("project");
        let small = studio.bench.folder().join(place);
        let Some(disk) = SmallDisk::mount(&small, c"size=4m") else {
            return;
        };
        std::fs::create_dir_all(&folder).unwrap();
        project(&studio, &[("README.md", README)]);
        disk.fill(0);
        let full = studio.run(command);
        assert_eq!(full.code, Some(3), "{command:?}: {full:?}");
        assert!(full.stderr.contains("the disk is full"), "{full:?}");
        let data = studio.run(&[&["--json"][..], command].concat());
        assert!(data.stdout.contains("disk_full"), "{command:?}: {data:?}");
        disk.make_room();
        let goes = studio.run(command);
        assert!(!goes.stderr.contains("the disk is full"), "{goes:?}");
        assert_ne!(goes.code, Some(1), "{command:?}: {goes:?}");
    }
}
