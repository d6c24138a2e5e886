//! A seat at the council, by rules: what idea, answers and memory say, and nothing beyond it.

use std::collections::BTreeSet;

use gavel_domain::{DiscoveryAnswer, MemoryNote};
use serde_json::{Value, json};

use super::conversation::{Conversation, Halt};
use super::discovery::own_answer;
use super::project::{design, joined, outline, unmet, why_not};

/// Kinds of memory that speak against something.
const WARNINGS: [&str; 3] = ["trap", "feedback", "failure"];
/// More claims are not taken.
const MOST: usize = 20;
/// More assumptions are not taken.
const MOST_ASSUMED: usize = 12;
const ADVICE: &str = "Rule: keep to what idea and answers say, and test every criterion.";

/// What a seat has to say: claims, each with the tag of what it rests on.
struct View {
    position: String,
    claims: Vec<(String, String)>,
    risks: Vec<String>,
}

pub(super) fn draft(talk: &Conversation<'_>) -> Result<Value, Halt> {
    let View {
        position,
        claims,
        risks,
    } = view(talk)?;
    let claims = claims
        .iter()
        .map(|(text, tag)| json!({"text": text, "evidence": [tag]}));
    let claims: Vec<Value> = claims.collect();
    Ok(
        json!({"position": position, "claims": claims, "risks": risks, "recommendation": ADVICE,
        "assumptions": []}),
    )
}

/// Agrees with what it says itself, disputes what rests on nothing that is there.
pub(super) fn reply(talk: &Conversation<'_>) -> Result<Value, Halt> {
    let View {
        position, claims, ..
    } = view(talk)?;
    let tags: BTreeSet<&String> = claims.iter().map(|(_, tag)| tag).collect();
    let (mut agree, mut dispute) = (BTreeSet::new(), Vec::new());
    for (claim, evidence) in claims_in(talk.some_text("other_drafts"), "text") {
        let known = |tag: &&String| tags.contains(tag) || *tag == "idea";
        let lost = evidence.iter().find(|tag| !known(tag));
        let why = match lost {
            Some(tag) => format!("Rule: its evidence `{tag}` is not there."),
            None if evidence.is_empty() => "Rule: it names no evidence.".to_owned(),
            None if claims.iter().any(|(own, _)| *own == claim) => {
                agree.insert(claim);
                continue;
            }
            None => continue,
        };
        dispute.push(json!({"claim": claim, "why": why, "evidence": []}));
    }
    Ok(json!({"agree": agree, "dispute": dispute, "position": position}))
}

/// Settles every question as it was answered, with what was said against it.
pub(super) fn synthesis(talk: &Conversation<'_>) -> Result<Value, Halt> {
    let View {
        position, risks, ..
    } = view(talk)?;
    let answers: Vec<DiscoveryAnswer> = talk.some_list("answers")?;
    let disputes = disputes_in(talk.some_text("replies"));
    let decide = |one: &DiscoveryAnswer| {
        let question = &one.question;
        let (choice, why) = decided(one);
        let tag = format!("answer:{question}");
        let against = disputes.iter().filter(|(_, claim, evidence)| {
            evidence.contains(&tag) || claim.contains(question.as_str())
        });
        let dissent = joined(against.clone().map(|(_, claim, _)| claim), "; ");
        let by: BTreeSet<&String> = against.map(|(stance, ..)| stance).collect();
        let by: Vec<&String> = by.into_iter().filter(|stance| !stance.is_empty()).collect();
        json!({"title": question, "choice": choice, "why": why, "dissent": dissent, "dissent_by": by})
    };
    let decisions: Vec<Value> = answers.iter().map(decide).collect();
    let (disputed, risks) = (disputes.len(), risks.len());
    let counts = format!("{disputed} claims were disputed, {risks} risks were named");
    let assumptions = assumed_in(talk.some_text("drafts"));
    Ok(json!({
        "summary": format!("{position} {counts}."), "decisions": decisions,
        "assumptions": assumptions,
    }))
}

