//! Where the evidence of a thread lies in the sealed tree, and how to see it again: what a stranger
//! with a clone needs to follow an ask to its end.

use std::collections::BTreeMap;

use gavel_build::SealPredicate;
use gavel_domain::{ContractKind, Criterion, EvidenceRef, test_name};
use gavel_rules::{AskThread, ThreadCriterion};
use gavel_view::one_test;
use gavel_workspace::{TextAt, TreeText};
use serde::Serialize;

/// How far below a criterion its example begins at most.
const EXAMPLE_WITHIN: usize = 40;
/// A file with longer lines is no source that somebody reads.
const MOST_LINE: usize = 2_000;

/// A place in the sealed tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct EvidencePlace {
    /// `test`, `example` or `file`.
    pub(super) kind: &'static str,
    /// The file.
    pub(super) file: String,
    /// The line, counted from one.
    pub(super) line: usize,
    /// What shows it again in a checkout; none where that is not known.
    pub(super) run: Option<String>,
}

/// The places of each criterion, by its id.
pub(super) type Places = BTreeMap<String, Vec<EvidencePlace>>;

/// Looks for the evidence of every criterion of a thread in these files.
pub(super) fn places(thread: &AskThread, predicate: &SealPredicate, files: &[TreeText]) -> Places {
    let texts: Vec<(&str, &str)> = files
        .iter()
        .filter_map(|file| match &file.text {
            TextAt::Text(text) => Some((file.path.as_str(), text.as_str())),
            TextAt::Binary
            | TextAt::NotUtf8
            | TextAt::TooLarge
            | TextAt::Link
            | TextAt::Submodule
            | TextAt::Credential => None,
        })
        .collect();
    let recipe = recipe(predicate);
    let contract = predicate.contracts.get(&ContractKind::Phases);
    let contract = contract.map(|contract| contract.file.as_str());
    let asked = thread.asks.iter().flat_map(|ask| &ask.criteria);
    let all = asked.chain(&thread.unasked);
    all.map(|one| {
        let phases = texts.iter().find(|(path, _)| Some(*path) == contract);
        let example = phases.and_then(|phases| example(&one.id, *phases, recipe));
        let found = tests(one, &texts, recipe).into_iter().chain(example);
        (one.id.clone(), found.collect())
    })
    .collect()
}

/// What ran the tests, as a recipe calls it.
fn recipe(predicate: &SealPredicate) -> &'static str {
    let ran = predicate
        .commands
        .iter()
        .map(|command| command.argv.join(" "));
    let words: Vec<String> = ran.collect();
    // Of the runners of scripts, only jest is asked for names by this word.
    let script = ["npm ", "pnpm ", "yarn ", "bun "];
    let jest = words.iter().any(|words| {
        let is_script = script.iter().any(|program| words.starts_with(program));
        is_script && words.ends_with(" --verbose")
    });
    let ran = |part: &str| words.iter().any(|words| words.contains(part));
    if ran("cargo test") {
        "cargo"
    } else if ran("pytest") {
        "pytest"
    } else if ran("unittest") {
        "unittest"
    } else if ran("node --test") {
        "node_test"
    } else if ran("vitest") || ran("--reporter=verbose") {
        "vitest"
    } else if ran("jest") || jest {
        "jest"
    } else if ran("go test") {
        "go"
    } else if ran("mvn") {
        "maven"
    } else if ran("dotnet test") {
        "dotnet"
    } else {
        ""
    }
}

/// The tests and lines that show a criterion, where they are found.
fn tests(one: &ThreadCriterion, texts: &[(&str, &str)], recipe: &str) -> Vec<EvidencePlace> {
    let evidence = one.shown.iter().flat_map(|shown| &shown.evidence);
    let mut found: Vec<EvidencePlace> = evidence
        .filter_map(|evidence| match evidence {
            EvidenceRef::Test { name } => defined(name, texts, recipe),
            EvidenceRef::File { path, line } => Some(EvidencePlace {
                kind: "file",
                file: path.clone(),
                line: usize::try_from(*line).unwrap_or(0),
                run: None,
            }),
            EvidenceRef::Commit { .. }
            | EvidenceRef::Command { .. }
            | EvidenceRef::Smoke { .. }
            | EvidenceRef::Example { .. } => None,
        })
        .collect();
    // An example that holds is the evidence; the test of the same name is there all the same.
    if found.is_empty() {
        found.extend(defined(&one.id, texts, recipe));
    }
    found
}

