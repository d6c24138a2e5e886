//! A plan of a debate: what makes it usable, and what stands in for it.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use gavel_domain::{
    DebatePlan, OpenDecision, OutputKind, OutputSection, OutputShape, SectionShape, Stance,
    StanceOrigin,
};

/// How many stances a leader may plan.
const STANCES: RangeInclusive<usize> = 2..=4;
/// How many ways a decision may have.
const OPTIONS: RangeInclusive<usize> = 2..=4;
/// How many rounds a leader may plan.
const ROUNDS: RangeInclusive<u32> = 1..=5;
/// A sentence or two.
const LONGEST_LENS: usize = 400;
/// The most decisions of a plan.
const MOST_DECISIONS: usize = 6;
/// The most sections of an outcome.
const MOST_SECTIONS: usize = 8;
/// The longest name or id, in characters.
const LONGEST_NAME: usize = 40;
/// The longest sentence that stands for a topic, in characters.
const LONGEST_INTENT: usize = 300;

/// Every problem of a leader's plan, as sentences that the leader can act on; none when it can be
/// used.
pub fn check_plan(plan: &DebatePlan) -> Vec<String> {
    let mut problems = Vec::new();
    if plan.intent_summary.trim().is_empty() {
        problems.push("The intent summary is empty: say in one sentence what is wanted.".into());
    }
    check_stances(&plan.stances, &mut problems);
    check_decisions(plan, &mut problems);
    check_sections(&plan.output_shape.sections, &mut problems);
    if !ROUNDS.contains(&plan.planned_rounds) {
        problems.push(format!(
            "`{}` rounds are planned: plan 1 to 5.",
            plan.planned_rounds
        ));
    }
    problems
}

fn check_stances(stances: &[Stance], problems: &mut Vec<String>) {
    if !STANCES.contains(&stances.len()) {
        problems.push(format!("There are {} stances: name 2 to 4.", stances.len()));
    }
    let mut names = BTreeSet::new();
    for stance in stances {
        let name = stance.name.trim();
        if name.is_empty() {
            problems.push("A stance has no name: give each a short one.".to_owned());
            continue;
        }
        if !is_name(name) {
            problems.push(format!(
                "The stance name {} must be at most 40 letters, digits, spaces, - and '.",
                ticked(name)
            ));
        }
        if !names.insert(name.to_lowercase()) {
            problems.push(format!(
                "Two stances are called {}: give each a name of its own.",
                ticked(name)
            ));
        }
        if stance.lens.trim().is_empty() {
            problems.push(format!(
                "The stance {} has no lens: say in one sentence what it looks at.",
                ticked(name)
            ));
        }
        if stance.lens.chars().count() > LONGEST_LENS || stance.focus.chars().count() > LONGEST_LENS
        {
            problems.push(format!(
                "The lens and the focus of {} may have {LONGEST_LENS} letters each.",
                ticked(name)
            ));
        }
    }
}

fn check_decisions(plan: &DebatePlan, problems: &mut Vec<String>) {
    let decisions = &plan.decisions;
    if decisions.is_empty() && plan.output_shape.kind == OutputKind::Decision {
        problems.push(
            "The kind is `decision` and no decision is named: name at least one, with its options."
                .to_owned(),
        );
    }
    if decisions.len() > MOST_DECISIONS {
        problems.push(format!(
            "There are {} decisions: keep the 6 that matter most.",
            decisions.len()
        ));
    }
    let mut ids = BTreeSet::new();
    for decision in decisions {
        let id = ticked(&decision.id);
        if !is_id(&decision.id) {
            problems.push(format!(
                "The decision id {id} must be 1 to 40 of a-z, 0-9 and -."
            ));
        }
        if !ids.insert(&decision.id) {
            problems.push(format!(
                "Two decisions have the id {id}: each needs its own."
            ));
        }
        if decision.question.trim().is_empty() {
            problems.push(format!(
                "The decision {id} asks nothing: write its question."
            ));
        }
        check_options(decision, &id, problems);
    }
}

