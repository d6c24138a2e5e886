//! The whole run on one screen, for somebody who has never seen it.

mod decided;

use gavel_domain::{CriterionStanding, RunState};

use super::{beginning, codes, counted, inside, money, short_commit, trouble};
use crate::document::{Block, Document, Line, Tone, share_words};
use gavel_view::{CriterionTold, Report, TrackedError};
use gavel_view::{Text, first_line};

/// How many of each list are named.
const MOST: usize = 3;

/// The short document.
pub(super) fn document(report: &Report) -> Document {
    let mut blocks = Vec::new();
    super::stopped(report, &mut blocks);
    super::people::open_questions(report, &mut blocks);
    super::asks::short(report, &mut blocks);
    if !blocks.is_empty() {
        super::heading("In short", &mut blocks);
    }
    blocks.push(table(report));
    Document {
        title: report.title(),
        badge: super::badge(report),
        lead: super::lead(report),
        blocks,
    }
}

/// The same as a section of the long one.
pub(super) fn section(report: &Report, blocks: &mut Vec<Block>) {
    super::heading("In short", blocks);
    blocks.push(table(report));
}

fn table(report: &Report) -> Block {
    let mut rows = Rows::default();
    asked(report, &mut rows);
    decided::rows(report, &mut rows);
    built(report, &mut rows);
    failed_first(report, &mut rows);
    proven(report, &mut rows);
    unproven(report, &mut rows);
    people(report, &mut rows);
    cost(report, &mut rows);
    sealed(report, &mut rows);
    Block::Table {
        titles: Vec::new(),
        rows: rows.0,
    }
}

#[derive(Default)]
struct Rows(Vec<Vec<Line>>);

impl Rows {
    fn add(&mut self, name: &str, line: Line) {
        if !line.text().trim().is_empty() {
            self.0.push(vec![Line::of(name, Tone::Strong), line]);
        }
    }
}

fn asked(report: &Report, rows: &mut Rows) {
    if let Some(idea) = &report.idea {
        rows.add("Asked for", inside(idea, 160));
    }
    if let Some(route) = &report.route {
        rows.add("Route", beginning::route_line(route));
    }
}

/// The first of them, and how many more there are.
fn some_of(mut lines: Vec<Line>) -> Line {
    let more = lines.len().saturating_sub(MOST);
    lines.truncate(MOST);
    let line = Line::joined(lines, "; ");
    if more > 0 {
        return line.and(format!("; and {more} more"), Tone::Faint);
    }
    line
}

/// A sentence among others.
fn plain(text: &str, limit: usize) -> Line {
    Line::prose(first_line(text, limit).trim_end_matches('.'))
}

fn item(text: &Text, limit: usize) -> Line {
    match text {
        Text::Kept(text) | Text::Odd(text) => plain(text, limit),
        Text::Gone => super::gone(),
    }
}

fn built(report: &Report, rows: &mut Rows) {
    let spec = report.spec.as_ref().and_then(Text::kept);
    if !report.sprints.is_empty() {
        let number = u32::try_from(report.sprints.len()).unwrap_or(u32::MAX);
        let commits = u32::try_from(report.commits.len()).unwrap_or(u32::MAX);
        let mut line = Line::plain(format!(
            "{}, {}",
            counted(number, "sprint"),
            counted(commits, "commit")
        ));
        let scores = report
            .sprints
            .iter()
            .filter_map(|told| told.judged.as_ref());
        let scores: Vec<String> = scores
            .map(|told| share_words(u64::from(told.score)))
            .collect();
        if !scores.is_empty() {
            line = line.and(
                format!(
                    "; score {} (done at {})",
                    scores.join(" → "),
                    share_words(u64::from(report.limits.done_threshold))
                ),
                Tone::Plain,
            );
        }
        rows.add("Built", line);
    }
    if let Some(spec) = spec.filter(|spec| !spec.out_of_scope.is_empty()) {
        let out = spec.out_of_scope.iter().map(|text| plain(text, 80));
        rows.add("Not built", some_of(out.collect()));
    }
}

