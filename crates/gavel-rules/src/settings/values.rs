//! Reading values: each by the kind of its key.

use gavel_domain::MicroUsd;
use serde_json::Value;

use super::keys::{Kind, KnownKey};
use crate::Destination;

/// Reads a value by the kind of its key, or says what would fit.
pub(super) fn read(key: &KnownKey, given: &Value) -> Result<Value, String> {
    let text = match given {
        Value::String(text) => text.trim().to_owned(),
        Value::Number(number) => number.to_string(),
        Value::Bool(_) | Value::Null | Value::Array(_) | Value::Object(_) => String::new(),
    };
    let lifted = text == "none";
    let count = text.parse::<u64>().ok();
    match key.kind {
        Kind::Dollars | Kind::OptionalCount | Kind::Model | Kind::Models if lifted => {
            Ok(Value::Null)
        }
        Kind::Dollars => MicroUsd::parse_dollars(&text)
            .map(|usd| Value::String(usd.to_decimal()))
            .ok_or_else(|| "dollars such as 2.5, or none".to_owned()),
        Kind::OptionalCount => count
            .map(Value::from)
            .ok_or_else(|| "a whole number, or none".to_owned()),
        Kind::Count { min, max } => count
            .filter(|count| (min..=max).contains(count))
            .map(Value::from)
            .ok_or_else(|| format!("a whole number from {min} to {max}")),
        Kind::Share { min, max } => share(&text)
            .filter(|share| (min..=max).contains(share))
            .map(|share| Value::String(shown(share)))
            .ok_or_else(|| format!("a share from {} to {}", shown(min), shown(max))),
        Kind::Word(words) => words
            .iter()
            .find(|word| **word == text)
            .map(|word| Value::from(*word))
            .ok_or_else(|| format!("one of {}", words.join(", "))),
        Kind::Model if names_a_model(&text) => Ok(Value::String(text)),
        Kind::Model => Err("a model such as anthropic/claude-sonnet-4-5, or offline".to_owned()),
        Kind::Models => list(given, names_a_model)
            .ok_or_else(|| "a list of models such as anthropic/claude-sonnet-4-5".to_owned()),
        Kind::Paths => list(given, is_path_in_project)
            .ok_or_else(|| "a list of paths from the project's root such as .env".to_owned()),
        Kind::SealKeys => list(given, looks_like_a_seal_key)
            .ok_or_else(|| "a list of public keys such as ed25519:AAAA…".to_owned()),
        Kind::Remotes if lifted || text == "ask" => Ok(Value::String(text)),
        Kind::Remotes => list(given, looks_like_a_remote).ok_or_else(|| {
            "ask, none, or a list of addresses such as https://example.org/x.git or \
             /srv/git/x.git, without user and password for https"
                .to_owned()
        }),
        Kind::Hosts => list(given, |text| Destination::parse(text, 443).is_some())
            .ok_or_else(|| "a list of hosts such as git.example.org or mirror:8081".to_owned()),
    }
}

/// True for an address that may be one of a remote and carries no password.
fn looks_like_a_remote(text: &str) -> bool {
    let plain = text.chars().all(|c| !c.is_whitespace() && !c.is_control());
    let authority = |rest: &str| rest.split('/').next().unwrap_or_default().to_owned();
    let holds_secret = match text.split_once("://") {
        Some(("ssh", rest)) => authority(rest)
            .split_once('@')
            .is_some_and(|(user, _)| user.contains(':')),
        Some((_, rest)) => authority(rest).contains('@'),
        None => false,
    };
    plain && !text.starts_with('-') && text.contains(['/', ':']) && !holds_secret
}

/// True for `offline` and for `provider/model`.
fn names_a_model(text: &str) -> bool {
    let plain = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_graphic());
    match text.split_once('/') {
        Some((provider, model)) => plain(provider) && plain(model),
        None => text == "offline",
    }
}

/// True for a path that begins at the root of a project and stays in it.
fn is_path_in_project(text: &str) -> bool {
    let plain = |part: &str| !part.is_empty() && part != "." && part != "..";
    text.split('/').all(plain) && !text.chars().any(char::is_control)
}

/// True for `ed25519:` and the base64 of 32 bytes.
fn looks_like_a_seal_key(text: &str) -> bool {
    let letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/');
    let digits = text.strip_prefix("ed25519:");
    let digits = digits.and_then(|digits| digits.strip_suffix('='));
    digits.is_some_and(|digits| digits.len() == 43 && digits.chars().all(letter))
}

/// Reads a list of texts; an empty list is a list.
fn list(given: &Value, fits: impl Fn(&str) -> bool) -> Option<Value> {
    let names: Vec<&str> = match given {
        Value::Array(items) => items.iter().map(Value::as_str).collect::<Option<_>>()?,
        Value::String(text) if text.trim().is_empty() => Vec::new(),
        Value::String(text) => text.split(',').map(str::trim).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => return None,
    };
    let all = names.iter().all(|name| fits(name));
    all.then(|| Value::from(names))
}

/// A share such as `0.9`, in thousandths.
pub(crate) fn share(text: &str) -> Option<u32> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || whole.len() > 3 || part.len() > 3 || !digits(whole) || !digits(part) {
        return None;
    }
    let part: u32 = format!("{part:0<3}").parse().ok()?;
    Some(whole.parse::<u32>().ok()? * 1000 + part)
}

/// Thousandths as people write them.
fn shown(share: u32) -> String {
    let text = format!("{}.{:03}", share / 1000, share % 1000);
    let text = text.trim_end_matches('0').trim_end_matches('.');
    text.to_owned()
}
