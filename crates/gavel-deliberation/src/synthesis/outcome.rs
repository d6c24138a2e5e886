//! The outcome of a debate: what was counted, and what the leader says about it.

use std::collections::{BTreeMap, BTreeSet};
use std::slice;

use gavel_domain::{
    Assumption, CouncilOutcome, Decision, DecisionVote, Dissent, OutputKind, OutputSection,
    ResolvedQuestion, SectionShape,
};
use gavel_rules::council::{dissenters, lift_plan};
use serde_json::{Value, json};

use super::answer::{Answer, list_lines};
use super::{Debate, FinalPosition};
use crate::assumed::Listed;
use crate::readable::{carried, excerpt, vote_words};
use crate::words::telling;

/// How much of somebody's own words stands beside their dissent.
const MOST_WHY: usize = 300;
/// Who raised what no seat did.
const LEADER: &str = "leader";
/// What models write where nobody disagrees.
const NOBODY: [&str; 8] = [
    "",
    "none",
    "no dissent",
    "no",
    "n/a",
    "nothing",
    "-",
    "không",
];

/// What makes an answer unusable in this debate.
pub(super) fn problems(answer: &Answer, debate: &Debate<'_>) -> Vec<String> {
    let stances = stances(debate);
    let strangers = answer
        .dissent
        .iter()
        .filter(|one| says_something(&one.why) && stance_of(&one.who, &stances).is_none());
    let wrong = strangers.map(|one| {
        format!(
            "`dissent`: nobody here is called `{}`; the stances are {}",
            one.who,
            stances.join(", ")
        )
    });
    let mut wrong: Vec<String> = wrong.collect();
    let advised = recommendation(answer);
    wrong.extend(overruled(debate.votes, &advised).map(|(vote, words)| {
        let id = &vote.id;
        format!("`recommendation` goes against the vote on `{id}`, which carries {words}")
    }));
    wrong
}

/// The votes against which some advice goes: it names what lost, and not what carries.
fn overruled<'a>(
    votes: &'a [DecisionVote],
    advised: &str,
) -> impl Iterator<Item = (&'a DecisionVote, &'a str)> {
    let advised = telling(advised);
    votes.iter().filter_map(move |vote| {
        let carries = carried(vote)?;
        let won = telling(carries);
        let lost = vote.options.iter().filter(|option| *option != carries);
        let named = |option: &String| {
            let mut own = telling(option);
            own.retain(|word| !won.contains(word));
            !own.is_empty() && own.is_subset(&advised)
        };
        let against = lost.into_iter().any(named) && won.is_disjoint(&advised);
        (against && !won.is_empty()).then_some((vote, carries))
    })
}

/// The outcome of a debate that was drawn together.
pub(super) fn compose(debate: &Debate<'_>, answer: &Answer) -> CouncilOutcome {
    let shape = &debate.plan.output_shape;
    let action_items = cleaned(&answer.action_items);
    let resolved = answer.resolved_answer.trim();
    let resolves = shape.kind == OutputKind::ResolveQuestion && !resolved.is_empty();
    CouncilOutcome {
        kind: shape.kind,
        summary: alone_first(debate, answer.summary.trim()),
        sections: sections(&shape.sections, answer),
        agreed: field_or_section(&answer.agreed, "agreed", answer),
        tradeoffs: field_or_section(&answer.tradeoffs, "tradeoffs", answer),
        recommendation: counted_advice(debate, answer),
        plan: lift_plan(&action_items),
        action_items,
        resolved_question: resolves.then(|| ResolvedQuestion {
            question: debate.matter.topic.to_owned(),
            answer: resolved.to_owned(),
        }),
        dissent: dissent(debate, answer),
        decisions: debate.votes.to_vec(),
    }
}

/// The outcome of a debate that nobody drew together: what was counted, and nothing else.
pub(super) fn counted(debate: &Debate<'_>, why: &str) -> CouncilOutcome {
    // Nobody agrees with somebody who is alone.
    let several = one_voice(debate).is_none();
    let agreed = debate.votes.iter().filter(|vote| vote.agreed && several);
    let agreed = agreed.filter_map(|vote| Some(format!("{} {}", vote.question, carried(vote)?)));
    CouncilOutcome {
        kind: debate.plan.output_shape.kind,
        summary: alone_first(
            debate,
            &format!(
                "There is no synthesis: {}. What stands here was counted from the final positions.",
                why.trim_end_matches('.')
            ),
        ),
        sections: BTreeMap::new(),
        agreed: agreed.collect(),
        tradeoffs: Vec::new(),
        recommendation: String::new(),
        action_items: Vec::new(),
        resolved_question: None,
        plan: None,
        dissent: dissent(debate, &Answer::default()),
        decisions: debate.votes.to_vec(),
    }
}

