//! Discovery: can this be built, and with which answers to the ten questions?

use gavel_agent::{Ask, Asked, Cap, Excerpt, Keep};
use gavel_domain::{
    AnswerShape, AnswerValue, Audience, DiscoveryAnswer, DiscoveryAnswered, MemoryNote, OnTimeout,
    Purpose, QuestionCard, Role, Scope, Stage, Tokens,
};
use gavel_models::ModelId;
use gavel_rules::Ledger;
use gavel_run::{Question, Run};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use crate::memory;
use crate::questions::QUESTIONS;
use crate::staffing::{Staff, ask_for_a_model};
use crate::trouble::{Tried, persist};
use crate::way::{Leave, Way, json, keep_json, read_json, unusable};

const SYSTEM: &str = "You prepare a small software project. Judge honestly whether you can build \
    what is asked to the end, with tests; then recommend an answer to each of the ten questions, \
    the smallest that serves the idea, with a reason of one sentence that refers to the idea. \
    `reach` is `within` when you can build it, `beyond` when you cannot (say why in \
    `reach_reason`), `vague` when you cannot know what is meant (put the one question to ask into \
    `reach_reason`). Every text is one short sentence, and each question is answered once.";

/// How many files of a repository are named.
const MOST_FILES: usize = 200;
/// The longest answer of a person.
const MOST_BYTES: u32 = 4_000;

