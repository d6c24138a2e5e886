//! What is recommended, and what everybody who recommends is told.

use gavel_domain::{AnswerSource, MemoryNote, RepositoryKind};
use gavel_models::ModelInfo;
use gavel_rules::{
    InterviewQuestion, QUESTIONS, RepositoryFound, Specificity, allowed_values, specificity,
};
use gavel_run::StepError;
use schemars::{Schema, SchemaGenerator, json_schema};

use crate::discovery::data;
use crate::earlier::Recalled;
use crate::model_trouble::ModelTrouble;
use crate::repository::some_files_at_base;
use crate::way::{Leave, Way, json};

/// A recommended answer to one of the ten questions, or none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Proposal {
    pub(super) question: &'static InterviewQuestion,
    /// None when nobody gave one that can be used: a person chooses.
    pub(super) answer: Option<String>,
    pub(super) why: String,
    pub(super) alternatives: Vec<String>,
    pub(super) source: AnswerSource,
}

impl Proposal {
    /// A question for which nobody has a recommendation.
    pub(super) const fn open(question: &'static InterviewQuestion) -> Self {
        Self {
            question,
            answer: None,
            why: String::new(),
            alternatives: Vec::new(),
            source: AnswerSource::Open,
        }
    }
}

/// What is known when answers are recommended.
#[derive(Debug, Clone, Copy)]
pub(super) struct Material<'a> {
    pub(super) idea: &'a str,
    pub(super) notes: &'a [MemoryNote],
    pub(super) repository: &'a RepositoryFound,
    pub(super) earlier: &'a [Recalled],
}

impl Material<'_> {
    /// All of it, fenced, with the questions that are to be answered.
    pub(super) async fn task(
        &self,
        way: Way<'_>,
        questions: &[&InterviewQuestion],
    ) -> Result<String, Leave> {
        let run = way.run;
        let files = some_files_at_base(way).await?;
        let mut parts = vec![
            data(way, "idea", self.idea),
            data(way, "repository", &files.join("\n")),
            data(way, "memory", &json(run, &self.notes)?),
        ];
        if self.repository.kind != RepositoryKind::Greenfield {
            parts.push(data(way, "repository_found", &json(run, self.repository)?));
        }
        if !self.earlier.is_empty() {
            parts.push(data(way, "earlier_runs", &json(run, &self.earlier)?));
        }
        parts.push(self.scope_words().to_owned());
        let lines: Vec<String> = questions.iter().map(|one| asked(one)).collect();
        let count = match questions.len() {
            10 => "ten ".to_owned(),
            number => format!("{number} "),
        };
        parts.push(format!(
            "The {count}questions, by id:\n{}",
            lines.join("\n")
        ));
        Ok(parts.join("\n\n"))
    }

    const fn words_of(specificity: Specificity) -> &'static str {
        match specificity {
            Specificity::Minimal => {
                "The idea is one short line: recommend the smallest product that serves it."
            }
            Specificity::Moderate => {
                "The idea says a little: recommend what it needs and nothing that it does not."
            }
            Specificity::Detailed => {
                "The idea is a description: follow it where it says something."
            }
        }
    }

    fn scope_words(&self) -> &'static str {
        Self::words_of(specificity(self.idea))
    }
}

/// A question as models are asked it, with the values that are taken.
fn asked(question: &InterviewQuestion) -> String {
    let allowed = allowed_values(question.id);
    let values = if allowed.is_empty() {
        String::new()
    } else {
        format!(" Begin with one of: {}.", allowed.join(", "))
    };
    format!("- {}: {}{values}", question.id, question.text)
}

/// The ids as a closed list, so that a server which enforces schemas lets no other through.
pub(super) fn question_ids(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "string", "enum": QUESTIONS.map(|question| question.id)})
}

/// What a person is told whose key was not accepted; nothing for other failures.
pub(super) fn key_refused(model: &ModelInfo, error: &StepError) -> Option<String> {
    let trouble = ModelTrouble::of(error.fault.class)?;
    (trouble == ModelTrouble::KeyRefused).then(|| trouble.explain(&model.id, error))
}
