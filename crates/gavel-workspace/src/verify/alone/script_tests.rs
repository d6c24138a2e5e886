use super::*;

fn read(script: &str) -> Option<TestScript> {
    let manifest = serde_json::json!({"scripts": {"test": script}});
    TestScript::read(&manifest.to_string())
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

#[test]
fn node_is_called_with_what_the_script_says() {
    let script = read("MODE=x node --import tsx --no-warnings --test 'src/**/*.test.ts'").unwrap();
    let Runner::Node(command) = script.runner else {
        panic!("not node");
    };
    assert_eq!(
        command.env,
        BTreeMap::from([("MODE".to_owned(), "x".to_owned())])
    );
    let all = command.with_everything(&words(&["--r"])).unwrap();
    assert_eq!(
        all.words(),
        [
            "sh",
            "-c",
            "exec \"$@\" --import tsx --no-warnings --test 'src/**/*.test.ts'",
            "sh",
            "node",
            "--r"
        ]
    );
    let one = command.with_options(&words(&["--test", "a.ts"])).unwrap();
    assert_eq!(
        one.words(),
        ["node", "--import", "tsx", "--no-warnings", "--test", "a.ts"]
    );
    let plain = NodeCommand::default().with_everything(&words(&["--test"]));
    assert_eq!(plain.unwrap().words(), ["node", "--test"]);
}

#[test]
fn options_of_jest_and_vitest_are_kept_or_left_out() {
    for (script, program, options, files) in [
        ("jest", JestLike::Jest, &[][..], &[][..]),
        (
            "npx jest --config x.js --coverage -i tests",
            JestLike::Jest,
            &["--config", "x.js"],
            &["tests"],
        ),
        (
            "cross-env A=1 ./node_modules/.bin/jest --env=jsdom",
            JestLike::Jest,
            &["--env=jsdom"],
            &[],
        ),
        (
            "vitest run --dir src --passWithNoTests",
            JestLike::Vitest,
            &["--dir", "src"],
            &[],
        ),
        (
            "NODE_OPTIONS=--experimental-vm-modules jest",
            JestLike::Jest,
            &[],
            &[],
        ),
        ("vitest run unit", JestLike::Vitest, &[], &["unit"]),
    ] {
        let Some(Runner::Jest(command)) = read(script).map(|script| script.runner) else {
            panic!("{script}");
        };
        assert_eq!(
            (command.program, command.options, command.files),
            (program, words(options), words(files)),
            "{script}"
        );
    }
}

#[test]
fn what_is_not_known_has_no_adapter() {
    for script in [
        "",
        "mocha",
        "make test",
        "node run.js --test",
        "node test.js",
        "node --test | cat",
        "node --test; true",
        "node --test || true",
        "jest $(cat x)",
        "jest --reporters=./mine.js",
        "jest --testRunner=./mine.js",
        "jest --globalSetup ./mine.js",
        "vitest --reporter=./mine.js",
        "jest & node x.js",
        "A='b c' jest",
        "node --test --test-reporter=./mine.mjs",
        "./node --test",
        "PATH=./bin jest",
        "LD_PRELOAD=./x.so jest",
        "NODE_OPTIONS=--import=./mine.mjs jest",
    ] {
        assert_eq!(read(script), None, "{script}");
    }
    assert_eq!(TestScript::read("{}"), None);
    assert_eq!(TestScript::read("no JSON"), None);
}

#[test]
fn what_stands_before_the_runner_is_noticed() {
    assert!(!read("jest").unwrap().prepares);
    assert!(read("tsc && jest").unwrap().prepares);
    let manifest = r#"{"scripts":{"test":"jest","pretest":"tsc"}}"#;
    assert!(TestScript::read(manifest).unwrap().prepares);
}

#[test]
fn a_name_matches_itself_alone() {
    for name in ["a.b", "x (1) [y] $z", "a/b\\c", "{n}*+?|^", "two\nlines"] {
        let pattern = escaped(name).replace("\\/", "/");
        let pattern = regex::Regex::new(&format!("^{pattern}$")).unwrap();
        assert!(pattern.is_match(name), "{name}");
    }
    let pattern = regex::Regex::new(&format!("^{}$", escaped("a.b"))).unwrap();
    assert!(!pattern.is_match("axb"));
}
