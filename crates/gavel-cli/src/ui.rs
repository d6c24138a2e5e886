//! Output: the only module that prints. Data goes to standard output, everything else to standard
//! error; colours only where a person looks.
//!
//! Models, repositories and servers have a say in many lines: whatever steers a terminal and is not
//! a colour of this module ends here, so no caller can forget it. What is printed beside data, and the
//! cells of lists, are cut where they are too long, and say so.

mod clip;
mod columns;

use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use gavel_rules::sanitize_for_display;
use serde::Serialize;

use crate::args::General;
use crate::environment;
use crate::exit::Exit;
use crate::failure::Failure;

use clip::clipped;
pub(crate) use columns::{columns, sign_columns};

/// How this command speaks.
#[derive(Debug, Clone)]
pub(crate) struct Ui {
    json: bool,
    quiet: bool,
    colours: bool,
    colours_beside: bool,
    redraws: bool,
    /// The columns of the terminal behind standard output; nothing where a program reads.
    room: Option<usize>,
    /// Lines at the foot of the terminal that are drawn again and again; whatever is printed goes
    /// above them.
    foot: Arc<Mutex<Foot>>,
    output: Arc<OnceLock<OutputLost>>,
}

/// Why nothing more is written to standard output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OutputLost {
    /// Whoever read it went away: nobody misses anything.
    ReaderGone,
    /// What was asked for cannot be written, on a full disk for example.
    Failed,
}

