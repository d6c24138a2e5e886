//! Prices, exactly: from the decimal text of dollars per token to micro-dollars per million tokens.

use anyhow::{Context, Result, bail};

/// Dollars per token × 10⁶ micro-dollars × 10⁶ tokens.
const SHIFT: i32 = 12;

/// Reads `3e-06` as 3,000,000. A fraction of a micro-dollar per million tokens is refused, because
/// rounding down would promise too little.
pub(super) fn micro_dollars_per_million(text: &str) -> Result<u64> {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().context("exponent")?),
        None => (text, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let value: u64 = digits
        .parse()
        .with_context(|| format!("`{text}` is no price"))?;
    let places = i32::try_from(fraction.len())?;
    let shift = exponent - places + SHIFT;
    let scale = 10_u64
        .checked_pow(shift.unsigned_abs())
        .with_context(|| format!("`{text}` is out of range"))?;
    if shift >= 0 {
        return value
            .checked_mul(scale)
            .with_context(|| format!("`{text}` is out of range"));
    }
    if !value.is_multiple_of(scale) {
        bail!("`{text}` is not a whole number of micro-dollars per million tokens");
    }
    Ok(value / scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimal_texts_are_read_exactly() {
        for (text, price) in [
            ("3e-06", 3_000_000),
            ("1.25e-07", 125_000),
            ("0.000003", 3_000_000),
            ("5e-09", 5_000),
            ("0.0", 0),
            ("0", 0),
            ("1.5625e-05", 15_625_000),
            ("1.0000000000000000e-06", 1_000_000),
        ] {
            assert_eq!(micro_dollars_per_million(text).unwrap(), price, "{text}");
        }
    }

    #[test]
    fn fractions_signs_and_words_are_refused() {
        for text in ["1e-13", "1.00000000001e-06", "-3e-06", "", "free", "1e30"] {
            assert!(micro_dollars_per_million(text).is_err(), "{text}");
        }
    }
}
