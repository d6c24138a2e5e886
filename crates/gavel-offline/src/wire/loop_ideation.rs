//! Turns of an ideation by rules, but for its critiques: the matter as it was given, conditions and
//! steps in memory's own words, and nothing that only somebody who understands it could say.

use gavel_rules::council::Bearing;
use serde_json::{Value, json};

use super::conversation::Halt;
use super::loop_brief::{Brief, Entry};
use super::loop_critique::{Context, Stand, subject};
use crate::english::{capital, listed};

/// The most of an item that is repeated in a critique, and in a condition or step.
pub(super) const QUOTED: usize = 280;
const CONDITION: usize = 150;
/// The most of a proposal that a revision repeats, so that its conditions are shown with it.
const MOST_MATTER: usize = 1_800;
const CONDITIONS: &str = "Conditions, from what the project remembers:";
const SETTLED: &str = "What the project has settled about it:";
/// Kinds of memory that settle something.
const SETTLING: [&str; 2] = ["constraint", "decision"];
const MOST_SETTLED: usize = 4;
const OWN: &str = "These rules put it forward as it was asked and add nothing to it.";
const NO_VIEW: &str = "Whether it is worth doing, these rules cannot tell.";

/// The matter as it was given, and what is settled about it: rules have no proposal of their own.
pub(super) fn proposal(brief: &Brief) -> Value {
    let settled = settled(brief);
    let lines = settled.iter().map(|item| {
        let text = quoted(&item.text, CONDITION);
        format!("- {} ({}): {text}", item.id, item.kind)
    });
    let lines: Vec<String> = lines.collect();
    let settles = if lines.is_empty() {
        String::new()
    } else {
        format!("{SETTLED}\n{}", lines.join("\n"))
    };
    let given = [brief.title.trim(), brief.goal.trim(), OWN, &settles];
    let given: Vec<&str> = given.into_iter().filter(|text| !text.is_empty()).collect();
    let cites: Vec<&str> = settled.iter().map(|item| item.id.as_str()).collect();
    json!({"text": given.join("\n\n"), "cites": cites})
}

/// Decisions and constraints that touch the matter.
fn settled(brief: &Brief) -> Vec<&Entry> {
    let subject = subject(brief);
    let items = brief.memory.iter();
    let settles = items.filter(|item| SETTLING.contains(&item.kind.as_str()));
    let touch = settles.filter(|item| subject.touched_by(item).is_some());
    touch.take(MOST_SETTLED).collect()
}

/// The proposal as it was put forward, without conditions and without words of the rules.
pub(super) fn first_matter(brief: &Brief) -> &str {
    asked_for(brief.first_proposal().map_or("", Entry::matter))
}

fn asked_for(text: &str) -> &str {
    let ends = [CONDITIONS, OWN, SETTLED];
    let ends = ends.iter().filter_map(|end| text.find(end)).min();
    let end = ends.unwrap_or(text.len());
    text.get(..end).unwrap_or(text).trim()
}

/// The proposal with a condition for each critique, in the words of the item behind it.
pub(super) fn revision(brief: &Brief) -> Value {
    let now = |entry: &&Entry| brief.round.is_none() || entry.round == brief.round;
    let critiques: Vec<&Entry> = brief.earlier("critique").filter(now).collect();
    let about = brief
        .about
        .as_ref()
        .map_or(brief.title.as_str(), Entry::matter);
    let (matter, before) = about.split_once(CONDITIONS).unwrap_or((about, ""));
    let mut conditions: Vec<String> = before.trim().lines().map(str::to_owned).collect();
    let mut answers = Vec::new();
    for critique in &critiques {
        let mut added = Vec::new();
        for id in &critique.cites {
            if !conditions.iter().any(|line| line.contains(id)) {
                conditions.push(format!("- {id}: {}", heeded(brief, critique, id)));
            }
            added.push(id.clone());
        }
        let how = if added.is_empty() {
            "it rests on no memory item, and these rules weigh no argument: nothing changed"
                .to_owned()
        } else {
            format!(
                "the condition from {} is part of the proposal now",
                listed(&added)
            )
        };
        answers.push(json!({"critique": critique.id, "how": how}));
    }
    let mut text = quoted_lines(&matter.replace(OWN, ""), MOST_MATTER);
    if conditions.is_empty() {
        text.push_str("\n\nNothing was said against it, so nothing changed.");
    } else {
        text.push_str(&format!("\n\n{CONDITIONS}\n{}", conditions.join("\n")));
    }
    json!({"text": text, "answers": answers})
}

