use std::time::Duration;

use super::*;
use crate::{
    Argv, Confinement, NodeInstall, NodeManager, Output, PythonInstall, ScriptRunner, TestFolder,
};

const CARGO: Recipe = Recipe::Cargo { locked: true };
const NPM: Recipe = Recipe::NodeScript {
    manager: NodeManager::Npm,
    install: NodeInstall::Nothing,
    runner: ScriptRunner::Unknown,
};
const PYTEST: Recipe = Recipe::Pytest {
    install: PythonInstall::Runner,
};

const UNITTEST: Recipe = Recipe::Unittest {
    folder: TestFolder::Root,
};

macro_rules! recorded {
    ($name:literal) => {
        include_str!(concat!("recorded/", $name, ".txt"))
    };
}

fn reason(recipe: &Recipe, exit: Exit, text: &str, cut_bytes: u64) -> VerifyReason {
    let outcome = CommandOutcome {
        exit,
        output: Output {
            text: text.to_owned(),
            total_bytes: text.len() as u64 + cut_bytes,
            cut_bytes,
            replaced_bytes: false,
        },
        confinement: Confinement::absent(Vec::new()),
        elapsed: Duration::ZERO,
        open_network: false,
        hosts: Vec::new(),
        refused: Vec::new(),
    };
    judge(recipe, Closings::of(recipe, false), &outcome).reason
}

#[test]
fn exit_code_and_counts_must_agree() {
    use VerifyReason as R;
    let code = Exit::Code;
    let passed = recorded!("cargo_pass");
    let failed = recorded!("cargo_fail");
    for (recipe, exit, text, expected) in [
        (CARGO, code(0), passed, R::AllPassed),
        (CARGO, code(101), passed, R::ExitNonzero),
        (CARGO, code(101), failed, R::TestsFailed),
        (CARGO, code(0), failed, R::FailedDespiteExitZero),
        (
            CARGO,
            code(0),
            recorded!("cargo_filtered"),
            R::NoTestExecuted,
        ),
        (CARGO, code(101), recorded!("cargo_broken"), R::DidNotRun),
        (CARGO, code(0), "all good, believe me", R::OutputUnread),
        (CARGO, Exit::Signal(11), passed, R::EndedBySignal),
        (CARGO, Exit::Deadline, passed, R::Deadline),
        (CARGO, Exit::Memory, passed, R::Limit),
        (CARGO, Exit::Tasks, passed, R::Limit),
        (CARGO, Exit::Flood, passed, R::Limit),
        (CARGO, Exit::Disk { allowed: 1 }, passed, R::DiskCap),
        (NPM, code(0), recorded!("node_pass"), R::AllPassed),
        (NPM, code(0), recorded!("vitest_pass"), R::AllPassed),
        (NPM, code(0), recorded!("jest_pass"), R::AllPassed),
        (NPM, code(0), recorded!("mocha_pass"), R::AllPassed),
        (NPM, code(1), recorded!("vitest_none"), R::NoTestExecuted),
        (NPM, code(1), recorded!("jest_none"), R::NoTestExecuted),
        (NPM, code(1), recorded!("vitest_import"), R::TestsFailed),
        (NPM, code(1), recorded!("jest_import"), R::TestsFailed),
        (NPM, code(1), recorded!("npm_default"), R::DidNotRun),
        (NPM, code(0), recorded!("node_none"), R::NoTestExecuted),
        (PYTEST, code(5), recorded!("pytest_none"), R::NoTestExecuted),
        (PYTEST, code(2), recorded!("pytest_import"), R::TestsFailed),
        (
            UNITTEST,
            code(0),
            recorded!("unittest_none"),
            R::NoTestExecuted,
        ),
        (
            UNITTEST,
            code(5),
            recorded!("unittest_none313"),
            R::NoTestExecuted,
        ),
        (UNITTEST, code(0), recorded!("unittest_pass"), R::AllPassed),
    ] {
        assert_eq!(reason(&recipe, exit, text, 0), expected, "{exit:?} {text}");
    }
}

#[test]
fn a_cut_output_cannot_prove_a_pass_but_shows_a_failure() {
    let cut = 1000;
    let passed = reason(&CARGO, Exit::Code(0), recorded!("cargo_pass"), cut);
    assert_eq!(passed, VerifyReason::OutputCut);
    let failed = reason(&CARGO, Exit::Code(101), recorded!("cargo_fail"), cut);
    assert_eq!(failed, VerifyReason::TestsFailed);
}

