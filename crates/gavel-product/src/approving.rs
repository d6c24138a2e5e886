//! A person's word on the spec: what the card tells, and what is meant by an answer.

use gavel_domain::{
    AnswerShape, AnswerValue, Assumption, Audience, Confidence, Criterion, OnTimeout, Purpose,
    QuestionCard, Scope, Spec,
};
use gavel_rules::{may_decide, sanitize_line};
use gavel_run::{Question, Run};

use crate::way::Leave;

/// The longest wish for a change.
const MOST_BYTES: u32 = 4_000;
/// How many lines of one kind a card has.
const LINES: usize = 12;

/// What a person says to a spec.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Agreed {
    /// Build it.
    Yes,
    /// Build it with this change.
    Change(String),
    /// Do not build it; why, where they said so.
    Stop(String),
}

/// What was said to a spec, and by whom.
#[derive(Debug)]
pub(crate) struct Agreement {
    pub(crate) said: Agreed,
    /// True for somebody who may decide, who saw the card.
    pub(crate) by_person: bool,
}

/// Asks whether to build this: `agreed` below the scope.
pub(crate) async fn agree(
    run: &Run,
    scope: &Scope,
    (spec, assumed): (&Spec, &[Assumption]),
    note: &str,
) -> Result<Agreement, Leave> {
    let card = QuestionCard::with_options(
        "Build this? Agree, or say in your own words what to change.".to_owned(),
        Some(format!("{note}{}", told(spec, assumed))),
        &[("agree", "build it"), ("stop", "stop here")],
    );
    let question = Question {
        purpose: Purpose::Approval,
        card,
        shape: AnswerShape::ChoiceOrText {
            options: vec!["agree".to_owned(), "stop".to_owned()],
            max_bytes: MOST_BYTES,
        },
        recommended: Some("agree".to_owned()),
        audience: Audience::Person,
        deadline: None,
        on_timeout: OnTimeout::Wait,
    };
    let answer = run.ask(scope.key("agreed")?, question).await?;
    let by_person = may_decide(answer.value.by);
    let said = match answer.value.value {
        AnswerValue::Text { text } => meant(run.text(text).await?),
        AnswerValue::Option { id } if id == "agree" => Agreed::Yes,
        AnswerValue::Option { .. } | AnswerValue::Limit { .. } => Agreed::Stop(String::new()),
        AnswerValue::Decide => Agreed::Yes,
    };
    Ok(Agreement { said, by_person })
}

/// The spec as a card tells it; guesses are left out, the ledger has them.
fn told(spec: &Spec, assumed: &[Assumption]) -> String {
    let rests_on: Vec<String> = assumed
        .iter()
        .filter(|one| match one.confidence {
            Confidence::High | Confidence::Medium => true,
            Confidence::Low => false,
        })
        .map(|one| one.claim.clone())
        .collect();
    let mut parts = vec![format!("{}: {}", spec.title, spec.purpose)];
    for (title, items) in [
        ("It will", &spec.in_scope),
        ("It will not", &spec.out_of_scope),
        ("It may later", &spec.later),
        ("It takes for granted", &rests_on),
    ] {
        if !items.is_empty() {
            let lines = items.iter().take(LINES).map(|item| format!("- {item}"));
            parts.push(format!(
                "{title}:\n{}",
                lines.collect::<Vec<_>>().join("\n")
            ));
        }
    }
    if !spec.stack.is_empty() {
        parts.push(format!("Written with: {}", spec.stack));
    }
    let criteria = match spec.criteria.len() {
        1 => "1 criterion".to_owned(),
        number => format!("{number} criteria"),
    };
    parts.push(format!("{criteria} will be tested:{}", sentences(spec)));
    parts.join("\n\n")
}

/// Every criterion as a sentence, the heaviest first; what each weighs only where that differs.
fn sentences(spec: &Spec) -> String {
    let mut criteria: Vec<(u32, &Criterion)> = spec
        .criteria
        .iter()
        .map(|criterion| (spec.weight(&criterion.id), criterion))
        .collect();
    criteria.sort_by_key(|(weight, _)| std::cmp::Reverse(*weight));
    let heaviest = criteria.first().map(|(weight, _)| *weight);
    let lightest = criteria.last().map(|(weight, _)| *weight);
    let differ = heaviest != lightest;
    let line = |(weight, criterion): (u32, &Criterion)| {
        let sentence = match criterion.statement.trim() {
            "" => criterion.id.replace('_', " "),
            statement => sanitize_line(statement),
        };
        if differ {
            format!("\n- {sentence} (weighs {weight})")
        } else {
            format!("\n- {sentence}")
        }
    };
    criteria.into_iter().map(line).collect()
}

/// People who are asked whether to build say yes or no, whatever the options are called.
fn meant(words: String) -> Agreed {
    let plain = words.trim().trim_end_matches(['.', '!']).to_lowercase();
    match plain.as_str() {
        "y" | "yes" | "yes please" | "ok" | "okay" | "agree" | "agreed" | "build" | "build it"
        | "go" | "go on" | "fine" | "good" | "looks good" | "sure" => return Agreed::Yes,
        "n" | "no" | "stop" | "quit" | "cancel" => return Agreed::Stop(String::new()),
        _ => {}
    }
    match stopped(words.trim()) {
        Some(reason) => Agreed::Stop(reason),
        None => Agreed::Change(words),
    }
}

/// The reason that follows a stop: `stop: too dear`, `cancel because it is late`.
fn stopped(words: &str) -> Option<String> {
    let end = words.find(|c: char| !c.is_alphabetic())?;
    let (first, rest) = words.split_at_checked(end)?;
    if !["stop", "quit", "cancel"].contains(&first.to_lowercase().as_str()) {
        return None;
    }
    let rest = rest.trim_start();
    // "stop-words are left out" is a wish, and so is "stop words are left out".
    let reason = [":", ",", ";", ".", "- ", "– ", "— "]
        .into_iter()
        .find_map(|mark| rest.strip_prefix(mark))
        .or_else(|| rest.starts_with("because ").then_some(rest))?;
    Some(reason.trim().to_owned())
}

#[cfg(test)]
#[path = "approving_tests.rs"]
mod tests;