/// What went wrong first, and how it went on.
fn failed_first(report: &Report, rows: &mut Rows) {
    let mut told: Vec<Line> = Vec::new();
    if let Some(error) = report.errors.first() {
        let mut line =
            Line::plain(format!("sprint {}: ", error.sprint)).then(inside(&error.text, 120));
        if let Some(first) = first_error(report, error) {
            line = line.and(": ", Tone::Plain).and(first, Tone::Code);
        }
        line = match error.resolved_in {
            Some(sprint) => line.and(format!(", mended in sprint {sprint}"), Tone::Good),
            None => line.and(", still open", Tone::Bad),
        };
        let more = report.errors.len() - 1;
        if more > 0 {
            line = line.and(format!(" (and {more} more)"), Tone::Faint);
        }
        told.push(line);
    }
    // Those that stopped the run first: the others only made it go on with less.
    let (degraded, asked): (Vec<_>, Vec<_>) =
        report.breakers.iter().partition(|told| told.degraded);
    for breaker in asked.into_iter().chain(degraded).take(2) {
        let line = Line::plain(lower(&codes::breaker(&breaker.breaker)));
        let line = line.and(", so: ", Tone::Faint);
        told.push(line.then(trouble::chosen(report, breaker)));
    }
    let gave_up = u32::try_from(report.troubles.len()).unwrap_or(u32::MAX);
    if gave_up > 0 {
        let text = format!("{} failed for good", counted(gave_up, "step"));
        told.push(Line::of(text, Tone::Warn));
    }
    let unclean = report.resumed.unclean;
    if unclean > 0 {
        let text = format!(
            "the program died {} and the run was taken up again",
            super::times(unclean)
        );
        told.push(Line::of(text, Tone::Warn));
    }
    if told.is_empty() && report.state == RunState::Sealed {
        told.push(Line::of("nothing that is on record", Tone::Faint));
    }
    rows.add("Went wrong", Line::joined(told, "; "));
}

/// What stood in the way of the tests of its sprint, where they could not even be run.
fn first_error(report: &Report, error: &TrackedError) -> Option<String> {
    let mut sprints = report.sprints.iter();
    let sprint = sprints.find(|told| told.number == error.sprint)?;
    let first = sprint
        .verifications
        .first()
        .filter(|_| error.source == "verify")?;
    Some(first_line(first.errors.first()?, 120))
}

