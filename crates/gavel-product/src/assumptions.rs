//! The assumption ledger on its way: raised by whoever plans, settled by tests, by the repository or
//! by a person.

use std::collections::BTreeSet;

use gavel_domain::{
    AnswerShape, AnswerValue, Assumption, AssumptionRaised, AssumptionResolved, AssumptionStatus,
    Audience, Confidence, CriterionJudged, CriterionStanding, Door, OnTimeout, Purpose,
    QuestionAnswered, QuestionCard, Scope,
};
use gavel_rules::{
    Ledger, Raised, SettledBy, Validation, assumption_id, fallen, may_decide, validation,
};
use gavel_run::Question;
use gavel_workspace::TestNames;

use crate::repository::files_at_base;
use crate::way::{Leave, Way, keep, keep_json};

/// The longest answer of a person.
const MOST_BYTES: u32 = 4_000;
const HOLD: &str = "hold";
const PUT_OFF: &str = "put-off";
const HOLDS: &str = "a person said that it holds";

/// Takes assumptions into the ledger; each that is new, or weighs more than it did, is on record.
pub(crate) async fn raise(
    way: Way<'_>,
    scope: &Scope,
    ledger: &mut Ledger,
    found: Vec<Assumption>,
) -> Result<(), Leave> {
    let run = way.run;
    for assumption in found {
        let id = assumption_id(&assumption.claim);
        let raised = ledger.raise(assumption);
        let Some(entry) = ledger.get(&id).cloned() else {
            continue;
        };
        let own = digits(&id);
        let key = match raised {
            Raised::New => format!("assumption-{own}"),
            // It becomes so weighty only once.
            Raised::Weightier => format!("assumption-{own}-{}", weight(entry.confidence)),
            Raised::Not => continue,
        };
        let key = scope.key(&key)?;
        keep_json(run, key, &entry, |assumption| AssumptionRaised {
            id: entry.id.clone(),
            raised_by: entry.raised_by.clone(),
            confidence: entry.confidence,
            assumption,
        })
        .await?;
    }
    Ok(())
}

const fn weight(confidence: Confidence) -> &'static str {
    match confidence {
        Confidence::Low => "low",
        Confidence::Medium => "medium",
        Confidence::High => "high",
    }
}

/// Settles what a test of that name shows. One that fails shows nothing yet: it may be mended.
pub(crate) async fn resolve_by_tests(
    way: Way<'_>,
    scope: &Scope,
    ledger: &mut Ledger,
    tests: &TestNames,
) -> Result<(), Leave> {
    let shown = |assumption: &Assumption| match validation(assumption) {
        Validation::Test(name) if tests.shows(name) => Some(format!("the test `{name}` passed")),
        Validation::Test(_) | Validation::File(_) | Validation::Person => None,
    };
    validate(way, scope, ledger, ("tests", SettledBy::Verify), shown).await
}

/// Settles what a judged criterion shows, where its id is the way to find out.
pub(crate) async fn resolve_by_criteria(
    way: Way<'_>,
    scope: &Scope,
    ledger: &mut Ledger,
    judged: &[CriterionJudged],
) -> Result<(), Leave> {
    let shown = |assumption: &Assumption| match validation(assumption) {
        Validation::Test(name) if is_met(judged, name) => {
            Some(format!("the criterion `{name}` is met"))
        }
        Validation::Test(_) | Validation::File(_) | Validation::Person => None,
    };
    validate(way, scope, ledger, ("criteria", SettledBy::Verify), shown).await
}

/// Opens again what an earlier verification showed and this one does not: its test is gone, or its
/// criterion is not met any more.
pub(crate) async fn reopen(
    way: Way<'_>,
    scope: &Scope,
    ledger: &mut Ledger,
    (tests, judged): (&TestNames, &[CriterionJudged]),
) -> Result<(), Leave> {
    let still = |name: &str| tests.shows(name) || is_met(judged, name);
    let lost = ledger.shown_by_verify().filter_map(|entry| {
        let name = match validation(entry) {
            Validation::Test(name) if !still(name) => name,
            Validation::Test(_) | Validation::File(_) | Validation::Person => return None,
        };
        let told = format!("`{name}` showed it before, and does not any more");
        Some((entry.id.clone(), told))
    });
    for (id, told) in lost.collect::<Vec<_>>() {
        if ledger.reopen(&id) {
            let ways = ("reopening", SettledBy::Verify);
            let status = AssumptionStatus::Unverified;
            record(way, scope, ways, (&id, status, &told)).await?;
        }
    }
    Ok(())
}

