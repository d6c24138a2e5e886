use gavel_domain::Speaker;
use gavel_memory::{ItemId, Memory, NewItem, Provenance, Stamp, Written, keep_written};
use gavel_testkit::{ScriptedModel, TestBed};

use super::*;

struct Room {
    bed: TestBed,
    checkout: tempfile::TempDir,
    ids: u128,
}

impl Room {
    async fn new() -> Self {
        Self {
            bed: TestBed::new(ScriptedModel::new()).await,
            checkout: tempfile::tempdir().unwrap(),
            ids: u128::from(Timestamp::now().as_microsecond().unsigned_abs()) << 64,
        }
    }

    fn change(&mut self, change: impl FnOnce(&mut Memory, &mut Stamp<'_>) -> Written) -> Written {
        let ids = &mut self.ids;
        let mut next = || {
            *ids += 1;
            uuid::Uuid::from_u128(*ids)
        };
        let mut stamp = Stamp::new(Timestamp::now(), Speaker::PERSON, &mut next);
        let mut memory = Memory::open(self.checkout.path()).unwrap();
        change(&mut memory, &mut stamp)
    }

    async fn add(&mut self, kind: Kind, text: &str, as_is: impl Fn(NewItem) -> NewItem) -> ItemId {
        let new = as_is(NewItem::new(kind, text, Provenance::Person));
        let written = self.change(|memory, stamp| memory.add(new, stamp).unwrap());
        let id = written.ids[0];
        let project = project_key(None, self.checkout.path());
        let store = self.bed.store();
        keep_written(store.as_ref(), &project, written)
            .await
            .unwrap();
        id
    }

    async fn recalled(&self, kinds: &[&str], floor: u32) -> Vec<RecalledItem> {
        let cache = self.bed.folder().join("index");
        let means = MemoryMeans::new(self.bed.store(), None, cache);
        let recaller = means.of_checkout(self.checkout.path().to_owned());
        let ask = RecallAsk {
            kinds,
            query: "an import of bookmarks with tags",
            floor,
            limit: 8,
            now: Timestamp::now(),
        };
        recaller.recall(ask).await.unwrap()
    }
}

fn ids(items: &[RecalledItem]) -> Vec<String> {
    let mut ids: Vec<String> = items.iter().map(|item| item.id.clone()).collect();
    ids.sort();
    ids
}

#[tokio::test]
async fn only_what_holds_fits_and_everybody_may_read_is_recalled() {
    let mut room = Room::new().await;
    let text = "an import of bookmarks with commas in their tags breaks";
    let trap = room.add(Kind::Trap, text, |new| new).await;
    let decision = room
        .add(Kind::Decision, "bookmarks keep their tags", |new| new)
        .await;
    let gone = "the import of bookmarks loses tags";
    let gone = room.add(Kind::Trap, gone, |new| new).await;
    let private = |new| NewItem {
        visibility: Visibility::Private,
        ..new
    };
    room.add(Kind::Trap, "bookmarks, tags: mine alone", private)
        .await;
    room.add(Kind::Trap, "tags of bookmarks", NewItem::proposed)
        .await;
    room.add(Kind::Trap, "dates are local", |new| new).await;

    let mut all = vec![trap.to_string(), decision.to_string(), gone.to_string()];
    all.sort();
    assert_eq!(ids(&room.recalled(&[], 200).await), all);
    let traps = room.recalled(&["trap"], 200).await;
    assert_eq!(traps.len(), 2);
    drop(room.change(|memory, stamp| memory.retire(gone, stamp).unwrap()));
    let traps = room.recalled(&["trap"], 200).await;
    assert_eq!(ids(&traps), [trap.to_string()], "what is retired is gone");
    let told = &traps[0];
    assert_eq!(
        (told.text.as_str(), told.label.as_str()),
        (text, trap.short().as_str())
    );
    assert_eq!(
        (told.kind.as_str(), told.source.as_str()),
        ("trap", "a person")
    );
    assert!((1..=1_000).contains(&told.score), "{told:?}");
    assert_eq!(room.recalled(&[], 1_000).await, [], "a floor is a floor");
}

#[tokio::test]
async fn a_kind_that_does_not_exist_is_an_error_and_not_silence() {
    let room = Room::new().await;
    let cache = room.bed.folder().join("index");
    let means = MemoryMeans::new(room.bed.store(), None, cache);
    let recaller = means.of_checkout(room.checkout.path().to_owned());
    let ask = RecallAsk {
        kinds: &["wish"],
        query: "bookmarks",
        floor: 0,
        limit: 8,
        now: Timestamp::now(),
    };
    let error = recaller.recall(ask).await.unwrap_err();
    let source = std::error::Error::source(&error).unwrap().to_string();
    assert!(source.contains("wish"), "{source}");
}
