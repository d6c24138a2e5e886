use std::collections::BTreeMap;
use std::path::Path;

use gavel_domain::Timestamp;
use uuid::Uuid;

use super::*;
use crate::desk::Desk;
use crate::item::Visibility;
use crate::memory::MEMORY_FOLDER;

/// A checkout and what a store would hold for it.
struct Room {
    folder: tempfile::TempDir,
    held: BTreeMap<Uuid, String>,
    desk: Desk,
}

impl Room {
    fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            held: BTreeMap::new(),
            desk: Desk::new(1),
        }
    }

    fn open(&self) -> Memory {
        let lines: Vec<String> = self.held.values().cloned().collect();
        let memory = Memory::open_with(self.folder.path(), &lines).unwrap();
        assert!(memory.problems().is_empty(), "{:?}", memory.problems());
        memory
    }

    /// Does something and keeps what is to be kept; what is read again is what was there.
    fn act<E: std::fmt::Debug>(
        &mut self,
        act: impl FnOnce(&mut Memory, &mut Stamp<'_>) -> Result<Written, E>,
    ) -> Result<Written, E> {
        let mut memory = self.open();
        let written = self.desk.stamped(|stamp| act(&mut memory, stamp))?;
        self.held.extend(written.held.iter().cloned());
        for event in &written.settled {
            assert!(self.held.remove(event).is_some(), "{written:?}");
        }
        let again = self.open();
        assert!(memory.items().eq(again.items()), "{written:?}");
        Ok(written)
    }

    fn add(&mut self, new: NewItem) -> ItemId {
        self.act(|memory, stamp| memory.add(new, stamp))
            .unwrap()
            .ids[0]
    }

    fn item(&self, id: ItemId) -> Item {
        self.open().item(&id.to_string()).unwrap().clone()
    }

    fn files(&self) -> usize {
        files(self.folder.path())
    }
}

fn files(folder: &Path) -> usize {
    let month = folder.join(MEMORY_FOLDER).join("2026-11");
    std::fs::read_dir(month).map_or(0, Iterator::count)
}

fn now() -> Timestamp {
    Timestamp::from_second(1_794_800_000).unwrap()
}

fn new(kind: Kind, text: &str) -> NewItem {
    NewItem::new(kind, text, Provenance::Person)
}

#[test]
fn a_proposal_waits_in_the_store_and_moves_with_its_id_when_it_is_accepted() {
    let mut room = Room::new();
    let id = room.add(new(Kind::Decision, "one server").proposed());
    assert_eq!((room.files(), room.held.len()), (0, 1));
    assert!(room.item(id).is_proposed(now()) && !room.item(id).is_trusted(now()));
    let tags = Patch {
        tags: Some(vec!["HTTP".to_owned()]),
        ..Patch::default()
    };
    let _held = room
        .act(|memory, stamp| memory.change(id, tags, stamp))
        .unwrap();
    let _held = room
        .act(|memory, stamp| memory.mark(id, Mark::SavedMe, stamp))
        .unwrap();
    assert_eq!((room.files(), room.held.len()), (0, 3));

    let accepted = room.act(|memory, stamp| memory.accept(id, stamp)).unwrap();
    assert_eq!((room.files(), room.held.len()), (1, 0));
    assert_eq!((accepted.settled.len(), accepted.held.len()), (3, 0));
    let item = room.item(id);
    assert!(item.is_trusted(now()));
    assert_eq!(
        (item.tags, item.marks.saved_me.count),
        (vec!["http".to_owned()], 1)
    );
    // Whoever has the repository alone has all of it.
    let files = Memory::open(room.folder.path()).unwrap();
    assert_eq!(files.item(&id.to_string()).unwrap(), &room.item(id));
    let again = room.act(|memory, stamp| memory.accept(id, stamp)).unwrap();
    assert_eq!(
        again,
        Written::default(),
        "accepting twice is accepting once"
    );
    let no = room.act(|memory, stamp| memory.reject(id, stamp));
    assert!(matches!(no, Err(ChangeError::Decided { .. })), "{no:?}");
}

