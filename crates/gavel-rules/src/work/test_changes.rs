//! What the work did to the tests that were there: each one compared with what stands for it now.

use super::files::{Substance, TestFunction, Token, Tolerance, WorkFiles, joined};
use super::pairs::{Matched, TestPair, TestPlace, test_pairs};
use super::renames::Renames;
use super::statements::{are_kept, are_same, lost_assertions};
use super::{ItemComparison, ItemPlace, ItemStanding, WorkFinding, WorkFindingKind};

/// Attributes that change nothing about what a test finds.
const HARMLESS: [&str; 6] = ["case", "allow", "expect", "doc", "serial", "inline"];
/// Words by which a case of a test does not run.
const NOT_RUN: [&str; 5] = ["skip", "skipif", "xfail", "marks", "ignore"];

/// Everything of one comparison of tests.
pub(super) struct TestChanges {
    pub(super) findings: Vec<WorkFinding>,
    pub(super) items: Vec<ItemComparison>,
}

/// Compares every test of the base with what stands for it.
pub(super) fn compare_tests(
    before: &WorkFiles,
    after: &WorkFiles,
    renames: &Renames,
) -> TestChanges {
    let mut changes = TestChanges {
        findings: Vec::new(),
        items: Vec::new(),
    };
    for pair in test_pairs(before, after) {
        let (finding, standing) = judge_pair(&pair, renames);
        changes.items.push(ItemComparison {
            file: pair.file.path.clone(),
            test: Some(pair.before.full_name.clone()),
            span: pair.before.span,
            after: pair.after.map(|place| ItemPlace {
                file: place.file.path.clone(),
                test: Some(place.test.full_name.clone()),
                span: place.test.span,
            }),
            standing,
        });
        changes.findings.extend(finding);
    }
    changes
}

fn judge_pair(pair: &TestPair<'_>, renames: &Renames) -> (Option<WorkFinding>, ItemStanding) {
    let judged = match pair.after {
        Some(place) => judge_test(pair, place, renames),
        None => Judged::Changed(vec![Reason::new(
            WorkFindingKind::TestDeleted,
            "it is gone".to_owned(),
        )]),
    };
    let mut reasons = match judged {
        Judged::Kept => return (None, ItemStanding::Kept),
        Judged::Renamed => return (None, ItemStanding::Renamed),
        Judged::Changed(reasons) => reasons,
    };
    reasons.sort_by_key(|reason| reason.kind);
    let kind = reasons
        .first()
        .map_or(WorkFindingKind::TestRewritten, |first| first.kind);
    let why: Vec<&str> = reasons.iter().map(|reason| reason.why.as_str()).collect();
    let name = pair.before.full_name.as_str();
    let place = pair.after.filter(|_| kind != WorkFindingKind::TestDeleted);
    let finding = WorkFinding::new(
        kind,
        place.map_or(pair.file.path.as_str(), |place| &place.file.path),
        name,
    )
    .at(place.map_or(pair.before.line, |place| place.test.line))
    .of_test(name)
    .saying(format!("the test `{name}`: {}", why.join("; ")))
    .changed(
        &pair.before.code(),
        &place.map_or_else(String::new, |place| place.test.code()),
    );
    let standing = ItemStanding::Changed {
        finding: finding.id.clone(),
    };
    (Some(finding), standing)
}

enum Judged {
    Kept,
    Renamed,
    Changed(Vec<Reason>),
}

struct Reason {
    kind: WorkFindingKind,
    why: String,
}

impl Reason {
    fn new(kind: WorkFindingKind, why: String) -> Self {
        Self { kind, why }
    }
}

fn judge_test(pair: &TestPair<'_>, place: TestPlace<'_>, renames: &Renames) -> Judged {
    let (before, after) = (pair.before, place.test);
    let mut reasons = outer_reasons(before, after, renames);
    if are_kept(&before.body, &after.body, &Renames::default()) && reasons.is_empty() {
        let plain = outer_reasons(before, after, &Renames::default());
        return if plain.is_empty() {
            Judged::Kept
        } else {
            Judged::Renamed
        };
    }
    // The work's version is taken for a renamed test, so nothing else may have come with it.
    let renamed = are_same(&before.body, &after.body, renames);
    if renamed && reasons.is_empty() {
        return Judged::Renamed;
    }
    if !renamed {
        reasons.extend(body_reasons(before, after, renames));
    }
    // Two tests that look alike are not one that was changed.
    if place.matched == Matched::ByShape {
        reasons = vec![Reason::new(
            WorkFindingKind::TestDeleted,
            "it is gone".to_owned(),
        )];
    }
    Judged::Changed(reasons)
}

