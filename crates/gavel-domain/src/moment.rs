//! Moments of a machine's clock. A clock may say anything; records and ids hold what lies between 1970
//! and 9998, with a year to spare for whatever is reckoned from it.

use std::time::{Duration, SystemTime};

use jiff::Timestamp;

/// The first second of the year 9999.
const END: u64 = 253_370_764_800;

/// A clock that cannot stamp records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum UnusableClock {
    /// It was never set, or lost what it knew.
    #[error("this machine's clock says a time before the year 1970: set the clock, then try again")]
    TooEarly,
    /// It was set wrongly.
    #[error("this machine's clock says a time after the year 9998: set the clock, then try again")]
    TooLate,
}

/// A time of the machine's clock.
pub fn moment(at: SystemTime) -> Result<Timestamp, UnusableClock> {
    let since = at
        .duration_since(SystemTime::UNIX_EPOCH)
        .map_err(|_earlier| UnusableClock::TooEarly)?;
    if since.as_secs() >= END {
        return Err(UnusableClock::TooLate);
    }
    Timestamp::try_from(at).map_err(|_range| UnusableClock::TooLate)
}

/// The same, or the nearest one that can be recorded: a clock that jumps under way must not end a run.
pub fn nearest_moment(at: SystemTime) -> Timestamp {
    match moment(at) {
        Ok(moment) => moment,
        Err(UnusableClock::TooEarly) => Timestamp::UNIX_EPOCH,
        Err(UnusableClock::TooLate) => {
            let last = SystemTime::UNIX_EPOCH + Duration::from_secs(END - 1);
            Timestamp::try_from(last).unwrap_or(Timestamp::MAX)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_is_usable_from_1970_to_9998() {
        let epoch = SystemTime::UNIX_EPOCH;
        let after = |seconds: u64| epoch + Duration::from_secs(seconds);
        let moments = [
            (epoch, Ok("1970-01-01T00:00:00Z"), "1970-01-01T00:00:00Z"),
            (
                after(1_794_744_000),
                Ok("2026-11-15T12:00:00Z"),
                "2026-11-15T12:00:00Z",
            ),
            (
                after(END - 1),
                Ok("9998-12-31T23:59:59Z"),
                "9998-12-31T23:59:59Z",
            ),
            (
                after(END),
                Err(UnusableClock::TooLate),
                "9998-12-31T23:59:59Z",
            ),
            (
                after(u64::MAX / 4),
                Err(UnusableClock::TooLate),
                "9998-12-31T23:59:59Z",
            ),
            (
                epoch - Duration::from_nanos(1),
                Err(UnusableClock::TooEarly),
                "1970-01-01T00:00:00Z",
            ),
            (
                epoch - Duration::from_secs(u64::MAX / 4),
                Err(UnusableClock::TooEarly),
                "1970-01-01T00:00:00Z",
            ),
        ];
        for (at, exact, nearest) in moments {
            let found = moment(at).map(|moment| moment.to_string());
            assert_eq!(found, exact.map(str::to_owned));
            assert_eq!(nearest_moment(at).to_string(), nearest);
        }
    }
}
