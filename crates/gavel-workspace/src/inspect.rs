//! Reads the files of a tree so that the work can be compared with what was there: tests, names,
//! settings, lock files. Decides nothing: `gavel_rules::work` does.

mod assertions;
mod checks;
mod definitions;
mod entries;
mod hidden;
mod javascript;
mod lay_over;
mod lock_files;
mod notices;
mod python;
mod rust;
mod settings;
mod source;

use gavel_rules::work::{
    CodeReading, FileRole, Span, Statement, SupportItem, TestFunction, TestModule, Token,
    TokenKind, WorkFile, file_role,
};
use tree_sitter::{Node, Tree};

use crate::syntax::{MAX_BYTES, SourceLanguage, is_too_deep, parse};
use source::{Source, all_nodes};

pub use lay_over::{ExpectedTest, FailToPass, LaidOver, expected_tests, fail_to_pass, lay_over};

/// What is read of the code of a file.
#[derive(Debug, Default)]
pub(crate) struct CodeRead {
    pub(crate) tests: Vec<TestFunction>,
    pub(crate) support: Vec<SupportItem>,
    pub(crate) modules: Vec<TestModule>,
}

/// Reads one file of a tree. What cannot be read is kept as bytes, and counts as that.
pub fn read_work_file(path: &str, content: &[u8]) -> WorkFile {
    let mut file = WorkFile::unread(path, content);
    let Ok(text) = std::str::from_utf8(content) else {
        return file;
    };
    match file_role(path) {
        FileRole::Settings => file.settings = settings::read(path, text),
        FileRole::Lock => file.packages = lock_files::read(path, text),
        FileRole::Test | FileRole::Product => read_code(&mut file, text),
        FileRole::Snapshot
        | FileRole::Fixture
        | FileRole::Ci
        | FileRole::Document
        | FileRole::Other => {}
    }
    file
}

/// The tests of a source. In Rust, everything counts that has a test's attribute; in the other
/// languages, what runners collect by its name.
pub fn read_tests(language: SourceLanguage, path: &str, source: &str) -> Vec<TestFunction> {
    parsed(language, source)
        .map(|tree| code(language, path, source, &tree).tests)
        .unwrap_or_default()
}

fn parsed(language: SourceLanguage, text: &str) -> Option<Tree> {
    if text.len() > MAX_BYTES {
        return None;
    }
    parse(language, text).ok().filter(|tree| !is_too_deep(tree))
}

fn code(language: SourceLanguage, path: &str, text: &str, tree: &Tree) -> CodeRead {
    let source = Source { text, language };
    let mut read = CodeRead::default();
    let root = tree.root_node();
    let is_test = file_role(path) == FileRole::Test;
    match language {
        SourceLanguage::Rust => {
            let around = if is_test {
                rust::Around::Tests
            } else {
                rust::Around::Product
            };
            rust::read(source, root, around, &mut read);
        }
        // Runners collect no tests from other files.
        SourceLanguage::Python if is_test => python::read(source, root, &mut read),
        SourceLanguage::JavaScript | SourceLanguage::TypeScript | SourceLanguage::Tsx
            if is_test =>
        {
            javascript::read(source, root, &mut read);
        }
        SourceLanguage::Python
        | SourceLanguage::JavaScript
        | SourceLanguage::TypeScript
        | SourceLanguage::Tsx => {}
    }
    read
}

fn read_code(file: &mut WorkFile, text: &str) {
    let role = file.role();
    let Some(language) = SourceLanguage::of_name(&file.path) else {
        if role == FileRole::Product {
            file.notices = notices::of_lines(text);
        }
        return;
    };
    let Some(tree) = parsed(language, text) else {
        return;
    };
    let read = code(language, &file.path, text, &tree);
    file.reading = CodeReading::Read;
    file.tests = read.tests;
    file.support = read.support;
    file.modules = read.modules;
    let source = Source { text, language };
    let is_product = role == FileRole::Product;
    let tests = test_spans(file);
    file.notices = notices::of_code(source, tree.root_node(), &tests, is_product);
    if is_product {
        file.definitions = definitions::of_code(source, tree.root_node(), &tests);
        file.definitions.extend(definitions::of_path(&file.path));
        file.checks = checks::of_code(source, tree.root_node(), &tests);
        file.entries = entries::of_code(source, tree.root_node(), &tests);
    }
}

