//! What rules can say about a spec: whether its criteria cover it and can be shown.

use std::collections::{BTreeMap, BTreeSet};

use gavel_domain::{Criterion, Spec};

use crate::words::telling;
use crate::{ReviewItem, ReviewKind, ReviewStance};

/// The checklist of a spec; empty when the rules find nothing.
pub fn review_spec(spec: &Spec) -> Vec<ReviewItem> {
    if spec.criteria.is_empty() {
        return vec![against(
            ReviewKind::NoCriteria,
            "the spec has no criteria, so nothing can show that it is done".to_owned(),
            "spec",
        )];
    }
    let mut items: Vec<ReviewItem> = spec.criteria.iter().filter_map(without_example).collect();
    items.extend(said_twice(&spec.criteria));
    items.extend(not_covered(spec));
    items
}

fn without_example(criterion: &Criterion) -> Option<ReviewItem> {
    criterion.example.trim().is_empty().then(|| {
        against(
            ReviewKind::NoExample,
            format!("no steps show it: {}", criterion.statement),
            &source(criterion),
        )
    })
}

/// Criteria with the same telling words, or the same id, as one before them.
fn said_twice(criteria: &[Criterion]) -> Vec<ReviewItem> {
    let mut first: BTreeMap<BTreeSet<String>, &str> = BTreeMap::new();
    let mut ids = BTreeSet::new();
    let mut items = Vec::new();
    for criterion in criteria {
        let words = telling(&criterion.statement);
        let same_id = !ids.insert(criterion.id.as_str());
        let before = first.get(&words).copied().filter(|_| !words.is_empty());
        if same_id {
            let text = "another criterion has the same id".to_owned();
            items.push(against(ReviewKind::SaidTwice, text, &source(criterion)));
        } else if let Some(before) = before {
            let text = format!("it says the same as {before}: {}", criterion.statement);
            items.push(against(ReviewKind::SaidTwice, text, &source(criterion)));
        }
        first.entry(words).or_insert(&criterion.id);
    }
    items
}

/// What is in scope and shares no telling word with any criterion.
fn not_covered(spec: &Spec) -> Vec<ReviewItem> {
    let criteria = spec.criteria.iter();
    let covered: BTreeSet<String> = criteria
        .flat_map(|criterion| {
            let id = criterion.id.replace('_', " ");
            telling(&format!(
                "{id} {} {}",
                criterion.statement, criterion.example
            ))
        })
        .collect();
    let named = |item: &str| {
        let words = telling(item);
        words.is_empty() || !words.is_disjoint(&covered)
    };
    let missing = spec.in_scope.iter().filter(|item| !named(item));
    missing
        .map(|item| {
            let text = format!("no criterion mentions it: {item}");
            against(ReviewKind::NotCovered, text, "spec")
        })
        .collect()
}

fn source(criterion: &Criterion) -> String {
    format!("criterion:{}", criterion.id)
}

fn against(kind: ReviewKind, text: String, source: &str) -> ReviewItem {
    ReviewItem {
        kind,
        stance: ReviewStance::Against,
        text,
        source: source.to_owned(),
        settled: None,
    }
}

#[cfg(test)]
#[path = "spec_review_tests.rs"]
mod tests;
