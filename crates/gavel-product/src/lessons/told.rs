//! The lessons of a run as its journal tells them, with what was said about each: for whoever shows
//! them and writes them into memory.

use std::collections::BTreeMap;

use gavel_domain::{
    Aborted, AnswerValue, BlobRef, Halted, Key, LessonProposed, QuestionAnswered, Record,
    RecordKey, RunId, RunStarted, Seq, Stage, StageEntered, Timestamp,
};
use gavel_memory::Kind;
use gavel_rules::RunChoices;
use gavel_store::{ReadError, Store};
use gavel_workspace::Scrubber;

use super::offer::{ALL, CARD, NONE, numbers};
use gavel_domain::ProductBrief;
use gavel_rules::sanitize_line;
use gavel_view::ReportError;

/// Something that a run learned, or how it ended before it was done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The run.
    pub run: RunId,
    /// Counted from one in its run.
    pub number: u32,
    /// The record that says so; its id in memory follows from it.
    pub key: RecordKey,
    /// What kind of memory item it would be.
    pub kind: Kind,
    /// What it says; `None` once the text is no longer kept.
    pub text: Option<String>,
    /// The stage in which it showed.
    pub stage: Option<Stage>,
    /// The record that it rests on.
    pub rests_on: Option<RecordKey>,
    /// When it was recorded.
    pub at: Timestamp,
    /// What was said about it in the run.
    pub standing: Standing,
}

/// What was said about a lesson.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// Nobody decided.
    Open,
    /// A person, or a person's setting, wants it kept.
    Kept,
    /// A person does not.
    Refused,
}

/// Reads the lessons of a run, in order. A run that was given up or stopped leaves one, too: how far
/// it came, and why no further.
pub async fn candidates(store: &dyn Store, run: RunId) -> Result<Vec<Candidate>, ReportError> {
    let records = store
        .records(run, Seq::ZERO, u32::MAX)
        .await
        .map_err(|source| unread(run, source))?;
    let mut reader = Reader {
        store,
        run,
        scrubber: Scrubber::new([])?,
        stage: None,
        idea: None,
        auto_accept: false,
        found: Vec::new(),
        answers: BTreeMap::new(),
    };
    for record in &records {
        reader.take(record).await?;
    }
    reader.finish().await
}

struct Reader<'a> {
    store: &'a dyn Store,
    run: RunId,
    scrubber: Scrubber,
    stage: Option<Stage>,
    idea: Option<String>,
    auto_accept: bool,
    found: Vec<Candidate>,
    /// What was answered to the card of the lessons, by its key.
    answers: BTreeMap<Key, AnswerValue>,
}

