//! A debate on one screen: what was decided, who stood where, who disagrees, how much was checked.

use std::collections::BTreeSet;

use gavel_deliberation::{CouncilRecord, DecisionTold, RecordAnswer, Stats, Told};
use gavel_domain::{
    ActionPlan, Badge, CouncilOutcome, DebatePart, DebatePlan, DecisionVote, PhaseOutcome,
    StepPriority, SynthesisOutcome, Voices,
};
use gavel_view::span_words;

use super::seats::{cites, seats};
use super::sections;
use super::sheet::{Sheet, bar};
use crate::live::council::stopped;
use crate::ui::Look;

/// How many of each list are shown.
const MOST: usize = 5;
const BAR: u32 = 10;
const GONE: &str = "its text is no longer kept";

/// One screen; with `turns` also everything that was said, in short.
pub(super) fn sheet(record: &CouncilRecord, turns: bool) -> Sheet {
    let mut sheet = Sheet::default();
    let topic = record.topic.as_ref().and_then(Told::kept);
    sheet.title(topic.map_or("a council", String::as_str));
    marks(record, &mut sheet);
    sheet.gap();
    let outcome = drawn(record);
    decisions(record, outcome, &mut sheet);
    if let Some(outcome) = outcome {
        said(outcome, &mut sheet);
        sections::told(record, outcome, &mut sheet);
    }
    seats(record, &mut sheet);
    cites(record, &mut sheet);
    if turns {
        archive(record, &mut sheet);
    }
    dissent(record, outcome, &mut sheet);
    unknown(record, &mut sheet);
    doubted(record, &mut sheet);
    assumed(record, &mut sheet);
    to_do(record, outcome, &mut sheet);
    evidence(record, &mut sheet);
    took(record, &mut sheet);
    sheet.gap();
    next(record, &mut sheet);
    sheet
}

/// Earlier councils on the subject that a person should have looked at.
fn doubted(record: &CouncilRecord, sheet: &mut Sheet) {
    let Some(doubted) = &record.doubted else {
        return;
    };
    sheet.label("Doubted");
    for line in kept(doubted).lines() {
        sheet.hung("- ", line, Look::Warn);
    }
    sheet.label("").gap();
}

/// What an answer from the record says, with where it stands.
pub(super) fn answer(answer: &RecordAnswer) -> Sheet {
    let mut sheet = Sheet::default();
    for line in &answer.lines {
        sheet.hung("- ", &format!("{} [{}]", line.text, line.key), Look::Plain);
    }
    if !answer.found {
        sheet.text("not in the record", Look::Warn);
    }
    sheet
}

pub(super) fn drawn(record: &CouncilRecord) -> Option<&CouncilOutcome> {
    record.synthesis.as_ref()?.outcome.as_ref()?.kept()
}

pub(super) fn plan(record: &CouncilRecord) -> Option<&DebatePlan> {
    record.plan.as_ref()?.plan.kept()
}

/// What a reader must know before anything else.
fn marks(record: &CouncilRecord, sheet: &mut Sheet) {
    let voices = record.confidence.as_ref().map(|sure| sure.voices);
    if voices == Some(Voices::OneModel) {
        let mark = "one model: its seats are samples of the same voice, not second opinions";
        sheet.text(mark, Look::Warn);
    }
    if record.plan.as_ref().is_some_and(|plan| plan.fallback) {
        let mark = "the leader gave no usable plan: the generic one stood in";
        sheet.text(mark, Look::Warn);
    }
    if let Some(verdict) = record
        .verdict
        .as_ref()
        .filter(|verdict| verdict.needs_person)
    {
        let why = kept(&verdict.reason);
        sheet.text(&format!("NEEDS HUMAN REVIEW: {why}"), Look::Bad);
    }
    if record.stop.is_none() {
        sheet.text("the debate has not come to its end", Look::Warn);
    }
    if let Some(gap) = record.memory.gap() {
        sheet.text(gap, Look::Warn);
    }
    // Sources that did not answer: what they know was not looked at.
    let phases = record.stats.phases.iter();
    let lookups = phases.filter(|phase| phase.part == DebatePart::Research);
    let trouble: BTreeSet<&str> = lookups
        .filter_map(|phase| Some(kept(phase.why.as_ref()?)))
        .collect();
    for told in trouble {
        sheet.text(told, Look::Warn);
    }
    let phases = record.stats.phases.iter();
    for phase in phases.filter(|phase| phase.outcome == Some(PhaseOutcome::Failed)) {
        if let Some(told) = came_to_nothing(phase.part, phase.round) {
            sheet.text(&told, Look::Warn);
        }
    }
}

