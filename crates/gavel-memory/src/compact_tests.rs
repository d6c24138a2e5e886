use proptest::prelude::*;

use super::*;
use crate::desk::Desk;
use crate::id::Kind;
use crate::item::Provenance;
use crate::marks::Mark;
use crate::memory::MEMORY_FOLDER;
use crate::new_item::NewItem;

fn december() -> Timestamp {
    "2026-12-24T18:00:00Z".parse().unwrap()
}

fn names(folder: &Path, month: &str) -> Vec<String> {
    let folder = folder.join(MEMORY_FOLDER).join(month);
    let Ok(files) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort_unstable();
    names
}

fn new(text: &str) -> NewItem {
    NewItem::new(Kind::Trap, text, Provenance::Person)
}

#[test]
fn a_month_that_is_over_becomes_one_file_and_another_stays() {
    let folder = tempfile::tempdir().unwrap();
    let mut memory = Memory::open(folder.path()).unwrap();
    let mut desk = Desk::new(1);
    let id = desk.add(&mut memory, new("one")).unwrap().ids[0];
    let gone = desk.add(&mut memory, new("two")).unwrap().ids[0];
    let _retired = desk.stamped(|stamp| memory.retire(gone, stamp)).unwrap();
    let lost = crate::ItemId::new(Kind::Plan, uuid::Uuid::from_u128(5));
    let _tombstone = desk.stamped(|stamp| memory.refuse(lost, stamp)).unwrap();
    desk.seconds = december().as_second() - 9;
    let _marked = desk
        .stamped(|stamp| memory.mark(id, Mark::Confirmed, stamp))
        .unwrap();
    let _later = desk.add(&mut memory, new("three")).unwrap();
    assert_eq!(names(folder.path(), "2026-11").len(), 4);

    let done = memory.compact(december()).unwrap();
    assert_eq!((done.months.len(), done.untouched.len()), (1, 0));
    let month = &done.months[0];
    assert_eq!((month.files, month.events), (4, 4));
    assert_eq!(names(folder.path(), "2026-11").len(), 1);
    assert_eq!(names(folder.path(), "2026-12").len(), 2, "this month stays");
    let again = Memory::open(folder.path()).unwrap();
    assert!(again.problems().is_empty());
    assert!(again.items().eq(memory.items()));
    assert!(again.knows(lost), "a tombstone stays");
    let twice = again.compact(december()).unwrap();
    assert_eq!(twice, Compaction::default(), "nothing is left to do");
}

#[test]
fn what_cannot_be_read_stays_where_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let mut memory = Memory::open(folder.path()).unwrap();
    let mut desk = Desk::new(1);
    for text in ["one", "two"] {
        let _added = desk.add(&mut memory, new(text)).unwrap();
    }
    let month = folder.path().join(MEMORY_FOLDER).join("2026-11");
    let sang = r#"{"event":"sang","id":"01890a5d-ac96-774b-bcce-b302099a8001","at":"2026-11-15T12:00:00Z"}"#;
    std::fs::write(month.join("later.jsonl"), sang).unwrap();
    std::fs::write(month.join("torn.jsonl"), "{\"event\":").unwrap();
    let done = memory.compact(december()).unwrap();
    assert_eq!((done.months.len(), done.untouched.len()), (1, 2));
    assert_eq!(
        std::fs::read_to_string(month.join("later.jsonl")).unwrap(),
        sang
    );
    assert_eq!(names(folder.path(), "2026-11").len(), 3);
    assert_eq!(Memory::open(folder.path()).unwrap().items().count(), 2);
}

fn copy(from: &Path, into: &Path) {
    let (source, target) = (from.join(MEMORY_FOLDER), into.join(MEMORY_FOLDER));
    for name in names(from, "2026-11") {
        std::fs::create_dir_all(target.join("2026-11")).unwrap();
        let place = Path::new("2026-11").join(name);
        std::fs::copy(source.join(&place), target.join(&place)).unwrap();
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// Two branches that compact what they have, in any order with merging, say the same.
    #[test]
    fn branches_may_compact_on_their_own(left in 0_usize..5, right in 0_usize..5, first: bool) {
        let folders: Vec<_> = (0..3).map(|_| tempfile::tempdir().unwrap()).collect();
        let [one, other, plain] = folders.as_slice() else { unreachable!() };
        for (folder, count, number) in [(one, left, 1), (other, right, 2)] {
            let mut memory = Memory::open(folder.path()).unwrap();
            let mut desk = Desk::new(number);
            for text in 0..count {
                let _added = desk.add(&mut memory, new(&format!("{number}-{text}"))).unwrap();
            }
        }
        copy(one.path(), plain.path());
        copy(other.path(), plain.path());
        let compact = |folder: &Path| Memory::open(folder).unwrap().compact(december()).unwrap();
        compact(one.path());
        if first {
            compact(other.path());
        }
        copy(other.path(), one.path());
        compact(one.path());
        let (merged, plain) = (Memory::open(one.path()).unwrap(), Memory::open(plain.path()).unwrap());
        prop_assert!(merged.problems().is_empty());
        prop_assert!(merged.items().eq(plain.items()));
    }

    /// The same files become the same file wherever it is done.
    #[test]
    fn two_branches_that_compact_the_same_make_one_file(count in 2_usize..6) {
        let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let mut memory = Memory::open(one.path()).unwrap();
        let mut desk = Desk::new(1);
        for text in 0..count {
            let _added = desk.add(&mut memory, new(&text.to_string())).unwrap();
        }
        copy(one.path(), other.path());
        for folder in [&one, &other] {
            Memory::open(folder.path()).unwrap().compact(december()).unwrap();
        }
        prop_assert_eq!(names(one.path(), "2026-11"), names(other.path(), "2026-11"));
    }
}
