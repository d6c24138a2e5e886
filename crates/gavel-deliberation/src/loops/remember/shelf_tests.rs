use gavel_domain::Speaker;
use gavel_memory::{
    ItemId, Mark, Memory, NewItem, Provenance, Severity, Stamp, Written, keep_written, project_key,
};
use gavel_rules::deliberation::{CRITIQUE, REVISION, ideation};
use gavel_store::SqliteStore;
use gavel_testkit::open_store;
use uuid::Uuid;

use super::super::gather;
use super::*;

const QUERY: &str = "Move the dispatcher into its own package.";

/// A project with a store, and a person who writes.
struct Room {
    folder: tempfile::TempDir,
    store: Arc<SqliteStore>,
    next: u128,
}

impl Room {
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("checkout")).unwrap();
        let store = open_store(&folder.path().join("state")).await;
        Self {
            folder,
            store,
            next: 0,
        }
    }

    fn checkout(&self) -> PathBuf {
        self.folder.path().join("checkout")
    }

    fn memory(&self) -> ShelfMemory {
        let places = (self.checkout(), self.folder.path().join("cache"));
        ShelfMemory::new(Arc::clone(&self.store) as Arc<dyn Store>, places, None)
    }

    async fn write(
        &mut self,
        act: impl FnOnce(&mut Memory, &mut Stamp<'_>) -> Written,
    ) -> Vec<ItemId> {
        let key = project_key(None, &self.checkout());
        let lines = self.store.memory_lines(&key).await.unwrap();
        let mut memory = Memory::open_with(&self.checkout(), &lines).unwrap();
        let next = &mut self.next;
        let mut ids = || {
            *next += 1;
            Uuid::from_u128(0x0189_0a5d_ac96_774b_bcce_0000_0000_0000 + *next)
        };
        let written = act(
            &mut memory,
            &mut Stamp::new(written_at(), Speaker::PERSON, &mut ids),
        );
        let named = written.ids.clone();
        keep_written(self.store.as_ref(), &key, written)
            .await
            .unwrap();
        named
    }

    async fn add(&mut self, new: NewItem) -> String {
        let ids = self
            .write(|memory, stamp| memory.add(new, stamp).unwrap())
            .await;
        ids[0].to_string()
    }
}

fn written_at() -> Timestamp {
    "2026-05-08T12:00:00Z".parse().unwrap()
}

fn now() -> Timestamp {
    "2026-05-20T12:00:00Z".parse().unwrap()
}

fn new(kind: Kind, text: &str) -> NewItem {
    NewItem::new(kind, text, Provenance::Person)
}

async fn ids(memory: &ShelfMemory, category: Category) -> Vec<String> {
    let found = memory.recall(category, QUERY, now()).await.unwrap();
    found.into_iter().map(|item| item.id).collect()
}

#[tokio::test]
async fn every_category_returns_what_exists() {
    let mut room = Room::new().await;
    let mut expected = Vec::new();
    for kind in Kind::ALL {
        let id = room.add(new(kind, "The dispatcher holds two locks.")).await;
        expected.push((kind, id));
    }
    let proposed = new(Kind::Decision, "The dispatcher stays where it is.").proposed();
    let proposed = room.add(proposed).await;
    let memory = room.memory();
    let phase = &ideation(false).phases[2];
    assert_eq!(phase.name.as_str(), REVISION);
    let gathered = gather(&memory, phase, QUERY, now()).await.unwrap();
    assert_eq!(gathered.len(), 9);
    for (category, items) in gathered {
        let found: Vec<&str> = items.iter().map(|item| item.id.as_str()).collect();
        if category == Category::Candidates {
            assert_eq!(found, [proposed.as_str()]);
            assert!(items[0].proposed);
            continue;
        }
        let [kind] = kinds(category) else {
            panic!("{category} has one kind");
        };
        let id = expected.iter().find(|(of, _)| of == kind).map(|(_, id)| id);
        assert_eq!(found, [id.unwrap().as_str()], "{category}");
        assert!(!items[0].proposed, "{category}");
    }
    for category in [Category::CritiqueHistory, Category::Everything] {
        assert!(ids(&memory, category).await.is_empty());
    }
}

