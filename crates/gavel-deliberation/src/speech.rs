//! What a seat says: asked for by a shape, checked, kept.

use std::collections::BTreeSet;

use gavel_domain::{Choice, OpenDecision};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::Assumed;
use crate::seat_lookup::{LookUp, SeatTool};

const MOST_CITES: usize = 8;
const MOST_ASSUMED: usize = 8;
/// More than this is no turn of a debate; the prompts ask for far less.
const MOST_TEXT: usize = 6_000;

/// A seat's blind opening.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Opening {
    /// What it wants to see first; it is asked again then, and the rest of this answer does not count.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) look_up: Vec<LookUp>,
    /// Where the seat stands and why, with its claims tagged.
    pub(crate) text: String,
    /// What it chooses.
    #[serde(default)]
    pub(crate) choices: Vec<Chosen>,
    /// What everything rests on and nobody has shown.
    #[serde(default)]
    pub(crate) assumptions: Vec<Assumed>,
}

/// A seat's answer to another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Turn {
    /// What it wants to see first; it is asked again then, and the rest of this answer does not count.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) look_up: Vec<LookUp>,
    /// What it says, with its claims tagged.
    pub(crate) text: String,
    /// What it chooses now.
    #[serde(default)]
    pub(crate) choices: Vec<Chosen>,
}

/// What a seat chooses in one decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Chosen {
    /// The decision's id.
    pub(crate) decision: String,
    /// The sources it stands on.
    #[serde(default)]
    pub(crate) cites: Vec<String>,
    /// The letter of the option.
    #[schemars(schema_with = "letters")]
    pub(crate) option: String,
    /// How sure, 0 to 100.
    pub(crate) confidence: u32,
}

/// What is kept of a turn, after its sources were looked up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Said {
    pub(crate) stance: String,
    pub(crate) text: String,
    #[serde(default)]
    pub(crate) choices: Vec<Choice>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) assumptions: Vec<Assumed>,
}

/// Leaves of the schema of a speech the tools that are offered.
pub(crate) fn offer(schema: &mut Value, tools: &[SeatTool]) {
    let place = "/properties/look_up/items/properties/tool";
    if let Some(Value::Object(of_field)) = schema.pointer_mut(place)
        && !tools.is_empty()
    {
        let names: Vec<&str> = tools.iter().map(|tool| tool.name()).collect();
        of_field.insert("enum".to_owned(), json!(names));
        return;
    }
    if let Some(Value::Object(fields)) = schema.get_mut("properties") {
        fields.remove("look_up");
    }
    if let Some(Value::Array(required)) = schema.get_mut("required") {
        required.retain(|name| name != "look_up");
    }
}

/// Leaves of the schema of a speech what this debate has: the ids of its decisions, the letters of their
/// options. Models that are held to a schema then name nothing else.
pub(crate) fn narrowed(schema: &mut Value, decisions: &[OpenDecision]) {
    let ids: Vec<&str> = decisions.iter().map(|open| open.id.as_str()).collect();
    let most = decisions.iter().map(|open| open.options.len()).max();
    let most = u32::try_from(most.unwrap_or(0)).unwrap_or(u32::MAX);
    let letters: Vec<String> = (0..most)
        .map(|option| OpenDecision::letter(option).to_string())
        .collect();
    if ids.is_empty() || letters.is_empty() {
        return;
    }
    for (field, words) in [("decision", json!(ids)), ("option", json!(letters))] {
        let place = format!("/properties/choices/items/properties/{field}");
        if let Some(Value::Object(of_field)) = schema.pointer_mut(&place) {
            of_field.insert("enum".to_owned(), words);
        }
    }
}

/// A speech of either shape.
pub(crate) trait Speech {
    /// Its name as a shape.
    const SHAPE: &'static str;

    fn into_parts(self) -> (String, Vec<Chosen>, Vec<Assumed>);

    fn look_up(&self) -> &[LookUp];
    fn text(&self) -> &str;
    fn choices(&self) -> &[Chosen];
    fn choices_mut(&mut self) -> &mut Vec<Chosen>;

    /// One entry where one decision is open means that decision, whatever it is called there: small
    /// models write the option's words in place of the id. Words of another option mean nothing.
    fn settle(&mut self, decisions: &[OpenDecision]) {
        if let ([open], [choice]) = (decisions, self.choices_mut().as_mut_slice())
            && !names_another(open, choice)
        {
            choice.decision.clone_from(&open.id);
        }
    }

    /// Several entries for one decision, each for another option, say how sure of each: the one that it
    /// is surest of is its choice, where there is one.
    fn choose_surest(&mut self, decisions: &[OpenDecision]) {
        for open in decisions {
            let own = self.choices().iter().filter(|one| one.decision == open.id);
            let own: Vec<&Chosen> = own.collect();
            let options: BTreeSet<Option<u32>> =
                own.iter().map(|one| open.option_of(&one.option)).collect();
            let distinct = options.len() == own.len() && !options.contains(&None);
            let most = own.iter().map(|one| one.confidence).max().unwrap_or(0);
            let surest = own.iter().filter(|one| one.confidence == most).count();
            if own.len() > 1 && distinct && surest == 1 {
                self.choices_mut()
                    .retain(|one| one.decision != open.id || one.confidence == most);
            }
        }
    }

