//! Other numbers and other days: a little lower, of the same form, in the same order.

use std::collections::BTreeMap;

use super::random::Sequence;
use super::words::Day;

/// Ids and counters are small; nobody can tell them from values.
const SMALLEST: u64 = 10;
/// What is longer may have a check digit.
const MOST_DIGITS: usize = 7;
/// A number goes down by at most one of so many parts, so that it stays within most bounds.
const PARTS: u64 = 4;
/// A year goes down by at most so many.
const YEARS: u64 = 12;
/// How often an order of days is drawn.
const TRIES: u32 = 60;

/// A number as it is written: its digits without the point, and how many stand after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Number {
    digits: u64,
    decimals: u32,
}

impl Number {
    fn read(text: &str) -> Option<Self> {
        let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
        let digits = format!("{whole}{decimals}");
        let decimals = u32::try_from(decimals.len())
            .ok()
            .filter(|many| *many <= 6)?;
        (digits.len() <= 15).then_some(Self {
            digits: digits.parse().ok()?,
            decimals,
        })
    }

    fn write(self) -> String {
        match 10_u64.checked_pow(self.decimals) {
            Some(scale) if self.decimals > 0 => {
                let width = usize::try_from(self.decimals).unwrap_or_default();
                let (whole, part) = (self.digits / scale, self.digits % scale);
                format!("{whole}.{part:0width$}")
            }
            Some(_) | None => self.digits.to_string(),
        }
    }

    /// In millionths, so that numbers with and without decimals compare.
    fn millionths(self) -> u128 {
        let scale = 10_u128.pow(6_u32.saturating_sub(self.decimals));
        u128::from(self.digits) * scale
    }
}

/// True for a number that can be another one: neither small, nor long, nor with zeros before it.
pub(super) fn may_vary(text: &str) -> bool {
    let (whole, _) = text.split_once('.').unwrap_or((text, ""));
    let fits = whole.len() <= MOST_DIGITS && (!whole.starts_with('0'));
    fits && whole.parse::<u64>().is_ok_and(|whole| whole >= SMALLEST)
}

/// Other numbers for the free ones among all that go in; the order of all stays.
pub(super) fn draw_numbers(
    all: &[&str],
    is_free: impl Fn(&str) -> bool,
    random: &mut Sequence,
) -> BTreeMap<String, String> {
    let mut sorted: Vec<(Number, &str)> = all
        .iter()
        .filter_map(|text| Some((Number::read(text)?, *text)))
        .collect();
    sorted.sort_by_key(|(number, text)| (number.millionths(), *text));
    let mut drawn = BTreeMap::new();
    let mut before: Option<u128> = None;
    for (number, text) in sorted {
        let mut now = number;
        if is_free(text)
            && let Some(other) = lower(number, before, random)
        {
            drawn.insert(text.to_owned(), other.write());
            now = other;
        }
        before = Some(now.millionths());
    }
    drawn
}

/// A number below this one and above another, with as many digits and the same last zero.
fn lower(number: Number, above: Option<u128>, random: &mut Sequence) -> Option<Number> {
    let Number { digits, decimals } = number;
    let is_year = decimals == 0 && (1900..2100).contains(&digits);
    let most = if is_year {
        YEARS
    } else {
        digits.div_ceil(PARTS)
    };
    let smallest = 10_u64.checked_pow(digits.checked_ilog10()?)?;
    let from = digits.saturating_sub(most).max(smallest);
    let from = if is_year { from.max(1900) } else { from };
    let with = |digits| Number { digits, decimals };
    let round = |digits: u64| digits.is_multiple_of(10);
    let fits = |other: &u64| {
        let keeps_zero = decimals == 0 || round(*other) == round(digits);
        keeps_zero && above.is_none_or(|above| with(*other).millionths() > above)
    };
    (0..TRIES)
        .map(|_| from + random.below(digits.saturating_sub(from)))
        .filter(|other| *other < digits)
        .find(fits)
        .map(with)
}

/// Other days of the same month for the free ones among all that go in; the order of all stays.
pub(super) fn draw_days(
    all: &[&str],
    is_free: impl Fn(&str) -> bool,
    random: &mut Sequence,
) -> BTreeMap<String, String> {
    let mut months: BTreeMap<(u32, u32), Vec<(Day, &str)>> = BTreeMap::new();
    for text in all {
        if let Some(day) = Day::read(text) {
            months
                .entry((day.year, day.month))
                .or_default()
                .push((day, text));
        }
    }
    let mut drawn = BTreeMap::new();
    for days in months.values_mut() {
        days.sort();
        days.dedup();
        let other = |(day, text): &(Day, &str), random: &mut Sequence| match is_free(text) {
            true => 1 + u32::try_from(random.below(u64::from(day.days_in_month()))).unwrap_or(0),
            false => day.day,
        };
        for _ in 0..TRIES {
            let others: Vec<u32> = days.iter().map(|day| other(day, random)).collect();
            let ordered = others.is_sorted_by(|left, right| left < right);
            let moved =
                |((day, text), other): (&(Day, &str), &u32)| day.day != *other || !is_free(text);
            if ordered && days.iter().zip(&others).all(moved) {
                for ((day, text), other) in days
                    .iter()
                    .zip(others)
                    .filter(|((_, text), _)| is_free(text))
                {
                    let other = Day { day: other, ..*day };
                    drawn.insert((*text).to_owned(), other.to_string());
                }
                break;
            }
        }
    }
    drawn
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_their_form_and_their_order() {
        let all = ["9", "12.50", "12", "512.50", "607.25", "1987", "42"];
        for seed in 0..200 {
            let drawn = draw_numbers(&all, may_vary, &mut Sequence::of(seed, 0));
            let mut pairs: Vec<(f64, f64)> = all
                .iter()
                .map(|text| {
                    let other = drawn.get(*text).map_or(*text, String::as_str);
                    assert_eq!(other.len(), text.len(), "{text} {other}");
                    assert_eq!(other.find('.'), text.find('.'));
                    (text.parse().unwrap(), other.parse().unwrap())
                })
                .collect();
            pairs.sort_by(|left, right| left.0.total_cmp(&right.0));
            assert!(
                pairs.is_sorted_by(|left, right| left.1 < right.1),
                "{pairs:?}"
            );
            assert!(
                drawn.contains_key("607.25") && !drawn.contains_key("9"),
                "{drawn:?}"
            );
            let year: u32 = drawn["1987"].parse().unwrap();
            assert!((1975..1987).contains(&year));
        }
    }

    #[test]
    fn days_stay_in_their_month_and_in_order() {
        let all = ["2026-02-27", "2026-02-28", "2026-03-31", "2026-02-01"];
        for seed in 0..200 {
            let drawn = draw_days(
                &all,
                |text| text != "2026-02-01",
                &mut Sequence::of(seed, 0),
            );
            assert_eq!(drawn.len(), 3, "{drawn:?}");
            let february = (&drawn["2026-02-27"], &drawn["2026-02-28"]);
            assert!(february.0 < february.1 && "2026-02-01" < february.0.as_str());
            for (day, other) in &drawn {
                assert!(Day::read(other).is_some() && other != day);
                let (month, _) = day.rsplit_once('-').unwrap();
                assert!(other.starts_with(month), "{day} {other}");
            }
        }
    }

    #[test]
    fn what_may_be_an_id_or_checked_does_not_vary() {
        for (text, varies) in [
            ("9", false),
            ("10", true),
            ("0.75", false),
            ("12.50", true),
            ("007", false),
            ("4006381333931", false),
        ] {
            assert_eq!(may_vary(text), varies, "{text}");
        }
    }
}
