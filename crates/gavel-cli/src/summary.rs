//! What stands at the end of a run: what was built, where, how to try it, what was proven and what
//! was not, cost and time, and what to do now. One screen.

mod page;

use std::path::Path;

use gavel_contracts::parse_schema;
use gavel_domain::{ContractKind, EvidenceRank, FaultCount, RunId, RunState};
use gavel_rules::{AuditedBy, ThreadTone, is_approval_line, is_ask_line};
use gavel_rules::{is_plain_command, sanitize_for_display, sanitize_line};
use gavel_store::Store;
use gavel_view::Report;
use gavel_view::{CriterionTold, StageTime, Text, source_line, span_words};

use self::page::{Page, Width};
use crate::context::Context;
use crate::failure::Failure;
use crate::ui::{Cell, Look, look_of};

/// Lines are cut here.
const WIDTH: usize = 96;
/// Where the words begin.
const INDENT: usize = 10;
/// How many of each list are named.
const MOST: usize = 4;
const BAR: u64 = 24;

type Row = Vec<Cell>;

/// Prints the summary of a run that is through.
pub(crate) async fn summary(
    context: &Context,
    store: &dyn Store,
    run: RunId,
) -> Result<(), Failure> {
    let report = Report::read(store, run).await?;
    for row in rows(&report, Width::of_output()) {
        let line: String = row
            .iter()
            .map(|(text, look)| context.ui.look(text, *look))
            .collect();
        context.ui.line(line.trim_end());
    }
    crate::changes::show(context, &report).await;
    Ok(())
}

/// The lines: about a screen, unless more was left out or not covered.
fn rows(report: &Report, width: Width) -> Vec<Row> {
    let mut page = Page {
        rows: Vec::new(),
        label: "",
        width,
    };
    head(report, &mut page);
    built(report, &mut page);
    if report.state == RunState::Sealed {
        try_it(report, &mut page);
    }
    asked(report, &mut page);
    proven(report, &mut page);
    not_proven(report, &mut page);
    time(report, &mut page);
    cost(report, &mut page);
    next(report, &mut page);
    page.rows
}

fn head(report: &Report, page: &mut Page) {
    let (mark, word, look) = match (&report.seal, &report.ended) {
        (Some(seal), _) if report.state == RunState::Sealed => {
            let look = if seal.verdict == "certified" {
                Look::Good
            } else {
                Look::Warn
            };
            ("✓ ", format!("sealed, {}", seal.verdict), look)
        }
        (_, Some(ended)) => {
            let reason = ended.reason.as_deref().unwrap_or(ended.state.word());
            (
                "✗ ",
                format!("stopped: {}", reason.replace('_', " ")),
                Look::Bad,
            )
        }
        (_, None) => ("· ", report.state.to_string(), Look::Plain),
    };
    page.gap();
    page.rows.push(vec![
        (mark.to_owned(), look),
        (clipped(&report.title(), 60), Look::Strong),
        ("  ".to_owned(), Look::Plain),
        (word, look),
    ]);
    if let Some(spec) = report.spec.as_ref().and_then(Text::kept) {
        page.below_title(&spec.purpose, Look::Plain);
    }
    let detail = report
        .ended
        .as_ref()
        .and_then(|ended| ended.detail.as_ref());
    if let Some(detail) = detail.and_then(Text::kept) {
        for line in sanitize_for_display(detail).lines().take(6) {
            page.below_title(line, Look::Warn);
        }
    }
    page.gap();
}

fn built(report: &Report, page: &mut Page) {
    page.label(if report.state == RunState::Sealed {
        "Built"
    } else {
        "Planned"
    });
    let schema = report.contract(ContractKind::Schema).map(parse_schema);
    let entities = schema.and_then(Result::ok).unwrap_or_default();
    for entity in entities.iter().take(MOST) {
        let fields = entity.fields.iter().map(|field| field.name.as_str());
        let fields: Vec<&str> = fields.collect();
        page.line(vec![
            (entity.plural.clone(), Look::Strong),
            (format!(" with {}", fields.join(", ")), Look::Plain),
        ]);
    }
    if let Some(more) = entities.len().checked_sub(MOST + 1) {
        page.words(&format!("and {} more", more + 1), Look::Faint);
    }
    let commands = report.commands();
    if !commands.is_empty() {
        page.words(&format!("commands: {}", gathered(&commands)), Look::Plain);
    }
    if let (Some(place), Some(branch)) = (&report.place, &report.branch) {
        page.label("Where");
        page.line(vec![
            ("branch ".to_owned(), Look::Plain),
            (branch.clone(), Look::Strong),
            (format!(" in {}", place.checkout.display()), Look::Plain),
        ]);
        let told = format!(
            "pushed: {}; your own branches and files are as they were",
            report.push
        );
        page.words(&told, Look::Faint);
        let last = report.pushed.as_ref();
        if let Some(Text::Kept(why)) = last.and_then(|last| last.failed.as_ref()) {
            page.words(why, Look::Faint);
        }
    }
    page.gap();
}

