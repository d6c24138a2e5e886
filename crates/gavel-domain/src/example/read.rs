//! Reads an example, line by line; whatever is wrong says what to write instead.

use std::str::FromStr;

use serde_json::Value;

use super::{
    Example, ExampleAction, ExampleFile, ExamplePath, ExampleStep, FileAfter, FixedWord,
    HttpMethod, JsonAt, RequestBody,
};

/// Why a text is no example.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExampleProblem {
    /// Nothing is done.
    #[error(
        "no line starts with `$` or asks a server: say what is run, as in `$ list`, or `GET /items`"
    )]
    NothingRun,
    /// A line that says nothing.
    #[error(
        "`{0}` is no line of an example: `$` and words, or `GET /path`, then exit, status, has, \
         lacks, error, json, holds or gone"
    )]
    Strange(String),
    /// It belongs to another kind of step, or before all steps.
    #[error("`{line}` stands in the wrong place: {remedy}")]
    Misplaced {
        /// The line.
        line: String,
        /// Where it belongs.
        remedy: &'static str,
    },
    /// A quote is opened and not closed.
    #[error("`{0}` has an open quote: close it")]
    OpenQuote(String),
    /// The words after the verb are not what it takes.
    #[error("`{line}`: write {wanted}")]
    Words {
        /// The line.
        line: String,
        /// What to write.
        wanted: &'static str,
    },
    /// A path that is not inside the example's folder.
    #[error(
        "`{0}` names no file of the example's folder: use a relative path without `..`, or `~/…`"
    )]
    Path(String),
    /// Something is said to be so without a reason.
    #[error("`{0}` gives no reason: write it after the colon")]
    NoReason(String),
    /// It is too long.
    #[error(
        "the example is too long: at most {} bytes, {} steps and {} files",
        Example::MAX_BYTES,
        Example::MAX_STEPS,
        Example::MAX_FILES
    )]
    TooLong,
    /// No program can be given this character.
    #[error("the example holds a NUL byte, which no program can be given: take it out")]
    Nul,
}

/// The most of a line that a problem repeats.
const SHOWN: usize = 200;

const RUN_ONLY: &str = "it goes with a line `$ …`";
const ASK_ONLY: &str = "it goes with a line such as `GET /path`";
const STEP_FIRST: &str = "it follows a line `$ …` or `GET /path`";
const BEFORE_STEPS: &str = "it comes before all steps";

/// True for a line that runs or asks something.
pub(super) fn does_something(line: &str) -> bool {
    let (verb, rest) = split_verb(line.trim());
    verb == "$" || (method(verb).is_some() && rest.starts_with('/'))
}

/// True for a line of earlier versions, whose `file` named no file.
pub(super) fn is_earlier_form(line: &str) -> bool {
    let line = Line::new(line.trim());
    line.verb == "file" && line.words().is_ok_and(|words| words.len() == 1)
}

impl FromStr for Example {
    type Err = ExampleProblem;

    fn from_str(text: &str) -> Result<Self, ExampleProblem> {
        if text.len() > Self::MAX_BYTES {
            return Err(ExampleProblem::TooLong);
        }
        if text.contains('\0') {
            return Err(ExampleProblem::Nul);
        }
        let mut read = Self::default();
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            read_line(&mut read, &Line::new(line))?;
        }
        let of_steps: usize = read.steps.iter().map(|step| step.files.len()).sum();
        if read.steps.len() > Self::MAX_STEPS || read.files.len() + of_steps > Self::MAX_FILES {
            return Err(ExampleProblem::TooLong);
        }
        let run = !read.steps.is_empty();
        run.then_some(read).ok_or(ExampleProblem::NothingRun)
    }
}

struct Line<'a> {
    whole: &'a str,
    verb: &'a str,
    rest: &'a str,
}