/// What is to be said about a test without a look at its statements.
fn outer_reasons(before: &TestFunction, after: &TestFunction, renames: &Renames) -> Vec<Reason> {
    use WorkFindingKind::{TestEmptied, TestLoosened, TestRewritten, TestSkipped};
    let mut reasons = Vec::new();
    if let (None, Some(why)) = (&before.skipped, &after.skipped) {
        reasons.push(Reason::new(TestSkipped, format!("it is skipped: {why}")));
    }
    if after.substance <= Substance::ConstantOnly && before.substance > after.substance {
        let why = match after.substance {
            Substance::Empty => "it has no body any more",
            Substance::ConstantOnly | Substance::CallsOnly | Substance::Asserts => {
                "what it asserts holds whatever the product does"
            }
        };
        reasons.push(Reason::new(TestEmptied, why.to_owned()));
    }
    if after.assertions < before.assertions {
        let (was, is) = (before.assertions, after.assertions);
        let why = format!("{was} places could make it fail, {is} can now");
        reasons.push(Reason::new(TestLoosened, why));
    }
    for caught in more(&before.catches, &after.catches) {
        reasons.push(Reason::new(TestLoosened, format!("it swallows: {caught}")));
    }
    if is_widened(&before.tolerances, &after.tolerances) {
        let why = "values may be further off than before";
        reasons.push(Reason::new(TestLoosened, why.to_owned()));
    }
    for attribute in &before.attributes {
        let mut now = after.attributes.iter();
        if !now.any(|new| holds_attribute(attribute, new, renames)) {
            let why = format!("it lost `{}`", joined(attribute));
            reasons.push(Reason::new(TestRewritten, why));
        }
    }
    for attribute in &after.attributes {
        let mut was = before.attributes.iter();
        let known = was.any(|old| holds_attribute(old, attribute, renames));
        if !known && !is_harmless_attribute(attribute) {
            let is_condition = attribute.iter().any(|token| token.is_word("cfg"));
            let kind = if is_condition {
                TestSkipped
            } else {
                TestRewritten
            };
            let why = format!("it has now `{}`", joined(attribute));
            reasons.push(Reason::new(kind, why));
        }
    }
    reasons
}

fn body_reasons(before: &TestFunction, after: &TestFunction, renames: &Renames) -> Vec<Reason> {
    let lost = lost_assertions(&before.body, &after.body, renames);
    if lost.is_empty() {
        let why = "what it does before it asserts was changed".to_owned();
        return vec![Reason::new(WorkFindingKind::TestRewritten, why)];
    }
    let why = format!("it asserts no longer: {}", lost.join(" | "));
    vec![Reason::new(WorkFindingKind::TestLoosened, why)]
}

/// What is more often in the second list.
fn more<'a>(before: &[String], after: &'a [String]) -> Vec<&'a str> {
    let mut left: Vec<&String> = before.iter().collect();
    let new = after.iter().filter(|one| {
        let same = left.iter().position(|old| old == one);
        same.map(|at| left.swap_remove(at)).is_none()
    });
    new.map(String::as_str).collect()
}

fn is_widened(before: &[Tolerance], after: &[Tolerance]) -> bool {
    let mut pairs = before.iter().zip(after);
    pairs.any(|(old, new)| match (old, new) {
        (Tolerance::Width(old), Tolerance::Width(new)) => new > old,
        (Tolerance::Places(old), Tolerance::Places(new)) => new < old,
        (Tolerance::Width(_), Tolerance::Places(_))
        | (Tolerance::Places(_), Tolerance::Width(_)) => true,
    })
}

/// True when an attribute is there still; further cases may stand in it.
fn holds_attribute(before: &[Token], after: &[Token], renames: &Renames) -> bool {
    if renames.explain(before, after) {
        return true;
    }
    let same = |pair: &(&Token, &Token)| pair.0 == pair.1;
    let ahead = before.iter().zip(after).take_while(same).count();
    let behind = before.iter().rev().zip(after.iter().rev());
    let behind = behind.take_while(same).count();
    let between = after.get(ahead..after.len().saturating_sub(before.len() - ahead));
    let list = before.iter().any(|token| token.is_sign("["));
    list && after.len() > before.len()
        && ahead + behind >= before.len()
        && between.is_some_and(|added| {
            let mut words = added.iter();
            !words.any(|token| NOT_RUN.contains(&token.text.as_str()))
        })
}

fn is_harmless_attribute(attribute: &[Token]) -> bool {
    let first = attribute.iter().find(|token| !token.is_sign("#"));
    let name = attribute
        .iter()
        .find(|token| token.kind == super::TokenKind::Word)
        .or(first);
    name.is_none_or(|token| HARMLESS.contains(&token.text.as_str()))
}
