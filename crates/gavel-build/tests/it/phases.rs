//! How phases go: well, badly and mended, badly and not.

use gavel_domain::{
    AuditFinished, AuditVerdict, BranchPushed, ErrorResolved, ErrorTracked, MemoryRecalled,
    ShipHeeded, SprintPart, SprintPlanned, SprintStage, VerifyVerdict,
};
use gavel_testkit::git;

use crate::bench::{Bench, LOCK, MANIFEST};
use crate::script::{Script, calls, finds, passes, role_of, says, task_of, writes};

const RUST: [(&str, &str); 3] = [
    ("Cargo.toml", MANIFEST),
    ("Cargo.lock", LOCK),
    ("src/lib.rs", ""),
];
const RIGHT: &str = "pub fn sum(a: u32, b: u32) -> u32 { a + b }\n\
                     #[test]\nfn test_sum() { assert_eq!(sum(1, 2), 3); }\n";

/// A project whose tests take no time to build.
const PYTHON: [(&str, &str); 1] = [("README.md", "# Sums\n")];

fn python(right: bool) -> String {
    let sum = if right { 3 } else { 4 };
    format!(
        "import unittest\n\nclass Sums(unittest.TestCase):\n    def test_sum(self):\n        \
         self.assertEqual(1 + 2, {sum})\n"
    )
}

fn python_phase(right: bool) -> Script {
    Script {
        coder: vec![writes(&[("test_sums.py", &python(right))])],
        audits: vec![vec![passes()]; 3],
        ..Script::default()
    }
}

#[tokio::test]
async fn a_phase_that_goes_well_is_verified_audited_and_committed() {
    let script = Script {
        coder: vec![writes(&[("src/lib.rs", RIGHT)]), calls("run_tests", "{}")],
        audits: vec![vec![passes()]],
        ..Script::default()
    };
    let bench = Bench::new(script.model(), &RUST).await;
    let end = bench.build().await;
    assert_eq!(end.stuck, None, "{end:?}");
    assert_eq!(end.open_errors, Vec::<String>::new());
    assert_eq!(
        (end.verify.verdict, end.verify.reason.as_str(), end.audit),
        (VerifyVerdict::Passed, "all_passed", AuditVerdict::Pass)
    );
    assert!(end.tests.shows("test_sum"));

    let parts: Vec<_> = bench.facts::<SprintStage>().await;
    let parts: Vec<_> = parts.iter().map(|(_, stage)| stage.part).collect();
    let expected = [
        SprintPart::Scout,
        SprintPart::Plan,
        SprintPart::Code,
        SprintPart::Verify,
        SprintPart::Audit,
        SprintPart::Commit,
    ];
    assert_eq!(parts, expected);
    let planned = bench.facts::<SprintPlanned>().await;
    assert_eq!((planned.len(), planned[0].1.files), (1, 1));
    assert_eq!(bench.facts::<BranchPushed>().await, []);

    let branch = bench.ground.branch(bench.run);
    let checkout = bench.ground.checkout();
    assert_eq!(git(&checkout, &["rev-parse", &branch]), end.commit.as_str());
    let subject = git(&checkout, &["log", "-1", "--format=%s %P", &branch]);
    let base = bench.ground.base();
    assert_eq!(subject, format!("[gavel] phase 0: Genesis {base}"));
    assert_eq!(
        bench.committed(&end.commit),
        "Cargo.lock\nCargo.toml\nsrc/lib.rs"
    );
}

