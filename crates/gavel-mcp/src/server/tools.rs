//! Tools over the protocol: listing, calling, progress, cancelling.

use std::sync::Arc;

use gavel_agent::{Progress, Reached, Refused, ServedAnswer, ServedSpec, Visit};
use rmcp::ErrorData;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, JsonObject, ProgressNotificationParam, ProgressToken,
    Tool, ToolAnnotations,
};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::{Context, McpServer, result};

/// The argument that brings a handle, in every tool.
pub(super) const HANDLE: &str = "context";
/// More words of progress than this wait for nobody.
const WORDS: usize = 32;

/// A call that is known and may be made.
pub(super) struct Ready {
    pub(super) name: String,
    pub(super) arguments: Value,
    pub(super) visit: Visit,
}

impl McpServer {
    /// What a visitor is shown: what grants and switched sets leave, in the order of names.
    pub(super) fn tools_for(&self, visit: &Visit) -> Vec<Tool> {
        let specs = self.shop.counter.list(visit).into_iter();
        let shown = specs.filter(|spec| self.shop.offered.has(spec));
        shown.map(told).collect()
    }

    /// Calls a tool. What is wrong with the request itself is an error of the protocol; what a tool
    /// refuses is a result that a model can read.
    pub(super) async fn call(
        &self,
        request: CallToolRequestParams,
        context: Context,
    ) -> Result<CallToolResponse, ErrorData> {
        let spec = self.known(&request.name)?;
        let ready = match self.ready(&request, &context) {
            Ok(ready) => ready,
            Err(refused) => {
                let refused = self.callable(&self.shop.visitor, refused);
                return Ok(result::refused(&refused).into());
            }
        };
        match self.call_heard(&ready, &context).await? {
            Ok(mut answer) => {
                self.callable_in(&ready.visit, &mut answer.structured);
                self.answered((spec, &ready), answer, (request, &context))
                    .await
            }
            Err(refused) => {
                let refused = self.callable(&ready.visit, refused);
                Ok(result::refused(&refused).into())
            }
        }
    }

    fn known(&self, name: &str) -> Result<&ServedSpec, ErrorData> {
        let name: String = name.chars().take(64).collect();
        let spec = self.shop.counter.spec(&name).ok_or_else(|| {
            let unknown = format!("unknown tool: `{name}`; tools/list names those that there are");
            ErrorData::invalid_params(unknown, None)
        })?;
        if self.shop.offered.has(spec) {
            return Ok(spec);
        }
        let off = format!(
            "unknown tool: `{name}` is in the set `{}`, which is switched off; start the server \
             with --tools {}",
            spec.set.word(),
            self.shop.offered.words_with(spec.set)
        );
        Err(ErrorData::invalid_params(off, None))
    }

    fn ready(&self, request: &CallToolRequestParams, context: &Context) -> Result<Ready, Refused> {
        let mut arguments = request.arguments.clone().unwrap_or_default();
        let handle = match arguments.remove(HANDLE) {
            None | Some(Value::Null) => None,
            Some(Value::String(handle)) => Some(handle),
            Some(_) => {
                let wrong = "`context` must be the text that gavel_set_session returned";
                return Err(Refused::new("bad_arguments", wrong));
            }
        };
        let visit = self.visit(context, handle.as_deref())?;
        Ok(Ready {
            name: request.name.to_string(),
            arguments: Value::Object(arguments),
            visit,
        })
    }

    /// Calls, passes progress on while the call goes, and drops it when the client gives it up.
    pub(super) async fn call_heard(
        &self,
        ready: &Ready,
        context: &Context,
    ) -> Result<Result<ServedAnswer, Refused>, ErrorData> {
        let (sender, mut words) = mpsc::channel(WORDS);
        let mut visit = ready.visit.clone();
        let token = context.meta.get_progress_token();
        if token.is_some() {
            visit.progress = Progress::to(sender);
        }
        let call = self
            .shop
            .counter
            .call(&visit, &ready.name, ready.arguments.clone());
        tokio::pin!(call);
        loop {
            tokio::select! {
                biased;
                () = context.ct.cancelled() => {
                    return Err(ErrorData::internal_error("the call was cancelled", None));
                }
                Some(reached) = words.recv() => tell(reached, context, token.as_ref()).await,
                answer = &mut call => {
                    // What was told last still comes before the answer.
                    while let Ok(reached) = words.try_recv() {
                        tell(reached, context, token.as_ref()).await;
                    }
                    return Ok(answer);
                }
            }
        }
    }
}

async fn tell(reached: Reached, context: &Context, token: Option<&ProgressToken>) {
    let Some(token) = token else {
        return;
    };
    let mut word = ProgressNotificationParam::new(token.clone(), reached.done);
    word.total = reached.of;
    word.message = reached.message;
    if let Err(error) = context.peer.notify_progress(word).await {
        tracing::debug!(%error, "progress was not heard");
    }
}

/// A tool as a client sees it.
pub(super) fn told(spec: &ServedSpec) -> Tool {
    let mut input: JsonObject = spec.input.clone();
    if let Some(Value::Object(properties)) = input.get_mut("properties") {
        let handle = json!({ "type": "string" });
        properties.entry(HANDLE).or_insert(handle);
    }
    let hints = ToolAnnotations::from_raw(
        None,
        Some(spec.hints.read_only),
        Some(spec.hints.destructive),
        Some(spec.hints.idempotent),
        Some(false),
    );
    let mut tool = Tool::new(spec.name, spec.purpose, Arc::new(input)).with_annotations(hints);
    tool.output_schema = Some(Arc::new(spec.output.clone()));
    tool
}
