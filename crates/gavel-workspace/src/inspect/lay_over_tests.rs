use gavel_rules::work::{Named, WorkEdition, WorkFindingKind, inspect_work};

use super::super::read_work_file;
use super::*;

const NONE: [&str; 0] = [];

fn tree(files: &[(&str, &str)]) -> WorkFiles {
    let read = |(path, text): &(&str, &str)| read_work_file(path, text.as_bytes());
    WorkFiles::new(files.iter().map(read))
}

fn ids(released: &[&str]) -> BTreeSet<String> {
    released.iter().map(|&id| id.to_owned()).collect()
}

fn laid(
    before: &[(&str, &str)],
    after: &[(&str, &str)],
    released: &[&str],
) -> Vec<(String, String)> {
    let (before, after) = (tree(before), tree(after));
    let files = lay_over(&before, &after, "", &ids(released));
    files
        .into_iter()
        .map(|file| (file.path, String::from_utf8(file.content).unwrap()))
        .collect()
}

fn pairs(files: &[(&str, &str)]) -> Vec<(String, String)> {
    let pairs = files.iter();
    pairs
        .map(|(path, text)| ((*path).to_owned(), (*text).to_owned()))
        .collect()
}

/// The id of the finding about a test.
fn id_of(before: &[(&str, &str)], after: &[(&str, &str)], test: &str) -> String {
    let found = inspect_work(
        &tree(before),
        &tree(after),
        "",
        Named::Nothing,
        WorkEdition::Second,
    );
    let named = found.iter().find(|one| one.test.as_deref() == Some(test));
    named.unwrap_or_else(|| panic!("{found:#?}")).id.clone()
}

#[test]
fn the_base_s_file_is_put_over_a_changed_one_in_three_languages() {
    for (path, old, new) in [
        (
            "tests/a.rs",
            "#[test]\nfn a() { assert_eq!(f(), 1); }\n",
            "#[test]\nfn a() {}\n",
        ),
        (
            "tests/test_a.py",
            "def test_a():\n    assert f() == 1\n",
            "def test_a():\n    pass\n",
        ),
        (
            "a.test.js",
            "test('a', () => { expect(f()).toBe(1); });\n",
            "test('a', () => {});\n",
        ),
    ] {
        assert_eq!(
            laid(&[(path, old)], &[(path, new)], &NONE),
            pairs(&[(path, old)])
        );
        assert_eq!(
            laid(&[(path, old)], &[], &NONE),
            pairs(&[(path, old)]),
            "deleted"
        );
        assert_eq!(
            laid(&[(path, old)], &[(path, old)], &NONE),
            [],
            "nothing changed"
        );
        assert_eq!(laid(&[], &[(path, new)], &NONE), [], "new tests stay");
    }
}

#[test]
fn a_module_of_tests_replaces_the_one_inside_the_work_s_product_code() {
    let base = "pub fn f() -> u8 { 1 }\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn a() { assert_eq!(super::f(), 1); }\n}\n";
    let gutted = "pub fn f() -> u8 { 2 }\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn a() {}\n}\n\npub fn g() {}\n";
    let wanted = "pub fn f() -> u8 { 2 }\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn a() { assert_eq!(super::f(), 1); }\n}\n\npub fn g() {}\n";
    let (before, after) = ([("src/a.rs", base)], [("src/a.rs", gutted)]);
    assert_eq!(laid(&before, &after, &NONE), pairs(&[("src/a.rs", wanted)]));
    let released = id_of(&before, &after, "tests::a");
    assert_eq!(laid(&before, &after, &[&released]), []);
    let removed = [("src/a.rs", "pub fn f() -> u8 { 2 }\n")];
    let appended = "pub fn f() -> u8 { 2 }\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn a() { assert_eq!(super::f(), 1); }\n}\n";
    assert_eq!(
        laid(&before, &removed, &NONE),
        pairs(&[("src/a.rs", appended)])
    );
    let declared = [("src/a.rs", "pub fn f() {}\n#[cfg(test)]\nmod tests;\n")];
    let undeclared = [("src/a.rs", "pub fn f() {}\n")];
    assert_eq!(
        laid(&declared, &undeclared, &NONE),
        pairs(&[("src/a.rs", "pub fn f() {}\n\n#[cfg(test)]\nmod tests;\n")])
    );
}

