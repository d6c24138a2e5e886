//! `gavel_answer` and `gavel_say`: words of a caller to a run.

use std::sync::Arc;
use std::time::Duration;

use gavel_agent::{Refused, Served, ServedTool, ToolHints, ToolSet, Visit};
use gavel_domain::{AnswerReply, AnswerShape, Audience, Head, Key, MicroUsd, RunId};
use gavel_rules::{AnswerProblem, Interjected, interjected, may_decide};
use gavel_run::{Delivery, MailError, OpenQuestion};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::RunDoor;
use super::desk::{RunDesk, TOO_MANY, speaker};
use super::question::{Pending, takes_words};
use super::start::{RunTold, launch, told};
use super::status::{is_driven, open_questions};

/// The longest interjection, in bytes.
const MOST_SAID: usize = 8_000;
/// How long an answer waits for what comes of it, and how often it looks.
const PATIENCE: Duration = Duration::from_millis(500);
const LOOK: Duration = Duration::from_millis(25);

pub(super) struct Answer(pub(super) (Arc<RunDesk>, Arc<dyn RunDoor>));

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AnswerArguments {
    /// An option (id, label or number), or words where the question takes them; `decide` leaves it
    /// to Gavel.
    answer: String,
    run: Option<String>,
    /// Its id; may be left out when one is open.
    question: Option<String>,
}

impl ServedTool for Answer {
    type Input = AnswerArguments;
    type Output = RunTold;
    const NAME: &'static str = "gavel_answer";
    const PURPOSE: &'static str = "Answer the open question of a run; the run goes on by itself. Never questions for a person";
    const SET: ToolSet = ToolSet::Runs;
    const HINTS: ToolHints = ToolHints::SETS;

    async fn call(
        &self,
        visit: &Visit,
        input: AnswerArguments,
    ) -> Result<Served<RunTold>, Refused> {
        let (desk, door) = &self.0;
        let head = desk.meant(visit, input.run.as_deref()).await?;
        let open = open_questions(desk, visit, &head).await?;
        let question = chosen(&head, &open, input.question.as_deref())?;
        if question.asked.audience == Audience::Person && !may_decide(speaker(visit)) {
            return Err(person_only(head.run, question));
        }
        let reply = read(question, input.answer.trim())?;
        let id = Some(question.id.clone());
        let answered = desk.mailbox(visit).answer(head.run, id, reply).await;
        let delivery = answered.map_err(|error| refused(head.run, question, &error))?;
        // Where nobody drives, whoever answers wants it to go on; other questions may still be open.
        let last = open.len() == 1;
        let mut held_up = None;
        if delivery == Delivery::Kept && last && !is_driven(desk, &head).await? {
            // The answer is given either way; where no room is left the run waits for its turn.
            match desk.room().await {
                Ok(_room) => launch(door.as_ref(), head.run).await?,
                Err(full) if full.code == TOO_MANY => held_up = Some(full.message),
                Err(refused) => return Err(refused),
            }
        }
        taken_up(desk, head.run, &question.id).await?;
        let told = told(desk, visit, head.run).await?;
        let line = match held_up {
            None => format!("answered; {}", told.line),
            Some(why) => format!("answered, and the run waits: {why}"),
        };
        Ok(Served { line, ..told })
    }
}

/// Waits a moment for the driver to take an answer up, so that what is told is what came of it. A
/// driver that takes longer, or is not there, holds nobody up.
async fn taken_up(desk: &RunDesk, run: RunId, question: &Key) -> Result<(), Refused> {
    let begun = tokio::time::Instant::now();
    while begun.elapsed() < PATIENCE {
        let head = desk.named(&run.to_string()).await?;
        if !head.questions.contains_key(question) || !is_driven(desk, &head).await? {
            break;
        }
        tokio::time::sleep(LOOK).await;
    }
    Ok(())
}

/// The question that is meant.
fn chosen<'a>(
    head: &Head,
    open: &'a [OpenQuestion],
    named: Option<&str>,
) -> Result<&'a OpenQuestion, Refused> {
    let run = head.run;
    let Some(named) = named else {
        return match open {
            [only] => Ok(only),
            [] => Err(nothing_open(run)),
            several => {
                let asked: Vec<_> = several.iter().map(|one| Pending::of(run, one)).collect();
                let message = "several questions are open: name one in `question`";
                let refused = Refused::new("ambiguous", message);
                Err(refused.with(json!({ "questions": asked })))
            }
        };
    };
    let wanted: Option<Key> = named.parse().ok();
    let found = open
        .iter()
        .find(|question| Some(&question.id) == wanted.as_ref());
    found.ok_or_else(|| nothing_open(run))
}

fn nothing_open(run: RunId) -> Refused {
    let message = format!("run {} has no such open question", run.short());
    let arguments = json!({ "run": run.to_string() });
    let refused = Refused::new("not_open", message);
    refused.then(
        "gavel_run_status",
        arguments,
        "to see what it asks, if anything",
    )
}

