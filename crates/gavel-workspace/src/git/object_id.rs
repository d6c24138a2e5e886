//! Names of git objects: 40 (SHA-1) or 64 (SHA-256) lower-case hex digits.

use std::fmt;
use std::str::FromStr;

/// A text that is no object id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{shown}` is not a {what} id (40 or 64 lower-case hex digits)")]
pub struct ObjectIdError {
    what: &'static str,
    shown: String,
}

macro_rules! object_id {
    ($(#[$doc:meta])* $name:ident, $what:literal) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(String);

        impl $name {
            /// The hex digits, as facts store them.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl FromStr for $name {
            type Err = ObjectIdError;

            fn from_str(text: &str) -> Result<Self, ObjectIdError> {
                if is_object_id(text) {
                    Ok(Self(text.to_owned()))
                } else {
                    let shown = text.chars().take(80).collect();
                    Err(ObjectIdError { what: $what, shown })
                }
            }
        }
    };
}

object_id!(
    /// A tree: one state of all files, named by its content.
    TreeId,
    "tree"
);
object_id!(
    /// A commit.
    CommitId,
    "commit"
);

fn is_object_id(text: &str) -> bool {
    matches!(text.len(), 40 | 64)
        && text
            .bytes()
            .all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
}

/// How a repository names its objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ObjectFormat {
    Sha1,
    Sha256,
}

impl ObjectFormat {
    /// The id of the tree without entries, which git knows without an object.
    pub(crate) const fn empty_tree(self) -> &'static str {
        match self {
            Self::Sha1 => "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
            Self::Sha256 => "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
        }
    }

    /// The id that stands for "does not exist" in `update-ref`.
    pub(crate) const fn zero(self) -> &'static str {
        match self {
            Self::Sha1 => "0000000000000000000000000000000000000000",
            Self::Sha256 => "0000000000000000000000000000000000000000000000000000000000000000",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{CommitId, TreeId};

    #[test]
    fn only_full_lower_case_ids_parse() {
        let sha1 = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
        assert_eq!(sha1.parse::<TreeId>().unwrap().as_str(), sha1);
        assert!("a".repeat(64).parse::<CommitId>().is_ok());
        for text in [
            "",
            "HEAD",
            "-n",
            "4b825dc",
            &sha1.to_uppercase(),
            &"a".repeat(41),
        ] {
            assert!(text.parse::<CommitId>().is_err(), "{text}");
        }
    }
}
