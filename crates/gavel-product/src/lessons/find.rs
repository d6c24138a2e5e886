//! What the journal of a run teaches: what failed first and was mended, which assumptions fell, what
//! people corrected.

use std::collections::{BTreeMap, BTreeSet};

use gavel_domain::{
    AnswerValue, Assumption, AssumptionStatus, BlobRef, BreakerTripped, BuildFact, Digest, Door,
    GateCondition, JudgingFact, Key, Purpose, QuestionAnswered, QuestionAsked, QuestionCard,
    QuestionFact, Record, RecordKey, RunFact, Stage,
};
use gavel_memory::Kind;
use serde::{Deserialize, Serialize};

use super::Learned;

/// The most lessons of one kind: more are not read.
const MOST_OF_KIND: usize = 3;
/// The gate's condition that a person decides.
const PERSONS_APPROVAL: &str = "user_approval";
/// The longest lesson, in characters.
const LONGEST: usize = 600;

/// Something that memory may keep.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Lesson {
    pub(crate) kind: Kind,
    pub(crate) text: String,
    /// The stage in which it showed.
    pub(crate) stage: Option<Stage>,
    /// The record that it rests on.
    pub(crate) rests_on: Option<RecordKey>,
}

/// Texts that facts keep, by digest.
#[derive(Debug, Default)]
pub(crate) struct Texts(BTreeMap<Digest, String>);

impl Texts {
    /// What must be read so that a record can teach something.
    pub(crate) fn wanted(record: &Record) -> Vec<BlobRef> {
        if let Ok(Some(RunFact::Said(said))) = RunFact::read(record) {
            return vec![said.text];
        }
        if let Ok(Some(fact)) = QuestionFact::read(record) {
            return match fact {
                QuestionFact::QuestionAsked(asked) => vec![asked.card],
                QuestionFact::QuestionAnswered(answered) => match answered.value {
                    AnswerValue::Text { text } => vec![text],
                    AnswerValue::Option { .. }
                    | AnswerValue::Limit { .. }
                    | AnswerValue::Decide => Vec::new(),
                },
            };
        }
        if let Ok(Some(BuildFact::ErrorTracked(tracked))) = BuildFact::read(record) {
            return vec![tracked.text];
        }
        match JudgingFact::read(record) {
            Ok(Some(JudgingFact::AssumptionRaised(raised))) => vec![raised.assumption],
            Ok(Some(JudgingFact::AssumptionResolved(resolved))) => vec![resolved.evidence],
            Ok(_) | Err(_) => Vec::new(),
        }
    }

    pub(crate) fn add(&mut self, name: BlobRef, text: String) {
        self.0.insert(name.digest, text);
    }

    fn get(&self, name: BlobRef) -> Option<&str> {
        self.0.get(&name.digest).map(String::as_str)
    }
}

/// A condition of the gate that did not hold.
#[derive(Debug)]
struct Refused {
    key: RecordKey,
    why: String,
    /// The commit that was judged.
    commit: String,
}

/// Reads a journal record by record.
#[derive(Debug, Default)]
pub(crate) struct Finder {
    stage: Option<Stage>,
    /// Errors that somebody found, by identity: where, and what it is.
    errors: BTreeMap<Digest, (RecordKey, Option<Stage>, String)>,
    /// Conditions of the gate that did not hold: where, and why.
    refused: BTreeMap<String, Refused>,
    claims: BTreeMap<String, String>,
    asked: BTreeMap<Key, (Purpose, BlobRef)>,
    tripped: BTreeMap<String, (RecordKey, Option<Stage>, BreakerTripped)>,
    seen: BTreeSet<String>,
    lessons: Vec<Lesson>,
}

impl Finder {
    /// Takes one more record; `texts` holds what facts keep. What is not there teaches nothing.
    pub(crate) fn take(&mut self, record: &Record, texts: &Texts) {
        if let Ok(Some(fact)) = RunFact::read(record) {
            self.take_run(fact, record, texts);
        } else if let Ok(Some(fact)) = QuestionFact::read(record) {
            match fact {
                QuestionFact::QuestionAsked(QuestionAsked { purpose, card, .. }) => {
                    self.asked.insert(record.key.key(), (purpose, card));
                }
                QuestionFact::QuestionAnswered(answered) => {
                    self.take_answer(&answered, record, texts);
                }
            }
        } else if let Ok(Some(fact)) = BuildFact::read(record) {
            self.take_build(fact, record, texts);
        } else if let Ok(Some(fact)) = JudgingFact::read(record) {
            self.take_judging(fact, record, texts);
        }
    }

