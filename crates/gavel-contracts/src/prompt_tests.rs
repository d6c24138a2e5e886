use super::*;
use crate::samples::{sample_shelf, sample_spec};

#[test]
fn skeletons_hold_what_their_rules_say() {
    assert_eq!(crate::check_all(&sample_shelf(), Some(&sample_spec())), []);
}

#[test]
fn a_task_begins_with_its_kind_and_is_short() {
    for kind in ContractKind::ALL {
        let task = task(kind, None);
        assert!(task.starts_with(&format!("Contract: {kind}\n")), "{task}");
        assert!(task.ends_with(SKELETON), "{task}");
        assert!(task.len() < 2_500, "{kind}: {} bytes", task.len());
    }
    assert!(SYSTEM.len() < 2_000, "{}", SYSTEM.len());
}

#[test]
fn a_skeleton_is_no_contract_of_another_product() {
    let lamps = sample_spec();
    let bookmarks = Spec {
        title: "bookmarks".to_owned(),
        purpose: "Keeps links.".to_owned(),
        in_scope: vec!["add and list".to_owned()],
        ..lamps.clone()
    };
    let shelf = sample_shelf();
    for kind in ContractKind::ALL {
        let text = &shelf.get(kind).unwrap().text;
        assert_eq!(copied(kind, text, &lamps), None, "{kind}");
        let own = text.replace("lamp", "link").replace("Lamp", "Link");
        let own = own.replace("keeper", "owner").replace("Keeper", "Owner");
        assert_eq!(copied(kind, &own, &bookmarks), None, "{kind}");
    }
    let blueprint = &shelf.get(ContractKind::Blueprint).unwrap().text;
    let found = copied(ContractKind::Blueprint, blueprint, &bookmarks);
    assert_eq!(found, Some("- Keepers know which lamps burn."));
}
