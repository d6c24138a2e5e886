use super::*;
use crate::desk::Desk;
use crate::id::Kind;
use crate::item::Provenance;
use crate::new_item::NewItem;

#[test]
fn doubles_stale_unused_and_cited_items_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let mut memory = Memory::open(folder.path()).unwrap();
    let mut desk = Desk::new(1);
    let mut add = |kind, text: &str| {
        let new = NewItem::new(kind, text, Provenance::Person);
        desk.add(&mut memory, new).unwrap().ids[0]
    };
    let one = add(Kind::Trap, "the server answers before it listens");
    let double = add(Kind::Decision, "The server answers before it listens!");
    let plan = add(Kind::Plan, "rewrite the exporter");
    let uses = Uses {
        given: BTreeMap::from([(one, 3), (plan, 1)]),
        cited: BTreeMap::from([(one, 1)]),
    };
    let later: Timestamp = "2027-01-15T00:00:00Z".parse().unwrap();
    let audit = memory.audit(&uses, later);
    assert_eq!((audit.trusted, audit.proposed, audit.cited), (3, 0, 1));
    assert_eq!(audit.duplicates, [(double, one, 1.0)]);
    assert_eq!(audit.stale, [(plan, Stale::PlanWaiting)]);
    assert_eq!(audit.never_used, [double]);
    assert!(audit.secrets.is_empty() && audit.problems.is_empty());
}
