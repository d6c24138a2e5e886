//! The last card before a debate: the brief, and a person's word on it.

use gavel_domain::{
    AnswerShape, AnswerValue, Audience, ClarifiedMatter, OnTimeout, Purpose, QuestionCard,
};
use gavel_rules::may_decide;
use gavel_run::{Question, RunError};

use super::brief::WrittenBy;
use super::question::MOST_BYTES;
use super::sitting::Sitting;

const TEXT: &str =
    "Shall the council debate this? Approve it, or say in your own words what is wrong with it.";
const OPTIONS: [(&str, &str); 3] = [
    ("approve", "debate this"),
    ("reject", "something is wrong: I will say what"),
    ("withdraw", "do not debate it"),
];
const NOT_RECOMMENDED: &str = "\n\nSomething is still open, so nothing is recommended: approve it \
    all the same, or say what you know.";
const BY_RULES: &str = "No model could put this together. These are your own words, as they stand.";

/// A person's word on the brief.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Preflight {
    Approved {
        by_person: bool,
    },
    /// Not like this; why.
    Rejected(String),
    Withdrawn,
}

/// What words on the card mean.
#[derive(Debug, PartialEq, Eq)]
enum Meant {
    Approve,
    Reject(String),
    Withdraw,
}

impl Sitting<'_> {
    /// Shows the `number`-th brief and waits for a person's word.
    pub(super) async fn preflight(
        &self,
        number: u32,
        (brief, written): (&ClarifiedMatter, &WrittenBy),
    ) -> Result<Preflight, RunError> {
        let recommend = brief.gaps.is_empty() || !self.somebody_is_there();
        let mut why = told(brief, written);
        if !recommend {
            why.push_str(NOT_RECOMMENDED);
        }
        let question = Question {
            // Nothing is sealed on this word: Enter may take what is recommended.
            purpose: Purpose::Choice,
            card: QuestionCard::with_options(TEXT.to_owned(), Some(why), &OPTIONS),
            shape: AnswerShape::ChoiceOrText {
                options: OPTIONS.iter().map(|(id, _)| (*id).to_owned()).collect(),
                max_bytes: MOST_BYTES,
            },
            recommended: recommend.then(|| "approve".to_owned()),
            audience: Audience::Person,
            deadline: None,
            on_timeout: OnTimeout::Wait,
        };
        let key = self.scope.key(&format!("clarify/preflight-{number}"))?;
        let answered = self.run.ask(key, question).await?.value;
        let by_person = may_decide(answered.by) && !answered.assumed;
        let meant = match answered.value {
            AnswerValue::Text { text } => read(&self.run.text(text).await?),
            AnswerValue::Option { id } => match id.as_str() {
                "approve" => Meant::Approve,
                "reject" => Meant::Reject(String::new()),
                _ => Meant::Withdraw,
            },
            // Nobody can leave an approval to Gavel.
            AnswerValue::Decide | AnswerValue::Limit { .. } => Meant::Withdraw,
        };
        Ok(match meant {
            Meant::Approve => Preflight::Approved { by_person },
            Meant::Withdraw => Preflight::Withdrawn,
            Meant::Reject(reason) if reason.is_empty() => {
                Preflight::Rejected(self.reason(number).await?)
            }
            Meant::Reject(reason) => Preflight::Rejected(reason),
        })
    }

    /// True when somebody can close a gap. Under `--yes` nobody does, and a card without a
    /// recommendation would wait for ever.
    fn somebody_is_there(&self) -> bool {
        let asked = !self.settled.is_empty() || !self.refused.is_empty();
        asked && !self.settled.iter().any(|one| one.assumed)
    }

    /// Asks why, where somebody only said no.
    async fn reason(&self, number: u32) -> Result<String, RunError> {
        let why = "Gavel asks and writes again with what you say.".to_owned();
        let text = "What is wrong with it?".to_owned();
        let question = Question {
            purpose: Purpose::Choice,
            card: QuestionCard::with_options(text, Some(why), &[]),
            shape: AnswerShape::Text {
                max_bytes: MOST_BYTES,
            },
            recommended: None,
            audience: Audience::Person,
            deadline: None,
            on_timeout: OnTimeout::Wait,
        };
        let key = self
            .scope
            .key(&format!("clarify/preflight-{number}/reason"))?;
        let answered = self.run.ask(key, question).await?.value;
        Ok(match answered.value {
            AnswerValue::Text { text } => self.run.text(text).await?.trim().to_owned(),
            AnswerValue::Option { .. } | AnswerValue::Limit { .. } | AnswerValue::Decide => {
                "It is not what was meant.".to_owned()
            }
        })
    }
}

/// The brief as a card tells it.
fn told(brief: &ClarifiedMatter, written: &WrittenBy) -> String {
    let mut parts = Vec::new();
    match written {
        WrittenBy::Model => {}
        WrittenBy::Rules(_) => parts.push(BY_RULES.to_owned()),
    }
    parts.push(brief.problem.clone());
    parts.extend(section("Must hold", &brief.constraints));
    parts.extend(section("It is answered when", &brief.criteria));
    if !brief.scope.is_empty() {
        parts.push(format!("What belongs to it: {}", brief.scope));
    }
    let guessed = brief.answers.iter().filter(|answer| !answer.by_person);
    let guessed: Vec<String> = guessed
        .map(|answer| format!("{} {}", answer.question, answer.answer))
        .collect();
    parts.extend(section("Not answered by you, so taken as", &guessed));
    parts.extend(section("Still open", &brief.gaps));
    parts.join("\n\n")
}

fn section(title: &str, lines: &[String]) -> Option<String> {
    let lines: Vec<String> = lines.iter().map(|line| format!("- {line}")).collect();
    (!lines.is_empty()).then(|| format!("{title}:\n{}", lines.join("\n")))
}

/// People who are asked whether to go on say yes or no, whatever the options are called.
fn read(words: &str) -> Meant {
    let words = words.trim();
    let plain = words.trim_end_matches(['.', '!']).to_lowercase();
    match plain.as_str() {
        "y" | "yes" | "yes please" | "ok" | "okay" | "approve" | "approved" | "agree"
        | "agreed" | "go" | "go on" | "go ahead" | "fine" | "good" | "looks good" | "sure"
        | "debate this" => Meant::Approve,
        "withdraw" | "stop" | "quit" | "cancel" | "abort" => Meant::Withdraw,
        "n" | "no" | "reject" | "rejected" | "wrong" => Meant::Reject(String::new()),
        _ => {
            let reason = words
                .get(.."reject:".len())
                .filter(|head| head.eq_ignore_ascii_case("reject:"));
            let rest = reason.and_then(|head| words.get(head.len()..));
            Meant::Reject(rest.unwrap_or(words).trim().to_owned())
        }
    }
}

#[cfg(test)]
#[path = "preflight_tests.rs"]
mod tests;
