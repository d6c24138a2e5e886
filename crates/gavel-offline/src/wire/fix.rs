//! Repairs: whatever on disk is not what the contracts demand is written again.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::{Value, json};

use super::code::{Demand, demand, has_written, write_files};
use super::conversation::{Conversation, Done, Halt};
use crate::program::File;

/// What the results of one reply hold together, with room for their words.
const REPLY_BYTES: usize = 38_000;
/// The most bytes of a file that one result holds, with the same room.
const RESULT_BYTES: usize = 19_000;
const MOST_READS: usize = 20;

/// What an audit found.
#[derive(Debug, Deserialize)]
struct Finding {
    #[serde(default)]
    file: String,
    #[serde(default)]
    message: String,
}

/// How a file on disk stands to the file that it should be.
enum Seen {
    Same,
    Differs,
    /// More has to be read.
    Next(Value),
}

pub(super) fn fix(talk: &Conversation<'_>) -> Result<String, Halt> {
    let findings: Vec<Finding> = talk.json("findings")?;
    let Demand { phase, files, .. } = demand(talk)?;
    let differing = differing(talk, &files)?;
    write_files(talk, &differing)?;
    if differing.is_empty() && !has_written(talk) {
        return Err(Halt::cannot(nothing_to_do(talk, &files, &findings)));
    }
    let paths: BTreeSet<&str> = differing.iter().map(|file| file.path.as_str()).collect();
    let paths: Vec<&str> = paths.into_iter().collect();
    let paths = paths.join(", ");
    Ok(format!(
        "Phase {phase}: these files were not as the contracts demand and are written again: {paths}. \
         Written by rules; nothing was run."
    ))
}

fn nothing_to_do(talk: &Conversation<'_>, files: &[File], findings: &[Finding]) -> String {
    let count = files.len();
    let told: Vec<String> = findings
        .iter()
        .take(5)
        .map(|Finding { file, message }| format!("{file}: {message}"))
        .collect();
    let told = if told.is_empty() {
        let verification = talk.some_text("verification").lines().next();
        verification.unwrap_or("nothing was found").to_owned()
    } else {
        told.join("; ")
    };
    format!(
        "all {count} files are exactly what the contracts demand, so the rules know nothing to change about this: {told}"
    )
}

/// The files that are missing or not as they should be; reads until that is known of all.
fn differing(talk: &Conversation<'_>, files: &[File]) -> Result<Vec<File>, Halt> {
    let mut differing = Vec::new();
    let mut unread: Vec<(usize, Value)> = Vec::new();
    for file in files {
        match seen(talk, file) {
            Seen::Same => {}
            Seen::Differs => differing.push(file.clone()),
            Seen::Next(arguments) => {
                let numbers = file.content.lines().count() * "1000\t".len();
                unread.push(((file.content.len() + numbers).min(RESULT_BYTES), arguments));
            }
        }
    }
    if unread.is_empty() {
        return Ok(differing);
    }
    // Results of one reply share the room equally: small files go together.
    unread.sort_by_key(|(bytes, _)| *bytes);
    let mut calls = Vec::new();
    for (bytes, arguments) in unread {
        let count = calls.len() + 1;
        if count > 1 && (count > MOST_READS || count * (bytes + 600) > REPLY_BYTES) {
            break;
        }
        calls.push(("read_file", arguments));
    }
    Err(Halt::Call(calls))
}

/// Compares what was read before anything was written.
fn seen(talk: &Conversation<'_>, file: &File) -> Seen {
    let File { path, content } = file;
    let wanted: Vec<&str> = content.lines().collect();
    let first = json!({"path": path});
    let mut arguments = first.clone();
    loop {
        let Some(read) = talk.answer("read_file", &arguments) else {
            return Seen::Next(arguments);
        };
        let Some(Shown { from, last, total }) = shown(read) else {
            return Seen::Differs;
        };
        let expected = wanted.get(from - 1..last).unwrap_or_default();
        let expected: String = expected
            .iter()
            .zip(from..)
            .map(|(line, number)| format!("{number}\t{line}\n"))
            .collect();
        if total != wanted.len() || read.piece().text != expected {
            return Seen::Differs;
        }
        if last == total {
            return Seen::Same;
        }
        arguments = json!({"path": path, "from": last + 1});
    }
}

/// Which lines a result holds.
struct Shown {
    from: usize,
    last: usize,
    total: usize,
}

/// Reads `path: lines 1-20 of 300`; None for a file that is missing, empty or no text.
fn shown(read: &Done) -> Option<Shown> {
    if !read.ok {
        return None;
    }
    let words = read.said.lines().next()?.split_once(": lines ")?.1;
    let words = words.split(';').next()?;
    let (lines, total) = words.split_once(" of ")?;
    let (from, last) = lines.split_once('-')?;
    let number = |text: &str| {
        text.trim()
            .parse::<usize>()
            .ok()
            .filter(|number| *number > 0)
    };
    Some(Shown {
        from: number(from)?,
        last: number(last)?,
        total: number(total)?,
    })
}
