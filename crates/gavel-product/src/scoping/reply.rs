//! What the leader answers when it writes a spec: its shape, what is wrong with it, and the spec in it.

use std::collections::{BTreeMap, BTreeSet};

use gavel_deliberation::Assumed;
use gavel_domain::{Ask as PersonAsk, Criterion, CriterionExample, Spec};
use gavel_rules::{AskClaim, ClaimCheck, SpecWords, account_for, serves_nothing, untestable_word};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::staffing::Staff;

/// The most criteria of one spec.
const MOST_CRITERIA: usize = 300;
/// The most problems that are told at once.
const MOST_TOLD: usize = 12;
/// The most assumptions of one spec.
const MOST_ASSUMED: usize = 40;
/// What a criterion may weigh.
const WEIGHTS: std::ops::RangeInclusive<u32> = 1..=5;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Reply {
    /// A short name.
    pub(super) title: String,
    /// What it is for, one sentence.
    purpose: String,
    users: Vec<String>,
    in_scope: Vec<String>,
    out_of_scope: Vec<String>,
    /// What may come after this.
    #[serde(default)]
    later: Vec<String>,
    #[serde(default)]
    architecture: String,
    #[serde(default)]
    interface: String,
    #[serde(default)]
    folders: Vec<String>,
    #[serde(default)]
    stack: String,
    #[serde(default)]
    sprint_estimate: u32,
    pub(super) assumptions: Vec<Assumed>,
    criteria: Vec<ReplyCriterion>,
    /// Asks that no criterion serves, each with its reason.
    #[serde(default)]
    left_out: Vec<ReplyLeftOut>,
    /// Asks that the writer guessed the meaning of. Only the rules say so: models are not asked.
    #[serde(default)]
    #[schemars(skip)]
    guessed: Vec<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ReplyCriterion {
    id: String,
    statement: String,
    example: String,
    /// 1 to 5.
    #[serde(default = "one")]
    weight: u32,
    /// The ids of the asks that it serves; none for one of your own.
    #[serde(default)]
    asks: Vec<String>,
}

impl ReplyCriterion {
    fn stated(&self) -> Criterion {
        Criterion {
            id: self.id.clone(),
            statement: self.statement.clone(),
            example: self.example.clone(),
        }
    }
}

/// An ask that no criterion serves.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ReplyLeftOut {
    /// Its id.
    ask: String,
    /// Why it is left out.
    reason: String,
}

const fn one() -> u32 {
    1
}

/// What a reply says about asks.
pub(super) fn claims(reply: &Reply) -> BTreeMap<String, AskClaim> {
    let left_out = reply.left_out.iter();
    let left_out = left_out.map(|one| (one.ask.clone(), AskClaim::LeftOut(one.reason.clone())));
    let mut claims: BTreeMap<String, AskClaim> = left_out.collect();
    for criterion in &reply.criteria {
        for ask in &criterion.asks {
            match claims.get_mut(ask) {
                Some(AskClaim::Served(ids)) => ids.push(criterion.id.clone()),
                Some(AskClaim::Guessed(_) | AskClaim::LeftOut(_)) | None => {
                    let served = AskClaim::Served(vec![criterion.id.clone()]);
                    claims.insert(ask.clone(), served);
                }
            }
        }
    }
    for ask in &reply.guessed {
        if let Some(claim) = claims.get_mut(ask)
            && let AskClaim::Served(ids) = claim
        {
            *claim = AskClaim::Guessed(std::mem::take(ids));
        }
    }
    claims
}

/// What the whole is called, where that follows from what the rules understood.
pub(super) fn title_of<'a>(staff: &Staff, title: &'a str) -> Option<&'a str> {
    staff.leader.id.is_rules().then_some(title)
}

/// What a reply says wrongly about asks, or not at all.
pub(super) fn ask_problems(
    (reply, title): (&Reply, Option<&str>),
    asks: &[PersonAsk],
    check: ClaimCheck,
) -> Option<String> {
    let claims = claims(reply);
    let mut problems = Vec::new();
    let forgotten = asks.iter().filter(|ask| !claims.contains_key(&ask.id));
    if let Some(named) = named_asks(forgotten) {
        problems.push(format!(
            "nothing accounts for the asks {named}: name each in `asks` of the criteria that serve \
             it, or in `left_out` with the reason"
        ));
    }
    if check == ClaimCheck::Existence {
        return problems.pop();
    }
    let unknown = claims
        .keys()
        .filter(|id| !asks.iter().any(|ask| ask.id == **id));
    let unknown: Vec<&str> = unknown.take(MOST_TOLD).map(String::as_str).collect();
    if !unknown.is_empty() {
        problems.push(format!("there are no asks {}", unknown.join(", ")));
    }
    let criteria: Vec<Criterion> = reply.criteria.iter().map(ReplyCriterion::stated).collect();
    let words = SpecWords {
        title,
        criteria: &criteria,
    };
    let accounts = account_for(asks.to_vec(), &claims, words, check);
    if serves_nothing(&accounts) {
        problems.push(
            "no criterion serves any of the asks: the spec is about what the person asked for"
                .to_owned(),
        );
    }
    let doubted = accounts.iter().filter(|one| one.is_only_claimed());
    if let Some(named) = named_asks(doubted.map(|one| &one.ask)) {
        problems.push(format!(
            "nothing in the criteria that name the asks {named} is about them: write criteria that \
             show them, in the person's words, or put them into `left_out` with the reason"
        ));
    }
    (!problems.is_empty()).then(|| problems.join("; "))
}

