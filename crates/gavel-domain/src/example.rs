//! Examples: how a criterion is seen from outside, written so that Gavel can execute it.
//!
//! One line for each thing that is done or expected. `$ words` runs the program, `GET /path` asks its
//! server; the lines below say what must come. [`FORMAT`] describes all of them to whoever writes one.

mod read;

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use self::read::ExampleProblem;

/// The format, as prompts and documents tell it.
pub const FORMAT: &str = r#"One line for each thing, in order:
  file PATH "text"      a file in the example's own empty folder before anything runs (`~/PATH`: in the home)
  $ WORDS               runs the program with these words; the program's own name is not among them
  stdin "text"          what that run reads
  exit N                its exit code, 0 unless said
  has WORDS, lacks WORDS  each must, must not be in standard output (or in the body of an answer)
  error WORDS           each must be in standard error
  server WORDS          starts the server with these words, none unless said; it listens on the port in PORT
  GET /path, POST /path {"a": 1}, PUT, PATCH, DELETE, …   asks the server; the body is JSON or "text"
  status N              the status of the answer, 200 unless said
  json /pointer VALUE   the answer (or standard output) is JSON and holds that value there
  holds PATH "text", gone PATH  after the step before: a file of the example's folder
  fixed WORD: reason    this value cannot be another one (a keyword of the product, a prime, a currency)
Texts with blanks stand in double quotes; \n, \t, \" and \\ are escaped. Every run starts anew: what must be kept
is kept in files. Gavel executes the example also with other values in place of those that occur both in what
goes in and in what must come out, so say `fixed` where that would change the meaning.
If nothing can be seen from outside, the whole example is `none: reason`."#;

/// Steps one after another, in a folder of their own.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Example {
    /// Files that are there before anything runs.
    pub files: Vec<ExampleFile>,
    /// The words that the server is started with.
    pub server: Vec<String>,
    /// What is done; an example that was read has at least one step.
    pub steps: Vec<ExampleStep>,
    /// Values that cannot be others.
    pub fixed: Vec<FixedWord>,
}

/// A file with its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExampleFile {
    /// Where it is.
    pub path: ExamplePath,
    /// What it holds, or must hold.
    pub text: String,
}

/// A file of the example's folder, or of its home: relative, without `.` and `..`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ExamplePath(String);

/// One thing that is done, and what must come of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExampleStep {
    /// What is done.
    pub action: ExampleAction,
    /// Texts in standard output, or in the body of the answer.
    pub has: Vec<String>,
    /// Texts that are not there.
    pub lacks: Vec<String>,
    /// What that output holds as JSON.
    pub json: Vec<JsonAt>,
    /// What the files are like afterwards.
    pub files: Vec<FileAfter>,
}

/// What a step does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExampleAction {
    /// Runs the program.
    Run {
        /// The words after the program's name.
        args: Vec<String>,
        /// What it reads; nothing unless said.
        stdin: String,
        /// The exit code that it must have.
        exit: u8,
        /// Texts in standard error.
        error: Vec<String>,
    },
    /// Asks the program's server.
    Ask {
        /// The method.
        method: HttpMethod,
        /// The path, with its query.
        path: String,
        /// What is sent.
        body: Option<RequestBody>,
        /// The status that the answer must have.
        status: u16,
    },
}

/// A method of HTTP.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum HttpMethod {
    /// Reads.
    Get,
    /// Reads without a body.
    Head,
    /// Adds or does.
    Post,
    /// Puts in place.
    Put,
    /// Changes a part.
    Patch,
    /// Removes.
    Delete,
    /// Asks what is possible.
    Options,
}

/// What a request carries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RequestBody {
    /// JSON, sent as `application/json`.
    Json(Value),
    /// Anything else, sent as `text/plain`.
    Text(String),
}

/// A value at a place of a JSON document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonAt {
    /// The place, as RFC 6901 writes it; empty for the whole.
    pub pointer: String,
    /// What is there.
    pub value: Value,
}

/// What a file is like after a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileAfter {
    /// It is there and holds the text.
    Holds(ExampleFile),
    /// It is not there.
    Gone(ExamplePath),
}

