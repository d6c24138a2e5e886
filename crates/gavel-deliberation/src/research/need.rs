//! Whether something is looked up before a debate: the leader's say, which a person may overrule.

use gavel_agent::{Ask, Asked, Reading, read_answer};
use gavel_domain::{
    AnswerShape, AnswerValue, Audience, OnTimeout, Purpose, QuestionCard, ResearchDecided,
    ResearchSay, Role, Scope, Tokens,
};
use gavel_run::{Question, Run, RunError};
use schemars::JsonSchema;
use serde::Deserialize;

use super::add_matter;
use super::look::{Closely, Look, look};
use crate::task::{Task, list, note};
use crate::{Council, Matter};

const ANSWER: Tokens = Tokens(400);
const TRIES: u32 = 2;
const WORDS: &str = "Say whether something must be looked up before this is debated.";
const RESEARCH: &str = "research";
const SKIP: &str = "skip";
const OPTIONS: [(&str, &str); 2] = [
    (RESEARCH, "look into the project's files and memory first"),
    (SKIP, "go on without"),
];

/// The leader's say.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Need {
    /// One sentence.
    why: String,
    needed: bool,
}

/// A say before anybody overruled it.
struct Say {
    needed: bool,
    by: ResearchSay,
    why: String,
}

/// Whether something is looked up first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LookFirst {
    pub(crate) needed: bool,
    /// True when the project has files.
    pub(crate) has_files: bool,
}

/// Decides whether something is looked up first.
///
/// Where there is nothing to look into, nobody is asked: it is left to the lookup to say so.
pub(crate) async fn research_need(
    run: &Run,
    scope: &Scope,
    council: &Council,
    matter: &Matter<'_>,
) -> Result<LookFirst, RunError> {
    let look = look(
        run,
        scope.key("need/look")?,
        &council.context,
        Closely::Named,
    )
    .await?;
    let decided = if look.files.is_none() && matter.memory.is_empty() {
        ResearchDecided {
            needed: true,
            by: ResearchSay::Rule,
        }
    } else {
        let say = leaders_say(run, scope, council, (matter, &look)).await?;
        if say.needed && say.by == ResearchSay::Leader && may_ask(matter) {
            overruled(run, scope, &say).await?
        } else {
            ResearchDecided {
                needed: say.needed,
                by: say.by,
            }
        }
    };
    let decided = run.decide(scope.key("need/decided")?, decided).await?;
    Ok(LookFirst {
        needed: decided.value.needed,
        has_files: look.files.is_some(),
    })
}

/// True where a person expects questions: not when the topic is taken as it is, and not in a debate
/// that follows another one up.
const fn may_ask(matter: &Matter<'_>) -> bool {
    matter.attended && matter.clarified.is_some() && matter.earlier.is_none()
}

async fn leaders_say(
    run: &Run,
    scope: &Scope,
    council: &Council,
    (matter, look): (&Matter<'_>, &Look),
) -> Result<Say, RunError> {
    let max_input = run.settings().max_input;
    let mut task = Task::new(WORDS, &council.fast, (max_input, ANSWER), &council.context);
    add_matter(&mut task, matter);
    if !matter.memory.is_empty() {
        task.data("memory", &list(matter.memory.iter().map(note)), 30);
    }
    if let Some(files) = &look.files {
        task.data("files", files, 10);
    }
    if let Some(sources) = &look.sources {
        task.data("sources", sources, 5);
    }
    let ask = Ask {
        model: &council.fast,
        role: Role::Leader,
        shape: "council_research_need",
        system: include_str!("../../prompts/research-need.md"),
        task: &task.into_text(),
        max_output: ANSWER,
    };
    let reading = Reading {
        tries: TRIES,
        read: &read_answer,
    };
    let room = scope.scope("need", 1)?;
    let asked = ask.answer_by::<Need>(run, &room, reading);
    match asked.await {
        Ok(Asked::Answered(Need { needed, why })) => Ok(Say {
            needed,
            by: ResearchSay::Leader,
            why: council.context.scrub(why.trim()),
        }),
        // Looking costs little; a debate about what nobody looked at costs more.
        Ok(Asked::Unusable { .. }) | Err(RunError::Failed(_)) => Ok(Say {
            needed: true,
            by: ResearchSay::Rule,
            why: String::new(),
        }),
        Err(error) => Err(error),
    }
}

/// Shows a leader's wish to whoever is there, who may overrule it.
async fn overruled(run: &Run, scope: &Scope, say: &Say) -> Result<ResearchDecided, RunError> {
    let text = "The leader wants to look into the project's files and memory first. \
                Look things up?";
    let why = (!say.why.is_empty()).then(|| format!("The leader says: {}", say.why));
    let question = Question {
        purpose: Purpose::Choice,
        card: QuestionCard::with_options(text.to_owned(), why, &OPTIONS),
        shape: AnswerShape::Choice {
            options: OPTIONS.map(|(id, _)| id.to_owned()).to_vec(),
        },
        recommended: Some(RESEARCH.to_owned()),
        audience: Audience::Any,
        deadline: None,
        on_timeout: OnTimeout::Wait,
    };
    let answer = run.ask(scope.key("need/card")?, question).await?.value;
    let leaders = ResearchDecided {
        needed: say.needed,
        by: say.by,
    };
    Ok(match answer.value {
        AnswerValue::Option { .. } if answer.assumed || answer.timed_out => leaders,
        AnswerValue::Option { id } => ResearchDecided {
            needed: id == RESEARCH,
            by: ResearchSay::Person,
        },
        AnswerValue::Decide | AnswerValue::Text { .. } | AnswerValue::Limit { .. } => leaders,
    })
}
