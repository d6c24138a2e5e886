//! Labelled lines below each other, wrapped where a person reads.

use std::io::IsTerminal as _;

use gavel_rules::sanitize_line;

use crate::context::Context;
use crate::ui::{Cell, Look};

/// Lines are wrapped here, or where the terminal ends.
const WIDTH: usize = 96;
/// Less is no room for words.
const LEAST: usize = 48;
/// Where the words begin.
const INDENT: usize = 11;
/// How much further in stands what has no room on a line.
const FOLD: usize = 4;

/// A page for a terminal.
#[derive(Debug)]
pub(crate) struct Sheet {
    rows: Vec<Vec<Cell>>,
    label: &'static str,
    width: usize,
}

impl Default for Sheet {
    fn default() -> Self {
        let width = if std::io::stdout().is_terminal() {
            let wide = crate::live::terminal_width().saturating_sub(1);
            wide.clamp(LEAST, WIDTH)
        } else {
            WIDTH
        };
        Self {
            rows: Vec::new(),
            label: "",
            width,
        }
    }
}

impl Sheet {
    /// The label of the lines that follow; it stands before the first of them.
    pub(crate) fn label(&mut self, label: &'static str) -> &mut Self {
        self.label = label;
        self
    }

    /// One line; what has no room on it stands below, and nothing is cut.
    pub(crate) fn line(&mut self, cells: Vec<Cell>) {
        let whole = self.width.saturating_sub(INDENT);
        let mut row = vec![self.take_label()];
        let mut room = whole;
        for (text, look) in cells {
            let text = sanitize_line(&text);
            if text.trim_end().chars().count() <= room {
                room = room.saturating_sub(text.chars().count());
                row.push((text, look));
                continue;
            }
            for part in wrapped(&text, whole.saturating_sub(FOLD)) {
                let below = vec![(" ".repeat(INDENT + FOLD), Look::Faint)];
                self.rows.push(std::mem::replace(&mut row, below));
                let part = format!("{part}  ");
                room = whole.saturating_sub(FOLD + part.chars().count());
                row.push((part, look));
            }
        }
        self.rows.push(row);
    }

    /// A text on as many lines as it takes.
    pub(crate) fn text(&mut self, text: &str, look: Look) {
        self.hung("", text, look);
    }

    /// A text behind a sign; its other lines stand below its first word.
    pub(crate) fn hung(&mut self, sign: &str, text: &str, look: Look) {
        let hang = sign.chars().count();
        let room = self.width.saturating_sub(INDENT + hang);
        let text = short_cites(text);
        for (place, line) in wrapped(&text, room).into_iter().enumerate() {
            let before = if place == 0 {
                sign.to_owned()
            } else {
                " ".repeat(hang)
            };
            let row = vec![self.take_label(), (before, Look::Faint), (line, look)];
            self.rows.push(row);
        }
    }

    /// Commands with what they are for; none is cut.
    pub(crate) fn commands(&mut self, commands: &[(String, &str)]) {
        let widths = commands.iter().map(|(command, _)| command.chars().count());
        let widest = widths.max().unwrap_or(0);
        for (command, why) in commands {
            let beside = format!("   # {why}");
            // What does not fit beside the command is left out: the command explains itself.
            let room = INDENT + widest + beside.chars().count() <= self.width;
            let fits = room && !why.is_empty();
            let mut row = vec![self.take_label(), (command.clone(), Look::Strong)];
            if fits {
                let blanks = widest.saturating_sub(command.chars().count());
                row.push((format!("{:blanks$}{beside}", ""), Look::Faint));
            }
            self.rows.push(row);
        }
    }

    /// An empty line, unless there is one already.
    pub(crate) fn gap(&mut self) {
        if self.rows.last().is_some_and(|row| !row.is_empty()) {
            self.rows.push(Vec::new());
        }
    }

    /// A title over the whole width.
    pub(crate) fn title(&mut self, text: &str) {
        for line in wrapped(text, self.width) {
            self.rows.push(vec![(line, Look::Strong)]);
        }
    }

    /// Prints everything.
    pub(crate) fn print(&self, context: &Context) {
        for line in self.lines(|text, look| context.ui.look(text, look)) {
            context.ui.line(line);
        }
    }

