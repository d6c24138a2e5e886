//! Text of models, repositories and providers, as a person may be shown it.

/// The characters that a text may show: no control characters, nothing that changes the direction
/// of what stands beside it. Lines stay lines.
pub fn sanitize_for_display(text: &str) -> String {
    let shown = |c: char| match c {
        '\n' => Some('\n'),
        '\t' => Some(' '),
        c if steers(c) => None,
        c => Some(c),
    };
    text.chars().filter_map(shown).collect()
}

/// The same on one line, whatever the text says.
pub fn sanitize_line(text: &str) -> String {
    sanitize_for_display(text).replace('\n', " ")
}

/// True for a command that a shell can do nothing with but pass its words: only such a text of a model stands in
/// a line that somebody copies.
pub fn is_plain_command(command: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || " -_./:@,=+%\"".contains(c);
    let quotes = command.matches('"').count();
    !command.trim().is_empty() && command.chars().all(plain) && quotes.is_multiple_of(2)
}

/// True for signs that a terminal or a browser obeys instead of showing them.
fn steers(c: char) -> bool {
    matches!(
        c,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    ) || c.is_control()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_steers_or_turns_around() {
        let odd = "a\u{1b}[2J\u{9b}\r\u{8}\u{202e}b\u{2066}\u{2069}\u{200e}\u{200f}\u{61c}\u{202a}c\td\ne";
        assert_eq!(sanitize_for_display(odd), "a[2Jbc d\ne");
        assert_eq!(sanitize_line(odd), "a[2Jbc d e");
        let plain = "zwölf 日本 شكرا 👩\u{200d}🚀";
        assert_eq!(sanitize_for_display(plain), plain);
    }
}
