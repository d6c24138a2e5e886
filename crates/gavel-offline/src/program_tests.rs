use super::*;
use crate::criteria::criteria;
use crate::understand::{Understood, understand};

fn design(idea: &str) -> Design {
    match understand(idea) {
        Understood::InReach(design) => design,
        other @ (Understood::Vague { .. } | Understood::BeyondReach { .. }) => {
            panic!("{idea}: {other:?}")
        }
    }
}

#[test]
fn the_same_design_gives_the_same_bytes() {
    let idea = "a tool to keep recipes and their ingredients";
    let write = || write_program(&design(idea), &criteria(&design(idea)));
    assert_eq!(write(), write());
}
