//! One card for each question that is asked: accept, another answer, own words, skip, abort.

use std::collections::VecDeque;

use gavel_domain::{
    AnswerShape, AnswerSource, AnswerValue, Audience, OnTimeout, Purpose, QuestionCard,
};
use gavel_rules::{
    HaltReason, InterviewQuestion, allowed_values, check_answer_value, is_required, question,
};
use gavel_run::Question;

use super::MOST_BYTES;
use super::interview::Interview;
use super::recommend::Proposal;
use crate::way::{Leave, halt};

/// How often a required question is asked that a person skips.
const MOST_SKIPS: u32 = 3;
const RECOMMENDED: &str = "recommended";

/// What a person did with a card.
enum Card {
    Answered,
    Skipped,
}

/// A card as it is put.
struct Put<'c> {
    asked: &'static InterviewQuestion,
    proposal: &'c Proposal,
    text: String,
    note: String,
}

impl Interview<'_> {
    /// Asks these questions one by one; required ones that are skipped come again, twice. What an
    /// answer settles is not asked any more, and what it opens is.
    pub(super) async fn ask_each(&mut self, ids: &[&'static str]) -> Result<(), Leave> {
        // Whoever wants to be asked about what is settled is.
        let wanted: Vec<&str> = ids
            .iter()
            .copied()
            .filter(|id| self.is_settled(id))
            .collect();
        let mut queue: VecDeque<&'static str> = ids.iter().copied().collect();
        // A question that comes again keeps its number, so that there are not more of them.
        let mut numbers: Vec<&'static str> = Vec::new();
        while let Some(id) = queue.pop_front() {
            let moot = |id: &str| self.is_settled(id) && !wanted.contains(&id);
            let Some(asked) = question(id).filter(|_| !moot(id)) else {
                continue;
            };
            let known = numbers.iter().position(|one| *one == id);
            let number = known.unwrap_or_else(|| {
                numbers.push(id);
                numbers.len() - 1
            }) + 1;
            let new = |id: &&&'static str| !moot(id) && !numbers.contains(id);
            let total = numbers.len() + queue.iter().filter(new).count();
            let times = self.asked.entry(id).or_insert(0);
            *times += 1;
            let times = *times;
            let text = format!("Question {number} of {total}: {}", asked.text);
            match self.ask_one(asked, times, text).await? {
                Card::Answered => {
                    let opened = self.refresh();
                    let opened = opened.into_iter().filter(|id| !queue.contains(id));
                    queue.extend(opened.collect::<Vec<_>>());
                }
                Card::Skipped => {
                    self.leave_open(id);
                    let platform = self.answer("target-platform").map_or("", |one| &one.answer);
                    if is_required(asked, platform) && times < MOST_SKIPS {
                        queue.push_back(id);
                    }
                }
            }
        }
        Ok(())
    }

    async fn ask_one(
        &mut self,
        asked: &'static InterviewQuestion,
        times: u32,
        text: String,
    ) -> Result<Card, Leave> {
        let id = asked.id;
        let name = match times {
            1 => format!("question-{id}"),
            times => format!("question-{id}-{times}"),
        };
        let proposal = self.proposal(id).cloned();
        let proposal = proposal.unwrap_or_else(|| Proposal::open(asked));
        let mut put = Put {
            asked,
            proposal: &proposal,
            text,
            note: String::new(),
        };
        if times > 1 {
            put.note = "It was skipped, and the work rests on it.".to_owned();
        }
        let said = match self.put(&name, &put).await? {
            Said::Words(words) => match check_answer_value(id, &words) {
                Ok(_) => Said::Words(words),
                // Told once with what can be said; whoever insists is taken at their word.
                Err(problem) => {
                    put.note = format!("That cannot be read: {problem}.");
                    self.put(&format!("{name}-again"), &put).await?
                }
            },
            said @ (Said::Recommended | Said::Skip) => said,
        };
        Ok(match said {
            Said::Skip => Card::Skipped,
            Said::Recommended => {
                let answer = proposal.answer.as_deref().unwrap_or_default();
                self.set(id, (answer, proposal.source), &proposal.why);
                Card::Answered
            }
            Said::Words(words) => {
                let read = check_answer_value(id, &words);
                let why = read
                    .err()
                    .map(|problem| format!("taken as it was said; {problem}"));
                let person = (words.trim(), AnswerSource::Person);
                self.set(id, person, &why.unwrap_or_default());
                Card::Answered
            }
        })
    }

    async fn put(&self, name: &str, put: &Put<'_>) -> Result<Said, Leave> {
        let run = self.way.run;
        let proposal = put.proposal;
        let others: Vec<(String, &String)> = proposal
            .alternatives
            .iter()
            .zip(1..)
            .map(|(answer, number)| (format!("other-{number}"), answer))
            .collect();
        let mut options: Vec<(&str, &str)> = Vec::new();
        options.extend(
            proposal
                .answer
                .as_deref()
                .map(|answer| (RECOMMENDED, answer)),
        );
        let labels = others.iter();
        options.extend(labels.map(|(id, answer)| (id.as_str(), answer.as_str())));
        // No number ends the run: on another card the same number is an answer.
        options.push(("skip", "skip this question"));
        let recommended = proposal.answer.is_some();
        let why = if recommended {
            proposal.why.clone()
        } else {
            nobody(put.asked.id)
        };
        let why = [put.note.as_str(), &why, "To end the run, type abort."]
            .into_iter()
            .filter(|part| !part.is_empty());
        let why = why.collect::<Vec<_>>().join("\n");
        let question = Question {
            purpose: Purpose::Choice,
            card: QuestionCard::with_options(put.text.clone(), Some(why), &options),
            shape: AnswerShape::ChoiceOrText {
                options: options.iter().map(|(id, _)| (*id).to_owned()).collect(),
                max_bytes: MOST_BYTES,
            },
            recommended: recommended.then(|| RECOMMENDED.to_owned()),
            // What nobody recommends is not decided by a flag.
            audience: if recommended {
                Audience::Any
            } else {
                Audience::Person
            },
            deadline: None,
            on_timeout: OnTimeout::Wait,
        };
        let answer = run.ask(self.scope.key(name)?, question).await?;
        Ok(match answer.value.value {
            AnswerValue::Text { text } => {
                let words = run.text(text).await?;
                if ends_run(&words) {
                    return Err(self.ended_at(put.asked.id).await);
                }
                Said::Words(words)
            }
            // Cards of earlier versions had it as an option.
            AnswerValue::Option { id } if ends_run(&id) => {
                return Err(self.ended_at(put.asked.id).await);
            }
            AnswerValue::Option { id } if id == RECOMMENDED => Said::Recommended,
            AnswerValue::Option { id } => {
                let mut others = others.iter();
                let other = others.find(|(other, _)| *other == id);
                other.map_or(Said::Skip, |(_, answer)| Said::Words((*answer).clone()))
            }
            AnswerValue::Decide if recommended => Said::Recommended,
            AnswerValue::Decide | AnswerValue::Limit { .. } => Said::Skip,
        })
    }

    async fn ended_at(&self, id: &str) -> Leave {
        let told = format!("The interview was ended at the question `{id}`.");
        halt(self.way.run, HaltReason::InterviewAborted, &told).await
    }
}

/// The one word that ends a run from a card.
pub(super) fn ends_run(words: &str) -> bool {
    words.trim().trim_matches('`').eq_ignore_ascii_case("abort")
}

/// What a card says where there is no recommendation.
fn nobody(id: &str) -> String {
    let allowed = allowed_values(id);
    if allowed.is_empty() {
        return "Nobody could recommend an answer: say it in your own words.".to_owned();
    }
    format!(
        "Nobody could recommend an answer: say one of {}, with a word about it if you like.",
        allowed.join(", ")
    )
}

/// What was said on a card.
enum Said {
    Recommended,
    Words(String),
    Skip,
}
