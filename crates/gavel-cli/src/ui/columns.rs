//! Rows in aligned columns and sentences in lines, as wide as there is room.
//!
//! Nothing is broken within a word. What is short enough to be an id, a date or a command is never
//! broken at all; columns that have no room beside the others stand below them.

use std::ops::Range;

use super::{Cell, Look};

/// What is up to so wide stands whole: an id, a date, a command.
const WHOLE: usize = 28;
/// Between two columns.
const GAP: usize = 2;
/// What stands below its row begins here.
const INDENT: usize = 2;

/// Rows as lines of cells, each with the blanks before it; no line ends in blanks. Without a room, as
/// in a pipe, every row is one line.
pub(super) fn laid(rows: &[Vec<Cell>], room: Option<usize>) -> Vec<Vec<Cell>> {
    let count = rows.iter().map(Vec::len).max().unwrap_or_default();
    let widest = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        let lines = cells.flat_map(|(text, _)| text.lines());
        lines.map(columns).max().unwrap_or_default()
    };
    let natural: Vec<usize> = (0..count).map(widest).collect();
    let bands = bands(&natural, room);
    let mut lines = Vec::new();
    for row in rows {
        let from = lines.len();
        for band in &bands {
            lines.extend(band.lines(row, room.is_some()));
        }
        // A row of nothing is an empty line.
        if lines.len() == from {
            lines.push(Vec::new());
        }
    }
    lines
}

/// A text in lines of at most so many columns, broken at spaces. Its own lines stay, and what does not
/// fit goes on `hang` columns behind the beginning of its line. What goes on of a line that begins with
/// `| ` begins so as well: it is data, and must not look like anything else.
pub(super) fn flowed(text: &str, room: Option<usize>, hang: usize) -> String {
    let Some(room) = room else {
        return text.to_owned();
    };
    let mut lines = Vec::new();
    for line in text.split('\n') {
        let words = line.trim_start_matches(' ');
        let indent = " ".repeat(line.len() - words.len());
        let (sign, below) = match words.get(..2) {
            Some("| ") => ("| ", "| ".to_owned()),
            Some("- ") => ("- ", "  ".to_owned()),
            Some(_) | None => ("", " ".repeat(hang)),
        };
        let words = words.strip_prefix(sign).unwrap_or(words);
        let first = room.saturating_sub(indent.len() + sign.len());
        let later = room.saturating_sub(indent.len() + below.len());
        for (place, part) in wrapped(words, (first, later)).into_iter().enumerate() {
            let before = if place == 0 { sign } else { &below };
            lines.push(format!("{indent}{before}{part}").trim_end().to_owned());
        }
    }
    lines.join("\n")
}

/// A command; where it does not fit, its flags go on in lines that a shell takes as one.
pub(super) fn typed(before: &str, command: &str, room: Option<usize>) -> String {
    let whole = format!("{before}{command}");
    let Some(room) = room.filter(|room| columns(&whole) > *room) else {
        return whole;
    };
    let below = " ".repeat(columns(before) + INDENT);
    let mut lines = Vec::new();
    let mut now = before.to_owned();
    for (place, part) in command.split(" --").enumerate() {
        let part = if place == 0 {
            part.to_owned()
        } else {
            format!("--{part}")
        };
        // A space and the sign that the line goes on.
        if place > 0 && columns(&now) + columns(&part) + 3 > room {
            lines.push(format!("{now} \\"));
            now = format!("{below}{part}");
        } else {
            let gap = if place == 0 { "" } else { " " };
            now = format!("{now}{gap}{part}");
        }
    }
    lines.push(now);
    lines.join("\n")
}

/// The columns that a text takes. Our own looks take none; East Asian signs and pictures take two.
pub(crate) fn columns(text: &str) -> usize {
    let mut steers = false;
    let mut wide = 0;
    for sign in text.chars() {
        if sign == '\x1b' {
            steers = true;
        } else if steers {
            steers = sign != 'm';
        } else {
            wide += sign_columns(sign);
        }
    }
    wide
}

/// Close enough for a file's name.
pub(crate) const fn sign_columns(sign: char) -> usize {
    match sign as u32 {
        0x1100..=0x115f | 0x2e80..=0xa4cf | 0xac00..=0xd7a3 | 0xf900..=0xfaff => 2,
        0xfe30..=0xfe6f | 0xff00..=0xff60 | 0x1f300..=0x1faff | 0x20000..=0x3fffd => 2,
        _ => 1,
    }
}

