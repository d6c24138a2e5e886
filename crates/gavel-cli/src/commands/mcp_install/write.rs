//! Writing a client's file: a copy of the old one first, then the new one in one go.

use std::fs::OpenOptions;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use anyhow::anyhow;

use super::client::Target;
use crate::atomic_file::{self, beside, failed, write_new};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::settings::no_link;

/// How many copies are kept beside a file before somebody has to look.
const MOST_COPIES: u32 = 100;
/// How many lines around a change are shown.
const AROUND: usize = 2;

/// The text of a client's file; nothing when there is none.
///
/// A project's file is refused where a link leads to it, before anything behind the link is read: links
/// come with whatever was cloned, may lead anywhere, and what a file says is shown beside the change.
pub(super) fn read(target: &Target) -> Result<Option<String>, Failure> {
    let file = &target.file;
    let mut options = OpenOptions::new();
    options.read(true);
    if let Some(project) = &target.project {
        refuse_links(project, file)?;
        no_link(&mut options);
    }
    let mut text = String::new();
    let opened = options.open(file);
    match opened.and_then(|mut opened| opened.read_to_string(&mut text)) {
        Ok(_) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed(file, error)),
    }
}

/// Writes the new text, and returns where the old one is kept.
///
/// In a file of the person's own a link stays a link, and what it leads to is written.
pub(super) fn replace(
    target: &Target,
    old: Option<&str>,
    new: &str,
) -> Result<Option<PathBuf>, Failure> {
    let file = &target.file;
    let real = match &target.project {
        Some(project) => {
            refuse_links(project, file)?;
            file.clone()
        }
        None => file
            .canonicalize()
            .unwrap_or_else(|_missing| file.to_owned()),
    };
    let backup = match old {
        Some(text) => Some(keep(&real, text)?),
        None => None,
    };
    atomic_file::write(&real, new)?;
    Ok(backup)
}

/// Refuses a file of a project that a link below the project's folder leads to.
fn refuse_links(project: &Path, file: &Path) -> Result<(), Failure> {
    let below = file.strip_prefix(project).unwrap_or(file);
    let mut place = project.to_owned();
    for part in below {
        place.push(part);
        match place.symlink_metadata() {
            Ok(found) if found.is_symlink() => {
                let link = anyhow!(
                    "{} is a symbolic link, and files of a project are neither read nor written through one",
                    place.display()
                );
                return Err(Failure::new(Exit::Refused, link)
                    .hint("put a plain file or folder in its place, or use --scope user"));
            }
            Ok(found) if !found.is_file() && !found.is_dir() => {
                let odd = anyhow!("{} is no plain file", place.display());
                return Err(Failure::new(Exit::Refused, odd).hint("put a plain file in its place"));
            }
            Ok(_) => {}
            // What is not there yet is made here.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(failed(&place, error)),
        }
    }
    Ok(())
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
