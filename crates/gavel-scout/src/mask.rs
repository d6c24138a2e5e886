//! Code without its comments, and without what stands in its strings: so that a word in a comment is taken
//! for nothing, and every offset and line stays where it was.
//!
//! This is no grammar. A string that a reader of the language would see elsewhere costs at most the rest of
//! its line, for strings of one line end with it.

use crate::language::Style;

/// Two views of a text; both are as long as the text and have its lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Masked {
    /// Comments and the content of strings are spaces.
    pub(crate) code: String,
    /// Comments are spaces.
    pub(crate) text: String,
}

struct Masker<'a> {
    from: &'a [u8],
    code: Vec<u8>,
    text: Vec<u8>,
    at: usize,
    /// The last letter of code that is no space.
    last: u8,
}

/// So many templates may stand inside each other.
const DEEPEST: u32 = 30;

/// Masks a text.
pub(crate) fn mask(style: Style, text: &str) -> Masked {
    let mut masker = Masker {
        from: text.as_bytes(),
        code: text.as_bytes().to_vec(),
        text: text.as_bytes().to_vec(),
        at: 0,
        last: b'\n',
    };
    while masker.at < masker.from.len() {
        masker.step(style);
    }
    Masked {
        code: String::from_utf8_lossy(&masker.code).into_owned(),
        text: String::from_utf8_lossy(&masker.text).into_owned(),
    }
}

