//! The card of a question, in lines for a terminal or a pipe, and what words typed at it mean.

use gavel_domain::{AnswerReply, AnswerShape, MicroUsd, QuestionCard};
use gavel_rules::{Interjected, interjected, sanitize_line};
use gavel_run::OpenQuestion;

use crate::ui::Look;

/// How wide a card may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Room {
    /// So many columns.
    Columns(usize),
    /// As wide as its lines are.
    Endless,
}

const INDENT: usize = 2;
/// Wider lines are hard to read.
const WIDEST: usize = 100;

impl Room {
    /// The terminal behind standard error.
    pub(crate) fn of_terminal() -> Self {
        let wide = crate::live::terminal_width();
        Self::Columns(wide.min(WIDEST).saturating_sub(INDENT))
    }
}

/// The lines of the card of a run's question.
pub(crate) fn lines(question: &OpenQuestion, room: Room) -> Vec<Vec<(String, Look)>> {
    card_lines(&question.card, question.asked.recommended.as_deref(), room)
}

/// The lines of a card: the question, why, the options.
pub(crate) fn card_lines(
    card: &QuestionCard,
    recommended: Option<&str>,
    room: Room,
) -> Vec<Vec<(String, Look)>> {
    let mut lines = vec![Vec::new()];
    let indent = " ".repeat(INDENT);
    let mut text = |text: &str, look: Look| {
        for line in wrap(text, room) {
            lines.push(vec![(indent.clone(), Look::Plain), (line, look)]);
        }
    };
    text(&card.text, Look::Strong);
    if let Some(why) = &card.why {
        text(why, Look::Faint);
    }
    for (place, option) in card.options.iter().enumerate() {
        let mut line = vec![(
            format!("    {}. {}", place + 1, sanitize_line(&option.label)),
            Look::Plain,
        )];
        if recommended == Some(option.id.as_str()) {
            line.push(("  (recommended)".to_owned(), Look::Good));
        }
        lines.push(line);
    }
    lines
}

/// Reads words as an answer, the same at a terminal and behind `gavel answer`: an option where they
/// name one, else whatever the card takes.
pub(crate) fn read(question: &OpenQuestion, typed: &str) -> Result<AnswerReply, String> {
    if let Some(id) = meant(question, typed.trim()) {
        return Ok(AnswerReply::Option { id: id.clone() });
    }
    match &question.asked.shape {
        AnswerShape::Choice { options } => Err(format!(
            "this question takes one of its options: {}; type a number from 1 to {}, or its word",
            options.join(", "),
            options.len(),
        )),
        AnswerShape::ChoiceOrText { .. } | AnswerShape::Text { .. } => own_words(question, typed),
        AnswerShape::Limit { .. } => limit(Some(question), typed.trim()),
    }
}

/// What asks back is no answer, and what goes along takes what is recommended.
fn own_words(question: &OpenQuestion, typed: &str) -> Result<AnswerReply, String> {
    let recommended = &question.asked.recommended;
    match (interjected(typed), recommended) {
        (Some(Interjected::Asks), _) => Err(format!(
            "`{}` is taken for no answer, and nothing is changed; why it is asked stands on its card: \
             type a number, or a sentence of your own",
            sanitize_line(typed.trim())
        )),
        (Some(Interjected::Agrees), Some(id)) => Ok(AnswerReply::Option { id: id.clone() }),
        (Some(Interjected::Agrees), None) if !question.card.options.is_empty() => Err(format!(
            "`{}` names none of the options, and none is recommended: type a number or your own words",
            typed.trim()
        )),
        (Some(Interjected::Agrees) | None, _) => Ok(AnswerReply::Text {
            text: typed.to_owned(),
        }),
    }
}

