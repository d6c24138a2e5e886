//! Which run a command means: the one that is named, else one of the project around the folder. What
//! belongs to another project is never meant by silence.

use std::path::PathBuf;

use gavel_domain::{Head, ProjectId, RunId, RunState};
use gavel_store::{HeadsQuery, SqliteStore, Store as _};
use gavel_workspace::{Belonging, ProjectFolder, RunOrigin};

use crate::commands::MODEL_TRIAL;
use crate::context::Context;
use crate::driver::{Given, given, origin};
use crate::failure::{Failure, unless_damaged};
use crate::summary::clipped;
use crate::ui::{Cell, Look, cell};

/// How many runs are looked through, the most recently changed first.
const LOOK_BACK: u32 = 10_000;
/// Of how many runs the folder is looked up where no id tells the project.
const MOST_FOLDERS: usize = 500;
/// How many runs a refusal lists.
const MOST_LISTED: usize = 8;
/// How much of an idea a refusal shows.
const IDEA: usize = 40;

/// What stands for a run that is not named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unnamed {
    /// The newest that can go on.
    NewestUnfinished,
    /// The one that can go on: among several nothing is guessed.
    OnlyUnfinished,
    /// The one that asks something, else the one that can go on.
    OnlyAsking,
    /// The newest of all.
    Newest,
}

/// The project around a folder.
#[derive(Debug)]
pub(crate) struct Surroundings {
    folder: ProjectFolder,
}

/// Which runs of a project are looked for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RunsWanted {
    /// Only those that can go on.
    pub(crate) unfinished: bool,
    /// At most so many, the most recently changed first.
    pub(crate) most: usize,
}

impl RunsWanted {
    /// Every run, whatever became of it.
    pub(crate) const ALL: Self = Self::newest(usize::MAX);

    /// So many, whatever became of them.
    pub(crate) const fn newest(most: usize) -> Self {
        let unfinished = false;
        Self { unfinished, most }
    }
}

/// Runs of a project, and what is to be said of where they were begun.
#[derive(Debug, Default)]
pub(crate) struct RunsHere {
    /// The most recently changed first.
    pub(crate) heads: Vec<Head>,
    /// The folder of a run of the same id that belongs to another copy of the project.
    pub(crate) elsewhere: Option<PathBuf>,
    /// The folder that is gone, in which one of these was begun.
    pub(crate) moved_from: Option<PathBuf>,
}

impl RunsHere {
    /// Says why runs of the same id are not listed, and what was taken to have moved.
    pub(crate) fn tell(&self, context: &Context) {
        if let Some(folder) = &self.moved_from {
            let folder = folder.display();
            context.ui.note(format!(
                "{folder} is gone: runs that were begun there are taken to have moved here with this project's id"
            ));
        }
        if let (Some(folder), true) = (&self.elsewhere, self.heads.is_empty()) {
            let folder = folder.display();
            context.ui.note(format!(
                "another copy of this project has runs: gavel -C {folder} status lists them"
            ));
        }
    }
}

impl Surroundings {
    pub(crate) fn of(context: &Context) -> Result<Self, Failure> {
        Ok(Self {
            folder: ProjectFolder {
                id: crate::project::of(context.directory())?,
                root: crate::project::find(context.directory())?,
            },
        })
    }

    /// Its runs, at most so many. Clones and copies share a project's id: theirs are left out.
    pub(crate) async fn runs(
        &self,
        store: &SqliteStore,
        wanted: RunsWanted,
    ) -> Result<RunsHere, Failure> {
        let RunsWanted { unfinished, most } = wanted;
        let mut here = RunsHere::default();
        if let Some(id) = self.folder.id {
            for head in store.heads(query(Some(id), unfinished)).await? {
                if here.heads.len() >= most {
                    return Ok(here);
                }
                self.take(store, head, &mut here).await?;
            }
        }
        if !here.heads.is_empty() {
            return Ok(here);
        }
        let all = store.heads(query(None, unfinished)).await?.into_iter();
        // Trying a model builds nothing: no command means that.
        let all = all.filter(|head| head.driver != MODEL_TRIAL);
        let others = all.filter(|head| self.folder.id.is_none() || head.project != self.folder.id);
        let may_be_here = others.filter(|head| unfinished || head.project.is_none());
        for head in may_be_here.take(MOST_FOLDERS) {
            if here.heads.len() >= most {
                break;
            }
            self.take(store, head, &mut here).await?;
        }
        Ok(here)
    }

