//! Which test of the work stands for which test of the base: by its name, else because it moved.

use std::collections::{BTreeMap, BTreeSet};

use super::files::{Span, Statement, SupportItem, TestFunction, Token, WorkFile, WorkFiles};
use super::paths::is_named_as_test;

/// A test of the base, and the one that the work has for it.
#[derive(Debug, Clone, Copy)]
pub(super) struct TestPair<'a> {
    pub(super) file: &'a WorkFile,
    pub(super) before: &'a TestFunction,
    pub(super) after: Option<TestPlace<'a>>,
}

/// A test and its file.
#[derive(Debug, Clone, Copy)]
pub(super) struct TestPlace<'a> {
    pub(super) file: &'a WorkFile,
    pub(super) test: &'a TestFunction,
    pub(super) matched: Matched,
}

/// Why two tests are taken for the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Matched {
    /// They have the same name.
    ByName,
    /// They differ in names at most: the same only if that is a rename.
    ByShape,
}

/// Two pieces of test code that may be the same.
#[derive(Debug, Clone, Copy)]
pub(super) enum ItemPair<'a> {
    Tests(&'a TestFunction, &'a TestFunction),
    Support(&'a SupportItem, &'a SupportItem),
}

impl<'a> ItemPair<'a> {
    pub(super) fn before_attributes(&self) -> &'a [Vec<Token>] {
        match self {
            Self::Tests(before, _) => &before.attributes,
            Self::Support(..) => &[],
        }
    }

    pub(super) fn after_attributes(&self) -> &'a [Vec<Token>] {
        match self {
            Self::Tests(_, after) => &after.attributes,
            Self::Support(..) => &[],
        }
    }

    pub(super) fn before_statements(&self) -> Vec<&'a Statement> {
        match self {
            Self::Tests(before, _) => before.body.iter().flat_map(Statement::flat).collect(),
            Self::Support(before, _) => before.statement.flat(),
        }
    }

    pub(super) fn after_statements(&self) -> Vec<&'a Statement> {
        match self {
            Self::Tests(_, after) => after.body.iter().flat_map(Statement::flat).collect(),
            Self::Support(_, after) => after.statement.flat(),
        }
    }

    /// True when the base's code has this name in it already.
    pub(super) fn before_says(&self, word: &str) -> bool {
        let statements = self.before_statements();
        let mut tokens = statements.iter().flat_map(|one| &one.tokens);
        tokens.any(|token| token.is_word(word))
    }
}

/// Pairs every test of the base with one of the work, each at most once.
pub(super) fn test_pairs<'a>(before: &'a WorkFiles, after: &'a WorkFiles) -> Vec<TestPair<'a>> {
    let mut taken = BTreeSet::new();
    let mut pairs: Vec<TestPair<'a>> = Vec::new();
    for file in before.iter() {
        let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
        for test in &file.tests {
            let nth = seen.entry(&test.full_name).or_default();
            let same = after.get(&file.path).and_then(|now| {
                let named = now
                    .tests
                    .iter()
                    .filter(|new| new.full_name == test.full_name);
                Some((now, named.clone().nth(*nth)?))
            });
            *nth += 1;
            let place = same.map(|(now, found)| {
                taken.insert(key(now, found.span));
                TestPlace {
                    file: now,
                    test: found,
                    matched: Matched::ByName,
                }
            });
            pairs.push(TestPair {
                file,
                before: test,
                after: place,
            });
        }
    }
    let kept: BTreeSet<(&str, &str)> = names(before);
    let mut free: Vec<(&WorkFile, &TestFunction)> = after
        .iter()
        .flat_map(|file| file.tests.iter().map(move |test| (file, test)))
        .filter(|(file, test)| !taken.contains(&key(file, test.span)))
        .filter(|(file, test)| !kept.contains(&(file.path.as_str(), test.full_name.as_str())))
        .collect();
    take_same_code(&mut pairs, &mut free);
    for rule in [same_name, same_shape] {
        for pair in pairs.iter_mut().filter(|pair| pair.after.is_none()) {
            let fits = |(file, test): &(&WorkFile, &TestFunction)| {
                is_found_like(&pair.file.path, &file.path) && rule(pair, file, test).is_some()
            };
            let Some(at) = free.iter().position(fits) else {
                continue;
            };
            let (file, test) = free.swap_remove(at);
            pair.after = rule(pair, file, test).map(|matched| TestPlace {
                file,
                test,
                matched,
            });
        }
    }
    pairs
}

