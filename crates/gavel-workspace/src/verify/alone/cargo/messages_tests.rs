use super::*;

const METADATA: &str = include_str!("../recorded/cargo_metadata.txt");
const MESSAGES: &str = include_str!("../recorded/cargo_messages.txt");

fn executables(messages: &str) -> Vec<(String, String)> {
    let metadata = Metadata::read(METADATA).unwrap();
    let messages = Messages::read(messages);
    let found = messages.tests_of(&metadata.packages[0], &metadata.target_directory);
    found
        .into_iter()
        .map(|artifact| {
            let file = artifact.executable.as_ref().unwrap();
            let file = file.file_name().unwrap().to_string_lossy().into_owned();
            (artifact.target.kind.join(","), file)
        })
        .collect()
}

fn kinds(messages: &str) -> Vec<String> {
    executables(messages)
        .into_iter()
        .map(|(kind, _)| kind)
        .collect()
}

fn line_of(kind: &str) -> &'static str {
    let is_it = |line: &&str| {
        line.contains(&format!(r#""kind":["{kind}"]"#))
            && line.contains(r#""test":true},"features""#)
    };
    MESSAGES.lines().find(is_it).unwrap()
}

#[test]
fn test_executables_are_found() {
    assert_eq!(kinds(MESSAGES), ["lib", "bin", "test"]);
    let metadata = Metadata::read(METADATA).unwrap();
    let messages = Messages::read(MESSAGES);
    let script = messages.script_of(&metadata.packages[0]).unwrap();
    assert_eq!(script.env, [("X".to_owned(), "1".to_owned())]);
    assert_eq!(
        messages.library_folders().collect::<Vec<_>>(),
        ["/tree/target/x"]
    );
}

#[test]
fn programs_are_found() {
    let program = BuiltProgram {
        name: "demo".to_owned(),
        package: "demo".to_owned(),
        executable: PathBuf::from("/tree/target/debug/demo"),
    };
    assert_eq!(built_programs(METADATA, MESSAGES), Some(vec![program]));
    assert_eq!(built_programs("no JSON", MESSAGES), None);
}

#[test]
fn a_line_that_is_not_cargo_s_is_not_taken() {
    let lib = line_of("lib");
    assert_eq!(kinds(lib), ["lib"]);
    // Printed by a compiler on standard error, in all ways that cargo hands on as they are.
    assert_eq!(
        kinds(&format!(" {lib}\n\r{lib}\nx{lib}")),
        Vec::<String>::new()
    );
    // Below another folder, or above it again.
    for path in ["/tree/fake", "/tree/target/../fake", "target/fake"] {
        let file = r#""executable":"/tree/target/debug/deps/"#;
        let (before, _) = lib.split_once(file).unwrap();
        let line = format!(r#"{before}"executable":"{path}","fresh":true}}"#);
        assert_eq!(kinds(&line), Vec::<String>::new(), "{path}");
    }
    // A target that the package does not have, or another package.
    let other = lib.replace(r#""name":"demo""#, r#""name":"other""#);
    assert_eq!(kinds(&other), Vec::<String>::new());
    let other = lib.replace("#demo@", "#other@");
    assert_eq!(kinds(&other), Vec::<String>::new());
}

#[test]
fn of_a_target_with_two_executables_none_is_taken() {
    let lib = line_of("lib");
    let forged = lib.replace("deps/demo-", "deps/fake-");
    assert_eq!(kinds(&format!("{MESSAGES}{forged}\n")), ["bin", "test"]);
    assert_eq!(kinds(&format!("{MESSAGES}{lib}\n")), ["lib", "bin", "test"]);
}

#[test]
fn a_target_that_may_not_have_been_built_must_be_fresh() {
    let with = |messages: &str, fresh: bool| {
        let features = r#""test":true,"required-features":["x"]}"#;
        let text = METADATA.replace(
            r#""doctest":true,"test":true}"#,
            &format!("\"doctest\":true,{features}"),
        );
        let metadata = Metadata::read(&text).unwrap();
        let line = messages.replace(r#""fresh":false"#, &format!(r#""fresh":{fresh}"#));
        let line = line.replace(r#""fresh":true"#, &format!(r#""fresh":{fresh}"#));
        let messages = Messages::read(&line);
        messages
            .tests_of(&metadata.packages[0], &metadata.target_directory)
            .len()
    };
    assert_eq!(with(line_of("lib"), true), 1);
    assert_eq!(with(line_of("lib"), false), 0);
}
