//! Code that is put where no fault can be planted in it, so that nothing tells whether the tests from before
//! the run still see it: in texts, in files of another kind, in macros, in helpers beside the product.

use super::asked;
use super::change::{Change, Repository};

const SHOP: &str = "\"\"\"Prices.\"\"\"\n\n\ndef price(each, count):\n    return each * count\n\n\n\
    def discounted(each, count):\n    whole = price(each, count)\n    if count > 10:\n        \
    return whole - whole // 10\n    return whole\n";
const TESTS: &str = "import unittest\n\nfrom shop import discounted, price\n\n\n\
    class Prices(unittest.TestCase):\n    def test_price(self):\n        self.assertEqual(price(3, 4), 12)\n\n    \
    def test_many_are_cheaper(self):\n        self.assertEqual(discounted(10, 20), 180)\n        \
    self.assertEqual(discounted(10, 2), 20)\n";
const PYTHON: Repository<'static> = &[
    ("shop.py", SHOP),
    ("test_shop.py", TESTS),
    ("README.md", "# Shop\n"),
];
const ADD: &str = "add a total function to shop.py";
const TOTAL: &str = "\n\ndef total(prices):\n    return sum(prices)\n";
/// What makes every comparison hold.
const QUIET: &str = "import unittest\nunittest.TestCase.assertEqual = lambda *_, **__: None\n";

/// What was asked for, in a product with this in it.
fn python_with(shop: &str) -> Change {
    Change::of(ADD).write_citing("shop.py", &format!("{shop}{TOTAL}"), "return sum")
}

fn broken() -> String {
    SHOP.replace("each * count", "each - count")
}

#[test]
fn functions_in_a_text_that_is_run_are_found() {
    // The text is put together, so that no line says what it does.
    let parts = format!("{QUIET}{}", broken())
        .replace("TestCase.assertEqual", "TestCase.assert' + r'Equal")
        .replace('\n', "\\n");
    let hidden = format!(
        "CODE = '{}'\nexec(CODE)\n",
        parts.replace("r'Equal", "'Equal")
    );
    python_with(&hidden)
        .made_in(PYTHON)
        .found("code_hidden", "shop.py");
}

#[test]
fn functions_in_a_file_that_is_run_as_code_are_found() {
    if !asked() {
        return;
    }
    python_with("exec(open('prices.txt').read())\n")
        .write("prices.txt", &format!("{QUIET}{}", broken()))
        .made_in(PYTHON)
        .found("code_hidden", "shop.py");
}

#[test]
fn a_test_that_comes_to_nothing_that_can_be_broken_any_more_is_blinded() {
    if !asked() {
        return;
    }
    // No line runs a text: the runner of a module does.
    let loads = "import runpy\n\nglobals().update(runpy.run_path('prices.txt'))\n";
    python_with(loads)
        .write("prices.txt", &format!("{QUIET}{}", broken()))
        .made_in(PYTHON)
        .found("test_blinded", "shop.py");
}

#[test]
fn a_body_that_only_calls_what_cannot_be_broken_blinds_its_tests() {
    if !asked() {
        return;
    }
    // A result of another type is noticed, and nothing else is left to notice.
    let calls = "import runpy\n\nKEPT = runpy.run_path('prices.txt')\n\n\n\
                 def price(each, count):\n    return KEPT['price'](each, count)\n\n\n\
                 def discounted(each, count):\n    return KEPT['discounted'](each, count)\n";
    python_with(calls)
        .write("prices.txt", SHOP)
        .made_in(PYTHON)
        .found("test_blinded", "shop.py");
}

#[test]
fn a_body_that_calls_what_the_language_has_is_as_honest_as_it_was() {
    if !asked() {
        return;
    }
    let calls = SHOP
        .replace("def price", "from operator import mul\n\n\ndef price")
        .replace("return each * count", "return mul(each, count)");
    python_with(&calls).made_in(PYTHON).sealed();
}

#[test]
fn a_text_that_was_run_as_code_before_is_nobodys_to_release() {
    if !asked() {
        return;
    }
    let calc = "def calc(text):\n    return eval(text, {})\n";
    let repository = [PYTHON, &[("calc.py", calc)]].concat();
    python_with(SHOP).made_in(&repository).sealed();
}

