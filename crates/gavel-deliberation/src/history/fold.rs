//! The fold: the facts of one debate, in the order in which they were written.

use std::collections::BTreeMap;

use gavel_domain::{
    AnswerValue, CouncilFact, DebatePart, MoneyFact, OutcomeFact, QuestionFact, Record, RunFact,
    RunId, StanceSpoke, SynthesisMade, SynthesisOutcome, UsageSettled, WorkFact,
};
use gavel_rules::council::MemoryLooked;
use gavel_store::Store;
use serde_json::Value;

use super::memory;
use super::rooms::{newer, records, rooms};
use super::told::{Texts, Told};
use super::{
    ActionPlanTold, ConfidenceTold, CouncilRecord, CouncilRow, DOUBTED, DecisionTold,
    EvaluationTold, Keyed, LeaderTold, PLAN_AGREED, PLAN_MADE, PhaseTold, PlanTold, PositionTold,
    RecordError, ResearchTold, SilenceTold, Stats, StopTold, SynthesisTold, TurnTold, VerdictTold,
};
use crate::readable::excerpt;
use crate::synthesis::divide;

const MOST_EXCERPT: usize = 400;

/// Reads all records of a run, verifies their chain, and folds those of one debate.
pub(super) async fn read(
    store: &dyn Store,
    run: RunId,
    meeting: Option<u32>,
) -> Result<Option<CouncilRecord>, RecordError> {
    let records = records(store, run).await?;
    let rooms = rooms(&records)?;
    let meetings = u32::try_from(rooms.len()).unwrap_or(u32::MAX);
    let number = meeting.unwrap_or(meetings);
    let place = number.checked_sub(1).and_then(|n| usize::try_from(n).ok());
    let Some(room) = place.and_then(|place| rooms.get(place)) else {
        return Ok(None);
    };
    let mut fold = Fold {
        texts: Texts::new(store),
        record: empty(run, room, (number, meetings)),
    };
    for record in &records {
        fold.apply(record).await?;
    }
    Ok(Some(fold.end()))
}

pub(super) struct Fold<'a> {
    texts: Texts<'a>,
    pub(super) record: CouncilRecord,
}

