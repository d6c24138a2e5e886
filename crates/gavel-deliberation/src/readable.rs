//! The outcome of a debate as text for people, and excerpts of what was said.

use gavel_domain::{CouncilOutcome, DecisionVote, Dissent, OutputSection};
use serde_json::Value;

use crate::words::telling;

/// What people call the fields of an outcome; a section of the same key says the same again.
const FIELDS: [&str; 5] = [
    "summary",
    "agreed",
    "tradeoffs",
    "recommendation",
    "action_items",
];

/// The outcome as Markdown. Where the leader wrote a text, it stands first; who voted how and who
/// disagrees is always told by the count, whatever that text says.
pub(crate) fn readable(
    topic: &str,
    sections: &[OutputSection],
    outcome: &CouncilOutcome,
    told: &str,
) -> String {
    let told = told.trim();
    let mut text = if told.is_empty() {
        put_together(topic, sections, outcome)
    } else {
        told.to_owned()
    };
    add_list(
        &mut text,
        "Decisions",
        outcome.decisions.iter().map(decided),
    );
    add_list(
        &mut text,
        "Who disagrees",
        outcome.dissent.iter().map(objects),
    );
    if told.is_empty() {
        add_list(
            &mut text,
            "Next steps",
            outcome.action_items.iter().cloned(),
        );
    }
    text
}

fn put_together(topic: &str, sections: &[OutputSection], outcome: &CouncilOutcome) -> String {
    let mut text = format!("# {}\n\n{}", excerpt(topic, 120), outcome.summary.trim());
    if !outcome.recommendation.trim().is_empty() {
        text.push_str(&format!(
            "\n\n**Recommendation:** {}",
            outcome.recommendation.trim()
        ));
    }
    if let Some(resolved) = &outcome.resolved_question {
        text.push_str(&format!("\n\n**Answer:** {}", resolved.answer.trim()));
    }
    for section in sections
        .iter()
        .filter(|one| !FIELDS.contains(&one.key.as_str()))
    {
        let Some(value) = outcome.sections.get(&section.key) else {
            continue;
        };
        match value {
            Value::Array(entries) => {
                add_list(&mut text, &section.heading, entries.iter().map(entry));
            }
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Object(_) => {
                text.push_str(&format!("\n\n## {}\n\n{}", section.heading, entry(value)));
            }
        }
    }
    add_list(&mut text, "Agreed", outcome.agreed.iter().cloned());
    add_list(&mut text, "Trade-offs", outcome.tradeoffs.iter().cloned());
    text
}

/// Who stood where on a decision, in a few words.
pub(crate) fn vote_words(vote: &DecisionVote) -> String {
    let camps = vote.voters.iter().zip(&vote.options);
    let camps = camps.filter(|(voters, _)| !voters.is_empty());
    let camps: Vec<String> = camps
        .map(|(voters, option)| format!("{option}: {}", voters.join(", ")))
        .collect();
    let voters: Vec<&String> = vote.voters.iter().flatten().collect();
    match (vote.option, camps.is_empty()) {
        (_, true) => "nobody chose".to_owned(),
        (Some(_), false) if voters.len() == 1 => format!("one voice: {}", camps.join("; ")),
        (Some(_), false) if vote.agreed => "everybody chose it".to_owned(),
        (Some(option), false) => {
            let place = usize::try_from(option).unwrap_or(usize::MAX);
            let weight = vote.weights.get(place).copied().unwrap_or_default();
            format!("{} of 100 by weight; {}", weight / 10, camps.join("; "))
        }
        (None, false) => camps.join("; "),
    }
}

/// The words of the option that carries a decision.
pub(crate) fn carried(vote: &DecisionVote) -> Option<&str> {
    let place = usize::try_from(vote.option?).ok()?;
    vote.options.get(place).map(String::as_str)
}

fn decided(vote: &DecisionVote) -> String {
    let choice = carried(vote).map_or_else(|| "open".to_owned(), |words| format!("**{words}**"));
    let told = titled(&vote.question, &choice);
    format!("{told} ({})", vote_words(vote))
}

/// A title with what is said about it: `Which store? SQLite`, `Journal: WAL`.
pub(crate) fn titled(title: &str, words: &str) -> String {
    let title = title.trim();
    let sign = if title.ends_with(['?', '!', '.', ':', '？']) {
        ""
    } else {
        ":"
    };
    format!("{title}{sign} {words}")
}

fn objects(dissent: &Dissent) -> String {
    let about = if dissent.decision.is_empty() {
        String::new()
    } else {
        format!(" on {}", dissent.decision)
    };
    let turn = if dissent.turn.is_empty() {
        String::new()
    } else {
        format!(" [{}]", dissent.turn)
    };
    format!("**{}**{about}: {}{turn}", dissent.who, dissent.why.trim())
}

fn entry(value: &Value) -> String {
    match value {
        Value::String(text) => text.trim().to_owned(),
        Value::Object(fields) => {
            let parts = fields
                .iter()
                .map(|(name, value)| format!("{name}: {}", entry(value)));
            parts.collect::<Vec<_>>().join("; ")
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => value.to_string(),
    }
}

fn add_list(text: &mut String, heading: &str, entries: impl Iterator<Item = String>) {
    let mut entries = entries.peekable();
    if entries.peek().is_none() {
        return;
    }
    text.push_str(&format!("\n\n## {heading}\n"));
    for entry in entries {
        text.push_str(&format!("\n- {}", entry.replace('\n', " ")));
    }
}

/// At most so many characters, in one line, cut after a word.
pub(crate) fn excerpt(text: &str, most: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= most {
        return line;
    }
    let room = most.saturating_sub(2);
    let cut: String = line.chars().take(room).collect();
    let ends_a_word = line.chars().nth(room) == Some(' ');
    let before = cut.rsplit_once(' ').map(|(left, _)| left);
    let whole = before.filter(|_| !ends_a_word).unwrap_or(&cut);
    format!("{} …", whole.trim_end_matches([',', ';', ':']))
}

/// The part of a text that says most about some words, as an excerpt; its beginning where none does.
pub(crate) fn excerpt_about(text: &str, about: &str, most: usize) -> String {
    let about = telling(about);
    let sentences = sentences(text);
    let shared = |sentence: &&str| telling(sentence).intersection(&about).count();
    let mut best = (0, 0);
    for (place, sentence) in sentences.iter().enumerate() {
        let count = shared(sentence);
        if count > best.1 {
            best = (place, count);
        }
    }
    let from: Vec<&str> = sentences.into_iter().skip(best.0).collect();
    excerpt(&from.join(" "), most)
}

/// The sentences of a text, with their ends.
pub(crate) fn sentences(text: &str) -> Vec<&str> {
    let mut all = Vec::new();
    for line in text.lines() {
        let mut rest = line.trim();
        while let Some(end) = sentence_end(rest) {
            let (sentence, behind) = rest.split_at_checked(end).unwrap_or((rest, ""));
            all.push(sentence.trim());
            rest = behind.trim_start();
        }
        if !rest.is_empty() {
            all.push(rest);
        }
    }
    all
}

/// Behind the first full stop that a space follows.
fn sentence_end(text: &str) -> Option<usize> {
    let mut signs = text.char_indices().peekable();
    while let Some((_, sign)) = signs.next() {
        let ends = matches!(sign, '.' | '!' | '?');
        if let Some((at, next)) = signs.peek()
            && ends
            && next.is_whitespace()
        {
            return Some(*at);
        }
    }
    None
}

#[cfg(test)]
#[path = "readable_tests.rs"]
mod tests;
