//! The parts of a brief that can be left out: memory items and earlier artifacts.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use gavel_domain::{ArtifactAdded, Category, Timestamp};
use gavel_rules::deliberation::{
    AUTHOR_RESPONSE, CAP_BYTES, CRITIQUE, FINDING, FOLLOWUP, PLAN_DRAFT, REVISION, VERDICT,
    artifact_name, shown_artifacts,
};

use super::super::categories::heading;
use super::super::fence::{Fence, in_line};
use super::super::remember::Remembered;
use super::super::view::why_not;
use super::{BriefAsk, Unreadable};

/// An artifact that the phase does not need is worth as much as an item that fits half.
const ARTIFACT_SCORE: f64 = 0.5;
/// The most paths, and the most citations, in a label.
const MOST_NAMED: usize = 8;

/// What a piece is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Name {
    Item(String),
    Artifact(u32),
}

/// A memory item or an artifact on its way into a brief.
#[derive(Debug, Clone)]
pub(super) struct Piece {
    pub(super) category: Category,
    pub(super) name: Name,
    pub(super) text: String,
    label: String,
    /// True for a memory item that nobody has accepted.
    pub(super) proposed: bool,
    needed: bool,
    score: f64,
}

impl Piece {
    /// The label line and the fenced text.
    pub(super) fn draw(&self, fence: &Fence) -> String {
        format!("\n\n{}\n{}", self.label, fence.enclose(&self.text))
    }

    /// What stands above its category.
    pub(super) fn heading(&self) -> String {
        format!("\n\n## {}", heading(self.category))
    }

    /// True for what whoever has this turn must answer.
    pub(super) const fn is_needed(&self) -> bool {
        self.needed
    }

    /// Which of two of one category stays when there is room for one: what the phase needs, then what
    /// fits better, then the newer artifact.
    pub(super) fn before(&self, other: &Self) -> Ordering {
        let needs = other.needed.cmp(&self.needed);
        needs
            .then(other.score.total_cmp(&self.score))
            .then_with(|| match (&self.name, &other.name) {
                (Name::Artifact(a), Name::Artifact(b)) => b.cmp(a),
                (Name::Item(a), Name::Item(b)) => a.cmp(b),
                (Name::Artifact(_), Name::Item(_)) => Ordering::Less,
                (Name::Item(_), Name::Artifact(_)) => Ordering::Greater,
            })
    }
}

/// Everything that could stand in the brief, in its order, and how much can not.
pub(super) fn pieces(ask: &BriefAsk<'_>) -> (Vec<Piece>, Unreadable) {
    let mut pieces = Vec::new();
    let mut unreadable = Unreadable::default();
    let mut seen = BTreeSet::new();
    for (category, items) in ask.memory {
        for item in items {
            if !is_id(&item.id) {
                unreadable.items += 1;
            } else if seen.insert(item.id.as_str()) {
                pieces.push(of_item(*category, item, ask.now));
            }
        }
    }
    let mut artifacts = shown_artifacts(ask.state, ask.phase, ask.slot);
    artifacts.sort_by_key(|(category, artifact)| (*category, artifact.artifact));
    for (category, artifact) in artifacts {
        match ask.texts.get(&artifact.artifact) {
            Some(body) => pieces.push(of_artifact(ask, (category, artifact), body)),
            None => unreadable.artifacts += 1,
        }
    }
    (pieces, unreadable)
}

/// What a later brief shows of a body.
pub(super) fn shown<'a>(body: &'a str, artifact: &ArtifactAdded) -> &'a str {
    let most = usize::try_from(artifact.shown).unwrap_or(CAP_BYTES);
    head_of(body, most.min(CAP_BYTES))
}

/// The line above an artifact: `[art_9a8057cc_3] critique, iteration 1, by slot-2 (critic)`.
pub(super) fn artifact_label(ask: &BriefAsk<'_>, artifact: &ArtifactAdded) -> String {
    let state = ask.state;
    let name = artifact_name(state.id, artifact.artifact);
    let mut label = format!("[{name}] {}", artifact.kind);
    let in_cycle = state
        .protocol
        .iteration
        .as_ref()
        .is_some_and(|rule| rule.cycle.contains(&artifact.phase));
    if in_cycle {
        label.push_str(&format!(
            ", iteration {}",
            artifact.iteration.saturating_add(1)
        ));
    }
    if let Some(id) = &artifact.slot {
        label.push_str(&format!(", by {}", field(id, 40)));
        let slot = state.slots.iter().find(|slot| slot.id == *id);
        label.push_str(&slot.map_or_else(String::new, |slot| format!(" ({})", slot.role)));
    }
    if !artifact.cites.is_empty() {
        label.push_str(&format!(", rests on {}", few(&artifact.cites, 80)));
    }
    if is_own(ask, artifact) {
        label.push_str(", YOURS: do not say it again");
    }
    if let Some(why) = artifact.discounted {
        let why = in_line(&why_not(why), 160).replace(',', ";");
        label.push_str(&format!(", does not count: {why}"));
    }
    let bytes = usize::try_from(artifact.body.bytes).unwrap_or(usize::MAX);
    label.push_str(&cut_told(
        usize::try_from(artifact.shown).unwrap_or(CAP_BYTES),
        bytes,
    ));
    label
}