/// What a phase that failed means for the reader; nothing for those that are told elsewhere.
fn came_to_nothing(part: DebatePart, round: u32) -> Option<String> {
    match part {
        DebatePart::Research => Some("looking things up came to nothing".to_owned()),
        DebatePart::Round => Some(format!("round {round}: half of its pairs or more failed")),
        DebatePart::Drafts
        | DebatePart::Clarify
        | DebatePart::Plan
        | DebatePart::Gate
        | DebatePart::Openings
        | DebatePart::Synthesis
        | DebatePart::Judgement => None,
    }
}

fn decisions(record: &CouncilRecord, outcome: Option<&CouncilOutcome>, sheet: &mut Sheet) {
    for told in &record.decisions {
        let vote = outcome.and_then(|outcome| vote_of(outcome, told));
        sheet.label("Decision");
        let Some(decision) = told.decision.kept() else {
            sheet.text(GONE, Look::Faint);
            continue;
        };
        let id = told
            .id
            .as_deref()
            .map_or_else(String::new, |id| format!("  ({id})"));
        sheet.line(vec![
            (decision.title.clone(), Look::Strong),
            (id, Look::Faint),
        ]);
        let open = told.id.is_some() && told.option.is_none();
        let (sign, look) = if open {
            ("? ", Look::Warn)
        } else {
            ("✓ ", Look::Good)
        };
        sheet.hung(sign, &decision.choice, look);
        if let Some(vote) = vote {
            votes(vote, sheet);
        }
        if told.changed == Some(true) {
            sheet.text(
                "the debate changed what the blind openings came to",
                Look::Faint,
            );
        }
        if !decision.why.trim().is_empty() {
            sheet.label("Why").text(&decision.why, Look::Plain);
        }
        sheet.gap();
    }
}

fn vote_of<'o>(outcome: &'o CouncilOutcome, told: &DecisionTold) -> Option<&'o DecisionVote> {
    let id = told.id.as_deref()?;
    outcome.decisions.iter().find(|vote| vote.id == id)
}

/// Who chose what, with the weight of each option.
fn votes(vote: &DecisionVote, sheet: &mut Sheet) {
    let widest = vote.options.iter().map(|words| words.chars().count()).max();
    let widest = widest.unwrap_or(0).min(30);
    for (place, words) in vote.options.iter().enumerate() {
        let weight = vote.weights.get(place).copied().unwrap_or(0);
        let voters = vote.voters.get(place).map_or(&[][..], Vec::as_slice);
        let who = if voters.is_empty() {
            "nobody".to_owned()
        } else {
            voters.join(", ")
        };
        sheet.line(vec![
            (format!("  {words:widest$}  "), Look::Plain),
            (bar(weight, 1_000, BAR), Look::Good),
            (format!(" {:>3} %  ", weight / 10), Look::Plain),
            (who, Look::Faint),
        ]);
    }
}

/// What the leader drew from it.
fn said(outcome: &CouncilOutcome, sheet: &mut Sheet) {
    let answered = outcome.resolved_question.as_ref();
    if let Some(resolved) = answered {
        sheet.label("Answer").text(&resolved.answer, Look::Strong);
    }
    if !outcome.recommendation.trim().is_empty() {
        sheet
            .label("Advice")
            .text(&outcome.recommendation, Look::Strong);
    }
    if !outcome.summary.trim().is_empty() {
        sheet.label("In short").text(&outcome.summary, Look::Plain);
    }
    list(sheet, "Agreed", &outcome.agreed);
    list(sheet, "Trade-offs", &outcome.tradeoffs);
    sheet.gap();
}

