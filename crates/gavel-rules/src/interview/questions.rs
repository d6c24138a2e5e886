//! The ten questions.

use super::values::check_answer_value;

/// One of the ten.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InterviewQuestion {
    /// Its id, as answers name it.
    pub id: &'static str,
    /// What a person is asked.
    pub text: &'static str,
    /// Whether the work can go on without an answer.
    pub need: Need,
    /// Who recommends.
    pub by: RecommendedBy,
    /// What uses the answer: fields of the spec, kinds of contracts.
    pub used_by: &'static [&'static str],
}

/// Whether the work rests on an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Need {
    /// It does.
    Required,
    /// It does when there is something to see in a browser.
    WithWeb,
    /// It does not.
    Optional,
}

/// Who recommends an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RecommendedBy {
    /// The leader alone.
    Leader,
    /// Three seats with different aims, where there are models for them.
    Council,
}

const fn leader(id: &'static str, text: &'static str, need: Need) -> InterviewQuestion {
    InterviewQuestion {
        id,
        text,
        need,
        by: RecommendedBy::Leader,
        used_by: &[],
    }
}

const fn council(id: &'static str, text: &'static str, need: Need) -> InterviewQuestion {
    InterviewQuestion {
        by: RecommendedBy::Council,
        ..leader(id, text, need)
    }
}

const fn used(question: InterviewQuestion, used_by: &'static [&'static str]) -> InterviewQuestion {
    InterviewQuestion {
        used_by,
        ..question
    }
}

/// All ten, in the order in which they are asked.
pub const QUESTIONS: [InterviewQuestion; 10] = [
    used(
        leader(
            "product-type",
            "What kind of product is it?",
            Need::Required,
        ),
        &["spec.purpose", "spec.in_scope", "manifesto"],
    ),
    used(
        leader("target-platform", "Where does it run?", Need::Required),
        &["spec.interface", "manifesto", "infra"],
    ),
    used(
        leader(
            "audience",
            "Who uses it, and how many are they?",
            Need::Required,
        ),
        &["spec.users", "manifesto"],
    ),
    used(
        council(
            "backend-architecture",
            "How is its inside divided?",
            Need::Required,
        ),
        &["spec.architecture", "spec.folders", "api"],
    ),
    used(
        council(
            "backend-stack",
            "Which language and libraries is it written with?",
            Need::Required,
        ),
        &["spec.stack", "infra", "phases"],
    ),
    used(
        council(
            "db-strategy",
            "Where does it keep its data?",
            Need::Required,
        ),
        &["spec.architecture", "schema"],
    ),
    used(
        leader(
            "frontend-approach",
            "What do people see and type?",
            Need::WithWeb,
        ),
        &["spec.interface", "design"],
    ),
    used(
        leader(
            "ba-status",
            "How far are the requirements worked out?",
            Need::Optional,
        ),
        &["spec.in_scope", "spec.criteria"],
    ),
    used(
        leader(
            "design-status",
            "Is there a design to follow?",
            Need::Optional,
        ),
        &["design"],
    ),
    used(
        council(
            "deployment",
            "How does it get to those who use it?",
            Need::Optional,
        ),
        &["infra"],
    ),
];

/// The question with this id.
pub fn question(id: &str) -> Option<&'static InterviewQuestion> {
    QUESTIONS.iter().find(|question| question.id == id)
}

/// Whether the work rests on a question, given where the product runs.
pub fn is_required(question: &InterviewQuestion, platform: &str) -> bool {
    match question.need {
        Need::Required => true,
        Need::Optional => false,
        Need::WithWeb => {
            let runs = check_answer_value("target-platform", platform);
            runs.is_ok_and(|runs| runs.has("web"))
        }
    }
}
