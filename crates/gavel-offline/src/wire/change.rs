//! A small change to a tree that is there: made line by line, or left to a model.

use std::ops::RangeInclusive;

use serde_json::{Value, json};

use super::conversation::{Call, Conversation, Halt};
use crate::change::{CAN_CHANGE, Change, ChangeKind, read_change};

/// What the criterion of a small change begins with.
const DONE: &str = "This was done: ";
/// The most lines of one file that are changed by rules.
const MOST_LINES: usize = 25;

/// A text that stands once in the file, and what takes its place.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Edit {
    old: String,
    new: String,
}

/// Makes the change that a person asked for.
pub(super) fn change(talk: &Conversation<'_>) -> Result<String, Halt> {
    let wanted = read(talk)?;
    let file = &wanted.file;
    if talk.has("verification") {
        return Err(Halt::cannot(
            "the change is made as it was asked for, and the rules know nothing to mend about it",
        ));
    }
    if wanted.kind == ChangeKind::Remove {
        if !talk.offers("run_command") {
            return Err(Halt::cannot(
                "no command can be run here, so no file can be removed",
            ));
        }
        let path = file.replace('\'', r"'\''");
        do_all(
            talk,
            vec![("run_command", json!({"command": format!("rm -- '{path}'")}))],
        )?;
        return Ok(format!(
            "{file} is removed. Done by rules; nothing was run."
        ));
    }
    let [numbered] = talk.texts([("read_file", json!({"path": file}))])?;
    let lines: Vec<&str> = numbered.lines().map(without_number).collect();
    let edits = edits(&lines, &wanted.kind).ok_or_else(|| {
        Halt::cannot(format!(
            "{file} has too many places to change for the rules, or equal ones"
        ))
    })?;
    if edits.is_empty() {
        return Err(Halt::cannot(nothing_found(&wanted)));
    }
    let count = edits.len();
    let call = |edit: Edit| {
        let arguments = json!({"path": file, "old": edit.old, "new": edit.new});
        ("edit_file", arguments)
    };
    do_all(talk, edits.into_iter().map(call).collect())?;
    Ok(format!(
        "{count} lines of {file} are changed as asked. Done by rules; nothing was run."
    ))
}

fn read(talk: &Conversation<'_>) -> Result<Change, Halt> {
    let idea = talk.text("idea")?;
    read_change(idea.trim()).ok_or_else(|| {
        Halt::cannot(format!(
            "the change leaves a choice. Without a model these can be made: {CAN_CHANGE}"
        ))
    })
}

/// Makes the calls that were not made yet; a refused one ends the work.
fn do_all(talk: &Conversation<'_>, calls: Vec<Call>) -> Result<(), Halt> {
    let mut open = Vec::new();
    for call in calls {
        match talk.answer(&call) {
            Some(done) if done.ok => {}
            Some(refused) => return Err(Halt::cannot(refused.first_words())),
            None => open.push(call),
        }
    }
    if open.is_empty() {
        Ok(())
    } else {
        Err(Halt::Call(open))
    }
}

/// `12\ttext` without its number.
fn without_number(line: &str) -> &str {
    line.split_once('\t').map_or(line, |(_, text)| text)
}

/// One edit for each line that changes, each in the file as the edits before it leave it; `None`
/// when a line cannot be told from others.
fn edits(before: &[&str], kind: &ChangeKind) -> Option<Vec<Edit>> {
    let mut lines: Vec<String> = before.iter().map(|line| (*line).to_owned()).collect();
    if let ChangeKind::AddLine(line) = kind {
        let last = lines.len().checked_sub(1)?;
        let old = lines.get(unique(&lines, last)?)?.join("\n");
        let new = format!("{old}\n{line}");
        return Some(vec![Edit { old, new }]);
    }
    let mut edits = Vec::new();
    for at in 0..lines.len() {
        let line = lines.get(at)?;
        let changed = kind.line(line);
        if changed == *line {
            continue;
        }
        let block = unique(&lines, at)?;
        let old = lines.get(block.clone())?.join("\n");
        *lines.get_mut(at)? = changed;
        let new = lines.get(block)?.join("\n");
        edits.push(Edit { old, new });
        if edits.len() > MOST_LINES {
            return None;
        }
    }
    Some(edits)
}

