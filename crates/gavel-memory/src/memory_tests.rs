use gavel_workspace::RepoPath;
use proptest::prelude::*;
use uuid::Uuid;

use super::*;
use crate::change::ChangeError;
use crate::desk::Desk;
use crate::item::{Provenance, Severity, State};
use crate::new_item::{AddError, MAX_TAGS, MAX_TEXT_BYTES, NewItem};
use crate::write::{WriteError, write_file};

/// When tests look: a little after anything was written.
fn now() -> Timestamp {
    Timestamp::from_second(1_794_800_000).unwrap()
}

fn trap(text: &str) -> NewItem {
    NewItem::new(Kind::Trap, text, Provenance::Person)
}

fn items(memory: &Memory) -> Vec<Item> {
    memory.items().cloned().collect()
}

fn reopened(folder: &Path) -> Memory {
    let memory = Memory::open(folder).unwrap();
    assert!(memory.problems().is_empty(), "{:?}", memory.problems());
    memory
}

#[test]
fn what_is_added_is_there_after_reading_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut memory = reopened(folder.path());
    assert_eq!(items(&memory), Vec::new());
    let new = NewItem {
        tags: vec!["HTTP".to_owned(), "http".to_owned()],
        paths: vec![RepoPath::new("src/server.rs").unwrap()],
        ..trap("  the server answers before it listens\n")
    };
    let added = Desk::new(1).add(&mut memory, new).unwrap();
    let file = added.file.as_ref().unwrap();
    assert!(file.starts_with(".gavel/memory/2026-11"), "{added:?}");
    let [item] = &*items(&memory) else {
        panic!("one item")
    };
    assert_eq!(
        (item.text.as_str(), item.tags.as_slice(), item.severity),
        (
            "the server answers before it listens",
            &["http".to_owned()][..],
            Some(Severity::Medium)
        )
    );
    assert!(item.is_trusted(now()));
    assert_eq!(items(&reopened(folder.path())), items(&memory));
}

#[test]
fn several_items_of_one_command_share_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let mut memory = reopened(folder.path());
    let news = vec![trap("one"), trap("two")];
    let added = Desk::new(1).stamped(|stamp| memory.add_all(news, stamp));
    let added = added.unwrap();
    let text = std::fs::read_to_string(folder.path().join(added.file.unwrap())).unwrap();
    assert_eq!((added.ids.len(), text.lines().count()), (2, 2));
    let refused = Desk::new(2).stamped(|stamp| memory.add_all(vec![trap("x"), trap("")], stamp));
    assert!(matches!(refused, Err(AddError::Empty)), "all or none");
    assert_eq!(items(&reopened(folder.path())).len(), 2);
}

#[test]
fn a_file_is_never_written_twice() {
    let folder = tempfile::tempdir().unwrap();
    let mut memory = reopened(folder.path());
    let added = Desk::new(1).add(&mut memory, trap("one")).unwrap();
    let again = Desk::new(1).add(&mut memory, trap("other"));
    assert!(
        matches!(again, Err(AddError::Write(WriteError::Exists { .. }))),
        "{again:?}"
    );
    let month = folder
        .path()
        .join(added.file.as_ref().unwrap().parent().unwrap());
    let left = std::fs::read_dir(month).unwrap().count();
    assert_eq!(left, 1, "no temporary file stays");
    assert_eq!(items(&reopened(folder.path()))[0].text, "one");
}

#[test]
fn what_would_not_be_read_is_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let lines = ["x".repeat(MAX_FILE_BYTES)];
    let refused = Desk::new(1).stamped(|stamp| write_file(folder.path(), &lines, stamp));
    let bytes = MAX_FILE_BYTES + 1;
    assert!(matches!(refused, Err(WriteError::TooLarge { bytes: told }) if told == bytes));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn memory_is_not_written_through_a_symlink() {
    let folder = tempfile::tempdir().unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join(".gavel")).unwrap();
    std::os::unix::fs::symlink(elsewhere.path(), folder.path().join(".gavel/memory")).unwrap();
    assert!(matches!(
        Memory::open(folder.path()),
        Err(OpenError::Folder(FileError::LeavesTree { .. }))
    ));
    let lines = ["x".to_owned()];
    let refused = Desk::new(1).stamped(|stamp| write_file(folder.path(), &lines, stamp));
    assert!(
        matches!(refused, Err(WriteError::NotAFolder { .. })),
        "{refused:?}"
    );
    assert_eq!(std::fs::read_dir(elsewhere.path()).unwrap().count(), 0);
}

