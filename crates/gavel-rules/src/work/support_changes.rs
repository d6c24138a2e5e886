//! What the work did to test code that is no test itself: imports, helpers, set-ups, heads of
//! classes and suites. A helper that checks nothing any more guts every test that calls it.

use std::collections::BTreeSet;

use super::files::{
    Statement, StatementKind, SupportItem, TestModule, TokenKind, WorkFile, WorkFiles,
};
use super::pairs::{support_files, test_pairs};
use super::renames::Renames;
use super::statements::{are_same, is_kept, words_in};
use super::test_changes::TestChanges;
use super::{ItemComparison, ItemPlace, ItemStanding, WorkFinding, WorkFindingKind};

/// How much of a statement names it.
const NAMED: usize = 60;

/// Compares the support code of every file of the base.
pub(super) fn compare_support(
    before: &WorkFiles,
    after: &WorkFiles,
    renames: &Renames,
) -> TestChanges {
    let mut changes = TestChanges {
        findings: Vec::new(),
        items: Vec::new(),
    };
    let pairs = test_pairs(before, after);
    for file in before.iter().filter(|file| file.has_test_code()) {
        let now = support_files(file, after, &pairs);
        if after
            .get(&file.path)
            .is_some_and(|now| now.content == file.content)
        {
            changes
                .items
                .extend(file.support.iter().map(|item| unchanged(file, item)));
            continue;
        }
        // Its tests are said to be gone one by one.
        if now.is_empty() && !file.tests.is_empty() {
            continue;
        }
        compare_items(file, &now, renames, &mut changes);
        if let Some(now) = after.get(&file.path) {
            changes.findings.extend(lost_modules(file, now));
            changes
                .findings
                .extend(harmful_additions(file, now, renames));
        }
    }
    changes.findings.extend(new_hooks(before, after));
    changes
}

fn compare_items(file: &WorkFile, now: &[&WorkFile], renames: &Renames, changes: &mut TestChanges) {
    let used = words_of_tests(file);
    for old in &file.support {
        let all = now.iter().flat_map(|file| {
            let items = file.support.iter();
            items.map(move |item| (*file, item))
        });
        let find = |by: &Renames| {
            let mut fitting = all.clone().filter(|(_, new)| stands_for(old, new, by));
            fitting.next()
        };
        let plain = Renames::default();
        let extended = || {
            let mut all = all.clone();
            all.find(|(_, new)| is_extended(old, new, &used))
        };
        let (found, standing) = match (find(&plain), find(renames), extended()) {
            (Some(same), ..) => (Some(same), ItemStanding::Kept),
            (None, Some(renamed), _) => (Some(renamed), ItemStanding::Renamed),
            (None, None, Some(longer)) => (Some(longer), ItemStanding::Extended),
            (None, None, None) if is_unused_import(old, &used) => (None, ItemStanding::Kept),
            (None, None, None) => {
                let finding = lost(file, old, now);
                let id = finding.id.clone();
                changes.findings.push(finding);
                (None, ItemStanding::Changed { finding: id })
            }
        };
        changes.items.push(ItemComparison {
            file: file.path.clone(),
            test: None,
            span: old.span,
            after: found.map(|(file, item)| ItemPlace {
                file: file.path.clone(),
                test: None,
                span: item.span,
            }),
            standing,
        });
    }
}

fn unchanged(file: &WorkFile, item: &SupportItem) -> ItemComparison {
    ItemComparison {
        file: file.path.clone(),
        test: None,
        span: item.span,
        after: Some(ItemPlace {
            file: file.path.clone(),
            test: None,
            span: item.span,
        }),
        standing: ItemStanding::Kept,
    }
}

/// The names that the tests of a file speak of.
fn words_of_tests(file: &WorkFile) -> BTreeSet<&str> {
    let tests = file.tests.iter().flat_map(|test| words_in(&test.body));
    let helpers = file.support.iter().filter(|item| !is_import(item));
    let helpers = helpers.flat_map(|item| words_in(std::slice::from_ref(&item.statement)));
    let attributes = file.tests.iter().flat_map(|test| test.attributes.iter());
    let attributes = attributes.flatten().map(|token| token.text.as_str());
    let names = file.tests.iter().map(|test| test.name.as_str());
    tests
        .chain(helpers)
        .chain(attributes)
        .chain(names)
        .collect()
}

fn is_import(item: &SupportItem) -> bool {
    item.statement.kind == StatementKind::Import
}

