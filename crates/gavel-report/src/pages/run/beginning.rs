//! The idea, the route, the models, the repository, and what was remembered.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{codes, counted, heading, inside, instead, quote};
use crate::document::{Block, Line, Tone};
use gavel_view::{Report, RouteTold};
use gavel_view::{Text, first_line};

pub(super) fn section(report: &Report, blocks: &mut Vec<Block>) {
    if let Some(idea) = &report.idea {
        heading("The idea", blocks);
        quote(idea, blocks);
    }
    if let Some(told) = &report.route {
        route(report, told, blocks);
    }
    models(report, blocks);
    repository(report, blocks);
    remembered(report, blocks);
}

/// The route in one line: where it went, and why.
pub(super) fn route_line(told: &RouteTold) -> Line {
    let line = Line::of(codes::words(&told.route), Tone::Strong);
    if told.reasons.is_empty() {
        return line;
    }
    let reasons: Vec<String> = told
        .reasons
        .iter()
        .map(|r| codes::route_reason(r))
        .collect();
    line.and(format!(", because {}", reasons.join("; ")), Tone::Plain)
}

fn route(report: &Report, told: &RouteTold, blocks: &mut Vec<Block>) {
    let line = Line::of("Route: ", Tone::Strong)
        .then(route_line(told))
        .and(
            format!(". That is {}.", codes::route(&told.route)),
            Tone::Plain,
        );
    blocks.push(Block::Paragraph(line));
    let mut rows = vec![
        row("complexity", scored(told, "complexity", &told.complexity)),
        row("size", scored(told, "size", &told.size)),
    ];
    if !told.missing.is_empty() {
        rows.push(row("not said", told.missing.join(", ")));
    }
    for (name, words) in inputs(told) {
        rows.push(row(name, words));
    }
    if let Some(said) = &report.clarity {
        let clarity = said.clarity.as_deref().unwrap_or("gave no usable answer");
        rows.push(row("a model says", format!("{clarity} ({})", said.model)));
    }
    let titles = Vec::new();
    blocks.push(Block::Table { titles, rows });
}

fn row(name: &str, value: impl Into<Line>) -> Vec<Line> {
    vec![Line::plain(name), value.into()]
}

/// A label with its points, where they are known.
fn scored(told: &RouteTold, name: &str, label: &str) -> String {
    let scores = told.inputs.as_ref().and_then(Text::kept);
    let score = scores.and_then(|inputs| inputs.get("scores")?.get(name)?.get("score"));
    match score {
        Some(score) => format!("{label} ({score} points)"),
        None => label.to_owned(),
    }
}

/// What else the route rests on, as far as it says something.
fn inputs(told: &RouteTold) -> Vec<(&'static str, String)> {
    let Some(inputs) = told.inputs.as_ref().and_then(Text::kept) else {
        return Vec::new();
    };
    let (mut out, none) = (Vec::new(), Value::Null);
    let scores = inputs.get("scores").unwrap_or(&none);
    if let Some(language) = scores.get("language").and_then(Value::as_str) {
        let read = scores.get("scored") != Some(&Value::Bool(false));
        let read = if read {
            ""
        } else {
            ", which the rules do not read"
        };
        let language = if language == "en" {
            "English"
        } else {
            language
        };
        out.push(("language", format!("{language}{read}")));
    }
    if scores.get("greenfield") == Some(&Value::Bool(true)) {
        out.push(("new", "something new is to be made".to_owned()));
    }
    let areas = scores.get("gray_areas").and_then(Value::as_array);
    let areas = areas.into_iter().flatten().filter_map(|area| {
        let named = area.get("dimension").or_else(|| area.get("id"));
        named.unwrap_or(area).as_str().map(codes::words)
    });
    let areas: Vec<String> = areas.collect();
    if !areas.is_empty() {
        out.push(("worth asking", areas.join(", ")));
    }
    let known = inputs.get("circumstances").and_then(Value::as_object);
    for (name, value) in known.into_iter().flatten() {
        let shown = match value {
            Value::Number(number) if name == "max_sprints" => format!("{number}"),
            Value::String(word) if name == "ground" => codes::ground(word),
            Value::String(word) if word != "as_scored" => codes::words(word),
            Value::Number(_)
            | Value::String(_)
            | Value::Null
            | Value::Bool(_)
            | Value::Array(_)
            | Value::Object(_) => continue,
        };
        let name = match name.as_str() {
            "max_sprints" => "most sprints",
            "ground" => "begins with",
            "council" => "a person asked",
            "task" => "task",
            "clarity" => "clarity",
            _ => continue,
        };
        out.push((name, shown));
    }
    out
}

fn models(report: &Report, blocks: &mut Vec<Block>) {
    let Some(models) = &report.models else {
        return;
    };
    let mut line = Line::of("Models: ", Tone::Strong);
    let slots = [
        ("leads", Some(&models.leader)),
        ("codes", Some(&models.coder)),
        ("audits", Some(&models.auditor)),
        ("judges", models.judge.as_ref()),
    ];
    let slots = slots
        .into_iter()
        .filter_map(|(does, model)| Some((does, model?)));
    for (place, (does, model)) in slots.enumerate() {
        let before = if place == 0 { "" } else { ", " };
        line = line
            .and(before, Tone::Plain)
            .and(model.as_str(), Tone::Code)
            .and(format!(" {does}"), Tone::Plain);
    }
    let council = if models.stances.is_empty() {
        "; rules review the plan".to_owned()
    } else {
        format!("; in the council: {}", models.stances.join(", "))
    };
    blocks.push(Block::Paragraph(line.and(council, Tone::Plain)));
}

