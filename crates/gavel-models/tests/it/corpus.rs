//! Streams recorded from servers that others wrote, played back byte by byte. Recorded with `curl -N`;
//! only the path of the model file was replaced.

use gavel_domain::{StopReason, Tokens};
use gavel_models::{BadReply, Reply, Request, ToolChoice, Wire};
use gavel_testkit::{FakeReply, fake_server};

use crate::ask::{bad, client, outcome, question, structured};

async fn played(
    wire: Wire,
    recorded: &'static [u8],
    request: Request,
) -> Result<Reply, gavel_models::CallError> {
    let server = fake_server()
        .reply(FakeReply::raw(recorded).byte_by_byte())
        .start();
    let end = outcome(&*client(wire, &server), request).await;
    server.finish();
    end
}

#[tokio::test]
async fn llama_cpp_over_chat_completions() {
    let recorded = include_bytes!("recorded/llamacpp-openai-text.sse");
    let reply = played(Wire::OpenAi, recorded, question("hello"))
        .await
        .unwrap();
    assert!(reply.text.starts_with("L'Étoile"), "{}", reply.text);
    assert_eq!(reply.stop, StopReason::MaxTokens);
    assert_eq!(
        (reply.usage.input, reply.usage.output),
        (Tokens(37), Tokens(24))
    );
}

#[tokio::test]
async fn llama_cpp_over_messages() {
    let recorded = include_bytes!("recorded/llamacpp-anthropic-text.sse");
    let reply = played(Wire::Anthropic, recorded, question("hello"))
        .await
        .unwrap();
    assert!(reply.text.starts_with("L'Étoile"), "{}", reply.text);
    assert_eq!(
        (reply.usage.input, reply.usage.cache_read),
        (Tokens(1), Tokens(36))
    );
}

#[tokio::test]
async fn llama_cpp_answers_by_grammar() {
    let recorded = include_bytes!("recorded/llamacpp-openai-schema.sse");
    let reply = played(Wire::OpenAi, recorded, structured("judge"))
        .await
        .unwrap();
    assert_eq!(reply.text, "{\n  \"score\": 10,\n  \"why\": \"fine\"\n}");
}

#[tokio::test]
async fn llama_cpp_ignores_tools_that_the_template_does_not_know() {
    let recorded = include_bytes!("recorded/llamacpp-openai-tools-ignored.sse");
    let demanded = Request {
        tool_choice: ToolChoice::Required,
        ..question("hello")
    };
    let error = played(Wire::OpenAi, recorded, demanded)
        .await
        .expect_err("words");
    assert_eq!(error.kind, bad(BadReply::NoToolCall));
}

#[tokio::test]
async fn llama_cpp_calls_tools_over_both_wires() {
    for (wire, recorded) in [
        (
            Wire::OpenAi,
            &include_bytes!("recorded/llamacpp-openai-tool.sse")[..],
        ),
        (
            Wire::Anthropic,
            &include_bytes!("recorded/llamacpp-anthropic-tool.sse")[..],
        ),
    ] {
        let reply = played(wire, recorded, question("hello")).await.unwrap();
        assert_eq!(reply.stop, StopReason::ToolUse, "{wire:?}");
        let [call] = &reply.tool_calls[..] else {
            panic!("{reply:?}");
        };
        assert_eq!(call.name, "read_file");
        assert_eq!(call.arguments, "{\n    \"path\": \"notes.txt\"\n  }");
        let input = reply.usage.input + reply.usage.cache_read;
        assert_eq!((input, reply.usage.output), (Tokens(167), Tokens(30)));
    }
}
