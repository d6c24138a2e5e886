//! One sitting of the three seats: what each recommends, what they agree about, what is settled
//! where they do not.

use gavel_agent::{Ask, Asked};
use gavel_domain::{AnswerSource, Role, Scope, Tokens};
use gavel_models::ModelInfo;
use gavel_rules::{InterviewQuestion, Tally, Vote, check_answer_value, tally};
use gavel_run::RunError;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::recommend::{Proposal, key_refused, question_ids};
use crate::staffing::Staff;
use crate::way::{Leave, Way, json};

const SPEECH: Tokens = Tokens(3_000);
/// The seats: a name and an aim.
pub(super) const STANCES: [(&str, &str); 3] = [
    (
        "pragmatist",
        "You want what a small team builds and understands with the least trouble.",
    ),
    (
        "scaler",
        "You want what still works when ten times as many people use it, without building it twice.",
    ),
    (
        "cost-optimiser",
        "You want what costs the least to build, to run and to keep.",
    ),
];
const SEAT_WORDS: &str = "You are one of three seats that recommend answers about a small software \
    project, each for itself. Answer every question that is listed, once, the smallest answer that \
    serves your aim, with a reason of one sentence that refers to the idea or to the repository. \
    `confidence` says from 0 to 100 how sure you are.";
const SYNTHESIS_WORDS: &str = "Three seats recommended different answers about a small software \
    project. Weigh their reasons and settle each question that is listed once, with one answer that \
    serves the idea and a reason of one sentence that says why it goes before the others.";

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Votes {
    votes: Vec<SeatVote>,
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SeatVote {
    /// The question's id.
    #[schemars(schema_with = "question_ids")]
    question: String,
    answer: String,
    /// Why, in one sentence.
    why: String,
    /// From 0 to 100.
    confidence: u8,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Synthesis {
    settled: Vec<SettledVote>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SettledVote {
    /// The question's id.
    #[schemars(schema_with = "question_ids")]
    question: String,
    answer: String,
    /// Why this one, in one sentence.
    why: String,
}

/// What a model that was asked said.
enum Heard<T> {
    Said(T),
    Silent,
    /// Its key was not accepted; the sentence says what to do.
    NoKey(String),
}

/// What sitting together came to.
pub(super) enum Sat {
    Recommended(Vec<Proposal>),
    NoKey(String),
}

/// One sitting of the three.
pub(super) struct Sitting<'s> {
    pub(super) way: Way<'s>,
    pub(super) scope: &'s Scope,
    pub(super) staff: &'s Staff,
    pub(super) task: &'s str,
    pub(super) questions: &'s [&'static InterviewQuestion],
}

impl Sitting<'_> {
    /// Asks all three at once, then settles what they do not agree about.
    pub(super) async fn sit(&self, seats: &[ModelInfo]) -> Result<Sat, Leave> {
        let run = self.way.run;
        let mut parts = Vec::with_capacity(seats.len());
        for ((stance, model), number) in STANCES.iter().zip(seats).zip(1_u32..) {
            let seat = self.scope.scope("seat", number)?;
            parts.push((seat.key("votes")?, self.ask_seat(seat, stance, model)));
        }
        let mut all = Vec::with_capacity(parts.len());
        for (_, heard) in run.all(parts).await? {
            match heard {
                Heard::Said(votes) => all.push(votes),
                Heard::Silent => {}
                Heard::NoKey(told) => return Ok(Sat::NoKey(told)),
            }
        }
        let mut proposals = Vec::new();
        let mut split = Vec::new();
        for question in self.questions {
            let votes = votes_about(question, &all);
            match tally(&votes) {
                Tally::Silent => {}
                Tally::Agreed { winner, others } => {
                    let same = agreed(&votes, winner);
                    let count = format!("{same} of {} seats agree", votes.len());
                    proposals.extend(proposal(question, &votes, (winner, &others), &count));
                }
                Tally::Split { order } => split.push((*question, votes, order)),
            }
        }
        if !split.is_empty() {
            let settled = match self.settle(&split).await? {
                Heard::Said(synthesis) => synthesis.settled,
                Heard::Silent => Vec::new(),
                Heard::NoKey(told) => return Ok(Sat::NoKey(told)),
            };
            proposals.extend(split.iter().filter_map(|one| settle_split(one, &settled)));
        }
        Ok(Sat::Recommended(proposals))
    }

    async fn ask_seat(
        &self,
        scope: Scope,
        (name, aim): &(&str, &str),
        model: &ModelInfo,
    ) -> Result<Heard<Votes>, RunError> {
        let system = format!("{SEAT_WORDS}\n\nYour seat is the {name}. {aim}");
        let ask = Ask {
            model,
            role: Role::Stance,
            shape: "discovery_votes",
            system: &system,
            task: self.task,
            max_output: SPEECH,
        };
        let check =
            |votes: &Votes| self.check(votes.votes.iter().map(|one| (&one.question, &one.answer)));
        self.heard(
            model,
            ask.answer(self.way.run, &scope, (&self.way.place.context, check))
                .await,
        )
    }

    /// One call settles whatever the seats do not agree about.
    async fn settle(&self, split: &[Split]) -> Result<Heard<Synthesis>, Leave> {
        let run = self.way.run;
        let told: Vec<_> = split
            .iter()
            .map(|(question, votes, _)| {
                let votes: Vec<_> = votes.iter().map(|vote| (&vote.answer, &vote.why)).collect();
                (question.id, votes)
            })
            .collect();
        let seats = super::data(self.way, "seats", &json(run, &told)?);
        let ids: Vec<&str> = split.iter().map(|(question, ..)| question.id).collect();
        let task = format!("{}\n\n{seats}\n\nSettle: {}.", self.task, ids.join(", "));
        let leader = &self.staff.leader;
        let ask = Ask {
            model: leader,
            role: Role::Leader,
            shape: "discovery_synthesis",
            system: SYNTHESIS_WORDS,
            task: &task,
            max_output: SPEECH,
        };
        let check = |synthesis: &Synthesis| {
            let wrong = synthesis
                .settled
                .iter()
                .filter_map(|one| check_answer_value(&one.question, &one.answer).err());
            let wrong: Vec<String> = wrong.map(|problem| problem.to_string()).collect();
            if wrong.is_empty() {
                Ok(())
            } else {
                Err(wrong.join("; "))
            }
        };
        let scope = self.scope.scope("synthesis", 1)?;
        let asked = ask
            .answer(run, &scope, (&self.way.place.context, check))
            .await;
        Ok(self.heard(leader, asked)?)
    }

    /// Every question that is listed must be answered in words that can be read.
    fn check<'v>(
        &self,
        votes: impl Iterator<Item = (&'v String, &'v String)>,
    ) -> Result<(), String> {
        let votes: Vec<(&String, &String)> = votes.collect();
        let mut wrong = Vec::new();
        for question in self.questions {
            match votes.iter().find(|(id, _)| *id == question.id) {
                Some((_, answer)) => {
                    let read = check_answer_value(question.id, answer);
                    wrong.extend(read.err().map(|problem| problem.to_string()));
                }
                None => wrong.push(format!("no answer for the question `{}`", question.id)),
            }
        }
        if wrong.is_empty() {
            Ok(())
        } else {
            Err(wrong.join("; "))
        }
    }

    /// A model that fails for good says nothing; a key that is not accepted stops at once.
    fn heard<T: DeserializeOwned>(
        &self,
        model: &ModelInfo,
        asked: Result<Asked<T>, RunError>,
    ) -> Result<Heard<T>, RunError> {
        match asked {
            Ok(Asked::Answered(said)) => Ok(Heard::Said(said)),
            Ok(Asked::Unusable { .. }) => Ok(Heard::Silent),
            Err(RunError::Failed(error)) => {
                Ok(key_refused(model, &error).map_or(Heard::Silent, Heard::NoKey))
            }
            Err(error) => Err(error),
        }
    }
}

