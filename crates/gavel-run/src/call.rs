//! Model calls: the only path to a provider. Reserve, send, settle; a fact for each.

mod booking;
mod plan;
mod reply;

use std::time::Duration;

use futures_util::StreamExt;
use gavel_domain::{Key, Role, Settings};
use gavel_models::{CallError, Delta, Reply, Request};
use gavel_rules::RetryPolicy;
use serde_json::Value;

use crate::manifest::manifest;
use crate::{Recorded, Run, RunError, Signal};
pub(crate) use plan::Plan;
use reply::{cut_short, unrecordable};

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

/// What one attempt came to; no secret that the program holds is in it any more.
enum Sent {
    Replied(Reply),
    Failed(CallError),
    Cut,
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
        let secrets = self.inner.models.secrets();
        let mut shown = secrets.follow();
        let mut stream = configured.model.stream(plan.call.request.clone());
        loop {
            let delta = tokio::select! {
                biased;
                () = self.inner.stop.cutting() => return Sent::Cut,
                delta = stream.next() => delta,
            };
            match delta {
                Some(Ok(Delta::Finished(reply))) => {
                    self.show(plan, shown.finish());
                    return Sent::Replied(secrets.scrub_reply(reply));
                }
                Some(Ok(Delta::Text(text))) => self.show(plan, shown.push(&text)),
                Some(Ok(Delta::ToolStarted { .. })) => {}
                Some(Err(error)) => return Sent::Failed(secrets.scrub_error(error)),
                None => return Sent::Failed(cut_short()),
            }
        }
    }

    fn show(&self, plan: &Plan, text: String) {
        if !text.is_empty() {
            let key = plan.key.clone();
            self.inner.signal(Signal::Text { key, text });
        }
    }
}

#[cfg(test)]
mod tests {
    use gavel_domain::Tokens;
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
