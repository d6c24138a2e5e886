//! A table for loops: a store, a memory that the test wrote, and a model that takes all turns.

use std::sync::{Arc, Mutex};

use gavel_deliberation::loops::{
    Coordinate, CoordinateIntent, Desk, DeskPlace, Hand, LoopView, Recall, Remembered, Remembers,
    Voice, Voices, coordinate, drive,
};
use gavel_domain::{AgentId, Category, Price, RunId, Speaker, Timestamp};
use gavel_models::{Model, ModelInfo, Models};
use gavel_run::DriveEnd;
use gavel_testkit::TestBed;

pub(crate) const QUESTION: &str = "Should we extract the dispatcher into its own package?";

/// A memory of fixed items; any of them can be retired.
#[derive(Debug, Clone, Default)]
pub(crate) struct Notes(Arc<Mutex<Vec<(Category, Remembered)>>>);

impl Notes {
    pub(crate) fn with(self, category: Category, (id, text): (&str, &str)) -> Self {
        let kind = match id.split('_').next() {
            Some("fb") => "feedback",
            Some("rtn") => "runtime_note",
            Some("vsn") => "vision",
            Some(_) | None => "trap",
        };
        let item = Remembered {
            id: id.to_owned(),
            kind: kind.to_owned(),
            text: text.to_owned(),
            score: 0.8,
            created_at: Timestamp::UNIX_EPOCH,
            confirmed_at: None,
            contradicted_at: None,
            source: "a person".to_owned(),
            proposed: false,
            severity: None,
            paths: Vec::new(),
        };
        self.0.lock().unwrap().push((category, item));
        self
    }

    pub(crate) fn retire(&self, id: &str) {
        self.0.lock().unwrap().retain(|(_, item)| item.id != id);
    }
}

impl Remembers for Notes {
    fn recall<'a>(
        &'a self,
        category: Category,
        _: &'a str,
        _: Timestamp,
    ) -> Recall<'a, Vec<Remembered>> {
        let items = self.0.lock().unwrap().clone();
        let fits = items.into_iter().filter(move |(of, _)| *of == category);
        let items = fits.map(|(_, item)| item).collect();
        Box::pin(async move { Ok(items) })
    }

    fn is_empty(&self, _: Timestamp) -> Recall<'_, bool> {
        let empty = self.0.lock().unwrap().is_empty();
        Box::pin(async move { Ok(empty) })
    }
}

pub(crate) struct Table {
    pub(crate) bed: TestBed,
    pub(crate) desk: Desk,
    voice: Voice,
}

impl Table {
    pub(crate) async fn new(info: ModelInfo, model: impl Model + 'static, memory: &Notes) -> Self {
        let info = ModelInfo {
            price: Some(Price::FREE),
            ..info
        };
        let mut models = Models::default();
        models.insert(info.clone(), Arc::new(model));
        let bed = TestBed::with_models(models).await;
        let place = DeskPlace {
            checkout: bed.folder().to_owned(),
            project: None,
            configured: Vec::new(),
            without_memory: false,
        };
        let desk = Desk::new(bed.engine().clone(), Arc::new(memory.clone()), place);
        let voice = Voice { model: info };
        Self { bed, desk, voice }
    }

    /// Opens a loop whose turns are all ours.
    pub(crate) async fn open(&self, ask: Coordinate) -> RunId {
        let hand = Hand {
            agent: AgentId::gavel(),
            speaker: Speaker::PERSON,
            expected: None,
            request: None,
        };
        let opened = coordinate(&self.desk, &hand, ask).await.unwrap();
        opened.loop_id.parse().unwrap()
    }

    /// Opens a loop and drives it to its end.
    pub(crate) async fn held(&self, ask: Coordinate) -> LoopView {
        let id = self.open(ask).await;
        self.drive(id).await;
        self.desk.get(id).await.unwrap()
    }

    pub(crate) async fn drive(&self, id: RunId) {
        let voices = Voices {
            every: self.voice.clone(),
            of: std::collections::BTreeMap::default(),
        };
        let means = self.desk.means().clone();
        let end = self.bed.drive(id, |run| drive(run, means, voices));
        let end = end.await.unwrap();
        assert!(matches!(end, DriveEnd::Through(_)), "{end:?}");
    }
}

pub(crate) fn ideate() -> Coordinate {
    Coordinate::new(CoordinateIntent::Ideate, QUESTION)
}

/// What was handed in, one line each, with the ids of this loop shortened.
pub(crate) fn told(view: &LoopView) -> String {
    let short = view.artifacts.first().map_or_else(String::new, |first| {
        first.artifact_id.trim_end_matches("_1").to_owned()
    });
    let mut lines = vec![format!("{:?}, {:?}", view.status, view.end)];
    for one in &view.artifacts {
        let mut line = format!("{} {} {}", one.artifact_id, one.iteration, one.kind);
        if let Some(why) = &one.why_not {
            line.push_str(&format!(" (does not count: {why})"));
        }
        if !one.cites.is_empty() {
            line.push_str(&format!(" cites {}", one.cites.join(" ")));
        }
        if !one.addresses_critique.is_empty() {
            line.push_str(&format!(" addresses {}", one.addresses_critique.join(" ")));
        }
        if !one.uncovered.is_empty() {
            line.push_str(&format!(" passes over {}", one.uncovered.join(" ")));
        }
        for text in one.text.lines() {
            line.push_str(&format!("\n    {text}"));
        }
        lines.push(line);
    }
    let moves = view
        .moves
        .iter()
        .map(|one| format!("{} → {}", one.from, one.to));
    lines.push(moves.collect::<Vec<_>>().join(", "));
    lines.join("\n").replace(&short, "art")
}
