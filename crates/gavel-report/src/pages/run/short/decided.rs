//! What was decided, who spoke against it, what was assumed.

use gavel_domain::AnswerSource;

use super::super::{codes, council, ledger};
use super::{Rows, item, plain, some_of};
use crate::document::{Line, Tone};
use gavel_view::first_line;
use gavel_view::{CouncilTold, Report};

pub(super) fn rows(report: &Report, rows: &mut Rows) {
    let decisions = report.debate.decisions.iter();
    let mut told: Vec<Line> = decisions
        .filter_map(|told| told.decision.kept())
        .map(|one| chosen(&one.title, &one.choice, &one.why))
        .collect();
    // Where nothing was debated, what was answered before is what was decided.
    if told.is_empty() {
        let answers = report
            .discovery
            .as_ref()
            .and_then(|told| told.answers.kept());
        let answers = answers.into_iter().flatten();
        let used = answers.filter(|one| {
            let settled = !matches!(one.source, AnswerSource::NotNeeded | AnswerSource::Open);
            settled && !one.answer.trim().is_empty()
        });
        told.extend(used.map(|one| chosen(&codes::words(&one.question), &one.answer, &one.why)));
    }
    rows.add("Decided", some_of(told));
    let councils = report.debate.councils.iter();
    let councils = councils.map(council::in_short);
    rows.add("Council", Line::joined(councils, " · "));
    rows.add("Dissent", some_of(dissent(report)));
    if !report.assumptions.is_empty() {
        let open = report.ledger().into_iter().filter(|told| told.is_open());
        let named: Vec<Line> = open.map(|told| item(&told.claim, 80)).collect();
        let mut line = ledger::counts(report);
        if !named.is_empty() {
            line = line.and(" Open: ", Tone::Warn).then(some_of(named));
        }
        rows.add("Assumed", line);
    }
}

/// What was chosen, and why.
fn chosen(title: &str, choice: &str, why: &str) -> Line {
    let line = Line::prose(title)
        .and(" → ", Tone::Faint)
        .then(Line::prose(&first_line(choice, 80)));
    let why = first_line(why, 100);
    if why.is_empty() {
        return line;
    }
    line.then(in_brackets(&why))
}

fn in_brackets(text: &str) -> Line {
    Line::of(" (", Tone::Faint)
        .then(Line::prose(text.trim_end_matches('.')))
        .and(")", Tone::Faint)
}

/// Who spoke against what: decisions, seats, owner and customer.
fn dissent(report: &Report) -> Vec<Line> {
    let debate = &report.debate;
    let decisions = debate
        .decisions
        .iter()
        .filter_map(|told| told.decision.kept());
    let said = decisions.filter(|decision| !decision.dissent.trim().is_empty());
    let mut all: Vec<Line> = said
        .map(|decision| {
            let on = format!("on: {}", first_line(&decision.title, 60));
            plain(&decision.dissent, 140).then(in_brackets(&on))
        })
        .collect();
    // What the leader names without a decision stands in no decision.
    let councils = debate.councils.iter().flat_map(CouncilTold::dissent);
    let named = councils.filter(|one| one.decision.is_empty());
    all.extend(
        named.map(|one| Line::of(format!("{}: ", one.who), Tone::Faint).then(plain(&one.why, 140))),
    );
    all.extend(debate.disputes().into_iter().map(|dispute| {
        let seat = format!("seat {} disputes: ", dispute.seat);
        let line = Line::of(seat, Tone::Faint).then(plain(&dispute.claim, 100));
        if dispute.why.is_empty() {
            line
        } else {
            line.then(in_brackets(&first_line(&dispute.why, 100)))
        }
    }));
    let owner = report.gate().and_then(|gate| gate.owner.as_ref());
    let turns = owner
        .and_then(|owner| owner.said.kept())
        .into_iter()
        .flatten();
    for turn in turns {
        all.extend(turn.objections.iter().map(|objection| {
            Line::of(format!("{}: ", turn.who), Tone::Faint).then(plain(objection, 140))
        }));
    }
    if all.is_empty() && !debate.is_empty() {
        all.push(Line::of("nobody said anything against it", Tone::Faint));
    }
    all
}
