use super::super::WorkFindingKind::{CoverageLoosened as Coverage, LintLoosened as Lint};
use super::super::{Named, WorkEdition, WorkFile, WorkFiles, WorkFindingKind, inspect_work};
use super::{Setting, SettingValue, SettingsRead};

fn file(path: &str, keys: &[(&str, &str)]) -> WorkFiles {
    let text: Vec<String> = keys
        .iter()
        .map(|(key, value)| format!("{key} = {value}"))
        .collect();
    let mut file = WorkFile::unread(path, text.join("\n").as_bytes());
    let value = |value: &str| match value
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'))
    {
        Some(list) => {
            let parts = list.split(',').map(|part| part.trim().to_owned());
            SettingValue::List(parts.filter(|part| !part.is_empty()).collect())
        }
        None => SettingValue::One(value.to_owned()),
    };
    let keys = keys.iter().map(|(key, text)| Setting {
        key: (*key).to_owned(),
        value: value(text),
    });
    file.settings = SettingsRead::Keys(keys.collect());
    WorkFiles::new([file])
}

fn kinds(before: &WorkFiles, after: &WorkFiles) -> Vec<WorkFindingKind> {
    let found = inspect_work(
        before,
        after,
        "make the linter happy, change the CI",
        Named::Nothing,
        WorkEdition::Second,
    );
    found.iter().map(|finding| finding.kind).collect()
}

fn text(path: &str, content: &str) -> WorkFiles {
    WorkFiles::new([WorkFile::unread(path, content.as_bytes())])
}

const DIRECTIONS: &[(&str, &str, &str, &str, WorkFindingKind)] = &[
    (
        "Cargo.toml",
        "lints.clippy.unwrap_used",
        "deny",
        "warn",
        Lint,
    ),
    (
        "Cargo.toml",
        "workspace.lints.rust.unsafe_code",
        "forbid",
        "allow",
        Lint,
    ),
    ("clippy.toml", "too-many-lines-threshold", "80", "800", Lint),
    ("clippy.toml", "disallowed-methods", "[a, b]", "[a]", Lint),
    (
        "clippy.toml",
        "allow-unwrap-in-tests",
        "false",
        "true",
        Lint,
    ),
    (".eslintrc.json", "rules.no-undef", "error", "off", Lint),
    (".eslintrc.json", "rules.eqeqeq", "2", "1", Lint),
    (
        "tsconfig.json",
        "compilerOptions.strict",
        "true",
        "false",
        Lint,
    ),
    (
        "pyproject.toml",
        "tool.ruff.lint.select",
        "[E, F]",
        "[E]",
        Lint,
    ),
    (
        "pyproject.toml",
        "tool.ruff.lint.ignore",
        "[E501]",
        "[E501, F401]",
        Lint,
    ),
    ("pyproject.toml", "tool.mypy.strict", "true", "false", Lint),
    (
        "mypy.ini",
        "mypy.disallow_untyped_defs",
        "True",
        "False",
        Lint,
    ),
    (
        "mypy.ini",
        "mypy.ignore_missing_imports",
        "False",
        "True",
        Lint,
    ),
    (".flake8", "flake8.max-line-length", "88", "200", Lint),
    (
        "pyproject.toml",
        "tool.coverage.report.fail_under",
        "90",
        "10",
        Coverage,
    ),
    (
        ".coveragerc",
        "run.omit",
        "[a.py]",
        "[a.py, b.py]",
        Coverage,
    ),
    (
        "package.json",
        "jest.coverageThreshold.global.lines",
        "80",
        "8",
        Coverage,
    ),
    (".nycrc", "check-coverage", "true", "false", Coverage),
];

#[test]
fn a_setting_that_asks_for_less_is_found_and_one_that_asks_for_more_is_not() {
    for &(path, key, strict, loose, kind) in DIRECTIONS {
        let (strict, loose) = (file(path, &[(key, strict)]), file(path, &[(key, loose)]));
        assert_eq!(kinds(&strict, &loose), [kind], "{path}: {key}");
        assert_eq!(kinds(&loose, &strict), [], "{path}: {key} the other way");
        assert_eq!(kinds(&strict, &strict), [], "{path}: {key} as it was");
    }
    let rule = file("Cargo.toml", &[("lints.clippy.todo", "deny")]);
    let none = file("Cargo.toml", &[("package.name", "shop")]);
    assert_eq!(kinds(&rule, &none), [Lint], "removed");
    assert_eq!(kinds(&none, &rule), [], "added");
    let other = file("Cargo.toml", &[("package.name", "store")]);
    assert_eq!(kinds(&none, &other), [], "no setting of a linter");
}

