//! What one file of code says by itself: lines, imports, routes, models, settings, tests, marks of open work.

use gavel_workspace::RepoPath;

use crate::imports::{Import, imports_of};
use crate::language::{Family, Language};
use crate::lines::{count, numbered, string_at, word};
use crate::mask::{Masked, mask};
use crate::models::models_of;
use crate::routes::routes_of;
use crate::survey::{DataModel, Evidence, Route};

/// A file of code, read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct SourceFacts {
    /// Lines that are not empty.
    pub(crate) lines: u32,
    /// All lines.
    pub(crate) all_lines: u32,
    pub(crate) imports: Vec<Import>,
    pub(crate) routes: Vec<Route>,
    pub(crate) models: Vec<DataModel>,
    pub(crate) variables: Vec<Variable>,
    /// Tests, counted by the words that mark one.
    pub(crate) tests: u32,
    /// Lines whose comment says that something is open.
    pub(crate) open_marks: Vec<u32>,
    /// The line in which a program begins.
    pub(crate) main: Option<u32>,
    /// The line that says that a tool wrote the file.
    pub(crate) generated: bool,
}

/// A variable of the environment that is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Variable {
    pub(crate) name: String,
    pub(crate) line: u32,
}

/// Reads a file of code.
pub(crate) fn read(path: &RepoPath, language: Language, text: &str) -> SourceFacts {
    let masked = mask(language.style(), text);
    let code = Code {
        path,
        language,
        text,
        masked: &masked,
    };
    let filled = text.lines().filter(|line| !line.trim().is_empty());
    let mut facts = SourceFacts {
        lines: count(filled.count()),
        all_lines: count(text.lines().count()),
        generated: is_generated(text),
        ..SourceFacts::default()
    };
    facts.models = models_of(&code);
    if !language.is_code() {
        return facts;
    }
    facts.imports = imports_of(&code);
    facts.routes = routes_of(&code);
    facts.variables = variables(&code);
    facts.tests = tests(&code);
    facts.open_marks = open_marks(&code);
    facts.main = main_line(&code);
    facts
}

/// A text with what its readers need.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Code<'a> {
    pub(crate) path: &'a RepoPath,
    pub(crate) language: Language,
    pub(crate) text: &'a str,
    pub(crate) masked: &'a Masked,
}

impl<'a> Code<'a> {
    /// The lines without comments: with their strings, and without what stands in them.
    pub(crate) fn lines(&self) -> impl Iterator<Item = CodeLine<'a>> {
        let lines = numbered(&self.masked.code).zip(self.masked.text.lines());
        lines.map(|((number, code), text)| CodeLine { number, code, text })
    }

    /// The same without the test modules that Rust keeps in the file: what they do, the program does not.
    pub(crate) fn program_lines(&self) -> impl Iterator<Item = CodeLine<'a>> {
        let mut before = "";
        let mut open_indent: Option<usize> = None;
        let is_rust = self.language == Language::Rust;
        self.lines().filter(move |line| {
            let trimmed = line.code.trim();
            let indent = line.code.len() - line.code.trim_start().len();
            let announced = std::mem::replace(&mut before, trimmed);
            match open_indent {
                Some(open) => {
                    if indent == open && trimmed == "}" {
                        open_indent = None;
                    }
                    false
                }
                None => {
                    let begins = is_rust
                        && announced.starts_with("#[cfg(test)]")
                        && trimmed.contains("mod ")
                        && trimmed.ends_with('{');
                    if begins {
                        open_indent = Some(indent);
                    }
                    !begins
                }
            }
        })
    }

    pub(crate) fn evidence(&self, line: u32) -> Evidence {
        Evidence::line(self.path, line)
    }
}

/// A line of code.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CodeLine<'a> {
    pub(crate) number: u32,
    /// Without what stands in strings.
    pub(crate) code: &'a str,
    /// With it; offsets are the same.
    pub(crate) text: &'a str,
}

impl<'a> CodeLine<'a> {
    /// The first string behind a text of the code, such as `getenv(`.
    pub(crate) fn string_after(&self, call: &str) -> Option<&'a str> {
        let mut from = 0;
        loop {
            let at = self.code.get(from..)?.find(call)? + from;
            let before = self.code.get(..at)?.chars().next_back();
            let whole = !call.starts_with(|c: char| c.is_alphanumeric())
                || before.is_none_or(|c| !(c.is_alphanumeric() || c == '_'));
            let end = at + call.len();
            if whole && let Some(text) = string_at(self.text, end) {
                return Some(text);
            }
            from = end;
        }
    }
}

fn is_generated(text: &str) -> bool {
    let head = text.lines().take(5);
    let marks = [
        "@generated",
        "do not edit",
        "auto-generated",
        "autogenerated",
    ];
    let mut head = head.map(str::to_ascii_lowercase);
    head.any(|line| {
        let comment = line
            .trim_start()
            .starts_with(['/', '#', '*', '-', ';', '<', '"']);
        comment && marks.iter().any(|mark| line.contains(mark))
    })
}

