//! A checked seal as people read it, and as programs do.
//!
//! Every word of a seal comes from whoever made the branch: control characters never reach the
//! terminal, and nothing is shown as proven that was not.

use gavel_build::{SealPredicate, SealProof, SignerStanding};
use gavel_domain::EvidenceRank;
use gavel_product::report::harmless_line;
use jiff::tz::TimeZone;
use serde_json::{Value, json};

use super::Told;
use crate::ui::{Cell, Look, Ui, cell};

/// How much of one text is shown.
const SHOWN: usize = 160;

pub(super) fn show(ui: &Ui, told: &Told<'_>) {
    let check = told.check;
    let (line, look) = first_line(told);
    ui.line(ui.look(&line, look));
    for problem in &check.problems {
        ui.line(format!("  - {}", plain(&problem.to_string())));
    }
    if let (false, Some(commit)) = (check.is_valid(), &check.commit) {
        ui.line(format!("  the seal is in the commit {commit}"));
    }
    let Some(statement) = check.statement.as_ref().filter(|_| check.is_valid()) else {
        return;
    };
    ui.line(match check.signer {
        SignerStanding::Known => "",
        SignerStanding::Unknown => "what the signer says, for whom nobody that you know vouches:",
    });
    let mut rows = vec![verdict_row(&statement.predicate)];
    rows.extend(proof_rows(told, &statement.predicate));
    rows.extend(more_rows(&statement.predicate));
    ui.table(&rows);
    if let (SignerStanding::Unknown, Some(key)) = (check.signer, check.key) {
        ui.line("");
        ui.line(
            "Anybody can sign with a key of their own. Ask the signer for theirs, by another way",
        );
        ui.line("than this repository. If it is this one, name it to have it known,");
        ui.line(format!("for one check:  gavel seal verify --key {key}"));
        ui.line("for good, in your config.toml or in the gavel.toml of the default branch:");
        ui.line("  [seal]");
        ui.line(format!("  keys = [\"{key}\"]"));
    }
}

/// The line that matters: valid or not, known or not.
fn first_line(told: &Told<'_>) -> (String, Look) {
    let branch = plain(told.branch.short());
    let key = told.check.key.map(|key| key.id()).unwrap_or_default();
    match (told.check.is_valid(), told.check.signer) {
        (false, _) => (format!("NOT valid: {branch}"), Look::Bad),
        (true, SignerStanding::Unknown) => (
            format!("valid, but the signer is UNKNOWN (key {key}): {branch}"),
            Look::Warn,
        ),
        (true, SignerStanding::Known) => {
            let by = plain(told.known_by.unwrap_or_default());
            (
                format!("valid, signed by a known key ({key}, {by}): {branch}"),
                Look::Good,
            )
        }
    }
}

fn verdict_row(predicate: &SealPredicate) -> Vec<Cell> {
    let look = match predicate.verdict {
        gavel_rules::SealVerdict::Certified => Look::Good,
        gavel_rules::SealVerdict::Conditional => Look::Warn,
        gavel_rules::SealVerdict::Flagged => Look::Bad,
    };
    let verdict = format!("{}, {} of 1000", predicate.verdict.word(), predicate.score);
    vec![title("verdict"), (verdict, look)]
}

/// What was proven.
fn proof_rows(told: &Told<'_>, predicate: &SealPredicate) -> Vec<Vec<Cell>> {
    let sealed_at = predicate.sealed_at.to_zoned(TimeZone::system());
    let shown = predicate.criteria.iter().filter(|c| c.holds).count();
    let holding = predicate.conditions.iter().filter(|c| c.holds).count();
    let commit = told.check.commit.as_ref().map(ToString::to_string);
    let mut rows = vec![
        vec![
            title("covers"),
            cell(format!(
                "every file of the commit {}",
                short(&predicate.judged_commit)
            )),
        ],
        vec![
            title("sealed"),
            cell(format!(
                "{} in the commit {}",
                sealed_at.strftime("%Y-%m-%d %H:%M:%S"),
                short(&commit.unwrap_or_default())
            )),
        ],
    ];
    for command in &predicate.commands {
        let exit = command
            .exit
            .map_or_else(|| "no exit".to_owned(), |exit| format!("exit {exit}"));
        let seconds = format!(
            "{}.{} s",
            command.millis / 1000,
            command.millis % 1000 / 100
        );
        let level = serde_json::to_value(command.level).unwrap_or_default();
        rows.push(vec![
            title("ran"),
            cell(format!(
                "{} ({exit}, {seconds}, sandbox {})",
                plain(&command.argv.join(" ")),
                level.as_str().unwrap_or("unknown")
            )),
        ]);
    }
    let counted = |held: usize, of: usize, what: &str| cell(format!("{held} of {of} {what}"));
    rows.push(vec![
        title("criteria"),
        counted(shown, predicate.criteria.len(), "shown"),
    ]);
    if let Some(proof) = &predicate.proof {
        rows.extend(rank_rows(proof));
    }
    let missing = predicate.criteria.iter().filter(|c| !c.holds);
    rows.extend(missing.map(|criterion| {
        let text = format!("not shown: {} {}", criterion.id, criterion.statement);
        vec![title(""), (plain(&text), Look::Warn)]
    }));
    rows.push(vec![
        title("gate"),
        counted(holding, predicate.conditions.len(), "conditions hold"),
    ]);
    let open = predicate.conditions.iter().filter(|c| !c.holds);
    rows.extend(open.map(|condition| {
        let text = format!(
            "does not hold: {} ({} of {})",
            condition.id, condition.held, condition.looked_at
        );
        vec![title(""), (plain(&text), Look::Warn)]
    }));
    let contracts = format!("{} files, as sealed", predicate.contracts.len());
    rows.push(vec![title("contracts"), cell(contracts)]);
    rows
}

