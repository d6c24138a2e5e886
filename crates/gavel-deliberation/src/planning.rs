//! How a debate is planned: by the leader, or by the generic plan where it gives none.

use gavel_agent::{Ask, Asked, Reading, read_answer};
use gavel_domain::{
    DebatePart, DebatePlan, DebatePlanned, OpenDecision, OutputKind, OutputSection, OutputShape,
    PhaseOutcome, Role, SectionShape, Stance, StanceOrigin, Tokens,
};
use gavel_rules::council::{
    add_experience_auditor, add_product_owner, check_plan, fallback_plan, first_rounds,
    read_options, set_product_stances, warnings,
};
use gavel_run::{Pure, RunError};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use crate::chamber::{Chamber, or_silent};
use crate::phase::Phase;
use crate::record::{json_text, read_text};

const PLAN: Tokens = Tokens(2_500);
/// The plan, and once more with what was wrong.
const TRIES: u32 = 2;
/// The longest id of a decision or name of a stance, in letters.
const LONGEST: usize = 40;
const WORDS: &str = "Plan the debate about this matter.";
const PHASE: Phase<'_> = Phase {
    name: "plan",
    part: DebatePart::Plan,
    round: 0,
};

/// A plan as the leader gives it.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
struct PlanAnswer {
    /// One sentence.
    intent_summary: String,
    /// Two to four.
    stances: Vec<StanceAnswer>,
    /// What is to be chosen.
    decisions: Vec<DecisionAnswer>,
    /// What the answer shall look like.
    output_shape: ShapeAnswer,
    /// 1 to 5.
    planned_rounds: u32,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
struct StanceAnswer {
    /// A short name.
    name: String,
    /// What it looks at, one sentence.
    lens: String,
    /// What it should dwell on, or empty.
    #[serde(default)]
    focus: String,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
struct DecisionAnswer {
    /// Lower-case letters, digits and hyphens.
    id: String,
    /// What is asked.
    question: String,
    /// Two to four.
    options: Vec<String>,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
struct ShapeAnswer {
    /// What kind of answer is wanted.
    #[schemars(schema_with = "kinds")]
    kind: String,
    /// What it needs.
    #[serde(default)]
    sections: Vec<SectionAnswer>,
    /// What it must not do.
    #[serde(default)]
    guardrails: Vec<String>,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
struct SectionAnswer {
    /// A lower-case key.
    key: String,
    /// Its heading.
    heading: String,
    /// What it shall say.
    prompt: String,
    /// What it holds.
    #[serde(default)]
    #[schemars(schema_with = "shapes")]
    shape: String,
}

impl Chamber<'_> {
    /// Plans the debate; the plan is on record, with those whom the program adds.
    pub(crate) async fn plan(&mut self) -> Result<(DebatePlan, u32), RunError> {
        let (run, scope) = (self.run, self.scope);
        PHASE.begin(run, scope, Vec::new()).await?;
        self.listen("plan").await?;
        let (mut plan, problem) = match self.ask_for_plan().await? {
            Asked::Answered(plan) => (plan, String::new()),
            Asked::Unusable { problem } => {
                let options = read_options(self.matter.topic).options;
                (fallback_plan(self.matter.topic, &options), problem)
            }
        };
        let warned = warnings(self.matter.topic, self.matter.memory);
        if self.matter.product {
            set_product_stances(&mut plan);
            add_experience_auditor(&mut plan, &warned, self.council.experience);
            add_product_owner(&mut plan);
        } else {
            add_product_owner(&mut plan);
            add_experience_auditor(&mut plan, &warned, self.council.experience);
        }
        let key = scope.key("plan/made")?;
        let text = json_text::<DebatePlanned>(&key, &plan)?;
        let kind = plan.output_shape.kind;
        // Whether the seats are one model is known only with them: that cuts the rounds later.
        let rounds = first_rounds(kind, plan.planned_rounds, gavel_domain::Voices::Several);
        let planned = run.step(key.clone(), Pure, &text, |blobs| {
            let planned = DebatePlanned {
                kind,
                plan: blobs.keep(text.as_str()),
                rounds,
                decisions: u32::try_from(plan.decisions.len()).unwrap_or(u32::MAX),
                fallback: plan.fallback,
            };
            async move { Ok(planned) }
        });
        let planned = planned.await?.value;
        // What the rules add may change with a version; the record says what was planned.
        let plan = read_text::<DebatePlanned, DebatePlan>(run, &key, planned.plan).await?;
        let outcome = if plan.fallback {
            PhaseOutcome::Fallback
        } else {
            PhaseOutcome::Done
        };
        PHASE.end(run, scope, (outcome, &problem)).await?;
        Ok((plan, planned.rounds))
    }

