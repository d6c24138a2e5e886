//! Questions: asked as a fact, answered through the inbox, by the clock or by `--yes`.

use std::sync::Arc;
use std::time::Duration;

use gavel_domain::{
    AnswerShape, AnswerValue, Audience, Blob, Heard, Key, OnTimeout, Purpose, QuestionAnswered,
    QuestionAsked, QuestionCard, Record, RecordDraft, Said, Speaker, TimerFired, TimerSet,
    Timestamp,
};

use crate::run::input_digest;
use crate::writer::Proposal;
use crate::{Recorded, Run, RunError, Stop, WaitMode};

/// How much is heard at once: as many ids as a record holds with room to spare.
const MAX_HEARD: usize = 200;

/// A question to be asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// What it is about.
    pub purpose: Purpose,
    /// What a person sees.
    pub card: QuestionCard,
    /// The form of a valid answer.
    pub shape: AnswerShape,
    /// The recommended option.
    pub recommended: Option<String>,
    /// Who may answer.
    pub audience: Audience,
    /// How long until the clock answers.
    pub deadline: Option<Duration>,
    /// What the clock answers.
    pub on_timeout: OnTimeout,
}

impl Run {
    /// Asks a question and returns its answer; the question's id is the key.
    ///
    /// A driver that stays waits for it; one that leaves stops with [`Stop::Waiting`].
    pub async fn ask(
        &self,
        key: Key,
        question: Question,
    ) -> Result<Recorded<QuestionAnswered>, RunError> {
        self.inner.claim(&key)?;
        self.ask_engine(key, question).await
    }

    /// Asks whoever sits at this drive. Where nobody does, and under `--yes`, what is recommended is
    /// taken at once, and recorded as assumed: nothing waits.
    pub async fn ask_attended(
        &self,
        key: Key,
        question: Question,
    ) -> Result<Recorded<QuestionAnswered>, RunError> {
        self.inner.claim(&key)?;
        if let Some(record) = self.answer_on_record(&key)? {
            return Ok(record);
        }
        self.put_question(&key, &question, None).await?;
        self.inner.poll_inbox().await;
        let unattended = match self.inner.options.wait {
            WaitMode::Stay => self.inner.options.yes,
            WaitMode::Leave => true,
        };
        if let (true, Some(id)) = (unattended, &question.recommended) {
            let value = AnswerValue::Option { id: id.clone() };
            self.answer_itself(&key, value, Assumed::ByYes).await?;
        }
        self.wait_for_answer(&key, question.purpose).await
    }

    /// Asks without claiming the key: several calls may wait for one answer about a cap.
    pub(crate) async fn ask_engine(
        &self,
        key: Key,
        question: Question,
    ) -> Result<Recorded<QuestionAnswered>, RunError> {
        self.ask_beside(key, question, None).await
    }

    /// Asks, with a record beside the question that says why, in the same commit.
    pub(crate) async fn ask_beside(
        &self,
        key: Key,
        question: Question,
        beside: Option<RecordDraft>,
    ) -> Result<Recorded<QuestionAnswered>, RunError> {
        if let Some(record) = self.answer_on_record(&key)? {
            return Ok(record);
        }
        self.put_question(&key, &question, beside).await?;
        self.inner.poll_inbox().await;
        self.assume_answer(&key, &question).await?;
        self.wait_for_answer(&key, question.purpose).await
    }

    fn answer_on_record(&self, key: &Key) -> Result<Option<Recorded<QuestionAnswered>>, RunError> {
        let Some(record) = self.inner.journal().get(&key.outcome()) else {
            return Ok(None);
        };
        Ok(Some(Recorded {
            value: record.read()?,
            at: record.at,
        }))
    }

    async fn put_question(
        &self,
        key: &Key,
        question: &Question,
        beside: Option<RecordDraft>,
    ) -> Result<(), RunError> {
        if self.inner.journal().get(&key.part("asked")).is_some() {
            return Ok(());
        }
        self.inner.may_go_on()?;
        let input = input_digest(key, &question.card)?;
        let card = Blob::new(serde_json::to_vec(&question.card).unwrap_or_default());
        let now = self.inner.clock.now();
        let deadline_at = question
            .deadline
            .and_then(|wait| now.checked_add(wait).ok());
        let asked = QuestionAsked {
            purpose: question.purpose,
            card: card.name(),
            shape: question.shape.clone(),
            recommended: question.recommended.clone(),
            audience: question.audience,
            deadline_at,
            on_timeout: question.on_timeout.clone(),
        };
        let draft = RecordDraft::with_input(key.part("asked"), input, &asked)?;
        self.write(Proposal {
            drafts: beside.into_iter().chain([draft]).collect(),
            blobs: vec![card],
            unless_there: true,
            ..Proposal::default()
        })
        .await?;
        Ok(())
    }

    /// Takes the recommended answer at once under `--yes`, where that is allowed.
    async fn assume_answer(&self, key: &Key, question: &Question) -> Result<(), RunError> {
        let allowed = match question.purpose {
            Purpose::Choice | Purpose::Approval => true,
            Purpose::Cap
            | Purpose::Spend
            | Purpose::Once
            | Purpose::Model
            | Purpose::Trouble
            | Purpose::Machine
            | Purpose::Moved
            | Purpose::Breaker => false,
        };
        if !self.inner.options.yes || !allowed {
            return Ok(());
        }
        let value = match &question.recommended {
            Some(id) => AnswerValue::Option { id: id.clone() },
            None if question.audience == Audience::Any => AnswerValue::Decide,
            None => return Ok(()),
        };
        self.answer_itself(key, value, Assumed::ByYes).await
    }

