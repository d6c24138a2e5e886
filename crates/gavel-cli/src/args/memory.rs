//! What can be typed after `gavel memory`.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, Subcommand};
use gavel_domain::Timestamp;
use gavel_memory::{Kind, Mark, Severity};
use gavel_rules::memory::Status;

/// What `gavel memory` does.
#[derive(Debug, Subcommand)]
pub(crate) enum MemoryCommand {
    /// Remember something: writes a file of its own below .gavel/memory
    Add(MemoryAddArgs),
    /// List what is remembered
    List(MemoryListArgs),
    /// Keep what was proposed: gavel memory list --proposed shows it
    Accept {
        /// Items by their ids; or a run, and the numbers of its lessons (without any, all of them)
        #[arg(required = true, value_name = "ID|RUN [NUMBER]")]
        names: Vec<String>,
    },
    /// Say that nobody wants what was proposed, for good
    Reject {
        /// Items by their ids; or a run, and the numbers of its lessons (without any, all of them)
        #[arg(required = true, value_name = "ID|RUN [NUMBER]")]
        names: Vec<String>,
    },
    /// Find items by words, the best first
    Search(MemorySearchArgs),
    /// Show one item
    Get {
        /// Its id, or the end of it
        id: String,
    },
    /// Change an item; what is not named stays
    Edit(MemoryEditArgs),
    /// Say how an item proved
    Mark {
        /// Its id, or the end of it
        id: String,
        /// confirmed, contradicted, saved-me, misled-me or superseded-by
        how: MarkWord,
        /// With superseded-by: the item that took its place
        by: Option<String>,
    },
    /// Keep a proposal, or write an item anew as another kind
    Promote {
        /// Its id, or the end of it
        id: String,
        /// Another kind: a new item takes the place of this one
        #[arg(long)]
        kind: Option<Kind>,
    },
    /// Say that an item holds no longer
    Retire {
        /// Its id, or the end of it
        id: String,
    },
    /// Take the words of an item out of its files, for good
    Redact {
        /// Its id, or the end of it
        id: String,
    },
    /// List what should be looked at again, and why
    Stale,
    /// Look for doubles, stale and unused items, and secrets
    Audit,
    /// Put the files of months that are over into one file each
    Compact,
    /// Print the events of all items, a line each
    Export {
        /// Proposals, private items and those of this machine too
        #[arg(long)]
        all: bool,
    },
    /// Take in what another project exported; ids stay
    Import {
        /// The file; `-` reads standard input
        file: PathBuf,
    },
}

/// Something to remember.
#[derive(Debug, Args)]
pub(crate) struct MemoryAddArgs {
    /// decision, constraint, trap, plan, feedback, runtime_note, handoff or vision
    #[arg(long)]
    pub(crate) kind: Kind,
    /// What to remember; `-` reads standard input
    pub(crate) text: String,
    /// What lists call it; without one, the beginning of the text
    #[arg(long)]
    pub(crate) title: Option<String>,
    /// A word to find it by; may be given again
    #[arg(long, value_name = "TAG")]
    pub(crate) tag: Vec<String>,
    /// A file or folder that it is about; may be given again
    #[arg(long, value_name = "PATH")]
    pub(crate) path: Vec<String>,
    /// How bad a trap is: low, medium or high
    #[arg(long)]
    pub(crate) severity: Option<Severity>,
    /// Where it is on its way, such as pending for a decision
    #[arg(long)]
    pub(crate) status: Option<Status>,
    /// When its time is over: a date, or 12h, 30d, 8w from now
    #[arg(long, value_name = "DATE|30d")]
    pub(crate) expires: Option<ExpiresWord>,
    /// For you alone: it stays out of the repository
    #[arg(long, conflicts_with = "machine")]
    pub(crate) private: bool,
    /// For this machine alone: it stays out of the repository
    #[arg(long)]
    pub(crate) machine: bool,
    /// As a proposal that somebody decides about
    #[arg(long)]
    pub(crate) propose: bool,
}

/// Which items to list.
#[derive(Debug, Args)]
pub(crate) struct MemoryListArgs {
    /// Only this kind; may be given again
    #[arg(long)]
    pub(crate) kind: Vec<Kind>,
    /// Only with this status, such as done; may be given again
    #[arg(long)]
    pub(crate) status: Vec<Status>,
    /// Retired, rejected and finished items too
    #[arg(long)]
    pub(crate) all: bool,
    /// Only what nobody decided about: proposals, and what runs of this project learned
    #[arg(long, visible_alias = "candidates", conflicts_with_all = ["all", "stale", "status"])]
    pub(crate) proposed: bool,
    /// Only what should be looked at again
    #[arg(long, conflicts_with_all = ["all", "status"])]
    pub(crate) stale: bool,
}

