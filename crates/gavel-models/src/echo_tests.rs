use gavel_domain::Tokens;

use super::*;
use crate::{Deadlines, Limits, Message, ToolChoice};

const TASK: &str = "Write the contract for the login page. Name every field, and give its type.";

fn asked(parts: Vec<Part>) -> Request {
    Request {
        model: "offline".parse().unwrap(),
        messages: vec![
            Message::text(
                MessageRole::System,
                "You are a careful engineer who answers with plain facts only.",
            ),
            Message::text(
                MessageRole::User,
                "Hello there, this is an earlier message of some length.",
            ),
            Message::text(MessageRole::Assistant, "Hello."),
            Message {
                role: MessageRole::User,
                parts,
                cache_here: false,
            },
        ],
        tools: Vec::new(),
        tool_choice: ToolChoice::Auto,
        answer: None,
        limits: Limits {
            max_output: Tokens(100),
            deadlines: Deadlines::default(),
        },
    }
}

fn task() -> Request {
    asked(vec![Part::Text {
        text: TASK.to_owned(),
    }])
}

#[test]
fn the_instruction_itself_is_an_echo() {
    for reply in [
        TASK.to_owned(),
        format!("```\n{TASK}\n```"),
        format!("\"{}\"", TASK.to_uppercase()),
        TASK.replace(' ', "\n  "),
        format!("Sure. {TASK}"),
        TASK.trim_end_matches("its type.").to_owned(),
        "You are a careful engineer who answers with plain facts only.".to_owned(),
    ] {
        assert!(is_echo(&task(), &reply), "{reply:?}");
    }
}

#[test]
fn an_answer_is_none() {
    for reply in [
        "The login page has two fields: email (text) and password (text).".to_owned(),
        "Name every field".to_owned(),
        format!(
            "{TASK}\n\nemail: text, required, at most 254 characters; password: text, required."
        ),
        "Hello there, this is an earlier message of some length.".to_owned(),
        String::new(),
    ] {
        assert!(!is_echo(&task(), &reply), "{reply:?}");
    }
}

#[test]
fn short_instructions_and_tool_results_are_not_judged() {
    let short = asked(vec![Part::Text {
        text: "Say yes".to_owned(),
    }]);
    assert!(!is_echo(&short, "Say yes"));
    let file = "fn main() { println!(\"a file that the model was asked to show\"); }";
    let result = asked(vec![Part::ToolResult {
        id: "call-1".to_owned(),
        ok: true,
        text: file.to_owned(),
    }]);
    assert!(!is_echo(&result, file));
}
