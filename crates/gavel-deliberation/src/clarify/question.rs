//! The cards of the clarification: an option, own words, or a talk about it first.

use gavel_domain::{AnswerShape, AnswerValue, Audience, OnTimeout, Purpose, QuestionCard, Scope};
use gavel_rules::may_decide;
use gavel_run::{Question, RunError};

use super::shapes::{Proposed, ProposedOption};
use super::sitting::{Settled, Sitting, Talk};

/// How often a question may be talked about before it is answered.
const MOST_TALKS: usize = 3;
/// The longest answer in own words.
pub(super) const MOST_BYTES: u32 = 4_000;
const DISCUSS: &str = "discuss";
const DISCUSS_LABEL: &str = "talk about it first: you say what you want to know";
const HOW_TO_ASK: &str =
    "Your own words are fine too; words that end with a question mark are answered first.";
const HOW_TO_END: &str = "To end it here, type withdraw.";

/// What became of a question.
pub(super) enum Outcome {
    Settled(Settled),
    Withdrawn,
}

/// What was said on a card.
enum Said {
    /// The place of an option, counted from zero.
    Option(usize),
    Words(String),
    /// Talk about it, with what the person wants to know.
    Talk(String),
    /// Nobody chose: the recommended one is taken.
    Unchosen,
    Withdraw,
}

/// An answer with who gave it.
struct Given {
    said: Said,
    by_person: bool,
    assumed: bool,
}

impl Sitting<'_> {
    /// Puts a question until it is settled; `name` is its place in the clarification, `q-1-2`.
    pub(super) async fn put(&mut self, name: &str, asked: &Proposed) -> Result<Outcome, RunError> {
        let mut talks: Vec<Talk> = Vec::new();
        loop {
            let given = self.card(name, asked, &talks).await?;
            let (answer, by_person) = match given.said {
                Said::Withdraw => return Ok(Outcome::Withdrawn),
                Said::Talk(person) => {
                    let number = u32::try_from(talks.len()).unwrap_or(u32::MAX);
                    let scope = self
                        .scope
                        .scope(&format!("clarify/{name}-talk"), number.saturating_add(1))?;
                    let person = match person.is_empty() {
                        true => self.wants_to_know(&scope, asked).await?,
                        false => person,
                    };
                    let leader = self.talk(&scope, asked, (&talks, &person)).await?;
                    talks.push(Talk { person, leader });
                    continue;
                }
                Said::Words(words) => (words, given.by_person),
                Said::Option(place) => (option(asked, place), given.by_person),
                Said::Unchosen => (option(asked, asked.recommended.saturating_sub(1)), false),
            };
            return Ok(Outcome::Settled(Settled {
                question: asked.question.trim().to_owned(),
                answer,
                by_person,
                assumed: given.assumed,
                asked_back: talks.into_iter().map(|talk| talk.person).collect(),
            }));
        }
    }

    /// Asks what a person wants to talk about before the leader is paid for an answer.
    async fn wants_to_know(&self, scope: &Scope, asked: &Proposed) -> Result<String, RunError> {
        let question = Question {
            purpose: Purpose::Choice,
            card: QuestionCard::with_options(
                "What do you want to know first?".to_owned(),
                Some(format!("About: {}", asked.question.trim())),
                &[],
            ),
            shape: AnswerShape::Text {
                max_bytes: MOST_BYTES,
            },
            recommended: None,
            audience: Audience::Person,
            deadline: None,
            on_timeout: OnTimeout::Wait,
        };
        let answered = self.run.ask(scope.key("wanted")?, question).await?.value;
        Ok(match answered.value {
            AnswerValue::Text { text } => self.run.text(text).await?.trim().to_owned(),
            AnswerValue::Option { .. } | AnswerValue::Decide | AnswerValue::Limit { .. } => {
                String::new()
            }
        })
    }

    async fn card(&self, name: &str, asked: &Proposed, talks: &[Talk]) -> Result<Given, RunError> {
        let may_talk = talks.len() < MOST_TALKS;
        let name = match talks.len() {
            0 => format!("clarify/{name}"),
            talks => format!("clarify/{name}-{}", talks + 1),
        };
        let question = question(
            asked,
            talks.last().map(|talk| talk.leader.as_str()),
            may_talk,
        );
        let answered = self.run.ask(self.scope.key(&name)?, question).await?.value;
        let said = match answered.value {
            AnswerValue::Text { text } => read(&self.run.text(text).await?, may_talk),
            AnswerValue::Option { id } => by_id(&id),
            AnswerValue::Decide | AnswerValue::Limit { .. } => Said::Unchosen,
        };
        let itself = answered.assumed || answered.timed_out;
        Ok(Given {
            said,
            by_person: may_decide(answered.by) && !itself,
            assumed: answered.assumed,
        })
    }
}