fn stands_for(old: &SupportItem, new: &SupportItem, renames: &Renames) -> bool {
    let same = |old: &Statement, new: &Statement| {
        are_same(
            std::slice::from_ref(old),
            std::slice::from_ref(new),
            renames,
        )
    };
    let kept = is_kept(&old.statement, &new.statement, &Renames::default());
    kept || same(&old.statement, &new.statement)
}

/// True when nothing but names was added that no test spoke of: to an import, or to what a type of
/// the tests can do.
fn is_extended(old: &SupportItem, new: &SupportItem, used: &BTreeSet<&str>) -> bool {
    if is_import(old) && is_import(new) {
        return imports_more(&old.statement, &new.statement, used);
    }
    let (StatementKind::Definition(was), StatementKind::Definition(is)) =
        (&old.statement.kind, &new.statement.kind)
    else {
        return false;
    };
    let plain = Renames::default();
    let is_fresh = |one: &Statement| match &one.kind {
        StatementKind::Definition(name) => !used.contains(name.as_str()) && !acts_by_itself(one),
        StatementKind::Assertion
        | StatementKind::Binding(_)
        | StatementKind::Import
        | StatementKind::Head
        | StatementKind::Leave
        | StatementKind::Other => false,
    };
    let ([before], [after]) = (
        old.statement.blocks.as_slice(),
        new.statement.blocks.as_slice(),
    ) else {
        return false;
    };
    let mut left = before.iter().peekable();
    let mut is_harmless = true;
    for one in after {
        let same = left.peek().is_some_and(|old| {
            are_same(
                std::slice::from_ref(*old),
                std::slice::from_ref(one),
                &plain,
            )
        });
        if same {
            left.next();
        } else {
            is_harmless &= is_fresh(one);
        }
    }
    was == is
        && old.statement.tokens == new.statement.tokens
        && left.next().is_none()
        && is_harmless
}

/// True when an import has further names that no test spoke of, and none under another name.
fn imports_more(old: &Statement, new: &Statement, used: &BTreeSet<&str>) -> bool {
    let mut left = old.tokens.iter().peekable();
    let mut added = Vec::new();
    for token in &new.tokens {
        if left.peek().is_some_and(|next| *next == token) {
            left.next();
        } else {
            added.push(token);
        }
    }
    left.next().is_none()
        && added.iter().all(|token| match token.kind {
            TokenKind::Word => !used.contains(token.text.as_str()),
            TokenKind::Sign => matches!(token.text.as_str(), "," | "{" | "}" | "(" | ")" | "::"),
            TokenKind::Text | TokenKind::Number => false,
        })
}

fn is_unused_import(old: &SupportItem, used: &BTreeSet<&str>) -> bool {
    let tokens = &old.statement.tokens;
    let has_star = tokens.iter().any(|token| token.is_sign("*"));
    let names = tokens.iter().filter(|token| token.kind == TokenKind::Word);
    is_import(old)
        && !has_star
        && names.clone().all(|name| !used.contains(name.text.as_str()))
        && names.count() > 0
}

fn lost(file: &WorkFile, old: &SupportItem, now: &[&WorkFile]) -> WorkFinding {
    let code = old.statement.code();
    let name: String = code.chars().take(NAMED).collect();
    let mut all = now.iter().flat_map(|file| &file.support);
    let like = all.find(|new| is_named_like(old, new));
    let place = now.first().map_or(file.path.as_str(), |file| &file.path);
    let line = like.map_or(old.statement.line, |new| new.statement.line);
    let is = like.map_or_else(String::new, |new| new.statement.code());
    let message = format!("code that tests rely on was changed or removed: {name}");
    WorkFinding::new(WorkFindingKind::TestSupportChanged, place, &code)
        .at(line)
        .saying(message)
        .changed(&code, &is)
}

/// True when both define the same name in the same scope.
fn is_named_like(old: &SupportItem, new: &SupportItem) -> bool {
    let named = |item: &SupportItem| match &item.statement.kind {
        StatementKind::Definition(name) => Some(name.clone()),
        StatementKind::Binding(names) => names.first().cloned(),
        StatementKind::Assertion
        | StatementKind::Import
        | StatementKind::Head
        | StatementKind::Leave
        | StatementKind::Other => None,
    };
    new.scope == old.scope && named(old).is_some() && named(new) == named(old)
}

