//! After a round: what the leader sees in it, whether another follows, the minutes.

use std::collections::BTreeSet;

use gavel_agent::{Ask, Asked, Reading, read_answer};
use gavel_domain::{
    DebateStop, FaultClass, MicroUsd, Role, RoundEvaluated, RoundSummarised, Tokens,
};
use gavel_models::ModelInfo;
use gavel_rules::council::{AfterRound, RoundSeen, after_round, converged};
use gavel_run::{Pure, Run, RunError, StepFailure};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::Edition;
use crate::chamber::{Chamber, SPEECH, Spoken, TRIES, count, or_silent};
use crate::floor::Floor;
use crate::record::json_text;
use crate::rounds::{Agenda, RoundWent};
use crate::task::list;

const EVALUATION: Tokens = Tokens(1_536);
const SUMMARY: Tokens = Tokens(768);
/// What the synthesis may take; kept back when rounds are begun.
const ENDING: Tokens = Tokens(10_000);
/// What a request of a debate holds, about, for what is kept back.
const INPUT: Tokens = Tokens(12_000);
/// How much of a turn the leader is shown.
const SHOWN_TURNS: usize = 8;
/// Fewer checked claims than this call for a look into sources, from the second round on.
const THIN: u32 = 30;
const EVALUATE_WORDS: &str = "Evaluate the round that was just held.";
const SUMMARY_WORDS: &str = "Write the minutes of the debate so far.";

/// What the leader sees in a round.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Evaluation {
    /// One entry per criterion.
    #[serde(default)]
    criteria: Vec<CriterionSeen>,
    /// Points on which seats still differ.
    #[serde(default)]
    unresolved: Vec<String>,
    /// True when a fact is missing that sources would settle.
    #[serde(default)]
    needs_research: bool,
    /// What to look for.
    #[serde(default)]
    research_query: String,
    /// True when another round would change the answer.
    go_on: bool,
    /// Why, one sentence.
    #[serde(default)]
    reason: String,
    /// Rounds more than planned, 0 to 2.
    #[serde(default)]
    extend: u32,
    /// What the next round should be about.
    #[serde(default)]
    next_focus: String,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
struct CriterionSeen {
    /// Its number.
    number: u32,
    /// Whether it is met.
    met: bool,
    /// Whether only building can show it.
    #[serde(default)]
    deferred: bool,
    /// What shows it.
    #[serde(default)]
    evidence: String,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
struct Minutes {
    /// At most 120 words.
    text: String,
}

impl Evaluation {
    /// What is missing, in the leader's words: the query, the focus, or the first open point.
    fn missing(&self) -> Option<String> {
        let open = self.unresolved.iter().map(String::as_str);
        let words = [self.research_query.as_str(), self.next_focus.as_str()];
        let mut words = words.into_iter().chain(open).map(str::trim);
        words.find(|words| !words.is_empty()).map(str::to_owned)
    }
}

/// What follows a round.
#[derive(Debug)]
pub(crate) struct After {
    pub(crate) stop: Option<DebateStop>,
    pub(crate) extended: u32,
    /// What to look up before the next round.
    pub(crate) query: Option<String>,
}

impl Chamber<'_> {
    /// Compares the openings; a reason when no round follows them.
    pub(crate) async fn before_rounds(
        &self,
        agenda: Agenda<'_>,
        floor: &Floor,
    ) -> Result<Option<DebateStop>, RunError> {
        let went = RoundWent {
            round: 0,
            pairs: 0,
            failed_pairs: 0,
        };
        let needed = self.round_takes(agenda, floor);
        let bare = figures(agenda, floor, went);
        // Where all agree with whole evidence there is nothing left to argue about.
        let settled = self.council.gate
            && self.council.edition > Edition::First
            && !self.is_enforced(agenda)
            && floor.is_agreed_and_shown(agenda.plan);
        let settled = settled.then_some(DebateStop::Converged);
        let key = self.scope.key("openings/evaluated")?;
        let effect = |_| {
            let evaluated = bare.clone();
            async move {
                let stop = (!affordable(self.run, needed).await?).then_some(DebateStop::Budget);
                let stop = settled.or(stop);
                Ok(RoundEvaluated { stop, ..evaluated })
            }
        };
        let evaluated = self.run.step(key, Pure, &"openings", effect).await?;
        Ok(evaluated.value.stop)
    }

