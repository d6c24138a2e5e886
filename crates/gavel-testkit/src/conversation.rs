//! What must hold for every request that any model gets, whatever carries it.
//!
//! Both the fake server and the scripted model reduce a request to [`Piece`]s and ask here.

use gavel_models::{ANSWER_WORDS, MessageRole, Part, Request};

/// The largest request that a test may send, in bytes of its JSON.
pub const MAX_REQUEST_BYTES: usize = 4 * 1024 * 1024;

/// One piece of a conversation, in the order that the model sees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// The rules.
    System(String),
    /// Words of whoever asks.
    Asked(String),
    /// Words of the model.
    Said(String),
    /// A tool call of the model.
    Called {
        /// Its id.
        id: String,
        /// The tool.
        name: String,
        /// JSON text with sorted keys.
        arguments: String,
    },
    /// The result of a tool call.
    Result {
        /// The call's id.
        id: String,
        /// What the model sees.
        text: String,
    },
}

impl Piece {
    /// A tool call whose arguments are compared as JSON, not as text.
    pub fn called(id: &str, name: &str, arguments: &str) -> Self {
        let arguments = serde_json::from_str::<serde_json::Value>(arguments)
            .map_or_else(|_| arguments.to_owned(), |value| value.to_string());
        Self::Called {
            id: id.to_owned(),
            name: name.to_owned(),
            arguments,
        }
    }
}

/// The pieces of a request in memory.
pub fn pieces_of(request: &Request) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for message in &request.messages {
        for part in &message.parts {
            pieces.push(match (message.role, part) {
                (
                    _,
                    Part::ToolCall {
                        id,
                        name,
                        arguments,
                    },
                ) => Piece::called(id, name, arguments),
                (_, Part::ToolResult { id, text, .. }) => Piece::Result {
                    id: id.clone(),
                    text: text.clone(),
                },
                (MessageRole::System, Part::Text { text }) => Piece::System(text.clone()),
                (MessageRole::User, Part::Text { text }) => Piece::Asked(text.clone()),
                (MessageRole::Assistant, Part::Text { text }) => Piece::Said(text.clone()),
            });
        }
    }
    pieces
}

/// Every call has exactly one result before the model speaks again, every result a call, and no id
/// comes twice.
pub fn check_pairs(pieces: &[Piece]) -> Result<(), String> {
    let mut open: Vec<&str> = Vec::new();
    let mut seen: Vec<&str> = Vec::new();
    let mut answered = true;
    for (at, piece) in pieces.iter().enumerate() {
        match piece {
            Piece::Called { id, name, .. } => {
                if answered && !open.is_empty() {
                    return Err(format!(
                        "piece {at}: {name} is called while {open:?} have no result"
                    ));
                }
                if seen.contains(&id.as_str()) {
                    return Err(format!("piece {at}: the call id {id} comes twice"));
                }
                answered = false;
                seen.push(id);
                open.push(id);
            }
            Piece::Result { id, .. } => {
                let Some(place) = open.iter().position(|call| call == id) else {
                    return Err(format!(
                        "piece {at}: the result {id} belongs to no open call"
                    ));
                };
                answered = true;
                open.remove(place);
            }
            Piece::Said(_) | Piece::Asked(_) if !open.is_empty() && answered => {
                return Err(format!("piece {at}: words while {open:?} have no result"));
            }
            Piece::Asked(_) if !open.is_empty() => {
                return Err(format!("piece {at}: words while {open:?} have no result"));
            }
            Piece::Said(_) | Piece::Asked(_) | Piece::System(_) => {}
        }
    }
    if open.is_empty() {
        Ok(())
    } else {
        Err(format!("the calls {open:?} have no result"))
    }
}

/// The conversations seen so far.
///
/// Requests with the same opening (everything before the model's first word) are one conversation.
/// A request must go on from one that came before, or repeat one, or be an earlier one asked again
/// (as after a kill): history is only appended to.
#[derive(Debug, Default)]
pub struct Histories {
    seen: Vec<Vec<Piece>>,
}

impl Histories {
    /// Checks a request against those before it and remembers it.
    pub fn check(&mut self, pieces: &[Piece]) -> Result<(), String> {
        let pieces = without_answer_words(pieces);
        let opening = opening_of(&pieces);
        let same: Vec<&Vec<Piece>> = self
            .seen
            .iter()
            .filter(|seen| opening_of(seen) == opening)
            .collect();
        let related = |seen: &Vec<Piece>| seen.starts_with(&pieces) || pieces.starts_with(seen);
        let verdict = if same.is_empty() || same.iter().any(|seen| related(seen)) {
            Ok(())
        } else {
            Err(difference(
                same.last().map_or(&[][..], |seen| seen),
                &pieces,
            ))
        };
        self.seen.push(pieces);
        verdict
    }
}

/// Where two histories part.
pub fn difference(before: &[Piece], now: &[Piece]) -> String {
    let at = before.iter().zip(now).take_while(|(a, b)| a == b).count();
    format!(
        "the history changed at piece {at}:\n- {:?}\n+ {:?}",
        before.get(at),
        now.get(at)
    )
}

fn opening_of(pieces: &[Piece]) -> &[Piece] {
    let end = pieces
        .iter()
        .position(|piece| matches!(piece, Piece::Said(_) | Piece::Called { .. }))
        .unwrap_or(pieces.len());
    pieces.get(..end).unwrap_or(pieces)
}

/// The words that ask for a fenced answer stand after the history and never enter it.
fn without_answer_words(pieces: &[Piece]) -> Vec<Piece> {
    let mut pieces = pieces.to_vec();
    if let Some(Piece::Asked(text)) = pieces.last_mut()
        && let Some(at) = text.find(ANSWER_WORDS)
    {
        text.truncate(at);
        let kept = text.trim_end().len();
        text.truncate(kept);
        if text.is_empty() {
            pieces.pop();
        }
    }
    pieces
}

#[cfg(test)]
#[path = "conversation_tests.rs"]
mod tests;
