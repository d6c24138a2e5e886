//! A clarification under way: what was said so far, and what models are asked about it.

use gavel_agent::{Ask, Asked, Reading, read_answer};
use gavel_domain::{ClarifiedMatter, ClarifyAnswer, Role, Scope, Tokens};
use gavel_models::ModelInfo;
use gavel_rules::may_decide;
use gavel_run::{Run, RunError};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::json;

use super::ClarifyAsk;
use super::brief::{Refused, WrittenBy, by_rules, from_answer};
use super::shapes::{
    Discussion, Proposed, ProposedOption, Questions, Readiness, check_discussion, check_matter,
    check_questions, check_readiness, plain,
};
use crate::Council;
use crate::chamber::{TRIES, or_silent};
use crate::task::{Task, list, note};

const QUESTIONS: &str = include_str!("../../prompts/clarify-questions.md");
const READINESS: &str = include_str!("../../prompts/clarify-readiness.md");
const MATTER: &str = include_str!("../../prompts/clarify-matter.md");
const DISCUSSION: &str = include_str!("../../prompts/clarify-discussion.md");

const NOBODY: &str = "Nobody can be asked: list what is open under `gaps` and leave it open.";
const PERSON: &str = "A person in charge said this meanwhile; take it into account:";
const OTHERS: &str = "Others said this meanwhile; weigh it, it binds nobody:";

/// How many questions a round has.
const MOST_QUESTIONS: usize = 2;
/// Whoever is less sure than this that everything is known does not say that it is.
const SURE: u32 = 50;
const UNSURE: &str = "Whether enough is known to debate it: the model that read it was not sure.";
const UNKNOWN: &str = "What else is open: no model could say.";
/// The hundredths of what people said meanwhile.
const SAID: usize = 4;

/// A clarification under way.
#[derive(Debug)]
pub(super) struct Sitting<'a> {
    pub(super) run: &'a Run,
    pub(super) scope: &'a Scope,
    pub(super) council: &'a Council,
    pub(super) ask: &'a ClarifyAsk<'a>,
    pub(super) settled: Vec<Settled>,
    /// How often somebody was to say what to ask, those times included when there was nothing.
    sought: u32,
    /// How many rounds of questions were held.
    pub(super) rounds: u32,
    /// What is open, as the last judge of it said.
    pub(super) gaps: Vec<String>,
    pub(super) refused: Vec<Refused>,
    /// What people said meanwhile, and whether they are in charge.
    said: Vec<(bool, String)>,
}

/// A question that was put and settled.
#[derive(Debug, Clone)]
pub(super) struct Settled {
    pub(super) question: String,
    pub(super) answer: String,
    pub(super) by_person: bool,
    /// True when nobody was there to be asked.
    pub(super) assumed: bool,
    /// What the person wanted to know first.
    pub(super) asked_back: Vec<String>,
}

/// A talk about a question: what the person said, what was answered.
#[derive(Debug, Clone)]
pub(super) struct Talk {
    pub(super) person: String,
    pub(super) leader: String,
}

/// A question to a model.
struct Wanted<'w> {
    model: &'w ModelInfo,
    role: Role,
    shape: &'static str,
    system: &'static str,
    max_output: Tokens,
}

