//! Cuts source text into code, literals and comments.
//!
//! What is called a comment is not searched, so a mistake here must never hide code: where a text
//! can be read in two ways, the rest of it counts as code. Languages without a lexer have no comments.

mod literals;

use super::language::Language;
use super::tree::name_of;
use literals::{Syntax, has_escaped_marks, word_length};

/// Deeper nests of literals and code inside them are not followed.
const MAX_NESTING: usize = 60;
/// What may stand before a regular expression in JavaScript, and never before a division.
const BEFORE_REGEX: &str = "(,=:[&|?{;+-*%<~^";
const REGEX_KEYWORDS: [&str; 14] = [
    "return",
    "typeof",
    "case",
    "do",
    "else",
    "in",
    "instanceof",
    "new",
    "delete",
    "void",
    "throw",
    "extends",
    "default",
    "export",
];
/// Words after which `/` may be either.
const UNCLEAR_WORDS: [&str; 8] = [
    "await", "yield", "of", "let", "static", "async", "get", "set",
];

/// What a part of a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SpanKind {
    /// Neither of the others.
    Code,
    /// A literal with its quotes, or a part of one.
    Text,
    /// A comment.
    Comment,
}

/// A part of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span<'a> {
    pub(super) kind: SpanKind,
    pub(super) text: &'a str,
}

/// Cuts a text into parts that make it up again, in order.
pub(super) fn cut<'a>(languages: &[Language], path: &str, text: &'a str) -> Vec<Span<'a>> {
    let whole = vec![Span {
        kind: SpanKind::Code,
        text,
    }];
    match syntax_of(languages, path, text) {
        Some(syntax) => Lexer::new(syntax, text).run(),
        None => whole,
    }
}

fn syntax_of(languages: &[Language], path: &str, text: &str) -> Option<Syntax> {
    let extension = name_of(path).rsplit_once('.').map_or("", |(_, end)| end);
    let is = |language: Language| languages.first() == Some(&language);
    if is(Language::Rust) {
        return Some(Syntax::Rust);
    }
    if is(Language::Go) {
        return Some(Syntax::Go);
    }
    // These end lines, and with them comments, where not every reader sees a line end.
    if text
        .replace("\r\n", "\n")
        .contains(['\r', '\u{2028}', '\u{2029}'])
    {
        return None;
    }
    if is(Language::Python) {
        return (extension != "ipynb").then_some(Syntax::Python);
    }
    if is(Language::JavaScript) || is(Language::TypeScript) {
        // Text between the tags of JSX looks like comments where it is none.
        let has_tags = ["jsx", "tsx", "vue", "svelte"].contains(&extension)
            || text.contains("</")
            || text.contains("/>");
        return (!has_tags).then_some(Syntax::Script);
    }
    if is(Language::Java) {
        return (!has_escaped_marks(text)).then_some(Syntax::Java);
    }
    // A trigraph can stand for the backslash before a quote.
    let is_c = is(Language::C) || is(Language::Cpp);
    (is_c && !text.contains("??/")).then_some(Syntax::C)
}

/// Where the lexer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// In code; how many brackets are open since it was entered.
    Code { depth: u32 },
    /// In a template of JavaScript.
    Template,
    /// In a formatted string of Python.
    Formatted { quote: &'static str },
    /// In the format of a value inside one.
    Format { quote: &'static str },
}

/// What came before, for what a slash means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Before<'a> {
    Nothing,
    Word { word: &'a str, after_dot: bool },
    Mark { mark: char, twice: bool },
    Literal,
}

struct Lexer<'a> {
    syntax: Syntax,
    rest: &'a str,
    spans: Vec<Span<'a>>,
    modes: Vec<Mode>,
    before: Before<'a>,
    /// True when a block comment was opened that nothing closes: then there are none from here on.
    open_block: bool,
}

impl<'a> Lexer<'a> {
    fn new(syntax: Syntax, text: &'a str) -> Self {
        Self {
            syntax,
            rest: text,
            spans: Vec::new(),
            modes: vec![Mode::Code { depth: 0 }],
            before: Before::Nothing,
            open_block: false,
        }
    }

