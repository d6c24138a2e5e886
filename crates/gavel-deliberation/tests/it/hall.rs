//! A project with memory, its desk, and agents that come to it by their inbox alone.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gavel_deliberation::loops::{
    Coordinate, CoordinateIntent, Desk, DeskPlace, Hand, Handed, InboxEntry, LoopAnswer,
    LoopProblem, ShelfMemory, Verb, coordinate, how_word, unmet_told, why_not,
};
use gavel_domain::{
    AgentId, BlobRef, Door, LoopFact, Record, Role, RunId, Speaker, Timestamp, TurnOutcome,
};
use gavel_memory::{Kind, Memory, NewItem, Provenance, Stamp};
use gavel_testkit::{ScriptedModel, TestBed};
use tempfile::TempDir;
use uuid::Uuid;

pub(crate) const PROPOSAL: &str = "Should we extract the dispatcher into its own package?";
pub(crate) const CHAMPION: &str = "champion";

/// A project that remembers three things about its dispatcher.
pub(crate) struct Hall {
    pub(crate) bed: TestBed,
    pub(crate) desk: Desk,
    checkout: TempDir,
}

pub(crate) const GUEST: Speaker = Speaker {
    door: Door::Mcp,
    role: Role::Guest,
    decides: false,
};

pub(crate) const REMEMBERED: [(Kind, &str); 5] = [
    (
        Kind::Trap,
        "The dispatcher holds the queue lock while it loads plugins: moving it deadlocks at start.",
    ),
    (
        Kind::Trap,
        "The dispatcher's package version drifted from the worker's and jobs were dropped.",
    ),
    (
        Kind::Feedback,
        "Reviewers said that every new package around the dispatcher slows the build.",
    ),
    (
        Kind::RuntimeNote,
        "The dispatcher package took 40 seconds to load in the last run.",
    ),
    (
        Kind::Vision,
        "One small program that a newcomer understands in an afternoon.",
    ),
];

impl Hall {
    pub(crate) async fn new() -> Self {
        Self::remembering(&REMEMBERED).await
    }

    pub(crate) async fn remembering(items: &[(Kind, &str)]) -> Self {
        let bed = TestBed::new(ScriptedModel::new()).await;
        let checkout = tempfile::tempdir().unwrap();
        let mut memory = Memory::open(checkout.path()).unwrap();
        let mut number = 0_u128;
        let mut ids = || {
            number += 1;
            Uuid::from_u128((0x0189_0a5d_ac96_7000_8000_0000_0000_0000_u128) + number)
        };
        let at: Timestamp = "1970-01-01T00:00:00Z".parse().unwrap();
        for (kind, text) in items {
            let new = NewItem::new(*kind, *text, Provenance::Person);
            let mut stamp = Stamp::new(at, Speaker::PERSON, &mut ids);
            // What is shared and a person's own goes into files; nothing is left for the store.
            drop(memory.add(new, &mut stamp).unwrap());
        }
        let place: PathBuf = checkout.path().canonicalize().unwrap();
        let cache = bed.folder().join("index");
        let desk = desk(&bed, place, cache);
        Self {
            bed,
            desk,
            checkout,
        }
    }

    /// A desk of the same project in another process.
    pub(crate) fn another_desk(&self) -> Desk {
        let cache = self.bed.folder().join("index");
        desk(
            &self.bed,
            self.checkout.path().canonicalize().unwrap(),
            cache,
        )
    }

    pub(crate) fn checkout(&self) -> &Path {
        self.checkout.path()
    }

    /// Agents come, and the champion opens a loop with them.
    pub(crate) async fn ideate(&self, critics: &[&str], ask: Coordinate) -> LoopAnswer {
        for critic in critics {
            self.desk.see(&agent(critic)).await.unwrap();
        }
        let ask = Coordinate {
            id: Some(loop_id()),
            targets: critics.iter().map(|critic| agent(critic)).collect(),
            ..ask
        };
        coordinate(&self.desk, &hand(CHAMPION), ask).await.unwrap()
    }

    /// The one turn that waits for an agent.
    pub(crate) async fn turn_of(&self, name: &str) -> InboxEntry {
        let mut waiting = self.desk.inbox(&agent(name)).await.unwrap().inbox;
        assert_eq!(waiting.len(), 1, "{name}: {waiting:?}");
        waiting.remove(0)
    }

    /// An agent looks into its inbox and hands something in.
    pub(crate) async fn answer(&self, name: &str, artifacts: Vec<Handed>) -> LoopAnswer {
        self.try_answer(name, artifacts).await.unwrap()
    }

    pub(crate) async fn try_answer(
        &self,
        name: &str,
        artifacts: Vec<Handed>,
    ) -> Result<LoopAnswer, LoopProblem> {
        let waits = self.turn_of(name).await;
        let verb = Verb::Complete {
            slot: waits.slot_id,
            outcome: TurnOutcome::Done,
            artifacts,
            reason: None,
        };
        let id = waits.loop_id.parse().unwrap();
        self.desk.act(id, &hand(name), verb).await
    }

