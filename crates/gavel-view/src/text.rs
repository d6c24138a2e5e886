//! Texts that a fact names: kept, gone, or not of the form that was expected.

use gavel_domain::{BlobRef, Record};
use gavel_store::Store;
use serde::de::DeserializeOwned;
use serde::{Serialize, Serializer};

use crate::ReportError;

/// A text beside a fact, or what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Text<T = String> {
    /// It is here.
    Kept(T),
    /// It is here, in another form than the fact promises.
    Odd(String),
    /// It is no longer kept.
    Gone,
}

impl<T> Text<T> {
    /// The text, when it is here and as promised.
    pub const fn kept(&self) -> Option<&T> {
        match self {
            Self::Kept(value) => Some(value),
            Self::Odd(_) | Self::Gone => None,
        }
    }

    /// The same with another content.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Text<U> {
        match self {
            Self::Kept(value) => Text::Kept(change(value)),
            Self::Odd(raw) => Text::Odd(raw),
            Self::Gone => Text::Gone,
        }
    }
}

/// A kept text is its value; the others are objects that say what is wrong.
impl<T: Serialize> Serialize for Text<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Odd<'a> {
            unreadable: &'a str,
        }
        #[derive(Serialize)]
        struct Gone {
            gone: bool,
        }
        match self {
            Self::Kept(value) => value.serialize(serializer),
            Self::Odd(raw) => Odd { unreadable: raw }.serialize(serializer),
            Self::Gone => Gone { gone: true }.serialize(serializer),
        }
    }
}

/// Reads texts and remembers which are gone.
pub(crate) struct Texts<'a> {
    store: &'a dyn Store,
    pub(crate) gone: Vec<String>,
}

impl<'a> Texts<'a> {
    pub(crate) const fn new(store: &'a dyn Store) -> Self {
        Self {
            store,
            gone: Vec::new(),
        }
    }

    pub(crate) async fn text(
        &mut self,
        record: &Record,
        name: BlobRef,
    ) -> Result<Text, ReportError> {
        let content = self.store.blob(name.digest).await;
        let content = content.map_err(|source| ReportError::Unread {
            run: record.run,
            source: Box::new(source),
        })?;
        let Some(content) = content else {
            self.gone.push(record.key.to_string());
            return Ok(Text::Gone);
        };
        Ok(Text::Kept(String::from_utf8_lossy(&content).into_owned()))
    }

    /// The text of a fact that may have none.
    pub(crate) async fn maybe(
        &mut self,
        record: &Record,
        name: Option<BlobRef>,
    ) -> Result<Option<Text>, ReportError> {
        Ok(match name {
            Some(name) => Some(self.text(record, name).await?),
            None => None,
        })
    }

    pub(crate) async fn json<T: DeserializeOwned>(
        &mut self,
        record: &Record,
        name: BlobRef,
    ) -> Result<Text<T>, ReportError> {
        Ok(match self.text(record, name).await? {
            Text::Kept(text) => match serde_json::from_str(&text) {
                Ok(value) => Text::Kept(value),
                Err(_) => Text::Odd(text),
            },
            Text::Odd(raw) => Text::Odd(raw),
            Text::Gone => Text::Gone,
        })
    }
}

/// The first line that says something, cut at a word near `limit` characters.
pub fn first_line(text: &str, limit: usize) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty());
    let line = line.unwrap_or_default();
    if line.chars().count() <= limit {
        return line.to_owned();
    }
    let cut: String = line.chars().take(limit).collect();
    let whole = cut.rsplit_once(' ').map_or(cut.as_str(), |(left, _)| left);
    let mut whole = whole.trim_end_matches([',', '.', ' ']).to_owned();
    // A name in backticks that was cut is still one.
    if line.matches('`').count().is_multiple_of(2) && !whole.matches('`').count().is_multiple_of(2)
    {
        whole.push('`');
    }
    format!("{whole} …")
}
