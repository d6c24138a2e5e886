//! Where the branch of a run goes: as it was decided when the run began, and nowhere else.

use std::path::{Path, PathBuf};

use gavel_build::PushTarget;
use gavel_domain::{PushDecision, PushPlan, PushRefusal, Settings};
use gavel_workspace::{Commands, LocalRemote, Remote, RemoteUrl};

use crate::place::Place;
use crate::way::Way;

/// The remote whose address is asked about.
pub const REMOTE: &str = "origin";

/// Compares what was decided with what the repository names now. An address that is another one by
/// now has nobody's consent, and neither has a run that began before anybody was asked.
pub(crate) fn push_target(way: Way<'_>) -> PushTarget {
    let origin = Origin {
        place: way.place,
        checkout: &way.brief.checkout,
        commands: &way.means.workshop.commands,
    };
    origin.push_target(&way.run.settings())
}

/// The remote that a run's repository names, as seen from this machine.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Origin<'a> {
    pub(crate) place: &'a Place,
    /// The user's checkout: nothing is pushed into it.
    pub(crate) checkout: &'a Path,
    pub(crate) commands: &'a Commands,
}

impl Origin<'_> {
    /// Where the branch of a run with these settings goes.
    pub(crate) fn push_target(self, settings: &Settings) -> PushTarget {
        let named = self.place.repository.remote(REMOTE).map(Result::ok);
        let Some(decision) = PushDecision::of(settings) else {
            return match named.flatten() {
                Some(_) => PushTarget::Withheld(PushRefusal::Unasked),
                None => PushTarget::Nowhere,
            };
        };
        match decision.plan {
            PushPlan::Nowhere => PushTarget::Nowhere,
            PushPlan::Withheld { why, .. } => PushTarget::Withheld(why),
            PushPlan::Agreed { remote, .. } => {
                let closed = [self.checkout.to_owned(), self.place.beside.clone()];
                match agreed(&remote, named.flatten(), &closed, self.commands) {
                    Ok(remote) => PushTarget::To(remote),
                    Err(why) => PushTarget::Withheld(why),
                }
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
