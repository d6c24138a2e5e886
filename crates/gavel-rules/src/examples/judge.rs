//! Whether what was seen is what an example expects. What could not be seen is not as expected.

use gavel_domain::{
    Example, ExampleAction, ExampleFile, ExampleStep, FileAfter, JsonAt, quoted_word,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::order::StepOrder;

/// Problems that are told of one example.
const MOST: usize = 20;
/// The most that is repeated of a text.
const SHOWN: usize = 200;

/// One step, as it was seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepSeen {
    /// How it ended.
    pub end: StepEnd,
    /// Standard output, or the body of the answer.
    pub out: Said,
    /// Standard error.
    pub err: Said,
    /// The files that the step speaks of, in its order.
    pub files: Vec<FileSeen>,
    /// True when a file of the example's folders was changed.
    pub changed_files: bool,
    /// How long it took.
    pub millis: u64,
}

/// How a step ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "end", rename_all = "snake_case")]
pub enum StepEnd {
    /// The program ended by itself.
    Exited {
        /// The exit code.
        code: i32,
    },
    /// A signal ended it.
    Signalled,
    /// The server answered.
    Answered {
        /// The status.
        status: u16,
    },
    /// It did not end in time, or nobody answered in time.
    TimedOut,
    /// It printed more than anybody reads.
    Flooded,
    /// The server ended before it answered.
    ServerEnded {
        /// Its exit code; `None` when a signal ended it.
        code: Option<i32>,
    },
}

/// What was printed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Said {
    /// The beginning of it.
    pub text: String,
    /// True when there was more.
    pub cut: bool,
}

/// A file after a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "file", rename_all = "snake_case")]
pub enum FileSeen {
    /// It is there.
    Text {
        /// What it holds.
        #[serde(flatten)]
        said: Said,
    },
    /// Nothing of that name is there.
    Missing,
    /// Something is there that is no readable file.
    Unreadable,
}

/// Everything that is not as the example expects; empty when it holds.
pub fn judge_example(example: &Example, order: &StepOrder, seen: &[StepSeen]) -> Vec<String> {
    let mut problems = Vec::new();
    let lines = example.step_lines();
    let mut seen = seen.iter();
    for one in &order.steps {
        let seen = seen.next();
        let (Some(step), Some(line)) = (example.steps.get(one.step), lines.get(one.step)) else {
            continue;
        };
        let found = match seen {
            Some(_) if !one.is_judged => continue,
            Some(seen) => judge_step(step, seen),
            None => vec!["it was not reached".to_owned()],
        };
        let place = format!("line {line}: `{}`", short(&step.headline()));
        problems.extend(found.into_iter().map(|what| format!("{place}: {what}")));
    }
    let more = problems.len().saturating_sub(MOST);
    if more > 0 {
        problems.truncate(MOST);
        problems.push(format!("and {more} more"));
    }
    problems
}

fn judge_step(step: &ExampleStep, seen: &StepSeen) -> Vec<String> {
    let mut problems: Vec<String> = end_problem(step, &seen.end).into_iter().collect();
    let output = match &step.action {
        ExampleAction::Run { error, .. } => {
            let missing = error.iter().filter(|text| !seen.err.text.contains(*text));
            let not_held = |text: &String| not_held("standard error", text, &seen.err);
            problems.extend(missing.map(not_held));
            "standard output"
        }
        ExampleAction::Ask { .. } => "the answer",
    };
    let Said { text: said, cut } = &seen.out;
    let missing = step.has.iter().filter(|text| !said.contains(*text));
    problems.extend(missing.map(|text| not_held(output, text, &seen.out)));
    for text in &step.lacks {
        if said.contains(text) {
            problems.push(format!("{output} holds {}, which it must not", told(text)));
        } else if *cut {
            problems.push(format!(
                "{output} is too long to see that it lacks {}",
                told(text)
            ));
        }
    }
    problems.extend(json_problems(output, &step.json, &seen.out));
    let mut files = seen.files.iter();
    for wanted in &step.files {
        problems.extend(file_problem(wanted, files.next()));
    }
    problems
}

