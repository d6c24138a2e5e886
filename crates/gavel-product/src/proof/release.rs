//! Findings about the work that somebody releases, one by one, with a reason: a person, or an auditor
//! who did not do the work.

use std::collections::BTreeMap;

use gavel_agent::{Ask, Asked};
use gavel_domain::{
    AnswerShape, AnswerValue, Audience, FindingReleased, Key, OnTimeout, Purpose, QuestionCard,
    Role, Scope, Tokens,
};
use gavel_models::ModelId;
use gavel_rules::work::{WorkFinding, is_reason};
use gavel_run::Question;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::discovery::data;
use crate::staffing::Staff;
use crate::way::{Leave, Way, keep};

const PUT_BACK: &str = "put-back";
const RELEASE: &str = "release";
const QUESTION: &str = "The work changes what was there to check it. May it?";
const WHY: &str = "To release it, say why in your own words.";
/// The longest reason.
const MOST_WORDS: u32 = 1_000;
/// From this flow on a release has a reason in words.
const REASONS_SINCE: u32 = 9;
/// How often a person is asked who gave none.
const ASKED: u32 = 2;
/// Whoever has more to release should look at the work as a whole.
const MOST_CARDS: usize = 12;

const AUDITOR: &str = "You audit the work of another model. It changed tests or settings that were there \
    before it began; each change is listed. Release a change only if the request itself makes it \
    necessary: the old test states something that the request says shall be otherwise. A test that was \
    deleted, skipped, emptied or loosened to make work pass is never released. Give the reason in one \
    sentence that names what in the request makes it necessary.";

