//! Bringing the index up to date: what is new is read, what is gone is taken out, and the items
//! that either is about are folded again.
//!
//! Large changes are made in parts, each in a transaction of its own, so that whoever gives up
//! waiting has not waited in vain. A month counts as known once all of it is in.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use gavel_domain::Digest;
use gavel_store::{IndexChange, IndexError, TextIndex};

use super::files::{Files, Folders, Pages, files, read};
use super::{Shelf, ShelfError, lock};
use crate::fold::fold;
use crate::id::ItemId;
use crate::index::{FORM, document};
use crate::log::Log;

/// The source of what the store holds.
const STORE: &str = "store";
/// How many files go into one part.
const PART: usize = 1_000;
/// After so many files the lists of the index are joined.
const JOIN_AFTER: usize = 2_000;
/// Up to so many files each is looked at when a shelf is opened: somebody may have edited one.
const FEW_FILES: u32 = 2_000;
const TRIES: u32 = 20;
/// Up to so many folders of months are looked at where they are asked for.
const FEW_MONTHS: usize = 36;

/// The difference between a folder and the index.
struct Difference {
    /// New files and changed ones, with their stamps.
    new: Vec<(String, String)>,
    /// Files that are gone or changed.
    old: Vec<String>,
}

impl Shelf {
    /// Brings the index up to date.
    pub(super) async fn refresh(&self) -> Result<(), ShelfError> {
        for _ in 0..TRIES {
            let index = self.index();
            match self.refresh_once(&index).await {
                // Somebody else did some of it.
                Err(ShelfError::Index(IndexError::Moved { .. })) => self.forget(),
                Err(ShelfError::Index(IndexError::Damaged { place, .. })) => {
                    self.remake(index, place).await?;
                }
                done => return done,
            }
        }
        Err(ShelfError::Restless {
            checkout: self.root.clone(),
        })
    }

    /// Makes the index anew: it is damaged.
    pub(super) async fn remake(
        &self,
        index: Arc<TextIndex>,
        place: String,
    ) -> Result<(), ShelfError> {
        let path = index.path().to_owned();
        let new = index.remake(FORM).await.map_err(|error| match error {
            IndexError::Moved { path } | IndexError::Damaged { path, .. } => {
                let place = place.clone();
                IndexError::Damaged { path, place }
            }
            error @ IndexError::Unavailable { .. } => error,
        })?;
        tracing::warn!(path = %path.display(), %place, "the index of memory was damaged and is made anew");
        *lock(&self.index) = Arc::new(new);
        *lock(&self.remade) = Some(place);
        self.forget();
        Ok(())
    }

    fn forget(&self) {
        *lock(&self.known) = None;
    }

    async fn refresh_once(&self, index: &TextIndex) -> Result<(), ShelfError> {
        let (root, known) = (self.root.clone(), lock(&self.known).clone());
        // A glance at a few folders is over before another thread would have begun.
        if let Some(known) = &known
            && known.months.len() <= FEW_MONTHS
            && known.are_unchanged(&root)
        {
            return Ok(());
        }
        let first = known.is_none();
        let look = move || match known {
            Some(known) if known.are_unchanged(&root) => Ok(None),
            _ => Folders::look(&root).map(Some),
        };
        let Some(now) = tokio::task::spawn_blocking(look).await?? else {
            return Ok(());
        };
        let (mut generation, _) = index.total().await?;
        let mut marks = index.marks().await?;
        let held = marks.remove(STORE);
        if first {
            self.refresh_store(index, &mut generation, held).await?;
        }
        let all = first && index.count_sources(FEW_FILES + 1).await? <= u64::from(FEW_FILES);
        let mut read = 0;
        let gone = marks
            .keys()
            .filter(|month| !now.months.contains_key(*month));
        let gone: Vec<(&String, &Option<String>)> = gone.map(|month| (month, &None)).collect();
        for (month, stamp) in now.months.iter().chain(gone) {
            let known = stamp.is_some() && marks.get(month) == stamp.as_ref();
            if known && !all {
                continue;
            }
            let part = Month {
                name: month,
                stamp: stamp.as_ref().filter(|_| !known),
                is_gone: !now.months.contains_key(month),
            };
            read += self.refresh_month(index, &mut generation, part).await?;
        }
        if read >= JOIN_AFTER {
            index.join().await?;
        }
        self.generation.store(generation, Ordering::Release);
        *lock(&self.known) = Some(now);
        Ok(())
    }
}

/// A month to be looked at.
#[derive(Clone, Copy)]
struct Month<'a> {
    name: &'a str,
    /// What to note about it once it is done.
    stamp: Option<&'a String>,
    is_gone: bool,
}

