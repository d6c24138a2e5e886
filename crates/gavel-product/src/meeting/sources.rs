//! What rules may cite about options: memory items, and lines of files that name an option.

use gavel_agent::ToolContext;
use gavel_domain::MemoryNote;
use gavel_rules::council::{OptionSource, SourceKind, TopicOptions};
use gavel_workspace::{Case, FoundLine, Pattern, RepoDir, SearchError, SearchLimits, SearchQuery};

/// The most lines of files.
const MOST_LINES: usize = 12;
/// The most lines of one file: one file is one voice.
const MOST_OF_FILE: usize = 2;
/// How many lines are looked through for each option, or for each word of an open question.
const LOOKED_AT: usize = 400;
/// Files that machines write, or that repeat what memory says.
const LEFT_OUT: [&str; 5] = [".gavel/", "target/", "node_modules/", ".git/", "dist/"];

/// Memory items as sources.
pub(super) fn of_memory(notes: &[MemoryNote]) -> Vec<OptionSource> {
    let source = |note: &MemoryNote| OptionSource {
        cite: format!("memory:{}", note.id),
        kind: SourceKind::of_memory(&note.kind),
        text: note.text.clone(),
    };
    notes.iter().map(source).collect()
}

/// Lines of files that name one of the options, in any of its spellings; where there are none, lines
/// that are about the question. Documents first, then sources. Blocks.
pub(super) fn of_files(
    context: &ToolContext,
    (asked, topic): (&TopicOptions, &str),
) -> Result<Vec<OptionSource>, SearchError> {
    let mut found: Vec<(u8, FoundLine)> = Vec::new();
    for word in asked.searches(topic) {
        let limits = SearchLimits {
            matches: LOOKED_AT,
            ..SearchLimits::default()
        };
        let lines = context.files().search(&query(&word), limits)?.lines;
        found.extend(lines.into_iter().filter_map(|line| {
            let rank = rank(&line.path.to_string())?;
            asked.is_met_by(topic, &line.text).then_some((rank, line))
        }));
    }
    found.sort_by(|(left, a), (right, b)| {
        (left, a.path.as_str(), a.line).cmp(&(right, b.path.as_str(), b.line))
    });
    found.dedup_by(|(_, a), (_, b)| a.path == b.path && a.line == b.line);
    let source = |line: FoundLine| OptionSource {
        cite: format!("{}:{}", line.path, line.line),
        kind: SourceKind::File,
        text: context.scrub(line.text.trim()),
    };
    let found = found.into_iter().map(|(_, line)| line).collect();
    Ok(shared_out(found, asked).into_iter().map(source).collect())
}

/// Where a word stands at the beginning of one: `go` is not looked for in `category`, and `C` only where
/// it stands alone.
fn query(word: &str) -> SearchQuery {
    let alone = word.chars().count() == 1;
    let pattern = if word.chars().all(char::is_alphanumeric) {
        let end = if alone { "(?:\\b|_)" } else { "" };
        Pattern::Regex(format!("(?:\\b|_){word}{end}"))
    } else {
        Pattern::Literal(word.to_owned())
    };
    SearchQuery {
        pattern,
        case: Case::Ignored,
        glob: None,
        below: RepoDir::ROOT,
    }
}

/// The first lines, and for each option its share of them: one that many files name leaves room for
/// the others.
fn shared_out(found: Vec<FoundLine>, asked: &TopicOptions) -> Vec<FoundLine> {
    let names = asked.names().len();
    let share = MOST_LINES.div_ceil(names.max(1));
    let mut given = vec![0; names];
    let mut kept: Vec<FoundLine> = Vec::new();
    for line in found {
        let same_file = kept.iter().filter(|other| other.path == line.path);
        if same_file.count() >= MOST_OF_FILE || kept.len() >= MOST_LINES {
            continue;
        }
        let told = asked.named_in(&line.text);
        let room = |option: &usize| given.get(*option).is_some_and(|lines| *lines < share);
        if names > 0 && !told.iter().any(room) {
            continue;
        }
        for option in told {
            if let Some(lines) = given.get_mut(option) {
                *lines += 1;
            }
        }
        kept.push(line);
    }
    kept
}

/// Documents say why; sources say what; lock files and what machines write say nothing.
fn rank(path: &str) -> Option<u8> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    let machine = matches!(ending, "lock" | "sum" | "min" | "map" | "svg" | "snap");
    if machine || name == "package-lock.json" || LEFT_OUT.iter().any(|out| path.starts_with(out)) {
        return None;
    }
    Some(match ending {
        "md" | "rst" | "adoc" | "txt" => 0,
        "rs" | "py" | "ts" | "js" | "go" | "java" | "c" | "cpp" | "rb" | "toml" => 1,
        _ => 2,
    })
}
