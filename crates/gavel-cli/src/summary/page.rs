//! The page at the end of a run: labelled lines that fit where they are shown.

use std::io::IsTerminal as _;

use gavel_rules::sanitize_line;

use super::{INDENT, Row, WIDTH, clipped};
use crate::card::{Room, wrap};
use crate::ui::Look;

/// How wide the page is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Width {
    /// Words go on in the next line of a terminal of so many columns.
    Columns(usize),
    /// Elsewhere a line stays one, and is cut.
    OneLine,
}

impl Width {
    pub(super) fn of_output() -> Self {
        if std::io::stdout().is_terminal() {
            Self::Columns(crate::live::terminal_width().clamp(INDENT * 4, WIDTH))
        } else {
            Self::OneLine
        }
    }

    pub(super) const fn columns(self) -> usize {
        match self {
            Self::Columns(columns) => columns,
            Self::OneLine => WIDTH,
        }
    }
}

/// Labelled lines below each other.
pub(super) struct Page {
    pub(super) rows: Vec<Row>,
    pub(super) label: &'static str,
    pub(super) width: Width,
}

impl Page {
    pub(super) fn label(&mut self, label: &'static str) {
        self.label = label;
    }

    /// A line; the label stands before the first of its lines.
    pub(super) fn line(&mut self, cells: Row) {
        let label = format!("{:INDENT$}", std::mem::take(&mut self.label));
        let mut row = vec![(label, Look::Faint)];
        let mut room = self.width.columns() - INDENT;
        for (text, look) in cells {
            let text = clipped(&text, room);
            room = room.saturating_sub(text.chars().count());
            row.push((text, look));
        }
        self.rows.push(row);
    }

    pub(super) fn words(&mut self, text: &str, look: Look) {
        match self.width {
            Width::OneLine => self.line(vec![(text.to_owned(), look)]),
            Width::Columns(columns) => {
                let one_line = sanitize_line(text);
                for line in wrap(&one_line, Room::Columns(columns - INDENT)) {
                    self.line(vec![(line, look)]);
                }
            }
        }
    }

    /// Words below the title, from its left edge.
    pub(super) fn below_title(&mut self, text: &str, look: Look) {
        let room = self.width.columns() - 2;
        let lines = match self.width {
            Width::OneLine => vec![clipped(text, room)],
            Width::Columns(_) => wrap(&sanitize_line(text), Room::Columns(room)),
        };
        let lines = lines.into_iter();
        self.rows
            .extend(lines.map(|line| vec![(format!("  {line}"), look)]));
    }

    /// Commands with what they are for. None is cut: half of it would be another command.
    pub(super) fn commands(&mut self, commands: &[(String, &str)]) {
        let widths = commands.iter().map(|(command, _)| command.chars().count());
        let widest = widths.filter(|width| *width <= 60).max().unwrap_or(0);
        for (command, why) in commands {
            let label = format!("{:INDENT$}", std::mem::take(&mut self.label));
            let mut row = vec![
                (label, Look::Faint),
                (format!("{command:widest$}"), Look::Strong),
            ];
            if !why.is_empty() {
                row.push((format!("   # {why}"), Look::Faint));
            }
            self.rows.push(row);
        }
    }

    pub(super) fn gap(&mut self) {
        self.rows.push(Row::new());
    }
}
