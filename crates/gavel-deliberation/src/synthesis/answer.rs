//! What the leader writes, and how it is found in what comes back.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::assumed::Listed;

/// The line between the JSON of a synthesis and its text for people.
pub(crate) const READABLE: &str = "---READABLE---";
/// Who raised what no seat did.
const LEADER: &str = "leader";

/// A debate, drawn together by its leader.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct Answer {
    /// Three to five sentences for whoever asked.
    pub(crate) summary: String,
    /// The sections that were asked for, each with its key.
    pub(crate) sections: Vec<SectionSaid>,
    /// What everybody holds, one sentence each.
    pub(crate) agreed: Vec<String>,
    /// What is paid for what, one sentence each.
    pub(crate) tradeoffs: Vec<String>,
    /// What to do, one or two sentences; empty when the debate does not say.
    pub(crate) recommendation: String,
    /// What to do next, in order, one sentence each.
    pub(crate) action_items: Vec<String>,
    /// The answer, when a question was to be answered; else empty.
    pub(crate) resolved_answer: String,
    /// Why each decision went as it was counted.
    pub(crate) decisions: Vec<Reason>,
    /// Other things that were settled on the way.
    pub(crate) settled: Vec<Settled>,
    /// Who still disagrees with what, by the name of the stance.
    pub(crate) dissent: Vec<Objection>,
    /// What is still taken for granted.
    pub(crate) assumptions: Vec<Listed>,
    /// The same for people, as short Markdown; may be empty.
    pub(crate) readable: String,
}

impl Answer {
    /// Changes every text that the leader wrote in its own words.
    pub(crate) fn each_text(&mut self, mut change: impl FnMut(&str) -> String) {
        let one = [
            &mut self.summary,
            &mut self.recommendation,
            &mut self.resolved_answer,
            &mut self.readable,
        ];
        let lists = [
            &mut self.agreed,
            &mut self.tradeoffs,
            &mut self.action_items,
        ];
        let lists = lists.into_iter().flat_map(|list| list.iter_mut());
        let sections = self.sections.iter_mut().map(|section| &mut section.text);
        let whys = self.decisions.iter_mut().map(|reason| &mut reason.why);
        let settled = self.settled.iter_mut();
        let settled = settled.flat_map(|one| [&mut one.choice, &mut one.why]);
        let against = self.dissent.iter_mut().map(|one| &mut one.why);
        let taken = self.assumptions.iter_mut().map(|one| &mut one.claim);
        let all = one.into_iter().chain(lists).chain(sections).chain(whys);
        for text in all.chain(settled).chain(against).chain(taken) {
            *text = change(text);
        }
    }
}

/// A section.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct SectionSaid {
    /// Its key, as given.
    pub(crate) key: String,
    /// What it says; a list has one entry per line.
    pub(crate) text: String,
}

/// Why a decision went as it did.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct Reason {
    /// The decision's id, as given.
    pub(crate) id: String,
    /// Why.
    pub(crate) why: String,
}

/// Something that was settled on the way.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct Settled {
    /// What it is about.
    pub(crate) title: String,
    /// What was chosen.
    pub(crate) choice: String,
    /// Why.
    pub(crate) why: String,
}

/// Somebody who still disagrees.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct Objection {
    /// The name of the stance.
    pub(crate) who: String,
    /// Why.
    pub(crate) why: String,
}

/// Why an answer cannot be used; what to do about it differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Flaw {
    /// There is none.
    Empty,
    /// It breaks off.
    Cut,
    /// No JSON object is in it.
    NoJson,
    /// It says something that cannot be.
    Unfit(String),
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("the answer is empty"),
            Self::Cut => f.write_str("the answer breaks off before it is complete"),
            Self::NoJson => f.write_str("the answer holds no JSON object"),
            Self::Unfit(problem) => f.write_str(problem),
        }
    }
}

/// Reads a synthesis: an object, alone or fenced or after some prose, and perhaps the text for people
/// behind a line of its own. Of several objects the last one counts.
pub(crate) fn read_answer(text: &str) -> Result<Answer, Flaw> {
    let (said, readable) = divide(text);
    if said.trim().is_empty() {
        return Err(Flaw::Empty);
    }
    let mut found = last_object(said, "summary")?;
    soften(&mut found);
    let mut answer: Answer = serde_json::from_value(Value::Object(found))
        .map_err(|error| Flaw::Unfit(error.to_string()))?;
    if answer.summary.trim().is_empty() {
        return Err(Flaw::Unfit("`summary` must not be empty".to_owned()));
    }
    if !readable.trim().is_empty() {
        answer.readable = readable.trim().to_owned();
    }
    Ok(answer)
}

/// What stands before the line, and what stands behind it.
pub(crate) fn divide(text: &str) -> (&str, &str) {
    let mut from = 0;
    for line in text.split_inclusive('\n') {
        let behind = from + line.len();
        if line.trim() == READABLE {
            let before = text.get(..from).unwrap_or_default();
            return (before, text.get(behind..).unwrap_or_default());
        }
        from = behind;
    }
    (text, "")
}