/// Why each decision went as it was counted; an open one says so first.
pub(super) fn whys(debate: &Debate<'_>, answer: &Answer) -> BTreeMap<String, String> {
    let why = |vote: &DecisionVote| {
        let said = answer.decisions.iter().find(|one| one.id == vote.id);
        let said = said.map(|one| one.why.trim()).unwrap_or_default();
        match (vote.option, said.is_empty()) {
            (Some(_), false) => match one_voice(debate) {
                Some(alone) => format!("One voice, {}. {said}", alone.stance),
                None => said.to_owned(),
            },
            (Some(_), true) => vote_words(vote),
            (None, false) => format!("Open ({}). {said}", vote_words(vote)),
            (None, true) => format!("Open ({}).", vote_words(vote)),
        }
    };
    debate
        .votes
        .iter()
        .map(|vote| (vote.id.clone(), why(vote)))
        .collect()
}

/// What was settled besides the decisions of the plan, which the count alone decides.
pub(super) fn extra(debate: &Debate<'_>, answer: &Answer) -> Vec<Decision> {
    let planned = |title: &str| {
        let mut open = debate.votes.iter();
        open.any(|vote| same(title, &vote.id) || same(title, &vote.question))
    };
    let settled = answer.settled.iter().filter(|one| {
        let told = !one.title.trim().is_empty() && !one.choice.trim().is_empty();
        told && !planned(&one.title)
    });
    let decision = |one: &super::answer::Settled| Decision {
        title: one.title.trim().to_owned(),
        choice: one.choice.trim().to_owned(),
        why: one.why.trim().to_owned(),
        dissent: String::new(),
    };
    settled.map(decision).collect()
}

/// What is taken for granted, raised by a stance or by the leader.
pub(super) fn assumptions(debate: &Debate<'_>, answer: &Answer) -> Vec<Assumption> {
    let stances = stances(debate);
    let entry = |one: &Listed| {
        let who = stance_of(&one.raised_by, &stances).unwrap_or(LEADER);
        let listed = Listed {
            raised_by: who.to_owned(),
            ..one.clone()
        };
        listed.entry()
    };
    answer.assumptions.iter().map(entry).collect()
}

/// True when a section that was asked for is missing or says nothing.
pub(crate) fn empty_sections(sections: &[OutputSection], outcome: &CouncilOutcome) -> bool {
    let says = |section: &OutputSection| match outcome.sections.get(&section.key) {
        Some(Value::String(text)) => !text.trim().is_empty(),
        Some(Value::Array(entries)) => !entries.is_empty(),
        Some(Value::Object(_) | Value::Bool(_) | Value::Number(_)) => true,
        Some(Value::Null) | None => false,
    };
    !sections.iter().all(says)
}

/// The only seat that spoke, where the others said nothing: no debate stands behind it.
pub(crate) fn one_voice<'a>(debate: &Debate<'a>) -> Option<&'a FinalPosition> {
    match debate.positions {
        [alone] => Some(alone),
        [] | [..] => None,
    }
}

/// A text that says first whose word alone it is.
pub(super) fn alone_first(debate: &Debate<'_>, text: &str) -> String {
    let Some(alone) = one_voice(debate) else {
        return text.to_owned();
    };
    let others = stances(debate).into_iter();
    let others: Vec<&str> = others.filter(|stance| *stance != alone.stance).collect();
    let (who, model) = (&alone.stance, &alone.model);
    let silent = match others.as_slice() {
        [] => String::new(),
        others => format!("; nothing usable came from {}", others.join(", ")),
    };
    format!("ONE VOICE: only {who} ({model}) spoke{silent}. {text}")
}

