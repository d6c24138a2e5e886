//! What is known about a call before it is sent: its model, its ceilings, and whether it fits.

use gavel_domain::{
    Blob, Digest, Fault, FaultClass, GaveUp, Key, MicroUsd, RecordDraft, SpendClass, Tokens,
    UsageReserved,
};
use gavel_models::{ModelInfo, Tokenizer, input_ceiling};
use gavel_store::CallId;

use super::Call;
use crate::writer::Proposal;
use crate::{Run, RunError, StepError};

/// What a token holds of ordinary text, about.
const BYTES_PER_TOKEN: u64 = 4;

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
    pub(super) fn set_input_max(&mut self, input_max: Tokens) {
        self.input_max = input_max;
        let price = self.info.price;
        self.ceiling = price.map(|price| price.worst_case(input_max, self.output_max));
    }

    pub(crate) fn model(&self) -> String {
        self.call.request.model.to_string()
    }

    pub(super) fn call_id(&self, run: &Run, number: u32) -> CallId {
        CallId {
            run: run.id(),
            key: self.key.attempt_part(number, "reserved"),
        }
    }
}

impl Run {
    pub(super) fn plan(&self, key: Key, call: Call, manifest: Blob) -> Result<Plan, RunError> {
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
    pub(super) fn too_long(&self, plan: &Plan) -> Option<String> {
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
    pub(super) async fn refuse(&self, plan: &Plan, message: String) -> Result<RunError, RunError> {
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
}
