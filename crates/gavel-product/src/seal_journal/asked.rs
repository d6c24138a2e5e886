//! The idea and the asks of a seal, beside what the journal says that they became.

use gavel_build::SealPredicate;
use gavel_domain::{
    AnswerValue, AskAccount, AsksAccounted, Fact as _, ProductBrief, QuestionAnswered, RunStarted,
};
use gavel_rules::{
    IdeaBecame, IdeaInTheEnd, WordsOnRecord, idea_became, may_decide, unheard_in_became,
};
use gavel_store::ReadError;

use super::{Journal, JournalOutcome, Kept, gone, same_or, unreadable};

/// What the seal says that became of the idea that was typed.
fn became(predicate: &SealPredicate, accounts: Option<&Vec<AskAccount>>) -> JournalOutcome {
    let Some(became) = &predicate.idea_became else {
        return JournalOutcome::Same;
    };
    let Some(accounts) = accounts else {
        return gone("what became of the idea");
    };
    match unheard_in_became(became, accounts) {
        None => {
            let end = IdeaInTheEnd::of(&predicate.idea, became);
            JournalOutcome::Reworded(end.text())
        }
        Some(words) => JournalOutcome::Differs(format!("nobody said \"{words}\"")),
    }
}

impl Journal<'_> {
    /// The idea, through everything that the person added to it and said in its place.
    pub(super) async fn idea(
        &self,
        predicate: &SealPredicate,
    ) -> Result<JournalOutcome, ReadError> {
        if predicate.idea.is_empty() {
            let why = "this seal does not hold the idea";
            return Ok(JournalOutcome::NotKept(why.to_owned()));
        }
        let started: Option<RunStarted> = self.last(|_| true);
        let Some(brief) = started.and_then(|started| started.brief) else {
            return Ok(gone("the idea"));
        };
        let brief = match self.json::<ProductBrief>(brief).await? {
            Kept::Is(brief) => brief,
            Kept::Gone => return Ok(gone("the idea")),
            Kept::Unreadable => return Ok(unreadable("the idea")),
        };
        let (answers, lost) = self.answers().await?;
        let added = brief.stack.iter().map(|stack| format!("Stack: {stack}"));
        let added: Vec<String> = added.collect();
        let accounted = self.accounts().await?;
        let words = WordsOnRecord {
            began: &brief.idea,
            answers: &answers,
            added: &added,
            accounted: &accounted,
        };
        Ok(match idea_became(&predicate.idea, words) {
            Some(IdeaBecame::Unchanged) => became(predicate, accounted.last()),
            Some(IdeaBecame::Extended) => {
                let why = "the person added to it, by an answer or a stack";
                JournalOutcome::Reworded(why.to_owned())
            }
            Some(IdeaBecame::Reworded) => JournalOutcome::Reworded(format!(
                "the person said it in other words; it began as \"{}\"",
                brief.idea
            )),
            None if lost => gone("some of what the person answered"),
            None => {
                let why = "the run was started with another idea, and nobody reworded it so";
                JournalOutcome::Differs(why.to_owned())
            }
        })
    }

    /// What people answered in their own words, and whether some of it is gone.
    async fn answers(&self) -> Result<(Vec<String>, bool), ReadError> {
        let (mut answers, mut lost) = (Vec::new(), false);
        for record in &self.sealed {
            let answered = record.read::<QuestionAnswered>().ok();
            let Some(answered) = answered.filter(|one| may_decide(one.by)) else {
                continue;
            };
            if let AnswerValue::Text { text } = answered.value {
                match self.store.blob(text.digest).await? {
                    Some(text) => answers.push(String::from_utf8_lossy(&text).into_owned()),
                    None => lost = true,
                }
            }
        }
        Ok((answers, lost))
    }

    /// What became of the asks, each time that a spec accounted for them, as far as it is kept.
    async fn accounts(&self) -> Result<Vec<Vec<AskAccount>>, ReadError> {
        let mut accounts = Vec::new();
        for record in self
            .sealed
            .iter()
            .filter(|one| one.kind == AsksAccounted::KIND)
        {
            if let Ok(fact) = record.read::<AsksAccounted>()
                && let Kept::Is(all) = self.json(fact.accounts).await?
            {
                accounts.push(all);
            }
        }
        Ok(accounts)
    }

    /// The asks, with what became of them last.
    pub(super) async fn asks(
        &self,
        predicate: &SealPredicate,
    ) -> Result<JournalOutcome, ReadError> {
        let sealed = &predicate.asks;
        let Some(fact) = self.last::<AsksAccounted>(|_| true) else {
            return Ok(same_or(sealed.is_empty(), || {
                let number = sealed.len();
                format!("the seal names {number} asks, and the journal accounts for none")
            }));
        };
        let kept: Vec<AskAccount> = match self.json(fact.accounts).await? {
            Kept::Is(kept) => kept,
            Kept::Gone => return Ok(gone("what was asked for")),
            Kept::Unreadable => return Ok(unreadable("what was asked for")),
        };
        if sealed.len() != kept.len() {
            let (sealed, kept) = (sealed.len(), kept.len());
            let why = format!("the seal names {sealed} asks, the journal {kept}");
            return Ok(JournalOutcome::Differs(why));
        }
        let pairs = sealed.iter().zip(&kept);
        let wrong = pairs.filter(|(sealed, kept)| sealed != kept);
        let wrong: Vec<&str> = wrong.map(|(sealed, _)| sealed.ask.id.as_str()).collect();
        Ok(same_or(wrong.is_empty(), || {
            format!("the journal accounts otherwise for {}", wrong.join(", "))
        }))
    }
}
