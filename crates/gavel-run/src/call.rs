//! Model calls: the only path to a provider. Reserve, send, settle; a fact for each.

use std::time::Duration;

use futures_util::StreamExt;
use gavel_domain::{
    AttemptFailed, Billed, Blob, CeilingBroken, Digest, Fault, FaultClass, GaveUp, Key, LossCause,
    MicroUsd, ModelReplied, RecordDraft, Role, Settings, SpendClass, Tokens, ToolCallMade,
    UsageLost, UsageReleased, UsageReserved, UsageSettled, cost,
};
use gavel_models::{
    CallError, CallErrorKind, Delta, ModelInfo, Reply, Request, Tokenizer, ToolCall, input_ceiling,
};
use gavel_rules::{NextTry, RetryPolicy, next_try};
use gavel_store::{CallId, LedgerChange};
use serde_json::Value;

use crate::manifest::manifest;
use crate::writer::Proposal;
use crate::{Recorded, Run, RunError, Signal, StepError};

/// A call to be made.
#[derive(Debug, Clone)]
pub struct Call {
    /// What is sent.
    pub request: Request,
    /// For whom.
    pub role: Role,
    /// How often it is tried.
    pub policy: RetryPolicy,
}

impl Call {
    /// A call with the usual policy: three attempts, 2 s and 6 s apart.
    pub fn new(request: Request, role: Role) -> Self {
        Self {
            request,
            role,
            policy: RetryPolicy::calls(),
        }
    }
}

/// A count of tokens above this is no count, and sums of such would not fit the ledger.
const MAX_COUNT: u64 = 1_000_000_000_000;

/// What a token holds of ordinary text, about.
const BYTES_PER_TOKEN: u64 = 4;

/// The setting that says how long a model may be silent before its first word, in seconds.
const PATIENCE: &str = "models.patience_s";

/// A call that waits as long as the run's settings say; what is asked stays the same.
fn patient(mut call: Call, settings: &Settings) -> Call {
    let seconds = settings.values.get(PATIENCE).and_then(Value::as_u64);
    if let Some(patience) = seconds.map(Duration::from_secs) {
        let clocks = &mut call.request.limits.deadlines;
        // Who waits longer for the first word waits as much longer for the last.
        let longer = patience.saturating_sub(clocks.first_byte);
        clocks.total = clocks.total.saturating_add(longer);
        clocks.first_byte = patience;
        clocks.connect = clocks.connect.min(patience);
        clocks.idle = clocks.idle.min(patience);
    }
    call
}

/// What one attempt came to.
enum Sent {
    Replied(Reply),
    Failed(CallError),
    Cut,
}

/// A call with everything that is known about it before it is sent.
pub(crate) struct Plan {
    pub(crate) key: Key,
    pub(crate) call: Call,
    pub(crate) info: ModelInfo,
    pub(crate) input: Digest,
    pub(crate) input_max: Tokens,
    pub(crate) output_max: Tokens,
    pub(crate) ceiling: Option<MicroUsd>,
    pub(crate) class: SpendClass,
    pub(crate) manifest: Blob,
    is_counted: bool,
    /// True while the ceiling of the input is a number of bytes.
    in_bytes: bool,
}

impl Plan {
    fn set_input_max(&mut self, input_max: Tokens) {
        self.input_max = input_max;
        let price = self.info.price;
        self.ceiling = price.map(|price| price.worst_case(input_max, self.output_max));
    }

    pub(crate) fn model(&self) -> String {
        self.call.request.model.to_string()
    }

    fn call_id(&self, run: &Run, number: u32) -> CallId {
        CallId {
            run: run.id(),
            key: self.key.attempt_part(number, "reserved"),
        }
    }
}

impl Run {
    /// Asks a model, or reads its recorded reply.
    ///
    /// A reply on record is never bought again. A call that was cut or lost is booked in full and
    /// made again; one that fails is tried again by its policy, then `gave_up` stands on record.
    pub async fn call(&self, key: Key, call: Call) -> Result<Recorded<Reply>, RunError> {
        self.inner.claim(&key)?;
        let call = patient(call, &self.settings());
        let (manifest, messages) = manifest(&key, &call.request)?;
        let input = manifest.name().digest;
        if let Some(record) = self.recorded(&key, input).await? {
            let value = self.read_reply(&record.read()?).await?;
            return Ok(Recorded {
                value,
                at: record.at,
            });
        }
        let mut plan = self.plan(key, call, manifest)?;
        if plan.input_max > self.settings().max_input {
            self.recount(&mut plan).await;
        }
        if let Some(message) = self.too_long(&plan) {
            return Err(self.refuse(&plan, message).await?);
        }
        let mut messages = Some(messages);
        loop {
            self.wait_for_turn(&plan.key, &plan.call.policy).await?;
            let number = self
                .reserve(&mut plan, messages.take().unwrap_or_default())
                .await?;
            match self.send(&plan).await {
                Sent::Replied(reply) => match unrecordable(&plan, &reply) {
                    Some(error) => self.book_failure(&plan, number, error).await?,
                    None => return self.settle(&plan, number, reply).await,
                },
                Sent::Failed(error) => self.book_failure(&plan, number, error).await?,
                Sent::Cut => {
                    self.book_loss(&plan, number).await?;
                    return Err(self.inner.stopped());
                }
            }
        }
    }