    /// Lets the leader look at a round and decides what follows.
    pub(crate) async fn evaluate(
        &mut self,
        agenda: Agenda<'_>,
        floor: &mut Floor,
        (went, allowed): (RoundWent, u32),
    ) -> Result<After, RunError> {
        let left = allowed.saturating_sub(went.round);
        let asked = self
            .ask_for_evaluation(agenda, floor, (went.round, left))
            .await?;
        let evaluation = match asked {
            Asked::Answered(evaluation) => Some(evaluation),
            Asked::Unusable { .. } => None,
        };
        let evaluated = self
            .record_evaluation(agenda, floor, (went, allowed, evaluation.as_ref()))
            .await?;
        let evaluation = evaluation.unwrap_or_default();
        floor.agreed_before = floor.is_agreed(agenda.plan);
        // A criterion may be taken back; a leader that says nothing takes nothing back.
        if evaluated.text.is_some() {
            floor.met = evaluated.met.iter().copied().collect();
        }
        floor.half_failed_before = went.half_failed();
        evaluation.next_focus.trim().clone_into(&mut floor.focus);
        let thin = went.round >= 2 && evaluated.density.is_some_and(|density| density < THIN);
        let query = (evaluation.needs_research || thin).then(|| evaluation.missing());
        Ok(After {
            stop: evaluated.stop,
            extended: evaluated.extended,
            query: query.flatten(),
        })
    }

    /// Records what was seen in a round and what follows: what is left of the caps is looked at once.
    async fn record_evaluation(
        &self,
        agenda: Agenda<'_>,
        floor: &Floor,
        (went, allowed, evaluation): (RoundWent, u32, Option<&Evaluation>),
    ) -> Result<RoundEvaluated, RunError> {
        let met = evaluation.map(|one| met(one, criteria_of(self, agenda).len()));
        let bare = figures(agenda, floor, went);
        let seen = RoundSeen {
            round: went.round,
            allowed,
            kind: agenda.plan.output_shape.kind,
            voices: agenda.voices,
            converged: bare.converged,
            by_votes: self.council.edition > Edition::First && !agenda.plan.decisions.is_empty(),
            agreed_twice: floor.agreed_before && floor.is_agreed(agenda.plan),
            unresolved: evaluation.map(|one| count(one.unresolved.iter())),
            leader_goes_on: evaluation.map(|one| one.go_on),
            wants_more: evaluation.map_or(0, |one| one.extend),
            criterion_moved: met.as_ref().is_some_and(|met| *met != floor.met),
            half_failed: went.half_failed(),
            half_failed_before: floor.half_failed_before,
            seats_left: count(floor.sitting().iter()),
            affordable: true,
        };
        let key = self.scope.key(&format!("round-{}/evaluated", went.round))?;
        let text = evaluation.map(|one| json_text::<RoundEvaluated>(&key, one));
        let text = text.transpose()?;
        let (run, needed) = (self.run, self.round_takes(agenda, floor));
        let effect = |blobs: gavel_run::Blobs| {
            let evaluated = RoundEvaluated {
                text: text.as_ref().map(|text| blobs.keep(text.as_str())),
                met: met.iter().flatten().copied().collect(),
                unresolved: seen.unresolved.unwrap_or_default(),
                ..bare.clone()
            };
            async move {
                let affordable = affordable(run, needed).await?;
                let (stop, extended) = match after_round(&RoundSeen { affordable, ..seen }) {
                    AfterRound::Stop(stop) => (Some(stop), 0),
                    AfterRound::Go { extended } => (None, extended),
                };
                Ok(RoundEvaluated {
                    stop,
                    extended,
                    ..evaluated
                })
            }
        };
        let input = (went.round, &text);
        Ok(self.run.step(key, Pure, &input, effect).await?.value)
    }