/// Columns that stand beside each other.
#[derive(Debug, PartialEq, Eq)]
struct Band {
    columns: Range<usize>,
    widths: Vec<usize>,
    indent: usize,
}

impl Band {
    /// The part of a row that stands in this band, in as many lines as its longest cell needs.
    fn lines(&self, row: &[Cell], wraps: bool) -> Vec<Vec<Cell>> {
        let cells = row.iter().skip(self.columns.start).zip(&self.widths);
        let cells: Vec<(Vec<String>, Look)> = cells
            .map(|((text, look), width)| {
                let text = flowed(text, wraps.then_some(*width), 0);
                let lines = text.split('\n').map(str::to_owned).collect();
                (lines, *look)
            })
            .collect();
        let height = cells.iter().map(|(lines, _)| lines.len()).max();
        let lines = (0..height.unwrap_or_default()).map(|place| self.line(&cells, place));
        lines.filter(|line| !line.is_empty()).collect()
    }

    /// Where stands what belongs below it: below the words of its last column, if it has words.
    fn below(&self) -> usize {
        let Some((last, before)) = self.widths.split_last() else {
            return INDENT;
        };
        let start = before.iter().map(|width| width + GAP).sum::<usize>();
        match *last {
            words if words >= WHOLE => self.indent + start,
            _ => INDENT,
        }
    }

    fn line(&self, cells: &[(Vec<String>, Look)], place: usize) -> Vec<Cell> {
        let mut line = Vec::new();
        let mut blanks = self.indent;
        for ((parts, look), width) in cells.iter().zip(&self.widths) {
            let text = parts.get(place).map_or("", |part| part.trim_end());
            if text.is_empty() {
                blanks += width + GAP;
                continue;
            }
            line.push((" ".repeat(blanks), Look::Plain));
            line.push((text.to_owned(), *look));
            blanks = width.saturating_sub(columns(text)) + GAP;
        }
        line
    }
}

/// Puts columns beside each other for as long as there is room; the widest gives way first, down to
/// [`WHOLE`].
fn bands(natural: &[usize], room: Option<usize>) -> Vec<Band> {
    let mut bands: Vec<Band> = Vec::new();
    let mut used = 0;
    for (column, width) in natural.iter().enumerate() {
        let least = (*width).min(WHOLE) + GAP;
        match bands.last_mut() {
            Some(band) if room.is_none_or(|room| used + least <= room + GAP) => {
                used += least;
                band.columns.end = column + 1;
                band.widths.push(*width);
            }
            Some(_) | None => {
                let indent = if bands.is_empty() { 0 } else { INDENT };
                used = indent + least;
                bands.push(Band {
                    columns: column..column + 1,
                    widths: vec![*width],
                    indent,
                });
            }
        }
    }
    if let Some(room) = room {
        let mut below = INDENT;
        for (place, band) in bands.iter_mut().enumerate() {
            let least: usize = band
                .widths
                .iter()
                .map(|width| (*width).min(WHOLE) + GAP)
                .sum();
            if place > 0 && below + least <= room + GAP {
                band.indent = below;
            }
            fit(band, room);
            below = band.below();
        }
    }
    bands
}

fn fit(band: &mut Band, room: usize) {
    let between = band.indent + GAP * band.widths.len().saturating_sub(1);
    while band.widths.iter().sum::<usize>() + between > room {
        match band.widths.iter_mut().max() {
            Some(widest) if *widest > WHOLE => *widest -= 1,
            Some(_) | None => break,
        }
    }
}

/// Breaks a line at spaces; a word that is longer than the room stands on a line of its own.
fn wrapped(line: &str, (first, later): (usize, usize)) -> Vec<String> {
    let mut lines = Vec::new();
    let (mut now, mut room) = (String::new(), first);
    for word in line.split(' ') {
        let wide = columns(&now) + 1 + columns(word);
        if !now.is_empty() && wide > room {
            lines.push(now.trim_end().to_owned());
            now.clear();
            room = later;
        } else if !now.is_empty() {
            now.push(' ');
        }
        now.push_str(word);
    }
    lines.push(now.trim_end().to_owned());
    lines
}

#[cfg(test)]
#[path = "columns_tests.rs"]
mod tests;
