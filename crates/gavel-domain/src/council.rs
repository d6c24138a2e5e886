//! What a council works on and what it comes to: the matter, the plan, positions, the outcome.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// What kind of answer a debate is to give.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum OutputKind {
    /// One of several ways is chosen.
    Decision,
    /// Something is weighed.
    #[default]
    Evaluation,
    /// Something is found out.
    Investigation,
    /// A question is answered.
    ResolveQuestion,
    /// What is to be built, and how.
    ImplementationPlan,
    /// What is to be done next.
    ActionItems,
}

impl OutputKind {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Decision,
        Self::Evaluation,
        Self::Investigation,
        Self::ResolveQuestion,
        Self::ImplementationPlan,
        Self::ActionItems,
    ];

    /// The stored word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Decision => "decision",
            Self::Evaluation => "evaluation",
            Self::Investigation => "investigation",
            Self::ResolveQuestion => "resolve_question",
            Self::ImplementationPlan => "implementation_plan",
            Self::ActionItems => "action_items",
        }
    }
}

/// Where a stance comes from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StanceOrigin {
    /// The leader proposed it for this matter.
    #[default]
    Planned,
    /// One of the two that stand in when no plan could be had.
    Fallback,
    /// Project memory warns of something, and somebody speaks for it.
    ExperienceAuditor,
    /// Somebody speaks for those who will use what is planned.
    ProductOwner,
    /// One of the four that every debate about a product has.
    Research,
}

/// What a seat looks out for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stance {
    /// A short name, unique in its council.
    pub name: String,
    /// What it looks at, one sentence.
    pub lens: String,
    /// What it should dwell on; may be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub focus: String,
    /// Where it comes from.
    #[serde(default)]
    pub origin: StanceOrigin,
}

/// A choice that a debate is to make.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenDecision {
    /// Its id, `[a-z0-9-]+`, unique in its plan.
    pub id: String,
    /// What is asked.
    pub question: String,
    /// Two to four ways; a seat names one by its letter.
    pub options: Vec<String>,
}

impl OpenDecision {
    /// The letters that name options.
    pub const LETTERS: [char; 4] = ['A', 'B', 'C', 'D'];

    /// The letter of an option, counted from zero.
    pub fn letter(option: u32) -> char {
        let place = usize::try_from(option).unwrap_or(usize::MAX);
        Self::LETTERS.get(place).copied().unwrap_or('?')
    }

    /// The option that a letter names.
    pub fn option_of(&self, letter: &str) -> Option<u32> {
        let mut letters = letter.trim().chars();
        let (first, rest) = (letters.next()?.to_ascii_uppercase(), letters.next());
        let place = Self::LETTERS.iter().position(|known| *known == first)?;
        let there = rest.is_none() && place < self.options.len();
        there.then(|| u32::try_from(place).unwrap_or(u32::MAX))
    }

    /// The words of an option.
    pub fn words_of(&self, option: u32) -> Option<&str> {
        let place = usize::try_from(option).ok()?;
        self.options.get(place).map(String::as_str)
    }
}

/// What a section of the outcome holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SectionShape {
    /// Sentences.
    #[default]
    Text,
    /// A list of sentences.
    List,
    /// A list of things with fields.
    ObjectList,
}

/// A section that the outcome shall have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutputSection {
    /// Its key.
    pub key: String,
    /// Its heading.
    pub heading: String,
    /// What it shall say.
    pub prompt: String,
    /// What it holds.
    #[serde(default)]
    pub shape: SectionShape,
}

/// What the outcome of a debate shall look like.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutputShape {
    /// What kind of answer it is.
    pub kind: OutputKind,
    /// Its sections, in order.
    pub sections: Vec<OutputSection>,
    /// What it must not do.
    #[serde(default)]
    pub guardrails: Vec<String>,
}

/// How a matter is to be debated.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DebatePlan {
    /// What is wanted, one sentence.
    pub intent_summary: String,
    /// Two to four stances, those added by the program included (which may make it five).
    pub stances: Vec<Stance>,
    /// What is to be chosen.
    pub decisions: Vec<OpenDecision>,
    /// What the outcome shall look like.
    pub output_shape: OutputShape,
    /// How many rounds the leader wants, 1 to 5.
    pub planned_rounds: u32,
    /// True when the leader gave no usable plan and the generic one stands in.
    #[serde(default)]
    pub fallback: bool,
}

/// What a council is asked, once it is clear.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClarifiedMatter {
    /// The problem in a few sentences.
    pub problem: String,
    /// What must hold whatever is chosen.
    pub constraints: Vec<String>,
    /// How one sees that the question is answered.
    pub criteria: Vec<String>,
    /// What belongs to it and what does not.
    pub scope: String,
    /// What was asked and answered on the way.
    #[serde(default)]
    pub answers: Vec<ClarifyAnswer>,
    /// What is still open, where nobody answered.
    #[serde(default)]
    pub gaps: Vec<String>,
}

/// A question of the clarification with its answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClarifyAnswer {
    /// Its id, unique in its matter: `q1`.
    pub id: String,
    /// What was asked.
    pub question: String,
    /// What was answered.
    pub answer: String,
    /// True when a person said it.
    pub by_person: bool,
}