    /// What makes it unusable, for the decisions that are open.
    fn problems(&self, decisions: &[OpenDecision]) -> Vec<String> {
        let mut wrong = Vec::new();
        if self.text().trim().is_empty() {
            wrong.push("`text` must not be empty".to_owned());
        }
        if self.text().len() > MOST_TEXT {
            wrong.push(format!("`text` may have {MOST_TEXT} bytes"));
        }
        wrong.extend(choice_problems(self.choices(), decisions));
        wrong
    }
}

impl Speech for Opening {
    const SHAPE: &'static str = "council_opening";

    fn into_parts(self) -> (String, Vec<Chosen>, Vec<Assumed>) {
        let mut assumptions = self.assumptions;
        assumptions.retain(|one| !one.claim.trim().is_empty());
        assumptions.truncate(MOST_ASSUMED);
        (self.text, self.choices, assumptions)
    }

    fn look_up(&self) -> &[LookUp] {
        &self.look_up
    }

    fn text(&self) -> &str {
        &self.text
    }

    fn choices(&self) -> &[Chosen] {
        &self.choices
    }

    fn choices_mut(&mut self) -> &mut Vec<Chosen> {
        &mut self.choices
    }
}

impl Speech for Turn {
    const SHAPE: &'static str = "council_turn";

    fn into_parts(self) -> (String, Vec<Chosen>, Vec<Assumed>) {
        (self.text, self.choices, Vec::new())
    }

    fn look_up(&self) -> &[LookUp] {
        &self.look_up
    }

    fn text(&self) -> &str {
        &self.text
    }

    fn choices(&self) -> &[Chosen] {
        &self.choices
    }

    fn choices_mut(&mut self) -> &mut Vec<Chosen> {
        &mut self.choices
    }
}

fn choice_problems(choices: &[Chosen], decisions: &[OpenDecision]) -> Vec<String> {
    let mut wrong = Vec::new();
    for open in decisions {
        let mut given = choices.iter().filter(|choice| choice.decision == open.id);
        let letters = open.options.len();
        match (given.next(), given.next()) {
            (Some(choice), None) if open.option_of(&choice.option).is_none() => {
                let last = OpenDecision::letter(u32::try_from(letters).unwrap_or(1).max(1) - 1);
                wrong.push(format!(
                    "`choices`: the option of `{}` is one of A to {last}, not `{}`",
                    open.id, choice.option
                ));
            }
            (Some(_), None) => {}
            (None, _) => wrong.push(format!("`choices` has no entry for `{}`", open.id)),
            (Some(_), Some(_)) => wrong.push(format!("`choices` names `{}` twice", open.id)),
        }
    }
    for choice in choices {
        if !decisions.iter().any(|open| open.id == choice.decision) {
            wrong.push(format!(
                "`choices`: there is no decision `{}`",
                choice.decision
            ));
        }
    }
    wrong
}

/// True when the words in place of the id are those of an option that was not chosen.
fn names_another(open: &OpenDecision, choice: &Chosen) -> bool {
    let chosen = open.option_of(&choice.option);
    let said = choice.decision.to_lowercase();
    let letter = said.split(|c: char| !c.is_alphanumeric()).next();
    let letter = letter.and_then(|first| open.option_of(first));
    let mut others = (0..).zip(&open.options);
    letter.is_some_and(|letter| Some(letter) != chosen)
        || others.any(|(place, words)| {
            Some(place) != chosen && said.contains(&words.trim().to_lowercase())
        })
}

/// The choices as they count, with their sources divided by a function that looks them up; it is told
/// what each choice says.
pub(crate) fn with_sources_checked(
    chosen: &[Chosen],
    decisions: &[OpenDecision],
    divide: impl Fn(&[String], &str) -> (Vec<String>, Vec<String>),
) -> Vec<Choice> {
    let one = |choice: &Chosen| {
        let open = decisions.iter().find(|open| open.id == choice.decision)?;
        let named = choice.cites.get(..choice.cites.len().min(MOST_CITES))?;
        let option = open.option_of(&choice.option)?;
        let words = open.words_of(option).unwrap_or_default();
        let (cites, broken) = divide(named, &format!("{} {words}", open.question));
        Some(Choice {
            decision: open.id.clone(),
            option,
            confidence: choice.confidence.min(100),
            cites,
            broken,
        })
    };
    chosen.iter().filter_map(one).collect()
}