    async fn take(
        &self,
        store: &SqliteStore,
        head: Head,
        here: &mut RunsHere,
    ) -> Result<(), Failure> {
        let origin = unless_damaged(head.run, origin(store, &head).await)?;
        // The head of a damaged run still has its project.
        let origin = origin.unwrap_or_else(|| RunOrigin {
            project: head.project,
            ..RunOrigin::default()
        });
        match self.folder.belonging(&origin) {
            Belonging::Here | Belonging::Unknown => here.heads.push(head),
            Belonging::Moved => {
                let gone = origin.checkout.or(origin.git_dir);
                here.moved_from = here.moved_from.take().or(gone);
                here.heads.push(head);
            }
            Belonging::Elsewhere if origin.project == self.folder.id => {
                let folder = origin.checkout.or(origin.git_dir);
                here.elsewhere = here.elsewhere.take().or(folder);
            }
            Belonging::Elsewhere => {}
        }
        Ok(())
    }

    pub(crate) fn place(&self) -> &'static str {
        if self.folder.root.is_some() {
            "in this project"
        } else {
            "in this folder, which belongs to no project"
        }
    }
}

const fn query(project: Option<ProjectId>, unfinished: bool) -> HeadsQuery {
    HeadsQuery {
        project,
        unfinished,
        limit: LOOK_BACK,
    }
}

impl Context {
    /// Finds a run by its id or the end of it; without one, a run of this folder's project.
    pub(crate) async fn run(
        &self,
        store: &SqliteStore,
        named: Option<&str>,
        unnamed: Unnamed,
    ) -> Result<Head, Failure> {
        let Some(name) = named else {
            return self.unnamed_run(store, unnamed).await;
        };
        if let Ok(id) = name.parse::<RunId>() {
            let head = store.head(id).await?;
            return head.ok_or_else(|| gavel_run::RunError::NoRun(id).into());
        }
        let heads = store.heads(query(None, false)).await?;
        let mut found = heads
            .into_iter()
            .filter(|head| head.run.to_string().ends_with(name));
        match (found.next(), found.next()) {
            (Some(head), None) => Ok(head),
            (Some(_), Some(_)) => Err(Failure::usage(format!(
                "several runs end in `{name}`: give more of the id"
            ))),
            (None, _) => {
                let missing = format!("there is no run `{name}`");
                Err(Failure::usage(missing).hint("gavel status --all lists all runs"))
            }
        }
    }

    /// The run that is meant when none is named; whoever changes it is told which.
    async fn unnamed_run(&self, store: &SqliteStore, unnamed: Unnamed) -> Result<Head, Failure> {
        let here = Surroundings::of(self)?;
        let unfinished = unnamed != Unnamed::Newest;
        let most = if unfinished { usize::MAX } else { 1 };
        let found = here.runs(store, RunsWanted { unfinished, most }).await?;
        found.tell(self);
        let candidates = candidates(found.heads, unnamed);
        let mut heads = candidates.iter();
        let chosen = match (unnamed, heads.next(), heads.next()) {
            (_, None, _) => return Err(self.none(store, &here, unnamed).await?),
            (Unnamed::OnlyUnfinished | Unnamed::OnlyAsking, Some(_), Some(_)) => {
                return Err(self.several(store, &candidates).await?);
            }
            (_, Some(head), _) => head.clone(),
        };
        if unfinished {
            self.ui.note(format!("run {}", chosen.run.short()));
        }
        Ok(chosen)
    }

    async fn several(&self, store: &SqliteStore, heads: &[Head]) -> Result<Failure, Failure> {
        self.list_beside(store, heads, MOST_LISTED).await?;
        let ids: Vec<_> = heads.iter().map(|head| head.run.short()).collect();
        let several = format!("several runs are unfinished: {}", ids.join(", "));
        Ok(Failure::usage(several).hint("name the one that you mean"))
    }

