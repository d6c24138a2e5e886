//! Output: the only module that prints. Data goes to standard output, everything else to standard
//! error; colours only where a person looks.

use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use serde::Serialize;

use crate::args::General;
use crate::environment;
use crate::exit::Exit;
use crate::failure::Failure;

/// How this command speaks.
#[derive(Debug, Clone)]
pub(crate) struct Ui {
    json: bool,
    quiet: bool,
    colours: bool,
}

/// How a word looks on a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Look {
    Plain,
    Strong,
    Faint,
    Good,
    Warn,
    Bad,
}

impl Look {
    const fn code(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Strong => "\x1b[1m",
            Self::Faint => "\x1b[2m",
            Self::Good => "\x1b[32m",
            Self::Warn => "\x1b[33m",
            Self::Bad => "\x1b[31m",
        }
    }
}

/// A cell of a table.
pub(crate) type Cell = (String, Look);

/// A plain cell.
pub(crate) fn cell(text: impl Display) -> Cell {
    (text.to_string(), Look::Plain)
}

impl Ui {
    pub(crate) fn new(general: &General) -> Self {
        Self {
            json: general.json,
            quiet: general.quiet,
            colours: environment::colours(io::stdout().is_terminal()),
        }
    }

    /// Prints a line for a person; nothing with `--json`.
    pub(crate) fn line(&self, text: impl Display) {
        if !self.json {
            put(&mut io::stdout().lock(), &text);
        }
    }

    /// Prints one JSON object on a line of its own, with its schema.
    pub(crate) fn data(&self, schema: &str, value: &impl Serialize) {
        if !self.json {
            return;
        }
        let mut object = serde_json::Map::new();
        object.insert("schema".into(), format!("gavel/{schema}/v1").into());
        match serde_json::to_value(value) {
            Ok(serde_json::Value::Object(fields)) => object.extend(fields),
            Ok(other) => drop(object.insert("value".into(), other)),
            Err(error) => drop(object.insert("unprintable".into(), error.to_string().into())),
        }
        put(&mut io::stdout().lock(), &serde_json::Value::Object(object));
    }

    /// Tells a person something beside the data.
    pub(crate) fn note(&self, text: impl Display) {
        if !self.quiet {
            put(&mut io::stderr().lock(), &text);
        }
    }

    /// Says what failed and what to do now.
    pub(crate) fn failure(&self, failure: &Failure) {
        if self.json {
            let error = serde_json::json!({
                "code": failure.exit.word(),
                "message": failure.message(),
                "hint": failure.hint,
            });
            self.data("error", &serde_json::json!({ "error": error }));
            return;
        }
        let mut err = io::stderr().lock();
        put(
            &mut err,
            &format!("{} {}", self.look("error:", Look::Bad), failure.message()),
        );
        if let Some(hint) = &failure.hint {
            put(
                &mut err,
                &format!("{} {hint}", self.look("hint:", Look::Strong)),
            );
        }
    }

    /// Dresses a text for a terminal.
    pub(crate) fn look(&self, text: &str, look: Look) -> String {
        if self.colours && look != Look::Plain {
            format!("{}{text}\x1b[0m", look.code())
        } else {
            text.to_owned()
        }
    }

    /// Prints rows in aligned columns.
    pub(crate) fn table(&self, rows: &[Vec<Cell>]) {
        let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
        let width = |column: usize| {
            let cells = rows.iter().filter_map(|row| row.get(column));
            cells
                .map(|(text, _)| text.chars().count())
                .max()
                .unwrap_or_default()
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        for row in rows {
            let mut line = String::new();
            for (place, ((text, look), width)) in row.iter().zip(&widths).enumerate() {
                let last = place + 1 == row.len();
                let pad = if last {
                    0
                } else {
                    width - text.chars().count() + 2
                };
                line.push_str(&self.look(text, *look));
                line.extend(std::iter::repeat_n(' ', pad));
            }
            self.line(line.trim_end());
        }
    }

    /// Prints bytes that another program reads, such as a completion script.
    pub(crate) fn raw(&self, bytes: &[u8]) {
        settle(io::stdout().lock().write_all(bytes));
    }
}

/// Explains wrong usage, help and version as clap renders them.
pub(crate) fn explain_usage(error: &clap::Error) -> ExitCode {
    settle(error.print());
    if error.use_stderr() {
        Exit::Usage.code()
    } else {
        Exit::Done.code()
    }
}

fn put(out: &mut impl Write, text: &impl Display) {
    settle(writeln!(out, "{text}"));
}

/// A reader that went away ends the program quietly, as it does for `cat`.
#[expect(
    clippy::exit,
    reason = "nobody reads any more, and nothing is left to be said"
)]
fn settle(result: io::Result<()>) {
    if let Err(_gone) = result {
        std::process::exit(i32::from(Exit::Done.number()));
    }
}
