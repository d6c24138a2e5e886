//! Ids: UUIDv7 newtypes that cannot be mixed up and are valid before they touch a path or a query.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// A text that is not the id it was taken for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a {what} (expected a UUID such as 01890a5d-ac96-774b-bcce-b302099a8057)")]
pub struct IdError {
    what: &'static str,
    text: String,
}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $what:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(Uuid);

        impl $name {
            /// Wraps a UUID made elsewhere (ids come in as values; this crate draws none).
            pub const fn from_uuid(uuid: Uuid) -> Self {
                Self(uuid)
            }

            /// Returns the UUID inside.
            pub const fn uuid(self) -> Uuid {
                self.0
            }

            /// The last eight hex digits: enough for people to tell a few of them apart.
            pub fn short(self) -> String {
                let text = self.0.simple().to_string();
                text.chars().skip(24).collect()
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.0.hyphenated(), f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }

        impl FromStr for $name {
            type Err = IdError;

            fn from_str(text: &str) -> Result<Self, IdError> {
                match Uuid::try_parse(text) {
                    Ok(uuid) => Ok(Self(uuid)),
                    Err(_) => Err(IdError { what: $what, text: text.chars().take(80).collect() }),
                }
            }
        }
    };
}

id!(
    /// One run, from its first fact to its last.
    RunId,
    "run id"
);
id!(
    /// One project: the `id` in a checkout's `gavel.toml`.
    ProjectId,
    "project id"
);
id!(
    /// One row of the inbox; also the idempotency key of whoever posted it.
    InboxId,
    "inbox id"
);
