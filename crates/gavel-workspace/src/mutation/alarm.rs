//! Alarms: the beginnings of tests, where a switch makes them fail whatever they look at.
//!
//! A test that is listed and passes need not be the one that stands in the sources: another file can be
//! built in the place of the one that was left as it was, and a runner that lives in the process of the
//! tests can be told what to report. Neither fails when the alarm of the test in the sources is on.

use tree_sitter::{Node, Tree};

use crate::syntax::SourceLanguage;

use super::draft::children;
use super::place::{SWITCH, Wrap};

/// Deeper code is not looked at.
const MAX_DEPTH: usize = 60;
/// Last parts of attributes that make a function a test.
const TEST_ATTRIBUTES: [&str; 4] = ["test", "rstest", "test_case", "parameterized"];
/// Functions that declare a test in JavaScript.
const DECLARE: [&str; 3] = ["test", "it", "specify"];

/// The beginning of a test.
#[derive(Debug)]
pub(super) struct AlarmPlace {
    /// The test's own name.
    pub(super) test: String,
    pub(super) line: u32,
    pub(super) wrap: Wrap,
}

/// The beginnings of the tests of a file, in its order.
pub(super) fn find_alarms(language: SourceLanguage, tree: &Tree, source: &str) -> Vec<AlarmPlace> {
    let mut found = Vec::new();
    if source.contains(SWITCH) {
        return found;
    }
    let mut waiting = vec![At {
        node: tree.root_node(),
        modules: 0,
        depth: 0,
    }];
    while let Some(at) = waiting.pop() {
        if at.node.is_error() || at.depth > MAX_DEPTH {
            continue;
        }
        let place = match language {
            SourceLanguage::Rust => rust(at, source),
            SourceLanguage::Python => python(at.node, source),
            SourceLanguage::JavaScript | SourceLanguage::TypeScript | SourceLanguage::Tsx => {
                javascript(at.node, source)
            }
        };
        found.extend(place);
        let modules = at.modules + usize::from(at.node.kind() == "mod_item");
        let below = children(at.node).into_iter().rev();
        waiting.extend(below.map(|node| At {
            node,
            modules,
            depth: at.depth + 1,
        }));
    }
    found
}

#[derive(Clone, Copy)]
struct At<'t> {
    node: Node<'t>,
    /// How many inline modules stand around it.
    modules: usize,
    depth: usize,
}

fn text<'s>(node: Node<'_>, source: &'s str) -> &'s str {
    source.get(node.byte_range()).unwrap_or_default()
}

fn line(node: Node<'_>) -> u32 {
    u32::try_from(node.start_position().row + 1).unwrap_or(u32::MAX)
}