/// Where tests stand inside product code.
fn test_spans(file: &WorkFile) -> Vec<Span> {
    let modules = file.modules.iter().map(|module| module.span);
    let tests = file.tests.iter().map(|test| test.span);
    modules.chain(tests).collect()
}

/// A test before its body is read.
struct TestParts<'t> {
    name: String,
    full_name: String,
    line: u32,
    span: Span,
    attributes: Vec<Vec<Token>>,
    skipped: Option<String>,
    catches: Vec<String>,
    body: Vec<Node<'t>>,
}

impl TestParts<'_> {
    fn finish(self, source: Source<'_>) -> TestFunction {
        let body: Vec<Statement> = self
            .body
            .iter()
            .flat_map(|node| source.body(*node))
            .collect();
        let flat: Vec<&Statement> = body.iter().flat_map(Statement::flat).collect();
        let language = source.language;
        let counts = flat
            .iter()
            .map(|one| assertions::count(language, &one.tokens));
        let mut catches = self.catches;
        catches.extend(self.body.iter().flat_map(|node| swallowed(source, *node)));
        TestFunction {
            skipped: self.skipped.or_else(|| stops(&body)),
            assertions: counts.sum(),
            tolerances: flat
                .iter()
                .flat_map(|one| assertions::tolerances(&one.tokens))
                .collect(),
            substance: assertions::substance(language, &body),
            name: self.name,
            full_name: self.full_name,
            line: self.line,
            span: self.span,
            attributes: self.attributes,
            catches,
            body,
        }
    }
}

/// Why a body does not run to its end.
fn stops(body: &[Statement]) -> Option<String> {
    let flat = body.iter().flat_map(Statement::flat);
    let mut calls = flat.map(|one| assertions::skip_call(&one.tokens));
    if let Some(call) = calls.find_map(|call| call) {
        return Some(call);
    }
    let (_, all_but_last) = body.split_last()?;
    let returns = |one: &&Statement| {
        let first = one.tokens.first();
        first.is_some_and(|token| token.is_sign("return"))
    };
    let early = all_but_last.iter().find(returns)?;
    Some(format!("it returns at line {}", early.line))
}

/// What a body catches without failing.
fn swallowed(source: Source<'_>, body: Node<'_>) -> Vec<String> {
    let mut found = Vec::new();
    for node in all_nodes(body) {
        match node.kind() {
            "except_clause" | "except_group_clause" | "catch_clause" => {
                let tokens = source.tokens(node);
                let fails = tokens.iter().any(|token| {
                    let text = token.text.as_str();
                    let words = ["raise", "throw", "assert", "expect", "fail", "reject"];
                    words.contains(&text) || text.starts_with("assert")
                });
                if !fails {
                    let head = source.of(node).lines().next().unwrap_or_default();
                    found.push(head.trim().to_owned());
                }
            }
            _ => {}
        }
    }
    let tokens = source.tokens(body);
    for (at, token) in tokens.iter().enumerate() {
        let is_method = at
            .checked_sub(1)
            .and_then(|at| tokens.get(at))
            .is_some_and(|last| last.is_sign("."));
        let caught = match token.text.as_str() {
            "catch_unwind" | "suppress" => true,
            "catch" => is_method,
            _ => false,
        };
        if caught && token.kind == TokenKind::Word {
            found.push(token.text.clone());
        }
    }
    found
}

#[cfg(test)]
#[path = "inspect_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "inspect/changes_tests.rs"]
mod change_tests;

#[cfg(test)]
#[path = "inspect/readers_tests.rs"]
mod reader_tests;
