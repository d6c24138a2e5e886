//! A fact as a person reads it. Facts that only the engine cares for have no sentence.

use std::collections::BTreeMap;

use gavel_domain::{
    Aborted, AnswerValue, AssumptionResolved, AttemptFailed, AuditFinished, BlobRef,
    BreakerTripped, CapScope, Closed, CommitMade, ContractSubmitted, CriteriaJudged, ErrorResolved,
    ErrorTracked, FaultClass, Faulted, GateJudged, GaveUp, Halted, Key, LessonProposed, MicroUsd,
    ModelReplied, ModelsChosen, Paused, PolicyApproved, ProofFact, QuestionAnswered, QuestionAsked,
    QuestionCard, Record, Resumed, RouteDecided, RunStarted, Said, SealApproved, SealSigned,
    Sealed, ShareExceeded, ShipRequested, SpecWritten, SprintOpened, SprintStage, StageEntered,
    Tokens, ToolFinished, VerifyFinished,
};
use gavel_rules::install_findings;
use gavel_view::speaker_words;

use super::{council, loops};
use crate::live::loops::Names;
use crate::live::proof::sentence as proof_sentence;
use crate::live::words::{breaker_told, part_doing, score_told, share_told};
use crate::summary::clipped;

/// How much of a text is shown.
const SHOWN: usize = 120;

/// The text without which the sentence of a fact says little.
///
/// An answer is an option of a card, which is looked up by its question.
pub(super) fn wanted(record: &Record, cards: &BTreeMap<Key, BlobRef>) -> Option<BlobRef> {
    if let Ok(answered) = record.read::<QuestionAnswered>() {
        return match answered.value {
            AnswerValue::Text { text } => Some(text),
            AnswerValue::Option { .. } => cards.get(&record.key.key()).copied(),
            AnswerValue::Limit { .. } | AnswerValue::Decide => None,
        };
    }
    if let Ok(failed) = record.read::<AttemptFailed>() {
        return failed.fault.detail;
    }
    if let Ok(gave_up) = record.read::<GaveUp>() {
        return gave_up.error.detail;
    }
    if let Ok(aborted) = record.read::<Aborted>() {
        return aborted.reason;
    }
    if let Ok(faulted) = record.read::<Faulted>() {
        return Some(faulted.detail);
    }
    if let Ok(tool) = record.read::<ToolFinished>()
        && !tool.ok
    {
        return Some(tool.result);
    }
    if let Ok(said) = record.read::<Said>() {
        return Some(said.text);
    }
    if let Ok(asked) = record.read::<QuestionAsked>() {
        return Some(asked.card);
    }
    if let Ok(tracked) = record.read::<ErrorTracked>() {
        return Some(tracked.text);
    }
    if let Ok(lesson) = record.read::<LessonProposed>() {
        return Some(lesson.text);
    }
    council::wanted(record).or_else(|| loops::wanted(record))
}

/// The sentence of a fact; `text` is what [`wanted`] named, `names` what the slots of a loop are called.
pub(super) fn sentence(record: &Record, (text, names): (&str, &Names)) -> Option<String> {
    run(record, text)
        .or_else(|| question(record, text))
        .or_else(|| plan(record))
        .or_else(|| council::sentence(record, text))
        .or_else(|| loops::sentence(record, (text, names)))
        .or_else(|| build(record, text))
        .or_else(|| judged(record))
        .or_else(|| work(record, text))
}