/// Why each finding was released, by its id.
pub(super) type Released = BTreeMap<String, String>;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Reply {
    /// One for each change.
    decisions: Vec<Decision>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Decision {
    /// The id of the change.
    id: String,
    /// True only when the request makes it necessary.
    release: bool,
    /// Why, in one sentence.
    reason: String,
}

/// Asks an independent auditor first, then a person about what is left.
pub(super) async fn release(
    way: Way<'_>,
    scope: &Scope,
    (staff, request): (&Staff, &str),
    findings: &[WorkFinding],
) -> Result<Released, Leave> {
    let mut released = Released::new();
    if findings.is_empty() {
        return Ok(released);
    }
    if is_independent(staff) {
        let by_auditor = ask_auditor(way, scope, (staff, request), findings).await?;
        for (id, reason) in by_auditor {
            record(way, scope, (&id, "auditor"), &reason).await?;
            released.insert(id, reason);
        }
    }
    let left: Vec<&WorkFinding> = findings
        .iter()
        .filter(|finding| !released.contains_key(&finding.id))
        .collect();
    if left.len() > MOST_CARDS {
        return Ok(released);
    }
    for finding in left {
        if let Some(reason) = ask_person(way, finding).await? {
            record(way, scope, (&finding.id, "person"), &reason).await?;
            released.insert(finding.id.clone(), reason);
        }
    }
    Ok(released)
}

/// True when the auditor is another model than the coder: the same one behind another address is not, and
/// rules have no mind of their own.
fn is_independent(staff: &Staff) -> bool {
    let name = |id: &ModelId| {
        let id = id.to_string();
        let name = id.split_once('/').map(|(_, name)| name.to_owned());
        name.unwrap_or(id)
    };
    let (auditor, coder) = (&staff.auditor.id, &staff.coder.id);
    !auditor.is_rules() && name(auditor) != name(coder)
}

async fn ask_auditor(
    way: Way<'_>,
    scope: &Scope,
    (staff, request): (&Staff, &str),
    findings: &[WorkFinding],
) -> Result<Released, Leave> {
    let listed: Vec<String> = findings.iter().map(told).collect();
    let task = [
        "Decide about each of these changes.".to_owned(),
        data(way, "request", request),
        data(way, "changes", &listed.join("\n\n")),
    ]
    .join("\n\n");
    let ask = Ask {
        model: &staff.auditor,
        role: Role::Auditor,
        shape: "release",
        system: AUDITOR,
        task: &task,
        max_output: Tokens(4_000),
    };
    let known = |id: &str| findings.iter().any(|finding| finding.id == id);
    let check = |reply: &Reply| match reply.decisions.iter().find(|one| !known(&one.id)) {
        Some(one) => Err(format!("`{}` is no change of the list", one.id)),
        None => Ok(()),
    };
    let scope = scope.scope("auditor", 1)?;
    let asked: Asked<Reply> = ask
        .answer(way.run, &scope, (&way.place.context, check))
        .await?;
    Ok(match asked {
        Asked::Answered(reply) => reply
            .decisions
            .into_iter()
            .filter(|one| one.release && is_said(way, &one.reason))
            .map(|one| (one.id, one.reason))
            .collect(),
        // Nothing is released by an answer that cannot be read.
        Asked::Unusable { .. } => Released::new(),
    })
}

/// True for what may stand as the reason of a release.
fn is_said(way: Way<'_>, reason: &str) -> bool {
    if way.run.flow() < REASONS_SINCE {
        return !reason.trim().is_empty();
    }
    is_reason(reason)
}

/// A finding for whoever decides about it.
fn told(finding: &WorkFinding) -> String {
    let mut text = format!("{}: {}", finding.id, finding.sentence());
    for (name, part) in [("before", &finding.before), ("after", &finding.after)] {
        if !part.is_empty() {
            text.push_str(&format!("\n{name}:\n{part}"));
        }
    }
    text
}

/// A person's reason for releasing a finding; none when it is to be put back. Asked once in a run.
async fn ask_person(way: Way<'_>, finding: &WorkFinding) -> Result<Option<String>, Leave> {
    if let Some(known) = way.mark.release(&finding.id) {
        return Ok(known);
    }
    let reason = if way.run.flow() < REASONS_SINCE {
        ask_by_option(way, finding).await?
    } else {
        ask_for_reason(way, finding).await?
    };
    way.mark.keep_release(&finding.id, reason.clone());
    Ok(reason)
}

/// Asks for the reason in words. What says none releases nothing; it is asked for once more.
async fn ask_for_reason(way: Way<'_>, finding: &WorkFinding) -> Result<Option<String>, Leave> {
    for asked in 1..=ASKED {
        let (key, again) = match asked {
            1 => (format!("release/{}", finding.id), ""),
            _ => (
                format!("release/{}/again", finding.id),
                "\nWhat you wrote gives no reason, so that nothing is released by it.",
            ),
        };
        let card = QuestionCard::with_options(
            QUESTION.to_owned(),
            Some(format!("{}\n\n{WHY}{again}", told(finding))),
            &[(PUT_BACK, "no: it must be put back")],
        );
        match ask(way, key, (card, &[PUT_BACK])).await? {
            AnswerValue::Text { text } => {
                let reason = way.run.text(text).await?;
                if is_said(way, &reason) {
                    return Ok(Some(reason));
                }
            }
            AnswerValue::Option { .. } | AnswerValue::Decide | AnswerValue::Limit { .. } => {
                return Ok(None);
            }
        }
    }
    Ok(None)
}

/// As it was asked before a release needed a reason in words.
async fn ask_by_option(way: Way<'_>, finding: &WorkFinding) -> Result<Option<String>, Leave> {
    let card = QuestionCard::with_options(
        QUESTION.to_owned(),
        Some(format!("{}\n\n{WHY}", told(finding))),
        &[
            (PUT_BACK, "no: it must be put back"),
            (RELEASE, "yes: I have looked at it"),
        ],
    );
    let key = format!("release/{}", finding.id);
    Ok(match ask(way, key, (card, &[PUT_BACK, RELEASE])).await? {
        AnswerValue::Option { id } if id == RELEASE => Some("a person looked at it".to_owned()),
        AnswerValue::Text { text } => Some(way.run.text(text).await?),
        AnswerValue::Option { .. } | AnswerValue::Decide | AnswerValue::Limit { .. } => None,
    })
}

async fn ask(
    way: Way<'_>,
    key: String,
    (card, options): (QuestionCard, &[&str]),
) -> Result<AnswerValue, Leave> {
    let question = Question {
        purpose: Purpose::Choice,
        card,
        shape: AnswerShape::ChoiceOrText {
            options: options.iter().map(|id| (*id).to_owned()).collect(),
            max_bytes: MOST_WORDS,
        },
        recommended: Some(PUT_BACK.to_owned()),
        audience: Audience::Person,
        deadline: None,
        on_timeout: OnTimeout::Wait,
    };
    let answer = way.run.ask(Key::new(key)?, question).await?;
    Ok(answer.value.value)
}

async fn record(
    way: Way<'_>,
    scope: &Scope,
    (finding, by): (&str, &str),
    reason: &str,
) -> Result<(), Leave> {
    let key = scope.key(&format!("released-{finding}"))?;
    keep(way.run, key, &(finding, by), reason, |reason| {
        FindingReleased {
            finding: finding.to_owned(),
            by: by.to_owned(),
            reason,
        }
    })
    .await?;
    Ok(())
}
