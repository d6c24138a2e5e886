//! The code that is planted beside the faults: it reads the switch, and writes down what was reached.
//!
//! It answers 1 or 2 when the switch is the first or the second number of a place and 0 otherwise, and is
//! read once by each process. Nothing that it does can fail: without a switch the copy is the original. What
//! it writes down is the sum of both numbers: whoever reads it beside the switch learns that the place was
//! reached, and not which of the two turns the fault on.

use std::path::Path;

use gavel_domain::Digest;
use tree_sitter::{Node, Tree};

use crate::syntax::SourceLanguage;

use super::draft::children;
use super::place::Wrap;

/// Lints that planted code is not written to please: those that refuse code by themselves, and those that
/// a manifest can deny, which `warnings` does not cover then.
const LINTS: &str = "warnings,unused,nonstandard_style,future_incompatible,let_underscore,\
                     missing_docs,unreachable_pub,unused_qualifications,unused_results,\
                     unused_extern_crates,trivial_numeric_casts,arithmetic_overflow,\
                     unconditional_panic,overflowing_literals";

/// What the helper is called, and where its files are.
#[derive(Debug, Clone)]
pub(super) struct Helper {
    name: String,
    switch_file: String,
    trace_file: String,
}

/// The two numbers of a place, as they stand in the code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Numbers {
    pub(super) first: u64,
    pub(super) second: u64,
    /// Which of them turns the fault on; the other one is neutral.
    pub(super) fault: Position,
}

/// One of two numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Position {
    First,
    Second,
}

/// Where the helper goes, and what it is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Insertion {
    pub(super) at: usize,
    pub(super) text: String,
}

impl Helper {
    pub(super) fn new(seed: &Digest, switch_file: &Path, trace_file: &Path) -> Option<Self> {
        let name = Digest::keyed(seed, "name of the helper").short();
        Some(Self {
            // In Python, a name with one underscore is not passed on by `import *`, and one with two is
            // changed inside of classes.
            name: format!("_g{name}"),
            switch_file: switch_file.to_str()?.to_owned(),
            trace_file: trace_file.to_str()?.to_owned(),
        })
    }

    /// The expression that is true when a fault is on.
    pub(super) fn is_on(&self, language: SourceLanguage, wrap: &Wrap, numbers: Numbers) -> String {
        let Self { name, .. } = self;
        let Numbers { first, second, .. } = numbers;
        let answer = match numbers.fault {
            Position::First => 1,
            Position::Second => 2,
        };
        match language {
            SourceLanguage::Rust => {
                let path = match wrap.modules {
                    0 => format!("self::{name}"),
                    depth => format!("{}{name}", "super::".repeat(depth)),
                };
                format!(
                    "({{static S:{path}::Cell={path}::Cell::new();\
                     *S.get_or_init(||{path}::at({first},{second}))}}=={answer}u8)"
                )
            }
            SourceLanguage::Python => format!("({name}({first},{second})=={answer})"),
            SourceLanguage::JavaScript | SourceLanguage::TypeScript | SourceLanguage::Tsx => {
                format!("({name}({first},{second})==={answer})")
            }
        }
    }

    /// What is added to a file besides its faults; `None` when it has no room for a helper.
    pub(super) fn insertions(
        &self,
        language: SourceLanguage,
        tree: &Tree,
        source: &str,
    ) -> Option<Vec<Insertion>> {
        match language {
            SourceLanguage::Rust => self.rust(tree, source).map(|one| vec![one]),
            SourceLanguage::Python => self.python(tree).map(|one| vec![one]),
            SourceLanguage::JavaScript => self.javascript(tree, "", "").map(|one| vec![one]),
            SourceLanguage::TypeScript | SourceLanguage::Tsx => {
                let helper = self.javascript(tree, ":any", ":any")?;
                Some(vec![unchecked(tree, source), helper])
            }
        }
    }

    fn rust(&self, tree: &Tree, source: &str) -> Option<Insertion> {
        let text = |node: Node<'_>| source.get(node.byte_range()).unwrap_or_default();
        let first = children(tree.root_node())
            .into_iter()
            .find(|node| match node.kind() {
                "shebang" | "inner_attribute_item" => false,
                // Comments that document the first item stay with it.
                "line_comment" => text(*node).starts_with("///"),
                "block_comment" => text(*node).starts_with("/**"),
                _ => true,
            })?;
        let Self {
            name,
            switch_file,
            trace_file,
        } = self;
        Some(Insertion {
            at: first.start_byte(),
            text: format!(
                "#![allow({LINTS})]mod {name}{{extern crate std;\
                 pub type Cell=self::std::sync::OnceLock<u8>;\
                 pub fn at(first:u64,second:u64)->u8{{\
                 static N:self::std::sync::OnceLock<u64>=self::std::sync::OnceLock::new();\
                 let n=*N.get_or_init(||self::std::fs::read_to_string({switch_file:?}).ok()\
                 .and_then(|text|text.trim().parse().ok()).unwrap_or(0));\
                 if n==0{{return 0;}}\
                 if let Ok(mut file)=self::std::fs::OpenOptions::new().append(true).create(true).open({trace_file:?}){{\
                 let _=self::std::io::Write::write_all(&mut file,self::std::format!(\"{{}}\\n\",first.wrapping_add(second)).as_bytes());}}\
                 if n==first{{1}}else if n==second{{2}}else{{0}}}}}} "
            ),
        })
    }

