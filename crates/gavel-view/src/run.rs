//! Everything that a person wants to know of a run, read from its facts and texts alone.
//!
//! [`Report::read`] folds the journal in the order in which it was written; it calls nothing, needs
//! no work tree, and works on runs in any state.

use gavel_domain::{
    AskAccount, Digest, FactError, ModelsChosen, PushState, RunId, RunState, Spec, Stage, Timestamp,
};
use gavel_rules::ChainProblem;
use gavel_rules::{AskThread, AuditedBy};
use gavel_run::RunError;
use gavel_store::{ReadError, Store};
use gavel_workspace::ScrubberError;
use serde::Serialize;

use crate::beginning::{ClarityTold, EarlierTold, RepositoryTold, RouteTold};
use crate::debate::Debate;
use crate::judged::{BreakerTold, FeedbackTold};
use crate::ledger::AssumptionTold;
use crate::people::{Interjection, QuestionTold};
use crate::plan::{ContractTold, DiscoveryTold, Place, Recalled, RecommendersTold};
use crate::proof::{Ended, Gate, LessonTold, Pushed, SealTold, Trouble};
use crate::spend::SpendTold;
use crate::sprint::{CommitTold, SprintTold, TrackedError};
use crate::text::{Text, first_line};
use crate::way::Way;

/// Everything about a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// The run.
    pub run: RunId,
    /// What drives it.
    pub driver: String,
    /// The version of Gavel that started it.
    pub gavel: String,
    /// What it does now.
    pub state: RunState,
    /// Where it is on its way.
    pub stage: Option<Stage>,
    /// When it started.
    pub started_at: Timestamp,
    /// When its last fact was written.
    pub updated_at: Timestamp,
    /// How many facts it has.
    pub records: u64,
    /// The digest of the last of them.
    pub chain: Digest,
    /// How often somebody drove on, and how often the drive before had died.
    pub resumed: Resumes,
    /// Each time that somebody drove on.
    pub resumes: Vec<ResumeTold>,
    /// What the run was allowed, as it recorded it when it started.
    pub limits: Limits,
    /// The idea, as it was typed.
    pub idea: Option<Text>,
    /// Where it works.
    pub place: Option<Place>,
    /// How the idea was scored.
    pub route: Option<RouteTold>,
    /// What a model said about the idea.
    pub clarity: Option<ClarityTold>,
    /// What the repository held.
    pub repository: Option<RepositoryTold>,
    /// Earlier runs with a similar idea.
    pub earlier: Option<EarlierTold>,
    /// Which model does what, as last recorded.
    pub models: Option<ModelsChosen>,
    /// What project memory said.
    pub memory: Vec<Recalled>,
    /// The items of memory that were named by those who had been given them.
    pub memory_cited: Vec<String>,
    /// Who recommended answers, each time that it was chosen.
    pub recommenders: Vec<RecommendersTold>,
    /// The answers of the discovery.
    pub discovery: Option<DiscoveryTold>,
    /// The review or the council.
    pub debate: Debate,
    /// What was taken for granted, in the order in which it was raised.
    pub assumptions: Vec<AssumptionTold>,
    /// What was asked for, and what became of each; none in runs from before it was kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asks: Option<Text<Vec<AskAccount>>>,
    /// Your words, the criteria that serve them, and what shows these; none without asks that can
    /// be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread: Option<AskThread>,
    /// What was agreed to be built.
    pub spec: Option<Text<Spec>>,
    /// The newest version of each contract, in the order in which they are written.
    pub contracts: Vec<ContractTold>,
    /// All other versions of them: replaced ones, and ones that nothing is held to yet.
    #[serde(skip)]
    pub versions: Vec<ContractTold>,
    /// The sprints, in order.
    pub sprints: Vec<SprintTold>,
    /// What failed and went to which sprint, in order.
    pub feedback: Vec<FeedbackTold>,
    /// The circuit breakers that tripped, in order.
    pub breakers: Vec<BreakerTold>,
    /// The errors that were found, in the order in which they were.
    pub errors: Vec<TrackedError>,
    /// Every commit, in order.
    pub commits: Vec<CommitTold>,
    /// Every judgement of the done gate; the last one counts.
    pub gates: Vec<Gate>,
    /// The seal.
    pub seal: Option<SealTold>,
    /// The branch with the latest commit.
    pub branch: Option<String>,
    /// Whether the branch was pushed.
    pub push: PushState,
    /// The last try to push it.
    pub pushed: Option<Pushed>,
    /// What memory may keep.
    pub lessons: Vec<LessonTold>,
    /// The questions, with their answers.
    pub questions: Vec<QuestionTold>,
    /// What people said, and where it was heard.
    pub interjections: Vec<Interjection>,
    /// What failed for good on the way.
    pub troubles: Vec<Trouble>,
    /// Where the time went.
    pub way: Way,
    /// Where the money went.
    pub spend: SpendTold,
    /// Who audited what was built, at best, by who replied as what; none where nobody did.
    pub audited_by: Option<AuditedBy>,
    /// Why it stopped, when it did without a seal.
    pub ended: Option<Ended>,
    /// The records whose texts are no longer kept.
    pub texts_gone: Vec<String>,
}

