//! Scoping: the spec with testable criteria, and a person's word on it.

use std::cell::Cell;

use gavel_agent::{Ask, Asked};
use gavel_deliberation::{ReviewStance, review_spec};
use gavel_domain::{
    AnswerSource, Ask as PersonAsk, AskAccount, Assumption, Confidence, Decision, DiscoveryAnswer,
    EXAMPLE_FORMAT, RepositoryKind, ReviewMade, Role, Scope, Spec, SpecWritten, Stage, Tokens,
};
use gavel_rules::{ClaimCheck, HaltReason, assume};
use gavel_run::{Run, RunError};

use crate::approving::{Agreed, Agreement, agree};
use crate::asks::{self, ASKS_SINCE, CHECKED_SINCE, Settled};
use crate::assumptions::{raise, resolve_by_repository};
use crate::discovery::{Discovered, data};
use crate::idea::Idea;
use crate::memory;
use crate::staffing::Staff;
use crate::trouble::{Tried, persist};
use crate::way::{Leave, Way, halt, json, keep_json, read_json};

mod reply;

use reply::{Reply, ask_problems, check, claims, example_problems, spec_of, title_of};

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

/// What is said about asks, in runs that have them.
const ASKS: &str = "`asks` are spans of the person's own words, each with an id. Every ask is \
    accounted for: criteria name in `asks` the ids that they serve, and what no criterion serves \
    stands in `left_out` with the reason. A criterion that nobody asked for has no `asks`.";

/// The flow whose runs are the first to show what the council decided.
const COUNCIL_SHOWN_SINCE: u32 = 9;
/// From this flow on a leader is told of examples that cannot be read.
const READABLE_EXAMPLES_FLOW: u32 = 9;

/// What was agreed to.
#[derive(Debug)]
pub(crate) struct Scoped {
    /// The idea with every change that a person wished for.
    pub(crate) idea: String,
    pub(crate) spec: Spec,
}

/// What a person reads before the spec: what the council decided, with votes, dissent and assumptions,
/// and what its judge was not sure of.
fn before_the_spec(run: &Run, discovered: &Discovered, shown: &str) -> String {
    let card = discovered.council.as_ref();
    let card = card.filter(|_| run.flow() >= COUNCIL_SHOWN_SINCE);
    if let Some(card) = card {
        // It says itself that somebody should look.
        return format!("The council met before this spec was written.\n\n{card}\n\n{shown}");
    }
    match &discovered.doubt {
        Some(doubt) => format!("{}\n\n{shown}", doubt.told()),
        None => shown.to_owned(),
    }
}

/// A spec with what it takes for granted.
#[derive(Debug)]
struct Drafted {
    spec: Spec,
    assumed: Vec<Assumption>,
    /// What became of each ask; none in runs from before there were any.
    asks: Vec<AskAccount>,
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
    let mut without: Vec<AskAccount> = Vec::new();
    loop {
        let scope = run.scope(&room(way), round)?;
        let unserved = drafted.asks.iter().any(AskAccount::is_open)
            || asks::is_about_nothing(run, &drafted.asks);
        let settled = asks::is_settled(run, &idea, &drafted.asks);
        if unserved && !settled && drafted.asks != without {
            without.clone_from(&drafted.asks);
            let settled = asks::settle_open(run, &scope, (&drafted.asks, &note)).await?;
            if let Settled::Reworded(words) = settled {
                round += 1;
                let other = idea.clone().without_open(&words, &drafted.asks);
                match Box::pin(draft(way, discovered, decisions, &other, round)).await? {
                    Tried::Done(again) => {
                        note.clear();
                        idea = other;
                        drafted = again;
                    }
                    Tried::Stuck(problem) => {
                        note = format!("Not reworded: {problem}\n\n");
                        let untaken = (&mut idea, &mut drafted.asks);
                        asks::note_untaken(run, (&scope, "open-asks"), untaken, &words).await?;
                        if asks::is_about_nothing(run, &drafted.asks) {
                            without.clear();
                        }
                    }
                }
                continue;
            }
        }
        let criteria = match asks::check_of(run) {
            ClaimCheck::Words => drafted.spec.criteria.as_slice(),
            ClaimCheck::Existence => &[],
        };
        let shown = format!("{}{note}", asks::thread_lines(&drafted.asks, criteria));
        let told = before_the_spec(run, discovered, &shown);
        let asked = agree(run, &scope, (&drafted.spec, &drafted.assumed), &told);
        let Agreement { said, by_person } = asked.await?;
        let wish = match said {
            Agreed::Yes => {
                return drafted
                    .accept(way, &scope, discovered, (idea, by_person))
                    .await;
            }
            Agreed::Change(wish) => wish,
            Agreed::Stop(reason) => return Err(rejected(run, &reason).await),
        };
        round += 1;
        let changed = idea.clone().changed(&wish);
        // A change that cannot be made costs nothing: the spec stays, and the person is told.
        match draft(way, discovered, decisions, &changed, round).await? {
            Tried::Done(other) => {
                note.clear();
                idea = changed;
                drafted = other;
            }
            Tried::Stuck(problem) => {
                note = format!("Not changed, for \"{wish}\" could not be done: {problem}\n\n");
                let untaken = (&mut idea, &mut drafted.asks);
                asks::note_untaken(run, (&scope, "spec"), untaken, &wish).await?;
                // Whoever agrees now has read this on the card.
                without.clone_from(&drafted.asks);
            }
        }
    }
}