    fn python(&self, tree: &Tree) -> Option<Insertion> {
        let first = children(tree.root_node())
            .into_iter()
            .filter(|node| node.kind() != "comment")
            .enumerate()
            .find(|(number, node)| {
                let documents = *number == 0
                    && node
                        .named_child(0)
                        .is_some_and(|inner| inner.kind() == "string");
                let starts_line = node.start_position().column == 0;
                starts_line && !documents && node.kind() != "future_import_statement"
            });
        let (_, first) = first?;
        let quoted = |text: &str| serde_json::Value::from(text).to_string();
        let Self {
            name,
            switch_file,
            trace_file,
        } = self;
        let (switch_file, trace_file) = (quoted(switch_file), quoted(trace_file));
        // The functions of the system are taken while the module is loaded, before a test replaces them.
        let code = format!(
            "import os
try:
    f = os.open({switch_file}, os.O_RDONLY)
    try:
        n = int(os.read(f, 64))
    finally:
        os.close(f)
except (OSError, ValueError):
    n = 0
seen = set()
opened, write, close, flags = os.open, os.write, os.close, os.O_WRONLY | os.O_APPEND | os.O_CREAT
def at(first, second):
    if n == 0:
        return 0
    if first not in seen:
        seen.add(first)
        try:
            f = opened({trace_file}, flags, 0o666)
            try:
                write(f, b'%d\\n' % (first + second))
            finally:
                close(f)
        except OSError:
            pass
    return 1 if n == first else 2 if n == second else 0
"
        );
        let line = format!(
            "{name}={{}};exec({},{name});{name}={name}['at']",
            quoted(&code)
        );
        let compound = first.kind().ends_with("_definition")
            || matches!(
                first.kind(),
                "if_statement"
                    | "for_statement"
                    | "while_statement"
                    | "try_statement"
                    | "with_statement"
                    | "match_statement"
            );
        let end = if compound { "\n" } else { ";" };
        Some(Insertion {
            at: first.start_byte(),
            text: format!("{line}{end}"),
        })
    }

    fn javascript(&self, tree: &Tree, of_parameter: &str, of_result: &str) -> Option<Insertion> {
        let first = children(tree.root_node()).into_iter().find(|node| {
            let directive = node.kind() == "expression_statement"
                && node
                    .named_child(0)
                    .is_some_and(|inner| inner.kind() == "string");
            !directive && !matches!(node.kind(), "hash_bang_line" | "comment")
        })?;
        let quoted = |text: &str| serde_json::Value::from(text).to_string();
        let Self {
            name,
            switch_file,
            trace_file,
        } = self;
        let (switch_file, trace_file) = (quoted(switch_file), quoted(trace_file));
        Some(Insertion {
            at: first.start_byte(),
            text: format!(
                "function {name}(a{of_parameter},b{of_parameter}){of_result}{{const h{of_parameter}={name};\
                 if(h.n===undefined){{h.n=0;h.s=new Set();try{{\
                 const f=globalThis.process?.getBuiltinModule?.(\"node:fs\");\
                 if(f){{h.w=f.appendFileSync;h.n=Number(f.readFileSync({switch_file},\"utf8\"))||0}}\
                 }}catch{{}}}}\
                 if(h.n===0||a===0)return 0;\
                 if(!h.s.has(a)){{h.s.add(a);try{{h.w({trace_file},(a+b)+\"\\n\")}}catch{{}}}}\
                 return h.n===a?1:h.n===b?2:0}}{name}(0,0);"
            ),
        })
    }
}

/// The line that keeps TypeScript from looking at types: what narrows a type does so no more behind a
/// switch. Only a line of its own counts, so that one is added where the first one is not free.
fn unchecked(tree: &Tree, source: &str) -> Insertion {
    const LINE: &str = "// @ts-nocheck";
    let shebang = children(tree.root_node())
        .into_iter()
        .find(|node| node.kind() == "hash_bang_line");
    let at = shebang.map_or(0, |line| {
        let end = line.end_byte();
        let rest = source.get(end..).unwrap_or_default();
        rest.find('\n').map_or(end, |newline| end + newline + 1)
    });
    let rest = source.get(at..).unwrap_or_default();
    let first = rest.lines().next().unwrap_or_default().trim();
    let plain_comment =
        first.starts_with("//") && !first.starts_with("///") && !first.contains('@');
    let text = if first.is_empty() || plain_comment {
        format!("{LINE} ")
    } else {
        format!("{LINE}\n")
    };
    Insertion { at, text }
}