fn read_line(read: &mut Example, line: &Line<'_>) -> Result<(), ExampleProblem> {
    if let Some(method) = method(line.verb) {
        read.steps.push(ExampleStep::of(line.request(method)?));
        return Ok(());
    }
    match (line.verb, read.steps.last_mut()) {
        ("$", _) => read.steps.push(ExampleStep::run(line.words()?)),
        ("fixed", _) => read.fixed.push(line.fixed()?),
        ("file", None) => read.files.push(line.file("file PATH \"text\"")?),
        ("server", None) => read.server = line.some_words()?,
        ("file" | "server", Some(_)) => return Err(line.misplaced(BEFORE_STEPS)),
        (_, Some(step)) => expectation(step, line)?,
        (verb, None) if is_expectation(verb) => return Err(line.misplaced(STEP_FIRST)),
        (_, None) => return Err(line.strange()),
    }
    Ok(())
}

fn is_expectation(verb: &str) -> bool {
    let all = [
        "stdin", "exit", "has", "lacks", "error", "status", "json", "holds", "gone",
    ];
    all.contains(&verb)
}

fn expectation(step: &mut ExampleStep, line: &Line<'_>) -> Result<(), ExampleProblem> {
    match (line.verb, &mut step.action) {
        ("has", _) => step.has.extend(line.some_words()?),
        ("lacks", _) => step.lacks.extend(line.some_words()?),
        ("json", _) => step.json.push(line.json()?),
        ("holds", _) => {
            let file = line.file("holds PATH \"text\"")?;
            step.files.push(FileAfter::Holds(file));
        }
        ("gone", _) => {
            let [path] = line.exactly("gone PATH")?;
            step.files.push(FileAfter::Gone(line.path(&path)?));
        }
        ("stdin", ExampleAction::Run { stdin, .. }) => {
            let [text] = line.exactly("stdin \"text\"")?;
            *stdin = text;
        }
        ("exit", ExampleAction::Run { exit, .. }) => {
            *exit = line.number("exit N, from 0 to 255")?;
        }
        ("error", ExampleAction::Run { error, .. }) => error.extend(line.some_words()?),
        ("status", ExampleAction::Ask { status, .. }) => {
            const WANTED: &str = "status N, from 100 to 599";
            *status = line.number(WANTED)?;
            if !(100..600).contains(status) {
                return Err(line.wanted(WANTED));
            }
        }
        ("stdin" | "exit" | "error", ExampleAction::Ask { .. }) => {
            return Err(line.misplaced(RUN_ONLY));
        }
        ("status", ExampleAction::Run { .. }) => return Err(line.misplaced(ASK_ONLY)),
        (_, ExampleAction::Run { .. } | ExampleAction::Ask { .. }) => return Err(line.strange()),
    }
    Ok(())
}

impl<'a> Line<'a> {
    fn new(whole: &'a str) -> Self {
        let (verb, rest) = split_verb(whole);
        Self { whole, verb, rest }
    }

    fn shown(&self) -> String {
        let end = self.whole.floor_char_boundary(SHOWN);
        self.whole.get(..end).unwrap_or_default().to_owned()
    }

    fn strange(&self) -> ExampleProblem {
        ExampleProblem::Strange(self.shown())
    }

    fn wanted(&self, wanted: &'static str) -> ExampleProblem {
        let line = self.shown();
        ExampleProblem::Words { line, wanted }
    }

    fn misplaced(&self, remedy: &'static str) -> ExampleProblem {
        let line = self.shown();
        ExampleProblem::Misplaced { line, remedy }
    }

    fn words(&self) -> Result<Vec<String>, ExampleProblem> {
        let mut words = Vec::new();
        let mut rest = self.rest;
        while let Some((word, after)) = self.next_word(rest)? {
            words.push(word);
            rest = after;
        }
        Ok(words)
    }

