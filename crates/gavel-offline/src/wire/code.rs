//! Scout, plan and code: the contracts say which files there are and what is in them.

use gavel_domain::{Criterion, Digest};
use gavel_models::MessageRole;
use serde_json::{Value, json};

use super::conversation::{Conversation, Done, Halt, pieces};
use crate::contracts::read_contracts;
use crate::design::Design;
use crate::program::{File, write_program};

/// The most calls of one reply.
const MOST_CALLS: usize = 30;
/// A longer file is written in parts.
const MOST_BYTES: usize = 14_000;
/// Stands at the end of a part until the next one takes its place.
const REST: &str = "@@ the rest of this file follows @@\n";
const DONE: &str = "done: ";

/// What the contracts demand by the end of a phase.
pub(super) struct Demand {
    pub(super) phase: u32,
    pub(super) design: Design,
    pub(super) criteria: Vec<Criterion>,
    pub(super) files: Vec<File>,
}

/// Reads the contracts, through the tools that hand them out.
pub(super) fn demand(talk: &Conversation<'_>) -> Result<Demand, Halt> {
    let line = talk.first_line("Phase").unwrap_or_default();
    let number: String = line.chars().take_while(char::is_ascii_digit).collect();
    let phase: u32 = number
        .parse()
        .map_err(|error| Halt::cannot(format!("`{line}` names no phase: {error}")))?;
    let contract = |kind: &str| ("gavel_get_contract", json!({"kind": kind}));
    let [schema, physics] = talk.need(&[contract("schema"), contract("physics")])?;
    let (schema, physics) = (schema.whole()?, physics.whole()?);
    let mut windows = Vec::new();
    // One at a time: each may be as long as an answer can be.
    for number in 0..=phase {
        let [window] = talk.need(&[("gavel_get_phase_window", json!({"phase": number}))])?;
        windows.push(own_phase(window, number)?);
    }
    let (design, criteria) = read_contracts(&schema, &physics, &windows, phase)
        .map_err(|problem| Halt::cannot(problem.to_string()))?;
    let files = write_program(&design, &criteria);
    Ok(Demand {
        phase,
        design,
        criteria,
        files,
    })
}

/// A window without the phase that follows, of which a part may be cut off.
fn own_phase(window: &Done, number: u32) -> Result<String, Halt> {
    let piece = window.piece();
    let next = format!("\n## Phase {}", number + 1);
    match piece.text.split_once(&next) {
        Some((own, _)) if window.ok => Ok(format!("{own}\n")),
        Some(_) | None => window.whole(),
    }
}

pub(super) fn scout(talk: &Conversation<'_>) -> Result<String, Halt> {
    let Demand {
        phase,
        design,
        criteria,
        files,
    } = demand(talk)?;
    let [tree] = talk.need(&[("list_directory", json!({"recursive": true}))])?;
    let there = tree.piece().text;
    let there = |path: &str| there.lines().any(|line| line == path);
    let lines: String = files
        .iter()
        .map(|File { path, .. }| {
            let state = if there(path) {
                "is there"
            } else {
                "is missing"
            };
            format!("- {path}: {state}; {}\n", purpose(path))
        })
        .collect();
    let (things, count) = (super::project::outlines(&design), criteria.len());
    Ok(format!(
        "Report by rules, from the contracts and the list of files.\nBy the end of phase {phase} there are {things}, \
         and {count} criteria hold.\nFiles that the contracts demand:\n{lines}"
    ))
}

pub(super) fn plan(talk: &Conversation<'_>) -> Result<Value, Halt> {
    let there: Vec<&str> = talk.text("files")?.lines().map(str::trim).collect();
    let listed = talk.some_text("scout").lines().filter_map(|line| {
        let (path, state) = line.strip_prefix("- ")?.split_once(": is ")?;
        state.contains("; ").then(|| path.to_owned())
    });
    let mut paths: Vec<String> = listed.collect();
    if paths.is_empty() {
        // Somebody else scouted: what every program of the rules has.
        let always = ["Cargo.toml", "README.md", "src/main.rs", "tests/cli.rs"];
        paths.extend(always.map(str::to_owned));
    }
    let file = |path: &String| {
        let action = if there.contains(&path.as_str()) {
            "modify"
        } else {
            "create"
        };
        json!({"path": path, "action": action, "purpose": purpose(path)})
    };
    let files: Vec<Value> = paths.iter().map(file).collect();
    let notes = "Rule: every file is written whole, from schema, physics and phases alone.";
    Ok(json!({"files": files, "notes": notes}))
}

fn purpose(path: &str) -> String {
    if let Some(name) = path.strip_prefix("src/commands/") {
        return format!(
            "what can be done with each {}",
            name.trim_end_matches(".rs")
        );
    }
    let purpose = match path {
        "Cargo.toml" | "Cargo.lock" => "the manifest, without dependencies",
        "README.md" => "how to use the program",
        "tests/cli.rs" => "one test for each criterion",
        "src/main.rs" => "where the program starts",
        "src/help.txt" | "src/help.rs" => "what each command does",
        "src/model.rs" => "the entries and their fields",
        "src/store.rs" => "the data file",
        _ => "a part of the program",
    };
    purpose.to_owned()
}

