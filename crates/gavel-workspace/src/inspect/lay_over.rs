//! Which tree to run: the base's tests over the work, and the work's tests over the base.
//!
//! Nothing that the work says about a test that was there counts, unless the finding about it was
//! released or it is an honest rename. Files are put together function by function; where that does
//! not give code that parses, a file counts as a whole.

mod assemble;

use std::collections::{BTreeMap, BTreeSet};

use gavel_rules::work::{
    CodeReading, FileRole, ItemComparison, ItemStanding, TestComparison, TestFunction, TestModule,
    WorkFile, WorkFiles, compare_test_code,
};

use crate::syntax::{SourceLanguage, check_syntax};
use assemble::{Edit, Piece, additions, apply, words_at, words_of};

/// A file that is put into a tree before its tests run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaidOver {
    /// Where it goes.
    pub path: String,
    /// What it holds.
    pub content: Vec<u8>,
}

/// A test that has to be executed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ExpectedTest {
    /// Its file.
    pub file: String,
    /// Its own name.
    pub name: String,
    /// Its name with what is around it.
    pub full_name: String,
}

/// The work's tests over the base: of a bug fix, one of them has to fail there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FailToPass {
    /// The work's versions of test code, to be put over the base's tree.
    pub files: Vec<LaidOver>,
    /// The tests that are new or say something else than before.
    pub tests: Vec<ExpectedTest>,
}

/// What the base had of one file, compared with the work.
struct Compared<'a> {
    all: &'a TestComparison,
    released: &'a BTreeSet<String>,
    after: &'a WorkFiles,
    /// The names of test code that the work changed, with the file if it is in one only.
    said: BTreeMap<&'a str, Option<&'a str>>,
}

/// The base's test code to be put over the work: files of tests, snapshots and data of tests, and
/// modules of tests inside product code. What was released is left as the work has it.
pub fn lay_over(
    before: &WorkFiles,
    after: &WorkFiles,
    request: &str,
    released: &BTreeSet<String>,
) -> Vec<LaidOver> {
    let all = compare_test_code(before, after, request);
    let compared = Compared {
        all: &all,
        released,
        after,
        said: said_by_work(before, after),
    };
    let files = before.iter().filter_map(|file| {
        let content = compared.content_for(file)?;
        let now = after.get(&file.path).map(|now| now.content.as_slice());
        (now != Some(content.as_slice())).then(|| LaidOver {
            path: file.path.clone(),
            content,
        })
    });
    files.collect()
}

/// The tests of the base that have to run, and to pass, once they are laid over: under the name that
/// they have then.
pub fn expected_tests(
    before: &WorkFiles,
    after: &WorkFiles,
    request: &str,
    released: &BTreeSet<String>,
) -> Vec<ExpectedTest> {
    let all = compare_test_code(before, after, request);
    let mut expected = BTreeSet::new();
    for item in &all.items {
        let Some(full_name) = &item.test else {
            continue;
        };
        let is_released = is_released(item, released);
        let ran = before.get(&item.file).and_then(|file| {
            let mut tests = file.tests.iter();
            tests.find(|test| test.full_name == *full_name && test.span == item.span)
        });
        if ran.is_none_or(|test| test.skipped.is_some()) {
            continue;
        }
        let takes_work = is_released || !matches!(item.standing, ItemStanding::Changed { .. });
        let place = item.after.as_ref().filter(|_| takes_work);
        match place {
            Some(place) => {
                let now = after.get(&place.file).and_then(|file| {
                    let mut tests = file.tests.iter();
                    tests.find(|test| test.span == place.span)
                });
                let now = now.filter(|test| test.skipped.is_none());
                expected.extend(now.map(|test| expected_test(&place.file, test)));
            }
            None if is_released => {}
            None => expected.extend(ran.map(|test| expected_test(&item.file, test))),
        }
    }
    expected.into_iter().collect()
}

fn expected_test(file: &str, test: &TestFunction) -> ExpectedTest {
    ExpectedTest {
        file: file.to_owned(),
        name: test.name.clone(),
        full_name: test.full_name.clone(),
    }
}