fn is_met(judged: &[CriterionJudged], id: &str) -> bool {
    let mut of_id = judged.iter().filter(|one| one.id == id);
    of_id.any(|one| one.standing == CriterionStanding::Met)
}

/// Settles what the repository held when the run began.
pub(crate) async fn resolve_by_repository(
    way: Way<'_>,
    scope: &Scope,
    ledger: &mut Ledger,
) -> Result<(), Leave> {
    let asks = |entry: &Assumption| matches!(validation(entry), Validation::File(_));
    if !ledger.entries().iter().any(asks) {
        return Ok(());
    }
    let files = files_at_base(way).await?;
    let shown = |assumption: &Assumption| match validation(assumption) {
        Validation::File(path) if holds(&files, path) => {
            Some(format!("`{path}` was in the repository when the run began"))
        }
        Validation::File(_) | Validation::Test(_) | Validation::Person => None,
    };
    validate(way, scope, ledger, ("files", SettledBy::Repository), shown).await
}

/// Lets a person settle what the plan rests on and nobody looked at. Without a person it is put off,
/// which the seal tells.
pub(crate) async fn ask_person(
    way: Way<'_>,
    scope: &Scope,
    ledger: &mut Ledger,
) -> Result<(), Leave> {
    let run = way.run;
    let open: Vec<Assumption> = ledger.unresolved_critical().cloned().collect();
    if open.is_empty() {
        return Ok(());
    }
    let mut number = 1;
    let settled = loop {
        let key = scope.scope("assumptions", number)?.key("ask")?;
        let answered = run.ask(key, question(&open, number > 1)).await?.value;
        let words = match &answered.value {
            AnswerValue::Text { text } => run.text(*text).await?,
            AnswerValue::Option { .. } | AnswerValue::Decide | AnswerValue::Limit { .. } => {
                String::new()
            }
        };
        if let Some(settled) = settle(&answered, &words, open.len()) {
            break settled;
        }
        number += 1;
    };
    for (place, assumption) in (1..).zip(&open) {
        let (status, evidence) = if settled.fell.contains(&place) {
            (AssumptionStatus::Refuted, settled.reason.as_str())
        } else {
            (settled.others, settled.told)
        };
        if ledger.resolve(&assumption.id, (status, settled.by), evidence) {
            let ways = ("person", settled.by);
            record(way, scope, ways, (&assumption.id, status, evidence)).await?;
        }
    }
    Ok(())
}

/// What a person's answer comes to.
#[derive(Debug, PartialEq, Eq)]
struct Settled {
    /// Those that do not hold, counted from one.
    fell: BTreeSet<usize>,
    /// Why, in the person's words.
    reason: String,
    /// What becomes of the others.
    others: AssumptionStatus,
    told: &'static str,
    by: SettledBy,
}

/// Reads an answer; none for words that name no assumption of the list. Only somebody who may decide
/// settles anything: whatever anybody else says, it is put off.
fn settle(answered: &QuestionAnswered, words: &str, listed: usize) -> Option<Settled> {
    let by = if answered.assumed || answered.timed_out || answered.by.door == Door::Engine {
        SettledBy::Engine
    } else if may_decide(answered.by) {
        SettledBy::Person
    } else {
        SettledBy::Guest
    };
    let alone = |others, told| Settled {
        fell: BTreeSet::new(),
        reason: String::new(),
        others,
        told,
        by,
    };
    let nobody = "nobody who may decide has looked at it";
    Some(match (by, &answered.value) {
        (SettledBy::Person, AnswerValue::Option { id }) if id == HOLD => {
            alone(AssumptionStatus::Validated, HOLDS)
        }
        (SettledBy::Person, AnswerValue::Option { .. } | AnswerValue::Limit { .. }) => {
            alone(AssumptionStatus::Deferred, "a person put it off")
        }
        (SettledBy::Person, AnswerValue::Text { .. }) => {
            let said = fallen(words, listed)?;
            let reason = match said.reason.as_str() {
                "" => "a person said that it does not hold".to_owned(),
                reason => reason.to_owned(),
            };
            Settled {
                fell: said.numbers.into_iter().collect(),
                reason,
                others: AssumptionStatus::Validated,
                told: HOLDS,
                by,
            }
        }
        (
            SettledBy::Person
            | SettledBy::Guest
            | SettledBy::Engine
            | SettledBy::Verify
            | SettledBy::Repository,
            _,
        ) => alone(AssumptionStatus::Deferred, nobody),
    })
}

