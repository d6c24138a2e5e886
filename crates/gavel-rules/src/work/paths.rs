//! What files are for, by their paths.

use crate::repository::{TEST_FOLDERS, folder_among, is_source, is_test, name_of};

/// What a file is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileRole {
    /// Code of tests.
    Test,
    /// What a test compares with and a runner writes.
    Snapshot,
    /// Data below a folder of tests.
    Fixture,
    /// What a continuous integration reads.
    Ci,
    /// A lock file.
    Lock,
    /// Settings: manifests, linters, coverage, runners.
    Settings,
    /// Text for people.
    Document,
    /// Source of the product.
    Product,
    /// Anything else.
    Other,
}

const LOCKS: [&str; 15] = [
    "Cargo.lock",
    "package-lock.json",
    "npm-shrinkwrap.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "bun.lock",
    "bun.lockb",
    "poetry.lock",
    "uv.lock",
    "Pipfile.lock",
    "pdm.lock",
    "go.sum",
    "Gemfile.lock",
    "composer.lock",
    "packages.lock.json",
];
const CI_FOLDERS: [&str; 7] = [
    ".github/workflows/",
    ".github/actions/",
    ".gitlab/",
    ".circleci/",
    ".buildkite/",
    ".azure-pipelines/",
    ".woodpecker/",
];
const CI_FILES: [&str; 14] = [
    ".gitlab-ci.yml",
    ".gitlab-ci.yaml",
    "azure-pipelines.yml",
    "azure-pipelines.yaml",
    ".travis.yml",
    "appveyor.yml",
    ".appveyor.yml",
    "Jenkinsfile",
    "bitbucket-pipelines.yml",
    ".drone.yml",
    ".cirrus.yml",
    ".woodpecker.yml",
    "cloudbuild.yaml",
    "buildspec.yml",
];
const SETTINGS: [&str; 42] = [
    "Cargo.toml",
    "clippy.toml",
    ".clippy.toml",
    "deny.toml",
    "tarpaulin.toml",
    ".tarpaulin.toml",
    "nextest.toml",
    "rustfmt.toml",
    "package.json",
    "tsconfig.json",
    "biome.json",
    "biome.jsonc",
    ".oxlintrc.json",
    "deno.json",
    ".nycrc",
    ".nycrc.json",
    ".c8rc.json",
    ".eslintignore",
    ".mocharc.json",
    "pyproject.toml",
    "setup.cfg",
    "tox.ini",
    "noxfile.py",
    ".flake8",
    "ruff.toml",
    ".ruff.toml",
    "mypy.ini",
    ".mypy.ini",
    ".pylintrc",
    "pylintrc",
    "pyrightconfig.json",
    ".coveragerc",
    "pytest.ini",
    ".pre-commit-config.yaml",
    "codecov.yml",
    ".codecov.yml",
    ".golangci.yml",
    ".golangci.yaml",
    ".rubocop.yml",
    "Makefile",
    "justfile",
    "sonar-project.properties",
];
/// Tools whose settings are called `NAME.config.js` or `.NAMErc.json`.
const CONFIGURED: [&str; 10] = [
    "eslint",
    "jest",
    "vitest",
    "vite",
    "mocha",
    "ava",
    "stylelint",
    "nyc",
    "c8",
    "karma",
];
const DOCUMENTS: [&str; 8] = [
    "readme",
    "changelog",
    "changes",
    "history",
    "contributing",
    "license",
    "licence",
    "authors",
];

/// What a file is for. A file that could be two things is the one that is looked at more closely.
pub fn file_role(path: &str) -> FileRole {
    let name = name_of(path);
    if is_ci_file(path) {
        FileRole::Ci
    } else if LOCKS.contains(&name) {
        FileRole::Lock
    } else if is_settings_file(path) {
        FileRole::Settings
    } else if is_snapshot_file(path) {
        FileRole::Snapshot
    } else if is_test_file(path) {
        FileRole::Test
    } else if is_below_tests(path) {
        FileRole::Fixture
    } else if is_document_file(path) {
        FileRole::Document
    } else if is_code(name) {
        FileRole::Product
    } else {
        FileRole::Other
    }
}

