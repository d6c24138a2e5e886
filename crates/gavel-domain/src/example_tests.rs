use super::*;

use proptest::prelude::{Just, Strategy, any, prop};
use proptest::prop_oneof;
use serde_json::json;

fn text() -> impl Strategy<Value = String> {
    any::<String>().prop_map(|text| text.replace('\0', "0"))
}

fn texts(range: std::ops::Range<usize>) -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(text(), range)
}

fn path() -> impl Strategy<Value = ExamplePath> {
    "(~/)?[a-z ä]{1,5}(/[a-z.\"]{3,5}x){0,2}"
        .prop_filter_map("a path", |path| ExamplePath::new(&path))
}

fn file() -> impl Strategy<Value = ExampleFile> {
    (path(), text()).prop_map(|(path, text)| ExampleFile { path, text })
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    prop_oneof![
        leaf.clone(),
        (text(), leaf).prop_map(|(name, value)| json!({name: [value]})),
    ]
}

fn action() -> impl Strategy<Value = ExampleAction> {
    let run = (texts(0..4), text(), any::<u8>(), texts(0..3));
    let run = run.prop_map(|(args, stdin, exit, error)| ExampleAction::Run {
        args,
        stdin,
        exit,
        error,
    });
    let body = prop_oneof![
        Just(None),
        text().prop_map(|text| Some(RequestBody::Text(text))),
        value()
            .prop_filter("a text is sent as text", |value| !value.is_string())
            .prop_map(|value| Some(RequestBody::Json(value))),
    ];
    let ask = (0..HttpMethod::ALL.len(), "/[!#-~]{0,9}", body, 100..600_u16);
    let ask = ask.prop_map(|(method, path, body, status)| ExampleAction::Ask {
        method: HttpMethod::ALL[method],
        path,
        body,
        status,
    });
    prop_oneof![run, ask]
}

fn step() -> impl Strategy<Value = ExampleStep> {
    let json = ("(/[a-z~ ]{0,4}){0,2}", value());
    let json = json.prop_map(|(pointer, value)| JsonAt { pointer, value });
    let after = prop_oneof![
        file().prop_map(FileAfter::Holds),
        path().prop_map(FileAfter::Gone),
    ];
    let parts = (
        action(),
        texts(0..3),
        texts(0..3),
        prop::collection::vec(json, 0..2),
        prop::collection::vec(after, 0..2),
    );
    parts.prop_map(|(action, has, lacks, json, files)| ExampleStep {
        action,
        has,
        lacks,
        json,
        files,
    })
}

proptest::proptest! {
    #[test]
    fn what_is_written_is_read_again(
        files in prop::collection::vec(file(), 0..3),
        server in texts(0..3),
        steps in prop::collection::vec(step(), 1..5),
        fixed in prop::collection::vec(("[^\0]{1,9}", "[a-z]{1,9}"), 0..2),
    ) {
        let fixed = fixed.into_iter().map(|(word, reason)| FixedWord { word, reason }).collect();
        let example = Example { files, server, steps, fixed };
        let text = example.to_string();
        let lines: Vec<&str> = text.lines().collect();
        for (step, line) in example.steps.iter().zip(example.step_lines()) {
            proptest::prop_assert_eq!(lines[line - 1], step.headline());
        }
        proptest::prop_assert_eq!(text.parse(), Ok(example));
    }

    #[test]
    fn nothing_breaks_the_reader(text in "([$a-zGET /\"\\\\]{0,9}\n){0,5}") {
        CriterionExample::of(&text);
    }
}

#[test]
fn every_verb_is_read() {
    let text = "fixed high: one of three\n\
        file notes.txt \"a b\"\nfile ~/.config/tool.toml \"x = 1\"\n\
        server serve --port {port}\n\
        $ add --title \"Amber lamp\"\nstdin \"y\\n\"\nexit 3\nhas a \"b c\"\nlacks d\nerror e\n\
        json /0/title \"Amber\"\nholds out/a.md \"# A\"\ngone notes.txt\n\
        POST /items {\"title\": \"Amber\"}\nstatus 201\njson \"\" [1]\n\
        PUT /raw \"plain text\"\nGET /items?q=amber\nhas Amber\n";
    let example: Example = text.parse().unwrap();
    assert_eq!(example.server, ["serve", "--port", "{port}"]);
    assert_eq!(example.files[1].path.in_home(), Some(".config/tool.toml"));
    assert_eq!(example.steps.len(), 4);
    let ExampleAction::Run { stdin, exit, .. } = &example.steps[0].action else {
        panic!("{example:?}");
    };
    assert_eq!((stdin.as_str(), *exit), ("y\n", 3));
    let ExampleAction::Ask { body, status, .. } = &example.steps[1].action else {
        panic!("{example:?}");
    };
    assert_eq!(
        (body, *status),
        (&Some(RequestBody::Json(json!({"title": "Amber"}))), 201)
    );
    assert!(example.asks_server() && example.expects_something());
    assert_eq!(example.step_lines(), [5, 14, 17, 18]);
    let stored = serde_json::to_string(&example).unwrap();
    assert_eq!(serde_json::from_str::<Example>(&stored).unwrap(), example);
}

