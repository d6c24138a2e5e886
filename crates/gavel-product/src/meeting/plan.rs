//! A plan that follows from a debate: lifted from its action items or made by the leader, shown to a
//! person, and carried out only after they agreed.

use gavel_agent::{Ask, Asked, Cap, Excerpt, Keep};
use gavel_deliberation::{Council, PLAN_AGREED, PLAN_MADE};
use gavel_domain::{
    ActionPlan, ActionStep, AnswerShape, AnswerValue, Audience, Key, OnTimeout, PlanComplexity,
    Purpose, QuestionAnswered, QuestionCard, Role, RunId, Scope, Seq, StepPriority, Timestamp,
    Tokens, ToolFinished,
};
use gavel_rules::council::lift_plan;
use gavel_run::{Question, RunError};
use gavel_store::Store;
use schemars::JsonSchema;
use serde::Deserialize;

use super::Room;
use super::after::Debated;
use crate::way::{Leave, json, keep, read_json};
use gavel_view::ReportError;

/// How the key ends under which a person agrees to a plan.
const AGREED: &str = "/agreed";
const KEEP_ONLY: &str = "keep";
const MOST_STEPS: usize = 12;
const SYSTEM: &str = "You turn what a council came to into a plan of work. Each step must be \
    something that can be built and shown on its own, in an order in which every step rests only on \
    those before it. Describe each so that it can be read by itself. Add nothing that the council \
    did not want.";

/// What a person said to a plan.
pub(super) enum Agreed {
    /// Carry it out.
    Yes,
    /// Keep it, and do nothing.
    KeepOnly,
    /// There is none.
    NoPlan(String),
}