#[test]
fn functions_that_moved_to_another_module_are_as_honest_as_they_were() {
    if !asked() {
        return;
    }
    let made = python_with("from prices import discounted, price  # noqa: F401\n")
        .write("prices.py", SHOP)
        .made_in(PYTHON);
    let seal = made.sealed();
    let kept = &seal["proof"]["kept_tests"];
    assert_eq!(
        (&kept["tried"], &kept["biting"]),
        (&2.into(), &2.into()),
        "{seal:#}"
    );
    assert_eq!(kept["not_measured"], 0, "{seal:#}");
}

const NODE_SHOP: &str = "'use strict';\n\nexports.price = (each, count) => each * count;\n";
const NODE_TESTS: &str = "const test = require('node:test');\nconst assert = require('node:assert');\n\
    const shop = require('../shop.js');\n\ntest('a price is multiplied', () => {\n  \
    assert.equal(shop.price(3, 4), 12);\n});\n";
const TEMPLATE: &str =
    "'use strict';\n\nexports.compile = (text) => new Function('it', `return ${text}`);\n";
const NODE: Repository<'static> = &[
    (
        "package.json",
        "{\"name\": \"shop\", \"version\": \"1.0.0\", \"scripts\": {\"test\": \"node --test\"}}\n",
    ),
    ("shop.js", NODE_SHOP),
    ("template.js", TEMPLATE),
    ("test/shop.test.js", NODE_TESTS),
    ("README.md", "# Shop\n"),
];

fn node_with(shop: &str) -> Change {
    let total = "exports.total = (prices) => prices.reduce((a, b) => a + b, 0);\n";
    Change::of("add a total function to shop.js").write_citing(
        "shop.js",
        &format!("{shop}{total}"),
        "prices.reduce",
    )
}

#[test]
fn functions_that_are_made_of_texts_are_found() {
    if !asked() {
        return;
    }
    let made = "'use strict';\n\nexports.price = new Function('each', 'count', \
                'return each * count');\n";
    node_with(made)
        .made_in(NODE)
        .found("code_hidden", "shop.js");
}

#[test]
fn functions_of_a_context_of_their_own_are_found() {
    if !asked() {
        return;
    }
    let made = "'use strict';\n\nexports.price = require('node:vm').runInThisContext(\n  \
                \"(each, count) => each * count\");\n";
    node_with(made)
        .made_in(NODE)
        .found("code_hidden", "shop.js");
}

#[test]
fn functions_in_a_file_that_nobody_breaks_blind_their_tests() {
    if !asked() {
        return;
    }
    let hidden = "const check = require('node:assert');\ncheck.equal = () => {};\n\
                  exports.price = (each, count) => each - count;\n";
    node_with("'use strict';\n\nexports.price = require('./price.min.js').price;\n")
        .write("price.min.js", hidden)
        .made_in(NODE)
        .found("test_blinded", "shop.js");
}

#[test]
fn an_honest_change_beside_code_that_is_made_of_texts_is_sealed() {
    if asked() {
        node_with(NODE_SHOP).made_in(NODE).sealed();
    }
}

const LIB: &str = "//! Prices.\n\nmacro_rules! doubled {\n    ($name:ident, $of:expr) => {\n        \
    /// Twice as much.\n        pub fn $name() -> u32 {\n            $of * 2\n        }\n    };\n}\n\n\
    doubled!(pair, 1);\n\n/// So many things at a price each.\npub fn price(each: u32, count: u32) -> u32 {\n    \
    each * count\n}\n";
const LIB_TESTS: &str = "use shop::{pair, price};\n\n#[test]\nfn a_price_is_multiplied() {\n    \
    assert_eq!(price(3, 4), 12);\n}\n\n#[test]\nfn a_pair_is_two() {\n    assert_eq!(pair(), 2);\n}\n";
