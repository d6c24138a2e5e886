use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;

use gavel_testkit::git;

use super::*;

/// A repository with a commit, a tag and a packed branch, and a folder beside it.
struct Ground {
    folder: tempfile::TempDir,
}

impl Ground {
    fn new() -> Self {
        let ground = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        let repository = ground.at("repository");
        fs::create_dir(&repository).unwrap();
        fs::create_dir(ground.at("outside")).unwrap();
        git(&repository, &["init", "-q", "-b", "main"]);
        fs::write(repository.join("file"), "text\n").unwrap();
        git(&repository, &["add", "-A"]);
        git(&repository, &["commit", "-qm", "first"]);
        git(&repository, &["tag", "first"]);
        ground
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    fn inside(&self, name: &str) -> PathBuf {
        self.at("repository/.git").join(name)
    }

    /// What is found wrong with the repository.
    fn judged(&self) -> Option<(PathBuf, UnsoundKind)> {
        match GitDir::find(&self.at("repository")) {
            Ok(_) => None,
            Err(RepositoryError::Unsound(unsound)) => Some((unsound.path, unsound.kind)),
            Err(other) => panic!("{other:?}"),
        }
    }
}

fn remove(path: &Path) {
    match kind_of(path) {
        Some(kind) if kind.is_dir() => fs::remove_dir_all(path).unwrap(),
        Some(_) => fs::remove_file(path).unwrap(),
        None => fs::create_dir_all(path.parent().unwrap()).unwrap(),
    }
}

fn pipe(path: &Path) {
    let kind = rustix::fs::FileType::Fifo;
    rustix::fs::mknodat(rustix::fs::CWD, path, kind, rustix::fs::Mode::RWXU, 0).unwrap();
}

#[test]
fn a_repository_a_work_tree_and_a_submodule_are_sound() {
    let ground = Ground::new();
    assert_eq!(ground.judged(), None);
    let repository = ground.at("repository");
    git(&repository, &["pack-refs", "--all"]);
    git(&repository, &["gc", "-q"]);
    assert_eq!(ground.judged(), None);
    git(&repository, &["worktree", "add", "-q", "../linked"]);
    let linked = GitDir::find(&ground.at("linked")).unwrap();
    assert_eq!(linked.layout, Layout::LinkedWorkTree);
    assert_eq!(linked.common_dir, ground.inside(""));
    assert_eq!(own_git_dir(&ground.at("linked")), Some(ground.inside("")));
    let over = ground.at("over");
    fs::create_dir(&over).unwrap();
    git(&over, &["init", "-q"]);
    let add = ["-c", "protocol.file.allow=always", "submodule", "add", "-q"];
    git(&over, &[&add[..], &["../repository", "sub"]].concat());
    let sub = GitDir::find(&over.join("sub")).unwrap();
    assert_eq!(sub.git_dir, over.join(".git/modules/sub"));
    // Links that stay inside are git's own business.
    git(&repository, &["branch", "other"]);
    symlink("other", ground.inside("refs/heads/alias")).unwrap();
    assert_eq!(ground.judged(), None);
    // A server's socket beside git's files is no file of git's.
    let _socket = UnixListener::bind(ground.inside("fsmonitor--daemon.ipc")).unwrap();
    assert_eq!(ground.judged(), None);
}

#[test]
fn nothing_but_a_file_stands_in_the_place_of_a_file() {
    let names = [
        "HEAD",
        "config",
        "config.worktree",
        "index",
        "packed-refs",
        "shallow",
        "commondir",
        "info/exclude",
        "info/attributes",
        "logs/HEAD",
        "refs/heads/main",
        "refs/heads/new",
        "objects/info/alternates",
        "objects/pack/pack-1.idx",
        "objects/ab/cd",
    ];
    for name in names {
        let ground = Ground::new();
        let path = ground.inside(name);
        remove(&path);
        pipe(&path);
        let found = Some((path.clone(), UnsoundKind::Pipe));
        assert_eq!(ground.judged(), found, "{name}");
        remove(&path);
        symlink(ground.at("outside"), &path).unwrap();
        let found = Some((path.clone(), UnsoundKind::LeadsOut));
        assert_eq!(ground.judged(), found, "{name}");
        remove(&path);
        symlink(ground.at("outside/not-yet"), &path).unwrap();
        let found = Some((path.clone(), UnsoundKind::LeadsNowhere));
        assert_eq!(ground.judged(), found, "{name}");
    }
}

#[test]
fn nothing_but_a_folder_stands_in_the_place_of_a_folder() {
    for name in [
        "objects",
        "refs",
        "info",
        "logs",
        "refs/heads",
        "objects/pack",
        "logs/refs",
    ] {
        let ground = Ground::new();
        let path = ground.inside(name);
        fs::rename(&path, ground.at("outside/moved")).unwrap();
        symlink(ground.at("outside/moved"), &path).unwrap();
        let found = Some((path.clone(), UnsoundKind::LeadsOut));
        assert_eq!(ground.judged(), found, "{name}");
    }
    let ground = Ground::new();
    let path = ground.inside("refs");
    remove(&path);
    fs::write(&path, "").unwrap();
    assert_eq!(ground.judged(), Some((path, UnsoundKind::File)));
    let ground = Ground::new();
    let path = ground.inside("config");
    remove(&path);
    fs::create_dir(&path).unwrap();
    assert_eq!(ground.judged(), Some((path, UnsoundKind::Folder)));
}

#[test]
fn the_git_dir_of_another_checkout_is_reached_by_no_name() {
    let ground = Ground::new();
    let hostile = ground.at("hostile");
    fs::create_dir(&hostile).unwrap();
    let text = format!("gitdir: {}\n", ground.inside("").display());
    fs::write(hostile.join(".git"), text).unwrap();
    let found = GitDir::find(&hostile);
    assert!(
        matches!(found, Err(RepositoryError::Foreign { .. })),
        "{found:?}"
    );
    remove(&hostile.join(".git"));
    symlink(ground.inside(""), hostile.join(".git")).unwrap();
    let found = GitDir::find(&hostile);
    assert!(
        matches!(found, Err(RepositoryError::Unsound(_))),
        "{found:?}"
    );
    remove(&hostile.join(".git"));
    pipe(&hostile.join(".git"));
    let found = GitDir::find(&hostile);
    assert!(
        matches!(found, Err(RepositoryError::Unsound(_))),
        "{found:?}"
    );
}