/// A value that cannot be another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FixedWord {
    /// The value.
    pub word: String,
    /// Why not.
    pub reason: String,
}

/// What the text in a criterion's `example` is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CriterionExample {
    /// An example that can be executed.
    Given(Example),
    /// There can be none.
    None {
        /// Why not.
        reason: String,
    },
    /// It begins like an example and cannot be read.
    Broken(ExampleProblem),
    /// A text for people, as earlier runs wrote it: kept, and not executed.
    Prose,
    /// Nothing was written.
    Missing,
}

impl CriterionExample {
    /// Reads a criterion's example.
    pub fn of(text: &str) -> Self {
        let text = text.trim();
        if text.is_empty() {
            return Self::Missing;
        }
        if let Some(reason) = text.strip_prefix("none:") {
            let reason = reason.trim().to_owned();
            return match reason.is_empty() {
                true => Self::Broken(ExampleProblem::NoReason(text.to_owned())),
                false => Self::None { reason },
            };
        }
        match text.parse() {
            Ok(example) => Self::Given(example),
            Err(_) if text.lines().any(read::is_earlier_form) => Self::Prose,
            Err(problem) if text.lines().any(read::does_something) => Self::Broken(problem),
            Err(_) => Self::Prose,
        }
    }
}

impl Example {
    /// The longest text of an example, in bytes.
    pub const MAX_BYTES: usize = 16 * 1024;
    /// The most steps.
    pub const MAX_STEPS: usize = 100;
    /// The most files, those that must be there afterwards among them.
    pub const MAX_FILES: usize = 50;

    /// True when a program that does nothing and ends well would not do.
    pub fn expects_something(&self) -> bool {
        let given = |path: &ExamplePath| self.files.iter().find(|file| file.path == *path);
        self.steps.iter().any(|step| {
            let telling = |texts: &[String]| texts.iter().any(|text| !text.trim().is_empty());
            let said = telling(&step.has) || !step.json.is_empty();
            let holds = |file: &FileAfter| match file {
                // What was there before is no work of the program.
                FileAfter::Holds(held) => {
                    !given(&held.path).is_some_and(|file| file.text.contains(&held.text))
                }
                FileAfter::Gone(path) => given(path).is_some(),
            };
            let ends = match &step.action {
                ExampleAction::Run { exit, error, .. } => *exit != 0 || telling(error),
                // Nobody answers by doing nothing.
                ExampleAction::Ask { .. } => true,
            };
            said || ends || step.files.iter().any(holds)
        })
    }

    /// True when a server is asked.
    pub fn asks_server(&self) -> bool {
        let asks = |step: &ExampleStep| matches!(step.action, ExampleAction::Ask { .. });
        self.steps.iter().any(asks)
    }

    /// The line, counted from one, on which each step stands when the example is written out.
    pub fn step_lines(&self) -> Vec<usize> {
        let mut line = self.to_string().lines().count() + 1;
        let mut lines: Vec<usize> = Vec::new();
        for step in self.steps.iter().rev() {
            line -= step.to_string().lines().count();
            lines.push(line);
        }
        lines.reverse();
        lines
    }
}

impl ExampleStep {
    /// A run with these words of which nothing is expected but that it ends well.
    pub fn run(args: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self::of(ExampleAction::Run {
            args: args.into_iter().map(Into::into).collect(),
            stdin: String::new(),
            exit: 0,
            error: Vec::new(),
        })
    }

    pub(crate) const fn of(action: ExampleAction) -> Self {
        Self {
            action,
            has: Vec::new(),
            lacks: Vec::new(),
            json: Vec::new(),
            files: Vec::new(),
        }
    }

    /// The line that does something, as an example writes it.
    pub fn headline(&self) -> String {
        let text = self.action.to_string();
        text.lines().next().unwrap_or_default().to_owned()
    }
}

impl ExamplePath {
    const MAX_BYTES: usize = 200;

