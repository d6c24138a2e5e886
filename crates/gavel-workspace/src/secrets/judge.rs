//! Whether a candidate is a secret, where its form alone does not prove it.

/// Bits per character above which a text is not written by hand.
const RANDOM_BITS: f64 = 3.0;

/// How a rule's candidates are judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Judge {
    /// The form is proof enough.
    Form,
    /// It must look random.
    Random,
    /// It must look like a password that somebody set: neither a name nor a placeholder.
    Password,
}

impl Judge {
    pub(super) fn convicts(self, candidate: &str) -> bool {
        match self {
            Self::Form => !is_taken_out(candidate),
            Self::Random => {
                !is_placeholder(candidate)
                    && !is_name(candidate)
                    && candidate.bytes().any(|b| b.is_ascii_digit())
                    && bits_per_char(candidate) >= RANDOM_BITS
            }
            Self::Password => {
                let lower = candidate.to_ascii_lowercase();
                !is_placeholder(candidate) && !SAMPLE_PASSWORDS.contains(&lower.as_str())
            }
        }
    }
}

/// The mark of a secret that was taken out before.
fn is_taken_out(candidate: &str) -> bool {
    candidate.contains("[secret:")
}

const PLACEHOLDERS: &[&str] = &[
    "example",
    "changeme",
    "change-me",
    "change_me",
    "placeholder",
    "your",
    "xxxx",
    "****",
    "....",
    "dummy",
    "redacted",
    "todo",
    "fixme",
    "secret:",
    "env.",
    "environ",
    "getenv",
    "process.",
    "config.",
    "password",
    "passwd",
    "username",
    "localhost",
    "insert",
    "replace",
    "sample",
    "foo",
    "<",
    ">",
    "{",
    "}",
    "$",
    "(",
    ")",
    "%s",
    "%d",
    "::",
    "://",
    "->",
    "==",
    "...",
    "abcdef",
    "123456",
    "null",
    "none",
    "undefined",
    "default",
    "[",
    "]",
];

/// What people write where a password would stand.
const SAMPLE_PASSWORDS: &[&str] = &[
    "pass", "pwd", "pw", "secret", "bar", "baz", "test", "user", "token", "postgres", "root",
    "guest",
];

/// True for texts that stand for a secret and are none: templates, calls, paths, sample words.
fn is_placeholder(candidate: &str) -> bool {
    let lower = candidate.to_ascii_lowercase();
    let first_is = |c: &[char]| candidate.starts_with(c);
    is_taken_out(candidate)
        || first_is(&['/', '.', '@', '#', '&', '%', '['])
        || PLACEHOLDERS.iter().any(|word| lower.contains(word))
        || has_one_letter_only(&lower)
}

fn has_one_letter_only(text: &str) -> bool {
    let mut chars = text.chars();
    let first = chars.next();
    chars.all(|c| Some(c) == first)
}

/// True for names made of words, as code has them: `user_id`, `sha-256`, `TokenKind`, `v1.read`.
fn is_name(candidate: &str) -> bool {
    candidate
        .split(['_', '-', '.', '/', ':', ',', ';', '|', '+', '='])
        .all(|part| {
            let digits = part.bytes().filter(u8::is_ascii_digit).count();
            let letters = part.bytes().filter(u8::is_ascii_alphabetic).count();
            let turns = part
                .as_bytes()
                .windows(2)
                .filter(|pair| matches!(pair, [a, b] if a.is_ascii_digit() != b.is_ascii_digit()))
                .count();
            // A word may carry one number (`sha256`, `utf8`), and a number may stand alone.
            letters + digits == part.len() && digits <= 4 && turns <= 1 && is_cased_like_words(part)
        })
}

/// True when capitals only begin words: `OnceCell`, `HTTPServer`, `camelCase`, `LOUD`.
fn is_cased_like_words(part: &str) -> bool {
    let letters: Vec<u8> = part.bytes().filter(u8::is_ascii_alphabetic).collect();
    let turns = letters
        .windows(2)
        .filter(|pair| matches!(pair, [a, b] if a.is_ascii_lowercase() && b.is_ascii_uppercase()))
        .count();
    turns * 4 <= letters.len()
}

/// Shannon entropy over the characters of a text.
#[expect(
    clippy::cast_precision_loss,
    reason = "a candidate is a few hundred bytes at most"
)]
fn bits_per_char(text: &str) -> f64 {
    let mut counts = [0_u32; 256];
    for byte in text.bytes() {
        if let Some(count) = counts.get_mut(usize::from(byte)) {
            *count += 1;
        }
    }
    let total = text.len().max(1) as f64;
    let shares = counts
        .iter()
        .filter(|count| **count > 0)
        .map(|count| f64::from(*count) / total);
    shares.map(|share| -share * share.log2()).sum()
}

#[cfg(test)]
mod tests {
    use super::{Judge, bits_per_char};

    #[test]
    fn random_texts_are_told_from_names() {
        for text in [
            "hunter2!Zq9x",
            "s3cr3tPassw0rD",
            "9f86d081884c7d65",
            "aB3dE5gH7jK9mN1p",
        ] {
            // `s3cr3t…` holds a sample word only as people write it, with digits.
            assert!(Judge::Random.convicts(text), "{text}");
        }
        for text in [
            "user_2fa_secret",
            "sha256",
            "SecretString",
            "application/json",
            "v1.read_write",
            "TokenKind2",
            "your-api-key-here1",
            "${TOKEN_1}",
            "xxxxxxxxxxx1",
            "http2.keepalive",
            "AES-256-GCM",
            "aaaaaaaa1",
            "process.env.KEY1",
            "us-east-1",
            "0.14.2",
        ] {
            assert!(!Judge::Random.convicts(text), "{text}");
        }
    }

    #[test]
    fn entropy_counts_characters() {
        assert!(bits_per_char("aaaa").abs() < f64::EPSILON);
        assert!((bits_per_char("abcd") - 2.0).abs() < f64::EPSILON);
    }
}