/// A plan that a person agreed to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApprovedPlan {
    /// The plan.
    pub plan: ActionPlan,
    /// When it was agreed to.
    pub at: Timestamp,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Reply {
    /// The steps, in order.
    steps: Vec<StepReply>,
    /// What must be there before the first step; may be empty.
    prerequisites: Vec<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct StepReply {
    /// What is to be done, one or two sentences.
    description: String,
    /// `high`, `medium` or `low`.
    priority: StepWord,
}

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum StepWord {
    High,
    Medium,
    Low,
}

/// Makes the plan, shows it and asks whether to carry it out.
pub(super) async fn agree(
    room: Room<'_>,
    scope: &Scope,
    (council, debated): (&Council, Debated<'_>),
) -> Result<Agreed, Leave> {
    let run = room.run;
    let held = debated.held;
    let found = held.outcome.plan.clone();
    let found = found.or_else(|| lift_plan(&held.outcome.action_items));
    let plan = match found {
        Some(plan) => plan,
        None => match ask_leader(room, scope, (council, debated)).await? {
            Ok(plan) => plan,
            Err(why) => return Ok(Agreed::NoPlan(why)),
        },
    };
    let text = json(run, &plan)?;
    let made = keep(run, scope.key("made")?, &plan, &text, |result| {
        ToolFinished {
            tool: PLAN_MADE.to_owned(),
            ok: true,
            result,
            level: None,
            source: None,
        }
    });
    let plan: ActionPlan = read_json(run, made.await?.value.result).await?;
    let builds = room.brief.checkout.is_some();
    let answer = run
        .ask(scope.key("agreed")?, question(&plan, builds))
        .await?;
    Ok(match answer.value.value {
        AnswerValue::Option { id } if id == PLAN_AGREED => Agreed::Yes,
        AnswerValue::Option { .. }
        | AnswerValue::Text { .. }
        | AnswerValue::Decide
        | AnswerValue::Limit { .. } => Agreed::KeepOnly,
    })
}

/// The plan that a person agreed to carry out in a council's run; nothing where nobody did.
pub async fn approved_plan(
    store: &dyn Store,
    run: RunId,
) -> Result<Option<ApprovedPlan>, ReportError> {
    let unread = |source| ReportError::Unread {
        run,
        source: Box::new(source),
    };
    let records = store
        .records(run, Seq::ZERO, u32::MAX)
        .await
        .map_err(unread)?;
    let answers = records
        .iter()
        .rev()
        .filter(|record| record.key.is_outcome() && record.key.as_str().ends_with(AGREED));
    let agreed = answers
        .filter_map(|record| Some((record, record.read::<QuestionAnswered>().ok()?)))
        .find(
            |(_, answered)| matches!(&answered.value, AnswerValue::Option { id } if id == PLAN_AGREED),
        );
    let Some((agreed, _)) = agreed else {
        return Ok(None);
    };
    let beside = agreed.key.as_str().strip_suffix(AGREED);
    let made = beside.and_then(|scope| Key::new(format!("{scope}/made")).ok());
    let made = made.and_then(|key| records.iter().find(|record| record.key == key.outcome()));
    let Some(made) = made.and_then(|record| record.read::<ToolFinished>().ok()) else {
        return Ok(None);
    };
    let text = store.blob(made.result.digest).await.map_err(unread)?;
    let plan = text.and_then(|text| serde_json::from_slice(&text).ok());
    Ok(plan.map(|plan| ApprovedPlan {
        plan,
        at: agreed.at,
    }))
}

/// Asks the leader for a plan; why there is none, where it gives none.
async fn ask_leader(
    room: Room<'_>,
    scope: &Scope,
    (council, debated): (&Council, Debated<'_>),
) -> Result<Result<ActionPlan, String>, Leave> {
    let outcome = &debated.held.readable;
    let outcome = Excerpt::new("outcome", outcome, Cap::RESULT, Keep::Head);
    let topic = Excerpt::new("topic", debated.question, Cap::MESSAGE, Keep::Head);
    let task = format!("Make a plan of one to {MOST_STEPS} steps.\n{topic}\n{outcome}");
    let ask = Ask {
        model: &council.leader,
        role: Role::Leader,
        shape: "council_action_plan",
        system: SYSTEM,
        task: &task,
        max_output: Tokens(4_096),
    };
    let check = |reply: &Reply| {
        let blank = reply
            .steps
            .iter()
            .any(|step| step.description.trim().is_empty());
        match reply.steps.len() {
            0 => Err("`steps` is empty: name at least one".to_owned()),
            many if many > MOST_STEPS => Err(format!("`steps` has {many}: {MOST_STEPS} at most")),
            _ if blank => Err("a step has no description".to_owned()),
            _ => Ok(()),
        }
    };
    let scope = scope.scope("ask", 1)?;
    let asked = ask.answer(room.run, &scope, (room.context, check));
    Ok(match asked.await {
        Ok(Asked::Answered(reply)) => Ok(planned(reply)),
        Ok(Asked::Unusable { problem }) => Err(problem),
        Err(RunError::Failed(error)) => Err(error.to_string()),
        Err(error) => return Err(error.into()),
    })
}

fn planned(reply: Reply) -> ActionPlan {
    let steps = reply.steps.into_iter().map(|step| ActionStep {
        description: step.description.trim().to_owned(),
        priority: match step.priority {
            StepWord::High => StepPriority::High,
            StepWord::Medium => StepPriority::Medium,
            StepWord::Low => StepPriority::Low,
        },
    });
    let steps: Vec<ActionStep> = steps.collect();
    ActionPlan {
        complexity: match steps.len() {
            0..=4 => PlanComplexity::Trivial,
            5..=9 => PlanComplexity::Moderate,
            _ => PlanComplexity::Complex,
        },
        steps,
        prerequisites: reply.prerequisites,
    }
}

fn question(plan: &ActionPlan, builds: bool) -> Question {
    let mut lines: Vec<String> = Vec::new();
    for (number, step) in (1..).zip(&plan.steps) {
        let soon = match step.priority {
            StepPriority::High => "first",
            StepPriority::Medium => "then",
            StepPriority::Low => "whenever there is time",
        };
        lines.push(format!("{number}. {} ({soon})", step.description));
    }
    if !plan.prerequisites.is_empty() {
        lines.push(format!("Before that: {}", plan.prerequisites.join("; ")));
    }
    let mut options = Vec::new();
    if builds {
        lines.push(
            "Each step would be a run of its own, with its own questions and its own proof, on a \
             branch that begins where the step before ended."
                .to_owned(),
        );
        options.push((PLAN_AGREED, "carry it out, step by step"));
    }
    options.push((KEEP_ONLY, "keep the plan, and do nothing now"));
    let ids = options.iter().map(|(id, _)| (*id).to_owned()).collect();
    let text = if builds {
        "Carry out this plan?"
    } else {
        "This is the plan. Without a repository it cannot be carried out here."
    };
    Question {
        purpose: Purpose::Approval,
        card: QuestionCard::with_options(text.to_owned(), Some(lines.join("\n")), &options),
        shape: AnswerShape::Choice { options: ids },
        // To build is a person's own word, never that of a flag.
        recommended: (!builds).then(|| KEEP_ONLY.to_owned()),
        audience: Audience::Person,
        deadline: None,
        on_timeout: OnTimeout::Wait,
    }
}
