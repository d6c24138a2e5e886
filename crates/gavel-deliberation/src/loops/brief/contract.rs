//! What is to be handed in: exactly what the phase takes, what counts, and what ends it.

use gavel_domain::{ExitWhen, Iteration, Word};
use gavel_rules::deliberation::{
    ADVICE, AUTHOR_RESPONSE, CAP_BYTES, CHANGE_SUMMARY, CRITIC_SIGNAL, CRITIQUE, FINDING, FOLLOWUP,
    NOTHING_NEW, PLAN_DRAFT, PROPOSAL, QUESTION, REFRAME, REVISION, VERDICT, artifact_name,
};

use super::BriefAsk;
use super::gate;
use super::hand_in::hand_in;

/// The most types, and the most ids, that are listed.
const MOST_TYPES: usize = 24;
const MOST_IDS: usize = 200;

/// The last part of a brief. `items` are the memory items of it that somebody accepted.
pub(super) fn contract(ask: &BriefAsk<'_>, items: &[String]) -> String {
    let mut text = "\n\n## What to hand in\n".to_owned();
    text.push_str(&types(ask));
    text.push_str("\n\nWhat counts:\n");
    for rule in rules(ask, items) {
        text.push_str(&format!("\n- {rule}"));
    }
    text.push_str(&hand_in(ask, items));
    text
}

/// The critiques that count, by their ids.
pub(super) fn critiques(ask: &BriefAsk<'_>) -> Vec<String> {
    let all = ask.state.counting(CRITIQUE);
    all.map(|critique| artifact_name(ask.state.id, critique.artifact))
        .collect()
}

pub(super) fn takes(ask: &BriefAsk<'_>, kind: &str) -> bool {
    ask.phase.produces.iter().any(|made| made.as_str() == kind)
}

fn types(ask: &BriefAsk<'_>) -> String {
    let produces = &ask.phase.produces;
    if produces.is_empty() {
        return "\nThis phase takes artifacts of any type; name the type with small letters and `_`. One turn may \
                carry several."
            .to_owned();
    }
    let mut text = match produces.len() {
        1 => "\nThis phase takes one type of artifact:\n".to_owned(),
        n => format!(
            "\nThis phase takes {n} types of artifact, and one turn may carry several artifacts:\n"
        ),
    };
    for kind in produces.iter().take(MOST_TYPES) {
        text.push_str(&match meaning(ask, kind) {
            Some(meaning) => format!("\n- `{kind}`: {meaning}"),
            None => format!("\n- `{kind}`"),
        });
    }
    if let Some(more) = produces
        .len()
        .checked_sub(MOST_TYPES)
        .filter(|more| *more > 0)
    {
        text.push_str(&format!("\n- and {more} more types of this loop's own"));
    }
    text
}