#[test]
fn what_does_not_fit_is_refused_and_nothing_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let mut memory = reopened(folder.path());
    let mut refuse = |new: NewItem| Desk::new(1).add(&mut memory, new).unwrap_err().to_string();
    let token = concat!("ghp", "_16C7e42F292c6912E7710c838347Ae178B4a");
    let secret = refuse(trap(&format!("log in with {token} and go")));
    assert!(!secret.contains(token), "{secret}");
    let decision = NewItem {
        kind: Kind::Decision,
        severity: Some(Severity::Low),
        ..trap("x")
    };
    let tag = |tag: &str| NewItem {
        tags: vec![tag.to_owned()],
        ..trap("x")
    };
    let told = [
        secret,
        refuse(trap(" \n")),
        refuse(trap(&"x".repeat(MAX_TEXT_BYTES + 1))),
        refuse(decision),
        refuse(tag("two words")),
        refuse(tag(token)),
        refuse(NewItem {
            tags: vec!["a".to_owned(); MAX_TAGS + 1],
            ..trap("x")
        }),
    ];
    insta::assert_snapshot!(told.join("\n"), @"
    the item holds a github token, at `log in with [secret: github token] and go`: leave it out
    there is nothing to remember: give a text
    the text has 16385 bytes: at most 16384, say one thing per item
    a decision has no severity: only a trap has
    `two words` is no tag: one word of at most 64 characters
    the item holds a github token, at `[secret: github token]`: leave it out
    21 tags are too many: at most 20
    ");
    assert!(!folder.path().join(".gavel").exists(), "nothing was made");
}

#[test]
fn a_retired_item_is_listed_and_never_found() {
    let folder = tempfile::tempdir().unwrap();
    let mut memory = reopened(folder.path());
    let mut desk = Desk::new(1);
    let id = desk
        .add(&mut memory, trap("the lock is lost on sleep"))
        .unwrap()
        .ids[0];
    assert_eq!(memory.search("lock", &[], 9, now()).len(), 1);
    assert_eq!(memory.recall("lock", &[Kind::Trap], 9, now()).len(), 1);
    for _ in 0..2 {
        drop(desk.stamped(|stamp| memory.retire(id, stamp)).unwrap());
    }
    assert_eq!(memory.item(&id.to_string()).unwrap().state, State::Retired);
    assert!(memory.search("lock", &[], 9, now()).is_empty());
    let reopened = reopened(folder.path());
    assert_eq!(items(&reopened), items(&memory));
    assert_eq!(reopened.log.events().count(), 2, "retired once");
    let stranger = ItemId::new(Kind::Plan, Uuid::nil());
    let refused = desk.stamped(|stamp| memory.retire(stranger, stamp));
    assert!(matches!(refused, Err(ChangeError::NoItem { .. })));
}

#[test]
fn a_proposal_in_a_file_is_found_by_people_and_given_to_no_prompt() {
    let folder = tempfile::tempdir().unwrap();
    let month = folder.path().join(MEMORY_FOLDER).join("2026-11");
    std::fs::create_dir_all(&month).unwrap();
    let line = r#"{"event":"added","id":"01890a5d-ac96-774b-bcce-b302099a8001","at":"2026-11-15T12:00:00Z","item":"dec_01890a5d-ac96-774b-bcce-b302099a8057","text":"always trust the cache","acceptance":"proposed"}"#;
    std::fs::write(month.join("a.jsonl"), line).unwrap();
    let memory = reopened(folder.path());
    assert_eq!(memory.search("cache", &[], 9, now()).len(), 1);
    assert_eq!(memory.recall("cache", &[], 9, now()), Vec::new());
}

