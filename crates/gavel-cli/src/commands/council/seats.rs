//! Who sat where, what they chose, how much of it was checked, and what they stand on.

use std::collections::BTreeMap;

use gavel_deliberation::{CouncilRecord, TurnTold};
use gavel_domain::{OpenDecision, SeatTaken, TagCount};
use gavel_rules::council::{TagWord, sources, tags};

use super::page::{kept, plan};
use super::sheet::{Sheet, bar};
use crate::ui::Look;

/// How many citations are shown.
const MOST: usize = 5;
const SMALL_BAR: u32 = 5;

/// One line for each seat: who, on which model, what it chose, how much of it was checked.
pub(super) fn seats(record: &CouncilRecord, sheet: &mut Sheet) {
    let wide = |text: fn(&SeatTaken) -> &str| {
        let widths = record
            .participants
            .iter()
            .map(|seat| text(seat).chars().count());
        widths.max().unwrap_or(0)
    };
    let (names, models) = (wide(|seat| &seat.stance), wide(|seat| &seat.model));
    let last = |seat: &SeatTaken| {
        let turn = record.archive.iter().rfind(|turn| turn.seat == seat.seat);
        turn.map_or_else(String::new, |turn| chose(record, turn))
    };
    let chosen = record
        .participants
        .iter()
        .map(|seat| last(seat).chars().count());
    let chosen = chosen.max().unwrap_or(0).min(30);
    sheet.label("Seats");
    for seat in &record.participants {
        let (stance, model) = (&seat.stance, &seat.model);
        let turns = record.archive.iter().filter(|turn| turn.seat == seat.seat);
        let turns: Vec<&TurnTold> = turns.collect();
        let mut cells = vec![
            (format!("{} {stance:names$}  ", seat.seat), Look::Strong),
            (format!("{model:models$}  "), Look::Faint),
        ];
        match turns.last() {
            Some(last) => {
                let words = chose(record, last);
                cells.push((format!("{words:chosen$}  "), Look::Plain));
                cells.extend(checked(&turns));
                let looked_up: usize = turns.iter().map(|turn| turn.looked_up.len()).sum();
                if looked_up > 0 {
                    cells.push((format!("  looked up {looked_up}"), Look::Faint));
                }
            }
            None if failed(record, seat) => cells.push(("said nothing".to_owned(), Look::Warn)),
            // Two drafts that agree settle it: nobody else is asked.
            None => cells.push(("not asked".to_owned(), Look::Faint)),
        }
        sheet.line(cells);
    }
    let quiet = |seat: &SeatTaken| record.archive.iter().all(|turn| turn.seat != seat.seat);
    for silent in &record.silent {
        let why = silent
            .why
            .as_ref()
            .map_or("it failed too often", |why| kept(why));
        let unheard = record.participants.iter();
        let unheard = unheard.filter(|seat| seat.seat == silent.seat && quiet(seat));
        if unheard.count() > 0 || silent.left {
            let told = format!("seat {} in round {}: {why}", silent.seat, silent.round);
            sheet.hung("! ", &told, Look::Warn);
        }
    }
    sheet.gap();
}

/// True for a seat that was asked and of which nothing usable came.
fn failed(record: &CouncilRecord, seat: &SeatTaken) -> bool {
    record.silent.iter().any(|silent| silent.seat == seat.seat)
}

/// What the seats stand on in the end, as far as it was found, each with who names it.
pub(super) fn cites(record: &CouncilRecord, sheet: &mut Sheet) {
    let mut named: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for position in &record.final_positions {
        let held = tags(kept(&position.text)).into_iter();
        let held = held.filter(|tag| match tag.word {
            TagWord::Confirmed | TagWord::Refuted => true,
            TagWord::Unverified => false,
        });
        for source in held.flat_map(|tag| sources(&tag)) {
            let by = named.entry(source).or_default();
            if !by.contains(&position.stance.as_str()) {
                by.push(&position.stance);
            }
        }
    }
    sheet.label("Cites");
    for (source, by) in named.iter().take(MOST) {
        let text = format!("{source} ({})", by.join(", "));
        sheet.hung("- ", &text, Look::Plain);
    }
    if named.len() > MOST {
        sheet.text(&format!("and {} more", named.len() - MOST), Look::Faint);
    }
    sheet.label("").gap();
}

/// What a turn chose, in the words of the options.
fn chose(record: &CouncilRecord, turn: &TurnTold) -> String {
    let decisions = plan(record).map_or(&[][..], |plan| &plan.decisions);
    let words = turn.choices.iter().map(|made| {
        let decision = decisions.iter().find(|one| one.id == made.decision);
        let words = decision.and_then(|one| one.words_of(made.option));
        words.map_or_else(
            || OpenDecision::letter(made.option).to_string(),
            str::to_owned,
        )
    });
    let words: Vec<String> = words.collect();
    if words.is_empty() {
        "chose nothing".to_owned()
    } else {
        words.join(" · ")
    }
}

/// How many claims of a seat name something that was found.
fn checked(turns: &[&TurnTold]) -> Vec<(String, Look)> {
    let sum = |count: fn(&TagCount) -> u32| {
        let tags = turns.iter().filter_map(|turn| turn.tags.as_ref());
        tags.map(count).sum::<u32>()
    };
    let held = sum(|tags| tags.confirmed + tags.refuted);
    let all = held + sum(|tags| tags.unverified + tags.broken);
    if all == 0 {
        return vec![("no claims tagged".to_owned(), Look::Faint)];
    }
    let look = if held * 10 >= all * 6 {
        Look::Good
    } else if held * 10 >= all * 3 {
        Look::Warn
    } else {
        Look::Bad
    };
    let broken = match sum(|tags| tags.broken) {
        0 => String::new(),
        broken => format!(", {broken} broken"),
    };
    vec![
        (bar(held, all, SMALL_BAR), look),
        (format!(" {held}/{all} checked{broken}"), Look::Faint),
    ]
}
