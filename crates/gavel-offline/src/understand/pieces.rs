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

    fn only_praises(&self) -> bool {
        let content = self.content();
        content.iter().all(|word| Words("praise").contains(word)) && !content.is_empty()
    }

    /// True for a part of the list that the piece before it belongs to.
    fn goes_on(&self) -> bool {
        self.lead()
            .iter()
            .all(|word| JOINING.contains(&word.as_str()))
    }

    /// True where the next word belongs to what this piece says is done: "that syncs with my phone",
    /// "start and stop work". What it is done with is nothing that is kept.
    fn takes(&self, word: &str, next: &str) -> bool {
        let joins = JOINING.contains(&word);
        if joins && self.is_lone_verb() && is_verb(next) {
            return true;
        }
        let clause = ["that", "which", "so", "but", "without"].contains(&word);
        self.is_about_doing() && !clause && !(joins && begins_anew(next))
    }

    /// True for a word alone that says what is done: "start".
    fn is_lone_verb(&self) -> bool {
        matches!(self.content().as_slice(), [verb] if is_verb(verb))
    }

    /// True for words that say what the program does, and that is not keeping: "that emails me".
    pub(super) fn is_about_doing(&self) -> bool {
        let content = self.content();
        let words = content
            .iter()
            .filter(|word| !Words("fillers").contains(word));
        let words: Vec<&str> = words.map(String::as_str).collect();
        let Some(first) = words.first() else {
            return false;
        };
        let lead = self.lead();
        let clause = lead
            .iter()
            .any(|word| ["that", "which", "so"].contains(&word.as_str()));
        let object = content.len() > 1;
        let does = clause && !is_of_person(first) || object && Words("verbs").contains(first);
        does && !begins_anew(first)
    }

    fn ends_with(&self, signs: &[char]) -> bool {
        self.words.last().is_some_and(|word| word.ends_with(signs))
    }
}

fn plain(word: &str) -> String {
    let letters = word.trim_matches(|c: char| !c.is_alphanumeric());
    letters.replace('’', "'").to_lowercase()
}

/// True for a word with which something else is said of what is kept: "and has tags".
fn begins_anew(word: &str) -> bool {
    const HAVING: [&str; 11] = [
        "has",
        "have",
        "having",
        "includes",
        "including",
        "contains",
        "containing",
        "with",
        "that",
        "which",
        "no",
    ];
    let lists = ["keeping", "enabling", "able", "yes-no", "we", "negations"];
    HAVING.contains(&word) || lists.iter().any(|list| Words(list).contains(word))
}

/// True for a word with which it is said what people do or did: "that friends borrowed".
fn is_of_person(word: &str) -> bool {
    let people = Words("people").contains(&singular(word));
    people || Words("relates").contains(word) || Words("transfers").contains(word)
}

fn is_verb(word: &str) -> bool {
    Words("verbs").contains(word) || Words("timing").contains(word)
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
    let words: Vec<&str> = line.split_whitespace().collect();
    let word_at = |place: Option<usize>| place.and_then(|place| words.get(place)).copied();
    for (place, word) in words.iter().copied().enumerate() {
        let last = word_at(place.checked_sub(1));
        let own = plain(word);
        let signed = last.is_some_and(|last| last.ends_with(SIGNS));
        let praised = is_praised(&words, place);
        let said = pieces.last().is_some_and(|piece| {
            let words = piece.content();
            words.iter().any(|word| !Words("articles").contains(word))
        });
        let next = word_at(place.checked_add(1)).map(plain);
        // The first words say what is kept, with whatever verb.
        let goes_on = pieces.len() > 1 && !signed;
        let takes = |piece: &Piece<'_>| piece.takes(&own, next.as_deref().unwrap_or_default());
        let goes_on = goes_on && pieces.last().is_some_and(takes);
        let joins = JOINING.contains(&own.as_str()) || Words("begins").contains(&own);
        let boundary = signed || word.starts_with('(') || praised || joins && said && !goes_on;
        let begins = boundary || said && !goes_on && Words("asides").contains(&own);
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
    }
}

/// True where a word of praise begins, or what stands behind one: "fast", "and secure", "easy to use".
fn is_praised(words: &[&str], place: usize) -> bool {
    let at = |back: usize| {
        let word = place.checked_sub(back).and_then(|place| words.get(place));
        word.map(|word| plain(word)).unwrap_or_default()
    };
    let praises = |word: &str| Words("praise").contains(word);
    let joins = |word: &str| JOINING.contains(&word);
    let signed = |back: usize| {
        let word = place.checked_sub(back).and_then(|place| words.get(place));
        word.is_some_and(|word| word.ends_with(SIGNS))
    };
    let (own, last) = (at(0), at(1));
    if praises(&own) {
        return !joins(&last) || signed(1);
    }
    // "easy to use": what it is easy for goes with it.
    let easy_for = own == "to" || last == "to" && praises(&at(2));
    praises(&last) && !easy_for || at(2) == "to" && praises(&at(3))
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

/// The places of pieces that may be left out together: a whole clause of a sentence. The first one of
/// the text says what it is about, and goes only if it is praise and no more.
pub(super) fn removable(pieces: &[Piece<'_>]) -> Vec<std::ops::Range<usize>> {
    const MOST_PIECES: usize = 6;
    let mut found = Vec::new();
    for start in 0..pieces.len() {
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
            let is_about = start == 0 && !part.iter().all(Piece::only_praises);
            if one && ends && even && !inside && !is_about {
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
            (
                "a fast and secure todo list, easy to use",
                vec!["a", "fast", "and secure", "todo list,", "easy to use"],
            ),
            (
                "items that sync with my phone and tablets, with tags",
                vec!["items", "that sync with my phone and tablets,", "with tags"],
            ),
            (
                "todos that email me and have tags",
                vec!["todos", "that email me", "and have tags"],
            ),
            (
                "stock, warn me when it is low",
                vec!["stock,", "warn me when it is low"],
            ),
            (
                "hours: start and stop work, date and note",
                vec!["hours:", "start and stop work,", "date", "and note"],
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