fn repository(report: &Report, blocks: &mut Vec<Block>) {
    let Some(told) = &report.repository else {
        return;
    };
    let line = Line::of("Repository: ", Tone::Strong)
        .and(codes::repository(told.kind), Tone::Plain)
        .and(
            format!(
                "; {}, {}.",
                counted(told.sources, "source file"),
                counted(told.tests, "test file")
            ),
            Tone::Plain,
        );
    blocks.push(Block::Paragraph(line));
    match &told.found {
        Text::Kept(found) => {
            let rows = found_rows(found);
            if !rows.is_empty() {
                let titles = Vec::new();
                blocks.push(Block::Table { titles, rows });
            }
        }
        Text::Odd(_) | Text::Gone => instead(&told.found, blocks),
    }
}

/// What was found, one line for each thing that says something.
fn found_rows(found: &Value) -> Vec<Vec<Line>> {
    let parts = found.as_object().into_iter().flatten();
    // The line above tells these already.
    let told = ["kind", "mode", "sources", "tests"];
    let parts = parts.filter(|(name, _)| !told.contains(&name.as_str()));
    let rows = parts.filter_map(|(name, value)| {
        let shown = short_value(value)?;
        let tone = if name == "readme" {
            Tone::Faint
        } else {
            Tone::Plain
        };
        Some(vec![
            Line::plain(codes::words(name)),
            Line::of(first_line(&shown, 300), tone),
        ])
    });
    rows.collect()
}

/// A value in a few words; none when it says nothing.
pub(super) fn short_value(value: &Value) -> Option<String> {
    match value {
        Value::Null | Value::Bool(false) => None,
        Value::Bool(true) => Some("yes".to_owned()),
        Value::Number(number) => Some(number.to_string()),
        Value::String(text) if text.trim().is_empty() => None,
        Value::String(text) => Some(text.split_whitespace().collect::<Vec<_>>().join(" ")),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().take(12).filter_map(short_value).collect();
            (!items.is_empty()).then(|| items.join(", "))
        }
        Value::Object(fields) => {
            let fields = fields.iter().filter_map(|(name, value)| {
                Some(format!("{} {}", codes::words(name), short_value(value)?))
            });
            let fields: Vec<String> = fields.take(6).collect();
            (!fields.is_empty()).then(|| fields.join("; "))
        }
    }
}

fn remembered(report: &Report, blocks: &mut Vec<Block>) {
    let told = report.memory.iter();
    let silent = told.filter(|told| !told.unanswered.is_empty()).count();
    if silent > 0 {
        let text = format!(
            "Project memory did not answer {}; the work went on without it.",
            counted(u32::try_from(silent).unwrap_or(u32::MAX), "time")
        );
        blocks.push(Block::Paragraph(Line::of(text, Tone::Faint)));
    }
    // Several tasks may have been told the same.
    let recalled: BTreeSet<&String> = report.memory.iter().flat_map(|told| &told.items).collect();
    if !recalled.is_empty() {
        let recalled = u32::try_from(recalled.len()).unwrap_or(u32::MAX);
        let named = match report.memory_cited.len() {
            0 => String::new(),
            named => format!(", of which {named} were named in the work"),
        };
        let text = format!(
            "Project memory was asked and gave {}{named}:",
            counted(recalled, "item")
        );
        blocks.push(Block::Paragraph(Line::of(text, Tone::Faint)));
        let mut lines: Vec<Line> = Vec::new();
        for text in report.memory.iter().filter_map(|told| told.texts.kept()) {
            for item in text.as_array().into_iter().flatten() {
                let said = item.get("text").and_then(Value::as_str).or(item.as_str());
                let line = inside(&Text::Kept(said.unwrap_or_default().to_owned()), 200);
                if !line.text().is_empty() && !lines.contains(&line) {
                    lines.push(line);
                }
            }
        }
        if !lines.is_empty() {
            blocks.push(Block::List(lines));
        }
    }
    let Some(earlier) = report.earlier.as_ref().filter(|told| !told.runs.is_empty()) else {
        return;
    };
    blocks.push(Block::Paragraph(Line::of(
        "Similar earlier runs",
        Tone::Strong,
    )));
    let told = earlier.texts.kept().and_then(Value::as_array);
    let lines = earlier.runs.iter().enumerate().map(|(place, run)| {
        let text = told
            .and_then(|told| told.get(place))
            .and_then(earlier_words);
        Line::of(run.short(), Tone::Code)
            .and(" ", Tone::Plain)
            .then(text.map_or_else(Line::default, |text| Line::prose(&text)))
    });
    blocks.push(Block::List(lines.collect()));
}

/// What is known of an earlier run: its idea first, then the rest.
fn earlier_words(told: &Value) -> Option<String> {
    let word = |name: &str| told.get(name).and_then(short_value);
    let mut words = Vec::new();
    words.extend(word("idea").map(|idea| first_line(&idea, 120)));
    words.extend(
        word("outcome")
            .or_else(|| word("state"))
            .map(|w| codes::words(&w)),
    );
    words.extend(word("reason").map(|w| codes::words(&w)));
    if words.is_empty() {
        return short_value(told).map(|text| first_line(&text, 200));
    }
    Some(words.join("; "))
}
