//! The counter: every served tool once, shown to whom the grants name, called by name.

use std::collections::BTreeMap;
use std::fmt;
use std::pin::Pin;

use gavel_rules::{Denied, check_served};
use serde_json::{Map, Value};

use super::coerce::{at_path, coerce, wanted};
use super::schema::{input_schema, output_schema};
use super::{OpenQuestion, Refused, ServedTool, ToolHints, ToolSet, Visit};

/// What a client is told of a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct ServedSpec {
    /// Its name.
    pub name: &'static str,
    /// What it is for, one line.
    pub purpose: &'static str,
    /// The set that it belongs to.
    pub set: ToolSet,
    /// What it may do.
    pub hints: ToolHints,
    /// The arguments with which it only reads, in words, when it may do more.
    pub reads_with: Option<&'static str>,
    /// The schema of its arguments.
    pub input: Map<String, Value>,
    /// The schema of its answer.
    pub output: Map<String, Value>,
}

/// What a call came to.
#[derive(Debug, Clone, PartialEq)]
pub struct ServedAnswer {
    /// The answer, as its schema says.
    pub structured: Value,
    /// What happened, one line.
    pub line: String,
    /// A question that is open now and may be put to whoever sits at the client.
    pub question: Option<OpenQuestion>,
}

/// A tool that cannot be served as it is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CounterError {
    /// The name is taken; tools are declared once.
    #[error("there are two served tools named `{0}`: rename or remove one")]
    Twice(&'static str),
    /// The grants table does not serve it, so nobody could call it.
    #[error("no grant serves the tool `{0}`: add it to the table in gavel-rules")]
    NoGrant(&'static str),
    /// The protocol wants objects on both sides.
    #[error("the arguments and the answer of `{0}` must be objects: make both of them structs")]
    NoObject(&'static str),
}

/// The served tools of this program, by name.
#[derive(Default)]
pub struct Counter {
    tools: BTreeMap<&'static str, Entry>,
}

struct Entry {
    spec: ServedSpec,
    tool: Box<dyn ErasedServed>,
}

impl Counter {
    /// Adds a tool.
    pub fn add<T: ServedTool>(&mut self, tool: T) -> Result<(), CounterError> {
        if !gavel_rules::served_tools().any(|name| name == T::NAME) {
            return Err(CounterError::NoGrant(T::NAME));
        }
        if self.tools.contains_key(T::NAME) {
            return Err(CounterError::Twice(T::NAME));
        }
        let object = |schema: Value| match schema {
            Value::Object(fields) if fields.get("type").is_some_and(|kind| kind == "object") => {
                Ok(fields)
            }
            Value::Object(_)
            | Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Array(_) => Err(CounterError::NoObject(T::NAME)),
        };
        let spec = ServedSpec {
            name: T::NAME,
            purpose: T::PURPOSE,
            set: T::SET,
            hints: T::HINTS,
            reads_with: T::READS_WITH,
            input: object(input_schema::<T::Input>())?,
            output: object(output_schema::<T::Output>())?,
        };
        let tool = Box::new(Typed(tool));
        self.tools.insert(T::NAME, Entry { spec, tool });
        Ok(())
    }

    /// What a caller may call, in the order of names.
    pub fn list(&self, visit: &Visit) -> Vec<&ServedSpec> {
        let specs = self.tools.values().map(|entry| &entry.spec);
        let shown = specs.filter(|spec| allowed(spec, visit, can_read(spec)).is_ok());
        shown.collect()
    }

    /// One tool, whoever may call it.
    pub fn spec(&self, name: &str) -> Option<&ServedSpec> {
        self.tools.get(name).map(|entry| &entry.spec)
    }

    /// True when a visitor may make that call; whether it fits is for the tool to say.
    pub fn may(&self, visit: &Visit, name: &str, arguments: &Value) -> bool {
        let Some(entry) = self.tools.get(name) else {
            return false;
        };
        let reads = || entry.tool.reads(&entry.spec, arguments.clone());
        allowed(&entry.spec, visit, can_read(&entry.spec) && reads()).is_ok()
    }

    /// Calls a tool.
    pub async fn call(
        &self,
        visit: &Visit,
        name: &str,
        arguments: Value,
    ) -> Result<ServedAnswer, Refused> {
        let Some(entry) = self.tools.get(name) else {
            let name: String = name.chars().take(64).collect();
            let message = format!("there is no tool `{name}`: list the tools to see what there is");
            return Err(Refused::new("unknown_tool", message));
        };
        allowed(&entry.spec, visit, can_read(&entry.spec))?;
        entry.tool.call(visit, &entry.spec, arguments).await
    }
}

/// True when there are calls of it that change nothing.
const fn can_read(spec: &ServedSpec) -> bool {
    spec.hints.read_only || spec.reads_with.is_some()
}

fn allowed(spec: &ServedSpec, visit: &Visit, reads: bool) -> Result<(), Refused> {
    let checked = check_served(spec.name, (visit.speaker, visit.bond), (visit.scope, reads));
    checked.map_err(|denied| {
        let message = match (&denied, spec.reads_with) {
            (Denied::ScopeTooNarrow { .. }, Some(with)) => {
                format!("{denied}; this key is good for {with}")
            }
            (
                Denied::ScopeTooNarrow { .. } | Denied::NoGrant { .. } | Denied::NotYours { .. },
                _,
            ) => denied.to_string(),
        };
        Refused::new("not_allowed", message)
    })
}

type ServedFuture<'a> = Pin<Box<dyn Future<Output = Result<ServedAnswer, Refused>> + Send + 'a>>;

/// A tool without its types.
trait ErasedServed: Send + Sync {
    /// True when a call with these arguments changes nothing.
    fn reads(&self, spec: &ServedSpec, arguments: Value) -> bool;

    fn call<'a>(
        &'a self,
        visit: &'a Visit,
        spec: &'a ServedSpec,
        arguments: Value,
    ) -> ServedFuture<'a>;
}

struct Typed<T>(T);

impl<T: ServedTool> ErasedServed for Typed<T> {
    fn reads(&self, spec: &ServedSpec, arguments: Value) -> bool {
        read::<T::Input>(spec, arguments).is_ok_and(|input| T::reads(&input))
    }

    fn call<'a>(
        &'a self,
        visit: &'a Visit,
        spec: &'a ServedSpec,
        arguments: Value,
    ) -> ServedFuture<'a> {
        Box::pin(async move {
            let input = read::<T::Input>(spec, arguments)?;
            allowed(spec, visit, T::reads(&input))?;
            let served = self.0.call(visit, input).await?;
            let structured = serde_json::to_value(served.value).map_err(|error| {
                tracing::error!(tool = T::NAME, %error, "an answer cannot be written as JSON");
                Refused::new(
                    "internal",
                    "the answer could not be written: this is a bug of Gavel",
                )
            })?;
            Ok(ServedAnswer {
                structured,
                line: one_line(&served.line),
                question: served.question,
            })
        })
    }
}

