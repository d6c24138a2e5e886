//! Which questions are worth a person's time. Every question that is not asked says why.

use gavel_domain::{AnswerSource, RepositoryKind};

use super::depth::Depth;
use super::questions::{InterviewQuestion, QUESTIONS, is_required};
use super::skip_table::RULES;
use super::values::check_answer_value;
use crate::RepositoryFound;
use crate::contradictions::Said;

/// A clear brief gets four cards at most: the overview, two questions, and the last word.
const FEW: usize = 2;
/// The most questions of one interview; the others can be asked for.
const MANY: usize = 8;
/// What an answer decides, the most first: where not everything is asked, this is.
const WEIGHT: [&str; 10] = [
    "product-type",
    "target-platform",
    "db-strategy",
    "audience",
    "backend-stack",
    "frontend-approach",
    "backend-architecture",
    "deployment",
    "design-status",
    "ba-status",
];

/// What is known before anybody is asked.
#[derive(Debug, Clone, Copy)]
pub struct SkipCase<'a> {
    /// The idea.
    pub idea: &'a str,
    /// How deep to ask.
    pub depth: Depth,
    /// What the repository holds.
    pub repository: &'a RepositoryFound,
    /// The recommended answers: question and answer.
    pub proposed: &'a [(&'static str, &'a str)],
}

impl SkipCase<'_> {
    fn proposed(&self, question: &str) -> Option<&str> {
        let mut all = self.proposed.iter();
        all.find(|(id, _)| *id == question)
            .map(|(_, answer)| *answer)
    }

    fn proposes(&self, question: &str, values: &[&str]) -> bool {
        let answer = self.proposed(question);
        let normal = answer.and_then(|answer| check_answer_value(question, answer).ok());
        normal.is_some_and(|normal| normal.has_one_of(values))
    }
}

/// A question that is not asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settled {
    /// Which.
    pub question: &'static str,
    /// What settles it.
    pub source: AnswerSource,
    /// The answer, where it is another one than the recommended.
    pub answer: Option<String>,
    /// Why it is not asked, a clause.
    pub why: String,
}

/// Who is asked what.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CardPlan {
    /// Not asked, with the reason.
    pub settled: Vec<Settled>,
    /// Asked, in the order of the questions.
    pub ask: Vec<&'static str>,
    /// Taken as recommended unless a person wants to be asked.
    pub left: Vec<&'static str>,
}

/// Divides the ten questions by what is known.
pub fn plan_cards(case: &SkipCase<'_>) -> CardPlan {
    let mut plan = CardPlan::default();
    let mut open: Vec<&'static InterviewQuestion> = Vec::new();
    for question in &QUESTIONS {
        match settle(question.id, case) {
            Some(settled) => plan.settled.push(settled),
            None => open.push(question),
        }
    }
    let platform = case.proposed("target-platform").unwrap_or_default();
    let must = |question: &&InterviewQuestion| {
        case.proposed(question.id).is_none() && is_required(question, platform)
    };
    let most = match case.depth {
        Depth::Trivial => 0,
        Depth::Standard => FEW,
        Depth::Complex => MANY,
    };
    let recommended = open.iter().filter(|question| !must(question));
    let mut by_weight: Vec<&'static str> = recommended.map(|question| question.id).collect();
    by_weight.sort_by_key(|id| WEIGHT.iter().position(|known| known == id));
    by_weight.truncate(most);
    for question in open {
        if must(&question) || by_weight.contains(&question.id) {
            plan.ask.push(question.id);
        } else {
            plan.left.push(question.id);
        }
    }
    plan
}

/// The first rule that settles a question.
fn settle(question: &'static str, case: &SkipCase<'_>) -> Option<Settled> {
    let rules = RULES.iter().filter(|rule| rule.question == question);
    rules.filter_map(|rule| rule.apply(case)).next()
}

/// When a question is settled.
#[derive(Debug)]
pub(super) enum When {
    /// The product is of one of these kinds.
    Product(&'static [&'static str]),
    /// There is nothing to look at but a terminal.
    NoScreens,
    /// The idea is small, or at least not large.
    UpTo(Depth),
    /// The idea says one of these, and the recommendation follows it.
    IdeaNames(&'static str),
    /// The idea says one of these.
    IdeaTells(&'static str),
    /// The repository holds a project.
    Project,
    /// The repository holds a project that explains itself.
    Explained,
    /// The repository is written in one language.
    OneLanguage,
    /// The repository depends on one of these; the word stands for what they mean.
    DependsOn(&'static [(&'static str, &'static [&'static str])]),
}

/// One line of the table.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) question: &'static str,
    pub(super) when: When,
    pub(super) source: AnswerSource,
    pub(super) why: &'static str,
}

impl Rule {
    fn apply(&self, case: &SkipCase<'_>) -> Option<Settled> {
        let mut answer = None;
        let holds = match &self.when {
            When::Product(kinds) => case.proposes("product-type", kinds),
            When::NoScreens => no_screens(case),
            When::UpTo(depth) => match (case.depth, depth) {
                (Depth::Trivial, _) | (Depth::Standard, Depth::Standard | Depth::Complex) => true,
                (Depth::Standard, Depth::Trivial) | (Depth::Complex, _) => false,
            },
            When::IdeaNames(words) => self.idea_names(words, case),
            When::IdeaTells(words) => Said::read(case.idea).says(words),
            When::Project => case.repository.kind == RepositoryKind::Existing,
            When::Explained => {
                let found = case.repository;
                found.kind == RepositoryKind::Existing && !found.readme.is_empty()
            }
            When::OneLanguage => {
                let language = case.repository.language();
                answer = language.map(|language| format!("{language}, as the repository has it"));
                answer.is_some()
            }
            When::DependsOn(all) => {
                let mut found = all.iter().filter_map(|(meaning, names)| {
                    let name = case.repository.depends_on(names)?;
                    Some(format!("{meaning}, as the repository has it ({name})"))
                });
                answer = found.next();
                answer.is_some()
            }
        };
        holds.then(|| Settled {
            question: self.question,
            source: self.source,
            answer,
            why: self.why.to_owned(),
        })
    }

    /// True when the recommendation says what the idea says: otherwise somebody has to be asked.
    fn idea_names(&self, words: &str, case: &SkipCase<'_>) -> bool {
        let idea = Said::read(case.idea);
        let Some(answer) = case.proposed(self.question) else {
            return false;
        };
        let Ok(answer) = check_answer_value(self.question, answer) else {
            return false;
        };
        let named = words.split('|').filter(|word| idea.says(word));
        let meant = named.filter_map(|word| check_answer_value(self.question, word).ok());
        let mut meant = meant.flat_map(|normal| normal.values);
        meant.any(|value| answer.has(&value))
    }
}

fn no_screens(case: &SkipCase<'_>) -> bool {
    let screens = ["web", "mobile-ios", "mobile-android"];
    let desktop = ["desktop-win", "desktop-mac", "desktop-linux"];
    let at = |values: &[&str]| case.proposes("target-platform", values);
    // A terminal on three systems is no window on three systems.
    case.proposed("target-platform").is_some()
        && !at(&screens)
        && (at(&["cli", "server", "library"]) || !at(&desktop))
}

#[cfg(test)]
#[path = "skip_tests.rs"]
mod tests;
