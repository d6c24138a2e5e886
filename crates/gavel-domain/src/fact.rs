//! What a fact is to the journal: a kind and a small JSON body.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::RecordKey;

/// The largest body; longer things are blobs.
pub const MAX_BODY_BYTES: usize = 16 * 1024;

/// A typed body of a record.
///
/// Implementors hold no free text: what models, people and files said is a [`crate::BlobRef`].
/// The stored form is frozen once released: fields are added with a default, never renamed.
pub trait Fact: Serialize + DeserializeOwned + Send + Sync + 'static {
    /// The kind under which it is stored, snake_case, past tense.
    const KIND: &'static str;
}

/// A record and the fact it was taken for do not fit.
#[derive(Debug, thiserror::Error)]
pub enum FactError {
    /// Somebody wrote another kind under this key: the driver's flow changed without a guard.
    #[error("the key {key} holds a `{found}`, expected a `{expected}`")]
    OtherKind {
        /// Where.
        key: RecordKey,
        /// What was asked for.
        expected: &'static str,
        /// What stands there.
        found: String,
    },
    /// The body does not parse: a newer version wrote it, or it is damaged.
    #[error("the body of {key} is not a `{kind}` that this version can read")]
    Unreadable {
        /// Where.
        key: RecordKey,
        /// Its kind.
        kind: String,
        /// What the parser said.
        #[source]
        source: serde_json::Error,
    },
    /// The fact has no JSON form.
    #[error("the `{kind}` for {key} cannot be written")]
    Unwritable {
        /// Where.
        key: RecordKey,
        /// Its kind.
        kind: &'static str,
        /// What the writer said.
        #[source]
        source: serde_json::Error,
    },
    /// The body is larger than a journal takes.
    #[error(
        "the `{kind}` for {key} has {bytes} bytes, at most 16384 fit: keep long text as a blob"
    )]
    TooLong {
        /// Where.
        key: RecordKey,
        /// Its kind.
        kind: &'static str,
        /// Its size.
        bytes: usize,
    },
}

/// Declares a group of facts: an enum over their structs, the kind of each, and a reader that
/// answers `None` for a kind of another group.
macro_rules! fact_group {
    ($(#[$doc:meta])* $group:ident { $($(#[$vdoc:meta])* $fact:ident = $kind:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq)]
        pub enum $group { $($(#[$vdoc])* $fact($fact)),+ }

        impl $group {
            /// Every kind of this group.
            pub const KINDS: &'static [&'static str] = &[$($kind),+];

            /// Reads a record of this group; `None` when its kind belongs elsewhere.
            pub fn read(record: &crate::Record) -> Result<Option<Self>, crate::FactError> {
                match record.kind.as_str() {
                    $($kind => record.parse().map(|fact| Some(Self::$fact(fact))),)+
                    _ => Ok(None),
                }
            }
        }

        $(impl crate::Fact for $fact { const KIND: &'static str = $kind; })+
    };
}
pub(crate) use fact_group;