impl Fold<'_> {
    async fn apply(&mut self, record: &Record) -> Result<(), RecordError> {
        let newer = |source| newer(record, source);
        if let Some(RunFact::RunStarted(started)) = RunFact::read(record).map_err(newer)?
            && let Some(name) = started.brief
        {
            let brief = self.texts.json::<Value>(record, name).await?;
            self.record.memory = memory::of_brief(&brief, &started.settings);
            self.record.topic = topic_of(brief);
        }
        self.recalled(record)?;
        if !self.is_here(record) {
            // What is asked may be made clear in a room of its own, before the debate.
            if self.record.stats.began_at.is_none()
                && let Some(fact @ CouncilFact::MatterClarified(_)) =
                    CouncilFact::read(record).map_err(newer)?
            {
                self.apply_council(fact, record).await?;
            }
            return self.apply_after(record).await;
        }
        self.pass(record);
        if let Some(fact) = CouncilFact::read(record).map_err(newer)? {
            self.apply_council(fact, record).await?;
        } else if let Some(fact) = OutcomeFact::read(record).map_err(newer)? {
            self.apply_outcome(fact, record).await?;
        } else if let Some(fact) = WorkFact::read(record).map_err(newer)? {
            let stats = &mut self.record.stats;
            match fact {
                WorkFact::ModelReplied(_) => stats.calls += 1,
                WorkFact::ToolFinished(tool) if tool.tool == DOUBTED => {
                    if tool.ok {
                        self.record.doubted = Some(self.texts.text(record, tool.result).await?);
                    }
                }
                WorkFact::ToolFinished(tool) => {
                    stats.source_calls += u32::from(tool.source.is_some());
                }
                WorkFact::CommandFinished(_)
                | WorkFact::CommitMade(_)
                | WorkFact::VerifyFinished(_)
                | WorkFact::InstallDecided(_) => {}
            }
        } else if let Some(fact) = MoneyFact::read(record).map_err(newer)? {
            self.apply_money(&fact);
        }
        Ok(())
    }

    /// What came after the debate: a plan of action, and what a person said to it.
    async fn apply_after(&mut self, record: &Record) -> Result<(), RecordError> {
        let newer = |source| newer(record, source);
        let number = self.record.room.strip_prefix("council-");
        let room = number.map(|number| format!("after-{number}/plan-"));
        let key = record.key.as_str();
        if !room.is_some_and(|room| key.starts_with(&room)) || !record.key.is_outcome() {
            return Ok(());
        }
        if let Some(WorkFact::ToolFinished(made)) = WorkFact::read(record).map_err(newer)?
            && made.tool == PLAN_MADE
        {
            self.record.action_plan = Some(ActionPlanTold {
                key: key.to_owned(),
                plan: self.texts.json(record, made.result).await?,
                agreed: None,
            });
        } else if let Some(QuestionFact::QuestionAnswered(answered)) =
            QuestionFact::read(record).map_err(newer)?
            && key.ends_with("/agreed")
            && let Some(plan) = &mut self.record.action_plan
        {
            let agrees = matches!(&answered.value, AnswerValue::Option { id } if id == PLAN_AGREED);
            plan.agreed = Some(agrees);
        }
        Ok(())
    }

    pub(super) fn is_here(&self, record: &Record) -> bool {
        let rest = record.key.as_str().strip_prefix(self.record.room.as_str());
        rest.is_some_and(|rest| rest.starts_with('/'))
    }

    fn pass(&mut self, record: &Record) {
        let began = *self.record.stats.began_at.get_or_insert(record.at);
        let millis = record.at.duration_since(began).as_millis();
        self.record.stats.duration_ms = u64::try_from(millis).unwrap_or_default();
    }

    fn apply_money(&mut self, fact: &MoneyFact) {
        let stats = &mut self.record.stats;
        match fact {
            MoneyFact::UsageSettled(UsageSettled {
                cost: Some(cost), ..
            }) => {
                stats.cost = stats.cost + *cost;
            }
            MoneyFact::UsageSettled(_) => stats.unpriced += 1,
            MoneyFact::UsageLost(lost) => {
                stats.lost += 1;
                stats.lost_ceiling = stats.lost_ceiling + lost.ceiling.unwrap_or_default();
                stats.lost_unpriced += u32::from(lost.ceiling.is_none());
            }
            MoneyFact::UsageReserved(_)
            | MoneyFact::UsageReleased(_)
            | MoneyFact::SpendThreshold(_)
            | MoneyFact::CeilingBroken(_)
            | MoneyFact::SpendAllowed(_)
            | MoneyFact::CapChanged(_)
            | MoneyFact::CostPreviewed(_)
            | MoneyFact::ShareExceeded(_)
            | MoneyFact::SourceDecided(_) => {}
        }
    }

    async fn apply_council(
        &mut self,
        fact: CouncilFact,
        record: &Record,
    ) -> Result<(), RecordError> {
        let key = record.key.to_string();
        let told = &mut self.record;
        match fact {
            CouncilFact::CouncilPhase(phase) => told.stats.phases.push(PhaseTold {
                key,
                part: phase.part,
                round: phase.round,
                outcome: None,
                millis: None,
                why: None,
                began_at: record.at,
            }),
            CouncilFact::CouncilPhaseEnded(ended) => {
                let why = match ended.why {
                    Some(name) => Some(self.texts.text(record, name).await?),
                    None => None,
                };
                self.end_phase(record, (ended.part, ended.round, ended.outcome), why);
            }
            CouncilFact::MatterClarified(clarified) => {
                told.matter = Some(self.texts.json(record, clarified.matter).await?);
            }
            CouncilFact::DebatePlanned(planned) => {
                told.plan = Some(PlanTold {
                    key,
                    kind: planned.kind,
                    rounds: planned.rounds,
                    fallback: planned.fallback,
                    plan: self.texts.json(record, planned.plan).await?,
                });
            }
            CouncilFact::CouncilSeated(seated) => {
                told.participants = seated.seats;
                told.leader = Some(LeaderTold {
                    key,
                    model: seated.leader,
                    promoted_from: seated.promoted_from,
                    one_model: seated.one_model,
                });
            }
            CouncilFact::DraftsCompared(value) => told.gate = Some(Keyed { key, value }),
            CouncilFact::StanceSpoke(spoke) => self.spoke(spoke, record).await?,
            CouncilFact::DebateStopped(stopped) => {
                told.stop = Some(StopTold {
                    key,
                    reason: stopped.reason,
                    rounds: stopped.rounds,
                });
            }
            CouncilFact::SeatLeft(left) => told.silent.push(SilenceTold {
                key,
                seat: left.seat,
                round: left.round,
                why: None,
                left: true,
            }),
            other @ (CouncilFact::ResearchMade(_)
            | CouncilFact::SeatFailed(_)
            | CouncilFact::RoundEvaluated(_)) => self.apply_texts(other, record).await?,
            CouncilFact::ResearchDecided(_) | CouncilFact::RoundSummarised(_) => {}
        }
        Ok(())
    }

    /// Facts that are little but a text.
    async fn apply_texts(&mut self, fact: CouncilFact, record: &Record) -> Result<(), RecordError> {
        let key = record.key.to_string();
        if let CouncilFact::ResearchMade(made) = fact {
            let text = match made.text {
                Some(name) => Some(self.texts.text(record, name).await?),
                None => None,
            };
            self.record.research.push(ResearchTold {
                key,
                number: made.number,
                outcome: made.outcome,
                results: made.results,
                held: made.held,
                text,
            });
        } else if let CouncilFact::SeatFailed(failed) = fact {
            let why = self.texts.text(record, failed.why).await?;
            self.record.silent.push(SilenceTold {
                key,
                seat: failed.seat,
                round: failed.round,
                why: Some(why),
                left: false,
            });
        } else if let CouncilFact::RoundEvaluated(figures) = fact {
            let said = match figures.text {
                Some(name) => Some(self.texts.json(record, name).await?),
                None => None,
            };
            self.record
                .evaluations
                .push(EvaluationTold { key, figures, said });
        }
        Ok(())
    }

    async fn apply_outcome(
        &mut self,
        fact: OutcomeFact,
        record: &Record,
    ) -> Result<(), RecordError> {
        let key = record.key.to_string();
        match fact {
            OutcomeFact::SynthesisMade(made) => {
                self.record.synthesis = Some(self.synthesis(&made, record).await?);
            }
            OutcomeFact::CouncilJudged(judged) => {
                self.record.verdict = Some(VerdictTold {
                    key,
                    confidence: judged.confidence,
                    needs_person: judged.needs_person,
                    reason: self.texts.text(record, judged.reason).await?,
                    self_judged: judged.self_judged,
                });
            }
            OutcomeFact::DecisionMade(made) => {
                let decision = self.texts.json(record, made.text).await?;
                self.record.decisions.push(DecisionTold {
                    key,
                    number: made.number,
                    id: made.id,
                    option: made.option,
                    changed: made.changed,
                    dissent: made.dissent,
                    decision,
                });
            }
            OutcomeFact::DebateClosed(closed) => {
                if let Some(name) = closed.row
                    && let Told::Kept(row) = self.texts.json::<CouncilRow>(record, name).await?
                {
                    self.record.topic = Some(Told::Kept(row.topic));
                    self.record.assumptions = row.assumptions;
                }
                self.record.confidence = Some(ConfidenceTold {
                    key,
                    badge: closed.badge,
                    density: closed.density,
                    rounds: closed.rounds,
                    voices: closed.voices,
                    dissenters: closed.dissenters,
                });
            }
            OutcomeFact::ReviewMade(_) | OutcomeFact::OptionsReviewed(_) => {}
        }
        Ok(())
    }

    async fn synthesis(
        &mut self,
        made: &SynthesisMade,
        record: &Record,
    ) -> Result<SynthesisTold, RecordError> {
        let text = self.texts.text(record, made.text).await?;
        let key = record.key.to_string();
        let (outcome, text) = match (made.outcome, text) {
            (SynthesisOutcome::Failed, Told::Kept(text)) => {
                let (json, problem) = divide(&text);
                // Older versions kept nothing but what was wrong.
                match serde_json::from_str(json) {
                    Ok(outcome) => (
                        Some(Told::Kept(outcome)),
                        Told::Kept(problem.trim().to_owned()),
                    ),
                    Err(_) => (None, Told::Kept(text)),
                }
            }
            (SynthesisOutcome::Failed, text @ (Told::Odd(_) | Told::Dropped)) => (None, text),
            (SynthesisOutcome::Made | SynthesisOutcome::MadeCompact, Told::Kept(text)) => {
                let (json, readable) = divide(&text);
                let outcome = match serde_json::from_str(json) {
                    Ok(outcome) => Told::Kept(outcome),
                    Err(_) => Told::Odd(json.to_owned()),
                };
                (Some(outcome), Told::Kept(readable.trim().to_owned()))
            }
            (SynthesisOutcome::Made | SynthesisOutcome::MadeCompact, Told::Odd(raw)) => {
                (Some(Told::Odd(raw.clone())), Told::Odd(raw))
            }
            (SynthesisOutcome::Made | SynthesisOutcome::MadeCompact, Told::Dropped) => {
                (Some(Told::Dropped), Told::Dropped)
            }
        };
        Ok(SynthesisTold {
            key,
            how: made.outcome,
            outcome,
            text,
        })
    }

    fn end_phase(
        &mut self,
        record: &Record,
        (part, round, outcome): (DebatePart, u32, gavel_domain::PhaseOutcome),
        why: Option<Told>,
    ) {
        let mut phases = self.record.stats.phases.iter_mut().rev();
        let same = |phase: &&mut PhaseTold| (phase.part, phase.round) == (part, round);
        if let Some(phase) = phases.find(same) {
            let millis = record.at.duration_since(phase.began_at).as_millis();
            phase.millis = u64::try_from(millis).ok();
            phase.outcome = Some(outcome);
            phase.why = why;
        }
    }

    async fn spoke(&mut self, spoke: StanceSpoke, record: &Record) -> Result<(), RecordError> {
        let said = self.texts.json::<Value>(record, spoke.text).await?;
        let field = |name: &str| {
            let value = said.kept().and_then(|said| said.get(name));
            value.and_then(Value::as_str).map(str::to_owned)
        };
        let text = field("text")
            .or_else(|| field("position"))
            .unwrap_or_default();
        let choices = said.kept().and_then(|said| said.get("choices"));
        let cites = choices.and_then(Value::as_array).into_iter().flatten();
        let cites = cites.filter_map(|choice| choice.get("cites")?.as_array());
        let cites = cites.flatten().filter_map(Value::as_str);
        let stance = if spoke.stance.is_empty() {
            field("stance").unwrap_or_default()
        } else {
            spoke.stance
        };
        let length = u32::try_from(text.chars().count()).unwrap_or(u32::MAX);
        let turn = TurnTold {
            key: record.key.to_string(),
            round: spoke.round,
            seat: spoke.seat,
            stance,
            model: spoke.model,
            answers: spoke.answers,
            length: if spoke.length == 0 {
                length
            } else {
                spoke.length
            },
            tags: spoke.tags,
            choices: spoke.choices,
            beyond_brief: spoke.beyond_brief,
            looked_up: spoke.looked_up,
            cites: cites.map(str::to_owned).collect(),
            excerpt: said.map(|_| excerpt(&text, MOST_EXCERPT)),
            said: text,
        };
        self.record.archive.push(turn);
        Ok(())
    }

    fn end(mut self) -> CouncilRecord {
        // Pairs speak at once: the order of a debate is that of its rounds and turns.
        let archive = &mut self.record.archive;
        archive.sort_by_key(|turn| (turn.round, number_of(turn), turn.seat));
        self.record.final_positions = final_positions(archive);
        self.record.dropped = self.texts.dropped;
        self.record
    }
}

