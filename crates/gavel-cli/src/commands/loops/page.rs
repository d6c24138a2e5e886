//! A loop on one screen: what was proposed, what spoke against it and on what that rests, what became
//! of it, whom it waits for.

use std::collections::BTreeMap;

use gavel_deliberation::loops::{ArtifactView, LoopView};
use gavel_domain::{RunId, RunState, Timestamp};
use gavel_rules::deliberation::{
    CRITIC_SIGNAL, CRITIQUE, NOTHING_NEW, PLAN_DRAFT, PROPOSAL, REFRAME, REVISION,
};

use super::super::council::Sheet;
use super::told::{converged, look_of, next, short_loop, stands, waiting, who, without_them};
use crate::live::loops::{plain, short};
use crate::summary::clipped;
use crate::ui::Look;

/// How much of a text of its own is shown.
const SHOWN: usize = 700;
/// How much of one that does not count.
const NOT_COUNTED: usize = 80;
/// How much of a cited item.
const CITED: usize = 70;

/// What a page shows beside the loop itself.
#[derive(Debug)]
pub(super) struct Beside {
    pub(super) id: RunId,
    /// How the run as a whole stands: it may have been given up.
    pub(super) state: RunState,
    pub(super) now: Timestamp,
    /// What cited items are called, by id.
    pub(super) cited: BTreeMap<String, String>,
    /// What somebody should know.
    pub(super) warnings: Vec<String>,
}

pub(super) fn sheet(view: &LoopView, beside: &Beside) -> Sheet {
    let mut sheet = Sheet::default();
    sheet.title(&view.title);
    for warning in &beside.warnings {
        sheet.text(warning, Look::Warn);
    }
    sheet.gap();
    head(view, beside, &mut sheet);
    said(view, beside, &mut sheet);
    waits(view, beside, &mut sheet);
    sheet.gap();
    sheet.label("Next").commands(&next(beside.id, view));
    let back = without_them(beside.id, view);
    if !back.is_empty() {
        sheet.text("to go on without one that does not answer:", Look::Faint);
        sheet.commands(&back);
    }
    sheet
}

fn head(view: &LoopView, beside: &Beside, sheet: &mut Sheet) {
    let (stands, look) = if beside.state == RunState::Aborted {
        ("given up".to_owned(), Look::Bad)
    } else {
        (stands(view), look_of(view.status))
    };
    let kind = view.kind;
    sheet.label("Loop").line(vec![
        (format!("{} ", short_loop(&view.loop_id)), Look::Strong),
        (
            format!("{kind} of {}, version {}", view.owner, view.version),
            Look::Plain,
        ),
    ]);
    sheet.text(&stands, look);
    if let Some(how) = converged(view) {
        sheet.text(&how, Look::Plain);
    }
    if let Some(goal) = &view.goal {
        sheet.label("Goal").text(goal, Look::Plain);
    }
    sheet.gap();
}

fn said(view: &LoopView, beside: &Beside, sheet: &mut Sheet) {
    let mut round = None;
    for artifact in &view.artifacts {
        let cycles = matches!(artifact.phase.as_str(), CRITIQUE | REVISION);
        if cycles && view.max_iterations.is_some() && round != Some(artifact.iteration) {
            round = Some(artifact.iteration);
            sheet.gap();
            let number = artifact.iteration.saturating_add(1);
            sheet.text(&format!("Round {number}"), Look::Strong);
        }
        if !cycles {
            sheet.gap();
        }
        one(view, artifact, (beside, sheet));
    }
}

fn one(view: &LoopView, artifact: &ArtifactView, (beside, sheet): (&Beside, &mut Sheet)) {
    let by = artifact.slot_id.as_deref().and_then(|id| {
        let mut slots = view.slots.iter();
        slots.find(|slot| slot.slot_id == id)
    });
    let by = by.map_or_else(|| artifact.by.to_string(), who);
    sheet.label(label(artifact.kind.as_str()));
    if artifact.kind.as_str() == NOTHING_NEW {
        sheet.text(&format!("{by} has nothing new"), Look::Faint);
        return;
    }
    sheet.line(vec![
        (format!("{by}  "), Look::Strong),
        (artifact.artifact_id.clone(), Look::Faint),
    ]);
    if let Some(why) = &artifact.why_not {
        sheet.text(&format!("does not count: {why}"), Look::Warn);
        sheet.text(&clipped(&artifact.text, NOT_COUNTED), Look::Faint);
        return;
    }
    sheet.text(&text_of(artifact), Look::Plain);
    rests_on(artifact, (beside, sheet));
    if !artifact.addresses_critique.is_empty() {
        let ids = artifact.addresses_critique.join(", ");
        sheet.hung("✓ ", &format!("addresses {ids}"), Look::Good);
    }
    for left in &artifact.waived {
        let told = format!("leaves {}: {}", left.id, left.reason);
        sheet.hung("– ", &told, Look::Plain);
    }
    if !artifact.uncovered.is_empty() {
        let ids = artifact.uncovered.join(", ");
        sheet.hung("! ", &format!("passes over {ids}"), Look::Warn);
    }
}

/// Memory items with what they are called, each on its line; what was said before in one.
fn rests_on(artifact: &ArtifactView, (beside, sheet): (&Beside, &mut Sheet)) {
    let (said, items): (Vec<&String>, Vec<&String>) = artifact
        .cites
        .iter()
        .partition(|cite| cite.starts_with("art_"));
    for cite in items {
        let title = beside.cited.get(cite).map(|title| clipped(title, CITED));
        let title = title.unwrap_or_default();
        sheet.hung(
            "↳ ",
            format!("{} {title}", short(cite)).trim_end(),
            Look::Faint,
        );
    }
    if !said.is_empty() {
        let said: Vec<&str> = said.into_iter().map(String::as_str).collect();
        let told = format!("answers {}", said.join(", "));
        sheet.hung("↳ ", &told, Look::Faint);
    }
}

/// The text, as much as a screen has room for.
fn text_of(artifact: &ArtifactView) -> String {
    let long = artifact.text.chars().count() > SHOWN;
    // A plan is what the loop is for: all of it.
    if !long || artifact.kind.as_str() == PLAN_DRAFT {
        return artifact.text.clone();
    }
    let cut: String = artifact.text.chars().take(SHOWN).collect();
    format!("{cut}…")
}

fn label(kind: &str) -> &'static str {
    match kind {
        PROPOSAL => "Proposal",
        CRITIQUE => "Critique",
        NOTHING_NEW => "",
        CRITIC_SIGNAL => "Enough",
        REVISION => "Revision",
        REFRAME => "Reframe",
        PLAN_DRAFT => "Plan",
        "question" => "Question",
        "advice" => "Advice",
        "finding" => "Finding",
        "verdict" => "Verdict",
        _ => "Handed in",
    }
}

fn waits(view: &LoopView, beside: &Beside, sheet: &mut Sheet) {
    let waiting: Vec<String> = view
        .slots
        .iter()
        .filter_map(|slot| waiting(slot, beside.now))
        .collect();
    if view.status.is_final() || (waiting.is_empty() && view.blocked.is_empty()) {
        return;
    }
    sheet.gap();
    sheet.label("Waits for");
    for told in &waiting {
        sheet.text(told, Look::Warn);
    }
    for lack in &view.blocked {
        let phase = plain(view.phase.as_str());
        sheet.text(&format!("{phase} may not end yet: {lack}"), Look::Warn);
    }
}
