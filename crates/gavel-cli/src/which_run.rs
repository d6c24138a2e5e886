//! Which run a command means: the one that is named, else one of the project around the folder. What
//! belongs to another project is never meant by silence.

use std::path::PathBuf;

use gavel_domain::{Head, ProjectId, RunId, RunState};
use gavel_store::{HeadsQuery, SqliteStore, Store as _};
use gavel_workspace::shared_git_dir;

use crate::commands::MODEL_TRIAL;
use crate::context::Context;
use crate::driver::{Given, given};
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

/// The project around a folder, as far as runs can be compared with it.
#[derive(Debug)]
pub(crate) struct Surroundings {
    /// The id that its settings give it.
    id: Option<ProjectId>,
    /// Its folder; none outside of every project.
    root: Option<PathBuf>,
}

impl Surroundings {
    pub(crate) fn of(context: &Context) -> Result<Self, Failure> {
        Ok(Self {
            id: crate::project::of(context.directory())?,
            root: crate::project::find(context.directory())?,
        })
    }

    /// Its runs, the most recently changed first.
    pub(crate) async fn runs(
        &self,
        store: &SqliteStore,
        unfinished: bool,
    ) -> Result<Vec<Head>, Failure> {
        let of_id = match self.id {
            Some(id) => store.heads(query(Some(id), unfinished)).await?,
            None => Vec::new(),
        };
        if !of_id.is_empty() {
            return Ok(of_id);
        }
        let mut here = Vec::new();
        let all = store.heads(query(None, unfinished)).await?.into_iter();
        // Trying a model builds nothing: no command means that.
        let all = all.filter(|head| head.driver != MODEL_TRIAL);
        let may_be_here = all.filter(|head| unfinished || head.project.is_none());
        for head in may_be_here.take(MOST_FOLDERS) {
            let given = unless_damaged(head.run, given(store, &head).await)?.flatten();
            if self.holds(&head, given.as_ref()) {
                here.push(head);
            }
        }
        Ok(here)
    }

    /// Those that were not begun in another clone, at most so many: clones share the project's id.
    pub(crate) async fn own(
        &self,
        store: &SqliteStore,
        heads: Vec<Head>,
        most: usize,
    ) -> Result<Vec<Head>, Failure> {
        let mut own = Vec::new();
        for head in heads {
            if own.len() >= most {
                break;
            }
            let given = unless_damaged(head.run, given(store, &head).await)?.flatten();
            if !self.is_of_a_clone(given.as_ref()) {
                own.push(head);
            }
        }
        Ok(own)
    }

    /// True for a run whose own checkout is still there and belongs to another repository. Where it is
    /// gone, the project may have moved.
    fn is_of_a_clone(&self, given: Option<&Given>) -> bool {
        let checkout = given.and_then(|given| given.checkout.as_ref());
        let (Some(root), Some(checkout)) = (&self.root, checkout) else {
            return false;
        };
        match (shared_git_dir(root), shared_git_dir(checkout)) {
            (Some(ours), Some(theirs)) => root != checkout && ours != theirs,
            (None, _) | (_, None) => false,
        }
    }

    /// True for a run that was begun in this folder.
    fn holds(&self, head: &Head, given: Option<&Given>) -> bool {
        match given.and_then(|given| given.checkout.as_ref()) {
            Some(checkout) => self.root.as_ref() == Some(checkout),
            // Begun outside of every project.
            None => self.id.is_none() && head.project.is_none(),
        }
    }

    pub(crate) fn place(&self) -> &'static str {
        if self.root.is_some() {
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
        let heads = here.runs(store, unfinished).await?;
        let heads = here.own(store, heads, most).await?;
        let candidates = candidates(heads, unnamed);
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
