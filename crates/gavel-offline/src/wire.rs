//! What the rules are asked, recognised by the names on the wire, and what they say.
//!
//! Stateless: the task, its data, earlier calls and their results are all there is to know.

mod asks;
mod audit;
mod change;
mod clarity;
mod code;
mod contract;
mod conversation;
mod council;
mod discovery;
mod edits;
mod fix;
mod judge;
mod loop_brief;
mod loop_critique;
mod loop_ideation;
mod loop_review;
mod loop_turn;
mod loop_words;
mod owner;
mod project;
mod research;
mod spec;
mod stack;

use gavel_models::{Request, ToolCall};

use self::conversation::{Conversation, Halt};

/// What the rules say: words or calls.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Said {
    pub(crate) text: String,
    pub(crate) calls: Vec<ToolCall>,
}

/// A request that the rules have no answer to.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Unanswered {
    /// Ask for something that the rules know.
    #[error("no rule knows a request for {0}")]
    Unknown(String),
    /// Change what is asked.
    #[error("{0}")]
    Beyond(String),
}

/// What a person's words begin with, among those that are said to a model.
const PERSON: &str = "A person says";
const NOT_HEARD: &str = "\nA person spoke meanwhile: these rules follow the contracts alone and \
    changed nothing because of it.";

/// Answers a request. The same request always gets the same answer.
pub(crate) fn answer(request: &Request) -> Result<Said, Unanswered> {
    let talk = Conversation::read(request);
    if let Some(answer) = &request.answer {
        return shaped(&talk, &answer.name);
    }
    if !talk.may_call() {
        return Ok(words("Noted by rules: whatever is needed is read again."));
    }
    let worked = if talk.offers("submit_contract") {
        contract::write(&talk)
    } else if talk.first_line("Change").is_some() {
        change::change(&talk)
    } else if talk.first_line(research::LABEL).is_some() {
        Ok(research::report())
    } else if talk.first_line("Phase").is_none() {
        let names = project::joined(request.tools.iter().map(|tool| &tool.name), ", ");
        let what = format!(
            "a task without `Contract:`, `Change:`, `Research:` or `Phase:`, with the tools {names}"
        );
        return Err(Unanswered::Unknown(what));
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
        Ok(text) if talk.later_words().any(|text| text.starts_with(PERSON)) => {
            words(text + NOT_HEARD)
        }
        Ok(text) => words(text),
        Err(Halt::Call(calls)) => Said {
            calls: talk.calls(calls),
            ..Said::default()
        },
        Err(Halt::Cannot(why)) => words(format!("Cannot: {why}.")),
    })
}

fn shaped(talk: &Conversation<'_>, shape: &str) -> Result<Said, Unanswered> {
    let unknown = || Unanswered::Unknown(format!("the answer shape `{shape}`"));
    let answer = match shape {
        "clarity" => clarity::judge(talk),
        "discovery" => discovery::discover(talk),
        "discovery_votes" | "discovery_synthesis" => discovery::vote(talk),
        "council_plan" => council::plan(talk),
        "council_research_need" => Ok(research::need()),
        "council_opening" => council::opening(talk),
        "council_turn" => council::turn(talk),
        "council_evaluation" => council::evaluation(talk),
        "council_summary" => council::summary(talk),
        "council_synthesis" => council::synthesis(talk),
        "council_verdict" => council::verdict(talk),
        "spec" => spec::specify(talk),
        "phase_plan" => code::plan(talk),
        "judge" => judge::judge(talk),
        "owner" => owner::owner(talk),
        "customer" => owner::customer(talk),
        _ => loop_turn::take(talk, shape).ok_or_else(unknown)?,
    };
    match answer {
        Ok(answer) => Ok(words(answer.to_string())),
        Err(Halt::Cannot(why)) => Err(Unanswered::Beyond(why)),
        Err(Halt::Call(_)) => Err(unknown()),
    }
}

fn words(text: impl Into<String>) -> Said {
    Said {
        text: text.into(),
        calls: Vec::new(),
    }
}