fn of_artifact(
    ask: &BriefAsk<'_>,
    (category, artifact): (Category, &ArtifactAdded),
    body: &str,
) -> Piece {
    Piece {
        category,
        name: Name::Artifact(artifact.artifact),
        text: shown(body, artifact).to_owned(),
        label: artifact_label(ask, artifact),
        proposed: false,
        needed: is_needed(ask, artifact) || is_own(ask, artifact),
        score: ARTIFACT_SCORE,
    }
}

fn of_item(category: Category, item: &Remembered, now: Timestamp) -> Piece {
    let text = head_of(&item.text, CAP_BYTES);
    Piece {
        category,
        name: Name::Item(item.id.clone()),
        text: text.to_owned(),
        label: item_label(item, now) + &cut_told(text.len(), item.text.len()),
        proposed: item.proposed,
        needed: false,
        // What is no number fits nothing.
        score: if item.score.is_finite() {
            item.score
        } else {
            0.0
        },
    }
}

/// `[trp_…] trap, severity high, 12 days old, confirmed 3 days ago, from a person, about src/a.rs`.
fn item_label(item: &Remembered, now: Timestamp) -> String {
    let mut label = format!("[{}] {}", item.id, field(&item.kind, 40));
    if item.proposed {
        label.push_str(", PROPOSED: nobody has accepted it yet");
    }
    if let Some(severity) = &item.severity {
        label.push_str(&format!(", severity {}", field(severity, 20)));
    }
    label.push_str(&match days(item.created_at, now) {
        0 => ", written today".to_owned(),
        1 => ", 1 day old".to_owned(),
        days => format!(", {days} days old"),
    });
    label.push_str(&match item.confirmed_at {
        None => ", never confirmed".to_owned(),
        Some(at) => format!(", confirmed {}", ago(at, now)),
    });
    let holds_again = |at| item.confirmed_at.is_some_and(|held| held >= at);
    if let Some(at) = item.contradicted_at.filter(|at| !holds_again(*at)) {
        label.push_str(&format!(", CONTRADICTED {}", ago(at, now)));
    }
    if !item.source.trim().is_empty() {
        label.push_str(&format!(", from {}", field(&item.source, 120)));
    }
    if !item.paths.is_empty() {
        label.push_str(&format!(", about {}", few(&item.paths, 100)));
    }
    label
}

fn ago(then: Timestamp, now: Timestamp) -> String {
    match days(then, now) {
        0 => "today".to_owned(),
        1 => "1 day ago".to_owned(),
        days => format!("{days} days ago"),
    }
}

/// Whole days; what is said to come from the future is of today.
fn days(then: Timestamp, now: Timestamp) -> i64 {
    now.duration_since(then).as_secs().max(0) / 86_400
}

fn few(names: &[String], most: usize) -> String {
    let shown = names.iter().take(MOST_NAMED).map(|name| field(name, most));
    let mut shown: Vec<String> = shown.collect();
    if let Some(more) = names.len().checked_sub(MOST_NAMED).filter(|more| *more > 0) {
        shown.push(format!("{more} more"));
    }
    shown.join(", ")
}

/// One part of a label; a comma would begin another one.
fn field(text: &str, most: usize) -> String {
    in_line(text, most).replace(',', ";")
}

fn cut_told(shown: usize, bytes: usize) -> String {
    if shown < bytes {
        format!(", cut: the first {shown} of {bytes} bytes")
    } else {
        String::new()
    }
}

fn head_of(text: &str, most: usize) -> &str {
    text.get(..text.floor_char_boundary(most)).unwrap_or(text)
}

/// Ids go into labels as they are, so they must be nothing but ids.
fn is_id(id: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    (1..=80).contains(&id.len()) && id.bytes().all(plain)
}

/// True for what the reader said in this phase before.
fn is_own(ask: &BriefAsk<'_>, artifact: &ArtifactAdded) -> bool {
    artifact.slot.as_ref() == Some(&ask.slot.id)
        && artifact.phase == ask.phase.name
        && artifact.iteration == ask.state.iteration
}

/// True for what whoever has this turn must answer.
fn is_needed(ask: &BriefAsk<'_>, artifact: &ArtifactAdded) -> bool {
    let makes = |kind: &str| ask.phase.produces.iter().any(|made| made.as_str() == kind);
    let said = matches!(
        artifact.kind.as_str(),
        CRITIQUE | FINDING | AUTHOR_RESPONSE | FOLLOWUP
    );
    let now = artifact.iteration == ask.state.iteration;
    said && (makes(PLAN_DRAFT)
        || makes(AUTHOR_RESPONSE)
        || makes(FOLLOWUP)
        || makes(VERDICT)
        || (makes(REVISION) && now))
}
