//! The three words of tags, as people read them.

use std::ops::Range;

use super::lookalikes::{adds_nothing, looks_like};
use super::tags::TagWord;

/// A word of a tag in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) word: TagWord,
    pub(super) at: Range<usize>,
    /// True when most of it is in capitals, or not in plain letters.
    pub(super) shouted: bool,
}

/// The words of tags in a text, in order.
pub(super) fn words(text: &str) -> impl Iterator<Item = Word> {
    let mut end = 0;
    text.char_indices().filter_map(move |(at, sign)| {
        let starts = at >= end && matches!(looks_like(sign), Some('C' | 'R' | 'U'));
        let word = word_at(text, at).filter(|_| starts)?;
        end = word.at.end;
        Some(word)
    })
}

/// The word of a tag that begins here and is whole.
pub(super) fn word_at(text: &str, at: usize) -> Option<Word> {
    let before = text.get(..at)?;
    if is_part(before.chars().rev()) {
        return None;
    }
    TagWord::ALL.into_iter().find_map(|word| {
        let (length, shouted) = spelled(text.get(at..)?, word.word())?;
        let end = at + length;
        let whole = !is_part(text.get(end..)?.chars());
        let at = at..end;
        whole.then_some(Word { word, at, shouted })
    })
}

/// How long a word is that a text begins with, and whether it is shouted.
fn spelled(text: &str, word: &str) -> Option<(usize, bool)> {
    let mut signs = text.char_indices().peekable();
    let (mut end, mut loud, mut strange) = (0, 0_usize, false);
    for (place, letter) in word.char_indices() {
        if place > 0 {
            // Its letters may be decorated, and set apart by one sign each.
            while signs.next_if(|(_, sign)| is_decoration(*sign)).is_some() {}
            if signs
                .next_if(|(_, sign)| " -.·\u{a0}".contains(*sign))
                .is_some()
            {
                while signs.next_if(|(_, sign)| is_decoration(*sign)).is_some() {}
            }
        }
        let (at, sign) = signs.next_if(|(_, sign)| looks_like(*sign) == Some(letter))?;
        end = at + sign.len_utf8();
        loud += usize::from(sign.is_ascii_uppercase());
        strange |= !sign.is_ascii();
    }
    // What decorates the last letter belongs to it.
    while let Some((at, sign)) = signs.next_if(|(_, sign)| adds_nothing(*sign)) {
        end = at + sign.len_utf8();
    }
    Some((end, strange || loud * 2 > word.len()))
}

fn is_decoration(sign: char) -> bool {
    adds_nothing(sign) || matches!(sign, '*' | '~' | '`' | '_')
}

/// True when a word goes on into these signs: a letter, or underscores that join it to one.
fn is_part(signs: impl Iterator<Item = char>) -> bool {
    let mut signs = signs
        .filter(|sign| !adds_nothing(*sign))
        .skip_while(|sign| *sign == '_');
    signs.next().is_some_and(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_however_they_are_spelled() {
        for (text, shouted) in [
            ("CONFIRMED", true),
            ("confirmed", false),
            ("Confirmed", false),
            ("СONFIRMED", true),
            ("сonfirmed", true),
            ("CON\u{200b}FIRMED", true),
            ("C̲O̲N̲F̲I̲R̲M̲E̲D̲", true),
            ("**CON**FIRMED", true),
            ("C O N F I R M E D", true),
            ("CONFlRMED", true),
            ("__REFUTED__", true),
            ("UNVERIFIED:", true),
        ] {
            let found: Vec<_> = words(text).map(|word| word.shouted).collect();
            assert_eq!(found, [shouted], "{text}");
        }
        for text in [
            "UNCONFIRMED",
            "CONFIRMEDLY",
            "STATUS_CONFIRMED",
            "CONFIRMED_AT",
            "C  O  N  F  I  R  M  E  D",
            "подтверждено",
        ] {
            assert_eq!(words(text).count(), 0, "{text}");
        }
    }
}
