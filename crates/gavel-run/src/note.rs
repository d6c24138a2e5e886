//! Notes: facts for people, on which no driver branches.

use gavel_domain::{Fact, Key, RecordDraft};

use crate::writer::Proposal;
use crate::{Blobs, Run, RunError};

impl Run {
    /// Notes a fact for people, once in a run. Nothing is returned, so nothing can hang on it; that is
    /// why it may be said as often as one likes, and may be made of what moves: prices, the ledger.
    pub async fn note<T: Fact>(
        &self,
        key: Key,
        fact: impl FnOnce(&Blobs) -> T + Send,
    ) -> Result<(), RunError> {
        if self.has_noted(&key) {
            return Ok(());
        }
        self.inner.may_go_on()?;
        let blobs = Blobs::default();
        let fact = fact(&blobs);
        let draft = RecordDraft::new(key.outcome(), &fact)?;
        self.write(Proposal {
            blobs: blobs.take(),
            ..Proposal::unless_there(draft)
        })
        .await?;
        Ok(())
    }

    /// True once something was noted there, so that the work of making the note can be saved.
    pub fn has_noted(&self, key: &Key) -> bool {
        self.inner.journal().get(&key.outcome()).is_some()
    }
}
