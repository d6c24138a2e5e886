//! Tests that found a part not asked for: they end without a complaint, and did not do all that they are
//! for. They write themselves into a file, so that nobody takes them for passed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

/// Names the file; `gavel_testkit::asked_for` writes `part<TAB>test` into it.
pub(crate) const VARIABLE: &str = "GAVEL_TEST_LEFT_OUT";

/// The tests that left something out, by the part that was not asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Omitted(BTreeMap<String, BTreeSet<String>>);

impl Omitted {
    /// The file of a run, empty.
    pub(crate) fn begin(target: &Path) -> Result<PathBuf> {
        let file = target.join("tests-left-out");
        fs::create_dir_all(target).with_context(|| target.display().to_string())?;
        fs::write(&file, "").with_context(|| file.display().to_string())?;
        Ok(file)
    }

    /// What the tests wrote.
    pub(crate) fn read(file: &Path) -> Result<Self> {
        let text = fs::read_to_string(file).with_context(|| file.display().to_string())?;
        Ok(Self::of(&text))
    }

    fn of(text: &str) -> Self {
        let mut omitted = Self::default();
        for (part, test) in text.lines().filter_map(|line| line.split_once('\t')) {
            let tests = omitted.0.entry(part.to_owned()).or_default();
            tests.insert(test.to_owned());
        }
        omitted
    }

    /// How many tests they are.
    pub(crate) fn count(&self) -> usize {
        let all: BTreeSet<&String> = self.0.values().flatten().collect();
        all.len()
    }

    /// A line for each part.
    pub(crate) fn lines(&self) -> Vec<String> {
        let line = |(part, tests): (&String, &BTreeSet<String>)| {
            let names: Vec<&str> = tests.iter().map(String::as_str).collect();
            format!(
                "not run, or not in full, without `{part}`: {}",
                names.join(", ")
            )
        };
        self.0.iter().map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_counts_once_however_often_it_asks() {
        let text = "ideas\tasks::all\nideas\tasks::all\npeers\tsmoke\npeers\tasks::all\nbroken\n";
        let omitted = Omitted::of(text);
        assert_eq!(omitted.count(), 2);
        assert_eq!(
            omitted.lines(),
            [
                "not run, or not in full, without `ideas`: asks::all",
                "not run, or not in full, without `peers`: asks::all, smoke",
            ]
        );
        assert_eq!(Omitted::of("").lines(), Vec::<String>::new());
    }

    #[test]
    fn a_run_begins_with_nobody_left_out() {
        let folder = std::env::temp_dir().join(format!("left-out-{}", std::process::id()));
        let file = Omitted::begin(&folder).unwrap();
        fs::write(&file, "ideas\tone\n").unwrap();
        assert_eq!(Omitted::read(&file).unwrap().count(), 1);
        let again = Omitted::begin(&folder).unwrap();
        assert_eq!(Omitted::read(&again).unwrap().count(), 0);
        fs::remove_dir_all(folder).unwrap();
    }
}
