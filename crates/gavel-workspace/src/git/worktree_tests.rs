use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use super::{RecordLimits, WorkTree, WorkTreeError, WorkTreePlace};
use crate::git::{Author, Repository};

#[tokio::test]
async fn a_pipe_in_place_of_rules_does_not_lock_the_tree() {
    let temp = tempfile::tempdir().unwrap();
    let home = temp.path().canonicalize().unwrap();
    let mut tree = empty_tree(&home.join("repository"), &home.join("tree"))
        .await
        .unwrap();
    let before = tree.snapshot().await.unwrap();
    tree.patience = Duration::from_secs(2);
    fs::create_dir(tree.folder().join("below")).unwrap();
    fs::write(tree.folder().join("below/file"), "x").unwrap();
    let pipe = tree.folder().join("below/.gitignore");
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    assert_ne!(tree.snapshot().await.unwrap(), before);
    assert!(!pipe.exists());
}

#[tokio::test]
async fn a_tree_inside_the_users_checkout_is_refused() {
    let temp = tempfile::tempdir().unwrap();
    let home = temp.path().canonicalize().unwrap();
    for (repository, folder) in [("user/.git", "user/tree"), ("bare", "bare/tree")] {
        let refused = empty_tree(&home.join(repository), &home.join(folder))
            .await
            .err()
            .unwrap();
        assert!(
            matches!(refused, WorkTreeError::BadPlace { .. }),
            "{refused:?}"
        );
    }
}

async fn empty_tree(
    git_dir: &std::path::Path,
    folder: &std::path::Path,
) -> Result<WorkTree, WorkTreeError> {
    for below in ["objects", "refs"] {
        fs::create_dir_all(git_dir.join(below)).unwrap();
    }
    fs::write(git_dir.join("HEAD"), "ref: refs/heads/main\n").unwrap();
    let config = "[core]\n\trepositoryformatversion = 0\n\tbare = true\n";
    fs::write(git_dir.join("config"), config).unwrap();
    let git = ["/usr/bin/git", "/usr/local/bin/git"].map(PathBuf::from);
    let git = git.into_iter().find(|path| path.exists()).unwrap();
    let repository = Repository::open(&git, git_dir).await.unwrap();
    let author = Author::new("Gavel", "gavel@example.org").unwrap();
    let at = "2026-11-15T12:00:00Z".parse().unwrap();
    let root = repository
        .ensure_root_commit(&author, "Begin", at)
        .await
        .unwrap();
    let place = WorkTreePlace {
        git,
        repository: git_dir.to_owned(),
        folder: folder.to_owned(),
    };
    let run = "01890a5d-ac96-774b-bcce-b302099a8057".parse().unwrap();
    let tree = WorkTree::open(&place, run).await?;
    let files = tree.tree_of(&root).await?;
    tree.restore(&files).await?;
    Ok(tree)
}

#[tokio::test]
async fn no_byte_of_a_file_that_is_too_large_is_stored() {
    let temp = tempfile::tempdir().unwrap();
    let home = temp.path().canonicalize().unwrap();
    let objects = home.join("tree.gavel/git/objects");
    let mut tree = empty_tree(&home.join("repository"), &home.join("tree"))
        .await
        .unwrap();
    let put = |name: &str, bytes: usize| {
        // What does not compress is as large in the object folder.
        let mut seed = 7_u64;
        let noise: Vec<u8> = std::iter::repeat_with(|| {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            seed.to_le_bytes()[3]
        })
        .take(bytes)
        .collect();
        fs::write(home.join("tree").join(name), noise).unwrap();
    };
    put("kept", 3_000);
    tree.snapshot().await.unwrap();
    tree.limits = RecordLimits {
        file: 20_000,
        sum: 50_000,
    };
    let stored = || size_below(&objects);
    let before = stored();
    put("kept", 30_000);
    put("large", 40_000);
    put("small", 1_000);
    let Err(WorkTreeError::TooLarge { files }) = tree.snapshot().await else {
        panic!("two files are too large");
    };
    assert_eq!(
        files
            .iter()
            .map(|file| file.name.as_str())
            .collect::<Vec<_>>(),
        ["large", "kept"]
    );
    let taken = tree.take_back_unwanted().await.unwrap().large;
    assert_eq!(taken, files);
    assert_eq!(stored(), before);
    let size = |name: &str| fs::metadata(home.join("tree").join(name)).map(|found| found.len());
    assert_eq!(size("kept").unwrap(), 3_000, "as it was recorded");
    assert!(size("large").is_err());
    // Many that are small enough alone are too much together; as many as fit stay.
    for number in 0..6 {
        put(&format!("part{number}"), 10_000);
    }
    assert_eq!(tree.take_back_unwanted().await.unwrap().large.len(), 2);
    let recorded = tree.snapshot().await.unwrap();
    assert!(stored() < before + 50_000);
    // A tree is restored over a large file without storing it.
    put("large", 40_000);
    let before = stored();
    tree.restore(&recorded).await.unwrap();
    assert_eq!(stored(), before);
    assert!(size("large").is_err());
}

fn size_below(folder: &std::path::Path) -> u64 {
    let mut sum = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        sum += match path.is_dir() {
            true => size_below(&path),
            false => path.metadata().unwrap().len(),
        };
    }
    sum
}
