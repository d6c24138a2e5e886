//! Three seats recommend: one for what is plain, one for what grows, one for what is cheap.

use std::collections::BTreeSet;

use gavel_agent::{Ask, Asked};
use gavel_domain::{
    AnswerShape, AnswerSource, AnswerValue, Audience, FaultClass, OnTimeout, Purpose, QuestionCard,
    RecommendersChosen, Role, Scope, Stage, Tokens,
};
use gavel_models::ModelInfo;
use gavel_rules::{
    HaltReason, InterviewQuestion, Recommender, Tally, Vote, check_answer_value, council_fits,
    recommender_guard, tally,
};
use gavel_run::{Blobs, Pure, Question, RunError, StepFailure};
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::interview::Interview;
use super::recommend::{Proposal, key_refused, question_ids};
use crate::staffing::Staff;
use crate::way::{Leave, Way, halt, json};

/// Rules have one opinion: three seats of theirs would be staged.
const OFFLINE: &str = "offline";
const SPEECH: Tokens = Tokens(3_000);
const STANCES: [(&str, &str); 3] = [
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
enum Sat {
    Recommended(Vec<Proposal>),
    NoKey(String),
}

/// Lets three seats weigh the questions that are theirs, where that is possible and affordable.
pub(super) async fn weigh(
    way: Way<'_>,
    scope: &Scope,
    staff: &mut Staff,
    interview: &mut Interview<'_>,
) -> Result<(), Leave> {
    let questions = interview.for_a_council();
    if questions.is_empty() {
        return Ok(());
    }
    let chosen = choose(way, scope, staff).await?;
    if chosen.by != "council" {
        if chosen.reason == "guard" {
            interview.notes.push(format!(
                "Recommending has cost {} of {} that it may cost, so the leader recommends alone.",
                chosen.spent, chosen.guard
            ));
        }
        return Ok(());
    }
    let task = interview.material.task(way, &questions).await?;
    let mut number = 1;
    loop {
        let room = scope.scope("council", number)?;
        let seats = seats_of(staff, way.choices.recommender);
        let sitting = Sitting {
            way,
            scope: &room,
            staff,
            task: &task,
            questions: &questions,
        };
        match sitting.sit(&seats).await? {
            Sat::Recommended(proposals) => {
                interview.propose(proposals);
                return Ok(());
            }
            Sat::NoKey(told) if try_again(way, &room, &told).await? => {
                staff.choose_again(way, &room).await?;
            }
            Sat::NoKey(_) => {
                let told = "A seat's key was not accepted, so the leader recommends alone.";
                interview.notes.push(told.to_owned());
                return Ok(());
            }
        }
        number += 1;
    }
}

/// Who recommends, with what it has really cost so far; on record before anybody is asked.
async fn choose(way: Way<'_>, scope: &Scope, staff: &Staff) -> Result<RecommendersChosen, Leave> {
    let run = way.run;
    let seats = seats_of(staff, way.choices.recommender);
    let names: Vec<String> = seats.iter().map(|model| model.id.to_string()).collect();
    let cap = run.caps().run_usd;
    let reason = if way.choices.recommender == Recommender::Leader {
        "setting"
    } else if seats.is_empty() && is_rules(&staff.leader) {
        "rules"
    } else if seats.is_empty() {
        "one_model"
    } else {
        ""
    };
    let effect = |_: Blobs| {
        let names = names.clone();
        async move {
            let usage = run.usage().await;
            let usage = usage.map_err(|error| StepFailure::of(FaultClass::Failed, &error))?;
            let spend = usage.by_stage.get(Stage::Discovery.word());
            let spent = spend.map(|spend| spend.cost + spend.interrupted_ceiling);
            let spent = spent.unwrap_or_default();
            let reason = if reason.is_empty() && !council_fits(spent, cap) {
                "guard"
            } else {
                reason
            };
            let council = reason.is_empty();
            Ok(RecommendersChosen {
                by: if council { "council" } else { "leader" }.to_owned(),
                reason: reason.to_owned(),
                seats: if council { names } else { Vec::new() },
                spent,
                guard: recommender_guard(cap),
            })
        }
    };
    let key = scope.key("recommenders")?;
    Ok(run.step(key, Pure, &(reason, &names), effect).await?.value)
}

/// The models of the three seats; none when there are not enough for different opinions.
fn seats_of(staff: &Staff, recommender: Recommender) -> Vec<ModelInfo> {
    let models = staff.seats.iter().chain([&staff.leader]);
    let mut models: Vec<&ModelInfo> = models.filter(|model| !is_rules(model)).collect();
    let mut known = BTreeSet::new();
    models.retain(|model| known.insert(model.id.to_string()));
    let enough = match recommender {
        Recommender::Auto => models.len() >= 2,
        Recommender::Council => !models.is_empty(),
        Recommender::Leader => false,
    };
    if !enough {
        return Vec::new();
    }
    let repeated = models.into_iter().cycle();
    repeated.take(STANCES.len()).cloned().collect()
}

fn is_rules(model: &ModelInfo) -> bool {
    model.id.as_str() == OFFLINE
}

/// One sitting of the three.
struct Sitting<'s> {
    way: Way<'s>,
    scope: &'s Scope,
    staff: &'s Staff,
    task: &'s str,
    questions: &'s [&'static InterviewQuestion],
}

impl Sitting<'_> {
    async fn sit(&self, seats: &[ModelInfo]) -> Result<Sat, Leave> {
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

/// Asks what to do about a key; false when the leader is to recommend alone.
async fn try_again(way: Way<'_>, scope: &Scope, told: &str) -> Result<bool, Leave> {
    let run = way.run;
    let options = [
        ("again", "the key is mended: try again"),
        ("leader", "go on with the leader's recommendations"),
        ("stop", "stop here; everything so far is kept"),
    ];
    let text = "A model's key was not accepted. Try again?";
    let question = Question {
        purpose: Purpose::Trouble,
        card: QuestionCard::with_options(text.to_owned(), Some(told.to_owned()), &options),
        shape: AnswerShape::Choice {
            options: options.map(|(id, _)| id.to_owned()).to_vec(),
        },
        recommended: Some("again".to_owned()),
        audience: Audience::Any,
        deadline: None,
        on_timeout: OnTimeout::Wait,
    };
    let answer = run.ask(scope.key("trouble")?, question).await?;
    match answer.value.value {
        AnswerValue::Decide => Ok(true),
        AnswerValue::Option { id } if id == "again" => Ok(true),
        AnswerValue::Option { id } if id == "leader" => Ok(false),
        AnswerValue::Option { .. } | AnswerValue::Text { .. } | AnswerValue::Limit { .. } => {
            Err(halt(run, HaltReason::Stuck, told).await)
        }
    }
}
