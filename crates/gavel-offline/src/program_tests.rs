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

#[test]
fn git_leaves_out_what_the_program_writes_where_it_is_built() {
    let design = design("a wine list");
    let name = design.program();
    let files = write_program(&design, &[]);
    let ignored = files.iter().find(|file| file.path == ".gitignore").unwrap();
    assert_eq!(
        ignored.content,
        format!("/target\n/{name}.txt\n/{name}.txt.lock\n")
    );
}
