//! `gavel keys`.

use clap::{Subcommand, ValueEnum};
use gavel_rules::KeyScope;

/// What `gavel keys` does.
#[derive(Debug, Subcommand)]
pub(crate) enum KeysCommand {
    /// Make a key; it is shown once and never again
    Create {
        /// What whoever holds it may do
        #[arg(long, value_enum, default_value_t = ScopeWord::Read)]
        scope: ScopeWord,
        /// What it is for, so that you know which one to take back
        #[arg(long, value_name = "TEXT", default_value = "")]
        label: String,
    },
    /// List keys, without the keys
    List,
    /// Take a key back: from now on it opens nothing
    Revoke {
        /// Its id, as gavel keys list shows it
        id: String,
    },
}

/// A scope as it is typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScopeWord {
    /// Look
    Read,
    /// Look, propose, take part in loops, start runs
    Propose,
    /// All of that, and answer what a person is asked, over the HTTP API
    Decide,
}

impl From<ScopeWord> for KeyScope {
    fn from(word: ScopeWord) -> Self {
        match word {
            ScopeWord::Read => Self::Read,
            ScopeWord::Propose => Self::Propose,
            ScopeWord::Decide => Self::Decide,
        }
    }
}