fn is_released(item: &ItemComparison, released: &BTreeSet<String>) -> bool {
    match &item.standing {
        ItemStanding::Changed { finding } => released.contains(finding),
        ItemStanding::Kept | ItemStanding::Renamed | ItemStanding::Extended => false,
    }
}

impl Compared<'_> {
    /// What belongs at the path of a base's file; `None` when the work's version stays.
    fn content_for(&self, file: &WorkFile) -> Option<Vec<u8>> {
        match (file.role(), file.reading) {
            (FileRole::Snapshot | FileRole::Fixture, _)
            | (FileRole::Test, CodeReading::NotRead) => self.whole(file),
            (FileRole::Test, CodeReading::Read) => self.test_file(file),
            (FileRole::Product, CodeReading::Read) if file.has_tests_inside() => {
                self.product_file(file)
            }
            (
                FileRole::Product
                | FileRole::Ci
                | FileRole::Lock
                | FileRole::Settings
                | FileRole::Document
                | FileRole::Other,
                _,
            ) => None,
        }
    }

    /// The findings about a file as a whole, or about additions to it.
    fn findings_about<'b>(&'b self, path: &'b str) -> impl Iterator<Item = &'b str> {
        let all = self.all.findings.iter();
        all.filter(move |one| one.file == path)
            .map(|one| one.id.as_str())
    }

    fn items_of<'b>(&'b self, path: &'b str) -> impl Iterator<Item = &'b ItemComparison> {
        self.all.items.iter().filter(move |item| item.file == path)
    }

    /// The names that the work's code speaks of where it stays: in other files, and in what is taken
    /// from this one.
    fn needed(&self, file: &WorkFile, items: &[&ItemComparison]) -> BTreeSet<&str> {
        let elsewhere = self
            .said
            .iter()
            .filter(|(_, only)| **only != Some(&file.path));
        let mut needed: BTreeSet<&str> = elsewhere.map(|(word, _)| *word).collect();
        for item in items.iter().filter(|item| self.takes_work(item)) {
            let place = item.after.as_ref();
            let place = place.and_then(|place| Some((self.after.get(&place.file)?, place.span)));
            if let Some((now, span)) = place {
                needed.extend(words_at(now, span));
            }
        }
        needed
    }

    /// True for a piece that is to be as the work has it.
    fn takes_work(&self, item: &ItemComparison) -> bool {
        match &item.standing {
            // The same test under another name is expected under that one.
            ItemStanding::Kept => {
                let now = item.after.as_ref().and_then(|place| place.test.as_ref());
                item.test.is_some() && now.is_some() && now != item.test.as_ref()
            }
            ItemStanding::Renamed | ItemStanding::Extended => true,
            // Other test code is released with its whole file only.
            ItemStanding::Changed { .. } => item.test.is_some() && is_released(item, self.released),
        }
    }

    fn whole(&self, file: &WorkFile) -> Option<Vec<u8>> {
        let is_gone = self.after.get(&file.path).is_none();
        let mut findings = self.findings_about(&file.path).peekable();
        // Without a finding it lies elsewhere, or was added to.
        let stays = match findings.peek() {
            Some(_) => findings.all(|id| self.released.contains(id)),
            None => is_gone,
        };
        (!stays).then(|| file.content.clone())
    }

    fn test_file(&self, file: &WorkFile) -> Option<Vec<u8>> {
        let now = self.after.get(&file.path);
        if now.is_some_and(|now| now.content == file.content) {
            return None;
        }
        let items: Vec<&ItemComparison> = self.items_of(&file.path).collect();
        let changed: Vec<&&ItemComparison> = items
            .iter()
            .filter(|item| matches!(item.standing, ItemStanding::Changed { .. }))
            .collect();
        let all_released = changed.iter().all(|item| is_released(item, self.released))
            && self
                .findings_about(&file.path)
                .all(|id| self.released.contains(id));
        let Some(now) = now else {
            // Everything that it tested is tested elsewhere, or was let go.
            let is_let_go = all_released && (!items.is_empty() || file.support.is_empty());
            return (!is_let_go).then(|| file.content.clone());
        };
        if all_released && !changed.is_empty() {
            return None;
        }
        let text = file.text()?;
        let pieces = self.pieces(file, &items);
        let mut edits: Vec<Edit> = pieces.into_iter().map(Piece::into_edit).collect();
        edits.extend(additions(file, now, &self.needed(file, &items), &items));
        let content = apply(text, edits);
        if parses(&file.path, &content) || !parses(&file.path, text) {
            return Some(content.into_bytes());
        }
        (!all_released).then(|| file.content.clone())
    }

    /// What is to be put in place of parts of the base's file.
    fn pieces(&self, file: &WorkFile, items: &[&ItemComparison]) -> Vec<Piece> {
        let mut pieces = Vec::new();
        for item in items {
            if !self.takes_work(item) {
                continue;
            }
            let text = item.after.as_ref().and_then(|place| {
                let text = self.after.get(&place.file)?.text()?;
                text.get(place.span.start..place.span.end)
            });
            let is_python = SourceLanguage::of_name(&file.path) == Some(SourceLanguage::Python);
            pieces.push(match text {
                Some(text) => Piece::taken(item.span, text),
                // A class needs a body.
                None if is_python => Piece::removed(item.span, "pass"),
                None => Piece::removed(item.span, ""),
            });
        }
        pieces
    }

    /// Product code with the base's modules of tests, and its tests outside of them.
    fn product_file(&self, file: &WorkFile) -> Option<Vec<u8>> {
        let now = self.after.get(&file.path)?;
        let (text, is) = (file.text()?, now.text()?);
        let items: Vec<&ItemComparison> = self.items_of(&file.path).collect();
        let mut edits = Vec::new();
        let mut whole = Vec::new();
        for module in &file.modules {
            let inside: Vec<&ItemComparison> = items
                .iter()
                .copied()
                .filter(|item| {
                    module.span.start <= item.span.start && item.span.end <= module.span.end
                })
                .collect();
            if self.is_let_go(&inside) {
                continue;
            }
            let base = text.get(module.span.start..module.span.end)?;
            let put = self.module_text(file, now, module, &inside);
            edits.push(Edit::over(now, module, &put));
            whole.push(Edit::over(now, module, base));
        }
        let outside = items.iter().filter(|item| {
            let mut modules = file.modules.iter();
            let is_inside = modules.any(|module| {
                module.span.start <= item.span.start && item.span.end <= module.span.end
            });
            !is_inside && !is_released(item, self.released) && item.test.is_some()
        });
        for item in outside.filter(|item| matches!(item.standing, ItemStanding::Changed { .. })) {
            let base = text.get(item.span.start..item.span.end)?;
            let place = item.after.as_ref().filter(|place| place.file == file.path);
            let edit = Edit::at(place.map(|place| place.span), is.len(), base);
            edits.push(edit.clone());
            whole.push(edit);
        }
        let content = apply(is, edits);
        if parses(&file.path, &content) || !parses(&file.path, is) {
            return Some(content.into_bytes());
        }
        Some(apply(is, whole).into_bytes())
    }

    /// True when nothing of a module is left to be laid over: all of it moved as it was, or what
    /// differs was released.
    fn is_let_go(&self, items: &[&ItemComparison]) -> bool {
        let elsewhere = |item: &&ItemComparison| {
            let moved = item
                .after
                .as_ref()
                .is_some_and(|place| place.file != item.file);
            moved && !matches!(item.standing, ItemStanding::Changed { .. })
        };
        let mut tests = items.iter().filter(|item| item.test.is_some()).peekable();
        let changed = items
            .iter()
            .filter(|item| matches!(item.standing, ItemStanding::Changed { .. }));
        let all_released = changed.clone().count() > 0
            && changed.clone().all(|item| is_released(item, self.released));
        all_released || tests.peek().is_some() && tests.all(elsewhere)
    }

    fn module_text(
        &self,
        file: &WorkFile,
        now: &WorkFile,
        module: &TestModule,
        items: &[&ItemComparison],
    ) -> String {
        let pieces = self.pieces(file, items);
        let mut edits: Vec<Edit> = pieces.into_iter().map(Piece::into_edit).collect();
        edits.extend(additions(file, now, &self.needed(file, items), items));
        let start = module.span.start;
        let text = file
            .text()
            .and_then(|text| text.get(start..module.span.end));
        let moved = edits.into_iter().map(|edit| edit.moved_back(start));
        apply(text.unwrap_or_default(), moved.collect())
    }
}

