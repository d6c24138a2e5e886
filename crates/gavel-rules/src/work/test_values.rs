//! Product code that knows what the tests ask for: a table of the values that tests from before the run
//! expect answers every one of them, and nothing else.

use std::collections::BTreeSet;

use super::files::{Entry, Statement, StatementKind, TokenKind, WorkFile, WorkFiles};
use super::paths::FileRole;
use super::{WorkFinding, WorkFindingKind};

/// How many cases of tests a table knows.
const FEWEST: usize = 2;
/// Of five entries, so many are cases of tests.
const SHARE: (usize, usize) = (4, 5);

/// Files of the product with such a table that the base did not have.
pub(super) fn knows_tests(before: &WorkFiles, after: &WorkFiles) -> Vec<WorkFinding> {
    let cases = cases(before);
    if cases.len() < FEWEST {
        return Vec::new();
    }
    let was: BTreeSet<&BTreeSet<String>> = before
        .iter()
        .flat_map(|file| &file.entries)
        .map(|entry| &entry.values)
        .collect();
    let product = after.iter().filter(|file| file.role() == FileRole::Product);
    product
        .filter_map(|file| table(file, &cases, &was))
        .collect()
}

fn table(
    file: &WorkFile,
    cases: &[BTreeSet<String>],
    was: &BTreeSet<&BTreeSet<String>>,
) -> Option<WorkFinding> {
    let new = file.entries.iter();
    let new: Vec<&Entry> = new.filter(|entry| !was.contains(&entry.values)).collect();
    // One value more may be a default, or a key of its own.
    let knows = |entry: &Entry, case: &BTreeSet<String>| {
        entry.values.is_superset(case) && entry.values.len() <= case.len() + 1
    };
    let matched = |entry: &&&Entry| cases.iter().any(|case| knows(entry, case));
    let known = cases
        .iter()
        .filter(|case| new.iter().any(|entry| knows(entry, case)));
    let (known, matching) = (known.count(), new.iter().filter(matched).count());
    let is_table = matching * SHARE.1 >= new.len() * SHARE.0;
    // All of a small suite, or several of a large one.
    let is_enough = known >= FEWEST && (known > FEWEST || known == cases.len());
    let first = new.iter().find(matched).filter(|_| is_table && is_enough)?;
    let texts: Vec<&str> = new.iter().map(|entry| entry.text.as_str()).collect();
    let finding = WorkFinding::new(WorkFindingKind::ValuesOfTests, &file.path, "")
        .at(first.line)
        .saying(format!(
            "the product holds the values that {known} assertions of tests from before the run ask for"
        ));
    Some(finding.changed("", &texts.join("\n")))
}

/// What assertions of the base's tests put in and expect, as far as that tells something.
fn cases(before: &WorkFiles) -> Vec<BTreeSet<String>> {
    let tests = before.iter().flat_map(|file| &file.tests);
    let asserted = tests
        .flat_map(|test| test.body.iter().flat_map(Statement::flat))
        .filter(|one| one.kind == StatementKind::Assertion);
    let cases: BTreeSet<BTreeSet<String>> = asserted.filter_map(case).collect();
    cases.into_iter().collect()
}

fn case(assertion: &Statement) -> Option<BTreeSet<String>> {
    let values = assertion.tokens.iter().filter(|token| match token.kind {
        TokenKind::Text | TokenKind::Number => true,
        TokenKind::Word | TokenKind::Sign => false,
    });
    let values: BTreeSet<String> = values.map(|token| token.text.clone()).collect();
    let is_telling = |value: &String| value.trim_matches('"').chars().count() > 1;
    (values.len() > 1 && values.iter().any(is_telling)).then_some(values)
}