fn meaning(ask: &BriefAsk<'_>, kind: &Word) -> Option<&'static str> {
    Some(match kind.as_str() {
        PROPOSAL => {
            "what should be done and why; what changes, what stays, how one would see that it worked."
        }
        CRITIQUE => {
            "one thing that the proposal overlooks or goes against, and what follows. One point each."
        }
        NOTHING_NEW => nothing_new(ask),
        CRITIC_SIGNAL => match exit(ask) {
            Some(ExitWhen::CriticSignal) => {
                "you find the proposal good enough; with it the rounds end once everybody was heard."
            }
            Some(ExitWhen::NoNewCritiqueArtifacts) | None => {
                "you find the proposal good enough. It is noted, and does not end the rounds: `nothing_new` does."
            }
        },
        REVISION => "the whole proposal as it stands now, not a list of changes.",
        REFRAME => {
            "whether the proposal serves what the project is for, and how else it could be seen."
        }
        PLAN_DRAFT => "what is to be done, in steps that one can see are done.",
        CHANGE_SUMMARY => "what was changed and why.",
        FINDING => {
            "one thing that is wrong with the change, where, and what follows. One point each."
        }
        AUTHOR_RESPONSE => "what you did about each finding, or why nothing.",
        FOLLOWUP => "what is still open after the author's response.",
        VERDICT => {
            "whether the change is accepted. Begin with the word `accepted` if it is; everything else is no."
        }
        QUESTION => "what you want advice on.",
        ADVICE => "what you advise, why, and what would change your mind.",
        _ => return None,
    })
}

fn nothing_new(ask: &BriefAsk<'_>) -> &'static str {
    match exit(ask) {
        Some(ExitWhen::NoNewCritiqueArtifacts) => {
            "you have nothing to add beyond what you hand in with it. Once everybody says so, no more is asked \
             for: without any critique the rounds end, with some they are answered."
        }
        Some(ExitWhen::CriticSignal) | None => {
            "you have nothing to add beyond what you hand in with it."
        }
    }
}

/// The exit rule, where this phase is the one that it looks at.
fn exit(ask: &BriefAsk<'_>) -> Option<ExitWhen> {
    let rule: &Iteration = ask.state.protocol.iteration.as_ref()?;
    (rule.cycle.first() == Some(&ask.phase.name)).then_some(rule.exit_when)
}

/// True where everybody's `nothing_new` ends the phase, whatever its gate asks for.
fn saturates(ask: &BriefAsk<'_>) -> bool {
    exit(ask) == Some(ExitWhen::NoNewCritiqueArtifacts) && takes(ask, NOTHING_NEW)
}

fn rules(ask: &BriefAsk<'_>, items: &[String]) -> Vec<String> {
    let mut rules = vec![format!(
        "A text has at most {CAP_BYTES} bytes; of a longer one later briefs show the beginning. Empty texts, \
             and texts that were handed in before, do not count."
    )];
    if takes(ask, CRITIQUE) {
        rules.push(citing(ask, items));
    } else {
        rules.push(
            "`cites` may name memory items and artifacts of this brief, by the ids in square brackets. Others are \
             refused."
                .to_owned(),
        );
    }
    rules.extend(answering(ask));
    rules.extend(gate::gate(ask).map(|needs| match saturates(ask) {
        true => format!("{needs}, or a `nothing_new` of everybody who has a turn in it."),
        false => format!("{needs}."),
    }));
    rules.extend(floor(ask, items));
    rules.push("What comes after the phase is over is kept, and does not count.".to_owned());
    rules
}

fn citing(ask: &BriefAsk<'_>, items: &[String]) -> String {
    let instead = if takes(ask, NOTHING_NEW) {
        "`nothing_new` is the honest answer"
    } else {
        "say so instead"
    };
    if items.is_empty() {
        return format!(
            "This brief holds no memory item that somebody accepted, so there is nothing to cite and no `critique` \
             can count: {instead}."
        );
    }
    "Each `critique` has `cites`: the id of at least one memory item of this brief, as it stands in square \
     brackets, and not one that is only proposed. Without one it does not count. Ids of artifacts may stand \
     beside it."
        .to_owned()
}

fn answering(ask: &BriefAsk<'_>) -> Option<String> {
    if takes(ask, PLAN_DRAFT) {
        let critiques = critiques(ask);
        if critiques.is_empty() {
            return Some(
                "No critique counts in this loop, so `addresses_critique` and `waived` stay empty. Say in the plan \
                 that it was not criticised."
                    .to_owned(),
            );
        }
        return Some(format!(
            "A `plan_draft` accounts for every critique: `addresses_critique` lists the ids that a step heeds, \
             `waived` the others, each as {{\"id\": …, \"reason\": …}}. A plan with one in neither list is \
             refused. The critiques: {}.",
            listed(&critiques)
        ));
    }
    if takes(ask, REVISION) {
        let now = ask.state.iteration;
        let now = ask
            .state
            .counting(CRITIQUE)
            .filter(|critique| critique.iteration == now);
        let now: Vec<String> = now
            .map(|critique| artifact_name(ask.state.id, critique.artifact))
            .collect();
        if now.is_empty() {
            return None;
        }
        return Some(format!(
            "Answer each critique of this iteration: what changed because of it, or why nothing. \
             `addresses_critique` may list their ids: {}.",
            listed(&now)
        ));
    }
    None
}

/// How much one critic should bring, and what to do with less.
fn floor(ask: &BriefAsk<'_>, items: &[String]) -> Option<String> {
    let (kind, need, share) = gate::share(ask)?;
    if kind.as_str() == CRITIQUE && items.is_empty() {
        return None;
    }
    if need <= 1 {
        return None;
    }
    let less = if saturates(ask) {
        " If you have fewer, hand in those and a `nothing_new` beside them; if you have none, `nothing_new` alone. \
         Do not make points up to reach the number."
    } else {
        ""
    };
    Some(format!(
        "To reach {need}, hand in at least {share} `{kind}` yourself.{less}"
    ))
}

fn listed(ids: &[String]) -> String {
    let mut shown: Vec<String> = ids.iter().take(MOST_IDS).cloned().collect();
    if let Some(more) = ids.len().checked_sub(MOST_IDS).filter(|more| *more > 0) {
        shown.push(format!("and {more} more"));
    }
    shown.join(", ")
}