#[tokio::test]
async fn roles_get_what_they_are_promised_as_data() {
    let bench = Bench::new(python_phase(true).model(), &PYTHON).await;
    bench.build().await;
    let requests = bench.model.requests();
    for (role, sections) in [
        ("scout", vec!["phase"]),
        ("planner", vec!["phase", "scout", "files", "memory"]),
        ("coder", vec!["plan", "scout", "phase", "memory"]),
        (
            "auditor",
            vec!["verification", "changed", "phase", "memory"],
        ),
    ] {
        let of = requests.iter().find(|request| role_of(request) == role);
        let task = task_of(of.unwrap());
        assert!(task.starts_with("Phase: 0\n"), "{role}: {task}");
        for section in sections {
            let open = format!("<data source=\"{section}\">");
            assert!(task.contains(&open), "{role} has no {section}: {task}");
        }
    }
    let auditor = requests
        .iter()
        .find(|request| role_of(request) == "auditor");
    let task = task_of(auditor.unwrap());
    assert!(
        task.contains("verdict: passed (all_passed, by unittest)\n"),
        "{task}"
    );
    assert!(
        task.contains("counts: 1 executed, 1 passed, 0 failed, 0 skipped"),
        "{task}"
    );
    assert!(
        task.contains("<data source=\"changed\">\ntest_sums.py\n</data>"),
        "{task}"
    );
    assert!(task.contains("sums overflow"), "{task}");
    assert!(
        !task.contains("sixty-four"),
        "an auditor asks for what must hold: {task}"
    );
    let recalled = bench.facts::<MemoryRecalled>().await;
    let told: Vec<(&str, Vec<&str>)> = recalled
        .iter()
        .map(|(key, fact)| {
            (
                key.as_str(),
                fact.items.iter().map(String::as_str).collect(),
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            ("phase-0/plan-1/recalled", vec!["trp_1", "dec_1"]),
            ("phase-0/code-1/recalled", vec!["trp_1", "dec_1"]),
            ("phase-0/audit-1/recalled", vec!["trp_1"]),
        ]
    );
    let planner = requests
        .iter()
        .find(|request| role_of(request) == "planner");
    assert!(task_of(planner.unwrap()).contains("<data source=\"files\">\nREADME.md\n</data>"));
}

#[tokio::test]
async fn a_failing_test_is_tracked_mended_and_resolved() {
    let script = Script {
        coder: vec![writes(&[(
            "src/lib.rs",
            &RIGHT.replace("a + b", "a - a + b"),
        )])],
        audits: vec![
            vec![finds("src/lib.rs", "the sum is wrong")],
            vec![passes()],
        ],
        fixes: vec![vec![writes(&[("src/lib.rs", RIGHT), ("ROUND-1", "")])]],
    };
    let bench = Bench::new(script.model(), &RUST).await;
    let end = bench.build().await;
    assert_eq!((&end.stuck, end.open_errors.len()), (&None, 0));
    assert_eq!(end.verify.verdict, VerifyVerdict::Passed);

    let tracked = bench.facts::<ErrorTracked>().await;
    let mut found = Vec::new();
    for (key, error) in &tracked {
        assert!(key.starts_with("phase-0/round-1/found-"), "{key}");
        found.push((error.source.clone(), bench.text(error.text).await));
    }
    found.sort_unstable();
    let expected = [
        ("audit", "src/lib.rs: the sum is wrong"),
        ("verify", "the test test_sum failed"),
    ];
    let expected = expected.map(|(source, text)| (source.to_owned(), text.to_owned()));
    assert_eq!(found, expected);
    let mut gone: Vec<_> = bench.facts::<ErrorResolved>().await;
    gone.sort_by_key(|(_, resolved)| resolved.error);
    let mut errors: Vec<_> = tracked.iter().map(|(_, error)| error.error).collect();
    errors.sort_unstable();
    let resolved: Vec<_> = gone.iter().map(|(_, resolved)| resolved.error).collect();
    assert_eq!(resolved, errors);

    let requests = bench.model.requests();
    let fixer = requests.iter().find(|request| role_of(request) == "fixer");
    let task = task_of(fixer.unwrap());
    assert!(task.contains("failed tests:\n- test_sum\n"), "{task}");
    assert!(task.contains("\"message\":\"the sum is wrong\""), "{task}");
    assert!(task.contains("assertion `left == right` failed"), "{task}");
}

#[tokio::test]
async fn an_auditor_that_says_nothing_never_passes() {
    let script = Script {
        audits: vec![],
        ..python_phase(true)
    };
    let bench = Bench::new(script.model(), &PYTHON).await;
    let end = bench.build().await;
    assert_eq!(end.verify.verdict, VerifyVerdict::Passed);
    assert_eq!(end.audit, AuditVerdict::Unclear);
    assert_eq!(end.stuck.as_deref(), Some("the auditor gave no judgement"));
    let audits = bench.facts::<AuditFinished>().await;
    assert_eq!(
        (audits.len(), audits[0].1.verdict),
        (1, AuditVerdict::Unclear)
    );
}

#[tokio::test]
async fn nonsense_is_handed_back_to_the_auditor() {
    let pass_with_error = r#"{"verdict":"pass","findings":[{"file":"a","line":1,"severity":"error",
        "message":"wrong","evidence":""}]}"#;
    let script = Script {
        audits: vec![vec![
            calls("submit_audit", pass_with_error),
            calls("submit_audit", r#"{"verdict":"fail","findings":[]}"#),
            passes(),
        ]],
        ..python_phase(true)
    };
    let bench = Bench::new(script.model(), &PYTHON).await;
    let end = bench.build().await;
    assert_eq!((end.audit, &end.stuck), (AuditVerdict::Pass, &None));
}

