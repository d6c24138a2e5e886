use gavel_domain::{Billed, StopReason, TokenUsage};
use proptest::prelude::*;

use super::*;
use crate::CallErrorKind;

const KEY: &str = "sk-test-4f/9Kq+Zr=\"81_xW0";

fn known(values: &[&str]) -> KnownSecrets {
    let values: Vec<_> = values
        .iter()
        .map(|value| SecretString::from(*value))
        .collect();
    KnownSecrets::new(&values)
}

/// Base64 as a library would write it, from the definition.
fn base64(bytes: &[u8], letters: &[u8; 64], pad: bool) -> String {
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let number = (0..3).fold(0_usize, |sum, at| {
            sum * 256 + usize::from(chunk.get(at).copied().unwrap_or(0))
        });
        for (place, shift) in [18, 12, 6, 0].into_iter().enumerate() {
            if place <= chunk.len() {
                text.push(char::from(letters[(number >> shift) & 63]));
            } else if pad {
                text.push('=');
            }
        }
    }
    text
}

const STANDARD: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const FOR_ADDRESSES: &[u8; 64] =
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// The spellings of a value that somebody may meet, each with what is left when it is taken out.
fn spellings(value: &str) -> Vec<String> {
    let bytes = value.as_bytes();
    let every = |form: fn(u8) -> String| bytes.iter().map(|byte| form(*byte)).collect::<String>();
    let some = |byte: &u8| match byte.is_ascii_alphanumeric() {
        true => char::from(*byte).to_string(),
        false => format!("%{byte:02x}"),
    };
    let json = serde_json::to_string(value).unwrap();
    let mut all = vec![
        value.to_owned(),
        json.strip_prefix('"')
            .and_then(|json| json.strip_suffix('"'))
            .unwrap()
            .to_owned(),
        bytes.iter().map(some).collect(),
        every(|byte| format!("%{byte:02X}")),
        every(|byte| format!("\\u00{byte:02x}")),
        every(|byte| format!("{byte:02x}")),
        every(|byte| format!("{byte:02X}")),
        every(|byte| match byte % 2 {
            0 => char::from(byte).to_string(),
            _ => format!("%{byte:02X}"),
        }),
    ];
    for before in ["", "x", "xy"] {
        for after in ["", "z", "zz"] {
            let beside = format!("{before}{value}{after}");
            for letters in [STANDARD, FOR_ADDRESSES] {
                all.push(base64(beside.as_bytes(), letters, true));
                all.push(base64(beside.as_bytes(), letters, false));
            }
        }
    }
    all
}

/// What of a spelling must be gone: base64 shares its outer letters with what stands beside it.
fn core(spelling: &str) -> &str {
    let trimmed = spelling.trim_end_matches('=');
    trimmed.get(3..trimmed.len() - 3).unwrap_or(trimmed)
}

#[test]
fn every_form_of_a_key_is_taken_out() {
    let secrets = known(&[KEY]);
    for spelling in spellings(KEY) {
        let text = format!("your key is {spelling}, keep it");
        let clean = secrets.scrub(&text);
        assert!(!clean.contains(core(&spelling)), "{spelling} in {clean}");
        assert!(clean.starts_with("your key is "), "{clean}");
        assert!(clean.contains("***"), "{clean}");
        assert!(clean.ends_with(", keep it"), "{clean}");
        assert_eq!(secrets.scrub(&clean), clean);
    }
    assert_eq!(secrets.scrub(&format!("<{KEY}>{KEY}")), "<***>***");
}

#[test]
fn keys_that_overlap_or_begin_alike_leave_nothing() {
    let secrets = known(&["abcdefghijkl", "abcdefghijklmnop", "klmnopqrstuv"]);
    for (text, clean) in [
        ("-abcdefghijkl-", "-***-"),
        ("-abcdefghijklmnop-", "-***-"),
        ("-abcdefghijklmnopqrstuv-", "-***-"),
        ("abcdefghijk", "abcdefghijk"),
    ] {
        assert_eq!(secrets.scrub(text), clean, "{text}");
        assert_eq!(in_pieces(&secrets, text, 1), clean, "{text}");
    }
}

#[test]
fn ordinary_text_and_short_values_stay() {
    let secrets = known(&[KEY, "ollama", "  EMPTY  ", ""]);
    for text in [
        "",
        "ollama EMPTY sk-test-4f/9 100% \\ \\u00 %4 end",
        "```rust\nlet a = \"\\u{73}\";\n```",
        "{ \"a\" : 1.50, \"b\":[ ] }",
        "sk-test-4f/9Kq+Zr",
    ] {
        assert_eq!(secrets.scrub(text), text);
        let reply = reply(text, text);
        assert_eq!(secrets.scrub_reply(reply.clone()), reply);
    }
}

