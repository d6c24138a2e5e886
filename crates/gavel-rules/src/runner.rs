//! Who runs the tests: settings of a tree that have a word in it, compared with the commit that the
//! run begins with. What was there before is the project's own; what the run brought is a person's
//! to allow.

use std::collections::{BTreeMap, BTreeSet};

use gavel_domain::Digest;
use serde::{Deserialize, Serialize};

/// The most that is shown of a value.
const SHOWN: usize = 120;

/// Something in a tree that has a word in what runs its tests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunnerSetting {
    /// The file, or a folder whose files count together.
    pub file: String,
    /// What is set, for example `target.x.runner` or `scripts.test`.
    pub name: String,
    /// The beginning of its value, on one line.
    pub value: String,
    /// The whole value.
    pub exact: Digest,
    /// Whose program it chooses.
    pub chooses: RunnerChoice,
    /// Which tests it asks for.
    pub selects: Selected,
    /// Whether one of its tests can be run alone.
    pub reach: RunnerReach,
}

/// Whether one test of a runner can be run alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunnerReach {
    /// Each can.
    Each,
    /// It counts by the exit status of the whole suite.
    Whole,
}

/// Which tests a runner is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selected {
    /// All that it finds.
    All,
    /// Those below these paths.
    Below(BTreeSet<String>),
}

impl Selected {
    /// True when everything that the other one asks for is asked for, as far as paths say it.
    fn covers(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::All, _) => true,
            (Self::Below(_), Self::All) => false,
            (Self::Below(now), Self::Below(then)) => then.iter().all(|path| {
                now.iter().any(|above| {
                    let above = above.trim_end_matches('/');
                    let below = path.strip_prefix(above);
                    below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
                })
            }),
        }
    }
}

/// Whose program a setting chooses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunnerChoice {
    /// A test runner that is known, as it comes from outside the tree.
    Known,
    /// Something else: a program or a plugin that the tree brings or names.
    Other,
}

/// What the tree is compared with.
#[derive(Debug, Clone, Copy)]
pub enum RunnerBase<'a> {
    /// The settings of the commit that the run begins with.
    Project(&'a [RunnerSetting]),
    /// There was no project before: only known runners may run its tests.
    NewProject,
}

/// What counts as a change of who runs the tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunnerRules {
    /// Which program does, and which tests it is asked for: runs that began before the rest was looked at.
    Programs,
    /// Also whether one of its tests can be run alone.
    ProgramsAndReach,
}

/// Whether a person agreed to exactly these changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunnerConsent {
    /// Nobody did.
    NotGiven,
    /// A person did.
    Person,
}

/// A setting that is worth a word, and what was done about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunnerNote {
    /// The file, or a folder whose files count together.
    pub file: String,
    /// What is set.
    pub name: String,
    /// The beginning of its value; empty for one that was removed.
    pub value: String,
    /// The whole value; for one that was removed, what it was.
    pub exact: Digest,
    /// What was done about it.
    pub standing: RunnerStanding,
}

/// What was done about a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunnerStanding {
    /// The project had it before the run, and it was used.
    Unchanged,
    /// The run changed it, a person agreed, and it was used.
    AllowedByPerson,
    /// The run changed it; the tests ran with what was there before.
    BaseUsed,
    /// A new project names a runner that is not known: nothing was run.
    Refused,
}

impl RunnerSetting {
    /// A setting with the whole of its value.
    pub fn new(file: &str, name: &str, value: &str, chooses: RunnerChoice) -> Self {
        let plain = |c: char| if c.is_control() { ' ' } else { c };
        Self {
            file: file.to_owned(),
            name: name.to_owned(),
            value: value.chars().map(plain).take(SHOWN).collect(),
            exact: Digest::of(value),
            chooses,
            selects: Selected::All,
            reach: RunnerReach::Each,
        }
    }

    /// The same, asking for these tests.
    #[must_use]
    pub fn selecting(self, selects: Selected) -> Self {
        Self { selects, ..self }
    }

    /// The same, whose tests can be run so far.
    #[must_use]
    pub fn reaching(self, reach: RunnerReach) -> Self {
        Self { reach, ..self }
    }
}