#[tokio::test]
async fn an_item_is_told_with_what_is_known_of_it() {
    let mut room = Room::new().await;
    let trap = NewItem {
        title: Some("Locks of the dispatcher".to_owned()),
        paths: vec!["src/dispatch".parse().unwrap()],
        severity: Some(Severity::High),
        ..NewItem::new(
            Kind::Trap,
            "The dispatcher takes two locks.",
            Provenance::Agent {
                name: "claude".to_owned(),
            },
        )
    };
    let id = room.add(trap).await;
    let named: ItemId = id.parse().unwrap();
    room.write(|memory, stamp| memory.mark(named, Mark::Confirmed, stamp).unwrap())
        .await;
    let found = room.memory().recall(Category::Traps, QUERY, now()).await;
    let mut found = found.unwrap();
    assert!((0.15..=1.0).contains(&found[0].score), "{}", found[0].score);
    found[0].score = 0.5;
    // What is said about an item comes after it, by a hair if need be.
    let confirmed = found[0].confirmed_at.take();
    assert!(
        confirmed.is_some_and(|at| at > written_at()),
        "{confirmed:?}"
    );
    assert_eq!(
        found,
        [Remembered {
            id,
            kind: "trap".to_owned(),
            text: "Locks of the dispatcher\nThe dispatcher takes two locks.".to_owned(),
            score: 0.5,
            created_at: written_at(),
            confirmed_at: None,
            contradicted_at: None,
            source: "agent claude".to_owned(),
            proposed: false,
            severity: Some("high".to_owned()),
            paths: vec!["src/dispatch".to_owned()],
        }]
    );
}

#[tokio::test]
async fn what_is_retired_or_private_is_not_told() {
    let mut room = Room::new().await;
    let memory = room.memory();
    assert!(memory.is_empty(now()).await.unwrap());
    let private = NewItem {
        visibility: Visibility::Private,
        ..new(Kind::Trap, "The dispatcher and my own plans.")
    };
    room.add(private).await;
    assert!(memory.is_empty(now()).await.unwrap());
    let id = room
        .add(new(Kind::Trap, "The dispatcher loses its last message."))
        .await;
    assert!(!memory.is_empty(now()).await.unwrap());
    assert_eq!(ids(&memory, Category::Traps).await, [id.as_str()]);
    let named = id.parse().unwrap();
    room.write(|memory, stamp| memory.retire(named, stamp).unwrap())
        .await;
    assert_eq!(ids(&memory, Category::Traps).await, [] as [&str; 0]);
    assert!(memory.is_empty(now()).await.unwrap());
}

#[tokio::test]
async fn a_proposal_that_is_accepted_keeps_its_id() {
    let mut room = Room::new().await;
    let memory = room.memory();
    let id = room
        .add(new(Kind::Feedback, "The dispatcher is too large.").proposed())
        .await;
    assert_eq!(ids(&memory, Category::Candidates).await, [id.as_str()]);
    assert!(ids(&memory, Category::Feedback).await.is_empty());
    let named = id.parse().unwrap();
    room.write(|memory, stamp| memory.accept(named, stamp).unwrap())
        .await;
    assert_eq!(ids(&memory, Category::Feedback).await, [id.as_str()]);
    assert!(ids(&memory, Category::Candidates).await.is_empty());
}

#[tokio::test]
async fn what_the_project_is_for_is_told_in_any_words() {
    let mut room = Room::new().await;
    let vision = room
        .add(new(Kind::Vision, "Letters reach people within a day."))
        .await;
    room.add(new(Kind::Constraint, "Letters are never lost."))
        .await;
    let memory = room.memory();
    assert_eq!(ids(&memory, Category::ProjectVision).await, [vision]);
    // Other things are evidence only where they have something to do with it.
    assert!(ids(&memory, Category::Constraints).await.is_empty());
}

#[tokio::test]
async fn at_most_eight_of_a_category_are_told() {
    let mut room = Room::new().await;
    for number in 0..12 {
        room.add(new(
            Kind::Trap,
            &format!("Trap {number} of the dispatcher."),
        ))
        .await;
    }
    let phase = &ideation(false).phases[1];
    assert_eq!(phase.name.as_str(), CRITIQUE);
    let gathered = gather(&room.memory(), phase, QUERY, now()).await.unwrap();
    let sizes: Vec<_> = gathered
        .iter()
        .map(|(category, items)| (*category, items.len()))
        .collect();
    assert_eq!(
        sizes,
        [
            (Category::Traps, 8),
            (Category::Feedback, 0),
            (Category::RuntimeNotes, 0),
            (Category::Decisions, 0),
            (Category::Constraints, 0)
        ]
    );
}

#[tokio::test]
async fn a_memory_that_cannot_be_read_is_an_error() {
    let room = Room::new().await;
    let memory = room.memory();
    std::fs::remove_dir_all(room.checkout()).unwrap();
    let error = memory
        .recall(Category::Traps, QUERY, now())
        .await
        .unwrap_err();
    assert_eq!(error.to_string(), "the project's memory could not be asked");
    assert!(error.source().is_some());
}
