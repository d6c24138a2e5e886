//! `gavel loop open`.

use std::path::Path;

use gavel_deliberation::loops::{Handed, LoopProblem, NewLoop};
use gavel_domain::{AgentId, LoopKind, Profile, Protocol, Slot, StopCondition, Word};
use gavel_rules::deliberation::{
    AUTHOR, CHAMPION, CHANGE_SUMMARY, CRITIC, PROPOSAL, QUESTION, REVIEWER, consult, ideation,
    review, word,
};
use gavel_store::Access;
use serde_json::{Value, json};

use super::super::control::read_text;
use super::answer;
use super::hand::read_file;
use super::problem::plain;
use super::table::LoopTable;
use crate::args::LoopOpenArgs;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;

/// Who is asked for advice.
const ADVISER: &str = "adviser";

pub(super) async fn run(context: &Context, args: LoopOpenArgs) -> Result<Exit, Failure> {
    let agent = args.hand.who.needed()?;
    let protocol = protocol(context, &args)?;
    let slots = slots(&args, &agent)?;
    let proposal = args.proposal.map(read_text).transpose()?;
    let asked = json!({
        "open": args.title, "goal": args.goal, "protocol": protocol, "slots": slots,
        "proposal": proposal,
    });
    let hand = args.hand.read(&asked)?;
    let first = match proposal {
        Some(body) => Some(first(args.kind, &protocol, body)?),
        None => None,
    };
    let new = NewLoop {
        id: args.run,
        protocol,
        slots,
        title: args.title,
        goal: args.goal,
        first,
        warnings: Vec::new(),
        settings: context.settings()?.of_run(),
    };
    let store = context.store(Access::ReadWrite).await?;
    let engine = context.engine(store.clone(), &[])?;
    let table = LoopTable::here(context, engine, store, args.no_prior_context)?;
    table.desk.see(&hand.agent).await.map_err(plain)?;
    let opened = table.desk.open(&hand, new).await.map_err(plain)?;
    let id = table.desk.find(&opened.loop_id).await.map_err(plain)?;
    answer::tell(context, (id, &opened), false);
    Ok(Exit::Done)
}

/// The protocol of the kind, with what the file says over it.
fn protocol(context: &Context, args: &LoopOpenArgs) -> Result<Protocol, Failure> {
    let base = match args.kind {
        LoopKind::Ideation => Some(ideation(false)),
        LoopKind::Review => Some(review()),
        LoopKind::Consult => Some(consult()),
        LoopKind::Custom => None,
    };
    let Some(file) = &args.protocol else {
        return base.ok_or_else(|| {
            Failure::usage("a custom loop needs its phases").hint(
                "--protocol FILE, with {\"phases\": [{\"name\": …, \"roles\": […]}], \"stop\": …}",
            )
        });
    };
    let text = read_file(&context.directory().join(file), file == Path::new("-"))?;
    let wrong = |error: serde_json::Error| {
        let told = format!("the protocol in {} cannot be read", file.display());
        Failure::new(Exit::Usage, anyhow::Error::new(error).context(told))
            .because("invalid_protocol")
    };
    let Value::Object(over) = serde_json::from_str(&text).map_err(wrong)? else {
        return Err(Failure::usage(format!(
            "{} holds no JSON object",
            file.display()
        )));
    };
    let base = match base {
        Some(base) => serde_json::to_value(base).map_err(wrong)?,
        None => json!({
            "stop": StopCondition::Manual, "schedule": "parallel", "flow": "manual",
        }),
    };
    let Value::Object(mut whole) = base else {
        return Err(Failure::usage("a protocol is an object"));
    };
    whole.extend(over);
    whole.insert("kind".to_owned(), json!(args.kind));
    serde_json::from_value(Value::Object(whole)).map_err(wrong)
}

/// Those that were named; else whoever opens it, and a place for whoever comes.
fn slots(args: &LoopOpenArgs, opener: &AgentId) -> Result<Vec<Slot>, Failure> {
    let mut named = Vec::new();
    for text in &args.slot {
        named.push(slot(text)?);
    }
    if named.is_empty() {
        let (first, other) = match args.kind {
            LoopKind::Ideation => (CHAMPION, CRITIC),
            LoopKind::Review => (AUTHOR, REVIEWER),
            LoopKind::Consult => (CHAMPION, ADVISER),
            LoopKind::Custom => {
                return Err(
                    Failure::usage("a custom loop needs somebody who takes part")
                        .hint("--slot ROLE:AGENT, for each of them"),
                );
            }
        };
        named.push((word(first), Some(opener.clone()), None));
        named.push((word(other), None, None));
    }
    let numbered = named.into_iter().enumerate();
    Ok(numbered
        .map(|(place, (role, agent, profile))| Slot {
            id: format!("slot-{}", place + 1),
            role,
            agent,
            profile,
        })
        .collect())
}

/// `role`, `role:agent`, `role:profile`, `role:agent:profile`. An agent's id may hold colons; a
/// profile is one of a few words and stands last.
fn slot(text: &str) -> Result<(Word, Option<AgentId>, Option<Profile>), Failure> {
    let problem = |error: gavel_domain::WordError| plain(LoopProblem::Name(error));
    let (role, rest) = text.split_once(':').unwrap_or((text, ""));
    let role: Word = role.trim().parse().map_err(problem)?;
    let (agent, last) = rest.rsplit_once(':').unwrap_or(("", rest));
    let (agent, profile) = match last.parse::<Profile>() {
        Ok(profile) => (agent, Some(profile)),
        Err(_) => (rest, None),
    };
    let agent = match agent.trim() {
        "" => None,
        agent => Some(agent.parse().map_err(problem)?),
    };
    Ok((role, agent, profile))
}

/// What is put forward: what the first phase takes.
fn first(kind: LoopKind, protocol: &Protocol, body: String) -> Result<Handed, Failure> {
    let kind = match kind {
        LoopKind::Ideation => word(PROPOSAL),
        LoopKind::Review => word(CHANGE_SUMMARY),
        LoopKind::Consult => word(QUESTION),
        LoopKind::Custom => {
            let phase = protocol.phases.first();
            let takes = phase.and_then(|phase| phase.produces.first()).cloned();
            takes.ok_or_else(|| {
                Failure::usage("the first phase does not say what it takes")
                    .hint("open it without --proposal, then gavel loop add")
            })?
        }
    };
    Ok(Handed {
        kind,
        body,
        cites: Vec::new(),
        addresses: Vec::new(),
        waived: Vec::new(),
    })
}

#[cfg(test)]
#[path = "open_tests.rs"]
mod tests;