#[test]
fn what_is_accepted_is_what_was_seen_whoever_wrote_meanwhile() {
    let mut room = Room::new();
    let id = room.add(new(Kind::Trap, "the cache is cold at first").proposed());
    // Somebody looks, and before they say yes an agent writes other words.
    let mut seen = room.open();
    let other = Patch {
        title: Some("harmless".to_owned()),
        text: Some("the cache is always warm".to_owned()),
        tags: Some(vec!["cache".to_owned()]),
        ..Patch::default()
    };
    let mut agents = room.open();
    let late = room.desk.stamped(|stamp| {
        let agent = gavel_domain::Speaker::ENGINE;
        let mut draw = || stamp.draw();
        let mut stamp = Stamp::new(now(), agent, &mut draw);
        agents.change(id, other.clone(), &mut stamp)
    });
    let late = late.unwrap();
    let accepted = room.desk.stamped(|stamp| seen.accept(id, stamp)).unwrap();
    for event in &accepted.settled {
        room.held.remove(event);
    }
    room.held.extend(late.held.iter().cloned());
    let item = room.item(id);
    assert_eq!(
        (item.text.as_str(), item.title.as_deref(), item.tags.len()),
        ("the cache is cold at first", None, 0),
        "{item:?}"
    );
    assert_eq!(
        (item.acceptance, item.changed_by),
        (Acceptance::Accepted, None)
    );
}

#[test]
fn a_move_that_was_cut_short_is_no_loss_and_no_double() {
    let mut room = Room::new();
    let id = room.add(new(Kind::Plan, "go").proposed());
    let before = room.held.clone();
    let _moved = room.act(|memory, stamp| memory.accept(id, stamp)).unwrap();
    // As if the program died between the file and the store.
    room.held = before;
    assert_eq!(room.open().items().count(), 1);
    assert!(room.open().is_tracked(id));
    assert!(room.item(id).is_trusted(now()));
}

#[test]
fn what_is_rejected_private_or_of_one_machine_stays_out_of_the_repository() {
    let mut room = Room::new();
    let refused = room.add(new(Kind::Trap, "beware").proposed());
    let _held = room
        .act(|memory, stamp| memory.reject(refused, stamp))
        .unwrap();
    assert!(!room.item(refused).is_live(now()));
    for visibility in [Visibility::Private, Visibility::Machine] {
        let item = NewItem {
            visibility,
            ..new(Kind::RuntimeNote, "here only")
        };
        let id = room.add(item);
        let _held = room
            .act(|memory, stamp| memory.mark(id, Mark::Confirmed, stamp))
            .unwrap();
        assert!(room.item(id).is_trusted(now()), "its author vouches for it");
    }
    assert_eq!(room.files(), 0);
}

#[test]
fn each_kind_goes_its_way() {
    let mut room = Room::new();
    let plan = room.add(new(Kind::Plan, "extract the dispatcher"));
    assert_eq!(room.item(plan).status, Status::Todo);
    let to = |status| Patch {
        status: Some(status),
        ..Patch::default()
    };
    let mut go = |status| room.act(|memory, stamp| memory.change(plan, to(status), stamp));
    assert!(go(Status::InProgress).is_ok());
    assert!(go(Status::Done).is_ok());
    let back = go(Status::Todo).unwrap_err().to_string();
    assert!(back.contains("nothing follows"), "{back}");
    let odd = go(Status::Resolved).unwrap_err().to_string();
    assert!(odd.contains("one of todo"), "{odd}");
    assert!(
        !room.item(plan).is_live(now()),
        "a plan that is done is over"
    );
    let decision = room.add(new(Kind::Decision, "x"));
    assert_eq!(room.item(decision).status, Status::Approved);
}

#[test]
fn what_ran_out_is_over_until_somebody_says_otherwise() {
    let mut room = Room::new();
    let soon = Timestamp::from_second(1_794_750_000).unwrap();
    let id = room.add(NewItem {
        expires_at: Some(soon),
        ..new(Kind::Trap, "the certificate is old")
    });
    let item = room.item(id);
    assert!(item.is_trusted(Timestamp::from_second(1_794_749_999).unwrap()));
    assert_eq!(item.status_at(soon), Status::Expired);
    assert!(!item.is_live(now()));
    let longer = Patch {
        expires: Some(Expiry::Never),
        ..Patch::default()
    };
    let _file = room
        .act(|memory, stamp| memory.change(id, longer, stamp))
        .unwrap();
    assert!(room.item(id).is_trusted(now()));
}

#[test]
fn what_took_the_place_of_another_cannot_be_replaced_by_it() {
    let mut room = Room::new();
    let [old, mid, new_one] = ["a", "b", "c"].map(|text| room.add(new(Kind::Decision, text)));
    let mut replace = |id, by| room.act(|memory, stamp| memory.supersede(id, by, stamp));
    assert!(replace(old, mid).is_ok());
    assert!(replace(mid, new_one).is_ok());
    for (id, by) in [(new_one, old), (new_one, new_one), (mid, old)] {
        let refused = replace(id, by);
        assert!(
            matches!(refused, Err(ChangeError::Circle { .. })),
            "{refused:?}"
        );
    }
    assert!(!room.item(old).is_live(now()));
    assert!(room.item(new_one).is_live(now()));
    let made = room
        .act(|memory, stamp| memory.promote(new_one, Kind::Constraint, stamp))
        .unwrap();
    let made = room.item(made.ids[0]);
    assert_eq!((made.kind, made.text.as_str()), (Kind::Constraint, "c"));
    assert_eq!(made.provenance, Some(Provenance::Item { item: new_one }));
    assert_eq!(room.item(new_one).superseded_by, Some(made.id));
}

