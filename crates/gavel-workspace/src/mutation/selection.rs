//! Which places get a fault when there are more of them than may be planted.

use std::collections::{BTreeMap, BTreeSet};

use gavel_domain::Digest;

use crate::path::RepoPath;

use super::place::{FaultKind, FaultPlace};

/// Lines of files that the work changed, by file.
pub(super) type TouchedLines = BTreeMap<RepoPath, BTreeSet<u32>>;

/// Takes at most `most` places: functions that were touched come first, then each function in turn gives
/// one, bodies before conditions and conditions before the rest. The seed decides between equals.
pub(super) fn select(
    places: Vec<FaultPlace>,
    touched: &TouchedLines,
    seed: &Digest,
    most: usize,
) -> Vec<FaultPlace> {
    let mut functions: BTreeMap<(RepoPath, usize, usize), Vec<FaultPlace>> = BTreeMap::new();
    for place in places {
        let range = &place.wrap.function;
        let key = (place.file.clone(), range.start, range.end);
        functions.entry(key).or_default().push(place);
    }
    let mut ranked = Vec::new();
    for ((file, start, _), mut places) in functions {
        let draw = Digest::keyed(seed, &format!("function {file} {start}"));
        places.sort_by_key(|place| (rank(place.kind), chance(seed, place)));
        for (turn, place) in places.into_iter().enumerate() {
            ranked.push((!is_touched(&place, touched), turn, draw, place));
        }
    }
    ranked.sort_by_key(|(untouched, turn, draw, _)| (*untouched, *turn, *draw));
    let taken = ranked.into_iter().take(most);
    taken.map(|(.., place)| place).collect()
}

fn is_touched(place: &FaultPlace, touched: &TouchedLines) -> bool {
    touched.get(&place.file).is_some_and(|lines| {
        let mut inside = lines.range(place.function_lines.clone());
        inside.next().is_some()
    })
}

const fn rank(kind: FaultKind) -> u8 {
    match kind {
        FaultKind::EmptyBody | FaultKind::DefaultValue => 0,
        FaultKind::NegatedCondition | FaultKind::Boundary => 1,
        FaultKind::Equality
        | FaultKind::Logic
        | FaultKind::Arithmetic
        | FaultKind::DroppedStatement => 2,
    }
}

fn chance(seed: &Digest, place: &FaultPlace) -> Digest {
    let range = &place.wrap.range;
    let text = format!(
        "{} {} {} {}",
        place.file, range.start, range.end, place.after
    );
    Digest::keyed(seed, &text)
}

#[cfg(test)]
#[path = "selection_tests.rs"]
mod tests;