    /// Takes a relative path; `~/` before it means the home.
    pub fn new(text: &str) -> Option<Self> {
        let below = text.strip_prefix("~/").unwrap_or(text);
        let plain = |part: &str| !["", ".", "..", "~", ".git"].contains(&part);
        let odd = |c: char| c.is_control() || c == '\\';
        let fits = text.len() <= Self::MAX_BYTES && !below.contains(odd);
        (fits && below.split('/').all(plain)).then(|| Self(text.to_owned()))
    }

    /// The path as it is written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The path below the home, when it is there.
    pub fn in_home(&self) -> Option<&str> {
        self.0.strip_prefix("~/")
    }
}

impl HttpMethod {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Get,
        Self::Head,
        Self::Post,
        Self::Put,
        Self::Patch,
        Self::Delete,
        Self::Options,
    ];

    /// The word that a request begins with.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Head => "HEAD",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
            Self::Options => "OPTIONS",
        }
    }
}

impl fmt::Display for Example {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for FixedWord { word, reason } in &self.fixed {
            writeln!(f, "fixed {}: {reason}", quoted(word))?;
        }
        for ExampleFile { path, text } in &self.files {
            writeln!(f, "file {} {}", quoted(path.as_str()), quoted(text))?;
        }
        if !self.server.is_empty() {
            write_words(f, "server", &self.server)?;
        }
        self.steps.iter().try_for_each(|step| write!(f, "{step}"))
    }
}

impl fmt::Display for ExampleStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.action)?;
        for (verb, texts) in [("has", &self.has), ("lacks", &self.lacks)] {
            if !texts.is_empty() {
                write_words(f, verb, texts)?;
            }
        }
        if let ExampleAction::Run { error, .. } = &self.action
            && !error.is_empty()
        {
            write_words(f, "error", error)?;
        }
        for JsonAt { pointer, value } in &self.json {
            writeln!(f, "json {} {value}", quoted(pointer))?;
        }
        for file in &self.files {
            match file {
                FileAfter::Holds(ExampleFile { path, text }) => {
                    writeln!(f, "holds {} {}", quoted(path.as_str()), quoted(text))?;
                }
                FileAfter::Gone(path) => writeln!(f, "gone {}", quoted(path.as_str()))?,
            }
        }
        Ok(())
    }
}

impl fmt::Display for ExampleAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Run {
                args, stdin, exit, ..
            } => {
                write_words(f, "$", args)?;
                if !stdin.is_empty() {
                    writeln!(f, "stdin {}", quoted(stdin))?;
                }
                if *exit != 0 {
                    writeln!(f, "exit {exit}")?;
                }
            }
            Self::Ask {
                method,
                path,
                body,
                status,
            } => {
                write!(f, "{} {path}", method.word())?;
                match body {
                    None => writeln!(f)?,
                    Some(RequestBody::Json(value)) => writeln!(f, " {value}")?,
                    // Always in quotes: that is what tells it from JSON.
                    Some(RequestBody::Text(text)) => writeln!(f, " {}", in_quotes(text))?,
                }
                if *status != 200 {
                    writeln!(f, "status {status}")?;
                }
            }
        }
        Ok(())
    }
}

impl From<Example> for String {
    fn from(example: Example) -> Self {
        example.to_string()
    }
}

impl TryFrom<String> for Example {
    type Error = ExampleProblem;

    fn try_from(text: String) -> Result<Self, ExampleProblem> {
        text.parse()
    }
}

fn write_words(f: &mut fmt::Formatter<'_>, verb: &str, words: &[String]) -> fmt::Result {
    f.write_str(verb)?;
    words
        .iter()
        .try_for_each(|word| write!(f, " {}", quoted(word)))?;
    f.write_str("\n")
}

/// A word as an example writes it: in quotes where it needs them.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_.:/=+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    in_quotes(word)
}

fn in_quotes(text: &str) -> String {
    let mut out = text.replace('\\', "\\\\");
    for (plain, escaped) in [("\"", "\\\""), ("\n", "\\n"), ("\t", "\\t"), ("\r", "\\r")] {
        out = out.replace(plain, escaped);
    }
    format!("\"{out}\"")
}

#[cfg(test)]
#[path = "example_tests.rs"]
mod tests;