/// What a plan has to do about an item, in the item's own words; without it, in the critique's.
fn heeded(brief: &Brief, critique: &Entry, id: &str) -> String {
    let Some(item) = brief.item(id) else {
        return format!(
            "heed what was said: \"{}\"",
            quoted(&critique.text, CONDITION)
        );
    };
    let text = quoted(&item.text, CONDITION);
    match item.kind.as_str() {
        "trap" => format!("show that this trap is avoided: \"{text}\""),
        "feedback" => format!("do as people asked: \"{text}\""),
        "runtime_note" => format!("look at this again afterwards: \"{text}\""),
        "constraint" | "decision" => match Stand::of(brief).bearing(item) {
            Bearing::Against => decides_first(&text),
            Bearing::For | Bearing::Unclear | Bearing::Silent => {
                format!("hold to this: \"{text}\"")
            }
        },
        _ => format!("take this into account: \"{text}\""),
    }
}

/// What is settled and what is proposed cannot both hold: which of them goes, rules do not say.
fn decides_first(text: &str) -> String {
    format!("let a person decide first whether this goes or the proposal: \"{text}\"")
}

/// The proposal, a step for whatever critiques rest on, and who has to decide.
pub(super) fn plan(brief: &Brief) -> Value {
    let matter = first_matter(brief);
    let asked = if matter.is_empty() {
        &brief.title
    } else {
        matter
    };
    let critiques: Vec<&Entry> = brief.earlier("critique").collect();
    let mut steps = vec![format!("On a branch of its own: {}", as_task(asked))];
    let heeding = heeding(brief, &critiques);
    steps.extend(heeding.iter().map(Step::told));
    let raised = |id: &String| critiques.iter().any(|critique| critique.cites.contains(id));
    let open = settled(brief).into_iter().filter(|item| !raised(&item.id));
    let stand = Stand::of(brief);
    let hold = open.map(|item| {
        let (text, id) = (quoted(&item.text, CONDITION), &item.id);
        match stand.bearing(item) {
            Bearing::Against => format!("{} ({id}).", capital(&decides_first(&text))),
            Bearing::For => format!("Hold to what is settled: \"{text}\" ({id})."),
            Bearing::Unclear | Bearing::Silent => {
                format!("Hold to what is settled, as far as it is about this: \"{text}\" ({id}).")
            }
        }
    });
    steps.extend(hold);
    steps.push(format!(
        "Let a person decide with what was shown. {NO_VIEW}"
    ));
    let addresses: Vec<&str> = critiques
        .iter()
        .map(|critique| critique.id.as_str())
        .collect();
    let against = match (addresses.len(), heeding.len()) {
        (0, _) => "No critique was handed in.".to_owned(),
        (1, _) => "One critique from memory became a step.".to_owned(),
        (n, 1) => format!("{n} critiques from memory became one step."),
        (n, _) => format!("{n} critiques from memory became steps."),
    };
    json!({
        "summary": format!(
            "{} {against}{}",
            sentence(&quoted(asked, QUOTED)),
            Context::of(brief).told()
        ),
        "steps": steps,
        "addresses_critique": addresses,
        "waived": [],
    })
}

/// Words with an end, so that others may follow.
fn sentence(words: &str) -> String {
    let words = words.trim_end();
    match words.ends_with(['.', '?', '!', '…', ':', ';']) {
        true => words.to_owned(),
        false => format!("{words}."),
    }
}