#[test]
fn what_is_no_example_is_named() {
    let long = format!("$ add {}", "x".repeat(Example::MAX_BYTES));
    let many = "$ list\n".repeat(Example::MAX_STEPS + 1);
    for (text, words) in [
        ("", "no line starts with `$`"),
        ("has x", "it follows a line `$ …`"),
        ("shows x", "`shows x` is no line"),
        ("$ list\nshows x", "`shows x` is no line"),
        ("$ list\nexit soon", "write exit N"),
        ("$ list\nexit 300", "write exit N"),
        ("$ list\nhas", "`has` is no line"),
        ("$ list\nfile x y", "it comes before all steps"),
        ("file \"no path\"\n$ list", "write file PATH \"text\""),
        (
            "file ../x \"\"\n$ list",
            "names no file of the example's folder",
        ),
        ("file /etc/x \"\"\n$ list", "names no file"),
        ("file .git/hooks/x \"\"\n$ list", "names no file"),
        ("$ list\nholds ~/../x \"\"", "names no file"),
        ("$ list\nstatus 200", "it goes with a line such as `GET"),
        ("GET /\nexit 0", "it goes with a line `$"),
        ("GET /\nstatus 99", "from 100 to 599"),
        ("GET items", "write METHOD /path"),
        ("POST / {a}", "write METHOD /path"),
        ("POST / \"a\" b", "write METHOD /path"),
        ("$ list\njson title Amber", "with a VALUE in JSON"),
        ("$ list\njson title 1", "json /pointer VALUE"),
        ("fixed a\n$ list", "write fixed WORD: reason"),
        ("fixed a:\n$ list", "gives no reason"),
        ("$ add \"half", "has an open quote"),
        ("$ add \"half\\", "has an open quote"),
        ("$ add \0", "NUL"),
        (&long, "too long"),
        (&many, "too long"),
    ] {
        let problem = text.parse::<Example>().unwrap_err().to_string();
        assert!(problem.contains(words), "{text}: {problem}");
    }
}

#[test]
fn a_criterion_has_an_example_a_reason_or_a_text_for_people() {
    let reason = || "it is about speed".to_owned();
    assert_eq!(CriterionExample::of(" \n"), CriterionExample::Missing);
    assert_eq!(
        CriterionExample::of("none: it is about speed"),
        CriterionExample::None { reason: reason() }
    );
    for prose in [
        "Run it twice and compare.",
        "has two windows",
        "GET a ticket",
        "nonetheless it works",
        "file \"as earlier versions wrote it\"\n$ list",
    ] {
        assert_eq!(
            CriterionExample::of(prose),
            CriterionExample::Prose,
            "{prose}"
        );
    }
    for broken in [
        "$ list\nshows x",
        "none:",
        "GET /items\nexit 1",
        "$ add \"x",
    ] {
        let read = CriterionExample::of(broken);
        assert!(
            matches!(read, CriterionExample::Broken(_)),
            "{broken}: {read:?}"
        );
    }
    assert!(matches!(
        CriterionExample::of("$ list\nhas x"),
        CriterionExample::Given(_)
    ));
}

#[test]
fn an_example_that_a_program_without_a_body_keeps_expects_nothing() {
    for (text, something) in [
        ("$ list", false),
        ("$ list\nlacks x", false),
        ("$ list\ngone x", false),
        ("$ list\nhas x", true),
        ("$ list\nexit 2", true),
        ("$ list\nerror x", true),
        ("$ list\njson /a 1", true),
        ("$ list\nhas \"\"", false),
        ("$ list\nholds a b", true),
        ("file a \"b c\"\n$ list\nholds a b", false),
        ("file a \"b c\"\n$ list\nholds a d", true),
        ("file a \"b\"\n$ list\ngone a", true),
        ("GET /", true),
    ] {
        let example: Example = text.parse().unwrap();
        assert_eq!(example.expects_something(), something, "{text}");
    }
}

#[test]
fn the_documented_format_is_short_enough_for_a_prompt() {
    for verb in [
        "file", "$", "stdin", "exit", "has", "lacks", "error", "server", "GET", "status", "json",
        "holds", "gone", "fixed", "none:",
    ] {
        assert!(FORMAT.contains(verb), "{verb}");
    }
    assert!(FORMAT.len() < 2_500, "{}", FORMAT.len());
}