#[test]
fn what_cannot_be_taken_apart_is_found_when_it_changes() {
    use WorkFindingKind::{CiChanged, CoverageLoosened, LintLoosened};
    for (path, kind) in [
        (".github/workflows/ci.yml", CiChanged),
        (".gitlab-ci.yml", CiChanged),
        ("azure-pipelines.yml", CiChanged),
        ("eslint.config.js", LintLoosened),
        (".golangci.yml", LintLoosened),
        ("codecov.yml", CoverageLoosened),
    ] {
        let (was, is) = (text(path, "a: 1"), text(path, "a: 2"));
        assert_eq!(kinds(&was, &is), [kind], "{path}");
        assert_eq!(kinds(&was, &WorkFiles::default()), [kind], "{path} removed");
        assert_eq!(kinds(&was, &was), [], "{path}");
    }
    let limit = |number: u8| {
        text(
            "vitest.config.ts",
            &format!("thresholds: {{ lines: {number} }}"),
        )
    };
    assert_eq!(kinds(&limit(80), &limit(20)), [CoverageLoosened]);
    assert_eq!(kinds(&limit(80), &limit(90)), []);
    let option = |number: u8| text("tox.ini", &format!("addopts = --cov-fail-under={number}"));
    assert_eq!(kinds(&option(80), &option(20)), [CoverageLoosened]);
}

#[test]
fn words_that_leave_tests_out_are_found_when_they_are_new() {
    for (path, line) in [
        ("package.json", "\"test\": \"jest --passWithNoTests\""),
        ("package.json", "\"test\": \"jest || true\""),
        ("jest.config.js", "passWithNoTests: true,"),
        ("jest.config.js", "testPathIgnorePatterns: ['cart'],"),
        (
            "pyproject.toml",
            "addopts = \"--deselect tests/test_cart.py\"",
        ),
        ("Cargo.toml", "autotests = false"),
        ("Makefile", "\tcargo nextest run --no-tests=pass"),
        ("scripts/test.sh", "pytest || true"),
    ] {
        let (was, is) = (text(path, "x"), text(path, &format!("x\n{line}")));
        assert_eq!(
            kinds(&was, &is),
            [WorkFindingKind::TestsLeftOut],
            "{path}: {line}"
        );
        assert_eq!(kinds(&is, &is), [], "{path}: {line}");
        assert_eq!(kinds(&is, &was), [], "{path}: taken out again");
    }
}

#[test]
fn another_file_in_the_place_of_a_cargo_target_is_found() {
    let package = "[package]\nname = \"x\"\n";
    let found = |before: &str, after: &str| {
        let whole = |text: &str| self::text("Cargo.toml", &format!("{package}{text}"));
        let kinds = kinds(&whole(before), &whole(after));
        kinds.contains(&WorkFindingKind::TestsLeftOut)
    };
    for (before, after, expected) in [
        ("", "[lib]\npath = \"src/users.rs\"\n", true),
        (
            "[lib]\npath = \"src/a.rs\"\n",
            "[lib]\npath=\"src/b.rs\"\n",
            true,
        ),
        (
            "",
            "[[test]]\nname = \"cli\"\npath = \"tests/all.rs\"\n",
            true,
        ),
        ("", "autotests=false\n", true),
        (
            "[workspace]\nmembers = [\"a\", \"b\"]\n",
            "[workspace]\nmembers = [\n  \"a\",\n]\n",
            true,
        ),
        (
            "[workspace]\nmembers = [\"a\"]\n",
            "[workspace]\nmembers = [\"a\"]\nexclude = [\"b\"]\n",
            true,
        ),
        (
            "[workspace]\nmembers = [\"a\"]\n",
            "[workspace]\nmembers = [\"a\", \"b\"]\n",
            false,
        ),
        (
            "[lib]\npath = \"src/a.rs\"\n",
            "[lib]\npath=\"src/a.rs\"\n",
            false,
        ),
        ("", "[dependencies]\nb = { path = \"../b\" }\n", false),
    ] {
        assert_eq!(found(before, after), expected, "{before} {after}");
    }
}