/// `a2 (with tags), a3 (in blue)`; none where there is none.
fn named_asks<'a>(asks: impl Iterator<Item = &'a PersonAsk>) -> Option<String> {
    let named = asks.take(MOST_TOLD);
    let named: Vec<String> = named
        .map(|ask| format!("{} ({})", ask.id, ask.text))
        .collect();
    (!named.is_empty()).then(|| named.join(", "))
}

pub(super) fn spec_of(reply: Reply) -> Spec {
    let weights = weights(&reply.criteria);
    Spec {
        title: reply.title,
        purpose: reply.purpose,
        users: reply.users,
        in_scope: reply.in_scope,
        out_of_scope: reply.out_of_scope,
        assumptions: reply.assumptions.into_iter().map(|one| one.claim).collect(),
        criteria: reply.criteria.iter().map(ReplyCriterion::stated).collect(),
        weights,
        later: reply.later,
        architecture: reply.architecture,
        interface: reply.interface,
        folders: reply.folders,
        stack: reply.stack,
        sprint_estimate: reply.sprint_estimate,
    }
}

/// What each weighs; nothing where all weigh the same, for then it says nothing.
fn weights(criteria: &[ReplyCriterion]) -> BTreeMap<String, u32> {
    let first = criteria.first().map(|one| one.weight);
    if criteria.iter().all(|one| Some(one.weight) == first) {
        return BTreeMap::new();
    }
    let weighed = criteria.iter().map(|one| (one.id.clone(), one.weight));
    weighed.collect()
}

/// Examples that begin like one and cannot be read.
pub(super) fn example_problems(reply: &Reply) -> Option<String> {
    let broken = reply.criteria.iter().filter_map(|criterion| {
        match CriterionExample::of(&criterion.example) {
            CriterionExample::Broken(problem) => {
                let id = &criterion.id;
                Some(format!("the example of the criterion `{id}`: {problem}"))
            }
            CriterionExample::Given(_)
            | CriterionExample::None { .. }
            | CriterionExample::Prose
            | CriterionExample::Missing => None,
        }
    });
    let broken: Vec<String> = broken.take(MOST_TOLD).collect();
    (!broken.is_empty()).then(|| {
        let named = broken.join("; ");
        format!("{named}; write it so that it can be executed, or `none: reason`")
    })
}

pub(super) fn check(reply: &Reply) -> Result<(), String> {
    if reply.title.trim().is_empty() || reply.purpose.trim().is_empty() {
        return Err("`title` and `purpose` must say something".to_owned());
    }
    let count = reply.criteria.len();
    if count == 0 || count > MOST_CRITERIA {
        return Err(format!(
            "{count} criteria: give between 1 and {MOST_CRITERIA}"
        ));
    }
    let mut seen = BTreeSet::new();
    let mut wrong = Assumed::problems(&reply.assumptions, MOST_ASSUMED);
    for criterion in &reply.criteria {
        let id = &criterion.id;
        if !Criterion::is_id(id) {
            wrong.push(format!(
                "`{id}` is no id of a criterion: lower-case letters, digits and underscores, a \
                 letter first"
            ));
        }
        if criterion.statement.trim().is_empty() {
            wrong.push(format!("the criterion `{id}` states nothing"));
        }
        if !seen.insert(id) {
            wrong.push(format!("two criteria have the id `{id}`"));
        }
        if !WEIGHTS.contains(&criterion.weight) {
            wrong.push(format!(
                "the criterion `{id}` weighs 1 to 5, not {}",
                criterion.weight
            ));
        }
        if let Some(word) = untestable_word(&criterion.statement) {
            wrong.push(format!(
                "no test can show `{word}` in the criterion `{id}`: say what is measured, with a \
                 number, or what is seen"
            ));
        }
    }
    if wrong.is_empty() {
        return Ok(());
    }
    wrong.truncate(MOST_TOLD);
    Err(wrong.join("; "))
}