impl Masker<'_> {
    fn byte(&self, at: usize) -> u8 {
        self.from.get(at).copied().unwrap_or(0)
    }

    fn starts(&self, what: &str) -> bool {
        let rest = self.from.get(self.at..).unwrap_or_default();
        rest.starts_with(what.as_bytes())
    }

    /// Where the text stands next, or the end.
    fn find(&self, from: usize, what: &str) -> usize {
        let rest = self.from.get(from..).unwrap_or_default();
        let found = rest
            .windows(what.len())
            .position(|window| window == what.as_bytes());
        found.map_or(self.from.len(), |at| from + at)
    }

    fn step(&mut self, style: Style) {
        let byte = self.byte(self.at);
        // Most letters begin nothing; only `r` may begin a raw string.
        if byte == b' ' || (byte != b'r' && byte.is_ascii_alphanumeric()) {
            if byte != b' ' {
                self.last = byte;
            }
            self.at += 1;
            return;
        }
        if let Some(end) = self.comment_end(style) {
            self.comment(end);
            return;
        }
        if let Some((inside, end, after)) = self.string(style) {
            blank(&mut self.code, inside, end);
            self.last = b'"';
            self.at = after.max(self.at + 1);
            return;
        }
        if !byte.is_ascii_whitespace() {
            self.last = byte;
        }
        self.at += 1;
    }

    fn comment(&mut self, end: usize) {
        blank(&mut self.code, self.at, end);
        blank(&mut self.text, self.at, end);
        self.at = end.max(self.at + 1);
    }

    fn comment_end(&self, style: Style) -> Option<usize> {
        let slashes = matches!(
            style,
            Style::Slashes | Style::Rust | Style::Script | Style::Go | Style::Php
        );
        let hashes = matches!(
            style,
            Style::Php | Style::Python | Style::Ruby | Style::Hash
        );
        let line_start = self.at == 0 || self.byte(self.at - 1) == b'\n';
        let blocks = slashes || matches!(style, Style::Sql | Style::Sheet);
        let attribute = style == Style::Php && self.starts("#[");
        if slashes && self.starts("//")
            || hashes && self.byte(self.at) == b'#' && !attribute
            || style == Style::Sql && self.starts("--")
        {
            return Some(self.find(self.at, "\n"));
        }
        if blocks && self.starts("/*") {
            return Some(if style == Style::Rust {
                self.nested_end()
            } else {
                (self.find(self.at + 2, "*/") + 2).min(self.from.len())
            });
        }
        if style == Style::Markup && self.starts("<!--") {
            return Some((self.find(self.at + 4, "-->") + 3).min(self.from.len()));
        }
        if style == Style::Ruby && line_start && self.starts("=begin") {
            return Some((self.find(self.at, "\n=end") + 5).min(self.from.len()));
        }
        None
    }

    fn nested_end(&self) -> usize {
        let mut depth = 0_u32;
        let mut at = self.at;
        while at < self.from.len() {
            match (self.byte(at), self.byte(at + 1)) {
                (b'/', b'*') => (depth, at) = (depth + 1, at + 2),
                (b'*', b'/') if depth <= 1 => return at + 2,
                (b'*', b'/') => (depth, at) = (depth - 1, at + 2),
                (_, _) => at += 1,
            }
        }
        self.from.len()
    }

    /// Where a string's content begins and ends, and where code goes on.
    fn string(&self, style: Style) -> Option<(usize, usize, usize)> {
        if style == Style::Markup {
            return None;
        }
        let at = self.at;
        match self.byte(at) {
            b'"' | b'\'' if style == Style::Python => Some(self.python_string()),
            b'r' if style == Style::Rust && !is_word(self.before()) => self.raw_string(),
            b'\'' if style == Style::Rust => self.letter(),
            b'`' if style == Style::Go => {
                let end = self.find(at + 1, "`");
                Some((at + 1, end, end + 1))
            }
            b'`' if style == Style::Script => {
                let end = self.template_end(at + 1, 0);
                // Nobody may have closed it: then all of the rest is its content.
                let closed = end > at + 1 && self.byte(end - 1) == b'`';
                Some((at + 1, end - usize::from(closed), end))
            }
            b'/' if style == Style::Script && self.regex_may_begin() => self.regex(),
            b'"' if style == Style::Rust => Some(self.quoted(b'"', Ends::Anywhere)),
            b'"' if self.starts("\"\"\"") => {
                let end = self.find(at + 3, "\"\"\"");
                Some((at + 3, end, end + 3))
            }
            quote @ (b'"' | b'\'') => Some(self.quoted(quote, Ends::WithLine)),
            _ => None,
        }
    }

    fn before(&self) -> u8 {
        match self.at {
            0 => b'\n',
            at => self.byte(at - 1),
        }
    }

    fn quoted(&self, quote: u8, ends: Ends) -> (usize, usize, usize) {
        let mut at = self.at + 1;
        while at < self.from.len() {
            match self.byte(at) {
                b'\\' => at += 2,
                b'\n' if ends == Ends::WithLine => return (self.at + 1, at, at),
                byte if byte == quote => return (self.at + 1, at, at + 1),
                _ => at += 1,
            }
        }
        let end = self.from.len();
        (self.at + 1, end, end)
    }

    fn python_string(&self) -> (usize, usize, usize) {
        for three in ["\"\"\"", "'''"] {
            if self.starts(three) {
                let end = self.find(self.at + 3, three);
                return (self.at + 3, end, end + 3);
            }
        }
        self.quoted(self.byte(self.at), Ends::WithLine)
    }

    fn raw_string(&self) -> Option<(usize, usize, usize)> {
        let mut hashes = 0;
        while self.byte(self.at + 1 + hashes) == b'#' {
            hashes += 1;
        }
        if self.byte(self.at + 1 + hashes) != b'"' {
            return None;
        }
        let begin = self.at + 2 + hashes;
        let end = self.find(begin, &format!("\"{}", "#".repeat(hashes)));
        Some((begin, end, end + 1 + hashes))
    }

    /// A letter in quotes; a lifetime is none.
    fn letter(&self) -> Option<(usize, usize, usize)> {
        let begin = self.at + 1;
        if self.byte(begin) == b'\\' {
            let end = self.find(begin + 2, "'");
            return (end < begin + 12).then_some((begin, end, end + 1));
        }
        let end = (begin + 1..=begin + 4).find(|at| self.byte(*at) == b'\'')?;
        let text = self.from.get(begin..end)?;
        let one = std::str::from_utf8(text).is_ok_and(|text| text.chars().count() == 1);
        one.then_some((begin, end, end + 1))
    }

    /// Behind the backtick that ends a template.
    fn template_end(&self, from: usize, depth: u32) -> usize {
        let mut at = from;
        while at < self.from.len() {
            match (self.byte(at), self.byte(at + 1)) {
                (b'\\', _) => at += 2,
                (b'`', _) => return at + 1,
                (b'$', b'{') if depth < DEEPEST => at = self.inserted_end(at + 2, depth + 1),
                (_, _) => at += 1,
            }
        }
        self.from.len()
    }

    /// Behind the brace that ends what is inserted into a template.
    fn inserted_end(&self, from: usize, depth: u32) -> usize {
        let mut open = 1_u32;
        let mut at = from;
        while at < self.from.len() {
            match self.byte(at) {
                b'{' => open += 1,
                b'}' if open == 1 => return at + 1,
                b'}' => open -= 1,
                b'`' => {
                    at = self.template_end(at + 1, depth);
                    continue;
                }
                _ => {}
            }
            at += 1;
        }
        self.from.len()
    }

    /// After a value a slash divides, after anything else it begins a regular expression.
    fn regex_may_begin(&self) -> bool {
        matches!(
            self.last,
            b'(' | b','
                | b'='
                | b':'
                | b'['
                | b'!'
                | b'&'
                | b'|'
                | b'?'
                | b'{'
                | b'}'
                | b';'
                | b'\n'
        ) || self.code.get(..self.at).is_some_and(|before| {
            let before = before.trim_ascii_end();
            before.ends_with(b"return") || before.ends_with(b"=>")
        })
    }

    fn regex(&self) -> Option<(usize, usize, usize)> {
        let mut at = self.at + 1;
        let mut class = false;
        while at < self.from.len() {
            match self.byte(at) {
                b'\\' => at += 1,
                b'\n' => return None,
                b'[' => class = true,
                b']' => class = false,
                b'/' if !class => return Some((self.at + 1, at, at + 1)),
                _ => {}
            }
            at += 1;
        }
        None
    }
}

/// Where a string that nobody closed ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ends {
    WithLine,
    Anywhere,
}

const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn blank(text: &mut [u8], from: usize, to: usize) {
    let to = to.min(text.len());
    for byte in text.get_mut(from..to).unwrap_or_default() {
        if *byte != b'\n' {
            *byte = b' ';
        }
    }
}

#[cfg(test)]
#[path = "mask_tests.rs"]
mod tests;
