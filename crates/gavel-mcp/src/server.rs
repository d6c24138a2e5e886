//! The server: what the counter holds, over MCP.
//!
//! It decides nothing about a call: the counter knows tools and grants, [`Library`] knows what can be
//! read. Here stand the protocol's words for them.

mod asking;
mod callers;
mod frames;
mod http;
mod library;
mod prompts;
mod result;
mod sessions;
mod stdio;
mod suggesting;
mod tools;
mod visits;

use std::collections::BTreeSet;
use std::sync::Arc;

use gavel_agent::{Counter, ServedSpec, SessionDesk, ToolSet, Visit};
use rmcp::ErrorData;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult, CompletionInfo,
    GetPromptRequestParams, GetPromptResponse, Implementation, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer};

pub use http::{HttpDoor, HttpError, HttpLimits, Keys, KeysError, OpenDoor};
pub use library::{Completing, Library, LibraryError, Listed, Page, ReadText, Template};
pub use stdio::{StdioError, serve_stdio};

use self::asking::Declined;

type Context = RequestContext<RoleServer>;

/// What is served, and to whom.
#[derive(Debug)]
pub struct Shop {
    /// The tools.
    pub counter: Counter,
    /// What can be read and completed.
    pub library: Arc<dyn Library>,
    /// Who narrowed themselves to what.
    pub desk: Arc<SessionDesk>,
    /// Which tools are offered.
    pub offered: Offered,
    /// Who speaks when the door says nothing more.
    pub visitor: Visit,
}

/// Which tools are offered: a list costs tokens in every conversation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Offered {
    /// Whole sets.
    pub sets: BTreeSet<ToolSet>,
    /// Single tools besides.
    pub names: BTreeSet<&'static str>,
    /// The words that name all of these, as whoever started the server said them.
    pub words: Vec<String>,
}

impl Offered {
    /// Every tool.
    pub fn all() -> Self {
        Self {
            sets: ToolSet::ALL.into(),
            names: BTreeSet::new(),
            words: vec!["all".to_owned()],
        }
    }

    /// What to say to have one set more.
    fn words_with(&self, set: ToolSet) -> String {
        let words = self.words.iter().map(String::as_str);
        words.chain([set.word()]).collect::<Vec<_>>().join(",")
    }

    fn has(&self, spec: &ServedSpec) -> bool {
        self.sets.contains(&spec.set) || self.names.contains(spec.name)
    }
}

/// A shop over MCP.
#[derive(Debug, Clone)]
pub struct McpServer {
    shop: Arc<Shop>,
    declined: Arc<Declined>,
}

impl McpServer {
    /// Serves a shop.
    pub fn new(shop: Shop) -> Self {
        Self {
            shop: Arc::new(shop),
            declined: Arc::default(),
        }
    }
}

/// What this program says of itself, and how a model best begins.
const INSTRUCTIONS: &str = "Gavel takes an idea to a verified branch and remembers what a project \
    decided. Search memory before you decide (gavel_memory_search), propose what you learned \
    (gavel_memory_add), take your turns in loops (gavel_loop, intent inbox). A refusal names the \
    call that helps in error.next.";

/// What is declared: nothing that is not served.
pub(crate) fn told_of_itself() -> ServerConfig {
    let capabilities = ServerCapabilities::builder()
        .enable_completions()
        .enable_prompts()
        .enable_resources()
        .enable_tools()
        .build();
    ServerConfig::new(capabilities)
        .with_server_info(Implementation::new("gavel", env!("CARGO_PKG_VERSION")))
        .with_instructions(INSTRUCTIONS)
}

impl ServerHandler for McpServer {
    fn get_info(&self) -> ServerConfig {
        told_of_itself()
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListToolsResult, ErrorData> {
        let visit = self.visit_of_list(&context)?;
        Ok(ListToolsResult::with_all_items(self.tools_for(&visit)))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: Context,
    ) -> Result<CallToolResponse, ErrorData> {
        self.call(request, context).await
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.shop.counter.spec(name).map(tools::told)
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: Context,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(prompts::all()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _context: Context,
    ) -> Result<GetPromptResponse, ErrorData> {
        prompts::filled(&request.name, &request.arguments.unwrap_or_default()).map(Into::into)
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListResourcesResult, ErrorData> {
        let visit = self.visit_of_list(&context)?;
        let after = request.and_then(|request| request.cursor);
        let page = self.shop.library.list(&visit, after.as_deref()).await;
        page.map(library::told_page).map_err(library::trouble)
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: Context,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let templates = self.shop.library.templates();
        let told = templates.iter().map(library::told_template).collect();
        Ok(ListResourceTemplatesResult::with_all_items(told))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: Context,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let visit = self.visit_of_list(&context)?;
        let read = self.shop.library.read(&visit, &request.uri).await;
        let read = read.map_err(library::trouble)?;
        Ok(library::told_text(read).into())
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: Context,
    ) -> Result<CompleteResult, ErrorData> {
        let visit = self.visit_of_list(&context)?;
        let completing = library::completing(&request);
        let found = self.shop.library.complete(&visit, &completing).await;
        let mut values = found.map_err(library::trouble)?;
        let more = values.len() > CompletionInfo::MAX_VALUES;
        // Whoever looks for values stops when there are more than fit.
        let total = u32::try_from(values.len()).ok().filter(|_| !more);
        values.truncate(CompletionInfo::MAX_VALUES);
        let info = CompletionInfo::with_pagination(values, total, more);
        let info = info.map_err(|problem| ErrorData::internal_error(problem, None))?;
        Ok(CompleteResult::new(info))
    }
}
