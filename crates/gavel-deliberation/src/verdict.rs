//! What a judge says of a synthesis, and what rules make of it.

use gavel_agent::{Ask, Asked, Reading};
use gavel_domain::{
    CouncilJudged, DebatePart, PhaseOutcome, Role, Scope, SynthesisOutcome, Tokens,
};
use gavel_rules::council::{TagWord, tags};
use gavel_run::{Pure, Run, RunError};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::Council;
use crate::phase::Phase;
use crate::synthesis::{Debate, Drawn, last_object, one_voice, shown_positions, shown_votes};
use crate::task::{Task, list};

const OUTPUT: Tokens = Tokens(1_024);
/// A judge that gives nothing usable is asked once more.
const TRIES: u32 = 2;
/// Below this a person should look, in hundredths.
const SURE: u32 = 50;
/// How much of a final position the judge reads.
const MOST_POSITION: usize = 800;
const PHASE: Phase<'static> = Phase {
    name: "judgement",
    part: DebatePart::Judgement,
    round: 0,
};
const WORDS: &str = "Judge the synthesis of this debate.";

/// What a judge said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// How sure it is that the synthesis is complete, in hundredths; nothing when nobody judged.
    pub confidence: Option<u32>,
    /// True when a person should look.
    pub needs_person: bool,
    /// Why.
    pub reason: String,
}

/// What a judge answers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
struct Judged {
    /// The numbers of the criteria that are answered.
    #[serde(default)]
    covered: Vec<u32>,
    /// Whether everybody who disagrees is named with their reason.
    dissent_kept: bool,
    /// Whether the advice rests on sources that held.
    evidence_used: bool,
    /// One or two sentences.
    #[serde(default)]
    reason: String,
    /// 0 to 100.
    confidence: u32,
}

