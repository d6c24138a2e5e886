//! What a run's own settings say about its way, typed.

use std::time::Duration;

use gavel_domain::{ApprovalRule, Settings};
use serde_json::Value;

/// The most sprints of one run, whatever is set.
pub const MOST_SPRINTS: u32 = 20;

/// The choices of a run, as it recorded them when it started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunChoices {
    /// The most sprints of the whole run.
    pub max_sprints: u32,
    /// The weighted score that is done, in thousandths.
    pub done_threshold: u32,
    /// Faults that the test of each criterion is tried with.
    pub proof_faults: u32,
    /// How long faults may be tried at one gate.
    pub proof_time: Duration,
    /// How long it may be driven, waiting left out.
    pub max_driven: Duration,
    /// Who recommends answers in the discovery.
    pub recommender: Recommender,
    /// Whether lessons are taken into memory without asking.
    pub auto_accept: bool,
    /// The least fit of a memory item that a stage is told of, in thousandths.
    pub memory_floor: u32,
    /// Whether tasks are told what memory holds.
    pub memory_inject: bool,
    /// How long a task waits for memory.
    pub memory_patience: Duration,
    /// The rule by which the person's own settings let a result be shipped that nobody looked at.
    pub approve_when: Option<ApprovalRule>,
    /// Whether an active recipe pack colours the recommendations.
    pub recipe_bias: bool,
}

/// Who recommends answers in the discovery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recommender {
    /// As each question says, where there are different models for a council.
    Auto,
    /// The leader, always.
    Leader,
    /// Three seats for every question that allows it, even with one model.
    Council,
}

impl RunChoices {
    /// Reads them; what an older run did not record is as built in.
    pub fn of(settings: &Settings) -> Self {
        let value = |key: &str| settings.values.get(key);
        let count = |key: &str, built_in| value(key).and_then(Value::as_u64).unwrap_or(built_in);
        let word = |key: &str| value(key).and_then(Value::as_str).unwrap_or_default();
        let sprints = count("run.max_sprints", 8).clamp(1, u64::from(MOST_SPRINTS));
        let hours = count("run.max_hours", 24);
        let patience = count("memory.recall_ms", 1_500);
        Self {
            max_sprints: u32::try_from(sprints).unwrap_or(MOST_SPRINTS),
            done_threshold: crate::settings::share(word("run.done_threshold")).unwrap_or(900),
            proof_faults: u32::try_from(count("proof.mutants", 4)).unwrap_or(4).max(1),
            proof_time: Duration::from_secs(count("proof.time", 600)),
            max_driven: Duration::from_secs(hours.saturating_mul(3_600)),
            recommender: match word("run.recommender") {
                "leader" => Recommender::Leader,
                "council" => Recommender::Council,
                _ => Recommender::Auto,
            },
            auto_accept: word("memory.auto_accept") == "on",
            memory_floor: crate::settings::share(word("memory.score_floor")).unwrap_or(550),
            memory_inject: word("memory.inject") != "off",
            memory_patience: Duration::from_millis(patience.clamp(500, 5_000)),
            approve_when: ApprovalRule::of(word("seal.approve_when")),
            recipe_bias: word("recipes.bias") != "off",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_older_run_has_what_is_built_in() {
        let choices = RunChoices::of(&Settings::default());
        assert_eq!(choices.max_sprints, 8);
        assert_eq!(choices.done_threshold, 900);
        assert_eq!(choices.max_driven, Duration::from_secs(86_400));
        assert_eq!(choices.recommender, Recommender::Auto);
        assert!(!choices.auto_accept);
        assert_eq!(choices.memory_floor, 550);
        assert!(choices.memory_inject);
        assert_eq!(choices.memory_patience, Duration::from_millis(1_500));
        assert!(choices.recipe_bias);
        assert_eq!(choices.approve_when, None);
    }

    #[test]
    fn what_was_set_is_read_back() {
        let flag = crate::Layer {
            origin: crate::Origin::Flag("-c".to_owned()),
            values: [
                ("run.max_sprints", "3"),
                ("run.done_threshold", "0.75"),
                ("run.max_hours", "2"),
                ("run.recommender", "council"),
                ("memory.auto_accept", "on"),
                ("recipes.bias", "off"),
                ("seal.approve_when", "every_criterion_executed"),
            ]
            .map(|(key, value)| (key.to_owned(), Value::from(value)))
            .into(),
        };
        let settings = crate::run_settings(&crate::resolve(vec![flag]).unwrap());
        let choices = RunChoices::of(&settings);
        assert_eq!(choices.max_sprints, 3);
        assert_eq!(choices.done_threshold, 750);
        assert_eq!(choices.max_driven, Duration::from_secs(7_200));
        assert_eq!(choices.recommender, Recommender::Council);
        assert!(choices.auto_accept);
        assert!(!choices.recipe_bias);
        let rule = ApprovalRule::EveryCriterionExecuted;
        assert_eq!(choices.approve_when, Some(rule));
    }

    #[test]
    fn shares_outside_of_the_bounds_are_refused() {
        for wrong in ["0.5", "1.1", "0.69", "nine", "0,9", "-1", "0.9999", ""] {
            let flag = crate::Layer {
                origin: crate::Origin::Flag("-c".to_owned()),
                values: [("run.done_threshold".to_owned(), Value::from(wrong))].into(),
            };
            assert!(crate::resolve(vec![flag]).is_err(), "{wrong}");
        }
    }
}
