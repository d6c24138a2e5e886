//! A text as words, numbers, dates and what stands between them.

/// What a piece of text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    /// Letters alone.
    Word,
    /// Digits, with at most one decimal point between them.
    Number,
    /// A day that exists, as `2026-03-05`.
    Date,
    /// Anything else with digits: `2026-03`, `14:30`, `v2`, `1.2.3`, `2026-02-30`.
    Compound,
    /// What stands between.
    Between,
}

/// One piece of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Piece<'a> {
    pub(super) kind: Kind,
    pub(super) text: &'a str,
    /// Its place says that it is part of a form and no value: a key, a scheme, an ending.
    pub(super) is_form: bool,
}

/// Cuts a text into pieces that, one after another, are the text again.
pub(super) fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut found = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (kind, length) = first(rest);
        let (piece, after) = rest.split_at_checked(length).unwrap_or((rest, ""));
        let before = text.get(..text.len() - rest.len()).unwrap_or_default();
        found.push(Piece {
            kind,
            text: piece,
            is_form: kind != Kind::Between && is_form(before, kind, after),
        });
        rest = after;
    }
    found
}

/// What a text begins with, and how many bytes of it.
fn first(text: &str) -> (Kind, usize) {
    let letters = length(text, char::is_alphanumeric);
    if letters == 0 {
        return (Kind::Between, length(text, |c| !c.is_alphanumeric()));
    }
    let run = text.get(..letters).unwrap_or_default();
    if run.chars().all(char::is_alphabetic) {
        return (Kind::Word, letters);
    }
    if !run.chars().all(|c| c.is_ascii_digit()) {
        return (Kind::Compound, letters);
    }
    let whole = digits_and_joints(text);
    let run = text.get(..whole).unwrap_or_default();
    let continues = text
        .get(whole..)
        .is_some_and(|rest| rest.starts_with(char::is_alphanumeric));
    let kind = if continues {
        Kind::Compound
    } else if is_number(run) {
        Kind::Number
    } else if Day::read(run).is_some() {
        Kind::Date
    } else {
        Kind::Compound
    };
    (kind, whole)
}

fn length(text: &str, wanted: impl Fn(char) -> bool) -> usize {
    text.find(|c| !wanted(c)).unwrap_or(text.len())
}

/// Groups of digits, each joined to the next by one of `. : / -`.
fn digits_and_joints(text: &str) -> usize {
    let mut end = length(text, |c| c.is_ascii_digit());
    while let Some(rest) = text.get(end..) {
        let Some(after) = rest.strip_prefix(['.', ':', '/', '-']) else {
            break;
        };
        match length(after, |c| c.is_ascii_digit()) {
            0 => break,
            digits => end += 1 + digits,
        }
    }
    end
}

fn is_number(text: &str) -> bool {
    let digits = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit());
    match text.split_once('.') {
        Some((whole, decimals)) => digits(whole) && digits(decimals),
        None => digits(text),
    }
}

/// A key before a colon or an equals sign, the scheme of an address, an ending after a dot, a number
/// after a sign.
fn is_form(before: &str, kind: Kind, after: &str) -> bool {
    let follows = after
        .trim_start_matches(['"', '\'', '`'])
        .trim_start_matches(' ');
    // A list of values may end with a colon, too; it is only varied less.
    let is_key = kind == Kind::Word && follows.starts_with([':', '=']);
    let mut last = before.chars().rev();
    let is_ending = last.next() == Some('.') && last.next().is_some_and(char::is_alphanumeric);
    let is_signed = kind == Kind::Number && before.ends_with(['-', '+', '.', '/', ':']);
    is_key || is_ending || is_signed
}

/// A day of the calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Day {
    pub(super) year: u32,
    pub(super) month: u32,
    pub(super) day: u32,
}

impl Day {
    /// Reads `2026-03-05`, if there is such a day.
    pub(super) fn read(text: &str) -> Option<Self> {
        let mut parts = text.split('-');
        let mut part = |digits: usize| {
            let part = parts.next().filter(|part| part.len() == digits)?;
            part.parse::<u32>().ok()
        };
        let (year, month, day) = (part(4)?, part(2)?, part(2)?);
        let read = Self { year, month, day };
        let rest = parts.next();
        (rest.is_none() && (1..=read.days_in_month()).contains(&day)).then_some(read)
    }

    /// How many days its month has; none when there is no such month.
    pub(super) const fn days_in_month(self) -> u32 {
        let leap = self.year.is_multiple_of(4)
            && (!self.year.is_multiple_of(100) || self.year.is_multiple_of(400));
        match self.month {
            1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
            4 | 6 | 9 | 11 => 30,
            2 if leap => 29,
            2 => 28,
            _ => 0,
        }
    }
}

impl std::fmt::Display for Day {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> Vec<(Kind, &str, bool)> {
        let all = pieces(text);
        let joined: String = all.iter().map(|piece| piece.text).collect();
        assert_eq!(joined, text);
        let told = all.into_iter().filter(|piece| piece.kind != Kind::Between);
        told.map(|piece| (piece.kind, piece.text, piece.is_form))
            .collect()
    }

    #[test]
    fn words_numbers_and_dates_are_told_apart() {
        use Kind::{Compound, Date, Number, Word};
        for (text, wanted) in [
            (
                "Amber lamp",
                vec![(Word, "Amber", false), (Word, "lamp", false)],
            ),
            (
                "12.50 EUR",
                vec![(Number, "12.50", false), (Word, "EUR", false)],
            ),
            (
                "ends at 12.",
                vec![
                    (Word, "ends", false),
                    (Word, "at", false),
                    (Number, "12", false),
                ],
            ),
            ("2026-03-05", vec![(Date, "2026-03-05", false)]),
            ("2026-02-30", vec![(Compound, "2026-02-30", false)]),
            ("2026-03", vec![(Compound, "2026-03", false)]),
            ("14:30", vec![(Compound, "14:30", false)]),
            ("12kg", vec![(Compound, "12kg", false)]),
            (
                "12.50kg",
                vec![(Compound, "12.50", false), (Word, "kg", false)],
            ),
            ("a -4", vec![(Word, "a", false), (Number, "4", true)]),
            ("a,b", vec![(Word, "a", false), (Word, "b", false)]),
        ] {
            assert_eq!(cut(text), wanted, "{text}");
        }
    }

    #[test]
    fn keys_schemes_and_endings_are_forms() {
        for (text, forms) in [
            (
                "https://amber.example.org/x",
                vec!["https", "example", "org"],
            ),
            ("{\"title\": \"Amber\"}", vec!["title"]),
            ("name = Amber", vec!["name"]),
            ("notes.txt", vec!["txt"]),
            ("Amber. Birch", vec![]),
        ] {
            let found: Vec<_> = cut(text).into_iter().filter(|one| one.2).collect();
            let found: Vec<_> = found.into_iter().map(|one| one.1).collect();
            assert_eq!(found, forms, "{text}");
        }
    }
}