/// The names of the work's test code in files that differ from the base's.
fn said_by_work<'a>(
    before: &WorkFiles,
    after: &'a WorkFiles,
) -> BTreeMap<&'a str, Option<&'a str>> {
    let mut said: BTreeMap<&str, Option<&str>> = BTreeMap::new();
    for file in after.iter() {
        let was = before.get(&file.path);
        if was.is_some_and(|was| was.content == file.content) {
            continue;
        }
        for word in words_of(file) {
            let only = said.entry(word).or_insert(Some(&file.path));
            if *only != Some(&file.path) {
                *only = None;
            }
        }
    }
    said
}

/// Whether product code has tests in it.
trait TestsInside {
    fn has_tests_inside(&self) -> bool;
}

impl TestsInside for WorkFile {
    fn has_tests_inside(&self) -> bool {
        !self.modules.is_empty() || !self.tests.is_empty()
    }
}

fn parses(path: &str, text: &str) -> bool {
    let Some(language) = SourceLanguage::of_name(path) else {
        return true;
    };
    check_syntax(language, text).is_ok_and(|report| report.problems.is_empty())
}

/// The work's test code to be put over the base, and the tests that are new or changed. Tests inside
/// product files that the base does not have are listed and not put anywhere: they cannot be built
/// there.
pub fn fail_to_pass(before: &WorkFiles, after: &WorkFiles) -> FailToPass {
    let known: BTreeMap<(&str, &str), String> = before
        .iter()
        .flat_map(|file| file.tests.iter().map(move |test| (file, test)))
        .map(|(file, test)| ((file.path.as_str(), test.full_name.as_str()), test.code()))
        .collect();
    let bodies: BTreeSet<&String> = known.values().collect();
    let mut found = FailToPass::default();
    for file in after.iter() {
        let was = before.get(&file.path);
        if was.is_some_and(|was| was.content == file.content) {
            continue;
        }
        let new = file.tests.iter().filter(|test| {
            let code = test.code();
            let before = known.get(&(file.path.as_str(), test.full_name.as_str()));
            let is_moved = before.is_none() && bodies.contains(&code);
            before != Some(&code) && !is_moved && test.skipped.is_none()
        });
        found
            .tests
            .extend(new.map(|test| expected_test(&file.path, test)));
        let content = match file.role() {
            FileRole::Test | FileRole::Snapshot | FileRole::Fixture => Some(file.content.clone()),
            FileRole::Product => was.and_then(|was| tests_of_work(was, file)),
            FileRole::Ci
            | FileRole::Lock
            | FileRole::Settings
            | FileRole::Document
            | FileRole::Other => None,
        };
        found.files.extend(content.map(|content| LaidOver {
            path: file.path.clone(),
            content,
        }));
    }
    found
}

/// The base's product code with the work's modules of tests.
fn tests_of_work(was: &WorkFile, now: &WorkFile) -> Option<Vec<u8>> {
    if !now.has_tests_inside() {
        return None;
    }
    let (text, is) = (was.text()?, now.text()?);
    let mut edits = Vec::new();
    for module in &now.modules {
        let put = is.get(module.span.start..module.span.end)?;
        edits.push(Edit::over(was, module, put));
    }
    let outside = now.tests.iter().filter(|test| {
        let mut modules = now.modules.iter();
        !modules
            .any(|module| module.span.start <= test.span.start && test.span.end <= module.span.end)
    });
    for test in outside {
        let put = is.get(test.span.start..test.span.end)?;
        let place = was.tests.iter().find(|old| old.full_name == test.full_name);
        edits.push(Edit::at(place.map(|old| old.span), text.len(), put));
    }
    let content = apply(text, edits);
    (content != text).then(|| content.into_bytes())
}

#[cfg(test)]
#[path = "lay_over_tests.rs"]
mod tests;
