//! The facts, grouped by what they are about. Kinds and fields are promises; see `docs/journal.md`.

mod build;
mod council;
mod deliberation;
mod install;
mod judging;
mod money;
mod outcome;
mod plan;
mod proof;
mod question;
mod run;
mod step;
mod work;

pub use build::{
    AuditFinished, AuditVerdict, BranchPushed, BuildFact, ConditionState, ErrorResolved,
    ErrorTracked, GateCondition, GateJudged, LessonProposed, PolicyApproved, SealApproved,
    SealSigned, ShipHeeded, SprintOpened, SprintPart, SprintPlanned, SprintStage,
};
pub use council::{
    ChoiceMade, CouncilFact, CouncilPhase, CouncilPhaseEnded, CouncilSeated, DebatePart,
    DebatePlanned, DebateStopped, DraftsCompared, MatterClarified, PhaseOutcome, ResearchDecided,
    ResearchMade, ResearchOutcome, ResearchSay, RoundEvaluated, RoundSummarised, SeatFailed,
    SeatLeft, SeatTaken, StanceSpoke,
};
pub use deliberation::{
    Advance, ArtifactAdded, Discounted, DraftPromoted, LoopClosed, LoopEnd, LoopFact, LoopOpened,
    LoopPaused, LoopResumed, MaxIterationsReached, PhaseAdvanceBlocked, PhaseAdvanced,
    RequestAnswered, TurnAssigned, TurnCompleted, Unmet, Waived,
};
pub use install::{
    HostRefusal, HostRefused, HostTraffic, InstallDecided, InstallRequest, InstallScripts,
    InstallStep, ScriptsUnasked,
};
pub use judging::{
    AssumptionRaised, AssumptionResolved, BreakerTripped, CriteriaJudged, FeedbackRouted,
    JudgingFact, OwnerReviewed,
};
pub use money::{
    CapChanged, CeilingBroken, CostPreviewed, LossCause, MoneyFact, ShareExceeded, SourceDecided,
    SourceRule, SourceUse, SpendAllowed, SpendThreshold, UsageLost, UsageReleased, UsageReserved,
    UsageSettled,
};
pub use outcome::{
    CouncilJudged, DebateClosed, DecisionMade, OptionsReviewed, OutcomeFact, ReviewMade,
    SynthesisMade, SynthesisOutcome,
};
pub use plan::{
    AsksAccounted, AsksRead, ContractSubmitted, ContractsPinned, CouncilModels, DiscoveryAnswered,
    EarlierRunsRecalled, IntakeClassified, MemoryCited, MemoryRecalled, ModelRoom, ModelsChosen,
    PlanFact, RecommendersChosen, RepositoryRead, RouteDecided, SpecWritten,
};
pub use proof::{
    BaseTestsRun, ContractsCompared, ExampleExecuted, FindingReleased, KeptTestsTried, NewTestsRun,
    ProofFact, TestProven, WorkInspected,
};
pub use question::{QuestionAnswered, QuestionAsked, QuestionFact};
pub use run::{
    Aborted, Closed, Faulted, Halted, Heard, InboxRejected, PauseCause, Paused, Resumed, RunFact,
    RunStarted, Said, Sealed, ShipRequested, StageEntered,
};
pub use step::{
    AttemptFailed, GaveUp, InputDrifted, StepBegan, StepFact, TimerFired, TimerSet, TreeRecorded,
};
pub use work::{
    CommandFinished, CommitMade, ModelReplied, SandboxLevel, StopReason, ToolCallMade,
    ToolFinished, VerifyFinished, VerifyVerdict, WorkFact,
};