/// `book add, list; loan add, list`: the first word once for all that follow.
fn gathered(commands: &[String]) -> String {
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    for command in commands {
        let (first, rest) = command.split_once(' ').unwrap_or((command, ""));
        match groups.iter_mut().find(|(word, _)| *word == first) {
            Some((_, verbs)) => verbs.push(rest),
            None => groups.push((first, vec![rest])),
        }
    }
    let told = groups.iter().map(|(word, verbs)| {
        let told = format!("{word} {}", verbs.join(", "));
        told.trim_end().to_owned()
    });
    told.collect::<Vec<_>>().join("; ")
}

fn try_it(report: &Report, page: &mut Page) {
    let (Some(place), Some(branch)) = (&report.place, &report.branch) else {
        return;
    };
    page.label("Try it");
    let folder = quoted(&place.checkout);
    let mut commands = vec![(format!("cd {folder} && git switch {branch}"), "")];
    let tests = report
        .test_command()
        .filter(|command| is_plain_command(command));
    let runs = tests
        .as_ref()
        .is_some_and(|tests| tests.starts_with("cargo "));
    commands.extend(tests.map(|tests| (tests, "every criterion is a test")));
    if runs {
        let example = example(report).unwrap_or_else(|| "help".to_owned());
        commands.push((format!("cargo run -q -- {example}"), ""));
    }
    page.commands(&commands);
    page.gap();
}

/// The first command of the first criterion that shows one, as it can be typed.
fn example(report: &Report) -> Option<String> {
    let spec = report.spec.as_ref().and_then(Text::kept)?;
    let commands = report.commands();
    let examples = spec.criteria.iter().map(|criterion| &criterion.example);
    let lines = examples.flat_map(|example| example.lines());
    let mut typed = lines.filter_map(|line| line.trim().strip_prefix("$ "));
    let known = |line: &&str| {
        commands
            .iter()
            .any(|command| line.starts_with(command.as_str()))
    };
    let found = typed.find(|line| known(line) && is_plain_command(line) && line.len() <= 110);
    found.map(str::to_owned)
}

/// What was asked for, and what shows it; first what nothing answers for.
fn asked(report: &Report, page: &mut Page) {
    let Some(thread) = &report.thread else {
        return;
    };
    page.label("Asked");
    page.words(&thread.counted(), Look::Plain);
    let mut asks: Vec<_> = thread.asks.iter().collect();
    asks.sort_by_key(|ask| ask.tone() != ThreadTone::Warn);
    // What is not answered for is named to the last word.
    let doubted = asks.iter().filter(|ask| ask.tone() == ThreadTone::Warn);
    let most = doubted.count().max(2 * MOST);
    for ask in asks.iter().take(most) {
        page.words(&ask.line(), look_of(ask.tone()));
    }
    match asks.len().saturating_sub(most) {
        0 => {}
        more => page.words(&format!("and {more} more"), Look::Faint),
    }
    if let Some(own) = thread.own_line() {
        page.words(&own, Look::Faint);
    }
}