impl Drafted {
    /// Goes on with it: what it takes for granted, and what a person who saw it agreed to, is on record.
    async fn accept(
        self,
        way: Way<'_>,
        scope: &Scope,
        discovered: &mut Discovered,
        (idea, by_person): (Idea, bool),
    ) -> Result<Scoped, Leave> {
        let run = way.run;
        if let Some(doubt) = &mut discovered.doubt {
            doubt.seen |= by_person;
        }
        let ledger = &mut discovered.ledger;
        raise(way, scope, ledger, self.assumed).await?;
        resolve_by_repository(way, scope, ledger).await?;
        discovered.asks = if by_person {
            asks::note_agreed(run, scope, self.asks).await?
        } else {
            self.asks
        };
        let (text, spec) = (idea.text().to_owned(), self.spec);
        if run.flow() >= CHECKED_SINCE {
            discovered.idea = idea;
        }
        Ok(Scoped { idea: text, spec })
    }
}

/// The run ends: a person did not agree to the spec.
async fn rejected(run: &Run, reason: &str) -> Leave {
    let told = match reason {
        "" => "the spec was not agreed to".to_owned(),
        reason => format!("the spec was not agreed to: {reason}"),
    };
    halt(run, HaltReason::UserRejectedSpec, &told).await
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
    idea: &Idea,
    round: u32,
) -> Result<Tried<Drafted>, Leave> {
    let run = way.run;
    let name = room(way);
    let scope = run.scope(&name, round)?;
    let notes = memory::recall(way, &scope, idea.text()).await?;
    let mut task = vec![
        data(way, "idea", idea.text()),
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
    let asks = if run.flow() >= ASKS_SINCE {
        asks::read_asks(way, &scope, idea, &discovered.answers).await?
    } else {
        Vec::new()
    };
    // What was said in other words is on record, and nobody builds it.
    let standing: Vec<PersonAsk> = asks.iter().filter(|ask| ask.stands()).cloned().collect();
    if run.flow() >= ASKS_SINCE {
        task.push(data(way, "asks", &json(run, &standing)?));
    }
    let task = task.join("\n\n");
    let writing = SpecTask {
        task: &task,
        asks: &standing,
    };
    let staff = &mut discovered.staff;
    let reply = if round == 1 {
        let write = async |scope: Scope, staff: &Staff| write(way, &scope, staff, writing).await;
        persist(way, &format!("{name}-1/spec"), staff, write).await?
    } else {
        match write(way, &scope.scope("spec", 1)?, staff, writing).await {
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
    let claims = claims(&reply);
    let spec = spec_of(reply);
    let criteria = u32::try_from(spec.criteria.len()).unwrap_or(u32::MAX);
    let written = |spec| SpecWritten { spec, criteria };
    let written = keep_json(run, scope.key("written")?, &spec, written).await?;
    let spec: Spec = read_json(run, written.value.spec).await?;
    review(run, &scope, &spec).await?;
    let title = title_of(&discovered.staff, &spec.title);
    let held = (&spec, title, asks::check_of(run));
    let accounts = asks::record_accounts(run, &scope, (asks, &claims), held).await?;
    Ok(Tried::Done(Drafted {
        spec,
        assumed,
        asks: accounts,
    }))
}

/// What the leader is given.
#[derive(Clone, Copy)]
struct SpecTask<'a> {
    task: &'a str,
    asks: &'a [PersonAsk],
}

async fn write(
    way: Way<'_>,
    scope: &Scope,
    staff: &Staff,
    SpecTask { task, asks }: SpecTask<'_>,
) -> Result<Tried<Reply>, Leave> {
    let told = if asks.is_empty() {
        String::new()
    } else {
        format!(" {ASKS}")
    };
    let system = format!("{SYSTEM}{told}\n\nExamples. {EXAMPLE_FORMAT}");
    // What is still not accounted for after one repair stays open, and a person decides. The rules
    // would say the same again.
    let repaired = Cell::new(staff.leader.id.is_rules());
    // An example that is still unreadable stands in the contracts, which are not pinned with it.
    let examples_told = Cell::new(way.run.flow() < READABLE_EXAMPLES_FLOW);
    let words = asks::check_of(way.run);
    let check = |reply: &Reply| {
        check(reply)?;
        if let Some(problem) = example_problems(reply)
            && !examples_told.replace(true)
        {
            return Err(problem);
        }
        let title = title_of(staff, &reply.title);
        match ask_problems((reply, title), asks, words) {
            Some(problem) if !repaired.replace(true) => Err(problem),
            Some(_) | None => Ok(()),
        }
    };
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
