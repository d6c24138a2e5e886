use gavel_domain::{CouncilOutcome, OutputShape};

use super::*;

#[test]
fn a_row_is_bounded_whatever_was_said() {
    let long = "đây là một câu dài ".repeat(500);
    let position = |seat: u32| FinalPosition {
        seat,
        stance: format!("Stance {seat}"),
        model: "a/one".to_owned(),
        turn: format!("council-1/turn-{seat}"),
        text: long.clone(),
        choices: Vec::new(),
    };
    let positions: Vec<FinalPosition> = (1..=12).map(position).collect();
    let plan = DebatePlan {
        intent_summary: String::new(),
        stances: Vec::new(),
        decisions: Vec::new(),
        output_shape: OutputShape::default(),
        planned_rounds: 1,
        fallback: false,
    };
    let drawn = Drawn {
        how: SynthesisOutcome::Made,
        outcome: CouncilOutcome {
            kind: OutputKind::Evaluation,
            summary: long.clone(),
            sections: std::collections::BTreeMap::new(),
            agreed: Vec::new(),
            tradeoffs: Vec::new(),
            recommendation: long.clone(),
            action_items: Vec::new(),
            resolved_question: None,
            plan: None,
            dissent: Vec::new(),
            decisions: Vec::new(),
        },
        readable: long.clone(),
        whys: std::collections::BTreeMap::new(),
        extra: Vec::new(),
        assumptions: Vec::new(),
    };
    let row = row(&long, &plan, &positions, (&drawn, &[]));
    let length = |text: &str| text.chars().count();
    assert_eq!(row.stances.len(), 8);
    assert_eq!(row.stances[7].turn, "council-1/turn-8");
    assert!(row.stances.iter().all(|one| length(&one.excerpt) <= 200));
    assert!((380..=400).contains(&length(&row.recommendation)));
    assert!(length(&row.topic) <= 400);
    assert_eq!(length(&row.text), 1_500);
    let text = serde_json::to_string(&row).unwrap();
    assert_eq!(serde_json::from_str::<CouncilRow>(&text).unwrap(), row);
}