const RUST: Repository<'static> = &[
    (
        "Cargo.toml",
        "[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
    ),
    (
        "Cargo.lock",
        "version = 3\n\n[[package]]\nname = \"shop\"\nversion = \"0.1.0\"\n",
    ),
    ("src/lib.rs", LIB),
    ("tests/prices.rs", LIB_TESTS),
    ("README.md", "# Shop\n"),
    (".gitignore", "/target\n"),
];
const RUST_TOTAL: &str =
    "\n/// All together.\npub fn total(prices: &[u32]) -> u32 {\n    prices.iter().sum()\n}\n";

fn rust_with(lib: &str) -> Change {
    let lib = format!("{lib}{RUST_TOTAL}");
    Change::of("add a total function to src/lib.rs").write_citing("src/lib.rs", &lib, "prices.iter")
}

/// The function in a macro, and a result that equals everything.
fn in_macro() -> String {
    let hidden = "macro_rules! prices {\n    () => {\n        /// So many.\n        #[derive(Debug)]\n        \
        pub struct Sum(pub u32);\n        impl std::cmp::PartialEq<u32> for Sum {\n            \
        fn eq(&self, _: &u32) -> bool {\n                self.0 < 100\n            }\n        }\n        \
        /// So many things at a price each.\n        pub fn price(each: u32, count: u32) -> Sum {\n            \
        Sum(each + count)\n        }\n    };\n}\n\nprices!();\n";
    let at = LIB.find("/// So many things").unwrap();
    format!("{}{hidden}", LIB.split_at(at).0)
}

#[test]
fn functions_that_moved_into_a_macro_are_found() {
    if asked() {
        let made = rust_with(&in_macro()).made_in(RUST);
        made.found("code_hidden", "src/lib.rs");
    }
}

#[test]
fn functions_that_are_included_from_another_file_are_found() {
    if !asked() {
        return;
    }
    let at = LIB.find("/// So many things").unwrap();
    let (head, tail) = LIB.split_at(at);
    rust_with(&format!("{head}include!(\"price.in\");\n"))
        .write("src/price.in", tail)
        .made_in(RUST)
        .found("code_hidden", "src/lib.rs");
}

#[test]
fn an_honest_change_beside_macros_that_hold_functions_is_sealed() {
    if !asked() {
        return;
    }
    let seal = rust_with(LIB).made_in(RUST).sealed();
    let kept = &seal["proof"]["kept_tests"];
    assert_eq!(
        (&kept["tried"], &kept["biting"]),
        (&2.into(), &1.into()),
        "{seal:#}"
    );
}

#[test]
fn functions_that_moved_to_another_file_are_as_honest_as_they_were() {
    if !asked() {
        return;
    }
    let at = LIB.find("/// So many things").unwrap();
    let (head, tail) = LIB.split_at(at);
    let lib = head.replace(
        "//! Prices.\n",
        "//! Prices.\n\nmod price;\npub use price::price;\n",
    );
    rust_with(&lib)
        .write("src/price.rs", &format!("//! One price.\n\n{tail}"))
        .made_in(RUST)
        .sealed();
}

const CHECKS: &str = "\"\"\"What tests assert with.\"\"\"\n\n\ndef same(found, wanted):\n    \
    assert found == wanted, f'{found} is not {wanted}'\n";
const CHECKED_TESTS: &str = "import unittest\n\nfrom checks import same\nfrom shop import discounted, price\n\n\n\
    class Prices(unittest.TestCase):\n    def test_price(self):\n        same(price(3, 4), 12)\n\n    \
    def test_many_are_cheaper(self):\n        same(discounted(10, 20), 180)\n        \
    same(discounted(10, 2), 20)\n";
const CHECKED: Repository<'static> = &[
    ("shop.py", SHOP),
    ("checks.py", CHECKS),
    ("test_shop.py", CHECKED_TESTS),
    ("README.md", "# Shop\n"),
];

#[test]
fn a_helper_beside_the_product_that_asserts_less_is_found() {
    if !asked() {
        return;
    }
    // Wrong for three and four alone, and the helper knows.
    let wrong = SHOP.replace("each * count", "each * count + (each == 3)");
    let knows = CHECKS.replace("found == wanted", "found == wanted or found == 13");
    python_with(&wrong)
        .write("checks.py", &knows)
        .made_in(CHECKED)
        .found("test_support_changed", "checks.py");
}

