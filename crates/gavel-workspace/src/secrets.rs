//! Finding secrets in text and taking them out, before a model or the journal sees it.
//!
//! Fixed words choose the rules that are worth running (one pass over the text); a rule's regular
//! expression finds candidates; where a form alone proves little, the candidate must also look
//! random. Values that the caller knows to be secret are always taken out.

mod judge;
mod rules;

use std::fmt;
use std::ops::Range;
use std::sync::OnceLock;

use aho_corasick::{AhoCorasick, MatchKind};
use regex::bytes::{Regex, RegexBuilder};

use self::judge::Judge;
use self::rules::RULES;

/// Known values shorter than this are left alone: they would take ordinary words out.
const MIN_KNOWN_BYTES: usize = 4;

/// What kind of secret was found, by a short name such as `github token`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SecretKind(&'static str);

impl SecretKind {
    /// A value that the caller named.
    pub const KNOWN: Self = Self("known value");

    /// The name.
    pub const fn name(self) -> &'static str {
        self.0
    }
}

impl fmt::Display for SecretKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// Where a secret stands in a text.
type Span = (Range<usize>, SecretKind);

/// A text without its secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scrubbed {
    /// The text, with `[secret: kind]` in place of each secret.
    pub text: String,
    /// What was taken out.
    pub found: Vec<SecretKind>,
}

/// Why a scrubber could not be made: a bug in its table.
#[derive(Debug, thiserror::Error)]
pub enum ScrubberError {
    /// A rule does not compile.
    #[error("the rule for a {kind} is malformed")]
    Rule {
        /// The rule.
        kind: SecretKind,
        /// What is wrong with it.
        #[source]
        source: Box<regex::Error>,
    },
    /// The words do not compile.
    #[error("the words that choose rules are malformed")]
    Words(#[source] aho_corasick::BuildError),
}

/// Takes secrets out of texts.
pub struct Scrubber {
    table: &'static Table,
    known: Option<AhoCorasick>,
}

/// The compiled rules, shared by all scrubbers of the process.
struct Table {
    words: AhoCorasick,
    /// For each word, the rule that it belongs to.
    owners: Vec<usize>,
    rules: Vec<CompiledRule>,
}

struct CompiledRule {
    kind: SecretKind,
    form: Regex,
    judge: Judge,
}

static TABLE: OnceLock<Table> = OnceLock::new();

impl fmt::Debug for Scrubber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = self.known.as_ref().map_or(0, AhoCorasick::patterns_len);
        write!(
            f,
            "Scrubber({} rules, {known} known values)",
            self.table.rules.len()
        )
    }
}

impl Scrubber {
    /// Makes a scrubber that also takes out these values, and their usual encodings.
    ///
    /// Values shorter than four bytes are not taken: they would take ordinary words out.
    pub fn new<'a>(known: impl IntoIterator<Item = &'a str>) -> Result<Self, ScrubberError> {
        let table = match TABLE.get() {
            Some(table) => table,
            None => {
                let table = Table::compile()?;
                TABLE.get_or_init(|| table)
            }
        };
        let known: Vec<_> = known.into_iter().flat_map(spellings).collect();
        let known = (!known.is_empty())
            .then(|| {
                AhoCorasick::builder()
                    .match_kind(MatchKind::LeftmostLongest)
                    .build(known)
            })
            .transpose()
            .map_err(ScrubberError::Words)?;
        Ok(Self { table, known })
    }

    /// Takes secrets out of a text; doing it again changes nothing.
    pub fn scrub(&self, text: &str) -> Scrubbed {
        let mut spans = self.known_values(text);
        spans.extend(self.by_rules(text));
        let mut scrubbed = replace(text, spans);
        // What one rule takes for a secret may hide the beginning of another.
        loop {
            let hidden = self.by_rules(&scrubbed.text);
            if hidden.is_empty() {
                return scrubbed;
            }
            let again = replace(&scrubbed.text, hidden);
            scrubbed.text = again.text;
            scrubbed.found.extend(again.found);
        }
    }

    fn known_values(&self, text: &str) -> Vec<Span> {
        let found = self.known.iter().flat_map(|known| known.find_iter(text));
        found.map(|m| (m.range(), SecretKind::KNOWN)).collect()
    }

    /// What the rules convict. Never the mark of a secret that was taken out, so that each time some of
    /// the text is gone.
    fn by_rules(&self, text: &str) -> Vec<Span> {
        let mut spans = Vec::new();
        for rule in self.table.rules_for(text) {
            for captures in rule.form.captures_iter(text.as_bytes()) {
                let Some(secret) = captures.name("secret").or_else(|| captures.get(0)) else {
                    continue;
                };
                let range = whole_letters(text, secret.range());
                let candidate = text.get(range.clone()).unwrap_or_default();
                if !range.is_empty() && rule.judge.convicts(candidate) {
                    spans.push((range, rule.kind));
                }
            }
        }
        spans
    }
}

