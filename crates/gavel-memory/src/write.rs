//! Writing one new file. Files are made whole and exclusively, and never touched again.

use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use crate::memory::{ENDING, MAX_FILE_BYTES, MEMORY_FOLDER};
use crate::stamp::Stamp;

/// Why nothing was written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// Something stands in the way that is no folder, or a symlink to one.
    #[error("{path} is a link or no folder: memory is written into the checkout itself")]
    NotAFolder {
        /// What.
        path: PathBuf,
    },
    /// A file of that id is there; ids are drawn wrongly.
    #[error("{path} exists already, and a memory file is never written twice")]
    Exists {
        /// Which file.
        path: PathBuf,
    },
    /// More than a file may hold; write fewer items at once.
    #[error("{bytes} bytes are too many for one memory file: at most {MAX_FILE_BYTES}")]
    TooLarge {
        /// How many.
        bytes: usize,
    },
    /// The system said no.
    #[error("{path} could not be written")]
    Io {
        /// Which file or folder.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
    /// An event cannot be written as JSON.
    #[error("an event could not be written as JSON")]
    Form(#[source] serde_json::Error),
}

/// Writes lines into a file of their own; gives its place from the root of the checkout.
pub(crate) fn write_file(
    root: &Path,
    lines: &[String],
    stamp: &mut Stamp<'_>,
) -> Result<PathBuf, WriteError> {
    let bytes = lines.iter().map(|line| line.len() + 1).sum();
    if bytes > MAX_FILE_BYTES {
        return Err(WriteError::TooLarge { bytes });
    }
    let month = stamp.at().strftime("%Y-%m").to_string();
    let place = Path::new(MEMORY_FOLDER).join(month);
    let folder = make_folders(root, &place)?;
    let name = format!("{}{ENDING}", stamp.draw().hyphenated());
    let path = folder.join(&name);
    let io = |source| WriteError::Io {
        path: path.clone(),
        source,
    };
    // Beside first, then under its name: nobody ever reads half a file.
    let mut file = tempfile::Builder::new()
        .prefix(".")
        .suffix(".tmp")
        .permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666))
        .tempfile_in(&folder)
        .map_err(io)?;
    for line in lines {
        writeln!(file, "{line}").map_err(io)?;
    }
    file.as_file().sync_all().map_err(io)?;
    match file.persist_noclobber(&path) {
        Ok(_) => Ok(place.join(name)),
        Err(refused) if refused.error.kind() == ErrorKind::AlreadyExists => {
            Err(WriteError::Exists { path })
        }
        Err(refused) => Err(io(refused.error)),
    }
}

/// Makes the memory folder of a checkout; one that is there stays.
pub fn make_memory_folder(checkout: &Path) -> Result<PathBuf, WriteError> {
    make_folders(checkout, Path::new(MEMORY_FOLDER))
}

fn make_folders(root: &Path, place: &Path) -> Result<PathBuf, WriteError> {
    let mut folder = root.to_owned();
    for part in place {
        folder.push(part);
        let made = match std::fs::create_dir(&folder) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
            made => made,
        };
        let found = made.and_then(|()| std::fs::symlink_metadata(&folder));
        match found {
            Ok(found) if found.is_dir() => {}
            Ok(_) => return Err(WriteError::NotAFolder { path: folder }),
            Err(source) => {
                return Err(WriteError::Io {
                    path: folder,
                    source,
                });
            }
        }
    }
    Ok(folder)
}