/// How often a run was taken up again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Resumes {
    /// How often.
    pub times: u32,
    /// After how many of them the drive before had not ended properly.
    pub unclean: u32,
}

/// One time that a run was taken up again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ResumeTold {
    /// When.
    pub at: Timestamp,
    /// True when the drive before had not ended properly.
    pub unclean: bool,
    /// In which stage it was.
    pub stage: Option<Stage>,
    /// The version of Gavel that drove on.
    pub gavel: String,
}

/// What a run is allowed, and when it is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Limits {
    /// The weighted score that is done, in thousandths.
    pub done_threshold: u32,
    /// The most sprints.
    pub max_sprints: u32,
    /// The longest that it may be driven, waiting left out, in milliseconds.
    pub max_driven_ms: u64,
}

/// Why a run cannot be told.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// There is no such run.
    #[error("there is no run {0}")]
    NoRun(RunId),
    /// The journal is damaged; nothing was repaired.
    #[error("run {run} is damaged: {problem}; nothing was repaired")]
    Damaged {
        /// The run.
        run: RunId,
        /// Where and how.
        #[source]
        problem: Box<ChainProblem>,
    },
    /// A fact was written by a newer version.
    #[error("run {run} holds a fact that this version cannot read: use the gavel that wrote it")]
    Newer {
        /// The run.
        run: RunId,
        /// Which, and why.
        #[source]
        source: Box<FactError>,
    },
    /// The store could not read; trying again may help.
    #[error("run {run} cannot be read")]
    Unread {
        /// The run.
        run: RunId,
        /// Why.
        #[source]
        source: Box<ReadError>,
    },
    /// The scanner for secrets is broken, and nothing is told without it.
    #[error("nothing is told without a look for secrets")]
    Scanner(#[from] ScrubberError),
    /// The ledger could not be summed up.
    #[error("the ledger of run {run} cannot be read")]
    Ledger {
        /// The run.
        run: RunId,
        /// Why.
        #[source]
        source: Box<RunError>,
    },
}

impl Report {
    /// Reads a run.
    pub async fn read(store: &dyn Store, run: RunId) -> Result<Self, ReportError> {
        crate::fold::read(store, run).await
    }

    /// A short name: the spec's title, else the idea, else the run.
    pub fn title(&self) -> String {
        let titled = self.spec.as_ref().and_then(Text::kept);
        match (titled, self.idea.as_ref().and_then(Text::kept)) {
            (Some(spec), _) if !spec.title.trim().is_empty() => spec.title.clone(),
            (_, Some(idea)) => first_line(idea, 80),
            (_, None) => format!("run {}", self.run.short()),
        }
    }
}