#[test]
fn items_answer_to_short_names() {
    let folder = tempfile::tempdir().unwrap();
    let mut memory = reopened(folder.path());
    let mut desk = Desk::new(1);
    let one = desk.add(&mut memory, trap("one")).unwrap().ids[0];
    let _two = desk.add(&mut memory, trap("two")).unwrap();
    assert_eq!(memory.item(&one.short()).unwrap().id, one);
    assert_eq!(memory.item("00000001").unwrap().id, one);
    let several = memory.item("0000").map(|item| item.id);
    assert!(
        matches!(several, Err(FindError::None { .. })),
        "ends in 0001 and 0004"
    );
    assert!(matches!(memory.item(""), Err(FindError::None { .. })));
    assert!(matches!(memory.item("plan"), Err(FindError::None { .. })));
    desk.next = (2 << 64) | 0xff00;
    let _three = desk.add(&mut memory, trap("three")).unwrap();
    desk.next = (3 << 64) | 0xff00;
    let _four = desk.add(&mut memory, trap("four")).unwrap();
    assert!(matches!(
        memory.item("ff01"),
        Err(FindError::Several { count: 2, .. })
    ));
}

#[test]
fn writers_that_do_not_know_of_each_other_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (mut one, mut other) = (reopened(folder.path()), reopened(folder.path()));
    let _one = Desk::new(1).add(&mut one, trap("one")).unwrap();
    let _two = Desk::new(2).add(&mut other, trap("two")).unwrap();
    assert_eq!(items(&reopened(folder.path())).len(), 2);
}

/// What a branch does to its checkout.
#[derive(Debug, Clone)]
enum Act {
    Add(&'static str),
    Retire(usize),
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let add = proptest::sample::select(vec!["alpha", "beta", "gamma"]).prop_map(Act::Add);
    let act = prop_oneof![3 => add, 1 => (0_usize..4).prop_map(Act::Retire)];
    proptest::collection::vec(act, 0..6)
}

fn perform(folder: &Path, desk: &mut Desk, acts: &[Act]) {
    let mut memory = Memory::open(folder).unwrap();
    for act in acts {
        match act {
            Act::Add(text) => drop(desk.add(&mut memory, trap(text)).unwrap()),
            Act::Retire(place) => {
                let id = memory.items().nth(*place).map(|item| item.id);
                if let Some(id) = id {
                    drop(desk.stamped(|stamp| memory.retire(id, stamp)).unwrap());
                }
            }
        }
    }
}

/// Copies all files, as a merge of two branches does; under new names, as a careless copy does.
fn merge(from: &Path, into: &Path, rename: bool) {
    let source = from.join(MEMORY_FOLDER).join("2026-11");
    let target = into.join(MEMORY_FOLDER).join("2026-11");
    std::fs::create_dir_all(&target).unwrap();
    let Ok(files) = std::fs::read_dir(source) else {
        return;
    };
    for file in files {
        let path = file.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        let name = if rename {
            format!("copy-{name}")
        } else {
            name.to_owned()
        };
        std::fs::copy(&path, target.join(name)).unwrap();
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn branches_merge_to_the_same_items_in_any_order(
        (before, left, right) in (acts(), acts(), acts())
    ) {
        let folders: Vec<_> = (0..4).map(|_| tempfile::tempdir().unwrap()).collect();
        let [base, one, other, copies] = folders.as_slice() else { unreachable!() };
        let mut desk = Desk::new(1);
        perform(base.path(), &mut desk, &before);
        merge(base.path(), one.path(), false);
        merge(base.path(), other.path(), false);
        perform(one.path(), &mut Desk::new(2), &left);
        perform(other.path(), &mut Desk::new(3), &right);
        merge(one.path(), copies.path(), true);
        merge(other.path(), copies.path(), false);
        let (ours, theirs) = (items(&reopened(one.path())), items(&reopened(other.path())));
        merge(other.path(), one.path(), false);
        merge(one.path(), other.path(), false);
        let merged = items(&reopened(one.path()));
        prop_assert_eq!(&items(&reopened(other.path())), &merged);
        prop_assert_eq!(&items(&reopened(copies.path())), &merged, "files doubled under other names");
        for item in ours.iter().chain(&theirs) {
            let kept = merged.iter().find(|kept| kept.id == item.id);
            prop_assert!(kept.is_some(), "{:?} is lost", item.id);
        }
    }
}