    /// The next word and what follows it; in double quotes a backslash escapes.
    fn next_word<'t>(&self, text: &'t str) -> Result<Option<(String, &'t str)>, ExampleProblem> {
        let text = text.trim_start_matches(BLANK);
        if text.is_empty() {
            return Ok(None);
        }
        let open = || ExampleProblem::OpenQuote(self.shown());
        let mut word = String::new();
        let mut inside = false;
        let mut chars = text.char_indices();
        while let Some((at, c)) = chars.next() {
            match c {
                '"' => inside = !inside,
                c if !inside && BLANK.contains(&c) => {
                    return Ok(Some((word, text.get(at..).unwrap_or_default())));
                }
                '\\' if inside => word.push(match chars.next().ok_or_else(open)? {
                    (_, 'n') => '\n',
                    (_, 't') => '\t',
                    (_, 'r') => '\r',
                    (_, other) => other,
                }),
                c => word.push(c),
            }
        }
        match inside {
            true => Err(open()),
            false => Ok(Some((word, ""))),
        }
    }

    fn some_words(&self) -> Result<Vec<String>, ExampleProblem> {
        let words = self.words()?;
        match words.is_empty() {
            true => Err(self.strange()),
            false => Ok(words),
        }
    }

    fn exactly<const N: usize>(&self, wanted: &'static str) -> Result<[String; N], ExampleProblem> {
        let words: Result<[String; N], _> = self.words()?.try_into();
        words.ok().ok_or_else(|| self.wanted(wanted))
    }

    fn number<T: FromStr>(&self, wanted: &'static str) -> Result<T, ExampleProblem> {
        let [number] = self.exactly(wanted)?;
        number.parse().ok().ok_or_else(|| self.wanted(wanted))
    }

    fn path(&self, text: &str) -> Result<ExamplePath, ExampleProblem> {
        ExamplePath::new(text).ok_or_else(|| ExampleProblem::Path(self.shown()))
    }

    fn file(&self, wanted: &'static str) -> Result<ExampleFile, ExampleProblem> {
        let [path, text] = self.exactly(wanted)?;
        let path = self.path(&path)?;
        Ok(ExampleFile { path, text })
    }

    fn fixed(&self) -> Result<FixedWord, ExampleProblem> {
        const WANTED: &str = "fixed WORD: reason";
        let (word, rest) = self
            .next_word(self.rest)?
            .ok_or_else(|| self.wanted(WANTED))?;
        let word = word.strip_suffix(':').unwrap_or_default().to_owned();
        if word.is_empty() {
            return Err(self.wanted(WANTED));
        }
        let reason = rest.trim().to_owned();
        match reason.is_empty() {
            true => Err(ExampleProblem::NoReason(self.shown())),
            false => Ok(FixedWord { word, reason }),
        }
    }

    fn json(&self) -> Result<JsonAt, ExampleProblem> {
        const WANTED: &str = "json /pointer VALUE, with a VALUE in JSON: texts in double quotes";
        let wrong = || self.wanted(WANTED);
        let (pointer, rest) = self.next_word(self.rest)?.ok_or_else(wrong)?;
        let value = serde_json::from_str(rest).ok().ok_or_else(wrong)?;
        match pointer.is_empty() || pointer.starts_with('/') {
            true => Ok(JsonAt { pointer, value }),
            false => Err(wrong()),
        }
    }

    fn request(&self, method: HttpMethod) -> Result<ExampleAction, ExampleProblem> {
        const WANTED: &str =
            "METHOD /path and, where there is a body, JSON such as {\"a\": 1} or \"text\"";
        let (path, rest) = self.rest.split_once(BLANK).unwrap_or((self.rest, ""));
        let plain = |c: char| c.is_ascii_graphic() && c != '"';
        if !path.starts_with('/') || !path.chars().all(plain) {
            return Err(self.wanted(WANTED));
        }
        let rest = rest.trim();
        let body = match rest.chars().next() {
            None => None,
            Some('"') => {
                let only = |(text, after): (String, &str)| after.trim().is_empty().then_some(text);
                let text = self.next_word(rest)?.and_then(only);
                Some(RequestBody::Text(text.ok_or_else(|| self.wanted(WANTED))?))
            }
            Some(_) => {
                let value = serde_json::from_str::<Value>(rest).ok();
                Some(RequestBody::Json(value.ok_or_else(|| self.wanted(WANTED))?))
            }
        };
        Ok(ExampleAction::Ask {
            method,
            path: path.to_owned(),
            body,
            status: 200,
        })
    }
}

const BLANK: [char; 2] = [' ', '\t'];

fn split_verb(line: &str) -> (&str, &str) {
    let (verb, rest) = line.split_once(BLANK).unwrap_or((line, ""));
    (verb, rest.trim_start_matches(BLANK))
}

fn method(word: &str) -> Option<HttpMethod> {
    let is_it = |method: &HttpMethod| method.word() == word;
    HttpMethod::ALL.into_iter().find(is_it)
}
