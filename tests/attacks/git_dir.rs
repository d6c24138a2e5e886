//! A repository whose `.git` is a trap: links that lead out of it, through which objects and references of
//! ours would be written, and pipes that keep whoever opens them waiting.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use gavel_testkit::git;

use crate::studio::Studio;

/// Beyond the rules, so that its run waits at once.
const IDEA: &str = "a web shop with payments";
/// How soon such a repository is refused; git itself would be waited for two minutes.
const SOON: Duration = Duration::from_secs(20);

struct Trap {
    studio: Studio,
}

impl Trap {
    /// A repository with a commit, and an empty folder outside of it.
    fn new() -> Self {
        let trap = Self {
            studio: Studio::offline(),
        };
        let repository = trap.repository();
        fs::create_dir_all(&repository).unwrap();
        fs::create_dir(trap.outside()).unwrap();
        fs::write(repository.join("README.md"), "# Nothing yet\n").unwrap();
        git(&repository, &["init", "-q", "-b", "main"]);
        git(&repository, &["add", "-A"]);
        git(&repository, &["commit", "-qm", "first"]);
        trap
    }

    fn repository(&self) -> PathBuf {
        self.studio.bench.folder().join("project/trap")
    }

    fn outside(&self) -> PathBuf {
        self.studio.bench.folder().join("outside")
    }

    fn inside(&self, name: &str) -> PathBuf {
        self.repository().join(".git").join(name)
    }

    /// Both doors refuse soon, name the place and what it is, and nothing is written outside.
    fn is_refused(&self, name: &str, what: &str) {
        for command in [&["start", IDEA][..], &["seal", "verify"]] {
            let begun = Instant::now();
            let refused = self.studio.run(&[&["-C", "trap"], command].concat());
            assert!(begun.elapsed() < SOON, "{name} {command:?}: {refused:?}");
            assert_eq!(refused.code, Some(6), "{name} {command:?}: {refused:?}");
            let named = format!(".git/{name} {what}");
            assert!(refused.stderr.contains(&named), "{command:?}: {refused:?}");
        }
        assert_eq!(entries(&self.outside()), 0, "{name}: written outside");
    }
}

fn entries(folder: &Path) -> usize {
    fs::read_dir(folder).unwrap().count()
}

#[test]
fn a_link_inside_git_that_leads_out_is_written_through_by_nobody() {
    for name in ["refs/heads/gavel", "refs/gavel", "logs", "objects/info"] {
        let trap = Trap::new();
        let path = trap.inside(name);
        let _was_there = fs::remove_dir_all(&path);
        symlink(trap.outside(), &path).unwrap();
        trap.is_refused(name, "is a link that leads out of the git dir");
    }
    let trap = Trap::new();
    symlink(trap.outside().join("new"), trap.inside("refs/heads/new")).unwrap();
    trap.is_refused("refs/heads/new", "is a link to what is not there");
}

#[test]
fn a_pipe_in_the_place_of_a_file_of_gits_keeps_nobody_waiting() {
    for name in ["HEAD", "config", "packed-refs", "refs/heads/main"] {
        let trap = Trap::new();
        let path = trap.inside(name);
        let _was_there = fs::remove_file(&path);
        let kind = rustix::fs::FileType::Fifo;
        rustix::fs::mknodat(rustix::fs::CWD, &path, kind, rustix::fs::Mode::RWXU, 0).unwrap();
        trap.is_refused(name, "is a pipe");
    }
}

/// The twins: a linked work tree and a submodule, whose `.git` is a file that names a folder elsewhere.
#[test]
fn a_linked_work_tree_and_a_submodule_are_worked_in() {
    let trap = Trap::new();
    let project = trap.repository();
    git(&project, &["worktree", "add", "-q", "../linked"]);
    let over = project.with_file_name("over");
    fs::create_dir(&over).unwrap();
    git(&over, &["init", "-q"]);
    let add = ["-c", "protocol.file.allow=always", "submodule", "add", "-q"];
    git(&over, &[&add[..], &["../trap", "sub"]].concat());
    for folder in ["linked", "over/sub"] {
        let begun = trap.studio.run(&["-C", folder, "start", IDEA]);
        assert_eq!(begun.code, Some(3), "{folder}: {begun:?}");
        let listed = trap.studio.bench.json(&["-C", folder, "status"]);
        assert_eq!(listed["runs"][0]["state"], "waiting", "{folder}: {listed}");
    }
}
