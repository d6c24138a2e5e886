use serde_json::json;

use super::*;

const PYTEST: Framework = Framework::Pytest(PythonInstall::Runner);

fn lines(values: &[Value]) -> Vec<Line> {
    values
        .iter()
        .map(|value| Line::read(value).unwrap())
        .collect()
}

fn listed_line(test: &str) -> Value {
    json!({"kind": "listed", "test": test})
}

/// A run of a test as the plugin reports it.
fn ran(test: &str, raised: bool, outcome: &str) -> Vec<Value> {
    vec![
        json!({"kind": "report", "test": test, "when": "setup", "outcome": "passed"}),
        json!({"kind": "begun", "test": test}),
        json!({"kind": "called", "test": test, "raised": raised}),
        json!({"kind": "report", "test": test, "when": "call", "outcome": outcome}),
        json!({"kind": "report", "test": test, "when": "teardown", "outcome": "passed"}),
    ]
}

fn end(code: i64) -> Vec<Value> {
    vec![json!({"kind": "end", "test": "", "code": code})]
}

fn test_of(runs: &[&str]) -> PythonTest {
    PythonTest {
        framework: PYTEST,
        test: "a.py::t".to_owned(),
        runs: runs.iter().map(|run| ((*run).to_owned(), 1)).collect(),
    }
}

#[test]
fn runs_of_one_test_are_listed_together() {
    let found = lines(&[
        listed_line("a.py::t[1]"),
        listed_line("a.py::u"),
        listed_line("a.py::t[2]"),
    ]);
    let tests = listed(PYTEST, &found);
    assert_eq!(
        tests,
        [
            LoneTest {
                name: "a.py::t".to_owned(),
                start: super::super::Start::Python(test_of(&["a.py::t[1]", "a.py::t[2]"])),
            },
            LoneTest {
                name: "a.py::u".to_owned(),
                start: super::super::Start::Python(PythonTest {
                    test: "a.py::u".to_owned(),
                    ..test_of(&["a.py::u"])
                }),
            },
        ]
    );
    let plain = listed(
        Framework::Unittest(TestFolder::Root),
        &lines(&[listed_line("a.A.test_b")]),
    );
    assert_eq!(plain[0].name, "a::A::test_b");
}

#[test]
fn every_run_must_have_passed() {
    let two = test_of(&["a.py::t[1]", "a.py::t[2]"]);
    let one = |raised, outcome| ran("a.py::t[1]", raised, outcome);
    let other = || ran("a.py::t[2]", false, "passed");
    let good = || one(false, "passed");
    for (parts, wanted) in [
        (vec![good(), other(), end(0)], Says::Passed),
        (vec![good(), other()], Says::Begun),
        (vec![good(), other(), end(1)], Says::Begun),
        (vec![good(), end(0)], Says::NotExecuted),
        (vec![good(), good(), other(), end(0)], Says::NotExecuted),
        (
            vec![good(), other(), ran("b.py::x", false, "passed"), end(0)],
            Says::NotExecuted,
        ),
        (
            vec![one(true, "skipped"), other(), end(0)],
            Says::NotExecuted,
        ),
        (vec![one(true, "failed"), other(), end(1)], Says::Failed),
        // A hook made a pass of it.
        (vec![one(true, "passed"), other(), end(0)], Says::Failed),
        // A plugin runs it again until it passes.
        (
            vec![one(true, "rerun"), good(), other(), end(0)],
            Says::Failed,
        ),
        (vec![end(0)], Says::NotExecuted),
        (vec![], Says::NotExecuted),
    ] {
        let values = parts.concat();
        assert_eq!(says(&two, &lines(&values)), wanted, "{values:?}");
    }
}

#[test]
fn a_line_of_another_kind_is_not_read() {
    assert_eq!(Line::read(&json!({"kind": "passed", "test": "a"})), None);
    assert_eq!(Line::read(&json!({"kind": "end"})), None);
}