fn question(asked: &Proposed, talked: Option<&str>, may_talk: bool) -> Question {
    let ids = (1..=asked.options.len()).map(option_id);
    let mut options: Vec<(String, String)> = ids
        .zip(asked.options.iter().map(ProposedOption::words))
        .collect();
    if may_talk {
        options.push((DISCUSS.to_owned(), DISCUSS_LABEL.to_owned()));
    }
    let how = if may_talk {
        HOW_TO_ASK
    } else {
        "Your own words are fine too."
    };
    let mut why: Vec<String> = Vec::new();
    why.extend(talked.map(|words| format!("The leader says: {words}\n")));
    why.extend(
        [asked.why.trim().to_owned()]
            .into_iter()
            .filter(|why| !why.is_empty()),
    );
    why.push(format!("{how} {HOW_TO_END}"));
    let shown: Vec<(&str, &str)> = options
        .iter()
        .map(|(id, label)| (id.as_str(), label.as_str()))
        .collect();
    let text = asked.question.trim().to_owned();
    Question {
        purpose: Purpose::Choice,
        card: QuestionCard::with_options(text, Some(why.join("\n")), &shown),
        shape: AnswerShape::ChoiceOrText {
            options: options.iter().map(|(id, _)| id.clone()).collect(),
            max_bytes: MOST_BYTES,
        },
        recommended: Some(option_id(asked.recommended)),
        audience: Audience::Any,
        deadline: None,
        on_timeout: OnTimeout::Wait,
    }
}

/// The id of an option, counted from one.
fn option_id(number: usize) -> String {
    format!("option-{number}")
}

fn option(asked: &Proposed, place: usize) -> String {
    let option = asked.options.get(place);
    option.map(ProposedOption::words).unwrap_or_default()
}

fn by_id(id: &str) -> Said {
    if id == DISCUSS {
        return Said::Talk(String::new());
    }
    let number = id
        .strip_prefix("option-")
        .and_then(|number| number.parse::<usize>().ok());
    match number.and_then(|number| number.checked_sub(1)) {
        Some(place) => Said::Option(place),
        None => Said::Unchosen,
    }
}

/// What own words mean: an answer, a wish to talk, or the end.
fn read(words: &str, may_talk: bool) -> Said {
    let words = words.trim();
    if ["withdraw", "abort"]
        .iter()
        .any(|end| words.eq_ignore_ascii_case(end))
    {
        return Said::Withdraw;
    }
    let (first, rest) = words
        .split_once(|c: char| c.is_whitespace() || c == ':')
        .unwrap_or((words, ""));
    match first.eq_ignore_ascii_case(DISCUSS) {
        true if may_talk => Said::Talk(rest.trim_start_matches(':').trim().to_owned()),
        false if may_talk && words.ends_with(['?', '？']) => Said::Talk(words.to_owned()),
        true | false => Said::Words(words.to_owned()),
    }
}

#[cfg(test)]
#[path = "question_tests.rs"]
mod tests;