/// How firmly criteria were shown, and what tests made of faults.
fn rank_rows(proof: &SealProof) -> Vec<Vec<Cell>> {
    let ranks = EvidenceRank::ALL.into_iter().filter_map(|rank| {
        let number = proof.evidence_ranks.get(&rank)?;
        Some(format!("{number} {}", rank.label()))
    });
    let ranks: Vec<String> = ranks.collect();
    let mut rows = vec![vec![title("shown by"), cell(ranks.join(", "))]];
    if proof.mutants > 0 {
        let text = format!("{} of {} killed", proof.killed, proof.mutants);
        rows.push(vec![title("mutants"), cell(text)]);
    }
    rows.extend(proof.hollow.iter().map(|id| {
        let text = format!("hollow: the test of {id} catches no fault");
        vec![title(""), (plain(&text), Look::Warn)]
    }));
    let released = proof.released.iter();
    rows.extend(released.map(|line| vec![title("released"), cell(plain(line))]));
    rows
}

/// What was not proven, who worked, what it cost.
fn more_rows(predicate: &SealPredicate) -> Vec<Vec<Cell>> {
    let mut rows = Vec::new();
    // A reason that only says that something was left out would be told twice.
    let told = |reason: &&String| predicate.left_out.iter().any(|text| reason.ends_with(text));
    let reasons = predicate.reasons.iter().filter(|reason| !told(reason));
    for (name, texts) in [
        ("left out", predicate.left_out.iter().collect::<Vec<_>>()),
        ("because", reasons.collect()),
    ] {
        for (place, text) in texts.into_iter().enumerate() {
            let name = if place == 0 { name } else { "" };
            rows.push(vec![title(name), cell(plain(text))]);
        }
    }
    let spend = &predicate.spend;
    let mut cost = format!(
        "{}, {} calls, {} tokens read, {} written",
        spend.usd, spend.calls, spend.input_tokens.0, spend.output_tokens.0
    );
    if spend.unconfirmed_usd.0 > 0 {
        cost.push_str(&format!("; {} of it unconfirmed", spend.unconfirmed_usd));
    }
    rows.push(vec![
        title("models"),
        cell(plain(&predicate.models.join(", "))),
    ]);
    rows.push(vec![title("spend"), cell(cost)]);
    rows
}

pub(super) fn as_json(told: &Told<'_>) -> Value {
    let check = told.check;
    let problems: Vec<String> = check.problems.iter().map(ToString::to_string).collect();
    json!({
        "verdict": check.verdict(),
        "score": check.score(),
        "valid": check.is_valid(),
        "signer": check.signer,
        "problems": problems,
        "evidence_ranks": check.evidence_ranks(),
        "branch": told.branch.branch(),
        "ref": told.branch.name,
        "tip": told.branch.commit.to_string(),
        "seal_commit": check.commit.as_ref().map(ToString::to_string),
        "key": check.key,
        "key_id": check.key.map(|key| key.id()),
        "known_by": told.known_by,
        "statement": check.statement,
    })
}

fn title(name: &str) -> Cell {
    (format!("  {name}"), Look::Strong)
}

fn short(id: &str) -> String {
    plain(id).chars().take(12).collect()
}

/// One line that cannot steer a terminal or turn text around.
fn plain(text: &str) -> String {
    let text = harmless_line(text);
    let mut shown: String = text.chars().take(SHOWN).collect();
    if text.chars().nth(SHOWN).is_some() {
        shown.push('…');
    }
    shown
}
