//! Trouble with git at the gate: a person may mend it, and the run goes on.

use gavel_domain::{AnswerReply, Contract, ContractKind};
use gavel_models::Tier;
use gavel_run::DriveEnd;
use gavel_testkit::ScriptedModel;

use super::*;
use crate::bench::{Bench, Cast, info};
use crate::recipes::blank;

const CAST: Cast<'_> = Cast {
    leader: "a/lead",
    stances: &[],
    auditor: "a/lead",
    judge: "a/lead",
};
const LOOKS: [&str; 3] = [
    "sprint-1/look-for-recipe",
    "gate-1/contracts",
    "gate-1/branch",
];

/// Looks for one thing; true when something speaks against going on.
async fn look(bench: &Bench, what: &str, is_broken: bool) -> Result<bool, DriveEnd> {
    let work = async |way: Way<'_>| {
        let objects = way.brief.repository.join("objects");
        let aside = objects.with_file_name("objects-aside");
        if is_broken {
            std::fs::rename(&objects, &aside).unwrap();
        }
        let found = look_for(bench, way, what).await;
        if is_broken {
            std::fs::rename(&aside, &objects).unwrap();
        }
        found
    };
    bench.drive(work).await
}

async fn look_for(bench: &Bench, way: Way<'_>, what: &str) -> Result<bool, Leave> {
    let mut shelf = Shelf::default();
    shelf.insert(Contract {
        kind: ContractKind::ALL[0],
        text: "nothing of this is in the commit".to_owned(),
    });
    let case = GateCase {
        route: Route::Council,
        spec: &Spec::default(),
        shelf: &shelf,
        ends: &[],
        phases: 1,
        commit: &bench.commit,
        planned: None,
        number: 1,
        sprints_left: false,
    };
    let found = match what {
        "gate-1/branch" => branch_is_default(way, case.number).await?,
        "gate-1/contracts" => !contracts_are_pinned(way, &case).await?,
        _ => {
            let sprint = way.run.scope("sprint", 1)?;
            blank(way, &sprint, &bench.commit).await?.is_some()
        }
    };
    Ok(found)
}

#[tokio::test]
async fn a_repository_that_cannot_be_read_may_be_mended() {
    for what in LOOKS {
        let model = (info("a/lead", Tier::Premium), ScriptedModel::new());
        let bench = Bench::new(CAST, vec![model], &[]).await;
        for number in 1..3 {
            let end = look(&bench, what, true).await.unwrap_err();
            let asked = format!("{end:?}");
            let wanted = format!("{what}-{number}/trouble");
            assert!(asked.contains(&wanted), "{asked}");
            let id = "again".to_owned();
            let reply = AnswerReply::Option { id };
            let mailbox = bench.bed.mailbox();
            mailbox.answer(bench.run, None, reply).await.unwrap();
        }
        let found = look(&bench, what, false).await.unwrap();
        assert_eq!(found, what == "gate-1/contracts", "{what}");
        // What was found is on record: nobody looks again.
        assert_eq!(look(&bench, what, true).await.unwrap(), found, "{what}");
    }
}
