//! Action items lifted into a plan.

use gavel_domain::{ActionPlan, ActionStep, PlanComplexity, StepPriority};

/// Fewer items than this are a list, not a plan.
const LEAST_ITEMS: usize = 3;
/// The most steps of a trivial plan.
const TRIVIAL: usize = 4;
/// The fewest steps of a complex one.
const LEAST_LONG: usize = 10;
/// What an item says that waits for another one.
const WAITS: [&str; 14] = [
    "after ",
    "as soon as ",
    "based on ",
    "blocked by ",
    "builds on ",
    "depending on ",
    "depends on ",
    "once ",
    "relies on ",
    "requires ",
    "dựa trên ",
    "phụ thuộc ",
    "sau khi ",
    "using the result",
];

/// Makes a plan of action items, in their order; nothing when there are fewer than three.
///
/// The last third is low, an item that waits for another one medium, the rest of the first half
/// high. What must be there before the first step is not known here, so no prerequisite is named.
pub fn lift_plan(items: &[String]) -> Option<ActionPlan> {
    let mut steps: Vec<&str> = Vec::new();
    for item in items.iter().map(|item| without_mark(item)) {
        let known = |step: &&str| step.to_lowercase() == item.to_lowercase();
        if !item.is_empty() && !steps.iter().any(known) {
            steps.push(item);
        }
    }
    let count = steps.len();
    let steps = steps
        .into_iter()
        .enumerate()
        .map(|(place, step)| ActionStep {
            description: step.to_owned(),
            priority: priority(step, place, count),
        });
    (count >= LEAST_ITEMS).then(|| ActionPlan {
        steps: steps.collect(),
        complexity: match count {
            0..=TRIVIAL => PlanComplexity::Trivial,
            LEAST_LONG.. => PlanComplexity::Complex,
            _ => PlanComplexity::Moderate,
        },
        prerequisites: Vec::new(),
    })
}

fn priority(step: &str, place: usize, count: usize) -> StepPriority {
    let lower = step.to_lowercase();
    if place >= count - count / 3 {
        StepPriority::Low
    } else if WAITS.iter().any(|words| has_words(&lower, words)) || place >= count.div_ceil(2) {
        StepPriority::Medium
    } else {
        StepPriority::High
    }
}

/// True when these words stand in a text and do not begin inside another word.
fn has_words(lower: &str, words: &str) -> bool {
    lower.match_indices(words).any(|(at, _)| {
        let before = lower.get(..at).and_then(|text| text.chars().next_back());
        before.is_none_or(|c| !c.is_alphanumeric())
    })
}

/// An item without the mark of its list: `- `, `3. `, `[ ] `.
fn without_mark(item: &str) -> &str {
    let mut text = item.trim();
    for mark in ["- ", "* ", "• ", "[ ] ", "[x] "] {
        text = text.strip_prefix(mark).unwrap_or(text).trim_start();
    }
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = rest.len() < text.len();
    let rest = rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") "));
    rest.filter(|_| numbered).unwrap_or(text).trim()
}

#[cfg(test)]
#[path = "action_plan_tests.rs"]
mod tests;
