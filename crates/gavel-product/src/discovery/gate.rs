//! The first card and the last: everything that is recommended, and whether to go on with it.

use gavel_domain::{
    AnswerShape, AnswerSource, AnswerValue, Audience, DiscoveryAnswer, OnTimeout, Purpose,
    QuestionCard,
};
use gavel_rules::{Depth, HaltReason, QUESTIONS, check_answer_value, question};
use gavel_run::Question;

use super::MOST_BYTES;
use super::cards::ends_run;
use super::interview::Interview;
use crate::way::{Leave, halt};

const TAKE_ALL: &str = "take-all";
const ONE_BY_ONE: &str = "one-by-one";
const LOOK: &str = "look";
const STOP: &str = "stop";
/// What somebody is told who may want to change an answer, or to end the run.
const NOT_ENDED: &str = "Nothing was changed: say which answer is to be another one, for example \
    `audience: my team`, or type `abort` to end the run.";

impl Interview<'_> {
    /// Shows what is recommended; returns the questions that a person wants to be asked, `None`
    /// when everything is taken as it is.
    pub(super) async fn overview(&self) -> Result<Option<Vec<&'static str>>, Leave> {
        let ask = &self.plan.ask;
        let recommended =
            |id: &&'static str| self.proposal(id).is_some_and(|one| one.answer.is_some());
        if !ask.iter().all(recommended) {
            // Something has to be said by a person, whatever else is taken.
            return Ok(Some(ask.clone()));
        }
        let (text, look) = self.first_words();
        let mut options = vec![(TAKE_ALL, "take all ten as recommended")];
        if !ask.is_empty() {
            options.push((LOOK, look.as_str()));
        }
        options.push((ONE_BY_ONE, "go through them one by one"));
        options.push((STOP, "stop here"));
        let question = choice(QuestionCard::with_options(
            text,
            Some(self.told(sentence)),
            &options,
        ));
        let run = self.way.run;
        let answer = run.ask(self.scope.key("recommended")?, question).await?;
        match answer.value.value {
            AnswerValue::Option { id } if id == LOOK => Ok(Some(ask.clone())),
            AnswerValue::Option { id } if id == ONE_BY_ONE => {
                Ok(Some(QUESTIONS.iter().map(|one| one.id).collect()))
            }
            AnswerValue::Option { id } if id == STOP => Err(self.aborted().await),
            AnswerValue::Option { .. }
            | AnswerValue::Decide
            | AnswerValue::Text { .. }
            | AnswerValue::Limit { .. } => Ok(None),
        }
    }

    fn first_words(&self) -> (String, String) {
        let count = self.plan.ask.len();
        let look = match count {
            1 => "answer the one that matters most".to_owned(),
            count => format!("answer the {count} that matter most"),
        };
        let text = match self.depth {
            Depth::Trivial => {
                "Ten questions have a recommended answer each. Take them all?".to_owned()
            }
            Depth::Standard | Depth::Complex if count == 0 => {
                "Ten questions have an answer each, and none needs you. Take them all?".to_owned()
            }
            Depth::Standard | Depth::Complex => format!(
                "Ten questions have a recommended answer each; {count} of them matter. Take them all?"
            ),
        };
        (text, look)
    }

    /// After the cards: go on, change something, or be asked more.
    pub(super) async fn last_word(&mut self) -> Result<(), Leave> {
        let run = self.way.run;
        let mut note = String::new();
        for number in 1.. {
            let unasked: Vec<&'static str> = QUESTIONS
                .iter()
                .map(|one| one.id)
                .filter(|id| !self.asked.contains_key(id))
                .collect();
            let question = self.last_card(&note, !unasked.is_empty());
            let key = self.scope.key(&format!("gate-{number}"))?;
            let answer = run.ask(key, question).await?;
            let meant = match answer.value.value {
                AnswerValue::Text { text } => meant(&run.text(text).await?),
                AnswerValue::Option { id } if id == "more" => Meant::More,
                // Cards of earlier versions had it as an option.
                AnswerValue::Option { id } if ends_run(&id) => Meant::Abort,
                AnswerValue::Option { .. } | AnswerValue::Decide | AnswerValue::Limit { .. } => {
                    Meant::Proceed
                }
            };
            note.clear();
            match meant {
                Meant::Proceed => return Ok(()),
                Meant::Abort => return Err(self.aborted().await),
                Meant::More => self.ask_each(&unasked).await?,
                Meant::Change { id, value } => {
                    self.set(id, (value.as_str(), AnswerSource::Person), "");
                    let opened = self.refresh();
                    self.ask_each(&opened).await?;
                }
                Meant::Unclear(told) => note = told,
            }
        }
        Ok(())
    }

    fn last_card(&self, note: &str, more: bool) -> Question {
        let open = self.open_required();
        let open = if open.is_empty() {
            String::new()
        } else {
            format!("Still open, and the work rests on it: {}.", open.join(", "))
        };
        let parts = [note.to_owned(), self.told(line), open];
        let parts = parts.into_iter().filter(|part| !part.is_empty());
        let mut options = vec![("proceed", "go on with these answers")];
        if more {
            options.push(("more", "ask me about the others too"));
        }
        let text = "Go on with these answers? To change one, say it like `audience: my team`. \
                    `abort` ends the run.";
        let why = parts.collect::<Vec<_>>().join("\n\n");
        let card = QuestionCard::with_options(text.to_owned(), Some(why), &options);
        let ids = card.options.iter().map(|one| one.id.clone()).collect();
        Question {
            shape: AnswerShape::ChoiceOrText {
                options: ids,
                max_bytes: MOST_BYTES,
            },
            ..choice(card)
        }
    }

    /// All answers with where they come from, what a person should know, and earlier runs.
    fn told(&self, line: fn(&DiscoveryAnswer) -> String) -> String {
        let lines: Vec<String> = self.answers.iter().map(line).collect();
        let mut parts = vec![lines.join("\n")];
        parts.extend(self.notes.iter().cloned());
        let earlier = self.material.earlier;
        if !earlier.is_empty() {
            let runs: Vec<String> = earlier
                .iter()
                .map(|one| format!("- {}", one.told()))
                .collect();
            parts.push(format!(
                "Earlier runs with a similar idea:\n{}",
                runs.join("\n")
            ));
        }
        parts.join("\n\n")
    }

    async fn aborted(&self) -> Leave {
        let told = "The interview was ended before the answers were taken.";
        halt(self.way.run, HaltReason::InterviewAborted, told).await
    }
}