fn end_problem(step: &ExampleStep, end: &StepEnd) -> Option<String> {
    match (&step.action, end) {
        (ExampleAction::Run { exit, .. }, StepEnd::Exited { code }) => {
            let wrong = i32::from(*exit) != *code;
            wrong.then(|| format!("it ended with exit code {code}, and {exit} was expected"))
        }
        (ExampleAction::Ask { status, .. }, StepEnd::Answered { status: came }) => {
            let wrong = status != came;
            wrong.then(|| format!("it answered {came}, and {status} was expected"))
        }
        (_, StepEnd::Signalled) => Some("a signal ended it".to_owned()),
        (ExampleAction::Run { .. }, StepEnd::TimedOut) => Some("it did not end in time".to_owned()),
        (ExampleAction::Ask { .. }, StepEnd::TimedOut) => {
            Some("nobody answered in time on the port that PORT names".to_owned())
        }
        (_, StepEnd::Flooded) => Some("it printed more than anybody reads".to_owned()),
        (_, StepEnd::ServerEnded { code: Some(code) }) => {
            Some(format!("the server had ended with exit code {code}"))
        }
        (_, StepEnd::ServerEnded { code: None }) => {
            Some("a signal had ended the server".to_owned())
        }
        (ExampleAction::Run { .. }, StepEnd::Answered { .. })
        | (ExampleAction::Ask { .. }, StepEnd::Exited { .. }) => {
            Some("something else was done".to_owned())
        }
    }
}

fn not_held(output: &str, text: &str, said: &Said) -> String {
    let so_far = if said.cut {
        ", as far as it was read,"
    } else {
        ""
    };
    format!("{output}{so_far} does not hold {}", told(text))
}

fn json_problems(output: &str, wanted: &[JsonAt], said: &Said) -> Vec<String> {
    if wanted.is_empty() {
        return Vec::new();
    }
    let Ok(document) = serde_json::from_str::<Value>(said.text.trim()) else {
        return vec![format!("{output} is no JSON")];
    };
    let problem = |JsonAt { pointer, value }: &JsonAt| match document.pointer(pointer) {
        Some(found) if is_same(found, value) => None,
        Some(found) => {
            let found = short(&found.to_string());
            Some(format!(
                "{output} holds {found} at `{pointer}`, and {value} was expected"
            ))
        }
        None => Some(format!("{output} holds nothing at `{pointer}`")),
    };
    wanted.iter().filter_map(problem).collect()
}

/// Numbers are compared by value: 5 is 5.0.
fn is_same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            let same = |(name, value)| b.get(name).is_some_and(|other| is_same(value, other));
            a.len() == b.len() && a.iter().all(same)
        }
        (
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Array(_)
            | Value::Object(_),
            _,
        ) => left == right,
    }
}

fn file_problem(wanted: &FileAfter, seen: Option<&FileSeen>) -> Option<String> {
    let (path, text) = match wanted {
        FileAfter::Holds(ExampleFile { path, text }) => (path.as_str(), Some(text)),
        FileAfter::Gone(path) => (path.as_str(), None),
    };
    match (text, seen) {
        (_, None) => Some(format!("the file `{path}` was not looked at")),
        (Some(text), Some(FileSeen::Text { said })) => {
            let missing = !said.text.contains(text);
            missing.then(|| not_held(&format!("the file `{path}`"), text, said))
        }
        (Some(_), Some(FileSeen::Missing)) => Some(format!("there is no file `{path}`")),
        (Some(_), Some(FileSeen::Unreadable)) => {
            Some(format!("`{path}` is no file that can be read"))
        }
        (None, Some(FileSeen::Missing)) => None,
        (None, Some(FileSeen::Text { .. } | FileSeen::Unreadable)) => {
            Some(format!("`{path}` is still there"))
        }
    }
}

fn told(text: &str) -> String {
    format!("`{}`", short(&quoted_word(text)))
}

fn short(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
#[path = "judge_tests.rs"]
mod tests;