/// What discovery found out.
#[derive(Debug)]
pub(crate) struct Discovered {
    /// The idea with everything that a person added to it.
    pub(crate) idea: String,
    pub(crate) answers: Vec<DiscoveryAnswer>,
    pub(crate) staff: Staff,
    /// Traps that project memory told the council about.
    pub(crate) traps: usize,
    /// The models in the seats of the debate; none when there was none.
    pub(crate) debated: Vec<ModelId>,
    /// What was taken for granted on the way.
    pub(crate) ledger: Ledger,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Reply {
    reach: Reach,
    /// Why not, or what to ask; empty when it is within reach.
    reach_reason: String,
    /// A short name for the product.
    #[serde(rename = "title")]
    _title: String,
    recommendations: Vec<Recommendation>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Reach {
    Within,
    Beyond,
    Vague,
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

/// The ids as a closed list, so that a server which enforces schemas lets no other through.
fn question_ids(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "string", "enum": QUESTIONS.map(|question| question.id)})
}

/// Asks until the idea is within reach and the ten questions have answers.
pub(crate) async fn discover(way: Way<'_>) -> Result<Discovered, Leave> {
    let Way { run, brief, .. } = way;
    way.enter(Stage::Discovery).await?;
    let mut idea = brief.idea.clone();
    if let Some(stack) = &brief.stack {
        idea.push_str(&format!("\n\nStack: {stack}"));
    }
    let mut round = 1;
    loop {
        let mut staff = Staff::choose(way, round).await?;
        let scope = run.scope("discovery", round)?;
        let notes = memory::recall(way, &scope, &idea).await?;
        let reply = recommend(way, &scope, &mut staff, (&idea, &notes)).await?;
        round += 1;
        match reply.reach {
            Reach::Within => {
                let answers = answer(run, &scope, &reply.recommendations).await?;
                return Ok(Discovered {
                    idea,
                    answers,
                    staff,
                    traps: 0,
                    debated: Vec::new(),
                    ledger: Ledger::default(),
                });
            }
            Reach::Beyond => {
                let other = ask_for_a_model(run, &scope, &reply.reach_reason).await?;
                idea = other.unwrap_or(idea);
            }
            Reach::Vague => match clarify(run, &scope, &reply.reach_reason).await? {
                Some(more) => idea.push_str(&format!("\n\n{more}")),
                None => {
                    let other = ask_for_a_model(run, &scope, &reply.reach_reason).await?;
                    idea = other.unwrap_or(idea);
                }
            },
        }
    }
}

async fn recommend(
    way: Way<'_>,
    scope: &Scope,
    staff: &mut Staff,
    (idea, notes): (&str, &[MemoryNote]),
) -> Result<Reply, Leave> {
    let Way { run, place, .. } = way;
    let files = files_at_base(way).await?;
    let asked: Vec<String> = QUESTIONS
        .iter()
        .map(|question| format!("- {}: {}", question.id, question.text))
        .collect();
    let task = format!(
        "{}\n\n{}\n\n{}\n\nThe ten questions, by id:\n{}",
        data(way, "idea", idea),
        data(way, "repository", &files.join("\n")),
        data(way, "memory", &json(run, &notes)?),
        asked.join("\n")
    );
    let name = format!("{}/reply", scope_name(scope)?);
    persist(way, &name, staff, async |scope: Scope, staff: &Staff| {
        let ask = Ask {
            model: &staff.leader,
            role: Role::Leader,
            shape: "discovery",
            system: SYSTEM,
            task: &task,
            max_output: Tokens(6_000),
        };
        let asked = ask.answer(run, &scope, (&place.context, check)).await?;
        Ok(match asked {
            Asked::Answered(reply) => Tried::Done(reply),
            Asked::Unusable { problem } => Tried::Stuck(problem),
        })
    })
    .await
}

/// What the repository held when the run began. Not what the work tree holds, which has moved on
/// when this is asked in a later drive.
async fn files_at_base(way: Way<'_>) -> Result<Vec<String>, Leave> {
    let Way { run, place, .. } = way;
    let tree = place.tree.tree_of(&place.base).await;
    let tree = tree.map_err(|error| unusable(run, &error))?;
    let files = place.tree.files_of(&tree).await;
    let files = files.map_err(|error| unusable(run, &error))?;
    let named = files.iter().take(MOST_FILES);
    Ok(named.map(ToString::to_string).collect())
}

/// The recommendations must answer the ten questions, each once.
fn check(reply: &Reply) -> Result<(), String> {
    if reply.reach != Reach::Within {
        return if reply.reach_reason.trim().is_empty() {
            Err("`reach_reason` is empty: say why, or what to ask".to_owned())
        } else {
            Ok(())
        };
    }
    let mut wrong = Vec::new();
    for question in QUESTIONS {
        let id = question.id;
        let answers = reply
            .recommendations
            .iter()
            .filter(|answer| answer.question == id && !answer.answer.trim().is_empty());
        match answers.count() {
            1 => {}
            0 => wrong.push(format!("no answer for the question `{id}`")),
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

/// Asks a person what is meant; `None` when Gavel is to decide.
async fn clarify(run: &Run, scope: &Scope, ask: &str) -> Result<Option<String>, Leave> {
    let question = Question {
        purpose: Purpose::Choice,
        card: QuestionCard {
            text: ask.to_owned(),
            why: Some("The idea leaves open what is to be built.".to_owned()),
            options: Vec::new(),
        },
        shape: AnswerShape::Text {
            max_bytes: MOST_BYTES,
        },
        recommended: None,
        // What is meant nobody else can know, so `--yes` does not answer it.
        audience: Audience::Person,
        deadline: None,
        on_timeout: OnTimeout::Wait,
    };
    let answer = run.ask(scope.key("what-is-meant")?, question).await?;
    Ok(match answer.value.value {
        AnswerValue::Text { text } => Some(run.text(text).await?),
        AnswerValue::Option { .. } | AnswerValue::Decide | AnswerValue::Limit { .. } => None,
    })
}

/// Takes the recommendations as a whole, or asks one by one.
async fn answer(
    run: &Run,
    scope: &Scope,
    recommended: &[Recommendation],
) -> Result<Vec<DiscoveryAnswer>, Leave> {
    let walk = !take_all(run, scope, recommended).await?;
    let mut answers = Vec::with_capacity(QUESTIONS.len());
    for question in QUESTIONS {
        let Some(recommendation) = recommended.iter().find(|r| r.question == question.id) else {
            continue;
        };
        let own = if walk {
            ask_one(run, scope, (question.id, question.text), recommendation).await?
        } else {
            None
        };
        answers.push(DiscoveryAnswer {
            question: question.id.to_owned(),
            by_person: own.is_some(),
            answer: own.unwrap_or_else(|| recommendation.answer.clone()),
            ..DiscoveryAnswer::default()
        });
    }
    let taken = answers.iter().filter(|answer| !answer.by_person).count();
    let taken = u32::try_from(taken).unwrap_or(u32::MAX);
    let kept = keep_json(run, scope.key("answers")?, &answers, |answers| {
        DiscoveryAnswered {
            answers,
            recommended: taken,
        }
    })
    .await?;
    Ok(read_json(run, kept.value.answers).await?)
}

async fn take_all(run: &Run, scope: &Scope, all: &[Recommendation]) -> Result<bool, Leave> {
    let lines: Vec<String> = all
        .iter()
        .map(|one| format!("{}: {} ({})", one.question, one.answer, one.why))
        .collect();
    let card = QuestionCard::with_options(
        "Ten questions have a recommended answer each. Take them all?".to_owned(),
        Some(lines.join("\n")),
        &[
            ("take-all", "take all ten as recommended"),
            ("one-by-one", "go through them one by one"),
        ],
    );
    let question = Question {
        purpose: Purpose::Choice,
        card,
        shape: AnswerShape::Choice {
            options: vec!["take-all".to_owned(), "one-by-one".to_owned()],
        },
        recommended: Some("take-all".to_owned()),
        audience: Audience::Any,
        deadline: None,
        on_timeout: OnTimeout::Wait,
    };
    let answer = run.ask(scope.key("recommended")?, question).await?;
    Ok(answer.value.value
        != AnswerValue::Option {
            id: "one-by-one".to_owned(),
        })
}

/// Asks one question; `None` when the recommendation is taken.
async fn ask_one(
    run: &Run,
    scope: &Scope,
    (id, text): (&str, &str),
    recommended: &Recommendation,
) -> Result<Option<String>, Leave> {
    let others: Vec<(String, &String)> = recommended
        .alternatives
        .iter()
        .take(2)
        .enumerate()
        .map(|(place, answer)| (format!("other-{}", place + 1), answer))
        .collect();
    let mut options = vec![("recommended", recommended.answer.as_str())];
    options.extend(
        others
            .iter()
            .map(|(id, answer)| (id.as_str(), answer.as_str())),
    );
    let question = Question {
        purpose: Purpose::Choice,
        card: QuestionCard::with_options(text.to_owned(), Some(recommended.why.clone()), &options),
        shape: AnswerShape::ChoiceOrText {
            options: options.iter().map(|(id, _)| (*id).to_owned()).collect(),
            max_bytes: MOST_BYTES,
        },
        recommended: Some("recommended".to_owned()),
        audience: Audience::Any,
        deadline: None,
        on_timeout: OnTimeout::Wait,
    };
    let answer = run
        .ask(scope.key(&format!("question-{id}"))?, question)
        .await?;
    Ok(match answer.value.value {
        AnswerValue::Text { text } => Some(run.text(text).await?),
        AnswerValue::Option { id } => others
            .iter()
            .find(|(other, _)| *other == id)
            .map(|(_, answer)| (*answer).clone()),
        AnswerValue::Decide | AnswerValue::Limit { .. } => None,
    })
}

/// A text from outside as models see it: without secrets, capped and fenced.
pub(crate) fn data(way: Way<'_>, source: &str, text: &str) -> String {
    let text = way.place.context.scrub(text);
    Excerpt::new(source, &text, Cap::RESULT, Keep::Head).to_string()
}

/// The name under which scopes inside a scope are opened.
fn scope_name(scope: &Scope) -> Result<String, Leave> {
    let key = scope.key("x")?;
    let name = key.as_str();
    Ok(name.strip_suffix("/x").unwrap_or(name).to_owned())
}

#[cfg(test)]
#[path = "discovery_tests.rs"]
mod tests;
