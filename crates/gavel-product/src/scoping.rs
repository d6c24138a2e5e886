//! Scoping: the spec with testable criteria, and a person's word on it.

use std::collections::BTreeSet;

use gavel_agent::{Ask, Asked};
use gavel_deliberation::{ReviewStance, review_spec};
use gavel_domain::{
    AnswerShape, AnswerValue, Audience, Criterion, Decision, OnTimeout, Purpose, QuestionCard,
    ReviewMade, Role, Scope, Spec, SpecWritten, Stage, Tokens,
};
use gavel_run::{Question, Run};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::discovery::{Discovered, data};
use crate::memory;
use crate::staffing::Staff;
use crate::trouble::{Tried, persist};
use crate::way::{Leave, Way, enter, halt, json, keep_json, read_json};

const SYSTEM: &str = "You write the spec of a small software project from its idea, the answers and \
    the decisions. Every criterion is a statement that an automated test can show, seen from \
    outside. Its id is the name of that test: lower-case letters, digits and underscores, unique. \
    `example` is a short sequence of commands or requests with what must come back, or empty. \
    Leave out what nobody asked for, and say so in `out_of_scope`. Every text is one or two short \
    sentences, and nothing is said twice.";

/// The most criteria of one spec.
const MOST_CRITERIA: usize = 300;
/// The most problems that are told at once.
const MOST_TOLD: usize = 12;
/// The longest wish for a change.
const MOST_BYTES: u32 = 4_000;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Reply {
    /// A short name.
    title: String,
    /// What it is for, one sentence.
    purpose: String,
    users: Vec<String>,
    in_scope: Vec<String>,
    out_of_scope: Vec<String>,
    assumptions: Vec<String>,
    criteria: Vec<ReplyCriterion>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ReplyCriterion {
    id: String,
    statement: String,
    example: String,
}

/// What was agreed to.
#[derive(Debug)]
pub(crate) struct Scoped {
    /// The idea with every change that a person wished for.
    pub(crate) idea: String,
    pub(crate) spec: Spec,
}

/// Writes the spec and lets a person agree to it.
pub(crate) async fn scope_out(
    way: Way<'_>,
    discovered: &mut Discovered,
    decisions: &[Decision],
) -> Result<Scoped, Leave> {
    let run = way.run;
    enter(run, Stage::Scoping).await?;
    let mut idea = discovered.idea.clone();
    let mut round = 1;
    loop {
        let scope = run.scope("scoping", round)?;
        let notes = memory::recall(way, &scope, &idea).await?;
        let task = [
            data(way, "idea", &idea),
            data(way, "answers", &json(run, &discovered.answers)?),
            data(way, "decisions", &json(run, &decisions)?),
            data(way, "memory", &json(run, &notes)?),
        ]
        .join("\n\n");
        let spec = write(way, &mut discovered.staff, &task, round).await?;
        review(run, &scope, &spec).await?;
        match agree(run, &scope, &spec).await? {
            Agreed::Yes => return Ok(Scoped { idea, spec }),
            Agreed::Change(wish) => idea.push_str(&format!("\n\n{wish}")),
            Agreed::Stop => return Err(halt(run, "not_agreed", "the spec was not agreed to").await),
        }
        round += 1;
    }
}

async fn write(way: Way<'_>, staff: &mut Staff, task: &str, round: u32) -> Result<Spec, Leave> {
    let Way { run, place, .. } = way;
    let name = format!("scoping-{round}/spec");
    let spec = persist(way, &name, staff, async |scope: Scope, staff: &Staff| {
        let ask = Ask {
            model: &staff.leader,
            role: Role::Leader,
            shape: "spec",
            system: SYSTEM,
            task,
            max_output: Tokens(32_000),
        };
        let asked = ask.answer(run, &scope, (&place.context, check)).await?;
        Ok(match asked {
            Asked::Answered(reply) => Tried::Done(spec_of(reply)),
            Asked::Unusable { problem } => Tried::Stuck(problem),
        })
    })
    .await?;
    let criteria = u32::try_from(spec.criteria.len()).unwrap_or(u32::MAX);
    let key = run.scope("scoping", round)?.key("written")?;
    let written = keep_json(run, key, &spec, |spec| SpecWritten { spec, criteria }).await?;
    Ok(read_json(run, written.value.spec).await?)
}

fn spec_of(reply: Reply) -> Spec {
    let criterion = |one: ReplyCriterion| Criterion {
        id: one.id,
        statement: one.statement,
        example: one.example,
    };
    Spec {
        title: reply.title,
        purpose: reply.purpose,
        users: reply.users,
        in_scope: reply.in_scope,
        out_of_scope: reply.out_of_scope,
        assumptions: reply.assumptions,
        criteria: reply.criteria.into_iter().map(criterion).collect(),
    }
}

fn check(reply: &Reply) -> Result<(), String> {
    if reply.title.trim().is_empty() || reply.purpose.trim().is_empty() {
        return Err("`title` and `purpose` must say something".to_owned());
    }
    let count = reply.criteria.len();
    if count == 0 || count > MOST_CRITERIA {
        return Err(format!(
            "{count} criteria: give between 1 and {MOST_CRITERIA}"
        ));
    }
    let mut seen = BTreeSet::new();
    let mut wrong = Vec::new();
    for criterion in &reply.criteria {
        let id = &criterion.id;
        if !Criterion::is_id(id) {
            wrong.push(format!(
                "`{id}` is no id of a criterion: lower-case letters, digits and underscores, a \
                 letter first"
            ));
        }
        if criterion.statement.trim().is_empty() {
            wrong.push(format!("the criterion `{id}` states nothing"));
        }
        if !seen.insert(id) {
            wrong.push(format!("two criteria have the id `{id}`"));
        }
    }
    if wrong.is_empty() {
        return Ok(());
    }
    wrong.truncate(MOST_TOLD);
    Err(wrong.join("; "))
}

/// Rules look at the spec; what they find is on record beside it.
async fn review(run: &Run, scope: &Scope, spec: &Spec) -> Result<(), Leave> {
    let items = review_spec(spec);
    let against = items
        .iter()
        .filter(|item| item.stance == ReviewStance::Against)
        .count();
    let against = u32::try_from(against).unwrap_or(u32::MAX);
    keep_json(run, scope.key("review")?, &items, |items| ReviewMade {
        items,
        speaks_for: 0,
        speaks_against: against,
    })
    .await?;
    Ok(())
}

enum Agreed {
    Yes,
    Change(String),
    Stop,
}

async fn agree(run: &Run, scope: &Scope, spec: &Spec) -> Result<Agreed, Leave> {
    let list = |title: &str, items: &[String]| {
        let lines: Vec<String> = items
            .iter()
            .take(12)
            .map(|item| format!("- {item}"))
            .collect();
        format!("{title}:\n{}", lines.join("\n"))
    };
    let why = format!(
        "{}: {}\n\n{}\n\n{}\n\n{} criteria will be tested.",
        spec.title,
        spec.purpose,
        list("It will", &spec.in_scope),
        list("It will not", &spec.out_of_scope),
        spec.criteria.len()
    );
    let card = QuestionCard::with_options(
        "Build this? Agree, or say in your own words what to change.".to_owned(),
        Some(why),
        &[("agree", "build it"), ("stop", "stop here")],
    );
    let question = Question {
        purpose: Purpose::Approval,
        card,
        shape: AnswerShape::ChoiceOrText {
            options: vec!["agree".to_owned(), "stop".to_owned()],
            max_bytes: MOST_BYTES,
        },
        recommended: Some("agree".to_owned()),
        audience: Audience::Person,
        deadline: None,
        on_timeout: OnTimeout::Wait,
    };
    let answer = run.ask(scope.key("agreed")?, question).await?;
    Ok(match answer.value.value {
        AnswerValue::Text { text } => Agreed::Change(run.text(text).await?),
        AnswerValue::Option { id } if id == "agree" => Agreed::Yes,
        AnswerValue::Option { .. } | AnswerValue::Limit { .. } => Agreed::Stop,
        AnswerValue::Decide => Agreed::Yes,
    })
}

#[cfg(test)]
#[path = "scoping_tests.rs"]
mod tests;
