use gavel_domain::{Speaker, Timestamp};
use proptest::prelude::*;
use uuid::Uuid;

use super::*;
use crate::id::Kind;
use crate::item::Provenance;
use crate::marks::Mark;
use crate::memory::{MEMORY_FOLDER, Memory};
use crate::new_item::NewItem;
use crate::search::tests::{exact, query};
use crate::search::{Found, Query, Standing};
use crate::stamp::Stamp;

/// A checkout with a cache beside it, and a person who writes.
struct Room {
    folder: tempfile::TempDir,
    next: u128,
    seconds: i64,
    lines: Vec<String>,
}

impl Room {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("checkout")).unwrap();
        Self {
            folder,
            next: 0,
            seconds: 1_794_744_000,
            lines: Vec::new(),
        }
    }

    fn place(&self) -> ShelfPlace {
        ShelfPlace {
            checkout: self.folder.path().join("checkout"),
            cache: self.folder.path().join("cache/memory"),
            lines: self.lines.clone(),
        }
    }

    async fn shelf(&self) -> Shelf {
        Shelf::open(&self.place()).await.unwrap()
    }

    fn now(&self) -> Timestamp {
        Timestamp::from_second(self.seconds + 60).unwrap()
    }

    fn memory(&self) -> Memory {
        Memory::open_with(&self.place().checkout, &self.lines).unwrap()
    }

    fn write<T>(&mut self, act: impl FnOnce(&mut Memory, &mut Stamp<'_>) -> T) -> T {
        let mut memory = self.memory();
        self.seconds += 1;
        let at = Timestamp::from_second(self.seconds).unwrap();
        let next = &mut self.next;
        let mut draw = || {
            *next += 1;
            Uuid::from_u128(*next)
        };
        act(&mut memory, &mut Stamp::new(at, Speaker::PERSON, &mut draw))
    }

    fn add(&mut self, new: NewItem) -> crate::ItemId {
        let written = self.write(|memory, stamp| memory.add(new, stamp).unwrap());
        self.lines
            .extend(written.held.into_iter().map(|(_, line)| line));
        written.ids[0]
    }

    fn remember(&mut self, kind: Kind, text: &str) -> crate::ItemId {
        self.add(NewItem::new(kind, text, Provenance::Person))
    }

    /// What a search that reads everything gives.
    fn exact(&self, text: &str) -> Vec<Found> {
        let items: Vec<_> = self.memory().items().cloned().collect();
        exact(&items, &self.query(text))
    }

    fn query<'q>(&self, text: &'q str) -> Query<'q> {
        Query {
            now: self.now(),
            ..query(text)
        }
    }

    async fn find(&self, shelf: &Shelf, text: &str) -> Vec<Found> {
        shelf.find(&self.query(text)).await.unwrap()
    }
}

fn trap(text: &str) -> NewItem {
    NewItem::new(Kind::Trap, text, Provenance::Person)
}

fn ids(found: &[Found]) -> Vec<crate::ItemId> {
    found.iter().map(|found| found.item.id).collect()
}

#[tokio::test]
async fn a_shelf_finds_what_a_search_through_everything_finds() {
    let mut room = Room::new();
    assert!(room.shelf().await.is_empty().await.unwrap());
    let mut tagged = trap("keep them in one place");
    tagged.tags = vec!["retry".to_owned()];
    room.add(tagged);
    room.add(trap("a retry after a timeout doubles the order"));
    room.add(NewItem::new(
        Kind::Decision,
        "uploads are tried again, three times",
        Provenance::Person,
    ));
    room.add(trap("the retry of uploads has no limit").proposed());
    let shelf = room.shelf().await;
    for text in ["retry", "retry uploads", "timeout of an order", "zebra", ""] {
        let found = room.find(&shelf, text).await;
        assert_eq!(found, room.exact(text), "{text}");
    }
    assert_eq!(room.find(&shelf, "retry").await.len(), 3);
    let kinds = [Kind::Decision];
    let trusted = Query {
        kinds: &kinds,
        standing: Standing::Trusted,
        ..room.query("uploads")
    };
    assert_eq!(shelf.find(&trusted).await.unwrap().len(), 1);
    let proposed = Query {
        standing: Standing::Proposed,
        ..room.query("uploads")
    };
    let found = shelf.find(&proposed).await.unwrap();
    assert_eq!(found[0].item.text, "the retry of uploads has no limit");
    assert_eq!(found.len(), 1);
}

