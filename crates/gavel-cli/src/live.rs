//! A run as it is driven from this terminal: progress at its foot, one line for each finished stage,
//! questions as cards. Without a terminal: a plain line for each stage and each part of a sprint.

pub(crate) mod council;
mod frame;
mod keys;
pub(crate) mod loops;
mod progress;
mod prompt;
pub(crate) mod proof;
pub(crate) mod words;

use std::sync::Arc;
use std::time::{Duration, Instant};

use gavel_domain::{ArtifactAdded, CostPreviewed, ModelReplied, Record, RunId, Seq, Timestamp};
use gavel_run::{Engine, Signal, StopHandle};
use gavel_store::{SqliteStore, Store as _};
use tokio::sync::broadcast::{self, error::RecvError};
use tokio::sync::oneshot;
use tokio::task::JoinSet;

pub(crate) use self::keys::Keys;

use self::frame::{dress, fit, fit_stays, foot, stays};
use self::progress::{Left, Progress};
use self::prompt::Prompt;
use self::words::tool_doing;
use crate::context::Context;
use crate::failure::Failure;
use crate::ui::Ui;

const TICK: Duration = Duration::from_millis(100);
const PAGE: u32 = 500;
const USUAL_WIDTH: usize = 80;

/// How much is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    /// Lines that are drawn again and again.
    Foot,
    /// One line after the other.
    Plain,
    /// Nothing.
    Silent,
}

/// Shows a drive for as long as it is kept.
pub(crate) struct Live {
    _end: oneshot::Sender<()>,
    task: JoinSet<()>,
}

/// The columns of the terminal behind standard error.
pub(crate) fn terminal_width() -> usize {
    match rustix::termios::tcgetwinsize(std::io::stderr()) {
        Ok(size) if size.ws_col > 0 => usize::from(size.ws_col),
        Ok(_) | Err(_) => USUAL_WIDTH,
    }
}

impl Live {
    /// Begins to show a run that is about to be driven.
    pub(crate) async fn begin(
        context: &Context,
        engine: &Engine,
        store: &Arc<SqliteStore>,
        (run, stop): (RunId, StopHandle),
    ) -> Result<Self, Failure> {
        let signals = engine.signals();
        let prompt = context.attended().then(|| {
            let mailbox = context.mailbox(Arc::clone(store));
            Prompt::new(context.ui.clone(), run, mailbox, stop.clone())
        });
        let style = if context.ui.is_quiet() {
            Style::Silent
        } else if context.ui.redraws() {
            Style::Foot
        } else {
            Style::Plain
        };
        let mut watcher = Watcher {
            ui: context.ui.clone(),
            store: Arc::clone(store),
            progress: Progress::new(run, now()),
            seen: Seq::ZERO,
            style,
            began: Instant::now(),
            ticks: 0,
            stop,
            prompt,
        };
        watcher.look_back().await?;
        let (end, ended) = oneshot::channel();
        let mut task = JoinSet::new();
        task.spawn(watcher.watch(signals, ended));
        Ok(Self { _end: end, task })
    }

    /// Shows what came last and clears the foot.
    pub(crate) async fn finish(self) {
        let Self {
            _end: end,
            mut task,
        } = self;
        drop(end);
        // A watcher that failed has shown less; the run is not concerned.
        while task.join_next().await.is_some() {}
    }
}

fn now() -> Timestamp {
    Context::clock().now()
}

struct Watcher {
    ui: Ui,
    store: Arc<SqliteStore>,
    progress: Progress,
    seen: Seq,
    style: Style,
    began: Instant,
    ticks: usize,
    stop: StopHandle,
    prompt: Option<Prompt>,
}

impl Watcher {
    /// Folds what happened before this drive, and shows nothing of it.
    async fn look_back(&mut self) -> Result<(), Failure> {
        loop {
            let run = self.progress.head.run;
            let records = self.store.records(run, self.seen, PAGE).await?;
            if records.is_empty() {
                break;
            }
            for record in records {
                self.seen = record.seq;
                self.progress.take(&record);
            }
        }
        // A run that was over before takes no time now.
        drop(self.progress.finish(now()));
        if let Some(prompt) = &mut self.prompt {
            for id in self.progress.head.questions.keys() {
                prompt.opened(id.clone());
            }
        }
        Ok(())
    }

