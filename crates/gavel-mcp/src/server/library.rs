//! What can be read over MCP, behind a port that the surface fills.

use std::fmt;

use futures_util::future::BoxFuture;
use gavel_agent::{Refused, Visit};
use rmcp::ErrorData;
use rmcp::model::{
    CompleteRequestParams, ListResourcesResult, ReadResourceResult, Reference, Resource,
    ResourceContents, ResourceTemplate,
};
use serde_json::json;

/// What can be read, listed and completed.
///
/// Implementors guarantee: what a visitor may not see is neither listed nor read nor completed, and
/// every answer comes within seconds and is bounded.
pub trait Library: fmt::Debug + Send + Sync + 'static {
    /// The forms of the addresses.
    fn templates(&self) -> Vec<Template>;

    /// A page of what there is, after the mark that the last page ended with.
    fn list<'a>(
        &'a self,
        visit: &'a Visit,
        after: Option<&'a str>,
    ) -> BoxFuture<'a, Result<Page, LibraryError>>;

    /// Reads one.
    fn read<'a>(
        &'a self,
        visit: &'a Visit,
        uri: &'a str,
    ) -> BoxFuture<'a, Result<ReadText, LibraryError>>;

    /// The values that an argument may have, the likeliest first; one more than fits in an answer
    /// is enough.
    fn complete<'a>(
        &'a self,
        visit: &'a Visit,
        completing: &'a Completing,
    ) -> BoxFuture<'a, Result<Vec<String>, LibraryError>>;
}

/// The form of an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    /// With its arguments in braces.
    pub uri: &'static str,
    /// Its name.
    pub name: &'static str,
    /// What is there.
    pub description: &'static str,
    /// The kind of its content.
    pub mime: &'static str,
}

/// Something that can be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// Its address.
    pub uri: String,
    /// Its name.
    pub name: String,
    /// What it is.
    pub description: Option<String>,
    /// The kind of its content.
    pub mime: &'static str,
}

/// Some of what can be read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Page {
    /// In order.
    pub items: Vec<Listed>,
    /// The mark to go on from.
    pub next: Option<String>,
}

/// What was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadText {
    /// Its address.
    pub uri: String,
    /// The kind of its content.
    pub mime: &'static str,
    /// The content.
    pub text: String,
}

/// What is being completed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completing {
    /// The address form or the prompt.
    pub of: String,
    /// The argument.
    pub argument: String,
    /// What was typed so far.
    pub typed: String,
    /// Arguments that are known already, by name.
    pub known: Vec<(String, String)>,
}

/// Something that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum LibraryError {
    /// Nothing is there, or nothing that the visitor may see.
    #[error(
        "there is nothing at `{uri}`: resources/list and resources/templates/list say what there is"
    )]
    NotFound {
        /// The address.
        uri: String,
    },
    /// It is there, and the reading did not work.
    #[error("{}", .0.message)]
    Refused(Refused),
}

pub(super) fn trouble(error: LibraryError) -> ErrorData {
    let message = error.to_string();
    match error {
        LibraryError::NotFound { uri } => {
            ErrorData::resource_not_found(message, Some(json!({ "uri": uri })))
        }
        LibraryError::Refused(refused) => {
            let data = json!({ "code": refused.code, "next": refused.next });
            ErrorData::invalid_params(message, Some(data))
        }
    }
}

pub(super) fn told_page(page: Page) -> ListResourcesResult {
    let items = page.items.into_iter().map(|item| {
        let mut told = Resource::new(item.uri, item.name).with_mime_type(item.mime);
        told.description = item.description;
        told
    });
    let mut result = ListResourcesResult::with_all_items(items.collect());
    result.next_cursor = page.next;
    result
}

pub(super) fn told_template(template: &Template) -> ResourceTemplate {
    ResourceTemplate::new(template.uri, template.name)
        .with_description(template.description)
        .with_mime_type(template.mime)
}

pub(super) fn told_text(read: ReadText) -> ReadResourceResult {
    let contents = ResourceContents::text(read.text, read.uri).with_mime_type(read.mime);
    ReadResourceResult::new(vec![contents])
}

pub(super) fn completing(request: &CompleteRequestParams) -> Completing {
    let of = match &request.r#ref {
        Reference::Resource(resource) => resource.uri.clone(),
        Reference::Prompt(prompt) => prompt.name.clone(),
        _ => String::new(),
    };
    let known = request
        .context
        .as_ref()
        .and_then(|known| known.arguments.clone());
    Completing {
        of,
        argument: request.argument.name.clone(),
        typed: request.argument.value.clone(),
        known: known.into_iter().flatten().collect(),
    }
}