fn question(open: &[Assumption], again: bool) -> Question {
    let hint = if again {
        "That named none of them. Begin with the number, for example \"1: because …\".\n\n"
    } else {
        ""
    };
    let lines: Vec<String> = (1..)
        .zip(open)
        .map(|(place, one): (usize, &Assumption)| {
            let how = match one.how_to_validate.as_str() {
                "" => String::new(),
                how => format!("; to find out: {how}"),
            };
            format!("{place}. {} (said by: {}{how})", one.claim, one.raised_by)
        })
        .collect();
    let why = format!(
        "{hint}The result rests on this, and nothing has shown it:\n{}\n\nIf some do not hold, \
         answer with their numbers and why, for example \"1: because …\"; the others then hold.",
        lines.join("\n")
    );
    Question {
        purpose: Purpose::Choice,
        card: QuestionCard::with_options(
            "Do these assumptions hold?".to_owned(),
            Some(why),
            &[
                (HOLD, "they hold"),
                (PUT_OFF, "put them off; the seal will say so"),
            ],
        ),
        shape: AnswerShape::ChoiceOrText {
            options: vec![HOLD.to_owned(), PUT_OFF.to_owned()],
            max_bytes: MOST_BYTES,
        },
        // `--yes` cannot vouch for what nobody knows, so it puts it off.
        recommended: Some(PUT_OFF.to_owned()),
        audience: Audience::Person,
        deadline: None,
        on_timeout: OnTimeout::Wait,
    }
}

/// Validates every entry for which there is something to show.
async fn validate(
    way: Way<'_>,
    scope: &Scope,
    ledger: &mut Ledger,
    ways: (&str, SettledBy),
    shown: impl Fn(&Assumption) -> Option<String>,
) -> Result<(), Leave> {
    let entries = ledger.entries().iter();
    let found: Vec<(String, String)> = entries
        .filter_map(|entry| Some((entry.id.clone(), shown(entry)?)))
        .collect();
    for (id, evidence) in found {
        let status = AssumptionStatus::Validated;
        if ledger.resolve(&id, (status, ways.1), &evidence) {
            record(way, scope, ways, (&id, status, &evidence)).await?;
        }
    }
    Ok(())
}

async fn record(
    way: Way<'_>,
    scope: &Scope,
    (name, by): (&str, SettledBy),
    (id, status, evidence): (&str, AssumptionStatus, &str),
) -> Result<(), Leave> {
    let key = scope.key(&format!("resolved-by-{name}-{}", digits(id)))?;
    keep(
        way.run,
        key,
        &(id, status, evidence),
        evidence,
        |evidence| AssumptionResolved {
            id: id.to_owned(),
            status,
            by: by.word().to_owned(),
            evidence,
        },
    )
    .await?;
    Ok(())
}

/// True for a file of the list, or a folder that holds one.
fn holds(files: &[String], path: &str) -> bool {
    let path = path.trim_start_matches("./").trim_end_matches('/');
    let is_it = |file: &String| match file.strip_prefix(path) {
        Some(rest) => rest.is_empty() || rest.starts_with('/'),
        None => false,
    };
    !path.is_empty() && files.iter().any(is_it)
}

/// The part of an id that a key may hold.
fn digits(id: &str) -> &str {
    id.strip_prefix("a_").unwrap_or(id)
}

#[cfg(test)]
#[path = "assumptions_tests.rs"]
mod tests;
