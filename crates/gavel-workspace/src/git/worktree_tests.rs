use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use super::{WorkTree, WorkTreeError, WorkTreePlace};
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