    async fn watch(
        mut self,
        mut signals: broadcast::Receiver<Signal>,
        mut ended: oneshot::Receiver<()>,
    ) {
        let mut ticks = tokio::time::interval(TICK);
        loop {
            tokio::select! {
                heard = signals.recv() => match heard {
                    Ok(Signal::Fact(record)) => self.fact(&record).await,
                    // What was missed is on record.
                    Err(RecvError::Lagged(_)) => self.catch_up().await,
                    Err(RecvError::Closed) => break,
                    Ok(Signal::Text { key, text }) => self.progress.hears(key, &text),
                    Ok(Signal::CallSent { .. }
                        | Signal::InboxUnread
                        | Signal::Retry { .. }
                        | Signal::InputDrift { .. }) => {}
                },
                line = typed(self.prompt.as_mut()) => {
                    if let Some(prompt) = &mut self.prompt {
                        prompt.answer(line).await;
                    }
                },
                _ = ticks.tick() => self.tick().await,
                _ = &mut ended => break,
            }
        }
        self.catch_up().await;
        self.ui.draw_foot(&[]);
        if let Some(left) = self.progress.finish(now()) {
            self.leave(&left);
        }
    }

    async fn fact(&mut self, record: &Record) {
        if record.seq > self.seen.next() {
            self.catch_up().await;
        }
        if record.seq > self.seen {
            self.take(record).await;
        }
    }

    /// Reads what this process did not hear.
    async fn catch_up(&mut self) {
        let run = self.progress.head.run;
        // A store that cannot be read is told by the drive.
        while let Ok(records) = self.store.records(run, self.seen, PAGE).await {
            if records.is_empty() {
                return;
            }
            for record in records {
                self.take(&record).await;
            }
        }
    }

    async fn take(&mut self, record: &Record) {
        self.seen = record.seq;
        for left in self.progress.take(record) {
            self.leave(&left);
        }
        if let Some(prompt) = &mut self.prompt {
            prompt.take(record);
        }
        if let Ok(added) = record.read::<ArtifactAdded>() {
            let text = self.store.blob(added.body.digest).await;
            let text = text.ok().flatten().unwrap_or_default();
            let left = self
                .progress
                .deliberation
                .handed(&added, &String::from_utf8_lossy(&text));
            self.leave(&left);
        }
        if let Ok(told) = record.read::<CostPreviewed>() {
            crate::preview::show(&self.ui, self.store.as_ref(), &told).await;
        }
        if self.style == Style::Foot
            && let Ok(reply) = record.read::<ModelReplied>()
        {
            let mut tools = Vec::with_capacity(reply.tool_calls.len());
            for call in &reply.tool_calls {
                let arguments = self.store.blob(call.arguments.digest).await;
                let arguments = arguments.ok().flatten().unwrap_or_default();
                tools.push(tool_doing(&call.name, &arguments));
            }
            self.progress.called(&record.key.key(), tools);
        }
    }

    fn leave(&self, left: &Left) {
        let shown = match (self.style, left) {
            (Style::Silent, _) | (Style::Foot, Left::Part(_)) => false,
            (Style::Plain, _) | (Style::Foot, Left::Stage { .. } | Left::Told(..)) => true,
        };
        if shown {
            let pieces = stays(left, &self.progress);
            self.ui.note(match self.style {
                Style::Foot => fit_stays(&self.ui, pieces, terminal_width()),
                Style::Plain | Style::Silent => dress(&self.ui, &pieces),
            });
        }
    }

    async fn tick(&mut self) {
        self.ticks += 1;
        if let Some(prompt) = &mut self.prompt {
            prompt.tick().await;
            if prompt.is_asking() {
                return;
            }
        }
        if self.style == Style::Foot {
            let elapsed = i64::try_from(self.began.elapsed().as_millis()).unwrap_or(i64::MAX);
            let keys = if self.stop.is_pausing() {
                "ctrl-C cuts"
            } else {
                "ctrl-C pauses"
            };
            let lines = foot(&self.progress, (self.ticks, elapsed), keys);
            self.ui.draw_foot(&fit(&self.ui, &lines, terminal_width()));
        }
    }
}

async fn typed(prompt: Option<&mut Prompt>) -> Option<String> {
    match prompt {
        Some(prompt) => prompt.typed().await,
        None => std::future::pending().await,
    }
}
