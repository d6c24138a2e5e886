//! Reads JSON with comments and trailing commas, and remembers where everything stands.

use serde_json::{Map, Value};

use super::super::MergeError;

/// Deeper files are no settings.
const DEEPEST: usize = 100;

/// A value and its place.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) start: usize,
    /// Behind its last byte.
    pub(super) end: usize,
    pub(super) value: Value,
    /// Of an object, in order.
    pub(super) members: Vec<Member>,
}

/// A member of an object.
#[derive(Debug)]
pub(super) struct Member {
    /// Where its name begins.
    pub(super) start: usize,
    name: String,
    pub(super) value: Node,
    /// The comma behind it.
    pub(super) comma: Option<usize>,
}

impl Node {
    pub(super) fn is_object(&self) -> bool {
        self.value.is_object()
    }

    /// The member of that name; of several the last one counts, as it does for those who read.
    pub(super) fn member(&self, name: &str) -> Option<&Member> {
        self.members.iter().rev().find(|member| member.name == name)
    }
}

/// Reads a whole file.
pub(super) fn document(text: &str) -> Result<Node, MergeError> {
    let mut reader = Reader { text, at: 0 };
    // Some editors begin their files with a mark of their own.
    if text.starts_with('\u{feff}') {
        reader.at = '\u{feff}'.len_utf8();
    }
    let node = reader.value(0)?;
    reader.space()?;
    match reader.peek() {
        None => Ok(node),
        Some(_) => Err(reader.wrong("something stands behind the end")),
    }
}

/// The end of a remark that follows a place on the same line; the place itself when none does.
pub(super) fn end_of_remark(text: &str, place: usize) -> usize {
    let rest = text.get(place..).unwrap_or_default();
    let line = rest.split('\n').next().unwrap_or_default();
    let remark = line.trim_start();
    let blank = line.len() - remark.len();
    if remark.starts_with("//") {
        return place + line.trim_end().len();
    }
    let length = remark.find("*/").filter(|_| remark.starts_with("/*"));
    length.map_or(place, |length| place + blank + length + 2)
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn wrong(&self, problem: &'static str) -> MergeError {
        let before = self.text.get(..self.at).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        MergeError::Damaged { line, problem }
    }

    /// Skips white space and comments.
    fn space(&mut self) -> Result<(), MergeError> {
        loop {
            let rest = self.rest();
            if rest.starts_with("//") {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if rest.starts_with("/*") {
                let end = rest.find("*/");
                self.at += end.ok_or_else(|| self.wrong("a comment has no end"))? + 2;
            } else if rest.starts_with([' ', '\t', '\r', '\n']) {
                self.at += 1;
            } else {
                return Ok(());
            }
        }
    }

    fn value(&mut self, depth: usize) -> Result<Node, MergeError> {
        self.space()?;
        if depth > DEEPEST {
            return Err(self.wrong("this is nested too deeply"));
        }
        match self.peek() {
            Some(b'{') => self.object(depth),
            Some(b'[') => self.array(depth),
            Some(b'"') => {
                let start = self.at;
                let text = self.string()?;
                Ok(self.leaf(start, Value::String(text)))
            }
            Some(_) => self.word(),
            None => Err(self.wrong("the file ends too soon")),
        }
    }

    fn leaf(&self, start: usize, value: Value) -> Node {
        Node {
            start,
            end: self.at,
            value,
            members: Vec::new(),
        }
    }

    fn object(&mut self, depth: usize) -> Result<Node, MergeError> {
        let start = self.at;
        self.at += 1;
        let mut members = Vec::new();
        let mut fields = Map::new();
        loop {
            self.space()?;
            if self.take(b'}') {
                break;
            }
            if members
                .last()
                .is_some_and(|member: &Member| member.comma.is_none())
            {
                return Err(self.wrong("a comma is missing"));
            }
            let name_at = self.at;
            if self.peek() != Some(b'"') {
                return Err(self.wrong("a name in quotes is missing"));
            }
            let name = self.string()?;
            self.space()?;
            if !self.take(b':') {
                return Err(self.wrong("a colon is missing"));
            }
            let value = self.value(depth + 1)?;
            fields.insert(name.clone(), value.value.clone());
            self.space()?;
            let comma = Some(self.at).filter(|_| self.take(b','));
            members.push(Member {
                start: name_at,
                name,
                value,
                comma,
            });
        }
        let mut node = self.leaf(start, Value::Object(fields));
        node.members = members;
        Ok(node)
    }

    fn array(&mut self, depth: usize) -> Result<Node, MergeError> {
        let start = self.at;
        self.at += 1;
        let mut items = Vec::new();
        let mut open = true;
        loop {
            self.space()?;
            if self.take(b']') {
                return Ok(self.leaf(start, Value::Array(items)));
            }
            if !open {
                return Err(self.wrong("a comma is missing"));
            }
            items.push(self.value(depth + 1)?.value);
            self.space()?;
            open = self.take(b',');
        }
    }

    fn take(&mut self, byte: u8) -> bool {
        let there = self.peek() == Some(byte);
        self.at += usize::from(there);
        there
    }

    /// A text in quotes; what stands between them is read as JSON reads it.
    fn string(&mut self) -> Result<String, MergeError> {
        let start = self.at;
        let mut escaped = false;
        for (offset, byte) in self.rest().bytes().enumerate().skip(1) {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => {
                    let end = start + offset + 1;
                    let raw = self.text.get(start..end).unwrap_or_default();
                    let read = serde_json::from_str(raw);
                    let read = read.map_err(|_odd| self.wrong("a text cannot be read"))?;
                    self.at = end;
                    return Ok(read);
                }
                b'\n' => break,
                _ => {}
            }
        }
        Err(self.wrong("a text has no end"))
    }

    /// A number, `true`, `false` or `null`.
    fn word(&mut self) -> Result<Node, MergeError> {
        let start = self.at;
        let ends = |c: char| c.is_whitespace() || matches!(c, ',' | '}' | ']' | ':' | '/' | '"');
        let rest = self.rest();
        let length = rest.find(ends).unwrap_or(rest.len());
        let raw = rest.get(..length).unwrap_or_default();
        let read: Option<Value> = serde_json::from_str(raw).ok();
        let value = read.ok_or_else(|| self.wrong("this is no value"))?;
        self.at += length;
        Ok(self.leaf(start, value))
    }
}
