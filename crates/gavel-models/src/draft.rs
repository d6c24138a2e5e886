//! A reply under way, and the judgement at its end.
//!
//! Both wires collect into a [`Draft`]; whatever is wrong with a reply is found here once, so the
//! two clients cannot disagree about what counts as an answer.

use gavel_domain::{Billed, StopReason, TokenUsage, Tokens};
use serde_json::Value;

use crate::answer;
use crate::echo::is_echo;
use crate::error::bad_reply;
use crate::meter::OutputMeter;
use crate::{BadReply, CallError, CallErrorKind, Delta, Reply, Request, ToolCall};

/// What came so far.
pub(crate) struct Draft {
    request: Request,
    answer_tool: Option<String>,
    meter: OutputMeter,
    text: String,
    calls: Vec<ToolCall>,
    stop: Option<StopReason>,
    usage: Option<TokenUsage>,
}

impl Draft {
    /// Begins a reply to this request; `answer_tool` is the tool that carries the answer, if any.
    pub(crate) fn new(request: Request, answer_tool: Option<String>) -> Self {
        let meter = OutputMeter::new(&request);
        Self {
            request,
            answer_tool,
            meter,
            text: String::new(),
            calls: Vec::new(),
            stop: None,
            usage: None,
        }
    }

    /// More text.
    pub(crate) fn text(&mut self, piece: &str, out: &mut Vec<Delta>) -> Result<(), CallError> {
        self.meter.add(piece)?;
        self.text.push_str(piece);
        if !piece.is_empty() {
            out.push(Delta::Text(piece.to_owned()));
        }
        Ok(())
    }

    /// Output that is billed and not shown.
    pub(crate) fn reasoning(&mut self, piece: &str) -> Result<(), CallError> {
        self.meter.add(piece)
    }

    /// A tool call began; returns its place.
    pub(crate) fn call(
        &mut self,
        id: &str,
        name: &str,
        out: &mut Vec<Delta>,
    ) -> Result<usize, CallError> {
        self.meter.add(id)?;
        self.meter.add(name)?;
        let known = self.request.tools.iter().any(|tool| tool.name == name);
        if known {
            out.push(Delta::ToolStarted {
                name: name.to_owned(),
            });
        } else if self.answer_tool.as_deref() != Some(name) {
            return Err(bad_reply(BadReply::UnknownTool, name));
        }
        let place = self.calls.len();
        // Some servers name no call. The number of messages only grows, so the name is new.
        let id = if id.is_empty() {
            format!("call_{}_{place}", self.request.messages.len())
        } else {
            id.to_owned()
        };
        self.calls.push(ToolCall {
            id,
            name: name.to_owned(),
            arguments: String::new(),
        });
        Ok(place)
    }

    /// More arguments of the call at this place.
    pub(crate) fn arguments(
        &mut self,
        place: usize,
        piece: &str,
        out: &mut Vec<Delta>,
    ) -> Result<(), CallError> {
        self.meter.add(piece)?;
        let Some(call) = self.calls.get_mut(place) else {
            return Err(bad_reply(BadReply::Malformed, "arguments of no call"));
        };
        call.arguments.push_str(piece);
        if self.answer_tool.as_ref() == Some(&call.name) && !piece.is_empty() {
            out.push(Delta::Text(piece.to_owned()));
        }
        Ok(())
    }

    /// The reason of the end.
    pub(crate) const fn stop(&mut self, stop: StopReason) {
        self.stop = Some(stop);
    }

    /// The latest count of the provider.
    pub(crate) const fn usage(&mut self, usage: TokenUsage) {
        self.usage = Some(usage);
    }

    /// Judges the whole reply. The stream must have ended as its wire promises.
    pub(crate) fn seal(mut self) -> Result<Reply, CallError> {
        let Some(stop) = self.stop else {
            return Err(bad_reply(BadReply::Cut, "no reason for the end"));
        };
        for call in &mut self.calls {
            if call.arguments.trim().is_empty() {
                "{}".clone_into(&mut call.arguments);
            }
            if !is_object(&call.arguments) {
                return Err(spoilt(stop, BadReply::ToolArguments, &call.name));
            }
        }
        let answered = self.take_answer();
        if self.calls.is_empty() && answered.is_none() {
            if self.text.trim().is_empty() {
                return Err(spoilt(stop, BadReply::Empty, ""));
            }
            if is_echo(&self.request, &self.text) {
                return Err(bad_reply(BadReply::Echo, &self.text));
            }
            if self.request.demands_tool() {
                return Err(spoilt(stop, BadReply::NoToolCall, &self.text));
            }
        }
        if self.calls.is_empty() {
            self.text = self.checked_answer(answered, stop)?;
        }
        let usage = self
            .usage
            .filter(|usage| usage.output > Tokens(0) && usage.total() > usage.output);
        let Some(usage) = usage else {
            return Err(bad_reply(BadReply::NoUsage, ""));
        };
        let stop = match (stop, self.calls.is_empty()) {
            (StopReason::End | StopReason::ToolUse, true) => StopReason::End,
            (StopReason::End | StopReason::ToolUse, false) => StopReason::ToolUse,
            (StopReason::MaxTokens, _) => StopReason::MaxTokens,
        };
        Ok(Reply {
            text: self.text,
            tool_calls: self.calls,
            stop,
            usage,
        })
    }

    /// Takes the answer tool out of the calls. Beside real calls it is dropped: the model wants to
    /// go on, and what it concludes before the results came is not its answer.
    fn take_answer(&mut self) -> Option<String> {
        let name = self.answer_tool.take()?;
        let at = self.calls.iter().position(|call| call.name == name)?;
        let answer = self.calls.remove(at).arguments;
        self.calls.retain(|call| call.name != name);
        self.calls.is_empty().then_some(answer)
    }

    fn checked_answer(
        &self,
        answered: Option<String>,
        stop: StopReason,
    ) -> Result<String, CallError> {
        let text = answered.unwrap_or_else(|| self.text.clone());
        if self.request.answer.is_none() {
            return Ok(text);
        }
        match (answer::find_json(&text), stop) {
            (Some((json, _)), _) => Ok(json.to_owned()),
            (None, StopReason::MaxTokens) => Err(bad_reply(BadReply::TooLong, &text)),
            // It arrived whole and was billed as counted: whoever asked says what is wrong with it.
            (None, StopReason::End | StopReason::ToolUse) => Ok(text),
        }
    }
}

/// A reply that broke off at the output maximum is too long, whatever else the break spoilt.
fn spoilt(stop: StopReason, problem: BadReply, message: &str) -> CallError {
    match stop {
        StopReason::MaxTokens => bad_reply(BadReply::TooLong, message),
        StopReason::End | StopReason::ToolUse => bad_reply(problem, message),
    }
}

fn is_object(json: &str) -> bool {
    matches!(serde_json::from_str(json), Ok(Value::Object(_)))
}

/// The provider stopped for reasons of its own policy.
pub(crate) fn refused_midway(message: &str) -> CallError {
    CallError::new(CallErrorKind::Refused, Billed::Unknown, message)
}