#[tokio::test]
async fn an_auditor_cannot_pass_a_failing_test() {
    let bench = Bench::new(python_phase(false).model(), &PYTHON).await;
    let end = bench.build().await;
    assert_eq!(end.audit, AuditVerdict::Pass);
    assert_eq!(end.verify.verdict, VerifyVerdict::Failed);
    assert_eq!(
        end.open_errors,
        ["the test test_sums::Sums::test_sum failed"]
    );
    assert_eq!(end.stuck.as_deref(), Some("the repairs did not help"));
    // Nothing is lost: two rounds were tried, and the work is on the branch.
    assert_eq!(bench.facts::<AuditFinished>().await.len(), 3);
    assert_eq!(bench.facts::<ErrorTracked>().await.len(), 1);
    assert_eq!(bench.facts::<ErrorResolved>().await, []);
    assert_eq!(bench.committed(&end.commit), "README.md\ntest_sums.py");
}

#[tokio::test]
async fn a_fixer_that_gives_up_ends_the_repairs() {
    let script = Script {
        fixes: vec![vec![says("Cannot: 1 + 2 is not 4.")]],
        ..python_phase(false)
    };
    let bench = Bench::new(script.model(), &PYTHON).await;
    let end = bench.build().await;
    assert_eq!(end.stuck.as_deref(), Some("Cannot: 1 + 2 is not 4."));
    assert_eq!(bench.facts::<AuditFinished>().await.len(), 2);
}

#[tokio::test]
async fn a_criterion_without_a_test_is_an_error() {
    let other = python(true).replace("test_sum", "test_other");
    let script = Script {
        coder: vec![writes(&[("test_sums.py", &other)])],
        fixes: vec![vec![writes(&[
            ("test_sums.py", &python(true)),
            ("ROUND-1", ""),
        ])]],
        ..python_phase(true)
    };
    let bench = Bench::new(script.model(), &PYTHON).await;
    let end = bench.build().await;
    assert_eq!((&end.stuck, end.open_errors.len()), (&None, 0));
    let tracked = bench.facts::<ErrorTracked>().await;
    assert_eq!(tracked.len(), 1);
    let text = bench.text(tracked[0].1.text).await;
    assert_eq!(text, "no test named test_sum was executed");
}

#[tokio::test]
async fn without_a_recipe_nothing_is_proven() {
    let script = Script {
        coder: vec![writes(&[("notes.txt", "sums\n")])],
        ..python_phase(true)
    };
    let bench = Bench::new(script.model(), &PYTHON).await;
    let end = bench.build().await;
    assert_eq!(
        (end.verify.verdict, end.verify.reason.as_str()),
        (VerifyVerdict::Unclear, "no_recipe")
    );
    assert_eq!(end.open_errors, ["the verification is unclear: no_recipe"]);
    assert!(end.stuck.is_some());
}

