use gavel_rules::work::{
    Named, NoticeKind, Substance, Tolerance, WorkEdition, WorkFiles, WorkFinding, WorkFindingKind,
    inspect_work,
};

use super::*;

fn tree(files: &[(&str, &str)]) -> WorkFiles {
    let read = |(path, text): &(&str, &str)| read_work_file(path, text.as_bytes());
    WorkFiles::new(files.iter().map(read))
}

fn findings(path: &str, before: &str, after: &str) -> Vec<WorkFinding> {
    let (before, after) = (tree(&[(path, before)]), tree(&[(path, after)]));
    inspect_work(
        &before,
        &after,
        "change the tests and whatever they say",
        Named::Nothing,
        WorkEdition::Second,
    )
}

fn only_test(path: &str, source: &str) -> TestFunction {
    let language = SourceLanguage::of_name(path).unwrap();
    let mut tests = read_tests(language, path, source);
    assert_eq!(tests.len(), 1, "{tests:#?}");
    tests.remove(0)
}

fn names(path: &str, source: &str) -> Vec<String> {
    let language = SourceLanguage::of_name(path).unwrap();
    let tests = read_tests(language, path, source);
    tests.into_iter().map(|test| test.full_name).collect()
}

#[test]
fn tests_are_found_in_three_languages() {
    assert_eq!(
        names(
            "src/cart.rs",
            "pub fn f() {}\n#[cfg(test)]\nmod tests {\n use super::*;\n #[test]\n fn a() {}\n mod deep { #[tokio::test]\n async fn b() {} }\n fn helper() {}\n #[rstest]\n #[case(1)]\n fn c(#[case] x: u8) {}\n}\n",
        ),
        ["tests::a", "tests::deep::b", "tests::c"]
    );
    assert_eq!(
        names(
            "tests/it.rs",
            "#[test]\nfn a() {}\nfn no() {}\n#[test_log::test]\nfn b() {}\n"
        ),
        ["a", "b"]
    );
    assert_eq!(
        names(
            "tests/test_cart.py",
            "import x\ndef test_a(): pass\nclass TestCart:\n    def test_b(self): pass\n    def helper(self): pass\nclass C(unittest.TestCase):\n    @skip\n    def test_c(self): pass\n",
        ),
        ["test_a", "TestCart::test_b", "C::test_c"]
    );
    assert_eq!(
        names(
            "cart.test.ts",
            "describe('cart', () => { beforeEach(() => {}); it('adds', () => {}); describe('deep', function () { test.each([1])('n', (x: number) => {}); }); });\ntest('top', async () => {});\n",
        ),
        ["cart > adds", "cart > deep > n", "top"]
    );
    assert_eq!(
        names("src/cart.py", "def test_a(): pass\n"),
        [""; 0],
        "no runner looks there"
    );
}

const SUBSTANCES: &[(&str, &str, u32, Substance)] = &[
    ("tests/a.rs", "#[test] fn a() {}", 0, Substance::Empty),
    (
        "tests/a.rs",
        "#[test] fn a() { /* assert!(f()) */ }",
        0,
        Substance::Empty,
    ),
    (
        "tests/a.rs",
        "#[test] fn a() { assert!(true); }",
        1,
        Substance::ConstantOnly,
    ),
    (
        "tests/a.rs",
        "#[test] fn a() { assert_eq!(1, 1); }",
        1,
        Substance::ConstantOnly,
    ),
    (
        "tests/a.rs",
        "#[test] fn a() { let x = f(); assert_eq!(x, x); }",
        1,
        Substance::ConstantOnly,
    ),
    (
        "tests/a.rs",
        "#[test] fn a() { assert!(f() || true); }",
        1,
        Substance::ConstantOnly,
    ),
    (
        "tests/a.rs",
        "#[test] fn a() { f(); }",
        0,
        Substance::CallsOnly,
    ),
    (
        "tests/a.rs",
        "#[test] fn a() { for x in 0..3 { assert_eq!(f(x), x); } }",
        1,
        Substance::Asserts,
    ),
    (
        "tests/a.rs",
        "#[test] fn a() -> R { let x = f()?; assert!(x.ok().unwrap()); Ok(()) }",
        3,
        Substance::Asserts,
    ),
    (
        "test_a.py",
        "def test_a():\n    \"\"\"Says.\"\"\"\n    pass\n",
        0,
        Substance::Empty,
    ),
    ("test_a.py", "def test_a():\n    ...\n", 0, Substance::Empty),
    (
        "test_a.py",
        "def test_a():\n    assert 1 == 1\n",
        1,
        Substance::ConstantOnly,
    ),
    (
        "test_a.py",
        "def test_a():\n    assert (f(1) == 2, 'no')\n",
        1,
        Substance::ConstantOnly,
    ),
    (
        "test_a.py",
        "def test_a():\n    assert f(1) == 2 or True\n",
        1,
        Substance::ConstantOnly,
    ),
    (
        "test_a.py",
        "def test_a():\n    with pytest.raises(ValueError):\n        f(1)\n",
        1,
        Substance::Asserts,
    ),
    (
        "test_a.py",
        "class TestA(TestCase):\n    def test_a(self):\n        self.assertEqual(f(1), 2)\n",
        1,
        Substance::Asserts,
    ),
    ("a.test.js", "test('a', () => {})", 0, Substance::Empty),
    (
        "a.test.js",
        "test('a', () => { expect(true).toBe(true) })",
        1,
        Substance::ConstantOnly,
    ),
    (
        "a.test.js",
        "test('a', () => { const x = f(); expect(x).toEqual(x) })",
        1,
        Substance::ConstantOnly,
    ),
    (
        "a.test.js",
        "test('a', () => { expect(f(1)).toBe(2); assert.equal(f(2), 3) })",
        2,
        Substance::Asserts,
    ),
    (
        "a.test.js",
        "test('a', () => expect(f(1)).toBe(2))",
        1,
        Substance::Asserts,
    ),
    (
        "a.test.js",
        "test('a', (t) => { t.is(f(1), 2) })",
        1,
        Substance::Asserts,
    ),
];