impl<'a> Sitting<'a> {
    pub(super) const fn new(
        run: &'a Run,
        scope: &'a Scope,
        (council, ask): (&'a Council, &'a ClarifyAsk<'a>),
    ) -> Self {
        Self {
            run,
            scope,
            council,
            ask,
            settled: Vec::new(),
            sought: 0,
            rounds: 0,
            gaps: Vec::new(),
            refused: Vec::new(),
            said: Vec::new(),
        }
    }

    /// What to ask in the round that begins; nothing when nothing is open.
    pub(super) async fn questions(&mut self) -> Result<Vec<Proposed>, RunError> {
        self.sought += 1;
        let wanted = Wanted {
            model: &self.council.balanced,
            role: Role::Leader,
            shape: "council_questions",
            system: QUESTIONS,
            max_output: Tokens(2_048),
        };
        let scope = self.scope.scope("clarify/questions", self.sought)?;
        let mut task = self.task("What has to be asked before this is debated?", &wanted);
        let areas = self.ask.gray_areas.iter().map(|area| json!(area));
        task.data("gray_areas", &list(areas), 3);
        task.data("gaps", &list(open_for_models(&self.gaps)), 4);
        let asked = self.model(&scope, wanted, (task, check_questions)).await?;
        match asked {
            Asked::Answered(Questions { questions }) => {
                // Somebody can say after all.
                self.gaps.retain(|gap| gap != UNKNOWN);
                let known: Vec<String> = self
                    .settled
                    .iter()
                    .map(|one| plain(&one.question))
                    .collect();
                let new = questions.into_iter();
                let new = new.filter(|one| !known.contains(&plain(&one.question)));
                Ok(new.take(MOST_QUESTIONS).collect())
            }
            Asked::Unusable { .. } => {
                if self.gaps.is_empty() {
                    self.gaps.push(UNKNOWN.to_owned());
                }
                Ok(Vec::new())
            }
        }
    }

    /// Whether enough is known; otherwise the gaps say what is not.
    pub(super) async fn is_ready(&mut self) -> Result<bool, RunError> {
        let wanted = Wanted {
            model: &self.council.balanced,
            role: Role::Judge,
            shape: "council_readiness",
            system: READINESS,
            max_output: Tokens(1_024),
        };
        let scope = self.scope.scope("clarify/readiness", self.rounds)?;
        let task = self.task("Is this clear enough to be debated?", &wanted);
        let asked = self.model(&scope, wanted, (task, check_readiness)).await?;
        match asked {
            Asked::Answered(Readiness {
                ready, confidence, ..
            }) if ready && confidence >= SURE => {
                self.gaps.clear();
                return Ok(true);
            }
            Asked::Answered(Readiness { ready: true, .. }) => self.gaps = vec![UNSURE.to_owned()],
            Asked::Answered(Readiness { gaps, .. }) => self.gaps = gaps,
            Asked::Unusable { .. } if self.gaps.is_empty() => self.gaps = vec![UNKNOWN.to_owned()],
            Asked::Unusable { .. } => {}
        }
        Ok(false)
    }

    /// The brief of the debate: the `number`-th of this clarification.
    pub(super) async fn brief(
        &mut self,
        number: u32,
    ) -> Result<(ClarifiedMatter, WrittenBy), RunError> {
        let wanted = Wanted {
            model: &self.council.balanced,
            role: Role::Leader,
            shape: "council_matter",
            system: MATTER,
            max_output: Tokens(2_048),
        };
        let scope = self.scope.scope("clarify/matter", number)?;
        let mut task = self.task("Write down what is to be debated.", &wanted);
        task.data("gaps", &list(open_for_models(&self.gaps)), 4);
        if !self.ask.attended {
            task.words(NOBODY);
        }
        let asked = self.model(&scope, wanted, (task, check_matter)).await?;
        Ok(match asked {
            Asked::Answered(answer) => (
                from_answer(answer, self.answers(), &self.gaps),
                WrittenBy::Model,
            ),
            Asked::Unusable { problem } => {
                let open = (self.gaps.as_slice(), self.refused.as_slice());
                let brief = by_rules(self.ask.topic, self.answers(), open);
                (brief, WrittenBy::Rules(problem))
            }
        })
    }

    /// What the leader says about a question that a person wants to talk about.
    pub(super) async fn talk(
        &mut self,
        scope: &Scope,
        asked: &Proposed,
        (before, words): (&[Talk], &str),
    ) -> Result<String, RunError> {
        let wanted = Wanted {
            model: &self.council.leader,
            role: Role::Leader,
            shape: "council_discussion",
            system: DISCUSSION,
            max_output: Tokens(1_024),
        };
        let mut task = self.task("Talk with the person about this question.", &wanted);
        let options: Vec<String> = asked.options.iter().map(ProposedOption::words).collect();
        let question = json!({
            "question": asked.question, "why": asked.why,
            "options": options, "recommended": asked.recommended,
        });
        task.data("question", &question.to_string(), 8);
        let before = before
            .iter()
            .map(|talk| json!({"person": talk.person, "you": talk.leader}));
        task.data("said_before", &list(before), 8);
        let words = if words.is_empty() {
            "Tell me more."
        } else {
            words
        };
        task.data("the_person_says", words, 5);
        let answer = self.model(scope, wanted, (task, check_discussion)).await?;
        Ok(match answer {
            Asked::Answered(Discussion { text }) => text.trim().to_owned(),
            Asked::Unusable { .. } => {
                "The leader gave no answer that could be used. You can still choose.".to_owned()
            }
        })
    }

    /// The answers so far, as the brief keeps them.
    fn answers(&self) -> Vec<ClarifyAnswer> {
        let numbered = self.settled.iter().zip(1u32..);
        numbered
            .map(|(one, number)| ClarifyAnswer {
                id: format!("q{number}"),
                question: one.question.clone(),
                answer: one.answer.clone(),
                by_person: one.by_person,
            })
            .collect()
    }

    /// Asks a model; one that fails for good has said nothing usable.
    async fn model<T>(
        &mut self,
        scope: &Scope,
        wanted: Wanted<'_>,
        (mut task, check): (Task<'a>, impl Fn(&T) -> Result<(), String>),
    ) -> Result<Asked<T>, RunError>
    where
        T: DeserializeOwned + JsonSchema,
    {
        // What is said reaches whoever listens first, and everybody after them is to know it too.
        let heard = self.run.hear(scope.key("said")?).await?;
        let heard = heard
            .into_iter()
            .map(|(said, text)| (may_decide(said.by), text));
        self.said.extend(heard);
        for (in_charge, words, source) in [
            (true, PERSON, "said_by_person"),
            (false, OTHERS, "said_by_others"),
        ] {
            let said = self.said.iter().filter(|(charge, _)| *charge == in_charge);
            let said: Vec<&str> = said.map(|(_, text)| text.as_str()).collect();
            if !said.is_empty() {
                task.words(words);
                task.data(source, &said.join("\n\n"), SAID);
            }
        }
        let ask = Ask {
            model: wanted.model,
            role: wanted.role,
            shape: wanted.shape,
            system: wanted.system,
            task: &task.into_text(),
            max_output: wanted.max_output,
        };
        let read = |text: &str| {
            let answer: T = read_answer(text)?;
            check(&answer).map(|()| answer)
        };
        let reading = Reading {
            tries: TRIES,
            read: &read,
        };
        or_silent(ask.answer_by(self.run, scope, reading).await)
    }

    /// What every task shows.
    fn task(&self, words: &str, wanted: &Wanted<'_>) -> Task<'a> {
        let room = (self.run.settings().max_input, wanted.max_output);
        let mut task = Task::new(words, wanted.model, room, &self.council.context);
        task.data("topic", self.ask.topic, 20);
        let answers = self.settled.iter().map(|one| {
            json!({
                "question": one.question, "answer": one.answer,
                "by_person": one.by_person, "asked_back": one.asked_back,
            })
        });
        task.data("answers", &list(answers), 15);
        task.data("memory", &list(self.ask.memory.iter().map(note)), 20);
        if let Some(earlier) = self.ask.earlier {
            task.data("earlier_debate", earlier, 12);
        }
        if !self.refused.is_empty() {
            let refused = self.refused.iter().map(|one| {
                json!({
                    "problem": one.problem, "criteria": one.criteria,
                    "reason_of_the_person": one.reason,
                })
            });
            task.data("refused", &list(refused), 8);
        }
        task
    }
}

/// What is open, as models are told. That a model could not say is for people: another model repeats
/// it as if it were part of the matter.
pub(crate) fn open_for_models(gaps: &[String]) -> impl Iterator<Item = serde_json::Value> {
    let ours = [UNKNOWN, UNSURE];
    let theirs = gaps.iter().filter(move |gap| !ours.contains(&gap.as_str()));
    theirs.map(|gap| json!(gap))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_model_could_say_is_not_told_to_the_next() {
        let gaps = [UNKNOWN, "Who pays for it.", UNSURE].map(str::to_owned);
        let told: Vec<_> = open_for_models(&gaps).collect();
        assert_eq!(told, [json!("Who pays for it.")]);
    }
}
