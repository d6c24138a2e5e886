//! One form of a secret, letter by letter, and where a text spells it.

/// The letters of base64; the last two are others in the form for addresses.
const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

const HEX: &[u8; 16] = b"0123456789abcdef";

/// A letter that may stand in two ways: `a` or `A` of a hex digit, `+` or `-` of base64.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Letter {
    one: u8,
    other: u8,
}

impl Letter {
    const fn plain(byte: u8) -> Self {
        Self {
            one: byte,
            other: byte,
        }
    }

    const fn is(self, byte: u8) -> bool {
        self.one == byte || self.other == byte
    }
}

/// One form of a secret.
pub(super) struct Form(Vec<Letter>);

/// How far a text spells a form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Reach {
    /// The end, where it is spelled to its end.
    pub(super) whole: Option<usize>,
    /// True when the text stops within it.
    pub(super) open: bool,
}

impl Form {
    /// Every form of a value: as it is, in hex, and in base64 at its three places beside other bytes.
    pub(super) fn all_of(value: &str) -> Vec<Self> {
        let bytes = value.as_bytes();
        let plain = bytes.iter().copied().map(Letter::plain).collect();
        let mut forms = vec![Self(plain), Self(hex(bytes))];
        forms.extend((0..3).map(|before| Self(base64(bytes, before))));
        forms
    }

    /// How far the text spells this form from a place on.
    pub(super) fn reach(&self, text: &[u8], from: usize) -> Reach {
        let mut reach = Reach::default();
        let begins = |first: &Letter| {
            let byte = text.get(from);
            byte.is_some_and(|byte| first.is(*byte) || matches!(byte, b'%' | b'\\'))
        };
        // Most places end here, without further ado.
        if !self.0.first().is_some_and(begins) {
            return reach;
        }
        let mut ends = vec![from];
        for letter in &self.0 {
            let mut next = Vec::new();
            for at in ends {
                let spelling = spelling(*letter, text, at);
                next.extend(spelling.ends.into_iter().flatten());
                reach.open |= spelling.open;
            }
            ends = next;
            if ends.is_empty() {
                return reach;
            }
        }
        reach.whole = ends.into_iter().max();
        reach
    }
}

/// How a letter stands at a place.
#[derive(Default)]
struct Spelling {
    /// Where it ends, plain and escaped.
    ends: [Option<usize>; 2],
    /// True when the text stops within it.
    open: bool,
}

fn spelling(letter: Letter, text: &[u8], at: usize) -> Spelling {
    let Some(byte) = text.get(at) else {
        return Spelling {
            open: true,
            ..Spelling::default()
        };
    };
    let rest = text.get(at + 1..).unwrap_or_default();
    let escape = match (byte, rest.first()) {
        (b'%', _) => digits(rest, b"", at + 1),
        (b'\\', None | Some(b'u')) => digits(rest, b"u00", at + 1),
        (b'\\', Some(sign)) if sign.is_ascii_punctuation() => Escape::Whole(*sign, at + 2),
        _ => Escape::None,
    };
    let (escaped, open) = match escape {
        Escape::Whole(decoded, end) => (letter.is(decoded).then_some(end), false),
        Escape::Open => (None, true),
        Escape::None => (None, false),
    };
    let plain = letter.is(*byte).then_some(at + 1);
    Spelling {
        ends: [plain, escaped],
        open,
    }
}

/// What an escape came to.
enum Escape {
    None,
    /// The text stops within it.
    Open,
    /// A byte, and where the escape ends.
    Whole(u8, usize),
}

/// Two hex digits after some fixed letters.
fn digits(rest: &[u8], fixed: &[u8], at: usize) -> Escape {
    let whole = fixed.len() + 2;
    let there = rest.get(..whole).unwrap_or(rest);
    let fits = there.iter().enumerate().all(|(place, byte)| {
        let wanted = fixed.get(place);
        wanted.map_or(byte.is_ascii_hexdigit(), |wanted| wanted == byte)
    });
    match (fits, there.get(fixed.len()..whole)) {
        (false, _) => Escape::None,
        (true, None) => Escape::Open,
        (true, Some(digits)) => {
            let value = |byte: &u8| char::from(*byte).to_digit(16).unwrap_or_default();
            let byte = digits.iter().fold(0, |sum, byte| sum * 16 + value(byte));
            u8::try_from(byte).map_or(Escape::None, |byte| Escape::Whole(byte, at + whole))
        }
    }
}

fn hex(bytes: &[u8]) -> Vec<Letter> {
    let digit = |nibble: u8| {
        let one = HEX.get(usize::from(nibble)).copied().unwrap_or(b'0');
        let other = one.to_ascii_uppercase();
        Letter { one, other }
    };
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits.map(digit).collect()
}

/// The letters of base64 that these bytes alone decide, behind so many others.
fn base64(bytes: &[u8], before: usize) -> Vec<Letter> {
    let bits: Vec<bool> = bytes
        .iter()
        .flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1 == 1))
        .collect();
    // The letter that the bytes before share with ours is not ours to tell.
    let shared = (6 - before * 8 % 6) % 6;
    let own = bits.get(shared..).unwrap_or_default();
    let letter = |six: &[bool]| {
        let number = six.iter().fold(0, |sum, bit| sum * 2 + usize::from(*bit));
        let one = BASE64.get(number).copied().unwrap_or(b'A');
        let other = match one {
            b'+' => b'-',
            b'/' => b'_',
            same => same,
        };
        Letter { one, other }
    };
    own.chunks_exact(6).map(letter).collect()
}