/// A question that only a person may answer, with what the person types.
fn person_only(run: RunId, question: &OpenQuestion) -> Refused {
    let pending = Pending::of(run, question);
    let message = format!(
        "only a person may answer this question: ask yours to type `{}`",
        pending.command()
    );
    let arguments = json!({ "run": run.to_string() });
    let refused = Refused::new("person_only", message).with(json!({ "pending_question": pending }));
    refused.then("gavel_run_status", arguments, "once the person answered")
}

/// Reads words as an answer: an option where they name one, else whatever the question takes.
fn read(question: &OpenQuestion, words: &str) -> Result<AnswerReply, Refused> {
    let shape = &question.asked.shape;
    if let Some(id) = option(question, words) {
        return Ok(AnswerReply::Option { id });
    }
    if words.eq_ignore_ascii_case("decide") {
        return Ok(AnswerReply::Decide);
    }
    if let AnswerShape::Limit { .. } = shape
        && let Some(limit) = limit(question, words)
    {
        return Ok(AnswerReply::Limit { limit });
    }
    if takes_words(shape) {
        return match (interjected(words), &question.asked.recommended) {
            (Some(Interjected::Asks), _) => Err(Refused::new(
                "not_an_answer",
                format!(
                    "`{words}` asks something back: answer with an option or in words of your own"
                ),
            )),
            (Some(Interjected::Agrees), Some(id)) => Ok(AnswerReply::Option { id: id.clone() }),
            (Some(Interjected::Agrees) | None, _) => Ok(AnswerReply::Text {
                text: words.to_owned(),
            }),
        };
    }
    let options = shape.options();
    let message = format!(
        "`answer` must be one of the options: {}; or a number from 1 to {}",
        options.join(", "),
        options.len()
    );
    Err(Refused::new("unknown_option", message).with(json!({ "options": options })))
}

fn option(question: &OpenQuestion, words: &str) -> Option<String> {
    let options = question.asked.shape.options();
    let place = words.parse::<usize>().ok();
    let numbered = place.and_then(|number| options.get(number.checked_sub(1)?));
    let named = || options.iter().find(|id| id.eq_ignore_ascii_case(words));
    let labelled = || {
        let mut cards = question.card.options.iter();
        let card = cards.find(|card| card.label.eq_ignore_ascii_case(words))?;
        options.iter().find(|id| **id == card.id)
    };
    numbered.or_else(named).or_else(labelled).cloned()
}

/// A cap of money is given in dollars, one of tokens as a number.
fn limit(question: &OpenQuestion, words: &str) -> Option<u64> {
    if question.id.as_str().contains("-tokens-") {
        return words.parse().ok();
    }
    MicroUsd::parse_dollars(words.trim_start_matches('$')).map(|usd| usd.0)
}

/// Why something was not taken.
fn refused(run: RunId, question: &OpenQuestion, error: &MailError) -> Refused {
    let code = match error {
        MailError::AnsweredBefore { .. } => "answered_before",
        MailError::Unfit(AnswerProblem::PersonOnly) => return person_only(run, question),
        MailError::Unfit(_) => "bad_answer",
        MailError::NotOpen { .. } => "not_open",
        MailError::Refused { .. } => "refused",
        MailError::Over { .. } => "over",
        MailError::Run(_) => "unavailable",
    };
    let arguments = json!({ "run": run.to_string() });
    let refused = Refused::from_error(code, error);
    refused.then("gavel_run_status", arguments, "to see where the run stands")
}

pub(super) struct Say(pub(super) Arc<RunDesk>);

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SayArguments {
    text: String,
    run: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Heard {
    run: String,
    /// False: nobody drives; whoever drives next takes it.
    taken: bool,
}

impl ServedTool for Say {
    type Input = SayArguments;
    type Output = Heard;
    const NAME: &'static str = "gavel_say";
    const PURPOSE: &'static str = "Say something to a run; it reaches the next model turn";
    const SET: ToolSet = ToolSet::Runs;
    const HINTS: ToolHints = ToolHints::ADDS;

    async fn call(&self, visit: &Visit, input: SayArguments) -> Result<Served<Heard>, Refused> {
        let text = input.text.trim();
        if text.is_empty() || text.len() > MOST_SAID {
            let message = format!("`text` must have 1 to {MOST_SAID} bytes");
            return Err(Refused::new("bad_arguments", message));
        }
        let head = self.0.meant(visit, input.run.as_deref()).await?;
        let mailbox = self.0.mailbox(visit);
        let said = mailbox.say(head.run, text.to_owned()).await;
        let delivery = said.map_err(|error| not_taken(head.run, &error))?;
        let taken = delivery == Delivery::Taken;
        let line = if taken {
            "taken"
        } else {
            "kept: whoever drives next takes it"
        };
        let run = head.run.to_string();
        Ok(Served::new(Heard { run, taken }, line))
    }
}

/// Why words or a wish were not taken.
pub(super) fn not_taken(run: RunId, error: &MailError) -> Refused {
    let code = match error {
        MailError::Over { .. } => "over",
        MailError::Run(_) => "unavailable",
        MailError::AnsweredBefore { .. }
        | MailError::Unfit(_)
        | MailError::NotOpen { .. }
        | MailError::Refused { .. } => "refused",
    };
    let arguments = json!({ "run": run.to_string() });
    let refused = Refused::from_error(code, error);
    refused.then("gavel_run_status", arguments, "to see where the run stands")
}
