//! The files that belong to the project: tracked ones, and new ones that are not ignored.

use std::collections::BTreeMap;
use std::fs;

use anyhow::{Context, Result};

use crate::exec::Exec;
use crate::place;

/// Paths and texts; files that are not UTF-8 are left out.
#[derive(Debug, Default)]
pub(super) struct Tree(BTreeMap<String, String>);

impl Tree {
    /// Reads the checkout.
    pub(super) fn read() -> Result<Self> {
        let list = [
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
        ];
        let paths = Exec::new("git").args(list).output()?;
        let mut files = BTreeMap::new();
        for path in paths.split('\0').filter(|path| !path.is_empty()) {
            // A file that is deleted but not yet staged is listed and not there.
            let Ok(bytes) = fs::read(place::root().join(path)) else {
                continue;
            };
            if let Ok(text) = String::from_utf8(bytes) {
                files.insert(path.to_owned(), text);
            }
        }
        Ok(Self(files))
    }

    /// A tree made of texts, for tests of rules.
    #[cfg(test)]
    pub(super) fn of(files: &[(&str, &str)]) -> Self {
        let own = |&(path, text): &(&str, &str)| (path.to_owned(), text.to_owned());
        Self(files.iter().map(own).collect())
    }

    /// Every file.
    pub(super) fn files(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0
            .iter()
            .map(|(path, text)| (path.as_str(), text.as_str()))
    }

    /// Every Rust source file.
    pub(super) fn rust(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files().filter(|(path, _)| path.ends_with(".rs"))
    }

    /// One file that a rule cannot do without.
    pub(super) fn text(&self, path: &str) -> Result<&str> {
        let text = self.0.get(path).map(String::as_str);
        text.with_context(|| format!("{path} is missing"))
    }
}

/// True for files that hold nothing but tests.
pub(super) fn is_test_file(path: &str) -> bool {
    path.ends_with("_tests.rs") || path.contains("/tests/")
}