#[tokio::test]
async fn words_are_counted_again_after_a_change_whoever_brought_it_in() {
    let mut room = Room::new();
    room.add(trap("a retry doubles the order"));
    let (one, other) = (room.shelf().await, room.shelf().await);
    for text in ["retry", "retry order", "retry"] {
        assert_eq!(room.find(&one, text).await, room.exact(text), "{text}");
    }
    room.add(trap("a retry of an upload hides the cause"));
    assert_eq!(room.find(&other, "retry").await.len(), 2);
    for text in ["retry upload", "retry order", "zebra", "retry"] {
        let found = room.find(&one, text).await;
        assert_eq!(found, room.exact(text), "{text}");
        let counts = found.iter().flat_map(|found| &found.why.words);
        for word in counts.filter(|word| word.word == "retry") {
            assert_eq!(word.items, 2, "{text}");
        }
    }
}

#[tokio::test]
async fn an_open_shelf_sees_what_others_write() {
    let mut room = Room::new();
    let id = room.add(trap("a retry doubles the order"));
    let shelf = room.shelf().await;
    assert_eq!(ids(&room.find(&shelf, "retry").await), [id]);
    let second = room.add(trap("a retry hides the cause"));
    assert_eq!(room.find(&shelf, "retry").await.len(), 2);
    let written = room.write(|memory, stamp| memory.mark(second, Mark::SavedMe, stamp).unwrap());
    assert!(written.is_settled());
    let found = room.find(&shelf, "retry").await;
    assert_eq!(ids(&found), [second, id], "what saved somebody comes first");
    assert_eq!(found, room.exact("retry"));
    let written = room.write(|memory, stamp| memory.retire(id, stamp).unwrap());
    assert!(written.is_settled());
    assert_eq!(ids(&room.find(&shelf, "retry").await), [second]);
    let retired = shelf.item(&id.to_string()).await.unwrap();
    assert_eq!(retired.state, crate::State::Retired, "still there by name");
    // A branch without it is checked out.
    let month = room.place().checkout.join(MEMORY_FOLDER).join("2026-11");
    for file in std::fs::read_dir(&month).unwrap() {
        let path = file.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        if text.contains(&second.to_string()) {
            std::fs::remove_file(path).unwrap();
        }
    }
    assert_eq!(room.find(&shelf, "retry").await, Vec::new());
    assert!(matches!(
        shelf.item(&second.to_string()).await,
        Err(ShelfItemError::Find(FindError::None { .. }))
    ));
    std::fs::remove_dir_all(month).unwrap();
    assert!(shelf.is_empty().await.unwrap());
}

#[tokio::test]
async fn a_file_that_somebody_edited_is_read_again() {
    let mut room = Room::new();
    let id = room.add(trap("a retry doubles the order"));
    drop(room.shelf().await);
    let month = room.place().checkout.join(MEMORY_FOLDER).join("2026-11");
    let file = std::fs::read_dir(month).unwrap().next().unwrap().unwrap();
    let text = std::fs::read_to_string(file.path()).unwrap();
    // Of the same length, in the same file: only its own time tells.
    std::fs::write(file.path(), text.replace("retry", "fetch")).unwrap();
    let shelf = room.shelf().await;
    assert_eq!(ids(&room.find(&shelf, "fetch").await), [id]);
    assert_eq!(room.find(&shelf, "retry").await, Vec::new());
}

#[tokio::test]
async fn secrets_and_damaged_lines_are_never_found() {
    let mut room = Room::new();
    room.add(trap("a retry doubles the order"));
    let month = room.place().checkout.join(MEMORY_FOLDER).join("2026-11");
    let file = std::fs::read_dir(&month).unwrap().next().unwrap().unwrap();
    let text = std::fs::read_to_string(file.path()).unwrap();
    let token = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let spoilt = text
        .replace(
            "a retry doubles the order",
            &format!("a retry with {token}"),
        )
        .replace(
            "00000000-0000-0000-0000-0000000000",
            "00000000-0000-0000-0000-0000000001",
        );
    std::fs::write(
        month.join("other.jsonl"),
        format!("{spoilt}\nno event\n{{}}\n"),
    )
    .unwrap();
    let shelf = room.shelf().await;
    assert_eq!(room.find(&shelf, "retry").await.len(), 1);
    let cache = std::fs::read_dir(room.place().cache).unwrap();
    for file in cache {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        assert!(
            !bytes
                .windows(token.len())
                .any(|part| part == token.as_bytes())
        );
    }
}

#[tokio::test]
async fn words_that_were_taken_out_are_in_no_file_of_the_cache() {
    let mut room = Room::new();
    room.add(trap("a retry doubles the order"));
    let id = room.add(trap("our walrusword must not be known"));
    let shelf = room.shelf().await;
    assert_eq!(ids(&room.find(&shelf, "walrusword").await), [id]);
    let month = room.place().checkout.join(MEMORY_FOLDER).join("2026-11");
    for file in std::fs::read_dir(month).unwrap() {
        let path = file.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        if text.contains("walrusword") {
            std::fs::remove_file(path).unwrap();
        }
    }
    assert_eq!(room.find(&shelf, "walrusword").await, Vec::new());
    for file in std::fs::read_dir(room.place().cache).unwrap() {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        assert!(!bytes.windows(10).any(|part| part == b"walrusword"));
    }
}

