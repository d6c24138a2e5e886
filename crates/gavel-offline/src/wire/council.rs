//! A council by rules: what topic, answers and memory say, and nothing beyond it. What only somebody
//! who understands the matter could say, the rules say that they cannot.

use gavel_domain::{DiscoveryAnswer, MemoryNote};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::conversation::{Conversation, Halt};
use super::discovery::own_answer;
use super::project::{design, joined, outline, unmet, why_not};

/// Kinds of memory that speak against something.
const WARNINGS: [&str; 3] = ["trap", "feedback", "failure"];
/// More is not said in one turn.
const MOST_CLAIMS: usize = 12;
/// The most of a text that is repeated.
const MOST_SIGNS: usize = 200;
const ADVICE: &str = "Rule: keep to what topic and answers say, and test every criterion.";
const NO_WEIGHING: &str = "These rules weigh no argument and stay where they are.";

/// A decision as seats are shown it.
#[derive(Deserialize)]
struct Open {
    id: String,
    question: String,
    /// `A: words`.
    options: Vec<String>,
}

/// One who speaks for the plan and one against it, whatever it is about; what is open is not known
/// to rules.
pub(super) fn plan(talk: &Conversation<'_>) -> Result<Value, Halt> {
    talk.text("topic")?;
    Ok(json!({
        "intent_summary": "Rule: these rules plan every debate alike and do not see what is open.",
        "stances": [
            {"name": "Builder", "lens": "What topic and answers ask for.", "focus": ""},
            {"name": "Doubter", "lens": "What memory warns of, and what nobody said.", "focus": ""},
        ],
        "decisions": [],
        "output_shape": {"kind": "evaluation", "sections": [], "guardrails": []},
        "planned_rounds": 1,
    }))
}

/// States what is given, with its sources, and chooses where an answer names one option.
pub(super) fn opening(talk: &Conversation<'_>) -> Result<Value, Halt> {
    let mut said = given(talk)?;
    let (choices, told) = choices(talk)?;
    said.extend(told);
    said.push(ADVICE.to_owned());
    Ok(json!({"text": said.join("\n"), "choices": choices, "assumptions": []}))
}

/// Says how many sources of the other seat do not exist, and stays where it was.
pub(super) fn turn(talk: &Conversation<'_>) -> Result<Value, Halt> {
    let (choices, told) = choices(talk)?;
    let lost = talk
        .some_text("other_seat")
        .matches("[UNVERIFIED: ")
        .count();
    let mut said = vec![match lost {
        0 => "Rule: none of the other seat's sources was found missing.".to_owned(),
        1 => "Rule: one source of the other seat is not there.".to_owned(),
        lost => format!("Rule: {lost} sources of the other seat are not there."),
    }];
    said.extend(told);
    said.push(NO_WEIGHING.to_owned());
    Ok(json!({"text": said.join("\n"), "choices": choices}))
}

/// Counts where the seats differ; whether more talk would help, rules cannot tell.
pub(super) fn evaluation(talk: &Conversation<'_>) -> Result<Value, Halt> {
    let votes: Vec<Value> = list(talk, "votes")?;
    let differ = votes.iter().filter(|vote| !is_true(vote, "agreed"));
    let unresolved: Vec<String> = differ.map(|vote| text_of(vote, "question")).collect();
    Ok(json!({
        "criteria": [], "unresolved": unresolved, "needs_research": false, "research_query": "",
        "go_on": false, "extend": 0, "next_focus": "",
        "reason": "Rule: whether another round would change anything, these rules cannot tell.",
    }))
}

/// Where everybody stood last, shortened.
pub(super) fn summary(talk: &Conversation<'_>) -> Result<Value, Halt> {
    let turns: Vec<Value> = list(talk, "turns")?;
    let line = |turn: &Value| {
        format!(
            "{}: {}",
            text_of(turn, "stance"),
            brief(&text_of(turn, "text"))
        )
    };
    let lines = joined(turns.iter().map(line), "\n");
    Ok(json!({"text": format!("Rule: the last turns, shortened.\n{lines}")}))
}

