//! The last word before the seal: a person sees what was shown and what was not, and agrees or not.

use gavel_domain::{
    AnswerShape, AnswerValue, AssumptionStatus, Audience, CriterionJudged, CriterionStanding,
    EvidenceRank, OnTimeout, Purpose, QuestionCard, Scope, VerifyFinished,
};
use gavel_rules::{Independence, Ledger, RunnerNote};
use gavel_run::Question;

use crate::judging::Judgement;
use crate::owner::Reviewed;
use crate::proof::Proven;
use crate::way::{Leave, Way};

/// The longest wish for a change.
const MOST_BYTES: u32 = 4_000;
/// How many lines of one kind a card has.
const LINES: usize = 8;
const SHIP: &str = "ship";
const NOT_YET: &str = "not-yet";

/// What the card tells.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ToApprove<'a> {
    pub(crate) judgement: &'a Judgement,
    /// The verification of the judged commit.
    pub(crate) verify: &'a VerifyFinished,
    /// Who ran its tests, where that is worth a word.
    pub(crate) runner: &'a [RunnerNote],
    /// What Gavel proved by itself.
    pub(crate) proven: Option<&'a Proven>,
    pub(crate) ledger: &'a Ledger,
    /// What owner and customer said; none on the hot path.
    pub(crate) reviewed: Option<&'a Reviewed>,
}

/// A person's word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Approval {
    /// Ship it.
    Ship,
    /// Not yet; what is to change, in their words, where they said so.
    NotYet(Option<String>),
}

/// Asks: `approval` below the scope.
pub(crate) async fn approve(
    way: Way<'_>,
    scope: &Scope,
    case: ToApprove<'_>,
) -> Result<Approval, Leave> {
    let run = way.run;
    let spent = run.usage().await?.total;
    let spent = (spent.cost + spent.interrupted_ceiling).to_decimal();
    let mut told = lines(case, way.choices.done_threshold);
    told.push(format!("Spent so far: ${spent}."));
    let card = QuestionCard::with_options(
        "The result passed its checks. Ship it, or say in your own words what to change?"
            .to_owned(),
        Some(told.join("\n")),
        &[
            (SHIP, "ship it: sign the seal"),
            (NOT_YET, "not yet: work on it again"),
        ],
    );
    let question = Question {
        purpose: Purpose::Approval,
        card,
        shape: AnswerShape::ChoiceOrText {
            options: vec![SHIP.to_owned(), NOT_YET.to_owned()],
            max_bytes: MOST_BYTES,
        },
        recommended: Some(SHIP.to_owned()),
        audience: Audience::Person,
        deadline: None,
        on_timeout: OnTimeout::Wait,
    };
    let answer = run.ask(scope.key("approval")?, question).await?;
    Ok(match answer.value.value {
        AnswerValue::Text { text } => meant(run.text(text).await?),
        AnswerValue::Option { id } if id == SHIP => Approval::Ship,
        AnswerValue::Option { .. } | AnswerValue::Limit { .. } => Approval::NotYet(None),
        AnswerValue::Decide => Approval::Ship,
    })
}

fn lines(case: ToApprove<'_>, threshold: u32) -> Vec<String> {
    let ToApprove {
        judgement,
        verify,
        runner,
        proven,
        ledger,
        reviewed,
    } = case;
    let coverage = verify.coverage.map_or_else(
        || "how much they cover was not measured".to_owned(),
        |share| format!("they cover {}.{} %", share / 10, share % 10),
    );
    let is_met = |standing| match standing {
        CriterionStanding::Met => true,
        CriterionStanding::Partial | CriterionStanding::Unmet => false,
    };
    let open = judgement.judged.iter().filter(|one| !is_met(one.standing));
    let open: Vec<_> = open.collect();
    let all = judgement.judged.len();
    let mut told = vec![
        format!(
            "{} of {} tests passed in a fresh checkout; {coverage}.",
            verify.passed, verify.executed
        ),
        format!(
            "{} of {all} criteria are met. Score: {} of 1000, at least {threshold} are asked for.",
            all - open.len(),
            judgement.score
        ),
    ];
    told.extend(ranks(&judgement.judged));
    if let Some(faults) = proven.and_then(Proven::faults) {
        told.push(format!(
            "{} of {} faults that were planted in the code were caught by the tests of criteria.",
            faults.caught, faults.tried
        ));
    }
    let hollow = proven.map(Proven::hollow).unwrap_or_default();
    let hollow = hollow.iter().take(LINES);
    told.extend(hollow.map(|id| format!("- hollow: the test of {id} catches none")));
    let released = proven.iter().flat_map(|proven| &proven.work.released);
    told.extend(
        released
            .take(LINES)
            .map(|line| format!("- released: {line}")),
    );
    let runner = runner.iter().take(LINES);
    told.extend(runner.map(|note| format!("- what runs the tests: {}", note.line())));
    let open = open.iter().take(LINES);
    told.extend(open.map(|one| format!("- not met: {} ({})", one.id, one.note)));
    let put_off = ledger.entries().iter();
    let put_off = put_off.filter(|entry| entry.status == AssumptionStatus::Deferred);
    told.extend(
        put_off
            .take(LINES)
            .map(|entry| format!("- put off: {}", entry.claim)),
    );
    if let Some(reviewed) = reviewed {
        told.push(match reviewed.independence {
            Independence::SelfReview => {
                "One model spoke as product owner and as customer, and would ship.".to_owned()
            }
            Independence::CrossProvider | Independence::OtherTier | Independence::SameTier => {
                "The product owner heard the customer and would ship.".to_owned()
            }
        });
        let objections = reviewed.objections.iter().take(LINES);
        told.extend(objections.map(|objection| format!("- against it: {objection}")));
    }
    told
}

/// How firmly the criteria are shown, the firmest first; nothing in runs without ranks.
fn ranks(judged: &[CriterionJudged]) -> Option<String> {
    let counted: Vec<String> = EvidenceRank::ALL
        .into_iter()
        .filter_map(|rank| {
            let such = judged.iter().filter(|one| one.rank == Some(rank)).count();
            (such > 0).then(|| format!("{such} {}", rank.label()))
        })
        .collect();
    (!counted.is_empty()).then(|| format!("How they are shown: {}.", counted.join(", ")))
}

/// True when words on that card mean that the result may be shipped.
pub(crate) fn agrees(words: &str) -> bool {
    meant(words.to_owned()) == Approval::Ship
}

/// People who are asked whether to ship say yes or no, whatever the options are called.
fn meant(words: String) -> Approval {
    let plain = words.trim().trim_end_matches(['.', '!']).to_lowercase();
    match plain.as_str() {
        "y" | "yes" | "yes please" | "ok" | "okay" | "agree" | "agreed" | "ship" | "ship it"
        | "go" | "go on" | "fine" | "good" | "looks good" | "sure" => Approval::Ship,
        "n" | "no" | "not yet" | "wait" => Approval::NotYet(None),
        _ => Approval::NotYet(Some(words)),
    }
}

#[cfg(test)]
#[path = "shipping_tests.rs"]
mod tests;
