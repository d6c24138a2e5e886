//! The leader says whether an idea is within reach, and recommends an answer to each question.

use std::sync::atomic::{AtomicU32, Ordering};

use gavel_agent::{Ask, Asked};
use gavel_domain::{
    AnswerShape, AnswerSource, AnswerValue, Audience, OnTimeout, Purpose, QuestionCard, Role,
    Scope, Tokens,
};
use gavel_rules::{Depth, HaltReason, InterviewQuestion, QUESTIONS, check_answer_value};
use gavel_run::{Question, RunError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::recommend::{Material, Proposal, question_ids};
use crate::discovery::scope_name;
use crate::model_trouble::ModelTrouble;
use crate::staffing::Staff;
use crate::way::{Leave, Way, halt};

const SYSTEM: &str = "You prepare a small software project. Judge honestly whether you can build \
    what is asked to the end, with tests; then recommend an answer to each of the ten questions, \
    the smallest that serves the idea, with a reason of one sentence that refers to the idea or to \
    the repository. What the repository shows is not to be changed without need. \
    `reach` is `within` when you can build it, `beyond` when you cannot (say why in \
    `reach_reason`), `vague` when you cannot know what is meant (put the one question to ask into \
    `reach_reason`). `size` is `trivial` when one program with a few commands or pages does it and \
    no answer would surprise anybody, `complex` when answers change what is built by a lot, else \
    `standard`. Every text is one short sentence, and each question is answered once.";
/// How often the leader must answer everything; then what it did not answer is left to a person.
const STRICT_TRIES: u32 = 2;
/// The most of a problem that a card tells.
const MOST_TOLD: usize = 600;

/// What the leader says.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Reply {
    pub(super) reach: Reach,
    /// Why not, or what to ask; empty when it is within reach.
    pub(super) reach_reason: String,
    /// A short name for the product.
    #[serde(rename = "title")]
    _title: String,
    /// How much there is to ask about. Replies of older runs do not say.
    #[serde(default)]
    #[schemars(with = "Size")]
    size: Option<Size>,
    recommendations: Vec<Recommendation>,
    /// When `reach` is `beyond`: the spans of the idea, word for word, without which you could build it
    /// whole. Leave it out when nothing that matters would be left.
    #[serde(default)]
    pub(super) without: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Reach {
    Within,
    Beyond,
    Vague,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Size {
    Trivial,
    Standard,
    Complex,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Recommendation {
    /// The question's id.
    #[schemars(schema_with = "question_ids")]
    question: String,
    answer: String,
    /// Why, in one sentence.
    why: String,
    /// Up to two other answers that would do.
    alternatives: Vec<String>,
}

impl Reply {
    /// Nobody recommends anything: a person answers for themselves.
    const fn silent() -> Self {
        Self {
            reach: Reach::Within,
            reach_reason: String::new(),
            _title: String::new(),
            size: Some(Size::Standard),
            recommendations: Vec::new(),
            without: Vec::new(),
        }
    }

    /// How deep the interview goes, where the leader says so.
    pub(super) fn depth(&self) -> Option<Depth> {
        self.size.map(|size| match size {
            Size::Trivial => Depth::Trivial,
            Size::Standard => Depth::Standard,
            Size::Complex => Depth::Complex,
        })
    }

    /// One for each of the ten questions; open where the leader said nothing that can be read.
    pub(super) fn proposals(self) -> Vec<Proposal> {
        let of = |question: &'static InterviewQuestion| {
            let mut given = self.recommendations.iter();
            let given = given.find(|one| one.question == question.id);
            let Some(one) =
                given.filter(|one| check_answer_value(question.id, &one.answer).is_ok())
            else {
                return Proposal::open(question);
            };
            let others = one.alternatives.iter();
            let others = others.filter(|other| check_answer_value(question.id, other).is_ok());
            Proposal {
                question,
                answer: Some(one.answer.clone()),
                why: one.why.clone(),
                alternatives: others.take(2).cloned().collect(),
                source: AnswerSource::Recommended,
            }
        };
        QUESTIONS.iter().map(of).collect()
    }
}

/// Asks the leader until it answers, or a person takes the questions over, or stops.
pub(super) async fn ask_leader(
    way: Way<'_>,
    scope: &Scope,
    staff: &mut Staff,
    material: &Material<'_>,
) -> Result<Reply, Leave> {
    let Way { run, place, .. } = way;
    let all: Vec<&InterviewQuestion> = QUESTIONS.iter().collect();
    let task = material.task(way, &all).await?;
    let name = format!("{}/reply", scope_name(scope)?);
    let mut number = 1;
    loop {
        let attempt = run.scope(&name, number)?;
        let ask = Ask {
            model: &staff.leader,
            role: Role::Leader,
            shape: "discovery",
            system: SYSTEM,
            task: &task,
            max_output: Tokens(6_000),
        };
        let tries = AtomicU32::new(0);
        let check = |reply: &Reply| check(reply, tries.fetch_add(1, Ordering::Relaxed));
        let asked = ask.answer(run, &attempt, (&place.context, check)).await;
        let trouble = match asked {
            Ok(Asked::Answered(reply)) => return Ok(reply),
            Ok(Asked::Unusable { problem }) => Trouble::model(&problem),
            Err(RunError::Failed(error)) => match ModelTrouble::of(error.fault.class) {
                Some(kind) => Trouble::asking(kind, kind.explain(&staff.leader.id, &error)),
                None => Trouble::model(&error.to_string()),
            },
            Err(error) => return Err(error.into()),
        };
        match trouble.ask(way, &attempt).await? {
            Next::Again => staff.choose_again(way, &attempt).await?,
            Next::Choose => return Ok(Reply::silent()),
        }
        number += 1;
    }
}

/// The recommendations must answer the ten questions, each once, in words that can be read. A
/// leader that cannot do so is heard as far as it can.
fn check(reply: &Reply, tries_before: u32) -> Result<(), String> {
    if reply.reach != Reach::Within {
        return if reply.reach_reason.trim().is_empty() {
            Err("`reach_reason` is empty: say why, or what to ask".to_owned())
        } else {
            Ok(())
        };
    }
    if tries_before >= STRICT_TRIES {
        return Ok(());
    }
    let mut wrong = Vec::new();
    for question in &QUESTIONS {
        let id = question.id;
        let answers: Vec<&Recommendation> = reply
            .recommendations
            .iter()
            .filter(|answer| answer.question == id)
            .collect();
        match answers.as_slice() {
            [] => wrong.push(format!("no answer for the question `{id}`")),
            [one] => {
                let read = check_answer_value(id, &one.answer);
                wrong.extend(read.err().map(|problem| problem.to_string()));
            }
            _ => wrong.push(format!("several answers for `{id}`")),
        }
    }
    // All at once: a model that mends one thing a try would run out of tries.
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(wrong.join("; "))
    }
}

/// What a person is asked when the leader fails.
struct Trouble {
    told: String,
    /// Why the model could not be asked; none when it was, and said nothing that can be used.
    kind: Option<ModelTrouble>,
}

enum Next {
    Again,
    Choose,
}

impl Trouble {
    fn model(problem: &str) -> Self {
        let cut: String = problem.chars().take(MOST_TOLD).collect();
        let told = format!(
            "{cut}\n\nTo go on with another model: gavel resume --model PROVIDER/MODEL. Or answer \
             the questions yourself, without recommendations."
        );
        Self { told, kind: None }
    }

    fn asking(kind: ModelTrouble, explained: String) -> Self {
        let told = match kind {
            // Nothing goes on without a key, and nobody is told to do without one.
            ModelTrouble::KeyRefused => explained,
            ModelTrouble::NoAnswer
            | ModelTrouble::WrongAddress
            | ModelTrouble::UnknownModel
            | ModelTrouble::TooSlow
            | ModelTrouble::Busy => {
                format!("{explained} Or answer the questions yourself, without recommendations.")
            }
        };
        let kind = Some(kind);
        Self { told, kind }
    }

    async fn ask(&self, way: Way<'_>, scope: &Scope) -> Result<Next, Leave> {
        let run = way.run;
        let mut options = vec![
            ("again", "try again, with the same or another model"),
            ("stop", "stop here; everything so far is kept"),
        ];
        let text = self.kind.map_or(
            "The model recommended nothing that can be used. Try again?",
            ModelTrouble::title,
        );
        if self.kind != Some(ModelTrouble::KeyRefused) {
            options.insert(1, ("choose", "answer the questions myself"));
        }
        let question = Question {
            purpose: Purpose::Trouble,
            card: QuestionCard::with_options(text.to_owned(), Some(self.told.clone()), &options),
            shape: AnswerShape::Choice {
                options: options.iter().map(|(id, _)| (*id).to_owned()).collect(),
            },
            recommended: Some("again".to_owned()),
            audience: Audience::Any,
            deadline: None,
            on_timeout: OnTimeout::Wait,
        };
        let answer = run.ask(scope.key("trouble")?, question).await?;
        match answer.value.value {
            AnswerValue::Decide => Ok(Next::Again),
            AnswerValue::Option { id } if id == "again" => Ok(Next::Again),
            AnswerValue::Option { id } if id == "choose" => Ok(Next::Choose),
            AnswerValue::Option { .. } | AnswerValue::Text { .. } | AnswerValue::Limit { .. } => {
                Err(halt(run, HaltReason::Stuck, &self.told).await)
            }
        }
    }
}

#[cfg(test)]
#[path = "leader_tests.rs"]
mod tests;
