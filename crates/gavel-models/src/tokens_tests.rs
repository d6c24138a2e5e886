use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::{AnswerSchema, Deadlines, Limits, Message, MessageRole, ModelId, ToolChoice, ToolSpec};

fn info(model: &str) -> ModelInfo {
    ModelInfo::unlisted(model.parse::<ModelId>().unwrap())
}

fn request(messages: Vec<Message>) -> Request {
    Request {
        model: "openai/gpt-4o".parse().unwrap(),
        messages,
        tools: Vec::new(),
        tool_choice: ToolChoice::Auto,
        answer: None,
        limits: Limits {
            max_output: Tokens(100),
            deadlines: Deadlines::default(),
        },
    }
}

/// A message of any kind, with text of any kind.
fn message() -> impl Strategy<Value = Message> {
    ("[ -~]{0,60}|\\PC{0,40}|[ \n\t]{0,40}", 0..4_u8).prop_map(|(text, kind)| {
        let part = match kind {
            0 | 1 => Part::Text { text },
            2 => Part::ToolResult {
                id: "call_1".to_owned(),
                ok: true,
                text,
            },
            _ => Part::ToolCall {
                id: "call_1".to_owned(),
                name: "read_file".to_owned(),
                arguments: json!({ "path": text }).to_string(),
            },
        };
        let role = match &part {
            Part::ToolCall { .. } => MessageRole::Assistant,
            Part::Text { .. } | Part::ToolResult { .. } => MessageRole::User,
        };
        Message {
            role,
            parts: vec![part],
            cache_here: false,
        }
    })
}

/// What the model would read without the special marks, with the tools as JSON in front.
fn rendered(request: &Request) -> String {
    let mut text = String::new();
    for tool in &request.tools {
        text.push_str(&format!(
            "{} {} {}\n",
            tool.name, tool.description, tool.schema
        ));
    }
    for message in &request.messages {
        text.push_str(&format!("{:?}\n", message.role).to_lowercase());
        for part in &message.parts {
            match part {
                Part::Text { text: words } => text.push_str(words),
                Part::ToolResult {
                    id, text: words, ..
                } => text.push_str(&format!("{id} {words}")),
                Part::ToolCall {
                    id,
                    name,
                    arguments,
                } => {
                    text.push_str(&format!("{id} {name} {arguments}"));
                }
            }
        }
        text.push('\n');
    }
    text
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_ceiling_is_at_least_what_a_tokenizer_counts(
        messages in proptest::collection::vec(message(), 1..6),
        tools in 0..3_usize,
    ) {
        let mut request = request(messages);
        request.tools = (0..tools)
            .map(|n| ToolSpec {
                name: format!("tool_{n}"),
                description: "Reads a file of the work tree.".to_owned(),
                schema: json!({"type": "object", "properties": {"path": {"type": "string"}}}),
            })
            .collect();
        // Each message is framed by three marks, the reply is primed by three more.
        let marks = 3 * request.messages.len() as u64 + 3;
        for model in ["openai/gpt-4o", "openai/gpt-4"] {
            let tokenizer = info(model).tokenizer;
            let counted = tokenizer.count(&rendered(&request)).unwrap() + Tokens(marks);
            let exact = input_ceiling(&request, &info(model), None);
            prop_assert!(exact >= counted, "{exact} < {counted}");
            let bytes = input_ceiling(&request, &info("local/llama"), None);
            prop_assert!(bytes >= counted, "{bytes} < {counted}");
        }
    }
}

#[test]
fn the_exact_count_is_close() {
    let text = "The quick brown fox jumps over the lazy dog. ".repeat(200);
    let request = request(vec![Message::text(MessageRole::User, text.clone())]);
    let counted = Tokenizer::O200k.count(&text).unwrap();
    let ceiling = input_ceiling(&request, &info("openai/gpt-4o"), None);
    assert!(ceiling.0 <= counted.0 + 100, "{ceiling} {counted}");
    let bytes = input_ceiling(&request, &info("anthropic/claude-haiku-4-5"), None);
    assert!(bytes.0 >= text.len() as u64);
}

#[test]
fn a_count_of_the_provider_gets_its_slack() {
    let request = request(vec![
        Message::text(MessageRole::System, "a"),
        Message::text(MessageRole::User, "b"),
    ]);
    let info = info("anthropic/claude-haiku-4-5");
    assert_eq!(
        input_ceiling(&request, &info, Some(Tokens(1000))),
        Tokens(1000 + 20 + 128)
    );
    assert_eq!(
        input_ceiling(&request, &info, Some(Tokens(1))),
        Tokens(1 + 1 + 128)
    );
}

#[test]
fn tools_and_schemas_count() {
    let plain = request(vec![Message::text(MessageRole::User, "hi")]);
    let mut answered = plain.clone();
    answered.answer = Some(AnswerSchema {
        order: crate::FieldOrder::default(),
        name: "verdict".to_owned(),
        schema: json!({"type": "object", "properties": {"score": {"type": "integer"}}}),
    });
    for model in ["openai/gpt-4o", "local/llama"] {
        let of = |request| input_ceiling(request, &info(model), None);
        assert!(of(&answered).0 > of(&plain).0 + TOOL_PREAMBLE, "{model}");
    }
}

#[test]
fn only_published_vocabularies_are_exact() {
    for (model, tokenizer) in [
        ("openai/gpt-4o-mini", Tokenizer::O200k),
        ("openai/gpt-5", Tokenizer::O200k),
        ("openai/o3", Tokenizer::O200k),
        ("openrouter/openai/gpt-4.1", Tokenizer::O200k),
        ("openai/gpt-4-turbo", Tokenizer::Cl100k),
        ("openai/gpt-oss-20b", Tokenizer::Unknown),
        ("openai/gpt-6-sol", Tokenizer::Unknown),
        ("openai/gpt-5.6", Tokenizer::Unknown),
        ("groq/openai/gpt-oss-120b", Tokenizer::Unknown),
        ("anthropic/claude-haiku-4-5", Tokenizer::Unknown),
    ] {
        assert_eq!(Tokenizer::of(&model.parse().unwrap()), tokenizer, "{model}");
    }
}
