//! The idea of a run as it grows. What a person typed stays on record; what they say in its place is
//! what will be built.

use gavel_domain::{AskAccount, AskSource, IdeaOrigin, ProductBrief};
use gavel_rules::{InsteadOf, Words, cut_at, leave_out, without_open};

/// An idea with everything that a person added to it and said in the place of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Idea {
    /// What is to be built, as models read it.
    text: String,
    /// Everything that was said, in order, what was reworded and what was not taken included.
    said: Vec<Words>,
}

impl Idea {
    /// As the run was given it.
    pub(crate) fn of(brief: &ProductBrief) -> Self {
        Self::said_by(brief.said_by, &brief.idea)
    }

    /// As it was typed.
    #[cfg(test)]
    pub(crate) fn typed(text: &str) -> Self {
        Self::said_by(IdeaOrigin::Person, text)
    }

    fn said_by(origin: IdeaOrigin, text: &str) -> Self {
        let words = Words {
            source: origin.source(),
            text: text.to_owned(),
            instead_of: InsteadOf::Nothing,
        };
        Self {
            text: text.to_owned(),
            said: vec![words],
        }
    }

    /// What is to be built, as models read it.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Everything that was said, in order.
    pub(crate) fn said(&self) -> &[Words] {
        &self.said
    }

    /// With a wish about the stack.
    pub(crate) fn with_stack(mut self, stack: &str) -> Self {
        self.text.push_str(&format!("\n\nStack: {stack}"));
        self.add(answered("stack"), stack);
        self
    }

    /// With what a person says is meant.
    pub(crate) fn clarified(mut self, more: &str) -> Self {
        self.text.push_str(&format!("\n\n{more}"));
        self.add(answered("clarification"), more);
        self
    }

    /// With a change that a person wishes for when they see the spec.
    pub(crate) fn changed(mut self, wish: &str) -> Self {
        self.text.push_str(&format!("\n\nChange: {wish}"));
        self.add(answered("spec"), wish);
        self
    }

    /// In other words: all that was said before stays on record and is not built.
    pub(crate) fn reworded(mut self, words: &str) -> Self {
        words.clone_into(&mut self.text);
        self.said.push(Words {
            source: rewording("needs-a-model"),
            text: words.to_owned(),
            instead_of: InsteadOf::AllBefore,
        });
        self
    }

    /// Without these spans of it, each of which is an ask of its own from now on.
    pub(crate) fn without(mut self, spans: &[String]) -> Self {
        self.text = leave_out(&self.text, spans);
        let cut = |words: Words| {
            let parts = cut_at(&words.text, spans).into_iter().enumerate();
            let part = |(place, text)| Words {
                source: words.source.clone(),
                text,
                // The first part stands for all of them.
                instead_of: match place {
                    0 => words.instead_of.clone(),
                    _ => InsteadOf::Nothing,
                },
            };
            parts.map(part).collect::<Vec<_>>()
        };
        self.said = self.said.into_iter().flat_map(cut).collect();
        self
    }

    /// With other words in the place of what is open.
    pub(crate) fn without_open(mut self, words: &str, accounts: &[AskAccount]) -> Self {
        self.text = format!("{}\n\n{words}", without_open(&self.text, accounts));
        let open = accounts.iter().filter(|one| one.is_open());
        let open = open.map(|one| (one.ask.source.clone(), one.ask.text.clone()));
        self.said.push(Words {
            source: rewording("open-asks"),
            text: words.to_owned(),
            instead_of: InsteadOf::These(open.collect()),
        });
        self
    }

    /// With words that no spec could be written for: on record, and no part of what is built.
    pub(crate) fn keep_untaken(&mut self, question: &str, words: &str) {
        self.add(answered(question), words);
    }

    fn add(&mut self, source: AskSource, text: &str) {
        self.said.push(Words {
            source,
            text: text.to_owned(),
            instead_of: InsteadOf::Nothing,
        });
    }
}

fn answered(question: &str) -> AskSource {
    let question = question.to_owned();
    AskSource::Answer { question }
}

fn rewording(question: &str) -> AskSource {
    let question = question.to_owned();
    AskSource::Rewording { question }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whose_words_an_idea_is_stays_with_its_asks() {
        for (origin, source) in [
            (IdeaOrigin::Person, AskSource::Idea),
            (IdeaOrigin::Agent, AskSource::Agent),
            (IdeaOrigin::PlanStep, AskSource::PlanStep),
        ] {
            let idea = Idea::said_by(origin, "books in blue").without(&["in blue".to_owned()]);
            let sources: Vec<&AskSource> = idea.said().iter().map(|one| &one.source).collect();
            assert_eq!(sources, [&source, &source]);
        }
    }
}
