//! `notify = ["program", …]` of a person's own settings: a program that is told of questions, caps and ends,
//! without a shell. What it prints in return answers the question, as given through this bridge.

use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, bail};
use gavel_domain::{Door, Head, Key, Purpose, Record, Role, RunId, Speaker};
use gavel_run::{Engine, Mailbox, OpenQuestion, Signal};
use gavel_store::SqliteStore;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::sync::broadcast::error::RecvError;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::card::read;
use crate::context::Context;
use crate::failure::Failure;
use crate::providers::Whose;
use crate::ui::{Look, Ui};

const KEY: &str = "notify";
/// Whether what the program prints may answer questions that only a person may answer.
const MAY_DECIDE: &str = "notify_may_decide";
/// The longest answer that is read.
const MOST_BYTES: u64 = 8_000;
/// A question that nobody answered for so long is left to wait without the program.
const LONGEST_WAIT: Duration = Duration::from_secs(24 * 60 * 60);
/// Nobody waits for whoever is told of an end.
const END_WAIT: Duration = Duration::from_secs(10);
/// What is answered as soon as it is asked, as `--yes` does, is no question to anybody.
const SETTLING: Duration = Duration::from_millis(250);

/// The program, as a person's own file names it.
#[derive(Debug, Clone, Default)]
pub(crate) struct NotifySettings {
    argv: Vec<String>,
    may_decide: bool,
}

impl NotifySettings {
    /// Takes both keys out of a file's table, so that the plain keys remain.
    pub(crate) fn take_from(&mut self, table: &mut toml::Table, of: Whose) -> anyhow::Result<()> {
        let (argv, may_decide) = (table.remove(KEY), table.remove(MAY_DECIDE));
        if of == Whose::Project && (argv.is_some() || may_decide.is_some()) {
            bail!(
                "{KEY}: a project's file cannot name a program to be started; put it into your own \
                 config.toml"
            );
        }
        if let Some(argv) = argv {
            let argv: Vec<String> = argv
                .try_into()
                .with_context(|| format!("{KEY} is a list: the program, then its arguments"))?;
            if argv.first().is_none_or(|program| program.trim().is_empty()) {
                bail!("{KEY}: the list names no program");
            }
            self.argv = argv;
        }
        if let Some(may_decide) = may_decide {
            self.may_decide = may_decide
                .try_into()
                .with_context(|| format!("{MAY_DECIDE} is true or false"))?;
        }
        Ok(())
    }
}

/// What the program is told of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Event {
    Question,
    Cap,
    End,
}

impl Event {
    const fn word(self) -> &'static str {
        match self {
            Self::Question => "question",
            Self::Cap => "cap",
            Self::End => "end",
        }
    }

    const fn of(purpose: Purpose) -> Self {
        match purpose {
            Purpose::Cap | Purpose::Spend => Self::Cap,
            Purpose::Choice
            | Purpose::Approval
            | Purpose::Once
            | Purpose::Model
            | Purpose::Trouble
            | Purpose::Machine
            | Purpose::Moved
            | Purpose::Breaker => Self::Question,
        }
    }
}

/// What came of telling the program about what is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Told {
    /// It answered, so the run can go on.
    Answered,
    /// It did not.
    Silent,
}

/// The bridge to the program; only where one is named.
#[derive(Clone)]
pub(crate) struct Notifier {
    settings: NotifySettings,
    mailbox: Mailbox,
    ui: Ui,
}

impl Notifier {
    /// The bridge that the person's settings name.
    pub(crate) fn of(context: &Context, store: &Arc<SqliteStore>) -> Result<Option<Self>, Failure> {
        let settings = context.settings()?.notify;
        if settings.argv.is_empty() {
            return Ok(None);
        }
        let speaker = Speaker {
            door: Door::Bridge,
            role: Role::Person,
            decides: settings.may_decide,
        };
        let mailbox = Mailbox::new(Arc::clone(store) as _, Context::clock(), speaker);
        let ui = context.ui.clone();
        Ok(Some(Self {
            settings,
            mailbox,
            ui,
        }))
    }

    /// Tells of what a drive left behind: its open questions, one after the other, or its end.
    pub(crate) async fn tell(&self, head: &Head) -> Result<Told, Failure> {
        if head.state.is_final() || head.state == gavel_domain::RunState::Halted {
            let event = json!({
                "event": Event::End.word(), "run": head.run, "state": head.state,
                "branch": head.branch,
            });
            let run = self.run(head.run, (Event::End, None), &event);
            if timeout(END_WAIT, run).await.is_err() {
                self.warn("it was told of the end, and was stopped since it did not end");
            }
            return Ok(Told::Silent);
        }
        let mut told = Told::Silent;
        for question in self.mailbox.questions(head.run).await? {
            if self.ask(head.run, &question).await {
                told = Told::Answered;
            }
        }
        Ok(told)
    }