fn run(record: &Record, text: &str) -> Option<String> {
    if let Ok(entered) = record.read::<StageEntered>() {
        return Some(format!("── {} ──", entered.stage));
    }
    if record.read::<RunStarted>().is_ok() {
        return Some("the run begins".to_owned());
    }
    if let Ok(resumed) = record.read::<Resumed>() {
        let after = if resumed.unclean {
            " after a crash"
        } else {
            ""
        };
        return Some(format!("somebody drives on{after}"));
    }
    if record.read::<Paused>().is_ok() {
        return Some("paused".to_owned());
    }
    if let Ok(halted) = record.read::<Halted>() {
        return Some(format!("stopped: {}", plain(&halted.reason)));
    }
    if record.read::<Faulted>().is_ok() {
        return Some(because("a bug of ours stopped it", text));
    }
    if let Ok(aborted) = record.read::<Aborted>() {
        let who = speaker_words(aborted.by);
        return Some(because(&format!("given up by {who}"), text));
    }
    if let Ok(sealed) = record.read::<Sealed>() {
        return Some(format!("sealed, {}: {}", sealed.verdict, sealed.branch));
    }
    if let Ok(closed) = record.read::<Closed>() {
        return Some(format!("closed: {}", plain(&closed.how)));
    }
    if record.read::<ShipRequested>().is_ok() {
        return Some("somebody asks to ship".to_owned());
    }
    let said = record.read::<Said>().ok();
    said.map(|_| format!("somebody says: {}", clipped(text, SHOWN)))
}

fn question(record: &Record, text: &str) -> Option<String> {
    if record.read::<QuestionAsked>().is_ok() {
        let card = serde_json::from_str::<QuestionCard>(text).ok();
        let asked = card.map_or_else(String::new, |card| clipped(&card.text, SHOWN));
        return Some(format!("asks: {asked}  ({})", record.key.key()));
    }
    let answered = record.read::<QuestionAnswered>().ok()?;
    let who = if answered.assumed {
        "--yes"
    } else if answered.timed_out {
        "the clock"
    } else {
        speaker_words(answered.by)
    };
    let what = answer(record, &answered.value, text);
    Some(format!("{who} answered: {what}  ({})", record.key.key()))
}

/// What was answered, in the words of the card where it is known.
fn answer(record: &Record, value: &AnswerValue, text: &str) -> String {
    match value {
        AnswerValue::Option { id } => {
            let card = serde_json::from_str::<QuestionCard>(text).ok();
            let options = card.map(|card| card.options).unwrap_or_default();
            let label = options.into_iter().find(|option| option.id == *id);
            label.map_or_else(|| id.clone(), |option| clipped(&option.label, SHOWN))
        }
        AnswerValue::Text { .. } => format!("\"{}\"", clipped(text, SHOWN)),
        AnswerValue::Limit { limit } => match limited(record) {
            Some(CapScope::RunUsd | CapScope::MonthUsd) => {
                format!("a limit of {}", MicroUsd(*limit))
            }
            Some(CapScope::RunTokens) => format!("a limit of {} tokens", Tokens(*limit)),
            None => format!("a limit of {limit}"),
        },
        AnswerValue::Decide => "Gavel is to decide".to_owned(),
    }
}

/// The cap that a question is about, by its key.
fn limited(record: &Record) -> Option<CapScope> {
    let key = record.key.key();
    let rest = key.as_str().strip_prefix("money/cap-")?;
    [CapScope::RunUsd, CapScope::MonthUsd, CapScope::RunTokens]
        .into_iter()
        .find(|scope| rest.starts_with(scope.room()))
}

fn plan(record: &Record) -> Option<String> {
    if let Ok(route) = record.read::<RouteDecided>() {
        return Some(format!("route: {}, {}", plain(&route.route), route.size));
    }
    if let Ok(chosen) = record.read::<ModelsChosen>() {
        let (leader, coder) = (chosen.leader, chosen.coder);
        return Some(format!("models: {leader} leads, {coder} codes"));
    }
    if let Ok(spec) = record.read::<SpecWritten>() {
        return Some(format!("the spec is written: {} criteria", spec.criteria));
    }
    let contract = record.read::<ContractSubmitted>().ok()?;
    Some(format!(
        "contract {}, version {}",
        contract.kind, contract.version
    ))
}

