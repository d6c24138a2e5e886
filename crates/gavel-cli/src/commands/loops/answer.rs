//! What a call did to a loop, for whoever made it.

use gavel_deliberation::loops::{ArtifactTaken, InboxEntry, LoopAnswer, TurnGiven, WaitsForYou};
use gavel_domain::{AgentId, RunId};

use super::told::{command_of, round_told};
use crate::context::Context;
use crate::live::loops::{plain, short};
use crate::ui::Look;

/// Tells what came of a call. Whoever asked for a turn gets its brief; others find it in the inbox.
pub(super) fn tell(context: &Context, (id, done): (RunId, &LoopAnswer), with_brief: bool) {
    let ui = &context.ui;
    let again = if done.duplicate { ", done before" } else { "" };
    let phase = plain(done.phase.as_str());
    ui.line(format!(
        "loop {}  {}, {phase}, {}, version {}{again}",
        ui.look(&id.short(), Look::Strong),
        done.status,
        round_told(done.iteration),
        done.version,
    ));
    for artifact in &done.artifacts {
        taken(context, artifact);
    }
    for moved in &done.moves {
        ui.line(format!(
            "  {} → {}",
            plain(moved.from.as_str()),
            plain(moved.to.as_str())
        ));
    }
    for turn in &done.turns {
        given(context, turn);
    }
    for lack in &done.blocked {
        let mark = ui.look("may not end yet:", Look::Warn);
        ui.flow(2, format!("  {mark} {lack}"));
    }
    for warning in &done.warnings {
        let mark = context.ui.look_beside("note", Look::Warn);
        ui.note(format!("{mark} {}", warning.message));
    }
    if let Some(next) = done.next.first() {
        let command = command_of(id, next);
        ui.command(("  next: ", &command), &next.when);
    }
    if with_brief {
        let turns = done.turns.iter();
        for (turn, brief) in turns.filter_map(|turn| turn.brief.as_ref().map(|brief| (turn, brief)))
        {
            ui.line("");
            ui.flow(0, brief);
            let agent = turn.agent.as_ref().map_or("ID", AgentId::as_str);
            hand_in(context, (&id.short(), &turn.slot_id), agent);
        }
    }
    ui.data("loop_answer", done);
}

fn taken(context: &Context, artifact: &ArtifactTaken) {
    let ui = &context.ui;
    let what = plain(artifact.kind.as_str());
    let counts = match &artifact.why_not {
        None => "taken".to_owned(),
        Some(why) => ui.look(&format!("does not count: {why}"), Look::Warn),
    };
    ui.flow(2, format!("  {} {what}: {counts}", artifact.artifact_id));
    if !artifact.refused_cites.is_empty() {
        let cites: Vec<String> = artifact.refused_cites.iter().map(|id| short(id)).collect();
        let told = format!("its brief does not hold {}", cites.join(", "));
        ui.flow(2, format!("    {}", ui.look(&told, Look::Warn)));
    }
    if !artifact.uncovered.is_empty() {
        let told = format!("it passes over {}", artifact.uncovered.join(", "));
        ui.flow(2, format!("    {}", ui.look(&told, Look::Warn)));
    }
}

fn given(context: &Context, turn: &TurnGiven) {
    let who = match &turn.agent {
        Some(agent) => agent.to_string(),
        None => "whoever takes it".to_owned(),
    };
    let items = match turn.items.len() {
        1 => "1 memory item".to_owned(),
        many => format!("{many} memory items"),
    };
    let (slot, role) = (&turn.slot_id, &turn.role);
    context.ui.flow(
        2,
        format!("  {slot} ({role}, {who}) has its turn, with {items}"),
    );
}

/// A turn that waits, with its brief.
pub(super) fn entry(context: &Context, (entry, agent): (&InboxEntry, &AgentId)) {
    let ui = &context.ui;
    let id = super::told::short_loop(&entry.loop_id);
    ui.flow(
        2,
        format!(
            "{} {id}  {}, {}, since {}",
            ui.look("loop", Look::Strong),
            plain(entry.phase.as_str()),
            round_told(entry.iteration),
            entry.since,
        ),
    );
    ui.flow(0, &entry.brief);
    hand_in(context, (&id, &entry.slot_id), agent.as_str());
    ui.line("");
}

/// A loop that nobody but its owner gets on.
pub(super) fn waits(context: &Context, entry: &WaitsForYou) {
    let ui = &context.ui;
    let short = super::told::short_loop(&entry.loop_id);
    ui.flow(
        2,
        format!(
            "{} {short}  {}, {}, waits for you: {}",
            ui.look("loop", Look::Strong),
            plain(entry.phase.as_str()),
            round_told(entry.iteration),
            entry.why,
        ),
    );
    let Ok(id) = entry.loop_id.parse::<RunId>() else {
        return;
    };
    for step in &entry.next {
        ui.command(("  ", &command_of(id, step)), &step.when);
    }
}

/// The command by which a turn is handed in: briefs speak to those that have tools.
pub(super) fn hand_in(context: &Context, (id, slot): (&str, &str), agent: &str) {
    let command = format!(
        "gavel loop complete {id} {slot} --agent {agent} --artifact TYPE=\"…\" --cites ID,…"
    );
    context.ui.command(("", &command), "");
}
