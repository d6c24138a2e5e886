//! What in a test can make it fail, what keeps it from failing, and how far off a value may be:
//! read from tokens, so that it is the same for every language.

use gavel_rules::work::{Statement, Substance, Token, TokenKind, Tolerance};

use crate::syntax::SourceLanguage;

/// Methods of a test's own handle (`t.is`, `t.equal`) that assert.
const OF_HANDLE: [&str; 20] = [
    "is",
    "not",
    "ok",
    "notOk",
    "equal",
    "notEqual",
    "deepEqual",
    "notDeepEqual",
    "same",
    "strictEqual",
    "deepStrictEqual",
    "throws",
    "doesNotThrow",
    "rejects",
    "true",
    "false",
    "truthy",
    "falsy",
    "match",
    "fail",
];
/// Names that say nothing about the product inside an assertion.
const EMPTY_WORDS: [&str; 22] = [
    "self",
    "Some",
    "Ok",
    "Err",
    "None",
    "String",
    "from",
    "vec",
    "Vec",
    "new",
    "to_string",
    "to_owned",
    "into",
    "be",
    "eq",
    "equal",
    "not",
    "deep",
    "t",
    "ok",
    "is",
    "a",
];
const WIDTHS: [&str; 11] = [
    "epsilon",
    "max_relative",
    "rel",
    "abs",
    "delta",
    "rel_tol",
    "abs_tol",
    "rtol",
    "atol",
    "tolerance",
    "ulps",
];
const PLACES: [&str; 3] = ["places", "decimal", "digits"];

/// How many places can make it fail.
pub(super) fn count(language: SourceLanguage, tokens: &[Token]) -> u32 {
    let places = (0..tokens.len()).filter(|&at| asserts_at(language, tokens, at));
    u32::try_from(places.count()).unwrap_or(u32::MAX)
}

fn asserts_at(language: SourceLanguage, tokens: &[Token], at: usize) -> bool {
    let Some(token) = tokens.get(at) else {
        return false;
    };
    let next = tokens.get(at + 1).map_or("", |token| token.text.as_str());
    let last = at.checked_sub(1).and_then(|at| tokens.get(at));
    let last = last.map_or("", |token| token.text.as_str());
    let text = token.text.as_str();
    match (language, token.kind) {
        (SourceLanguage::Rust, TokenKind::Sign) => text == "?",
        (SourceLanguage::Rust, TokenKind::Word) => {
            let is_macro = [
                "assert",
                "debug_assert",
                "prop_assert",
                "panic",
                "unreachable",
            ];
            let unwraps = ["unwrap", "expect", "unwrap_err", "expect_err"];
            next == "!" && is_macro.iter().any(|start| text.starts_with(start))
                || last == "." && unwraps.contains(&text)
                || next == "(" && text.starts_with("assert")
        }
        (SourceLanguage::Python, TokenKind::Sign) => text == "assert" || text == "raise",
        (SourceLanguage::Python, TokenKind::Word) => {
            let calls = ["raises", "warns", "fail", "expect", "deprecated_call"];
            next == "(" && (text.starts_with("assert") || calls.contains(&text))
                || matches!(text, "should" | "should_not") && last == "."
        }
        (
            SourceLanguage::JavaScript | SourceLanguage::TypeScript | SourceLanguage::Tsx,
            TokenKind::Sign,
        ) => text == "throw",
        (
            SourceLanguage::JavaScript | SourceLanguage::TypeScript | SourceLanguage::Tsx,
            TokenKind::Word,
        ) => {
            let starts =
                matches!(text, "expect" | "assert" | "should") || text.starts_with("assert");
            let of_handle = last == "."
                && OF_HANDLE.contains(&text)
                && at
                    .checked_sub(2)
                    .and_then(|at| tokens.get(at))
                    .is_some_and(|handle| matches!(handle.text.as_str(), "t" | "test"));
            starts && matches!(next, "(" | ".") && last != "."
                || of_handle
                || text == "should" && last == "."
        }
        (_, TokenKind::Text | TokenKind::Number) => false,
    }
}

