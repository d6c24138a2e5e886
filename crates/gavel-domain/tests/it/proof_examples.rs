//! Examples of the facts of the proof.

use gavel_domain::{
    BaseTestsRun, ContractsCompared, Digest, ExampleExecuted, ExampleOutcome, FindingReleased,
    KeptTestsTried, NewTestsRun, TestOutcome, TestProven, WorkInspected,
};

use crate::examples::{Example, add, blob};

pub(crate) fn proof(list: &mut Vec<Example>) {
    for outcome in [
        ExampleOutcome::Held,
        ExampleOutcome::Failed,
        ExampleOutcome::NotRun,
    ] {
        add(
            list,
            ExampleExecuted {
                criterion: "note_is_listed".to_owned(),
                outcome,
                runs: 2,
                millis: 40,
                report: blob(),
            },
        );
    }
    for outcome in [
        TestOutcome::Bites,
        TestOutcome::Hollow,
        TestOutcome::Failed,
        TestOutcome::NotMeasured,
    ] {
        add(
            list,
            TestProven {
                criterion: "note_is_listed".to_owned(),
                outcome,
                faults: 4,
                caught: 3,
                millis: 210,
                test: blob(),
                report: blob(),
            },
        );
    }
    work(list);
}

fn work(list: &mut Vec<Example>) {
    let commit = Digest::of("commit").short();
    add(
        list,
        WorkInspected {
            commit: commit.clone(),
            findings: 1,
            report: blob(),
        },
    );
    add(
        list,
        BaseTestsRun {
            commit: commit.clone(),
            held: false,
            files: 3,
            executed: 12,
            failed: 1,
            report: blob(),
        },
    );
    add(
        list,
        KeptTestsTried {
            commit: commit.clone(),
            held: false,
            tried: 12,
            biting: 9,
            hollow_before: 1,
            not_measured: 1,
            millis: 2_140,
            report: blob(),
        },
    );
    add(
        list,
        NewTestsRun {
            commit: commit.clone(),
            tests: 2,
            fail_before: 1,
            report: blob(),
            not_built: 1,
        },
    );
    add(
        list,
        ContractsCompared {
            commit,
            checked: 9,
            errors: 1,
            not_checked: 4,
            report: blob(),
        },
    );
    add(
        list,
        FindingReleased {
            finding: "3f1c9a02".to_owned(),
            by: "person".to_owned(),
            reason: blob(),
        },
    );
}