fn list(sheet: &mut Sheet, label: &'static str, items: &[String]) {
    sheet.label(label);
    for item in items.iter().take(MOST) {
        sheet.hung("- ", item, Look::Plain);
    }
    if items.len() > MOST {
        sheet.text(&format!("and {} more", items.len() - MOST), Look::Faint);
    }
    sheet.label("");
}

/// Everything that was said, in short.
fn archive(record: &CouncilRecord, sheet: &mut Sheet) {
    sheet.label("Turns");
    for turn in &record.archive {
        let round = match turn.round {
            0 => "opening".to_owned(),
            round => format!("round {round}"),
        };
        let answers = turn
            .answers
            .map_or_else(String::new, |seat| format!(" to seat {seat}"));
        sheet.line(vec![
            (
                format!("{} {}, {round}{answers}  ", turn.seat, turn.stance),
                Look::Strong,
            ),
            (
                format!("{} characters  [{}]", turn.length, turn.key),
                Look::Faint,
            ),
        ]);
        sheet.hung("  ", kept(&turn.excerpt), Look::Plain);
    }
    sheet.gap();
}

fn dissent(record: &CouncilRecord, outcome: Option<&CouncilOutcome>, sheet: &mut Sheet) {
    let against = outcome.map_or(&[][..], |outcome| &outcome.dissent);
    sheet.label("Dissent");
    for one in against {
        let about = match one.decision.as_str() {
            "" => String::new(),
            id => format!(" on {id}"),
        };
        let place = match one.turn.as_str() {
            "" => String::new(),
            key => format!(" [{key}]"),
        };
        let told = format!("{}{about}: {}{place}", one.who, one.why);
        sheet.hung("- ", &told, Look::Warn);
    }
    if against.is_empty() && record.confidence.is_some() {
        let nobody = if record.archive.len() < 2 {
            "only one voice was heard"
        } else {
            "nobody disagrees in the end"
        };
        sheet.text(nobody, Look::Plain);
    }
    sheet.label("");
}

/// What nobody answered: gaps of the question, and what the leader saw unresolved last.
fn unknown(record: &CouncilRecord, sheet: &mut Sheet) {
    let matter = record.matter.as_ref().and_then(Told::kept);
    let mut open: Vec<String> = matter.map_or_else(Vec::new, |matter| matter.gaps.clone());
    let last = record
        .evaluations
        .last()
        .and_then(|one| one.said.as_ref()?.kept());
    let unresolved = last.and_then(|said| said.get("unresolved")?.as_array());
    open.extend(
        unresolved
            .into_iter()
            .flatten()
            .filter_map(|one| one.as_str().map(str::to_owned)),
    );
    list(sheet, "Unknown", &open);
}

fn assumed(record: &CouncilRecord, sheet: &mut Sheet) {
    let assumed = record.assumptions.iter();
    let assumed: Vec<String> = assumed
        .map(|one| format!("{} ({})", one.claim, one.raised_by))
        .collect();
    list(sheet, "Assumed", &assumed);
}

/// The plan that was made or drawn up; without one, what is to be done.
fn to_do(record: &CouncilRecord, outcome: Option<&CouncilOutcome>, sheet: &mut Sheet) {
    let made = record.action_plan.as_ref();
    let made = made.and_then(|told| told.plan.kept());
    match made.or_else(|| outcome?.plan.as_ref()) {
        Some(plan) => plan_told(plan, sheet),
        None => {
            let items = outcome.map_or(&[][..], |outcome| &outcome.action_items);
            list(sheet, "To do", items);
        }
    }
}

fn plan_told(plan: &ActionPlan, sheet: &mut Sheet) {
    sheet.label("Plan");
    for (number, step) in (1..).zip(&plan.steps) {
        let soon = match step.priority {
            StepPriority::High => "first",
            StepPriority::Medium => "then",
            StepPriority::Low => "later",
        };
        sheet.hung(
            &format!("{number}. "),
            &format!("{} ({soon})", step.description),
            Look::Plain,
        );
    }
    list(sheet, "Before", &plan.prerequisites);
}

