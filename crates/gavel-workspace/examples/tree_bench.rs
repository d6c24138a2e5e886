//! Prints what it costs to restore and record a work tree around a step.
//!
//! `cargo run --release -p gavel-workspace --example tree_bench -- [FILES]`
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark that cannot be set up stops, and its figures are its purpose"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use gavel_workspace::{Author, Repository, TreeId, WorkTree, WorkTreePlace};

const ROUNDS: usize = 15;

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() {
    let files: usize = std::env::args()
        .nth(1)
        .map_or(10_000, |text| text.parse().unwrap());
    let temp = tempfile::tempdir().unwrap();
    let home = temp.path().canonicalize().unwrap();
    let tree = fill(&home, files).await;
    let base = tree.snapshot().await.unwrap();
    println!("{files} files");
    // Past the second in which everything was written, as in a run.
    tokio::time::sleep(Duration::from_millis(1100)).await;
    report(
        "first comparison after a checkout",
        &[time(tree.restore(&base)).await],
    );
    let mut parts = [const { Vec::new() }; 3];
    let mut last = base.clone();
    for round in 0..ROUNDS {
        let restored = time(tree.restore(&last)).await;
        change(tree.folder(), round);
        let start = Instant::now();
        last = tree.snapshot().await.unwrap();
        let recorded = start.elapsed();
        for (part, took) in parts
            .iter_mut()
            .zip([restored, recorded, restored + recorded])
        {
            part.push(took);
        }
    }
    let [restored, recorded, both] = parts;
    report("restore, nothing to do", &restored);
    report("record, three files changed", &recorded);
    report("both, around one step", &both);
    let mut undone = Vec::new();
    for round in 0..ROUNDS {
        change(tree.folder(), 1000 + round);
        undone.push(time(tree.restore(&last)).await);
    }
    report("restore, three files to undo", &undone);
}

fn change(folder: &Path, round: usize) {
    fs::write(folder.join("d0/e0/f0.rs"), format!("// {round}\n")).unwrap();
    fs::write(folder.join("d1/e1/f1.rs"), format!("// {round}\n")).unwrap();
    fs::write(folder.join(format!("d2/new-{round}.rs")), "// new\n").unwrap();
}

async fn fill(home: &Path, files: usize) -> WorkTree {
    // A repository made by hand: an example starts no program of its own.
    let git_dir = home.join("repository");
    for folder in ["objects", "refs"] {
        fs::create_dir_all(git_dir.join(folder)).unwrap();
    }
    fs::write(git_dir.join("HEAD"), "ref: refs/heads/main\n").unwrap();
    fs::write(
        git_dir.join("config"),
        "[core]\n\trepositoryformatversion = 0\n\tbare = true\n",
    )
    .unwrap();
    let git = ["/usr/bin/git", "/usr/local/bin/git"].map(PathBuf::from);
    let git = git.into_iter().find(|path| path.exists()).unwrap();
    let repository = Repository::open(&git, &git_dir).await.unwrap();
    let author = Author::new("Gavel", "gavel@example.org").unwrap();
    let at = "2026-11-15T12:00:00Z".parse().unwrap();
    let root = repository
        .ensure_root_commit(&author, "Begin", at)
        .await
        .unwrap();
    let folder = home.join("tree");
    let place = WorkTreePlace {
        git,
        repository: git_dir,
        folder,
    };
    let tree = WorkTree::open(
        &place,
        "01890a5d-ac96-774b-bcce-b302099a8057".parse().unwrap(),
    );
    let tree = tree.await.unwrap();
    let empty: TreeId = tree.tree_of(&root).await.unwrap();
    tree.restore(&empty).await.unwrap();
    for number in 0..files {
        let below = tree
            .folder()
            .join(format!("d{}/e{}", number % 200, number % 7));
        fs::create_dir_all(&below).unwrap();
        let text = format!("fn f{number}() {{}}\n").repeat(40);
        fs::write(below.join(format!("f{number}.rs")), text).unwrap();
    }
    tree
}

async fn time<T, E: std::fmt::Debug>(work: impl Future<Output = Result<T, E>>) -> Duration {
    let start = Instant::now();
    work.await.unwrap();
    start.elapsed()
}

fn report(what: &str, times: &[Duration]) {
    let mut times: Vec<_> = times
        .iter()
        .map(Duration::as_secs_f64)
        .map(|s| s * 1000.0)
        .collect();
    times.sort_by(f64::total_cmp);
    let median = times.get(times.len() / 2).copied().unwrap_or_default();
    let worst = times.last().copied().unwrap_or_default();
    println!("{what:40} median {median:6.1} ms   worst {worst:6.1} ms");
}
