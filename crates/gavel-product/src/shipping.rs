//! The last word before the seal: a person sees what was shown and what was not, and agrees or not.

use gavel_build::CommandRan;
use gavel_domain::{
    AnswerShape, AnswerValue, ApprovalRule, Approver, AskAccount, AssumptionStatus, Audience,
    CriterionJudged, CriterionStanding, EvidenceRank, OnTimeout, PolicyApproved, Purpose,
    QuestionAnswered, QuestionCard, Scope, Spec, Timestamp, VerifyFinished,
};
use gavel_rules::{
    Independence, Ledger, RunnerNote, ShipAnswer, approves, is_plain_command, may_decide,
    ship_answer,
};
use gavel_run::Question;

use crate::asks::CHECKED_SINCE;
use crate::fallen::FallenAssumptions;
use crate::judging::Judgement;
use crate::owner::Reviewed;
use crate::proof::Proven;
use crate::way::{Leave, Way};

/// The longest wish for a change.
const MOST_BYTES: u32 = 4_000;
/// How many lines of one kind a card has.
const LINES: usize = 8;
/// Longer examples are not typed.
const LONGEST_EXAMPLE: usize = 110;
const SHIP: &str = "ship";
const NOT_YET: &str = "not-yet";
/// From this flow on a rule of the person's settings may ship a result.
const POLICY_FLOW: u32 = 9;

/// What the card tells.
#[derive(Debug, Clone)]
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
    /// What the plan rested on and fell.
    pub(crate) fallen: &'a FallenAssumptions,
    /// What a person types to try it, in the folder of the result.
    pub(crate) try_it: Option<String>,
    /// What was asked for, earlier wishes at this card included.
    pub(crate) asks: &'a [AskAccount],
}

/// A person's word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Approval {
    /// Ship it.
    Ship(Shipped),
    /// Not yet; what is to change, in their words, where they said so.
    NotYet(Option<String>),
}

/// Who agreed to ship, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shipped {
    pub(crate) by: Approver,
    pub(crate) at: Timestamp,
    /// The rule, where a rule of the person's own settings did.
    pub(crate) rule: Option<ApprovalRule>,
}

/// Asks: `approval` below the scope.
pub(crate) async fn approve(
    way: Way<'_>,
    scope: &Scope,
    case: ToApprove<'_>,
) -> Result<Approval, Leave> {
    let run = way.run;
    if let Some(shipped) = by_rule(way, scope, &case.judgement.judged).await? {
        return Ok(Approval::Ship(shipped));
    }
    let spent = run.usage().await?.total;
    let mut told = lines(&case, way.choices.done_threshold);
    if run.flow() >= CHECKED_SINCE {
        told.extend(refuted(case.fallen));
        told.extend(open_asks(case.asks));
        let branch = &way.place.branch;
        let run = case.try_it.as_ref();
        let run = run.map_or_else(String::new, |command| format!(" && cd FOLDER && {command}"));
        told.push(format!(
            "To try it: git worktree add --detach FOLDER {branch}{run}"
        ));
    }
    told.push(format!("Spent so far: {}.", spent.text()));
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
    let shipped = Shipped {
        by: approver(&answer.value),
        at: answer.at,
        rule: None,
    };
    Ok(match answer.value.value {
        AnswerValue::Text { text } => match ship_answer(&run.text(text).await?) {
            ShipAnswer::Ship => Approval::Ship(shipped),
            ShipAnswer::NotYet(words) => Approval::NotYet(words),
        },
        AnswerValue::Option { id } if id == SHIP => Approval::Ship(shipped),
        AnswerValue::Option { .. } | AnswerValue::Limit { .. } => Approval::NotYet(None),
        AnswerValue::Decide => Approval::Ship(shipped),
    })
}

/// A rule of the person's own settings ships what is as it wants it, and says so; nobody is asked then.
async fn by_rule(
    way: Way<'_>,
    scope: &Scope,
    judged: &[CriterionJudged],
) -> Result<Option<Shipped>, Leave> {
    let Some(rule) = way.choices.approve_when else {
        return Ok(None);
    };
    if way.run.flow() < POLICY_FLOW || !approves(rule, judged) {
        return Ok(None);
    }
    let criteria = u32::try_from(judged.len()).unwrap_or(u32::MAX);
    let fact = PolicyApproved { rule, criteria };
    let approved = way.run.decide(scope.key("policy")?, fact).await?;
    Ok(Some(Shipped {
        by: Approver::Policy,
        at: approved.at,
        rule: Some(rule),
    }))
}

/// Only somebody who may decide is a person here: what the engine filled in is `--yes` or the clock.
pub(crate) fn approver(answered: &QuestionAnswered) -> Approver {
    if answered.timed_out {
        Approver::Clock
    } else if answered.assumed || !may_decide(answered.by) {
        Approver::YesFlag
    } else {
        Approver::Person
    }
}

fn lines(case: &ToApprove<'_>, threshold: u32) -> Vec<String> {
    let ToApprove {
        judgement,
        verify,
        runner,
        proven,
        ledger,
        reviewed,
        fallen: _,
        try_it: _,
        asks: _,
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

/// The command that runs what was built, by the first example of a criterion; nothing where it is not known how
/// such a thing is run.
pub(crate) fn try_command(spec: &Spec, commands: &[CommandRan]) -> Option<String> {
    let mut programs = commands.iter().filter_map(|ran| ran.argv.first());
    programs.find(|program| *program == "cargo" || program.ends_with("/cargo"))?;
    let examples = spec.criteria.iter().map(|criterion| &criterion.example);
    let typed = examples.flat_map(|example| example.lines());
    let mut typed = typed.filter_map(|line| line.trim().strip_prefix("$ "));
    let example = typed.find(|line| line.len() <= LONGEST_EXAMPLE && is_plain_command(line));
    Some(format!("cargo run -q -- {}", example.unwrap_or("help")))
}

/// What the plan rested on and was refuted, with how that was settled.
fn refuted(fallen: &FallenAssumptions) -> Vec<String> {
    let lines = fallen.iter().map(|one| match &one.settled {
        Some(settled) => format!("- refuted: {} ({settled})", one.claim),
        None => format!("- refuted: {}", one.claim),
    });
    lines.collect()
}

/// What was asked for, also at an earlier card, and no criterion covers.
fn open_asks(asks: &[AskAccount]) -> Vec<String> {
    let open = asks.iter().filter(|one| one.is_open());
    let lines = open.map(|one| format!("- asked, and not covered: \"{}\"", one.ask.text));
    lines.take(LINES).collect()
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

#[cfg(test)]
#[path = "shipping_tests.rs"]
mod tests;
