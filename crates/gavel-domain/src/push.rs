//! Whether the branch of a run leaves this machine: what was agreed when it began, and what came of it.

use serde::{Deserialize, Serialize};

use crate::Settings;
use crate::stage::words;

/// The setting under which a run records its [`PushDecision`].
const DECISION: &str = "push.decision";

words!(
    /// Whether the branch of a run is at a remote, in the words that every surface uses.
    PushState {
        /// Nothing was pushed: the repository names no remote, or there was nothing to push yet.
        None = "none",
        /// There is a remote, and nobody agreed to push to it.
        NotAgreed = "none (not agreed)",
        /// It was pushed.
        Pushed = "yes",
        /// It was to be pushed and could not be.
        Failed = "failed",
    }
);

words!(
    /// Why a branch is not pushed although the repository names a remote.
    PushRefusal {
        /// No person was asked, or none answered.
        Unasked = "unasked",
        /// A person said no.
        Declined = "declined",
        /// The person's own settings say that nothing is pushed.
        SwitchedOff = "switched_off",
        /// It is a path on this machine, and the person's own settings do not name it.
        LocalPath = "local_path",
        /// It is a path into the checkout, the state of Gavel or the system's own folders.
        ForbiddenPath = "forbidden_path",
        /// It is nothing that can be pushed to.
        Unusable = "unusable",
        /// It is another address than the one that was agreed to when the run began.
        Changed = "changed",
    }
);

impl PushRefusal {
    /// The reason for people, on one line, and what they can do about it.
    pub const fn reason(self) -> &'static str {
        match self {
            Self::Unasked => {
                "nobody agreed: answer at a terminal, or set push.remotes in your own config"
            }
            Self::Declined => "you said no; push.remotes in your own config changes that",
            Self::SwitchedOff => "push.remotes in your own config is none",
            Self::LocalPath => {
                "it is a path on this machine that push.remotes in your own config does not name"
            }
            Self::ForbiddenPath => {
                "it is no bare repository, or lies in the checkout, Gavel's state or the kernel's"
            }
            Self::Unusable => "its address is none of https, http, ssh and absolute paths",
            Self::Changed => "its address is not the one that was agreed to when the run began",
        }
    }
}

words!(
    /// How a person agreed.
    PushConsent {
        /// By the own settings.
        Settings = "settings",
        /// By an answer, for this repository and this address.
        Answer = "answer",
    }
);

/// Where the branch of a run goes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "to", rename_all = "snake_case")]
pub enum PushPlan {
    /// The repository names no remote.
    Nowhere,
    /// There is a remote, and nothing is pushed to it.
    Withheld {
        /// Its address, without user and password; empty when it has none that can be shown.
        remote: String,
        /// Why.
        why: PushRefusal,
    },
    /// To this remote.
    Agreed {
        /// Its address, without user and password; of a path its real name.
        remote: String,
        /// How a person agreed.
        by: PushConsent,
    },
}

/// What was decided when a run began, so that every drive of it does the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PushDecision {
    /// The git dir of the repository for which it was decided: an answer counts for it alone.
    pub repository: String,
    /// Where the branch goes.
    #[serde(flatten)]
    pub plan: PushPlan,
}

impl PushDecision {
    /// What a run recorded; `None` for a run that began before this was asked, and for one whose
    /// record cannot be read: both have nobody's consent.
    pub fn of(settings: &Settings) -> Option<Self> {
        let recorded = settings.values.get(DECISION)?;
        Self::deserialize(recorded).ok()
    }

    /// What can be said of a run with these settings before anything was pushed.
    pub fn begun_with(settings: &Settings) -> PushState {
        match Self::of(settings).map(|decision| decision.plan) {
            Some(PushPlan::Withheld { .. }) => PushState::NotAgreed,
            Some(PushPlan::Nowhere | PushPlan::Agreed { .. }) | None => PushState::None,
        }
    }

    /// Records it among the settings of a run.
    pub fn record(&self, settings: &mut Settings) {
        if let Ok(value) = serde_json::to_value(self) {
            settings.values.insert(DECISION.to_owned(), value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_recorded_nothing_readable_has_no_decision() {
        let mut settings = Settings::default();
        assert_eq!(PushDecision::of(&settings), None);
        settings
            .values
            .insert(DECISION.to_owned(), serde_json::json!({ "to": "anywhere" }));
        assert_eq!(PushDecision::of(&settings), None);
    }

    #[test]
    fn what_is_recorded_is_read_again() {
        let plans = [
            (
                PushPlan::Nowhere,
                r#"{"repository":"/r/.git","to":"nowhere"}"#,
            ),
            (
                PushPlan::Withheld {
                    remote: "https://host/x".to_owned(),
                    why: PushRefusal::Declined,
                },
                r#"{"remote":"https://host/x","repository":"/r/.git","to":"withheld","why":"declined"}"#,
            ),
            (
                PushPlan::Agreed {
                    remote: "https://host/x".to_owned(),
                    by: PushConsent::Answer,
                },
                r#"{"by":"answer","remote":"https://host/x","repository":"/r/.git","to":"agreed"}"#,
            ),
        ];
        for (plan, stored) in plans {
            let decision = PushDecision {
                repository: "/r/.git".to_owned(),
                plan,
            };
            let mut settings = Settings::default();
            decision.record(&mut settings);
            let value = settings.values.get(DECISION).map(ToString::to_string);
            assert_eq!(value.as_deref(), Some(stored));
            assert_eq!(PushDecision::of(&settings), Some(decision));
        }
    }
}
