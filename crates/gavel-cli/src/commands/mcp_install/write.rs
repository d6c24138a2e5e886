//! Writing a client's file: a copy of the old one first, then the new one in one go.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use crate::exit::Exit;
use crate::failure::Failure;

/// How many copies are kept beside a file before somebody has to look.
const MOST_COPIES: u32 = 100;
/// How many lines around a change are shown.
const AROUND: usize = 2;

/// The text of a file; nothing when there is none.
pub(super) fn read(file: &Path) -> Result<Option<String>, Failure> {
    match fs::read_to_string(file) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed(file, error)),
    }
}

/// Writes the new text, and returns where the old one is kept.
pub(super) fn replace(
    file: &Path,
    old: Option<&str>,
    new: &str,
) -> Result<Option<PathBuf>, Failure> {
    // A link stays a link: what it leads to is written.
    let real = file
        .canonicalize()
        .unwrap_or_else(|_missing| file.to_owned());
    let folder = real.parent().unwrap_or_else(|| Path::new("/"));
    fs::create_dir_all(folder).map_err(|error| failed(folder, error))?;
    let backup = match old {
        Some(text) => Some(keep(&real, text)?),
        None => None,
    };
    let temporary = beside(&real, "gavel-new");
    let written = write_new(&temporary, new)
        .and_then(|()| match old {
            Some(_) => fs::set_permissions(&temporary, fs::metadata(&real)?.permissions()),
            None => Ok(()),
        })
        .and_then(|()| fs::rename(&temporary, &real));
    if let Err(error) = written {
        if let Err(left) = fs::remove_file(&temporary) {
            tracing::debug!(%left, "a half-written file stays");
        }
        return Err(failed(&real, error));
    }
    Ok(backup)
}

/// Keeps a copy beside the file, under a name that is free.
fn keep(file: &Path, text: &str) -> Result<PathBuf, Failure> {
    for number in 1..=MOST_COPIES {
        let copy = beside(file, &format!("before-gavel-{number}"));
        match write_new(&copy, text) {
            Ok(()) => return Ok(copy),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(failed(&copy, error)),
        }
    }
    let many = format!("there are {MOST_COPIES} copies beside {}", file.display());
    Err(Failure::usage(many).hint("remove those that you no longer need"))
}

/// Settings may hold secrets: nobody else reads the copy.
fn write_new(file: &Path, text: &str) -> io::Result<()> {
    use std::os::unix::fs::OpenOptionsExt as _;
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(0o600);
    let mut opened = options.open(file)?;
    opened.write_all(text.as_bytes())?;
    opened.sync_all()
}

fn beside(file: &Path, ending: &str) -> PathBuf {
    let mut name = file.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{ending}"));
    file.with_file_name(name)
}

fn failed(file: &Path, error: io::Error) -> Failure {
    let error = anyhow::Error::new(error).context(file.display().to_string());
    Failure::new(Exit::Failed, error)
}

/// The lines that differ, with a few around them; the sign of each is `+`, `-` or a blank.
pub(super) fn difference<'a>(old: &'a str, new: &'a str) -> Vec<(char, &'a str)> {
    let (old, new): (Vec<_>, Vec<_>) = (old.lines().collect(), new.lines().collect());
    let same = |(one, other): &(&&str, &&str)| one == other;
    let before = old.iter().zip(&new).take_while(same).count();
    let left = old.len().min(new.len()) - before;
    let ends = old.iter().rev().zip(new.iter().rev());
    let after = ends.take(left).take_while(same).count();
    let lines = |sign, lines: &[&'a str], from: usize, to: usize| -> Vec<(char, &'a str)> {
        let part = lines.get(from..to).unwrap_or_default();
        part.iter().map(|line| (sign, *line)).collect()
    };
    let end = new.len() - after;
    [
        lines(' ', &new, before.saturating_sub(AROUND), before),
        lines('-', &old, before, old.len() - after),
        lines('+', &new, before, end),
        lines(' ', &new, end, (end + AROUND).min(new.len())),
    ]
    .concat()
}
