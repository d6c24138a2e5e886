//! How much a build's commands may write: a person may allow more while the run is driven.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gavel_domain::{AnswerShape, AnswerValue, Audience, Key, OnTimeout, Purpose, QuestionCard};
use gavel_run::{Question, Run, RunError};
use gavel_workspace::Limits;

/// Runs of this flow and later ones ask.
const SINCE: u32 = 9;
/// How often it may be doubled.
const MOST: u32 = 8;
const RAISE: &str = "raise";
const KEEP: &str = "keep";

/// The cap of one run. Clones share it; the answers stand in the journal.
#[derive(Debug, Clone, Default)]
pub struct DiskCap(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    doubled: u32,
    refused: bool,
}

impl DiskCap {
    /// The limits with what was allowed beyond them.
    #[must_use]
    pub fn applied_to(&self, limits: Limits) -> Limits {
        let doubled = self.lock().doubled;
        if doubled == 0 {
            return limits;
        }
        let bytes = limits.disk_bytes.saturating_mul(1 << doubled);
        limits.with_disk(bytes)
    }

    /// Asks whoever attends for twice as much, after a command was ended at this cap. True when it is
    /// allowed; where nobody attends, the cap stays as it is.
    pub async fn ask(&self, run: &Run, what: &str, limits: &Limits) -> Result<bool, RunError> {
        let number = {
            let state = self.lock();
            if run.flow() < SINCE || state.refused || state.doubled >= MOST {
                return Ok(false);
            }
            state.doubled + 1
        };
        let now = self.applied_to(limits.clone());
        let key = Key::new(format!("disk/raise-{number}"))?;
        let answer = run.ask_attended(key, question(what, &now)).await?.value;
        let raised = matches!(answer.value, AnswerValue::Option { id } if id == RAISE);
        let mut state = self.lock();
        if raised {
            state.doubled = number;
        } else {
            state.refused = true;
        }
        Ok(raised)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Only what was seen: which of the two bounds it was is not known.
fn question(what: &str, now: &Limits) -> Question {
    let mib = |bytes: u64| bytes >> 20;
    let (command, build) = (mib(now.disk_bytes), mib(now.disk_total));
    let card = QuestionCard::with_options(
        "A command was ended at the disk cap. Allow twice as much in this run?".to_owned(),
        Some(format!(
            "{what}: when Gavel looked, the command had added more than {command} MiB to the folders that \
             it can write, or its build held more than {build} MiB there. The setting \
             sandbox.disk_mib changes it for all runs."
        )),
        &[
            (RAISE, "allow it"),
            (KEEP, "leave the cap; the command counts as ended by it"),
        ],
    );
    Question {
        purpose: Purpose::Choice,
        card,
        shape: AnswerShape::Choice {
            options: [RAISE, KEEP].map(str::to_owned).to_vec(),
        },
        recommended: Some(KEEP.to_owned()),
        audience: Audience::Person,
        deadline: None,
        on_timeout: OnTimeout::Wait,
    }
}
