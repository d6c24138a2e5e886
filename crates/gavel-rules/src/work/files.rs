//! What is read of the files of a tree before they are compared: tests as statements and tokens,
//! settings as keys and values, locked packages. Whoever reads the tree fills this in.

use std::collections::{BTreeMap, BTreeSet};

use super::paths::{FileRole, file_role};

/// The files of one tree, by path. Files that are the same in both trees may be left out, but those
/// of the product are needed to tell what a name was before.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WorkFiles {
    files: BTreeMap<String, WorkFile>,
}

/// One file of a tree, as far as it is compared.
#[derive(Debug, Clone, PartialEq)]
pub struct WorkFile {
    /// Where it lies.
    pub path: String,
    /// Its bytes.
    pub content: Vec<u8>,
    /// True for data outside folders of tests that tests name and nothing else does.
    pub only_tests_use: bool,
    /// Whether its code could be read into tests and names.
    pub reading: CodeReading,
    /// Its tests, in the order of the file.
    pub tests: Vec<TestFunction>,
    /// What else is in its test code: imports, helpers, set-ups, heads of classes and suites.
    pub support: Vec<SupportItem>,
    /// Modules of tests inside product code (Rust).
    pub modules: Vec<TestModule>,
    /// Names that its product code defines.
    pub definitions: Vec<Definition>,
    /// Functions of its product code that do nothing but assert.
    pub checks: Vec<Check>,
    /// Values that stand together in its product code.
    pub entries: Vec<Entry>,
    /// Lines of its product code that notice that tests run.
    pub notices: Vec<Notice>,
    /// Settings, where it is a file of settings that can be read.
    pub settings: SettingsRead,
    /// What it locks, where it is a lock file that can be read.
    pub packages: Vec<LockedPackage>,
}

/// Whether the code of a file could be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CodeReading {
    /// It was.
    Read,
    /// No grammar, no UTF-8, too long: only its bytes can be compared.
    NotRead,
}

/// The settings of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettingsRead {
    /// Key by key.
    Keys(Vec<Setting>),
    /// Code or a format that is not taken apart; only its text can be compared.
    Opaque,
}

/// One setting of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// The whole key, joined by dots: `lints.clippy.unwrap_used`.
    pub key: String,
    /// What it is set to.
    pub value: SettingValue,
}

/// What a setting is set to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettingValue {
    /// A word, a number or a switch.
    One(String),
    /// A list.
    List(Vec<String>),
}

/// A package of a lock file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LockedPackage {
    /// Its name; in npm's lock the folder it is put in.
    pub name: String,
    /// Its version; may be empty.
    pub version: String,
    /// Where it comes from, as the lock says; empty for one of the tree itself.
    pub source: String,
    /// What its archive must digest to; may be empty.
    pub integrity: String,
}

/// A function that does nothing but assert.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// Its name.
    pub name: String,
    /// The line, from 1.
    pub line: u32,
    /// Where it stands.
    pub span: Span,
    /// Its parameters and its body, comments and layout left out.
    pub code: String,
}

/// Values that stand together: the entry of a table, an arm, a condition and what follows from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The line, from 1.
    pub line: u32,
    /// Where it stands.
    pub span: Span,
    /// Its first line.
    pub text: String,
    /// Its texts and numbers.
    pub values: BTreeSet<String>,
}

/// A line of product code that notices that tests run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// The line, from 1.
    pub line: u32,
    /// What gives it away, for example `PYTEST_CURRENT_TEST`.
    pub sign: String,
    /// The line itself, without space at its ends.
    pub text: String,
    /// Whether it reads that tests run or takes an assertion's place.
    pub kind: NoticeKind,
}

/// What such a line does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoticeKind {
    /// It tells a test run from another one.
    NoticesTests,
    /// It gives an assertion of the runner another meaning.
    RedefinesAssertion,
    /// In a language that is not taken apart: it tells a test run, or the walls of one, from another.
    ReadsSurroundings,
    /// It runs a text or a file as code, in which nothing can be broken.
    RunsText,
    /// A macro holds a function of the name that the sign is: nothing can be broken in it.
    FunctionInMacro,
    /// A macro that makes items is given the name that the sign is.
    NameForMacro,
}

/// A name that product code defines.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Definition {
    /// The name.
    pub name: String,
    /// What it names.
    pub kind: DefinitionKind,
}

/// What a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DefinitionKind {
    /// A function, a method or a macro.
    Function,
    /// A class, a struct, an enum, an interface, an alias.
    Type,
    /// A constant, a variable, a field, a variant, a parameter that callers name.
    Value,
    /// A module or a file that others import.
    Module,
}

/// A place in a text, in bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// The byte behind the last one.
    pub end: usize,
}

/// A module of tests inside product code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestModule {
    /// Its name.
    pub name: String,
    /// The module with its attributes.
    pub span: Span,
    /// Where its items stand; `None` for `mod tests;`, whose items are in another file.
    pub body: Option<Span>,
}

/// Code of tests that is no test itself.
#[derive(Debug, Clone, PartialEq)]
pub struct SupportItem {
    /// The modules, classes or suites around it; empty at the top.
    pub scope: String,
    /// Where it stands.
    pub span: Span,
    /// What it says.
    pub statement: Statement,
}

/// One test, read from its source.
#[derive(Debug, Clone, PartialEq)]
pub struct TestFunction {
    /// Its own name.
    pub name: String,
    /// The name with the modules, classes or suites around it.
    pub full_name: String,
    /// The line of its name, from 1.
    pub line: u32,
    /// Where it stands, attributes included.
    pub span: Span,
    /// Attributes and decorators, its own and those around it, and its parameters.
    pub attributes: Vec<Vec<Token>>,
    /// Why it does not run to its end; `None` when it does.
    pub skipped: Option<String>,
    /// What it catches without failing, in order.
    pub catches: Vec<String>,
    /// How far off a value may be, in order.
    pub tolerances: Vec<Tolerance>,
    /// How many places can make it fail.
    pub assertions: u32,
    /// What it would notice.
    pub substance: Substance,
    /// Its body, comments and layout left out.
    pub body: Vec<Statement>,
}