    fn run(mut self) -> Vec<Span<'a>> {
        while !self.rest.is_empty() {
            match self.modes.last().copied() {
                Some(_) if self.modes.len() > MAX_NESTING => self.give_up(),
                Some(Mode::Code { depth }) => self.code(depth),
                Some(Mode::Template) => self.template(),
                Some(Mode::Formatted { quote }) => self.formatted(quote),
                Some(Mode::Format { quote }) => self.format(quote),
                None => self.give_up(),
            }
        }
        self.spans
    }

    /// Takes the next bytes as a part of this kind.
    fn take(&mut self, kind: SpanKind, length: usize) -> &'a str {
        let length = self.rest.ceil_char_boundary(length);
        let (text, rest) = self
            .rest
            .split_at_checked(length)
            .unwrap_or((self.rest, ""));
        self.rest = rest;
        self.spans.push(Span { kind, text });
        text
    }

    /// How much of this line is left.
    fn line_length(&self) -> usize {
        self.rest.find('\n').unwrap_or(self.rest.len())
    }

    /// What is left counts as code.
    fn give_up(&mut self) {
        self.take(SpanKind::Code, self.rest.len());
    }

    fn code(&mut self, depth: u32) {
        let Some(next) = self.rest.chars().next() else {
            return;
        };
        if next.is_whitespace() {
            let rest = self.rest.trim_start();
            self.take(SpanKind::Code, self.rest.len() - rest.len());
        } else if let Some(length) = self.comment() {
            self.take(SpanKind::Comment, length);
        } else if next.is_alphanumeric() || matches!(next, '_' | '$') {
            self.word();
        } else if let Some(length) = self.syntax.literal(self.rest) {
            self.take(SpanKind::Text, length);
            self.before = Before::Literal;
        } else if self.syntax == Syntax::Script && next == '`' {
            self.take(SpanKind::Text, 1);
            self.modes.push(Mode::Template);
        } else if self.syntax == Syntax::Script && next == '/' {
            self.slash();
        } else {
            self.mark(next, depth);
        }
    }

    fn comment(&mut self) -> Option<usize> {
        let is_line = match self.syntax {
            Syntax::Python => self.rest.starts_with('#'),
            Syntax::Rust | Syntax::Script | Syntax::Go | Syntax::Java | Syntax::C => {
                self.rest.starts_with("//")
            }
        };
        if is_line {
            return Some(self.line_length());
        }
        if self.syntax == Syntax::Python {
            return None;
        }
        if !self.rest.starts_with("/*") || self.open_block {
            return None;
        }
        let length = self.syntax.block_comment(self.rest);
        self.open_block = length.is_none();
        length
    }

    fn word(&mut self) {
        let length = word_length(self.syntax, self.rest);
        let (word, after) = self
            .rest
            .split_at_checked(length)
            .unwrap_or((self.rest, ""));
        if let Some(length) = self.syntax.prefixed_literal(word, after) {
            self.take(SpanKind::Text, length);
            self.before = Before::Literal;
        } else if let Some(quote) = self.syntax.formatted(word, after) {
            self.take(SpanKind::Text, length + quote.len());
            self.modes.push(Mode::Formatted { quote });
        } else {
            let is_dot = |before| matches!(before, Before::Mark { mark: '.', .. });
            let after_dot = is_dot(self.before);
            let word = self.take(SpanKind::Code, length);
            self.before = Before::Word { word, after_dot };
        }
    }

    fn mark(&mut self, mark: char, depth: u32) {
        if self.syntax == Syntax::C && mark == '#' && self.is_include() {
            // Between the angle brackets nothing is a comment.
            self.take(SpanKind::Code, self.line_length());
            return;
        }
        let twice = matches!(self.before, Before::Mark { mark: last, .. } if last == mark);
        self.before = Before::Mark { mark, twice };
        let in_literal = self.modes.len() > 1;
        let depth = match mark {
            '(' | '[' | '{' => depth + 1,
            '}' if in_literal && depth == 0 => {
                self.take(SpanKind::Text, 1);
                self.modes.pop();
                return;
            }
            ':' if in_literal && depth == 0 && self.syntax == Syntax::Python => {
                self.take(SpanKind::Text, 1);
                if let Some(Mode::Formatted { quote }) = self.modes.iter().rev().nth(1).copied() {
                    self.modes.push(Mode::Format { quote });
                }
                return;
            }
            ')' | ']' | '}' => depth.saturating_sub(1),
            _ => depth,
        };
        self.take(SpanKind::Code, mark.len_utf8());
        if let Some(mode) = self.modes.last_mut() {
            *mode = Mode::Code { depth };
        }
    }

    fn is_include(&self) -> bool {
        let rest = self
            .rest
            .trim_start_matches('#')
            .trim_start_matches([' ', '\t']);
        ["include", "import"]
            .iter()
            .any(|word| rest.starts_with(word))
    }

    /// A slash of JavaScript that opens no comment: a division, or a regular expression.
    fn slash(&mut self) {
        let is_regex = match self.before {
            Before::Nothing => Some(true),
            Before::Literal => Some(false),
            Before::Word { word, after_dot } if !after_dot => {
                let is_unclear = UNCLEAR_WORDS.contains(&word);
                (!is_unclear).then(|| REGEX_KEYWORDS.contains(&word))
            }
            Before::Word { .. } | Before::Mark { mark: ']', .. } => Some(false),
            Before::Mark {
                mark: '+' | '-',
                twice: true,
            } => None,
            Before::Mark { mark, .. } => BEFORE_REGEX.contains(mark).then_some(true),
        };
        match is_regex {
            Some(false) => {
                self.take(SpanKind::Code, 1);
                self.before = Before::Mark {
                    mark: '/',
                    twice: false,
                };
            }
            Some(true) => match literals::regex_length(self.rest) {
                Some(length) => {
                    self.take(SpanKind::Text, length);
                    self.before = Before::Literal;
                }
                None => self.give_up(),
            },
            None => {
                let line = self.line_length();
                let ends = self.rest.get(..line).unwrap_or(self.rest);
                let goes_on = ends.contains('`') || ends.contains("/*") || ends.ends_with('\\');
                if self.modes.len() > 1 || goes_on {
                    self.give_up();
                } else {
                    self.take(SpanKind::Code, line);
                    self.before = Before::Literal;
                }
            }
        }
    }

    fn template(&mut self) {
        let special = |c: char| matches!(c, '`' | '\\' | '$');
        let plain = self.rest.find(special).unwrap_or(self.rest.len());
        if plain > 0 {
            self.take(SpanKind::Text, plain);
        } else if self.rest.starts_with('`') {
            self.take(SpanKind::Text, 1);
            self.modes.pop();
            self.before = Before::Literal;
        } else if self.rest.starts_with("${") {
            self.take(SpanKind::Text, 2);
            self.modes.push(Mode::Code { depth: 0 });
            self.before = Before::Nothing;
        } else {
            let escaped = self.rest.starts_with('\\');
            self.take(SpanKind::Text, if escaped { 2 } else { 1 });
        }
    }

    fn formatted(&mut self, quote: &'static str) {
        let special = |c: char| matches!(c, '{' | '}' | '\\' | '\n' | '"' | '\'');
        let plain = self.rest.find(special).unwrap_or(self.rest.len());
        if plain > 0 {
            self.take(SpanKind::Text, plain);
        } else if self.rest.starts_with(quote) {
            self.take(SpanKind::Text, quote.len());
            self.modes.pop();
        } else if ["{{", "}}", "\\"]
            .iter()
            .any(|two| self.rest.starts_with(two))
        {
            self.take(SpanKind::Text, 2);
        } else if self.rest.starts_with('{') {
            self.take(SpanKind::Text, 1);
            self.modes.push(Mode::Code { depth: 0 });
        } else {
            if self.rest.starts_with('\n') && quote.len() == 1 {
                self.modes.pop();
            }
            self.take(SpanKind::Text, 1);
        }
    }

    /// What stands between the colon and the closing brace of a value.
    fn format(&mut self, quote: &'static str) {
        let is_over = self.rest.starts_with(quote) || self.rest.starts_with('\n');
        if is_over {
            // The value is over too.
            self.modes.pop();
            self.modes.pop();
        } else if self.rest.starts_with('}') {
            self.take(SpanKind::Text, 1);
            self.modes.pop();
            self.modes.pop();
        } else if self.rest.starts_with('{') {
            self.take(SpanKind::Text, 1);
            self.modes.push(Mode::Code { depth: 0 });
        } else {
            self.take(SpanKind::Text, 1);
        }
    }
}

#[cfg(test)]
#[path = "lexer_tests.rs"]
mod tests;
