use std::sync::Arc;
use std::time::Duration;

use gavel_domain::{Caps, CommandFinished, Digest, RunId, RunState, SandboxLevel, SealSigned, Seq};
use gavel_run::{DriveEnd, Engine, Run, RunError, StopHandle, SystemClock, Tree};
use gavel_store::Store;
use gavel_testkit::{
    DeadlyStore, Killer, STRICT, ScriptedModel, TEST_PRICE, TestBed, git, git_program, models_with,
    open_store, text_reply,
};
use gavel_workspace::{BranchPrefix, CommitId, Repository, WorkTree, WorkTreePlace};

use super::super::sample::{BRANCH, CONTRACT, SCHEMA, statement};
use super::super::{SealCheck, SealKey, SealStatement, SignerStanding, seal_file, verify_seal};
use super::{SealMade, SealWork, commit_seal};

/// A build branch that waits for its seal; its project ignores everything of Gavel's.
struct World {
    bed: TestBed,
    run: RunId,
    judged: CommitId,
    /// What the product says otherwise than the sample.
    altered: fn(&mut SealStatement),
}

fn model() -> ScriptedModel {
    ScriptedModel::by_rule(|_| Ok(text_reply("unasked")))
}

impl World {
    async fn new() -> Self {
        let bed = TestBed::new(model()).await;
        let checkout = bed.folder().join("checkout");
        std::fs::create_dir_all(checkout.join(".gavel/contracts")).unwrap();
        std::fs::write(checkout.join(".gitignore"), ".gavel/\n*.json\n").unwrap();
        std::fs::write(checkout.join(CONTRACT), SCHEMA).unwrap();
        let do_git = |args: &[&str]| git(&checkout, args);
        do_git(&["init", "-q", "-b", "main"]);
        do_git(&["commit", "-q", "--allow-empty", "-m", "begin"]);
        do_git(&["checkout", "-q", "-b", BRANCH]);
        do_git(&["add", "-f", "."]);
        do_git(&["commit", "-q", "-m", "phase 1"]);
        let judged = do_git(&["rev-parse", "HEAD"]).parse().unwrap();
        do_git(&["checkout", "-q", "main"]);
        let run = bed.start(Caps::default()).await;
        let altered = |_: &mut SealStatement| ();
        Self {
            bed,
            run,
            judged,
            altered,
        }
    }

    /// What the product does: opens the tree, does something in it, seals with the key that it has.
    async fn seal(&self, run: &Run, key: &SealKey) -> Result<SealMade, RunError> {
        let place = WorkTreePlace {
            git: git_program(),
            repository: self.bed.folder().join("checkout/.git"),
            folder: self.bed.folder().join("work/tree"),
        };
        let tree = WorkTree::open(&place, run.id()).await.unwrap();
        let judged = tree.tree_of(&self.judged).await.unwrap();
        run.open_tree(&tree, &judged).await?;
        let scope = run.scope("seal", 1)?;
        // The last verification left files behind, which are no part of what was judged.
        let folder = tree.folder().to_owned();
        let at = run
            .step(scope.key("verify")?, Tree::new(&tree), &(), |blobs| {
                std::fs::write(folder.join("left-over.txt"), "x").unwrap();
                let argv = blobs.keep("[]");
                async move {
                    Ok(CommandFinished {
                        argv,
                        exit: Some(0),
                        output: argv,
                        level: SandboxLevel::None,
                        millis: 1,
                    })
                }
            })
            .await?
            .at;
        let branch = BranchPrefix::default().build("1").unwrap();
        let mut stated = statement(&judged, self.judged.as_str(), key);
        (self.altered)(&mut stated);
        let work = SealWork {
            tree: &tree,
            branch: &branch,
            judged: &self.judged,
            parent: &self.judged,
            number: 1,
            statement: &stated,
            key,
            at,
        };
        commit_seal(run, &scope, work).await
    }