#[tokio::test]
async fn a_machine_that_cannot_run_the_tests_proves_nothing_and_mends_nothing() {
    let mut bench = Bench::new(python_phase(true).model(), &PYTHON).await;
    bench.ground = bench.ground.clone().with_broken_sandbox();
    let end = bench.build().await;
    assert_eq!(
        (end.verify.verdict, end.verify.reason.as_str()),
        (VerifyVerdict::Unclear, "could_not_run")
    );
    let why = "the tests cannot be run on this machine";
    assert_eq!(end.stuck.as_deref(), Some(why));
    let told = bench.text(end.verify.output).await;
    assert!(told.contains("no-such-program"), "{told}");
    assert_eq!(bench.facts::<AuditFinished>().await.len(), 1);
}

#[tokio::test]
async fn errors_are_told_apart_from_round_to_round() {
    let wrong = python(true).replace("test_sum", "test_other");
    let script = Script {
        coder: vec![writes(&[("test_sums.py", &python(false))])],
        audits: vec![
            vec![passes()],
            vec![finds("", "ROUND-1 is bad")],
            vec![passes()],
        ],
        fixes: vec![
            vec![writes(&[("test_sums.py", &wrong), ("ROUND-1", "")])],
            vec![writes(&[("test_sums.py", &python(false)), ("ROUND-2", "")])],
        ],
    };
    let bench = Bench::new(script.model(), &PYTHON).await;
    let end = bench.build().await;
    let failed = "the test test_sums::Sums::test_sum failed";
    assert_eq!(end.open_errors, [failed]);
    let mut story = Vec::new();
    for (key, error) in bench.facts::<ErrorTracked>().await {
        let round = key.split('/').nth(1).unwrap().to_owned();
        story.push((round, bench.text(error.text).await));
    }
    story.sort_unstable();
    let expected = [
        ("round-1", failed),
        ("round-2", "ROUND-1 is bad"),
        ("round-2", "no test named test_sum was executed"),
        ("round-3", failed),
    ];
    let expected = expected.map(|(round, text)| (round.to_owned(), text.to_owned()));
    assert_eq!(story, expected);
    let gone = bench.facts::<ErrorResolved>().await;
    let in_round = |round: &str| gone.iter().filter(|(key, _)| key.contains(round)).count();
    assert_eq!((in_round("round-2"), in_round("round-3")), (1, 2));
}

#[tokio::test]
async fn a_contract_that_a_command_changed_is_put_back() {
    let contract = ".gavel/contracts/stack.md";
    // The file tools do not write there, but a command may try.
    let copy = format!(r#"{{"command":"cp test_sums.py {contract}"}}"#);
    let script = Script {
        coder: vec![
            writes(&[("test_sums.py", &python(true))]),
            calls("run_command", &copy),
        ],
        ..python_phase(true)
    };
    let bench = Bench::new(script.model(), &[(contract, "theirs\n")]).await;
    let end = bench.build().await;
    assert_eq!(end.open_errors, Vec::<String>::new());
    let committed = format!("{}:{contract}", end.commit);
    let kept = git(&bench.ground.checkout(), &["show", &committed]);
    assert_eq!(kept.trim(), "theirs");
}

#[tokio::test]
async fn who_asks_to_ship_waits_for_no_repairs() {
    let bench = Bench::new(python_phase(false).model(), &PYTHON).await;
    let ship = gavel_store::InboxKind::Ship;
    let mailbox = bench.bed.mailbox();
    mailbox.control(bench.run, ship).await.unwrap();
    let end = bench.build().await;
    let why = "shipping was asked for before it was repaired";
    assert_eq!(end.stuck.as_deref(), Some(why));
    let heeded = bench.facts::<ShipHeeded>().await;
    assert_eq!((heeded.len(), heeded[0].1.asked), (1, true));
    assert_eq!(bench.facts::<AuditFinished>().await.len(), 1);
    // What was recorded holds in another drive.
    bench.model.forbid_requests();
    assert_eq!(bench.build().await.stuck.as_deref(), Some(why));
}
