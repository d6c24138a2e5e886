//! The verification that counts, and the push.

use gavel_build::verify_commit;
use gavel_domain::{
    BranchPushed, CommandFinished, PushRefusal, PushState, VerifyFinished, VerifyVerdict,
};
use gavel_testkit::git;

use crate::bench::{Bench, LOCK, MANIFEST, judged};
use crate::script::{Script, passes, writes};

const LIB: &str = "#[test]\nfn test_sum() { assert_eq!(1 + 2, 3); }\n#[test]\n\
                   fn hidden() { assert!(std::path::Path::new(\"ignored.txt\").exists()); }\n";
const RUST: [(&str, &str); 4] = [
    ("Cargo.toml", MANIFEST),
    ("Cargo.lock", LOCK),
    (".gitignore", "ignored.txt\ntarget/\n"),
    ("src/lib.rs", ""),
];
const TEST: &str = "import unittest\n\nclass Sums(unittest.TestCase):\n    def test_sum(self):\n        \
                    self.assertEqual(1 + 2, 3)\n";

fn script(files: &[(&str, &str)]) -> Script {
    Script {
        coder: vec![writes(files)],
        audits: vec![vec![passes()]; 3],
        ..Script::default()
    }
}

/// What lies in an ignored file of the work tree is not in the commit.
#[tokio::test]
async fn only_what_is_committed_counts() {
    let files = [("src/lib.rs", LIB), ("ignored.txt", "")];
    let bench = Bench::new(script(&files).model(), &RUST).await;
    let verified = async || {
        bench
            .drive(async |run, site| {
                let end = bench.ground.build(run, site).await?;
                let scope = run.scope("gate", 1)?;
                let seen = Box::pin(verify_commit(run, &scope, site, judged(&end.commit))).await?;
                Ok((end, seen))
            })
            .await
    };
    let (end, seen) = verified().await;
    assert_eq!(end.verify.verdict, VerifyVerdict::Passed, "{end:?}");
    assert_eq!(
        (seen.fact.verdict, seen.fact.passed, seen.fact.failed),
        (VerifyVerdict::Failed, 1, 1)
    );
    assert!(seen.tests.shows("test_sum") && seen.tests.failed.contains("hidden"));
    let tree = format!("{}^{{tree}}", end.commit);
    let tree = git(&bench.ground.checkout(), &["rev-parse", &tree]);
    assert_eq!(seen.fact.tree, Some(tree));
    assert_eq!(seen.commands.len(), 1);
    let ran = &seen.commands[0];
    assert_eq!((ran.recipe.as_str(), ran.exit), ("cargo", Some(101)));
    assert_eq!(ran.argv[..2], ["cargo", "test"]);
    assert!(
        ran.output.contains("test test_sum ... ok"),
        "{}",
        ran.output
    );

    let commands = bench.facts::<CommandFinished>().await;
    assert_eq!((commands.len(), commands[0].1.exit), (1, Some(101)));
    assert_eq!(commands[0].0, "gate-1/command-1");
    assert_eq!(commands[0].1.output.digest, ran.output_digest());
    assert_eq!(bench.facts::<VerifyFinished>().await.len(), 2);
    // Of the checkout the files of the commit stay, for the next one; nothing that was built does.
    let left = |folder: &str| -> Vec<String> {
        let entries = std::fs::read_dir(bench.ground.beside().join(folder)).unwrap();
        let mut names: Vec<_> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    };
    assert_eq!(left("fresh"), ["tree"]);
    assert_eq!(
        left("fresh/tree"),
        [".gitignore", "Cargo.lock", "Cargo.toml", "src"]
    );

    // Everything can be read again, and nothing is run.
    bench.model.forbid_requests();
    assert_eq!(verified().await, (end, seen));
    assert_eq!(left("fresh"), ["tree"]);
}

#[tokio::test]
async fn what_a_dead_drive_left_is_cleared_away() {
    let bench = Bench::new(script(&[]).model(), &[("test_sums.py", TEST)]).await;
    let left = bench.ground.beside().join("fresh/tree");
    std::fs::create_dir_all(&left).unwrap();
    std::fs::write(left.join("test_bad.py"), "not python(").unwrap();
    let base = bench.ground.base();
    let seen = bench
        .drive(async |run, site| {
            let scope = run.scope("gate", 1)?;
            Box::pin(verify_commit(run, &scope, site, judged(&base))).await
        })
        .await;
    assert_eq!(seen.fact.verdict, VerifyVerdict::Passed, "{seen:?}");
    assert!(seen.tests.shows("test_sum"));
}

