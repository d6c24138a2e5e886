//! A seat at the council, by rules: what idea, answers and memory say, and nothing beyond it.

use std::collections::BTreeSet;

use gavel_domain::{DiscoveryAnswer, MemoryNote};
use serde_json::{Value, json};

use super::conversation::{Conversation, Halt};
use super::project::{design, outlines, unmet};

/// Kinds of memory that speak against something.
const WARNINGS: [&str; 3] = ["trap", "feedback", "failure"];

/// What a seat knows.
struct Known {
    answers: Vec<DiscoveryAnswer>,
    memory: Vec<MemoryNote>,
    claims: Vec<(String, String)>,
    risks: Vec<String>,
    position: String,
}

pub(super) fn draft(talk: &Conversation<'_>) -> Result<Value, Halt> {
    let known = know(talk)?;
    let claim = |(text, evidence): &(String, String)| json!({"text": text, "evidence": [evidence]});
    let claims: Vec<Value> = known.claims.iter().map(claim).collect();
    Ok(json!({
        "position": known.position,
        "claims": claims,
        "risks": known.risks,
        "recommendation": "Rule: keep to what the idea and the answers say, and test every criterion.",
    }))
}

pub(super) fn reply(talk: &Conversation<'_>) -> Result<Value, Halt> {
    let known = know(talk)?;
    let tags = known.tags();
    let mut agree = BTreeSet::new();
    let mut dispute = Vec::new();
    for (text, evidence) in claims_in(talk.some_text("other_drafts")) {
        let missing: Vec<&String> = evidence.iter().filter(|tag| !tags.contains(*tag)).collect();
        if evidence.is_empty() {
            dispute
                .push(json!({"claim": text, "why": "Rule: it names no evidence.", "evidence": []}));
        } else if let Some(tag) = missing.first() {
            let why = format!("Rule: its evidence `{tag}` is not there.");
            dispute.push(json!({"claim": text, "why": why, "evidence": []}));
        } else if known.claims.iter().any(|(own, _)| *own == text) {
            agree.insert(text);
        }
    }
    Ok(json!({"agree": agree, "dispute": dispute, "position": known.position}))
}

pub(super) fn synthesis(talk: &Conversation<'_>) -> Result<Value, Halt> {
    let known = know(talk)?;
    let disputes = disputes_in(talk.some_text("replies"));
    let decide = |answer: &DiscoveryAnswer| {
        let DiscoveryAnswer {
            question,
            answer,
            by_person,
        } = answer;
        let why = if *by_person {
            "Rule: a person said so."
        } else {
            "Rule: it was recommended, and nobody said otherwise."
        };
        let tag = format!("answer:{question}");
        let against = disputes.iter().filter(|(claim, evidence)| {
            evidence.contains(&tag) || claim.contains(question.as_str())
        });
        let dissent: Vec<&str> = against.map(|(claim, _)| claim.as_str()).collect();
        json!({"title": question, "choice": answer, "why": why, "dissent": dissent.join("; ")})
    };
    let decisions: Vec<Value> = known.answers.iter().map(decide).collect();
    let (count, risks) = (disputes.len(), known.risks.len());
    let summary = format!(
        "{} {count} claims were disputed, {risks} risks were named. Put together by rules, without a language model.",
        known.position
    );
    Ok(json!({"summary": summary, "decisions": decisions}))
}

impl Known {
    /// Every tag that stands for something.
    fn tags(&self) -> BTreeSet<String> {
        let answers = self
            .answers
            .iter()
            .map(|answer| format!("answer:{}", answer.question));
        let memory = self.memory.iter().map(|note| format!("memory:{}", note.id));
        answers.chain(memory).chain(["idea".to_owned()]).collect()
    }
}

fn know(talk: &Conversation<'_>) -> Result<Known, Halt> {
    let answers: Vec<DiscoveryAnswer> = talk.json("answers")?;
    let memory: Vec<MemoryNote> = talk.json("memory")?;
    let mut claims = Vec::new();
    let mut risks = Vec::new();
    let position = match design(talk.text("idea")?, &answers) {
        Ok(design) => {
            let things = outlines(&design);
            claims.push((format!("The idea names {things}."), "idea".to_owned()));
            format!(
                "Rule-based view: `{}` can be built as commands over {things}.",
                design.program()
            )
        }
        Err(Halt::Cannot(why)) => {
            risks.push(format!(
                "Rule: the offline rules do not reach this idea: {why}."
            ));
            "Rule-based view: these rules do not understand the idea and have no opinion on it."
                .to_owned()
        }
        Err(Halt::Call(_)) => String::new(),
    };
    for answer in &answers {
        let DiscoveryAnswer {
            question,
            answer,
            by_person,
        } = answer;
        let who = if *by_person {
            "A person settled"
        } else {
            "It was recommended to settle"
        };
        claims.push((
            format!("{who} {question} as: {answer}"),
            format!("answer:{question}"),
        ));
    }
    for note in &memory {
        let MemoryNote { id, kind, text } = note;
        let warns = WARNINGS.contains(&kind.as_str());
        let side = if warns { "against" } else { "beside" };
        claims.push((
            format!("Memory ({kind}) says {side} it: {text}"),
            format!("memory:{id}"),
        ));
        if warns {
            risks.push(format!("Memory ({kind}) warns: {text}"));
        }
    }
    for (asked, why) in unmet(&answers) {
        risks.push(format!("{} = {}: {why}", asked.question, asked.answer));
    }
    Ok(Known {
        answers,
        memory,
        claims,
        risks,
        position,
    })
}

/// Every claim with its evidence, wherever it stands in the drafts.
fn claims_in(drafts: &str) -> Vec<(String, Vec<String>)> {
    found(drafts, "text")
}

/// Every disputed claim with its evidence.
fn disputes_in(replies: &str) -> Vec<(String, Vec<String>)> {
    found(replies, "claim")
}

/// All objects with this text and a list of evidence. What is no JSON holds none.
fn found(json: &str, name: &str) -> Vec<(String, Vec<String>)> {
    let mut all = Vec::new();
    let mut open: Vec<Value> = serde_json::from_str(json).into_iter().collect();
    while let Some(value) = open.pop() {
        match value {
            Value::Array(items) => open.extend(items.into_iter().rev()),
            Value::Object(fields) => {
                let text = fields.get(name).and_then(Value::as_str);
                let evidence = fields.get("evidence").and_then(Value::as_array);
                if let (Some(text), Some(evidence)) = (text, evidence) {
                    let tags = evidence.iter().filter_map(Value::as_str).map(str::to_owned);
                    all.push((text.to_owned(), tags.collect()));
                }
                let inner: Vec<Value> = fields.into_iter().map(|(_, value)| value).collect();
                open.extend(inner.into_iter().rev());
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    all
}