/// What stands at the foot of the terminal right now.
#[derive(Debug, Default)]
struct Foot {
    lines: Vec<String>,
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
    const ALL: [Self; 6] = [
        Self::Plain,
        Self::Strong,
        Self::Faint,
        Self::Good,
        Self::Warn,
        Self::Bad,
    ];

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

/// How a part of the thread of asks looks.
pub(crate) const fn look_of(tone: gavel_rules::ThreadTone) -> Look {
    use gavel_rules::ThreadTone;
    match tone {
        ThreadTone::Plain => Look::Plain,
        ThreadTone::Good => Look::Good,
        ThreadTone::Warn => Look::Warn,
        ThreadTone::Bad => Look::Bad,
    }
}

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
            colours_beside: environment::colours(io::stderr().is_terminal()),
            redraws: environment::redraws(io::stderr().is_terminal()),
            room: room(),
            foot: Arc::default(),
            output: Arc::default(),
        }
    }

    /// Prints a line for a person; nothing with `--json`.
    pub(crate) fn line(&self, text: impl Display) {
        if !self.json {
            self.above_foot(|| self.out(&steady(&text.to_string())));
        }
    }

    /// Prints one JSON object on a line of its own, with its schema.
    pub(crate) fn data(&self, schema: &str, value: &impl Serialize) {
        if self.json {
            self.above_foot(|| self.out(&object(schema, value)));
        }
    }

    /// Says what failed, as data.
    fn failure_as_data(failure: &Failure) {
        let mut error = serde_json::json!({
            "code": failure.code(),
            "message": clipped(&failure.message()),
            "hint": failure.hint.as_deref().map(clipped),
        });
        if let (Some(reason), Some(fields)) = (failure.reason, error.as_object_mut()) {
            fields.insert("reason".into(), reason.into());
        }
        // Whoever does not read why a command failed still gets its exit code.
        err(
            &mut io::stdout().lock(),
            &object("error", &serde_json::json!({ "error": error })),
        );
    }

    /// Tells a person something beside the data.
    pub(crate) fn note(&self, text: impl Display) {
        if !self.quiet {
            self.beside(text);
        }
    }

    /// Tells a person something that they must see: a question, and what becomes of the answer.
    pub(crate) fn beside(&self, text: impl Display) {
        self.above_foot(|| {
            let text = clipped(&text.to_string());
            err(&mut io::stderr().lock(), &steady(&text));
        });
    }

    /// True when lines on standard error can be drawn again.
    pub(crate) const fn redraws(&self) -> bool {
        self.redraws
    }

    /// True when nothing but what was asked for is told.
    pub(crate) const fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// Draws other lines at the foot of the terminal; none clears it. Each must fit into a row.
    pub(crate) fn draw_foot(&self, lines: &[String]) {
        let lines: Vec<String> = lines.iter().map(|line| steady(line)).collect();
        let mut foot = self.foot.lock().unwrap_or_else(PoisonError::into_inner);
        if foot.lines != lines {
            let erased = self.erase(&foot);
            foot.lines = lines;
            beside_raw(&(erased + &foot.draw()));
        }
    }

    /// Asks at the foot of the terminal, where the person types on. Other lines at the foot come
    /// back once it was answered or taken away, which [`Ui::draw_foot`] does.
    pub(crate) fn prompt(&self, text: &str) {
        self.draw_foot(&[text.to_owned()]);
    }

    /// Notes that what was typed behind the prompt ended its line: it stays where it is.
    pub(crate) fn prompt_answered(&self) {
        let mut foot = self.foot.lock().unwrap_or_else(PoisonError::into_inner);
        foot.lines.clear();
    }

    /// Takes the lines at the foot away, from the last one upwards.
    fn erase(&self, foot: &Foot) -> String {
        match foot.lines.len() {
            0 => String::new(),
            _ if !self.redraws => "\n".to_owned(),
            rows => format!("\r\x1b[2K{}", "\x1b[1A\x1b[2K".repeat(rows - 1)),
        }
    }

    fn above_foot(&self, print: impl FnOnce()) {
        let foot = self.foot.lock().unwrap_or_else(PoisonError::into_inner);
        if foot.lines.is_empty() {
            print();
            return;
        }
        beside_raw(&self.erase(&foot));
        print();
        beside_raw(&foot.draw());
    }

    /// Says what failed and what to do now.
    pub(crate) fn failure(&self, failure: &Failure) {
        if self.json {
            Self::failure_as_data(failure);
            return;
        }
        let beside = |text, look| self.look_beside(text, look);
        let mut stderr = io::stderr().lock();
        err(
            &mut stderr,
            &format!(
                "{} {}",
                beside("error:", Look::Bad),
                sanitize_for_display(&clipped(&failure.message()))
            ),
        );
        if let Some(hint) = &failure.hint {
            err(
                &mut stderr,
                &format!(
                    "{} {}",
                    beside("hint:", Look::Strong),
                    sanitize_for_display(&clipped(hint))
                ),
            );
        }
    }

    /// Dresses a text that goes to standard error.
    pub(crate) fn look_beside(&self, text: &str, look: Look) -> String {
        dress(text, look, self.colours_beside)
    }

    /// Dresses a text that goes to standard output.
    pub(crate) fn look(&self, text: &str, look: Look) -> String {
        dress(text, look, self.colours)
    }

    /// Prints rows in aligned columns, wrapped where a terminal ends.
    pub(crate) fn table(&self, rows: &[Vec<Cell>]) {
        let within = |(text, look): &Cell| (clipped(text), *look);
        let rows: Vec<Vec<Cell>> = rows
            .iter()
            .map(|row| row.iter().map(within).collect())
            .collect();
        for line in columns::laid(&rows, self.room) {
            let line: String = line
                .iter()
                .map(|(text, look)| self.look(text, *look))
                .collect();
            self.line(line);
        }
    }

    /// The same beside the output, for a person who has to choose.
    pub(crate) fn table_beside(&self, rows: &[Vec<Cell>]) {
        for line in columns::laid(rows, self.room) {
            let dressed = line
                .iter()
                .map(|(text, look)| self.look_beside(text, *look));
            self.note(dressed.collect::<String>());
        }
    }

    /// Prints sentences, broken between words where a terminal ends; what goes on does so `hang`
    /// columns behind the beginning.
    pub(crate) fn flow(&self, hang: usize, text: impl Display) {
        self.line(columns::flowed(&steady(&text.to_string()), self.room, hang));
    }

    /// Prints a command with what it is for, which stands below it where there is no room beside it.
    /// The command itself is only broken so that a shell still takes it as one.
    pub(crate) fn command(&self, (before, command): (&str, &str), why: &str) {
        let beside = columns(before) + columns(command) + 3 + columns(why);
        let why = self.look(why, Look::Faint);
        if self.room.is_none_or(|room| beside <= room) {
            self.line(format!("{before}{command}   {why}").trim_end());
            return;
        }
        self.line(columns::typed(before, command, self.room));
        if !why.is_empty() {
            self.flow(0, format!("{}{why}", " ".repeat(columns(before))));
        }
    }

    /// Prints bytes that another program reads, such as a completion script.
    pub(crate) fn raw(&self, bytes: &[u8]) {
        self.print(|output| output.write_all(bytes));
    }

    /// Prints what was asked for.
    fn out(&self, text: &impl Display) {
        self.print(|output| writeln!(output, "{text}"));
    }

    /// A command goes on without its reader: a run must not end, nor lose its exit code, because
    /// somebody wanted to see its first lines alone.
    fn print(&self, write: impl FnOnce(&mut io::StdoutLock<'_>) -> io::Result<()>) {
        if self.output.get().is_some() {
            return;
        }
        let Err(error) = write(&mut io::stdout().lock()) else {
            return;
        };
        let lost = lost_by(&error);
        if self.output.set(lost).is_ok() && lost == OutputLost::Failed {
            explain_lost(&error);
        }
    }

    /// True when nobody reads what is printed: who only prints can end.
    pub(crate) fn reader_is_gone(&self) -> bool {
        self.output.get() == Some(&OutputLost::ReaderGone)
    }

    /// How the command ended, by its output too: what was asked for and not written is no success.
    pub(crate) fn exit(&self, exit: Exit) -> Exit {
        match (exit, self.output.get()) {
            (Exit::Done, Some(OutputLost::Failed)) => Exit::Failed,
            (exit, _) => exit,
        }
    }
}

