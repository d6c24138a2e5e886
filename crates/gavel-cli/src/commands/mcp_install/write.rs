//! Writing a client's file: a copy of the old one first, then the new one in one go.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::atomic_file::{self, beside, failed, write_new};
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
    let backup = match old {
        Some(text) => Some(keep(&real, text)?),
        None => None,
    };
    atomic_file::write(&real, new)?;
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
