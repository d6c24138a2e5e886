//! Today's date: models whose end has passed are not listed.

use std::time::{SystemTime, UNIX_EPOCH};

/// Today in UTC, as `2026-11-15`.
pub(super) fn today() -> String {
    let seconds = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs());
    of_day(seconds / 86_400)
}

/// The date of a day counted from 1970-01-01: years and months are taken off one by one.
fn of_day(mut day: u64) -> String {
    let mut year = 1970;
    while day >= 365 + leap(year) {
        day -= 365 + leap(year);
        year += 1;
    }
    let february = 28 + leap(year);
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30] {
        if day < length {
            break;
        }
        day -= length;
        month += 1;
    }
    format!("{year:04}-{month:02}-{:02}", day + 1)
}

fn leap(year: u64) -> u64 {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    u64::from(leap)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_become_dates() {
        for (day, date) in [
            (0, "1970-01-01"),
            (58, "1970-02-28"),
            (789, "1972-02-29"),
            (11_016, "2000-02-29"),
            (20_772, "2026-11-15"),
            (20_818, "2026-12-31"),
        ] {
            assert_eq!(of_day(day), date);
        }
    }
}
