//! A checked seal as people read it, and as programs do.
//!
//! Every word of a seal comes from whoever made the branch: control characters never reach the
//! terminal, and nothing is shown as proven that was not.

use std::collections::BTreeSet;

use gavel_build::{SealCheck, SealPredicate, SealProof, SealSpend, SignerStanding};
use gavel_domain::{Approver, EvidenceRank};
use gavel_rules::sanitize_line;
use gavel_rules::{AskThread, conditions_text};
use gavel_view::source_line;
use jiff::tz::TimeZone;
use serde_json::{Value, json};

use super::Told;
use super::places::Places;
use crate::ui::{Cell, Look, Ui, cell, look_of};

/// How much of one text is shown.
const SHOWN: usize = 160;
/// How many criteria are told with their evidence.
const MOST_CRITERIA: usize = 40;
/// How many uncommitted files are named.
const MOST_FILES: usize = 5;

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
        SignerStanding::Claimed | SignerStanding::Unknown => {
            "what the signer says, for whom nobody that you know vouches:"
        }
    });
    show_statement(ui, told, &statement.predicate);
    let is_known = check.signer == SignerStanding::Known;
    if let (false, Some(key)) = (is_known, check.key) {
        ui.line("");
        ui.line(match check.signer {
            SignerStanding::Claimed => {
                "This repository names the key for itself, which anybody who wrote it can do. Ask the signer, by another way"
            }
            SignerStanding::Known | SignerStanding::Unknown => {
                "Anybody can sign with a key of their own. Ask the signer for theirs, by another way"
            }
        });
        ui.line("than this repository. If it is this one, name it to have it known,");
        ui.line(format!("for one check:  gavel seal verify --key {key}"));
        ui.line(format!("for good:       gavel seal trust {key}"));
    }
}

/// Says when the checkout holds something that no commit does: the seal is about commits alone.
pub(super) fn show_uncommitted(ui: &Ui, files: Option<&[String]>) {
    let Some(files) = files.filter(|files| !files.is_empty()) else {
        return;
    };
    let named = files.iter().take(MOST_FILES).map(|name| plain(name));
    let mut named: Vec<String> = named.collect();
    if files.len() > MOST_FILES {
        named.push(format!("{} more", files.len() - MOST_FILES));
    }
    let named = named.join(", ");
    let line = format!(
        "this checkout has uncommitted changes, about which no seal says anything: {named}"
    );
    ui.line(ui.look(&line, Look::Warn));
}

/// What a seal says, as rows.
pub(super) fn show_statement(ui: &Ui, told: &Told<'_>, predicate: &SealPredicate) {
    let mut rows = vec![verdict_row(predicate)];
    rows.extend(idea_rows(predicate));
    rows.extend(format_rows(predicate));
    let thread = predicate.thread();
    rows.extend(ask_rows(&thread));
    rows.extend(evidence_rows(&thread, told.places));
    rows.extend(proof_rows(told, predicate));
    rows.extend(more_rows(predicate));
    ui.table(&rows);
}

