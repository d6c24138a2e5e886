//! What a sprint learns from what went before: why a phase is not done, and what is still open.

use gavel_build::PhaseEnd;
use gavel_domain::{AuditVerdict, Criterion, CriterionStanding, Phase, VerifyVerdict};
use gavel_rules::{RecipeStanding, Trip, blank_verification};

use crate::building::Plan;
use crate::judging::Judgement;
use gavel_view::errors_in;

/// What a sprint is told that has to make verification possible.
const BRING_TESTS: &str = "Nothing here can be tested yet: bring a test command and tests.";
/// How many failures the next sprint is told.
const MOST_FAILURES: usize = 20;

/// What a sprint learns from what went before.
#[derive(Debug, Clone, Default)]
pub(crate) struct SentBack {
    /// The condition that failed.
    pub(crate) condition: String,
    /// What failed, in words.
    pub(crate) told: Vec<String>,
    /// The ids of the criteria that are open.
    pub(crate) open: Vec<String>,
    /// What a person said.
    pub(crate) words: Option<String>,
}

impl SentBack {
    /// The first sprint is to make verification possible.
    pub(crate) fn bring_tests(words: Option<String>) -> Self {
        Self {
            condition: "engineering_floor".to_owned(),
            told: vec![BRING_TESTS.to_owned()],
            open: Vec::new(),
            words,
        }
    }
}

/// CB-3 for a tree that began without source: its first phase had to bring a test command.
pub(crate) fn brought_no_tests(end: &PhaseEnd) -> Option<Trip> {
    let standing = match end.verify.reason.as_str() {
        "no_recipe" => RecipeStanding::NoRecipe,
        "no_test_commands" => RecipeStanding::NoTests,
        "search_stopped" => RecipeStanding::Unseen,
        _ => return None,
    };
    blank_verification(true, standing)
}

/// Why a phase is not done; `None` when it is.
pub(crate) fn why_not(end: &PhaseEnd, judgement: &Judgement, threshold: u32) -> Option<SentBack> {
    let short = judgement.score < threshold;
    if end.stuck.is_none() && !short {
        return None;
    }
    let condition = if end.verify.verdict != VerifyVerdict::Passed {
        "engineering_floor"
    } else if short {
        "weighted_score"
    } else if end.audit == AuditVerdict::Pass {
        "no_open_errors"
    } else {
        "audited"
    };
    let open = judgement
        .judged
        .iter()
        .filter(|one| one.standing != CriterionStanding::Met)
        .map(|one| one.id.clone())
        .collect();
    Some(SentBack {
        condition: condition.to_owned(),
        told: problem_of(end),
        open,
        words: None,
    })
}

pub(crate) fn problem_of(end: &PhaseEnd) -> Vec<String> {
    let verify = &end.verify;
    let mut lines = vec![format!(
        "{} of {} tests failed ({})",
        verify.failed, verify.executed, verify.reason
    )];
    lines.extend(end.stuck.clone());
    if verify.executed == 0 {
        lines.extend(errors_in(&end.commands));
    }
    lines.extend(end.open_errors.iter().take(MOST_FAILURES).cloned());
    lines
}

/// The open criteria of a phase as people and models read them, the heaviest first.
pub(crate) fn open_lines(plan: Plan<'_>, phase: &Phase, told: Option<&SentBack>) -> Vec<String> {
    let everything = plan.phases.iter().flat_map(|phase| &phase.criteria);
    let mut open: Vec<(u32, String)> = match told {
        Some(told) if !told.open.is_empty() => everything
            .filter(|criterion| told.open.contains(&criterion.id))
            .map(|one| (plan.spec.weight(&one.id), line(one)))
            .collect(),
        Some(_) => Vec::new(),
        None => phase
            .criteria
            .iter()
            .map(|one| (plan.spec.weight(&one.id), line(one)))
            .collect(),
    };
    open.sort_by_key(|(weight, _)| std::cmp::Reverse(*weight));
    open.into_iter().map(|(_, line)| line).collect()
}

fn line(criterion: &Criterion) -> String {
    format!("{}: {}", criterion.id, criterion.statement)
}
