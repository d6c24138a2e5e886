//! The words of Gavel: ids, keys, records, facts, money, questions and heads, as plain data.
//!
//! Nothing here awaits, reads a clock, draws a random number or touches a file. Everything that is
//! stored has an explicit, tagged, snake_case form, frozen by golden files: variants and fields are
//! added, never renamed.

mod blob;
mod digest;
mod fact;
mod facts;
mod fault;
mod head;
mod id;
mod key;
mod money;
mod question;
mod record;
mod settings;
mod speaker;
mod stage;

pub use blob::{Blob, BlobRef};
pub use digest::{Digest, DigestError};
pub use fact::{Fact, FactError, MAX_BODY_BYTES};
pub use facts::{
    Aborted, AttemptFailed, CapChanged, CeilingBroken, CommandFinished, CommitMade, Faulted,
    GaveUp, Halted, Heard, InboxRejected, InputDrifted, LossCause, ModelReplied, MoneyFact,
    PauseCause, Paused, QuestionAnswered, QuestionAsked, QuestionFact, Resumed, RunFact,
    RunStarted, Said, SandboxLevel, Sealed, ShipRequested, SpendAllowed, SpendThreshold,
    StageEntered, StepBegan, StepFact, StopReason, TimerFired, TimerSet, ToolCallMade,
    ToolFinished, TreeRecorded, UsageLost, UsageReleased, UsageReserved, UsageSettled,
    VerifyFinished, VerifyVerdict, WorkFact,
};
pub use fault::{Billed, Fault, FaultClass};
pub use head::Head;
pub use id::{IdError, InboxId, ProjectId, RunId};
pub use key::{Key, KeyError, RecordKey, Scope};
pub use money::{Cap, CapScope, MicroUsd, Month, Price, SpendClass, TokenUsage, Tokens, cost};
pub use question::{
    AnswerReply, AnswerShape, AnswerValue, Audience, CardOption, OnTimeout, Purpose, QuestionCard,
};
pub use record::{Epoch, RECORD_VERSION, Record, RecordDraft, Seq};
pub use settings::{Caps, Settings};
pub use speaker::{Door, Role, Speaker};
pub use stage::{RunState, Stage};

/// The moment type of every record: UTC, shown in local time only by surfaces.
pub use jiff::Timestamp;
