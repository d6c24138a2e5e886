//! A memory that says what a test tells it to.

use std::sync::{Arc, Mutex, PoisonError};

use gavel_domain::Timestamp;
use gavel_run::{NamedAsk, RecallAsk, RecalledItem, Recaller, Recalling};

/// Gives the items of the kinds that are asked for, and remembers what it was asked.
#[derive(Debug, Clone, Default)]
pub struct FixedRecaller {
    items: Vec<RecalledItem>,
    asked: Arc<Mutex<Vec<String>>>,
    stays_silent: bool,
}

impl FixedRecaller {
    /// One that knows these items: an id, a kind and a text each.
    pub fn knowing(items: &[(&str, &str, &str)]) -> Self {
        let item = |(id, kind, text): &(&str, &str, &str)| RecalledItem {
            id: (*id).to_owned(),
            label: (*id).to_owned(),
            kind: (*kind).to_owned(),
            text: (*text).to_owned(),
            created_at: Timestamp::UNIX_EPOCH,
            source: "a person".to_owned(),
            score: 900,
        };
        Self {
            items: items.iter().map(item).collect(),
            ..Self::default()
        }
    }

    /// One that never answers.
    pub fn silent() -> Self {
        Self {
            stays_silent: true,
            ..Self::default()
        }
    }

    /// The queries so far.
    pub fn asked(&self) -> Vec<String> {
        let asked = self.asked.lock();
        asked.unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Recaller for FixedRecaller {
    fn recall<'a>(&'a self, ask: RecallAsk<'a>) -> Recalling<'a> {
        let asked = self.asked.lock();
        let mut asked = asked.unwrap_or_else(PoisonError::into_inner);
        asked.push(ask.query.to_owned());
        let wanted =
            |item: &&RecalledItem| ask.kinds.is_empty() || ask.kinds.contains(&item.kind.as_str());
        let items = self.items.iter().filter(wanted);
        let items: Vec<RecalledItem> = items.take(ask.limit).cloned().collect();
        let stays_silent = self.stays_silent;
        Box::pin(async move {
            if stays_silent {
                std::future::pending::<()>().await;
            }
            Ok(items)
        })
    }

    fn named<'a>(&'a self, ask: NamedAsk<'a>) -> Recalling<'a> {
        let options = 0..ask.options.names().len();
        let of = |option: usize| {
            let named =
                move |item: &&RecalledItem| ask.options.named_in(&item.text).contains(&option);
            self.items.iter().filter(named).take(ask.most)
        };
        let mut found: Vec<RecalledItem> = Vec::new();
        for item in options.flat_map(of) {
            if found.iter().all(|other| other.id != item.id) {
                found.push(item.clone());
            }
        }
        Box::pin(async move { Ok(found) })
    }

    fn items<'a>(&'a self, ids: &'a [String], _: Timestamp) -> Recalling<'a> {
        let called = |item: &&RecalledItem| ids.contains(&item.id);
        let found: Vec<RecalledItem> = self.items.iter().filter(called).cloned().collect();
        Box::pin(async move { Ok(found) })
    }
}
