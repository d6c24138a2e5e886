//! Where literals and block comments of a language end.

/// The languages that are cut into parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Syntax {
    Rust,
    Python,
    /// JavaScript and TypeScript.
    Script,
    Go,
    Java,
    /// C and C++.
    C,
}

/// Whether a line end may stand inside a literal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LineEnd {
    Inside,
    Closes,
}

impl Syntax {
    /// The length of a literal without a prefix that begins here.
    pub(super) fn literal(self, rest: &str) -> Option<usize> {
        let quote = rest
            .chars()
            .next()
            .filter(|c| matches!(c, '"' | '\'' | '`'))?;
        match (self, quote) {
            (Self::Rust, '"') => Some(quoted(rest, "\"", LineEnd::Inside)),
            (Self::Rust, '\'') => rust_char(rest),
            (Self::Python, '"' | '\'') => Some(python_string(rest, quote)),
            (Self::Go, '`') => Some(rest.get(1..)?.find('`').map_or(rest.len(), |end| end + 2)),
            (Self::Java, '"') if rest.starts_with("\"\"\"") => {
                Some(quoted(rest, "\"\"\"", LineEnd::Inside))
            }
            (Self::Script | Self::Go | Self::Java | Self::C, '"') => {
                Some(quoted(rest, "\"", LineEnd::Closes))
            }
            (Self::Script | Self::Go | Self::Java | Self::C, '\'') => {
                Some(quoted(rest, "'", LineEnd::Closes))
            }
            _ => None,
        }
    }

    /// The length of a literal that begins with this word: raw strings, and those of Python.
    pub(super) fn prefixed_literal(self, word: &str, after: &str) -> Option<usize> {
        let length = match self {
            Self::Rust if ["r", "br", "cr"].contains(&word) => {
                let inner = after.trim_start_matches('#');
                let hashes = after.len() - inner.len();
                let body = inner.strip_prefix('"')?;
                let close = format!("\"{}", after.get(..hashes)?);
                let end = body.find(&close).map(|end| end + close.len());
                hashes + 1 + end.unwrap_or(body.len())
            }
            Self::Python if is_plain_prefix(word) => {
                let quote = after.chars().next().filter(|c| matches!(c, '"' | '\''))?;
                python_string(after, quote)
            }
            Self::C if ["R", "LR", "uR", "UR", "u8R"].contains(&word) => {
                let (delimiter, body) = after.strip_prefix('"')?.split_once('(')?;
                let close = format!("){delimiter}\"");
                let end = body.find(&close).map(|end| end + close.len());
                delimiter.len() + 2 + end.unwrap_or(body.len())
            }
            Self::Rust | Self::Python | Self::Script | Self::Go | Self::Java | Self::C => {
                return None;
            }
        };
        Some(word.len() + length)
    }

    /// The quote of a formatted string of Python that begins with this word.
    pub(super) fn formatted(self, word: &str, after: &str) -> Option<&'static str> {
        let word = word.to_ascii_lowercase();
        let is_formatted = ["f", "t", "fr", "rf", "tr", "rt"].contains(&word.as_str());
        if self != Self::Python || !is_formatted {
            return None;
        }
        let quotes = ["\"\"\"", "'''", "\"", "'"];
        quotes.into_iter().find(|quote| after.starts_with(quote))
    }

    /// The length of a block comment; `None` when nothing closes it.
    pub(super) fn block_comment(self, rest: &str) -> Option<usize> {
        if self != Self::Rust {
            return Some(rest.get(2..)?.find("*/")? + 4);
        }
        let mut depth = 0_u32;
        let mut pairs = rest.bytes().zip(rest.bytes().skip(1)).enumerate();
        while let Some((at, pair)) = pairs.next() {
            match pair {
                (b'/', b'*') => depth += 1,
                (b'*', b'/') if depth == 1 => return Some(at + 2),
                (b'*', b'/') => depth -= 1,
                _ => continue,
            }
            // The second sign belongs to this mark and begins no other.
            pairs.next();
        }
        None
    }
}

/// The length of a name or a number.
pub(super) fn word_length(syntax: Syntax, rest: &str) -> usize {
    if let Some(name) = rest.strip_prefix("r#")
        && syntax == Syntax::Rust
        && name.starts_with(|c: char| c.is_alphabetic() || c == '_')
    {
        return 2 + word_length(syntax, name);
    }
    let is_number = rest.starts_with(|c: char| c.is_ascii_digit());
    // C++ parts the digits of numbers by quotes.
    let separates = |at: usize| {
        let next = rest.get(at + 1..).unwrap_or_default();
        syntax == Syntax::C && is_number && next.starts_with(|c: char| c.is_ascii_alphanumeric())
    };
    let ends = |(at, c): &(usize, char)| {
        let in_word =
            c.is_alphanumeric() || matches!(c, '_' | '$') || (*c == '\'' && separates(*at));
        !in_word
    };
    rest.char_indices()
        .find(ends)
        .map_or(rest.len(), |(at, _)| at)
}

/// The length of a regular expression of JavaScript without its flags.
pub(super) fn regex_length(rest: &str) -> Option<usize> {
    let mut in_class = false;
    let mut letters = rest.char_indices().skip(1);
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\n' => return None,
            '\\' => drop(letters.next().filter(|(_, next)| *next != '\n')?),
            '[' => in_class = true,
            ']' => in_class = false,
            '/' if !in_class => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// True when a Java text writes quotes, slashes, stars or backslashes as `\u0022`: they take part in
/// what is a comment before anybody reads it.
pub(super) fn has_escaped_marks(text: &str) -> bool {
    text.split("\\u").skip(1).any(|after| {
        let digits = after.trim_start_matches('u').get(..4).unwrap_or_default();
        let value = u32::from_str_radix(digits, 16)
            .ok()
            .and_then(char::from_u32);
        value.is_some_and(|c| matches!(c, '"' | '\'' | '/' | '*' | '\\' | '\n' | '\r'))
    })
}

/// The length of a literal up to its quote; a backslash escapes what follows it.
fn quoted(rest: &str, quote: &str, line_end: LineEnd) -> usize {
    let mut letters = rest.char_indices().skip(quote.len());
    while let Some((at, letter)) = letters.next() {
        if letter == '\\' {
            letters.next();
        } else if letter == '\n' && line_end == LineEnd::Closes {
            return at;
        } else if rest.get(at..).is_some_and(|rest| rest.starts_with(quote)) {
            return at + quote.len();
        }
    }
    rest.len()
}

fn python_string(rest: &str, quote: char) -> usize {
    let triple = if quote == '"' { "\"\"\"" } else { "'''" };
    if rest.starts_with(triple) {
        return quoted(rest, triple, LineEnd::Inside);
    }
    let single = if quote == '"' { "\"" } else { "'" };
    quoted(rest, single, LineEnd::Closes)
}

fn is_plain_prefix(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    ["r", "b", "u", "br", "rb"].contains(&word.as_str())
}

/// The length of a character; `None` for a lifetime or a label.
fn rust_char(rest: &str) -> Option<usize> {
    let mut letters = rest.char_indices().skip(1);
    let (_, first) = letters.next()?;
    if first == '\\' {
        letters.next()?;
        // The longest escape is `\u{10FFFF}`, with underscores between its digits.
        let close = letters.take(24).find(|(_, letter)| *letter == '\'')?;
        return Some(close.0 + 1);
    }
    let (at, next) = letters.next()?;
    (next == '\'' && first != '\'').then_some(at + 1)
}
