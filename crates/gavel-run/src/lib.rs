//! The run engine: a run is a journal of keyed facts, effects happen in steps.
//!
//! A driver is an async function over [`Run`], top to bottom. Asking for a key that is on record
//! reads it; otherwise the effect happens, its result is committed, and only then does anyone see
//! it. From this follow resume, "no recorded reply is bought twice", and the crash tests.
//!
//! This crate holds no SQL and no HTTP: it speaks to [`gavel_store::Store`] and
//! [`gavel_models::Model`].

mod amend;
mod ask;
mod call;
mod class;
mod clock;
mod commit;
mod door;
mod engine;
mod error;
mod follow;
mod inner;
mod journal;
mod mailbox;
mod manifest;
mod money_cards;
mod note;
mod recall;
mod receive;
mod run;
mod signal;
mod source_consent;
mod step;
mod stop;
pub mod toy;
mod usage;
mod view;
mod writer;

pub use amend::{Amendment, HeldRun};
pub use ask::Question;
pub use call::Call;
pub use class::{Begun, Ended, Once, Probe, Pure, StepClass, Tree};
pub use clock::{Clock, SystemClock, fresh_id};
pub use commit::StepCommit;
pub use engine::{Drift, DriveEnd, DriveOptions, Engine, NewRun, PaidConsent, WaitMode};
pub use error::{Bug, RunError, StepError, StepFailure, Stop};
pub use follow::{Follower, Replay, replay};
pub use mailbox::{Delivery, MailError, Mailbox, OpenQuestion};
pub use recall::{
    NamedAsk, ProjectMemory, RecallAsk, RecallError, RecallSpec, RecalledItem, Recaller, Recalling,
    mark_of,
};
pub use run::{Recorded, Run};
pub use signal::Signal;
pub use step::Blobs;
pub use stop::StopHandle;
pub use usage::{ModelInRole, Spend, Usage, usage, usage_and_damage};
