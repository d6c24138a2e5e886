//! The code of a file as it is searched: lines without comments, and tokens.
//!
//! A line of the file is searched as it stands. Code that goes on over several lines, or is spread
//! out by blanks and comments, is searched a second time as one line.

use super::language::Language;
use super::lexer::{Span, SpanKind, cut};

/// Marks that go on with what stands before them, on whatever line that is.
const GOES_ON: [&str; 6] = [".", ":", "!", "(", "[", "?"];
/// Marks after which something must come.
const WANTS_MORE: [&str; 4] = [".", ":", "(", "\\"];
/// Words after which a name must come.
const WANTS_NAME: [&str; 13] = [
    "use", "import", "from", "extern", "crate", "mod", "pub", "new", "package", "include",
    "require", "await", "using",
];
/// Words that begin a statement in which brackets are read to their end.
const IMPORTS: [&str; 5] = ["use", "import", "from", "export", "pub"];
/// The most that is joined to one line.
const MAX_JOINED: usize = 20_000;

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// A name or a number.
    Word,
    /// A literal, or a part of one, with its quotes.
    Text,
    /// One sign.
    Mark,
}

/// A part of the code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token<'a> {
    pub(super) kind: TokenKind,
    pub(super) text: &'a str,
    /// Counted from one.
    pub(super) line: u32,
    /// True when white space or a comment stands before it.
    spaced: bool,
    /// True when it is the first of its line.
    first: bool,
}

impl<'a> Token<'a> {
    pub(super) fn is(&self, text: &str) -> bool {
        self.kind != TokenKind::Text && self.text == text
    }

    /// What a literal says, without its quotes; escapes stay.
    pub(super) fn said(&self) -> Option<&'a str> {
        if self.kind != TokenKind::Text {
            return None;
        }
        let open = self.text.find(['"', '\'', '`'])?;
        let (_, body) = self.text.split_at_checked(open)?;
        Some(body.trim_end_matches('#').trim_matches(['"', '\'', '`']))
    }
}

/// A line to search in, with the lines of the file that it is made of.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct CodeLine {
    pub(super) text: String,
    /// From which byte on it is which line.
    starts: Vec<(usize, u32)>,
}

impl CodeLine {
    /// One line of the file, or what it says in other words.
    pub(super) fn at(line: u32, text: String) -> Self {
        Self {
            text,
            starts: vec![(0, line)],
        }
    }

    fn new(line: u32) -> Self {
        Self {
            text: String::new(),
            starts: vec![(0, line)],
        }
    }

    fn push(&mut self, text: &str, mut line: u32) {
        for (number, part) in text.split_inclusive('\n').enumerate() {
            line += u32::from(number > 0);
            if self.starts.last().is_some_and(|(_, last)| *last != line) {
                self.starts.push((self.text.len(), line));
            }
            self.text.push_str(part);
        }
    }

    /// The line of the file that a byte stands in.
    pub(super) fn line_at(&self, byte: usize) -> u32 {
        let before = self.starts.iter().take_while(|(start, _)| *start <= byte);
        before.last().map_or(1, |(_, line)| *line)
    }
}

/// The code of a file.
#[derive(Debug)]
pub(super) struct Code<'a> {
    spans: Vec<Span<'a>>,
}

impl<'a> Code<'a> {
    pub(super) fn of(languages: &[Language], path: &str, text: &'a str) -> Self {
        Self {
            spans: cut(languages, path, text),
        }
    }

    /// Everything in which a pattern is looked for.
    pub(super) fn lines(&self) -> Vec<CodeLine> {
        let mut lines = self.plain_lines();
        let tokens = self.tokens();
        for joined in statements(&tokens) {
            let [spaced, dense] = [Gaps::Kept, Gaps::Dropped].map(|gaps| join(joined, gaps));
            let is_plain = joined.iter().skip(1).all(|token| !token.first);
            if !is_plain {
                lines.push(spaced);
            }
            if joined
                .iter()
                .skip(1)
                .any(|token| token.spaced || token.first)
            {
                lines.push(dense);
            }
        }
        lines
    }

    /// The lines of the file, each comment as a blank.
    fn plain_lines(&self) -> Vec<CodeLine> {
        let mut lines = vec![CodeLine::new(1)];
        let mut number = 1;
        for span in &self.spans {
            if span.kind == SpanKind::Comment {
                push_last(&mut lines, " ");
            }
            for part in span.text.split_inclusive(is_line_end) {
                let ends = part.ends_with(is_line_end);
                if span.kind != SpanKind::Comment {
                    push_last(&mut lines, part.trim_end_matches(is_line_end));
                }
                number += u32::from(part.ends_with('\n'));
                if ends {
                    lines.push(CodeLine::new(number));
                }
            }
        }
        lines
    }

