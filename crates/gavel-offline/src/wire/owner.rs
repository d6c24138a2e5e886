//! Product owner and customer, by rules: what was agreed must be met, every bit of it.

use serde_json::{Value, json};

use super::conversation::{Conversation, Halt};

/// How many criteria are named one by one.
const NAMED: usize = 10;
const UNTRIED: &str = "Rule: no person and no model has tried it; whether it is pleasant to use, \
    these rules cannot say.";

struct View {
    met: usize,
    open: Vec<String>,
}

/// The owner ships what is met whole, and answers with what the tests say.
pub(super) fn owner(talk: &Conversation<'_>) -> Result<Value, Halt> {
    let view = view(talk)?;
    let answer = "Rule: only what was agreed counts, and the tests say what of it holds.";
    let mut said = word(&view);
    if let Value::Object(fields) = &mut said {
        fields.insert("answers".to_owned(), json!([answer]));
    }
    Ok(said)
}

/// The customer takes what is met whole.
pub(super) fn customer(talk: &Conversation<'_>) -> Result<Value, Halt> {
    view(talk).map(|view| word(&view))
}

fn word(view: &View) -> Value {
    let View { met, open } = view;
    let all = met + open.len();
    let mut objections: Vec<String> = open
        .iter()
        .take(NAMED)
        .map(|id| format!("Rule: the criterion `{id}` is not met."))
        .collect();
    objections.push(UNTRIED.to_owned());
    json!({
        "ship": open.is_empty() && *met > 0,
        "reasons": [format!("Rule: {met} of {all} criteria are met.")],
        "objections": objections,
    })
}

fn view(talk: &Conversation<'_>) -> Result<View, Halt> {
    let (mut met, mut open) = (0, Vec::new());
    for line in talk.text("criteria")?.lines() {
        let criterion: Value = serde_json::from_str(line)
            .map_err(|error| Halt::cannot(format!("a criterion cannot be read: {error}")))?;
        let text = |name: &str| criterion.get(name).and_then(Value::as_str);
        if text("standing") == Some("met") {
            met += 1;
        } else {
            open.push(text("id").unwrap_or_default().to_owned());
        }
    }
    Ok(View { met, open })
}
