//! Writing faults into a source text: wraps inside of wraps, without touching what is between.

use std::ops::Range;

use super::place::{SWITCH, Wrap};

/// A fault as it is to be written.
pub(super) struct PlantedWrap<'a> {
    /// Which fault it is, for whoever asks.
    pub(super) fault: usize,
    pub(super) wrap: &'a Wrap,
    /// The expression that is true when the fault is on.
    pub(super) is_on: String,
}

/// Another text in place of a range.
#[derive(Debug, Clone)]
pub(super) struct Replacement {
    pub(super) range: Range<usize>,
    pub(super) text: String,
}

/// A source text with faults in it.
#[derive(Debug)]
pub(super) struct Rendered {
    pub(super) text: String,
    /// What was written for which fault: ranges of the new text.
    pub(super) written: Vec<Written>,
    /// Where replacements came to stand.
    pub(super) replaced: Vec<Range<usize>>,
}

/// Where the two parts of a wrap came to stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Written {
    pub(super) fault: usize,
    pub(super) open: Range<usize>,
    pub(super) close: Range<usize>,
}

impl Written {
    /// From the first to the last byte of the wrap.
    pub(super) fn whole(&self) -> Range<usize> {
        self.open.start..self.close.end
    }
}

/// What comes first where several things are written at one place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Turn {
    /// Wraps that end here; the inner ones, which begin later, first.
    Close {
        inner_first: usize,
        later_first: usize,
    },
    Replace,
    /// What stands before everything that begins here.
    Point(usize),
    /// Wraps that begin here; the outer ones, which end later, first.
    Open {
        outer_first: usize,
        earlier_first: usize,
    },
}

struct Piece {
    at: usize,
    turn: Turn,
    text: String,
    /// How far the source is left out.
    until: usize,
    /// Which wrap it is part of.
    wrap: Option<usize>,
}

/// Writes wraps and replacements into a text. Wraps are in the order of the file, outer ones first.
pub(super) fn render(
    source: &str,
    wraps: &[PlantedWrap<'_>],
    replacements: &[Replacement],
) -> Rendered {
    let mut pieces: Vec<Piece> = replacements.iter().map(replacing).collect();
    for (number, planted) in wraps.iter().enumerate() {
        pieces.extend(pieces_of(number, planted));
    }
    pieces.sort_by_key(|piece| (piece.at, piece.turn));
    let mut text = String::with_capacity(source.len() * 2);
    let mut places: Vec<Vec<Range<usize>>> = vec![Vec::new(); wraps.len()];
    let mut replaced = Vec::new();
    let mut done = 0;
    for piece in pieces {
        text.push_str(source.get(done..piece.at).unwrap_or_default());
        done = done.max(piece.until);
        let start = text.len();
        text.push_str(&piece.text);
        let here = start..text.len();
        match piece.wrap.and_then(|wrap| places.get_mut(wrap)) {
            Some(place) => place.push(here),
            None => replaced.push(here),
        }
    }
    text.push_str(source.get(done..).unwrap_or_default());
    let written = wraps.iter().zip(places);
    let written = written.filter_map(|(planted, mut parts)| {
        let open = if parts.is_empty() {
            return None;
        } else {
            parts.remove(0)
        };
        let close = parts.pop().unwrap_or(open.end..open.end);
        Some(Written {
            fault: planted.fault,
            open,
            close,
        })
    });
    Rendered {
        written: written.collect(),
        replaced,
        text,
    }
}

fn replacing(replacement: &Replacement) -> Piece {
    Piece {
        at: replacement.range.start,
        turn: Turn::Replace,
        text: replacement.text.clone(),
        until: replacement.range.end,
        wrap: None,
    }
}

fn pieces_of(number: usize, planted: &PlantedWrap<'_>) -> Vec<Piece> {
    let Range { start, end } = planted.wrap.range;
    let text = planted.wrap.open.replace(SWITCH, &planted.is_on);
    let piece = |at, turn, text| Piece {
        at,
        turn,
        text,
        until: at,
        wrap: Some(number),
    };
    if start == end {
        return vec![piece(start, Turn::Point(number), text)];
    }
    let open = Turn::Open {
        outer_first: usize::MAX - end,
        earlier_first: number,
    };
    let close = Turn::Close {
        inner_first: usize::MAX - start,
        later_first: usize::MAX - number,
    };
    vec![
        piece(start, open, text),
        piece(end, close, planted.wrap.close.clone()),
    ]
}

#[cfg(test)]
#[path = "render_tests.rs"]
mod tests;