    fn plan(&self, key: Key, call: Call, manifest: Blob) -> Result<Plan, RunError> {
        let Some(configured) = self.inner.models.get(&call.request.model) else {
            return Err(RunError::NoModel(call.request.model));
        };
        let info = configured.info.clone();
        let input_max = input_ceiling(&call.request, &info, None);
        let output_max = call.request.limits.max_output;
        let class = match info.price {
            Some(_) => SpendClass::Metered,
            None => SpendClass::Unmetered,
        };
        let input = manifest.name().digest;
        let in_bytes = info.tokenizer == Tokenizer::Unknown;
        let mut plan = Plan {
            key,
            call,
            info,
            input,
            input_max,
            output_max,
            ceiling: None,
            class,
            manifest,
            is_counted: false,
            in_bytes,
        };
        plan.set_input_max(input_max);
        Ok(plan)
    }

    /// Asks the provider to count, where it offers that: its count gives a lower ceiling than the
    /// request's bytes. Costs a request but no money, so it is done only when the bytes do not fit.
    /// Returns whether the ceiling came down.
    pub(crate) async fn recount(&self, plan: &mut Plan) -> bool {
        if plan.is_counted {
            return false;
        }
        plan.is_counted = true;
        let Some(configured) = self.inner.models.get(&plan.call.request.model) else {
            return false;
        };
        let counted = tokio::select! {
            counted = configured.count_tokens(&plan.call.request) => counted,
            () = self.inner.stop.pausing() => return false,
        };
        let counted = match counted {
            Ok(Some(counted)) => counted,
            Ok(None) => return false,
            Err(error) => {
                tracing::debug!(error = %error, "the provider did not count");
                return false;
            }
        };
        let input_max = input_ceiling(&plan.call.request, &plan.info, Some(counted));
        let came_down = input_max < plan.input_max;
        if came_down {
            plan.set_input_max(input_max);
            plan.in_bytes = false;
        }
        came_down
    }

    /// Says why a request is longer than the run or the model allows.
    fn too_long(&self, plan: &Plan) -> Option<String> {
        let (input_max, allowed) = (plan.input_max, self.settings().max_input);
        if input_max > allowed {
            return Some(format!(
                "the request may have {input_max} tokens, models.max_input allows {allowed}"
            ));
        }
        // A ceiling of bytes is no estimate. Some servers cut silently what is too long for them.
        let about = Tokens(input_max.0 / if plan.in_bytes { BYTES_PER_TOKEN } else { 1 });
        let (model, holds) = (&plan.info.id, plan.info.context);
        (about > holds).then(|| {
            format!(
                "the request has about {about} tokens, and {model} holds {holds}: choose a model \
                 with a larger context, or correct its `context` in [[models.catalogue]]"
            )
        })
    }

    /// Refuses a request, on record, before anything is sent.
    async fn refuse(&self, plan: &Plan, message: String) -> Result<RunError, RunError> {
        let detail = Blob::new(message.as_bytes());
        let fault = Fault {
            class: FaultClass::ContextTooLong,
            retry_after_ms: None,
            detail: Some(detail.name()),
        };
        let gave_up = GaveUp {
            error: fault,
            attempts: 0,
        };
        let draft = RecordDraft::with_input(plan.key.outcome(), plan.input, &gave_up)?;
        self.write(Proposal {
            blobs: vec![detail],
            ..Proposal::of(draft)
        })
        .await?;
        let key = plan.key.clone();
        Ok(RunError::Failed(Box::new(StepError {
            key,
            fault,
            attempts: 0,
            message,
        })))
    }

    pub(crate) fn reservation_draft(
        &self,
        plan: &Plan,
        number: u32,
    ) -> Result<RecordDraft, RunError> {
        let reserved = UsageReserved {
            model: plan.model(),
            role: plan.call.role,
            class: plan.class,
            ceiling: plan.ceiling,
            input_max: plan.input_max,
            output_max: plan.output_max,
            request: plan.manifest.name(),
        };
        let place = plan.key.attempt_part(number, "reserved");
        Ok(RecordDraft::with_input(place, plan.input, &reserved)?)
    }

