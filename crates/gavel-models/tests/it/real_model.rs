//! Both clients against a real llama.cpp server. Only when asked for: `GAVEL_TEST_WITH=model`, with the
//! server's address in `GAVEL_TEST_MODEL_URL` (`cargo xtask model up` prints it).

use std::time::Duration;

use gavel_domain::{Billed, StopReason, Tokens};
use gavel_models::{
    AnswerMode, Anthropic, CallErrorKind, Deadlines, Endpoint, Http, Limits, MessageRole,
    ModelInfo, Request, Wire, input_ceiling,
};
use gavel_testkit::asked_for;

use crate::ask::{WIRES, client_at, outcome, question, structured};

/// The address of the server without the route, or `None` when nobody asked.
fn server() -> Option<String> {
    if !asked_for("model") {
        return None;
    }
    #[expect(
        clippy::disallowed_methods,
        reason = "the test runner speaks to tests through the environment"
    )]
    let url = std::env::var("GAVEL_TEST_MODEL_URL");
    let url = url.expect("GAVEL_TEST_MODEL_URL holds the server's address");
    Some(url.trim_end_matches('/').trim_end_matches("/v1").to_owned())
}

fn url(wire: Wire, server: &str) -> String {
    match wire {
        Wire::Anthropic => server.to_owned(),
        Wire::OpenAi => format!("{server}/v1"),
    }
}

/// A small model on a busy machine takes its time.
fn patient(request: Request, max_output: u64) -> Request {
    Request {
        limits: Limits {
            max_output: Tokens(max_output),
            deadlines: Deadlines {
                first_byte: Duration::from_secs(240),
                ..Deadlines::default()
            },
        },
        ..request
    }
}

fn plain(text: &str) -> Request {
    Request {
        tools: Vec::new(),
        ..question(text)
    }
}

#[tokio::test]
async fn a_real_model_answers_and_counts_below_the_ceiling() {
    let Some(server) = server() else { return };
    for wire in WIRES {
        let model = client_at(wire, &url(wire, &server), AnswerMode::Native);
        let request = patient(plain("What is the capital of France?"), 24);
        let ceiling = input_ceiling(&request, &ModelInfo::unlisted(request.model.clone()), None);
        let reply = outcome(&*model, request).await.unwrap();
        println!("{wire:?}: {reply:?}; ceiling of the input {ceiling}");
        assert!(reply.usage.output <= Tokens(24));
        let input = reply.usage.input + reply.usage.cache_read + reply.usage.cache_write;
        assert!(input <= ceiling, "{input} > {ceiling}");
        assert!(matches!(
            reply.stop,
            StopReason::End | StopReason::MaxTokens
        ));
    }
}

#[tokio::test]
async fn a_real_server_holds_its_model_to_a_schema() {
    let Some(server) = server() else { return };
    let mut request = patient(structured("Score the word fine from 1 to 10."), 80);
    // Words would let a small model go on for ever; a grammar of choices ends.
    request.answer.as_mut().unwrap().schema["properties"]["why"] =
        serde_json::json!({"type": "string", "enum": ["short", "common"]});
    let model = client_at(
        Wire::OpenAi,
        &url(Wire::OpenAi, &server),
        AnswerMode::Native,
    );
    let reply = outcome(&*model, request.clone()).await.unwrap();
    println!("native over chat completions: {}", reply.text);
    // The other ways only ask: what comes is an answer that fits, or a typed error.
    for wire in WIRES {
        for mode in [AnswerMode::Tool, AnswerMode::Fenced] {
            let model = client_at(wire, &url(wire, &server), mode);
            match outcome(&*model, request.clone()).await {
                Ok(reply) => println!("{mode:?} over {wire:?}: {}", reply.text),
                Err(error) => {
                    println!("{mode:?} over {wire:?}: {error}");
                    assert!(matches!(error.kind, CallErrorKind::BadReply(_)), "{error}");
                }
            }
        }
    }
}

#[tokio::test]
async fn a_real_model_calls_tools_or_the_lack_is_typed() {
    let Some(server) = server() else { return };
    for wire in WIRES {
        let model = client_at(wire, &url(wire, &server), AnswerMode::Native);
        let mut request = patient(question("Read the file notes.txt with read_file."), 80);
        request.tool_choice = gavel_models::ToolChoice::Required;
        match outcome(&*model, request).await {
            Ok(reply) => {
                println!("{wire:?}: {:?}", reply.tool_calls);
                assert!(!reply.tool_calls.is_empty());
            }
            Err(error) => {
                println!("{wire:?}: {error}");
                assert!(matches!(error.kind, CallErrorKind::BadReply(_)), "{error}");
            }
        }
    }
}

#[tokio::test]
async fn a_request_beyond_the_context_is_refused_without_a_bill() {
    let Some(server) = server() else { return };
    for wire in WIRES {
        let model = client_at(wire, &url(wire, &server), AnswerMode::Native);
        let request = patient(plain(&"word ".repeat(40_000)), 8);
        let error = outcome(&*model, request).await.expect_err("too long");
        println!("{wire:?}: {error}");
        assert_eq!(
            (error.kind, error.billed),
            (CallErrorKind::ContextTooLong, Billed::No)
        );
    }
}

#[tokio::test]
async fn a_real_server_counts_what_it_bills() {
    let Some(server) = server() else { return };
    let endpoint = Endpoint::new(&server, None).unwrap();
    let client = Anthropic::new(Http::default().into(), endpoint, AnswerMode::Native);
    let request = patient(plain("What is the capital of Italy?"), 4);
    let counted = client.count_tokens(&request).await.unwrap();
    let reply = outcome(&client, request.clone()).await.unwrap();
    let billed = reply.usage.input + reply.usage.cache_read + reply.usage.cache_write;
    let ceiling = input_ceiling(
        &request,
        &ModelInfo::unlisted(request.model.clone()),
        Some(counted),
    );
    println!("counted {counted}, billed {billed}, ceiling {ceiling}");
    assert!(billed <= ceiling);
    assert_eq!(request.messages[0].role, MessageRole::System);
}

#[tokio::test]
async fn dropping_a_call_frees_the_real_server() {
    use futures_util::StreamExt;
    let Some(server) = server() else { return };
    for wire in WIRES {
        let model = client_at(wire, &url(wire, &server), AnswerMode::Native);
        for _ in 0..2 {
            let endless = patient(plain("Count to one thousand, in words."), 2000);
            let mut stream = model.stream(endless);
            assert!(stream.next().await.unwrap().is_ok());
        }
        // Both slots of the server would be busy for minutes if it had gone on.
        let mut hello = patient(plain("Say hello."), 4);
        hello.limits.deadlines.total = Duration::from_secs(25);
        let reply = outcome(&*model, hello).await.unwrap();
        assert!(reply.usage.output <= Tokens(4));
    }
}