fn variables(code: &Code<'_>) -> Vec<Variable> {
    let calls: &[&str] = match code.language.family() {
        Family::Rust => &["env::var(", "env::var_os(", "env!(", "option_env!("],
        Family::Script => &["process.env[", "env.get("],
        Family::Python => &["environ[", "environ.get(", "getenv("],
        Family::Go => &["os.Getenv(", "os.LookupEnv("],
        Family::Jvm => &["System.getenv("],
        Family::DotNet => &["GetEnvironmentVariable("],
        Family::Php => &["getenv(", "env(", "$_ENV["],
        Family::Ruby => &["ENV[", "ENV.fetch("],
        Family::Prisma | Family::Sql | Family::Counted => &[],
    };
    let script = code.language.family() == Family::Script;
    let mut found: Vec<Variable> = Vec::new();
    // Most files read none: one look at the whole text says so.
    if !["env", "Env", "ENV"]
        .iter()
        .any(|word| code.masked.code.contains(word))
    {
        return found;
    }
    for line in code.program_lines() {
        let mut names: Vec<&str> = calls
            .iter()
            .filter_map(|call| line.string_after(call))
            .collect();
        if script {
            let members = ["process.env.", "import.meta.env."];
            let behind = members
                .iter()
                .flat_map(|start| line.code.split(start).skip(1));
            names.extend(behind.map(word));
        }
        for name in names {
            let is_name = !name.is_empty()
                && name
                    .chars()
                    .all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
            // Cargo sets its own variables for every build.
            let own = name.starts_with("CARGO_") || name == "OUT_DIR";
            if is_name && !own && found.iter().all(|known| known.name != name) {
                found.push(Variable {
                    name: name.to_owned(),
                    line: line.number,
                });
            }
        }
    }
    found
}

fn tests(code: &Code<'_>) -> u32 {
    let starts = |line: &str, marks: &[&str]| marks.iter().any(|mark| line.starts_with(mark));
    let is_test = |line: &CodeLine<'_>| {
        let trimmed = line.code.trim_start();
        match code.language.family() {
            Family::Rust => starts(
                trimmed,
                &["#[test]", "#[tokio::test", "#[rstest", "#[async_std::test"],
            ),
            Family::Python => starts(trimmed, &["def test", "async def test"]),
            Family::Script => starts(
                trimmed,
                &[
                    "it(",
                    "test(",
                    "it.each",
                    "test.each",
                    "specify(",
                    "it.only(",
                ],
            ),
            Family::Go => starts(trimmed, &["func Test", "func Fuzz"]),
            Family::Jvm => starts(trimmed, &["@Test", "@ParameterizedTest"]),
            Family::DotNet => starts(
                trimmed,
                &["[Fact", "[Theory", "[Test]", "[TestCase", "[TestMethod"],
            ),
            Family::Php => starts(trimmed, &["public function test", "#[Test", "it(", "test("]),
            Family::Ruby => starts(trimmed, &["it ", "it(", "test ", "specify ", "def test_"]),
            Family::Prisma | Family::Sql | Family::Counted => false,
        }
    };
    count(code.lines().filter(is_test).count())
}

/// Words that mark open work. They stand in quotes here, so that this file holds none of them.
const MARKS: [&str; 4] = ["TODO", "FIXME", "XXX", "HACK"];

fn open_marks(code: &Code<'_>) -> Vec<u32> {
    let marked = |line: &str| {
        MARKS.iter().any(|mark| {
            line.match_indices(mark).any(|(at, _)| {
                let beside = |c: Option<char>| c.is_none_or(|c| !(c.is_alphanumeric() || c == '_'));
                let before = line.get(..at).and_then(|text| text.chars().next_back());
                let after = line
                    .get(at + mark.len()..)
                    .and_then(|text| text.chars().next());
                beside(before) && beside(after)
            })
        })
    };
    if !MARKS.iter().any(|mark| code.text.contains(mark)) {
        return Vec::new();
    }
    let lines = numbered(code.text).zip(code.masked.text.lines());
    let open = lines.filter(|((_, full), text)| marked(full) && !marked(text));
    open.map(|((number, _), _)| number).collect()
}

fn main_line(code: &Code<'_>) -> Option<u32> {
    let begins = |line: &CodeLine<'_>| {
        let trimmed = line.code.trim_start();
        let top = trimmed.len() == line.code.len();
        match code.language.family() {
            Family::Rust => {
                top && (trimmed.starts_with("fn main(")
                    || trimmed.starts_with("async fn main(")
                    || trimmed.starts_with("pub fn main("))
            }
            Family::Python => {
                top && trimmed.starts_with("if __name__") && line.text.contains("__main__")
            }
            Family::Go => top && trimmed.starts_with("func main()"),
            Family::Jvm => {
                trimmed.contains("public static void main(")
                    || (top && trimmed.starts_with("fun main("))
            }
            Family::DotNet => {
                trimmed.contains("static void Main(")
                    || trimmed.contains("static async Task Main(")
                    || trimmed.contains("static int Main(")
                    || (top && trimmed.contains(".CreateBuilder("))
            }
            Family::Script
            | Family::Php
            | Family::Ruby
            | Family::Prisma
            | Family::Sql
            | Family::Counted => false,
        }
    };
    let found = code.lines().find(begins)?.number;
    // In Go a program is a package of this name; in Rust the name of the file says it.
    let is_program = code.language != Language::Go
        || code.lines().any(|line| line.code.trim() == "package main");
    is_program.then_some(found)
}

#[cfg(test)]
#[path = "source_tests.rs"]
mod tests;