    /// Sends the request and follows the reply, unless the drive is cut.
    async fn send(&self, plan: &Plan) -> Sent {
        let Some(configured) = self.inner.models.get(&plan.call.request.model) else {
            return Sent::Cut;
        };
        self.inner.signal(Signal::CallSent {
            key: plan.key.clone(),
            model: plan.model(),
            ceiling: plan.ceiling,
        });
        let mut stream = configured.model.stream(plan.call.request.clone());
        loop {
            let delta = tokio::select! {
                biased;
                () = self.inner.stop.cutting() => return Sent::Cut,
                delta = stream.next() => delta,
            };
            match delta {
                Some(Ok(Delta::Finished(reply))) => return Sent::Replied(reply),
                Some(Ok(Delta::Text(text))) => {
                    self.inner.signal(Signal::Text {
                        key: plan.key.clone(),
                        text,
                    });
                }
                Some(Ok(Delta::ToolStarted { .. })) => {}
                Some(Err(error)) => return Sent::Failed(error),
                None => return Sent::Failed(cut_short()),
            }
        }
    }

    async fn settle(
        &self,
        plan: &Plan,
        number: u32,
        reply: Reply,
    ) -> Result<Recorded<Reply>, RunError> {
        let spent = plan.info.price.map(|price| cost(&price, &reply.usage));
        let settled = UsageSettled {
            model: plan.model(),
            usage: reply.usage,
            cost: spent,
            input_max: plan.input_max,
        };
        let place = plan.key.attempt_part(number, "settled");
        let mut proposal = Proposal::of(RecordDraft::new(place, &settled)?);
        if let (Some(cost), Some(ceiling)) = (spent, plan.ceiling)
            && cost > ceiling
        {
            let broken = CeilingBroken {
                model: plan.model(),
                ceiling,
                cost,
            };
            let place = plan.key.attempt_part(number, "broken");
            proposal.drafts.push(RecordDraft::new(place, &broken)?);
        }
        let replied = keep_reply(plan.model(), &reply, &mut proposal.blobs);
        proposal.drafts.push(RecordDraft::with_input(
            plan.key.outcome(),
            plan.input,
            &replied,
        )?);
        proposal.ledger.push(LedgerChange::Settle {
            call: plan.call_id(self, number),
            cost: spent.unwrap_or_default(),
            usage: reply.usage,
        });
        let at = self.write(proposal).await?;
        Ok(Recorded { value: reply, at })
    }

    /// Books a failed attempt; returns `Ok` when another one may follow.
    async fn book_failure(
        &self,
        plan: &Plan,
        number: u32,
        error: CallError,
    ) -> Result<(), RunError> {
        let message = error.to_string();
        let detail = Blob::new(message.as_bytes());
        let fault = Fault {
            class: error.class(),
            retry_after_ms: error
                .retry_after()
                .map(|after| u64::try_from(after.as_millis()).unwrap_or(u64::MAX)),
            detail: Some(detail.name()),
        };
        let (_, failures) = self.next_attempt(&plan.key);
        let attempts = failures + 1;
        let mut proposal = self.loss(plan, number, error.billed, LossCause::Failed)?;
        let cost = match error.billed {
            Billed::No => MicroUsd::ZERO,
            Billed::Unknown => plan.ceiling.unwrap_or_default(),
        };
        let failed = AttemptFailed {
            fault,
            billed: error.billed,
            cost,
        };
        proposal
            .drafts
            .push(RecordDraft::new(plan.key.attempt(number), &failed)?);
        proposal.blobs.push(detail);
        let last = next_try(&plan.call.policy, attempts, &fault, 0) == NextTry::GiveUp;
        if last {
            let gave_up = GaveUp {
                error: fault,
                attempts,
            };
            proposal.drafts.push(RecordDraft::with_input(
                plan.key.outcome(),
                plan.input,
                &gave_up,
            )?);
        }
        self.write(proposal).await?;
        if last {
            let key = plan.key.clone();
            return Err(RunError::Failed(Box::new(StepError {
                key,
                fault,
                attempts,
                message,
            })));
        }
        Ok(())
    }

    async fn book_loss(&self, plan: &Plan, number: u32) -> Result<(), RunError> {
        let proposal = self.loss(plan, number, Billed::Unknown, LossCause::Cancelled)?;
        self.write(proposal).await?;
        Ok(())
    }

