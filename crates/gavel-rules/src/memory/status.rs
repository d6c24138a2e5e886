//! The status of an item: which ones its kind has, and which may follow which.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Where an item is on its way. Which of them an item may have follows from its [`Course`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// A decision that nobody made yet.
    Pending,
    /// A decision that was put off.
    Deferred,
    /// A decision that was made.
    Approved,
    /// A decision that was made against it.
    Rejected,
    /// It holds.
    Active,
    /// It was dealt with.
    Resolved,
    /// Its time is over.
    Expired,
    /// A plan that nobody began.
    Todo,
    /// A plan that somebody works on.
    InProgress,
    /// A plan that cannot go on.
    Blocked,
    /// A plan that was carried out.
    Done,
    /// A plan that was given up.
    Dropped,
    /// A handoff that waits for somebody.
    Open,
    /// A handoff that somebody took.
    Accepted,
    /// A handoff that is over.
    Closed,
}

impl Status {
    /// All of them.
    pub const ALL: [Self; 15] = [
        Self::Pending,
        Self::Deferred,
        Self::Approved,
        Self::Rejected,
        Self::Active,
        Self::Resolved,
        Self::Expired,
        Self::Todo,
        Self::InProgress,
        Self::Blocked,
        Self::Done,
        Self::Dropped,
        Self::Open,
        Self::Accepted,
        Self::Closed,
    ];

    /// The stored word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Deferred => "deferred",
            Self::Approved => "approved",
            Self::Rejected => "rejected",
            Self::Active => "active",
            Self::Resolved => "resolved",
            Self::Expired => "expired",
            Self::Todo => "todo",
            Self::InProgress => "in_progress",
            Self::Blocked => "blocked",
            Self::Done => "done",
            Self::Dropped => "dropped",
            Self::Open => "open",
            Self::Accepted => "accepted",
            Self::Closed => "closed",
        }
    }

    /// True when the item no longer holds: it is neither searched nor put into a brief.
    pub const fn is_over(self) -> bool {
        match self {
            Self::Rejected
            | Self::Resolved
            | Self::Expired
            | Self::Done
            | Self::Dropped
            | Self::Closed => true,
            Self::Pending
            | Self::Deferred
            | Self::Approved
            | Self::Active
            | Self::Todo
            | Self::InProgress
            | Self::Blocked
            | Self::Open
            | Self::Accepted => false,
        }
    }

    /// What may follow it.
    pub const fn followers(self) -> &'static [Self] {
        match self {
            Self::Pending => &[Self::Approved, Self::Rejected, Self::Deferred],
            Self::Deferred => &[Self::Approved, Self::Rejected],
            Self::Active => &[Self::Resolved, Self::Expired],
            Self::Todo => &[Self::InProgress, Self::Blocked, Self::Done, Self::Dropped],
            Self::InProgress => &[Self::Blocked, Self::Done, Self::Dropped],
            Self::Blocked => &[Self::InProgress, Self::Dropped],
            Self::Open => &[Self::Accepted],
            Self::Accepted => &[Self::Closed],
            Self::Approved
            | Self::Rejected
            | Self::Resolved
            | Self::Expired
            | Self::Done
            | Self::Dropped
            | Self::Closed => &[],
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// A word that is no status.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{word}` is no status: one of {}", Status::ALL.map(Status::word).join(", "))]
pub struct UnknownStatus {
    /// The word.
    pub word: String,
}

impl FromStr for Status {
    type Err = UnknownStatus;

    fn from_str(word: &str) -> Result<Self, UnknownStatus> {
        let plain = word.replace('-', "_");
        let known = Self::ALL.into_iter().find(|status| status.word() == plain);
        known.ok_or_else(|| UnknownStatus {
            word: word.chars().take(40).collect(),
        })
    }
}

/// The way that items of a kind take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Course {
    /// Decisions.
    Decision,
    /// What holds until it is dealt with or its time is over: constraints, traps, notes, feedback,
    /// vision.
    Standing,
    /// Plans.
    Plan,
    /// Handoffs.
    Handoff,
}