/// The number of a turn in its round; zero for an opening.
fn number_of(turn: &TurnTold) -> u32 {
    let mut segments = turn.key.split('/');
    let number = segments.find_map(|segment| segment.strip_prefix("turn-"));
    number.and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// Where every seat stands: its last turn, and its last choice in each decision.
fn final_positions(archive: &[TurnTold]) -> Vec<PositionTold> {
    let mut positions: BTreeMap<u32, PositionTold> = BTreeMap::new();
    let mut turns: Vec<&TurnTold> = archive.iter().collect();
    // Whoever speaks in two pairs of a round stands where it answered fresh words: second in a pair.
    turns.sort_by_key(|turn| {
        (
            turn.round,
            number_of(turn).is_multiple_of(2),
            number_of(turn),
        )
    });
    for turn in turns {
        let before = positions.remove(&turn.seat);
        let mut choices = before.map(|before| before.choices).unwrap_or_default();
        choices.retain(|old| turn.choices.iter().all(|new| new.decision != old.decision));
        choices.extend(turn.choices.iter().cloned());
        let position = PositionTold {
            turn: turn.key.clone(),
            seat: turn.seat,
            stance: turn.stance.clone(),
            model: turn.model.clone(),
            text: turn.excerpt.clone().map(|_| turn.said.clone()),
            choices,
        };
        positions.insert(turn.seat, position);
    }
    positions.into_values().collect()
}

/// What a run was asked, whatever drives it.
fn topic_of(brief: Told<Value>) -> Option<Told> {
    match brief {
        Told::Kept(brief) => {
            let named = ["topic", "idea"].iter().find_map(|name| brief.get(*name));
            let topic = named.and_then(Value::as_str)?;
            Some(Told::Kept(topic.to_owned()))
        }
        Told::Odd(_) => None,
        Told::Dropped => Some(Told::Dropped),
    }
}

fn empty(run: RunId, room: &str, (meeting, meetings): (u32, u32)) -> CouncilRecord {
    CouncilRecord {
        run,
        meeting,
        meetings,
        room: room.to_owned(),
        topic: None,
        doubted: None,
        matter: None,
        plan: None,
        leader: None,
        participants: Vec::new(),
        research: Vec::new(),
        gate: None,
        archive: Vec::new(),
        silent: Vec::new(),
        evaluations: Vec::new(),
        stop: None,
        final_positions: Vec::new(),
        synthesis: None,
        verdict: None,
        decisions: Vec::new(),
        assumptions: Vec::new(),
        action_plan: None,
        memory: MemoryLooked::Asked,
        confidence: None,
        stats: Stats::default(),
        dropped: Vec::new(),
    }
}