    fn take_run(&mut self, fact: RunFact, record: &Record, texts: &Texts) {
        match fact {
            RunFact::StageEntered(entered) => self.stage = Some(entered.stage),
            RunFact::Said(said) => {
                if let Some(words) = texts.get(said.text) {
                    let told = format!("A person said while it was built: {words}");
                    self.note(Kind::Feedback, told, &record.key);
                }
            }
            RunFact::RunStarted(_)
            | RunFact::Resumed(_)
            | RunFact::Paused(_)
            | RunFact::Halted(_)
            | RunFact::Faulted(_)
            | RunFact::Aborted(_)
            | RunFact::Sealed(_)
            | RunFact::Closed(_)
            | RunFact::Heard(_)
            | RunFact::ShipRequested(_)
            | RunFact::InboxRejected(_) => {}
        }
    }

    /// What a person said in words of their own is a correction; an option that was on the card is
    /// not. Answers of the discovery come with their questions, and the idea in other words is the
    /// idea.
    fn take_answer(&mut self, answered: &QuestionAnswered, record: &Record, texts: &Texts) {
        let AnswerValue::Text { text: words } = &answered.value else {
            return;
        };
        let Some((purpose, card)) = self.asked.get(&record.key.key()).copied() else {
            return;
        };
        let own = self.stage != Some(Stage::Discovery)
            && answered.by.door != Door::Engine
            && purpose != Purpose::Model;
        if !own {
            return;
        }
        let (Some(words), Some(card)) = (texts.get(*words), texts.get(card)) else {
            return;
        };
        let Ok(card) = serde_json::from_str::<QuestionCard>(card) else {
            return;
        };
        let told = format!("Asked \"{}\", a person said: {words}", card.text);
        self.note(Kind::Feedback, told, &record.key);
    }

    fn take_build(&mut self, fact: BuildFact, record: &Record, texts: &Texts) {
        match fact {
            BuildFact::ErrorTracked(tracked) if !self.errors.contains_key(&tracked.error) => {
                if let Some(what) = texts.get(tracked.text) {
                    let found = (record.key.clone(), self.stage, what.to_owned());
                    self.errors.insert(tracked.error, found);
                }
            }
            BuildFact::ErrorResolved(resolved) => {
                if let Some((key, stage, what)) = self.errors.get(&resolved.error).cloned() {
                    let told = format!("Came up while building and had to be repaired: {what}");
                    self.note_at(stage, Kind::Trap, told, &key);
                }
            }
            BuildFact::GateJudged(judged) => {
                // What a person wished and did not get holds the gate until they say otherwise. That it
                // holds no more says nothing about the work.
                let of_the_work = |condition: &GateCondition| condition.id != PERSONS_APPROVAL;
                for condition in judged.conditions.into_iter().filter(of_the_work) {
                    if !condition.holds {
                        let refused = Refused {
                            key: record.key.clone(),
                            why: condition.reason,
                            commit: judged.commit.clone(),
                        };
                        self.refused.entry(condition.id).or_insert(refused);
                    } else if let Some(refused) = self.refused.remove(&condition.id)
                        // Nothing was mended where the same commit passed later.
                        && refused.commit != judged.commit
                    {
                        let (key, name) = (refused.key, plain(&condition.id));
                        let why = plain(&refused.why);
                        let why = if why.is_empty() {
                            String::new()
                        } else {
                            format!(" ({why})")
                        };
                        let told = format!(
                            "The done gate refused the first result, {name}{why}; more work mended it."
                        );
                        self.note(Kind::Trap, told, &key);
                    }
                }
            }
            BuildFact::ErrorTracked(_)
            | BuildFact::SprintOpened(_)
            | BuildFact::SprintPlanned(_)
            | BuildFact::SprintStage(_)
            | BuildFact::AuditFinished(_)
            | BuildFact::ShipHeeded(_)
            | BuildFact::BranchPushed(_)
            | BuildFact::PolicyApproved(_)
            | BuildFact::SealSigned(_)
            | BuildFact::SealApproved(_)
            | BuildFact::LessonProposed(_) => {}
        }
    }

