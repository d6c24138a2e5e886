use super::*;

fn test() -> GoTest {
    GoTest {
        package: "example.org/demo".to_owned(),
        test: "TestA".to_owned(),
    }
}

fn event(action: &str, test: &str) -> String {
    let test = match test {
        "" => String::new(),
        test => format!(r#","Test":"{test}""#),
    };
    format!(
        r#"{{"Time":"2026-11-18T05:00:00Z","Action":"{action}","Package":"example.org/demo"{test}}}"#
    )
}

fn output(rows: &[(&str, &str)]) -> String {
    let lines: Vec<_> = rows
        .iter()
        .map(|(action, test)| event(action, test))
        .collect();
    lines.join("\n")
}

#[test]
fn tests_are_listed_by_package() {
    let output = "{\"Action\":\"start\",\"Package\":\"example.org/demo\"}\n\
        {\"Action\":\"output\",\"Package\":\"example.org/demo\",\"Output\":\"TestA\\n\"}\n\
        {\"Action\":\"output\",\"Package\":\"example.org/demo\",\"Output\":\"BenchmarkB\\n\"}\n\
        {\"Action\":\"output\",\"Package\":\"example.org/demo\",\"Output\":\"ok  \\texample.org/demo\\t0.01s\\n\"}\n\
        {\"Action\":\"pass\",\"Package\":\"example.org/demo\",\"Elapsed\":0.01}\n";
    let start = super::super::Start::Go(test());
    let name = "TestA".to_owned();
    assert_eq!(listed(output), [LoneTest { name, start }]);
}

#[test]
fn a_pass_needs_the_test_once_and_its_package() {
    for (rows, wanted) in [
        (
            &[
                ("start", ""),
                ("run", "TestA"),
                ("pass", "TestA"),
                ("pass", ""),
            ][..],
            Says::Passed,
        ),
        (
            &[
                ("run", "TestA"),
                ("run", "TestA/one"),
                ("pass", "TestA/one"),
                ("pass", "TestA"),
                ("pass", ""),
            ],
            Says::Passed,
        ),
        (
            &[
                ("run", "TestA"),
                ("run", "TestA/one"),
                ("fail", "TestA/one"),
                ("fail", "TestA"),
                ("fail", ""),
            ],
            Says::Failed,
        ),
        (
            &[("run", "TestA"), ("skip", "TestA"), ("pass", "")],
            Says::NotExecuted,
        ),
        (
            &[
                ("run", "TestA"),
                ("run", "TestA/one"),
                ("skip", "TestA/one"),
                ("pass", "TestA"),
                ("pass", ""),
            ],
            Says::NotExecuted,
        ),
        (
            &[
                ("run", "TestA"),
                ("pass", "TestA"),
                ("run", "TestB"),
                ("pass", "TestB"),
                ("pass", ""),
            ],
            Says::NotExecuted,
        ),
        (&[("run", "TestA"), ("fail", "")], Says::Begun),
        (&[("start", ""), ("pass", "")], Says::NotExecuted),
        (&[], Says::NotExecuted),
    ] {
        assert_eq!(says(&test(), &output(rows)), wanted, "{rows:?}");
    }
}