/// A step of a plan.
struct Step<'a> {
    heeds: Vec<String>,
    items: Vec<&'a str>,
    answers: Vec<String>,
}

impl Step<'_> {
    fn told(&self) -> String {
        let heed = capital(&self.heeds.join("; "));
        format!("{heed}; answers {}.", listed(&self.answers))
    }
}

/// What critiques ask for, each item once, however many rest on it.
fn heeding<'a>(brief: &Brief, critiques: &[&'a Entry]) -> Vec<Step<'a>> {
    let mut steps: Vec<Step<'a>> = Vec::new();
    for critique in critiques {
        let (mut heeds, mut items) = (Vec::new(), Vec::new());
        for id in &critique.cites {
            let known = steps.iter_mut().find(|step| step.items.contains(&&**id));
            match known {
                Some(step) if step.answers.contains(&critique.id) => {}
                Some(step) => step.answers.push(critique.id.clone()),
                None => {
                    heeds.push(format!("{} ({id})", heeded(brief, critique, id)));
                    items.push(id.as_str());
                }
            }
        }
        if critique.cites.is_empty() {
            heeds.push(heeded(brief, critique, ""));
        }
        if !heeds.is_empty() {
            steps.push(Step {
                heeds,
                items,
                answers: vec![critique.id.clone()],
            });
        }
    }
    steps
}

/// A question whether to do something, as something to do.
fn as_task(asked: &str) -> String {
    let line = quoted(asked, QUOTED);
    let begins = [
        "Should we ",
        "Shall we ",
        "Could we ",
        "Can we ",
        "Do we want to ",
    ];
    let task = begins.iter().find_map(|begin| line.strip_prefix(begin));
    match task.and_then(|task| task.strip_suffix('?')) {
        Some(task) => format!("{}.", task.trim_end()),
        None => line,
    }
}

/// What the project is for, held beside the proposal.
pub(super) fn reframe(brief: &Brief) -> Value {
    let visions = brief.memory.iter().filter(|item| item.kind == "vision");
    let visions: Vec<&Entry> = visions.collect();
    let subject = subject(brief);
    let mut lines = Vec::new();
    for vision in &visions {
        let shares = match subject.touched_by(vision) {
            Some(shared) => format!("The proposal speaks of {} too.", listed(&ticked(&shared))),
            None => "The proposal shares no telling word with it.".to_owned(),
        };
        lines.push(format!(
            "The project is for: \"{}\" {shares}",
            quoted(&vision.text, QUOTED)
        ));
    }
    if visions.is_empty() {
        lines.push("The brief does not say what the project is for.".to_owned());
    }
    lines.push("Whether the proposal serves it, or another question should be asked, these rules cannot tell.".to_owned());
    let cites: Vec<&str> = visions.iter().map(|vision| vision.id.as_str()).collect();
    json!({"text": lines.join("\n"), "cites": cites})
}

/// A turn of a kind that the rules do not know.
pub(super) fn unknown() -> Halt {
    Halt::cannot(
        "the offline rules know no turn of this kind: take it yourself, or let another model take it",
    )
}

/// Words of a text, marked as such.
pub(super) fn ticked(words: &[String]) -> Vec<String> {
    words.iter().map(|word| format!("`{word}`")).collect()
}

/// The beginning of a text on one line.
pub(super) fn quoted(text: &str, most: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut cut: String = line.chars().take(most).collect();
    if cut.len() < line.len() {
        cut.push('…');
    }
    capital(&cut)
}

/// The beginning of a text, in its own lines.
fn quoted_lines(text: &str, most: usize) -> String {
    let text = text.trim();
    let mut cut: String = text.chars().take(most).collect();
    if cut.len() < text.len() {
        cut.push_str("… (the rest stands in the first proposal)");
    }
    cut
}
