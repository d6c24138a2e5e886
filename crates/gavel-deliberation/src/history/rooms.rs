//! The records of a run, and the rooms in which debates were held.

use gavel_domain::{CouncilFact, DebatePart, FactError, Key, Record, RunId, Seq};
use gavel_rules::Chain;
use gavel_store::Store;

use super::RecordError;

const PAGE: u32 = 1_000;

/// All records of a run, after their chain was verified.
pub(super) async fn records(store: &dyn Store, run: RunId) -> Result<Vec<Record>, RecordError> {
    let unread = |source| RecordError::Unread {
        run,
        source: Box::new(source),
    };
    let damaged = |problem| RecordError::Damaged {
        run,
        problem: Box::new(problem),
    };
    let head = store.head(run).await.map_err(unread)?;
    let head = head.ok_or(RecordError::NoRun(run))?;
    let mut chain = Chain::new(run);
    let mut all: Vec<Record> = Vec::new();
    // Records that came after the head was read belong to whoever drives.
    while all.last().map_or(Seq::ZERO, |last| last.seq) < head.seq {
        let seen = all.last().map_or(Seq::ZERO, |last| last.seq);
        let page = store.records(run, seen, PAGE).await.map_err(unread)?;
        if page.is_empty() {
            break;
        }
        all.extend(page.into_iter().filter(|record| record.seq <= head.seq));
    }
    for record in &all {
        chain.follow(record).map_err(damaged)?;
    }
    chain.end(head.chain).map_err(damaged)?;
    Ok(all)
}

/// The rooms in which a debate was held, in order.
pub(super) fn rooms(records: &[Record]) -> Result<Vec<String>, RecordError> {
    let mut rooms: Vec<String> = Vec::new();
    for record in records {
        let Some(fact) = CouncilFact::read(record).map_err(|source| newer(record, source))? else {
            continue;
        };
        let key = record.key.key();
        let inside = |room: &String| {
            let below = key.as_str().strip_prefix(room.as_str());
            below.is_some_and(|below| below.starts_with('/'))
        };
        if belongs(&fact) && !rooms.iter().any(inside) {
            rooms.push(room_of(&key));
        }
    }
    Ok(rooms)
}

/// True for what happens in debates alone; a matter may be made clear without one.
const fn belongs(fact: &CouncilFact) -> bool {
    match fact {
        CouncilFact::CouncilPhase(phase) => {
            !matches!(phase.part, DebatePart::Clarify | DebatePart::Research)
        }
        CouncilFact::DebatePlanned(_)
        | CouncilFact::CouncilSeated(_)
        | CouncilFact::DraftsCompared(_)
        | CouncilFact::StanceSpoke(_)
        | CouncilFact::SeatFailed(_)
        | CouncilFact::SeatLeft(_)
        | CouncilFact::RoundEvaluated(_)
        | CouncilFact::RoundSummarised(_)
        | CouncilFact::DebateStopped(_) => true,
        CouncilFact::CouncilPhaseEnded(_)
        | CouncilFact::MatterClarified(_)
        | CouncilFact::ResearchDecided(_)
        | CouncilFact::ResearchMade(_) => false,
    }
}

/// How a debate begins; the room is what stands before it.
const BEGINNINGS: [&str; 2] = ["/plan/began", "/seated"];

/// The room of a debate: where its plan begins. Those of older versions have none; theirs is up to
/// the first `council-N` of the key, else its first segment.
fn room_of(key: &Key) -> String {
    let mut begins = BEGINNINGS.iter();
    if let Some(room) = begins.find_map(|begin| key.as_str().strip_suffix(begin)) {
        return room.to_owned();
    }
    let mut room: Vec<&str> = Vec::new();
    for segment in key.as_str().split('/') {
        room.push(segment);
        let number = segment.strip_prefix("council-");
        if number.is_some_and(|number| number.parse::<u32>().is_ok()) {
            return room.join("/");
        }
    }
    room.first().copied().unwrap_or_default().to_owned()
}

/// A record of a newer version.
pub(super) fn newer(record: &Record, source: FactError) -> RecordError {
    RecordError::Newer {
        run: record.run,
        source: Box::new(source),
    }
}