    /// Nothing here is meant. What is under way elsewhere is shown, and must be named.
    async fn none(
        &self,
        store: &SqliteStore,
        here: &Surroundings,
        unnamed: Unnamed,
    ) -> Result<Failure, Failure> {
        let which = match unnamed {
            Unnamed::Newest => "no run",
            Unnamed::NewestUnfinished | Unnamed::OnlyUnfinished | Unnamed::OnlyAsking => {
                "no unfinished run"
            }
        };
        let unfinished = unnamed != Unnamed::Newest;
        let elsewhere = store.heads(query(None, unfinished)).await?;
        let failure = Failure::usage(format!("there is {which} {}", here.place()));
        if elsewhere.is_empty() {
            return Ok(failure.hint("gavel start \"<idea>\" begins one"));
        }
        self.ui.note("elsewhere:");
        self.list_beside(store, &elsewhere, MOST_LISTED).await?;
        Ok(failure.hint("name a run, or give its folder with -C; gavel status --all lists all"))
    }

    /// Lists runs beside the output, so that one can be named.
    pub(crate) async fn list_beside(
        &self,
        store: &SqliteStore,
        heads: &[Head],
        most: usize,
    ) -> Result<(), Failure> {
        let mut rows = Vec::new();
        for head in heads.iter().take(most) {
            let given = unless_damaged(head.run, given(store, head).await)?.flatten();
            rows.push(row(head, given.as_ref()));
        }
        self.ui.table_beside(&rows);
        if let Some(more) = heads.len().checked_sub(most).filter(|more| *more > 0) {
            self.ui.note(format!("  and {more} more"));
        }
        Ok(())
    }
}

fn row(head: &Head, given: Option<&Given>) -> Vec<Cell> {
    let folder = given.and_then(|given| given.checkout.as_ref());
    vec![
        (format!("  {}", head.run.short()), Look::Strong),
        cell(head.state),
        cell(given.map_or_else(|| "-".to_owned(), |given| clipped(&given.idea, IDEA))),
        cell(folder.map_or_else(|| "-".to_owned(), |folder| folder.display().to_string())),
    ]
}

/// The runs that may be meant, the likeliest first.
fn candidates(mut heads: Vec<Head>, unnamed: Unnamed) -> Vec<Head> {
    let keep_if_any = |heads: &mut Vec<Head>, meant: fn(&Head) -> bool| {
        if heads.iter().any(meant) {
            heads.retain(meant);
        }
    };
    match unnamed {
        Unnamed::Newest => {}
        // One that stopped for good is meant only when there is nothing that can go on.
        Unnamed::NewestUnfinished | Unnamed::OnlyUnfinished => {
            keep_if_any(&mut heads, |head| head.state != RunState::Halted);
        }
        Unnamed::OnlyAsking => {
            keep_if_any(&mut heads, |head| head.state != RunState::Halted);
            keep_if_any(&mut heads, |head| !head.questions.is_empty());
        }
    }
    heads
}

#[cfg(test)]
mod tests {
    use super::*;
    use gavel_domain::{Purpose, Timestamp};

    fn head(end: char, state: RunState, asks: bool) -> Head {
        let id = format!("01890a5d-ac96-774b-bcce-b302099a805{end}");
        let mut head = Head::new(id.parse().unwrap(), Timestamp::UNIX_EPOCH);
        head.state = state;
        if asks {
            let key = "interview/goal".parse().unwrap();
            head.questions.insert(key, Purpose::Choice);
        }
        head
    }

    #[test]
    fn what_waits_for_an_answer_is_meant_by_one() {
        let all = vec![
            head('1', RunState::Running, false),
            head('2', RunState::Waiting, true),
            head('3', RunState::Halted, true),
        ];
        let meant = |unnamed| -> String {
            let left = candidates(all.clone(), unnamed);
            let ends = left.iter().map(|head| head.run.to_string().pop().unwrap());
            ends.collect()
        };
        assert_eq!(meant(Unnamed::Newest), "123");
        assert_eq!(meant(Unnamed::NewestUnfinished), "12");
        assert_eq!(meant(Unnamed::OnlyUnfinished), "12");
        assert_eq!(meant(Unnamed::OnlyAsking), "2");
        let stopped = vec![head('3', RunState::Halted, false)];
        assert_eq!(candidates(stopped, Unnamed::OnlyUnfinished).len(), 1);
    }
}