#[test]
fn what_is_offered_is_written_once_somebody_says_something_about_it() {
    let mut room = Room::new();
    let offered = || new(Kind::Feedback, "say less");
    let id = ItemId::new(Kind::Feedback, Uuid::from_u128(77));
    let offer = |memory: &mut Memory| {
        let mut number = 76;
        let mut draw = move || {
            number += 1;
            Uuid::from_u128(number)
        };
        let by = gavel_domain::Speaker::ENGINE;
        let mut stamp = Stamp::new(now(), by, &mut draw);
        assert_eq!(memory.offer(offered(), &mut stamp).unwrap(), id);
    };
    let mut memory = room.open();
    offer(&mut memory);
    assert!(memory.item(&id.to_string()).unwrap().is_proposed(now()));
    assert!(!room.open().knows(id), "nothing was written");
    let marked = room.act(|memory, stamp| {
        offer(memory);
        memory.mark(id, Mark::Confirmed, stamp)
    });
    assert_eq!(marked.unwrap().held.len(), 2, "with what it is about");
    let _file = room.act(|memory, stamp| memory.accept(id, stamp)).unwrap();
    assert!(room.item(id).is_trusted(now()));

    let other = ItemId::new(Kind::Trap, Uuid::from_u128(99));
    let refused = room.act(|memory, stamp| memory.refuse(other, stamp));
    assert!(refused.unwrap().file.is_some(), "a word for everybody");
    assert!(room.open().knows(other));
}

#[test]
fn unfit_changes_are_refused() {
    let mut room = Room::new();
    let id = room.add(new(Kind::Plan, "x"));
    let mut refuse = |patch| {
        let refused = room.act(|memory, stamp| memory.change(id, patch, stamp));
        refused.unwrap_err().to_string()
    };
    let token = concat!("ghp", "_16C7e42F292c6912E7710c838347Ae178B4a");
    let told = [
        refuse(Patch::default()),
        refuse(Patch {
            text: Some(" ".to_owned()),
            ..Patch::default()
        }),
        refuse(Patch {
            title: Some(format!("key {token}")),
            ..Patch::default()
        }),
        refuse(Patch {
            title: Some("two\nlines".to_owned()),
            ..Patch::default()
        }),
        refuse(Patch {
            severity: Some(Severity::High),
            ..Patch::default()
        }),
    ];
    insta::assert_snapshot!(told.join("\n"), @"
    there is nothing to change: say what
    there is nothing to remember: give a text
    the item holds a github token, at `key [secret: github token]`: leave it out
    a title is one line of at most 120 characters
    a plan has no severity: only a trap has
    ");
    let _file = room.act(|memory, stamp| memory.retire(id, stamp)).unwrap();
    let gone = room.act(|memory, stamp| memory.mark(id, Mark::Confirmed, stamp));
    assert!(matches!(gone, Err(ChangeError::Over { .. })), "{gone:?}");
}

#[test]
fn who_gave_an_item_other_words_is_known() {
    let folder = tempfile::tempdir().unwrap();
    let mut memory = Memory::open(folder.path()).unwrap();
    let mut desk = Desk::new(1);
    let new = NewItem::new(Kind::Plan, "go", Provenance::Person).proposed();
    let id = desk.add(&mut memory, new).unwrap().ids[0];
    let changed_by = |memory: &Memory| memory.item(&id.to_string()).unwrap().changed_by;
    let tagged = Patch {
        tags: Some(vec!["later".to_owned()]),
        ..Patch::default()
    };
    let _tagged = desk.stamped(|stamp| memory.change(id, tagged, stamp));
    assert_eq!(changed_by(&memory), None, "the words are the first ones");
    let guest = gavel_domain::Speaker {
        door: gavel_domain::Door::Mcp,
        role: gavel_domain::Role::Guest,
        decides: false,
    };
    let other = Patch {
        text: Some("stay".to_owned()),
        ..Patch::default()
    };
    let at = gavel_domain::Timestamp::from_second(desk.seconds + 1).unwrap();
    let mut draw = || uuid::Uuid::from_u128(7);
    let mut stamp = Stamp::new(at, guest, &mut draw);
    let _changed = memory.change(id, other, &mut stamp).unwrap();
    assert_eq!(changed_by(&memory), Some(guest));
    let _kept = desk.stamped(|stamp| memory.accept(id, stamp)).unwrap();
    assert_eq!(changed_by(&memory), Some(guest), "accepting sets no words");
}