/// Tells how it was counted, and settles every question as it was answered.
pub(super) fn synthesis(talk: &Conversation<'_>) -> Result<Value, Halt> {
    let answers: Vec<DiscoveryAnswer> = list(talk, "answers")?;
    let votes: Vec<Value> = list(talk, "votes")?;
    let open = votes
        .iter()
        .filter(|vote| text_of(vote, "carried") == "open");
    let counts = format!(
        "Rule: {} of {} open questions were carried by the count; these rules add no reasons.",
        votes.len() - open.count(),
        votes.len()
    );
    let reason =
        |vote: &Value| json!({"id": text_of(vote, "id"), "why": "Rule: as it was counted."});
    let settle = |one: &DiscoveryAnswer| {
        let (choice, why) = decided(one);
        json!({"title": one.question, "choice": choice, "why": why})
    };
    Ok(json!({
        "summary": format!("{} {counts}", view(talk, &answers)?), "sections": [], "agreed": [],
        "tradeoffs": [], "recommendation": "", "action_items": [], "resolved_answer": "",
        "decisions": votes.iter().map(reason).collect::<Vec<_>>(),
        "settled": answers.iter().map(settle).collect::<Vec<_>>(),
        "dissent": [], "assumptions": [], "readable": "",
    }))
}

/// Rules count and do not judge: they are sure of nothing, so a person looks.
pub(super) fn verdict(talk: &Conversation<'_>) -> Result<Value, Halt> {
    let votes: Vec<Value> = list(talk, "votes")?;
    let camps = |vote: &Value| {
        let options = vote.get("options").and_then(Value::as_array);
        let chosen = |option: &&Value| {
            let by = option.get("chosen_by").and_then(Value::as_array);
            by.is_some_and(|by| !by.is_empty())
        };
        options.map_or(0, |options| options.iter().filter(chosen).count())
    };
    let synthesis: Value = serde_json::from_str(talk.some_text("synthesis")).unwrap_or_default();
    let named = synthesis.get("dissent").and_then(Value::as_array);
    let named = named.is_some_and(|dissent| !dissent.is_empty());
    Ok(json!({
        "covered": [], "dissent_kept": named || votes.iter().all(|vote| camps(vote) < 2),
        "evidence_used": talk.some_text("positions").contains(" via "), "confidence": 0,
        "reason": "Rule: whether a synthesis says all that matters, these rules cannot tell.",
    }))
}

/// What is given, each with its source, and what memory warns of.
fn given(talk: &Conversation<'_>) -> Result<Vec<String>, Halt> {
    let answers: Vec<DiscoveryAnswer> = list(talk, "answers")?;
    let memory: Vec<MemoryNote> = list(talk, "memory")?;
    let mut said = vec![view(talk, &answers)?];
    said.extend(
        unmet(&answers)
            .iter()
            .map(|one| format!("Rule: {}.", brief(one))),
    );
    for one in &answers {
        let (question, answer) = (&one.question, brief(&one.answer));
        said.push(if one.by_person {
            format!("A person settled {question} as: {answer} [CONFIRMED via answer:{question}]")
        } else {
            format!("It was recommended to settle {question} as: {answer} [UNVERIFIED]")
        });
    }
    for MemoryNote { id, kind, text } in &memory {
        let verb = if WARNINGS.contains(&kind.as_str()) {
            "warns"
        } else {
            "says"
        };
        said.push(format!(
            "Memory ({kind}) {verb}: {} [CONFIRMED via memory:{id}]",
            brief(text)
        ));
    }
    said.truncate(MOST_CLAIMS);
    Ok(said)
}

