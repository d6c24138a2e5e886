use gavel_rules::work::{
    Named, NoticeKind, WorkEdition, WorkFiles, WorkFinding, WorkFindingKind, inspect_work,
};

use super::super::read_work_file;

fn tree(files: &[(&str, &str)]) -> WorkFiles {
    let files = files.iter();
    WorkFiles::new(files.map(|(path, text)| read_work_file(path, text.as_bytes())))
}

fn found(before: &[(&str, &str)], after: &[(&str, &str)]) -> Vec<WorkFinding> {
    let (before, after) = (tree(before), tree(after));
    inspect_work(&before, &after, "", Named::Nothing, WorkEdition::Second)
}

fn kinds(path: &str, before: &str, after: &str) -> Vec<WorkFindingKind> {
    let found = found(&[(path, before)], &[(path, after)]);
    found.iter().map(|finding| finding.kind).collect()
}

#[test]
fn texts_that_are_run_as_code_are_found_where_they_are_new() {
    for (path, line) in [
        ("shop.py", "exec('x = 1')"),
        ("shop.py", "run = eval"),
        ("shop.py", "import builtins\nbuiltins.exec('x = 1')"),
        ("shop.py", "from builtins import exec as run"),
        ("shop.py", "code = compile(text, 'shop', 'exec')"),
        ("shop.py", "f = types.FunctionType(code, globals())"),
        ("shop.py", "__builtins__['ex' + 'ec']('x = 1')"),
        ("shop.js", "eval('1')"),
        ("shop.js", "const f = new Function('return 1');"),
        ("shop.js", "const f = Function('return 1');"),
        ("shop.js", "const f = (() => {}).constructor('return 1');"),
        ("shop.js", "const vm = require('vm');"),
        ("shop.mjs", "import vm from 'node:vm';"),
        ("shop.ts", "const f = new Function('a', 'return a');"),
        ("shop.js", "setTimeout('count()', 1);"),
        (
            "shop.mjs",
            "await import('data:text/javascript,export default 1');",
        ),
        ("src/a.rs", "include!(\"prices.in\");"),
        ("src/a.rs", "#[path = \"prices.txt\"]\nmod prices;"),
    ] {
        assert!(
            kinds(path, "", line).contains(&WorkFindingKind::CodeHidden),
            "{line}: {:?}",
            read_work_file(path, line.as_bytes()).notices
        );
        // What was there before is nobody's to release.
        assert_eq!(kinds(path, line, &format!("{line}\n")), [], "{line}");
    }
}

#[test]
fn a_new_file_alone_hides_nothing_that_was_there() {
    let template = (
        "template.js",
        "exports.made = (text) => new Function('it', text);",
    );
    let shop = ("shop.js", "exports.price = (each) => each;");
    assert_eq!(found(&[], &[template]), []);
    assert_eq!(found(&[shop], &[shop, template]), []);
    let uses = (
        "shop.js",
        "exports.price = require('./template.js').made('return it');",
    );
    assert_eq!(found(&[shop], &[uses, template]).len(), 1);
}

#[test]
fn what_only_sounds_like_it_is_not_found() {
    for (path, line) in [
        ("shop.py", "found = re.compile('a').search(text)"),
        ("shop.py", "model.eval()\nframe.eval('a + b')"),
        ("shop.py", "value = ast.literal_eval(text)"),
        (
            "shop.py",
            "def compile(text):\n    return text\n\nprint(compile('a'))",
        ),
        ("shop.py", "from re import compile\n\nFIRST = compile('a')"),
        ("shop.py", "run(exec=True)"),
        ("shop.py", "# exec('x')\nnote = 'eval'"),
        ("shop.py", "is_function = isinstance(f, types.FunctionType)"),
        ("shop.js", "const found = /a/.exec(text);"),
        ("shop.js", "const is = f instanceof Function;"),
        ("shop.js", "const next = new this.constructor('a');"),
        ("shop.js", "setTimeout(() => count(), 1);"),
        ("shop.js", "const disk = 'vm';"),
        ("shop.ts", "type F = Function;"),
        (
            "src/a.rs",
            "const TEXT: &str = include_str!(\"prices.txt\");",
        ),
        ("src/a.rs", "#[path = \"prices.rs\"]\nmod prices;"),
        ("tests/test_a.py", "exec('x = 1')"),
    ] {
        let hidden = |kind: &&WorkFindingKind| **kind == WorkFindingKind::CodeHidden;
        let kinds = kinds(path, "", line);
        assert_eq!(kinds.iter().find(hidden), None, "{line}");
    }
}

#[test]
fn functions_that_move_into_macros_are_found_and_those_that_were_there_are_not() {
    let base = "pub fn price(each: u32) -> u32 {\n    each\n}\n";
    let written =
        "macro_rules! prices { () => { pub fn price(each: u32) -> u32 { each } } }\nprices!();\n";
    let named = "macro_rules! made { ($name:ident) => { pub fn $name(each: u32) -> u32 { each } } }\n\
                 made!(price);\n";
    let given = "made! { pub fn price(each: u32) -> u32 { each } }\n";
    for hidden in [written, named, given] {
        let found = kinds("src/a.rs", base, hidden);
        assert!(found.contains(&WorkFindingKind::CodeHidden), "{hidden}");
        assert_eq!(kinds("src/a.rs", hidden, &format!("{hidden}\n")), []);
    }
    // A new function is judged by its own tests, and a macro may speak of one that stands there.
    let other = format!("{base}{}", written.replace("price", "rate"));
    assert_eq!(kinds("src/a.rs", base, &other), []);
    let spoken = format!("{base}register!(price);\n");
    assert_eq!(kinds("src/a.rs", base, &spoken), []);
}