    /// Gives a reservation back when nothing was billed, else books it in full.
    fn loss(
        &self,
        plan: &Plan,
        number: u32,
        billed: Billed,
        cause: LossCause,
    ) -> Result<Proposal, RunError> {
        let call = plan.call_id(self, number);
        let (draft, change) = match billed {
            Billed::No => {
                let place = plan.key.attempt_part(number, "released");
                (
                    RecordDraft::new(place, &UsageReleased {})?,
                    LedgerChange::Release { call },
                )
            }
            Billed::Unknown => {
                let place = plan.key.attempt_part(number, "lost");
                let lost = UsageLost {
                    cause,
                    ceiling: plan.ceiling,
                };
                (RecordDraft::new(place, &lost)?, LedgerChange::Lose { call })
            }
        };
        Ok(Proposal {
            ledger: vec![change],
            ..Proposal::of(draft)
        })
    }

    async fn read_reply(&self, replied: &ModelReplied) -> Result<Reply, RunError> {
        let text = match replied.text {
            Some(name) => self.text(name).await?,
            None => String::new(),
        };
        let mut tool_calls = Vec::with_capacity(replied.tool_calls.len());
        for made in &replied.tool_calls {
            tool_calls.push(ToolCall {
                id: made.id.clone(),
                name: made.name.clone(),
                arguments: self.text(made.arguments).await?,
            });
        }
        Ok(Reply {
            text,
            tool_calls,
            stop: replied.stop,
            usage: replied.usage,
        })
    }
}

fn keep_reply(model: String, reply: &Reply, blobs: &mut Vec<Blob>) -> ModelReplied {
    let mut keep = |text: &str| {
        let blob = Blob::new(text.as_bytes());
        let name = blob.name();
        blobs.push(blob);
        name
    };
    ModelReplied {
        model,
        text: (!reply.text.is_empty()).then(|| keep(&reply.text)),
        tool_calls: reply
            .tool_calls
            .iter()
            .map(|call| ToolCallMade {
                id: call.id.clone(),
                name: call.name.clone(),
                arguments: keep(&call.arguments),
            })
            .collect(),
        stop: reply.stop,
        usage: reply.usage,
    }
}

/// Why no record can hold a reply. The provider worked for it, so it is booked in full, and the call
/// fails instead of the run: else every resume would buy it again.
fn unrecordable(plan: &Plan, reply: &Reply) -> Option<CallError> {
    let replied = keep_reply(plan.model(), reply, &mut Vec::new());
    let too_long = RecordDraft::new(plan.key.outcome(), &replied).is_err();
    let (problem, message) = if too_long {
        let calls = reply.tool_calls.len();
        let message = format!("its {calls} tool calls do not fit a record");
        (gavel_models::BadReply::TooLong, message)
    } else if reply.usage.total().0 > MAX_COUNT {
        let message = format!("it counts {} tokens", reply.usage.total());
        (gavel_models::BadReply::Malformed, message)
    } else {
        return None;
    };
    Some(CallError {
        kind: CallErrorKind::BadReply(problem),
        billed: Billed::Unknown,
        message,
    })
}

/// A stream that ended without saying so: the client broke its promise, so it is booked in full.
fn cut_short() -> CallError {
    CallError {
        kind: CallErrorKind::BadReply(gavel_models::BadReply::Cut),
        billed: Billed::Unknown,
        message: String::new(),
    }
}

#[cfg(test)]
mod tests {
    use gavel_models::{Deadlines, Limits, ToolChoice};

    use super::*;

    fn waits(patience: Option<u64>) -> Deadlines {
        let request = Request {
            model: "fake/model".parse().unwrap(),
            messages: Vec::new(),
            tools: Vec::new(),
            tool_choice: ToolChoice::Auto,
            answer: None,
            limits: Limits {
                max_output: Tokens(10),
                deadlines: Deadlines::default(),
            },
        };
        let mut settings = Settings::default();
        let patience = patience.map(|seconds| (PATIENCE.to_owned(), seconds.into()));
        settings.values.extend(patience);
        patient(Call::new(request, Role::Leader), &settings)
            .request
            .limits
            .deadlines
    }

    #[test]
    fn a_model_may_be_silent_as_long_as_the_run_says() {
        let usual = Deadlines::default();
        assert_eq!(waits(None), usual);
        let short = waits(Some(2));
        let two = Duration::from_secs(2);
        assert_eq!(
            (short.connect, short.first_byte, short.idle),
            (two, two, two)
        );
        assert_eq!(short.total, usual.total);
        let long = waits(Some(300));
        assert_eq!((long.connect, long.idle), (usual.connect, usual.idle));
        assert_eq!(long.first_byte, Duration::from_secs(300));
        assert_eq!(long.total, usual.total + Duration::from_secs(180));
    }
}