/// Where a test is defined.
fn defined(name: &str, texts: &[(&str, &str)], recipe: &str) -> Option<EvidencePlace> {
    let last = test_name(name);
    let (file, line) = texts.iter().find_map(|(path, text)| {
        let line = line_of(text, |line| defines(line, last))?;
        Some(((*path).to_owned(), line))
    })?;
    Some(EvidencePlace {
        kind: "test",
        file,
        line,
        run: one_test(recipe, name),
    })
}

/// True for a line that defines a function or a test of this name.
fn defines(line: &str, name: &str) -> bool {
    let line = line.trim_start();
    let function = ["fn ", "async fn ", "pub fn ", "def ", "async def ", "func "];
    let function = function.iter().filter_map(|word| line.strip_prefix(word));
    let mut called = function.map(|rest| rest.strip_prefix(name));
    let is_function = called.any(|rest| rest.is_some_and(|rest| rest.starts_with(['(', '<'])));
    let block = ["test(", "it(", "test.only("];
    let mut blocks = block.iter().filter_map(|word| line.strip_prefix(word));
    let quoted = |rest: &str| {
        let rest = rest.trim_start_matches(['\'', '"', '`']);
        let rest = rest.strip_prefix(name);
        rest.is_some_and(|rest| rest.starts_with(['\'', '"', '`']))
    };
    is_function || blocks.any(quoted)
}

/// Where the contract states a criterion with its example.
fn example(id: &str, (path, text): (&str, &str), recipe: &str) -> Option<EvidencePlace> {
    let line = line_of(text, |line| stated(line) == Some(id))?;
    let below = text.lines().skip(line).take(EXAMPLE_WITHIN);
    // What stands below the next criterion is not its own.
    let below = below.take_while(|line| stated(line).is_none() && !line.starts_with('#'));
    let mut typed = below.filter_map(|line| line.trim().strip_prefix("$ "));
    let run = typed.next().filter(|words| is_harmless(words));
    Some(EvidencePlace {
        kind: "example",
        file: path.to_owned(),
        line,
        run: run
            .filter(|_| recipe == "cargo")
            .map(|words| format!("cargo run -q -- {words}")),
    })
}

/// The id of the criterion that a line states: `- `id`: statement`.
fn stated(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix("- ")?;
    let (id, _) = rest.split_once(':')?;
    let id = id.trim_matches('`');
    Criterion::is_id(id).then_some(id)
}

/// The first such line, counted from one.
fn line_of(text: &str, wanted: impl Fn(&str) -> bool) -> Option<usize> {
    let place = text
        .lines()
        .position(|line| line.len() <= MOST_LINE && wanted(line))?;
    Some(place + 1)
}

/// A text of a model stands in a line that somebody copies into a shell only when it can do nothing
/// there but pass words.
fn is_harmless(words: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || " -_./:@,=+%\"".contains(c);
    words.chars().all(plain) && words.matches('"').count().is_multiple_of(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_is_found_where_it_is_defined() {
        for (line, found) in [
            ("fn book_is_listed() {", true),
            ("    async fn book_is_listed() {", true),
            ("def book_is_listed(tmp):", true),
            ("test('book_is_listed', () => {", true),
            ("it(\"book_is_listed\", async () => {", true),
            ("fn book_is_listed_twice() {", false),
            ("    book_is_listed();", false),
            ("// fn book_is_listed()", false),
        ] {
            assert_eq!(defines(line, "book_is_listed"), found, "{line}");
        }
        let texts = [
            ("README.md", "book_is_listed"),
            ("tests/cli.rs", "\n#[test]\nfn a() {}"),
        ];
        let place = defined("cli::a", &texts, "cargo").unwrap();
        assert_eq!((place.file.as_str(), place.line), ("tests/cli.rs", 3));
        assert_eq!(place.run.as_deref(), Some("cargo test cli::a -- --exact"));
        assert_eq!(defined("gone", &texts, "cargo"), None);
    }

    #[test]
    fn an_example_is_found_below_its_criterion_and_only_plain_words_are_commands() {
        let text = "# Phases\nbook_is_found comes first.\n- `book_is_kept`: it is kept\n\
                    - book_is_found: it is found\n  ```\n  $ find Dune\n  ```\n";
        let kept = example("book_is_kept", ("phases.md", text), "cargo").unwrap();
        assert_eq!(
            (kept.line, kept.run),
            (3, None),
            "the next one's is not its own"
        );
        let place = example("book_is_found", ("phases.md", text), "cargo").unwrap();
        assert_eq!(
            (place.line, place.run.as_deref()),
            (4, Some("cargo run -q -- find Dune"))
        );
        let odd = text.replace("Dune", "$(id)");
        let place = example("book_is_found", ("phases.md", &odd), "cargo").unwrap();
        assert_eq!(place.run, None);
        assert_eq!(example("book", ("phases.md", text), "cargo"), None);
    }
}
