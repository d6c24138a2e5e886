//! What a run left on its branch, as its facts tell it.

use std::sync::Arc;

use gavel_agent::{Refused, Served, ServedTool, ToolHints, ToolSet, Visit};
use gavel_domain::PushState;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::desk::RunDesk;
use gavel_view::Report;

/// The most commits in one answer; the newest count.
const MOST_COMMITS: usize = 100;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct BranchArguments {
    /// Its id or the end of it; without it, yours or the newest.
    run: Option<String>,
}

pub(super) struct BranchStatus(pub(super) Arc<RunDesk>);

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct BranchTold {
    run: String,
    branch: String,
    state: String,
    /// The commit that it began with.
    base: Option<String>,
    /// Its newest commit.
    head: Option<String>,
    commits: usize,
    /// `certified`, `conditional` or `flagged`, once it is sealed.
    seal: Option<String>,
    /// `none`, `yes`: its newest commit is at the remote, `failed`: the last try failed, or `behind`:
    /// the remote has an older commit.
    pushed: String,
    /// The same in words: `none (not agreed)` when there is a remote, and nobody agreed to it.
    push: String,
}

impl ServedTool for BranchStatus {
    type Input = BranchArguments;
    type Output = BranchTold;
    const NAME: &'static str = "gavel_get_branch_status";
    const PURPOSE: &'static str = "The branch of a run: base, newest commit, seal";
    const SET: ToolSet = ToolSet::Branch;
    const HINTS: ToolHints = ToolHints::READS;

    async fn call(
        &self,
        visit: &Visit,
        input: BranchArguments,
    ) -> Result<Served<BranchTold>, Refused> {
        let (report, branch) = built(&self.0, visit, input).await?;
        let told = BranchTold {
            run: report.run.to_string(),
            state: report.state.to_string(),
            base: report.place.as_ref().map(|place| place.base.clone()),
            head: report.commits.last().map(|commit| commit.commit.clone()),
            commits: report.commits.len(),
            seal: report.seal.as_ref().map(|seal| seal.verdict.clone()),
            pushed: pushed(&report).to_owned(),
            push: report.push.to_string(),
            branch,
        };
        let line = format!(
            "{}: {} commits, run {}, pushed: {} ({})",
            told.branch, told.commits, told.state, told.pushed, told.push
        );
        Ok(Served::new(told, line))
    }
}

/// Whether what stands on the branch stands at the remote.
fn pushed(report: &Report) -> &'static str {
    match report.push {
        PushState::Failed => return "failed",
        PushState::Pushed => {}
        PushState::None | PushState::NotAgreed => return "none",
    }
    let there = report.pushed.as_ref().map(|pushed| &pushed.commit);
    let newest = report.commits.last().map(|made| &made.commit);
    match newest.is_none() || there == newest {
        true => "yes",
        false => "behind",
    }
}

pub(super) struct BranchCommits(pub(super) Arc<RunDesk>);

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct CommitsTold {
    run: String,
    branch: String,
    /// Oldest first.
    commits: Vec<CommitRow>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct CommitRow {
    commit: String,
    stage: Option<String>,
    sprint: Option<u32>,
    at: String,
}

impl ServedTool for BranchCommits {
    type Input = BranchArguments;
    type Output = CommitsTold;
    const NAME: &'static str = "gavel_list_branch_commits";
    const PURPOSE: &'static str = "The commits that a run made, oldest first";
    const SET: ToolSet = ToolSet::Branch;
    const HINTS: ToolHints = ToolHints::READS;

    async fn call(
        &self,
        visit: &Visit,
        input: BranchArguments,
    ) -> Result<Served<CommitsTold>, Refused> {
        let (report, branch) = built(&self.0, visit, input).await?;
        let skipped = report.commits.len().saturating_sub(MOST_COMMITS);
        let rows = report.commits.iter().skip(skipped).map(|made| CommitRow {
            commit: made.commit.clone(),
            stage: made.stage.map(|stage| stage.to_string()),
            sprint: made.sprint,
            at: made.at.to_string(),
        });
        let told = CommitsTold {
            run: report.run.to_string(),
            commits: rows.collect(),
            branch,
        };
        let line = format!("{}: {} commits", told.branch, told.commits.len());
        Ok(Served::new(told, line))
    }
}

/// A run with a branch.
async fn built(
    desk: &RunDesk,
    visit: &Visit,
    input: BranchArguments,
) -> Result<(Arc<Report>, String), Refused> {
    let head = desk.asked(visit, input.run.as_deref()).await?;
    let report = desk.report(&head).await?;
    let Some(branch) = report.branch.clone() else {
        let message = format!("run {} has no branch yet", head.run.short());
        let arguments = json!({ "run": head.run.to_string() });
        let refused = Refused::new("not_built", message);
        return Err(refused.then("gavel_run_status", arguments, "to see where it stands"));
    };
    Ok((report, branch))
}
