//! Where the branch of a run goes: as it was decided when the run began, and nowhere else.

use std::path::PathBuf;

use gavel_build::PushTarget;
use gavel_domain::{PushDecision, PushPlan, PushRefusal};
use gavel_workspace::{Commands, LocalRemote, Remote, RemoteUrl};

use crate::way::Way;

/// The remote whose address is asked about.
pub const REMOTE: &str = "origin";

/// Compares what was decided with what the repository names now. An address that is another one by
/// now has nobody's consent, and neither has a run that began before anybody was asked.
pub(crate) fn push_target(way: Way<'_>) -> PushTarget {
    let named = way.place.repository.remote(REMOTE).map(Result::ok);
    let Some(decision) = PushDecision::of(&way.run.settings()) else {
        return match named.flatten() {
            Some(_) => PushTarget::Withheld(PushRefusal::Unasked),
            None => PushTarget::Nowhere,
        };
    };
    match decision.plan {
        PushPlan::Nowhere => PushTarget::Nowhere,
        PushPlan::Withheld { why, .. } => PushTarget::Withheld(why),
        PushPlan::Agreed { remote, .. } => {
            let closed = [way.brief.checkout.clone(), way.place.beside.clone()];
            let commands = &way.means.workshop.commands;
            match agreed(&remote, named.flatten(), &closed, commands) {
                Ok(remote) => PushTarget::To(remote),
                Err(why) => PushTarget::Withheld(why),
            }
        }
    }
}

fn agreed(
    address: &str,
    named: Option<RemoteUrl>,
    closed: &[PathBuf],
    commands: &Commands,
) -> Result<Remote, PushRefusal> {
    let url = named.ok_or(PushRefusal::Changed)?;
    let Some(path) = url.local_path() else {
        return if url.address() == address {
            Ok(Remote::Network(url))
        } else {
            Err(PushRefusal::Changed)
        };
    };
    let repository = LocalRemote::open(path, closed);
    let repository = repository.map_err(|_error| PushRefusal::ForbiddenPath)?;
    if repository.path().to_str() != Some(address) {
        return Err(PushRefusal::Changed);
    }
    Ok(Remote::Local {
        repository,
        commands: commands.clone(),
    })
}
