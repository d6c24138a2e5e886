//! Logs on standard error: warnings, and with `-v` what happened on the way. Only our own crates are
//! heard: what others log may hold whatever passed through them. No event of ours holds a prompt.

use std::fmt::Debug;

use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

use crate::args::General;
use crate::ui::Ui;

/// Prints events up to a level, each as one line.
struct Log<P> {
    most: LevelFilter,
    print: P,
}

/// Begins to listen; the end of the program ends it.
pub(crate) fn listen(general: &General, ui: &Ui) {
    let most = level(general);
    if most == LevelFilter::OFF {
        return;
    }
    let ui = ui.clone();
    let print = move |line: &str| ui.note(line);
    if let Err(error) = tracing::subscriber::set_global_default(Log { most, print }) {
        tracing::debug!(%error, "somebody listens already");
    }
}

const fn level(general: &General) -> LevelFilter {
    if general.quiet {
        LevelFilter::OFF
    } else if general.verbose {
        LevelFilter::DEBUG
    } else {
        LevelFilter::WARN
    }
}

impl<P: Fn(&str) + Send + Sync + 'static> Subscriber for Log<P> {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_event()
            && *metadata.level() <= self.most
            && metadata.target().starts_with("gavel")
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(self.most)
    }

    fn event(&self, event: &Event<'_>) {
        let mut line = Line::default();
        event.record(&mut line);
        let word = match *event.metadata().level() {
            Level::ERROR => "error",
            Level::WARN => "warning",
            Level::INFO => "info",
            Level::DEBUG | Level::TRACE => "debug",
        };
        let text = format!("{word}: {}{}", line.message, line.fields);
        // A value may come from a file or a server: signs that steer a terminal are not obeyed.
        (self.print)(&gavel_rules::sanitize_line(&text));
    }

    // Spans are never enabled; these are never reached.
    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }
    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

/// What an event says: its sentence, then its fields.
#[derive(Default)]
struct Line {
    message: String,
    fields: String,
}

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        match field.name() {
            "message" => self.message = format!("{value:?}"),
            name => self.fields.push_str(&format!(" {name}={value:?}")),
        }
    }
}

#[cfg(test)]
#[path = "log_tests.rs"]
mod tests;
