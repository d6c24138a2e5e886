//! The files outside the tree through which faults are switched and watched.
//!
//! Code under test can write in this folder. What it puts there is replaced and never followed, and
//! reading it ends.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use gavel_domain::Digest;

use super::helper::Helper;
use super::place::MutationError;

/// A trace that is longer was not written by planted code.
const MAX_TRACE_BYTES: u64 = 4 * 1024 * 1024;

/// The switch and the trace of a planted tree.
#[derive(Debug)]
pub(super) struct Control {
    folder: PathBuf,
    switch: String,
    trace: String,
}

impl Control {
    /// Takes a folder; names in it come from the seed.
    pub(super) fn open(folder: &Path, seed: &Digest) -> Result<Self, MutationError> {
        let folder = folder
            .canonicalize()
            .map_err(|source| refused(folder, source))?;
        let named = |what| Digest::keyed(seed, what).short();
        Ok(Self {
            switch: named("name of the switch file"),
            trace: named("name of the trace file"),
            folder,
        })
    }

    /// The code that uses these files.
    pub(super) fn helper(&self, seed: &Digest) -> Result<Helper, MutationError> {
        let (switch, trace) = (
            self.folder.join(&self.switch),
            self.folder.join(&self.trace),
        );
        Helper::new(seed, &switch, &trace).ok_or_else(|| {
            let problem = "its path is not UTF-8";
            refused(
                &self.folder,
                io::Error::new(io::ErrorKind::InvalidInput, problem),
            )
        })
    }

    /// The folder that planted code knows.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Writes the switch and empties the trace, in the folder that is shown to planted code.
    pub(super) fn set(&self, folder: &Path, number: u64) -> io::Result<()> {
        create(&folder.join(&self.trace))?;
        let mut file = create(&folder.join(&self.switch))?;
        file.write_all(number.to_string().as_bytes())
    }

    /// The numbers in the trace; what is none is passed over.
    pub(super) fn trace(&self, folder: &Path) -> io::Result<BTreeSet<u64>> {
        // A pipe in its place would keep us waiting, a link would lead elsewhere.
        let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK;
        let opened = OpenOptions::new()
            .read(true)
            .custom_flags(flags)
            .open(folder.join(&self.trace));
        let file = match opened {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(BTreeSet::new()),
            Err(error) => return Err(error),
        };
        if !file.metadata()?.is_file() {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "something that is no file stands in place of the trace",
            ));
        }
        let mut bytes = Vec::new();
        file.take(MAX_TRACE_BYTES).read_to_end(&mut bytes)?;
        let text = String::from_utf8_lossy(&bytes);
        Ok(text.lines().filter_map(|line| line.parse().ok()).collect())
    }

    /// An error of the system about this folder.
    pub(super) fn error(&self, source: io::Error) -> MutationError {
        refused(&self.folder, source)
    }
}

/// A new, empty file, whatever stood there.
fn create(path: &Path) -> io::Result<File> {
    match path.symlink_metadata() {
        Ok(found) if found.is_dir() => crate::remove_tree(path)?,
        Ok(_) => fs::remove_file(path)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    OpenOptions::new().write(true).create_new(true).open(path)
}

fn refused(folder: &Path, source: io::Error) -> MutationError {
    MutationError::Control {
        folder: folder.display().to_string(),
        source,
    }
}

#[cfg(test)]
#[path = "control_tests.rs"]
mod tests;
