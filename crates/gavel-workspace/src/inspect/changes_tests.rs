use gavel_rules::work::WorkFindingKind::{
    TestDeleted, TestEmptied, TestLoosened, TestRewritten, TestSkipped, TestSupportChanged,
};
use gavel_rules::work::{
    Named, WorkEdition, WorkFiles, WorkFinding, WorkFindingKind, inspect_work,
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

fn kinds(path: &str, before: &str, after: &str) -> Vec<WorkFindingKind> {
    let found = findings(path, before, after);
    found.iter().map(|finding| finding.kind).collect()
}

const RUST: &str = "use shop::*;\nfn check(x: u8) { assert!(x > 1); }\n#[test]\nfn adds() {\n    let sum = add(1, 2);\n    assert_eq!(sum, 3);\n    assert!((half(1.0) - 0.5).abs() < 1e-9);\n}\n#[test]\nfn other() { check(total()); }\n";
const PYTHON: &str = "from shop import add\n\ndef check(x):\n    assert x > 1\n\ndef test_adds():\n    total = add(1, 2)\n    assert total == 3\n    assert add(0, 0) == approx(0, abs=0.1)\n\n@pytest.mark.parametrize('x', [1, 2])\ndef test_other(x):\n    check(add(x, 1))\n";
const SCRIPT: &str = "import { add } from './add';\nfunction check(x) { expect(x).toBeGreaterThan(1); }\ndescribe('cart', () => {\n  it('adds', () => {\n    const sum = add(1, 2);\n    expect(sum).toBe(3);\n    expect(add(0.1, 0.2)).toBeCloseTo(0.3, 5);\n  });\n  it('other', () => { check(add(1, 1)); });\n});\n";

const WEAKENED: &[(&str, &str, &str, WorkFindingKind)] = &[
    (
        "tests/cart.rs",
        "#[test]\nfn other() { check(total()); }\n",
        "",
        TestDeleted,
    ),
    (
        "tests/cart.rs",
        "fn adds() {\n",
        "fn sums() {\n    let extra = f();\n",
        TestDeleted,
    ),
    (
        "tests/cart.rs",
        "#[test]\nfn adds",
        "#[test]\n#[ignore]\nfn adds",
        TestSkipped,
    ),
    (
        "tests/cart.rs",
        "#[test]\nfn adds",
        "#[cfg(any())]\n#[test]\nfn adds",
        TestSkipped,
    ),
    (
        "tests/cart.rs",
        "    let sum",
        "    return;\n    let sum",
        TestSkipped,
    ),
    (
        "tests/cart.rs",
        "    let sum",
        "    if true { return; }\n    let sum",
        TestRewritten,
    ),
    ("tests/cart.rs", "{ check(total()); }", "{}", TestEmptied),
    (
        "tests/cart.rs",
        "{ check(total()); }",
        "{ assert!(true); }",
        TestEmptied,
    ),
    (
        "tests/cart.rs",
        "    assert_eq!(sum, 3);\n",
        "",
        TestLoosened,
    ),
    (
        "tests/cart.rs",
        "assert_eq!(sum, 3)",
        "assert_ne!(sum, 3)",
        TestLoosened,
    ),
    (
        "tests/cart.rs",
        "assert_eq!(sum, 3)",
        "assert_eq!(sum, 4)",
        TestLoosened,
    ),
    (
        "tests/cart.rs",
        "assert_eq!(sum, 3)",
        "assert!(sum >= 3)",
        TestLoosened,
    ),
    ("tests/cart.rs", "1e-9", "1e-1", TestLoosened),
    (
        "tests/cart.rs",
        "#[test]\nfn adds",
        "#[test]\n#[should_panic]\nfn adds",
        TestLoosened,
    ),
    (
        "tests/cart.rs",
        "    assert_eq!(sum",
        "    let sum = 3;\n    assert_eq!(sum",
        TestRewritten,
    ),
    ("tests/cart.rs", "add(1, 2)", "add(3, 0)", TestRewritten),
    (
        "tests/cart.rs",
        "assert!(x > 1);",
        "let _ = x;",
        TestSupportChanged,
    ),
    (
        "tests/cart.rs",
        "use shop::*;",
        "use shop::*;\nuse fake::add;",
        TestSupportChanged,
    ),
    (
        "tests/cart.rs",
        "use shop::*;",
        "use fake::*;",
        TestSupportChanged,
    ),
    (
        "tests/test_cart.py",
        "def test_adds",
        "def adds",
        TestDeleted,
    ),
    (
        "tests/test_cart.py",
        "def test_adds",
        "@pytest.mark.xfail\ndef test_adds",
        TestSkipped,
    ),
    (
        "tests/test_cart.py",
        "from shop import add\n",
        "from shop import add\npytestmark = pytest.mark.skip\n",
        TestSkipped,
    ),
    (
        "tests/test_cart.py",
        "    total = add(1, 2)\n    assert total == 3\n    assert add(0, 0) == approx(0, abs=0.1)\n",
        "    pass\n",
        TestEmptied,
    ),
    (
        "tests/test_cart.py",
        "assert total == 3",
        "assert total",
        TestLoosened,
    ),
    (
        "tests/test_cart.py",
        "assert total == 3",
        "assert total != 3",
        TestLoosened,
    ),
    (
        "tests/test_cart.py",
        "assert total == 3",
        "assert (total == 3, 'sum')",
        TestLoosened,
    ),
    ("tests/test_cart.py", "abs=0.1", "abs=10", TestLoosened),
    (
        "tests/test_cart.py",
        "    total = add(1, 2)\n    assert total == 3\n",
        "    try:\n        total = add(1, 2)\n        assert total == 3\n    except Exception:\n        pass\n",
        TestLoosened,
    ),
    ("tests/test_cart.py", "[1, 2])", "[1])", TestRewritten),
    (
        "tests/test_cart.py",
        "[1, 2])",
        "[1, pytest.param(2, marks=pytest.mark.skip)])",
        TestSkipped,
    ),
    (
        "tests/test_cart.py",
        "    assert x > 1",
        "    return",
        TestSupportChanged,
    ),
    (
        "tests/test_cart.py",
        "from shop import add",
        "from fake import add",
        TestSupportChanged,
    ),
    (
        "tests/test_cart.py",
        "def check",
        "@pytest.fixture(autouse=True)\ndef patched(monkeypatch):\n    monkeypatch.setattr(shop, 'add', sum)\n\ndef check",
        TestSupportChanged,
    ),
    (
        "cart.test.js",
        "  it('other', () => { check(add(1, 1)); });\n",
        "",
        TestDeleted,
    ),
    ("cart.test.js", "it('adds'", "it.skip('adds'", TestSkipped),
    ("cart.test.js", "it('adds'", "xit('adds'", TestSkipped),
    (
        "cart.test.js",
        "describe('cart'",
        "describe.skip('cart'",
        TestSkipped,
    ),
    ("cart.test.js", "it('other'", "it.only('other'", TestSkipped),
    ("cart.test.js", "{ check(add(1, 1)); }", "{}", TestEmptied),
    ("cart.test.js", "toBe(3)", "toBe(4)", TestLoosened),
    (
        "cart.test.js",
        "expect(sum).toBe",
        "expect(sum).not.toBe",
        TestLoosened,
    ),
    (
        "cart.test.js",
        "    expect(sum).toBe(3);\n",
        "    expect(sum).toBeDefined();\n",
        TestLoosened,
    ),
    ("cart.test.js", "0.3, 5", "0.3, 1", TestLoosened),
    (
        "cart.test.js",
        "const sum = add(1, 2);",
        "const sum = 3;",
        TestRewritten,
    ),
    (
        "cart.test.js",
        "expect(x).toBeGreaterThan(1);",
        "",
        TestSupportChanged,
    ),
    (
        "cart.test.js",
        "describe('cart'",
        "jest.mock('./add');\ndescribe('cart'",
        TestSupportChanged,
    ),
    ("cart.test.js", "'./add'", "'./fake'", TestSupportChanged),
];

#[test]
fn tests_that_were_weakened_are_found_whatever_is_asked_for() {
    let mut missed = Vec::new();
    for &(path, old, new, kind) in WEAKENED {
        let before = match path {
            "tests/cart.rs" => RUST,
            "tests/test_cart.py" => PYTHON,
            _ => SCRIPT,
        };
        let after = before.replacen(old, new, 1);
        assert_ne!(before, after, "the case changes something: {old}");
        let found = kinds(path, before, &after);
        if !found.contains(&kind) {
            missed.push(format!("{kind:?} for {old} → {new}: {found:?}"));
        }
    }
    assert_eq!(missed, [""; 0]);
}

#[test]
fn new_tests_further_assertions_and_layout_are_no_findings() {
    for (path, before, old, new) in [
        (
            "tests/cart.rs",
            RUST,
            "#[test]\nfn other",
            "#[test]\nfn third() { assert!(f()); }\n#[test]\nfn other",
        ),
        (
            "tests/cart.rs",
            RUST,
            "    assert_eq!(sum, 3);",
            "    // why\n    assert_eq!(\n        sum,\n        3,\n    );\n    assert_eq!(add(2, 2), 4);",
        ),
        (
            "tests/cart.rs",
            RUST,
            "1e-9);\n",
            "1e-9);\n    let more = add(5, 5);\n    reset();\n    assert_eq!(more, 10);\n",
        ),
        (
            "tests/room.rs",
            "impl Room { fn new() -> Self { f() } }\n#[test]\nfn a() { assert!(Room::new().f()); }\n",
            "impl Room {",
            "impl Room { fn wide() -> u8 { 1 }",
        ),
        (
            "tests/cart.rs",
            RUST,
            "fn check",
            "fn fresh() -> u8 { 1 }\nfn check",
        ),
        (
            "tests/cart.rs",
            RUST,
            "assert!(x > 1); }",
            "assert!(x > 1); assert!(x < 9) }",
        ),
        (
            "tests/test_cart.py",
            PYTHON,
            "from shop import add",
            "from shop import add, remove",
        ),
        (
            "tests/test_cart.py",
            PYTHON,
            "    assert total == 3",
            "    other = add(2, 2)\n    assert other == 4\n    assert total == 3",
        ),
        ("tests/test_cart.py", PYTHON, "[1, 2]", "[1, 2, 3]"),
        ("tests/test_cart.py", PYTHON, "'x'", "\"x\""),
        (
            "cart.test.js",
            SCRIPT,
            "import { add } from",
            "import { add, remove } from",
        ),
        (
            "cart.test.js",
            SCRIPT,
            "    expect(sum).toBe(3);",
            "    expect(sum).toBe(3)\n    expect(add(2, 2)).toBe(4)",
        ),
        (
            "cart.test.js",
            SCRIPT,
            "  it('other'",
            "  describe('new', () => { beforeEach(() => reset()); it('x', () => { expect(f()).toBe(1); }); });\n  it('other'",
        ),
    ] {
        let after = before.replacen(old, new, 1);
        assert_ne!(before, after, "the case changes something: {old}");
        let found = findings(path, before, &after);
        assert_eq!(found, [], "{old} → {new}");
    }
}

#[test]
fn tests_that_moved_are_there_still() {
    let before = tree(&[("tests/test_cart.py", PYTHON)]);
    let after = tree(&[("tests/unit/test_basket.py", PYTHON)]);
    assert_eq!(
        inspect_work(&before, &after, "", Named::Nothing, WorkEdition::Second),
        []
    );
    let unseen = tree(&[("tests/unit/basket.py", PYTHON)]);
    let found = inspect_work(&before, &unseen, "", Named::Nothing, WorkEdition::Second);
    assert_eq!(found.len(), 2, "no runner looks there: {found:#?}");
    let gutted = PYTHON.replace("    assert x > 1", "    return x");
    let after = tree(&[("tests/unit/test_basket.py", &gutted)]);
    let found = inspect_work(&before, &after, "", Named::Nothing, WorkEdition::Second);
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!(found[0].kind, WorkFindingKind::TestSupportChanged);
}

#[test]
fn a_module_of_tests_that_is_not_declared_any_more_is_found() {
    let before = "pub fn f() {}\n#[cfg(test)]\n#[path = \"cart_tests.rs\"]\nmod tests;\n";
    assert_eq!(
        kinds("src/cart.rs", before, "pub fn f() {}\n"),
        [WorkFindingKind::TestDeleted]
    );
    assert_eq!(
        kinds(
            "src/cart.rs",
            before,
            &before.replace("cart_tests", "none_tests")
        ),
        [WorkFindingKind::TestDeleted]
    );
    assert_eq!(
        kinds("src/cart.rs", before, &before.replace("f()", "g()")),
        []
    );
}

#[test]
fn an_id_covers_what_the_work_made_of_it() {
    let after = |body: &str| RUST.replace("assert_eq!(sum, 3)", body);
    let id = |body: &str| findings("tests/cart.rs", RUST, &after(body))[0].id.clone();
    assert_eq!(
        id("assert_eq!(sum, 4)"),
        id("assert_eq!( sum, 4 )"),
        "layout is nothing"
    );
    assert_ne!(
        id("assert_eq!(sum, 4)"),
        id("assert_eq!(sum, 5)"),
        "a release covers one change"
    );
}

#[test]
fn ways_to_keep_a_test_from_running_are_found() {
    for (path, before, old, new) in [
        (
            "tests/cart.rs",
            RUST,
            "use shop",
            "#![cfg(any())]\nuse shop",
        ),
        (
            "tests/test_cart.py",
            PYTHON,
            "def test_adds",
            "async def test_adds",
        ),
        (
            "tests/test_cart.py",
            PYTHON,
            "approx(0, abs=0.1)\n",
            "approx(0, abs=0.1)\n    yield\n",
        ),
        (
            "cart.test.js",
            SCRIPT,
            "it('adds', () => {",
            "it('adds', function* () {",
        ),
        (
            "src/cart.rs",
            "#[cfg(test)]\nmod tests {\n    #[test]\n    fn a() { assert!(f()); }\n}\n",
            "#[cfg(test)]",
            "#[cfg(all(test, feature = \"never\"))]",
        ),
        (
            "named.test.js",
            "test('a', checksAll);\n",
            "checksAll",
            "checksNothing",
        ),
        (
            "tests/main.rs",
            "mod cart;\nmod till;\n#[test]\nfn a() { assert!(f()); }\n",
            "mod cart;\n",
            "",
        ),
    ] {
        let after = before.replacen(old, new, 1);
        assert_ne!(before, after, "the case changes something: {old}");
        let found = findings(path, before, &after);
        assert!(!found.is_empty(), "{old} → {new}");
    }
}

#[test]
fn honest_renames_pass_and_those_that_hide_something_do_not() {
    let old = "renames `add` to `total`";
    for (product, test, before, after, renamed) in [
        (
            "src/cart.rs",
            "tests/cart.rs",
            "pub fn add(a: u8) -> u8 { a }\n",
            "use shop::add;\n#[test]\nfn sums() { assert_eq!(add(1), 1); }\n",
            "use shop::total;\n#[test]\nfn sums() { assert_eq!(total(1), 1); }\n",
        ),
        (
            "shop/cart.py",
            "tests/test_cart.py",
            "def add(a):\n    return a\n",
            "from shop.cart import add\n\ndef test_sums():\n    assert add(1) == 1\n",
            "from shop.cart import total\n\ndef test_sums():\n    assert total(1) == 1\n",
        ),
        (
            "src/cart.ts",
            "src/cart.test.ts",
            "export function add(a: number) { return a; }\n",
            "import { add } from './cart';\ntest('sums', () => { expect(add(1)).toBe(1); });\n",
            "import { total } from './cart';\ntest('sums', () => { expect(total(1)).toBe(1); });\n",
        ),
    ] {
        let is = before.replace("add", "total");
        let base = tree(&[(product, before), (test, after)]);
        let found = |product_now: &str, test_now: &str| {
            let work = tree(&[(product, product_now), (test, test_now)]);
            inspect_work(&base, &work, old, Named::Nothing, WorkEdition::Second)
        };
        assert_eq!(found(&is, renamed), [], "{test}");
        let both = format!("{before}{is}");
        assert!(
            !found(&both, renamed).is_empty(),
            "{test}: the old one is there still"
        );
        let other = renamed.replace("(1)", "(2)");
        assert!(!found(&is, &other).is_empty(), "{test}: and something else");
    }
}