impl Reader<'_> {
    async fn take(&mut self, record: &Record) -> Result<(), ReportError> {
        if let Ok(entered) = record.read::<StageEntered>() {
            self.stage = Some(entered.stage);
        } else if let Ok(started) = record.read::<RunStarted>() {
            self.auto_accept = RunChoices::of(&started.settings).auto_accept;
            if let Some(brief) = started.brief {
                let brief = self.text(brief).await?.unwrap_or_default();
                let brief = serde_json::from_str::<ProductBrief>(&brief).ok();
                self.idea = brief.map(|brief| brief.idea);
            }
        } else if let Ok(lesson) = record.read::<LessonProposed>() {
            let text = self.text(lesson.text).await?;
            if let Ok(kind) = lesson.kind.parse() {
                self.add(record, kind, text);
                if let Some(last) = self.found.last_mut() {
                    last.stage = lesson.stage;
                    last.rests_on = lesson.rests_on;
                }
            }
        } else if let Ok(answered) = record.read::<QuestionAnswered>() {
            if is_card(&record.key) {
                self.answers.insert(record.key.key(), answered.value);
            }
        } else if let Ok(halted) = record.read::<Halted>() {
            let why = match halted.detail {
                Some(detail) => self.text(detail).await?.unwrap_or_default(),
                None => String::new(),
            };
            let told = self.outcome("stopped", [&halted.reason.replace('_', " "), &why]);
            self.add(record, Kind::Trap, told);
        } else if let Ok(aborted) = record.read::<Aborted>() {
            let why = match aborted.reason {
                Some(reason) => self.text(reason).await?.unwrap_or_default(),
                None => String::new(),
            };
            // Of two ends the last word counts.
            self.found
                .retain(|candidate| candidate.key.as_str() != HALT);
            let told = self.outcome("given up", ["", &why]);
            self.add(record, Kind::Feedback, told);
        }
        Ok(())
    }

    /// How a run ended that was not sealed; nothing once its idea is no longer kept.
    fn outcome(&self, how: &str, why: [&str; 2]) -> Option<String> {
        let stage = self.stage.map_or("the beginning", Stage::word);
        let idea = self.idea.as_ref()?;
        Some(outcome(&self.scrubber, (idea, how, stage), why))
    }

    fn add(&mut self, record: &Record, kind: Kind, text: Option<String>) {
        let number = u32::try_from(self.found.len()).unwrap_or(u32::MAX);
        self.found.push(Candidate {
            run: self.run,
            number: number.saturating_add(1),
            key: record.key.clone(),
            kind,
            text,
            stage: self.stage,
            rests_on: None,
            at: record.at,
            standing: Standing::Open,
        });
    }

    async fn finish(mut self) -> Result<Vec<Candidate>, ReportError> {
        if self.auto_accept {
            self.stand(|_| Standing::Kept);
            return Ok(self.found);
        }
        let count = self.found.len();
        let answers: Vec<AnswerValue> = self.answers.values().cloned().collect();
        for answer in answers {
            match answer {
                AnswerValue::Option { id } if id == ALL => self.stand(|_| Standing::Kept),
                AnswerValue::Option { id } if id == NONE => self.stand(|_| Standing::Refused),
                AnswerValue::Text { text } => {
                    let text = self.text(text).await?.unwrap_or_default();
                    let named = numbers(&text, count);
                    if named.is_empty() {
                        continue;
                    }
                    self.stand(|number| {
                        if usize::try_from(number).is_ok_and(|number| named.contains(&number)) {
                            Standing::Kept
                        } else {
                            Standing::Refused
                        }
                    });
                }
                AnswerValue::Option { .. } | AnswerValue::Limit { .. } | AnswerValue::Decide => {}
            }
        }
        Ok(self.found)
    }

    fn stand(&mut self, standing: impl Fn(u32) -> Standing) {
        for candidate in &mut self.found {
            candidate.standing = standing(candidate.number);
        }
    }

    async fn text(&self, name: BlobRef) -> Result<Option<String>, ReportError> {
        let run = self.run;
        let kept = self.store.blob(name.digest).await;
        let kept = kept.map_err(|source| unread(run, source))?;
        Ok(kept.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
    }
}

fn unread(run: RunId, source: ReadError) -> ReportError {
    let source = Box::new(source);
    ReportError::Unread { run, source }
}

/// Where a halt stands on record.
const HALT: &str = "halt/reason";

/// True for the answer to the card of the lessons.
fn is_card(key: &RecordKey) -> bool {
    key.is_outcome() && key.as_str().starts_with(&format!("lessons-1/{CARD}-"))
}

/// How a run ended, in one sentence. What stopped it may be the words of a tool or of a server: it
/// would lie in the repository for ever, so no secret stays in it, and no sign that steers.
fn outcome(scrubber: &Scrubber, (idea, how, stage): (&str, &str, &str), why: [&str; 2]) -> String {
    // Scrubbed before it is cut: half a secret is not seen any more.
    let part = |text: &str, most| clipped(&sanitize_line(&scrubber.scrub(text).text), most);
    let idea = part(idea, 200);
    let mut told = format!("A run for \"{idea}\" was {how} in {stage}");
    for why in why.map(|why| part(why, 300)) {
        if !why.is_empty() {
            told.push_str(": ");
            told.push_str(&why);
        }
    }
    told.push('.');
    told
}

fn clipped(text: &str, most: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut clipped: String = line.chars().take(most).collect();
    if clipped.len() < line.len() {
        clipped.push('…');
    }
    clipped.trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_halt_tells_no_secret_and_steers_nothing() {
        let scrubber = Scrubber::new([]).unwrap();
        let secret = format!("ghp_{}", "a1B2".repeat(9));
        let idea = "build it \u{202e}now";
        let why = format!(
            "{} push of {secret} failed\x1b[2J\nfor good.",
            "x".repeat(200)
        );
        let told = outcome(&scrubber, (idea, "stopped", "building"), ["push", &why]);
        assert!(!told.contains("ghp_"), "{told}");
        assert!(told.starts_with("A run for \"build it now\" was stopped in building: push: xx"));
        assert!(told.ends_with("failed[2J for good."), "{told}");
    }
}