/// A question about which every seat says something else, surest first.
type Split = (&'static InterviewQuestion, Vec<Vote>, Vec<usize>);

fn votes_about(question: &InterviewQuestion, all: &[Votes]) -> Vec<Vote> {
    let said = all.iter().flat_map(|votes| {
        let mut about = votes.votes.iter();
        about.find(|vote| vote.question == question.id)
    });
    said.filter_map(|vote| {
        let normal = check_answer_value(question.id, &vote.answer).ok()?;
        Some(Vote {
            answer: vote.answer.clone(),
            normal: normal.key(),
            why: vote.why.clone(),
            confidence: vote.confidence.min(100),
        })
    })
    .collect()
}

fn agreed(votes: &[Vote], winner: usize) -> usize {
    let normal = votes.get(winner).map(|vote| &vote.normal);
    votes
        .iter()
        .filter(|vote| Some(&vote.normal) == normal)
        .count()
}

fn proposal(
    question: &'static InterviewQuestion,
    votes: &[Vote],
    (winner, others): (usize, &[usize]),
    how: &str,
) -> Option<Proposal> {
    let winner = votes.get(winner)?;
    let others = others.iter().filter_map(|place| votes.get(*place));
    Some(Proposal {
        question,
        answer: Some(winner.answer.clone()),
        why: format!("{} ({how})", winner.why),
        alternatives: others.map(|vote| vote.answer.clone()).collect(),
        source: AnswerSource::Council,
    })
}

/// What the synthesis says, or the surest seat where there is none: marked as such.
fn settle_split((question, votes, order): &Split, settled: &[SettledVote]) -> Option<Proposal> {
    let (surest, rest) = order.split_first()?;
    let mut settled = settled.iter();
    let Some(one) = settled.find(|one| one.question == question.id) else {
        let rest: Vec<usize> = rest.iter().copied().take(2).collect();
        let how = "the seats do not agree; this is the surest one";
        return proposal(question, votes, (*surest, &rest), how);
    };
    let normal = check_answer_value(question.id, &one.answer).ok()?.key();
    let others = order.iter().filter_map(|place| votes.get(*place));
    let others = others.filter(|vote| vote.normal != normal).take(2);
    Some(Proposal {
        question,
        answer: Some(one.answer.clone()),
        why: format!("{} (drawn from seats that do not agree)", one.why),
        alternatives: others.map(|vote| vote.answer.clone()).collect(),
        source: AnswerSource::Council,
    })
}