    /// Tells of questions as they come up in a drive that waits for them; ends when it is dropped.
    pub(crate) fn watch(self, engine: &Engine, run: RunId) -> JoinSet<()> {
        let mut signals = engine.signals();
        let mut task = JoinSet::new();
        task.spawn(async move {
            let mut asked = JoinSet::new();
            loop {
                match signals.recv().await {
                    Ok(Signal::Fact(record)) if is_question(&record) => {
                        let (bridge, key) = (self.clone(), record.key.key());
                        asked.spawn(async move { bridge.ask_soon(run, key).await });
                    }
                    // A question that was missed is on the person's screen all the same.
                    Ok(_) | Err(RecvError::Lagged(_)) => {}
                    Err(RecvError::Closed) => break,
                }
                // Who is through has said what it had to say.
                while asked.try_join_next().is_some() {}
            }
        });
        task
    }

    async fn ask_soon(&self, run: RunId, key: Key) {
        tokio::time::sleep(SETTLING).await;
        let open = self.mailbox.questions(run).await.unwrap_or_default();
        if let Some(question) = open.iter().find(|question| question.id == key) {
            self.ask(run, question).await;
        }
    }

    /// Asks one question; true when it is answered.
    async fn ask(&self, run: RunId, question: &OpenQuestion) -> bool {
        let event = Event::of(question.asked.purpose);
        let data = json!({
            "event": event.word(), "run": run, "question": question.id, "card": question.card,
            "shape": question.asked.shape, "recommended": question.asked.recommended,
            "audience": question.asked.audience,
        });
        let about = (event, Some(&question.id));
        let Ok(answer) = timeout(LONGEST_WAIT, self.run(run, about, &data)).await else {
            return false;
        };
        let Some(answer) = answer else { return false };
        let reply = match read(question, &answer) {
            Ok(reply) => reply,
            Err(problem) => {
                self.warn(&problem);
                return false;
            }
        };
        let key = Some(question.id.clone());
        match self.mailbox.answer(run, key, reply).await {
            Ok(_) => true,
            Err(error) => {
                self.warn(&format!("{error} ({MAY_DECIDE} = true lets it decide)"));
                false
            }
        }
    }

    /// Starts the program with the event on its standard input; what it prints, where it ends well.
    async fn run(
        &self,
        run: RunId,
        (event, question): (Event, Option<&Key>),
        data: &Value,
    ) -> Option<String> {
        match self.printed(run, (event, question), data).await {
            Ok(text) => Some(text.trim().to_owned()).filter(|text| !text.is_empty()),
            Err(error) => {
                self.warn(&format!("{error:#}"));
                None
            }
        }
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "the person's own program, as their own settings name it"
    )]
    async fn printed(
        &self,
        run: RunId,
        (event, question): (Event, Option<&Key>),
        data: &Value,
    ) -> anyhow::Result<String> {
        let (program, arguments) = self.settings.argv.split_first().context("no program")?;
        let mut command = tokio::process::Command::new(program);
        command
            .args(arguments)
            .env("GAVEL_EVENT", event.word())
            .env("GAVEL_RUN", run.to_string())
            .env("GAVEL_QUESTION", question.map_or("", Key::as_str))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true);
        let mut child = command.spawn().context("it could not be started")?;
        let mut data = data.clone();
        if let Some(fields) = data.as_object_mut() {
            fields.insert("schema".to_owned(), "gavel/notify/v1".into());
        }
        if let Some(mut stdin) = child.stdin.take() {
            // A program that does not read is told by its variables.
            drop(stdin.write_all(format!("{data}\n").as_bytes()).await);
        }
        let mut printed = Vec::new();
        if let Some(stdout) = child.stdout.take() {
            let mut stdout = stdout.take(MOST_BYTES);
            stdout.read_to_end(&mut printed).await?;
        }
        let status = child.wait().await?;
        if !status.success() {
            bail!("it failed ({status}), so nothing that it printed counts");
        }
        Ok(String::from_utf8_lossy(&printed).into_owned())
    }

    fn warn(&self, problem: &str) {
        let warning = self.ui.look_beside("note", Look::Warn);
        self.ui.note(format!("{warning} {KEY}: {problem}"));
    }
}

fn is_question(record: &Record) -> bool {
    use gavel_domain::{Fact as _, QuestionAsked};
    record.kind == QuestionAsked::KIND
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(text: &str, of: Whose) -> Result<NotifySettings, String> {
        let mut settings = NotifySettings::default();
        let mut table: toml::Table = text.parse().unwrap();
        let taken = settings.take_from(&mut table, of);
        taken.map_err(|error| format!("{error:#}"))?;
        assert!(table.is_empty());
        Ok(settings)
    }

    #[test]
    fn only_a_persons_own_file_names_a_program() {
        let text = "notify = [\"bell\", \"--loud\"]\nnotify_may_decide = true\n";
        let settings = taken(text, Whose::User).unwrap();
        assert_eq!(settings.argv, ["bell", "--loud"]);
        assert!(settings.may_decide);
        assert!(
            !taken("notify = [\"bell\"]\n", Whose::User)
                .unwrap()
                .may_decide
        );
        for (wrong, of) in [
            (text, Whose::Project),
            ("notify_may_decide = true\n", Whose::Project),
            ("notify = \"bell\"\n", Whose::User),
            ("notify = []\n", Whose::User),
            ("notify_may_decide = \"yes\"\n", Whose::User),
        ] {
            assert!(taken(wrong, of).is_err(), "{wrong}");
        }
    }
}
