//! Where the time went: stages as they were visited, and what was work, waiting and rest.

use gavel_domain::{Stage, Timestamp};
use serde::Serialize;

/// More than any step takes: calls, commands and searches all end before.
const LONGEST_STEP_MS: u64 = 24 * 60 * 60 * 1_000;

/// The stages in the order in which they were visited.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Way {
    /// Each visit; a stage that was entered again stands here again.
    pub visits: Vec<Visit>,
    /// True when the machine's clock was set while somebody worked: that time is in no sum.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub clock_was_set: bool,
}

/// One stay in a stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Visit {
    /// Which stage.
    pub stage: Stage,
    /// From when.
    pub entered_at: Timestamp,
    /// Until when; the last fact for the stage that the run is in.
    pub left_at: Timestamp,
    /// Time in which something was done.
    pub worked_ms: u64,
    /// Time in which a driver waited for an answer.
    pub waited_ms: u64,
    /// Time in which nobody drove.
    pub rested_ms: u64,
}

/// The time of one stage over all its visits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct StageTime {
    /// Which stage.
    pub stage: Stage,
    /// Time in which something was done.
    pub worked_ms: u64,
    /// Time in which a driver waited for an answer.
    pub waited_ms: u64,
    /// Time in which nobody drove.
    pub rested_ms: u64,
}

/// What happened between two records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Between {
    Work,
    Wait,
    Rest,
}

impl Way {
    /// A stage begins.
    pub(crate) fn enter(&mut self, stage: Stage, at: Timestamp) {
        self.visits.push(Visit {
            stage,
            entered_at: at,
            left_at: at,
            worked_ms: 0,
            waited_ms: 0,
            rested_ms: 0,
        });
    }

    /// Time passes in the stage that the run is in; before the first stage nothing is counted.
    pub(crate) fn pass(&mut self, from: Timestamp, to: Timestamp, between: Between) {
        let Some(visit) = self.visits.last_mut() else {
            return;
        };
        let millis = u64::try_from(to.duration_since(from).as_millis()).ok();
        let (millis, was_set) = match (millis, between) {
            (Some(LONGEST_STEP_MS..) | None, Between::Work) => (0, true),
            (None, Between::Wait | Between::Rest) => (0, true),
            (Some(millis), _) => (millis, false),
        };
        self.clock_was_set |= was_set;
        visit.left_at = visit.left_at.max(to);
        match between {
            Between::Work => visit.worked_ms += millis,
            Between::Wait => visit.waited_ms += millis,
            Between::Rest => visit.rested_ms += millis,
        }
    }

    /// The time of each stage, in the order of first visits.
    pub fn stages(&self) -> Vec<StageTime> {
        let mut stages: Vec<StageTime> = Vec::new();
        for visit in &self.visits {
            let place = stages.iter().position(|time| time.stage == visit.stage);
            match place.and_then(|place| stages.get_mut(place)) {
                Some(time) => {
                    time.worked_ms += visit.worked_ms;
                    time.waited_ms += visit.waited_ms;
                    time.rested_ms += visit.rested_ms;
                }
                None => stages.push(StageTime {
                    stage: visit.stage,
                    worked_ms: visit.worked_ms,
                    waited_ms: visit.waited_ms,
                    rested_ms: visit.rested_ms,
                }),
            }
        }
        stages
    }

    /// All time in which something was done.
    pub fn worked_ms(&self) -> u64 {
        self.visits.iter().map(|visit| visit.worked_ms).sum()
    }

    /// All time in which something was done, for people: `12 s`, and what it leaves out.
    pub fn worked_words(&self) -> String {
        let worked = span_words(self.worked_ms());
        if self.clock_was_set {
            return format!("at least {worked} (the clock was set meanwhile)");
        }
        worked
    }
}

/// A span for people: `40 ms`, `0.4 s`, `12 s`, `3 min 05 s`, `2 h 10 min`.
pub fn span_words(millis: u64) -> String {
    let seconds = millis / 1_000;
    match seconds {
        0 if millis < 100 => format!("{millis} ms"),
        0..10 => format!("{}.{} s", seconds, millis % 1_000 / 100),
        10..60 => format!("{seconds} s"),
        60..3_600 => format!("{} min {:02} s", seconds / 60, seconds % 60),
        _ => format!("{} h {:02} min", seconds / 3_600, seconds % 3_600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_is_set_counts_for_nothing_and_is_said() {
        let second = |number: i64| Timestamp::from_second(number).unwrap();
        let passed = |spans: &[(i64, i64, Between)]| {
            let mut way = Way::default();
            way.enter(Stage::Building, second(0));
            for (from, to, between) in spans {
                way.pass(second(*from), second(*to), *between);
            }
            way.worked_words()
        };
        let year = 366 * 24 * 60 * 60;
        let jumped = "at least 12 s (the clock was set meanwhile)";
        let table = [
            (&[(0, 12, Between::Work)][..], "12 s"),
            // People may think for a year.
            (&[(0, 12, Between::Work), (12, year, Between::Wait)], "12 s"),
            (&[(0, 12, Between::Work), (12, year, Between::Rest)], "12 s"),
            (&[(0, 12, Between::Work), (12, year, Between::Work)], jumped),
            (
                &[(0, 12, Between::Work), (12, -year, Between::Work)],
                jumped,
            ),
            (
                &[(0, 12, Between::Work), (12, -year, Between::Wait)],
                jumped,
            ),
        ];
        for (spans, words) in table {
            assert_eq!(passed(spans), words, "{spans:?}");
        }
    }
}
