//! Intake: the idea is scored by local rules.

use crate::way::{Leave, Way};
use gavel_domain::{Key, RouteDecided, Stage};
use gavel_rules::{Intake, score_intake};

/// Scores the idea and records the route.
pub(crate) async fn intake(way: Way<'_>) -> Result<(), Leave> {
    way.enter(Stage::Intake).await?;
    let decided = route(&score_intake(&way.brief.idea));
    way.run.decide(Key::new("intake/route")?, decided).await?;
    Ok(())
}

fn route(intake: &Intake) -> RouteDecided {
    RouteDecided {
        route: word(&intake.route),
        sufficient: intake.sufficient,
        missing: intake.missing.iter().map(word).collect(),
        complexity: word(&intake.complexity.label),
        size: word(&intake.size.label),
        reasons: intake.reasons.iter().map(word).collect(),
        inputs: None,
    }
}

/// The stored word of an enum of the rules.
fn word(value: &impl serde::Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        Ok(_) | Err(_) => String::new(),
    }
}
