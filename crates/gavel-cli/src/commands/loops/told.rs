//! A loop in words: how it stands, how it came to its end, whom it waits for, what to type now.

use gavel_deliberation::loops::{LoopView, NextStep, SlotView};
use gavel_domain::{AgentId, LoopStatus, RunId, Timestamp};
use gavel_rules::deliberation::{CRITIC_SIGNAL, PLAN_DRAFT};
use gavel_view::span_words;

use crate::live::loops::plain;
use crate::ui::Look;

/// The end of a loop's id, as every command takes it.
pub(crate) fn short_loop(id: &str) -> String {
    match id.parse::<RunId>() {
        Ok(run) => run.short(),
        Err(_) => id.to_owned(),
    }
}

/// Rounds are counted from one for people.
pub(super) fn round_told(iteration: u32) -> String {
    format!("round {}", iteration.saturating_add(1))
}

pub(super) const fn look_of(status: LoopStatus) -> Look {
    match status {
        LoopStatus::Open | LoopStatus::Completed => Look::Good,
        LoopStatus::Paused => Look::Warn,
        LoopStatus::Blocked | LoopStatus::Cancelled => Look::Bad,
    }
}

/// Where it stands, in a few words.
pub(super) fn stands(view: &LoopView) -> String {
    let why = match &view.reason {
        Some(reason) => format!(": {reason}"),
        None => String::new(),
    };
    match (view.status, view.end.as_deref()) {
        (LoopStatus::Completed, _) => format!("complete{why}"),
        (LoopStatus::Blocked, Some("stuck")) => format!("stuck{why}"),
        (LoopStatus::Blocked, Some("limit")) => format!("ended at its limit{why}"),
        (LoopStatus::Blocked, _) => format!("closed as blocked{why}"),
        (LoopStatus::Cancelled, _) => format!("given up{why}"),
        (LoopStatus::Paused, _) => format!("paused in {}", place(view)),
        (LoopStatus::Open, _) => format!("open, in {}", place(view)),
    }
}

fn place(view: &LoopView) -> String {
    let phase = plain(view.phase.as_str());
    match view.max_iterations {
        Some(most) if view.iteration < most => {
            format!("{phase}, {} of at most {most}", round_told(view.iteration))
        }
        Some(_) | None => phase,
    }
}

/// How critique came to its end; nothing while it has not.
pub(super) fn converged(view: &LoopView) -> Option<String> {
    let mut moves = view.moves.iter().rev();
    let out = moves.find(|moved| matches!(moved.how.as_str(), "exit_cycle" | "max_iterations"))?;
    if out.how == "max_iterations" {
        let most = view.max_iterations.unwrap_or(out.iteration);
        let rounds = if most == 1 { "round" } else { "rounds" };
        return Some(format!("the cap of {most} {rounds} ended critique"));
    }
    let round = round_told(out.iteration);
    let signalled = view.artifacts.iter().any(|artifact| {
        artifact.counts
            && artifact.kind.as_str() == CRITIC_SIGNAL
            && artifact.iteration == out.iteration
    });
    Some(match signalled {
        true => format!("a critic found it good enough in {round}"),
        false => format!("saturated: nothing new came up in {round}"),
    })
}

/// A slot whose turn is under way: who, and for how long.
pub(super) fn waiting(slot: &SlotView, now: Timestamp) -> Option<String> {
    let since = slot.waiting_since.as_ref()?;
    let span = since.parse::<Timestamp>().ok().map(|since| {
        let millis = now.duration_since(since).as_millis();
        span_words(u64::try_from(millis).unwrap_or(0))
    });
    let span = span.map(|span| format!(", for {span}")).unwrap_or_default();
    Some(format!(
        "{} ({}) since {since}{span}",
        who(slot),
        slot.slot_id
    ))
}

/// What people call a slot.
pub(super) fn who(slot: &SlotView) -> String {
    let what = match slot.profile {
        Some(profile) => profile.word().to_owned(),
        None => slot.role.to_string(),
    };
    match slot.agent.as_ref().filter(|agent| !agent.is_gavel()) {
        Some(agent) => format!("{what} {agent}"),
        None => what,
    }
}

/// True when a turn of somebody outside is under way.
pub(super) fn waits_for_others(view: &LoopView) -> bool {
    let mut slots = view.slots.iter();
    slots.any(|slot| slot.waiting_since.is_some() && !is_ours(slot))
}