/// True for code of tests: by its name, or because it lies below a folder of tests.
pub fn is_test_file(path: &str) -> bool {
    let name = name_of(path);
    !is_foreign(path) && is_code(name) && (is_named_as_test(path) || is_below_tests(path))
}

fn is_code(name: &str) -> bool {
    let endings = [".mts", ".cts", ".pyi"];
    is_source(name) || endings.iter().any(|ending| name.ends_with(ending))
}

/// True below folders that a package manager fills. Folders that builds write to are not among them: a
/// project may keep tests in a folder of that name. Nor are those of vendored code, which is committed and
/// whose tests somebody runs.
fn is_foreign(path: &str) -> bool {
    let folders = ["node_modules", ".git", ".venv", "__pycache__"];
    let mut above = path.split('/').rev().skip(1);
    above.any(|folder| folders.contains(&folder))
}

/// True for a file that runners find by its name alone.
pub(super) fn is_named_as_test(path: &str) -> bool {
    let name = name_of(path);
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let ends = [".test", ".spec", "_test", "_tests", "_spec", "-test"];
    is_test(name)
        || ends.iter().any(|ending| stem.ends_with(ending))
        || matches!(
            name,
            "tests.rs" | "test.rs" | "tests.py" | "test.py" | "conftest.py"
        )
        || matches!(name, "test.js" | "test.mjs" | "test.cjs" | "test.ts")
        || stem.ends_with("Test")
        || stem.ends_with("Tests")
}

/// True for what a snapshot runner writes and compares with.
pub fn is_snapshot_file(path: &str) -> bool {
    let folders = ["__snapshots__", "snapshots", "__image_snapshots__"];
    let mut above = path.split('/').rev().skip(1);
    let endings = [".snap", ".ambr", ".approved.txt", ".snap.new"];
    endings.iter().any(|ending| path.ends_with(ending))
        || above.any(|folder| folders.contains(&folder)) && !is_source(name_of(path))
        || path.contains("/__snapshots__/")
}

fn is_below_tests(path: &str) -> bool {
    !is_foreign(path) && (folder_among(path, &TEST_FOLDERS).is_some() || has_fixture_folder(path))
}

fn has_fixture_folder(path: &str) -> bool {
    let mut folders = path.split('/').rev().skip(1);
    let names = [
        "fixtures",
        "__fixtures__",
        "__mocks__",
        "testdata",
        "golden",
    ];
    folders.any(|folder| names.contains(&folder))
}

fn is_ci_file(path: &str) -> bool {
    CI_FOLDERS.iter().any(|folder| path.starts_with(folder)) || CI_FILES.contains(&name_of(path))
}

fn is_settings_file(path: &str) -> bool {
    let name = name_of(path);
    let configured = CONFIGURED.iter().any(|tool| {
        let rest = name
            .strip_prefix(tool)
            .and_then(|rest| rest.strip_prefix(".config."))
            .or_else(|| {
                name.strip_prefix('.')?
                    .strip_prefix(tool)?
                    .strip_prefix("rc")
            });
        rest.is_some()
    });
    let is_tsconfig = name.starts_with("tsconfig.") && name.ends_with(".json");
    let is_workspace = name.starts_with("vitest.workspace.");
    SETTINGS.contains(&name) || configured || is_tsconfig || is_workspace
}

fn is_document_file(path: &str) -> bool {
    let name = name_of(path).to_lowercase();
    let stem = name.split('.').next().unwrap_or(&name);
    let is_prose = name.ends_with(".md") || name.ends_with(".rst") || name.ends_with(".txt");
    let is_manual = path.starts_with("docs/") || path.starts_with("doc/");
    DOCUMENTS.contains(&stem) && !is_source(&name) || is_manual && is_prose
}

/// A path without its endings and without what marks it as a test: what a test is about.
pub(super) fn subject(path: &str) -> String {
    let name = name_of(path).to_lowercase();
    let stem = name.split('.').next().unwrap_or(&name);
    let stem = stem.strip_prefix("test_").unwrap_or(stem);
    let endings = ["_tests", "_test", "_spec", "-test", "tests", "test", "spec"];
    let cut = endings.iter().find_map(|ending| stem.strip_suffix(ending));
    match cut {
        Some(cut) if !cut.is_empty() => cut.to_owned(),
        _ => stem.to_owned(),
    }
}
