//! Which runs this release drives on, and how one that it cannot drive is finished.
//!
//! A run that is under way goes on as it began, or not at all: replayed under other keys it would pay
//! twice and prove something else.

use std::ops::RangeInclusive;

use gavel_deliberation::loops;
use gavel_domain::{Head, ProjectId, RunStarted, Seq};
use gavel_product::meeting;
use gavel_store::{HeadsQuery, SqliteStore, Store as _};
use gavel_workspace::{Belonging, ProjectFolder};

use crate::driver::{Given, given, origin};
use crate::exit::Exit;
use crate::failure::{Failure, unless_damaged};

/// How many unfinished runs of a project are looked at before a new one starts.
const LOOK_AT: u32 = 20;
/// The longest idea that is repeated in a command, in characters.
const LONGEST_IDEA: usize = 200;

/// The flows of a driver that this release drives; nothing for drivers whose flow never changed.
fn driven_flows(driver: &str) -> Option<RangeInclusive<u32>> {
    match driver {
        gavel_product::DRIVER => Some(gavel_product::OLDEST_FLOW..=gavel_product::FLOW),
        meeting::DRIVER => Some(meeting::OLDEST_FLOW..=meeting::FLOW),
        loops::DRIVER => Some(loops::OLDEST_FLOW..=loops::FLOW),
        _ => None,
    }
}

/// An unfinished run whose flow this release does not know.
#[derive(Debug)]
pub(crate) struct Undrivable {
    short: String,
    /// The version of Gavel that began it.
    version: String,
    is_older: bool,
    /// What finishes its work without its journal.
    finish: Option<String>,
}

impl Undrivable {
    /// Looks at the first record of a run. `None` when this release drives it, or nobody has to.
    pub(crate) async fn of(store: &SqliteStore, head: &Head) -> Result<Option<Self>, Failure> {
        let Some(driven) = driven_flows(&head.driver).filter(|_| !head.state.is_final()) else {
            return Ok(None);
        };
        let first = store.records(head.run, Seq::ZERO, 1).await?;
        let Some(started) = first
            .first()
            .and_then(|record| record.read::<RunStarted>().ok())
        else {
            return Ok(None);
        };
        if driven.contains(&started.flow) {
            return Ok(None);
        }
        Ok(Some(Self {
            short: head.run.short(),
            version: started.gavel,
            is_older: started.flow < *driven.start(),
            finish: finishing_command(store, head).await?,
        }))
    }

    /// What is wrong with it, in one line.
    pub(crate) fn describe(&self) -> String {
        let age = if self.is_older { "an older" } else { "a newer" };
        let Self { short, version, .. } = self;
        format!("run {short} was started by {age} gavel ({version}), and this one cannot go on")
    }

    /// What a person can do about it.
    pub(crate) fn remedy(&self) -> String {
        let Self { short, version, .. } = self;
        let leave = format!("finish it with gavel {version}, or give it up: gavel abort {short}");
        match &self.finish {
            Some(command) => format!("finish its work here with a new run: {command}; or {leave}"),
            None => leave,
        }
    }
}

impl From<Undrivable> for Failure {
    fn from(run: Undrivable) -> Self {
        let described = anyhow::anyhow!("{}", run.describe());
        Self::new(Exit::Conflict, described).hint(run.remedy())
    }
}

/// A new run on the branch of an old one: it begins with everything that was committed there.
async fn finishing_command(store: &SqliteStore, head: &Head) -> Result<Option<String>, Failure> {
    if head.driver != gavel_product::DRIVER {
        return Ok(None);
    }
    let run = given(store, head).await?;
    Ok(run.map(|run| command(&run, head.branch.as_deref())))
}

fn command(run: &Given, branch: Option<&str>) -> String {
    let is_plain = run.idea.chars().count() <= LONGEST_IDEA && !run.idea.contains(char::is_control);
    let idea = if is_plain { &run.idea } else { "the idea" };
    let start = format!("gavel start {}", quoted(idea));
    match (branch, &run.checkout) {
        (Some(branch), Some(checkout)) => {
            let folder = quoted(&checkout.display().to_string());
            format!("cd {folder} && git switch {branch} && {start}")
        }
        _ => start,
    }
}

/// One word for a shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Whose runs are looked at.
#[derive(Debug, Clone, Copy)]
pub(crate) enum RunsOf<'a> {
    /// Those of one project.
    Project(&'a ProjectFolder),
    /// Those of every project.
    Everybody,
}

impl RunsOf<'_> {
    const fn id(self) -> Option<ProjectId> {
        match self {
            Self::Project(folder) => folder.id,
            Self::Everybody => None,
        }
    }

    async fn has(self, store: &SqliteStore, head: &Head) -> Result<bool, Failure> {
        let Self::Project(folder) = self else {
            return Ok(true);
        };
        Ok(match folder.belonging(&origin(store, head).await?) {
            Belonging::Here | Belonging::Moved | Belonging::Unknown => true,
            Belonging::Elsewhere => false,
        })
    }
}

/// Unfinished runs that this release cannot drive on.
pub(crate) async fn undrivable_runs(
    store: &SqliteStore,
    of: RunsOf<'_>,
) -> Result<Vec<Undrivable>, Failure> {
    let query = HeadsQuery {
        project: of.id(),
        unfinished: true,
        limit: LOOK_AT,
    };
    let mut found = Vec::new();
    for head in store.heads(query).await? {
        if unless_damaged(head.run, of.has(store, &head).await)? != Some(true) {
            continue;
        }
        // A run that cannot even be read must not stop others.
        if let Ok(run) = unless_damaged(head.run, Undrivable::of(store, &head).await) {
            found.extend(run.flatten());
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_that_finishes_a_run_is_one_that_a_shell_takes() {
        let run = |idea: &str| Given {
            idea: idea.to_owned(),
            checkout: Some("/srv/it's".into()),
        };
        assert_eq!(
            command(&run("a list"), Some("gavel/build-1")),
            r"cd '/srv/it'\''s' && git switch gavel/build-1 && gavel start 'a list'"
        );
        assert_eq!(command(&run("a\nlist"), None), "gavel start 'the idea'");
    }
}
