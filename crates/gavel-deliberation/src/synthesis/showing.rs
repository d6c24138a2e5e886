//! What the leader is shown of a debate.

use gavel_domain::{Choice, DecisionVote};
use gavel_run::Run;
use serde_json::{Value, json};

use super::answer::Flaw;
use super::{COMPACT, Debate, WHOLE};
use crate::Council;
use crate::readable::carried;
use crate::task::{Task, list, note};

/// How much of a final position the leader reads.
const MOST_POSITION: usize = 2_000;
const MOST_POSITION_COMPACT: usize = 1_000;

const WHOLE_WORDS: &str = "Draw the debate together.";
const COMPACT_WORDS: &str = "Draw the debate together from its final positions.";
const UNANSWERED_WORDS: &str =
    "No seat answered the memory items under `unanswered`. Say what follows from them.";
const EARLIER_WORDS: &str =
    "This follows up an earlier debate; what that came to stands under `earlier`.";
const TROUBLE_WORDS: &str = "An earlier plan did not work out; why stands under `trouble`.";

/// Everything: the matter, the plan, the count, the positions, what was found.
pub(super) fn whole_task(run: &Run, council: &Council, debate: &Debate<'_>) -> String {
    let limits = (run.settings().max_input, WHOLE);
    let mut task = Task::new(WHOLE_WORDS, &council.leader, limits, &council.context);
    let matter = debate.matter;
    task.data("topic", matter.topic, 8);
    if let Some(clarified) = matter.clarified {
        task.data("matter", &json!(clarified).to_string(), 8);
    }
    let answers = matter.answers.iter().map(|answer| {
        json!({"question": answer.question, "answer": answer.answer, "by_person": answer.by_person})
    });
    if !matter.answers.is_empty() {
        task.data("answers", &list(answers), 8);
    }
    if let Some(trouble) = matter.trouble {
        task.words(TROUBLE_WORDS);
        task.data("trouble", trouble, 4);
    }
    if let Some(earlier) = matter.earlier {
        task.words(EARLIER_WORDS);
        task.data("earlier", earlier, 6);
    }
    task.data("plan", &shown_plan(debate).to_string(), 10);
    task.data("votes", &shown_votes(debate.votes), 12);
    task.data("positions", &shown_positions(debate, MOST_POSITION), 28);
    if !debate.summary.is_empty() {
        task.data("summary", debate.summary, 6);
    }
    if !debate.findings.is_empty() {
        task.data("findings", debate.findings, 10);
    }
    if !debate.unanswered.is_empty() {
        task.words(UNANSWERED_WORDS);
        let notes = debate.unanswered.iter().map(|one| note(one));
        task.data("unanswered", &list(notes), 5);
    }
    task.words(debate.said);
    task.into_text()
}

/// The count and the final positions, with what to do otherwise than the first time.
pub(super) fn compact_task(
    run: &Run,
    council: &Council,
    (debate, flaw): (&Debate<'_>, &Flaw),
) -> String {
    let limits = (run.settings().max_input, COMPACT);
    let mut task = Task::new(COMPACT_WORDS, &council.leader, limits, &council.context);
    task.words(advice(flaw));
    if let Flaw::Unfit(problem) = flaw {
        task.data("problem", problem, 4);
    }
    task.data("topic", debate.matter.topic, 8);
    if let Some(earlier) = debate.matter.earlier {
        task.words(EARLIER_WORDS);
        task.data("earlier", earlier, 6);
    }
    task.data("plan", &shown_plan(debate).to_string(), 10);
    task.data("votes", &shown_votes(debate.votes), 15);
    let positions = shown_positions(debate, MOST_POSITION_COMPACT);
    task.data("positions", &positions, 40);
    task.words(debate.said);
    task.into_text()
}

const fn advice(flaw: &Flaw) -> &'static str {
    match flaw {
        Flaw::Empty => "An earlier answer was empty. Begin with the JSON object at once.",
        Flaw::Cut => {
            "An earlier answer was too long and broke off. One sentence per text, three entries per \
             list at most, and `readable` empty."
        }
        Flaw::NoJson => {
            "An earlier answer held no JSON object of the asked shape. Write that object and nothing \
             else; a field that you have nothing for is empty."
        }
        Flaw::Unfit(_) => {
            "An earlier answer could not be used; why stands under `problem`. Answer without it."
        }
    }
}

fn shown_plan(debate: &Debate<'_>) -> Value {
    let shape = &debate.plan.output_shape;
    let criteria = debate.matter.criteria();
    let criteria: Vec<Value> = (0u32..)
        .zip(criteria)
        .map(|(place, text)| json!({"criterion": text, "met": debate.met.contains(&place)}))
        .collect();
    let stances = debate.plan.stances.iter();
    let stances: Vec<Value> = stances
        .map(|stance| json!({"name": stance.name, "lens": stance.lens}))
        .collect();
    json!({
        "intent": debate.plan.intent_summary,
        "kind": shape.kind,
        "sections": shape.sections,
        "guardrails": shape.guardrails,
        "criteria": criteria,
        "stances": stances,
    })
}

/// The votes as models see them: with words, not with places.
pub(crate) fn shown_votes(votes: &[DecisionVote]) -> String {
    let shown = votes.iter().map(|vote| {
        let camps = vote.options.iter().zip(&vote.weights).zip(&vote.voters);
        let options: Vec<Value> = camps
            .map(|((option, weight), voters)| {
                json!({"option": option, "weight": weight, "chosen_by": voters})
            })
            .collect();
        json!({
            "id": vote.id,
            "question": vote.question,
            "carried": carried(vote).unwrap_or("open"),
            "options": options,
        })
    });
    list(shown)
}

/// The final positions as models see them, without the names of models.
pub(crate) fn shown_positions(debate: &Debate<'_>, most: usize) -> String {
    let shown = debate.positions.iter().map(|position| {
        let choices = position.choices.iter();
        let choices: Vec<Value> = choices.map(|choice| shown_choice(debate, choice)).collect();
        let text: String = position.text.chars().take(most).collect();
        json!({"stance": position.stance, "text": text, "choices": choices})
    });
    list(shown)
}

/// A choice with the words of its option, as the votes have them.
fn shown_choice(debate: &Debate<'_>, choice: &Choice) -> Value {
    let mut votes = debate.votes.iter();
    let vote = votes.find(|vote| vote.id == choice.decision);
    let words = vote.and_then(|vote| {
        let place = usize::try_from(choice.option).ok()?;
        vote.options.get(place)
    });
    json!({
        "decision": choice.decision,
        "option": words,
        "confidence": choice.confidence,
        "cites": choice.cites,
        "broken": choice.broken,
    })
}
