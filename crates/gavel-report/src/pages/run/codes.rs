//! What the codes of facts mean, in plain words. A code that is not known is shown as it is.

use std::collections::BTreeMap;

use gavel_domain::{AnswerSource, AssumptionStatus, Confidence, MicroUsd, RepositoryKind};
use gavel_rules::{Breaker, RouteReason};

use crate::document::{Line, Tone, share_words};
use gavel_view::span_words;

/// A code as words.
pub(super) fn words(code: &str) -> String {
    code.replace(['_', '-'], " ")
}

pub(super) fn route(word: &str) -> String {
    match word {
        "hot_path" => "the short way: one sprint, no debate and no spec".to_owned(),
        "council" => "through discovery, a debate or review, spec and contracts".to_owned(),
        other => words(other),
    }
}

/// What a run begins with.
pub(super) fn ground(word: &str) -> String {
    match word {
        "bare" => "nothing that could be changed".to_owned(),
        "project" => "something that can be changed".to_owned(),
        "unknown" => "nobody looked".to_owned(),
        other => words(other),
    }
}

pub(super) fn route_reason(code: &str) -> String {
    let known = serde_json::from_value::<RouteReason>(code.into());
    known.map_or_else(|_| words(code), |reason| reason.sentence().to_owned())
}

/// What a breaker says, without its period.
pub(super) fn breaker(word: &str) -> String {
    let known = Breaker::from_word(word);
    known.map_or_else(
        || words(word),
        |breaker| breaker.sentence().trim_end_matches('.').to_owned(),
    )
}

/// What a condition of the gate asks.
pub(super) fn condition(id: &str) -> String {
    match id {
        "engineering_floor" => {
            "Engineering floor: there are tests, they were run, all passed".to_owned()
        }
        "evidence" => "Evidence: what is said to be met has evidence that was found".to_owned(),
        "weighted_score" => "Score: enough of what was asked for is met".to_owned(),
        "assumption_ledger" => {
            "Assumptions: nothing that the plan rests on is left unlooked at".to_owned()
        }
        "owner_customer" => "Second look: owner and customer would ship it".to_owned(),
        "phases_complete" => "Every phase was built".to_owned(),
        "no_open_errors" => "No error that was found is left".to_owned(),
        "audited" => "An auditor read every phase and found nothing against it".to_owned(),
        "contracts_pinned" => {
            "The contracts on the branch are those that were agreed on".to_owned()
        }
        "branch_is_ours" => "The branch is not the default branch".to_owned(),
        "tests_unharmed" => {
            "What was there to check the work was not weakened, or somebody released it".to_owned()
        }
        "base_tests" => "The tests from before the run pass on the result".to_owned(),
        "fix_shown" => "A fix comes with a test that fails without it".to_owned(),
        "contracts_kept" => "The code keeps its contracts, as far as rules can tell".to_owned(),
        "user_approval" => "Approval: the result was accepted".to_owned(),
        other => {
            let text = words(other);
            let mut letters = text.chars();
            let first = letters.next().map(|c| c.to_uppercase().to_string());
            first.unwrap_or_default() + letters.as_str()
        }
    }
}

/// How independent owner and customer were.
pub(super) fn independence(mode: &str) -> String {
    match mode {
        "cross_provider" => "two models of different providers".to_owned(),
        "other_tier" => "two models of one provider, of different strength".to_owned(),
        "same_tier" => {
            "two models of one provider and the same strength; one had to argue against".to_owned()
        }
        "self_review" => {
            "one model reviewed itself and had to argue against; no second opinion".to_owned()
        }
        other => words(other),
    }
}

pub(super) const fn repository(kind: RepositoryKind) -> &'static str {
    match kind {
        RepositoryKind::Greenfield => "empty: something new begins here",
        RepositoryKind::Ambiguous => "not empty, and not clearly one project",
        RepositoryKind::Existing => "an existing project",
    }
}

pub(super) const fn source(source: AnswerSource, by_person: bool) -> (&'static str, Tone) {
    match source {
        AnswerSource::Person => ("a person", Tone::Strong),
        AnswerSource::Recommended if by_person => ("a person", Tone::Strong),
        AnswerSource::Recommended => ("recommended", Tone::Faint),
        AnswerSource::Council => ("recommended by three seats", Tone::Faint),
        AnswerSource::Repository => ("not asked: the repository says so", Tone::Faint),
        AnswerSource::Idea => ("not asked: the idea says so", Tone::Faint),
        AnswerSource::NotNeeded => ("not asked: nothing would use it", Tone::Faint),
        AnswerSource::Open => ("skipped, stays open", Tone::Warn),
    }
}

pub(super) const fn confidence(confidence: Confidence) -> &'static str {
    match confidence {
        Confidence::Low => "low: a guess",
        Confidence::Medium => "medium: likely",
        Confidence::High => "high: the plan rests on it",
    }
}

pub(super) const fn status(status: AssumptionStatus) -> (&'static str, Tone) {
    match status {
        AssumptionStatus::Unverified => ("open", Tone::Warn),
        AssumptionStatus::Validated => ("holds", Tone::Good),
        AssumptionStatus::Refuted => ("fell", Tone::Bad),
        AssumptionStatus::Deferred => ("put off", Tone::Warn),
    }
}

pub(super) fn settled_by(code: &str) -> String {
    match code {
        "verify" => "by a test".to_owned(),
        "repository" => "by the repository".to_owned(),
        "person" => "by a person".to_owned(),
        "engine" => "by --yes, nobody was asked".to_owned(),
        other => format!("by {}", words(other)),
    }
}

/// The numbers that a breaker looked at: money as money, shares as shares, times as times.
pub(super) fn numbers(numbers: &BTreeMap<String, i64>) -> Line {
    let told = numbers.iter().map(|(name, value)| {
        let whole = u64::try_from(*value);
        let shown = match (name.as_str(), whole) {
            ("projected" | "left" | "cap" | "spent" | "ceiling" | "cost", Ok(amount)) => {
                MicroUsd(amount).to_string()
            }
            (name, Ok(seconds)) if name.ends_with("_seconds") => {
                span_words(seconds.saturating_mul(1_000))
            }
            ("score" | "threshold" | "coverage", Ok(share)) => share_words(share),
            (name, _) if name.starts_with("delta") => {
                let sign = if *value < 0 { "-" } else { "+" };
                format!("{sign}{}", share_words(value.unsigned_abs()))
            }
            (_, _) => value.to_string(),
        };
        let name = words(name.trim_end_matches("_seconds"));
        Line::of(format!("{name} "), Tone::Faint).and(shown, Tone::Plain)
    });
    Line::joined(told, ", ")
}
