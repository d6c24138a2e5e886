use gavel_domain::Timestamp;
use gavel_store::{Access, SqliteStore, StoreOptions};

use super::*;
use crate::desk::Desk;
use crate::id::Kind;
use crate::item::Provenance;
use crate::memory::Memory;
use crate::new_item::NewItem;

#[tokio::test]
async fn a_proposal_goes_to_the_store_and_leaves_it_when_it_is_accepted() {
    let folder = tempfile::tempdir().unwrap();
    let checkout = folder.path().join("checkout");
    std::fs::create_dir(&checkout).unwrap();
    let options = StoreOptions::new(folder.path().join("state"), Access::ReadWrite);
    let store = SqliteStore::open(options).await.unwrap();
    let key = project_key(None, &checkout);
    let again = project_key(None, &checkout.join("../checkout"));
    assert_eq!(key, again, "a folder has one name");
    let mut desk = Desk::new(1);

    let mut memory = Memory::open(&checkout).unwrap();
    let new = NewItem::new(Kind::Plan, "go", Provenance::Person).proposed();
    let written = desk.add(&mut memory, new).unwrap();
    let id = written.ids[0];
    keep_written(&store, &key, written).await.unwrap();
    let lines = store.memory_lines(&key).await.unwrap();
    assert_eq!(lines.len(), 1);

    let mut memory = Memory::open_with(&checkout, &lines).unwrap();
    let written = desk.stamped(|stamp| memory.accept(id, stamp)).unwrap();
    assert!(!written.is_settled());
    keep_written(&store, &key, written).await.unwrap();
    assert_eq!(store.memory_lines(&key).await.unwrap(), [""; 0]);
    let files = Memory::open(&checkout).unwrap();
    let item = files.item(&id.to_string()).unwrap();
    assert!(item.is_trusted(Timestamp::from_second(1_794_800_000).unwrap()));
}

#[tokio::test]
async fn a_line_that_a_crash_left_in_the_store_goes_with_the_next_write() {
    let folder = tempfile::tempdir().unwrap();
    let checkout = folder.path().join("checkout");
    std::fs::create_dir(&checkout).unwrap();
    let options = StoreOptions::new(folder.path().join("state"), Access::ReadWrite);
    let store = SqliteStore::open(options).await.unwrap();
    let mut desk = Desk::new(1);

    let mut memory = Memory::open(&checkout).unwrap();
    let new = NewItem::new(Kind::Plan, "go", Provenance::Person).proposed();
    let written = desk.add(&mut memory, new).unwrap();
    let id = written.ids[0];
    keep_written(&store, "p", written).await.unwrap();
    let lines = store.memory_lines("p").await.unwrap();
    let mut memory = Memory::open_with(&checkout, &lines).unwrap();
    // The file is there, and the store hears nothing of it.
    let _cut_off = desk.stamped(|stamp| memory.accept(id, stamp)).unwrap();
    assert_eq!(store.memory_lines("p").await.unwrap(), lines);

    let mut memory = Memory::open_with(&checkout, &lines).unwrap();
    assert!(memory.problems().is_empty(), "{:?}", memory.problems());
    let another = NewItem::new(Kind::Plan, "stay", Provenance::Person);
    let written = desk.add(&mut memory, another).unwrap();
    keep_written(&store, "p", written).await.unwrap();
    assert_eq!(store.memory_lines("p").await.unwrap(), [""; 0]);
    let files = Memory::open(&checkout).unwrap();
    assert_eq!(files.item(&id.to_string()).unwrap().text, "go");
}