fn reply(text: &str, arguments: &str) -> Reply {
    Reply {
        text: text.to_owned(),
        tool_calls: vec![ToolCall {
            id: "call_1".to_owned(),
            name: "write_file".to_owned(),
            arguments: arguments.to_owned(),
        }],
        stop: StopReason::ToolUse,
        usage: TokenUsage::default(),
    }
}

#[test]
fn documents_stay_documents() {
    let secrets = known(&["sk-test-123456", "123456789012345"]);
    let escaped = r#"{"path":"a","text":"\u0073k\u002dtest-12\u0033456","n":123456789012345}"#;
    let clean = secrets.scrub_reply(reply("[\"sk-test-123456\"]", escaped));
    assert_eq!(clean.text, r#"["***"]"#);
    let value: serde_json::Value = serde_json::from_str(&clean.tool_calls[0].arguments).unwrap();
    assert_eq!(
        value,
        serde_json::json!({"path": "a", "text": "***", "n": "***"})
    );
    let twice = r#"{"path":"sk-test-123456","path":"b"}"#;
    let clean = secrets.scrub_reply(reply("x", twice));
    assert_eq!(clean.tool_calls[0].arguments, r#"{"path":"b"}"#);
    let named = secrets.scrub_reply(reply("x", r#"{"sk-test-123456":{"a":["sk-test-123456"]}}"#));
    assert_eq!(named.tool_calls[0].arguments, r#"{"***":{"a":["***"]}}"#);
}

#[test]
fn a_message_that_was_cut_within_a_key_shows_nothing_of_it() {
    let secrets = known(&[KEY]);
    let error =
        |message: &str| CallError::new(CallErrorKind::Unauthorized, Billed::Unknown, message);
    for (message, clean) in [
        ("bad key sk-test-4f/9Kq", "bad key ***"),
        ("bad key sk-t", "bad key sk-t"),
        ("no key", "no key"),
    ] {
        assert_eq!(secrets.scrub_error(error(message)), error(clean));
    }
    assert_eq!(
        secrets.scrub_error(error(&format!("x {KEY}"))),
        error("x ***")
    );
}

fn in_pieces(secrets: &KnownSecrets, text: &str, size: usize) -> String {
    let mut filter = secrets.follow();
    let letters: Vec<char> = text.chars().collect();
    let mut shown = String::new();
    for piece in letters.chunks(size) {
        shown += &filter.push(&piece.iter().collect::<String>());
    }
    shown + &filter.finish()
}

#[test]
fn what_cannot_become_a_key_is_shown_at_once() {
    let secrets = known(&[KEY]);
    let mut filter = secrets.follow();
    assert_eq!(filter.push("Hello, wor"), "Hello, wor");
    assert_eq!(filter.push("ld: sk-t"), "ld: ");
    assert_eq!(filter.push("op"), "sk-top");
    let (beginning, rest) = KEY.split_at(9);
    assert_eq!(filter.push(beginning), "");
    assert_eq!(filter.push(rest), "***");
    assert_eq!(filter.finish(), "");
}

proptest! {
    #[test]
    fn no_form_of_a_key_survives_any_chunking(
        value in "[ -~]{0,4}[!-~]{12,40}",
        before in "[a-zA-Z0-9+/=%\\\\ é]{0,20}",
        after in "[a-zA-Z0-9+/=%\\\\ é]{0,20}",
        which in 0_usize..44,
        size in 1_usize..30,
    ) {
        let value = value.trim();
        prop_assume!(value.len() >= 12);
        let secrets = known(&[value]);
        let spelling = &spellings(value)[which];
        let text = format!("{before}{spelling}{after}");
        let whole = secrets.scrub(&text);
        prop_assert!(!whole.contains(core(spelling)), "{spelling} in {whole}");
        prop_assert_eq!(in_pieces(&secrets, &text, size), whole);
    }

    #[test]
    fn text_without_a_key_is_unchanged(text in "(?s).{0,200}", size in 1_usize..30) {
        let secrets = known(&[KEY]);
        prop_assert_eq!(&secrets.scrub(&text), &text);
        prop_assert_eq!(in_pieces(&secrets, &text, size), text);
    }
}