fn build(record: &Record, text: &str) -> Option<String> {
    if let Ok(opened) = record.read::<SprintOpened>() {
        let phase = opened.phase.map(|phase| format!(", phase {phase}"));
        let phase = phase.unwrap_or_default();
        return Some(format!("sprint {}{phase} begins", opened.sprint));
    }
    if let Ok(part) = record.read::<SprintStage>() {
        return Some(part_doing(&part));
    }
    if let Ok(audit) = record.read::<AuditFinished>() {
        let (errors, warnings) = (audit.errors, audit.warnings);
        return Some(format!("audit: {errors} errors, {warnings} warnings"));
    }
    if record.read::<ErrorTracked>().is_ok() {
        return Some(format!("error: {}", clipped(text, SHOWN)));
    }
    if record.read::<ErrorResolved>().is_ok() {
        return Some("an error is gone".to_owned());
    }
    if let Ok(gate) = record.read::<GateJudged>() {
        let passed = if gate.passed { "passed" } else { "not passed" };
        return Some(format!("gate: {passed}, {} % shown", gate.score / 10));
    }
    if let Ok(signed) = record.read::<SealSigned>() {
        return Some(format!("seal signed: {}", signed.verdict));
    }
    if record.read::<SealApproved>().is_ok() {
        return Some("a person looked at what was sealed, and approved it".to_owned());
    }
    if let Ok(policy) = record.read::<PolicyApproved>() {
        return Some(format!(
            "shipped by the rule {} of the settings",
            policy.rule
        ));
    }
    let lesson = record.read::<LessonProposed>().ok()?;
    Some(format!(
        "lesson ({}): {}",
        lesson.kind,
        clipped(text, SHOWN)
    ))
}

fn judged(record: &Record) -> Option<String> {
    if let Ok(Some(fact)) = ProofFact::read(record) {
        return Some(proof_sentence(&fact));
    }
    if let Ok(tripped) = record.read::<BreakerTripped>() {
        return Some(breaker_told(&tripped));
    }
    if let Ok(judged) = record.read::<CriteriaJudged>() {
        return Some(score_told(&judged));
    }
    if let Ok(share) = record.read::<ShareExceeded>() {
        return Some(share_told(&share));
    }
    let resolved = record.read::<AssumptionResolved>().ok()?;
    let status = format!("{:?}", resolved.status).to_lowercase();
    Some(format!("an assumption is {status} by {}", resolved.by))
}

fn work(record: &Record, text: &str) -> Option<String> {
    if let Ok(verified) = record.read::<VerifyFinished>() {
        let (passed, executed) = (verified.passed, verified.executed);
        let mut text = format!("tests: {passed} of {executed} passed");
        for finding in install_findings(&verified) {
            text.push_str("; ");
            text.push_str(&finding);
        }
        return Some(text);
    }
    if let Ok(made) = record.read::<CommitMade>() {
        let commit: String = made.commit.chars().take(12).collect();
        return Some(format!("commit {commit} on {}", made.branch));
    }
    if let Ok(replied) = record.read::<ModelReplied>() {
        let tools = match replied.tool_calls.len() {
            0 => String::new(),
            1 => ", calls a tool".to_owned(),
            many => format!(", calls {many} tools"),
        };
        return Some(format!("{} replied{tools}", replied.model));
    }
    if let Ok(tool) = record.read::<ToolFinished>() {
        let tool_name = plain(&tool.tool);
        return Some(match tool.ok {
            true => tool_name,
            false => because(&format!("{tool_name}, refused or failed"), text),
        });
    }
    let key = record.key.key();
    if let Ok(failed) = record.read::<AttemptFailed>() {
        let class = class(failed.fault.class);
        return Some(because(&format!("a try failed, {class}  ({key})"), text));
    }
    let gave_up = record.read::<GaveUp>().ok()?;
    let tries = match gave_up.attempts {
        0 => "not tried".to_owned(),
        1 => "after 1 try".to_owned(),
        many => format!("after {many} tries"),
    };
    let class = class(gave_up.error.class);
    Some(because(&format!("gave up {tries}, {class}  ({key})"), text))
}

/// A sentence with its reason, where one was kept: the first line that says something.
fn because(what: &str, reason: &str) -> String {
    let mut lines = reason.lines().map(str::trim);
    match lines.find(|line| !line.is_empty()) {
        Some(line) => format!("{what}: {}", clipped(line, SHOWN)),
        None => what.to_owned(),
    }
}

/// The stored word of a failure, for people.
fn class(class: FaultClass) -> String {
    let word = serde_json::to_value(class).ok();
    let word = word.as_ref().and_then(serde_json::Value::as_str);
    plain(word.unwrap_or("failed"))
}

fn plain(code: &str) -> String {
    code.replace('_', " ")
}
