//! An idea cut into pieces that can be left out without changing what the others mean: what stands
//! between two signs, or behind a word that begins something of its own.

use super::reach::barriers;
use super::words::{Words, singular};

/// Words that go on with a list, whatever stood before them.
const JOINING: [&str; 3] = ["and", "plus", "&"];
/// Signs behind which another piece begins.
const SIGNS: [char; 7] = [',', ';', ':', '.', '!', '?', ')'];
/// Signs at the end of a sentence.
const ENDS: [char; 4] = ['.', '!', '?', ';'];

/// Words between two boundaries, as they were said.
#[derive(Debug, Clone)]
pub(super) struct Piece<'a> {
    words: Vec<&'a str>,
    /// Pieces of one sentence have one number.
    sentence: usize,
    /// True if one may leave out what stands before it and not this one.
    after_boundary: bool,
    /// True if it was cut off a clause because of a word of praise alone.
    pub(super) cut_off: bool,
    /// What parts it from the text before it.
    between: &'static str,
}

impl Piece<'_> {
    /// The words that only begin it.
    fn lead(&self) -> Vec<String> {
        let words = self.words.iter().map(|word| plain(word));
        words.take_while(|word| is_beginning(word)).collect()
    }

    /// The words that say something.
    fn content(&self) -> Vec<String> {
        let words = self.words.iter().map(|word| plain(word));
        let words = words.filter(|word| !word.is_empty());
        words.skip_while(|word| is_beginning(word)).collect()
    }

    /// True for a part of the list that the piece before it belongs to.
    fn goes_on(&self) -> bool {
        self.lead()
            .iter()
            .all(|word| JOINING.contains(&word.as_str()))
    }

    fn ends_with(&self, signs: &[char]) -> bool {
        self.words.last().is_some_and(|word| word.ends_with(signs))
    }
}

fn plain(word: &str) -> String {
    let letters = word.trim_matches(|c: char| !c.is_alphanumeric());
    letters.replace('’', "'").to_lowercase()
}

fn is_beginning(word: &str) -> bool {
    JOINING.contains(&word) || Words("begins").contains(word) || Words("asides").contains(word)
}

/// Cuts a text; no word is lost.
pub(super) fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces: Vec<Piece<'_>> = Vec::new();
    let mut sentence = 0;
    for (number, paragraph) in text.split("\n\n").enumerate() {
        for (row, line) in paragraph.lines().enumerate() {
            let between = match (number, row) {
                (0, 0) => "",
                (_, 0) => "\n\n",
                _ => "\n",
            };
            sentence += 1;
            cut_line(line, between, (&mut sentence, &mut pieces));
        }
    }
    pieces
}

fn cut_line<'a>(
    line: &'a str,
    between: &'static str,
    (sentence, pieces): (&mut usize, &mut Vec<Piece<'a>>),
) {
    let mut last: Option<&str> = None;
    for word in line.split_whitespace() {
        let own = plain(word);
        let signed = last.is_some_and(|last| last.ends_with(SIGNS));
        let praised = [Some(word), last]
            .into_iter()
            .flatten()
            .any(|word| Words("praise").contains(&plain(word)));
        let said = pieces.last().is_some_and(|piece| {
            let words = piece.content();
            words.iter().any(|word| !Words("articles").contains(word))
        });
        let joins = JOINING.contains(&own.as_str()) || Words("begins").contains(&own);
        let boundary = signed || word.starts_with('(') || praised || joins && said;
        let begins = boundary || said && Words("asides").contains(&own);
        if last.is_some_and(|last| last.ends_with(ENDS)) {
            *sentence += 1;
        }
        match pieces.last_mut().filter(|_| last.is_some() && !begins) {
            Some(piece) => piece.words.push(word),
            None => pieces.push(Piece {
                words: vec![word],
                sentence: *sentence,
                after_boundary: last.is_none() || boundary,
                cut_off: praised && last.is_some() && !signed,
                between: if last.is_none() { between } else { " " },
            }),
        }
        last = Some(word);
    }
}

