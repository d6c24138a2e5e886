//! The words of Gavel: ids, keys, records, facts, money, questions and heads, as plain data.
//!
//! Nothing here awaits, reads a clock, draws a random number or touches a file. Everything that is
//! stored has an explicit, tagged, snake_case form, frozen by golden files: variants and fields are
//! added, never renamed.

mod approval;
mod ask;
mod blob;
mod brief;
mod contract;
mod council;
mod deliberation;
mod digest;
mod example;
mod fact;
mod facts;
mod fault;
mod head;
mod id;
mod judging;
mod key;
mod moment;
mod money;
mod proof;
mod push;
mod question;
mod record;
mod settings;
mod speaker;
mod spec;
mod stage;

pub use approval::{ApprovalRule, Approver};
pub use ask::{Ask, AskAccount, AskSource, AskStanding, ClaimDoubt, IdeaOrigin};
pub use blob::{Blob, BlobRef};
pub use brief::ProductBrief;
pub use contract::{Contract, ContractKind};
pub use council::{
    ActionPlan, ActionStep, Badge, Choice, ClarifiedMatter, ClarifyAnswer, CouncilOutcome,
    DebatePlan, DebateStop, DecisionVote, Dissent, OpenDecision, OutputKind, OutputSection,
    OutputShape, PlanComplexity, ResolvedQuestion, SectionShape, Stance, StanceOrigin,
    StepPriority, TagCount, Voices,
};
pub use deliberation::{
    AgentId, Category, CountScope, ExitWhen, Flow, Iteration, LoopKind, LoopPhase, LoopStatus,
    Profile, Protocol, Schedule, Slot, StopCondition, TurnOutcome, UnknownLoopWord, Word,
    WordError,
};
pub use digest::{Digest, DigestError};
pub use example::{
    CriterionExample, Example, ExampleAction, ExampleFile, ExamplePath, ExampleProblem,
    ExampleStep, FORMAT as EXAMPLE_FORMAT, FileAfter, FixedWord, HttpMethod, JsonAt, RequestBody,
    quoted as quoted_word,
};
pub use fact::{Fact, FactError, MAX_BODY_BYTES};
pub use facts::{
    Aborted, Advance, ArtifactAdded, AsksAccounted, AsksRead, AssumptionRaised, AssumptionResolved,
    AttemptFailed, AuditFinished, AuditVerdict, BaseTestsRun, BranchPushed, BreakerTripped,
    BuildFact, CapChanged, CeilingBroken, ChoiceMade, Closed, CommandFinished, CommitMade,
    ConditionState, ContractSubmitted, ContractsCompared, ContractsPinned, CostPreviewed,
    CouncilFact, CouncilJudged, CouncilModels, CouncilPhase, CouncilPhaseEnded, CouncilSeated,
    CriteriaJudged, DebateClosed, DebatePart, DebatePlanned, DebateStopped, DecisionMade,
    Discounted, DiscoveryAnswered, DraftPromoted, DraftsCompared, EarlierRunsRecalled,
    ErrorResolved, ErrorTracked, ExampleExecuted, Faulted, FeedbackRouted, FindingReleased,
    GateCondition, GateJudged, GaveUp, Halted, Heard, HostRefusal, HostRefused, HostTraffic,
    InboxRejected, InputDrifted, InstallDecided, InstallRequest, InstallScripts, InstallStep,
    IntakeClassified, JudgingFact, KeptTestsTried, LessonProposed, LoopClosed, LoopEnd, LoopFact,
    LoopOpened, LoopPaused, LoopResumed, LossCause, MatterClarified, MaxIterationsReached,
    MemoryCited, MemoryRecalled, ModelReplied, ModelRoom, ModelsChosen, MoneyFact, NewTestsRun,
    OptionsReviewed, OutcomeFact, OwnerReviewed, PauseCause, Paused, PhaseAdvanceBlocked,
    PhaseAdvanced, PhaseOutcome, PlanFact, PolicyApproved, ProofFact, QuestionAnswered,
    QuestionAsked, QuestionFact, RecommendersChosen, RepositoryRead, RequestAnswered,
    ResearchDecided, ResearchMade, ResearchOutcome, ResearchSay, Resumed, ReviewMade,
    RoundEvaluated, RoundSummarised, RouteDecided, RunFact, RunStarted, Said, SandboxLevel,
    ScriptsUnasked, SealApproved, SealSigned, Sealed, SeatFailed, SeatLeft, SeatTaken,
    ShareExceeded, ShipHeeded, ShipRequested, SourceDecided, SourceRule, SourceUse, SpecWritten,
    SpendAllowed, SpendThreshold, SprintOpened, SprintPart, SprintPlanned, SprintStage,
    StageEntered, StanceSpoke, StepBegan, StepFact, StopReason, SynthesisMade, SynthesisOutcome,
    TestProven, TimerFired, TimerSet, ToolCallMade, ToolFinished, TreeRecorded, TurnAssigned,
    TurnCompleted, Unmet, UsageLost, UsageReleased, UsageReserved, UsageSettled, VerifyFinished,
    VerifyVerdict, Waived, WorkFact, WorkInspected,
};
pub use fault::{Billed, Fault, FaultClass};
pub use head::Head;
pub use id::{IdError, InboxId, ProjectId, RunId};
pub use judging::{
    Assumption, AssumptionStatus, ByHeart, Confidence, CriterionJudged, CriterionStanding,
    EvidenceRef, ExampleChanges, RepositoryKind, test_name, test_without_parameters,
};
pub use key::{Key, KeyError, RecordKey, Scope};
pub use money::{Cap, CapScope, MicroUsd, Month, Price, SpendClass, TokenUsage, Tokens, cost};
pub use proof::{
    BlindedTest, EvidenceRank, ExampleOutcome, ExampleReport, FaultCount, FaultOutcome,
    PlantedFault, TestOutcome, TestReport, missed_faults,
};
pub use push::{PushConsent, PushDecision, PushPlan, PushRefusal, PushState};
pub use question::{
    AnswerReply, AnswerShape, AnswerValue, Audience, CardOption, OnTimeout, Purpose, QuestionCard,
};
pub use record::{Epoch, RECORD_VERSION, Record, RecordDraft, Seq};
pub use settings::{Caps, Settings};
pub use speaker::{Door, Role, Speaker};
pub use spec::{AnswerSource, Criterion, Decision, DiscoveryAnswer, MemoryNote, Phase, Spec};
pub use stage::{RunState, Stage};

/// The moment type of every record: UTC, shown in local time only by surfaces.
pub use jiff::Timestamp;
pub use moment::{UnusableClock, moment, nearest_moment};