/// What a seat chooses in one decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    /// The decision's id.
    pub decision: String,
    /// The option, counted from zero.
    pub option: u32,
    /// How sure the seat is, in hundredths.
    pub confidence: u32,
    /// What it stands on, each found by the program.
    #[serde(default)]
    pub cites: Vec<String>,
    /// What it named and was not found, each with the reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub broken: Vec<String>,
}

/// The tags of a text, after they were checked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TagCount {
    /// `[CONFIRMED via …]` whose source was found.
    pub confirmed: u32,
    /// `[REFUTED via …]` whose source was found.
    pub refuted: u32,
    /// `[UNVERIFIED]` by the speaker's own word.
    pub unverified: u32,
    /// Tags that named a source which was not found: they stand as unverified, with the reason.
    pub broken: u32,
}

/// How much a result can be relied on, by what was checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Badge {
    /// Most of what was claimed was checked.
    High,
    /// Some of it was.
    Medium,
    /// Little of it was, or there is no synthesis.
    Low,
    /// Nobody tagged a claim.
    NotMeasured,
}

impl Badge {
    /// The word that people read.
    pub const fn word(self) -> &'static str {
        match self {
            Self::High => "high",
            Self::Medium => "medium",
            Self::Low => "low",
            Self::NotMeasured => "not measured",
        }
    }
}

/// Whose voices stand behind a result.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Voices {
    /// Different models.
    #[default]
    Several,
    /// Samples of one model.
    OneModel,
    /// Rules alone: no debate.
    Rules,
}

/// Why a debate ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DebateStop {
    /// Every round that was planned was held.
    Rounds,
    /// The leader saw nothing left to argue about.
    Leader,
    /// The seats said that they agree.
    Converged,
    /// In two rounds running, half of the pairs or more failed.
    FailedPairs,
    /// What is left of the cap is needed for the synthesis.
    Budget,
    /// Independent drafts chose the same, with evidence that holds.
    DraftsAgree,
    /// Only one seat opened.
    OneOpening,
    /// No seat opened.
    NoOpenings,
    /// Fewer than two seats were left.
    SeatsLeft,
}

/// Who stood where on a decision in the end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DecisionVote {
    /// The decision's id.
    pub id: String,
    /// What was asked.
    pub question: String,
    /// Its options.
    pub options: Vec<String>,
    /// The option that carries it, counted from zero; nothing when it is open.
    pub option: Option<u32>,
    /// The weight of each option, in thousandths of all.
    pub weights: Vec<u32>,
    /// True when everybody who spoke chose the same.
    pub agreed: bool,
    /// The stances by option, in the order of seats.
    pub voters: Vec<Vec<String>>,
    /// True when the option differs from what the blind openings came to; nothing without two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changed: Option<bool>,
}

/// Somebody who did not agree in the end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dissent {
    /// The stance's name.
    pub who: String,
    /// The decision's id; empty where it is about the whole.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub decision: String,
    /// Why.
    pub why: String,
    /// The key of the turn in which they said so; empty where only the leader says it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub turn: String,
}

/// How soon a step is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepPriority {
    /// First.
    High,
    /// After those that it needs.
    Medium,
    /// Whenever there is time.
    Low,
}

/// A step of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActionStep {
    /// What is to be done, so that it can be read by itself.
    pub description: String,
    /// How soon.
    pub priority: StepPriority,
}

/// How much work a plan is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanComplexity {
    /// Up to four steps.
    Trivial,
    /// Up to nine.
    Moderate,
    /// More.
    Complex,
}

/// What would be done to follow an outcome.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActionPlan {
    /// The steps, in order.
    pub steps: Vec<ActionStep>,
    /// How much work it is.
    pub complexity: PlanComplexity,
    /// What must be there first.
    #[serde(default)]
    pub prerequisites: Vec<String>,
}

/// A question that was answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResolvedQuestion {
    /// The question.
    pub question: String,
    /// The answer.
    pub answer: String,
}

/// What a debate came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CouncilOutcome {
    /// What kind of answer it is.
    #[serde(rename = "type")]
    pub kind: OutputKind,
    /// A few sentences.
    pub summary: String,
    /// By the keys of the plan's sections: texts or lists.
    #[serde(default)]
    pub sections: BTreeMap<String, serde_json::Value>,
    /// What everybody holds.
    #[serde(default)]
    pub agreed: Vec<String>,
    /// What is paid for what.
    #[serde(default)]
    pub tradeoffs: Vec<String>,
    /// What to do; empty when the council does not say.
    #[serde(default)]
    pub recommendation: String,
    /// What to do next, one by one.
    #[serde(default)]
    pub action_items: Vec<String>,
    /// The question that was asked, with its answer.
    #[serde(default)]
    pub resolved_question: Option<ResolvedQuestion>,
    /// Steps, where there are enough of them.
    #[serde(default)]
    pub plan: Option<ActionPlan>,
    /// Who still disagrees, and why.
    #[serde(default)]
    pub dissent: Vec<Dissent>,
    /// The decisions with their votes.
    #[serde(default)]
    pub decisions: Vec<DecisionVote>,
}