/// What a test would notice.
pub(super) fn substance(language: SourceLanguage, body: &[Statement]) -> Substance {
    let all: Vec<&Statement> = body.iter().flat_map(Statement::flat).collect();
    if all.is_empty() {
        return Substance::Empty;
    }
    let asserting: Vec<&&Statement> = all
        .iter()
        .filter(|one| count(language, &one.tokens) > 0)
        .collect();
    let is_constant = |one: &&&Statement| is_constant(one);
    if asserting.is_empty() {
        let speaks = |one: &&Statement| {
            let mut tokens = one.tokens.iter();
            tokens.any(|token| token.is_sign("("))
        };
        return if all.iter().any(speaks) {
            Substance::CallsOnly
        } else {
            Substance::Empty
        };
    }
    if asserting.iter().all(is_constant) {
        Substance::ConstantOnly
    } else {
        Substance::Asserts
    }
}

/// True for an assertion that holds whatever the product does: on constants, of something with
/// itself, or with a way out.
fn is_constant(statement: &Statement) -> bool {
    let tokens = &statement.tokens;
    let speaks = |token: &&Token| {
        let text = token.text.as_str();
        let is_matcher =
            text.starts_with("to") && text.chars().nth(2).is_some_and(char::is_uppercase);
        token.kind == TokenKind::Word
            && !EMPTY_WORDS.contains(&text)
            && !text.to_lowercase().starts_with("assert")
            && !text.to_lowercase().ends_with("equal")
            && text != "expect"
            && !is_matcher
    };
    // What is in blocks (closures, `with`) speaks too.
    let is_silent = !tokens.iter().any(|token| speaks(&token)) && statement.blocks.is_empty();
    is_silent || compares_with_itself(tokens) || has_a_way_out(tokens)
}

fn compares_with_itself(tokens: &[Token]) -> bool {
    let operators = ["==", "===", "is", "<=", ">="];
    let at = tokens.iter().position(|token| {
        operators.contains(&token.text.as_str()) && token.kind == TokenKind::Sign
    });
    if let Some(at) = at {
        let (left, right) = tokens.split_at(at);
        let right = right.get(1..).unwrap_or_default();
        let right: Vec<&Token> = right.iter().take_while(|token| !ends(token)).collect();
        let left: Vec<&Token> = left
            .iter()
            .rev()
            .take_while(|token| !begins(token))
            .collect();
        let left: Vec<&Token> = left.into_iter().rev().collect();
        return !left.is_empty() && left == right;
    }
    let is_equal = |token: &Token| {
        token.kind == TokenKind::Word
            && [
                "assert_eq",
                "assertEqual",
                "equal",
                "strictEqual",
                "deepEqual",
                "deepStrictEqual",
            ]
            .contains(&token.text.as_str())
    };
    if let Some(start) = tokens.iter().position(is_equal) {
        let mut arguments = arguments(tokens.get(start..).unwrap_or_default()).into_iter();
        return matches!((arguments.next(), arguments.next()), (Some(a), Some(b)) if a == b && !a.is_empty());
    }
    // expect(x).toBe(x)
    if let Some(start) = tokens.iter().position(|token| token.is_word("expect")) {
        let rest = tokens.get(start..).unwrap_or_default();
        let value = arguments(rest).into_iter().next().unwrap_or_default();
        let matcher = rest.iter().position(|token| {
            token.text.starts_with("toBe")
                || token.text.starts_with("toEqual")
                || token.text.starts_with("toStrictEqual")
        });
        let wanted = matcher.and_then(|at| arguments(rest.get(at..)?).into_iter().next());
        return !value.is_empty() && wanted == Some(value);
    }
    false
}

fn begins(token: &Token) -> bool {
    token.is_sign("(") || token.is_sign("assert") || token.is_sign(",") || token.is_sign("!")
}

fn ends(token: &Token) -> bool {
    token.is_sign(",") || token.is_sign(")") || token.is_sign(";")
}

/// `x or True`, `x || true`, and a tuple in place of a condition.
fn has_a_way_out(tokens: &[Token]) -> bool {
    let pairs = tokens.iter().zip(tokens.iter().skip(1));
    let is_true = |token: &Token| matches!(token.text.as_str(), "true" | "True" | "1");
    let is_or = |token: &Token| token.is_sign("||") || token.is_sign("or");
    let mut pairs = pairs.map(|(a, b)| is_or(a) && is_true(b) || is_true(a) && is_or(b));
    let python = tokens.first().is_some_and(|token| token.is_sign("assert"))
        && tokens.get(1).is_some_and(|token| token.is_sign("("))
        && tokens.last().is_some_and(|token| token.is_sign(")"))
        && arguments(tokens).len() > 1
        && spans_all(tokens.get(1..).unwrap_or_default());
    pairs.any(|found| found) || python
}

