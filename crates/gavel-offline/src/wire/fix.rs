//! Repairs: whatever on disk is not what the contracts demand is written again.

use serde_json::json;

use super::code::{Demand, demand, write_files};
use super::conversation::{Call, Conversation, Done, Halt, from_line};
use super::project::joined;
use crate::program::File;

/// What the results of one reply hold together, with room for their words.
const REPLY_BYTES: usize = 38_000;
/// What each of them holds at most.
const RESULT_BYTES: usize = 18_000;
/// How many findings are told when nothing can be done about them.
const TOLD: usize = 5;

/// How a file on disk stands to the file that it should be.
enum Seen {
    Same,
    Differs,
    /// More has to be read.
    Next(Call),
}

pub(super) fn fix(talk: &Conversation<'_>) -> Result<String, Halt> {
    let Demand { phase, files, .. } = demand(talk)?;
    let differing = differing(talk, files)?;
    write_files(talk, &differing)?;
    if differing.is_empty() && !talk.used("write_file") {
        let told = joined(talk.some_text("troubles").lines().take(TOLD), "; ");
        return Err(Halt::cannot(format!(
            "every file is exactly what the contracts demand, so the rules know nothing to change \
             about this: {told}"
        )));
    }
    let paths = joined(differing.iter().map(|file| &file.path), ", ");
    Ok(format!(
        "Phase {phase}: these files were not as the contracts demand and are written again: \
         {paths}. Written by rules; nothing was run."
    ))
}

/// The files that are missing or not as they should be; reads until that is known of all.
fn differing(talk: &Conversation<'_>, files: Vec<File>) -> Result<Vec<File>, Halt> {
    let (mut differing, mut unread) = (Vec::new(), Vec::new());
    for file in files {
        let numbers = file.content.lines().count() * "1000\t".len();
        let bytes = (file.content.len() + numbers).min(RESULT_BYTES);
        match seen(talk, &file) {
            Seen::Same => {}
            Seen::Differs => differing.push(file),
            Seen::Next(call) => unread.push((bytes, call)),
        }
    }
    // Results of one reply share the room equally: small files go together.
    unread.sort_by_key(|(bytes, _)| *bytes);
    let fits = |(place, (bytes, _)): &(usize, (usize, Call))| {
        *place == 0 || (place + 1) * (bytes + 600) <= REPLY_BYTES
    };
    let calls: Vec<Call> = unread
        .into_iter()
        .enumerate()
        .take_while(fits)
        .map(|(_, (_, call))| call)
        .collect();
    if calls.is_empty() {
        Ok(differing)
    } else {
        Err(Halt::Call(calls))
    }
}

/// Compares a file with what was read of it, which is before anything was written.
fn seen(talk: &Conversation<'_>, File { path, content }: &File) -> Seen {
    let wanted: Vec<&str> = content.lines().collect();
    let mut call = ("read_file", json!({"path": path}));
    loop {
        let Some(read) = talk.answer(&call) else {
            return Seen::Next(call);
        };
        let Some((from, last, total)) = lines_of(read) else {
            return Seen::Differs;
        };
        let lines = wanted.iter().zip(1..).skip(from - 1).take(last + 1 - from);
        let expected: String = lines
            .map(|(line, number)| format!("{number}\t{line}\n"))
            .collect();
        if total != wanted.len() || read.piece().text != expected {
            return Seen::Differs;
        }
        if last == total {
            return Seen::Same;
        }
        call = from_line(&call, last as u64 + 1);
    }
}

/// Reads `path: lines 1-20 of 300`; None for a file that is missing, empty or no text.
fn lines_of(read: &Done) -> Option<(usize, usize, usize)> {
    let (_, words) = read.first_words().split_once(": lines ")?;
    let (lines, total) = words.split(';').next()?.split_once(" of ")?;
    let (from, last) = lines.split_once('-')?;
    let number = |text: &str| text.parse::<usize>().ok();
    let (from, last, total) = (number(from)?, number(last)?, number(total)?);
    (read.ok && 0 < from && from <= last).then_some((from, last, total))
}
