//! Lines of product code that notice that tests run, and code that gives assertions another meaning.
//!
//! What is put together at run time cannot be found like this; texts that stand on one line are read
//! as one, so that cutting a name in two does not hide it.

use std::collections::BTreeMap;

use gavel_rules::work::{Notice, NoticeKind, Span};
use tree_sitter::Node;

use super::source::{Source, all_nodes, line_of};
use super::{hidden, rust};
use crate::syntax::SourceLanguage;

/// Names of variables and programs that are there when tests run.
const GIVEAWAYS: [&str; 23] = [
    "PYTEST_CURRENT_TEST",
    "PYTEST_VERSION",
    "PYTEST_XDIST_WORKER",
    "_PYTEST_RAISE",
    "JEST_WORKER_ID",
    "VITEST",
    "VITEST_WORKER_ID",
    "VITEST_POOL_ID",
    "NODE_TEST_CONTEXT",
    "MOCHA_COLORS",
    "AVA_PATH",
    "TAP_CHILD_ID",
    "npm_lifecycle_event",
    "CARGO_BIN_EXE",
    "CARGO_TARGET_TMPDIR",
    "NEXTEST",
    "RUST_TEST_THREADS",
    "RUST_TEST_NOCAPTURE",
    "DJANGO_TEST",
    "test.v",
    "testing.Testing",
    "BUN_TEST",
    "__debug__",
];
/// Files that tell a program in what walls it runs. A program that only works within those of a proof looks
/// there.
const WALLS: [&str; 9] = [
    "/proc/1/",
    "/proc/self/cgroup",
    "/proc/self/mountinfo",
    "/proc/self/mounts",
    "/proc/mounts",
    "/proc/self/uid_map",
    "/proc/self/status",
    "/proc/self/attr",
    "sandbox-exec",
];
/// Modules of runners that product code has no use for.
const RUNNERS: [&str; 8] = [
    "pytest", "_pytest", "unittest", "doctest", "jest", "vitest", "mocha", "libtest",
];
/// The same in languages without a grammar.
const OTHER_RUNNERS: [&str; 12] = [
    "junit",
    "org.junit",
    "testng",
    "surefire",
    "xunit",
    "nunit",
    "mstest",
    "testhost",
    "rspec",
    "minitest",
    "phpunit",
    "testify",
];
/// How other languages bring something in, or ask who runs.
const OTHERS_ASKED: [&str; 14] = [
    "import",
    "require",
    "require_once",
    "using",
    "use",
    "include",
    "forName",
    "getStackTrace",
    "StackTrace",
    "GetEntryAssembly",
    "GetAssemblies",
    "caller",
    "defined",
    "Args",
];
/// What a runner is asked about, or the programs that run.
const ASKED: [&str; 13] = [
    "modules",
    "argv",
    "execArgv",
    "execve",
    "current_exe",
    "args",
    "_getframe",
    "stack",
    "extract_stack",
    "getouterframes",
    "mainModule",
    "main",
    "typeof",
];

/// What one line says.
#[derive(Default)]
struct Line {
    words: Vec<String>,
    texts: String,
}

/// Lines of code that notice tests, outside tests; in test code, only what redefines assertions.
pub(super) fn of_code(
    source: Source<'_>,
    root: Node<'_>,
    tests: &[Span],
    is_product: bool,
) -> Vec<Notice> {
    let inside = |at: usize| tests.iter().any(|span| span.start <= at && at < span.end);
    let mut found = redefined(source, root);
    if is_product {
        if source.language == SourceLanguage::Rust {
            let starts: Vec<usize> = line_starts(source.text);
            let outside = rust::conditions(source, root)
                .into_iter()
                .filter(|(line, _)| {
                    let at = usize::try_from(*line).unwrap_or_default().saturating_sub(1);
                    !inside(starts.get(at).copied().unwrap_or_default())
                        && !inside_line(tests, &starts, at)
                });
            for (line, sign) in outside {
                found.push((line, sign, NoticeKind::NoticesTests));
            }
        }
        found.extend(hidden::of_code(source, root, &inside));
        for (line, said) in lines(source, root, &inside) {
            if let Some(sign) = sign_of(&said) {
                found.push((line, sign, NoticeKind::NoticesTests));
            }
        }
    }
    found.sort_by_key(|one| one.0);
    found.dedup();
    let all: Vec<&str> = source.text.lines().collect();
    found
        .into_iter()
        .map(|(line, sign, kind)| notice(&all, line, sign, kind))
        .collect()
}