/// The last whole object of a text that has this field.
pub(crate) fn last_object(text: &str, field: &str) -> Result<Map<String, Value>, Flaw> {
    let (mut last, mut any, mut cut) = (None, false, false);
    let mut at = 0;
    while let Some(rest) = text.get(at..)
        && let Some(open) = rest.find('{')
    {
        at += open;
        let mut objects = serde_json::Deserializer::from_str(text.get(at..).unwrap_or_default())
            .into_iter::<Map<String, Value>>();
        match objects.next() {
            Some(Ok(object)) => {
                at += objects.byte_offset().max(1);
                any = true;
                if object.contains_key(field) {
                    last = Some(object);
                }
            }
            Some(Err(error)) => {
                cut |= error.is_eof();
                at += 1;
            }
            None => at += 1,
        }
    }
    match last {
        Some(object) => Ok(object),
        None if cut => Err(Flaw::Cut),
        None if any => Err(Flaw::Unfit(format!("`{field}` is missing"))),
        None => Err(Flaw::NoJson),
    }
}

/// Takes other spellings of the same: a map for a list of pairs, a text for a list, a null for
/// nothing. What a thing says is not touched.
fn soften(fields: &mut Map<String, Value>) {
    fields.retain(|_, value| !value.is_null());
    for name in ["summary", "recommendation", "resolved_answer", "readable"] {
        if let Some(value) = fields.get_mut(name) {
            *value = Value::String(words_of(value));
        }
    }
    for name in ["agreed", "tradeoffs", "action_items"] {
        if let Some(value) = fields.get_mut(name) {
            *value = json!(lines_of(value));
        }
    }
    let pairs = [
        ("sections", "key", "text"),
        ("decisions", "id", "why"),
        ("dissent", "who", "why"),
    ];
    for (name, left, right) in pairs {
        if let Some(value) = fields.get_mut(name) {
            *value = pairs_of(value, left, right);
        }
    }
    if let Some(value) = fields.get_mut("settled") {
        let given = value.as_array().cloned().unwrap_or_default();
        let entries = given.iter().filter_map(Value::as_object);
        let entry = |entry: &Map<String, Value>| {
            json!({
                "title": field_of(entry, "title"),
                "choice": field_of(entry, "choice"),
                "why": field_of(entry, "why"),
            })
        };
        *value = Value::Array(entries.map(entry).collect());
    }
    if let Some(value) = fields.get_mut("assumptions") {
        let given = value.as_array().cloned().unwrap_or_default();
        *value = Value::Array(given.iter().filter_map(assumption).collect());
    }
}

fn pairs_of(value: &Value, left: &str, right: &str) -> Value {
    let pair = |name: &str, words: String| json!({left: name, right: words});
    let pairs: Vec<Value> = match value {
        Value::Object(map) => map
            .iter()
            .map(|(name, words)| pair(name, words_of(words)))
            .collect(),
        Value::Array(entries) => {
            let one = |entry: &Value| match entry {
                Value::Object(entry) => Some(pair(&field_of(entry, left), field_of(entry, right))),
                Value::String(text) => text
                    .split_once(':')
                    .map(|(name, words)| pair(name.trim(), words.trim().to_owned())),
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => None,
            };
            entries.iter().filter_map(one).collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    };
    Value::Array(pairs)
}

fn assumption(value: &Value) -> Option<Value> {
    let entry = match value {
        Value::Object(entry) => entry.clone(),
        Value::String(claim) => Map::from_iter([("claim".to_owned(), json!(claim))]),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => return None,
    };
    let claim = field_of(&entry, "claim");
    if claim.trim().is_empty() {
        return None;
    }
    let confidence = field_of(&entry, "confidence").to_lowercase();
    let known = ["high", "medium", "low"].contains(&confidence.as_str());
    let by = field_of(&entry, "raised_by");
    Some(json!({
        "claim": claim,
        "confidence": if known { confidence.as_str() } else { "low" },
        "how_to_validate": field_of(&entry, "how_to_validate"),
        "raised_by": if by.trim().is_empty() { LEADER } else { by.trim() },
    }))
}

fn field_of(entry: &Map<String, Value>, name: &str) -> String {
    entry.get(name).map(words_of).unwrap_or_default()
}

/// Any value as text: lists line by line, objects as `name: text`.
fn words_of(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Bool(yes) => yes.to_string(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.clone(),
        Value::Array(entries) => {
            let lines: Vec<String> = entries.iter().map(words_of).collect();
            lines.join("\n")
        }
        Value::Object(fields) => {
            let parts = fields
                .iter()
                .map(|(name, value)| format!("{name}: {}", words_of(value)));
            parts.collect::<Vec<_>>().join("; ")
        }
    }
}

/// Any value as a list of lines that say something.
fn lines_of(value: &Value) -> Vec<String> {
    match value {
        Value::Array(entries) => {
            let lines = entries.iter().map(words_of);
            lines.filter(|line| !line.trim().is_empty()).collect()
        }
        Value::String(text) => list_lines(text),
        Value::Null => Vec::new(),
        Value::Bool(_) | Value::Number(_) | Value::Object(_) => vec![words_of(value)],
    }
}

/// The lines of a list, without the signs that begin them.
pub(crate) fn list_lines(text: &str) -> Vec<String> {
    let lines = text.lines().map(|line| {
        let line = line.trim();
        let marks = ["- ", "* ", "• "];
        let line = marks
            .iter()
            .find_map(|mark| line.strip_prefix(mark))
            .unwrap_or(line);
        let digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
        let numbered = digits.len() < line.len() && digits.starts_with(['.', ')']);
        let rest = if numbered {
            digits.trim_start_matches(['.', ')'])
        } else {
            line
        };
        rest.trim().to_owned()
    });
    lines.filter(|line| !line.is_empty()).collect()
}

#[cfg(test)]
#[path = "answer_tests.rs"]
mod tests;
