use gavel_domain::Role;
use gavel_rules::{Bond, KeyScope};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::*;
use crate::Served;

/// Where.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Place {
    /// The path.
    path: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Way {
    /// Fast.
    Fast,
    /// Deep.
    Deep,
}

/// What is looked for.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// The words.
    text: String,
    /// At most so many.
    limit: Option<u32>,
    tags: Option<Vec<String>>,
    place: Option<Place>,
    way: Option<Way>,
}

/// What was found.
#[derive(Debug, Serialize, JsonSchema)]
struct Output {
    /// The words.
    text: String,
    limit: Option<u32>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tags: Vec<String>,
}

struct Echo;

impl ServedTool for Echo {
    type Input = Input;
    type Output = Output;
    const NAME: &'static str = "gavel_memory_search";
    const PURPOSE: &'static str = "Says it again";
    const SET: ToolSet = ToolSet::Memory;
    const HINTS: ToolHints = ToolHints::READS;

    async fn call(&self, _visit: &Visit, input: Input) -> Result<Served<Output>, Refused> {
        let place = input.place.map(|place| place.path).unwrap_or_default();
        let way = input.way.map(|way| format!("{way:?}")).unwrap_or_default();
        let line = format!("said\n {} {place} {way}", input.text);
        let output = Output {
            text: input.text,
            limit: input.limit,
            tags: input.tags.unwrap_or_default(),
        };
        Ok(Served::new(output, line))
    }
}

struct Add;

impl ServedTool for Add {
    type Input = Input;
    type Output = Output;
    const NAME: &'static str = "gavel_memory_add";
    const PURPOSE: &'static str = "Adds";
    const SET: ToolSet = ToolSet::Memory;
    const HINTS: ToolHints = ToolHints::ADDS;

    async fn call(&self, _visit: &Visit, _input: Input) -> Result<Served<Output>, Refused> {
        Err(Refused::new("nothing", "nothing is added here"))
    }
}

/// Reads unless it is given a limit.
struct Partly;

impl ServedTool for Partly {
    type Input = Input;
    type Output = Output;
    const NAME: &'static str = "gavel_loop";
    const PURPOSE: &'static str = "Reads or limits";
    const SET: ToolSet = ToolSet::Loops;
    const HINTS: ToolHints = ToolHints::ADDS;
    const READS_WITH: Option<&'static str> = Some("calls without `limit`");

    fn reads(input: &Input) -> bool {
        input.limit.is_none()
    }

    async fn call(&self, _visit: &Visit, input: Input) -> Result<Served<Output>, Refused> {
        let output = Output {
            text: input.text,
            limit: input.limit,
            tags: Vec::new(),
        };
        Ok(Served::new(output, "done"))
    }
}

struct NotGranted;

impl ServedTool for NotGranted {
    type Input = Input;
    type Output = Vec<String>;
    const NAME: &'static str = "read_file";
    const PURPOSE: &'static str = "Reads";
    const SET: ToolSet = ToolSet::Build;
    const HINTS: ToolHints = ToolHints::READS;

    async fn call(&self, _visit: &Visit, _input: Input) -> Result<Served<Vec<String>>, Refused> {
        Ok(Served::new(Vec::new(), ""))
    }
}

fn counter() -> Counter {
    let mut counter = Counter::default();
    counter.add(Echo).unwrap();
    counter.add(Add).unwrap();
    counter
}

