//! Turns of a review and of a consultation by rules: memory that touches the matter is told, and
//! everything that needs a reader of code is said to need one.

use serde_json::{Value, json};

use super::loop_brief::Brief;
use super::loop_critique::{touching, warning};
use super::loop_ideation::{QUOTED, quoted, ticked};
use crate::english::listed;

const MOST: usize = 8;

/// What memory says about the question, and no opinion.
pub(super) fn advice(brief: &Brief) -> Value {
    let found = touching(brief);
    let found: Vec<_> = found.iter().take(MOST).collect();
    let mut lines = vec![if found.is_empty() {
        "Memory says nothing about this.".to_owned()
    } else {
        "Memory says this about it:".to_owned()
    }];
    lines.extend(found.iter().map(|(item, _)| {
        let (kind, text) = (item.kind.replace('_', " "), quoted(&item.text, QUOTED));
        let unsure = if item.proposed {
            ", which nobody has accepted yet"
        } else {
            ""
        };
        format!("- {kind} {}{unsure}: {text}", item.id)
    }));
    lines.push("These rules have no opinion beyond that.".to_owned());
    let cites: Vec<&str> = found.iter().map(|(item, _)| item.id.as_str()).collect();
    json!({"text": lines.join("\n"), "cites": cites})
}

/// Memory that touches the change and that nobody has answered; no code is read.
pub(super) fn finding(brief: &Brief) -> Value {
    let found = warning(brief);
    let findings = found.iter().take(MOST).map(|(item, shared)| {
        let text = format!(
            "Memory ({}) says: \"{}\" The change speaks of {} too and does not say how it heeds this.",
            item.kind.replace('_', " "),
            quoted(&item.text, QUOTED),
            listed(&ticked(shared))
        );
        json!({"text": text, "cites": [item.id]})
    });
    json!({
        "findings": findings.collect::<Vec<_>>(),
        "nothing_new": found.len() <= MOST,
        "accepted": false,
        "why": "Rule: these rules hold the summary against memory and read no code.",
    })
}

/// What was found, and that nothing was done about it.
pub(super) fn response(brief: &Brief) -> Value {
    let answers = brief.earlier("finding").map(|finding| {
        json!({"critique": finding.id, "how": "nothing was changed: these rules change no code"})
    });
    json!({
        "text": "These rules cannot answer for a change. Whoever made it should.",
        "answers": answers.collect::<Vec<_>>(),
    })
}

/// Never accepted: rules cannot know.
pub(super) fn verdict(brief: &Brief) -> Value {
    let open: Vec<String> = brief
        .earlier("finding")
        .map(|finding| finding.id.clone())
        .collect();
    let open = if open.is_empty() {
        "Nothing was found".to_owned()
    } else {
        format!("These findings were handed in: {}", listed(&open))
    };
    let why = format!(
        "{open}. Whether the change can go in, these rules cannot tell: a person has to say."
    );
    json!({"accepted": false, "why": why})
}