/// The text without the pieces that are not kept. What begins a list begins what is left of it.
pub(super) fn rest(pieces: &[Piece<'_>], is_kept: impl Fn(usize) -> bool) -> String {
    let mut text = String::new();
    let mut lead: Option<(usize, Vec<String>)> = None;
    for (place, piece) in pieces.iter().enumerate() {
        if !is_kept(place) {
            let own = piece.lead();
            let heads = own.iter().any(|word| Words("heads").contains(word));
            if heads || !piece.goes_on() {
                lead = heads.then_some((piece.sentence, own));
            }
            if piece.ends_with(&ENDS) && !text.is_empty() {
                text = text.trim_end_matches([',', ':', ' ']).to_owned();
                text.push('.');
            }
            continue;
        }
        if !text.is_empty() || piece.between == "\n\n" {
            text.push_str(piece.between);
        }
        let inherited = lead
            .take()
            .filter(|(sentence, _)| *sentence == piece.sentence && piece.goes_on());
        let dropped = match inherited {
            Some((_, words)) => {
                text.push_str(&words.join(" "));
                text.push(' ');
                piece.lead().len()
            }
            None => 0,
        };
        let words: Vec<&str> = piece.words.iter().skip(dropped).copied().collect();
        text.push_str(&words.join(" "));
    }
    tidy(&text)
}

/// Nothing hangs over at the end.
fn tidy(text: &str) -> String {
    let mut text = text.trim();
    loop {
        let shorter = text.trim_end_matches([',', ':', '-', ' ', '\n']);
        let shorter = JOINING
            .iter()
            .find_map(|word| {
                shorter
                    .strip_suffix(word)
                    .filter(|rest| rest.ends_with(' '))
            })
            .unwrap_or(shorter);
        if shorter == text {
            return text.to_owned();
        }
        text = shorter;
    }
}

/// The words of pieces that stand side by side, without the signs around them.
pub(super) fn span(pieces: &[Piece<'_>]) -> String {
    let words = pieces.iter().flat_map(|piece| &piece.words).copied();
    let words = words.skip_while(|word| JOINING.contains(&plain(word).as_str()));
    let text = words.collect::<Vec<_>>().join(" ");
    let signs = |c: char| c.is_whitespace() || ".,;:!?()\"".contains(c);
    text.trim_matches(signs).to_owned()
}

/// The places of pieces that may be left out together: a whole clause of a sentence, never the first
/// one of the text, which says what it is about.
pub(super) fn removable(pieces: &[Piece<'_>]) -> Vec<std::ops::Range<usize>> {
    const MOST_PIECES: usize = 6;
    let mut found = Vec::new();
    for start in 1..pieces.len() {
        for end in start + 1..=pieces.len().min(start + MOST_PIECES) {
            let Some(part) = pieces.get(start..end) else {
                continue;
            };
            let one = part
                .iter()
                .all(|piece| Some(piece.sentence) == part.first().map(|one| one.sentence));
            let ends = pieces.get(end).is_none_or(|next| next.after_boundary);
            // Of what stands in brackets, all or nothing.
            let before = pieces.get(..start).unwrap_or_default();
            let inside = count_signs(before, '(') > count_signs(before, ')');
            let even = count_signs(part, '(') == count_signs(part, ')');
            if one && ends && even && !inside {
                found.push(start..end);
            }
        }
    }
    found
}

fn count_signs(pieces: &[Piece<'_>], sign: char) -> usize {
    let words = pieces.iter().flat_map(|piece| &piece.words);
    words
        .flat_map(|word| word.chars())
        .filter(|c| *c == sign)
        .count()
}

/// How many words stand in pieces.
pub(super) fn count_words(pieces: &[Piece<'_>]) -> usize {
    pieces.iter().map(|piece| piece.words.len()).sum()
}

/// Where the span stands among the pieces.
pub(super) fn find(pieces: &[Piece<'_>], wanted: &str) -> Option<std::ops::Range<usize>> {
    let ranges = removable(pieces);
    let is_it = |range: &std::ops::Range<usize>| {
        pieces
            .get(range.clone())
            .is_some_and(|part| span(part) == wanted)
    };
    ranges.into_iter().find(is_it)
}

/// Which pieces say that something is not wanted which these rules never build: `no web page`.
pub(super) fn exclusions(pieces: &[Piece<'_>]) -> Vec<bool> {
    let mut found: Vec<bool> = Vec::new();
    for piece in pieces {
        let before = found.last().copied().unwrap_or_default();
        let all: Vec<String> = piece.words.iter().map(|word| plain(word)).collect();
        let negates = all.iter().any(|word| Words("negations").contains(word));
        let goes_on = before && piece.goes_on();
        let wanted = all.iter().filter(|word| {
            let idle = ["negations", "needing", "fillers", "begins", "asides"];
            let joins = JOINING.contains(&word.as_str()) || *word == "or" || *word == "nor";
            !word.is_empty() && !joins && !idle.iter().any(|list| Words(list).contains(word))
        });
        let wanted: Vec<String> = wanted.cloned().collect();
        found.push((negates || goes_on) && !wanted.is_empty() && is_never_built(&wanted));
    }
    found
}

/// True for words of which each says something that these rules have not.
fn is_never_built(words: &[String]) -> bool {
    let beyond = barriers(words, &[], &[]);
    words.iter().all(|word| {
        let named = beyond
            .iter()
            .any(|(_, said)| said.split(' ').any(|own| own == word));
        named || Words("surfaces").contains(&singular(word))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> Vec<String> {
        pieces(text)
            .iter()
            .map(|piece| piece.words.join(" "))
            .collect()
    }

    #[test]
    fn ideas_are_cut_where_something_begins() {
        for (text, parts) in [
            (
                "a todo list with a GUI and tags",
                vec!["a todo list", "with a GUI", "and tags"],
            ),
            (
                "books I lent to friends, for printing",
                vec!["books", "I lent to friends,", "for printing"],
            ),
            (
                "a beautiful todo list (short, plain)",
                vec!["a", "beautiful", "todo list", "(short,", "plain)"],
            ),
        ] {
            assert_eq!(cut(text), parts, "{text}");
        }
    }

    #[test]
    fn what_is_left_means_what_it_meant() {
        for (text, out, left) in [
            (
                "a todo list with a GUI and tags",
                "with a GUI",
                "a todo list with tags",
            ),
            (
                "inventory: add stock, remove stock",
                "add stock",
                "inventory: remove stock",
            ),
            (
                "a todo list, with a GUI. Each has a date",
                "with a GUI",
                "a todo list. Each has a date",
            ),
            ("books and films", "films", "books"),
        ] {
            let pieces = pieces(text);
            let range = find(&pieces, out).unwrap();
            assert_eq!(
                rest(&pieces, |place| !range.contains(&place)),
                left,
                "{text}"
            );
        }
    }

    #[test]
    fn what_is_not_wanted_and_never_built_is_an_exclusion() {
        for (text, last) in [
            ("a todo list, but no web page", true),
            ("notes without a server", true),
            ("notes that need no internet connection", true),
            ("notes with no GUI", true),
            ("books, no duplicates", false),
            ("a todo list with a web page", false),
            ("notes, no server or login", true),
        ] {
            let found = exclusions(&pieces(text));
            assert_eq!(found.last(), Some(&last), "{text}: {found:?}");
            assert_eq!(found.first(), Some(&false), "{text}");
        }
    }
}