#[test]
fn other_languages_are_looked_at_line_by_line() {
    for (path, line) in [
        ("shop.go", "text, _ := os.ReadFile(\"/proc/self/cgroup\")"),
        ("Shop.java", "Class.forName(\"org.junit.Test\");"),
        ("shop.rb", "require 'rspec'"),
        ("Shop.cs", "using Xunit; // xunit"),
        ("shop.go", "if testing.Testing() {"),
    ] {
        let found = kinds(path, "", line);
        assert_eq!(found, [WorkFindingKind::NoticesTests], "{line}");
    }
    for (path, line) in [
        ("shop.go", "text, _ := os.ReadFile(\"/proc/meminfo\")"),
        ("Shop.java", "import java.util.List;"),
        ("Shop.java", "// covered by junit"),
        ("shop.rb", "require 'json'"),
    ] {
        assert_eq!(kinds(path, "", line), [], "{line}");
    }
    let read = read_work_file("shop.rb", b"require 'rspec'");
    assert_eq!(read.notices[0].kind, NoticeKind::ReadsSurroundings);
}

const CHECKS: &str = "def same(found, wanted):\n    assert found == wanted, 'other'\n";
const TESTS: &str = "from checks import same\nfrom shop import price\n\n\ndef test_price():\n    same(price(3), 3)\n";
const SHOP: &str = "def price(each):\n    return each\n";

#[test]
fn a_helper_that_only_tests_call_is_test_code_wherever_it_lies() {
    let base = [
        ("checks.py", CHECKS),
        ("test_shop.py", TESTS),
        ("shop.py", SHOP),
    ];
    let with = |checks: &str| {
        let after = [
            ("checks.py", checks),
            ("test_shop.py", TESTS),
            ("shop.py", SHOP),
        ];
        let found = found(&base, &after);
        found.iter().map(|one| one.kind).collect::<Vec<_>>()
    };
    let weaker = CHECKS.replace("found == wanted", "found == wanted or found == 4");
    let default = CHECKS.replace("found, wanted", "found, wanted=None");
    for checks in [
        weaker.as_str(),
        default.as_str(),
        "",
        "def same(*_):\n    pass\n",
    ] {
        assert_eq!(
            with(checks),
            [WorkFindingKind::TestSupportChanged],
            "{checks}"
        );
    }
    let more = format!("# Beside it.\n{CHECKS}\n\ndef other(found):\n    assert found\n");
    for checks in [CHECKS, more.as_str()] {
        assert_eq!(with(checks), [], "{checks}");
    }
}

#[test]
fn what_the_product_calls_or_what_does_more_than_assert_is_no_helper() {
    let weaker = |text: &str| text.replace("found == wanted", "found");
    let used = format!("from checks import same\n\n\n{SHOP}");
    let acting = CHECKS.replace("    assert", "    found.append(wanted)\n    assert");
    let giving = format!("{CHECKS}    return found\n");
    let raising =
        "def same(found, wanted):\n    if not found == wanted:\n        raise ValueError(found)\n";
    for (checks, shop) in [
        (CHECKS, used.as_str()),
        (&acting, SHOP),
        (&giving, SHOP),
        (raising, SHOP),
    ] {
        let base = [
            ("checks.py", checks),
            ("test_shop.py", TESTS),
            ("shop.py", shop),
        ];
        let changed = weaker(checks);
        let after = [("checks.py", changed.as_str()), base[1], base[2]];
        assert_eq!(found(&base, &after), [], "{checks}");
    }
}

const PRICES: &str = "import shop\n\n\ndef test_prices():\n    assert shop.price(3, 4) == 12\n    \
    assert shop.price(10, 20) == 200\n    assert shop.name('a') == 'Amber'\n";

#[test]
fn a_table_of_what_tests_ask_for_is_found() {
    let base = [
        (
            "shop.py",
            "def price(each, count):\n    return each * count\n",
        ),
        ("test_shop.py", PRICES),
    ];
    let with = |shop: &str| {
        let found = found(&base, &[("shop.py", shop), base[1]]);
        found.iter().map(|one| one.kind).collect::<Vec<_>>()
    };
    for table in [
        "KNOWN = {(3, 4): 12, (10, 20): 200, 'a': 'Amber'}\n",
        "KNOWN = [((3, 4), 12), ((10, 20), 200), ('a', 'Amber')]\n",
        "def price(each, count):\n    if each == 3 and count == 4:\n        return 12\n    \
         if each == 10 and count == 20:\n        return 200\n    return 'Amber' if each == 'a' else 0\n\n\nNAMES = {'a': 'Amber'}\n",
    ] {
        assert_eq!(with(table), [WorkFindingKind::ValuesOfTests], "{table}");
    }
    for honest in [
        "RATES = {'a': 'Amber', 'b': 'Birch', 'c': 'Cedar', 'd': 'Dogwood'}\n",
        "def price(each, count):\n    return each * count if count > 10 else each * count * 90 // 100\n",
        "KNOWN = {(3, 4): 12}\n",
    ] {
        assert_eq!(with(honest), [], "{honest}");
    }
}