    /// The lines, each cell dressed.
    pub(crate) fn lines(&self, dress: impl Fn(&str, Look) -> String) -> Vec<String> {
        let line = |row: &Vec<Cell>| {
            let line: String = row.iter().map(|(text, look)| dress(text, *look)).collect();
            line.trim_end().to_owned()
        };
        self.rows.iter().map(line).collect()
    }

    fn take_label(&mut self) -> Cell {
        let label = std::mem::take(&mut self.label);
        (format!("{label:INDENT$}"), Look::Faint)
    }
}

/// A share as a small bar of so many signs.
pub(super) fn bar(part: u32, whole: u32, signs: u32) -> String {
    let filled = match whole {
        0 => 0,
        whole => (u64::from(part) * u64::from(signs)).div_ceil(u64::from(whole)),
    };
    let filled = usize::try_from(filled).unwrap_or(0);
    let all = usize::try_from(signs).unwrap_or(0);
    let filled = filled.min(all);
    format!("{}{}", "█".repeat(filled), "░".repeat(all - filled))
}

/// A text in which memory items go by the ends of their ids, as every command takes them.
fn short_cites(text: &str) -> String {
    const MARK: &str = "memory:";
    let mut parts = text.split(MARK);
    let mut told = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '_');
        let (id, rest) = part.split_at(end.unwrap_or(part.len()));
        let digits = id.len().saturating_sub(8);
        // Only what looks like an id of ours is cut.
        let short = if id.len() > 36 {
            id.get(digits..)
        } else {
            None
        };
        told.push_str(MARK);
        told.push_str(short.unwrap_or(id));
        told.push_str(rest);
    }
    told
}

/// Lines of at most so many characters; a word that is longer stands on a line of its own.
fn wrapped(text: &str, room: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for part in text.lines().map(str::trim).filter(|part| !part.is_empty()) {
        let mut line = String::new();
        for word in part.split_whitespace() {
            let wide = line.chars().count() + 1 + word.chars().count();
            if !line.is_empty() && wide > room {
                lines.push(std::mem::take(&mut line));
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        lines.push(line);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_shows_a_share() {
        assert_eq!(bar(0, 0, 4), "░░░░");
        assert_eq!(bar(1, 100, 4), "█░░░", "a little is not nothing");
        assert_eq!(bar(50, 100, 4), "██░░");
        assert_eq!(bar(7, 5, 4), "████");
    }

    #[test]
    fn memory_goes_by_the_ends_of_its_ids() {
        let long = "see memory:dec_01a1e347-5ad8-752c-afb7-1a143260ebc8, [memory:trap-7] and more";
        let short = "see memory:3260ebc8, [memory:trap-7] and more";
        assert_eq!(short_cites(long), short);
        assert_eq!(short_cites("memory: nothing"), "memory: nothing");
        assert_eq!(short_cites("no cite"), "no cite");
    }

    #[test]
    fn figures_that_have_no_room_stand_below_and_are_never_cut() {
        let mut sheet = Sheet {
            width: LEAST,
            ..Sheet::default()
        };
        let cells = [
            "1 Experience Auditor  ",
            "provider/a-long-name  ",
            "PostgreSQL  ",
            "3/4 checked, 1 broken",
        ];
        sheet.line(cells.map(|text| (text.to_owned(), Look::Plain)).to_vec());
        let lines = sheet.lines(|text, _| text.to_owned());
        let all = lines.join(" ");
        for cell in cells {
            assert!(all.contains(cell.trim()), "{lines:?}");
        }
        assert!(
            lines.iter().all(|line| line.chars().count() <= LEAST),
            "{lines:?}"
        );
    }

    #[test]
    fn text_is_wrapped_below_its_sign() {
        let mut sheet = Sheet::default();
        let text = "word ".repeat(30);
        sheet.label("Why").hung("- ", &text, Look::Plain);
        let lines = sheet.lines(|text, _| text.to_owned());
        assert_eq!(lines.len(), 2);
        assert!(lines[0].starts_with("Why        - word"), "{lines:?}");
        assert!(lines[1].starts_with("             word"), "{lines:?}");
        assert!(lines.iter().all(|line| line.chars().count() <= WIDTH));
    }
}