    async fn ask_for_plan(&self) -> Result<Asked<DebatePlan>, RunError> {
        let leader = &self.council.leader;
        let mut task = self.task(WORDS, leader, PLAN);
        self.add_matter(&mut task, self.matter.memory, (30, 20, 25));
        self.add_heard(&mut task);
        let ask = Ask {
            model: leader,
            role: Role::Leader,
            shape: "council_plan",
            system: include_str!("../prompts/plan.md"),
            task: &task.into_text(),
            max_output: PLAN,
        };
        let read = |text: &str| {
            let answer: PlanAnswer = read_answer(text)?;
            match check_plan(&answer.clone().into()) {
                wrong if wrong.is_empty() => Ok(answer),
                wrong => Err(wrong.join("; ")),
            }
        };
        let scope = self.scope.scope("plan", 1)?;
        let reading = Reading {
            tries: TRIES,
            read: &read,
        };
        let asked = ask.answer_by(self.run, &scope, reading);
        Ok(match or_silent(asked.await)? {
            Asked::Answered(answer) => Asked::Answered(answer.into()),
            Asked::Unusable { problem } => Asked::Unusable { problem },
        })
    }
}

impl From<PlanAnswer> for DebatePlan {
    fn from(answer: PlanAnswer) -> Self {
        let stance = |given: StanceAnswer| Stance {
            name: name_of(&given.name),
            lens: given.lens.trim().to_owned(),
            focus: given.focus.trim().to_owned(),
            origin: StanceOrigin::Planned,
        };
        let decision = |given: DecisionAnswer| OpenDecision {
            id: id_of(&given.id),
            question: given.question.trim().to_owned(),
            options: given
                .options
                .iter()
                .map(|one| one.trim().to_owned())
                .collect(),
        };
        let section = |given: SectionAnswer| OutputSection {
            key: given.key.trim().to_owned(),
            heading: given.heading.trim().to_owned(),
            prompt: given.prompt.trim().to_owned(),
            shape: shape_of(&given.shape),
        };
        let shape = answer.output_shape;
        Self {
            intent_summary: answer.intent_summary.trim().to_owned(),
            stances: answer.stances.into_iter().map(stance).collect(),
            decisions: answer.decisions.into_iter().map(decision).collect(),
            output_shape: OutputShape {
                kind: kind_of(&shape.kind),
                sections: shape.sections.into_iter().map(section).collect(),
                guardrails: shape.guardrails,
            },
            planned_rounds: answer.planned_rounds,
            fallback: false,
        }
    }
}

/// An id in the letters that ids have. A spelling is not worth asking again for, and small models
/// write the same one again.
fn id_of(given: &str) -> String {
    let given = given.trim().to_ascii_lowercase();
    let letter = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let id: String = given.chars().map(letter).take(LONGEST).collect();
    id.trim_matches('-').to_owned()
}

/// A name in the letters that names have, as many of its words as fit.
fn name_of(given: &str) -> String {
    let fits = |c: char| c.is_alphanumeric() || matches!(c, '-' | '\'');
    let letter = |c: char| if fits(c) { c } else { ' ' };
    let given: String = given.chars().map(letter).collect();
    let mut name = String::new();
    for word in given.split_whitespace() {
        let space = usize::from(!name.is_empty());
        if name.chars().count() + space + word.chars().count() > LONGEST {
            break;
        }
        if space > 0 {
            name.push(' ');
        }
        name.push_str(word);
    }
    name
}

/// An unknown kind is an evaluation: the one that promises least.
fn kind_of(word: &str) -> OutputKind {
    let known = OutputKind::ALL.into_iter();
    let mut known = known.filter(|kind| kind.word() == word.trim());
    known.next().unwrap_or_default()
}

fn shape_of(word: &str) -> SectionShape {
    match word.trim() {
        "list" => SectionShape::List,
        "object_list" => SectionShape::ObjectList,
        _ => SectionShape::Text,
    }
}

fn kinds(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "string", "enum": OutputKind::ALL.map(OutputKind::word)})
}

fn shapes(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "string", "enum": ["text", "list", "object_list"]})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_spelled_for_the_leader_and_never_made_up() {
        assert_eq!(id_of("trp_01a1-Store "), "trp-01a1-store");
        assert_eq!(id_of("storage engine?"), "storage-engine");
        assert_eq!(id_of(&"a".repeat(60)), "a".repeat(40));
        assert_eq!(id_of(" ? "), "");
    }

    #[test]
    fn a_name_is_cut_between_words() {
        assert_eq!(name_of("Jane (high load)"), "Jane high load");
        let long = "Alice Johnson (Reliability and Consistency Requirements)";
        assert_eq!(name_of(long), "Alice Johnson Reliability and");
        assert_eq!(name_of("Người vận hành"), "Người vận hành");
        assert_eq!(name_of(&"a".repeat(60)), "");
    }
}