/// The shortest block of whole lines around a line whose text stands once in the file.
fn unique(lines: &[String], at: usize) -> Option<RangeInclusive<usize>> {
    let whole = lines.join("\n");
    let last = lines.len().checked_sub(1)?;
    (0..=last).find_map(|reach| {
        let block = at.saturating_sub(reach)..=(at + reach).min(last);
        let text = lines.get(block.clone())?.join("\n");
        let once = !text.trim().is_empty() && whole.matches(&text).count() == 1;
        once.then_some(block)
    })
}

fn nothing_found(Change { file, kind }: &Change) -> String {
    match kind {
        ChangeKind::Replace { old, .. } => format!("`{old}` does not stand in {file}"),
        ChangeKind::Typos => format!(
            "no misspelling that is certain stands in {file}: name the word, as in: fix the typo \
             recieve -> receive in {file}"
        ),
        ChangeKind::AddLine(_) | ChangeKind::Remove => format!("nothing can be done to {file}"),
    }
}

/// Judges whether a change that the rules understand was made: what shows it, or why nothing does.
/// The files that were changed and the difference are all there is to know.
pub(super) fn shown(talk: &Conversation<'_>, statement: &str) -> Result<Value, String> {
    let sentence = statement.strip_prefix(DONE).unwrap_or(statement);
    let Some(Change { file, kind }) = read_change(sentence) else {
        return Err("these rules read only changes that leave no choice".to_owned());
    };
    let files = talk.some_text("files");
    let line = |number: u32| json!({"kind": "file", "name": file, "line": number, "exit": 0});
    if kind == ChangeKind::Remove {
        let gone = format!("--- a/{file}\n+++ /dev/null");
        let commit = talk.some_text("commits").lines().next();
        return match commit {
            Some(commit) if talk.some_text("changes").contains(&gone) => {
                Ok(json!({"kind": "commit", "name": commit.trim(), "line": 0, "exit": 0}))
            }
            Some(_) | None => Err(format!("nothing shows that {file} is gone")),
        };
    }
    let lines = lines_of(files, &file);
    if talk.is_cut("files") {
        return Err(format!(
            "only a part of {file} is shown, so nobody knows what is left in it"
        ));
    }
    if let Some((number, _)) = lines.iter().find(|(_, text)| kind.line(text) != *text) {
        return Err(format!("line {number} of {file} is still to be changed"));
    }
    let added: Vec<&str> = added(talk.some_text("changes"), &file);
    let is_it = |text: &str| match &kind {
        ChangeKind::Replace { new, .. } => text.contains(new.as_str()),
        ChangeKind::AddLine(wanted) => text == wanted,
        ChangeKind::Typos | ChangeKind::Remove => true,
    };
    let shows = |(_, text): &&(u32, &str)| added.contains(text) && is_it(text);
    lines.iter().find(shows).map_or_else(
        || Err(format!("no changed line of {file} shows it")),
        |(number, _)| Ok(line(*number)),
    )
}

/// The numbered lines of a file among those that are shown: `=== path`, then `12: text`.
fn lines_of<'a>(files: &'a str, file: &str) -> Vec<(u32, &'a str)> {
    let mut inside = false;
    let mut lines = Vec::new();
    for line in files.lines() {
        if let Some(path) = line.strip_prefix("=== ") {
            inside = path == file;
        } else if inside
            && let Some((number, text)) = line.split_once(": ").or_else(|| line.split_once(':'))
            && let Ok(number) = number.parse()
        {
            lines.push((number, text));
        }
    }
    lines
}

/// The lines that a difference adds to a file.
fn added<'a>(changes: &'a str, file: &str) -> Vec<&'a str> {
    let head = format!("+++ b/{file}");
    let mut inside = false;
    let mut lines = Vec::new();
    for line in changes.lines() {
        if line.starts_with("+++ ") {
            inside = line == head;
        } else if inside && let Some(text) = line.strip_prefix('+') {
            lines.push(text);
        }
    }
    lines
}