impl Course {
    /// Every status of it, in order.
    pub const fn statuses(self) -> &'static [Status] {
        match self {
            Self::Decision => &[
                Status::Pending,
                Status::Deferred,
                Status::Approved,
                Status::Rejected,
            ],
            Self::Standing => &[Status::Active, Status::Resolved, Status::Expired],
            Self::Plan => &[
                Status::Todo,
                Status::InProgress,
                Status::Blocked,
                Status::Done,
                Status::Dropped,
            ],
            Self::Handoff => &[Status::Open, Status::Accepted, Status::Closed],
        }
    }

    /// What an item has of which nobody said more. Who writes a decision down has usually made it.
    pub const fn first(self) -> Status {
        match self {
            Self::Decision => Status::Approved,
            Self::Standing => Status::Active,
            Self::Plan => Status::Todo,
            Self::Handoff => Status::Open,
        }
    }
}

/// Why an item cannot have a status.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StatusProblem {
    /// Its kind has no such status.
    #[error("it cannot be {to}: one of {}", words(known))]
    NotOfKind {
        /// What was wanted.
        to: Status,
        /// What its kind has.
        known: &'static [Status],
    },
    /// It was settled; a change of mind is a new item.
    #[error("it is {from}, and nothing follows that: add a new item that supersedes it")]
    Settled {
        /// What it is.
        from: Status,
    },
    /// It cannot go there from where it is.
    #[error("it is {from}, and only {} may follow", words(may))]
    NotNext {
        /// What it is.
        from: Status,
        /// What may follow.
        may: &'static [Status],
    },
}

fn words(all: &[Status]) -> String {
    let words: Vec<&str> = all.iter().map(|status| status.word()).collect();
    words.join(", ")
}

/// Checks whether an item of a course may have a status, now that it has `from`; `None` for a new
/// item, which may begin anywhere on its way. To stay where it is always fits.
pub fn check_status(course: Course, from: Option<Status>, to: Status) -> Result<(), StatusProblem> {
    let known = course.statuses();
    if !known.contains(&to) {
        return Err(StatusProblem::NotOfKind { to, known });
    }
    let Some(from) = from.filter(|from| *from != to) else {
        return Ok(());
    };
    let may = from.followers();
    if may.is_empty() {
        Err(StatusProblem::Settled { from })
    } else if may.contains(&to) {
        Ok(())
    } else {
        Err(StatusProblem::NotNext { from, may })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COURSES: [Course; 4] = [
        Course::Decision,
        Course::Standing,
        Course::Plan,
        Course::Handoff,
    ];

    #[test]
    fn each_way_is_closed_and_ends() {
        for course in COURSES {
            let all = course.statuses();
            assert!(all.contains(&course.first()));
            for from in all {
                for to in from.followers() {
                    assert!(all.contains(to), "{from} leads out of {course:?}");
                }
                // What is over is never left.
                assert!(!from.is_over() || from.followers().is_empty(), "{from}");
            }
            assert!(all.iter().any(|status| status.is_over()), "{course:?}");
        }
    }

    #[test]
    fn refusals_name_what_may_be_done() {
        let said = |course, from, to| check_status(course, from, to).map_err(|no| no.to_string());
        assert_eq!(said(Course::Plan, None, Status::Blocked), Ok(()));
        assert_eq!(
            said(Course::Plan, Some(Status::Todo), Status::InProgress),
            Ok(())
        );
        assert_eq!(said(Course::Plan, Some(Status::Done), Status::Done), Ok(()));
        let refused = [
            said(Course::Plan, None, Status::Approved),
            said(Course::Plan, Some(Status::Done), Status::Todo),
            said(Course::Handoff, Some(Status::Open), Status::Closed),
            said(Course::Decision, Some(Status::Deferred), Status::Pending),
        ];
        insta::assert_snapshot!(refused.map(Result::unwrap_err).join("\n"), @"
        it cannot be approved: one of todo, in_progress, blocked, done, dropped
        it is done, and nothing follows that: add a new item that supersedes it
        it is open, and only accepted may follow
        it is deferred, and only approved, rejected may follow
        ");
    }

    #[test]
    fn words_are_read_back() {
        for status in Status::ALL {
            assert_eq!(status.word().parse(), Ok(status));
            let json = serde_json::to_string(&status).unwrap();
            assert_eq!(json, format!("\"{}\"", status.word()));
        }
        assert_eq!("in-progress".parse(), Ok(Status::InProgress));
        assert!("lost".parse::<Status>().is_err());
    }
}