fn check_options(decision: &OpenDecision, id: &str, problems: &mut Vec<String>) {
    let options = &decision.options;
    if !OPTIONS.contains(&options.len()) {
        problems.push(format!(
            "The decision {id} has {} options: give it 2 to 4.",
            options.len()
        ));
    }
    let words = options.iter().map(|option| option.trim().to_lowercase());
    let distinct: BTreeSet<String> = words.collect();
    if distinct.contains("") {
        problems.push(format!(
            "The decision {id} has an empty option: write it out."
        ));
    }
    if distinct.len() < options.len() {
        problems.push(format!(
            "The decision {id} has the same option twice: make them differ."
        ));
    }
}

fn check_sections(sections: &[OutputSection], problems: &mut Vec<String>) {
    if sections.len() > MOST_SECTIONS {
        problems.push(format!(
            "There are {} sections: keep at most 8.",
            sections.len()
        ));
    }
    let mut keys = BTreeSet::new();
    for section in sections {
        let key = section.key.trim();
        if key.is_empty() {
            problems.push("A section has no key: give each its own.".to_owned());
        } else if !keys.insert(key) {
            problems.push(format!(
                "Two sections have the key {}: each needs its own.",
                ticked(key)
            ));
        }
    }
}

fn is_name(name: &str) -> bool {
    let fits = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '\'');
    name.chars().count() <= LONGEST_NAME && name.chars().all(fits)
}

fn is_id(id: &str) -> bool {
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    (1..=LONGEST_NAME).contains(&id.len()) && id.chars().all(fits)
}

/// What a model wrote, between ticks, cut so that it cannot flood the message.
fn ticked(text: &str) -> String {
    let plain = text.chars().filter(|c| *c != '`' && !c.is_control());
    let plain: String = plain.take(LONGEST_NAME + 1).collect();
    format!("`{plain}`")
}

/// The generic plan, for when a leader gave none that can be used: two stances, one round, and one
/// decision where two to four options are known.
pub fn fallback_plan(topic: &str, options: &[String]) -> DebatePlan {
    let topic = topic.split_whitespace().collect::<Vec<_>>().join(" ");
    let intent: String = topic.chars().take(LONGEST_INTENT).collect();
    let decision = OpenDecision {
        id: "choice".to_owned(),
        question: intent.clone(),
        options: options.to_vec(),
    };
    let known = OPTIONS.contains(&options.len());
    DebatePlan {
        intent_summary: intent,
        stances: vec![
            generic(
                "Primary Analyst",
                "The way that serves the matter best, and what it stands on.",
            ),
            generic(
                "Critical Reviewer",
                "What is wrong with the obvious way, what it costs, and what nobody has checked.",
            ),
        ],
        decisions: known.then_some(decision).into_iter().collect(),
        output_shape: OutputShape {
            kind: OutputKind::Decision,
            sections: vec![
                section("agreed", "Agreed", SectionShape::List),
                section("tradeoffs", "Trade-offs", SectionShape::List),
                section("recommendation", "Recommendation", SectionShape::Text),
            ],
            guardrails: Vec::new(),
        },
        planned_rounds: 1,
        fallback: true,
    }
}

fn generic(name: &str, lens: &str) -> Stance {
    Stance {
        name: name.to_owned(),
        lens: lens.to_owned(),
        focus: String::new(),
        origin: StanceOrigin::Fallback,
    }
}

fn section(key: &str, heading: &str, shape: SectionShape) -> OutputSection {
    let prompt = match key {
        "agreed" => "What every seat holds in the end.",
        "tradeoffs" => "What is paid for what.",
        _ => "What to do, and what would change that.",
    };
    OutputSection {
        key: key.to_owned(),
        heading: heading.to_owned(),
        prompt: prompt.to_owned(),
        shape,
    }
}

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;