fn is_ours(slot: &SlotView) -> bool {
    slot.agent.as_ref().is_some_and(AgentId::is_gavel)
}

/// What to type now, with what for.
pub(super) fn next(id: RunId, view: &LoopView) -> Vec<(String, &'static str)> {
    let short = id.short();
    let mut next = Vec::new();
    let draws = |artifact: &&gavel_deliberation::loops::ArtifactView| {
        artifact.counts && artifact.kind.as_str() == PLAN_DRAFT
    };
    match view.status {
        LoopStatus::Completed | LoopStatus::Blocked | LoopStatus::Cancelled => {
            match view.promoted.last() {
                Some(item) => next.push((format!("gavel memory get {item}"), "the plan in memory")),
                None if view.artifacts.iter().any(|artifact| draws(&artifact)) => next.push((
                    format!("gavel loop promote {short}"),
                    "keeps the plan in project memory",
                )),
                None => {}
            }
            next.push((
                format!("gavel review {short} --html loop.html"),
                "all of it",
            ));
        }
        LoopStatus::Paused => {
            let owner = &view.owner;
            let command = format!("gavel loop resume {short} --agent {owner}");
            next.push((command, "lets it go on"));
        }
        LoopStatus::Open => {
            next.extend(open_next(id, view));
        }
    }
    next
}

fn open_next(id: RunId, view: &LoopView) -> Vec<(String, &'static str)> {
    let short = id.short();
    let mut next = Vec::new();
    let waiting = |slot: &&SlotView| slot.waiting_since.is_some();
    for slot in view
        .slots
        .iter()
        .filter(waiting)
        .filter(|slot| !is_ours(slot))
    {
        let Some(agent) = &slot.agent else {
            continue;
        };
        let command = format!("gavel loop inbox --agent {agent}");
        next.push((command, "its turn, with the brief"));
    }
    if view.slots.iter().any(is_ours) {
        next.push((format!("gavel resume {short}"), "takes Gavel's own turns"));
    } else if next.is_empty() {
        let steps = view.next.iter().take(2);
        next.extend(steps.map(|step| (command_of(id, step), "")));
    }
    next
}

/// How to go on without those who do not answer.
pub(super) fn without_them(id: RunId, view: &LoopView) -> Vec<(String, &'static str)> {
    let (short, owner) = (id.short(), &view.owner);
    let waiting = |slot: &&SlotView| {
        (slot.waiting_since.is_some() || slot.acts && slot.status == "failed") && !is_ours(slot)
    };
    let back = |slot: &SlotView| {
        let slot = &slot.slot_id;
        let command = format!("gavel loop complete {short} {slot} --agent {owner}");
        (format!("{command} --outcome cancelled --reason \"…\""), "")
    };
    match view.status {
        LoopStatus::Open => view.slots.iter().filter(waiting).map(back).collect(),
        LoopStatus::Paused
        | LoopStatus::Completed
        | LoopStatus::Blocked
        | LoopStatus::Cancelled => Vec::new(),
    }
}

/// A step that the loop waits for, as it is typed.
pub(super) fn command_of(id: RunId, step: &NextStep) -> String {
    let short = id.short();
    let agent = step.agent.as_ref().map_or("ID", AgentId::as_str);
    let slot = step.slot_id.as_deref().unwrap_or("SLOT");
    match step.intent.as_str() {
        "turn" => format!("gavel loop turn {short} {slot} --agent {agent}"),
        "complete_turn" => {
            format!("gavel loop complete {short} {slot} --agent {agent} --artifact TYPE=\"…\"")
        }
        "cancel_turn" => format!(
            "gavel loop complete {short} {slot} --agent {agent} --outcome cancelled --reason \"…\""
        ),
        "promote" => format!("gavel loop promote {short}"),
        "wait" => format!("gavel resume {short}"),
        "advance" => {
            let to = step.to_phase.as_ref();
            let to = to.map_or_else(String::new, |to| format!(" --to {to}"));
            format!("gavel loop advance {short} --agent {agent}{to}")
        }
        "close" => format!("gavel loop close {short} --agent {agent}"),
        "resume" => format!("gavel loop resume {short} --agent {agent}"),
        _ => format!("gavel loop get {short}"),
    }
}
