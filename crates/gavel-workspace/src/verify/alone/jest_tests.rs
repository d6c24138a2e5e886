use super::*;

const JEST_ALL: &str = include_str!("recorded/jest_all.json");
const JEST_ALONE: &str = include_str!("recorded/jest_alone.json");
const VITEST_ALONE: &str = include_str!("recorded/vitest_alone.json");

fn test(path: &[&str]) -> JestTest {
    JestTest {
        command: command(JestLike::Jest),
        file: "/tree/a.test.js".to_owned(),
        path: path.iter().map(|part| (*part).to_owned()).collect(),
        times: 1,
        packages: Stamp::default(),
    }
}

fn command(program: JestLike) -> JestCommand {
    JestCommand {
        program,
        env: BTreeMap::new(),
        options: vec!["--config=x".to_owned()],
        files: Vec::new(),
    }
}

#[test]
fn all_tests_of_a_report_are_listed() {
    let report = serde_json::from_str(JEST_ALL).unwrap();
    let tests = listed(&command(JestLike::Jest), &report, &Stamp::default());
    let names: Vec<_> = tests.iter().map(|test| test.name.as_str()).collect();
    assert_eq!(names, ["good", "bad", "skipped", "to do", "outer::in"]);
}

#[test]
fn one_test_passed_when_no_other_was_executed() {
    let own = test(&["outer", "in"]);
    for report in [JEST_ALONE, VITEST_ALONE] {
        assert_eq!(says(&own, report), Says::Passed);
        assert_eq!(says(&test(&["good"]), report), Says::NotExecuted);
        let twice = JestTest {
            times: 2,
            ..own.clone()
        };
        assert_eq!(says(&twice, report), Says::NotExecuted);
        let elsewhere = JestTest {
            file: "/tree/b.test.js".to_owned(),
            ..own.clone()
        };
        assert_eq!(says(&elsewhere, report), Says::NotExecuted);
        let skipped = report.replace("\"passed\"", "\"pending\"");
        assert_eq!(says(&own, &skipped), Says::NotExecuted);
        let unsuccessful = report.replace("\"success\": true", "\"success\": false");
        assert_eq!(says(&own, &unsuccessful), Says::NotExecuted);
    }
    assert_eq!(says(&own, JEST_ALL), Says::Failed);
    assert_eq!(says(&own, ""), Says::Begun);
    assert_eq!(says(&own, "{}"), Says::NotExecuted);
}

#[test]
fn the_runner_itself_is_started() {
    let rest = ["-t".to_owned(), "^a$".to_owned()];
    let argv = |program| {
        let argv = argv(Path::new("/tree"), &command(program), "/r", &rest).unwrap();
        argv.to_string()
    };
    assert_eq!(
        argv(JestLike::Jest),
        "/tree/node_modules/.bin/jest '--config=x' --json --ci '--coverage=false' \
         '--passWithNoTests=false' '--outputFile=/r' -t '^a$'"
    );
    assert_eq!(
        argv(JestLike::Vitest),
        "/tree/node_modules/.bin/vitest run '--config=x' '--reporter=json' \
         '--coverage.enabled=false' '--passWithNoTests=false' '--outputFile=/r' -t '^a$'"
    );
}
