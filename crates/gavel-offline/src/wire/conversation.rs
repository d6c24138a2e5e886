//! A request, read: the task with its data, and what tools answered so far.

use std::collections::BTreeMap;

use gavel_models::{MessageRole, Part, Request, ToolCall, ToolChoice};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Every call has an id of its own: this and a number.
const ID: &str = "call-";

/// A tool and its arguments.
pub(super) type Call = (&'static str, Value);

/// Fenced text from outside.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Piece {
    source: String,
    pub(super) text: String,
    /// True when something was left out.
    pub(super) cut: bool,
}

/// A tool call that was answered.
#[derive(Debug, Clone)]
pub(super) struct Done {
    name: String,
    arguments: Value,
    pub(super) ok: bool,
    /// All that the tool said.
    pub(super) said: String,
}

/// Why the rules stop where they are: to hear from tools, or for good.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Halt {
    /// These calls come first.
    Call(Vec<Call>),
    /// The rules do not reach that far.
    Cannot(String),
}

/// What the rules know: nothing that the request does not say.
#[derive(Debug)]
pub(super) struct Conversation<'a> {
    request: &'a Request,
    task: &'a str,
    data: Vec<Piece>,
    done: Vec<Done>,
    /// How many calls were made, as far as their ids tell.
    made: usize,
}

impl<'a> Conversation<'a> {
    pub(super) fn read(request: &'a Request) -> Self {
        let task = words(request).next().unwrap_or_default();
        let (mut open, mut done, mut made) = (BTreeMap::new(), Vec::new(), 0);
        for part in request.messages.iter().flat_map(|message| &message.parts) {
            match part {
                Part::Text { .. } => {}
                Part::ToolCall {
                    id,
                    name,
                    arguments,
                } => {
                    let number = id.strip_prefix(ID).and_then(|id| id.parse().ok());
                    made = made.max(number.unwrap_or_default());
                    open.insert(id, (name, arguments));
                }
                Part::ToolResult { id, ok, text } => {
                    let call = open.remove(id);
                    done.extend(call.map(|(name, arguments)| Done {
                        name: name.clone(),
                        arguments: serde_json::from_str(arguments).unwrap_or_default(),
                        ok: *ok,
                        said: text.clone(),
                    }));
                }
            }
        }
        let data = pieces(task);
        Self {
            request,
            task,
            data,
            done,
            made,
        }
    }

    /// The whole task.
    pub(super) const fn task(&self) -> &str {
        self.task
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

    /// True if the words of the task, before its data, hold this as a line.
    pub(super) fn task_says(&self, wanted: &str) -> bool {
        let words = self.task.split("<data").next().unwrap_or_default();
        words.lines().any(|line| line.trim() == wanted)
    }

    pub(super) fn has(&self, source: &str) -> bool {
        self.data.iter().any(|piece| piece.source == source)
    }

    /// Data of the task, if it is there and whole.
    pub(super) fn text(&self, source: &str) -> Result<&str, Halt> {
        match self.data.iter().find(|piece| piece.source == source) {
            Some(piece) if piece.cut => Err(cut(&format!("the data `{source}`"))),
            Some(piece) => Ok(&piece.text),
            None => Err(Halt::cannot(format!("the task has no data `{source}`"))),
        }
    }

    /// True if something of that data was left out.
    pub(super) fn is_cut(&self, source: &str) -> bool {
        self.data
            .iter()
            .any(|piece| piece.source == source && piece.cut)
    }

    /// Data of the task of which a beginning is enough; empty when it is not there.
    pub(super) fn some_text(&self, source: &str) -> &str {
        let piece = self.data.iter().find(|piece| piece.source == source);
        piece.map_or("", |piece| &piece.text)
    }

    /// A list in the data of the task, if it is there and whole.
    pub(super) fn list<T: DeserializeOwned>(&self, source: &str) -> Result<Vec<T>, Halt> {
        parsed(self.text(source)?, &format!("the data `{source}`"))
    }

    /// A list, one entry a line; of one that was cut, the beginning is enough.
    pub(super) fn some_list<T: DeserializeOwned>(&self, source: &str) -> Result<Vec<T>, Halt> {
        let Some(piece) = self.data.iter().find(|one| one.source == source && one.cut) else {
            return self.list(source);
        };
        let lines = piece.text.lines().map(|line| line.trim_end_matches(','));
        Ok(lines
            .filter_map(|line| serde_json::from_str(line).ok())
            .collect())
    }

    /// What was answered last to exactly this call.
    pub(super) fn answer(&self, (tool, arguments): &Call) -> Option<&Done> {
        let mut newest = self.done.iter().rev();
        newest.find(|done| done.name == *tool && done.arguments == *arguments)
    }

    /// True if that tool did something for this task.
    pub(super) fn used(&self, tool: &str) -> bool {
        self.done.iter().any(|done| done.ok && done.name == tool)
    }

    /// The whole texts that these calls answer; whatever was not asked for yet is asked together.
    pub(super) fn texts<const N: usize>(&self, calls: [Call; N]) -> Result<[String; N], Halt> {
        let (mut texts, mut open) = (Vec::new(), Vec::new());
        for call in calls {
            match self.whole(call) {
                Ok(text) => texts.push(text),
                Err(Halt::Call(next)) => open.extend(next),
                Err(cannot) => return Err(cannot),
            }
        }
        <[String; N]>::try_from(texts).map_err(|_some| Halt::Call(open))
    }

    /// The whole text that a call answers, page after page.
    fn whole(&self, mut call: Call) -> Result<String, Halt> {
        let mut text = String::new();
        loop {
            let Some(done) = self.answer(&call) else {
                return Err(Halt::Call(vec![call]));
            };
            let piece = done.piece();
            if !done.ok {
                let said = done.first_words();
                return Err(Halt::cannot(match path_of(&call) {
                    Some(path) if said.contains("does not exist") => {
                        format!("there is no file {path} here: check its name")
                    }
                    Some(path) if !said.contains(path) => format!("{path}: {said}"),
                    Some(_) | None => said.to_owned(),
                }));
            }
            text.push_str(&piece.text);
            match done.next_line() {
                Some(line) => call = from_line(&call, line),
                None if piece.cut => {
                    return Err(cut(path_of(&call).unwrap_or("what was asked for")));
                }
                None => return Ok(text),
            }
        }
    }

    /// Everything that was said to the model since the task, in words.
    pub(super) fn later_words(&self) -> impl Iterator<Item = &str> {
        words(self.request).skip(1)
    }

    /// Calls under ids that the conversation does not know yet.
    pub(super) fn calls(&self, calls: Vec<Call>) -> Vec<ToolCall> {
        let numbered = calls.into_iter().zip(self.made + 1..);
        let call = |((name, arguments), number): (Call, usize)| ToolCall {
            id: format!("{ID}{number}"),
            name: name.to_owned(),
            arguments: arguments.to_string(),
        };
        numbered.map(call).collect()
    }
}

impl Done {
    /// The first fenced text of the answer; nothing in an answer of words alone.
    pub(super) fn piece(&self) -> Piece {
        pieces(&self.said).into_iter().next().unwrap_or_default()
    }

