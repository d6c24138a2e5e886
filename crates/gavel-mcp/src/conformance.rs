//! A server for the official conformance suite: the tools, prompts and resources that its scenarios
//! ask for, behind the same door and with the same declared capabilities as the real one.
//!
//! What Gavel does not declare or use (sampling, roots, logging, subscriptions, tasks) is not here;
//! `tests/conformance/expected.json` names those scenarios.

mod asks;
mod contents;

use rmcp::ErrorData;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult, CompletionInfo,
    GetPromptRequestParams, GetPromptResponse, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ProgressNotificationParam,
    ReadResourceRequestParams, ReadResourceResponse, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::server::{OpenDoor, told_of_itself};

type Context = RequestContext<RoleServer>;

/// Serves what the suite asks for until `stop` ends.
pub async fn serve_conformance(door: OpenDoor, stop: CancellationToken) {
    door.serve_handler(|| Ok(Fixture), stop).await;
}

#[derive(Debug, Clone, Copy)]
struct Fixture;

/// A whole result, from how it looks on the wire.
fn complete<T: DeserializeOwned>(mut result: Value) -> Result<T, ErrorData> {
    if let Value::Object(fields) = &mut result {
        fields.insert("resultType".to_owned(), "complete".into());
    }
    wire(result)
}

/// Reads a value of the protocol from how it looks on the wire.
fn wire<T: DeserializeOwned>(value: Value) -> Result<T, ErrorData> {
    serde_json::from_value(value)
        .map_err(|error| ErrorData::internal_error(format!("fixture: {error}"), None))
}

impl ServerHandler for Fixture {
    fn get_info(&self) -> ServerConfig {
        told_of_itself()
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: Context,
    ) -> Result<ListToolsResult, ErrorData> {
        complete(json!({ "tools": contents::tools() }))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let tools = contents::tools().into_iter();
        let mut tools = tools.filter_map(|tool| wire::<Tool>(tool).ok());
        tools.find(|tool| tool.name == name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: Context,
    ) -> Result<CallToolResponse, ErrorData> {
        let name = request.name.to_string();
        if name == "test_tool_with_progress" {
            tell_progress(&context).await?;
        }
        if let Some(result) = contents::result(&name) {
            return complete::<rmcp::model::CallToolResult>(result).map(Into::into);
        }
        asks::call(request, &context).await
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: Context,
    ) -> Result<ListPromptsResult, ErrorData> {
        complete(json!({ "prompts": contents::prompts() }))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: Context,
    ) -> Result<GetPromptResponse, ErrorData> {
        let arguments = Value::Object(request.arguments.clone().unwrap_or_default());
        if let Some(messages) = contents::prompt(&request.name, &arguments) {
            let filled: rmcp::model::GetPromptResult = complete(json!({ "messages": messages }))?;
            return Ok(filled.into());
        }
        asks::prompt(&request, &context)
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: Context,
    ) -> Result<ListResourcesResult, ErrorData> {
        complete(json!({ "resources": contents::resources() }))
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: Context,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        complete(json!({ "resourceTemplates": contents::templates() }))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: Context,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let Some(found) = contents::resource(&request.uri) else {
            let data = json!({ "uri": request.uri });
            return Err(ErrorData::resource_not_found(
                "there is nothing",
                Some(data),
            ));
        };
        let read: rmcp::model::ReadResourceResult = complete(json!({ "contents": [found] }))?;
        Ok(read.into())
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _context: Context,
    ) -> Result<CompleteResult, ErrorData> {
        let typed = &request.argument.value;
        let known = ["paper", "park", "party"].into_iter();
        let values = known
            .filter(|word| word.starts_with(typed))
            .map(str::to_owned);
        let info = CompletionInfo::with_all_values(values.collect());
        let info = info.map_err(|problem| ErrorData::internal_error(problem, None))?;
        Ok(CompleteResult::new(info))
    }
}

async fn tell_progress(context: &Context) -> Result<(), ErrorData> {
    let Some(token) = context.meta.get_progress_token() else {
        return Ok(());
    };
    for done in [0.0, 50.0, 100.0] {
        let word = ProgressNotificationParam::new(token.clone(), done).with_total(100.0);
        context
            .peer
            .notify_progress(word)
            .await
            .map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        // The suite wants to see that they come one after the other.
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    Ok(())
}
