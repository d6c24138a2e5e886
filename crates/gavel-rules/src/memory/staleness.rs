//! What should be looked at again. Nothing is withdrawn by it: it is a report.

use gavel_domain::Timestamp;
use serde::Serialize;

use super::lifecycle::{Life, LifeClass, days_between, life_class};
use super::status::Status;

const PLAN_RUNNING_DAYS: f64 = 7.0;
const PLAN_WAITING_DAYS: f64 = 30.0;
const HANDOFF_DAYS: f64 = 14.0;
const PROPOSED_BY_PERSON_DAYS: f64 = 21.0;
const PROPOSED_BY_OTHERS_DAYS: f64 = 30.0;
const NOTE_DAYS: f64 = 30.0;

/// What is known about an item.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Standing {
    /// Its status.
    pub status: Status,
    /// True for a note of what was seen while something ran: it is soon out of date.
    pub is_note: bool,
    /// True when nobody decided about it yet.
    pub is_proposed: bool,
    /// True when a person wrote it.
    pub by_person: bool,
    /// When it was changed last.
    pub updated_at: Timestamp,
    /// When its time is over.
    pub expires_at: Option<Timestamp>,
    /// Its life.
    pub life: Life,
}

/// Why an item should be looked at again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Stale {
    /// Its time is over.
    Expired,
    /// The last word about it was a no.
    Contradicted,
    /// A plan that somebody works on, and nobody touched for a week.
    PlanStuck,
    /// A plan that nobody began or that is blocked, for a month.
    PlanWaiting,
    /// A handoff that nobody took for two weeks.
    HandoffWaiting,
    /// A proposal that nobody decided about.
    ProposalWaiting,
    /// A note of more than a month ago.
    OldNote,
    /// Two half-lives passed since anybody confirmed it.
    Unconfirmed,
}

impl Stale {
    /// The stored word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Expired => "expired",
            Self::Contradicted => "contradicted",
            Self::PlanStuck => "plan_stuck",
            Self::PlanWaiting => "plan_waiting",
            Self::HandoffWaiting => "handoff_waiting",
            Self::ProposalWaiting => "proposal_waiting",
            Self::OldNote => "old_note",
            Self::Unconfirmed => "unconfirmed",
        }
    }

    /// What is the matter, for a person.
    pub const fn told(self) -> &'static str {
        match self {
            Self::Expired => "its time is over",
            Self::Contradicted => "somebody contradicted it",
            Self::PlanStuck => "in progress, and untouched for a week",
            Self::PlanWaiting => "waits for a month",
            Self::HandoffWaiting => "nobody took it for two weeks",
            Self::ProposalWaiting => "nobody decided about it for weeks",
            Self::OldNote => "a note of more than a month ago",
            Self::Unconfirmed => "old, and nobody confirmed it for long",
        }
    }
}

/// Why an item should be looked at again; `None` when all is well, or it is over anyway.
pub fn staleness(item: &Standing, now: Timestamp) -> Option<Stale> {
    if item.status.is_over() {
        return None;
    }
    if item.expires_at.is_some_and(|at| at <= now) {
        return Some(Stale::Expired);
    }
    let idle = days_between(item.updated_at, now);
    if item.is_proposed {
        let most = if item.by_person {
            PROPOSED_BY_PERSON_DAYS
        } else {
            PROPOSED_BY_OTHERS_DAYS
        };
        return (idle > most).then_some(Stale::ProposalWaiting);
    }
    if item.life.is_contradicted() {
        return Some(Stale::Contradicted);
    }
    let (most, why) = match item.status {
        Status::InProgress => (PLAN_RUNNING_DAYS, Stale::PlanStuck),
        Status::Todo | Status::Blocked => (PLAN_WAITING_DAYS, Stale::PlanWaiting),
        Status::Open => (HANDOFF_DAYS, Stale::HandoffWaiting),
        Status::Active if item.is_note && item.expires_at.is_none() => (NOTE_DAYS, Stale::OldNote),
        Status::Pending
        | Status::Deferred
        | Status::Approved
        | Status::Rejected
        | Status::Active
        | Status::Resolved
        | Status::Expired
        | Status::Done
        | Status::Dropped
        | Status::Accepted
        | Status::Closed => {
            return (life_class(&item.life, now) == LifeClass::Stale).then_some(Stale::Unconfirmed);
        }
    };
    // To confirm a plan or a note is to look at it.
    let looked = item.life.confirmed_at.map(|at| days_between(at, now));
    let idle = looked.map_or(idle, |looked| looked.min(idle));
    (idle > most).then_some(why)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(days: i64) -> Timestamp {
        Timestamp::from_second(days * 86_400).unwrap()
    }

    fn item(status: Status, updated: i64) -> Standing {
        Standing {
            status,
            is_note: false,
            is_proposed: false,
            by_person: true,
            updated_at: day(updated),
            expires_at: None,
            life: Life {
                half_life_days: Some(60.0),
                created_at: day(updated),
                confirmed_at: None,
                contradicted_at: None,
                saved: 0,
                misled: 0,
            },
        }
    }

    #[test]
    fn each_class_begins_after_its_days() {
        let now = day(1_000);
        let at = |item: Standing| staleness(&item, now);
        let table = [
            (Status::InProgress, 7, Stale::PlanStuck),
            (Status::Todo, 30, Stale::PlanWaiting),
            (Status::Blocked, 30, Stale::PlanWaiting),
            (Status::Open, 14, Stale::HandoffWaiting),
            (Status::Approved, 120, Stale::Unconfirmed),
            (Status::Active, 120, Stale::Unconfirmed),
        ];
        for (status, days, why) in table {
            assert_eq!(at(item(status, 1_000 - days)), None, "{status}");
            assert_eq!(at(item(status, 999 - days)), Some(why), "{status}");
        }
        let note = |updated| Standing {
            is_note: true,
            ..item(Status::Active, updated)
        };
        assert_eq!((at(note(970)), at(note(969))), (None, Some(Stale::OldNote)));
        let proposed = |by_person, updated| Standing {
            is_proposed: true,
            by_person,
            ..item(Status::Active, updated)
        };
        assert_eq!(at(proposed(true, 978)), Some(Stale::ProposalWaiting));
        assert_eq!(at(proposed(false, 978)), None);
        assert_eq!(at(proposed(false, 969)), Some(Stale::ProposalWaiting));
    }

    #[test]
    fn what_is_over_is_no_trouble_and_what_expired_is() {
        let now = day(1_000);
        for status in Status::ALL.into_iter().filter(|status| status.is_over()) {
            assert_eq!(staleness(&item(status, 0), now), None);
        }
        let expired = Standing {
            expires_at: Some(day(999)),
            ..item(Status::Active, 998)
        };
        assert_eq!(staleness(&expired, now), Some(Stale::Expired));
        let confirmed = Standing {
            life: Life {
                confirmed_at: Some(day(995)),
                ..item(Status::Todo, 0).life
            },
            ..item(Status::Todo, 0)
        };
        assert_eq!(staleness(&confirmed, now), None);
        let no = Standing {
            life: Life {
                contradicted_at: Some(day(999)),
                ..item(Status::Active, 990).life
            },
            ..item(Status::Active, 990)
        };
        assert_eq!(staleness(&no, now), Some(Stale::Contradicted));
    }
}
