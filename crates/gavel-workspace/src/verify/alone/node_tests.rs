use super::*;

fn line(kind: Kind, name: &str, nesting: usize) -> Line {
    Line {
        kind,
        name: name.to_owned(),
        nesting,
        file: "/tree/a.test.js".to_owned(),
        open: false,
        suite: false,
    }
}

fn suite(name: &str, nesting: usize) -> Line {
    Line {
        suite: true,
        ..line(Kind::Pass, name, nesting)
    }
}

/// A suite with a test, and a test with a test, as node tells them.
fn lines() -> Vec<Line> {
    vec![
        line(Kind::Start, "outer", 0),
        line(Kind::Start, "in", 1),
        line(Kind::Pass, "in", 1),
        suite("outer", 0),
        line(Kind::Start, "parent", 0),
        line(Kind::Start, "child", 1),
        line(Kind::Pass, "child", 1),
        line(Kind::Pass, "parent", 0),
        line(Kind::Start, "a.test.js", 0),
        line(Kind::Pass, "a.test.js", 0),
        line(Kind::End, "", 0),
    ]
}

fn tests(lines: &[Line], major: u32) -> Vec<(String, Vec<String>)> {
    let report = Report::of(lines);
    let all = listed(&NodeCommand::default(), &report, major);
    let row = |test: LoneTest| {
        let super::super::Start::Node(start) = test.start else {
            panic!("not a test of node");
        };
        (test.name, start.patterns)
    };
    all.into_iter().map(row).collect()
}

#[test]
fn names_are_joined_and_patterns_reach_the_test() {
    let row = |name: &str, patterns: &[&str]| {
        let patterns = patterns.iter().map(|one| (*one).to_owned()).collect();
        (name.to_owned(), patterns)
    };
    assert_eq!(
        tests(&lines(), 20),
        [
            row("outer::in", &["/^in$/"]),
            row("parent::child", &["/^parent$/", "/^child$/"]),
            row("parent", &["/^parent$/"]),
        ]
    );
    assert_eq!(
        tests(&lines(), 22),
        [
            row("outer::in", &["/^outer in$/"]),
            row("parent::child", &["/^parent$/", "/^parent child$/"]),
            row("parent", &["/^parent$/"]),
        ]
    );
}

#[test]
fn a_pass_needs_the_test_itself_and_the_end() {
    let test = |times: usize| NodeTest {
        command: NodeCommand::default(),
        file: "/tree/a.test.js".to_owned(),
        path: vec!["outer".to_owned(), "in".to_owned()],
        patterns: Vec::new(),
        times,
    };
    let of = |lines: &[Line]| says(&test(1), &Report::of(lines));
    assert_eq!(of(&lines()), Says::Passed);
    assert_eq!(says(&test(2), &Report::of(&lines())), Says::NotExecuted);
    let mut unended = lines();
    unended.pop();
    assert_eq!(of(&unended), Says::Begun);
    let mut skipped = lines();
    skipped[2].open = true;
    assert_eq!(of(&skipped), Says::NotExecuted);
    let mut failed = lines();
    failed[9].kind = Kind::Fail;
    assert_eq!(of(&failed), Says::Failed);
    let mut elsewhere = lines();
    elsewhere[2].file = "/tree/b.test.js".to_owned();
    assert_eq!(of(&elsewhere), Says::NotExecuted);
    assert_eq!(of(&[line(Kind::End, "", 0)]), Says::NotExecuted);
}

#[test]
fn versions_are_read() {
    assert_eq!(major("v20.11.1\n"), Some(20));
    assert_eq!(major("node: not found"), None);
}
