//! What the roles of a build want to be reminded of by project memory.

use gavel_domain::{Phase, Tokens};
use gavel_run::RecallSpec;
use gavel_workspace::ChangedFile;

/// A role's whole prompt is small, so what memory adds to it is, too.
const MOST: Tokens = Tokens(400);
/// The most files of a phase that memory is asked about.
const MOST_FILES: usize = 40;

/// Which files there are is decided here: by what was settled, and by what went wrong before.
pub(crate) fn planner(phase: &Phase, focus: &str) -> RecallSpec {
    RecallSpec {
        kinds: &["decision", "constraint", "trap", "plan", "feedback"],
        query: about(phase, focus),
        max_tokens: MOST,
    }
}

/// Whoever writes needs to know what must hold and what breaks, about these files above all.
pub(crate) fn coder(phase: &Phase, files: impl Iterator<Item = String>) -> RecallSpec {
    RecallSpec {
        kinds: &["trap", "constraint", "decision", "feedback", "runtime_note"],
        query: about(phase, &listed(files)),
        max_tokens: MOST,
    }
}

/// An auditor looks for what must hold and what went wrong before.
pub(crate) fn auditor(phase: &Phase, changed: &[ChangedFile]) -> RecallSpec {
    let names = changed.iter().map(|file| file.name.to_string());
    RecallSpec {
        kinds: &["constraint", "trap", "feedback"],
        query: about(phase, &listed(names)),
        max_tokens: MOST,
    }
}

fn about(phase: &Phase, more: &str) -> String {
    let Phase {
        name, objective, ..
    } = phase;
    format!("{name} {objective} {more}").trim_end().to_owned()
}

fn listed(files: impl Iterator<Item = String>) -> String {
    files.take(MOST_FILES).collect::<Vec<_>>().join(" ")
}