/// A limit of a money cap is typed in dollars, one of a token cap as a number.
pub(crate) fn limit(question: Option<&OpenQuestion>, typed: &str) -> Result<AnswerReply, String> {
    let amount = typed.trim_start_matches('$');
    let limit = if question.is_some_and(counts_tokens) {
        amount.parse().ok()
    } else {
        MicroUsd::parse_dollars(amount).map(|usd| usd.0)
    };
    let limit = limit.ok_or_else(|| format!("`{typed}` is not an amount such as 2.5"))?;
    Ok(AnswerReply::Limit { limit })
}

/// True for the question about a cap on tokens.
pub(crate) fn counts_tokens(question: &OpenQuestion) -> bool {
    question.id.as_str().contains("-tokens-")
}

/// The option of a card that somebody typed: as [`chosen`], or by the words that its label alone
/// begins with.
pub(crate) fn meant<'a>(question: &'a OpenQuestion, typed: &str) -> Option<&'a String> {
    chosen(question.asked.shape.options(), typed).or_else(|| labelled(question, typed))
}

/// The option that somebody typed: its number, its id, or its letter (`a` is the first).
pub(crate) fn chosen<'a>(options: &'a [String], typed: &str) -> Option<&'a String> {
    let numbered = typed
        .parse::<usize>()
        .ok()
        .and_then(|number| options.get(number.checked_sub(1)?));
    let named = || options.iter().find(|id| id.eq_ignore_ascii_case(typed));
    numbered.or_else(named).or_else(|| lettered(options, typed))
}

/// Whole words only: who types "no" does not mean "nothing of this". Where words of one's own are
/// taken, only a label or its first clause counts, and more than one word: "a few" is not "a few
/// hundred people", and an answer in one word stays what a person said.
fn labelled<'a>(question: &'a OpenQuestion, typed: &str) -> Option<&'a String> {
    let typed = typed.to_lowercase();
    let own_words = match question.asked.shape {
        AnswerShape::ChoiceOrText { .. } | AnswerShape::Text { .. } => true,
        AnswerShape::Choice { .. } | AnswerShape::Limit { .. } => false,
    };
    let words = typed.split_whitespace().count();
    if !typed.contains(char::is_alphanumeric) || (own_words && words < 2) {
        return None;
    }
    let ends = |c: char| matches!(c, ',' | ';' | ':' | '.' | '?' | '!' | '(');
    let begins = |label: &str| {
        let rest = label.strip_prefix(typed.as_str());
        rest.is_some_and(|rest| {
            rest.trim_start().starts_with(ends) || (!own_words && rest.starts_with(' '))
        })
    };
    let options = question.asked.shape.options();
    let with = |fits: &dyn Fn(&str) -> bool| {
        let mut found = question
            .card
            .options
            .iter()
            .filter(|option| fits(&option.label.to_lowercase()));
        match (found.next(), found.next()) {
            (Some(option), None) => options.iter().find(|id| **id == option.id),
            (Some(_) | None, _) => None,
        }
    };
    with(&|label| label == typed).or_else(|| with(&begins))
}

fn lettered<'a>(options: &'a [String], typed: &str) -> Option<&'a String> {
    let mut signs = typed.chars();
    let (Some(letter @ ('a'..='z' | 'A'..='Z')), None) = (signs.next(), signs.next()) else {
        return None;
    };
    let place = u32::from(letter.to_ascii_lowercase()) - u32::from('a');
    options.get(usize::try_from(place).ok()?)
}

/// Breaks a text at spaces; its own line ends stay.
pub(crate) fn wrap(text: &str, room: Room) -> Vec<String> {
    let Room::Columns(width) = room else {
        return text.lines().map(sanitize_line).collect();
    };
    let mut wrapped = Vec::new();
    for line in text.lines().map(sanitize_line) {
        let mut row = String::new();
        for word in line.split(' ') {
            let longer = row.chars().count() + 1 + word.chars().count();
            if !row.is_empty() && longer > width {
                wrapped.push(std::mem::take(&mut row));
            }
            if !row.is_empty() {
                row.push(' ');
            }
            row.push_str(word);
        }
        wrapped.push(row);
    }
    wrapped
}

#[cfg(test)]
#[path = "card_tests.rs"]
mod tests;