#[tokio::test]
async fn every_recipe_that_fits_must_pass() {
    let node = "const test = require('node:test');\ntest('in_node', () => {});\n";
    let files = [
        ("test_sums.py", TEST),
        ("package.json", "{}"),
        ("a.test.js", node),
    ];
    let bench = Bench::new(script(&[]).model(), &files).await;
    let base = bench.ground.base();
    let seen = bench
        .drive(async |run, site| {
            let scope = run.scope("gate", 1)?;
            Box::pin(verify_commit(run, &scope, site, judged(&base))).await
        })
        .await;
    assert_eq!(seen.fact.recipe, "node_test+unittest");
    assert_eq!(
        (seen.fact.verdict, seen.fact.passed),
        (VerifyVerdict::Passed, 2)
    );
    assert!(seen.tests.shows("in_node") && seen.tests.shows("test_sum"));
    assert_eq!(bench.facts::<CommandFinished>().await.len(), 2);
}

#[tokio::test]
async fn a_commit_without_tests_proves_nothing() {
    let bench = Bench::new(script(&[]).model(), &[("README.md", "")]).await;
    let base = bench.ground.base();
    let seen = bench
        .drive(async |run, site| {
            let scope = run.scope("gate", 1)?;
            Box::pin(verify_commit(run, &scope, site, judged(&base))).await
        })
        .await;
    assert_eq!(
        (seen.fact.verdict, seen.fact.reason.as_str()),
        (VerifyVerdict::Unclear, "no_recipe")
    );
    assert!(seen.commands.is_empty() && seen.tests.is_empty());
}

#[tokio::test]
async fn the_branch_is_pushed_to_the_remote_and_nothing_else() {
    let mut bench = Bench::new(
        script(&[("test_sums.py", TEST)]).model(),
        &[("README.md", "")],
    )
    .await;
    bench.ground = bench.ground.clone().with_remote();
    let end = bench.build().await;
    let pushed = bench.facts::<BranchPushed>().await;
    assert_eq!(pushed.len(), 1);
    assert_eq!(
        (pushed[0].1.commit.as_str(), pushed[0].1.failed),
        (end.commit.as_str(), None)
    );
    let refs = git(
        &bench.ground.bare(),
        &["for-each-ref", "--format=%(objectname) %(refname:short)"],
    );
    let branch = bench.ground.branch(bench.run);
    let base = bench.ground.base();
    assert_eq!(refs, format!("{} {branch}\n{base} main", end.commit));
}

#[tokio::test]
async fn a_push_that_fails_is_on_record_and_the_run_goes_on() {
    let mut bench = Bench::new(
        script(&[("test_sums.py", TEST)]).model(),
        &[("README.md", "")],
    )
    .await;
    bench.ground = bench.ground.clone().with_lost_remote();
    let end = bench.build().await;
    assert_eq!(end.stuck, None);
    let pushed = bench.facts::<BranchPushed>().await;
    let why = bench.text(pushed[0].1.failed.unwrap()).await;
    assert!(why.contains("nowhere.git"), "{why}");
    assert_eq!(pushed[0].1.state(), PushState::Failed);
}

#[tokio::test]
async fn a_remote_that_nobody_agreed_to_gets_nothing_and_that_is_on_record() {
    let mut bench = Bench::new(
        script(&[("test_sums.py", TEST)]).model(),
        &[("README.md", "")],
    )
    .await;
    bench.ground = bench.ground.clone().with_unasked_remote();
    let end = bench.build().await;
    assert_eq!(end.stuck, None);
    let pushed = bench.facts::<BranchPushed>().await;
    assert_eq!(
        (pushed[0].1.withheld, pushed[0].1.state()),
        (Some(PushRefusal::Unasked), PushState::NotAgreed)
    );
    let why = bench.text(pushed[0].1.failed.unwrap()).await;
    assert!(why.contains("push.remotes"), "{why}");
    let refs = git(
        &bench.ground.bare(),
        &["for-each-ref", "--format=%(refname)"],
    );
    assert_eq!(refs, "refs/heads/main");
}
