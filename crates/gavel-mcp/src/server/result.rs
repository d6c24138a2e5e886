//! Results: what a tool answered or refused, in the protocol's form.

use gavel_agent::{Refused, ServedAnswer};
use rmcp::model::{CallToolResult, ContentBlock, ProtocolVersion};
use serde_json::json;

/// An answer: the data, and one line for people.
pub(super) fn answered(answer: ServedAnswer, version: Option<&ProtocolVersion>) -> CallToolResult {
    let mut content = vec![ContentBlock::text(answer.line)];
    // Clients from before there was structured content read text alone.
    let old = version.is_some_and(|version| *version < ProtocolVersion::V_2025_06_18);
    if old {
        content.push(ContentBlock::text(answer.structured.to_string()));
    }
    let mut result = CallToolResult::success(content);
    result.structured_content = Some(answer.structured);
    result
}

/// A refusal: why, and what to call next.
pub(super) fn refused(refused: &Refused) -> CallToolResult {
    let mut line = format!("refused ({}): {}", refused.code, refused.message);
    if let Some(next) = refused.next.first() {
        let call = format!("; next: {} {} ({})", next.tool, next.arguments, next.when);
        line.push_str(&call);
    }
    let mut result = CallToolResult::error(vec![ContentBlock::text(line)]);
    let error = json!({
        "code": refused.code,
        "message": refused.message,
        "next": refused.next,
        "data": refused.data,
    });
    result.structured_content = Some(json!({ "error": error }));
    result
}
