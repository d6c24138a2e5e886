//! Whether the branch of a new run may be pushed, and whether a person is asked about it.

use gavel_domain::{PushConsent, PushPlan, PushRefusal};

/// What the repository names as its remote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RemoteFound {
    /// Nothing.
    Absent,
    /// Something that cannot be pushed to.
    Unusable,
    /// A path on this machine that is closed to pushes whatever anybody says.
    Forbidden,
    /// A bare repository on this machine, by its real path.
    Local(String),
    /// A server, by its address without user and password.
    Network(String),
}

/// What the person's own settings say about pushing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PushSetting {
    /// Ask about each address.
    Ask,
    /// Push nothing and ask nothing.
    Never,
    /// These addresses are agreed to, paths by their real names; others are asked about.
    Remotes(Vec<String>),
}

/// What a person answered earlier about this repository and this address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EarlierAnswer {
    /// Nothing.
    Absent,
    /// Yes.
    Agreed,
    /// No.
    Declined,
}

/// Whether a person can be asked now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asking {
    /// Somebody sits at a terminal.
    Possible,
    /// Nobody is there, or nobody wants to be asked.
    Impossible,
}

/// Everything that decides about pushing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PushCase {
    /// What the repository names.
    pub remote: RemoteFound,
    /// What the person's settings say.
    pub setting: PushSetting,
    /// What a person said earlier.
    pub earlier: EarlierAnswer,
    /// Whether a person can be asked.
    pub asking: Asking,
}

/// What is to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PushStep {
    /// This is the plan.
    Plan(PushPlan),
    /// A person is asked about this address first.
    Ask(String),
}

/// Decides whether a run may push, as far as that can be said without asking.
///
/// A path on this machine is never asked about: git starts programs of this machine for it, so only
/// settings that somebody wrote on purpose allow it.
pub fn decide_push(case: PushCase) -> PushStep {
    let withheld = |remote: String, why| PushStep::Plan(PushPlan::Withheld { remote, why });
    let agreed = |remote: String, by| PushStep::Plan(PushPlan::Agreed { remote, by });
    let is_listed = |address: &String| match &case.setting {
        PushSetting::Remotes(listed) => listed.contains(address),
        PushSetting::Ask | PushSetting::Never => false,
    };
    match case.remote {
        RemoteFound::Absent => PushStep::Plan(PushPlan::Nowhere),
        RemoteFound::Unusable => withheld(String::new(), PushRefusal::Unusable),
        RemoteFound::Forbidden => withheld(String::new(), PushRefusal::ForbiddenPath),
        RemoteFound::Local(path) if is_listed(&path) => agreed(path, PushConsent::Settings),
        RemoteFound::Local(path) => withheld(path, PushRefusal::LocalPath),
        RemoteFound::Network(address) if is_listed(&address) => {
            agreed(address, PushConsent::Settings)
        }
        RemoteFound::Network(address) => match (&case.setting, case.earlier, case.asking) {
            (PushSetting::Never, _, _) => withheld(address, PushRefusal::SwitchedOff),
            (_, EarlierAnswer::Declined, _) => withheld(address, PushRefusal::Declined),
            (_, EarlierAnswer::Agreed, _) => agreed(address, PushConsent::Answer),
            (_, EarlierAnswer::Absent, Asking::Possible) => PushStep::Ask(address),
            (_, EarlierAnswer::Absent, Asking::Impossible) => {
                withheld(address, PushRefusal::Unasked)
            }
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SERVER: &str = "https://host/x.git";
    const PATH: &str = "/srv/x.git";

    fn listed() -> PushSetting {
        PushSetting::Remotes(vec![SERVER.to_owned(), PATH.to_owned()])
    }

    fn others() -> PushSetting {
        PushSetting::Remotes(vec!["https://host/y.git".to_owned()])
    }

    fn decide(
        remote: &RemoteFound,
        setting: &PushSetting,
        earlier: EarlierAnswer,
    ) -> [PushStep; 2] {
        [Asking::Possible, Asking::Impossible].map(|asking| {
            decide_push(PushCase {
                remote: remote.clone(),
                setting: setting.clone(),
                earlier,
                asking,
            })
        })
    }

    fn withheld(remote: &str, why: PushRefusal) -> PushStep {
        let remote = remote.to_owned();
        PushStep::Plan(PushPlan::Withheld { remote, why })
    }

    fn agreed(remote: &str, by: PushConsent) -> PushStep {
        let remote = remote.to_owned();
        PushStep::Plan(PushPlan::Agreed { remote, by })
    }

    #[test]
    fn a_server_is_pushed_to_only_where_a_person_agreed() {
        use EarlierAnswer::{Absent, Agreed, Declined};
        let server = RemoteFound::Network(SERVER.to_owned());
        let by_settings = agreed(SERVER, PushConsent::Settings);
        let by_answer = agreed(SERVER, PushConsent::Answer);
        let declined = withheld(SERVER, PushRefusal::Declined);
        let off = withheld(SERVER, PushRefusal::SwitchedOff);
        let unasked = withheld(SERVER, PushRefusal::Unasked);
        let ask = PushStep::Ask(SERVER.to_owned());
        for (setting, earlier, possible, impossible) in [
            (PushSetting::Ask, Absent, &ask, &unasked),
            (PushSetting::Ask, Agreed, &by_answer, &by_answer),
            (PushSetting::Ask, Declined, &declined, &declined),
            (PushSetting::Never, Absent, &off, &off),
            (PushSetting::Never, Agreed, &off, &off),
            (PushSetting::Never, Declined, &off, &off),
            (listed(), Absent, &by_settings, &by_settings),
            (listed(), Agreed, &by_settings, &by_settings),
            // Settings are the newer and clearer word.
            (listed(), Declined, &by_settings, &by_settings),
            (others(), Absent, &ask, &unasked),
            (others(), Agreed, &by_answer, &by_answer),
            (others(), Declined, &declined, &declined),
        ] {
            let steps = decide(&server, &setting, earlier);
            let wanted = [possible.clone(), impossible.clone()];
            assert_eq!(steps, wanted, "{setting:?}, {earlier:?}");
        }
    }

    #[test]
    fn a_path_is_pushed_to_only_where_settings_name_it_and_never_asked_about() {
        use EarlierAnswer::{Absent, Agreed, Declined};
        for earlier in [Absent, Agreed, Declined] {
            let path = RemoteFound::Local(PATH.to_owned());
            let by_settings = agreed(PATH, PushConsent::Settings);
            let refused = withheld(PATH, PushRefusal::LocalPath);
            for (setting, wanted) in [
                (PushSetting::Ask, &refused),
                (PushSetting::Never, &refused),
                (others(), &refused),
                (listed(), &by_settings),
            ] {
                let steps = decide(&path, &setting, earlier);
                assert_eq!(steps, [wanted.clone(), wanted.clone()]);
            }
        }
    }

    #[test]
    fn what_is_no_remote_is_never_pushed_to() {
        use EarlierAnswer::Agreed;
        for (remote, wanted) in [
            (RemoteFound::Absent, PushStep::Plan(PushPlan::Nowhere)),
            (RemoteFound::Unusable, withheld("", PushRefusal::Unusable)),
            (
                RemoteFound::Forbidden,
                withheld("", PushRefusal::ForbiddenPath),
            ),
        ] {
            let steps = decide(&remote, &listed(), Agreed);
            assert_eq!(steps, [wanted.clone(), wanted]);
        }
    }
}
