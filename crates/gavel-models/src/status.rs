//! What a status that is no success means for the caller.

use std::time::Duration;

use gavel_domain::Billed;
use jiff::Timestamp;
use reqwest::StatusCode;
use reqwest::header::{DATE, HeaderMap, RETRY_AFTER};
use serde_json::Value;

use crate::{CallError, CallErrorKind};

/// The longest wait taken seriously: a provider that asks for more is asked again after it.
const MAX_WAIT: Duration = Duration::from_secs(24 * 60 * 60);

/// The error that a status, its headers and its body mean; the body holds no key any more.
pub(crate) fn error_of(status: StatusCode, headers: &HeaderMap, body: &str) -> CallError {
    let after = retry_after(headers);
    let said = message_in(body);
    let kind = match status.as_u16() {
        // An empty account is no matter of waiting: a person must act, as with a wrong key.
        401..=403 => CallErrorKind::Unauthorized,
        400 if said.to_lowercase().contains("api key not valid") => CallErrorKind::Unauthorized,
        429 if body.contains("insufficient_quota") => CallErrorKind::Unauthorized,
        429 => CallErrorKind::RateLimited { after },
        413 => CallErrorKind::ContextTooLong,
        400 | 422 if speaks_of_length(&said) => CallErrorKind::ContextTooLong,
        400 | 404 | 422 if speaks_of_no_model(&said, body) => CallErrorKind::UnknownModel,
        // Nobody but a wrong address answers that a request for a reply was not found, or not allowed.
        404 | 405 => CallErrorKind::WrongAddress,
        408 => CallErrorKind::Network,
        500 if speaks_of_length(&said) => CallErrorKind::ContextTooLong,
        503 | 529 => CallErrorKind::Overloaded { after },
        500..=599 => CallErrorKind::Overloaded { after },
        _ => CallErrorKind::Refused,
    };
    let billed = if status.is_client_error() || status.is_redirection() {
        Billed::No
    } else {
        Billed::Unknown
    };
    let message = format!("{} {said}", status.as_u16());
    CallError::new(kind, billed, message.trim_end())
}

/// The error that an `error` object inside a stream means. The stream had begun, so it may be billed.
pub(crate) fn error_in_stream(error: &Value) -> CallError {
    let word = |name: &str| error.get(name).and_then(Value::as_str).unwrap_or_default();
    let code = error.get("code").and_then(Value::as_u64).unwrap_or(0);
    let said = message_in(&error.to_string());
    let about = format!("{} {}", word("type"), word("code"));
    let kind = if about.contains("overloaded") || matches!(code, 502 | 503 | 529) {
        CallErrorKind::Overloaded { after: None }
    } else if about.contains("rate_limit") || code == 429 {
        CallErrorKind::RateLimited { after: None }
    } else if about.contains("authentication")
        || about.contains("permission")
        || matches!(code, 401..=403)
    {
        CallErrorKind::Unauthorized
    } else if speaks_of_length(&said) || speaks_of_length(&about) {
        CallErrorKind::ContextTooLong
    } else if about.contains("invalid_request") || code == 400 {
        CallErrorKind::Refused
    } else {
        CallErrorKind::Overloaded { after: None }
    };
    CallError::new(kind, Billed::Unknown, &said)
}

/// How long the provider asks to wait: seconds, milliseconds or a date.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    let wait = text("retry-after-ms")
        .and_then(|ms| ms.parse::<f64>().ok())
        .map(|ms| ms / 1000.0)
        .or_else(|| seconds(text(RETRY_AFTER.as_str())?, text(DATE.as_str())))?;
    Some(Duration::try_from_secs_f64(wait).ok()?.min(MAX_WAIT))
}

fn seconds(value: &str, date: Option<&str>) -> Option<f64> {
    if let Ok(seconds) = value.parse::<f64>() {
        return Some(seconds);
    }
    let due = http_date(value)?;
    // The server's own clock wrote the date; ours is only asked when it did not say the time.
    let now = date.and_then(http_date).unwrap_or_else(Timestamp::now);
    Some(due.duration_since(now).as_secs_f64().max(0.0))
}

fn http_date(text: &str) -> Option<Timestamp> {
    jiff::fmt::rfc2822::parse(text)
        .ok()
        .map(|date| date.timestamp())
}

/// What the server says in words: `error.message`, `message`, or the body as it is.
fn message_in(body: &str) -> String {
    let json: Option<Value> = serde_json::from_str(body).ok();
    json.as_ref()
        .and_then(|json| {
            // Google wraps its errors in a list.
            let paths = [
                "/error/message",
                "/0/error/message",
                "/message",
                "/error",
                "/detail",
            ];
            paths
                .iter()
                .find_map(|path| json.pointer(path).and_then(Value::as_str))
        })
        .map_or_else(|| body.trim().to_owned(), str::to_owned)
}

fn speaks_of_length(said: &str) -> bool {
    let said = said.to_lowercase();
    [
        "context length",
        "context window",
        "context size",
        "context_length",
        "exceed_context",
        "maximum context",
        "prompt is too long",
        "input is too long",
        "too many tokens",
        "request_too_large",
        "input token count",
    ]
    .iter()
    .any(|words| said.contains(words))
}

/// True when the server says that it has no model of that name. Each says it in words of its own.
fn speaks_of_no_model(said: &str, body: &str) -> bool {
    if body.contains("model_not_found") {
        return true;
    }
    let said = said.to_lowercase();
    let names_it = said.contains("model");
    names_it
        && [
            "not found",
            "does not exist",
            "not exist",
            "no such model",
            "invalid model",
            "unknown model",
            "not a valid model",
        ]
        .iter()
        .any(|words| said.contains(words))
        // Anthropic says no more than the name: `model: claude-…`.
        || body.contains("not_found_error") && said.starts_with("model")
}

#[cfg(test)]
#[path = "status_tests.rs"]
mod tests;
