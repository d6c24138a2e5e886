use proptest::prelude::*;

use super::*;

const NAMES: [&str; 15] = [
    "Cargo.lock",
    "package-lock.json",
    "npm-shrinkwrap.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "bun.lock",
    "poetry.lock",
    "uv.lock",
    "pdm.lock",
    "Pipfile.lock",
    "go.sum",
    "gradle.lockfile",
    "packages.lock.json",
    "Gemfile.lock",
    "composer.lock",
];

fn version(file: &str, text: &str, name: &str, asked: &str) -> Option<(String, u32)> {
    let lock = read(&RepoPath::new(file).unwrap(), text).unwrap();
    let stated = lock.version(name, &Requirement::Range(asked.to_owned()))?;
    Some((stated.text, stated.evidence.line?))
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table of cases")]
fn each_lock_file_says_the_version_and_the_line() {
    let npm = "{\n\"packages\": {\n\"\": {\n\"version\": \"9.0.0\"\n},\n\"node_modules/a\": {\n\"version\": \"1.2.3\"\n},\n\
               \"node_modules/b/node_modules/a\": {\n\"version\": \"2.0.0\"\n}}}";
    let cases = [
        (
            "Cargo.lock",
            "[[package]]\nname = \"a\"\nversion = \"1.2.3\"\n",
            "1.2.3",
            3,
        ),
        ("package-lock.json", npm, "1.2.3", 7),
        (
            "package-lock.json",
            "{\"dependencies\": {\n\"a\": {\n\"version\": \"1.2.3\"\n}}}",
            "1.2.3",
            3,
        ),
        (
            "yarn.lock",
            "\"a@^1\", a@^1.2:\n  version \"1.2.3\"\n",
            "1.2.3",
            2,
        ),
        ("yarn.lock", "\"a@npm:^1\":\n  version: 1.2.3\n", "1.2.3", 2),
        (
            "pnpm-lock.yaml",
            "packages:\n\n  a@1.2.3(b@2.0.0):\n    x: y\n",
            "1.2.3",
            3,
        ),
        ("pnpm-lock.yaml", "packages:\n\n  /a/1.2.3:\n", "1.2.3", 3),
        (
            "bun.lock",
            "{\n\"packages\": {\n\"a\": [\"a@1.2.3\", {}],\n}}",
            "1.2.3",
            3,
        ),
        (
            "poetry.lock",
            "[[package]]\nname = \"a\"\nversion = \"1.2.3\"\n[metadata]\n",
            "1.2.3",
            3,
        ),
        (
            "Pipfile.lock",
            "{\"default\": {\n\"a\": {\n\"version\": \"==1.2.3\"\n}}}",
            "1.2.3",
            3,
        ),
        (
            "go.sum",
            "a v1.2.3/go.mod h1:x\na v1.2.3 h1:y\n",
            "1.2.3",
            2,
        ),
        ("gradle.lockfile", "a:b:1=x\na=no\n", "", 0),
        (
            "packages.lock.json",
            "{\n\"A\": {\n\"type\": \"Direct\",\n\"resolved\": \"1.2.3\"\n}}",
            "1.2.3",
            4,
        ),
        (
            "Gemfile.lock",
            "GEM\n  specs:\n    a (1.2.3)\n      b (>= 1)\n",
            "1.2.3",
            3,
        ),
        (
            "composer.lock",
            "{\"packages\": [{\n\"name\": \"a\",\n\"version\": \"v1.2.3\"\n}]}",
            "1.2.3",
            3,
        ),
    ];
    for (file, text, wanted, line) in cases {
        let found = version(file, text, "a", "^1");
        let wanted = (line > 0).then(|| (wanted.to_owned(), line));
        assert_eq!(found, wanted, "{file}: {text}");
    }
    assert_eq!(
        version("gradle.lockfile", "a:b:1.5=x", "a:b", ""),
        Some(("1.5".to_owned(), 1))
    );
}

#[test]
fn of_two_versions_the_one_that_is_asked_for_counts() {
    let text = "[[package]]\nname = \"a\"\nversion = \"1.9.0\"\n[[package]]\nname = \"a\"\nversion = \"2.1.0\"\n";
    assert_eq!(
        version("Cargo.lock", text, "a", "2"),
        Some(("2.1.0".to_owned(), 6))
    );
    assert_eq!(
        version("Cargo.lock", text, "a", "1.2"),
        Some(("1.9.0".to_owned(), 3))
    );
    assert_eq!(version("Cargo.lock", text, "b", "1"), None);
    assert_eq!(
        version("poetry.lock", text, "A", "1"),
        Some(("1.9.0".to_owned(), 3))
    );
}

proptest! {
    #[test]
    fn no_text_makes_a_reader_panic(text in "[\\PC\\n\"@:/ ({=]{0,300}") {
        for name in NAMES {
            prop_assert!(read(&RepoPath::new(name).unwrap(), &text).is_some());
        }
    }
}