/// A text that is put at one place.
fn point(at: usize, open: String, (function, modules): (Node<'_>, usize)) -> Wrap {
    Wrap {
        range: at..at,
        open,
        close: String::new(),
        modules,
        function: function.byte_range(),
    }
}

fn rust(at: At<'_>, source: &str) -> Option<AlarmPlace> {
    let node = at.node;
    if node.kind() != "function_item" {
        return None;
    }
    let mut is_test = false;
    let mut before = node.prev_named_sibling();
    while let Some(attribute) = before {
        match attribute.kind() {
            "attribute_item" => {
                let inner = text(attribute, source);
                let inner = inner.trim_start_matches("#[").trim_end_matches(']');
                let path = inner.split(['(', '=', '{']).next().unwrap_or_default();
                let last = path.rsplit("::").next().unwrap_or_default().trim();
                // It passes when it fails.
                if last == "should_panic" {
                    return None;
                }
                is_test |= TEST_ATTRIBUTES.contains(&last);
            }
            "line_comment" | "block_comment" => {}
            _ => break,
        }
        before = attribute.prev_named_sibling();
    }
    let body = node.child_by_field_name("body").filter(|_| is_test)?;
    let name = node.child_by_field_name("name")?;
    let open = format!("if {SWITCH} {{::std::panic!(\"alarm\")}}");
    Some(AlarmPlace {
        test: text(name, source).to_owned(),
        line: line(node),
        wrap: point(body.start_byte() + 1, open, (node, at.modules)),
    })
}

fn python(node: Node<'_>, source: &str) -> Option<AlarmPlace> {
    if node.kind() != "function_definition" {
        return None;
    }
    let name = text(node.child_by_field_name("name")?, source);
    let body = node.child_by_field_name("body")?;
    let first = body.named_child(0)?;
    let start = first.start_byte();
    let before = source.get(..start)?;
    let indent = before.rsplit('\n').next()?;
    let stands_alone = !indent.is_empty() && indent.chars().all(|c| c == ' ' || c == '\t');
    if !name.starts_with("test") || !stands_alone {
        return None;
    }
    let open = format!("if {SWITCH}:raise AssertionError('alarm')\n{indent}");
    Some(AlarmPlace {
        test: name.to_owned(),
        line: line(node),
        wrap: point(start, open, (node, 0)),
    })
}

fn javascript(node: Node<'_>, source: &str) -> Option<AlarmPlace> {
    if node.kind() != "call_expression" {
        return None;
    }
    let callee = text(node.child_by_field_name("function")?, source);
    if !DECLARE.contains(&callee.split('.').next().unwrap_or_default()) {
        return None;
    }
    let arguments = children(node.child_by_field_name("arguments")?);
    let name = *arguments.first()?;
    let is_plain = name.kind() == "string"
        || (name.kind() == "template_string" && !text(name, source).contains("${"));
    let quoted = text(name, source);
    let test = quoted.get(1..quoted.len().checked_sub(1)?)?;
    let function = arguments.iter().skip(1).find(|one| {
        matches!(
            one.kind(),
            "arrow_function" | "function_expression" | "function"
        )
    })?;
    // What stands in quotes otherwise than in a report cannot be found by its name.
    if !is_plain || test.contains('\\') {
        return None;
    }
    let body = function.child_by_field_name("body")?;
    let wrap = if body.kind() == "statement_block" {
        let open = format!("if({SWITCH})throw new Error(\"alarm\");");
        point(body.start_byte() + 1, open, (*function, 0))
    } else {
        Wrap {
            range: body.byte_range(),
            open: format!("({SWITCH}?(()=>{{throw new Error(\"alarm\")}})():("),
            close: "))".to_owned(),
            modules: 0,
            function: function.byte_range(),
        }
    };
    Some(AlarmPlace {
        test: test.to_owned(),
        line: line(node),
        wrap,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::parse;

    fn names(language: SourceLanguage, source: &str) -> Vec<(String, usize, usize)> {
        let tree = parse(language, source).unwrap();
        let found = find_alarms(language, &tree, source).into_iter();
        found
            .map(|one| (one.test, one.wrap.range.start, one.wrap.modules))
            .collect()
    }

    #[test]
    fn tests_begin_where_their_bodies_do() {
        let rust = "#[test]\nfn adds() {\n}\nfn helper() {}\n#[should_panic]\n#[test]\nfn fails() {}\n\
                    mod inner {\n    /// Text.\n    #[tokio::test(flavor = \"x\")]\n    async fn waits() {}\n}\n";
        let at = |words: &str| rust.find(words).unwrap() + words.len();
        assert_eq!(
            names(SourceLanguage::Rust, rust),
            [
                ("adds".to_owned(), at("fn adds() {"), 0),
                ("waits".to_owned(), at("fn waits() {"), 1)
            ]
        );
        let python = "def test_adds():\n    assert 1\n\nclass T:\n    def test_b(self):\n        \"\"\"Text.\"\"\"\n\
                      \x20   def helper(self):\n        pass\n    def test_c(self): pass\n";
        let at = |words: &str| python.find(words).unwrap();
        assert_eq!(
            names(SourceLanguage::Python, python),
            [
                ("test_adds".to_owned(), at("assert 1"), 0),
                ("test_b".to_owned(), at("\"\"\"Text"), 0)
            ]
        );
        let javascript = "test('adds', () => { go(); });\nit.only(\"b\", async function () { go(); });\n\
                          describe('x', () => { test(`c`, (t) => t.ok(1)); test(name, () => {}); });\n";
        let at = |words: &str| javascript.find(words).unwrap();
        assert_eq!(
            names(SourceLanguage::JavaScript, javascript),
            [
                ("adds".to_owned(), at("() => { go") + 7, 0),
                ("b".to_owned(), at("function () {") + 13, 0),
                ("c".to_owned(), at("t.ok(1)"), 0)
            ]
        );
    }
}
