//! What people did while nobody looked: requests to ship, and what they said.

use gavel_domain::{Fact as _, QuestionAnswered, Said, ShipHeeded, ShipRequested, SprintOpened};
use gavel_run::{Blobs, Pure, Run, RunError, StepFailure};

use crate::building::Progress;
use crate::recipes;
use crate::way::Way;

/// Whether somebody asked to ship since it was last looked for that; on record, since later drives
/// know more.
pub(crate) async fn heed(way: Way<'_>, progress: &mut Progress) -> Result<bool, RunError> {
    progress.looks += 1;
    let run = way.run;
    let heeded = progress.heeded;
    let effect = |_: Blobs| async move {
        let requests = run.ship_requests();
        let asked = requests > heeded && asked_since_refusal(run);
        Ok(ShipHeeded { asked, requests })
    };
    let key = run.scope("ship", progress.looks)?.key("heeded")?;
    let looked = run.step(key, Pure, &(), effect).await?.value;
    progress.heeded = looked.requests.max(heeded);
    Ok(looked.asked)
}

/// Whoever asks to ship and then says at the gate what is missing wants that first.
fn asked_since_refusal(run: &Run) -> bool {
    let records = run.records();
    let last = records.iter().rev().find(|record| {
        let at_gate = record.key.key().as_str().ends_with("/approval");
        record.kind == ShipRequested::KIND || (at_gate && record.kind == QuestionAnswered::KIND)
    });
    last.is_some_and(|record| record.kind == ShipRequested::KIND)
}

/// What people said since the last sprint opened: whoever spoke to the next model turn may have
/// reached a judge, and means the work.
pub(crate) async fn said_lately(run: &Run) -> Result<Vec<String>, StepFailure> {
    let mut said = Vec::new();
    for record in run.records() {
        if record.kind == SprintOpened::KIND {
            said.clear();
        } else if let Ok(words) = record.read::<Said>() {
            let text = run.text(words.text).await;
            said.push(text.map_err(|error| recipes::failed(&error))?);
        }
    }
    Ok(said)
}