    fn take_judging(&mut self, fact: JudgingFact, record: &Record, texts: &Texts) {
        match fact {
            JudgingFact::AssumptionRaised(raised) => {
                let kept = texts.get(raised.assumption);
                let kept = kept.and_then(|kept| serde_json::from_str::<Assumption>(kept).ok());
                if let Some(assumption) = kept {
                    self.claims.insert(raised.id, assumption.claim);
                }
            }
            JudgingFact::AssumptionResolved(resolved)
                if resolved.status == AssumptionStatus::Refuted =>
            {
                if let Some(claim) = self.claims.get(&resolved.id).cloned() {
                    let shown = texts.get(resolved.evidence).unwrap_or_default();
                    let told = format!(
                        "It was assumed that this holds, and it does not: {claim} ({shown})"
                    );
                    self.note(Kind::Trap, told, &record.key);
                }
            }
            JudgingFact::BreakerTripped(tripped) if !tripped.degraded => {
                let told = format!(
                    "The work did not go on by itself ({}){}.",
                    plain(&tripped.reason),
                    tripped
                        .sprint
                        .map(|sprint| format!(" in sprint {sprint}"))
                        .unwrap_or_default()
                );
                let once = (record.key.clone(), self.stage, tripped.clone());
                if self.tripped.insert(tripped.breaker, once).is_none() {
                    self.note(Kind::Trap, told, &record.key);
                }
            }
            JudgingFact::AssumptionResolved(_)
            | JudgingFact::BreakerTripped(_)
            | JudgingFact::CriteriaJudged(_)
            | JudgingFact::FeedbackRouted(_)
            | JudgingFact::OwnerReviewed(_) => {}
        }
    }

    fn note(&mut self, kind: Kind, text: String, key: &RecordKey) {
        self.note_at(self.stage, kind, text, key);
    }

    fn note_at(&mut self, stage: Option<Stage>, kind: Kind, text: String, key: &RecordKey) {
        if self.seen.insert(text.clone()) {
            self.lessons.push(Lesson {
                kind,
                text,
                stage,
                rests_on: Some(key.clone()),
            });
        }
    }

    /// The lessons: what people said first, then traps, then decisions; without secrets, none too
    /// long, a few of each kind.
    pub(crate) fn finish(
        self,
        learned: Learned<'_>,
        scrub: impl Fn(&str) -> String,
    ) -> Vec<Lesson> {
        let chosen = learned.answers.iter().filter(|answer| answer.by_person);
        let chosen = chosen.map(|answer| Lesson {
            kind: Kind::Feedback,
            text: format!("{}: a person chose {}", answer.question, answer.answer),
            stage: Some(Stage::Discovery),
            rests_on: None,
        });
        let decided = learned.decisions.iter().map(|decision| Lesson {
            kind: Kind::Decision,
            text: format!("{}: {}. {}", decision.title, decision.choice, decision.why),
            stage: Some(Stage::Council),
            rests_on: None,
        });
        let all: Vec<Lesson> = self
            .lessons
            .into_iter()
            .chain(chosen)
            .chain(decided)
            .collect();
        let of = |kind| {
            let some = all.iter().filter(move |lesson| lesson.kind == kind);
            some.take(MOST_OF_KIND).cloned()
        };
        let kinds = [Kind::Feedback, Kind::Trap, Kind::Decision];
        let mut lessons: Vec<Lesson> = kinds.into_iter().flat_map(of).collect();
        for lesson in &mut lessons {
            lesson.text = clipped(scrub(&lesson.text).trim());
        }
        lessons
    }
}

/// A code in words.
fn plain(code: &str) -> String {
    code.replace('_', " ")
}

fn clipped(text: &str) -> String {
    let mut clipped: String = text.chars().take(LONGEST).collect();
    if clipped.len() < text.len() {
        clipped.push('…');
    }
    clipped
}

#[cfg(test)]
#[path = "find_tests.rs"]
mod tests;