/// Lines of a language without a grammar.
pub(super) fn of_lines(text: &str) -> Vec<Notice> {
    let all: Vec<&str> = text.lines().collect();
    let numbered = text.lines().zip(1_u32..);
    let found = numbered.filter_map(|(line, number)| {
        let given = GIVEAWAYS.iter().find(|word| says_whole(line, word));
        let kind = match given {
            Some(_) => NoticeKind::NoticesTests,
            None => NoticeKind::ReadsSurroundings,
        };
        let sign = given.copied().or_else(|| surroundings(line))?;
        Some((number, sign.to_owned(), kind))
    });
    found
        .map(|(line, sign, kind)| notice(&all, line, sign, kind))
        .collect()
}

/// What a line of a language without a grammar asks about the walls around it, or about who runs it.
fn surroundings(line: &str) -> Option<&'static str> {
    if let Some(wall) = WALLS.iter().find(|wall| line.contains(**wall)) {
        return Some(wall);
    }
    let runner = RUNNERS.iter().chain(&OTHER_RUNNERS);
    let runner = runner.copied().find(|runner| says_whole(line, runner))?;
    let asks = ASKED.iter().chain(&OTHERS_ASKED);
    let asks = asks.copied().any(|word| says_whole(line, word));
    asks.then_some(runner)
}

fn notice(all: &[&str], line: u32, sign: String, kind: NoticeKind) -> Notice {
    let at = usize::try_from(line).unwrap_or_default().saturating_sub(1);
    Notice {
        line,
        sign,
        text: all.get(at).map_or("", |line| line.trim()).to_owned(),
        kind,
    }
}

fn line_starts(text: &str) -> Vec<usize> {
    let ends = text.match_indices('\n').map(|(at, _)| at + 1);
    std::iter::once(0).chain(ends).collect()
}

/// True when tests begin on a line, behind its indentation.
fn inside_line(tests: &[Span], starts: &[usize], line: usize) -> bool {
    let start = starts.get(line).copied().unwrap_or_default();
    let end = starts.get(line + 1).copied().unwrap_or(usize::MAX);
    tests
        .iter()
        .any(|span| start <= span.start && span.start < end)
}

/// The names and texts of code, line by line.
fn lines(
    source: Source<'_>,
    root: Node<'_>,
    is_inside_tests: &dyn Fn(usize) -> bool,
) -> BTreeMap<u32, Line> {
    let mut found: BTreeMap<u32, Line> = BTreeMap::new();
    for node in all_nodes(root) {
        if node.child_count() > 0 || is_inside_tests(node.start_byte()) {
            continue;
        }
        let kind = node.kind();
        let line = found.entry(line_of(node)).or_default();
        let text = source.of(node);
        if kind.ends_with("identifier") || matches!(kind, "typeof" | "in" | "import" | "env") {
            line.words.push(text.to_owned());
        } else if matches!(
            kind,
            "string_content" | "string_fragment" | "raw_string_literal"
        ) {
            line.texts.push_str(text);
        }
    }
    found
}

fn sign_of(line: &Line) -> Option<String> {
    let says = |word: &str| line.words.iter().any(|said| said == word);
    let texts = line.texts.as_str();
    let given = GIVEAWAYS
        .iter()
        .find(|word| says(word) || says_whole(texts, word));
    if let Some(given) = given {
        return Some((*given).to_owned());
    }
    if let Some(wall) = WALLS.iter().find(|wall| texts.contains(**wall)) {
        return Some((*wall).to_owned());
    }
    let runner = RUNNERS
        .iter()
        .find(|runner| says(runner) || says_whole(texts, runner));
    let asks = line
        .words
        .iter()
        .find(|word| ASKED.contains(&word.as_str()));
    if let Some(runner) = runner
        && (asks.is_some() || says("import") || says("require"))
    {
        return Some((*runner).to_owned());
    }
    if says("NODE_ENV") && says_whole(texts, "test") {
        return Some("NODE_ENV is \"test\"".to_owned());
    }
    let binaries = ["deps", "/deps/", "target/debug/deps"];
    let names_binary = binaries.iter().any(|part| texts.contains(part)) || texts.contains("test");
    if let Some(asked) = asks
        && names_binary
        && asked != "main"
        && asked != "typeof"
    {
        return Some(format!("{asked} is asked for a test"));
    }
    // The thread of a test is called like the test.
    let thread = says("thread") && says("current") && says("name");
    if thread {
        return Some("the name of the thread".to_owned());
    }
    let globals = ["describe", "it", "vi", "beforeEach"];
    let asks_global = says("typeof") || says("globalThis");
    globals
        .iter()
        .find(|global| asks_global && says(global))
        .map(|global| format!("asks for `{global}`"))
}

