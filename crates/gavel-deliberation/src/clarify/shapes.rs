//! What models are asked for while a matter is made clear, and what makes an answer usable.

use schemars::JsonSchema;
use serde::Deserialize;

const OPTIONS: std::ops::RangeInclusive<usize> = 2..=4;
const CRITERIA: std::ops::RangeInclusive<usize> = 1..=8;
const MOST_CONSTRAINTS: usize = 12;
pub(super) const MOST_GAPS: usize = 8;
/// The longest of what stands on a card, in characters.
const LINE: usize = 400;
const LABEL: usize = 100;
const PROBLEM: usize = 3_000;
const TALK: usize = 1_500;

/// What is asked next.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Questions {
    /// At most two; none when nothing is open.
    pub(super) questions: Vec<Proposed>,
}

/// A question with its answers.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(super) struct Proposed {
    /// One sentence.
    pub(super) question: String,
    /// What hangs on the answer, one sentence.
    pub(super) why: String,
    /// Two to four.
    pub(super) options: Vec<ProposedOption>,
    /// The place of the recommended option, counted from one.
    pub(super) recommended: usize,
}

/// An answer that is offered.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(super) struct ProposedOption {
    /// A few words.
    pub(super) label: String,
    /// What it means, one short sentence.
    #[serde(default)]
    pub(super) text: String,
}

/// Whether everything is known that a debate needs.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Readiness {
    pub(super) ready: bool,
    /// 0 to 100.
    pub(super) confidence: u32,
    /// What is not known; none when it is ready.
    #[serde(default)]
    pub(super) gaps: Vec<String>,
}

/// The matter as a model writes it down.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct MatterAnswer {
    /// Two to five sentences.
    pub(super) problem: String,
    /// What must hold whatever is chosen.
    #[serde(default)]
    pub(super) constraints: Vec<String>,
    /// One to eight.
    pub(super) criteria: Vec<String>,
    /// What belongs to it and what does not.
    #[serde(default)]
    pub(super) scope: String,
    /// What nobody said although the outcome hangs on it.
    #[serde(default)]
    pub(super) gaps: Vec<String>,
}

/// What the leader says about a question.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Discussion {
    /// Two to five short sentences.
    pub(super) text: String,
}

impl ProposedOption {
    /// What a person reads, and what is recorded as the answer.
    pub(super) fn words(&self) -> String {
        let (label, text) = (self.label.trim(), self.text.trim());
        if text.is_empty() || text.eq_ignore_ascii_case(label) {
            return label.to_owned();
        }
        format!("{label}: {text}")
    }
}

pub(super) fn check_questions(answer: &Questions) -> Result<(), String> {
    let mut wrong = Vec::new();
    for (place, one) in answer.questions.iter().enumerate() {
        let name = |field: &str| format!("questions[{place}].{field}");
        wrong.extend(sentence(&name("question"), &one.question, LINE));
        wrong.extend(too_long(&name("why"), &one.why, LINE));
        if !OPTIONS.contains(&one.options.len()) {
            wrong.push(format!("`{}` must have 2 to 4 entries", name("options")));
        }
        if !(1..=one.options.len()).contains(&one.recommended) {
            wrong.push(format!(
                "`{}` must be the place of an option, counted from one",
                name("recommended")
            ));
        }
        let mut labels: Vec<String> = Vec::new();
        for (at, option) in one.options.iter().enumerate() {
            let of = |field: &str| name(&format!("options[{at}].{field}"));
            wrong.extend(sentence(&of("label"), &option.label, LABEL));
            wrong.extend(too_long(&of("text"), &option.text, LINE));
            let label = plain(&option.label);
            if labels.contains(&label) {
                wrong.push(format!("`{}` is there twice", of("label")));
            }
            labels.push(label);
        }
    }
    all_right(&wrong)
}

pub(super) fn check_readiness(answer: &Readiness) -> Result<(), String> {
    let mut wrong = Vec::new();
    if answer.confidence > 100 {
        wrong.push("`confidence` must be 0 to 100".to_owned());
    }
    match (answer.ready, answer.gaps.is_empty()) {
        (true, false) => wrong.push("`ready` is true, so `gaps` must be empty".to_owned()),
        (false, true) => {
            wrong.push("`ready` is false, so `gaps` must say what is not known".to_owned());
        }
        (true, true) | (false, false) => {}
    }
    wrong.extend(sentences("gaps", &answer.gaps));
    all_right(&wrong)
}

pub(super) fn check_matter(answer: &MatterAnswer) -> Result<(), String> {
    let mut wrong = Vec::new();
    wrong.extend(sentence("problem", &answer.problem, PROBLEM));
    wrong.extend(too_long("scope", &answer.scope, PROBLEM));
    if !CRITERIA.contains(&answer.criteria.len()) {
        wrong.push("`criteria` must have 1 to 8 entries".to_owned());
    }
    for (name, list, most) in [
        ("constraints", &answer.constraints, MOST_CONSTRAINTS),
        ("gaps", &answer.gaps, MOST_GAPS),
    ] {
        if list.len() > most {
            wrong.push(format!("`{name}` may have {most} entries"));
        }
        wrong.extend(sentences(name, list));
    }
    wrong.extend(sentences("criteria", &answer.criteria));
    all_right(&wrong)
}

pub(super) fn check_discussion(answer: &Discussion) -> Result<(), String> {
    all_right(&Vec::from_iter(sentence("text", &answer.text, TALK)))
}

/// A text by which two of the same are found.
pub(super) fn plain(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ").to_lowercase();
    text.trim_end_matches(['?', '.', '!', ' ']).to_owned()
}

fn sentences(name: &str, all: &[String]) -> Vec<String> {
    let each = all.iter().enumerate();
    each.filter_map(|(place, text)| sentence(&format!("{name}[{place}]"), text, LINE))
        .collect()
}

fn sentence(name: &str, text: &str, most: usize) -> Option<String> {
    if text.trim().is_empty() {
        return Some(format!("`{name}` must not be empty"));
    }
    too_long(name, text, most)
}

fn too_long(name: &str, text: &str, most: usize) -> Option<String> {
    (text.chars().count() > most).then(|| format!("`{name}` may have {most} characters"))
}

fn all_right(wrong: &[String]) -> Result<(), String> {
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(wrong.join("; "))
    }
}

#[cfg(test)]
#[path = "shapes_tests.rs"]
mod tests;