/// Has the synthesis judged.
///
/// Without one there is nothing to judge, and a person should look. The facts stand in the scope:
/// the phase, the replies (`judgement-1`) and the verdict (`judged`).
pub(crate) async fn judge(
    run: &Run,
    scope: &Scope,
    council: &Council,
    (debate, drawn): (&Debate<'_>, &Drawn),
) -> Result<Verdict, RunError> {
    let verdict = match drawn.how {
        SynthesisOutcome::Failed => nobody("there is no synthesis to judge"),
        SynthesisOutcome::Made | SynthesisOutcome::MadeCompact => {
            let judge = council.judge.id.to_string();
            PHASE.begin(run, scope, vec![judge]).await?;
            let asked = ask(run, scope, council, (debate, drawn)).await?;
            let ended = match &asked {
                Asked::Answered(_) => (PhaseOutcome::Done, ""),
                Asked::Unusable { problem } => (PhaseOutcome::Failed, problem.as_str()),
            };
            PHASE.end(run, scope, ended).await?;
            match asked {
                Asked::Answered(judged) => weigh(&judged, seen(debate)),
                Asked::Unusable { problem } => nobody(&format!("nobody judged it: {problem}")),
            }
        }
    };
    let key = scope.key("judged")?;
    let input = (verdict.confidence, verdict.needs_person, &verdict.reason);
    let recorded = run.step(key, Pure, &input, |blobs| {
        let judged = CouncilJudged {
            confidence: verdict.confidence,
            needs_person: verdict.needs_person,
            reason: blobs.keep(verdict.reason.as_str()),
            self_judged: verdict.confidence.is_some() && council.judge.id == council.leader.id,
        };
        async move { Ok(judged) }
    });
    let recorded = recorded.await?.value;
    Ok(Verdict {
        confidence: recorded.confidence,
        needs_person: recorded.needs_person,
        reason: run.text(recorded.reason).await?,
    })
}

async fn ask(
    run: &Run,
    scope: &Scope,
    council: &Council,
    (debate, drawn): (&Debate<'_>, &Drawn),
) -> Result<Asked<Judged>, RunError> {
    let task = task(run, council, (debate, drawn));
    let ask = Ask {
        model: &council.judge,
        role: Role::Judge,
        shape: "council_verdict",
        system: include_str!("../prompts/verdict.md"),
        task: &task,
        max_output: OUTPUT,
    };
    let reading = Reading {
        tries: TRIES,
        read: &read,
    };
    let scope = scope.scope("judgement", 1)?;
    match ask.answer_by(run, &scope, reading).await {
        Err(RunError::Failed(error)) => Ok(Asked::Unusable {
            problem: format!("{} failed: {}", council.judge.id, error.message),
        }),
        asked => asked,
    }
}

fn read(text: &str) -> Result<Judged, String> {
    let found = last_object(text, "confidence").map_err(|flaw| flaw.to_string())?;
    let judged: Judged =
        serde_json::from_value(Value::Object(found)).map_err(|error| error.to_string())?;
    if judged.confidence > 100 {
        return Err("`confidence` is 0 to 100".to_owned());
    }
    Ok(judged)
}

fn task(run: &Run, council: &Council, (debate, drawn): (&Debate<'_>, &Drawn)) -> String {
    let limits = (run.settings().max_input, OUTPUT);
    let mut task = Task::new(WORDS, &council.judge, limits, &council.context);
    task.data("topic", debate.matter.topic, 8);
    let criteria = criteria(debate);
    let criteria = (1u32..).zip(&criteria);
    let criteria = criteria.map(|(number, text)| json!({"number": number, "criterion": text}));
    task.data("criteria", &list(criteria), 12);
    task.data("synthesis", &json!(drawn.outcome).to_string(), 40);
    task.data("votes", &shown_votes(debate.votes), 12);
    let positions = shown_positions(debate, MOST_POSITION);
    task.data("positions", &positions, 25);
    task.into_text()
}

/// What the program knows about a debate without asking anybody.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Seen {
    criteria: u32,
    /// True when somebody cited something that held.
    evidence: bool,
    /// True when one seat alone spoke.
    alone: bool,
}

fn seen(debate: &Debate<'_>) -> Seen {
    let cited = debate.positions.iter().any(|position| {
        let mut choices = position.choices.iter();
        choices.any(|choice| !choice.cites.is_empty())
    });
    let checked = |text: &str| tags(text).iter().any(|tag| tag.word != TagWord::Unverified);
    let mut positions = debate.positions.iter();
    Seen {
        criteria: u32::try_from(criteria(debate).len()).unwrap_or(u32::MAX),
        evidence: cited || positions.any(|one| checked(&one.text)) || checked(debate.findings),
        alone: one_voice(debate).is_some(),
    }
}

/// What a synthesis must answer: the criteria of the matter, else what was to be decided.
fn criteria(debate: &Debate<'_>) -> Vec<String> {
    let given = debate.matter.criteria();
    if !given.is_empty() {
        return given.to_vec();
    }
    let open = debate.votes.iter();
    open.map(|vote| {
        format!(
            "It says what was chosen, or that it is open: {}",
            vote.question
        )
    })
    .collect()
}

fn nobody(reason: &str) -> Verdict {
    Verdict {
        confidence: None,
        needs_person: true,
        reason: reason.to_owned(),
    }
}

/// What a judge's word is worth: every criterion that is left out, dissent that is lost and advice
/// without evidence lower it, whatever the judge makes of them.
fn weigh(judged: &Judged, seen: Seen) -> Verdict {
    const CRITERION: u32 = 15;
    const CRITERIA: u32 = 45;
    const DISSENT: u32 = 25;
    const EVIDENCE: u32 = 25;
    let open: Vec<String> = (1..=seen.criteria)
        .filter(|number| !judged.covered.contains(number))
        .map(|number| number.to_string())
        .collect();
    let mut lost = 0;
    let mut reasons = Vec::new();
    if seen.alone {
        reasons.push("Only one seat spoke, so nobody contradicted it.".to_owned());
    }
    if !judged.reason.trim().is_empty() {
        reasons.push(judged.reason.trim().to_owned());
    }
    if !open.is_empty() {
        let count = u32::try_from(open.len()).unwrap_or(u32::MAX);
        lost += count.saturating_mul(CRITERION).min(CRITERIA);
        let word = if count == 1 { "criterion" } else { "criteria" };
        reasons.push(format!("It leaves out {word} {}.", open.join(", ")));
    }
    if !judged.dissent_kept {
        lost += DISSENT;
        reasons.push("It does not say who still disagrees.".to_owned());
    }
    if !seen.evidence {
        lost += EVIDENCE;
        reasons.push("Nobody cited a source that held.".to_owned());
    } else if !judged.evidence_used {
        lost += EVIDENCE;
        reasons.push("Its advice does not rest on the sources that held.".to_owned());
    }
    let confidence = judged.confidence.min(100).saturating_sub(lost);
    Verdict {
        confidence: Some(confidence),
        // However good it reads, one voice is no council.
        needs_person: confidence < SURE || seen.alone,
        reason: reasons.join(" "),
    }
}

#[cfg(test)]
#[path = "verdict_tests.rs"]
mod tests;