impl Table {
    fn compile() -> Result<Self, ScrubberError> {
        let mut rules = Vec::new();
        let (mut words, mut owners) = (Vec::<&str>::new(), Vec::new());
        for (number, rule) in RULES.iter().enumerate() {
            let kind = SecretKind(rule.kind);
            // Secrets are ASCII; without Unicode the forms are small and compile fast.
            let form = RegexBuilder::new(rule.form)
                .unicode(false)
                .build()
                .map_err(|source| ScrubberError::Rule {
                    kind,
                    source: Box::new(source),
                })?;
            rules.push(CompiledRule {
                kind,
                form,
                judge: rule.judge,
            });
            words.extend(rule.words);
            owners.extend(rule.words.iter().map(|_| number));
        }
        let words = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .build(words)
            .map_err(ScrubberError::Words)?;
        Ok(Self {
            words,
            owners,
            rules,
        })
    }

    fn rules_for(&self, text: &str) -> impl Iterator<Item = &CompiledRule> {
        let mut wanted = vec![false; self.rules.len()];
        for found in self.words.find_overlapping_iter(text) {
            let owner = self.owners.get(found.pattern().as_usize());
            if let Some(wanted) = owner.and_then(|owner| wanted.get_mut(*owner)) {
                *wanted = true;
            }
        }
        self.rules
            .iter()
            .zip(wanted)
            .filter_map(|(rule, wanted)| wanted.then_some(rule))
    }
}

/// Widens a span of bytes so that it cuts no letter in half.
fn whole_letters(text: &str, range: Range<usize>) -> Range<usize> {
    text.floor_char_boundary(range.start)..text.ceil_char_boundary(range.end)
}

/// Replaces spans; where they overlap, the one that begins first names all of it.
fn replace(text: &str, mut spans: Vec<Span>) -> Scrubbed {
    spans.sort_by_key(|(range, _)| (range.start, std::cmp::Reverse(range.end)));
    let mut merged: Vec<Span> = Vec::new();
    for (range, kind) in spans {
        match merged.last_mut() {
            Some((last, _)) if range.start < last.end => last.end = last.end.max(range.end),
            _ => merged.push((range, kind)),
        }
    }
    let mut scrubbed = Scrubbed {
        text: String::with_capacity(text.len()),
        found: Vec::new(),
    };
    let mut from = 0;
    for (range, kind) in merged {
        scrubbed
            .text
            .push_str(text.get(from..range.start).unwrap_or_default());
        scrubbed.text.push_str(&format!("[secret: {kind}]"));
        scrubbed.found.push(kind);
        from = range.end;
    }
    scrubbed.text.push_str(text.get(from..).unwrap_or_default());
    scrubbed
}

/// A known value as it is, and as it looks inside a URL, a JSON text and in base64.
fn spellings(value: &str) -> Vec<String> {
    let value = value.trim();
    if value.len() < MIN_KNOWN_BYTES {
        return Vec::new();
    }
    let mut all = vec![value.to_owned(), percent_encoded(value)];
    // Inside a longer text a value begins at any of three places of a group.
    all.extend((0..3).map(|before| base64(value.as_bytes(), before)));
    // The same with the letters that addresses take.
    let plain = all.iter().skip(2);
    let for_addresses: Vec<_> = plain
        .map(|one| one.replace('+', "-").replace('/', "_"))
        .collect();
    all.extend(for_addresses);
    let hex = |upper: bool| -> String {
        let digits = value.bytes().map(|byte| match upper {
            true => format!("{byte:02X}"),
            false => format!("{byte:02x}"),
        });
        digits.collect()
    };
    all.extend([hex(false), hex(true)]);
    all.retain(|spelling| spelling.len() >= MIN_KNOWN_BYTES);
    if let Ok(json) = serde_json::to_string(value) {
        let inner = json
            .strip_prefix('"')
            .and_then(|json| json.strip_suffix('"'));
        all.extend(inner.map(str::to_owned));
    }
    all.sort_unstable();
    all.dedup();
    all
}

fn percent_encoded(value: &str) -> String {
    let mut text = String::new();
    for byte in value.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            text.push(char::from(byte));
        } else {
            text.push_str(&format!("%{byte:02X}"));
        }
    }
    text
}

/// Base64 without what depends on the bytes beside the value, of which so many stand before it.
fn base64(value: &[u8], before: usize) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    let mut bytes = vec![0; before];
    bytes.extend(value);
    for chunk in bytes.chunks_exact(3) {
        let number = chunk
            .iter()
            .fold(0_usize, |sum, byte| (sum << 8) | usize::from(*byte));
        for shift in [18, 12, 6, 0] {
            let letter = LETTERS.get((number >> shift) & 63).copied().unwrap_or(b'A');
            text.push(char::from(letter));
        }
    }
    let shared = before.saturating_mul(8).div_ceil(6);
    text.get(shared..).unwrap_or_default().to_owned()
}

#[cfg(test)]
#[path = "secrets_tests.rs"]
mod tests;