#[test]
fn one_released_test_is_left_as_the_work_has_it_and_the_others_are_not() {
    for (path, base, work, released, wanted) in [
        (
            "tests/a.rs",
            "#[test]\nfn a() { assert_eq!(f(), 1); }\n#[test]\nfn b() { assert!(g()); }\n",
            "use shop::h;\n#[test]\nfn a() { assert_eq!(h(), 2); }\n#[test]\nfn b() {}\n",
            "a",
            "use shop::h;\n#[test]\nfn a() { assert_eq!(h(), 2); }\n#[test]\nfn b() { assert!(g()); }\n",
        ),
        (
            "tests/a.rs",
            "#[test]\nfn a() { assert_eq!(f(), 1); }\n#[test]\nfn b() { assert!(g()); }\n",
            "#[test]\nfn b() {}\n",
            "a",
            "\n#[test]\nfn b() { assert!(g()); }\n",
        ),
        (
            "tests/test_a.py",
            "class TestA:\n    def test_a(self):\n        assert f() == 1\n\n    def test_b(self):\n        assert g()\n",
            "class TestA:\n    def test_b(self):\n        pass\n",
            "TestA::test_a",
            "class TestA:\n    pass\n\n    def test_b(self):\n        assert g()\n",
        ),
        (
            "tests/test_a.py",
            "from shop import f, g\n\ndef test_a():\n    assert f() == 1\n\ndef test_b():\n    assert g()\n",
            "from shop import f, g\nfrom shop import h\n\ndef test_a():\n    assert h() == 2\n\ndef test_b():\n    pass\n",
            "test_a",
            "from shop import f, g\n\nfrom shop import h\ndef test_a():\n    assert h() == 2\n\ndef test_b():\n    assert g()\n",
        ),
        (
            "a.test.ts",
            "describe('s', () => {\n  it('a', () => { expect(f()).toBe(1); });\n  it('b', () => { expect(g()).toBe(1); });\n});\n",
            "describe('s', () => {\n  it('a', () => { expect(f()).toBe(2); });\n  it.skip('b', () => { expect(g()).toBe(1); });\n});\n",
            "s > a",
            "describe('s', () => {\n  it('a', () => { expect(f()).toBe(2); });\n  it('b', () => { expect(g()).toBe(1); });\n});\n",
        ),
    ] {
        let (before, after) = ([(path, base)], [(path, work)]);
        let id = id_of(&before, &after, released);
        assert_eq!(
            laid(&before, &after, &[&id]),
            pairs(&[(path, wanted)]),
            "{path}"
        );
        assert_eq!(
            laid(&before, &after, &NONE),
            pairs(&[(path, base)]),
            "{path}"
        );
    }
}

#[test]
fn a_helper_that_the_base_knew_does_not_come_with_a_released_test() {
    let base = "#[test]\nfn a() { assert_eq!(f(), 1); }\n#[test]\nfn b() { check(g()); }\n";
    let work = "fn check(_: u8) {}\n#[test]\nfn a() { assert_eq!(f(), 2); }\n#[test]\nfn b() { check(g()); }\n";
    let (before, after) = ([("tests/a.rs", base)], [("tests/a.rs", work)]);
    let id = id_of(&before, &after, "a");
    let wanted = base.replace("assert_eq!(f(), 1)", "assert_eq!(f(), 2)");
    assert_eq!(
        laid(&before, &after, &[&id]),
        pairs(&[("tests/a.rs", &wanted)])
    );
}

#[test]
fn snapshots_and_data_of_tests_are_put_back_unless_released() {
    for path in [
        "tests/snapshots/a.snap",
        "src/__snapshots__/a.test.js.snap",
        "tests/data/a.json",
    ] {
        let (before, after) = ([(path, "one\n")], [(path, "two\n")]);
        assert_eq!(laid(&before, &after, &NONE), pairs(&[(path, "one\n")]));
        assert_eq!(laid(&before, &[], &NONE), pairs(&[(path, "one\n")]));
        let found = inspect_work(
            &tree(&before),
            &tree(&after),
            "",
            Named::Nothing,
            WorkEdition::Second,
        );
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(laid(&before, &after, &[&found[0].id]), []);
    }
}

#[test]
fn tests_that_moved_are_not_laid_over_and_are_expected_where_they_are() {
    let text = "def test_a():\n    assert f() == 1\n";
    let (before, after) = (
        [("tests/test_a.py", text)],
        [("tests/unit/test_a.py", text)],
    );
    assert_eq!(laid(&before, &after, &NONE), []);
    let expected = expected_tests(&tree(&before), &tree(&after), "", &ids(&NONE));
    assert_eq!(
        expected,
        [ExpectedTest {
            file: "tests/unit/test_a.py".to_owned(),
            name: "test_a".to_owned(),
            full_name: "test_a".to_owned(),
        }]
    );
}

#[test]
fn a_deleted_test_is_expected_until_it_is_released() {
    let before = [(
        "tests/test_a.py",
        "def test_a():\n    assert f()\n\ndef test_b():\n    assert g()\n",
    )];
    let after = [("tests/test_a.py", "def test_b():\n    assert g()\n")];
    let names = |released: &[&str]| -> Vec<String> {
        let expected = expected_tests(&tree(&before), &tree(&after), "", &ids(released));
        expected.into_iter().map(|test| test.full_name).collect()
    };
    assert_eq!(names(&NONE), ["test_a", "test_b"]);
    let id = id_of(&before, &after, "test_a");
    assert_eq!(names(&[&id]), ["test_b"]);
}