    /// The first line of what the tool said.
    pub(super) fn first_words(&self) -> &str {
        self.said.lines().next().unwrap_or_default()
    }

    /// The line that the next page begins with, if there is one.
    fn next_line(&self) -> Option<u64> {
        let (words, line) = self.first_words().split_once("; go on with from=")?;
        // A page that ends within a line is no page.
        line.parse().ok().filter(|_| !words.contains("is cut"))
    }
}

impl Halt {
    pub(super) fn cannot(why: impl Into<String>) -> Self {
        Self::Cannot(why.into())
    }
}

/// The same call for the page that begins with a line.
pub(super) fn from_line((tool, arguments): &Call, line: u64) -> Call {
    let mut arguments = arguments.clone();
    if let Value::Object(fields) = &mut arguments {
        fields.insert("from".to_owned(), line.into());
    }
    (tool, arguments)
}

/// The file that a call is about, if it is about one.
fn path_of((_, arguments): &Call) -> Option<&str> {
    arguments.get("path").and_then(Value::as_str)
}

fn cut(what: &str) -> Halt {
    Halt::cannot(format!(
        "{what} was cut, and the rules do not guess the rest"
    ))
}

pub(super) fn parsed<T: DeserializeOwned>(text: &str, what: &str) -> Result<T, Halt> {
    let read = serde_json::from_str(text);
    read.map_err(|error| Halt::cannot(format!("{what} cannot be read: {error}")))
}

/// What was said to the model, the task first.
fn words(request: &Request) -> impl Iterator<Item = &str> {
    let to_model = request
        .messages
        .iter()
        .filter(|said| said.role == MessageRole::User);
    to_model
        .flat_map(|said| &said.parts)
        .filter_map(|part| match part {
            Part::Text { text } => Some(text.as_str()),
            Part::ToolCall { .. } | Part::ToolResult { .. } => None,
        })
}

/// The fenced texts in a text: `<data source="…">`, or `<data-1 …>` where the content holds tags.
fn pieces(text: &str) -> Vec<Piece> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((_, after)) = rest.split_once("<data") {
        rest = match piece(after) {
            Some((piece, behind)) => {
                found.push(piece);
                behind
            }
            None => after,
        };
    }
    found
}

/// Reads a piece behind `<data`, and what follows it.
fn piece(text: &str) -> Option<(Piece, &str)> {
    let (number, after) = text.split_once(" source=\"")?;
    if number.contains(|c: char| c != '-' && !c.is_ascii_digit()) {
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