    pub(crate) async fn story(&self) -> String {
        let records = self.bed.records(loop_id()).await;
        let mut told = String::new();
        for record in &records {
            if let Some(line) = self.line(record).await {
                writeln!(told, "{line}").unwrap();
            }
        }
        told
    }

    async fn line(&self, record: &Record) -> Option<String> {
        Some(match LoopFact::read(record).unwrap()? {
            LoopFact::LoopOpened(opened) => {
                let slots = opened.slots.iter().map(|slot| {
                    let agent = slot.agent.as_ref().unwrap();
                    format!("{} {} {agent}", slot.id, slot.role)
                });
                let slots: Vec<_> = slots.collect();
                format!("{} opens: {}", opened.by, slots.join(", "))
            }
            LoopFact::TurnAssigned(given) => format!(
                "  {}/{}: turn {} for {} with {} items, {} artifacts",
                given.phase,
                given.iteration,
                given.turn,
                given.slot,
                given.items.len(),
                given.artifacts.len()
            ),
            LoopFact::ArtifactAdded(added) => {
                let text = self.text(added.body).await;
                let cites: Vec<_> = added.cites.iter().map(|id| tail(id)).collect();
                let mut line = format!("  {} #{} {}: {text}", added.by, added.artifact, added.kind);
                if !cites.is_empty() {
                    write!(line, " [{}]", cites.join(" ")).unwrap();
                }
                if !added.addresses.is_empty() || !added.uncovered.is_empty() {
                    let (addresses, uncovered) = (&added.addresses, &added.uncovered);
                    write!(line, " addresses {addresses:?} leaves {uncovered:?}").unwrap();
                }
                if let Some(why) = added.discounted {
                    write!(line, " DOES NOT COUNT: {}", why_not(why)).unwrap();
                }
                line
            }
            LoopFact::TurnCompleted(ended) => {
                format!("  turn {} is {}", ended.turn, ended.outcome)
            }
            LoopFact::PhaseAdvanced(moved) => format!(
                "{} → {} ({}, iteration {})",
                moved.from,
                moved.to,
                how_word(moved.how),
                moved.iteration
            ),
            LoopFact::PhaseAdvanceBlocked(blocked) => {
                let lacks: Vec<_> = blocked.unmet.iter().map(unmet_told).collect();
                format!("{} blocked: {}", blocked.phase, lacks.join("; "))
            }
            LoopFact::MaxIterationsReached(reached) => {
                format!("after {} iterations it is enough", reached.max_iterations)
            }
            LoopFact::LoopClosed(closed) => format!("{} ({:?})", closed.status, closed.end),
            LoopFact::LoopPaused(_) => "paused".to_owned(),
            LoopFact::LoopResumed(_) => "resumed".to_owned(),
            LoopFact::RequestAnswered(_) => "  the request is on record".to_owned(),
            LoopFact::DraftPromoted(promoted) => format!("promoted #{}", promoted.artifact),
        })
    }

    async fn text(&self, name: BlobRef) -> String {
        let text = self.bed.store().blob(name.digest).await.unwrap().unwrap();
        String::from_utf8(text).unwrap()
    }
}

fn desk(bed: &TestBed, checkout: PathBuf, cache: PathBuf) -> Desk {
    let recalls = ShelfMemory::new(bed.store(), (checkout.clone(), cache), None);
    let place = DeskPlace {
        checkout,
        project: None,
        configured: Vec::new(),
        without_memory: false,
    };
    Desk::new(bed.engine().clone(), Arc::new(recalls), place)
}

fn tail(id: &str) -> String {
    let (prefix, rest) = id.split_once('_').unwrap();
    format!("{prefix}-{}", rest.chars().last().unwrap())
}

pub(crate) fn loop_id() -> RunId {
    "01890a5d-ac96-774b-bcce-b302099a8057".parse().unwrap()
}

pub(crate) fn agent(name: &str) -> AgentId {
    name.parse().unwrap()
}

pub(crate) fn hand(name: &str) -> Hand {
    Hand {
        agent: agent(name),
        speaker: GUEST,
        expected: None,
        request: None,
    }
}

pub(crate) fn ideation() -> Coordinate {
    Coordinate::new(CoordinateIntent::Ideate, PROPOSAL)
}

pub(crate) fn handed(kind: &str, body: &str) -> Handed {
    Handed {
        kind: kind.parse().unwrap(),
        body: body.to_owned(),
        cites: Vec::new(),
        addresses: Vec::new(),
        waived: Vec::new(),
    }
}

pub(crate) fn critique(body: &str, cites: &[&String]) -> Handed {
    Handed {
        cites: cites.iter().map(|id| (*id).clone()).collect(),
        ..handed("critique", body)
    }
}
