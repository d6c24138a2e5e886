//! What project memory may keep of a debate: a proposal, with what the judge said of it.

use gavel_deliberation::Held;
use gavel_domain::{LessonProposed, Stage, SynthesisOutcome};

use super::Room;
use super::after::Debated;
use crate::way::{Leave, keep};

/// The longest proposal, in characters.
const LONGEST: usize = 600;

/// Proposes the outcome to project memory; nothing without a project, or where nothing was drawn
/// together. What rules alone say is never proposed: it would be evidence for itself.
pub(super) async fn propose(room: Room<'_>, debated: Debated<'_>) -> Result<(), Leave> {
    let Room { run, brief, .. } = room;
    let Debated {
        number,
        question,
        held,
    } = debated;
    let told = match held.synthesis {
        SynthesisOutcome::Made | SynthesisOutcome::MadeCompact => text(question, held),
        SynthesisOutcome::Failed => None,
    };
    let Some(text) = told.filter(|_| brief.checkout.is_some()) else {
        return Ok(());
    };
    let text = clipped(&room.context.scrub(&text));
    let closed = run.scope("council", number)?.key("closed")?.outcome();
    let key = run.scope("lessons", 1)?.key("lesson-1")?;
    keep(run, key, &text, &text, |name| LessonProposed {
        kind: "decision".to_owned(),
        text: name,
        stage: Some(Stage::Council),
        rests_on: Some(closed.clone()),
    })
    .await?;
    Ok(())
}

/// What was decided, how much it can be relied on, and what the judge said; nothing where nothing
/// was decided.
fn text(topic: &str, held: &Held) -> Option<String> {
    let votes = held.outcome.decisions.iter();
    let decided: Vec<String> = votes
        .filter_map(|vote| {
            let place = usize::try_from(vote.option?).ok()?;
            Some(format!("{} {}.", vote.question, vote.options.get(place)?))
        })
        .collect();
    let recommended = held.outcome.recommendation.trim();
    if decided.is_empty() && recommended.is_empty() {
        return None;
    }
    let judged = match held.verdict.confidence {
        Some(sure) => format!("judged {sure} %"),
        None => "not judged".to_owned(),
    };
    let person = if held.verdict.needs_person {
        ", NEEDS HUMAN REVIEW"
    } else {
        ""
    };
    // One voice is no council, whatever its evidence is worth.
    let alone = match held.spoke.as_slice() {
        [model] => format!("ONE VOICE, {model}; "),
        [] | [..] => String::new(),
    };
    let badge = held.badge.word();
    let topic = topic.split_whitespace().collect::<Vec<_>>().join(" ");
    let topic: String = topic.chars().take(160).collect();
    let says: Vec<String> = decided
        .into_iter()
        .chain([recommended.to_owned()])
        .collect();
    Some(format!(
        "Council on \"{topic}\" ({alone}evidence {badge}, {judged}{person}): {}",
        says.join(" ").trim()
    ))
}

fn clipped(text: &str) -> String {
    let mut clipped: String = text.chars().take(LONGEST).collect();
    if clipped.len() < text.len() {
        clipped.push('…');
    }
    clipped
}
