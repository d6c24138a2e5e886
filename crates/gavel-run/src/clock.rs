//! The clock that stamps records and the ids that are made by it. Drivers never see them: they get
//! [`crate::Recorded::at`].

use std::sync::Mutex;
use std::time::SystemTime;

use gavel_domain::{Timestamp, nearest_moment};
use uuid::{ContextV7, Uuid};

/// Tells the time.
pub trait Clock: Send + Sync {
    /// The present moment.
    fn now(&self) -> Timestamp;
}

/// The machine's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        nearest_moment(SystemTime::now())
    }
}

/// A new id, later than every one that this process made before.
pub fn fresh_id() -> Uuid {
    id_at(SystemClock.now())
}

fn id_at(at: Timestamp) -> Uuid {
    static ORDER: Mutex<ContextV7> = Mutex::new(ContextV7::new());
    let seconds = u64::try_from(at.as_second()).unwrap_or_default();
    let nanos = u32::try_from(at.subsec_nanosecond()).unwrap_or_default();
    Uuid::new_v7(uuid::Timestamp::from_unix(&ORDER, seconds, nanos))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn ids_are_ordered_and_made_at_any_time_of_the_clock() {
        let epoch = SystemTime::UNIX_EPOCH;
        let years = |count: u64| Duration::from_secs(count * 365 * 86_400);
        let times = [
            epoch - years(100),
            epoch,
            epoch + years(56),
            epoch + years(20_000),
        ];
        let ids: Vec<_> = times
            .into_iter()
            .flat_map(|at| [id_at(nearest_moment(at)), id_at(nearest_moment(at))])
            .collect();
        let mut sorted = ids.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(ids, sorted);
    }
}
