//! The card at the end of a run: which lessons project memory keeps.

use std::collections::BTreeSet;

use gavel_domain::{
    AnswerShape, AnswerValue, Audience, OnTimeout, Purpose, QuestionCard, RunId, Scope,
};
use gavel_run::Question;

use super::find::Lesson;
use crate::way::{Leave, Way};
use gavel_rules::sanitize_line;

pub(super) const ALL: &str = "all";
pub(super) const LATER: &str = "later";
pub(super) const NONE: &str = "none";
/// What the keys of the card begin with, in its scope.
pub(super) const CARD: &str = "keep";
/// Long enough for a list of numbers.
const MOST_BYTES: u32 = 200;

/// Asks until the answer says something about the lessons.
pub(super) async fn offer(way: Way<'_>, scope: &Scope, lessons: &[Lesson]) -> Result<(), Leave> {
    let run = way.run;
    let mut number = 1;
    loop {
        let question = question(run.id(), lessons, number);
        let key = scope.scope(CARD, number)?.key("card")?;
        let answer = run.ask(key, question).await?;
        let AnswerValue::Text { text } = answer.value.value else {
            return Ok(());
        };
        if !numbers(&run.text(text).await?, lessons.len()).is_empty() {
            return Ok(());
        }
        number += 1;
    }
}

fn question(run: RunId, lessons: &[Lesson], asked: u32) -> Question {
    let lines = lessons.iter().enumerate().map(|(place, lesson)| {
        let line = sanitize_line(&lesson.text);
        format!("{}. {}: {line}", place + 1, lesson.kind)
    });
    let mut why: Vec<String> = lines.collect();
    if asked > 1 {
        why.push("That named none of them. Name them by their numbers.".to_owned());
    }
    why.push(format!(
        "What is kept is told to later runs of this project. To keep only some, say which: keep 1. \
         Undecided ones wait: gavel memory accept {}",
        run.short()
    ));
    let text = match lessons.len() {
        1 => "This run learned something. Keep it in the project's memory?".to_owned(),
        many => format!("This run learned {many} things. Keep them in the project's memory?"),
    };
    let card = QuestionCard::with_options(
        text,
        Some(why.join("\n")),
        &[
            (ALL, "keep all"),
            (LATER, "decide later"),
            (NONE, "keep none"),
        ],
    );
    Question {
        purpose: Purpose::Choice,
        card,
        shape: AnswerShape::ChoiceOrText {
            options: [ALL, LATER, NONE].map(str::to_owned).to_vec(),
            max_bytes: MOST_BYTES,
        },
        // `--yes` vouches for nothing: what nobody looked at stays a proposal.
        recommended: Some(LATER.to_owned()),
        audience: Audience::Person,
        deadline: None,
        on_timeout: OnTimeout::Wait,
    }
}

/// The lessons that a text names by their numbers, counted from one.
pub(super) fn numbers(text: &str, count: usize) -> BTreeSet<usize> {
    text.split(|c: char| !c.is_ascii_digit())
        .filter_map(|word| word.parse().ok())
        .filter(|number| (1..=count).contains(number))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lessons_are_named_by_numbers_that_are_there() {
        let named = |text: &str| numbers(text, 3).into_iter().collect::<Vec<_>>();
        assert_eq!(named("keep 1 and 3"), [1, 3]);
        assert_eq!(named("2,2; 3"), [2, 3]);
        assert_eq!(named("0 4 99999999999999999999999"), [0; 0]);
        assert_eq!(named("the first"), [0; 0]);
    }
}
