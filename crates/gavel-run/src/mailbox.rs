//! The other side of the inbox: how anybody but the driver speaks to a run.

use std::sync::Arc;
use std::time::Duration;

use gavel_domain::{
    AnswerReply, Fact, InboxId, InboxRejected, Key, QuestionAnswered, QuestionAsked, QuestionCard,
    RunId, RunState, Seq, Speaker, Timestamp,
};
use gavel_rules::{AnswerProblem, check_answer};
use gavel_store::{InboxFate, InboxKind, InboxPost, InboxRow, PostError, ReadError, Store};

use crate::journal::Journal;
use crate::receive::{OVER, is_over};
use crate::{Clock, RunError};

/// How long a poster waits for a driver that is alive; it takes rows within 250 ms.
const PATIENCE: Duration = Duration::from_secs(3);
const LOOK: Duration = Duration::from_millis(25);

/// Speaks to runs on behalf of one speaker.
#[derive(Clone)]
pub struct Mailbox {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    speaker: Speaker,
}

/// What became of something that was posted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delivery {
    /// A driver took it.
    Taken,
    /// It is durable; whoever drives next takes it.
    Kept,
}

/// A question that waits for an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenQuestion {
    /// Its id.
    pub id: Key,
    /// The fact.
    pub asked: QuestionAsked,
    /// The card.
    pub card: QuestionCard,
}

