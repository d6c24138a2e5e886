//! The card of a question, in lines for a terminal or a pipe.

use gavel_product::report::harmless_line;
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

/// The lines of a card: the question, why, the options.
pub(crate) fn lines(question: &OpenQuestion, room: Room) -> Vec<Vec<(String, Look)>> {
    let mut lines = vec![Vec::new()];
    let indent = " ".repeat(INDENT);
    let mut text = |text: &str, look: Look| {
        for line in wrap(text, room) {
            lines.push(vec![(indent.clone(), Look::Plain), (line, look)]);
        }
    };
    text(&question.card.text, Look::Strong);
    if let Some(why) = &question.card.why {
        text(why, Look::Faint);
    }
    for (place, option) in question.card.options.iter().enumerate() {
        let mut line = vec![(
            format!("    {}. {}", place + 1, harmless_line(&option.label)),
            Look::Plain,
        )];
        if question.asked.recommended.as_ref() == Some(&option.id) {
            line.push(("  (recommended)".to_owned(), Look::Good));
        }
        lines.push(line);
    }
    lines
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

fn lettered<'a>(options: &'a [String], typed: &str) -> Option<&'a String> {
    let mut signs = typed.chars();
    let (Some(letter @ ('a'..='z' | 'A'..='Z')), None) = (signs.next(), signs.next()) else {
        return None;
    };
    let place = u32::from(letter.to_ascii_lowercase()) - u32::from('a');
    options.get(usize::try_from(place).ok()?)
}

/// Breaks a text at spaces; its own line ends stay.
fn wrap(text: &str, room: Room) -> Vec<String> {
    let Room::Columns(width) = room else {
        return text.lines().map(harmless_line).collect();
    };
    let mut wrapped = Vec::new();
    for line in text.lines().map(harmless_line) {
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
mod tests {
    use super::*;

    #[test]
    fn an_option_is_typed_by_number_name_or_letter() {
        let options = ["again", "stop"].map(str::to_owned);
        let typed = |text: &str| chosen(&options, text).map(String::as_str);
        assert_eq!(typed("2"), Some("stop"));
        assert_eq!(typed("Again"), Some("again"));
        assert_eq!((typed("a"), typed("B")), (Some("again"), Some("stop")));
        for nothing in ["0", "3", "c", "ab", "é", ""] {
            assert_eq!(typed(nothing), None, "{nothing}");
        }
    }

    #[test]
    fn a_long_text_is_broken_at_spaces_and_steers_nothing() {
        let text = "one two three\n\nfour\x1b[31m \u{202e}five\u{2066}";
        assert_eq!(
            wrap(text, Room::Columns(9)),
            ["one two", "three", "", "four[31m", "five"]
        );
        assert_eq!(
            wrap(text, Room::Endless),
            ["one two three", "", "four[31m five"]
        );
        assert_eq!(wrap("unbreakable", Room::Columns(4)), ["unbreakable"]);
    }
}
