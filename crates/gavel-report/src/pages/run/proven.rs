//! What Gavel proved by itself: examples, tests against broken code, what was there before.

use gavel_domain::{ExampleOutcome, FaultCount, FaultOutcome, TestOutcome};
use gavel_rules::fault_text;

use super::smaller;
use crate::document::{Block, Line, Tone};
use gavel_view::ProofView;
use gavel_view::{ExampleView, KeptTestsView};

/// How many of each kind are listed.
const LISTED: usize = 12;

pub(super) fn section(proof: &ProofView, blocks: &mut Vec<Block>) {
    if proof.is_empty() {
        return;
    }
    smaller("What Gavel ran itself", blocks);
    let mut lines = Vec::new();
    lines.extend(examples(proof));
    lines.extend(tests(proof));
    if let Some(base) = &proof.base_tests {
        let (text, tone) = if base.held {
            (
                "they pass on the result, in their version from before.",
                Tone::Good,
            )
        } else {
            ("they do not pass on the result.", Tone::Bad)
        };
        lines.push(Line::of("Tests from before the run: ", Tone::Strong).and(text, tone));
    }
    if let Some(kept) = proof.kept_tests {
        lines.push(kept_tests(kept));
    }
    if let Some(new) = proof.new_tests {
        let text = format!(
            "{} of {} fail on the code from before the run, and pass on the result.",
            new.fail_before, new.tests
        );
        lines.push(Line::of("New tests: ", Tone::Strong).and(text, Tone::Plain));
    }
    if let Some(contracts) = &proof.contracts {
        let text = format!(
            "{} rules applied to the code, {} places break them; {} things that they say no rule can \
             check.",
            contracts.checked, contracts.errors, contracts.not_checked
        );
        let tone = if contracts.errors == 0 {
            Tone::Plain
        } else {
            Tone::Bad
        };
        lines.push(Line::of("Contracts: ", Tone::Strong).and(text, tone));
        let places = contracts.broken.iter().take(LISTED);
        lines.extend(places.map(|place| Line::of(place.as_str(), Tone::Bad)));
    }
    blocks.push(Block::List(lines));
    faults(proof, blocks);
    missed(proof, blocks);
    findings(proof, blocks);
}

fn examples(proof: &ProofView) -> Option<Line> {
    let all = proof.examples.len();
    if all == 0 {
        return None;
    }
    let held = proof.examples.iter();
    let held = held.filter(|one| one.outcome == ExampleOutcome::Held);
    let runs: u32 = proof.examples.iter().map(|one| one.runs).sum();
    let held = held.count();
    let tone = if held == all { Tone::Good } else { Tone::Bad };
    let is_varied = |example: &&ExampleView| {
        let report = example.report.kept();
        report.is_some_and(|report| !report.varied.is_empty())
    };
    let how = match proof.examples.iter().filter(is_varied).count() {
        0 => "none with other values".to_owned(),
        varied if varied == all => "each also with other values".to_owned(),
        varied => format!("{varied} of them also with other values"),
    };
    let text = format!("{held} of {all} hold, {runs} executions, {how}.");
    Some(Line::of("Examples of criteria: ", Tone::Strong).and(text, tone))
}

fn kept_tests(kept: KeptTestsView) -> Line {
    let mut text = format!(
        "{} of {} noticed a fault in the result",
        kept.biting, kept.tried
    );
    for (count, what) in [
        (kept.hollow_before, "noticed none before the run either"),
        (kept.not_measured, "could not be measured"),
    ] {
        if count > 0 {
            text.push_str(&format!(", {count} {what}"));
        }
    }
    let (end, tone) = if kept.held {
        (".", Tone::Plain)
    } else {
        ("; others notice less than they did before.", Tone::Bad)
    };
    text.push_str(end);
    Line::of(
        "Tests from before the run, against broken code: ",
        Tone::Strong,
    )
    .and(text, tone)
}

fn tests(proof: &ProofView) -> Option<Line> {
    if proof.tests.is_empty() {
        return None;
    }
    let FaultCount { tried, caught } = proof.faults();
    let tone = if proof.hollow().next().is_none() {
        Tone::Good
    } else {
        Tone::Bad
    };
    let text = format!(
        "{} run alone; {caught} of {tried} faults that were planted in the code were caught.",
        proof.tests.len()
    );
    Some(Line::of("Tests of criteria: ", Tone::Strong).and(text, tone))
}

/// For each test: one fault that it caught, or why it counts for less.
fn faults(proof: &ProofView, blocks: &mut Vec<Block>) {
    let rows = proof.tests.iter().map(|test| {
        let (word, tone) = match test.outcome {
            TestOutcome::Bites => (format!("{} of {}", test.caught, test.faults), Tone::Good),
            TestOutcome::Hollow => ("hollow".to_owned(), Tone::Bad),
            TestOutcome::Failed => ("fails alone".to_owned(), Tone::Bad),
            TestOutcome::NotMeasured => ("not measured".to_owned(), Tone::Warn),
        };
        let report = test.report.kept();
        let caught = report.and_then(|report| {
            let mut faults = report.faults.iter();
            faults.find(|fault| fault.outcome == FaultOutcome::Caught)
        });
        let told = match (caught, report) {
            (Some(fault), _) => fault_text(fault),
            (None, Some(report)) => report.why.clone(),
            (None, None) => String::new(),
        };
        vec![
            Line::of(test.criterion.as_str(), Tone::Code),
            Line::of(word, tone),
            Line::plain(told),
        ]
    });
    let rows: Vec<_> = rows.collect();
    if !rows.is_empty() {
        blocks.push(Block::Table {
            titles: vec!["test of", "caught", "a fault that it caught, or why not"],
            rows,
        });
    }
}

/// The breaks that went unnoticed. What one test misses another one may catch.
fn missed(proof: &ProofView, blocks: &mut Vec<Block>) {
    let missed = proof.missed();
    if missed.is_empty() {
        return;
    }
    let line = Line::of("No test of a criterion noticed these faults:", Tone::Warn);
    blocks.push(Block::Paragraph(line));
    let lines = missed.into_iter().take(LISTED);
    let lines = lines.map(|fault| Line::plain(fault_text(fault)));
    blocks.push(Block::List(lines.collect()));
}

fn findings(proof: &ProofView, blocks: &mut Vec<Block>) {
    if proof.findings.is_empty() {
        return;
    }
    let lines = proof.findings.iter().take(LISTED).map(|finding| {
        let line = Line::of(finding.sentence(), Tone::Warn);
        let released = proof.released.iter().find(|one| one.finding == finding.id);
        match released {
            Some(release) => {
                let reason = release.reason.kept().map_or("", String::as_str);
                let text = format!(" Released by the {}: {reason}", release.by);
                line.and(text, Tone::Plain)
            }
            None => line.and(" Not released.", Tone::Bad),
        }
    });
    blocks.push(Block::List(lines.collect()));
}
