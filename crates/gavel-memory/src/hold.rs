//! Rewriting memory files, one at a time: whoever folds months together must not bring back the words
//! that somebody else takes out. What is held is the folder itself, so nothing is left behind.

use std::fs::{File, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use crate::memory::MEMORY_FOLDER;

const PAUSE: Duration = Duration::from_millis(20);
/// Two seconds: rewriting takes less.
const TRIES: u32 = if cfg!(test) { 2 } else { 100 };

/// Why nobody may rewrite files now.
#[derive(Debug, thiserror::Error)]
pub enum HoldError {
    /// Another command does it: come back when it is done.
    #[error(
        "another command rewrites the memory files of {path} just now; nothing was changed: try \
         again in a moment"
    )]
    Busy {
        /// The memory folder.
        path: PathBuf,
    },
    /// The system said no.
    #[error("{path} could not be locked")]
    Io {
        /// The memory folder.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
}

/// The right to rewrite memory files, for as long as it lives.
#[derive(Debug)]
#[must_use = "whoever drops it gives it back"]
pub(crate) struct Hold {
    _folder: Option<File>,
}

/// Waits shortly for the right to rewrite the memory files of a checkout. Where there is no folder,
/// there is nothing to rewrite.
pub(crate) fn hold(root: &Path) -> Result<Hold, HoldError> {
    let path = root.join(MEMORY_FOLDER);
    let io = |source| HoldError::Io {
        path: path.clone(),
        source,
    };
    let folder = match File::open(&path) {
        Ok(folder) => folder,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Hold { _folder: None }),
        Err(error) => return Err(io(error)),
    };
    for attempt in 1.. {
        match folder.try_lock() {
            Ok(()) => break,
            Err(TryLockError::WouldBlock) if attempt < TRIES => thread::sleep(PAUSE),
            Err(TryLockError::WouldBlock) => return Err(HoldError::Busy { path }),
            Err(TryLockError::Error(error)) => return Err(io(error)),
        }
    }
    Ok(Hold {
        _folder: Some(folder),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compact::CompactError;
    use crate::desk::Desk;
    use crate::id::Kind;
    use crate::item::Provenance;
    use crate::memory::Memory;
    use crate::new_item::NewItem;
    use crate::redact::RedactError;

    #[test]
    fn nobody_rewrites_while_somebody_else_does() {
        let folder = tempfile::tempdir().unwrap();
        drop(hold(folder.path()).unwrap());
        let mut memory = Memory::open(folder.path()).unwrap();
        let mut desk = Desk::new(1);
        let mut ids = Vec::new();
        for text in ["one", "the salary of Ann"] {
            let new = NewItem::new(Kind::Trap, text, Provenance::Person);
            ids.extend(desk.add(&mut memory, new).unwrap().ids);
        }
        let december = "2026-12-24T18:00:00Z".parse().unwrap();

        let held = hold(folder.path()).unwrap();
        let refused = memory.compact(december);
        let Err(CompactError::Held(busy @ HoldError::Busy { .. })) = refused else {
            panic!("{refused:?}");
        };
        assert!(busy.to_string().contains("try again"), "{busy}");
        let refused = desk.stamped(|stamp| memory.redact(ids[1], stamp));
        let busy = matches!(refused, Err(RedactError::Held(HoldError::Busy { .. })));
        assert!(busy, "{refused:?}");
        // Who only writes a new file waits for nobody.
        let new = NewItem::new(Kind::Trap, "three", Provenance::Person);
        let _new = desk.add(&mut memory, new).unwrap();
        assert_eq!(
            memory.item(&ids[1].to_string()).unwrap().text,
            "the salary of Ann"
        );

        drop(held);
        let _redacted = desk.stamped(|stamp| memory.redact(ids[1], stamp)).unwrap();
        assert_eq!(memory.compact(december).unwrap().months.len(), 1);
    }
}