fn proven(report: &Report, page: &mut Page) {
    page.label("Proven");
    let Some(gate) = report.gate() else {
        page.words("nothing yet: the done gate has not judged", Look::Warn);
        return;
    };
    if let Some(tests) = &gate.verification {
        let holds = tests.failed == 0 && tests.executed > 0 && tests.passed == tests.executed;
        let (passed, executed) = (tests.passed, tests.executed);
        let text = format!("{passed} of {executed} tests passed in a fresh checkout of the commit");
        page.line(marked(holds, text));
    }
    let criteria = gate.criteria();
    if !criteria.is_empty() {
        let shown = criteria.iter().filter(|criterion| criterion.holds).count();
        let all = criteria.len();
        let text = format!("{shown} of {all} criteria shown{}", how_firmly(criteria));
        page.line(marked(shown == all, text));
    }
    let FaultCount { tried, caught } = gate.proof.faults();
    if tried > 0 {
        let text =
            format!("{caught} of {tried} faults planted in the code were caught by the tests");
        page.line(marked(tried == caught, text));
    }
    for hollow in gate.proof.hollow().take(MOST) {
        let text = format!("hollow: the test of {} catches none", hollow.criterion);
        page.line(marked(false, text));
    }
    if let Some(base) = &gate.proof.base_tests {
        let text = if base.held {
            "the tests from before the run pass on the result"
        } else {
            "tests from before the run do not pass on the result"
        };
        page.line(marked(base.held, text.to_owned()));
    }
    let of = |id: &str| gate.conditions.iter().find(|condition| condition.id == id);
    if let Some(audited) = of("audited").filter(|condition| condition.looked_at > 0) {
        let (held, all) = (audited.held, audited.looked_at);
        let repaired = report
            .errors
            .iter()
            .filter(|error| error.resolved_in.is_some());
        let repaired = match repaired.count() {
            0 => String::new(),
            1 => ", 1 error found and repaired".to_owned(),
            number => format!(", {number} errors found and repaired"),
        };
        let text = format!("{held} of {all} phases audited without an error{repaired}");
        let doubt = report.audited_by.and_then(AuditedBy::doubt);
        page.line(match doubt.filter(|_| audited.holds) {
            Some(doubt) => vec![
                ("– ".to_owned(), Look::Warn),
                (format!("{text}, {doubt}"), Look::Plain),
            ],
            None => marked(audited.holds, text),
        });
    }
    let told = ["engineering_floor", "evidence", "audited"];
    let failed = gate.failures();
    for condition in failed.filter(|condition| !told.contains(&condition.id.as_str())) {
        let reason = condition.reason.replace('_', " ");
        let text = format!("{}: {reason}", condition.id.replace('_', " "));
        page.line(marked(false, text.trim_end_matches(": ").to_owned()));
    }
}

/// `: 12 executed by Gavel, 2 read by a judge`; older runs have no ranks.
fn how_firmly(criteria: &[CriterionTold]) -> String {
    let counted: Vec<String> = EvidenceRank::ALL
        .into_iter()
        .filter_map(|rank| {
            let such = criteria.iter().filter(|one| one.rank == Some(rank)).count();
            (such > 0).then(|| format!("{such} {}", rank.label()))
        })
        .collect();
    if counted.is_empty() {
        return ", each with evidence that was looked up".to_owned();
    }
    format!(": {}", counted.join(", "))
}

fn marked(holds: bool, text: String) -> Row {
    let mark = if holds {
        ("✓ ".to_owned(), Look::Good)
    } else {
        ("✗ ".to_owned(), Look::Bad)
    };
    vec![mark, (text, Look::Plain)]
}

fn not_proven(report: &Report, page: &mut Page) {
    page.label("Left out");
    let says = report.seal.as_ref().and_then(|seal| seal.says.as_ref());
    let left_out = says
        .and_then(Text::kept)
        .map_or(&[][..], |says| &says.left_out);
    // Asks stand above, word for word.
    for line in left_out.iter().filter(|line| !is_ask_line(line)) {
        page.line(vec![
            ("– ".to_owned(), Look::Warn),
            (line.clone(), Look::Plain),
        ]);
    }
    let refuted = says
        .and_then(Text::kept)
        .map(|says| says.refuted.as_slice());
    for one in refuted.unwrap_or_default() {
        let how = one.settled.as_deref().unwrap_or("NOT settled");
        page.line(vec![
            ("– ".to_owned(), Look::Warn),
            (format!("refuted: {} ({how})", one.claim), Look::Plain),
        ]);
    }
    let unshown = report.gate().map_or(&[][..], |gate| gate.criteria());
    let unshown = unshown.iter().filter(|criterion| !criterion.holds);
    for criterion in unshown.take(MOST) {
        page.line(vec![
            ("✗ ".to_owned(), Look::Bad),
            (criterion.id.clone(), Look::Strong),
            (format!(": {}", criterion.evidence), Look::Plain),
        ]);
    }
    let spec = report.spec.as_ref().and_then(Text::kept);
    if let Some(spec) = spec.filter(|spec| !spec.out_of_scope.is_empty()) {
        let out: Vec<&str> = spec
            .out_of_scope
            .iter()
            .map(|line| line.trim_end_matches('.'))
            .collect();
        page.line(vec![
            ("not built: ".to_owned(), Look::Faint),
            (out.join("; "), Look::Faint),
        ]);
    }
    page.gap();
}

