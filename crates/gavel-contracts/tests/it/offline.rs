//! The rule-based model behind the same tools: what it writes holds.

use std::sync::{Arc, Mutex};

use gavel_contracts::{ContractInputs, Written, parse_phases, parse_schema};
use gavel_domain::{Caps, ContractKind, Spec};
use gavel_models::Models;
use gavel_offline::{Design, Offline, Understood, criteria, understand};
use gavel_testkit::TestBed;

use crate::bench::{inputs, work_with};

const IDEAS: [&str; 4] = [
    "a bookmark manager with tags",
    "an expense tracker with monthly totals per category",
    "a library of books and their borrowers",
    "a plant watering log",
];

fn design_of(idea: &str) -> Design {
    match understand(idea) {
        Understood::InReach(design) => design,
        other @ (Understood::Vague { .. } | Understood::BeyondReach { .. }) => {
            panic!("{idea}: {other:?}")
        }
    }
}

fn inputs_for(idea: &str, design: &Design) -> ContractInputs {
    ContractInputs {
        idea: idea.to_owned(),
        answers: Vec::new(),
        decisions: Vec::new(),
        spec: Spec {
            title: design.program().to_owned(),
            purpose: design.purpose().to_owned(),
            criteria: criteria(design),
            ..inputs().spec
        },
        memory: Vec::new(),
        most_phases: None,
    }
}

#[tokio::test]
async fn what_the_rules_write_is_accepted() {
    for idea in IDEAS {
        let design = design_of(idea);
        let inputs = inputs_for(idea, &design);
        let info = gavel_offline::info().unwrap();
        let mut models = Models::default();
        models.insert(info.clone(), Arc::new(Offline));
        let bed = TestBed::with_models(models).await;
        let run = bed.start(Caps::default()).await;
        let written = Mutex::default();
        bed.drive(run, async |run| {
            let done = work_with(&run, bed.folder(), (info.clone(), &inputs)).await?;
            *written.lock().unwrap() = Some(done);
            Ok(())
        })
        .await
        .unwrap();
        let shelf = match written.into_inner().unwrap() {
            Some(Written::All(shelf)) => shelf,
            other => panic!("{idea}: {other:?}"),
        };
        let schema = parse_schema(&shelf.get(ContractKind::Schema).unwrap().text).unwrap();
        let names: Vec<_> = schema.iter().map(|entity| entity.name.as_str()).collect();
        let designed: Vec<_> = design
            .entities()
            .iter()
            .map(|one| one.name.as_str())
            .collect();
        assert_eq!(names, designed, "{idea}");
        // Criteria arrive in the phases with their examples, so that tests can follow them.
        let phases = parse_phases(&shelf.get(ContractKind::Phases).unwrap().text).unwrap();
        let mut shown: Vec<_> = phases
            .into_iter()
            .flat_map(|phase| phase.criteria)
            .collect();
        let mut wanted = inputs.spec.criteria.clone();
        shown.sort_by(|left, right| left.id.cmp(&right.id));
        wanted.sort_by(|left, right| left.id.cmp(&right.id));
        assert_eq!(shown, wanted, "{idea}");
    }
}
