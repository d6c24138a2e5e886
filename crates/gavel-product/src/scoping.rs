//! Scoping: the spec with testable criteria, and a person's word on it.

use std::collections::{BTreeMap, BTreeSet};

use gavel_agent::{Ask, Asked};
use gavel_deliberation::{Assumed, ReviewStance, review_spec};
use gavel_domain::{
    AnswerSource, Assumption, Confidence, Criterion, Decision, DiscoveryAnswer, EXAMPLE_FORMAT,
    RepositoryKind, ReviewMade, Role, Scope, Spec, SpecWritten, Stage, Tokens,
};
use gavel_rules::{HaltReason, assume, untestable_word};
use gavel_run::{Run, RunError};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::approving::{Agreed, Agreement, agree};
use crate::assumptions::{raise, resolve_by_repository};
use crate::discovery::{Discovered, data};
use crate::memory;
use crate::staffing::Staff;
use crate::trouble::{Tried, persist};
use crate::way::{Leave, Way, halt, json, keep_json, read_json};

const SYSTEM: &str = "You write the spec of a small software project from its idea, the answers \
    and the decisions; what stands in the repository already stays as it is unless the idea says \
    otherwise. Every criterion is a statement that an automated test can show, seen from outside: \
    what is done and what must come of it, a number instead of `fast`, never `easy to use`. Its id \
    is the name of that test: lower-case letters, digits and underscores, unique. `example` \
    shows it from outside, so that it can be executed before anybody believes a test; every \
    criterion has one, in the format below, or `none: reason`. `weight` is 1 to 5: \
    5 for what the idea is about, 1 for a detail. Leave out what nobody asked for, and say so in \
    `out_of_scope`; what may come after this goes into `later`. `architecture` says how it is \
    divided inside, `interface` what goes in and what comes out, `folders` each folder with what \
    it holds, `stack` language and libraries, `sprint_estimate` in how many short rounds of work \
    it can be built. `assumptions` are what you take for granted and nobody said: `confidence` is \
    `high` when the whole falls with it, `medium` when a part does, `low` for a guess; \
    `how_to_validate` is the id of a criterion that shows it, `file:PATH` for a file of the \
    repository, or how a person finds out. Every text is one or two short sentences, and nothing \
    is said twice.";

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
struct Reply {
    /// A short name.
    title: String,
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
    assumptions: Vec<Assumed>,
    criteria: Vec<ReplyCriterion>,
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
}

const fn one() -> u32 {
    1
}

/// What was agreed to.
#[derive(Debug)]
pub(crate) struct Scoped {
    /// The idea with every change that a person wished for.
    pub(crate) idea: String,
    pub(crate) spec: Spec,
}

/// A spec with what it takes for granted.
#[derive(Debug)]
struct Drafted {
    spec: Spec,
    assumed: Vec<Assumption>,
}

/// Writes the spec and lets a person agree to it; what it takes for granted is then on record.
pub(crate) async fn scope_out(
    way: Way<'_>,
    discovered: &mut Discovered,
    decisions: &[Decision],
) -> Result<Scoped, Leave> {
    let run = way.run;
    way.enter(Stage::Scoping).await?;
    let first = run.scope(&room(way), 1)?;
    let open = left_open(&discovered.answers);
    raise(way, &first, &mut discovered.ledger, open).await?;
    let mut idea = discovered.idea.clone();
    let mut drafted = match draft(way, discovered, decisions, &idea, 1).await? {
        Tried::Done(drafted) => drafted,
        Tried::Stuck(problem) => return Err(halt(run, HaltReason::Stuck, &problem).await),
    };
    let mut note = String::new();
    let mut round = 1;
    loop {
        let scope = run.scope(&room(way), round)?;
        let doubt = discovered.doubt.as_ref();
        let told = doubt.map_or_else(
            || note.clone(),
            |doubt| format!("{}\n\n{note}", doubt.told()),
        );
        let asked = agree(run, &scope, (&drafted.spec, &drafted.assumed), &told);
        let Agreement { said, by_person } = asked.await?;
        let wish = match said {
            Agreed::Yes => {
                if let Some(doubt) = &mut discovered.doubt {
                    doubt.seen |= by_person;
                }
                let ledger = &mut discovered.ledger;
                raise(way, &scope, ledger, drafted.assumed).await?;
                resolve_by_repository(way, &scope, ledger).await?;
                let spec = drafted.spec;
                return Ok(Scoped { idea, spec });
            }
            Agreed::Change(wish) => wish,
            Agreed::Stop(reason) => {
                let told = match reason.as_str() {
                    "" => "the spec was not agreed to".to_owned(),
                    reason => format!("the spec was not agreed to: {reason}"),
                };
                return Err(halt(run, HaltReason::UserRejectedSpec, &told).await);
            }
        };
        round += 1;
        let changed = format!("{idea}\n\nChange: {wish}");
        // A change that cannot be made costs nothing: the spec stays as it was, and the person is
        // told.
        match draft(way, discovered, decisions, &changed, round).await? {
            Tried::Done(other) => {
                note.clear();
                idea = changed;
                drafted = other;
            }
            Tried::Stuck(problem) => {
                note = format!("Not changed, for \"{wish}\" could not be done: {problem}\n\n");
            }
        }
    }
}