    async fn ask_for_evaluation(
        &self,
        agenda: Agenda<'_>,
        floor: &Floor,
        (round, left): (u32, u32),
    ) -> Result<Asked<Evaluation>, RunError> {
        let model = &self.council.balanced;
        let mut task = self.task(EVALUATE_WORDS, model, EVALUATION);
        task.data("topic", self.matter.topic, 10);
        let criteria = (1..).zip(criteria_of(self, agenda));
        let criteria =
            criteria.map(|(number, words)| json!({"number": number, "criterion": words}));
        task.data("criteria", &list(criteria), 12);
        self.add_decisions(&mut task, agenda.plan);
        let votes = floor.votes(agenda.plan);
        task.data("votes", &list(votes.iter().map(|vote| json!(vote))), 10);
        task.data("turns", &list(shown(&floor.turns)), 40);
        task.words(&format!("Rounds that are planned after this one: {left}."));
        let ask = Ask {
            model,
            role: Role::Leader,
            shape: "council_evaluation",
            system: include_str!("../prompts/evaluation.md"),
            task: &task.into_text(),
            max_output: EVALUATION,
        };
        let scope = self.scope.scope("round", round)?.scope("evaluation", 1)?;
        let reading = Reading {
            tries: TRIES,
            read: &read_answer::<Evaluation>,
        };
        let asked = ask.answer_by(self.run, &scope, reading);
        or_silent(asked.await)
    }

    /// Writes the minutes for those who go on; put together from positions where no model does.
    pub(crate) async fn sum_up(
        &self,
        agenda: Agenda<'_>,
        floor: &mut Floor,
        round: u32,
    ) -> Result<(), RunError> {
        let model = &self.council.fast;
        let mut task = self.task(SUMMARY_WORDS, model, SUMMARY);
        task.data("topic", self.matter.topic, 10);
        task.data("minutes_so_far", &floor.summary, 20);
        task.data("turns", &list(shown(&floor.turns)), 50);
        let ask = Ask {
            model,
            role: Role::Leader,
            shape: "council_summary",
            system: include_str!("../prompts/round-summary.md"),
            task: &task.into_text(),
            max_output: SUMMARY,
        };
        let scope = self.scope.scope("round", round)?.scope("summary", 1)?;
        let read = |text: &str| match read_answer::<Minutes>(text) {
            Ok(minutes) if minutes.text.trim().is_empty() => Err("`text` is empty".to_owned()),
            read => read,
        };
        let reading = Reading {
            tries: TRIES,
            read: &read,
        };
        let asked = ask.answer_by(self.run, &scope, reading);
        let (text, by_rules) = match or_silent(asked.await)? {
            Asked::Answered(minutes) => (minutes.text, false),
            Asked::Unusable { .. } => (stated(agenda, floor), true),
        };
        let key = self.scope.key(&format!("round-{round}/summarised"))?;
        let memory = self.run.memory();
        let summarised = self.run.step(key, Pure, &text, |blobs| {
            let (memory, text) = (memory.clone(), &text);
            async move {
                // Everybody reads the minutes: what they claim is looked up as what a seat claims.
                let mut evidence = self.evidence.clone();
                evidence.look_beyond(memory.as_ref(), (text, &[])).await;
                Ok(RoundSummarised {
                    round,
                    text: blobs.keep(evidence.check(text).text),
                    by_rules,
                })
            }
        });
        let summarised = summarised.await?.value;
        floor.summary = self.run.text(summarised.text).await?;
        Ok(())
    }

    /// The most that another round and the end of the debate can cost.
    fn round_takes(&self, agenda: Agenda<'_>, floor: &Floor) -> Needed {
        let sitting = floor.sitting();
        let seats = agenda.seats.iter();
        let seats = seats.filter(|seat| sitting.contains(&seat.number));
        let twice = self.council.edition == Edition::First && sitting.len() > 2;
        let turns = if twice { 2 } else { 1 };
        let mut needed = Needed::default();
        for seat in seats {
            for _ in 0..turns {
                needed.add(seat.model, SPEECH);
            }
        }
        needed.add(&self.council.balanced, EVALUATION);
        needed.add(&self.council.fast, SUMMARY);
        needed.add(&self.council.leader, ENDING);
        needed.add(&self.council.judge, EVALUATION);
        needed
    }
}

