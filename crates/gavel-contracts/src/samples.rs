//! Nine contracts that agree with each other: the skeletons that writers are shown.

use gavel_domain::{Contract, ContractKind, Criterion, Spec};

use crate::{Shelf, prompt};

/// The skeleton of a kind.
pub(crate) fn sample(kind: ContractKind) -> String {
    let task = prompt::task(kind, None);
    let (_, rest) = task.split_once("\n````").unwrap();
    let (_, rest) = rest.split_once('\n').unwrap();
    let (text, _) = rest.split_once("\n````").unwrap();
    format!("{text}\n")
}

/// All of them.
pub(crate) fn sample_shelf() -> Shelf {
    let contract = |kind| Contract {
        kind,
        text: sample(kind),
    };
    ContractKind::ALL.into_iter().map(contract).collect()
}

/// A spec that they fulfil.
pub(crate) fn sample_spec() -> Spec {
    let criterion = |id: &str, statement: &str| Criterion {
        id: id.to_owned(),
        statement: statement.to_owned(),
        example: String::new(),
    };
    Spec {
        title: "lamps".to_owned(),
        purpose: "knows which lamps burn".to_owned(),
        users: vec!["keepers".to_owned()],
        in_scope: vec!["lamps".to_owned()],
        out_of_scope: vec!["a map".to_owned()],
        assumptions: Vec::new(),
        criteria: vec![
            criterion("lamp_listed", "A lamp that was\nadded is listed."),
            criterion("keeper_shown", "A keeper is shown with the lamps."),
        ],
        ..Spec::default()
    }
}
