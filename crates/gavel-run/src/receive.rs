//! How an inbox row becomes a fact: a decision over the journal, without effects.

use gavel_domain::{
    Aborted, AnswerReply, AnswerShape, AnswerValue, Blob, Cap, CapChanged, InboxRejected, Key,
    PauseCause, Paused, QuestionAnswered, RecordDraft, RecordKey, Role, RunState, Said,
    ShipRequested,
};
use gavel_rules::{AnswerProblem, check_answer, may_decide};
use gavel_store::{InboxKind, InboxRow};

use crate::RunError;
use crate::journal::Journal;

/// What a row leads to.
#[derive(Debug)]
pub(crate) struct Received {
    pub(crate) drafts: Vec<RecordDraft>,
    pub(crate) blob: Option<Blob>,
    pub(crate) refused: bool,
    pub(crate) effect: Effect,
}

/// What the driver does besides writing the fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effect {
    None,
    Pause,
    Abort,
}

/// The reason of a row that came after the end.
pub(crate) const OVER: &str = "over";

/// True when nothing follows from such a row any more; a halted run may still be given up.
pub(crate) const fn is_over(state: RunState, kind: &InboxKind) -> bool {
    match state {
        RunState::Aborted | RunState::Sealed | RunState::Closed => true,
        RunState::Halted => !matches!(kind, InboxKind::Abort { .. }),
        RunState::Running | RunState::Waiting | RunState::Paused | RunState::Faulted => false,
    }
}

/// Decides about one row.
pub(crate) fn receive(journal: &Journal, row: &InboxRow) -> Result<Received, RunError> {
    let own = Key::engine(format!("inbox/{}", row.id))?.outcome();
    if is_over(journal.head.state, &row.kind) {
        return reject(own, OVER, None);
    }
    match &row.kind {
        InboxKind::Answer { question, reply } => answer(journal, row, own, (question, reply)),
        InboxKind::Say { text } => {
            let blob = Blob::new(text.as_bytes());
            let said = Said {
                id: row.id,
                by: row.by,
                text: blob.name(),
            };
            let draft = RecordDraft::new(own, &said)?;
            Ok(Received {
                drafts: vec![draft],
                blob: Some(blob),
                refused: false,
                effect: Effect::None,
            })
        }
        InboxKind::Pause | InboxKind::Abort { .. } if row.by.role == Role::Guest => {
            reject(own, "not_for_guests", None)
        }
        InboxKind::Pause => {
            let paused = Paused {
                cause: PauseCause::Asked,
                by: row.by,
            };
            accept(RecordDraft::new(own, &paused)?, Effect::Pause)
        }
        InboxKind::Abort { reason } => {
            let reason = reason.as_ref().map(|text| Blob::new(text.as_bytes()));
            let aborted = Aborted {
                by: row.by,
                reason: reason.as_ref().map(Blob::name),
            };
            let received = accept(RecordDraft::new(own, &aborted)?, Effect::Abort)?;
            Ok(Received {
                blob: reason,
                ..received
            })
        }
        InboxKind::Ship if may_decide(row.by) => accept(
            RecordDraft::new(own, &ShipRequested { by: row.by })?,
            Effect::None,
        ),
        InboxKind::SetCap { cap } if may_decide(row.by) => set_cap(journal, row, own, *cap),
        InboxKind::Ship | InboxKind::SetCap { .. } => reject(own, "person_only", None),
    }
}

/// Changes a cap, and answers the open questions that waited for more of it.
fn set_cap(
    journal: &Journal,
    row: &InboxRow,
    own: RecordKey,
    cap: Cap,
) -> Result<Received, RunError> {
    let mut drafts = vec![RecordDraft::new(own, &CapChanged { cap, by: row.by })?];
    let asks_for = format!("money/cap-{}-", cap.scope.room());
    for question in journal.head.questions.keys() {
        let asked = journal.view.asked.get(question);
        let is_enough = asked.is_some_and(
            |asked| matches!(asked.shape, AnswerShape::Limit { above, .. } if cap.limit > above),
        );
        if is_enough && question.as_str().starts_with(&asks_for) {
            let answered = QuestionAnswered {
                value: AnswerValue::Limit { limit: cap.limit },
                by: row.by,
                inbox: Some(row.id),
                timed_out: false,
                assumed: false,
            };
            drafts.push(RecordDraft::new(question.outcome(), &answered)?);
        }
    }
    Ok(Received {
        drafts,
        blob: None,
        refused: false,
        effect: Effect::None,
    })
}

fn accept(draft: RecordDraft, effect: Effect) -> Result<Received, RunError> {
    Ok(Received {
        drafts: vec![draft],
        blob: None,
        refused: false,
        effect,
    })
}

fn reject(key: RecordKey, reason: &str, winner: Option<RecordKey>) -> Result<Received, RunError> {
    let draft = RecordDraft::new(
        key,
        &InboxRejected {
            reason: reason.to_owned(),
            winner,
        },
    )?;
    Ok(Received {
        drafts: vec![draft],
        blob: None,
        refused: true,
        effect: Effect::None,
    })
}

fn answer(
    journal: &Journal,
    row: &InboxRow,
    own: RecordKey,
    (question, reply): (&Key, &AnswerReply),
) -> Result<Received, RunError> {
    let outcome = question.outcome();
    if journal.get(&outcome).is_some() {
        return reject(own, "already_answered", Some(outcome));
    }
    let Some(asked) = journal.view.asked.get(question) else {
        return reject(own, "not_open", None);
    };
    if let Err(problem) = check_answer(asked, row.by, reply) {
        return reject(own, problem_code(&problem), None);
    }
    let (value, blob) = record_value(reply);
    let answered = QuestionAnswered {
        value,
        by: row.by,
        inbox: Some(row.id),
        timed_out: false,
        assumed: false,
    };
    let draft = RecordDraft::new(outcome, &answered)?;
    Ok(Received {
        drafts: vec![draft],
        blob,
        refused: false,
        effect: Effect::None,
    })
}

/// The recorded form of an answer: text becomes a blob.
pub(crate) fn record_value(reply: &AnswerReply) -> (AnswerValue, Option<Blob>) {
    match reply {
        AnswerReply::Option { id } => (AnswerValue::Option { id: id.clone() }, None),
        AnswerReply::Text { text } => {
            let blob = Blob::new(text.as_bytes());
            (AnswerValue::Text { text: blob.name() }, Some(blob))
        }
        AnswerReply::Limit { limit } => (AnswerValue::Limit { limit: *limit }, None),
        AnswerReply::Decide => (AnswerValue::Decide, None),
    }
}

const fn problem_code(problem: &AnswerProblem) -> &'static str {
    match problem {
        AnswerProblem::PersonOnly => "person_only",
        AnswerProblem::UnknownOption { .. } => "unknown_option",
        AnswerProblem::OptionWanted { .. } => "option_wanted",
        AnswerProblem::Empty => "empty",
        AnswerProblem::TooLong { .. } => "too_long",
        AnswerProblem::LimitTooLow { .. } => "limit_too_low",
        AnswerProblem::CannotDecide => "cannot_decide",
    }
}