#[test]
fn schemas_are_objects_without_noise() {
    let counter = counter();
    let spec = counter.spec("gavel_memory_search").unwrap();
    insta::assert_snapshot!(serde_json::to_string(&spec.input).unwrap(), @r#"{"additionalProperties":false,"properties":{"limit":{"description":"At most so many.","type":"integer"},"place":{"additionalProperties":false,"description":"Where.","properties":{"path":{"description":"The path.","type":"string"}},"required":["path"],"type":"object"},"tags":{"items":{"type":"string"},"type":"array"},"text":{"description":"The words.","type":"string"},"way":{"enum":["fast","deep"],"type":"string"}},"required":["text"],"type":"object"}"#);
    insta::assert_snapshot!(serde_json::to_string(&spec.output).unwrap(), @r#"{"anyOf":[{"required":["text","limit"]},{"required":["error"]}],"properties":{"limit":{"type":["integer","null"]},"tags":{"items":{"type":"string"},"type":"array"},"text":{"type":"string"}},"type":"object"}"#);
}

#[test]
fn a_tool_is_added_once_and_only_with_a_grant() {
    let mut counter = counter();
    assert_eq!(
        counter.add(Echo),
        Err(CounterError::Twice("gavel_memory_search"))
    );
    assert_eq!(
        counter.add(NotGranted),
        Err(CounterError::NoGrant("read_file"))
    );
}

#[tokio::test]
async fn arguments_are_read_kindly_and_answers_are_one_line() {
    let counter = counter();
    let arguments = json!({
        "text": "a", "limit": "3", "tags": "x", "place": "{\"path\":\"p\"}", "way": "deep"
    });
    let visit = Visit::guest();
    let called = counter.call(&visit, "gavel_memory_search", arguments);
    let answer = called.await.unwrap();
    assert_eq!(answer.line, "said a p Deep");
    assert_eq!(
        answer.structured,
        json!({"text": "a", "limit": 3, "tags": ["x"]})
    );
}

#[tokio::test]
async fn what_does_not_fit_is_said_with_field_and_example() {
    let counter = counter();
    let visit = Visit::guest();
    let mut said = Vec::new();
    for arguments in [
        json!({"text": "a", "limit": "many"}),
        json!({"text": "a", "tags": "[x"}),
        json!({"text": "a", "place": {"path": [3]}}),
        json!({"text": "a", "way": "slow"}),
        json!({"text": "a", "more": 1}),
        json!({}),
    ] {
        let called = counter.call(&visit, "gavel_memory_search", arguments);
        let refused = called.await.unwrap_err();
        assert_eq!(refused.code, "bad_arguments");
        said.push(refused.message);
    }
    insta::assert_snapshot!(said.join("\n"), @r#"
    the arguments of `gavel_memory_search` do not fit: `limit`: invalid type: string "many"; expected a whole number, such as 3; call it again with corrected arguments
    the arguments of `gavel_memory_search` do not fit: `tags`: invalid type: string "[x"; expected a list, such as ["a", "b"]; call it again with corrected arguments
    the arguments of `gavel_memory_search` do not fit: `place.path`: invalid type: sequence; expected a text, such as "…"; call it again with corrected arguments
    the arguments of `gavel_memory_search` do not fit: `way`: unknown variant `slow`; expected one of "fast", "deep"; call it again with corrected arguments
    the arguments of `gavel_memory_search` do not fit: `more`: unknown field `more`, expected one of `text`, `limit`, `tags`, `place`, `way`; call it again with corrected arguments
    the arguments of `gavel_memory_search` do not fit: missing field `text`; call it again with corrected arguments
    "#);
}

#[tokio::test]
async fn a_key_that_reads_makes_the_calls_that_read() {
    let mut counter = counter();
    counter.add(Partly).unwrap();
    let mut visit = Visit::guest();
    visit.scope = KeyScope::Read;
    let listed = counter.list(&visit);
    assert!(listed.iter().any(|spec| spec.name == "gavel_loop"));
    let looks = counter.call(&visit, "gavel_loop", json!({"text": "a"}));
    assert_eq!(looks.await.unwrap().line, "done");
    let changes = json!({"text": "a", "limit": "3"});
    let refused = counter.call(&visit, "gavel_loop", changes.clone()).await;
    let refused = refused.unwrap_err();
    assert_eq!(refused.code, "not_allowed");
    assert!(
        refused
            .message
            .ends_with("; this key is good for calls without `limit`"),
        "{}",
        refused.message
    );
    // Nobody is told to make a call that would be refused.
    assert!(counter.may(&visit, "gavel_loop", &json!({"text": "a"})));
    assert!(!counter.may(&visit, "gavel_loop", &changes));
    visit.scope = KeyScope::Propose;
    assert!(counter.may(&visit, "gavel_loop", &changes));
    assert!(!counter.may(&visit, "gavel_nothing", &changes));
    assert!(counter.call(&visit, "gavel_loop", changes).await.is_ok());
}

#[tokio::test]
async fn only_those_who_may_see_and_call() {
    let counter = counter();
    let names = |visit: &Visit| -> Vec<_> {
        let specs = counter.list(visit);
        specs.into_iter().map(|spec| spec.name).collect()
    };
    let mut visit = Visit::guest();
    assert_eq!(names(&visit), ["gavel_memory_add", "gavel_memory_search"]);
    visit.scope = KeyScope::Read;
    assert_eq!(names(&visit), ["gavel_memory_search"]);
    let refused = counter.call(&visit, "gavel_memory_add", json!({"text": "a"}));
    assert_eq!(refused.await.unwrap_err().code, "not_allowed");
    let person = Visit::of(Role::Person, Bond::Door);
    assert!(names(&person).is_empty(), "no person comes over MCP");
    let unknown = counter.call(&visit, "gavel_nothing", json!({}));
    assert_eq!(unknown.await.unwrap_err().code, "unknown_tool");
}
