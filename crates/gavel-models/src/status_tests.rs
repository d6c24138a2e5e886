use reqwest::header::HeaderValue;

use super::*;

fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
    pairs
        .iter()
        .map(|(name, value)| ((*name).parse().unwrap(), HeaderValue::from_static(value)))
        .collect()
}

fn kind_of(status: u16, body: &str) -> (CallErrorKind, Billed) {
    let status = StatusCode::from_u16(status).unwrap();
    let error = error_of(status, &HeaderMap::new(), body);
    (error.kind, error.billed)
}

#[test]
fn statuses_become_kinds() {
    let overloaded = || CallErrorKind::Overloaded { after: None };
    let limited = || CallErrorKind::RateLimited { after: None };
    for (status, body, kind, billed) in [
        (
            400,
            "{\"error\":{\"message\":\"no such field\"}}",
            CallErrorKind::Refused,
            Billed::No,
        ),
        (
            400,
            "{\"error\":{\"message\":\"This model's maximum context length is 8192 tokens.\"}}",
            CallErrorKind::ContextTooLong,
            Billed::No,
        ),
        (
            400,
            "{\"type\":\"error\",\"error\":{\"message\":\"prompt is too long: 210000 tokens > 200000\"}}",
            CallErrorKind::ContextTooLong,
            Billed::No,
        ),
        (
            400,
            "[{\"error\":{\"message\":\"API key not valid. Please pass a valid API key.\"}}]",
            CallErrorKind::Unauthorized,
            Billed::No,
        ),
        (401, "", CallErrorKind::Unauthorized, Billed::No),
        (
            402,
            "Insufficient Balance",
            CallErrorKind::Unauthorized,
            Billed::No,
        ),
        (403, "", CallErrorKind::Unauthorized, Billed::No),
        (408, "", CallErrorKind::Network, Billed::No),
        (413, "", CallErrorKind::ContextTooLong, Billed::No),
        (417, "", CallErrorKind::Refused, Billed::No),
        (429, "", limited(), Billed::No),
        (
            429,
            "{\"error\":{\"code\":\"insufficient_quota\"}}",
            CallErrorKind::Unauthorized,
            Billed::No,
        ),
        (301, "", CallErrorKind::Refused, Billed::No),
        (500, "", overloaded(), Billed::Unknown),
        (502, "<html>", overloaded(), Billed::Unknown),
        (503, "", overloaded(), Billed::Unknown),
        (529, "", overloaded(), Billed::Unknown),
    ] {
        assert_eq!(kind_of(status, body), (kind, billed), "{status} {body}");
    }
}

#[test]
fn retry_after_is_seconds_milliseconds_or_a_date() {
    let wait = |pairs: &[_]| retry_after(&headers(pairs));
    assert_eq!(wait(&[("retry-after", "7")]), Some(Duration::from_secs(7)));
    assert_eq!(
        wait(&[("retry-after", "1.5")]),
        Some(Duration::from_millis(1500))
    );
    assert_eq!(
        wait(&[("retry-after", "9"), ("retry-after-ms", "250")]),
        Some(Duration::from_millis(250))
    );
    assert_eq!(
        wait(&[
            ("date", "Sun, 06 Nov 1994 08:49:37 GMT"),
            ("retry-after", "Sun, 06 Nov 1994 08:50:07 GMT"),
        ]),
        Some(Duration::from_secs(30))
    );
    assert_eq!(
        wait(&[("retry-after", "Sun, 06 Nov 1994 08:50:07 GMT")]),
        Some(Duration::ZERO)
    );
    assert_eq!(wait(&[("retry-after", "999999999")]), Some(MAX_WAIT));
    for nonsense in ["", "soon", "-5", "NaN", "inf"] {
        let pairs = [("retry-after", nonsense)];
        assert_eq!(wait(&pairs), None, "{nonsense}");
    }
}

#[test]
fn errors_inside_a_stream_are_typed_and_may_be_billed() {
    use serde_json::json;
    for (error, kind) in [
        (
            json!({"type": "overloaded_error", "message": "Overloaded"}),
            CallErrorKind::Overloaded { after: None },
        ),
        (
            json!({"type": "rate_limit_error", "message": "slow down"}),
            CallErrorKind::RateLimited { after: None },
        ),
        (
            json!({"code": 429, "message": "x"}),
            CallErrorKind::RateLimited { after: None },
        ),
        (
            json!({"type": "authentication_error"}),
            CallErrorKind::Unauthorized,
        ),
        (
            json!({"code": 400, "message": "bad field"}),
            CallErrorKind::Refused,
        ),
        (
            json!({"code": 400, "type": "exceed_context_size_error",
                "message": "the request exceeds the available context size"}),
            CallErrorKind::ContextTooLong,
        ),
        (
            json!({"message": "?"}),
            CallErrorKind::Overloaded { after: None },
        ),
        (
            json!("plain words"),
            CallErrorKind::Overloaded { after: None },
        ),
    ] {
        let found = error_in_stream(&error);
        assert_eq!(
            (found.kind, found.billed),
            (kind, Billed::Unknown),
            "{error}"
        );
    }
}

#[test]
fn the_message_is_what_the_server_said() {
    for (body, said) in [
        ("{\"error\":{\"message\":\"no\"}}", "no"),
        ("{\"message\":\"no\"}", "no"),
        ("{\"error\":\"no\"}", "no"),
        ("no\n", "no"),
        ("{\"x\":1}", "{\"x\":1}"),
    ] {
        assert_eq!(message_in(body), said);
    }
    let long = error_of(
        StatusCode::BAD_REQUEST,
        &HeaderMap::new(),
        &"x".repeat(9999),
    );
    assert_eq!(long.message.len(), 2000);
}

#[test]
fn a_wrong_model_is_no_wrong_address() {
    for (status, body, kind) in [
        (404, "model not found", CallErrorKind::UnknownModel),
        (
            404,
            r#"{"error":{"message":"model \"qwen3:1b\" not found, try pulling it first"}}"#,
            CallErrorKind::UnknownModel,
        ),
        (
            404,
            r#"{"type":"error","error":{"type":"not_found_error","message":"model: claude-9"}}"#,
            CallErrorKind::UnknownModel,
        ),
        (
            400,
            r#"{"error":{"message":"some/thing is not a valid model ID","code":400}}"#,
            CallErrorKind::UnknownModel,
        ),
        (
            404,
            "{\"error\":{\"code\":404,\"message\":\"File Not Found\",\"type\":\"not_found_error\"}}",
            CallErrorKind::WrongAddress,
        ),
        (
            404,
            "<html>404 Not Found</html>",
            CallErrorKind::WrongAddress,
        ),
        (405, "", CallErrorKind::WrongAddress),
    ] {
        assert_eq!(kind_of(status, body), (kind, Billed::No), "{status} {body}");
    }
}