/// One answer as the first card shows it: nobody has heard of the questions' ids by then.
fn sentence(answer: &DiscoveryAnswer) -> String {
    let asked = question(&answer.question).map_or(answer.question.as_str(), |one| one.text);
    format!("- {asked} {} ({})", answer.answer, from(answer))
}

/// One answer by its id, by which it can be changed.
fn line(answer: &DiscoveryAnswer) -> String {
    format!("{}: {} ({})", answer.question, answer.answer, from(answer))
}

/// Where an answer comes from.
fn from(answer: &DiscoveryAnswer) -> String {
    let why = &answer.why;
    match answer.source {
        AnswerSource::Recommended => why.clone(),
        AnswerSource::Council => format!("a council recommends it: {why}"),
        AnswerSource::Person if why.is_empty() => "you said so".to_owned(),
        AnswerSource::Person => format!("you said so; {why}"),
        AnswerSource::Repository | AnswerSource::Idea | AnswerSource::NotNeeded => {
            format!("not asked: {why}")
        }
        AnswerSource::Open => why.clone(),
    }
}

fn choice(card: QuestionCard) -> Question {
    let options: Vec<String> = card.options.iter().map(|one| one.id.clone()).collect();
    Question {
        purpose: Purpose::Choice,
        recommended: options.first().cloned(),
        card,
        shape: AnswerShape::Choice { options },
        audience: Audience::Any,
        deadline: None,
        on_timeout: OnTimeout::Wait,
    }
}

/// What words on the last card mean.
#[derive(Debug, PartialEq, Eq)]
enum Meant {
    Proceed,
    More,
    Abort,
    Change { id: &'static str, value: String },
    Unclear(String),
}

/// People who are asked whether to go on say yes or no, or name a question and its answer.
fn meant(words: &str) -> Meant {
    let plain = words.trim().trim_end_matches(['.', '!']).to_lowercase();
    match plain.as_str() {
        "y" | "yes" | "ok" | "okay" | "go" | "go on" | "fine" | "good" | "sure" | "proceed" => {
            return Meant::Proceed;
        }
        "n" | "no" | "stop" | "quit" | "cancel" => return Meant::Unclear(NOT_ENDED.to_owned()),
        _ if ends_run(words) => return Meant::Abort,
        "more" | "ask more" => return Meant::More,
        _ => {}
    }
    let ids = || QUESTIONS.map(|one| one.id).join(", ");
    let Some((field, value)) = words.split_once([':', '=']) else {
        return Meant::Unclear(format!(
            "Nothing was changed: say which answer, for example `audience: my team`. The names are {}.",
            ids()
        ));
    };
    let field = field
        .trim()
        .trim_matches('`')
        .to_lowercase()
        .replace(' ', "-");
    let mut named = QUESTIONS
        .iter()
        .filter(|one| !field.is_empty() && one.id.starts_with(&field));
    let (Some(one), None) = (named.next(), named.next()) else {
        return Meant::Unclear(format!(
            "Nothing was changed: `{field}` is none of {}.",
            ids()
        ));
    };
    let value = value.trim();
    match check_answer_value(one.id, value) {
        Ok(_) => Meant::Change {
            id: one.id,
            value: value.to_owned(),
        },
        Err(problem) => Meant::Unclear(format!("Nothing was changed: {problem}.")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_on_the_last_card_are_read() {
        for (words, meaning) in [
            ("Yes!", Meant::Proceed),
            ("ok", Meant::Proceed),
            (" Abort ", Meant::Abort),
            ("ask more", Meant::More),
        ] {
            assert_eq!(meant(words), meaning, "{words}");
        }
        let change = |id, value: &str| Meant::Change {
            id,
            value: value.to_owned(),
        };
        assert_eq!(
            meant("db-strategy: SQLite"),
            change("db-strategy", "SQLite")
        );
        assert_eq!(
            meant("DB strategy = one file"),
            change("db-strategy", "one file")
        );
        assert_eq!(
            meant("audience: me: alone"),
            change("audience", "me: alone")
        );
        assert_eq!(
            meant("product: a script"),
            change("product-type", "a script")
        );
    }

    #[test]
    fn words_that_change_nothing_say_why() {
        for (words, told) in [
            ("make it blue", "say which answer"),
            ("no", "type `abort`"),
            ("Stop.", "type `abort`"),
            ("colour: blue", "`colour` is none of"),
            ("backend: rust", "`backend` is none of"),
            (": rust", "is none of"),
            ("db-strategy: somewhere", "sqlite"),
            ("audience:  ", "empty"),
        ] {
            let Meant::Unclear(note) = meant(words) else {
                panic!("{words}");
            };
            assert!(
                note.contains(told) && note.starts_with("Nothing was changed"),
                "{note}"
            );
        }
    }
}