/// The line that matters: valid or not, known or not.
pub(super) fn first_line(told: &Told<'_>) -> (String, Look) {
    let branch = plain(told.branch.short());
    let key = told.check.key.map(|key| key.id()).unwrap_or_default();
    match (told.check.is_valid(), told.check.signer) {
        (false, _) => (format!("NOT valid: {branch}"), Look::Bad),
        (true, SignerStanding::Unknown) => (
            format!("valid, but the signer is UNKNOWN (key {key}): {branch}"),
            Look::Warn,
        ),
        (true, SignerStanding::Claimed) => {
            let by = plain(told.named_by.unwrap_or_default());
            (
                format!("valid, but the signer is only CLAIMED (key {key}, {by}): {branch}"),
                Look::Warn,
            )
        }
        (true, SignerStanding::Known) => {
            let by = plain(told.named_by.unwrap_or_default());
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

/// The idea as it was typed and what was built in the end, where that is something else.
fn idea_rows(predicate: &SealPredicate) -> Vec<Vec<Cell>> {
    let Some(end) = predicate.idea_in_the_end() else {
        return Vec::new();
    };
    let row = |name, text: &str| vec![title(name), cell(plain(text))];
    vec![row("idea", &predicate.idea), row("became", &end.text())]
}

/// What its format does not allow to be checked.
fn format_rows(predicate: &SealPredicate) -> Vec<Vec<Cell>> {
    let lines = predicate.not_checked().into_iter().enumerate();
    let rows = lines.map(|(place, line)| {
        let name = if place == 0 { "unchecked" } else { "" };
        vec![title(name), (plain(&line), Look::Warn)]
    });
    rows.collect()
}

/// What was asked for, and what shows it.
fn ask_rows(thread: &AskThread) -> Vec<Vec<Cell>> {
    let rows = thread.asks.iter().enumerate().flat_map(|(place, ask)| {
        let name = if place == 0 { "asked" } else { "" };
        let line = vec![title(name), (plain(&ask.line()), look_of(ask.tone()))];
        let ids: Vec<&str> = ask.criteria.iter().map(|one| one.id.as_str()).collect();
        let named = format!("  by {}", ids.join(", "));
        let named = (!ids.is_empty()).then(|| vec![title(""), (plain(&named), Look::Faint)]);
        [Some(line), named].into_iter().flatten()
    });
    let own = thread.own_line();
    let own = own.map(|line| vec![title(""), (plain(&line), Look::Faint)]);
    let origin = thread.origin_line();
    let origin = origin.map(|line| vec![title(""), (line.to_owned(), Look::Warn)]);
    rows.chain(origin).chain(own).collect()
}

/// What shows each criterion, where it lies in the tree, and the command that shows it again.
fn evidence_rows(thread: &AskThread, places: Option<&Places>) -> Vec<Vec<Cell>> {
    let mut told = BTreeSet::new();
    let asked = thread.asks.iter().flat_map(|ask| &ask.criteria);
    let all = asked
        .chain(&thread.unasked)
        .filter(|one| told.insert(&one.id));
    let all: Vec<_> = all.collect();
    let mut rows = Vec::new();
    for (place, one) in all.iter().take(MOST_CRITERIA).enumerate() {
        let name = if place == 0 { "evidence" } else { "" };
        let text = format!("{}: {}", one.id, one.evidence_text());
        rows.push(vec![title(name), cell(plain(&text))]);
        let places = places.and_then(|places| places.get(&one.id));
        for place in places.into_iter().flatten() {
            let run = place.run.as_ref().map(|run| format!(": {run}"));
            let run = run.unwrap_or_default();
            let text = format!("  {} {}:{}{run}", place.kind, place.file, place.line);
            rows.push(vec![title(""), (plain(&text), Look::Faint)]);
        }
    }
    if let Some(more) = all.len().checked_sub(MOST_CRITERIA + 1) {
        let text = format!("and {} more; --json has all", more + 1);
        rows.push(vec![title(""), (text, Look::Faint)]);
    }
    rows
}

/// What was proven.
fn proof_rows(told: &Told<'_>, predicate: &SealPredicate) -> Vec<Vec<Cell>> {
    let sealed_at = predicate.sealed_at.to_zoned(TimeZone::system());
    let shown = predicate.criteria.iter().filter(|c| c.holds).count();
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
    let gate = conditions_text(&predicate.conditions);
    rows.push(vec![title("gate"), cell(plain(&gate))]);
    rows.extend(refuted_rows(predicate));
    rows.push(approval_row(predicate));
    rows.extend(earlier_rows(told));
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

/// What the plan rested on and was refuted.
fn refuted_rows(predicate: &SealPredicate) -> Vec<Vec<Cell>> {
    let rows = predicate.refuted.iter().enumerate().map(|(place, one)| {
        let name = if place == 0 { "refuted" } else { "" };
        let (how, look) = match &one.settled {
            Some(how) => (how.as_str(), Look::Plain),
            None => ("NOT settled", Look::Warn),
        };
        vec![title(name), (plain(&format!("{}: {how}", one.claim)), look)]
    });
    rows.collect()
}

/// The seals that this one follows.
fn earlier_rows(told: &Told<'_>) -> Vec<Vec<Cell>> {
    let rows = told.check.earlier.iter().map(|seal| {
        let by = seal
            .approval
            .as_ref()
            .map_or("nobody named", |one| one.by.label());
        let text = format!(
            "the seal in the commit {}: {}, shipped by {by}",
            short(seal.commit.as_str()),
            seal.verdict
        );
        vec![title("follows"), cell(text)]
    });
    rows.collect()
}

/// Who agreed to ship it.
fn approval_row(predicate: &SealPredicate) -> Vec<Cell> {
    let approval = predicate.approval.as_ref();
    if let Some(rule) = approval.and_then(|approval| approval.rule) {
        let text =
            format!("the rule `{rule}` of the person's settings; nobody looked at the result");
        return vec![title("approved"), (text, Look::Warn)];
    }
    let (text, look) = match predicate.approval.as_ref().map(|approval| approval.by) {
        Some(Approver::Person) => ("a person looked at the result and agreed", Look::Plain),
        Some(Approver::YesFlag) => ("--yes; nobody looked at the result", Look::Warn),
        Some(Approver::Clock) => ("the clock; nobody looked at the result", Look::Warn),
        Some(Approver::Policy) => ("a rule; nobody looked at the result", Look::Warn),
        None => ("this seal does not say who approved", Look::Warn),
    };
    vec![title("approved"), (text.to_owned(), look)]
}

/// What was spent: known, unknown and uncounted apart.
fn spend_text(spend: &SealSpend) -> String {
    let known = spend
        .usd
        .map_or_else(|| "unknown".to_owned(), |usd| usd.to_string());
    let mut text = format!(
        "{known}, {} calls, {} tokens read, {} written",
        spend.calls, spend.input_tokens.0, spend.output_tokens.0
    );
    if spend.unconfirmed_usd.0 > 0 {
        text.push_str(&format!("; {} of it unconfirmed", spend.unconfirmed_usd));
    }
    for (calls, what) in [
        (spend.unpriced_calls, "have no known price"),
        (spend.unmetered_calls, "are counted by nobody"),
        (spend.reported_calls, "have the figures of their agent"),
    ] {
        if calls > 0 {
            text.push_str(&format!("; {calls} of the calls {what}"));
        }
    }
    for told in &spend.sources {
        text.push_str(&format!("; the source {}", plain(&source_line(told))));
    }
    text
}

/// Who replied as what; the first seals name the models that were chosen.
fn model_rows(predicate: &SealPredicate) -> Vec<Vec<Cell>> {
    if predicate.replies.is_empty() {
        let text = format!("{} (chosen)", predicate.models.join(", "));
        return vec![vec![title("models"), cell(plain(&text))]];
    }
    let rows = predicate.models.iter().enumerate().map(|(place, model)| {
        let of_model = predicate.replies.iter().filter(|one| one.model == *model);
        let roles: Vec<String> = of_model
            .map(|one| format!("{} {}", one.role, one.replies))
            .collect();
        let text = format!("{model}: replies as {}", roles.join(", "));
        let name = if place == 0 { "models" } else { "" };
        vec![title(name), cell(plain(&text))]
    });
    rows.collect()
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
    if let Some(kept) = proof.kept_tests.filter(|kept| kept.tried > 0) {
        let (tried, biting) = (kept.tried, kept.biting);
        let text = format!("{biting} of {tried} tests from before the run noticed a fault");
        rows.push(vec![title("before"), cell(text)]);
    }
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
    rows.extend(model_rows(predicate));
    rows.push(vec![title("spend"), cell(spend_text(&predicate.spend))]);
    rows
}

pub(super) fn as_json(told: &Told<'_>) -> Value {
    let check = told.check;
    let problems: Vec<String> = check.problems.iter().map(ToString::to_string).collect();
    let predicate = check.statement.as_ref().map(|one| &one.predicate);
    json!({
        "verdict": check.verdict(),
        "score": check.score(),
        "valid": check.is_valid(),
        "signer": check.signer,
        "problems": problems,
        "approved_by": approved_by(check),
        "evidence_ranks": check.evidence_ranks(),
        "format": predicate.map(|one| one.seal_format().number()),
        "not_checked": predicate.map(SealPredicate::not_checked),
        "branch": told.branch.branch(),
        "ref": told.branch.name,
        "tip": told.branch.commit.to_string(),
        "seal_commit": check.commit.as_ref().map(ToString::to_string),
        "key": check.key,
        "key_id": check.key.map(|key| key.id()),
        "known_by": told.named_by.filter(|_| check.signer == SignerStanding::Known),
        "named_by": told.named_by,
        "thread": told.thread,
        "places": told.places,
        "statement": check.statement,
    })
}

/// Adds a part to what programs read.
pub(super) fn add(data: &mut Value, name: &str, part: Value) {
    if let Some(fields) = data.as_object_mut() {
        fields.insert(name.to_owned(), part);
    }
}

/// Who approved a valid seal; null where it does not say.
fn approved_by(check: &SealCheck) -> Option<&'static str> {
    let statement = check.statement.as_ref().filter(|_| check.is_valid())?;
    let approval = statement.predicate.approval.as_ref()?;
    Some(approval.by.word())
}

fn title(name: &str) -> Cell {
    (format!("  {name}"), Look::Strong)
}

pub(super) fn short(id: &str) -> String {
    plain(id).chars().take(12).collect()
}

/// A command that somebody copies: each word as a shell takes it, and the whole of it. None where a word
/// holds what a terminal would not show as it is.
pub(super) fn command_line(words: &[&str]) -> Option<String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./+@:=,%^".contains(c);
    let quoted = words.iter().map(|word| {
        let shown = sanitize_line(word) == **word;
        let word = if !word.is_empty() && word.chars().all(plain) {
            (*word).to_owned()
        } else {
            format!("'{}'", word.replace('\'', r"'\''"))
        };
        shown.then_some(word)
    });
    quoted
        .collect::<Option<Vec<_>>>()
        .map(|words| words.join(" "))
}

/// One line that cannot steer a terminal or turn text around.
pub(super) fn plain(text: &str) -> String {
    let text = sanitize_line(text);
    let mut shown: String = text.chars().take(SHOWN).collect();
    if text.chars().nth(SHOWN).is_some() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_to_be_copied_is_whole_and_quoted() {
        let long = "x".repeat(2 * SHOWN);
        for (words, line) in [
            (
                &["git", "diff", "--", ":!.gavel"][..],
                Some("git diff -- ':!.gavel'".to_owned()),
            ),
            (
                &["sh", "-c", "echo 'a b'"],
                Some(r"sh -c 'echo '\''a b'\'''".to_owned()),
            ),
            (&["a", ""], Some("a ''".to_owned())),
            (&["a", &long], Some(format!("a {long}"))),
            (&["a", "b\u{1b}[2J"], None),
            (&["a", "b\nc"], None),
        ] {
            assert_eq!(command_line(words), line, "{words:?}");
        }
    }
}
