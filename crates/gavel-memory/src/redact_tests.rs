use std::path::Path;

use super::*;
use crate::desk::Desk;
use crate::id::Kind;
use crate::memory::MEMORY_FOLDER;
use crate::new_item::NewItem;

const TOKEN: &str = concat!("ghp", "_16C7e42F292c6912E7710c838347Ae178B4a");

fn open(folder: &Path) -> Memory {
    Memory::open(folder).unwrap()
}

fn all_text(folder: &Path) -> String {
    let month = folder.join(MEMORY_FOLDER).join("2026-11");
    let files = std::fs::read_dir(month).unwrap();
    let texts = files.map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap());
    texts.collect()
}

#[test]
fn the_words_are_gone_and_the_rest_stays_byte_for_byte() {
    let folder = tempfile::tempdir().unwrap();
    let mut memory = open(folder.path());
    let mut desk = Desk::new(1);
    let item = |text: &str| NewItem {
        tags: vec!["payroll".to_owned()],
        title: Some(format!("{text} in short")),
        ..NewItem::new(Kind::Trap, text, Provenance::Person)
    };
    let news = vec![item("the salary of Ann"), item("another one")];
    let ids = desk
        .stamped(|stamp| memory.add_all(news, stamp))
        .unwrap()
        .ids;
    let other: String = all_text(folder.path()).lines().last().unwrap().to_owned();
    let done = desk.stamped(|stamp| memory.redact(ids[0], stamp)).unwrap();
    assert_eq!((done.files.len(), done.by_hand.len()), (1, 0));
    let text = all_text(folder.path());
    assert!(!text.contains("salary"), "{text}");
    assert!(text.contains(&other), "{text}");
    let again = open(folder.path());
    assert!(again.problems().is_empty(), "{:?}", again.problems());
    let gone = again.item(&ids[0].to_string()).unwrap();
    assert_eq!((gone.state, gone.text.as_str()), (State::Redacted, ""));
    assert!(gone.tags.is_empty() && gone.title.is_none());
    assert!(memory.items().eq(again.items()));
    // A second time there is nothing to write.
    let twice = desk.stamped(|stamp| memory.redact(ids[0], stamp)).unwrap();
    assert_eq!((twice.written, twice.files.len()), (Written::default(), 0));
    assert_eq!(all_text(folder.path()).len(), text.len());
    let stranger = ItemId::new(Kind::Plan, uuid::Uuid::nil());
    let refused = desk.stamped(|stamp| memory.redact(stranger, stamp));
    assert!(matches!(refused, Err(RedactError::NoItem { .. })));
}

#[test]
fn a_line_that_was_left_out_for_its_secret_can_be_redacted() {
    let folder = tempfile::tempdir().unwrap();
    let month = folder.path().join(MEMORY_FOLDER).join("2026-11");
    std::fs::create_dir_all(&month).unwrap();
    let line = |id: &str, text: &str| {
        format!(
            r#"{{"event":"added","id":"01890a5d-ac96-774b-bcce-b302099a8{id}","at":"2026-11-15T12:00:00Z","item":"dec_01890a5d-ac96-774b-bcce-b302099a8057","text":"{text}","mood":"{TOKEN}"}}"#
        )
    };
    let broken = r#"{"item":"dec_01890a5d-ac96-774b-bcce-b302099a8057","#;
    let file = format!("{}\n{broken}\n", line("001", &format!("use {TOKEN}")));
    std::fs::write(month.join("a.jsonl"), file).unwrap();
    let mut memory = open(folder.path());
    let told: Vec<String> = memory.problems().iter().map(ToString::to_string).collect();
    assert!(told[0].contains("gavel memory redact dec_"), "{told:?}");
    let id = "dec_01890a5d-ac96-774b-bcce-b302099a8057".parse().unwrap();
    let done = Desk::new(1)
        .stamped(|stamp| memory.redact(id, stamp))
        .unwrap();
    assert_eq!(done.by_hand.len(), 1, "{done:?}");
    assert_eq!(done.by_hand[0].1, 2);
    assert!(done.written.file.is_some() && done.written.held.is_empty());
    assert!(!all_text(folder.path()).contains(TOKEN));
    let again = open(folder.path());
    let item = again.item(&id.to_string()).unwrap();
    assert_eq!(item.state, State::Redacted);
    assert_eq!(again.problems().len(), 1, "only the damaged line is left");
}

