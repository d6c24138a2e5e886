use tokio::io::{AsyncReadExt as _, DuplexStream};

use super::*;

type Ours = Frames<tokio::io::ReadHalf<DuplexStream>, tokio::io::WriteHalf<DuplexStream>>;

fn frames(most: usize) -> (Ours, DuplexStream) {
    let (ours, theirs) = tokio::io::duplex(64);
    let (input, output) = tokio::io::split(ours);
    (Frames::over(input, output, most), theirs)
}

const PING: &str = r#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#;

/// What a client reads when it sends these bytes and hangs up, and how many messages were in them.
async fn exchanged(most: usize, sent: &[u8]) -> (usize, Vec<Value>) {
    let (mut frames, theirs) = frames(most);
    let (mut reader, mut writer) = tokio::io::split(theirs);
    let writing = async {
        writer.write_all(sent).await.unwrap();
        writer.shutdown().await.unwrap();
    };
    let serving = async {
        let mut messages = 0;
        while frames.receive().await.is_some() {
            messages += 1;
        }
        drop(frames);
        messages
    };
    let mut answers = String::new();
    let ((), messages, read) = tokio::join!(writing, serving, reader.read_to_string(&mut answers));
    read.unwrap();
    let answers = answers
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    (messages, answers.collect())
}

#[tokio::test]
async fn every_line_that_is_no_message_is_answered_once() {
    let deep = "[".repeat(200_000);
    let cases: &[(&[u8], Value, i32)] = &[
        (b"garbage", Value::Null, PARSE_ERROR),
        (b"{\"jsonrpc\":", Value::Null, PARSE_ERROR),
        (b"\xff\xfe\x00", Value::Null, PARSE_ERROR),
        (deep.as_bytes(), Value::Null, PARSE_ERROR),
        (b"[]", Value::Null, INVALID_REQUEST),
        (b"{\"a\":1}", Value::Null, INVALID_REQUEST),
        (b"{\"id\":3,\"method\":5}", json!(3), INVALID_REQUEST),
        (
            b"{\"id\":[],\"method\":\"ping\"}",
            Value::Null,
            INVALID_REQUEST,
        ),
    ];
    for (line, id, code) in cases {
        let sent = [line, b"\n".as_slice(), PING.as_bytes(), b"\r\n\n"].concat();
        let (messages, answers) = exchanged(1 << 20, &sent).await;
        assert_eq!(messages, 1, "{answers:?}");
        assert_eq!(answers.len(), 1, "{answers:?}");
        assert_eq!(answers[0]["id"], *id, "{answers:?}");
        assert!(answers[0].as_object().unwrap().contains_key("id"));
        assert_eq!(answers[0]["error"]["code"], *code, "{answers:?}");
    }
}

#[tokio::test]
async fn what_answers_or_notifies_is_not_answered() {
    let lines: [&[u8]; 4] = [
        b"{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,\"message\":\"no\"}}",
        b"{\"result\":[],\"id\":{}}",
        b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/unheard_of\"}",
        b"   ",
    ];
    for line in lines {
        let (_, answers) = exchanged(1 << 20, &[line, b"\n"].concat()).await;
        assert_eq!(answers, Vec::<Value>::new());
    }
}

#[tokio::test]
async fn a_line_that_is_too_long_is_answered_with_the_limit_and_passed_over() {
    let long = "x".repeat(10_000);
    let sent = format!("{long}\n{PING}\n{long}\n{long}");
    let (messages, answers) = exchanged(PING.len(), sent.as_bytes()).await;
    assert_eq!(messages, 1);
    let limits: Vec<_> = answers
        .iter()
        .map(|answer| &answer["error"]["data"]["limit_bytes"])
        .collect();
    assert_eq!(limits, [PING.len(); 3], "{answers:?}");
    assert_eq!(answers[0]["id"], Value::Null);
    assert_eq!(answers[0]["error"]["code"], INVALID_REQUEST);
}

/// `receive` is given up whenever something is to be sent: nothing is lost by that.
#[tokio::test]
async fn what_was_given_up_goes_on_where_it_was() {
    let (mut frames, mut theirs) = frames(1 << 20);
    let (first, rest) = PING.split_at(10);
    theirs.write_all(first.as_bytes()).await.unwrap();
    assert!(futures_util::poll!(Box::pin(frames.receive())).is_pending());
    theirs
        .write_all(format!("{rest}\nno\n").as_bytes())
        .await
        .unwrap();
    assert!(frames.receive().await.is_some());
    assert!(futures_util::poll!(Box::pin(frames.receive())).is_pending());
    let mut answer = [0; 4096];
    let mut read = theirs.read(&mut answer).await.unwrap();
    while !answer[..read].ends_with(b"\n") {
        assert!(futures_util::poll!(Box::pin(frames.receive())).is_pending());
        read += theirs.read(&mut answer[read..]).await.unwrap();
    }
    let answer: Value = serde_json::from_slice(&answer[..read]).unwrap();
    assert_eq!(answer["error"]["code"], PARSE_ERROR);
}

/// While an answer is on its way the output is taken; `receive` is given up as soon as the next one is
/// ready, and the line that it had read is gone.
#[tokio::test]
async fn a_line_that_is_no_json_is_answered_also_while_another_answer_is_sent() {
    let (mut frames, mut theirs) = frames(1 << 20);
    // Longer than what fits between the two sides, so that it is under way until somebody reads.
    let long = "x".repeat(200);
    let sent: TxJsonRpcMessage<RoleServer> = serde_json::from_value(json!({
        "jsonrpc": "2.0", "id": 7, "error": { "code": -32_601, "message": long }
    }))
    .unwrap();
    let mut sending = Box::pin(frames.send(sent));
    assert!(futures_util::poll!(&mut sending).is_pending());
    theirs.write_all(b"no\n").await.unwrap();
    assert!(futures_util::poll!(Box::pin(frames.receive())).is_pending());
    theirs.write_all(b"nor this\n").await.unwrap();
    assert!(futures_util::poll!(Box::pin(frames.receive())).is_pending());
    theirs.shutdown().await.unwrap();

    let serving = async {
        sending.await.unwrap();
        assert!(frames.receive().await.is_none());
        drop(frames);
    };
    let mut answers = String::new();
    let ((), read) = tokio::join!(serving, theirs.read_to_string(&mut answers));
    read.unwrap();
    let codes: Vec<i64> = answers
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .map(|answer| answer["error"]["code"].as_i64().unwrap())
        .collect();
    assert_eq!(codes, [-32_601, -32_700, -32_700]);
}
