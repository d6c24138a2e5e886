//! What the judge is shown: the criteria, the files that the build changed with their lines
//! numbered, and everything that was run.

use std::fmt::Write as _;

use gavel_agent::{Cap, Excerpt, Keep};
use gavel_domain::Criterion;
use gavel_workspace::{ChangeKind, CommitId, FileAt, RepoPath, TreeName, is_credential_file};
use serde_json::json;

use crate::judging::{ToJudge, commands_of, smoke_of};
use crate::way::{Leave, Way, unusable};

/// What our own words, the schema and the answer of a judge take of a request.
const OVERHEAD: u64 = 10_000;
/// The least and the most bytes that are shown; more than that nobody reads.
const ROOM: (u64, u64) = (6_000, 200_000);
/// What a token holds at least, over a whole text.
const BYTES_PER_TOKEN: u64 = 3;
/// The share of files and of the difference, in hundredths.
const FILES: usize = 45;
const DIFF: usize = 15;
/// The largest file that is shown.
const MOST_BYTES: usize = 64 << 10;
/// How many names of one kind are listed.
const NAMES: usize = 400;
/// What Gavel puts on the branch itself, and what no person writes.
const NOT_SHOWN: [&str; 5] = [
    ".gavel/",
    "Cargo.lock",
    "package-lock.json",
    "uv.lock",
    "poetry.lock",
];

/// The task for the criteria that no test speaks of.
pub(crate) async fn task(
    way: Way<'_>,
    work: &ToJudge<'_>,
    open: &[&Criterion],
) -> Result<String, Leave> {
    let criteria = open.iter().map(|one| {
        json!({"id": one.id, "statement": one.statement, "example": one.example}).to_string()
    });
    let tests = work.tests.passed.iter().take(NAMES).cloned();
    // Those that ran tests are no evidence, so they are not offered.
    let (commands, _) = commands_of(work.commands);
    let commands = commands.into_iter().map(|(words, exit)| match exit {
        Some(exit) => format!("{words} -> {exit}"),
        None => format!("{words} -> ended by a signal or a limit"),
    });
    let smoke = smoke_of(way, work).await?;
    let room = room(way, work);
    let changed = changed(way, work.commit, room).await?;
    let mut task = String::from("Judge each of these criteria.");
    for (source, text, hundredths) in [
        ("criteria", list(criteria), 20),
        ("purpose", work.spec.purpose.clone(), 2),
        ("passed_tests", list(tests), 10),
        ("commands", list(commands), 3),
        ("smoke_runs", smoke.join("\n"), 2),
        ("commits", work.commit.to_string(), 1),
        ("changes", changed.diff, DIFF),
        ("files", changed.files, FILES),
    ] {
        if text.is_empty() {
            continue;
        }
        let cap = Cap {
            bytes: room / 100 * hundredths,
            lines: usize::MAX,
        };
        let text = way.place.context.scrub(&text);
        let shown = Excerpt::new(source, &text, cap, Keep::Head);
        write!(task, "\n\n{shown}").map_err(|error| unusable(way.run, &error))?;
    }
    Ok(task)
}

fn list(lines: impl Iterator<Item = String>) -> String {
    lines.collect::<Vec<_>>().join("\n")
}

struct Changed {
    diff: String,
    files: String,
}

/// What the build changed since it began: deterministic, since commits do not change.
async fn changed(way: Way<'_>, commit: &CommitId, room: usize) -> Result<Changed, Leave> {
    let (run, tree) = (way.run, &way.place.tree);
    let wrong = |error: &dyn std::fmt::Display| unusable(run, error);
    let from = tree.tree_of(&way.place.base).await;
    let from = from.map_err(|error| wrong(&error))?;
    let to = tree.tree_of(commit).await.map_err(|error| wrong(&error))?;
    let all = tree.changed_files(&from, &to).await;
    let all = all.map_err(|error| wrong(&error))?;
    let named = all
        .iter()
        .filter_map(|file| match (&file.kind, &file.name) {
            (ChangeKind::Removed, _) | (_, TreeName::Unaddressable(_)) => None,
            (
                ChangeKind::Added | ChangeKind::Modified | ChangeKind::Retyped,
                TreeName::Path(path),
            ) => Some(path),
        })
        .filter(|path| !is_credential_file(path));
    let shown = named.filter(|path| {
        !NOT_SHOWN
            .iter()
            .any(|start| path.as_str().starts_with(start))
    });
    let mut files = String::new();
    for path in shown {
        let lines = numbered(way, (commit, path)).await?;
        if files.len() + lines.len() > room / 100 * FILES {
            files.push_str(&format!("=== {path} (left out: no room)\n"));
        } else {
            files.push_str(&lines);
        }
    }
    // A file that is new is shown whole already.
    let modified = all.iter().any(|file| file.kind == ChangeKind::Modified);
    // What agents may not read does not reach their judge either.
    let readable: Vec<&RepoPath> = all
        .iter()
        .filter_map(|file| match &file.name {
            TreeName::Path(path) => (!is_credential_file(path)).then_some(path),
            TreeName::Unaddressable(_) => None,
        })
        .collect();
    let diff = if modified && !readable.is_empty() {
        let bytes = room / 100 * DIFF;
        let diff = tree.diff_of(&from, &to, &readable, bytes).await;
        diff.map_err(|error| wrong(&error))?.text
    } else {
        String::new()
    };
    Ok(Changed { diff, files })
}

/// How many bytes of data a request may hold.
fn room(way: Way<'_>, work: &ToJudge<'_>) -> usize {
    let by_model = work.judge.context.0.saturating_sub(work.judge.max_output.0);
    // Where a tokenizer is not public, the run counts bytes, and data grows when it is quoted.
    let allowed = way.run.settings().max_input.0 / 5 * 4;
    let bytes = by_model.saturating_mul(BYTES_PER_TOKEN).min(allowed);
    let bytes = bytes.saturating_sub(OVERHEAD).clamp(ROOM.0, ROOM.1);
    usize::try_from(bytes).unwrap_or(usize::MAX)
}

async fn numbered(way: Way<'_>, (commit, path): (&CommitId, &RepoPath)) -> Result<String, Leave> {
    let found = way.place.repository.file_at(commit, path, MOST_BYTES).await;
    let found = found.map_err(|error| unusable(way.run, &error))?;
    let text = match found {
        FileAt::File(bytes) => String::from_utf8(bytes).unwrap_or_default(),
        FileAt::TooLarge | FileAt::NotAFile | FileAt::Missing => String::new(),
    };
    let mut shown = format!("=== {path}\n");
    for (number, line) in (1_u32..).zip(text.lines()) {
        shown.push_str(&format!("{number}: {line}\n"));
    }
    Ok(shown)
}
