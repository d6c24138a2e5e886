//! A loop as a document, for a pipe or a browser.

use gavel_deliberation::loops::{ArtifactView, LoopView};
use gavel_domain::LoopStatus;
use gavel_report::{Block, Document, Line, Span, Tone};

use super::shown::Shown;
use super::told::{converged, short_loop, stands, who};
use crate::live::loops::{plain, short};

/// Lays a loop out.
pub(crate) fn document(shown: &Shown) -> Document {
    let view = &shown.view;
    let mut lead = vec![Line::plain(format!(
        "{} {}, opened by {} at {}",
        view.kind,
        short_loop(&view.loop_id),
        view.owner,
        view.opened_at
    ))];
    lead.extend(
        view.goal
            .iter()
            .map(|goal| Line::plain(format!("Goal: {goal}"))),
    );
    lead.push(Line::plain(stands(view)));
    lead.extend(converged(view).map(Line::plain));
    let warnings = view.warnings.iter();
    lead.extend(warnings.map(|warning| spoken(&warning.message, Tone::Warn)));
    let mut blocks = Vec::new();
    for artifact in &view.artifacts {
        said(shown, artifact, &mut blocks);
    }
    blocks.push(Block::Heading(2, Line::plain("Who took part")));
    blocks.push(slots(view));
    Document {
        title: view.title.clone(),
        badge: Span {
            text: view.status.to_string(),
            tone: tone_of(view.status),
        },
        lead,
        blocks,
    }
}

fn said(shown: &Shown, artifact: &ArtifactView, blocks: &mut Vec<Block>) {
    let view = &shown.view;
    let slot = artifact.slot_id.as_deref();
    let slot = slot.and_then(|id| view.slots.iter().find(|slot| slot.slot_id == id));
    let by = slot.map_or_else(|| artifact.by.to_string(), who);
    let round = match view.max_iterations {
        Some(most) if artifact.iteration < most => format!(", round {}", artifact.iteration + 1),
        Some(_) | None => String::new(),
    };
    let what = plain(artifact.kind.as_str());
    let title = format!("{what} by {by}{round}");
    blocks.push(Block::Heading(2, Line::plain(title)));
    blocks.push(Block::Quote(artifact.text.clone()));
    let mut lines = vec![spoken(&artifact.artifact_id, Tone::Faint)];
    if let Some(why) = &artifact.why_not {
        lines.push(spoken(&format!("does not count: {why}"), Tone::Warn));
    }
    for cite in &artifact.cites {
        let title = shown.cited().get(cite).map(|title| format!(": {title}"));
        let title = title.unwrap_or_default();
        lines.push(Line::plain(format!("rests on {}{title}", short(cite))));
    }
    if !artifact.addresses_critique.is_empty() {
        let ids = artifact.addresses_critique.join(", ");
        lines.push(spoken(&format!("addresses {ids}"), Tone::Good));
    }
    for left in &artifact.waived {
        lines.push(Line::plain(format!("leaves {}: {}", left.id, left.reason)));
    }
    if !artifact.uncovered.is_empty() {
        let ids = artifact.uncovered.join(", ");
        lines.push(spoken(&format!("passes over {ids}"), Tone::Warn));
    }
    blocks.push(Block::List(lines));
}

fn slots(view: &LoopView) -> Block {
    let row = |slot: &gavel_deliberation::loops::SlotView| {
        let agent = match &slot.agent {
            Some(agent) => agent.to_string(),
            None => "whoever takes it".to_owned(),
        };
        let since = slot.waiting_since.as_ref();
        let since = since.map(|since| format!(", waiting since {since}"));
        let status = format!("{}{}", slot.status, since.unwrap_or_default());
        [slot.slot_id.clone(), who(slot), agent, status]
            .map(Line::plain)
            .to_vec()
    };
    Block::Table {
        titles: vec!["slot", "what", "who", "now"],
        rows: view.slots.iter().map(row).collect(),
    }
}

fn spoken(text: &str, tone: Tone) -> Line {
    Line(vec![Span {
        text: text.to_owned(),
        tone,
    }])
}

const fn tone_of(status: LoopStatus) -> Tone {
    match status {
        LoopStatus::Completed => Tone::Good,
        LoopStatus::Open | LoopStatus::Paused => Tone::Warn,
        LoopStatus::Blocked | LoopStatus::Cancelled => Tone::Bad,
    }
}
