//! The synthesis: the leader explains what was counted, draws the rest together, and overrules no
//! vote. Where it cannot, the count stands alone and says so.

mod again;
mod answer;
mod outcome;
mod showing;

use std::cell::Cell;
use std::collections::BTreeMap;

use gavel_agent::{Ask, Asked, Reading};
use gavel_domain::{
    Assumption, Choice, CouncilOutcome, DebatePart, DebatePlan, Decision, DecisionVote, FaultClass,
    Key, MemoryNote, PhaseOutcome, Role, Scope, SynthesisMade, SynthesisOutcome, Tokens,
};
use gavel_run::{ProjectMemory, Pure, Run, RunError, StepFailure};

use self::answer::{Answer, Flaw, READABLE, read_answer};
pub(crate) use self::answer::{divide, last_object};
pub(crate) use self::outcome::{empty_sections, one_voice};
pub(crate) use self::showing::{shown_positions, shown_votes};
use crate::evidence::Evidence;
use crate::phase::Phase;
use crate::readable::readable;
use crate::record::json_text;
use crate::{Council, Edition, Matter};

const WHOLE: Tokens = Tokens(8_192);
const COMPACT: Tokens = Tokens(4_096);
/// How often a person may have a synthesis that failed tried again.
const MOST_AGAIN: u32 = 3;
const PHASE: Phase<'static> = Phase {
    name: "synthesis",
    part: DebatePart::Synthesis,
    round: 0,
};

/// Where a seat stands in the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FinalPosition {
    /// Counted from one.
    pub(crate) seat: u32,
    pub(crate) stance: String,
    pub(crate) model: String,
    /// The key of the turn in which it said so.
    pub(crate) turn: String,
    /// What it said, checked.
    pub(crate) text: String,
    pub(crate) choices: Vec<Choice>,
}

/// A debate that is over, with everything that is known about it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Debate<'a> {
    pub(crate) matter: &'a Matter<'a>,
    pub(crate) plan: &'a DebatePlan,
    pub(crate) positions: &'a [FinalPosition],
    /// What the final positions come to, counted by the program.
    pub(crate) votes: &'a [DecisionVote],
    /// The summary that ran along; may be empty.
    pub(crate) summary: &'a str,
    /// What was looked up; may be empty.
    pub(crate) findings: &'a str,
    /// The warnings of memory that nobody took up.
    pub(crate) unanswered: &'a [&'a MemoryNote],
    /// What people said meanwhile, fenced; may be empty.
    pub(crate) said: &'a str,
    /// The criteria that the leader saw met, counted from zero.
    pub(crate) met: &'a [u32],
    /// Looks up what the leader claims in its own words; nothing where that is not done.
    pub(crate) evidence: Option<&'a Evidence<'a>>,
}

/// A debate, drawn together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Drawn {
    /// How it came about.
    pub(crate) how: SynthesisOutcome,
    pub(crate) outcome: CouncilOutcome,
    /// The outcome as Markdown.
    pub(crate) readable: String,
    /// Why each decision of the plan went as it did, by its id; none is missing.
    pub(crate) whys: BTreeMap<String, String>,
    /// What was settled besides.
    pub(crate) extra: Vec<Decision>,
    /// What the leader says is taken for granted.
    pub(crate) assumptions: Vec<Assumption>,
}

/// Draws a debate together.
///
/// The facts stand in the scope: the phase, the replies (`synthesis-1`, and `synthesis-2` for the
/// compact try) and what came of them (`synthesis/made`). Where a person may be asked, one that
/// failed is tried again for as long as they want it.
pub(crate) async fn synthesise(
    run: &Run,
    scope: &Scope,
    council: &Council,
    debate: &Debate<'_>,
) -> Result<Drawn, RunError> {
    PHASE
        .begin(run, scope, vec![council.leader.id.to_string()])
        .await?;
    let mut tried = draw(run, scope, council, (debate, 1)).await?;
    for number in 1..=MOST_AGAIN {
        let Tries::Failed(problem) = &tried else {
            break;
        };
        // The debate is on record: the synthesis alone is tried again, once where nobody can be asked.
        let again = match (debate.matter.attended, council.edition) {
            (true, _) => again::wanted(run, scope, number, problem).await?,
            (false, Edition::Second) => number == 1,
            (false, Edition::First) => false,
        };
        if !again {
            break;
        }
        tried = draw(run, scope, council, (debate, 2 * number + 1)).await?;
    }
    let key = scope.key("synthesis/made")?;
    match tried {
        Tries::Made(how, answer) => {
            let drawn = made(run, key, debate, (how, &answer)).await?;
            PHASE.done(run, scope).await?;
            Ok(drawn)
        }
        Tries::Failed(problem) => {
            let drawn = without(run, key, (debate, &problem)).await?;
            let ended = (PhaseOutcome::Failed, problem.as_str());
            PHASE.end(run, scope, ended).await?;
            Ok(drawn)
        }
    }
}