pub(super) fn code(talk: &Conversation<'_>) -> Result<String, Halt> {
    let Demand {
        phase,
        criteria,
        files,
        ..
    } = demand(talk)?;
    write_files(talk, &files)?;
    let (files, tests) = (files.len(), criteria.len());
    Ok(format!(
        "Phase {phase}: {files} files are written as the contracts demand, with {tests} tests, one for each criterion. \
         Written by rules; nothing was run."
    ))
}

/// Writes what is not written yet, as much as fits into a reply.
pub(super) fn write_files(talk: &Conversation<'_>, files: &[File]) -> Result<(), Halt> {
    let mut room = talk.room().saturating_sub(1_000);
    let mut calls = Vec::new();
    for (tool, arguments) in files.iter().flat_map(parts) {
        if is_done(talk, tool, &arguments) {
            continue;
        }
        if let Some(refused) = talk.answer(tool, &arguments) {
            let said = refused.said.lines().next().unwrap_or_default();
            return Err(Halt::cannot(format!("a file cannot be written: {said}")));
        }
        let bytes = arguments.to_string().len();
        if !calls.is_empty() && (calls.len() == MOST_CALLS || bytes > room) {
            break;
        }
        room = room.saturating_sub(bytes);
        calls.push((tool, arguments));
    }
    if calls.is_empty() {
        Ok(())
    } else {
        Err(Halt::Call(calls))
    }
}

/// The calls that write a file: one, or one for each part.
fn parts(file: &File) -> Vec<(&'static str, Value)> {
    let File { path, content } = file;
    let mut texts = vec![String::new()];
    for line in content.split_inclusive('\n') {
        match texts.last_mut() {
            Some(text) if text.len() + line.len() <= MOST_BYTES => text.push_str(line),
            Some(_) | None => texts.push(line.to_owned()),
        }
    }
    let last = texts.len() - 1;
    let call = |(number, text): (usize, String)| {
        let text = if number < last { text + REST } else { text };
        match number {
            0 => ("write_file", json!({"path": path, "content": text})),
            _ => ("edit_file", json!({"path": path, "old": REST, "new": text})),
        }
    };
    texts.into_iter().enumerate().map(call).collect()
}

/// True for a call that went well, now or before earlier turns were folded.
fn is_done(talk: &Conversation<'_>, tool: &str, arguments: &Value) -> bool {
    let now = talk.answer(tool, arguments).is_some_and(|done| done.ok);
    now || folded(talk).contains(&done_line(tool, arguments))
}

fn done_line(tool: &str, arguments: &Value) -> String {
    let path = arguments
        .get("path")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let digest: String = Digest::of(arguments.to_string())
        .to_string()
        .chars()
        .take(16)
        .collect();
    format!("{DONE}{tool} {path} {digest}")
}

/// What the rules noted themselves when earlier turns were folded.
fn folded(talk: &Conversation<'_>) -> Vec<String> {
    let words = talk
        .later_words()
        .filter(|(role, _)| *role == MessageRole::User);
    let notes = words.flat_map(|(_, text)| pieces(text));
    let own = notes.filter(|note| note.source.starts_with("your own summary"));
    let lines = own.flat_map(|note| note.text.lines().map(str::to_owned).collect::<Vec<_>>());
    lines.filter(|line| line.starts_with(DONE)).collect()
}

/// True if something was written for this task.
pub(super) fn has_written(talk: &Conversation<'_>) -> bool {
    let wrote = |done: &Done| done.ok && done.name == "write_file";
    talk.done().iter().any(wrote) || !folded(talk).is_empty()
}

/// The note that stands for earlier turns: which calls need not be made again.
pub(super) fn summary(talk: &Conversation<'_>) -> String {
    let writes = ["write_file", "edit_file"];
    let done = talk
        .done()
        .iter()
        .filter(|done| done.ok && writes.contains(&done.name.as_str()));
    let mut lines = folded(talk);
    lines.extend(done.map(|done| done_line(&done.name, &done.arguments)));
    lines.dedup();
    format!(
        "Noted by rules. Contracts are read again.\n{}\n",
        lines.join("\n")
    )
}

/// A sentence for whoever spoke meanwhile: the rules do not pretend to have listened.
pub(super) fn heard(talk: &Conversation<'_>) -> &'static str {
    let spoke = |(role, text): (MessageRole, &str)| {
        role == MessageRole::User && text.starts_with("A person says")
    };
    if talk.later_words().any(spoke) {
        "\nA person spoke meanwhile: these rules follow the contracts alone and changed nothing because of it."
    } else {
        ""
    }
}
