//! Blobs: every text of models, people and files is kept beside the journal, named by its digest.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Digest;

/// The name of a blob inside a fact: its digest and its size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct BlobRef {
    /// Digest of the content.
    pub digest: Digest,
    /// Size of the content in bytes.
    pub bytes: u64,
}

/// Content on its way into the store.
#[derive(Clone, PartialEq, Eq)]
pub struct Blob {
    name: BlobRef,
    content: Vec<u8>,
}

impl Blob {
    /// Takes content and names it.
    pub fn new(content: impl Into<Vec<u8>>) -> Self {
        let content = content.into();
        let name = BlobRef {
            digest: Digest::of(&content),
            bytes: content.len() as u64,
        };
        Self { name, content }
    }

    /// The name that facts use.
    pub const fn name(&self) -> BlobRef {
        self.name
    }

    /// The bytes.
    pub fn content(&self) -> &[u8] {
        &self.content
    }
}

/// Shows the name only: content may be anything, and logs hold no prompt text.
impl fmt::Debug for Blob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Blob({}, {} bytes)",
            self.name.digest.short(),
            self.name.bytes
        )
    }
}