/// Everybody whose final choice did not carry, in their own words, and what the leader adds.
fn dissent(debate: &Debate<'_>, answer: &Answer) -> Vec<Dissent> {
    let mut all = Vec::new();
    for (who, decision) in dissenters(debate.votes) {
        let own = debate.positions.iter().find(|one| one.stance == who);
        all.push(Dissent {
            // From the beginning: what somebody begins with is what they hold against it.
            why: own.map_or_else(
                || "chose otherwise".to_owned(),
                |own| excerpt(&own.text, MOST_WHY),
            ),
            turn: own.map(|own| own.turn.clone()).unwrap_or_default(),
            who,
            decision,
        });
    }
    let stances = stances(debate);
    let mut told = BTreeSet::new();
    for one in answer.dissent.iter().filter(|one| says_something(&one.why)) {
        let Some(who) = stance_of(&one.who, &stances) else {
            continue;
        };
        if told.insert((who, one.why.trim())) {
            all.push(Dissent {
                who: who.to_owned(),
                decision: String::new(),
                why: excerpt(&one.why, MOST_WHY),
                turn: String::new(),
            });
        }
    }
    all
}

fn sections(wanted: &[OutputSection], answer: &Answer) -> BTreeMap<String, Value> {
    let value = |section: &OutputSection| {
        let said = answer
            .sections
            .iter()
            .find(|one| same(&one.key, &section.key));
        let text = said.map(|one| one.text.trim()).unwrap_or_default();
        let value = if text.is_empty() {
            field(&section.key, section.shape, answer)?
        } else {
            shaped(text, section.shape)
        };
        Some((section.key.clone(), value))
    };
    wanted.iter().filter_map(value).collect()
}

fn shaped(text: &str, shape: SectionShape) -> Value {
    let list = || match serde_json::from_str(text) {
        Ok(Value::Array(entries)) => Value::Array(entries),
        Ok(_) | Err(_) => json!(list_lines(text)),
    };
    match shape {
        SectionShape::Text => json!(text),
        SectionShape::List | SectionShape::ObjectList => list(),
    }
}

/// What a field says that stands for a section of the same name.
fn field(key: &str, shape: SectionShape, answer: &Answer) -> Option<Value> {
    let lines = match key {
        "agreed" => cleaned(&answer.agreed),
        "tradeoffs" => cleaned(&answer.tradeoffs),
        "action_items" => cleaned(&answer.action_items),
        "recommendation" => cleaned(slice::from_ref(&answer.recommendation)),
        "summary" => cleaned(slice::from_ref(&answer.summary)),
        _ => return None,
    };
    match shape {
        _ if lines.is_empty() => None,
        SectionShape::Text => Some(json!(lines.join("\n"))),
        SectionShape::List | SectionShape::ObjectList => Some(json!(lines)),
    }
}

fn field_or_section(lines: &[String], key: &str, answer: &Answer) -> Vec<String> {
    let lines = cleaned(lines);
    if !lines.is_empty() {
        return lines;
    }
    let said = answer.sections.iter().find(|one| same(&one.key, key));
    said.map(|one| list_lines(&one.text)).unwrap_or_default()
}

/// What the leader advises; where it goes against a vote, with what was counted.
fn counted_advice(debate: &Debate<'_>, answer: &Answer) -> String {
    let mut advised = recommendation(answer);
    let said = advised.clone();
    for (vote, carries) in overruled(debate.votes, &said) {
        advised.push_str(&format!(" (The vote on {} carries {carries}.)", vote.id));
    }
    advised
}

fn recommendation(answer: &Answer) -> String {
    let given = answer.recommendation.trim();
    if !given.is_empty() {
        return given.to_owned();
    }
    let mut sections = answer.sections.iter();
    let said = sections.find(|one| same(&one.key, "recommendation"));
    said.map(|one| one.text.trim().to_owned())
        .unwrap_or_default()
}

fn cleaned(lines: &[String]) -> Vec<String> {
    let lines = lines.iter().map(|line| line.trim().to_owned());
    lines.filter(|line| !line.is_empty()).collect()
}

fn stances<'a>(debate: &Debate<'a>) -> Vec<&'a str> {
    let stances = debate.plan.stances.iter();
    stances.map(|stance| stance.name.as_str()).collect()
}

fn stance_of<'s>(name: &str, stances: &[&'s str]) -> Option<&'s str> {
    stances.iter().copied().find(|stance| same(stance, name))
}

fn same(one: &str, other: &str) -> bool {
    one.trim().to_lowercase() == other.trim().to_lowercase()
}

fn says_something(why: &str) -> bool {
    let why = why.trim().trim_end_matches('.').to_lowercase();
    !NOBODY.contains(&why.as_str())
}