#[test]
fn an_honest_rename_is_taken_as_the_work_has_it_and_nothing_else_of_its_file() {
    let before = [
        ("src/cart.rs", "pub fn add() -> u8 { 1 }\n"),
        (
            "tests/a.rs",
            "use shop::add;\n#[test]\nfn a() { assert_eq!(add(), 1); }\n#[test]\nfn b() { assert!(g()); }\n",
        ),
    ];
    let after = [
        ("src/cart.rs", "pub fn total() -> u8 { 1 }\n"),
        (
            "tests/a.rs",
            "use shop::total;\n#[test]\nfn a() { assert_eq!(total(), 1); }\n#[test]\nfn b() {}\n",
        ),
    ];
    let found = inspect_work(
        &tree(&before),
        &tree(&after),
        "",
        Named::Nothing,
        WorkEdition::Second,
    );
    let kinds: Vec<WorkFindingKind> = found.iter().map(|one| one.kind).collect();
    assert_eq!(kinds, [WorkFindingKind::TestEmptied], "{found:#?}");
    let wanted = "use shop::total;\n#[test]\nfn a() { assert_eq!(total(), 1); }\n#[test]\nfn b() { assert!(g()); }\n";
    assert_eq!(
        laid(&before, &after, &NONE),
        pairs(&[("tests/a.rs", wanted)])
    );
}

#[test]
fn the_tests_of_the_work_go_over_the_base_for_a_bug_fix() {
    let before = tree(&[
        (
            "src/a.rs",
            "pub fn f() -> u8 { 1 }\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn a() { assert!(super::f() > 0); }\n}\n",
        ),
        ("tests/test_a.py", "def test_a():\n    assert f()\n"),
        (
            "same.test.js",
            "test('s', () => { expect(f()).toBe(1); });\n",
        ),
    ]);
    let after = tree(&[
        (
            "src/a.rs",
            "pub fn f() -> u8 { 2 }\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn a() { assert!(super::f() > 0); }\n    #[test]\n    fn b() { assert_eq!(super::f(), 2); }\n}\n",
        ),
        (
            "src/new.rs",
            "#[cfg(test)]\nmod tests {\n    #[test]\n    fn n() { assert!(super::g()); }\n}\n",
        ),
        ("tests/test_a.py", "def test_a():\n    assert f() == 2\n"),
        ("tests/test_b.py", "def test_b():\n    assert g()\n"),
        (
            "same.test.js",
            "test('s', () => { expect(f()).toBe(1); });\n",
        ),
    ]);
    let found = fail_to_pass(&before, &after);
    let names: Vec<&str> = found
        .tests
        .iter()
        .map(|test| test.full_name.as_str())
        .collect();
    assert_eq!(names, ["tests::b", "tests::n", "test_a", "test_b"]);
    let paths: Vec<&str> = found.files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(paths, ["src/a.rs", "tests/test_a.py", "tests/test_b.py"]);
    let inline = std::str::from_utf8(&found.files[0].content).unwrap();
    assert!(
        inline.starts_with("pub fn f() -> u8 { 1 }"),
        "the base's product code: {inline}"
    );
    assert!(inline.contains("fn b()"), "with the work's tests: {inline}");
}

#[test]
fn helpers_that_new_files_need_come_along() {
    let base = "struct Room;\nimpl Room {\n    fn new() -> Self { Self }\n}\n#[test]\nfn a() { assert!(Room::new().f()); }\n";
    let work = "struct Room;\nimpl Room {\n    fn new() -> Self { Self }\n    fn wide() -> Self { Self }\n}\nfn door() {}\nfn alone() {}\n#[test]\nfn a() {}\n";
    let user = "#[test]\nfn n() { crate::door(); }\n";
    let (before, after) = (
        [("tests/a.rs", base)],
        [("tests/a.rs", work), ("tests/new.rs", user)],
    );
    let wanted = "struct Room;\nimpl Room {\n    fn new() -> Self { Self }\n    fn wide() -> Self { Self }\n}\n#[test]\nfn a() { assert!(Room::new().f()); }\n";
    let wanted = format!("fn door() {{}}\n{wanted}");
    assert_eq!(
        laid(&before, &after, &NONE),
        pairs(&[("tests/a.rs", &wanted)])
    );
}

#[test]
fn a_test_of_another_name_is_laid_over_and_expected_under_it() {
    let old = "def test_a():\n    assert f() == 1\n\n\ndef test_b():\n    assert g() == 2\n";
    let renamed = old.replace("test_a", "test_one");
    let added = format!("{renamed}\n\ndef test_c():\n    assert h() == 3\n");
    let (before, after) = ([("test_x.py", old)], [("test_x.py", added.as_str())]);
    assert_eq!(
        laid(&before, &after, &NONE),
        pairs(&[("test_x.py", &renamed)])
    );
    let expected = expected_tests(&tree(&before), &tree(&after), "", &ids(&NONE));
    let names: Vec<&str> = expected.iter().map(|test| test.name.as_str()).collect();
    assert_eq!(names, ["test_b", "test_one"]);
}