    /// Names, literals and marks, in order.
    pub(super) fn tokens(&self) -> Vec<Token<'a>> {
        let mut tokens = Vec::new();
        let mut state = Position {
            line: 1,
            spaced: false,
            first: true,
        };
        for span in &self.spans {
            match span.kind {
                SpanKind::Comment => {
                    state.pass(span.text);
                    state.spaced = true;
                }
                SpanKind::Text => {
                    tokens.push(state.token(TokenKind::Text, span.text));
                    state.line += count_lines(span.text);
                }
                SpanKind::Code => state.code(span.text, &mut tokens),
            }
        }
        tokens
    }
}

fn push_last(lines: &mut [CodeLine], text: &str) {
    if let Some(line) = lines.last_mut() {
        line.text.push_str(text);
    }
}

fn is_line_end(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{2028}' | '\u{2029}')
}

fn count_lines(text: &str) -> u32 {
    let ends = text.bytes().filter(|byte| *byte == b'\n').count();
    u32::try_from(ends).unwrap_or(u32::MAX)
}

/// Where reading stands.
struct Position {
    line: u32,
    spaced: bool,
    first: bool,
}

impl Position {
    fn token<'a>(&mut self, kind: TokenKind, text: &'a str) -> Token<'a> {
        let token = Token {
            kind,
            text,
            line: self.line,
            spaced: self.spaced,
            first: self.first,
        };
        (self.spaced, self.first) = (false, false);
        token
    }

    fn pass(&mut self, text: &str) {
        self.line += count_lines(text);
        self.first |= text.contains(is_line_end);
    }

    fn code<'a>(&mut self, text: &'a str, tokens: &mut Vec<Token<'a>>) {
        let mut rest = text;
        while let Some(next) = rest.chars().next() {
            // `r#name` of Rust is `name`.
            if let Some(name) = rest
                .strip_prefix("r#")
                .filter(|name| name.starts_with(is_word))
            {
                rest = name;
                self.spaced = true;
                continue;
            }
            let length = if next.is_whitespace() {
                length_while(rest, char::is_whitespace)
            } else if is_word(next) {
                length_while(rest, is_word)
            } else {
                next.len_utf8()
            };
            let (part, after) = rest.split_at_checked(length).unwrap_or((rest, ""));
            if next.is_whitespace() {
                self.pass(part);
                self.spaced = true;
            } else if is_word(next) {
                tokens.push(self.token(TokenKind::Word, part));
            } else {
                tokens.push(self.token(TokenKind::Mark, part));
            }
            rest = after;
        }
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$')
}

fn length_while(text: &str, wanted: impl Fn(char) -> bool) -> usize {
    text.find(|c: char| !wanted(c)).unwrap_or(text.len())
}

/// Groups tokens into lines that belong together.
fn statements<'t, 'a>(tokens: &'t [Token<'a>]) -> Vec<&'t [Token<'a>]> {
    let mut groups = Vec::new();
    let (mut start, mut bytes, mut depth) = (0, 0, 0_i32);
    for (at, token) in tokens.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| tokens.get(at));
        let group = tokens.get(start..at).unwrap_or_default();
        let is_import = group
            .iter()
            .take(2)
            .any(|token| IMPORTS.iter().any(|word| token.is(word)));
        let joins = before.is_some_and(|before| goes_on(before, token))
            || (is_import && (depth > 0 || token.is("from")));
        if token.first && at > start && (!joins || bytes > MAX_JOINED) {
            groups.push(group);
            (start, bytes, depth) = (at, 0, 0);
        }
        bytes += token.text.len();
        if token.kind == TokenKind::Mark {
            depth += match token.text {
                "(" | "[" | "{" => 1,
                ")" | "]" | "}" => -1,
                _ => 0,
            };
        }
    }
    groups.push(tokens.get(start..).unwrap_or_default());
    groups
}

/// True when a token at the beginning of a line belongs to the one before it.
fn goes_on(before: &Token<'_>, token: &Token<'_>) -> bool {
    GOES_ON.iter().any(|mark| token.is(mark))
        || WANTS_MORE.iter().any(|mark| before.is(mark))
        || WANTS_NAME.iter().any(|word| before.is(word))
}

/// What becomes of white space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Gaps {
    /// One blank, as far as there was any.
    Kept,
    /// None, unless two words would become one.
    Dropped,
}

fn join(tokens: &[Token<'_>], gaps: Gaps) -> CodeLine {
    let mut joined = CodeLine::new(tokens.first().map_or(1, |token| token.line));
    let mut before: Option<&Token<'_>> = None;
    for token in tokens.iter().filter(|token| !token.is("\\")) {
        if let Some(before) = before {
            let is_gap = token.spaced || token.first;
            let between_words =
                before.kind == TokenKind::Word && token.kind == TokenKind::Word && is_gap;
            let goes_on = token.first
                && (GOES_ON.iter().any(|mark| token.is(mark))
                    || WANTS_MORE.iter().any(|mark| before.is(mark)));
            if between_words || (gaps == Gaps::Kept && is_gap && !goes_on) {
                joined.text.push(' ');
            }
        }
        joined.push(token.text, token.line);
        before = Some(token);
    }
    joined
}

#[cfg(test)]
#[path = "code_tests.rs"]
mod tests;
