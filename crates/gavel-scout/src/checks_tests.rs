use super::*;
use crate::{Limits, MemoryTree, scan_deep};

/// The findings of one check over these files, besides a README, a licence and CI.
fn found(check: Check, files: &[(&str, &str)]) -> Vec<String> {
    let scan = scan_deep(&MemoryTree::of(files.iter().copied()), &Limits::default());
    scan.findings
        .into_iter()
        .filter(|finding| finding.check == check)
        .map(|finding| {
            let place = finding
                .evidence
                .map_or("-".to_owned(), |evidence| evidence.to_string());
            format!("{} {place}", finding.severity.word())
        })
        .collect()
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table of cases")]
fn each_check_fires_where_something_is_wrong_and_is_silent_where_nothing_is() {
    let long = "x = 1\n".repeat(1_001);
    let many = "x = 1\n".repeat(60);
    let marks = "# TODO\n".repeat(10);
    let few_marks = "# TODO\n".repeat(9);
    let token = format!(
        "token = \"ghp_{}\"\n",
        "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6"
    );
    let server = "@app.get('/a')\ndef a():\n    os.environ['KEY']\n";
    let node = "{\"name\": \"a\", \"dependencies\": {\n\"b\": \"^1\"}}";
    type Files<'a> = Vec<(&'a str, &'a str)>;
    let cases: Vec<(Check, Files<'_>, &str, Files<'_>)> = vec![
        (
            Check::Syntax,
            vec![("a.py", "def f(:\n")],
            "error a.py:1",
            vec![("a.py", "def f(): pass\n")],
        ),
        (
            Check::Secret,
            vec![("a.py", &token)],
            "error a.py:1",
            vec![("a.py", "token = get()\n")],
        ),
        (
            Check::CredentialFile,
            vec![(".env", "A=b")],
            "error .env",
            vec![(".env.example", "A=")],
        ),
        (
            Check::UnpinnedDependency,
            vec![("requirements.txt", "a==1\nb")],
            "warning requirements.txt:2",
            vec![("requirements.txt", "a==1")],
        ),
        (
            Check::MissingLockFile,
            vec![("package.json", node)],
            "note package.json",
            vec![
                ("package.json", node),
                ("yarn.lock", "b@^1:\n  version \"1.0.0\"\n"),
            ],
        ),
        (
            Check::UnreadableManifest,
            vec![("package.json", "{")],
            "error package.json",
            vec![("package.json", "{}")],
        ),
        (
            Check::MissingTests,
            vec![("a.py", &many)],
            "warning -",
            vec![("a.py", &many), ("test_a.py", "def test_a(): pass")],
        ),
        (
            Check::MissingCi,
            vec![("a.py", "x")],
            "note -",
            vec![("a.py", "x"), (".gitlab-ci.yml", "")],
        ),
        (
            Check::MissingReadme,
            vec![("a.py", "x")],
            "warning -",
            vec![("README.md", "x")],
        ),
        (
            Check::MissingLicence,
            vec![("a.py", "x")],
            "note -",
            vec![("LICENSE-MIT", "x")],
        ),
        (
            Check::MissingEnvExample,
            vec![("a.py", server)],
            "note a.py:3",
            vec![("a.py", server), (".env.example", "KEY=")],
        ),
        (
            Check::GiantFile,
            vec![("a.py", &long)],
            "note a.py",
            vec![("a.py", &many)],
        ),
        (
            Check::OpenMarks,
            vec![("a.py", &marks)],
            "note a.py:1",
            vec![("a.py", &few_marks)],
        ),
        (
            Check::DeadImport,
            vec![("a.js", "\nimport './gone'")],
            "warning a.js:2",
            vec![("a.js", "import './b'"), ("b.js", "")],
        ),
        (
            Check::CyclicImport,
            vec![("a.js", "import './b'"), ("b.js", "import './a'")],
            "warning a.js:1",
            vec![("a.js", "import './b'"), ("b.js", "")],
        ),
        (
            Check::BuildOutput,
            vec![("web/dist/a.js", "x")],
            "warning web/dist/a.js",
            vec![("web/src/a.js", "x")],
        ),
    ];
    let tried: std::collections::BTreeSet<Check> = cases.iter().map(|(check, ..)| *check).collect();
    assert_eq!(
        tried,
        Check::ALL.into_iter().collect(),
        "every check has a case"
    );
    for (check, wrong, wanted, right) in cases {
        assert_eq!(found(check, &wrong), [wanted], "{check:?}");
        assert_eq!(found(check, &right), Vec::<String>::new(), "{check:?}");
    }
}

#[test]
fn codes_are_unique() {
    let codes: std::collections::BTreeSet<&str> =
        Check::ALL.iter().map(|check| check.code()).collect();
    assert_eq!(codes.len(), Check::ALL.len());
}

#[test]
fn tests_and_generated_files_are_judged_softly() {
    let token = format!(
        "token = \"ghp_{}\"\n",
        "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6"
    );
    assert_eq!(
        found(Check::Secret, &[("tests/test_a.py", &token)]),
        ["note tests/test_a.py:1"]
    );
    assert_eq!(
        found(Check::Syntax, &[("tests/a.py", "def f(:\n")]),
        ["note tests/a.py:1"]
    );
    let made = format!("# @generated\n{}", "x = 1\n".repeat(1_001));
    assert_eq!(
        found(Check::GiantFile, &[("a.py", &made)]),
        Vec::<String>::new()
    );
}