    /// Writes an answer of the engine's own, unless somebody was faster.
    async fn answer_itself(
        &self,
        key: &Key,
        value: AnswerValue,
        how: Assumed,
    ) -> Result<(), RunError> {
        // Rows that are in the inbox already came first.
        self.inner.poll_inbox().await;
        let answered = QuestionAnswered {
            value,
            by: Speaker::ENGINE,
            inbox: None,
            timed_out: how == Assumed::ByClock,
            assumed: how == Assumed::ByYes,
        };
        let draft = RecordDraft::new(key.outcome(), &answered)?;
        self.write(Proposal::unless_there(draft)).await?;
        Ok(())
    }

    async fn wait_for_answer(
        &self,
        key: &Key,
        purpose: Purpose,
    ) -> Result<Recorded<QuestionAnswered>, RunError> {
        let mut changed = self.inner.changed.subscribe();
        loop {
            if let Some(answer) = self.answer_on_record(key)? {
                return Ok(answer);
            }
            self.inner.may_go_on()?;
            let asked = self.inner.journal().view.asked.get(key).cloned();
            let clock = asked.as_ref().and_then(clock_answer);
            if let Some((due, value)) = &clock
                && *due <= self.inner.clock.now()
            {
                self.answer_itself(key, value.clone(), Assumed::ByClock)
                    .await?;
                continue;
            }
            match self.inner.options.wait {
                WaitMode::Leave => return Err(RunError::Stopped(open(key, purpose))),
                WaitMode::Stay => {}
            }
            let left = clock.and_then(|(due, _)| {
                Duration::try_from(due.duration_since(self.inner.clock.now())).ok()
            });
            tokio::select! {
                moved = changed.changed() => if moved.is_err() { return Err(RunError::Cut) },
                () = self.inner.stop.pausing() => return Err(self.inner.stopped()),
                () = sleep_or_forever(left) => {}
            }
        }
    }

    /// Waits for a while; the due-time is a fact, and the timer fires when somebody drives.
    pub async fn sleep(&self, key: Key, wait: Duration) -> Result<Recorded<()>, RunError> {
        self.inner.claim(&key)?;
        if let Some(record) = self.inner.journal().get(&key.outcome()) {
            record.read::<TimerFired>()?;
            return Ok(Recorded {
                value: (),
                at: record.at,
            });
        }
        self.inner.may_go_on()?;
        let set: Option<Arc<Record>> = self.inner.journal().get(&key.part("set"));
        let due_at = match set {
            Some(record) => record.read::<TimerSet>()?.due_at,
            None => {
                let now = self.inner.clock.now();
                let due_at = now.checked_add(wait).unwrap_or(now);
                let draft = RecordDraft::new(key.part("set"), &TimerSet { due_at })?;
                self.write(Proposal::of(draft)).await?;
                due_at
            }
        };
        self.wait_until(&key, due_at, wait).await?;
        let at = self
            .write(Proposal::of(RecordDraft::new(
                key.outcome(),
                &TimerFired {},
            )?))
            .await?;
        Ok(Recorded { value: (), at })
    }

    /// Takes what people said since the last hearing, for the next model turn; what is too much
    /// for one turn waits for the next.
    pub async fn hear(&self, key: Key) -> Result<Vec<(Said, String)>, RunError> {
        self.inner.claim(&key)?;
        let on_record = self.inner.journal().get(&key.outcome());
        let heard = match on_record {
            Some(record) => record.read::<Heard>()?,
            None => {
                self.inner.may_go_on()?;
                let said = self.inner.journal().view.unheard();
                let heard = Heard {
                    said: said
                        .into_iter()
                        .map(|said| said.id)
                        .take(MAX_HEARD)
                        .collect(),
                };
                self.write(Proposal::of(RecordDraft::new(key.outcome(), &heard)?))
                    .await?;
                heard
            }
        };
        let mut texts = Vec::with_capacity(heard.said.len());
        for id in heard.said {
            let said = self.inner.journal().view.said(id).cloned();
            if let Some(said) = said {
                let text = self.text(said.text).await?;
                texts.push((said, text));
            }
        }
        Ok(texts)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Assumed {
    ByYes,
    ByClock,
}

fn clock_answer(asked: &QuestionAsked) -> Option<(Timestamp, AnswerValue)> {
    let value = match &asked.on_timeout {
        OnTimeout::Wait => return None,
        OnTimeout::Take { option } => AnswerValue::Option { id: option.clone() },
        OnTimeout::Decide => AnswerValue::Decide,
    };
    asked.deadline_at.map(|due| (due, value))
}

fn open(key: &Key, purpose: Purpose) -> Stop {
    let question = key.clone();
    match purpose {
        Purpose::Cap | Purpose::Spend => Stop::Budget { question },
        Purpose::Choice
        | Purpose::Approval
        | Purpose::Once
        | Purpose::Model
        | Purpose::Trouble
        | Purpose::Machine
        | Purpose::Moved
        | Purpose::Breaker => Stop::Waiting { question },
    }
}

async fn sleep_or_forever(wait: Option<Duration>) {
    match wait {
        Some(wait) => tokio::time::sleep(wait).await,
        None => std::future::pending().await,
    }
}
