//! Outputs of the real tools where they were at hand; the other tables are written by hand.

use super::*;

macro_rules! recorded {
    ($name:literal) => {
        include_str!(concat!("recorded/", $name, ".txt"))
    };
}

const LLVM: &str = "Filename    Regions    Missed Regions     Cover   Functions  Missed Functions  \
    Executed       Lines      Missed Lines     Cover    Branches   Missed Branches     Cover\n\
    ---\nlib.rs   12   3   75.00%   4   1   75.00%   20   3   85.19%   0   0   -\n---\n\
    TOTAL   12   3   75.00%   4   1   75.00%   20   3   85.19%   0   0   -\n";

#[test]
fn every_tool_is_read_in_its_own_table() {
    for (output, expected) in [
        (recorded!("coverage_vitest"), Some(1000)),
        (recorded!("jest_verbose"), Some(750)),
        (recorded!("coverage_summary"), Some(1000)),
        (recorded!("coverage_node"), Some(1000)),
        (recorded!("coverage_pytest"), Some(750)),
        (recorded!("coverage_pytest_branch"), Some(670)),
        // 66.7, 0 and 100 of three packages.
        (recorded!("go_pass"), Some(555)),
        (LLVM, Some(851)),
        (
            "12.05% coverage, 10/83 lines covered, +0.00% change\n",
            Some(120),
        ),
    ] {
        assert_eq!(coverage(output), expected, "{output}");
    }
}

#[test]
fn a_measured_zero_is_zero_and_a_trace_is_not() {
    let table = |share: &str| {
        format!(
            "File      | % Stmts | % Branch |\n----------|---------|----------|\n\
             All files | {share} |        0 |\n"
        )
    };
    assert_eq!(coverage(&table("      0")), Some(0));
    assert_eq!(coverage(&table("   0.04")), Some(1));
    assert_eq!(coverage(&table("  81.57")), Some(815));
    assert_eq!(coverage(&table("Unknown")), None);
    assert_eq!(coverage(&table("    101")), None);
    let python = "Name    Stmts   Miss  Cover\n------\nm.py  4  4  0%\n------\nTOTAL  4  4  0%\n";
    assert_eq!(coverage(python), Some(0));
}

#[test]
fn what_nothing_measured_has_no_number() {
    for output in [
        "",
        recorded!("cargo_pass"),
        recorded!("vitest_pass"),
        // Such words without the head of a table are anybody's.
        "All files | 100 | 100 |\n",
        "TOTAL 4 0 100%\n",
        "coverage: 100.0% of statements\n",
        "the coverage: 100% of statements\n",
    ] {
        assert_eq!(coverage(output), None, "{output}");
    }
}

#[test]
fn of_several_the_worst_counts_and_of_one_the_last() {
    let both = [
        recorded!("jest_verbose"),
        recorded!("coverage_pytest_branch"),
    ]
    .concat();
    assert_eq!(coverage(&both), Some(670));
    let twice = [
        recorded!("coverage_pytest"),
        recorded!("coverage_pytest_branch"),
    ];
    assert_eq!(coverage(&twice.concat()), Some(670));
    assert_eq!(coverage(&[twice[1], twice[0]].concat()), Some(750));
}