impl Shelf {
    /// Brings one month up to date; gives how many files were read.
    async fn refresh_month(
        &self,
        index: &TextIndex,
        generation: &mut u64,
        month: Month<'_>,
    ) -> Result<usize, ShelfError> {
        let (root, name) = (self.root.clone(), month.name.to_owned());
        let there = tokio::task::spawn_blocking(move || files(&root, &name)).await??;
        let known = index.sources(&format!("{}/", month.name)).await?;
        let Difference { new, old } = compare(&there, &known);
        let mut sources: BTreeMap<String, Option<String>> =
            old.into_iter().map(|file| (file, None)).collect();
        let mut parts = new.chunks(PART).peekable();
        loop {
            let part: Vec<(String, String)> = parts.next().unwrap_or_default().to_vec();
            let last = parts.peek().is_none();
            sources.extend(
                part.iter()
                    .map(|(file, stamp)| (file.clone(), Some(stamp.clone()))),
            );
            let (root, scrubber) = (self.root.clone(), self.scrubber()?);
            let reading = tokio::task::spawn_blocking(move || {
                read(&root, part.iter().map(|(file, _)| file), &scrubber)
            });
            let mut change = IndexChange {
                after: *generation,
                sources: std::mem::take(&mut sources),
                ..IndexChange::default()
            };
            if last && (month.stamp.is_some() || month.is_gone) {
                let stamp = month.stamp.cloned();
                change.marks.insert(month.name.to_owned(), stamp);
            }
            let pages = reading.await??;
            self.apply(index, change, pages, generation).await?;
            if last {
                return Ok(new.len());
            }
        }
    }

    /// Takes in what the store holds, where that changed.
    async fn refresh_store(
        &self,
        index: &TextIndex,
        generation: &mut u64,
        known: Option<String>,
    ) -> Result<(), ShelfError> {
        let lines: BTreeSet<&[u8]> = self.lines.iter().map(String::as_bytes).collect();
        let stamp = Digest::of_fields(lines).to_string();
        if known.as_ref() == Some(&stamp) || (known.is_none() && self.lines.is_empty()) {
            return Ok(());
        }
        let mut pages = Pages::default();
        pages.take(STORE, &self.lines, self.scrubber()?.as_ref());
        let change = IndexChange {
            after: *generation,
            marks: [(STORE.to_owned(), Some(stamp.clone()))].into(),
            sources: [(STORE.to_owned(), Some(stamp))].into(),
            ..IndexChange::default()
        };
        self.apply(index, change, pages, generation).await
    }

    /// Makes one change: the items that it touches are folded from all lines about them.
    async fn apply(
        &self,
        index: &TextIndex,
        mut change: IndexChange,
        pages: Pages,
        generation: &mut u64,
    ) -> Result<(), ShelfError> {
        if change.sources.is_empty() && change.marks.is_empty() {
            return Ok(());
        }
        let replaced: Vec<String> = change.sources.keys().cloned().collect();
        let mut touched: BTreeSet<String> =
            index.subjects_in(&replaced).await?.into_iter().collect();
        touched.extend(pages.lines.iter().map(|line| line.subject.clone()));
        let touched: Vec<String> = touched.into_iter().collect();
        let others = index.lines_about(&touched).await?;
        let others = others
            .into_iter()
            .filter(|line| !change.sources.contains_key(&line.source));
        let others: Vec<String> = others.map(|line| line.text).collect();
        let items = folded(&pages, &others, self.scrubber()?.as_ref());
        for item in items.values() {
            change.documents.push(document(item)?);
        }
        let gone = touched.into_iter().filter(|name| {
            let id = name.parse::<ItemId>().ok();
            !id.is_some_and(|id| items.contains_key(&id))
        });
        change.gone = gone.collect();
        change.lines = pages.lines;
        *generation = index.apply(&change).await?;
        Ok(())
    }
}

/// Folds what was read together with what was known before.
fn folded(
    pages: &Pages,
    others: &[String],
    scrubber: &gavel_workspace::Scrubber,
) -> BTreeMap<ItemId, crate::item::Item> {
    let ids: BTreeSet<_> = pages.events.iter().map(|event| event.id).collect();
    if others.is_empty() && ids.len() == pages.events.len() {
        return fold(&pages.events).items;
    }
    // The log knows which of two lines counts that tell of one event.
    let mut log = Log::default();
    let lines: Vec<String> = pages.lines.iter().map(|line| line.text.clone()).collect();
    log.take_held(&lines, scrubber);
    log.take_held(others, scrubber);
    fold(log.events()).items
}

fn compare(there: &Files, known: &Files) -> Difference {
    let same = |(file, stamp): &(&String, &String)| known.get(*file) == Some(*stamp);
    let new = there.iter().filter(|entry| !same(entry));
    let old = known
        .iter()
        .filter(|(file, stamp)| there.get(*file) != Some(*stamp));
    Difference {
        new: new
            .map(|(file, stamp)| (file.clone(), stamp.clone()))
            .collect(),
        old: old.map(|(file, _)| file.clone()).collect(),
    }
}
