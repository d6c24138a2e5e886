//! Scout, plan and code: the contracts say which files there are and what is in them.

use gavel_domain::{ContractKind, Criterion};
use serde_json::{Value, json};

use super::contract::{contract, window};
use super::conversation::{Call, Conversation, Halt};
use super::project::outline;
use crate::contracts::read_contracts;
use crate::design::Design;
use crate::program::{File, write_program};

/// The most calls of one reply.
const MOST_CALLS: usize = 30;
/// A longer file is written in parts.
const MOST_BYTES: usize = 14_000;
/// Stands at the end of a part until the next one takes its place.
const REST: &str = "@@ the rest of this file follows @@\n";
/// What files are for, by how their paths begin.
const PURPOSES: [(&str, &str); 8] = [
    ("Cargo", "the manifest, without dependencies"),
    ("README", "how to use the program"),
    ("tests/", "one test for each criterion"),
    ("src/commands", "what can be done with the entries"),
    ("src/help", "what each command does"),
    ("src/model", "the entries and their fields"),
    ("src/store", "the data file"),
    ("", "a part of the program"),
];

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
    let phase = line.parse::<u32>();
    let phase = phase.map_err(|error| Halt::cannot(format!("phase `{line}`: {error}")))?;
    let kinds = [ContractKind::Schema, ContractKind::Physics];
    let [schema, physics] = talk.texts(kinds.map(contract))?;
    let mut windows = Vec::new();
    // A window holds two phases.
    for number in (0..=phase).step_by(2) {
        let [window] = talk.texts([window(number)])?;
        windows.push(window);
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

pub(super) fn scout(talk: &Conversation<'_>) -> Result<String, Halt> {
    let Demand {
        phase,
        design,
        criteria,
        files,
    } = demand(talk)?;
    let [there] = talk.texts([("list_directory", json!({"recursive": true}))])?;
    let lines = files.iter().map(|File { path, .. }| {
        let state = if there.lines().any(|line| line == path) {
            "there"
        } else {
            "missing"
        };
        format!("- {path} is {state}; {}\n", purpose(path))
    });
    let (things, count) = (outline(&design), criteria.len());
    Ok(format!(
        "Report by rules, from the contracts and the list of files.\nBy the end of phase {phase} \
         there are {things}, and {count} criteria hold.\nFiles that the contracts demand:\n{}",
        lines.collect::<String>()
    ))
}

pub(super) fn plan(talk: &Conversation<'_>) -> Result<Value, Halt> {
    let there: Vec<&str> = talk.text("files")?.lines().map(str::trim).collect();
    let scouted = talk.some_text("scout").lines();
    let scouted = scouted.filter_map(|line| Some(line.strip_prefix("- ")?.split_once(" is ")?.0));
    let mut paths: Vec<&str> = scouted.collect();
    if paths.is_empty() {
        // Somebody else scouted: what every program of the rules has.
        paths.extend(["Cargo.toml", "README.md", "src/main.rs", "tests/cli.rs"]);
    }
    let file = |path: &&str| {
        let action = if there.contains(path) {
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

fn purpose(path: &str) -> &'static str {
    let known = PURPOSES.iter().find(|(start, _)| path.starts_with(start));
    known.map_or("", |(_, purpose)| purpose)
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
        "Phase {phase}: {files} files are written as the contracts demand, with {tests} tests, one \
         for each criterion. Written by rules; nothing was run."
    ))
}

/// Writes what is not written yet, as much as fits into a reply.
pub(super) fn write_files(talk: &Conversation<'_>, files: &[File]) -> Result<(), Halt> {
    let mut room = talk.room();
    let mut calls = Vec::new();
    for call in files.iter().flat_map(parts) {
        match talk.answer(&call) {
            Some(done) if done.ok => continue,
            Some(refused) => {
                let said = refused.first_words();
                return Err(Halt::cannot(format!("a file cannot be written: {said}")));
            }
            None => {}
        }
        let bytes = call.0.len() + call.1.to_string().len();
        if !calls.is_empty() && (calls.len() == MOST_CALLS || bytes > room) {
            break;
        }
        room = room.saturating_sub(bytes);
        calls.push(call);
    }
    if calls.is_empty() {
        Ok(())
    } else {
        Err(Halt::Call(calls))
    }
}

/// The calls that write a file: one, or one for each part.
fn parts(File { path, content }: &File) -> Vec<Call> {
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
