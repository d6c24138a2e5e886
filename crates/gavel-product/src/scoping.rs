//! Scoping: the spec with testable criteria, and a person's word on it.

use std::collections::BTreeSet;

use gavel_agent::{Ask, Asked};
use gavel_deliberation::{ReviewStance, review_spec};
use gavel_domain::{
    AnswerShape, AnswerValue, Audience, Criterion, Decision, OnTimeout, Purpose, QuestionCard,
    ReviewMade, Role, Scope, Spec, SpecWritten, Stage, Tokens,
};
use gavel_rules::HaltReason;
use gavel_run::{Question, Run, RunError};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::discovery::{Discovered, data};
use crate::memory;
use crate::staffing::Staff;
use crate::trouble::{Tried, persist};
use crate::way::{Leave, Way, halt, json, keep_json, read_json};

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
    way.enter(Stage::Scoping).await?;
    let idea = discovered.idea.clone();
    let mut scoped = match draft(way, discovered, decisions, &idea, 1).await? {
        Tried::Done(spec) => Scoped { idea, spec },
        Tried::Stuck(problem) => return Err(halt(run, HaltReason::Stuck, &problem).await),
    };
    let mut note = String::new();
    let mut round = 1;
    loop {
        let scope = run.scope("scoping", round)?;
        let wish = match agree(run, &scope, (&scoped.spec, &note)).await? {
            Agreed::Yes => return Ok(scoped),
            Agreed::Change(wish) => wish,
            Agreed::Stop => {
                return Err(halt(
                    run,
                    HaltReason::UserRejectedSpec,
                    "the spec was not agreed to",
                )
                .await);
            }
        };
        round += 1;
        let idea = format!("{}\n\nChange: {wish}", scoped.idea);
        // A change that cannot be made costs nothing: the spec stays as it was, and the person is
        // told.
        match draft(way, discovered, decisions, &idea, round).await? {
            Tried::Done(spec) => {
                note.clear();
                scoped = Scoped { idea, spec };
            }
            Tried::Stuck(problem) => {
                note = format!("Not changed, for \"{wish}\" could not be done: {problem}\n\n");
            }
        }
    }
}

/// Writes a spec and has it reviewed. The first one is tried until there is one; a later one is
/// only a wish.
async fn draft(
    way: Way<'_>,
    discovered: &mut Discovered,
    decisions: &[Decision],
    idea: &str,
    round: u32,
) -> Result<Tried<Spec>, Leave> {
    let run = way.run;
    let scope = run.scope("scoping", round)?;
    let notes = memory::recall(way, &scope, idea).await?;
    let task = [
        data(way, "idea", idea),
        data(way, "answers", &json(run, &discovered.answers)?),
        data(way, "decisions", &json(run, &decisions)?),
        data(way, "memory", &json(run, &notes)?),
    ]
    .join("\n\n");
    let staff = &mut discovered.staff;
    let spec = if round == 1 {
        let write = async |scope: Scope, staff: &Staff| write(way, &scope, staff, &task).await;
        persist(way, "scoping-1/spec", staff, write).await?
    } else {
        match write(way, &scope.scope("spec", 1)?, staff, &task).await {
            Ok(Tried::Done(spec)) => spec,
            Ok(Tried::Stuck(problem)) => return Ok(Tried::Stuck(problem)),
            Err(Leave::Run(RunError::Failed(error))) => return Ok(Tried::Stuck(error.message)),
            Err(leave) => return Err(leave),
        }
    };
    let criteria = u32::try_from(spec.criteria.len()).unwrap_or(u32::MAX);
    let written = |spec| SpecWritten { spec, criteria };
    let written = keep_json(run, scope.key("written")?, &spec, written).await?;
    let spec: Spec = read_json(run, written.value.spec).await?;
    review(run, &scope, &spec).await?;
    Ok(Tried::Done(spec))
}

async fn write(
    way: Way<'_>,
    scope: &Scope,
    staff: &Staff,
    task: &str,
) -> Result<Tried<Spec>, Leave> {
    let ask = Ask {
        model: &staff.leader,
        role: Role::Leader,
        shape: "spec",
        system: SYSTEM,
        task,
        max_output: Tokens(32_000),
    };
    let context = &way.place.context;
    let asked = ask.answer(way.run, scope, (context, check)).await?;
    Ok(match asked {
        Asked::Answered(reply) => Tried::Done(spec_of(reply)),
        Asked::Unusable { problem } => Tried::Stuck(problem),
    })
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
        ..Spec::default()
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

#[derive(Debug, PartialEq, Eq)]
enum Agreed {
    Yes,
    Change(String),
    Stop,
}

async fn agree(run: &Run, scope: &Scope, (spec, note): (&Spec, &str)) -> Result<Agreed, Leave> {
    let list = |title: &str, items: &[String]| {
        let lines: Vec<String> = items
            .iter()
            .take(12)
            .map(|item| format!("- {item}"))
            .collect();
        format!("{title}:\n{}", lines.join("\n"))
    };
    let why = format!(
        "{note}{}: {}\n\n{}\n\n{}\n\n{} criteria will be tested.",
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
        AnswerValue::Text { text } => meant(run.text(text).await?),
        AnswerValue::Option { id } if id == "agree" => Agreed::Yes,
        AnswerValue::Option { .. } | AnswerValue::Limit { .. } => Agreed::Stop,
        AnswerValue::Decide => Agreed::Yes,
    })
}

/// People who are asked whether to build say yes or no, whatever the options are called.
fn meant(words: String) -> Agreed {
    let plain = words.trim().trim_end_matches(['.', '!']).to_lowercase();
    match plain.as_str() {
        "y" | "yes" | "yes please" | "ok" | "okay" | "agree" | "agreed" | "build" | "build it"
        | "go" | "go on" | "fine" | "good" | "looks good" | "sure" => Agreed::Yes,
        "n" | "no" | "stop" | "quit" | "cancel" => Agreed::Stop,
        _ => Agreed::Change(words),
    }
}

#[cfg(test)]
#[path = "scoping_tests.rs"]
mod tests;
