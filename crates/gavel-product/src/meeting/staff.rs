//! Who leads, sits and helps in a council on its own: chosen once, and on record from then on.

use std::collections::BTreeMap;

use gavel_agent::ToolContext;
use gavel_deliberation::{Council, Edition};
use gavel_domain::{CouncilModels, Key, ModelsChosen, Settings};
use gavel_run::{Blobs, Pure, Run, RunError};

use super::MeetingMeans;
use crate::panel::{CouncilChoices, RULES, pick};
use crate::staffing::{panelists, rooms};

/// The flow whose councils are the first to be held by the second edition of the rules.
const SECOND_EDITION: u32 = 3;

/// Takes the models that are configured now, or those on record. `n` counts how often models were
/// chosen in this run. Nothing comes back where only the rules are there.
pub(super) async fn choose(
    run: &Run,
    n: u32,
    means: &MeetingMeans,
    context: &ToolContext,
) -> Result<Option<Council>, RunError> {
    let key = Key::new(format!("models-{n}/chosen"))?;
    let settings = run.settings();
    let chosen = chosen(&settings, means);
    let effect = |_: Blobs| {
        let chosen = chosen.clone();
        async move { Ok(chosen) }
    };
    // What is configured is no input: the record says what was found when it was looked at.
    let chosen = run.step(key, Pure, &"models", effect).await?.value;
    let panelists = panelists(run, &means.models, &chosen)?;
    Ok(panelists.map(|panelists| panelists.council((&settings, edition(run)), context)))
}

/// The rules that councils of this run are held by.
fn edition(run: &Run) -> Edition {
    if run.flow() < SECOND_EDITION {
        Edition::First
    } else {
        Edition::Second
    }
}

/// What is configured now; the rules alone where nobody else is there.
fn chosen(settings: &Settings, means: &MeetingMeans) -> ModelsChosen {
    let panel = pick(&means.slots, &means.reach, CouncilChoices::of(settings));
    let leader = panel.as_ref().map_or(RULES, |panel| &panel.leader);
    let mut chosen = ModelsChosen {
        leader: leader.to_owned(),
        stances: Vec::new(),
        coder: leader.to_owned(),
        auditor: leader.to_owned(),
        judge: Some(leader.to_owned()),
        rooms: BTreeMap::new(),
        council: None,
    };
    if let Some(panel) = panel {
        chosen.stances = panel.seats;
        chosen.judge = Some(panel.judge);
        chosen.council = Some(CouncilModels {
            researcher: panel.researcher,
            fast: panel.fast,
            balanced: panel.balanced,
            promoted_from: panel.promoted_from,
            leader: None,
            seats: Vec::new(),
        });
    }
    chosen.rooms = rooms(&means.models, &chosen);
    chosen
}
