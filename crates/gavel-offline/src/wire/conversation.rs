//! A request, read: the task with its data, and what tools answered so far.

use std::collections::BTreeMap;

use gavel_models::{MessageRole, Part, Request, ToolCall, ToolChoice};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::Said;

/// Fenced text from outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) source: String,
    pub(super) text: String,
    /// True when something was left out.
    pub(super) cut: bool,
}

/// A tool call that was answered.
#[derive(Debug, Clone)]
pub(super) struct Done {
    pub(super) name: String,
    pub(super) arguments: Value,
    pub(super) ok: bool,
    /// All that the tool said.
    pub(super) said: String,
}

/// Why the rules stop where they are: to hear from tools, or for good.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Halt {
    /// These calls come first.
    Call(Vec<(&'static str, Value)>),
    /// The rules do not reach that far.
    Cannot(String),
}

/// What the rules know: nothing that the request does not say.
#[derive(Debug)]
pub(super) struct Conversation<'a> {
    request: &'a Request,
    task: String,
    data: Vec<Piece>,
    done: Vec<Done>,
    /// How many calls were made, as far as their ids tell.
    made: usize,
}

impl<'a> Conversation<'a> {
    pub(super) fn read(request: &'a Request) -> Self {
        let mut words = request
            .messages
            .iter()
            .filter(|message| message.role == MessageRole::User);
        let task: Vec<&str> = words
            .next()
            .into_iter()
            .flat_map(|message| &message.parts)
            .filter_map(text_of)
            .collect();
        let task = task.join("\n");
        let mut open: BTreeMap<&str, (&str, &str)> = BTreeMap::new();
        let mut done = Vec::new();
        let mut made = 0;
        for part in request.messages.iter().flat_map(|message| &message.parts) {
            match part {
                Part::Text { .. } => {}
                Part::ToolCall {
                    id,
                    name,
                    arguments,
                } => {
                    let number = id.strip_prefix(ID).and_then(|id| id.parse().ok());
                    made = made.max(number.unwrap_or(made + 1));
                    open.insert(id, (name, arguments));
                }
                Part::ToolResult { id, ok, text } => {
                    let Some((name, arguments)) = open.remove(id.as_str()) else {
                        continue;
                    };
                    done.push(Done {
                        name: name.to_owned(),
                        arguments: serde_json::from_str(arguments).unwrap_or(Value::Null),
                        ok: *ok,
                        said: text.clone(),
                    });
                }
            }
        }
        Self {
            request,
            data: pieces(&task),
            task,
            done,
            made,
        }
    }

    /// The name of the shape that the answer must have, and whether it travels as a tool call.
    pub(super) fn shape(&self) -> Option<(&'a str, bool)> {
        if let Some(answer) = &self.request.answer {
            return Some((&answer.name, false));
        }
        match &self.request.tool_choice {
            ToolChoice::Named(tool) => Some((tool.strip_prefix("answer_")?, true)),
            ToolChoice::Auto | ToolChoice::Required | ToolChoice::None => None,
        }
    }

    pub(super) fn may_call(&self) -> bool {
        self.request.tool_choice != ToolChoice::None
    }

    pub(super) fn offers(&self, tool: &str) -> bool {
        self.request.tools.iter().any(|spec| spec.name == tool)
    }

    /// The most bytes that a reply may have.
    pub(super) fn room(&self) -> usize {
        let tokens = usize::try_from(self.request.limits.max_output.0).unwrap_or(usize::MAX);
        tokens.saturating_mul(crate::model::BYTES_PER_TOKEN)
    }

    /// What the task's first line says after `label: `.
    pub(super) fn first_line(&self, label: &str) -> Option<&str> {
        let line = self.task.lines().next()?;
        Some(line.strip_prefix(label)?.strip_prefix(':')?.trim())
    }

    pub(super) fn has(&self, source: &str) -> bool {
        self.data.iter().any(|piece| piece.source == source)
    }

    /// Data of the task, if it is there and whole.
    pub(super) fn text(&self, source: &str) -> Result<&str, Halt> {
        match self.data.iter().find(|piece| piece.source == source) {
            Some(piece) if piece.cut => Err(Halt::cannot(format!(
                "the data `{source}` was cut, and the rules do not guess the rest"
            ))),
            Some(piece) => Ok(&piece.text),
            None => Err(Halt::cannot(format!("the task has no data `{source}`"))),
        }
    }

    /// Data of the task of which a beginning is enough; empty when it is not there.
    pub(super) fn some_text(&self, source: &str) -> &str {
        let piece = self.data.iter().find(|piece| piece.source == source);
        piece.map_or("", |piece| &piece.text)
    }

    pub(super) fn json<T: DeserializeOwned>(&self, source: &str) -> Result<T, Halt> {
        serde_json::from_str(self.text(source)?)
            .map_err(|error| Halt::cannot(format!("the data `{source}` cannot be read: {error}")))
    }

