//! Calls that answers and refusals suggest: whoever gets one can make it, with the tools that are
//! switched on and with what they may do.

use gavel_agent::{NextCall, Refused, Visit};
use serde_json::Value;

use super::McpServer;

/// The field of suggested calls, wherever it stands.
const NEXT: &str = "next";

impl McpServer {
    /// Leaves of the calls that a refusal suggests those that its caller can make, and says how the
    /// others are switched on.
    pub(super) fn callable(&self, visit: &Visit, mut refused: Refused) -> Refused {
        let (can, cannot): (Vec<NextCall>, Vec<NextCall>) = refused
            .next
            .into_iter()
            .partition(|next| self.can(visit, next.tool, &next.arguments));
        refused.next = can;
        for next in cannot {
            let spec = self.shop.counter.spec(next.tool);
            let Some(spec) = spec.filter(|spec| !self.shop.offered.has(spec)) else {
                continue;
            };
            let words = self.shop.offered.words_with(spec.set);
            let off = format!(
                "; {} is switched off here: --tools {words} offers it",
                next.tool
            );
            if !refused.message.contains(&off) {
                refused.message.push_str(&off);
            }
        }
        refused
    }

    /// The same in an answer, wherever calls are suggested in it.
    pub(super) fn callable_in(&self, visit: &Visit, answer: &mut Value) {
        match answer {
            Value::Object(fields) => {
                for (name, value) in fields {
                    let calls = value.as_array_mut().filter(|_| name == NEXT);
                    match calls {
                        Some(calls) => calls.retain(|call| self.can_be_made(visit, call)),
                        None => self.callable_in(visit, value),
                    }
                }
            }
            Value::Array(items) => {
                for item in items {
                    self.callable_in(visit, item);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    fn can_be_made(&self, visit: &Visit, call: &Value) -> bool {
        match (
            call.get("tool").and_then(Value::as_str),
            call.get("arguments"),
        ) {
            (Some(tool), Some(arguments)) => self.can(visit, tool, arguments),
            // It is no call, whatever it is called.
            (_, _) => true,
        }
    }

    fn can(&self, visit: &Visit, tool: &str, arguments: &Value) -> bool {
        let spec = self.shop.counter.spec(tool);
        spec.is_some_and(|spec| self.shop.offered.has(spec))
            && self.shop.counter.may(visit, tool, arguments)
    }
}