/// The name of the scopes: a later round of the run has its own.
fn room(way: Way<'_>) -> String {
    match way.round {
        1 => "scoping".to_owned(),
        round => format!("rethink-{round}/scoping"),
    }
}

/// What discovery left open is taken as it was recommended, and nobody vouches for it.
fn left_open(answers: &[DiscoveryAnswer]) -> Vec<Assumption> {
    let open = answers
        .iter()
        .filter(|answer| answer.source == AnswerSource::Open);
    open.map(
        |DiscoveryAnswer {
             question, answer, ..
         }| {
            let claim = match answer.trim() {
                "" => format!("Nothing depends on `{question}`, which was left open."),
                answer => format!("For `{question}`, which was left open, this will do: {answer}"),
            };
            let how = "ask the person who had the idea";
            assume(&claim, "discovery", Confidence::Medium, how)
        },
    )
    .collect()
}

/// Writes a spec and has it reviewed. The first one is tried until there is one; a later one is
/// only a wish.
async fn draft(
    way: Way<'_>,
    discovered: &mut Discovered,
    decisions: &[Decision],
    idea: &str,
    round: u32,
) -> Result<Tried<Drafted>, Leave> {
    let run = way.run;
    let name = room(way);
    let scope = run.scope(&name, round)?;
    let notes = memory::recall(way, &scope, idea).await?;
    let mut task = vec![
        data(way, "idea", idea),
        data(way, "answers", &json(run, &discovered.answers)?),
        data(way, "decisions", &json(run, &decisions)?),
        data(way, "memory", &json(run, &notes)?),
    ];
    if discovered.repository.kind != RepositoryKind::Greenfield {
        let found = json(run, &discovered.repository)?;
        task.push(data(way, "repository_found", &found));
    }
    let assumed = discovered.ledger.lines();
    if !assumed.is_empty() {
        task.push(data(way, "assumed", &assumed.join("\n")));
    }
    let task = task.join("\n\n");
    let staff = &mut discovered.staff;
    let reply = if round == 1 {
        let write = async |scope: Scope, staff: &Staff| write(way, &scope, staff, &task).await;
        persist(way, &format!("{name}-1/spec"), staff, write).await?
    } else {
        match write(way, &scope.scope("spec", 1)?, staff, &task).await {
            Ok(Tried::Done(reply)) => reply,
            Ok(Tried::Stuck(problem)) => return Ok(Tried::Stuck(problem)),
            Err(Leave::Run(RunError::Failed(error))) => return Ok(Tried::Stuck(error.message)),
            Err(leave) => return Err(leave),
        }
    };
    let assumed: Vec<Assumption> = reply
        .assumptions
        .iter()
        .map(|one| one.by("leader"))
        .collect();
    let spec = spec_of(reply);
    let criteria = u32::try_from(spec.criteria.len()).unwrap_or(u32::MAX);
    let written = |spec| SpecWritten { spec, criteria };
    let written = keep_json(run, scope.key("written")?, &spec, written).await?;
    let spec: Spec = read_json(run, written.value.spec).await?;
    review(run, &scope, &spec).await?;
    Ok(Tried::Done(Drafted { spec, assumed }))
}

async fn write(
    way: Way<'_>,
    scope: &Scope,
    staff: &Staff,
    task: &str,
) -> Result<Tried<Reply>, Leave> {
    let system = format!("{SYSTEM}\n\nExamples. {EXAMPLE_FORMAT}");
    let ask = Ask {
        model: &staff.leader,
        role: Role::Leader,
        shape: "spec",
        system: &system,
        task,
        max_output: Tokens(32_000),
    };
    let context = &way.place.context;
    let asked = ask.answer(way.run, scope, (context, check)).await?;
    Ok(match asked {
        Asked::Answered(reply) => Tried::Done(reply),
        Asked::Unusable { problem } => Tried::Stuck(problem),
    })
}

fn spec_of(reply: Reply) -> Spec {
    let weights = weights(&reply.criteria);
    let criterion = |one: ReplyCriterion| Criterion {
        id: one.id,
        statement: one.statement,
        example: one.example,
    };
    Spec {
        title: reply.title,
        purpose: reply.purpose,
        users: reply.users,
        in_scope: reply.in_scope,
        out_of_scope: reply.out_of_scope,
        assumptions: reply.assumptions.into_iter().map(|one| one.claim).collect(),
        criteria: reply.criteria.into_iter().map(criterion).collect(),
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

fn check(reply: &Reply) -> Result<(), String> {
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

/// Rules look at the spec; what they find is on record beside it.
async fn review(run: &Run, scope: &Scope, spec: &Spec) -> Result<(), Leave> {
    let items = review_spec(spec);
    let against = items
        .iter()
        .filter(|item| item.stance == ReviewStance::Against)
        .count();
    let against = u32::try_from(against).unwrap_or(u32::MAX);
    keep_json(run, scope.key("review")?, &items, |items| ReviewMade {
        items,
        speaks_for: 0,
        speaks_against: against,
    })
    .await?;
    Ok(())
}

#[cfg(test)]
#[path = "scoping_tests.rs"]
mod tests;
