//! Whether a turn says that everything is settled.
//!
//! A phrase of agreement counts only where it is meant: not under a negation, not in a question
//! that asks for agreement, not under a condition and not with a reservation behind it. To miss an
//! agreement costs a round; to see one that is not there costs the debate.

use super::lock_phrases::{CONDITIONS, HEADS, PHRASES, RESERVATIONS, VIETNAMESE_QUESTION};

/// A text shorter than this says nothing, in characters.
const SHORTEST: usize = 20;

/// How far before a phrase a negation reaches, in characters.
const WINDOW: usize = 24;

/// Whether a text says, in English or Vietnamese, that its speaker has nothing left to argue about.
pub fn is_locked(text: &str) -> bool {
    text.trim().chars().count() >= SHORTEST && sentences(text).iter().any(Sentence::agrees)
}

/// The share of turns that are locked, in hundredths; without turns there is none.
pub fn converged(locked: u32, turns: u32) -> u32 {
    let share = u64::from(locked.min(turns)) * 100;
    let share = share.checked_div(u64::from(turns)).unwrap_or(0);
    u32::try_from(share).unwrap_or(0)
}

/// A word of a sentence.
#[derive(Debug)]
struct Word {
    text: String,
    /// Where it begins, in characters, with every run of blanks counted as one.
    at: usize,
}

#[derive(Debug, Default)]
struct Sentence {
    words: Vec<Word>,
    asks: bool,
}

impl Sentence {
    fn agrees(&self) -> bool {
        !self.is_question()
            && !holds(&self.words, CONDITIONS)
            && PHRASES.iter().any(|phrase| self.says(phrase))
    }

    fn is_question(&self) -> bool {
        let last = self.words.last().map(|word| word.text.as_str());
        self.asks || last.is_some_and(|last| VIETNAMESE_QUESTION.contains(&last))
    }

    /// Whether a phrase stands here, anywhere, without a negation before it and a reservation
    /// behind it.
    fn says(&self, phrase: &str) -> bool {
        (0..self.words.len()).any(|at| {
            let Some((before, rest)) = self.words.split_at_checked(at) else {
                return false;
            };
            let Some(start) = rest.first().map(|word| word.at) else {
                return false;
            };
            match_phrase(rest, phrase).is_some_and(|behind| {
                let near = |word: &&Word| word.at.saturating_add(WINDOW) >= start;
                !before.iter().filter(near).any(is_negation) && !holds(behind, RESERVATIONS)
            })
        })
    }
}

fn is_negation(word: &Word) -> bool {
    HEADS.contains(&word.text.as_str()) || word.text.ends_with("n't")
}

/// Whether one of some phrases stands anywhere in these words.
fn holds(words: &[Word], phrases: &[&str]) -> bool {
    let stands = |at| {
        let rest = words.get(at..).unwrap_or_default();
        phrases
            .iter()
            .any(|phrase| match_phrase(rest, phrase).is_some())
    };
    (0..words.len()).any(stands)
}

/// What follows a phrase that words begin with. In a phrase, `a|b` is one of both, `a?` may be
/// missing, and after `!a` anything else may follow.
fn match_phrase<'w>(words: &'w [Word], phrase: &str) -> Option<&'w [Word]> {
    let mut rest = words;
    for slot in phrase.split_whitespace() {
        if let Some(unwanted) = slot.strip_prefix('!') {
            let next = rest.first().map(|word| word.text.as_str());
            if next.is_some_and(|next| unwanted.split('|').any(|word| word == next)) {
                return None;
            }
            continue;
        }
        let (slot, may_miss) = slot
            .strip_suffix('?')
            .map_or((slot, false), |slot| (slot, true));
        match rest.split_first() {
            Some((word, behind)) if slot.split('|').any(|wanted| wanted == word.text) => {
                rest = behind;
            }
            _ if may_miss => {}
            _ => return None,
        }
    }
    Some(rest)
}

fn sentences(text: &str) -> Vec<Sentence> {
    let mut sentences = Vec::new();
    for block in blocks(text) {
        read_block(&block, &mut sentences);
    }
    sentences
}

/// A text in pieces that no sentence crosses: paragraphs, headings and items of lists, lower case,
/// with one kind of apostrophe and single spaces. Lines that quote somebody else are left out.
fn blocks(text: &str) -> Vec<String> {
    let mut blocks = vec![String::new()];
    for line in text.lines().map(str::trim) {
        if line.is_empty() || line.starts_with('>') {
            blocks.push(String::new());
            continue;
        }
        let number = line.trim_start_matches(|sign: char| sign.is_ascii_digit());
        let item = line.starts_with(['-', '+', '•', '#', '|']) || line.starts_with("* ");
        if item || (number.len() < line.len() && number.starts_with(['.', ')'])) {
            blocks.push(String::new());
        }
        if let Some(block) = blocks.last_mut() {
            for word in line.split_whitespace() {
                block.push_str(&word.to_lowercase().replace(['’', '‘', '`', 'ʼ'], "'"));
                block.push(' ');
            }
        }
    }
    blocks
}

fn read_block(block: &str, sentences: &mut Vec<Sentence>) {
    let mut sentence = Sentence::default();
    let mut word: Option<Word> = None;
    let mut signs = block.chars().enumerate().peekable();
    while let Some((at, sign)) = signs.next() {
        if sign.is_alphanumeric() || sign == '\'' {
            let open = word.get_or_insert_with(|| Word {
                text: String::new(),
                at,
            });
            open.text.push(sign);
            continue;
        }
        take_word(&mut sentence, &mut word);
        // Versions and addresses hold such signs within a word.
        let ends = match sign {
            '.' | '?' => signs.peek().is_none_or(|(_, next)| !next.is_alphanumeric()),
            '!' | '？' | '…' | '。' => true,
            _ => false,
        };
        sentence.asks |= ends && matches!(sign, '?' | '？');
        let goes_on = signs
            .peek()
            .is_some_and(|(_, next)| matches!(next, '!' | '?' | '？'));
        if ends && !goes_on {
            sentences.push(std::mem::take(&mut sentence));
        }
    }
    take_word(&mut sentence, &mut word);
    sentences.push(sentence);
}

fn take_word(sentence: &mut Sentence, word: &mut Option<Word>) {
    if let Some(mut word) = word.take() {
        let bare = word.text.trim_matches('\'');
        word.text = bare.to_owned();
        if !word.text.is_empty() {
            sentence.words.push(word);
        }
    }
}

#[cfg(test)]
#[path = "lock_tests.rs"]
mod tests;