/// How much the result can be relied on.
fn evidence(record: &CouncilRecord, sheet: &mut Sheet) {
    let Some(sure) = &record.confidence else {
        return;
    };
    let badge = sure.badge.unwrap_or(Badge::NotMeasured);
    let look = match badge {
        Badge::High => Look::Good,
        Badge::Medium => Look::Warn,
        Badge::Low | Badge::NotMeasured => Look::Bad,
    };
    let density = match sure.density {
        Some(density) => format!(" · {density} % of the tagged claims were checked"),
        None => " · nobody tagged a claim".to_owned(),
    };
    let verdict = record.verdict.as_ref();
    let own = verdict.is_some_and(|verdict| verdict.self_judged);
    let judged = match verdict.and_then(|verdict| verdict.confidence) {
        Some(judged) if own => format!(" · self-judged {judged} %"),
        Some(judged) => format!(" · judged {judged} %"),
        None => " · not judged".to_owned(),
    };
    sheet.label("Evidence").line(vec![
        (badge.word().to_owned(), look),
        (format!("{density}{judged}"), Look::Plain),
    ]);
    if let Some(synthesis) = &record.synthesis {
        let told = match synthesis.how {
            SynthesisOutcome::Made => return,
            SynthesisOutcome::MadeCompact => "drawn together from the final positions alone",
            SynthesisOutcome::Failed => "not drawn together: the votes alone stand here",
        };
        sheet.text(told, Look::Warn);
    }
}

/// What it cost, and how much of that nobody knows.
fn price(stats: &Stats) -> String {
    let known = stats.known_cost();
    let mut parts: Vec<String> = known.iter().map(ToString::to_string).collect();
    if known.is_none() && stats.unpriced + stats.source_calls == 0 {
        parts.push("cost unknown".to_owned());
    }
    if stats.unpriced > 0 {
        parts.push(format!("{} calls of unknown price", stats.unpriced));
    }
    match stats.source_calls {
        0 => {}
        1 => parts.push("1 call to a source, unmetered".to_owned()),
        many => parts.push(format!("{many} calls to sources, unmetered")),
    }
    parts.join(" and ")
}

/// How it went, and what it took.
fn took(record: &CouncilRecord, sheet: &mut Sheet) {
    let stats = &record.stats;
    let rounds = match record.stop.as_ref().map_or(0, |stop| stop.rounds) {
        1 => "1 round".to_owned(),
        many => format!("{many} rounds"),
    };
    let why = record.stop.as_ref();
    let why = why.map_or_else(String::new, |stop| format!(" ({})", stopped(stop.reason)));
    let price = price(stats);
    let time = span_words(stats.duration_ms);
    let lost = stats.lost_text();
    let replies = match stats.calls {
        1 => "1 reply".to_owned(),
        calls => format!("{calls} replies"),
    };
    let text = format!("{rounds}{why} · {replies} · {price}{lost} · {time}");
    sheet.label("Debate").text(&text, Look::Plain);
    if let Some(leader) = &record.leader {
        let promoted = leader.promoted_from.as_ref();
        let promoted = promoted.map_or_else(String::new, |from| format!(" in the place of {from}"));
        sheet.text(&format!("led by {}{promoted}", leader.model), Look::Faint);
    }
}

fn next(record: &CouncilRecord, sheet: &mut Sheet) {
    let short = record.run.short();
    let mut commands = vec![
        (
            format!("gavel council ask {short} \"who was against?\""),
            "from the record alone",
        ),
        (
            format!("gavel council show {short} --turns"),
            "who said what",
        ),
    ];
    if record.decisions.iter().any(|told| told.id.is_some()) {
        commands.push((
            format!("gavel council proved {short} DECISION right"),
            "once you know",
        ));
    }
    sheet.label("Next").commands(&commands);
}

pub(super) fn kept(told: &Told) -> &str {
    told.kept().map_or(GONE, String::as_str)
}