#[test]
fn what_a_test_would_notice_is_read() {
    for &(path, source, assertions, substance) in SUBSTANCES {
        let test = only_test(path, source);
        assert_eq!(
            (test.assertions, test.substance),
            (assertions, substance),
            "{source}"
        );
    }
}

#[test]
fn a_test_that_does_not_run_is_seen() {
    for (path, source) in [
        ("tests/a.rs", "#[test] #[ignore] fn a() { assert!(f()); }"),
        ("tests/a.rs", "#[test] fn a() { return; assert!(f()); }"),
        ("tests/a.rs", "#[test] fn a() { std::process::exit(0); }"),
        (
            "tests/a.rs",
            "#[cfg_attr(all(), ignore)] #[test] fn a() { assert!(f()); }",
        ),
        (
            "test_a.py",
            "@pytest.mark.skip\ndef test_a():\n    assert f()\n",
        ),
        (
            "test_a.py",
            "@unittest.expectedFailure\ndef test_a():\n    assert f()\n",
        ),
        (
            "test_a.py",
            "def test_a():\n    pytest.skip('later')\n    assert f()\n",
        ),
        ("test_a.py", "def test_a():\n    return\n    assert f()\n"),
        (
            "test_a.py",
            "pytestmark = pytest.mark.skip\ndef test_a():\n    assert f()\n",
        ),
        (
            "test_a.py",
            "@skip\nclass TestA:\n    def test_a(self):\n        assert f()\n",
        ),
        (
            "test_a.py",
            "class TestA:\n    __test__ = False\n    def test_a(self):\n        assert f()\n",
        ),
        ("a.test.js", "test.skip('a', () => { expect(f()).toBe(1) })"),
        ("a.test.js", "xit('a', () => { expect(f()).toBe(1) })"),
        ("a.test.js", "test.todo('a')"),
        (
            "a.test.js",
            "test('a', { skip: true }, () => { expect(f()).toBe(1) })",
        ),
        (
            "a.test.js",
            "describe.skip('s', () => { it('a', () => { expect(f()).toBe(1) }) })",
        ),
        (
            "a.test.js",
            "test('a', () => { process.exit(0); expect(f()).toBe(1) })",
        ),
    ] {
        assert!(only_test(path, source).skipped.is_some(), "{source}");
    }
    for (path, source) in [
        (
            "tests/a.rs",
            "#[test] fn a() -> R { assert!(f()); return Ok(()); }",
        ),
        ("test_a.py", "def test_a(skip):\n    assert skip(reader)\n"),
        (
            "a.test.js",
            "test('skip', () => { return expect(f().skip(1)).resolves.toBe(1) })",
        ),
    ] {
        assert_eq!(only_test(path, source).skipped, None, "{source}");
    }
    let shadowed = read_tests(
        SourceLanguage::Python,
        "test_a.py",
        "def test_a():\n    assert f()\ndef test_a():\n    pass\n",
    );
    assert!(shadowed[0].skipped.is_some() && shadowed[1].skipped.is_none());
    let focused = read_tests(
        SourceLanguage::JavaScript,
        "a.test.js",
        "test('a', () => { expect(f()).toBe(1) }); test.only('b', () => { expect(1).toBe(1) });",
    );
    assert!(focused[0].skipped.is_some() && focused[1].skipped.is_none());
}

