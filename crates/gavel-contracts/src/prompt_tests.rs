use super::*;
use crate::samples::{sample_shelf, sample_spec};

#[test]
fn skeletons_hold_what_their_rules_say() {
    assert_eq!(crate::check_all(&sample_shelf(), Some(&sample_spec())), []);
}

#[test]
fn a_task_begins_with_its_kind_and_is_short() {
    for kind in ContractKind::ALL {
        let task = task(kind);
        assert!(task.starts_with(&format!("Contract: {kind}\n")), "{task}");
        assert!(task.ends_with(SKELETON), "{task}");
        assert!(task.len() < 2_500, "{kind}: {} bytes", task.len());
    }
    assert!(SYSTEM.len() < 2_000, "{}", SYSTEM.len());
}
