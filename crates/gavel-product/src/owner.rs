//! Product owner and customer: two models talk about shipping, and the owner decides. Where there is
//! only one model, it reviews its own work, must dissent, and the seal says so.

use gavel_agent::{Ask, Asked};
use gavel_domain::{CriterionJudged, OwnerReviewed, Role, Scope, Spec, Tokens, VerifyFinished};
use gavel_models::{ModelInfo, Tier};
use gavel_rules::{
    Independence, Voice, choose_customer, evidence_text, role_collision, was_executed,
};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::breakers::{Tripped, note};
use crate::discovery::data;
use crate::staffing::Staff;
use crate::trouble::{Tried, persist};
use crate::way::{Leave, Way, json, keep_json};

const CUSTOMER: &str = "You are the customer of a small software project: you will use the result \
    every day. You see what was agreed, what was shown and by what. Say whether you take it as it \
    is (`ship`), why, and what you object to. Go by what is shown alone: a criterion that is not \
    met, or that somebody only read, is a reason to doubt. Do not ask for what was never agreed.";
const OWNER: &str = "You are the product owner of a small software project and decide whether it \
    ships. Answer every objection of the customer in `answers`, then decide. Something that was \
    agreed and is missing is a reason not to ship; a wish for more is none. What you object to \
    yourself goes into `objections`.";
const ALONE: &str = "You are the product owner of a small software project, and nobody else is \
    there to speak for the customer. First argue against shipping as a customer would, with the \
    strongest objections that can be made (`objections`); answer them in `answers`; then decide.";
const DISSENT: &str = " You and the other are much alike, so agreement proves little: whatever you \
    decide, name the strongest objection that can be made.";

/// The most that one of them says.
const MOST_OUTPUT: Tokens = Tokens(4_000);

/// What they talk about.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shown<'a> {
    pub(crate) spec: &'a Spec,
    pub(crate) judged: &'a [CriterionJudged],
    /// The verification of the judged commit.
    pub(crate) verify: &'a VerifyFinished,
}

/// What they came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reviewed {
    pub(crate) independence: Independence,
    /// The owner's word.
    pub(crate) ship: bool,
    /// What was said against it, each once.
    pub(crate) objections: Vec<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CustomerSays {
    ship: bool,
    /// Why, one sentence each.
    reasons: Vec<String>,
    /// What stands against it, one sentence each.
    objections: Vec<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct OwnerSays {
    ship: bool,
    /// Why, one sentence each.
    reasons: Vec<String>,
    /// What stands against it, one sentence each.
    objections: Vec<String>,
    /// What is to be said about each objection.
    answers: Vec<String>,
}

/// One of them spoke.
#[derive(Debug, Clone, Serialize)]
struct Turn {
    round: u32,
    who: &'static str,
    model: String,
    ship: bool,
    reasons: Vec<String>,
    objections: Vec<String>,
    answers: Vec<String>,
}

/// Lets them talk. `name` names the scopes of the tries: `gate-1/owner`.
pub(crate) async fn review(
    way: Way<'_>,
    name: &str,
    staff: &mut Staff,
    shown: Shown<'_>,
) -> Result<Reviewed, Leave> {
    persist(way, name, staff, async |scope: Scope, staff: &Staff| {
        let others: Vec<&ModelInfo> = staff
            .seats
            .iter()
            .chain([&staff.judge, &staff.auditor])
            .collect();
        let voices: Vec<Voice<'_>> = others.iter().map(|model| voice(model)).collect();
        let (place, independence) = choose_customer(voice(&staff.leader), &voices);
        if let Some(trip) = role_collision(voice(&staff.leader), &voices) {
            let at = Tripped {
                scope: &scope,
                sprint: None,
                role: Some(Role::Leader),
                told: "",
            };
            note(way, at, &trip).await?;
        }
        let customer = place.and_then(|place| others.get(place).copied());
        let talk = Talk {
            way,
            scope: &scope,
            shown,
            independence,
            owner: &staff.leader,
            customer,
        };
        talk.hold().await
    })
    .await
}

fn voice(model: &ModelInfo) -> Voice<'_> {
    Voice {
        model: model.id.as_str(),
        provider: model.id.provider(),
        tier: match model.tier {
            Tier::Fast => "fast",
            Tier::Balanced => "balanced",
            Tier::Premium => "premium",
        },
    }
}

struct Talk<'a> {
    way: Way<'a>,
    scope: &'a Scope,
    shown: Shown<'a>,
    independence: Independence,
    owner: &'a ModelInfo,
    /// None when the owner is alone.
    customer: Option<&'a ModelInfo>,
}

