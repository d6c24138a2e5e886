//! Questions of the run that this terminal drives: shown as cards, answered here or elsewhere.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use gavel_domain::{
    AnswerReply, AnswerShape, AnswerValue, Door, Key, MicroUsd, Purpose, QuestionAnswered,
    QuestionFact, Record, RunId,
};
use gavel_rules::sanitize_line;
use gavel_run::{MailError, Mailbox, OpenQuestion, StopHandle};

use super::keys::Keys;
use crate::card::{self, Room};
use crate::ui::{Look, Ui};

/// A question that is answered within this time, by `--yes` for example, is never shown.
const GRACE: Duration = Duration::from_millis(250);

/// Asks at this terminal.
pub(crate) struct Prompt {
    ui: Ui,
    run: RunId,
    mailbox: Mailbox,
    stop: StopHandle,
    /// Open questions, since when this process knows them, and what they are about.
    open: BTreeMap<Key, Instant>,
    shown: Option<OpenQuestion>,
    given_here: Option<(Key, AnswerReply)>,
    keys: Keys,
}

impl Prompt {
    pub(crate) fn new(ui: Ui, run: RunId, mailbox: Mailbox, stop: StopHandle) -> Self {
        Self {
            ui,
            run,
            mailbox,
            stop,
            open: BTreeMap::new(),
            shown: None,
            given_here: None,
            keys: Keys::default(),
        }
    }

    /// True while a person is asked.
    pub(crate) const fn is_asking(&self) -> bool {
        self.shown.is_some()
    }

    /// Knows a question that was open before this drive, or is asked now.
    pub(crate) fn opened(&mut self, id: Key) {
        self.open.entry(id).or_insert_with(Instant::now);
    }

    /// Takes a fact: questions come and go.
    pub(crate) fn take(&mut self, record: &Record) {
        match QuestionFact::read(record) {
            Ok(Some(QuestionFact::QuestionAsked(_))) => self.opened(record.key.key()),
            Ok(Some(QuestionFact::QuestionAnswered(answered))) => {
                self.answered(&record.key.key(), &answered);
            }
            Ok(None) | Err(_) => {}
        }
    }

    fn answered(&mut self, id: &Key, answered: &QuestionAnswered) {
        self.open.remove(id);
        let was_shown = self.shown.take_if(|question| question.id == *id);
        let Some(question) = was_shown else { return };
        self.ui.draw_foot(&[]);
        let what = told(&question, &answered.value);
        match self.given_here.take_if(|(given, _)| given == id) {
            Some((_, given)) => {
                let sign = self.ui.look_beside("✓", Look::Good);
                let what = match given {
                    AnswerReply::Text { text } => excerpt(&text),
                    AnswerReply::Option { .. }
                    | AnswerReply::Limit { .. }
                    | AnswerReply::Decide => what,
                };
                self.ui.beside(format!("  {sign} {what}"));
            }
            None => {
                let text = format!("  answered {}: {what}", by_whom(answered));
                self.ui.beside(self.ui.look_beside(&text, Look::Warn));
            }
        }
    }

    /// Shows the next open question, if it has been open for a moment.
    pub(crate) async fn tick(&mut self) {
        if self.shown.is_some() {
            return;
        }
        let due = self.open.iter().find(|(_, since)| since.elapsed() > GRACE);
        let Some(id) = due.map(|(id, _)| id.clone()) else {
            return;
        };
        let Ok(questions) = self.mailbox.questions(self.run).await else {
            return;
        };
        match questions.into_iter().find(|question| question.id == id) {
            Some(question) => self.show(question),
            None => drop(self.open.remove(&id)),
        }
    }

    fn show(&mut self, question: OpenQuestion) {
        self.ui.draw_foot(&[]);
        for line in card::lines(&question, Room::of_terminal()) {
            let dressed = line
                .iter()
                .map(|(text, look)| self.ui.look_beside(text, *look));
            self.ui.beside(dressed.collect::<String>());
        }
        self.forget_typed();
        self.ui.prompt(&invitation(&question));
        self.shown = Some(question);
    }

    /// Forgets what was typed before the question could be read: it was meant for something else.
    fn forget_typed(&mut self) {
        if let Err(error) = self.keys.forget() {
            tracing::warn!(%error, "what was typed before the question was not forgotten");
        }
    }

    /// The next line that is typed while a question is shown; `None` when nothing more will come.
    pub(crate) async fn typed(&mut self) -> Option<String> {
        if self.shown.is_none() {
            return std::future::pending().await;
        }
        match self.keys.line().await {
            Ok(line) => line,
            Err(error) => {
                tracing::debug!(%error, "the terminal is gone");
                None
            }
        }
    }