/// Tests whose code is to be found elsewhere, whatever they are called there.
fn take_same_code<'a>(
    pairs: &mut [TestPair<'a>],
    free: &mut Vec<(&'a WorkFile, &'a TestFunction)>,
) {
    let mut by_code: BTreeMap<String, Vec<(&WorkFile, &TestFunction)>> = BTreeMap::new();
    for (file, test) in free.iter().filter(|(_, test)| !test.body.is_empty()) {
        by_code
            .entry(body_code(test))
            .or_default()
            .push((file, test));
    }
    let mut used = BTreeSet::new();
    for pair in pairs.iter_mut().filter(|pair| pair.after.is_none()) {
        let Some(same) = by_code.get_mut(&body_code(pair.before)) else {
            continue;
        };
        // A test of the same name first: two tests may say the same.
        same.sort_by_key(|(_, test)| test.name != pair.before.name);
        let path = pair.file.path.as_str();
        let Some(at) = same
            .iter()
            .position(|(file, _)| is_found_like(path, &file.path))
        else {
            continue;
        };
        let (file, test) = same.remove(at);
        used.insert(key(file, test.span));
        pair.after = Some(TestPlace {
            file,
            test,
            matched: Matched::ByName,
        });
    }
    free.retain(|(file, test)| !used.contains(&key(file, test.span)));
}

fn body_code(test: &TestFunction) -> String {
    let body: Vec<String> = test.body.iter().map(Statement::code).collect();
    body.join("; ")
}

fn key(file: &WorkFile, span: Span) -> (&str, usize) {
    (file.path.as_str(), span.start)
}

fn names(files: &WorkFiles) -> BTreeSet<(&str, &str)> {
    let all = files.iter().flat_map(|file| {
        let tests = file.tests.iter();
        tests.map(|test| (file.path.as_str(), test.full_name.as_str()))
    });
    all.collect()
}

/// A runner that finds a file by its name does not find it under another kind of name.
fn is_found_like(before: &str, after: &str) -> bool {
    before.ends_with(".rs") || !is_named_as_test(before) || is_named_as_test(after)
}

fn same_name(pair: &TestPair<'_>, file: &WorkFile, test: &TestFunction) -> Option<Matched> {
    let stays = pair.file.path == file.path || ending(&pair.file.path) == ending(&file.path);
    (stays && pair.before.name == test.name).then_some(Matched::ByName)
}

fn same_shape(pair: &TestPair<'_>, file: &WorkFile, test: &TestFunction) -> Option<Matched> {
    let before: Vec<_> = pair.before.body.iter().flat_map(Statement::flat).collect();
    let after: Vec<_> = test.body.iter().flat_map(Statement::flat).collect();
    let like = |old: &&Statement, new: &&Statement| {
        let kinds = old.tokens.iter().zip(&new.tokens);
        old.tokens.len() == new.tokens.len() && kinds.clone().all(|(a, b)| a.kind == b.kind)
    };
    let stays = pair.file.path == file.path;
    let alike = before.len() == after.len() && before.iter().zip(&after).all(|(a, b)| like(a, b));
    (stays && alike && !before.is_empty()).then_some(Matched::ByShape)
}

fn ending(path: &str) -> &str {
    path.rsplit_once('.').map_or("", |(_, ending)| ending)
}

/// Where the support code of a base's file is now: in the same file, or where its tests went.
pub(super) fn support_files<'a>(
    file: &WorkFile,
    after: &'a WorkFiles,
    pairs: &[TestPair<'a>],
) -> Vec<&'a WorkFile> {
    let mut found: Vec<&WorkFile> = after.get(&file.path).into_iter().collect();
    let moved = pairs.iter().filter(|pair| pair.file.path == file.path);
    for place in moved.filter_map(|pair| pair.after) {
        if found.iter().all(|known| known.path != place.file.path) {
            found.push(place.file);
        }
    }
    // A file of helpers has no tests that tell where it went.
    if found.is_empty() && file.tests.is_empty() {
        let mut all = after.iter();
        found.extend(all.find(|now| now.content == file.content && now.role() == file.role()));
    }
    found
}

/// Every piece of test code of the base with every one of the work that may stand for it.
pub(super) fn item_pairs<'a>(before: &'a WorkFiles, after: &'a WorkFiles) -> Vec<ItemPair<'a>> {
    let pairs = test_pairs(before, after);
    let mut items: Vec<ItemPair<'a>> = Vec::new();
    for pair in &pairs {
        if let Some(place) = pair.after {
            items.push(ItemPair::Tests(pair.before, place.test));
        }
    }
    for file in before.iter() {
        for now in support_files(file, after, &pairs) {
            if now.content == file.content {
                continue;
            }
            let codes: BTreeSet<String> =
                now.support.iter().map(|new| new.statement.code()).collect();
            let gone = file.support.iter();
            for old in gone.filter(|old| !codes.contains(&old.statement.code())) {
                let same_kind = now.support.iter().filter(|new| {
                    std::mem::discriminant(&new.statement.kind)
                        == std::mem::discriminant(&old.statement.kind)
                        && new.scope == old.scope
                });
                items.extend(same_kind.map(|new| ItemPair::Support(old, new)));
            }
        }
    }
    items
}