#[test]
fn what_is_caught_and_how_far_off_is_read() {
    let caught = |path: &str, source: &str| only_test(path, source).catches;
    assert_eq!(
        caught("tests/a.rs", "#[test] #[should_panic] fn a() { f(); }"),
        ["should_panic"]
    );
    assert_eq!(
        caught(
            "tests/a.rs",
            "#[test] fn a() { let _ = catch_unwind(|| f()); }"
        ),
        ["catch_unwind"]
    );
    assert_eq!(
        caught(
            "test_a.py",
            "def test_a():\n    try:\n        f()\n    except Exception:\n        pass\n"
        ),
        ["except Exception:"]
    );
    assert_eq!(
        caught(
            "test_a.py",
            "def test_a():\n    try:\n        f()\n    except ValueError as e:\n        assert e.x\n"
        ),
        [""; 0]
    );
    assert_eq!(
        caught(
            "a.test.js",
            "test('a', () => { try { f() } catch (e) { log(e) } })"
        ),
        ["catch (e) { log(e) } })"].map(|_| "catch (e) { log(e) }")
    );
    assert_eq!(
        caught("a.test.js", "test('a', () => f().catch(() => {}))"),
        ["catch"]
    );

    let off = |path: &str, source: &str| only_test(path, source).tolerances;
    assert_eq!(
        off(
            "tests/a.rs",
            "#[test] fn a() { assert!((f() - 1.0).abs() < 1e-6); }"
        ),
        [Tolerance::Width(1e-6)]
    );
    assert_eq!(
        off(
            "test_a.py",
            "def test_a():\n    assert f() == approx(1, rel=0.5)\n"
        ),
        [Tolerance::Width(0.5)]
    );
    assert_eq!(
        off(
            "test_a.py",
            "class TestA:\n    def test_a(self):\n        self.assertAlmostEqual(f(), 1, places=3)\n"
        ),
        [Tolerance::Places(3.0)]
    );
    assert_eq!(
        off(
            "a.test.js",
            "test('a', () => { expect(f()).toBeCloseTo(0.3, 5) })"
        ),
        [Tolerance::Places(5.0)]
    );
}

const NOTICING: &[(&str, &str)] = &[
    (
        "src/a.rs",
        "fn f() -> u8 { if cfg!(test) { 3 } else { 4 } }",
    ),
    ("src/a.rs", "#[cfg(not(test))]\nfn f() -> u8 { 4 }"),
    (
        "src/a.rs",
        "fn f() -> bool { std::fs::read(\"/proc/1/cmdline\").is_ok() }",
    ),
    ("shop.py", "walls = open('/proc/self/' 'mountinfo').read()"),
    (
        "shop.js",
        "const walls = fs.readFileSync('/proc/self/cgroup', 'utf8');",
    ),
    ("shop.py", "def f():\n    return 1 if __debug__ else 2"),
    ("src/a.rs", "fn f() -> u8 { #[cfg(test)] return 3; 4 }"),
    (
        "src/a.rs",
        "use real::*;\n#[cfg(test)]\nuse crate::fake::add;",
    ),
    (
        "src/a.rs",
        "#[cfg_attr(test, path = \"fake.rs\")]\nmod real;",
    ),
    (
        "src/a.rs",
        "fn f() -> bool { std::env::var(\"NEXTEST\").is_ok() }",
    ),
    (
        "src/a.rs",
        "fn f() -> bool { std::env::var(concat!(\"CARGO_TARGET\", \"_TMPDIR\")).is_ok() }",
    ),
    (
        "src/a.rs",
        "fn f() -> bool { std::thread::current().name() != Some(\"main\") }",
    ),
    (
        "src/a.rs",
        "fn f() -> bool { std::env::current_exe().unwrap().ends_with(\"deps\") }",
    ),
    ("shop.py", "X = 'PYTEST_CURRENT_TEST' in os.environ"),
    ("shop.py", "X = 'PYTEST_CURRENT' + '_TEST' in os.environ"),
    ("shop.py", "X = 'pytest' in sys.modules"),
    ("shop.py", "X = \"unittest\" in sys.modules"),
    ("shop.py", "X = sys.argv[0].endswith('pytest')"),
    ("shop.py", "import pytest"),
    ("shop.js", "const x = process.env.NODE_ENV === 'test';"),
    ("shop.js", "const x = process.env.JEST_WORKER_ID;"),
    (
        "shop.ts",
        "const x = import.meta.vitest, y = process.env['VITEST'];",
    ),
    ("shop.js", "const x = process.env.NODE_TEST_CONTEXT;"),
    ("shop.js", "const x = typeof describe === 'function';"),
    (
        "shop.go",
        "func f() bool { return flag.Lookup(\"test.v\") != nil }",
    ),
];