/// What holds, and why: what these rules do not do is not decided, whoever asked for it.
fn decided(one: &DiscoveryAnswer) -> (String, String) {
    let answer = &one.answer;
    let instead = own_answer(&one.question).filter(|own| !own.contains('@'));
    match (why_not(one), instead) {
        (Some(why), Some(own)) => (
            own.to_owned(),
            format!("Rule: \"{answer}\" was asked for and is out of scope: {why}."),
        ),
        (Some(_), None) | (None, _) if one.by_person => {
            (answer.clone(), "Rule: a person said so.".to_owned())
        }
        (Some(_), None) | (None, _) => (
            answer.clone(),
            "Rule: it was recommended, and nobody said otherwise.".to_owned(),
        ),
    }
}

fn view(talk: &Conversation<'_>) -> Result<View, Halt> {
    let answers: Vec<DiscoveryAnswer> = talk.some_list("answers")?;
    let memory: Vec<MemoryNote> = talk.some_list("memory")?;
    let (mut claims, mut risks) = (Vec::new(), unmet(&answers));
    let position = match design(talk.text("idea")?, &answers) {
        Ok(design) => {
            let things = outline(&design);
            claims.push((format!("The idea names {things}."), "idea".to_owned()));
            format!(
                "Rule-based view: `{}` can be commands over {things}.",
                design.program()
            )
        }
        Err(Halt::Cannot(why)) => {
            risks.push(format!(
                "Rule: the offline rules do not reach this idea: {why}."
            ));
            "Rule-based view: these rules do not understand the idea and have no opinion."
                .to_owned()
        }
        Err(halt @ Halt::Call(_)) => return Err(halt),
    };
    for DiscoveryAnswer {
        question,
        answer,
        by_person,
        ..
    } in &answers
    {
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
    for MemoryNote { id, kind, text } in &memory {
        claims.push((
            format!("Memory ({kind}) says: {text}"),
            format!("memory:{id}"),
        ));
        if WARNINGS.contains(&kind.as_str()) {
            risks.push(format!("Memory ({kind}) warns: {text}"));
        }
    }
    claims.truncate(MOST);
    Ok(View {
        position,
        claims,
        risks,
    })
}

/// What each reply disputes: stance, claim and evidence.
fn disputes_in(replies: &str) -> Vec<(String, String, Vec<String>)> {
    let replies: Vec<Value> = serde_json::from_str(replies).unwrap_or_default();
    let of_one = |reply: &Value| {
        let stance = text_of(reply, "stance");
        let claims = claims_in(&reply.to_string(), "claim").into_iter();
        let claims = claims.map(|(claim, evidence)| (stance.clone(), claim, evidence));
        claims.collect::<Vec<_>>()
    };
    replies.iter().flat_map(of_one).collect()
}

/// What the drafts take for granted, each claim once, as it was said.
fn assumed_in(drafts: &str) -> Vec<Value> {
    let drafts: Vec<Value> = serde_json::from_str(drafts).unwrap_or_default();
    let (mut seen, mut all) = (BTreeSet::new(), Vec::new());
    for draft in &drafts {
        let named = draft.get("assumptions").and_then(Value::as_array);
        for one in named.into_iter().flatten() {
            if seen.insert(text_of(one, "claim")) && all.len() < MOST_ASSUMED {
                all.push(json!({
                    "claim": text_of(one, "claim"),
                    "confidence": text_of(one, "confidence"),
                    "how_to_validate": text_of(one, "how_to_validate"),
                    "raised_by": text_of(draft, "stance"),
                }));
            }
        }
    }
    all
}

fn text_of(value: &Value, name: &str) -> String {
    let text = value.get(name).and_then(Value::as_str);
    text.unwrap_or_default().to_owned()
}

/// All claims with their evidence, wherever they stand in the JSON; in other texts there are none.
fn claims_in(json: &str, name: &str) -> Vec<(String, Vec<String>)> {
    let mut all = Vec::new();
    let mut open: Vec<Value> = serde_json::from_str(json).into_iter().collect();
    while let Some(value) = open.pop() {
        let text = value.get(name).and_then(Value::as_str);
        if let (Some(text), Some(evidence)) =
            (text, value.get("evidence").and_then(Value::as_array))
        {
            let tags = evidence.iter().filter_map(Value::as_str).map(str::to_owned);
            all.push((text.to_owned(), tags.collect()));
        }
        match value {
            Value::Array(items) => open.extend(items.into_iter().rev()),
            Value::Object(fields) => open.extend(fields.into_iter().map(|(_, inner)| inner)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    all
}