#[test]
fn lines_of_the_store_are_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let mut memory = open(folder.path());
    let mut desk = Desk::new(1);
    let new = NewItem::new(Kind::Plan, "a secret plan", Provenance::Person).proposed();
    let written = desk.add(&mut memory, new).unwrap();
    let id = written.ids[0];
    let secret = written.held[0]
        .1
        .replace("a secret plan", &format!("use {TOKEN}"));
    for line in [written.held[0].1.clone(), secret] {
        let mut memory = Memory::open_with(folder.path(), &[line]).unwrap();
        let done = desk.stamped(|stamp| memory.redact(id, stamp)).unwrap();
        assert!(done.files.is_empty() && done.written.file.is_none());
        let held: Vec<String> = done
            .written
            .held
            .iter()
            .map(|(_, line)| line.clone())
            .collect();
        assert!(
            done.written
                .held
                .iter()
                .any(|(event, _)| *event == written.held[0].0)
        );
        let text = held.join("\n");
        assert!(!text.contains("plan\"") && !text.contains(TOKEN), "{text}");
        let again = Memory::open_with(folder.path(), &held).unwrap();
        assert!(again.problems().is_empty(), "{:?}", again.problems());
        assert_eq!(again.item(&id.to_string()).unwrap().state, State::Redacted);
    }
}

#[test]
fn a_copy_that_still_has_the_words_says_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut memory = open(folder.path());
    let mut desk = Desk::new(1);
    let new = NewItem::new(Kind::Plan, "old words", Provenance::Person);
    let added = desk.add(&mut memory, new).unwrap();
    let file = folder.path().join(added.file.unwrap());
    let copy = std::fs::read(&file).unwrap();
    let _done = desk
        .stamped(|stamp| memory.redact(added.ids[0], stamp))
        .unwrap();
    // A branch that never saw the redaction brings its copy back, before or after it in order.
    for name in ["0.jsonl", "z.jsonl"] {
        std::fs::write(file.with_file_name(name), &copy).unwrap();
        let merged = open(folder.path());
        assert!(merged.problems().is_empty(), "{:?}", merged.problems());
        let item = merged.item(&added.ids[0].to_string()).unwrap();
        assert_eq!((item.state, item.text.as_str()), (State::Redacted, ""));
        std::fs::remove_file(file.with_file_name(name)).unwrap();
    }
}

#[test]
fn a_line_that_lies_in_a_file_and_in_the_store_is_emptied_in_both() {
    for (words, droppable) in [("a secret plan", true), ("another secret plan", false)] {
        let folder = tempfile::tempdir().unwrap();
        let mut memory = open(folder.path());
        let mut desk = Desk::new(1);
        let new = NewItem::new(Kind::Plan, "a secret plan", Provenance::Person).proposed();
        let written = desk.add(&mut memory, new).unwrap();
        let (id, (event, line)) = (written.ids[0], written.held[0].clone());
        // Somebody was cut off before the store dropped its line.
        let _cut_off = desk.stamped(|stamp| memory.accept(id, stamp)).unwrap();
        assert!(all_text(folder.path()).contains("a secret plan"));
        let leftover = line.replace("a secret plan", words);
        let mut memory = Memory::open_with(folder.path(), &[leftover]).unwrap();
        let done = desk.stamped(|stamp| memory.redact(id, stamp)).unwrap();
        let held = done.written.held.iter().find(|(of, _)| *of == event);
        let (_, emptied) = held.expect("the store replaces its line");
        assert!(!emptied.contains("secret"), "{emptied}");
        assert!(!all_text(folder.path()).contains("secret"));
        assert_eq!(done.written.settled.contains(&event), droppable);
    }
}

#[test]
fn a_file_that_is_too_large_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let mut memory = open(folder.path());
    let mut desk = Desk::new(1);
    let new = NewItem::new(Kind::Plan, "old words", Provenance::Person);
    let added = desk.add(&mut memory, new).unwrap();
    let large = ".gavel/memory/2026-11/large.jsonl";
    let file = std::fs::File::create(folder.path().join(large)).unwrap();
    file.set_len(MAX_FILE_BYTES as u64 + 1).unwrap();
    let done = desk
        .stamped(|stamp| memory.redact(added.ids[0], stamp))
        .unwrap();
    let named: Vec<&str> = done.too_large.iter().map(RepoPath::as_str).collect();
    assert_eq!(named, [large]);
    assert_eq!(done.files.len(), 1, "the others are done: {done:?}");
    // It may be in there, so nobody says that there is no such item.
    let hidden = ItemId::new(Kind::Plan, uuid::Uuid::nil());
    let done = desk.stamped(|stamp| memory.redact(hidden, stamp)).unwrap();
    assert_eq!(done.too_large.len(), 1);
}