/// What the rules make of the topic. It carries no tag: what was asked is no evidence.
fn view(talk: &Conversation<'_>, answers: &[DiscoveryAnswer]) -> Result<String, Halt> {
    match design(talk.text("topic")?, answers) {
        Ok(design) => {
            let (program, things) = (design.program(), outline(&design));
            Ok(format!(
                "Rule-based view: `{program}` can be commands over {things}."
            ))
        }
        Err(Halt::Cannot(_)) => {
            let view =
                "Rule-based view: these rules do not understand the topic and have no opinion.";
            Ok(view.to_owned())
        }
        Err(halt @ Halt::Call(_)) => Err(halt),
    }
}

/// A choice for every open decision: the option that an answer names, or the first one without any
/// weight behind it, which is said.
fn choices(talk: &Conversation<'_>) -> Result<(Vec<Value>, Vec<String>), Halt> {
    let open: Vec<Open> = list(talk, "decisions")?;
    let answers: Vec<DiscoveryAnswer> = list(talk, "answers")?;
    let (mut chosen, mut told) = (Vec::new(), Vec::new());
    for Open {
        id,
        question,
        options,
    } in &open
    {
        match answers
            .iter()
            .find_map(|one| Some((named(options, &one.answer)?, one)))
        {
            Some((letter, one)) => {
                // What nobody answered shows nothing: it is followed, and not cited.
                let cite = one.by_person.then(|| format!("answer:{}", one.question));
                let (confidence, as_it_was) = match &cite {
                    Some(cite) => (90, format!("as it was answered [CONFIRMED via {cite}]")),
                    None => (60, "as it was recommended [UNVERIFIED]".to_owned()),
                };
                told.push(format!("{}: {letter}, {as_it_was}", brief(question)));
                let cites: Vec<_> = cite.into_iter().collect();
                chosen.push(json!({"decision": id, "option": letter, "confidence": confidence, "cites": cites}));
            }
            None => {
                told.push(format!(
                    "{}: no answer names an option, so A is no opinion [UNVERIFIED]",
                    brief(question)
                ));
                chosen.push(json!({"decision": id, "option": "A", "confidence": 0, "cites": []}));
            }
        }
    }
    Ok((chosen, told))
}

/// The letter of the one option whose words stand in a text.
fn named(options: &[String], text: &str) -> Option<String> {
    let text = text.to_lowercase();
    let mut found = options.iter().filter_map(|option| {
        let (letter, words) = option.split_once(": ")?;
        text.contains(&words.to_lowercase())
            .then(|| letter.to_owned())
    });
    found.next().filter(|_| found.next().is_none())
}

/// What holds, and why: what these rules do not do is not decided, whoever asked for it.
fn decided(one: &DiscoveryAnswer) -> (String, String) {
    let answer = &one.answer;
    let instead = own_answer(&one.question).filter(|own| !own.contains('@'));
    match (why_not(one), instead) {
        (Some(why), Some(own)) => (
            own.to_owned(),
            format!("Rule: \"{answer}\" was asked for and is out of scope: {why}."),
        ),
        (Some(_), None) | (None, _) if one.by_person => {
            (answer.clone(), "Rule: a person said so.".to_owned())
        }
        (Some(_), None) | (None, _) => (
            answer.clone(),
            "Rule: it was recommended, and nobody said otherwise.".to_owned(),
        ),
    }
}

/// A list of the task; empty where the task has none.
fn list<T: DeserializeOwned>(talk: &Conversation<'_>, source: &str) -> Result<Vec<T>, Halt> {
    if talk.has(source) {
        talk.some_list(source)
    } else {
        Ok(Vec::new())
    }
}

/// The beginning of a text on one line. What stands in brackets must not look like a tag of ours.
fn brief(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = line.replace('[', "(").replace(']', ")");
    line.chars().take(MOST_SIGNS).collect()
}

fn is_true(value: &Value, name: &str) -> bool {
    value.get(name).and_then(Value::as_bool).unwrap_or_default()
}

fn text_of(value: &Value, name: &str) -> String {
    let text = value.get(name).and_then(Value::as_str);
    text.unwrap_or_default().to_owned()
}