/// What asking the leader came to.
enum Tries {
    Made(SynthesisOutcome, Box<Answer>),
    /// What was wrong, as a sentence without its end.
    Failed(String),
}

/// What one try came to.
enum OneTry {
    Answered(Box<Answer>),
    /// Asking for less may help.
    Useless(Flaw),
    /// Asking again does not.
    Broken(String),
}

async fn draw(
    run: &Run,
    scope: &Scope,
    council: &Council,
    (debate, number): (&Debate<'_>, u32),
) -> Result<Tries, RunError> {
    let whole = Try {
        number,
        system: include_str!("../prompts/synthesis-whole.md"),
        task: showing::whole_task(run, council, debate),
        tokens: WHOLE,
        // A name that nobody has is worth asking again once, not losing everything for.
        strict: true,
    };
    let first = match whole.ask(run, scope, council, debate).await? {
        OneTry::Answered(answer) => return Ok(Tries::Made(SynthesisOutcome::Made, answer)),
        OneTry::Broken(problem) => return Ok(Tries::Failed(problem)),
        OneTry::Useless(flaw) => flaw,
    };
    let compact = Try {
        number: number + 1,
        system: include_str!("../prompts/synthesis-compact.md"),
        task: showing::compact_task(run, council, (debate, &first)),
        tokens: COMPACT,
        strict: false,
    };
    Ok(match compact.ask(run, scope, council, debate).await? {
        OneTry::Answered(answer) => Tries::Made(SynthesisOutcome::MadeCompact, answer),
        OneTry::Broken(problem) => Tries::Failed(problem),
        OneTry::Useless(second) => Tries::Failed(format!(
            "the leader's first answer could not be used ({first}), nor its second ({second})"
        )),
    })
}

struct Try {
    number: u32,
    system: &'static str,
    task: String,
    tokens: Tokens,
    strict: bool,
}

impl Try {
    async fn ask(
        &self,
        run: &Run,
        scope: &Scope,
        council: &Council,
        debate: &Debate<'_>,
    ) -> Result<OneTry, RunError> {
        let ask = Ask {
            model: &council.leader,
            role: Role::Leader,
            shape: "council_synthesis",
            system: self.system,
            task: &self.task,
            max_output: self.tokens,
        };
        // Asking tells what was wrong in words; what to do about it hangs on the flaw itself.
        let last = Cell::new(None);
        let read = |text: &str| -> Result<Answer, String> {
            let answer = read_answer(text).and_then(|answer| self.judged(answer, debate));
            answer.map_err(|flaw| {
                let words = flaw.to_string();
                last.set(Some(flaw));
                words
            })
        };
        let reading = Reading {
            tries: 1,
            read: &read,
        };
        let scope = scope.scope("synthesis", self.number)?;
        match ask.answer_by(run, &scope, reading).await {
            Ok(Asked::Answered(answer)) => Ok(OneTry::Answered(Box::new(answer))),
            Ok(Asked::Unusable { problem }) => {
                // A reply that its client refused was read by nobody here.
                let flaw = last.take().unwrap_or(Flaw::Unfit(problem));
                Ok(OneTry::Useless(flaw))
            }
            Err(RunError::Failed(error)) if less_helps(error.fault.class) => {
                Ok(OneTry::Useless(Flaw::Unfit(error.message)))
            }
            Err(RunError::Failed(error)) => Ok(OneTry::Broken(format!(
                "{} failed: {}",
                council.leader.id, error.message
            ))),
            Err(error) => Err(error),
        }
    }
}

impl Try {
    /// The answer, unless it says something that cannot be.
    fn judged(&self, answer: Answer, debate: &Debate<'_>) -> Result<Answer, Flaw> {
        let wrong = outcome::problems(&answer, debate);
        if self.strict && !wrong.is_empty() {
            return Err(Flaw::Unfit(wrong.join("; ")));
        }
        Ok(answer)
    }
}

/// True when a shorter request may go through where this one did not.
const fn less_helps(class: FaultClass) -> bool {
    match class {
        FaultClass::BadReply
        | FaultClass::ReplyTooLong
        | FaultClass::Timeout
        | FaultClass::ContextTooLong => true,
        FaultClass::RateLimited
        | FaultClass::Overloaded
        | FaultClass::Network
        | FaultClass::Unauthorized
        | FaultClass::UnknownModel
        | FaultClass::WrongAddress
        | FaultClass::Refused
        | FaultClass::Invalid
        | FaultClass::Failed
        | FaultClass::Moved => false,
    }
}

/// Records what the leader's answer comes to, and reads it back as everybody will.
async fn made(
    run: &Run,
    key: Key,
    debate: &Debate<'_>,
    (how, answer): (SynthesisOutcome, &Answer),
) -> Result<Drawn, RunError> {
    let plain = written(&key, debate, answer)?;
    let memory = run.memory();
    let input = (how, plain.as_str());
    let made = run.step(key.clone(), Pure, &input, |blobs| {
        let (memory, key, plain) = (memory.clone(), &key, &plain);
        async move {
            let broken = |error: RunError| StepFailure::of(FaultClass::Failed, &error);
            let Some(evidence) = debate.evidence else {
                let text = blobs.keep(plain.as_str());
                return Ok(SynthesisMade {
                    outcome: how,
                    text,
                    checked: None,
                });
            };
            let answer = looked_up(evidence, memory.as_ref(), answer).await;
            let text = written(key, debate, &answer).map_err(broken)?;
            let checked = json_text::<SynthesisMade>(key, &answer).map_err(broken)?;
            Ok(SynthesisMade {
                outcome: how,
                text: blobs.keep(text),
                checked: Some(blobs.keep(checked)),
            })
        }
    });
    let made = made.await?.value;
    let (outcome, readable) = read_back(run, &key, &made).await?;
    let kept = match made.checked {
        Some(checked) => Some(run.text(checked).await?),
        None => None,
    };
    let kept: Option<Answer> = kept
        .map(|text| serde_json::from_str(&text).map_err(|error| unreadable(&key, error)))
        .transpose()?;
    let answer = kept.as_ref().unwrap_or(answer);
    Ok(Drawn {
        how: made.outcome,
        outcome,
        readable,
        whys: outcome::whys(debate, answer),
        extra: outcome::extra(debate, answer),
        assumptions: outcome::assumptions(debate, answer),
    })
}

/// The leader's answer with its citations looked up as everybody's are: files and memory may be
/// others when the run goes on, so it belongs into a step.
async fn looked_up(
    evidence: &Evidence<'_>,
    memory: Option<&ProjectMemory>,
    answer: &Answer,
) -> Answer {
    let (mut evidence, mut answer) = (evidence.clone(), answer.clone());
    let mut texts = Vec::new();
    answer.each_text(|text| {
        texts.push(text.to_owned());
        text.to_owned()
    });
    for text in &texts {
        evidence.look_beyond(memory, (text, &[])).await;
    }
    answer.each_text(|text| evidence.check(text).text);
    answer
}

/// An answer as it is kept: the outcome as JSON, and the text for people behind it.
fn written(key: &Key, debate: &Debate<'_>, answer: &Answer) -> Result<String, RunError> {
    let outcome = outcome::compose(debate, answer);
    let sections = &debate.plan.output_shape.sections;
    let told = match answer.readable.trim() {
        "" => String::new(),
        told => outcome::alone_first(debate, told),
    };
    let told = readable(debate.matter.topic, sections, &outcome, &told);
    kept_text(key, &outcome, &told)
}

fn kept_text(key: &Key, outcome: &CouncilOutcome, told: &str) -> Result<String, RunError> {
    let json = json_text::<SynthesisMade>(key, outcome)?;
    Ok(format!("{json}\n{READABLE}\n{told}"))
}

/// Records what stands where there is no synthesis: the count, and nothing that nobody said. Who
/// voted how and who disagrees is known without a leader.
async fn without(
    run: &Run,
    key: Key,
    (debate, problem): (&Debate<'_>, &str),
) -> Result<Drawn, RunError> {
    let failed = SynthesisOutcome::Failed;
    let outcome = outcome::counted(debate, problem);
    let text = kept_text(&key, &outcome, problem)?;
    let input = (failed, text.as_str());
    let made = run.step(key.clone(), Pure, &input, |blobs| {
        let made = SynthesisMade {
            outcome: failed,
            text: blobs.keep(text.as_str()),
            checked: None,
        };
        async move { Ok(made) }
    });
    let made = made.await?.value;
    let (outcome, _) = read_back(run, &key, &made).await?;
    let sections = &debate.plan.output_shape.sections;
    Ok(Drawn {
        how: made.outcome,
        readable: readable(debate.matter.topic, sections, &outcome, ""),
        outcome,
        whys: outcome::whys(debate, &Answer::default()),
        extra: Vec::new(),
        assumptions: Vec::new(),
    })
}

/// The outcome that is on record, and the text for people, or what was wrong, behind it.
async fn read_back(
    run: &Run,
    key: &Key,
    made: &SynthesisMade,
) -> Result<(CouncilOutcome, String), RunError> {
    let text = run.text(made.text).await?;
    let (json, told) = divide(&text);
    let outcome = serde_json::from_str(json).map_err(|source| unreadable(key, source))?;
    Ok((outcome, told.to_owned()))
}

fn unreadable(key: &Key, source: serde_json::Error) -> RunError {
    RunError::from(gavel_domain::FactError::Unreadable {
        key: key.outcome(),
        kind: <SynthesisMade as gavel_domain::Fact>::KIND.to_owned(),
        source,
    })
}

#[cfg(test)]
#[path = "synthesis_tests.rs"]
mod tests;
