//! Sources outside the project: nobody meters what asking them costs, so no money cap can hold it, and
//! where one is in force a person agrees first.

use gavel_domain::{
    AnswerShape, AnswerValue, Audience, Caps, Digest, Key, OnTimeout, Purpose, QuestionCard,
    RecordDraft, SourceDecided, SourceRule, Speaker,
};

use crate::ask::Question;
use crate::money_cards::ALLOW;
use crate::writer::Proposal;
use crate::{Run, RunError};

const REFUSE: &str = "refuse";

impl Run {
    /// Whether a source may be asked; `agreed` when the person's own settings say so.
    ///
    /// Without a money cap nobody has to agree. Else a person is asked once per project, under `--yes`
    /// nobody is and the source may not be asked. What was decided is on record.
    pub async fn may_ask_source(&self, source: &str, agreed: bool) -> Result<bool, RunError> {
        let keys = Keys::of(source)?;
        if let Some(decided) = self.source_decided(&keys)? {
            return Ok(decided);
        }
        let caps = self.inner.journal().view.caps();
        if caps.run_usd.is_none() && caps.month_usd.is_none() {
            return Ok(true);
        }
        let (allowed, rule, by) = self.decide_source(source, (agreed, &caps, &keys)).await?;
        let fact = SourceDecided {
            source: source.to_owned(),
            allowed,
            rule,
            by,
        };
        let place = if allowed { keys.allowed } else { keys.refused };
        let draft = RecordDraft::new(place.outcome(), &fact)?;
        self.write(Proposal::unless_there(draft)).await?;
        Ok(allowed)
    }

    fn source_decided(&self, keys: &Keys) -> Result<Option<bool>, RunError> {
        let journal = self.inner.journal();
        let places = [&keys.allowed, &keys.refused];
        let record = places
            .into_iter()
            .find_map(|key| journal.get(&key.outcome()));
        let decided = record.map(|record| record.read::<SourceDecided>());
        Ok(decided.transpose()?.map(|decided| decided.allowed))
    }

    async fn decide_source(
        &self,
        source: &str,
        (agreed, caps, keys): (bool, &Caps, &Keys),
    ) -> Result<(bool, SourceRule, Speaker), RunError> {
        if agreed {
            return Ok((true, SourceRule::Settings, Speaker::ENGINE));
        }
        for (key, allowed) in [(&keys.allowed, true), (&keys.refused, false)] {
            if self.was_agreed(key).await? {
                return Ok((allowed, SourceRule::Earlier, Speaker::ENGINE));
            }
        }
        let is_asked = self
            .inner
            .journal()
            .get(&keys.question.part("asked"))
            .is_some();
        // A person who was asked before is still waited for.
        if self.inner.options.yes && !is_asked {
            return Ok((false, SourceRule::Unasked, Speaker::ENGINE));
        }
        let answered = self
            .ask_engine(keys.question.clone(), question(source, caps))
            .await?;
        let allowed = matches!(&answered.value.value, AnswerValue::Option { id } if id == ALLOW);
        Ok((allowed, SourceRule::Person, answered.value.by))
    }
}

/// Where what was said about a source is kept.
struct Keys {
    question: Key,
    allowed: Key,
    refused: Key,
}

impl Keys {
    fn of(source: &str) -> Result<Self, RunError> {
        let name = Digest::of(source).short();
        Ok(Self {
            question: Key::engine(format!("money/source-{name}"))?,
            allowed: Key::engine(format!("money/source-allowed-{name}"))?,
            refused: Key::engine(format!("money/source-refused-{name}"))?,
        })
    }
}

fn question(source: &str, caps: &Caps) -> Question {
    let cap = match (caps.run_usd, caps.month_usd) {
        (Some(cap), _) => format!("caps.run_usd ({cap})"),
        (None, Some(cap)) => format!("caps.month_usd ({cap})"),
        (None, None) => "a money cap".to_owned(),
    };
    let text = format!(
        "The council wants to ask the source `{source}`, a program of yours outside the project. What \
         its use costs nobody counts, so {cap} cannot hold it. May it be asked?"
    );
    let why = format!(
        "This is asked once per project. Each call to `{source}` is counted, its price is not known. \
         `agreed = true` under its [[sources]] in your config.toml answers for all projects."
    );
    let options = [
        (ALLOW, "Yes, in this run and later ones of this project"),
        (REFUSE, "No: the council goes on without it"),
    ];
    Question {
        purpose: Purpose::Spend,
        card: QuestionCard::with_options(text, Some(why), &options),
        shape: AnswerShape::Choice {
            options: options.map(|(id, _)| id.to_owned()).to_vec(),
        },
        recommended: None,
        audience: Audience::Person,
        deadline: None,
        on_timeout: OnTimeout::Wait,
    }
}