    /// Takes a typed line as the answer to the question that is shown.
    pub(crate) async fn answer(&mut self, line: Option<String>) {
        let Some(question) = self.shown.clone() else {
            return;
        };
        self.ui.prompt_answered();
        let Some(line) = line else {
            self.shown = None;
            self.open.remove(&question.id);
            self.ui.beside("");
            self.stop.pause();
            return;
        };
        let reply = match reply(&question, line.trim()) {
            Ok(reply) => reply,
            Err(problem) => return self.once_more(&question, &problem),
        };
        self.given_here = Some((question.id.clone(), reply.clone()));
        match self
            .mailbox
            .answer(self.run, Some(question.id.clone()), reply)
            .await
        {
            Ok(_) => {}
            Err(MailError::Unfit(problem)) => {
                self.given_here = None;
                self.once_more(&question, &problem.to_string());
            }
            // Somebody was faster: the fact says who.
            Err(MailError::AnsweredBefore { .. }) => self.given_here = None,
            Err(error) => {
                self.given_here = None;
                self.once_more(&question, &error.to_string());
            }
        }
    }

    fn once_more(&mut self, question: &OpenQuestion, problem: &str) {
        for line in card::wrap(problem, Room::of_terminal()) {
            let dressed = self.ui.look_beside(&line, Look::Warn);
            self.ui.beside(format!("  {dressed}"));
        }
        self.forget_typed();
        self.ui.prompt(&invitation(question));
    }
}

impl std::fmt::Debug for Prompt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Prompt").finish_non_exhaustive()
    }
}

/// What stands before the cursor.
fn invitation(question: &OpenQuestion) -> String {
    let options = question.asked.shape.options();
    let numbers = match options.len() {
        0 => String::new(),
        1 => "1".to_owned(),
        most => format!("1–{most}"),
    };
    let wanted = match &question.asked.shape {
        AnswerShape::Choice { .. } => numbers,
        AnswerShape::ChoiceOrText { .. } => format!("{numbers} or your own words"),
        AnswerShape::Text { .. } => "in your own words".to_owned(),
        AnswerShape::Limit { .. } => format!("a new limit such as $10, or {numbers}"),
    };
    let taken = options.iter().position(|id| Some(id) == by_enter(question));
    match taken {
        Some(place) => format!("  {wanted}, Enter takes {} › ", place + 1),
        None => format!("  {wanted} › "),
    }
}

/// What Enter alone takes. Whoever approves something says so: a seal rests on their word.
const fn by_enter(question: &OpenQuestion) -> Option<&String> {
    match question.asked.purpose {
        Purpose::Approval => None,
        Purpose::Choice
        | Purpose::Cap
        | Purpose::Spend
        | Purpose::Once
        | Purpose::Model
        | Purpose::Trouble
        | Purpose::Machine
        | Purpose::Moved
        | Purpose::Breaker => question.asked.recommended.as_ref(),
    }
}

/// Reads what was typed as an answer.
fn reply(question: &OpenQuestion, typed: &str) -> Result<AnswerReply, String> {
    if typed.is_empty() {
        return match (by_enter(question), question.asked.purpose) {
            (Some(id), _) => Ok(AnswerReply::Option { id: id.clone() }),
            (None, Purpose::Approval) => {
                Err("Enter alone does not approve it: type a number or a word".to_owned())
            }
            (None, _) => Err("an answer is needed".to_owned()),
        };
    }
    card::read(question, typed)
}

/// The beginning of a text, on one line.
fn excerpt(text: &str) -> String {
    let mut shown: String = text.chars().take(60).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    sanitize_line(&shown)
}

/// An answer in words.
fn told(question: &OpenQuestion, value: &AnswerValue) -> String {
    match value {
        AnswerValue::Option { id } => {
            let label = question
                .card
                .options
                .iter()
                .find(|option| option.id == *id)
                .map_or(id, |option| &option.label);
            sanitize_line(label)
        }
        AnswerValue::Text { .. } => "in words of their own".to_owned(),
        AnswerValue::Limit { limit } if card::counts_tokens(question) => {
            format!("{limit} tokens")
        }
        AnswerValue::Limit { limit } => format!("{}", MicroUsd(*limit)),
        AnswerValue::Decide => "left to Gavel".to_owned(),
    }
}

fn by_whom(answered: &QuestionAnswered) -> &'static str {
    if answered.timed_out {
        return "by the clock";
    }
    match answered.by.door {
        Door::Engine => "by Gavel itself",
        Door::Cli => "in another terminal",
        Door::Mcp => "by an MCP client",
        Door::Acp => "by an agent",
        Door::Http => "over HTTP",
        Door::Bridge => "through your notify program",
    }
}

#[cfg(test)]
#[path = "prompt_tests.rs"]
mod tests;