#[tokio::test]
async fn an_item_of_another_version_is_made_anew() {
    let mut room = Room::new();
    let id = room.add(trap("a retry doubles the order"));
    let shelf = room.shelf().await;
    let other = gavel_store::IndexDocument {
        name: id.to_string(),
        base: 0,
        body: r#"{"id":"of another form"}"#.to_owned(),
        words: Some([("retri".to_owned(), 1), ("retry".to_owned(), 1)].into()),
    };
    let (after, _) = shelf.index().total().await.unwrap();
    let change = gavel_store::IndexChange {
        after,
        documents: vec![other],
        ..gavel_store::IndexChange::default()
    };
    shelf.index().apply(&change).await.unwrap();
    assert_eq!(ids(&room.find(&shelf, "retry").await), [id]);
    assert!(shelf.remade().is_some());
    assert_eq!(shelf.item(&id.short()).await.unwrap().id, id);
}

#[tokio::test]
async fn deleted_or_damaged_the_index_comes_back() {
    let mut room = Room::new();
    for number in 0..30 {
        room.add(trap(&format!("the retry number {number} of an upload")));
    }
    let shelf = room.shelf().await;
    let before = room.find(&shelf, "retry 7").await;
    assert_eq!(before, room.exact("retry 7"));
    shelf.close().await.unwrap();
    std::fs::remove_dir_all(room.place().cache).unwrap();
    let shelf = room.shelf().await;
    assert_eq!(shelf.remade(), None);
    assert_eq!(room.find(&shelf, "retry 7").await, before);
    let path = shelf.index().path().to_owned();
    shelf.close().await.unwrap();
    std::fs::write(&path, "nothing that anybody could read".repeat(300)).unwrap();
    let shelf = room.shelf().await;
    assert!(shelf.remade().is_some(), "and it is said");
    assert_eq!(room.find(&shelf, "retry 7").await, before);
}

#[tokio::test]
async fn several_shelves_at_once_agree() {
    let mut room = Room::new();
    for number in 0..40 {
        room.add(trap(&format!("the retry number {number} of an upload")));
    }
    let place = room.place();
    let mut doing = tokio::task::JoinSet::new();
    for _ in 0..4 {
        let (place, now) = (place.clone(), room.now());
        doing.spawn(async move {
            let shelf = Shelf::open(&place).await.unwrap();
            let query = Query {
                now,
                ..query("retry 7")
            };
            shelf.find(&query).await.unwrap()
        });
    }
    let expected = room.exact("retry 7");
    for found in doing.join_all().await {
        assert_eq!(found, expected);
    }
}

#[tokio::test]
async fn items_are_named_by_any_part_that_tells_them_apart() {
    let mut room = Room::new();
    let id = room.add(trap("a retry doubles the order"));
    let other = room.add(trap("a retry hides the cause"));
    let shelf = room.shelf().await;
    for name in [id.to_string(), id.short()] {
        assert_eq!(shelf.item(&name).await.unwrap().id, id, "{name}");
    }
    let memory = room.memory();
    for name in [
        "0000",
        "zz",
        "",
        "%",
        other.to_string().trim_start_matches("trp_00"),
    ] {
        let by_memory = memory.item(name).map(|item| item.id);
        let by_shelf = match shelf.item(name).await {
            Ok(item) => Ok(item.id),
            Err(ShelfItemError::Find(error)) => Err(error),
            Err(ShelfItemError::Shelf(error)) => panic!("{error}"),
        };
        assert_eq!(by_shelf, by_memory, "{name}");
    }
}

#[tokio::test]
async fn everything_comes_in_pages_once_and_what_is_over_does_not() {
    let mut room = Room::new();
    let mut known = std::collections::BTreeSet::new();
    for number in 0..7 {
        known.insert(room.add(trap(&format!("trap number {number}"))));
    }
    let decided = NewItem::new(Kind::Decision, "releases on Fridays", Provenance::Person);
    known.insert(room.add(decided));
    let over = room.add(trap("a trap that is over"));
    let retired = room.write(|memory, stamp| memory.retire(over, stamp));
    assert!(retired.unwrap().is_settled());
    let shelf = room.shelf().await;
    let none = shelf.page(None, 0).await.unwrap();
    assert!(none.items.is_empty() && none.next.is_some());
    let mut seen = Vec::new();
    let (mut from, mut pages) = (None, 0);
    loop {
        let page = shelf.page(from, 3).await.unwrap();
        seen.extend(page.items.iter().map(|item| item.id));
        pages += 1;
        from = page.next;
        if from.is_none() {
            break;
        }
    }
    assert_eq!((seen.len(), pages), (8, 3));
    let seen: std::collections::BTreeSet<_> = seen.into_iter().collect();
    assert_eq!(seen, known);
}

