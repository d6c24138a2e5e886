//! Questions, answers, and what people said.

use gavel_domain::{
    AnswerValue, InboxId, Purpose, QuestionAnswered, QuestionAsked, QuestionFact, Record,
};

use super::Fold;
use crate::ReportError;
use crate::people::{AnswerTold, HeardAt, QuestionTold};
use crate::text::Text;

impl Fold<'_> {
    pub(super) fn hear(&mut self, heard: &[InboxId], record: &Record) {
        let place = HeardAt {
            key: record.key.to_string(),
            stage: self.head.stage,
            sprint: self.sprint,
            at: record.at,
        };
        let said = self.report.interjections.iter_mut();
        for said in said.filter(|said| heard.contains(&said.id)) {
            said.heard = Some(place.clone());
        }
    }

    pub(super) async fn apply_question(
        &mut self,
        fact: QuestionFact,
        record: &Record,
    ) -> Result<(), ReportError> {
        match fact {
            QuestionFact::QuestionAsked(asked) => self.ask(asked, record).await,
            QuestionFact::QuestionAnswered(answered) => self.answer(answered, record).await,
        }
    }

    async fn ask(&mut self, asked: QuestionAsked, record: &Record) -> Result<(), ReportError> {
        let card = self.texts.json(record, asked.card).await?;
        let id = record.key.key().to_string();
        // A breaker is told first, then what is to be done about it is asked.
        if matches!(asked.purpose, Purpose::Breaker | Purpose::Cap) {
            let tripped = self.report.breakers.last_mut();
            if let Some(told) = tripped.filter(|told| !told.degraded && told.question.is_none()) {
                told.question = Some(id.clone());
            }
        }
        self.report.questions.push(QuestionTold {
            id,
            stage: self.head.stage,
            purpose: asked.purpose,
            audience: asked.audience,
            card,
            shape: asked.shape,
            recommended: asked.recommended,
            asked_at: record.at,
            answer: None,
        });
        Ok(())
    }

    async fn answer(
        &mut self,
        answered: QuestionAnswered,
        record: &Record,
    ) -> Result<(), ReportError> {
        let option = match &answered.value {
            AnswerValue::Option { id } => Some(id.clone()),
            AnswerValue::Text { .. } | AnswerValue::Limit { .. } | AnswerValue::Decide => None,
        };
        let text = match answered.value {
            AnswerValue::Text { text } => self.texts.text(record, text).await?,
            AnswerValue::Option { id } => Text::Kept(id),
            AnswerValue::Limit { limit } => Text::Kept(format!("a limit of {limit}")),
            AnswerValue::Decide => Text::Kept("let Gavel decide".to_owned()),
        };
        let id = record.key.key().to_string();
        let asked = self.report.questions.iter_mut();
        if let Some(question) = asked.rev().find(|question| question.id == id) {
            let text = text.map(|text| question.label(text));
            question.answer = Some(AnswerTold {
                text,
                option,
                by: answered.by,
                timed_out: answered.timed_out,
                assumed: answered.assumed,
                at: record.at,
            });
        }
        Ok(())
    }
}

impl QuestionTold {
    /// The label of an option, or the text itself.
    fn label(&self, text: String) -> String {
        let options = self.card.kept().map_or(&[][..], |card| &card.options);
        let option = options.iter().find(|option| option.id == text);
        option.map_or(text, |option| option.label.clone())
    }
}
