//! What a source answered, as text.

use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};

/// The most of one answer.
const MOST: usize = 64 * 1024;

/// The text of an answer; what is no text is named.
pub(crate) fn text_of(result: CallToolResult) -> String {
    let mut parts: Vec<String> = result.content.iter().map(part).collect();
    // Servers that answer with data repeat it as text; those that do not are read by the data.
    if let Some(data) = result.structured_content
        && result.content.is_empty()
    {
        parts.push(data.to_string());
    }
    parts.retain(|part| !part.is_empty());
    if parts.is_empty() {
        return "(nothing)".to_owned();
    }
    parts.join("\n")
}

/// As much of a text as is kept.
pub(crate) fn clipped(text: &str) -> String {
    let end = text.floor_char_boundary(MOST);
    match text.get(..end) {
        Some(head) if end < text.len() => format!("{head}\n(cut)"),
        _ => text.to_owned(),
    }
}

fn part(block: &ContentBlock) -> String {
    match block {
        ContentBlock::Text(text) => text.text.clone(),
        ContentBlock::Image(_) => "(an image)".to_owned(),
        ContentBlock::Audio(_) => "(a sound)".to_owned(),
        ContentBlock::ResourceLink(link) => format!("{}: {}", link.name, link.uri),
        ContentBlock::Resource(embedded) => match &embedded.resource {
            ResourceContents::TextResourceContents { uri, text, .. } => format!("{uri}\n{text}"),
            ResourceContents::BlobResourceContents { uri, .. } => format!("{uri} (no text)"),
            _ => "(something else)".to_owned(),
        },
        _ => "(something else)".to_owned(),
    }
}