impl RunnerNote {
    /// What is set, and where.
    pub fn what(&self) -> String {
        let Self {
            file, name, value, ..
        } = self;
        if value.is_empty() {
            format!("{file}: {name}")
        } else {
            format!("{file}: {name} = {value}")
        }
    }

    /// The note as people read it.
    pub fn line(&self) -> String {
        let what = self.what();
        match self.standing {
            RunnerStanding::Unchanged => format!("{what} (as before the run)"),
            RunnerStanding::AllowedByPerson => format!("{what} (changed, a person agreed)"),
            RunnerStanding::BaseUsed => {
                format!("{what} (changed by the run; the tests ran with what was there before)")
            }
            RunnerStanding::Refused => format!("{what} (no known test runner)"),
        }
    }
}

/// Compares the settings of a tree with those before the run. What is a known runner, and what does
/// not differ and is one, is not worth a word.
pub fn compare_runners(
    base: RunnerBase<'_>,
    tree: &[RunnerSetting],
    (consent, rules): (RunnerConsent, RunnerRules),
) -> Vec<RunnerNote> {
    let changed = match (base, consent) {
        (RunnerBase::NewProject, _) => RunnerStanding::Refused,
        (RunnerBase::Project(_), RunnerConsent::Person) => RunnerStanding::AllowedByPerson,
        (RunnerBase::Project(_), RunnerConsent::NotGiven) => RunnerStanding::BaseUsed,
    };
    let before = match base {
        RunnerBase::Project(settings) => settings,
        RunnerBase::NewProject => &[],
    };
    let (was, is) = (by_name(before), by_name(tree));
    let mut notes = Vec::new();
    for (key, now) in &is {
        let standing = match (was.get(key), now.chooses) {
            (Some(then), RunnerChoice::Other) if then.exact == now.exact => {
                RunnerStanding::Unchanged
            }
            (then, RunnerChoice::Known)
                if !is_narrower(base, then.copied(), now)
                    && !is_blinder(rules, then.copied(), now) =>
            {
                continue;
            }
            (_, RunnerChoice::Known) => changed,
            (_, RunnerChoice::Other) => changed,
        };
        notes.push(note(now, now.value.clone(), standing));
    }
    let gone = was.iter().filter(|(key, _)| !is.contains_key(*key));
    for (_, then) in gone.filter(|(_, then)| then.chooses == RunnerChoice::Other) {
        notes.push(note(then, String::new(), changed));
    }
    notes
}

/// True for a known runner that asks for fewer tests than before the run. What no script said was found by
/// looking for all of them, and what another program ran is not known.
fn is_narrower(base: RunnerBase<'_>, then: Option<&RunnerSetting>, now: &RunnerSetting) -> bool {
    match base {
        RunnerBase::NewProject => false,
        RunnerBase::Project(_) => match then {
            Some(then) if then.exact == now.exact => false,
            Some(RunnerSetting {
                chooses: RunnerChoice::Known,
                selects,
                ..
            }) => !now.selects.covers(selects),
            Some(_) | None => now.selects != Selected::All,
        },
    }
}

/// True for a known runner that can run no test alone in the place of one that could: nothing would be
/// tried any more that only single tests show.
fn is_blinder(rules: RunnerRules, then: Option<&RunnerSetting>, now: &RunnerSetting) -> bool {
    match rules {
        RunnerRules::Programs => false,
        RunnerRules::ProgramsAndReach => {
            now.reach == RunnerReach::Whole
                && then.is_some_and(|then| then.reach == RunnerReach::Each)
        }
    }
}

fn by_name(settings: &[RunnerSetting]) -> BTreeMap<(&str, &str), &RunnerSetting> {
    let pairs = settings.iter();
    pairs
        .map(|one| ((one.file.as_str(), one.name.as_str()), one))
        .collect()
}

fn note(setting: &RunnerSetting, value: String, standing: RunnerStanding) -> RunnerNote {
    RunnerNote {
        file: setting.file.clone(),
        name: setting.name.clone(),
        value,
        exact: setting.exact,
        standing,
    }
}

#[cfg(test)]
#[path = "runner_tests.rs"]
mod tests;