#[tokio::test]
async fn what_the_store_holds_comes_and_goes() {
    let mut room = Room::new();
    let id = room.add(trap("a retry doubles the order").proposed());
    assert!(!room.lines.is_empty());
    let shelf = room.shelf().await;
    assert_eq!(ids(&room.find(&shelf, "retry").await), [id]);
    // Somebody accepts it: it moves into a file.
    let written = room.write(|memory, stamp| memory.accept(id, stamp).unwrap());
    assert!(!written.settled.is_empty());
    room.lines.clear();
    let shelf = room.shelf().await;
    let found = room.find(&shelf, "retry").await;
    assert_eq!(found, room.exact("retry"));
    assert_eq!(found[0].item.acceptance, crate::Acceptance::Accepted);
}

/// One thing that happens to a memory.
#[derive(Debug, Clone)]
enum Deed {
    Add(String),
    Propose(String),
    Retire(usize),
    Mark(usize),
    Look,
}

fn deeds() -> impl Strategy<Value = Vec<Deed>> {
    let text = "[a-d]{2}( [a-d]{2}){0,4}";
    let deed = prop_oneof![
        4 => text.prop_map(Deed::Add),
        1 => text.prop_map(Deed::Propose),
        1 => (0_usize..9).prop_map(Deed::Retire),
        2 => (0_usize..9).prop_map(Deed::Mark),
        2 => Just(Deed::Look),
    ];
    proptest::collection::vec(deed, 1..14)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn an_index_that_grew_step_by_step_is_like_one_made_at_once(
        deeds in deeds(),
        text in "[a-d]{2}( [a-d]{2}){0,2}",
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let mut room = Room::new();
            let mut known = Vec::new();
            for deed in deeds {
                match deed {
                    Deed::Add(text) => known.push(room.add(trap(&text))),
                    Deed::Propose(text) => drop(room.add(trap(&text).proposed())),
                    Deed::Retire(at) => if let Some(id) = known.get(at).copied() {
                        drop(room.write(|memory, stamp| memory.retire(id, stamp).unwrap()));
                    },
                    Deed::Mark(at) => if let Some(id) = known.get(at).copied() {
                        drop(room.write(|memory, stamp| match memory.mark(id, Mark::SavedMe, stamp) {
                            // What was retired before takes no mark.
                            Err(crate::ChangeError::Over { .. }) => crate::Written::default(),
                            marked => marked.unwrap(),
                        }));
                    },
                    Deed::Look => {
                        let shelf = room.shelf().await;
                        prop_assert_eq!(room.find(&shelf, &text).await, room.exact(&text));
                    }
                }
            }
            let shelf = room.shelf().await;
            let grown = room.find(&shelf, &text).await;
            prop_assert_eq!(&grown, &room.exact(&text));
            std::fs::remove_dir_all(room.place().cache).unwrap();
            let shelf = room.shelf().await;
            prop_assert_eq!(room.find(&shelf, &text).await, grown);
            Ok(())
        })?;
    }
}

#[tokio::test]
async fn what_names_an_option_is_found_whatever_else_it_says() {
    let mut room = Room::new();
    for number in 0..150 {
        let text = format!("SQLite file number {number} of the archive is listed in the index");
        room.remember(Kind::RuntimeNote, &text);
    }
    let told = room.remember(
        Kind::Decision,
        "The elephant (PostgreSQL) stays: psql, aka the trunk.",
    );
    let pg = room.remember(Kind::Trap, "PostgreSQL (PSQL) ran out of connections");
    let alias = room.remember(Kind::Decision, "PSQL holds the invoices");
    let decisive = room.remember(
        Kind::Trap,
        "Four writers on sqlite3 were locked out in the pilot",
    );
    let asked = gavel_rules::council::read_options("SQLite or Postgres?");
    let query = NamedQuery {
        asked: &asked,
        topic: "SQLite or Postgres?",
        kinds: &[],
        most: 3,
        now: room.now(),
    };
    let named = room.shelf().await.find_named(&query).await.unwrap();
    let [small, large] = named.items.as_slice() else {
        panic!("one list for each option: {named:?}");
    };
    assert_eq!(small.first().unwrap().id, decisive, "{small:?}");
    assert_eq!(small.len(), 3);
    let large: Vec<_> = large.iter().map(|item| item.id).collect();
    for id in [told, pg, alias] {
        assert!(large.contains(&id), "{large:?}");
    }
    assert_eq!(named.clone().in_turn().len(), 6);
}