impl Foot {
    /// Draws the lines; the cursor stays behind the last one.
    fn draw(&self) -> String {
        self.lines.join("\n")
    }
}

/// Explains wrong usage, help and version as clap renders them; wrong usage as data where somebody
/// asked for data.
pub(crate) fn explain_usage(error: &clap::Error, wants_data: bool) -> ExitCode {
    if !error.use_stderr() {
        return match error.print() {
            Err(error) if lost_by(&error) == OutputLost::Failed => {
                explain_lost(&error);
                Exit::Failed.code()
            }
            Ok(()) | Err(_) => Exit::Done.code(),
        };
    }
    if wants_data {
        let rendered = error.render().to_string();
        let told = rendered.split("\n\n").next().unwrap_or_default();
        let message = told.trim_start_matches("error:").trim();
        Ui::failure_as_data(&Failure::usage(message).hint("gavel --help shows what there is"));
    } else {
        drop(error.print());
    }
    Exit::Usage.code()
}

/// The last column stays free: some terminals wrap as soon as it is filled.
fn room() -> Option<usize> {
    let stdout = io::stdout();
    if !stdout.is_terminal() {
        return None;
    }
    let size = rustix::termios::tcgetwinsize(stdout).ok()?;
    usize::from(size.ws_col).checked_sub(1)
}

/// Ends a look.
const RESET: &str = "\x1b[0m";

fn dress(text: &str, look: Look, colours: bool) -> String {
    let text = sanitize_for_display(text);
    if colours && look != Look::Plain && !text.is_empty() {
        format!("{}{text}{RESET}", look.code())
    } else {
        text
    }
}

/// A line that steers nothing: of all signs that a terminal obeys only our own looks are left.
fn steady(line: &str) -> String {
    let looks = || Look::ALL.map(Look::code).into_iter().chain([RESET]);
    let mut rest = line;
    let mut steady = String::new();
    while let Some(at) = rest.find('\x1b') {
        let (before, after) = rest.split_at(at);
        steady.push_str(&sanitize_for_display(before));
        let own = looks().find(|code| !code.is_empty() && after.starts_with(code));
        steady.push_str(own.unwrap_or_default());
        let taken = own.map_or(1, str::len);
        rest = after.get(taken..).unwrap_or_default();
    }
    steady.push_str(&sanitize_for_display(rest));
    steady
}

/// One JSON object with its schema.
fn object(schema: &str, value: &impl Serialize) -> serde_json::Value {
    let mut object = serde_json::Map::new();
    object.insert("schema".into(), format!("gavel/{schema}/v1").into());
    match serde_json::to_value(value) {
        Ok(serde_json::Value::Object(fields)) => object.extend(fields),
        Ok(other) => drop(object.insert("value".into(), other)),
        Err(error) => drop(object.insert("unprintable".into(), error.to_string().into())),
    }
    serde_json::Value::Object(object)
}

/// Prints beside the data. A message that nobody reads must not end a run or change its exit code.
fn err(stream: &mut impl Write, text: &impl Display) {
    drop(writeln!(stream, "{text}"));
}

/// Prints signs that steer the terminal, in one go so that nothing flickers.
fn beside_raw(text: &str) {
    let mut stderr = io::stderr().lock();
    drop(
        stderr
            .write_all(text.as_bytes())
            .and_then(|()| stderr.flush()),
    );
}

fn lost_by(error: &io::Error) -> OutputLost {
    if error.kind() == io::ErrorKind::BrokenPipe {
        OutputLost::ReaderGone
    } else {
        OutputLost::Failed
    }
}

fn explain_lost(error: &io::Error) {
    let told = format!("error: standard output cannot be written: {error}");
    err(&mut io::stderr().lock(), &told);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_looks_reach_a_terminal() {
        let hostile = "a\x1b]0;title\x07\x1b[2Jb\u{9b}1A\r\u{202e}c\u{61c}";
        let dressed = format!("{} | {hostile}", dress(hostile, Look::Warn, true));
        assert_eq!(
            steady(&dressed),
            "\x1b[33ma]0;title[2Jb1Ac\x1b[0m | a]0;title[2Jb1Ac"
        );
        assert_eq!(steady("two\nlines\x1b"), "two\nlines");
        assert_eq!(dress("\x1b[31mred", Look::Plain, false), "[31mred");
    }
}
