//! Helpers of tests that stand beside the product: functions that do nothing but assert, and that only
//! tests call. Where they lie says nothing; what they say decides what every such test means.

use std::ops::Range;

use super::files::{Check, WorkFile, WorkFiles};
use super::paths::FileRole;
use super::{WorkFinding, WorkFindingKind};

/// Helpers of the base that are gone, or that say something else.
pub(super) fn compare_helpers(before: &WorkFiles, after: &WorkFiles) -> Vec<WorkFinding> {
    let mut findings = Vec::new();
    for file in before.iter() {
        for check in &file.checks {
            if is_only_of_tests(check, file, before) {
                findings.extend(changed(check, file, after));
            }
        }
    }
    findings
}

fn changed(check: &Check, file: &WorkFile, after: &WorkFiles) -> Option<WorkFinding> {
    let mut all = after.iter().flat_map(|file| {
        let checks = file.checks.iter();
        checks.map(move |check| (file, check))
    });
    if all.any(|(_, now)| now.name == check.name && now.code == check.code) {
        return None;
    }
    let name = &check.name;
    let now = after.get(&file.path);
    let there = now.and_then(|now| now.checks.iter().find(|now| now.name == *name));
    let line = there.map_or(check.line, |now| now.line);
    let code = there.map_or("", |now| now.code.as_str());
    let message = format!("`{name}`, with which tests assert, was changed or removed");
    let finding = WorkFinding::new(WorkFindingKind::TestSupportChanged, &file.path, name);
    // What the whole file says is part of what is released: the helper may be none any more.
    let says = now.map_or_else(String::new, |now| {
        String::from_utf8_lossy(&now.content).into_owned()
    });
    let mut finding = finding
        .at(line)
        .saying(message)
        .changed(&check.code, &format!("{code}\n{says}"));
    finding.after = code.to_owned();
    Some(finding)
}

/// True when tests speak of it, and of the product nothing but its own kind.
fn is_only_of_tests(check: &Check, own: &WorkFile, before: &WorkFiles) -> bool {
    let mut of_tests = false;
    for file in before.iter() {
        let role = file.role();
        if role != FileRole::Test && role != FileRole::Product {
            continue;
        }
        let text = file.text().unwrap_or_default();
        for at in places(text, &check.name) {
            let is_own = file.path == own.path;
            if role == FileRole::Test || within(at, tests_of(file)) {
                of_tests = true;
            } else if !(within(at, checks_of(file)) || is_own && is_export(text, at)) {
                return false;
            }
        }
    }
    of_tests
}

fn tests_of(file: &WorkFile) -> impl Iterator<Item = Range<usize>> {
    let modules = file.modules.iter().map(|module| module.span);
    let tests = file.tests.iter().map(|test| test.span);
    modules.chain(tests).map(|span| span.start..span.end)
}

fn checks_of(file: &WorkFile) -> impl Iterator<Item = Range<usize>> {
    let checks = file.checks.iter().map(|check| check.span);
    checks.map(|span| span.start..span.end)
}

fn within(at: usize, mut spans: impl Iterator<Item = Range<usize>>) -> bool {
    spans.any(|span| span.contains(&at))
}

/// True on a line that only says what a file offers to others.
fn is_export(text: &str, at: usize) -> bool {
    let start = text
        .get(..at)
        .and_then(|head| head.rfind('\n'))
        .map_or(0, |end| end + 1);
    let line = text.get(start..).and_then(|rest| rest.lines().next());
    let line = line.unwrap_or_default().trim_start();
    ["__all__", "module.exports", "exports.", "export "]
        .iter()
        .any(|start| line.starts_with(start))
}

/// Where a name stands as a word of its own.
fn places<'a>(text: &'a str, name: &'a str) -> impl Iterator<Item = usize> + 'a {
    let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let all = text.match_indices(name).filter(move |(at, found)| {
        let before = text.get(..*at).and_then(|head| head.chars().next_back());
        let after = text.get(at + found.len()..);
        !is_part(before) && !is_part(after.and_then(|tail| tail.chars().next()))
    });
    all.map(|(at, _)| at)
}