/// What to look for.
#[derive(Debug, Args)]
pub(crate) struct MemorySearchArgs {
    /// What to look for; `-` reads standard input
    pub(crate) query: String,
    /// Only this kind; may be given again
    #[arg(long)]
    pub(crate) kind: Vec<Kind>,
    /// A file or folder that it should be about; may be given again
    #[arg(long, value_name = "PATH")]
    pub(crate) path: Vec<String>,
    /// At most so many
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) limit: usize,
    /// Say why each was found
    #[arg(long)]
    pub(crate) explain: bool,
}

/// What to change.
#[derive(Debug, Args)]
pub(crate) struct MemoryEditArgs {
    /// Its id, or the end of it
    pub(crate) id: String,
    /// What it says; `-` reads standard input
    #[arg(long)]
    pub(crate) text: Option<String>,
    /// What lists call it
    #[arg(long)]
    pub(crate) title: Option<String>,
    /// All words to find it by; may be given again
    #[arg(long, value_name = "TAG")]
    pub(crate) tag: Vec<String>,
    /// All files and folders that it is about; may be given again
    #[arg(long, value_name = "PATH")]
    pub(crate) path: Vec<String>,
    /// How bad a trap is: low, medium or high
    #[arg(long)]
    pub(crate) severity: Option<Severity>,
    /// Where it is on its way, such as in_progress or done
    #[arg(long)]
    pub(crate) status: Option<Status>,
    /// When its time is over: a date, 12h, 30d, 8w from now, or never
    #[arg(long, value_name = "DATE|30d|never")]
    pub(crate) expires: Option<ExpiresWord>,
}

/// How an item proved, as people type it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MarkWord {
    Mark(Mark),
    SupersededBy,
}

impl FromStr for MarkWord {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        if matches!(word, "superseded-by" | "superseded_by") {
            return Ok(Self::SupersededBy);
        }
        word.parse().map(Self::Mark).map_err(|_unknown| {
            "one of confirmed, contradicted, saved-me, misled-me, superseded-by".to_owned()
        })
    }
}

/// When the time of an item is over, as people type it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExpiresWord {
    Never,
    At(Timestamp),
    /// Seconds from now.
    In(i64),
}

impl FromStr for ExpiresWord {
    type Err = &'static str;

    fn from_str(word: &str) -> Result<Self, &'static str> {
        const WRONG: &str = "a date such as 2027-01-31, a time such as 12h, 30d or 8w, or never";
        const DAY: i64 = 86_400;
        if word == "never" {
            return Ok(Self::Never);
        }
        let units = [('h', 3_600), ('d', DAY), ('w', 7 * DAY)];
        for (unit, seconds) in units {
            if let Some(count) = word.strip_suffix(unit) {
                let count: i64 = count.parse().ok().filter(|n| *n > 0).ok_or(WRONG)?;
                return count.checked_mul(seconds).map(Self::In).ok_or(WRONG);
            }
        }
        if let Ok(at) = word.parse::<Timestamp>() {
            return Ok(Self::At(at));
        }
        // It holds up to the end of that day.
        let begins = format!("{word}T00:00:00Z").parse::<Timestamp>();
        let ends = begins.and_then(|at| Timestamp::from_second(at.as_second() + DAY));
        ends.map(Self::At).map_err(|_wrong| WRONG)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_times_are_read() {
        let at = |text: &str| ExpiresWord::At(text.parse().unwrap());
        assert_eq!("2026-12-31".parse(), Ok(at("2027-01-01T00:00:00Z")));
        assert_eq!(
            "2026-12-31T12:00:00Z".parse(),
            Ok(at("2026-12-31T12:00:00Z"))
        );
        assert_eq!("30d".parse(), Ok(ExpiresWord::In(2_592_000)));
        assert_eq!("2w".parse(), Ok(ExpiresWord::In(1_209_600)));
        assert_eq!("never".parse(), Ok(ExpiresWord::Never));
        for wrong in ["", "d", "-1d", "0h", "soon", "2026-13-01", "9e9d"] {
            assert!(wrong.parse::<ExpiresWord>().is_err(), "{wrong}");
        }
    }
}