fn time(report: &Report, page: &mut Page) {
    let stages = report.way.stages();
    let all = report.way.worked_ms();
    let most = stages.iter().map(|time| time.worked_ms).max().unwrap_or(0);
    page.label("Time");
    page.words(
        &format!("{} of work", report.way.worked_words()),
        Look::Strong,
    );
    let (long, short): (Vec<StageTime>, Vec<StageTime>) = stages
        .into_iter()
        .partition(|time| time.worked_ms >= 100 && time.worked_ms.saturating_mul(50) >= all);
    for time in &long {
        let length = time.worked_ms.saturating_mul(BAR).checked_div(most);
        let length = usize::try_from(length.unwrap_or(0).max(1)).unwrap_or(0);
        page.line(vec![
            (format!("{:<10}", time.stage), Look::Plain),
            (format!("{:>11}  ", span_words(time.worked_ms)), Look::Plain),
            ("█".repeat(length), Look::Good),
        ]);
    }
    if !short.is_empty() {
        let names: Vec<&str> = short.iter().map(|time| time.stage.word()).collect();
        let millis = short.iter().map(|time| time.worked_ms).sum();
        let text = format!("{}: {}", names.join(", "), span_words(millis));
        page.words(&text, Look::Faint);
    }
}

fn cost(report: &Report, page: &mut Page) {
    let (spend, total) = (&report.spend, &report.spend.total);
    page.label("Cost");
    let cap = spend
        .cap
        .map_or_else(String::new, |cap| format!(" of {cap}"));
    page.line(vec![
        (total.cost_text(), Look::Strong),
        (format!("{cap}, {}", total.replies_text()), Look::Plain),
    ]);
    if total.interrupted > 0 {
        let (most, calls) = (total.lost_text(), total.interrupted);
        page.words(
            &format!("and at most {most} for {calls} calls without a reply"),
            Look::Warn,
        );
    }
    for told in &spend.sources {
        page.words(&format!("source {}", source_line(told)), Look::Warn);
    }
    if let Some(seal) = &report.seal {
        page.label("Seal");
        let commit: String = seal
            .commit
            .iter()
            .flat_map(|c| c.chars())
            .take(12)
            .collect();
        let key: String = seal
            .key
            .iter()
            .flat_map(|key| key.chars())
            .take(16)
            .collect();
        let text = format!("{} in commit {commit}, signed by key {key}", seal.verdict);
        page.words(&text, Look::Plain);
        if seal.approved_later.is_some() {
            page.words("a person approved it after it was sealed", Look::Good);
        }
    }
    page.gap();
}

fn next(report: &Report, page: &mut Page) {
    let run = report.run.short();
    page.label("Next");
    let review = |why| (format!("gavel review {run}"), why);
    match (&report.branch, report.state) {
        (Some(branch), RunState::Sealed) => {
            let approve = nobody_looked(report).then(|| {
                let command = format!("gavel seal approve {run}");
                (command, "look at it, and have the seal say so")
            });
            let mut commands = vec![
                (
                    format!("git merge {branch}"),
                    "on the branch that shall have it",
                ),
                review("how it came about"),
                (
                    format!("gavel seal verify {branch}"),
                    "anybody can, offline",
                ),
            ];
            commands.extend(approve);
            page.commands(&commands);
        }
        (_, RunState::Paused | RunState::Faulted | RunState::Running) => page.commands(&[
            review("how it came to this"),
            (format!("gavel resume {run}"), "goes on"),
        ]),
        (Some(branch), RunState::Halted) => page.commands(&[
            review("how it came to this"),
            (format!("git log --stat {branch}"), "what stands so far"),
        ]),
        (None, RunState::Halted | RunState::Sealed)
        | (_, RunState::Waiting | RunState::Aborted | RunState::Closed) => {
            page.commands(&[review("how it came to this")]);
        }
    }
}

/// True when the seal says that nobody looked at the result.
fn nobody_looked(report: &Report) -> bool {
    let says = report.seal.as_ref().and_then(|seal| seal.says.as_ref());
    let left_out = says.and_then(Text::kept).map(|says| &says.left_out);
    left_out.is_some_and(|lines| lines.iter().any(|line| is_approval_line(line)))
}

/// A path as a shell takes it.
pub(crate) fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = |c: char| c.is_alphanumeric() || "-_./+@".contains(c);
    if text.chars().all(plain) {
        text
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

/// One line that fits.
pub(crate) fn clipped(text: &str, room: usize) -> String {
    let text = sanitize_line(text);
    if text.chars().count() <= room {
        return text;
    }
    let cut: String = text.chars().take(room.saturating_sub(1)).collect();
    format!("{cut}…")
}

#[cfg(test)]
#[path = "summary_tests.rs"]
mod tests;
