use super::*;

fn lock(packages: &[(&str, &str, &str, &str)]) -> WorkFiles {
    let text = format!("{packages:?}");
    let mut file = WorkFile::unread("package-lock.json", text.as_bytes());
    file.packages = packages
        .iter()
        .map(|(name, version, source, integrity)| LockedPackage {
            name: (*name).to_owned(),
            version: (*version).to_owned(),
            source: (*source).to_owned(),
            integrity: (*integrity).to_owned(),
        })
        .collect();
    WorkFiles::new([file])
}

fn count(before: &WorkFiles, after: &WorkFiles) -> usize {
    let found = inspect_work(
        before,
        after,
        "update the lock file",
        Named::Nothing,
        WorkEdition::Second,
    );
    let kind = WorkFindingKind::LockFileRedirected;
    assert!(
        found.iter().all(|finding| finding.kind == kind),
        "{found:?}"
    );
    found.len()
}

const NPM: &str = "https://registry.npmjs.org/a/-/a-1.tgz";

#[test]
fn a_lock_file_that_points_elsewhere_is_found() {
    let base = lock(&[("a", "1", NPM, "sha512-x"), ("own", "1", "", "")]);
    for (version, source, integrity) in [
        ("1", "https://evil.example/a-1.tgz", "sha512-x"),
        ("1", "http://registry.npmjs.org/a/-/a-1.tgz", "sha512-x"),
        ("1", "git+ssh://git@github.com/x/a.git#1", "sha512-x"),
        ("1", "file:vendor/a", "sha512-x"),
        ("1", NPM, "sha512-y"),
        ("1", NPM, ""),
        ("1", "", ""),
        ("2", "https://evil.example/a-2.tgz", "sha512-z"),
        ("2", "git+https://github.com/x/a", ""),
        ("2", "", ""),
    ] {
        let after = lock(&[("a", version, source, integrity), ("own", "1", "", "")]);
        assert_eq!(count(&base, &after), 1, "{version} {source} {integrity}");
    }
}

#[test]
fn a_lock_file_that_follows_its_manifest_is_none() {
    let base = lock(&[("a", "1", NPM, "sha512-x")]);
    for packages in [
        vec![(
            "a",
            "2",
            "https://registry.npmjs.org/a/-/a-2.tgz",
            "sha512-z",
        )],
        vec![
            ("a", "1", NPM, "sha512-x"),
            ("b", "1", "https://registry.yarnpkg.com/b", "sha512-b"),
        ],
        vec![("a", "1", NPM, "sha512-x"), ("member", "0.1.0", "", "")],
    ] {
        assert_eq!(count(&base, &lock(&packages)), 0, "{packages:?}");
    }
    let mirror = "https://mirror.corp.example/a";
    let mirrored = lock(&[("a", "1", mirror, "x"), ("b", "1", mirror, "y")]);
    assert_eq!(
        count(&WorkFiles::default(), &mirrored),
        0,
        "a registry of one's own"
    );
    let odd = lock(&[
        ("a", "1", mirror, "x"),
        ("b", "1", mirror, "y"),
        ("c", "1", "http://x.example/c", "z"),
    ]);
    assert_eq!(count(&WorkFiles::default(), &odd), 1, "one from elsewhere");
    let broken = lock(&[]);
    assert_eq!(count(&base, &broken), 1, "nothing can be read");
}

fn files(paths: &[&str], content: &str) -> WorkFiles {
    let files = paths
        .iter()
        .map(|path| WorkFile::unread(path, content.as_bytes()));
    WorkFiles::new(files)
}

fn beyond(before: &[&str], after: &[&str], planned: &[&str]) -> Vec<String> {
    let planned: Vec<String> = planned.iter().map(|&path| path.to_owned()).collect();
    let found = inspect_work(
        &files(before, "a"),
        &files(after, "b"),
        "",
        Named::ByPlan(&planned),
        WorkEdition::Second,
    );
    let beyond = found
        .iter()
        .filter(|one| one.kind == WorkFindingKind::OutOfScope);
    beyond.map(|finding| finding.file.clone()).collect()
}