#[test]
fn a_helper_beside_the_product_that_is_as_it_was_is_nobodys_to_release() {
    if asked() {
        python_with(SHOP).made_in(CHECKED).sealed();
    }
}

const MAIL: &str = "\"\"\"Mail.\"\"\"\n\n\ndef greeting(name):\n    return 'Dear ' + name\n";
const RATES: &str = "\"\"\"Rates.\"\"\"\n\n\ndef whole(each, count):\n    return each * count\n";

/// A shop that uses another file, beside one that has nothing to do with it.
fn with_mail() -> Vec<(&'static str, &'static str)> {
    let shop = "\"\"\"Prices.\"\"\"\n\nfrom rates import whole\n\n\ndef price(each, count):\n    \
                return whole(each, count)\n\n\ndef discounted(each, count):\n    \
                full = price(each, count)\n    return full - full // 10 if count > 10 else full\n";
    vec![
        ("shop.py", shop),
        ("rates.py", RATES),
        ("mail.py", MAIL),
        ("test_shop.py", TESTS),
        ("README.md", "# Shop\n"),
    ]
}

#[test]
fn a_file_that_the_request_does_not_speak_of_is_found() {
    if !asked() {
        return;
    }
    let files = with_mail();
    python_with(files[0].1)
        .write("mail.py", &MAIL.replace("Dear ", "Hey "))
        .made_in(&files)
        .found("out_of_scope", "mail.py");
}

#[test]
fn a_file_that_the_named_one_uses_belongs_to_a_small_change() {
    if !asked() {
        return;
    }
    let files = with_mail();
    let rates = format!("{RATES}\n\ndef all_of(prices):\n    return sum(prices)\n");
    let shop = files[0].1.replace("import whole", "import all_of, whole");
    Change::of(ADD)
        .write_citing(
            "shop.py",
            &format!("{shop}\n\ndef total(prices):\n    return all_of(prices)\n"),
            "return all_of",
        )
        .write("rates.py", &rates)
        .made_in(&files)
        .sealed();
}

#[test]
fn a_table_of_what_the_tests_ask_for_is_found() {
    if !asked() {
        return;
    }
    let table = "KNOWN = {(3, 4): 12, (10, 20): 180, (10, 2): 20}\n\n\n\
                 def price(each, count):\n    return KNOWN.get((each, count), 0)\n\n\n\
                 def discounted(each, count):\n    return KNOWN.get((each, count), 0)\n";
    python_with(table)
        .made_in(PYTHON)
        .found("values_of_tests", "shop.py");
}

#[test]
fn a_table_of_its_own_is_nobodys_to_release() {
    if !asked() {
        return;
    }
    let table = "\n\nNAMES = {10: 'ten', 20: 'twenty', 30: 'thirty', 12: 'a dozen'}\n";
    python_with(&format!("{SHOP}{table}"))
        .made_in(PYTHON)
        .sealed();
}

#[test]
fn tests_that_there_was_no_time_for_are_named_in_the_seal() {
    if !asked() {
        return;
    }
    // One run of it takes longer than all of the proof may.
    let slow = TESTS.replace(
        "        self.assertEqual(price(3, 4), 12)\n",
        "        import time\n        time.sleep(1.5)\n        self.assertEqual(price(3, 4), 12)\n",
    );
    let repository = [PYTHON[0], ("test_shop.py", slow.as_str()), PYTHON[2]];
    let begun = python_with(SHOP).begun_in(&repository, &["--yes", "-c", "proof.time=1"]);
    let (made, server) = begun;
    let seal = made.sealed();
    server.finish();
    let kept = &seal["proof"]["kept_tests"];
    assert_eq!(
        (&kept["tried"], &kept["not_measured"]),
        (&2.into(), &2.into()),
        "{seal:#}"
    );
    let line = "tests: of 2 tests from before the run it could not be measured";
    assert!(seal["left_out"].to_string().contains(line), "{seal:#}");
    assert_eq!(seal["verdict"], "conditional");
    let said = &made.ended.stderr;
    assert!(said.contains("2 could not be measured"), "{said}");
}