/// True when the first bracket closes with the last token.
fn spans_all(tokens: &[Token]) -> bool {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate() {
        match token.text.as_str() {
            "(" => depth += 1,
            ")" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return at + 1 == tokens.len();
        }
    }
    false
}

/// The arguments of the first call in these tokens.
fn arguments(tokens: &[Token]) -> Vec<Vec<&Token>> {
    let mut found: Vec<Vec<&Token>> = vec![Vec::new()];
    let mut depth = 0_usize;
    for token in tokens {
        let text = if token.kind == TokenKind::Sign {
            token.text.as_str()
        } else {
            ""
        };
        match text {
            "(" | "[" | "{" => {
                depth += 1;
                if depth == 1 {
                    continue;
                }
            }
            ")" | "]" | "}" => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    break;
                }
            }
            "," if depth == 1 => {
                found.push(Vec::new());
                continue;
            }
            _ => {}
        }
        if depth > 0
            && let Some(last) = found.last_mut()
        {
            last.push(token);
        }
    }
    found
}

/// True for a statement that ends the process or skips the rest of the test.
pub(super) fn leaves(tokens: &[Token]) -> bool {
    skip_call(tokens).is_some()
}

/// The call with which a test is skipped or its process ended.
pub(super) fn skip_call(tokens: &[Token]) -> Option<String> {
    const CALLS: [(&str, &str); 22] = [
        ("pytest", "skip"),
        ("pytest", "xfail"),
        ("pytest", "importorskip"),
        ("pytest", "exit"),
        ("self", "skipTest"),
        ("unittest", "SkipTest"),
        ("t", "skip"),
        ("t", "todo"),
        ("this", "skip"),
        ("ctx", "skip"),
        ("context", "skip"),
        ("test", "skip"),
        ("process", "exit"),
        ("process", "abort"),
        ("process", "reallyExit"),
        ("sys", "exit"),
        ("os", "_exit"),
        ("os", "abort"),
        ("libc", "_exit"),
        ("libc", "exit"),
        ("Deno", "exit"),
        ("mem", "forget"),
    ];
    let alone = ["SkipTest", "skipTest", "quit", "_exit"];
    tokens.iter().enumerate().find_map(|(at, token)| {
        let text = token.text.as_str();
        let owner = at.checked_sub(2).and_then(|at| tokens.get(at));
        let of = owner.map_or("", |owner| owner.text.as_str());
        let is_call = CALLS.contains(&(of, text)) || alone.contains(&text);
        (token.kind == TokenKind::Word && is_call).then(|| format!("it calls `{text}`"))
    })
}

/// How far off values may be, in the order of the tokens.
pub(super) fn tolerances(tokens: &[Token]) -> Vec<Tolerance> {
    let number = |at: usize| {
        let token = tokens
            .get(at)
            .filter(|token| token.kind == TokenKind::Number);
        token.and_then(|token| parse(&token.text))
    };
    let measures = tokens
        .iter()
        .any(|token| matches!(token.text.as_str(), "abs" | "fabs"));
    let mut found = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let text = token.text.as_str();
        let is_named = tokens
            .get(at + 1)
            .is_some_and(|next| next.is_sign("=") || next.is_sign(":"));
        if token.kind == TokenKind::Word && is_named {
            if WIDTHS.contains(&text) {
                found.extend(number(at + 2).map(Tolerance::Width));
            } else if PLACES.contains(&text) {
                found.extend(number(at + 2).map(Tolerance::Places));
            }
        }
        if measures && (token.is_sign("<") || token.is_sign("<=")) {
            found.extend(number(at + 1).map(Tolerance::Width));
        }
        let last = || {
            let rest = tokens.get(at..).unwrap_or_default();
            let all = arguments(rest);
            let [_, second, ..] = all.as_slice() else {
                return None;
            };
            second.last().and_then(|token| parse(&token.text))
        };
        match text {
            "toBeCloseTo" => found.extend(last().map(Tolerance::Places)),
            "closeTo" | "approximately" => found.extend(last().map(Tolerance::Width)),
            _ => {}
        }
    }
    found
}

fn parse(text: &str) -> Option<f64> {
    let plain = text.replace('_', "");
    let plain = plain.trim_end_matches("f64").trim_end_matches("f32");
    plain.parse().ok()
}