    /// What was answered last to exactly this call.
    pub(super) fn answer(&self, tool: &str, arguments: &Value) -> Option<&Done> {
        let mut newest = self.done.iter().rev();
        newest.find(|done| done.name == tool && done.arguments == *arguments)
    }

    pub(super) fn done(&self) -> &[Done] {
        &self.done
    }

    /// The answers to these calls; those that were not made yet are asked for together.
    pub(super) fn need<const N: usize>(
        &self,
        calls: &[(&'static str, Value); N],
    ) -> Result<[&Done; N], Halt> {
        let answers = calls
            .each_ref()
            .map(|(tool, arguments)| self.answer(tool, arguments));
        let open = calls
            .iter()
            .zip(&answers)
            .filter(|(_, answer)| answer.is_none());
        let open: Vec<_> = open.map(|(call, _)| call.clone()).collect();
        if !open.is_empty() {
            return Err(Halt::Call(open));
        }
        let answers: Vec<&Done> = answers.into_iter().flatten().collect();
        <[&Done; N]>::try_from(answers).map_err(|_missing| Halt::Call(Vec::new()))
    }

    /// Everything that was said since the task, in words.
    pub(super) fn later_words(&self) -> impl Iterator<Item = (MessageRole, &str)> {
        let texts = self.request.messages.iter().flat_map(|message| {
            let parts = message.parts.iter().filter_map(text_of);
            parts.map(move |text| (message.role, text))
        });
        texts.filter(|(role, text)| *role != MessageRole::System && *text != self.task)
    }

    /// An answer as the arguments of the tool that asks for it.
    pub(super) fn answer_by_tool(&self, shape: &str, answer: &Value) -> Said {
        Said {
            text: String::new(),
            calls: vec![ToolCall {
                id: format!("{ID}{}", self.made + 1),
                name: format!("answer_{shape}"),
                arguments: answer.to_string(),
            }],
        }
    }

    /// Calls under ids that the conversation does not know yet.
    pub(super) fn calls(&self, calls: Vec<(&'static str, Value)>) -> Vec<ToolCall> {
        let numbered = calls.into_iter().zip(self.made + 1..);
        let call = |((name, arguments), number): ((&str, Value), usize)| ToolCall {
            id: format!("{ID}{number}"),
            name: name.to_owned(),
            arguments: arguments.to_string(),
        };
        numbered.map(call).collect()
    }
}

const ID: &str = "call-";

impl Done {
    /// The first fenced text of the answer; an answer without one is all words.
    pub(super) fn piece(&self) -> Piece {
        let whole = || Piece {
            source: self.name.clone(),
            text: self.said.clone(),
            cut: false,
        };
        pieces(&self.said).into_iter().next().unwrap_or_else(whole)
    }

    /// The fenced text of a good answer that came whole.
    pub(super) fn whole(&self) -> Result<String, Halt> {
        let named = format!("{} {}", self.name, self.arguments);
        if !self.ok {
            let said = self.said.lines().next().unwrap_or_default();
            return Err(Halt::cannot(format!("{named} was refused: {said}")));
        }
        match self.piece() {
            Piece { cut: true, .. } => Err(Halt::cannot(format!(
                "the answer to {named} was cut, and the rules do not guess the rest"
            ))),
            Piece { text, .. } => Ok(text),
        }
    }
}

impl Halt {
    pub(super) fn cannot(why: impl Into<String>) -> Self {
        Self::Cannot(why.into())
    }
}

fn text_of(part: &Part) -> Option<&str> {
    match part {
        Part::Text { text } => Some(text),
        Part::ToolCall { .. } | Part::ToolResult { .. } => None,
    }
}

/// The fenced texts in a text: `<data source="…">`, or `<data-1 …>` where the content holds tags.
pub(super) fn pieces(text: &str) -> Vec<Piece> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((_, after)) = rest.split_once("<data") {
        rest = after;
        let Some((piece, behind)) = piece(after) else {
            continue;
        };
        found.push(piece);
        rest = behind;
    }
    found
}

/// Reads a piece behind `<data`, and what follows it.
fn piece(text: &str) -> Option<(Piece, &str)> {
    let (number, after) = text.split_once(" source=\"")?;
    let plain = |number: &str| !number.is_empty() && number.chars().all(|c| c.is_ascii_digit());
    if !number.is_empty() && !number.strip_prefix('-').is_some_and(plain) {
        return None;
    }
    let (source, after) = after.split_once('"')?;
    let (marks, after) = after.split_once(">\n")?;
    let (text, behind) = after.split_once(&format!("</data{number}>"))?;
    let piece = Piece {
        source: source.to_owned(),
        text: text.to_owned(),
        cut: marks.starts_with(" cut="),
    };
    Some((piece, behind))
}