#[test]
fn only_a_pass_is_a_pass() {
    use VerifyReason as R;
    let all = [
        R::AllPassed,
        R::TestsFailed,
        R::FailedDespiteExitZero,
        R::ExitNonzero,
        R::DidNotRun,
        R::EndedBySignal,
        R::InstallFailed,
        R::NoTestExecuted,
        R::OutputUnread,
        R::OutputCut,
        R::Deadline,
        R::Limit,
        R::SmokeFailed,
        R::SmokeNotRun,
    ];
    let passes = all.map(|reason| reason.verdict() == VerifyVerdict::Passed);
    assert_eq!(passes.iter().filter(|pass| **pass).count(), 1);
    let codes: std::collections::BTreeSet<_> = all.map(VerifyReason::code).into();
    assert_eq!(codes.len(), all.len());
}

#[test]
fn several_runners_in_one_output_add_up() {
    let text = [recorded!("node_pass"), recorded!("vitest_fail")].concat();
    let outcome = CommandOutcome {
        exit: Exit::Code(1),
        output: Output {
            text,
            total_bytes: 0,
            cut_bytes: 0,
            replaced_bytes: false,
        },
        confinement: Confinement::absent(Vec::new()),
        elapsed: Duration::ZERO,
        open_network: false,
        hosts: Vec::new(),
        refused: Vec::new(),
    };
    let judgement = judge(&NPM, Closings::of(&NPM, false), &outcome);
    let expected = Counts {
        passed: 4,
        failed: 1,
        skipped: 4,
    };
    assert_eq!(judgement.counts, expected);
    assert_eq!(
        (judgement.counts.executed(), judgement.reason.code()),
        (5, "tests_failed")
    );
    // A script that calls one runner closes once; the other lines are a test's.
    let one = judge(&NPM, Closings::of(&NPM, true), &outcome).counts;
    assert!(one.passed < 4 && one.failed == 1, "{one:?}");
}

#[test]
fn only_suites_of_several_binaries_packages_or_commands_close_several_times() {
    let node = Recipe::NodeTest {
        manager: NodeManager::Npm,
        install: NodeInstall::Nothing,
    };
    for (recipe, calls_one, expected) in [
        (&CARGO, true, Closings::Several),
        (&Recipe::Go, true, Closings::Several),
        (&NPM, true, Closings::One),
        (&NPM, false, Closings::Several),
        (&node, true, Closings::One),
        (&PYTEST, true, Closings::One),
        (&UNITTEST, false, Closings::One),
    ] {
        assert_eq!(Closings::of(recipe, calls_one), expected, "{recipe:?}");
    }
}

#[test]
fn any_runner_is_read_where_the_command_may_call_any() {
    let own = Recipe::Own {
        install: Vec::new(),
        test: Argv::new(["./check"]).unwrap(),
    };
    let make = Recipe::Make { target: "test" };
    for recipe in [own, make] {
        for (code, text, expected) in [
            (0, recorded!("cargo_pass"), VerifyReason::AllPassed),
            (0, recorded!("pytest_pass"), VerifyReason::AllPassed),
            (0, recorded!("go_pass"), VerifyReason::AllPassed),
            (1, recorded!("bun_fail"), VerifyReason::TestsFailed),
            (0, "all is well\n", VerifyReason::OutputUnread),
            (2, "make: *** [test] Error 1\n", VerifyReason::DidNotRun),
        ] {
            let seen = reason(&recipe, Exit::Code(code), text, 0);
            assert_eq!(seen, expected, "{text}");
        }
    }
    let go = [
        (0, recorded!("go_pass"), VerifyReason::AllPassed),
        (1, recorded!("go_fail"), VerifyReason::TestsFailed),
        (1, recorded!("go_broken"), VerifyReason::TestsFailed),
    ];
    for (code, text, expected) in go {
        assert_eq!(reason(&Recipe::Go, Exit::Code(code), text, 0), expected);
    }
}

#[test]
fn an_end_that_a_test_printed_adds_no_tests_and_hides_no_failure() {
    let count = |passed, failed| Counts {
        passed,
        failed,
        skipped: 0,
    };
    for (closings, expected) in [
        (vec![], count(0, 0)),
        (vec![count(3, 0)], count(3, 0)),
        (vec![count(14, 0), count(3, 0)], count(3, 0)),
        (vec![count(2, 1), count(14, 0)], count(2, 1)),
    ] {
        assert_eq!(of_one_run(&closings), expected, "{closings:?}");
    }
}
