//! Journals as people and programs read them: one fold of a run's facts and texts into a view.
//!
//! Nothing here lays anything out, and nothing writes.

mod beginning;
mod council;
mod debate;
mod evidence;
mod first_errors;
mod fold;
mod judged;
mod ledger;
mod people;
mod plan;
mod proof;
mod proven;
mod run;
mod spend;
mod sprint;
mod text;
mod way;

pub use beginning::{ClarityTold, EarlierTold, RepositoryTold, RouteTold};
pub use council::{CouncilTold, CouncilVerdict};
pub use debate::{Debate, DecisionTold, Dispute, EvidenceCount, ReviewTold, StanceTold};
pub use evidence::{evidence_words, file_link, one_test, short_id};
pub use first_errors::{errors_in, first_errors};
pub use judged::{BreakerTold, CriteriaTold, CriterionTold, FeedbackTold, OwnerTold, TurnTold};
pub use ledger::AssumptionTold;
pub use people::{AnswerTold, HeardAt, Interjection, QuestionTold, speaker_words};
pub use plan::{ContractTold, DiscoveryTold, Place, Recalled, RecommendersTold};
pub use proof::{Ended, Gate, LessonTold, Pushed, SealSays, SealTold, Trouble};
pub use proven::{
    BaseTestsView, ContractsView, ExampleView, KeptTestsView, NewTestsView, ProofView, ReleaseView,
    TestView,
};
pub use run::{Limits, Report, ReportError, ResumeTold, Resumes};
pub use spend::{CapTold, PreviewTold, ShareTold, SpendLine, SpendTold, source_line};
pub use sprint::{
    AuditTold, CommandTold, CommitTold, FindingTold, PlannedFile, SprintTold, TrackedError,
    Verification,
};
pub use text::{Text, first_line};
pub use way::{StageTime, Visit, Way, span_words};
