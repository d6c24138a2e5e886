//! Texts beside facts: kept, dropped by retention, or not of the form that was expected.

use gavel_domain::{BlobRef, Record};
use gavel_store::Store;
use serde::de::DeserializeOwned;
use serde::{Serialize, Serializer};

use super::RecordError;

/// A text of a record, or what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Told<T = String> {
    /// It is here.
    Kept(T),
    /// It is here, in another form than its fact promises.
    Odd(String),
    /// Retention dropped it.
    Dropped,
}

impl<T> Told<T> {
    /// The text, when it is here and as promised.
    pub const fn kept(&self) -> Option<&T> {
        match self {
            Self::Kept(value) => Some(value),
            Self::Odd(_) | Self::Dropped => None,
        }
    }

    /// The same with another content.
    pub(super) fn map<U>(self, change: impl FnOnce(T) -> U) -> Told<U> {
        match self {
            Self::Kept(value) => Told::Kept(change(value)),
            Self::Odd(raw) => Told::Odd(raw),
            Self::Dropped => Told::Dropped,
        }
    }
}

/// A kept text is its value; the others are objects that say what is wrong.
impl<T: Serialize> Serialize for Told<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Odd<'a> {
            unreadable: &'a str,
        }
        #[derive(Serialize)]
        struct Dropped {
            dropped: bool,
        }
        match self {
            Self::Kept(value) => value.serialize(serializer),
            Self::Odd(raw) => Odd { unreadable: raw }.serialize(serializer),
            Self::Dropped => Dropped { dropped: true }.serialize(serializer),
        }
    }
}

/// Reads texts and remembers which records lost theirs.
pub(super) struct Texts<'a> {
    store: &'a dyn Store,
    pub(super) dropped: Vec<String>,
}

impl<'a> Texts<'a> {
    pub(super) const fn new(store: &'a dyn Store) -> Self {
        Self {
            store,
            dropped: Vec::new(),
        }
    }

    pub(super) async fn text(
        &mut self,
        record: &Record,
        name: BlobRef,
    ) -> Result<Told, RecordError> {
        let content = self.store.blob(name.digest).await;
        let content = content.map_err(|source| RecordError::Unread {
            run: record.run,
            source: Box::new(source),
        })?;
        Ok(if let Some(content) = content {
            Told::Kept(String::from_utf8_lossy(&content).into_owned())
        } else {
            self.dropped.push(record.key.to_string());
            Told::Dropped
        })
    }

    pub(super) async fn json<T: DeserializeOwned>(
        &mut self,
        record: &Record,
        name: BlobRef,
    ) -> Result<Told<T>, RecordError> {
        Ok(match self.text(record, name).await? {
            Told::Kept(text) => match serde_json::from_str(&text) {
                Ok(value) => Told::Kept(value),
                Err(_) => Told::Odd(text),
            },
            Told::Odd(raw) => Told::Odd(raw),
            Told::Dropped => Told::Dropped,
        })
    }
}