/// Modules of tests that product code does not hold or declare any more, although their tests may
/// still lie in the tree.
fn lost_modules(file: &WorkFile, now: &WorkFile) -> Vec<WorkFinding> {
    let text = |file: &WorkFile, module: &TestModule| {
        let text = file
            .text()
            .and_then(|all| all.get(module.span.start..module.span.end));
        let words = text.unwrap_or_default().split_whitespace();
        words.collect::<Vec<_>>().join(" ")
    };
    let declared = file.modules.iter().filter(|module| module.body.is_none());
    let gone = declared.filter(|old| {
        let mut all = now.modules.iter();
        !all.any(|new| {
            new.body.is_some() && new.name == old.name || text(now, new) == text(file, old)
        })
    });
    gone.map(|old| {
        let was = text(file, old);
        WorkFinding::new(WorkFindingKind::TestDeleted, &file.path, &was)
            .saying(format!(
                "the module of tests `{}` is not declared any more",
                old.name
            ))
            .changed(&was, "")
    })
    .collect()
}

/// Code that was put around tests that were there before.
fn harmful_additions(file: &WorkFile, now: &WorkFile, renames: &Renames) -> Vec<WorkFinding> {
    let used = words_of_tests(file);
    let scopes: BTreeSet<&str> = file.tests.iter().map(super::TestFunction::scope).collect();
    let is_around = |item: &SupportItem| {
        let scope = item.scope.as_str();
        let mut all = scopes.iter();
        all.any(|of_test| *of_test == scope || scope.is_empty() || of_test.starts_with(scope))
    };
    let new = now.support.iter().filter(|item| {
        let mut was = file.support.iter();
        let is_known = was.any(|old| {
            let known = stands_for(old, item, renames) || is_extended(old, item, &used);
            // A helper that says something else is told about already.
            known || is_named_like(old, item)
        });
        is_around(item) && !is_known
    });
    let replaced = |item: &&SupportItem| {
        let code = item.statement.code();
        is_harmful(&item.statement, &used) && !code.is_empty()
    };
    new.filter(replaced).map(|item| added(now, item)).collect()
}

fn added(now: &WorkFile, item: &SupportItem) -> WorkFinding {
    let code = item.statement.code();
    let name: String = code.chars().take(NAMED).collect();
    WorkFinding::new(WorkFindingKind::TestSupportChanged, &now.path, &code)
        .at(item.statement.line)
        .saying(format!(
            "code that acts on tests that were there was added: {name}"
        ))
        .changed("", &code)
}

/// True for what changes tests without a word in them: it runs beside them, or takes one of their
/// names.
fn is_harmful(statement: &Statement, used: &BTreeSet<&str>) -> bool {
    let is_used = |name: &String| used.contains(name.as_str());
    match &statement.kind {
        StatementKind::Import => statement
            .tokens
            .iter()
            .any(|token| token.kind == TokenKind::Word && used.contains(token.text.as_str())),
        StatementKind::Definition(name) => is_used(name) || acts_by_itself(statement),
        StatementKind::Binding(names) => {
            names.iter().any(is_used) || names.iter().any(|name| name == "pytestmark")
        }
        StatementKind::Head => false,
        StatementKind::Assertion | StatementKind::Leave | StatementKind::Other => true,
    }
}

/// Definitions that a runner calls around every test.
fn acts_by_itself(statement: &Statement) -> bool {
    const CALLED: [&str; 14] = [
        "setUp",
        "tearDown",
        "setUpClass",
        "tearDownClass",
        "setUpModule",
        "tearDownModule",
        "setup_method",
        "setup_function",
        "setup_module",
        "setup_class",
        "teardown_method",
        "ctor",
        "load_tests",
        "autouse",
    ];
    let mut words = statement.tokens.iter();
    words.any(|token| CALLED.contains(&token.text.as_str()) || token.text.starts_with("pytest_"))
}

/// New files that act on tests which are not in them.
fn new_hooks(before: &WorkFiles, after: &WorkFiles) -> Vec<WorkFinding> {
    let had_tests = before.iter().any(|file| !file.tests.is_empty());
    let new = after.iter().filter(|file| before.get(&file.path).is_none());
    let mut findings = Vec::new();
    for file in new.filter(|_| had_tests) {
        if file.path.ends_with("conftest.py") {
            let acting = file.support.iter();
            let acting = acting.filter(|item| match item.statement.kind {
                StatementKind::Other | StatementKind::Leave | StatementKind::Assertion => true,
                StatementKind::Import
                | StatementKind::Head
                | StatementKind::Binding(_)
                | StatementKind::Definition(_) => acts_by_itself(&item.statement),
            });
            findings.extend(acting.map(|item| added(file, item)));
        }
        if file.path.split('/').any(|part| part == "__mocks__") {
            let finding = WorkFinding::new(WorkFindingKind::FixtureChanged, &file.path, "")
                .saying("a mock was added that may take the place of a module")
                .changed("", &String::from_utf8_lossy(&file.content));
            findings.push(finding);
        }
    }
    findings
}
