//! What the rules are asked, recognised by the names on the wire, and what they say.
//!
//! Stateless: the task, its data, earlier calls and their results are all there is to know.

mod audit;
mod code;
mod contract;
mod conversation;
mod council;
mod discovery;
mod fix;
mod project;
mod spec;

use gavel_models::{Request, ToolCall};
use serde_json::Value;

use self::conversation::{Conversation, Halt};

/// What the rules say: words, calls, or both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Said {
    pub(crate) text: String,
    pub(crate) calls: Vec<ToolCall>,
}

/// A request that the rules have no answer to.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Unanswered {
    /// Ask for something that the rules know.
    #[error("no rule knows this request: {0}")]
    Unknown(String),
    /// Change what is asked.
    #[error("{0}")]
    Beyond(String),
}

/// Answers a request. The same request always gets the same answer.
pub(crate) fn answer(request: &Request) -> Result<Said, Unanswered> {
    let talk = Conversation::read(request);
    if let Some((shape, by_tool)) = talk.shape() {
        return shaped(&talk, shape, by_tool);
    }
    if !talk.may_call() {
        return Ok(words(code::summary(&talk)));
    }
    let worked = if talk.offers("submit_contract") {
        contract::write(&talk)
    } else if talk.first_line("Phase").is_none() {
        let tools: Vec<&str> = request
            .tools
            .iter()
            .map(|tool| tool.name.as_str())
            .collect();
        let tools = tools.join(", ");
        return Err(Unanswered::Unknown(format!(
            "it has no answer shape, no `Phase:` and no contract to submit; its tools: {tools}"
        )));
    } else if talk.offers("submit_audit") {
        audit::audit(&talk)
    } else if talk.has("findings") {
        fix::fix(&talk)
    } else if talk.offers("write_file") {
        code::code(&talk)
    } else {
        code::scout(&talk)
    };
    Ok(match worked {
        Ok(text) => words(format!("{text}{}", code::heard(&talk))),
        Err(Halt::Call(calls)) => Said {
            text: String::new(),
            calls: talk.calls(calls),
        },
        Err(Halt::Cannot(why)) => words(format!("Cannot: {why}.")),
    })
}

fn shaped(talk: &Conversation<'_>, shape: &str, by_tool: bool) -> Result<Said, Unanswered> {
    let answer = match shape {
        "discovery" => discovery::discover(talk),
        "council_draft" => council::draft(talk),
        "council_reply" => council::reply(talk),
        "council_synthesis" => council::synthesis(talk),
        "spec" => spec::specify(talk),
        "phase_plan" => code::plan(talk),
        other => return Err(Unanswered::Unknown(format!("answer shape `{other}`"))),
    };
    let answer: Value = answer.map_err(|halt| match halt {
        Halt::Cannot(why) => Unanswered::Beyond(why),
        Halt::Call(_) => Unanswered::Unknown(format!("`{shape}` with tools")),
    })?;
    Ok(if by_tool {
        talk.answer_by_tool(shape, &answer)
    } else {
        words(answer.to_string())
    })
}

const fn words(text: String) -> Said {
    Said {
        text,
        calls: Vec::new(),
    }
}