/// The letters as a closed list, so that a server which enforces schemas lets no other through.
fn letters(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "string", "enum": OpenDecision::LETTERS.map(String::from)})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_per_option_is_a_choice_where_one_is_surest() {
        let entry = |option: &str, confidence: u32| Chosen {
            decision: "storage".to_owned(),
            option: option.to_owned(),
            confidence,
            cites: Vec::new(),
        };
        for (entries, left) in [
            (vec![entry("A", 80), entry("B", 20)], vec!["A"]),
            (vec![entry("A", 50), entry("B", 50)], vec!["A", "B"]),
            (vec![entry("A", 80), entry("A", 20)], vec!["A", "A"]),
            (vec![entry("A", 80), entry("Z", 20)], vec!["A", "Z"]),
            (vec![entry("B", 0)], vec!["B"]),
        ] {
            let mut turn = Turn {
                look_up: Vec::new(),
                text: "So it is.".to_owned(),
                choices: entries,
            };
            turn.choose_surest(&[open("storage")]);
            let options: Vec<&str> = turn.choices.iter().map(|one| one.option.as_str()).collect();
            assert_eq!(options, left);
        }
    }

    fn turn(choices: &[(&str, &str)]) -> Turn {
        let chosen = choices.iter().map(|(decision, option)| Chosen {
            decision: (*decision).to_owned(),
            option: (*option).to_owned(),
            confidence: 60,
            cites: Vec::new(),
        });
        Turn {
            look_up: Vec::new(),
            text: "So it is.".to_owned(),
            choices: chosen.collect(),
        }
    }

    fn open(id: &str) -> OpenDecision {
        OpenDecision {
            id: id.to_owned(),
            question: "Which?".to_owned(),
            options: vec!["SQLite".to_owned(), "PostgreSQL".to_owned()],
        }
    }

    #[test]
    fn one_entry_for_one_decision_means_it() {
        let decisions = [open("storage")];
        let mut said = turn(&[("A: SQLite", "A")]);
        assert_eq!(said.problems(&decisions).len(), 2);
        said.settle(&decisions);
        assert!(said.problems(&decisions).is_empty());
    }

    #[test]
    fn a_name_that_contradicts_the_letter_is_no_choice() {
        let decisions = [open("storage")];
        for (decision, option) in [("A: SQLite", "B"), ("B", "A"), ("use PostgreSQL", "A")] {
            let mut said = turn(&[(decision, option)]);
            said.settle(&decisions);
            assert!(!said.problems(&decisions).is_empty(), "{decision}");
        }
    }

    #[test]
    fn an_entry_for_each_option_is_no_choice() {
        let decisions = [open("storage")];
        let mut said = turn(&[("A: SQLite", "A"), ("B: PostgreSQL", "B")]);
        said.settle(&decisions);
        assert_eq!(said.problems(&decisions).len(), 3);
    }

    #[test]
    fn a_schema_names_the_decisions_and_letters_of_this_debate() {
        let schema = || {
            let mut generator = SchemaGenerator::default();
            json!({"properties": {"choices": {"items": Chosen::json_schema(&mut generator).to_value()}}})
        };
        let at = |schema: &Value, field: &str| {
            schema["properties"]["choices"]["items"]["properties"][field]["enum"].clone()
        };
        let mut of_two = schema();
        narrowed(&mut of_two, &[open("storage"), open("format")]);
        assert_eq!(at(&of_two, "decision"), json!(["storage", "format"]));
        let letters = at(&of_two, "option").as_array().unwrap().len();
        assert_eq!(letters, open("storage").options.len());
        // Where nothing is open, nothing is narrowed.
        let mut of_none = schema();
        narrowed(&mut of_none, &[]);
        assert_eq!(of_none, schema());
    }

    #[test]
    fn a_schema_offers_the_tools_that_there_are_and_nothing_else() {
        let schema = || {
            let mut generator = SchemaGenerator::default();
            let tool =
                json!({"type": "string", "enum": ["read_file", "search_code", "search_memory"]});
            let look_up = json!({"type": "array", "items": {"properties": {"tool": tool}}});
            let text = String::json_schema(&mut generator).to_value();
            json!({"properties": {"look_up": look_up, "text": text}, "required": ["look_up", "text"]})
        };
        let mut of_memory = schema();
        offer(&mut of_memory, &[SeatTool::SearchMemory]);
        let tool = &of_memory["properties"]["look_up"]["items"]["properties"]["tool"];
        assert_eq!(tool["enum"], json!(["search_memory"]));
        assert_eq!(of_memory["required"], json!(["look_up", "text"]));
        let mut of_nothing = schema();
        offer(&mut of_nothing, &[]);
        assert_eq!(of_nothing["properties"]["look_up"], Value::Null);
        assert_eq!(of_nothing["required"], json!(["text"]));
    }

    #[test]
    fn where_two_are_open_the_id_must_be_right() {
        let decisions = [open("storage"), open("format")];
        let mut said = turn(&[("stroage", "A")]);
        said.settle(&decisions);
        assert_eq!(said.problems(&decisions).len(), 3);
    }
}
