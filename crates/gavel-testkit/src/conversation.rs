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
        Self::Called {
            id: id.to_owned(),
            name: name.to_owned(),
            arguments: sorted(arguments),
        }
    }
}

/// JSON text with sorted keys and without white space; other text stays as it is.
fn sorted(json: &str) -> String {
    serde_json::from_str::<serde_json::Value>(json)
        .map_or_else(|_| json.to_owned(), |value| value.to_string())
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
/// History is only appended to: whatever a request lets the model have said must be what it was
/// answered, at a place where it was asked. Asking again, as after a kill, is fine, and so is another
/// answer to the same question. A conversation of which nothing was seen yet is taken as it is.
#[derive(Debug, Default)]
pub struct Histories {
    asked: Vec<Asked>,
}

#[derive(Debug)]
struct Asked {
    pieces: Vec<Piece>,
    replies: Vec<Replied>,
}

/// What a request was answered with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Replied {
    /// These words and calls.
    Pieces(Vec<Piece>),
    /// Bytes that only the client read.
    Unknown,
}

impl Histories {
    /// Checks a request against those before it and remembers it.
    pub fn check(&mut self, pieces: &[Piece]) -> Result<(), String> {
        let pieces = without_answer_words(pieces);
        let verdict = self.judge(&pieces);
        if !self.asked.iter().any(|asked| asked.pieces == pieces) {
            self.asked.push(Asked {
                pieces,
                replies: Vec::new(),
            });
        }
        verdict
    }

    /// Remembers what a request was answered with.
    pub fn replied(&mut self, pieces: &[Piece], reply: Replied) {
        let pieces = without_answer_words(pieces);
        let asked = self.asked.iter_mut().find(|asked| asked.pieces == pieces);
        if let Some(asked) = asked {
            asked.replies.push(reply);
        }
    }

    fn judge(&self, pieces: &[Piece]) -> Result<(), String> {
        let opening = opening_of(pieces);
        let of_this = |asked: &&Asked| opening_of(&asked.pieces) == opening;
        let known: Vec<&Asked> = self.asked.iter().filter(of_this).collect();
        if known.is_empty() || known.iter().any(|asked| asked.pieces.starts_with(pieces)) {
            return Ok(());
        }
        let begins = |asked: &&&Asked| pieces.starts_with(&asked.pieces);
        let last = known
            .iter()
            .filter(begins)
            .max_by_key(|asked| asked.pieces.len());
        let asked_until = last.map_or(0, |last| last.pieces.len());
        for (start, said) in answers_in(pieces) {
            match last {
                // What stands before the last question was judged when that came.
                Some(_) if start < asked_until => {}
                Some(last) if start == asked_until => {
                    if !last.replies.iter().any(|reply| fits(reply, said)) {
                        return Err(format!(
                            "the history changed at piece {start}:\n- {:?}\n+ {said:?}",
                            last.replies
                        ));
                    }
                }
                Some(_) | None => {
                    let nearest = known
                        .iter()
                        .max_by_key(|asked| common(&asked.pieces, pieces));
                    return Err(difference(nearest.map_or(&[], |n| &n.pieces), pieces));
                }
            }
        }
        Ok(())
    }
}

/// The stretches in which the model speaks, with their places.
fn answers_in(pieces: &[Piece]) -> Vec<(usize, &[Piece])> {
    let spoke = |piece: &Piece| matches!(piece, Piece::Said(_) | Piece::Called { .. });
    let mut place = 0;
    let mut answers = Vec::new();
    for stretch in pieces.chunk_by(|a, b| spoke(a) == spoke(b)) {
        if stretch.first().is_some_and(spoke) {
            answers.push((place, stretch));
        }
        place += stretch.len();
    }
    answers
}

/// Calls must be the same. Words may be a part of what came (a fence around them is taken off), or the
/// arguments of the tool that carries an answer.
fn fits(reply: &Replied, said: &[Piece]) -> bool {
    let Replied::Pieces(reply) = reply else {
        return true;
    };
    let is_answer = |piece: &&Piece| match piece {
        Piece::Called { name, .. } => name.starts_with("answer_"),
        Piece::System(_) | Piece::Asked(_) | Piece::Said(_) | Piece::Result { .. } => false,
    };
    let calls = |pieces: &[Piece]| -> Vec<Piece> {
        let calls = pieces
            .iter()
            .filter(|p| matches!(p, Piece::Called { .. }) && !is_answer(p));
        calls.cloned().collect()
    };
    let words_fit = |text: &str| {
        reply.iter().any(|piece| match piece {
            Piece::Said(whole) => whole.contains(text),
            Piece::Called { arguments, .. } => is_answer(&piece) && *arguments == sorted(text),
            Piece::System(_) | Piece::Asked(_) | Piece::Result { .. } => false,
        })
    };
    calls(reply) == calls(said)
        && said.iter().all(|piece| match piece {
            Piece::Said(text) => words_fit(text),
            Piece::System(_) | Piece::Asked(_) | Piece::Called { .. } | Piece::Result { .. } => {
                true
            }
        })
}

fn common(a: &[Piece], b: &[Piece]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

/// Where two histories part.
pub fn difference(before: &[Piece], now: &[Piece]) -> String {
    let at = common(before, now);
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