    /// One process with a key of its own: drives, and dies when the killer strikes.
    fn live(&self, killer: &Killer, deadly: bool) -> Option<Result<DriveEnd, RunError>> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let end = runtime.block_on(async {
            let store: Arc<dyn Store> = open_store(&self.bed.state()).await;
            let store: Arc<dyn Store> = if deadly {
                Arc::new(DeadlyStore::new(store, killer.clone()))
            } else {
                store
            };
            let models = Arc::new(models_with(model(), Some(TEST_PRICE)));
            let engine = Engine::new(store, models, Arc::new(SystemClock), ("test", "test"));
            let key = SealKey::generate().unwrap().1;
            let work = engine.drive(self.run, STRICT, StopHandle::new(), async |run| {
                self.seal(&run, &key).await.map(drop)
            });
            tokio::select! {
                biased;
                () = killer.strikes() => None,
                end = work => Some(end),
            }
        });
        runtime.shutdown_timeout(Duration::from_secs(5));
        end
    }

    /// The recorded seal, and what a stranger's check says about the branch.
    async fn outcome(&self) -> (SealSigned, SealCheck) {
        let records = self.bed.store().records(self.run, Seq::ZERO, 1_000).await;
        let records = records.unwrap();
        let signed: Vec<_> = records
            .iter()
            .filter(|record| record.kind == "seal_signed")
            .collect();
        assert_eq!(signed.len(), 1);
        let checkout = self.bed.folder().join("checkout");
        let repository = Repository::open(&git_program(), &checkout).await.unwrap();
        let branches = repository.branches().await.unwrap();
        let tip = branches.iter().find(|tip| tip.branch() == BRANCH).unwrap();
        let check = verify_seal(&repository, tip, crate::ReadersKeys::default())
            .await
            .unwrap();
        (signed[0].read().unwrap(), check)
    }

    fn git(&self, args: &[&str]) -> String {
        git(&self.bed.folder().join("checkout"), args)
    }
}

/// Nothing but the seal is in its commit: no left-over, and the seal itself although it is ignored.
async fn holds(world: &World) {
    let (signed, check) = world.outcome().await;
    assert_eq!(check.problems, []);
    assert_eq!(check.signer, SignerStanding::Unknown);
    assert_eq!(check.key.unwrap().id(), signed.key);
    assert_eq!(signed.verdict, "conditional");
    let stat = ["diff", "--name-status", "main..gavel/build-1"];
    let changed = world.git(&[&stat[..], &["--", ".gavel/seal"]].concat());
    assert_eq!(changed, format!("A\t{}", seal_file("1")));
    let log = world.git(&["log", "--format=%an %s", "main..gavel/build-1"]);
    assert_eq!(log, "gavel [gavel] seal: conditional\nTest phase 1");
    let place = format!("gavel/build-1:{}", seal_file("1"));
    let envelope = world.git(&["show", &place]) + "\n";
    assert_eq!(Digest::of(envelope), signed.envelope.digest);
}

#[tokio::test]
async fn the_seal_is_all_that_its_commit_adds() {
    let world = World::new().await;
    let key = SealKey::generate().unwrap().1;
    let end = world
        .bed
        .drive(world.run, async |run| {
            let made = world.seal(&run, &key).await?;
            assert_eq!(made.signed.key, key.public().id());
            assert_eq!(made.commit.branch, BRANCH);
            Ok(())
        })
        .await;
    assert_eq!(end.unwrap(), DriveEnd::Through(RunState::Running));
    holds(&world).await;
    // Another drive, with another key, signs nothing.
    let tip = world.git(&["rev-parse", BRANCH]);
    let other = SealKey::generate().unwrap().1;
    let again = world
        .bed
        .drive(world.run, async |run| {
            let made = world.seal(&run, &other).await?;
            assert_eq!(made.signed.key, key.public().id());
            Ok(())
        })
        .await;
    assert_eq!(again.unwrap(), DriveEnd::Through(RunState::Running));
    assert_eq!(world.git(&["rev-parse", BRANCH]), tip);
}

#[test]
fn a_run_killed_around_every_fact_has_one_seal_that_holds() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let world = runtime.block_on(World::new());
    let killer = Killer::new();
    let end = (0..100).find_map(|_| world.live(&killer, true)).unwrap();
    assert_eq!(end.unwrap(), DriveEnd::Through(RunState::Running));
    assert!(killer.count() >= 6, "{} deaths", killer.count());
    runtime.block_on(holds(&world));
}

#[tokio::test]
async fn what_would_not_verify_is_not_sealed() {
    let world = World {
        altered: |stated| stated.predicate.score = 999,
        ..World::new().await
    };
    let key = SealKey::generate().unwrap().1;
    let drive = world.bed.drive(world.run, async |run| {
        let refused = world.seal(&run, &key).await.unwrap_err().to_string();
        assert!(refused.contains("contradict itself"), "{refused}");
        Ok(())
    });
    drive.await.unwrap();
    let tip = world.git(&["rev-parse", BRANCH]);
    assert_eq!(tip, world.judged.as_str());
}