/// Money and tokens that must be left.
#[derive(Debug, Clone, Copy, Default)]
struct Needed {
    money: MicroUsd,
    tokens: u64,
}

impl Needed {
    fn add(&mut self, model: &ModelInfo, output: Tokens) {
        let price = model.price.map(|price| price.worst_case(INPUT, output));
        self.money = self.money + price.unwrap_or_default();
        self.tokens = self.tokens.saturating_add(INPUT.0 + output.0);
    }
}

/// True when what is needed fits under the caps of the run.
async fn affordable(run: &Run, needed: Needed) -> Result<bool, StepFailure> {
    let caps = run.caps();
    let usage = run.usage().await;
    let usage = usage.map_err(|error| StepFailure::of(FaultClass::Failed, &error))?;
    let spent = usage.total;
    let booked = spent.cost + spent.interrupted_ceiling + spent.reserved;
    let money = caps
        .run_usd
        .is_none_or(|cap| cap.saturating_sub(booked) >= needed.money);
    let used = spent.tokens.input.0 + spent.tokens.output.0;
    let tokens = caps
        .run_tokens
        .is_none_or(|cap| cap.0.saturating_sub(used) >= needed.tokens);
    Ok(money && tokens)
}

/// How one sees that the question is answered; without criteria, every decision is one.
pub(crate) fn criteria_of(chamber: &Chamber<'_>, agenda: Agenda<'_>) -> Vec<String> {
    let given = chamber.matter.criteria();
    if !given.is_empty() {
        return given.to_vec();
    }
    let decisions = agenda.plan.decisions.iter();
    decisions
        .map(|open| format!("It is settled: {}", open.question))
        .collect()
}

/// The places of the criteria that hold. One that only building can show stands in nobody's way.
fn met(evaluation: &Evaluation, criteria: usize) -> BTreeSet<u32> {
    let holds = evaluation.criteria.iter();
    let holds = holds.filter(|seen| seen.met || seen.deferred);
    let places = holds.filter_map(|seen| seen.number.checked_sub(1));
    let most = u32::try_from(criteria).unwrap_or(u32::MAX);
    places.filter(|place| *place < most).collect()
}

/// What can be counted about a round.
fn figures(agenda: Agenda<'_>, floor: &Floor, went: RoundWent) -> RoundEvaluated {
    let votes = floor.votes(agenda.plan);
    let agreed = count(votes.iter().filter(|vote| vote.agreed));
    let turns: Vec<&Spoken> = floor
        .turns
        .iter()
        .filter(|turn| turn.round == went.round)
        .collect();
    let locked = count(turns.iter().filter(|turn| turn.locked));
    RoundEvaluated {
        round: went.round,
        agreed,
        disputed: count(votes.iter()).saturating_sub(agreed),
        text: None,
        met: Vec::new(),
        unresolved: 0,
        converged: converged(locked, count(turns.iter())),
        density: floor.density_of(went.round),
        failed_pairs: went.failed_pairs,
        pairs: went.pairs,
        extended: 0,
        stop: None,
    }
}

/// The last turns, as the leader reads them.
fn shown(turns: &[Spoken]) -> Vec<serde_json::Value> {
    let first = turns.len().saturating_sub(SHOWN_TURNS);
    let last = turns.iter().skip(first);
    let one = |turn: &Spoken| json!({"stance": turn.said.stance, "round": turn.round, "text": turn.said.text, "choices": turn.said.choices});
    last.map(one).collect()
}

/// Where everybody stands, in their own words.
fn stated(agenda: Agenda<'_>, floor: &Floor) -> String {
    let positions = floor.positions(agenda.seats);
    let lines = positions.iter().map(|position| {
        let words: String = position.text.chars().take(300).collect();
        format!("{}: {words}", position.stance)
    });
    lines.collect::<Vec<_>>().join("\n")
}