/// A sentence inside another one.
fn lower(sentence: &str) -> String {
    let mut letters = sentence.chars();
    let first = letters.next().map(|c| c.to_lowercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}

fn proven(report: &Report, rows: &mut Rows) {
    let Some(gate) = report.gate() else {
        if report.state != RunState::Sealed && !report.sprints.is_empty() {
            rows.add(
                "Proven",
                Line::of("nothing yet: the gate has not judged", Tone::Warn),
            );
        }
        return;
    };
    let mut told = Vec::new();
    if let Some(tests) = &gate.verification {
        let tone = if tests.failed == 0 && tests.executed > 0 {
            Tone::Good
        } else {
            Tone::Bad
        };
        let text = format!(
            "{} of {} tests passed in a fresh checkout",
            tests.passed, tests.executed
        );
        told.push(Line::of(text, tone));
    }
    let criteria = judged(report);
    let met = criteria.iter().filter(|told| told.holds).count();
    if !criteria.is_empty() {
        let tone = if met == criteria.len() {
            Tone::Good
        } else {
            Tone::Warn
        };
        let text = format!("{met} of {} criteria met, with evidence", criteria.len());
        told.push(Line::of(text, tone));
    }
    let (word, tone) = if gate.passed {
        ("the gate passed", Tone::Good)
    } else {
        ("the gate did not pass", Tone::Bad)
    };
    let line = Line::of(word, tone).and(" for commit ", Tone::Plain);
    told.push(line.and(short_commit(&gate.commit), Tone::Code));
    rows.add("Proven", Line::joined(told, "; "));
}

/// The criteria as the last gate saw them; before it, as the last sprint did.
fn judged(report: &Report) -> &[CriterionTold] {
    if let Some(gate) = report.gate() {
        return gate.criteria();
    }
    let sprints = report.sprints.iter().rev();
    let mut judged = sprints.filter_map(|told| told.judged.as_ref()?.judged.kept());
    judged.next().map_or(&[], Vec::as_slice)
}

fn unproven(report: &Report, rows: &mut Rows) {
    let mut told: Vec<Line> = Vec::new();
    for criterion in judged(report).iter().filter(|told| !told.holds) {
        let how = match criterion.standing {
            CriterionStanding::Met => "",
            CriterionStanding::Partial => " holds in part",
            CriterionStanding::Unmet => " does not hold",
        };
        told.push(Line::of(criterion.id.as_str(), Tone::Code).and(how, Tone::Bad));
    }
    if let Some(gate) = report.gate() {
        told.extend(gate.failures().map(|condition| {
            let reason = codes::words(&condition.reason);
            let line = Line::of(codes::words(&condition.id), Tone::Bad);
            if reason.is_empty() {
                line
            } else {
                line.and(format!(" ({reason})"), Tone::Plain)
            }
        }));
    }
    let open = report.open_assumptions().count();
    if open > 0 {
        let open = u32::try_from(open).unwrap_or(u32::MAX);
        told.push(Line::of(
            format!("{} open", counted(open, "assumption")),
            Tone::Warn,
        ));
    }
    let says = report.seal.as_ref().and_then(|seal| seal.says.as_ref());
    let left_out = says.and_then(Text::kept).map(|says| &says.left_out);
    told.extend(left_out.into_iter().flatten().map(|text| Line::prose(text)));
    // A seal states it among what was left out; without a seal it is told here.
    let tests = report.gate().and_then(|gate| gate.verification.as_ref());
    let stated = told.iter().any(|line| line.text().starts_with("coverage"));
    if !stated && tests.is_some_and(|tests| tests.coverage.is_none()) {
        told.push(Line::plain(
            "coverage: nothing measured how much of the code the tests reach",
        ));
    }
    let all = told.len();
    told.truncate(2 * MOST);
    let mut line = Line::joined(told, "; ");
    if all > 2 * MOST {
        line = line.and(format!("; and {} more", all - 2 * MOST), Tone::Faint);
    }
    rows.add("Not proven", line);
}

fn people(report: &Report, rows: &mut Rows) {
    let answers: Vec<_> = report
        .questions
        .iter()
        .filter_map(|told| told.answer.as_ref())
        .collect();
    if answers.is_empty() && report.interjections.is_empty() {
        return;
    }
    let assumed = answers
        .iter()
        .filter(|answer| answer.assumed || answer.timed_out)
        .count();
    let by_people = u32::try_from(answers.len() - assumed).unwrap_or(u32::MAX);
    let assumed = u32::try_from(assumed).unwrap_or(u32::MAX);
    let mut line = if by_people == 0 {
        Line::plain("nobody answered a question")
    } else {
        Line::plain(format!("answered {}", counted(by_people, "question")))
    };
    if assumed > 0 {
        let text = format!(
            "; {} went to --yes or the clock",
            counted(assumed, "question")
        );
        line = line.and(text, Tone::Warn);
    }
    let said = u32::try_from(report.interjections.len()).unwrap_or(u32::MAX);
    if said > 0 {
        line = line.and(
            format!("; {} on the way", counted(said, "remark")),
            Tone::Plain,
        );
    }
    if let Some(answer) = report.approval().and_then(|asked| asked.answer.as_ref()) {
        let (word, tone) = match report.is_approved() {
            Some(true) if answer.assumed => ("approved", Tone::Warn),
            Some(true) => ("approved", Tone::Good),
            Some(false) => ("refused", Tone::Bad),
            None => ("looked at", Tone::Warn),
        };
        line = line.and(format!("; the result was {word} by {}", answer.who()), tone);
    }
    rows.add("People", line);
}

fn cost(report: &Report, rows: &mut Rows) {
    let spend = &report.spend;
    if spend.total.calls + spend.total.interrupted == 0 && spend.preview.is_none() {
        return;
    }
    let mut line = Line::of(spend.total.cost_text(), Tone::Strong);
    if let Some(cap) = spend.cap {
        line = line.and(format!(" of {cap}"), Tone::Plain);
    }
    let most = spend.by_stage.iter().max_by_key(|line| line.cost);
    if let Some(most) = most.filter(|line| line.cost.0 > 0) {
        line = line.and(
            format!(", most of it in {} ({})", most.name, most.cost),
            Tone::Plain,
        );
    }
    if let Some(expected) = money::expected(report) {
        line = line.and("; expected: ", Tone::Faint).then(expected);
    }
    rows.add("Cost", line);
}

fn sealed(report: &Report, rows: &mut Rows) {
    if let Some(seal) = &report.seal {
        let tone = match seal.verdict.as_str() {
            "certified" => Tone::Good,
            "flagged" => Tone::Bad,
            _ => Tone::Warn,
        };
        let mut line = Line::of(seal.verdict.as_str(), tone);
        if let Some(branch) = &seal.branch {
            line = line
                .and("; check it with ", Tone::Plain)
                .and(format!("gavel seal verify {branch}"), Tone::Code);
        }
        rows.add("Seal", line);
    }
    if !report.lessons.is_empty() {
        let told = report.lessons.iter().map(|lesson| item(&lesson.text, 120));
        rows.add("Learned", some_of(told.collect()));
    }
}