fn read<T: serde::de::DeserializeOwned>(spec: &ServedSpec, arguments: Value) -> Result<T, Refused> {
    let schema = Value::Object(spec.input.clone());
    let arguments = if arguments.is_null() {
        Value::Object(Map::new())
    } else {
        coerce(&schema, arguments)
    };
    serde_path_to_error::deserialize(arguments).map_err(|error| {
        let path = error.path().to_string();
        let mut problem = error.inner().to_string();
        let name = spec.name;
        let mut message = format!("the arguments of `{name}` do not fit: ");
        let field = at_path(&schema, &path).filter(|_| path != ".");
        // What is expected is said once, in words that a caller knows.
        if let Some(place) = problem.find(", expected ").filter(|_| field.is_some()) {
            problem.truncate(place);
        }
        if path == "." {
            message.push_str(&problem);
        } else {
            message.push_str(&format!("`{path}`: {problem}"));
        }
        if let Some(field) = field {
            message.push_str(&format!("; expected {}", wanted(field)));
        }
        message.push_str("; call it again with corrected arguments");
        Refused::new("bad_arguments", message)
            .with(serde_json::json!({ "field": path, "schema": field }))
    })
}

/// The text of a result is one line, whatever a tool hands over.
fn one_line(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl fmt::Debug for Counter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.tools.keys()).finish()
    }
}

#[cfg(test)]
#[path = "counter_tests.rs"]
mod tests;
