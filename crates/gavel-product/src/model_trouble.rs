//! What a card says when a model could not be asked: what is wrong, and what to do about it, by the kind of
//! the failure. What a model said and nobody can use is no such trouble.

use gavel_domain::FaultClass;
use gavel_models::{KnownProvider, ModelId};
use gavel_run::StepError;

/// The most of a provider's own words that a card shows.
const MOST_SHOWN: usize = 300;

/// Why a model could not be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelTrouble {
    /// Nobody listens there, or the connection broke.
    NoAnswer,
    /// Somebody listens and serves no models there.
    WrongAddress,
    /// The server has no model of that name.
    UnknownModel,
    /// The key was not accepted.
    KeyRefused,
    /// It took longer than it may.
    TooSlow,
    /// There is too much to do.
    Busy,
}

impl ModelTrouble {
    /// The trouble that a failure is; nothing for those that are about a request or this machine.
    pub const fn of(class: FaultClass) -> Option<Self> {
        match class {
            FaultClass::Network => Some(Self::NoAnswer),
            FaultClass::WrongAddress => Some(Self::WrongAddress),
            FaultClass::UnknownModel => Some(Self::UnknownModel),
            FaultClass::Unauthorized => Some(Self::KeyRefused),
            FaultClass::Timeout => Some(Self::TooSlow),
            FaultClass::RateLimited | FaultClass::Overloaded => Some(Self::Busy),
            FaultClass::BadReply
            | FaultClass::ReplyTooLong
            | FaultClass::ContextTooLong
            | FaultClass::Refused
            | FaultClass::Invalid
            | FaultClass::Failed
            | FaultClass::Moved => None,
        }
    }

    /// The headline of its card.
    pub const fn title(self) -> &'static str {
        match self {
            Self::NoAnswer => "The model's server does not answer. Try again?",
            Self::WrongAddress => "There are no models at the server's address. Try again?",
            Self::UnknownModel => "The server has no model of this name. Try again?",
            Self::KeyRefused => "A model's key was not accepted. Try again?",
            Self::TooSlow => "The model did not answer in time. Try again?",
            Self::Busy => "The model's provider is busy. Try again?",
        }
    }

    /// What a person does about it, where the model is known.
    pub fn remedy(self, model: &ModelId) -> String {
        let provider = model.provider();
        match self {
            Self::NoAnswer => format!(
                "Start the server of `{provider}`, or correct its url in your config.toml; gavel models \
                 probe {provider} asks whether it answers."
            ),
            Self::WrongAddress => format!(
                "Correct the url of `{provider}` in your config.toml (that of most servers ends in /v1); \
                 gavel models probe {provider} tries it."
            ),
            Self::UnknownModel => format!(
                "gavel models probe {provider} lists what it has; gavel resume --model {provider}/NAME \
                 goes on with one of them."
            ),
            Self::KeyRefused => {
                let known = KnownProvider::named(provider);
                match known.and_then(|known| known.key_variables.first()) {
                    Some(variable) => format!("Put a valid key into {variable}, then try again."),
                    None => format!(
                        "Correct the key of the endpoint `{provider}` in your config.toml, then try again."
                    ),
                }
            }
            Self::TooSlow => {
                "Try again, allow more time (-c models.patience_s=SECONDS), or take another \
                model."
                    .to_owned()
            }
            Self::Busy => "Wait a while, then try again.".to_owned(),
        }
    }

    /// The same where only the failure is known.
    pub(crate) const fn general_remedy(self) -> &'static str {
        match self {
            Self::NoAnswer => {
                "Start the server, or correct its url in your config.toml; gavel models probe asks \
                 every one whether it answers."
            }
            Self::WrongAddress => {
                "Correct the server's url in your config.toml (that of most servers ends in /v1); \
                 gavel models probe tries it."
            }
            Self::UnknownModel => "gavel models probe lists what the servers have.",
            Self::KeyRefused => {
                "Put a valid key into the provider's variable, or correct the endpoint in your \
                 config.toml."
            }
            Self::TooSlow => "To allow more time: gavel resume -c models.patience_s=SECONDS.",
            Self::Busy => "Wait a while, then try again.",
        }
    }

    /// What a card shows below its headline.
    pub(crate) fn explain(self, model: &ModelId, error: &StepError) -> String {
        let provider = model.provider();
        let said: String = error.message.chars().take(MOST_SHOWN).collect();
        let remedy = self.remedy(model);
        match self {
            Self::KeyRefused => {
                format!("`{provider}` did not accept the key for {model}: {said}. {remedy}")
            }
            Self::NoAnswer
            | Self::WrongAddress
            | Self::UnknownModel
            | Self::TooSlow
            | Self::Busy => format!("{model}: {said}\n\n{remedy}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_trouble_with_a_server_has_a_headline_and_a_remedy_of_its_own() {
        let classes = [
            FaultClass::Network,
            FaultClass::WrongAddress,
            FaultClass::UnknownModel,
            FaultClass::Unauthorized,
            FaultClass::Timeout,
            FaultClass::Overloaded,
        ];
        let model: ModelId = "mine/small".parse().unwrap();
        let troubles: Vec<_> = classes.into_iter().filter_map(ModelTrouble::of).collect();
        assert_eq!(troubles.len(), classes.len());
        let titles: BTreeSet<_> = troubles.iter().map(|one| one.title()).collect();
        let remedies: BTreeSet<_> = troubles.iter().map(|one| one.remedy(&model)).collect();
        let general: BTreeSet<_> = troubles.iter().map(|one| one.general_remedy()).collect();
        assert_eq!(titles.len(), classes.len());
        assert_eq!(remedies.len(), classes.len());
        assert_eq!(general.len(), classes.len());
        for class in [
            FaultClass::BadReply,
            FaultClass::Refused,
            FaultClass::Failed,
        ] {
            assert_eq!(ModelTrouble::of(class), None);
        }
    }
}