fn says_whole(text: &str, word: &str) -> bool {
    let inside = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    text.match_indices(word).any(|(at, found)| {
        let before = text.get(..at).and_then(|head| head.chars().next_back());
        let after = text.get(at + found.len()..);
        !inside(before) && !inside(after.and_then(|tail| tail.chars().next()))
    })
}

/// Definitions that take the name of an assertion, in any code.
fn redefined(source: Source<'_>, root: Node<'_>) -> Vec<(u32, String, NoticeKind)> {
    let rust = [
        "assert",
        "assert_eq",
        "assert_ne",
        "panic",
        "debug_assert",
        "matches",
    ];
    let script = ["expect", "assert", "test", "it", "describe"];
    let mut found = Vec::new();
    for node in all_nodes(root) {
        let name = source.field(node, "name");
        let taken = match node.kind() {
            "macro_definition" => rust.contains(&name),
            "function_declaration" | "variable_declarator" => {
                let value = source.field(node, "value");
                let is_import = [
                    "require(",
                    "await import(",
                    "chai.",
                    "t.",
                    "jest.",
                    "globalThis.",
                ]
                .iter()
                .any(|start| value.starts_with(start));
                script.contains(&name) && !is_import && is_top(node)
            }
            "function_definition" => {
                name.starts_with("assert") && name.chars().any(char::is_uppercase)
            }
            "assignment" | "assignment_expression" => {
                let left = source.field(node, "left");
                let last = left.rsplit('.').next().unwrap_or(left);
                let is_assertion = last.starts_with("assert") || last == "expect";
                left.contains('.') && is_assertion
            }
            "use_as_clause" => rust.contains(&source.field(node, "alias")),
            _ => false,
        };
        if taken || equals_plain_values(source, node) {
            let shown = source.of(node).lines().next().unwrap_or_default();
            let shown: String = shown.chars().take(60).collect();
            found.push((line_of(node), shown, NoticeKind::RedefinesAssertion));
        }
    }
    found
}

/// True for code that decides itself when its values equal plain ones, so that a comparison with a number
/// or a text need not mean what it says.
fn equals_plain_values(source: Source<'_>, node: Node<'_>) -> bool {
    const PYTHON: [&str; 10] = [
        "int", "float", "complex", "bool", "str", "bytes", "list", "tuple", "dict", "set",
    ];
    const RUST: [&str; 17] = [
        "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize",
        "f32", "f64", "bool", "char", "()",
    ];
    let name = source.field(node, "name");
    match node.kind() {
        "function_definition" if matches!(name, "__eq__" | "__ne__") => {
            let class = node.parent().and_then(|block| block.parent());
            let class = class.filter(|class| class.kind() == "class_definition");
            let bases = class.map_or("", |class| source.field(class, "superclasses"));
            let mut bases = bases.trim_matches(['(', ')']).split(',').map(str::trim);
            bases.any(|base| PYTHON.contains(&base))
        }
        "method_definition" => matches!(name, "valueOf" | "[Symbol.toPrimitive]"),
        "impl_item" => {
            let equal = source.field(node, "trait");
            let equal = equal.rsplit("::").next().unwrap_or(equal);
            let other = equal.strip_prefix("PartialEq<");
            let other = other.and_then(|other| other.strip_suffix('>'));
            other.is_some_and(|other| RUST.contains(&other.trim()))
        }
        _ => false,
    }
}

fn is_top(node: Node<'_>) -> bool {
    let parent = node.parent().filter(|parent| parent.kind() != "program");
    match parent {
        None => true,
        Some(parent) => parent
            .parent()
            .is_some_and(|above| above.kind() == "program"),
    }
}