#[test]
fn product_code_that_notices_tests_is_found() {
    for &(path, line) in NOTICING {
        let found = findings(path, "", line);
        let is = |finding: &WorkFinding| {
            finding.kind == WorkFindingKind::NoticesTests && finding.line > 0
        };
        assert!(found.iter().any(is), "{line}: {found:?}");
        assert_eq!(
            findings(path, line, line),
            [],
            "it was there before: {line}"
        );
    }
    for (path, line) in [
        (
            "src/a.rs",
            "fn f() {}\n#[cfg(test)]\nmod tests {\n    #[cfg(not(test))]\n    fn g() {}\n    #[test]\n    fn a() { assert!(cfg!(test)); }\n}\n",
        ),
        (
            "src/a.rs",
            "#[cfg(test)]\nimpl X { fn for_tests() {} }\n#[cfg(test)]\nuse std::fmt;",
        ),
        (
            "src/a.rs",
            "// cfg!(test) is not used\nconst DIR: &str = env!(\"CARGO_MANIFEST_DIR\");",
        ),
        (
            "shop.py",
            "# PYTEST_CURRENT_TEST\ntest = sys.argv[1]\ndef contest(): return latest",
        ),
        (
            "shop.js",
            "const x = process.env.NODE_ENV === 'production';",
        ),
        ("shop.py", "memory = open('/proc/meminfo').read()"),
        (
            "tests/test_a.py",
            "import pytest\ndef test_a():\n    assert 'pytest' in sys.modules\n",
        ),
    ] {
        assert_eq!(findings(path, "", line), [], "{line}");
    }
}

#[test]
fn an_assertion_with_another_meaning_is_found() {
    for (path, code) in [
        (
            "tests/a.rs",
            "macro_rules! assert_eq { ($($x:tt)*) => {}; }",
        ),
        (
            "src/a.rs",
            "#[macro_export]\nmacro_rules! assert { ($($x:tt)*) => {}; }",
        ),
        ("a.test.js", "const expect = () => ({ toBe() {} });"),
        (
            "test_a.py",
            "class Base(unittest.TestCase):\n    def assertEqual(self, a, b): pass\n",
        ),
        (
            "conftest.py",
            "unittest.TestCase.assertEqual = lambda *a: None\n",
        ),
        (
            "shop.py",
            "class Amount(int):\n    def __eq__(self, other): return other == 12\n",
        ),
        ("shop.js", "class Amount { valueOf() { return this.n; } }"),
        (
            "src/a.rs",
            "impl std::cmp::PartialEq<i32> for Sum { fn eq(&self, _: &i32) -> bool { true } }",
        ),
    ] {
        let file = read_work_file(path, code.as_bytes());
        let is = |notice: &gavel_rules::work::Notice| notice.kind == NoticeKind::RedefinesAssertion;
        assert!(file.notices.iter().any(is), "{code}");
    }
    for (path, code) in [
        ("tests/a.rs", "macro_rules! check { () => {}; }"),
        (
            "a.test.js",
            "const expect = require('chai').expect; const { test } = require('node:test');",
        ),
        ("test_a.py", "def assert_sorted(x):\n    assert x\n"),
        (
            "shop.py",
            "class Amount(Money):\n    def __eq__(self, other): return self.n == other.n\n",
        ),
        (
            "src/a.rs",
            "impl PartialEq for Sum { fn eq(&self, other: &Self) -> bool { self.0 == other.0 } }",
        ),
        (
            "src/a.rs",
            "impl PartialEq<str> for Name { fn eq(&self, other: &str) -> bool { self.0 == other } }",
        ),
    ] {
        let file = read_work_file(path, code.as_bytes());
        assert_eq!(file.notices, [], "{code}");
    }
}

#[test]
fn senseless_and_very_deep_code_is_read_without_harm() {
    let deep = format!(
        "#[test] fn a() {{ {}1{}; }}",
        "(".repeat(3_000),
        ")".repeat(3_000)
    );
    read_work_file("tests/a.rs", deep.as_bytes());
    let blocks = format!("#[test] fn a() {} {}", "{".repeat(3_000), "}".repeat(3_000));
    read_work_file("tests/a.rs", blocks.as_bytes());
    let file = read_work_file("tests/a.rs", &[0xff, 0xfe]);
    assert_eq!(file.reading, CodeReading::NotRead);
    assert_eq!(file.role(), FileRole::Test);
}
