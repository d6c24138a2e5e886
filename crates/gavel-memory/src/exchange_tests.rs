use super::*;
use crate::desk::Desk;
use crate::id::Kind;
use crate::item::{Provenance, Visibility};
use crate::new_item::NewItem;

fn filled(folder: &std::path::Path) -> Memory {
    let mut memory = Memory::open(folder).unwrap();
    let mut desk = Desk::new(1);
    let new = |text: &str| NewItem::new(Kind::Trap, text, Provenance::Person);
    let id = desk.add(&mut memory, new("one")).unwrap().ids[0];
    let _retired = desk.stamped(|stamp| memory.retire(id, stamp)).unwrap();
    let private = NewItem {
        visibility: Visibility::Private,
        ..new("mine")
    };
    let _held = desk.add(&mut memory, private).unwrap();
    let _proposed = desk.add(&mut memory, new("two").proposed()).unwrap();
    memory
}

#[test]
fn what_goes_out_comes_in_once_with_its_ids_and_to_its_place() {
    let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let memory = filled(one.path());
    assert_eq!(
        (memory.export(false).len(), memory.export(true).len()),
        (2, 4)
    );
    let text = memory.export(true).join("\n");
    let mut there = Memory::open(other.path()).unwrap();
    let mut desk = Desk::new(2);
    let came = desk.stamped(|stamp| there.import(&text, stamp)).unwrap();
    assert_eq!((came.new, came.known, came.items.len()), (4, 0, 3));
    assert_eq!(
        came.written.held.len(),
        2,
        "what is not for all goes to the store"
    );
    assert!(there.items().eq(memory.items()));
    let files = Memory::open(other.path()).unwrap();
    assert_eq!(files.export(false), memory.export(false));
    let again = desk.stamped(|stamp| there.import(&text, stamp)).unwrap();
    assert_eq!((again.new, again.known, again.items.len()), (0, 4, 0));
    assert_eq!(again.written, Written::default());
}

#[test]
fn a_line_that_does_not_fit_keeps_everything_out() {
    let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let memory = filled(one.path());
    let good = memory.export(true).join("\n");
    let token = concat!("ghp", "_16C7e42F292c6912E7710c838347Ae178B4a");
    let first = memory.export(true)[0].to_owned();
    let bad = [
        "{\"event\":".to_owned(),
        first.replace("one", token).replace("0002", "00ff"),
        first
            .replace("\"text\"", "\"mood\":1,\"text\"")
            .replace("0002", "00fe"),
        first.replace("one", "another"),
    ];
    let mut there = Memory::open(other.path()).unwrap();
    let mut told = Vec::new();
    for bad in bad {
        let text = format!("{good}\n\n{bad}\n");
        let refused = Desk::new(2).stamped(|stamp| there.import(&text, stamp));
        let refused = refused.unwrap_err().to_string();
        assert!(!refused.contains(token), "{refused}");
        told.push(refused.chars().take(60).collect::<String>());
    }
    assert_eq!(there.items().count(), 0);
    assert!(!other.path().join(".gavel").exists());
    insta::assert_snapshot!(told.join("\n"), @"
    line 6: the line is damaged and was left out: EOF while pars
    line 6: the line holds a github token and was left out: `gav
    line 6: the field `mood` is not known to this version: passe
    line 6: another line has the same event id and says somethin
    ");
}