#[test]
fn a_change_keeps_to_its_plan() {
    for (touched, planned, found) in [
        ("src/cart.rs", "src/cart.rs", false),
        ("src/cart.rs", "src", false),
        ("src/cart.rs", "src/*.rs", false),
        ("src/a/cart.rs", "**/cart.rs", false),
        ("src/a/cart.rs", "src/*.rs", true),
        ("src/cart.rs", "src/car", true),
        ("src/other.rs", "src/cart.rs", true),
        ("README.md", "src/cart.rs", false),
        ("docs/guide.md", "src/cart.rs", false),
        ("Cargo.lock", "src/cart.rs", true),
        ("tests/test_cart.py", "src/cart.py", false),
        ("src/cart_tests.rs", "src/cart.rs", false),
        ("cart.test.ts", "src/cart.ts", false),
        ("tests/test_other.py", "src/cart.py", true),
        ("Cargo.toml", "src/cart.rs", true),
        (".github/workflows/ci.yml", "src/cart.rs", true),
    ] {
        let beyond = beyond(&[touched], &[touched], &[planned]);
        assert_eq!(beyond.len(), usize::from(found), "{touched} with {planned}");
    }
    assert_eq!(
        beyond(&[], &["tests/test_new.py"], &["src/cart.py"]),
        [""; 0],
        "a new test"
    );
    let both = ["Cargo.toml", "Cargo.lock"];
    assert_eq!(
        beyond(&both, &both, &["Cargo.toml"]),
        [""; 0],
        "the lock follows"
    );
    assert_eq!(
        beyond(&["src/a.rs"], &[], &["src/b.rs"]),
        ["src/a.rs"],
        "removed"
    );
    let unplanned = inspect_work(
        &files(&["src/a.rs"], "a"),
        &files(&["src/a.rs"], "b"),
        "",
        Named::Nothing,
        WorkEdition::Second,
    );
    assert_eq!(unplanned, [], "without a plan there is no scope");
}

#[test]
fn files_are_told_apart_by_their_paths() {
    use FileRole::{Ci, Document, Fixture, Lock, Other, Product, Settings, Snapshot, Test};
    for (path, role) in [
        ("src/cart.rs", Product),
        ("src/cart_tests.rs", Test),
        ("tests/it/main.rs", Test),
        ("tests/data/a.json", Fixture),
        ("src/testdata/a.json", Fixture),
        ("src/contest.py", Product),
        ("conftest.py", Test),
        ("web/cart.spec.tsx", Test),
        ("web/__tests__/cart.js", Test),
        ("src/__snapshots__/a.test.js.snap", Snapshot),
        ("tests/snapshots/it__a.snap", Snapshot),
        ("Cargo.lock", Lock),
        ("Cargo.toml", Settings),
        ("web/eslint.config.mjs", Settings),
        (".eslintrc.cjs", Settings),
        ("tsconfig.base.json", Settings),
        (".github/workflows/ci.yml", Ci),
        ("Jenkinsfile", Ci),
        ("README.md", Document),
        ("logo.png", Other),
        ("node_modules/x/tests/a.js", Product),
    ] {
        assert_eq!(file_role(path), role, "{path}");
    }
}

#[test]
fn tests_of_other_languages_are_compared_line_by_line() {
    let base = "func TestA(t *testing.T) {\n\tcheck(t)\n}\n";
    let kinds = |now: Option<&str>| -> Vec<WorkFindingKind> {
        let before = WorkFiles::new([WorkFile::unread("cart_test.go", base.as_bytes())]);
        let after = now.map(|text| WorkFile::unread("cart_test.go", text.as_bytes()));
        let found = inspect_work(
            &before,
            &WorkFiles::new(after),
            "",
            Named::Nothing,
            WorkEdition::Second,
        );
        found.iter().map(|finding| finding.kind).collect()
    };
    let longer = format!("{base}\nfunc TestB(t *testing.T) {{\n}}\n");
    assert_eq!(kinds(Some(&longer)), []);
    assert_eq!(
        kinds(Some(&base.replace("check(t)", "t.Skip()\n\tcheck(t)"))),
        [WorkFindingKind::TestRewritten]
    );
    assert_eq!(
        kinds(Some(&base.replace("check(t)", ""))),
        [WorkFindingKind::TestRewritten]
    );
    assert_eq!(kinds(None), [WorkFindingKind::TestDeleted]);
}

#[test]
fn findings_are_stored_as_they_are_named() {
    let finding = WorkFinding::new(WorkFindingKind::TestDeleted, "tests/a.rs", "a")
        .at(3)
        .of_test("a")
        .saying("the test `a`: it is gone")
        .changed("assert ! ( f ( ) )", "");
    let json = serde_json::to_string(&finding).unwrap();
    assert_eq!(
        json,
        format!(
            "{{\"id\":\"{}\",\"kind\":\"test_deleted\",\"file\":\"tests/a.rs\",\"line\":3,\"test\":\"a\",\
             \"message\":\"the test `a`: it is gone\",\"before\":\"assert ! ( f ( ) )\"}}",
            finding.id
        )
    );
    assert_eq!(serde_json::from_str::<WorkFinding>(&json).unwrap(), finding);
    assert_eq!(
        (finding.id.len(), finding.place().as_str()),
        (12, "tests/a.rs:3")
    );
}