/// What a test would notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Substance {
    /// Nothing: it has no body.
    Empty,
    /// Nothing: all of its assertions hold whatever the product does.
    ConstantOnly,
    /// What makes a call fail; it asserts nothing itself.
    CallsOnly,
    /// It asserts.
    Asserts,
}

/// How far off a value may be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Tolerance {
    /// So much: more is looser.
    Width(f64),
    /// So many places: fewer is looser.
    Places(f64),
}

/// A statement, with the statements of its blocks taken out of its tokens.
#[derive(Debug, Clone, PartialEq)]
pub struct Statement {
    /// What it does.
    pub kind: StatementKind,
    /// The line, from 1.
    pub line: u32,
    /// What it says; a block is one sign.
    pub tokens: Vec<Token>,
    /// Its blocks.
    pub blocks: Vec<Vec<Self>>,
}

/// What a statement does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StatementKind {
    /// It can make the test fail.
    Assertion,
    /// It gives these names a value.
    Binding(Vec<String>),
    /// It makes names of elsewhere known.
    Import,
    /// It defines a function, a type or a macro of this name.
    Definition(String),
    /// It is the head of a class, a module or a suite.
    Head,
    /// It returns, ends the process or skips the rest.
    Leave,
    /// Anything else.
    Other,
}

/// A token of source code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// How it is written; a string stands between double quotes, whatever its own quotes.
    pub text: String,
}

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenKind {
    /// A name.
    Word,
    /// A string or a character.
    Text,
    /// A number.
    Number,
    /// A keyword, an operator, a bracket.
    Sign,
}

impl WorkFiles {
    /// From files in any order.
    pub fn new(files: impl IntoIterator<Item = WorkFile>) -> Self {
        let files = files.into_iter();
        Self {
            files: files.map(|file| (file.path.clone(), file)).collect(),
        }
    }

    /// The file at a path.
    pub fn get(&self, path: &str) -> Option<&WorkFile> {
        self.files.get(path)
    }

    /// All files, by path.
    pub fn iter(&self) -> impl Iterator<Item = &WorkFile> {
        self.files.values()
    }
}

impl WorkFile {
    /// A file of which nothing but its bytes is known yet.
    pub fn unread(path: &str, content: &[u8]) -> Self {
        Self {
            path: path.to_owned(),
            content: content.to_vec(),
            only_tests_use: false,
            reading: CodeReading::NotRead,
            tests: Vec::new(),
            support: Vec::new(),
            modules: Vec::new(),
            definitions: Vec::new(),
            checks: Vec::new(),
            entries: Vec::new(),
            notices: Vec::new(),
            settings: SettingsRead::Opaque,
            packages: Vec::new(),
        }
    }

    /// Its text; `None` when it is not UTF-8.
    pub fn text(&self) -> Option<&str> {
        std::str::from_utf8(&self.content).ok()
    }

    /// What it is for.
    pub fn role(&self) -> FileRole {
        let role = file_role(&self.path);
        if self.only_tests_use && role == FileRole::Other {
            return FileRole::Fixture;
        }
        role
    }

    /// Everything that the file brings to the tests, read: tests, helpers and modules of them.
    pub(super) fn has_test_code(&self) -> bool {
        !self.tests.is_empty() || !self.support.is_empty() || !self.modules.is_empty()
    }
}

impl TestFunction {
    /// Its attributes and its body in one line, for people and for comparison.
    pub fn code(&self) -> String {
        let attributes = self.attributes.iter().map(|one| joined(one));
        let body = self.body.iter().map(Statement::code);
        attributes.chain(body).collect::<Vec<_>>().join("; ")
    }

    /// What stands around it.
    pub fn scope(&self) -> &str {
        let ends = self.full_name.strip_suffix(self.name.as_str());
        ends.unwrap_or_default()
            .trim_end_matches("::")
            .trim_end_matches(" > ")
    }
}

impl Statement {
    /// The statement with its blocks in one line.
    pub fn code(&self) -> String {
        let mut blocks = self.blocks.iter();
        let words: Vec<String> = self
            .tokens
            .iter()
            .map(|token| match blocks.as_slice() {
                [_, ..] if token.text == BLOCK => {
                    let inner = blocks.next().into_iter().flatten().map(Self::code);
                    format!("{{ {} }}", inner.collect::<Vec<_>>().join("; "))
                }
                _ => token.text.clone(),
            })
            .collect();
        words.join(" ")
    }

    /// This statement and all inside it.
    pub fn flat(&self) -> Vec<&Self> {
        let inner = self.blocks.iter().flatten().flat_map(Self::flat);
        std::iter::once(self).chain(inner).collect()
    }
}

/// What stands for a block among the tokens of a statement.
pub const BLOCK: &str = "{…}";

impl Token {
    /// True for the name `word`.
    pub fn is_word(&self, word: &str) -> bool {
        self.kind == TokenKind::Word && self.text == word
    }

    /// True for the keyword or operator `sign`.
    pub fn is_sign(&self, sign: &str) -> bool {
        self.kind == TokenKind::Sign && self.text == sign
    }
}

pub(super) fn joined(tokens: &[Token]) -> String {
    let words: Vec<&str> = tokens.iter().map(|token| token.text.as_str()).collect();
    words.join(" ")
}