impl Talk<'_> {
    async fn hold(&self) -> Result<Tried<Reviewed>, Leave> {
        let mut turns = Vec::new();
        for round in 1..=self.independence.rounds() {
            if let Some(customer) = self.customer {
                match self.ask_customer(customer, round, &turns).await? {
                    Ok(turn) => turns.push(turn),
                    Err(problem) => return Ok(Tried::Stuck(problem)),
                }
            }
            match self.ask_owner(round, &turns).await? {
                Ok(turn) => turns.push(turn),
                Err(problem) => return Ok(Tried::Stuck(problem)),
            }
        }
        self.record(&turns).await.map(Tried::Done)
    }

    async fn ask_customer(
        &self,
        model: &ModelInfo,
        round: u32,
        turns: &[Turn],
    ) -> Result<Result<Turn, String>, Leave> {
        let dissents = self.independence.must_dissent();
        let system = if dissents {
            format!("{CUSTOMER}{DISSENT}")
        } else {
            CUSTOMER.to_owned()
        };
        let check = |said: &CustomerSays| {
            said_enough(&said.reasons, &said.objections, dissents || !said.ship)
        };
        let asked = self
            .ask((model, "customer", &system), (round, turns), check)
            .await?;
        Ok(asked.map(|said: CustomerSays| Turn {
            round,
            who: "customer",
            model: model.id.to_string(),
            ship: said.ship,
            reasons: said.reasons,
            objections: said.objections,
            answers: Vec::new(),
        }))
    }

    async fn ask_owner(&self, round: u32, turns: &[Turn]) -> Result<Result<Turn, String>, Leave> {
        let alone = self.customer.is_none();
        let system = if alone { ALONE } else { OWNER };
        let check =
            |said: &OwnerSays| said_enough(&said.reasons, &said.objections, alone || !said.ship);
        let asked = self
            .ask((self.owner, "owner", system), (round, turns), check)
            .await?;
        Ok(asked.map(|said: OwnerSays| Turn {
            round,
            who: "owner",
            model: self.owner.id.to_string(),
            ship: said.ship,
            reasons: said.reasons,
            objections: said.objections,
            answers: said.answers,
        }))
    }

    async fn ask<T: DeserializeOwned + JsonSchema>(
        &self,
        (model, shape, system): (&ModelInfo, &str, &str),
        (round, turns): (u32, &[Turn]),
        check: impl Fn(&T) -> Result<(), String>,
    ) -> Result<Result<T, String>, Leave> {
        let task = self.task(round, turns)?;
        let ask = Ask {
            model,
            role: match shape {
                "owner" => Role::Leader,
                // The customer judges no criterion; it is a voice in this debate.
                _ => Role::Stance,
            },
            shape,
            system,
            task: &task,
            max_output: MOST_OUTPUT,
        };
        let scope = self.scope.scope(shape, round)?;
        let context = &self.way.place.context;
        Ok(
            match ask.answer(self.way.run, &scope, (context, check)).await? {
                Asked::Answered(said) => Ok(said),
                Asked::Unusable { problem } => {
                    Err(format!("the {shape} gave no usable answer: {problem}"))
                }
            },
        )
    }

    fn task(&self, round: u32, turns: &[Turn]) -> Result<String, Leave> {
        let (
            way,
            Shown {
                spec,
                judged,
                verify,
            },
        ) = (self.way, self.shown);
        let lines = |all: Vec<serde_json::Value>| {
            let all: Vec<String> = all.iter().map(ToString::to_string).collect();
            all.join("\n")
        };
        let statement = |id: &str| {
            let known = spec.criteria.iter().find(|one| one.id == id);
            known.map_or("", |one| one.statement.as_str())
        };
        let criteria = judged.iter().map(|one| {
            let evidence: Vec<String> = one.evidence.iter().map(evidence_text).collect();
            json!({
                "id": one.id, "statement": statement(&one.id), "standing": one.standing,
                "evidence": evidence, "executed": was_executed(one), "note": one.note,
            })
        });
        let product = json!({
            "title": spec.title, "purpose": spec.purpose, "in_scope": spec.in_scope,
            "out_of_scope": spec.out_of_scope,
        });
        let coverage = verify.coverage.map_or("not measured".to_owned(), |share| {
            format!("{share} of 1000")
        });
        let tests = format!(
            "{} of {} tests passed in a fresh checkout; coverage: {coverage}",
            verify.passed, verify.executed
        );
        let mut turns_shown = Vec::new();
        for turn in turns {
            turns_shown.push(json(way.run, turn)?);
        }
        let all = self.independence.rounds();
        Ok([
            format!("Round {round} of {all}. Does this ship?"),
            data(way, "product", &product.to_string()),
            data(way, "criteria", &lines(criteria.collect())),
            data(way, "verification", &tests),
            data(way, "said", &turns_shown.join("\n")),
        ]
        .join("\n\n"))
    }

    async fn record(&self, turns: &[Turn]) -> Result<Reviewed, Leave> {
        let ship = turns.last().is_some_and(|last| last.ship);
        let mut objections = Vec::new();
        // The latest first: they are what is left after everything that was answered.
        for said in turns.iter().rev().flat_map(|turn| &turn.objections) {
            if !said.trim().is_empty() && !objections.contains(said) {
                objections.push(said.clone());
            }
        }
        let customer = self.customer.unwrap_or(self.owner);
        keep_json(self.way.run, self.scope.key("reviewed")?, &turns, |said| {
            OwnerReviewed {
                mode: self.independence.word().to_owned(),
                owner: self.owner.id.to_string(),
                customer: customer.id.to_string(),
                rounds: self.independence.rounds(),
                ship,
                dissent: !objections.is_empty() || turns.iter().any(|turn| !turn.ship),
                said,
            }
        })
        .await?;
        Ok(Reviewed {
            independence: self.independence,
            ship,
            objections,
        })
    }
}

/// A word without a reason, a refusal without an objection, or agreement where dissent is asked for
/// is not enough.
fn said_enough(reasons: &[String], objections: &[String], must_object: bool) -> Result<(), String> {
    let says = |lines: &[String]| lines.iter().any(|line| !line.trim().is_empty());
    if !says(reasons) {
        return Err("`reasons` must say why".to_owned());
    }
    if must_object && !says(objections) {
        return Err("`objections` must hold the strongest objection that can be made".to_owned());
    }
    Ok(())
}

#[cfg(test)]
#[path = "owner_tests.rs"]
mod tests;
