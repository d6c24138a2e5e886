//! How much of a debate was checked.

use gavel_domain::{Badge, TagCount};

use super::tally::Worth;

/// From how many hundredths on a result can be relied on.
const HIGH: u32 = 60;

/// How much of what was tagged was checked, in hundredths; nothing when nobody tagged.
pub fn density(counts: impl IntoIterator<Item = TagCount>) -> Option<u32> {
    let (mut held, mut all) = (0_u64, 0_u64);
    for count in counts {
        let checked = u64::from(count.confirmed) + u64::from(count.refuted);
        let open = u64::from(count.unverified) + u64::from(count.broken);
        held = held.saturating_add(checked);
        all = all.saturating_add(checked).saturating_add(open);
    }
    let share = held.saturating_mul(100).checked_div(all)?;
    u32::try_from(share).ok()
}

/// How much of what was claimed was shown, in hundredths: whole evidence counts whole, existence half.
pub fn shown_density(worth: Worth) -> Option<u32> {
    Some(worth.share()? / 10)
}

/// How much a result can be relied on, where existence is half of a proof: only whole evidence makes
/// it high.
pub fn shown_badge(worth: Worth, synthesised: bool) -> Badge {
    let whole = worth.whole_share().unwrap_or_default() / 10;
    let badge = badge(shown_density(worth), synthesised);
    if badge == Badge::High && whole < HIGH {
        return Badge::Medium;
    }
    badge
}

/// The density that stands in the end: the better of the whole debate and its last round, since
/// what was open may have been checked on the way.
pub fn final_density(cumulative: Option<u32>, last_round: Option<u32>) -> Option<u32> {
    cumulative.max(last_round)
}

/// How much a result can be relied on; without a synthesis there is little to rely on.
pub fn badge(density: Option<u32>, synthesised: bool) -> Badge {
    match density {
        _ if !synthesised => Badge::Low,
        None => Badge::NotMeasured,
        Some(HIGH..) => Badge::High,
        Some(30..) => Badge::Medium,
        Some(_) => Badge::Low,
    }
}

#[cfg(test)]
#[path = "density_tests.rs"]
mod tests;
