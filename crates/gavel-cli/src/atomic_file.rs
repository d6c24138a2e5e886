//! Files that a person keeps: written in one go or not at all.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use crate::exit::Exit;
use crate::failure::Failure;

/// Writes a file in one go; one that was there keeps its permissions, and a link stays a link.
pub(crate) fn write(file: &Path, text: &str) -> Result<(), Failure> {
    let real = file
        .canonicalize()
        .unwrap_or_else(|_missing| file.to_owned());
    let folder = real.parent().unwrap_or_else(|| Path::new("/"));
    fs::create_dir_all(folder).map_err(|error| failed(folder, error))?;
    let temporary = beside(&real, "gavel-new");
    let written = write_new(&temporary, text)
        .and_then(|()| match fs::metadata(&real) {
            Ok(old) => fs::set_permissions(&temporary, old.permissions()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error),
        })
        .and_then(|()| fs::rename(&temporary, &real));
    if let Err(error) = written {
        if let Err(left) = fs::remove_file(&temporary) {
            tracing::debug!(%left, "a half-written file stays");
        }
        return Err(failed(&real, error));
    }
    Ok(())
}

/// Writes a file that must not be there yet. Settings may hold secrets: nobody else reads it.
pub(crate) fn write_new(file: &Path, text: &str) -> io::Result<()> {
    use std::os::unix::fs::OpenOptionsExt as _;
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(0o600);
    let mut opened = options.open(file)?;
    opened.write_all(text.as_bytes())?;
    opened.sync_all()
}

/// A name beside a file.
pub(crate) fn beside(file: &Path, ending: &str) -> PathBuf {
    let mut name = file.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{ending}"));
    file.with_file_name(name)
}

pub(crate) fn failed(file: &Path, error: io::Error) -> Failure {
    let error = anyhow::Error::new(error).context(file.display().to_string());
    Failure::new(Exit::Failed, error)
}
