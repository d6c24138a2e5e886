//! What resuming says to a run: that trouble is to be tried again, that a model is there now, that
//! it may spend more. Said once the run is ours: whoever drives it meanwhile hears nothing of it.

use std::sync::Arc;

use gavel_domain::{AnswerReply, Cap, CapScope, Head, MicroUsd, Purpose, RunId};
use gavel_rules::{Effective, Origin};
use gavel_run::{MailError, Mailbox, RunError};
use gavel_store::{InboxKind, SqliteStore};

use crate::context::Context;
use crate::driver::records;
use crate::failure::Failure;
use crate::slots::{offline_alone, slots_before, slots_now, told};

/// What is said to a run before it goes on.
pub(crate) struct Again {
    mailbox: Mailbox,
    /// True when a model is there besides the rules.
    connected: bool,
    caps: Vec<Cap>,
}

impl Again {
    /// Finds out what whoever resumes has said by that, and tells what stays as it is.
    pub(super) async fn of(
        context: &Context,
        store: &Arc<SqliteStore>,
        head: &Head,
    ) -> Result<Option<Self>, Failure> {
        let ours = [
            gavel_product::DRIVER,
            gavel_product::meeting::DRIVER,
            gavel_deliberation::loops::DRIVER,
        ];
        if !ours.contains(&head.driver.as_str()) || head.state.is_final() {
            return Ok(None);
        }
        let settings = context.settings()?;
        let before = slots_before(&records(store, head).await?)?;
        let slots = slots_now(&settings, &before)?;
        context.ui.note(format!("models {}", told(&slots)));
        let said = settings.effective.iter().filter(|value| is_said_now(value));
        let mut caps = Vec::new();
        for value in said {
            match cap(value)? {
                Said::Cap(cap) => caps.push(cap),
                Said::Fixed => context.ui.note(format!(
                    "{} is part of the run and stays as it began",
                    value.key
                )),
                Said::Other => {}
            }
        }
        Ok(Some(Self {
            mailbox: context.mailbox(Arc::clone(store)),
            connected: !offline_alone(&slots),
            caps,
        }))
    }

    /// Says it.
    pub(crate) async fn say(&self, run: RunId) -> Result<(), RunError> {
        for cap in &self.caps {
            let kind = InboxKind::SetCap { cap: *cap };
            heard(self.mailbox.control(run, kind).await.map(drop))?;
        }
        let questions = self.mailbox.questions(run).await;
        let questions = match questions {
            Ok(questions) => questions,
            Err(error) => return heard(Err(error)),
        };
        for question in questions {
            let options = question.asked.shape.options();
            let reply = match question.asked.purpose {
                // A breaker that fears for the cap has its answer once there is more.
                Purpose::Spend if self.caps.iter().any(is_money) && offers(options, "retry") => {
                    "retry"
                }
                Purpose::Trouble | Purpose::Machine | Purpose::Moved => "again",
                Purpose::Model | Purpose::Choice
                    if self.connected && offers(options, "connected") =>
                {
                    "connected"
                }
                Purpose::Model
                | Purpose::Choice
                | Purpose::Approval
                | Purpose::Cap
                | Purpose::Spend
                | Purpose::Once
                | Purpose::Breaker => continue,
            };
            let reply = AnswerReply::Option {
                id: reply.to_owned(),
            };
            let answered = self.mailbox.answer(run, Some(question.id), reply).await;
            heard(answered.map(drop))?;
        }
        Ok(())
    }
}

fn is_money(cap: &Cap) -> bool {
    cap.scope == CapScope::RunUsd
}

fn offers(options: &[String], id: &str) -> bool {
    options.iter().any(|option| option == id)
}

/// Somebody who answered before has answered; what a driver refuses is on record.
fn heard(said: Result<(), MailError>) -> Result<(), RunError> {
    match said {
        Ok(()) => Ok(()),
        Err(MailError::Run(error)) => Err(error),
        Err(
            error @ (MailError::AnsweredBefore { .. }
            | MailError::NotOpen { .. }
            | MailError::Unfit(_)
            | MailError::Refused { .. }
            | MailError::Over { .. }),
        ) => {
            tracing::info!(%error, "not said by resuming");
            Ok(())
        }
    }
}

enum Said {
    Cap(Cap),
    /// The run has its own.
    Fixed,
    /// It counts from here on.
    Other,
}

fn is_said_now(value: &Effective) -> bool {
    matches!(value.origin, Origin::Flag(_))
}

/// What a flag of resuming means for a run that has begun.
fn cap(value: &Effective) -> Result<Said, Failure> {
    let scope = match value.key {
        "caps.run_usd" => CapScope::RunUsd,
        "caps.run_tokens" => CapScope::RunTokens,
        "caps.month_usd" => CapScope::MonthUsd,
        // These are read anew by whoever drives.
        "models.paid" | "sandbox.reveal" | "seal.keys" | "usage.retention_days" => {
            return Ok(Said::Other);
        }
        key if key.starts_with("models.slots.") => return Ok(Said::Other),
        _ => return Ok(Said::Fixed),
    };
    let limit = match value.value.as_str() {
        Some(text) => MicroUsd::parse_dollars(text).map(|usd| usd.0),
        None => value.value.as_u64(),
    };
    match limit {
        Some(limit) => Ok(Said::Cap(Cap { scope, limit })),
        None => Err(Failure::usage(format!(
            "a run that has begun keeps a cap: give {} an amount",
            value.key
        ))
        .hint("gavel resume --max-cost 10")),
    }
}