/// Why something could not be said to a run.
#[derive(Debug, thiserror::Error)]
pub enum MailError {
    /// Somebody answered first.
    #[error("{question} was answered first by {winner}")]
    AnsweredBefore {
        /// The question.
        question: Key,
        /// The winning answer, for people.
        winner: String,
    },
    /// The answer does not fit.
    #[error(transparent)]
    Unfit(#[from] AnswerProblem),
    /// No such question is open.
    #[error("run {run} has no open question{}", question.as_ref().map(|key| format!(" {key}")).unwrap_or_default())]
    NotOpen {
        /// The run.
        run: RunId,
        /// What was asked for.
        question: Option<Key>,
    },
    /// The driver refused it.
    #[error("the driver refused it: {reason}")]
    Refused {
        /// The recorded code.
        reason: String,
    },
    /// The run is over.
    #[error("run {run} is {state}: it takes no more messages")]
    Over {
        /// The run.
        run: RunId,
        /// Its state.
        state: RunState,
    },
    /// The run or the store is not what it should be.
    #[error(transparent)]
    Run(#[from] RunError),
}

impl From<ReadError> for MailError {
    fn from(error: ReadError) -> Self {
        Self::Run(error.into())
    }
}

impl Mailbox {
    /// A mailbox for whoever came through a door.
    pub fn new(store: Arc<dyn Store>, clock: Arc<dyn Clock>, speaker: Speaker) -> Self {
        Self {
            store,
            clock,
            speaker,
        }
    }

    /// The open questions of a run, in key order.
    pub async fn questions(&self, run: RunId) -> Result<Vec<OpenQuestion>, MailError> {
        let journal = Journal::load(self.store.as_ref(), run).await?;
        let mut open = Vec::new();
        for id in journal.head.questions.keys() {
            let Some(asked) = journal.view.asked.get(id) else {
                continue;
            };
            let card = self.card(asked).await?;
            open.push(OpenQuestion {
                id: id.clone(),
                asked: asked.clone(),
                card,
            });
        }
        Ok(open)
    }

    async fn card(&self, asked: &QuestionAsked) -> Result<QuestionCard, MailError> {
        let content = self
            .store
            .blob(asked.card.digest)
            .await?
            .unwrap_or_default();
        Ok(serde_json::from_slice(&content).unwrap_or_else(|_| {
            QuestionCard::with_options("(the text is no longer kept)".into(), None, &[])
        }))
    }

    /// Answers a question; without `question`, the only open one.
    ///
    /// The form is checked here and again by the driver. The first valid answer wins.
    pub async fn answer(
        &self,
        run: RunId,
        question: Option<Key>,
        reply: AnswerReply,
    ) -> Result<Delivery, MailError> {
        let journal = Journal::load(self.store.as_ref(), run).await?;
        self.still_on(&journal)?;
        let id = match question {
            Some(id) => id,
            None => only_open(&journal).ok_or(MailError::NotOpen {
                run,
                question: None,
            })?,
        };
        if let Some(record) = journal.get(&id.outcome())
            && record.kind == QuestionAnswered::KIND
        {
            let answered: QuestionAnswered = record.read().map_err(RunError::from)?;
            return Err(MailError::AnsweredBefore {
                question: id,
                winner: describe(&answered, record.at),
            });
        }
        let Some(asked) = journal.view.asked.get(&id) else {
            return Err(MailError::NotOpen {
                run,
                question: Some(id),
            });
        };
        check_answer(asked, self.speaker, &reply)?;
        self.post(
            run,
            InboxKind::Answer {
                question: id,
                reply,
            },
        )
        .await
    }

    /// Interjects; the text reaches the next model turn.
    pub async fn say(&self, run: RunId, text: String) -> Result<Delivery, MailError> {
        self.post_if_on(run, InboxKind::Say { text }).await
    }

    /// Pauses, gives up, ships or changes a cap.
    pub async fn control(&self, run: RunId, kind: InboxKind) -> Result<Delivery, MailError> {
        self.post_if_on(run, kind).await
    }

    async fn post_if_on(&self, run: RunId, kind: InboxKind) -> Result<Delivery, MailError> {
        let Some(head) = self.store.head(run).await? else {
            return Err(RunError::NoRun(run).into());
        };
        if is_over(head.state, &kind) {
            return Err(MailError::Over {
                run,
                state: head.state,
            });
        }
        self.post(run, kind).await
    }

    fn still_on(&self, journal: &Journal) -> Result<(), MailError> {
        let state = journal.head.state;
        if state.is_final() {
            return Err(MailError::Over {
                run: journal.head.run,
                state,
            });
        }
        Ok(())
    }

    async fn post(&self, run: RunId, kind: InboxKind) -> Result<Delivery, MailError> {
        let id = InboxId::from_uuid(crate::clock::fresh_id());
        let post = InboxPost {
            id,
            run,
            by: self.speaker,
            at: self.clock.now(),
            kind,
        };
        match self.store.post(post).await {
            Ok(_) => self.wait_until_taken(run, id).await,
            Err(PostError::SlotTaken { winner }) => Err(lost_to(&winner)),
            Err(PostError::UnknownRun { run }) => Err(RunError::NoRun(run).into()),
            Err(PostError::Unavailable(source)) => Err(ReadError::Unavailable(source).into()),
        }
    }

    /// Waits while a driver lives, so that a refusal reaches whoever posted.
    async fn wait_until_taken(&self, run: RunId, id: InboxId) -> Result<Delivery, MailError> {
        let begun = tokio::time::Instant::now();
        loop {
            match self.store.fate(id).await? {
                Some(InboxFate::Taken { refused: false, .. }) => return Ok(Delivery::Taken),
                Some(InboxFate::Taken { seq, refused: true }) => {
                    return Err(self.refusal(run, seq).await?);
                }
                Some(InboxFate::Pending) | None => {}
            }
            let driven = self.store.driver(run).await?.is_some();
            if !driven || begun.elapsed() > PATIENCE {
                return Ok(Delivery::Kept);
            }
            tokio::time::sleep(LOOK).await;
        }
    }

    async fn refusal(&self, run: RunId, seq: Seq) -> Result<MailError, MailError> {
        let before = Seq(seq.0.saturating_sub(1));
        let record = self.store.records(run, before, 1).await?.into_iter().next();
        let Some(record) = record else {
            return Ok(MailError::Refused {
                reason: "unknown".into(),
            });
        };
        let rejected: InboxRejected = record.read().map_err(RunError::from)?;
        if rejected.reason == OVER
            && let Some(head) = self.store.head(run).await?
        {
            let state = head.state;
            return Ok(MailError::Over { run, state });
        }
        let Some(winner) = rejected.winner else {
            return Ok(MailError::Refused {
                reason: rejected.reason,
            });
        };
        let journal = Journal::load(self.store.as_ref(), run).await?;
        let winner_text = match journal.get(&winner) {
            Some(record) => describe(&record.read().map_err(RunError::from)?, record.at),
            None => winner.to_string(),
        };
        Ok(MailError::AnsweredBefore {
            question: winner.key(),
            winner: winner_text,
        })
    }
}

impl std::fmt::Debug for Mailbox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Mailbox")
            .field("speaker", &self.speaker)
            .finish_non_exhaustive()
    }
}

fn lost_to(winner: &InboxRow) -> MailError {
    let by = format!("{:?} ({})", winner.by.door, winner.at).to_lowercase();
    match winner.kind.slot() {
        Some(question) => MailError::AnsweredBefore {
            question: question.clone(),
            winner: by,
        },
        None => MailError::Refused {
            reason: format!("already posted by {by}"),
        },
    }
}

fn only_open(journal: &Journal) -> Option<Key> {
    let mut open = journal.head.questions.keys();
    let first = open.next().cloned();
    if open.next().is_some() { None } else { first }
}

fn describe(answered: &QuestionAnswered, at: Timestamp) -> String {
    use gavel_domain::AnswerValue;
    let what = match &answered.value {
        AnswerValue::Option { id } => format!("`{id}`"),
        AnswerValue::Text { .. } => "a text".to_owned(),
        AnswerValue::Limit { limit } => format!("the limit {limit}"),
        AnswerValue::Decide => "leaving it to Gavel".to_owned(),
    };
    let who = format!("{:?}", answered.by.door).to_lowercase();
    format!("{what} ({who}, {at})")
}
