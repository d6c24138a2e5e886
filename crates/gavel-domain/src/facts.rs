//! The facts, grouped by what they are about. Kinds and fields are promises; see `docs/journal.md`.

mod build;
mod council;
mod judging;
mod money;
mod plan;
mod question;
mod run;
mod step;
mod work;

pub use build::{
    AuditFinished, AuditVerdict, BranchPushed, BuildFact, ErrorResolved, ErrorTracked,
    GateCondition, GateJudged, LessonProposed, SealSigned, ShipHeeded, SprintOpened, SprintPart,
    SprintPlanned, SprintStage,
};
pub use council::{
    CouncilFact, CouncilPhase, DebateClosed, DebatePart, DecisionMade, ReviewMade, RoundEvaluated,
    StanceSpoke,
};
pub use judging::{
    AssumptionRaised, AssumptionResolved, BreakerTripped, CriteriaJudged, FeedbackRouted,
    JudgingFact, OwnerReviewed,
};
pub use money::{
    CapChanged, CeilingBroken, CostPreviewed, LossCause, MoneyFact, ShareExceeded, SpendAllowed,
    SpendThreshold, UsageLost, UsageReleased, UsageReserved, UsageSettled,
};
pub use plan::{
    ContractSubmitted, ContractsPinned, DiscoveryAnswered, EarlierRunsRecalled, IntakeClassified,
    MemoryRecalled, ModelRoom, ModelsChosen, PlanFact, RecommendersChosen, RepositoryRead,
    RouteDecided, SpecWritten,
};
pub use question::{QuestionAnswered, QuestionAsked, QuestionFact};
pub use run::{
    Aborted, Faulted, Halted, Heard, InboxRejected, PauseCause, Paused, Resumed, RunFact,
    RunStarted, Said, Sealed, ShipRequested, StageEntered,
};
pub use step::{
    AttemptFailed, GaveUp, InputDrifted, StepBegan, StepFact, TimerFired, TimerSet, TreeRecorded,
};
pub use work::{
    CommandFinished, CommitMade, ModelReplied, SandboxLevel, StopReason, ToolCallMade,
    ToolFinished, VerifyFinished, VerifyVerdict, WorkFact,
};
