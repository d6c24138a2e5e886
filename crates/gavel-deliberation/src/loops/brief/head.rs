//! The beginning of a brief: which loop, which phase, and what the reader's part is.

use gavel_domain::{ArtifactAdded, Profile};
use gavel_rules::deliberation::{AUTHOR, CHAMPION, CRITIC, REFRAMER, REVIEWER};

use super::super::fence::in_line;
use super::BriefAsk;

/// The most characters of a title.
const MAX_TITLE_CHARS: usize = 120;

/// The first lines.
pub(super) fn head(ask: &BriefAsk<'_>) -> String {
    let (state, slot) = (ask.state, ask.slot);
    let mut text = format!(
        "# Your turn: {}\n\n- Loop: {} ({})\n- Title: {}\n- Phase: {}{}\n- Slot: {}, role {}",
        ask.phase.name,
        state.id,
        state.protocol.kind,
        in_line(ask.title, MAX_TITLE_CHARS),
        ask.phase.name,
        iteration(ask),
        in_line(&slot.id, 80),
        slot.role,
    );
    if let Some(profile) = slot.profile {
        text.push_str(&format!(", profile {profile}"));
    }
    let part = [part(slot.role.as_str()), slot.profile.map(looks_for)];
    let part: Vec<&str> = part.into_iter().flatten().collect();
    if !part.is_empty() {
        text.push_str(&format!("\n- Your part: {}", part.join(" ")));
    }
    text
}

/// What people call the thing that a loop is about.
pub(super) fn called(artifact: &ArtifactAdded) -> String {
    format!("the {}", artifact.kind.as_str().replace('_', " "))
}

/// Which round it is. Outside of the cycle only how many rounds there were is of use.
fn iteration(ask: &BriefAsk<'_>) -> String {
    let Some(rule) = &ask.state.protocol.iteration else {
        return String::new();
    };
    let number = ask.state.iteration.saturating_add(1);
    if rule.cycle.contains(&ask.phase.name) {
        return format!(", iteration {number} of at most {}", rule.max_iterations);
    }
    String::new()
}

fn part(role: &str) -> Option<&'static str> {
    Some(match role {
        CHAMPION => "You put the proposal forward and answer what is said against it.",
        CRITIC => "You hold the proposal against what the project remembers.",
        REFRAMER => {
            "You look at the proposal from what the project is for. What critics said is kept from you on purpose."
        }
        AUTHOR => "You made the change and answer for it.",
        REVIEWER => "You judge the change.",
        "adviser" => "You give advice from what this brief shows.",
        _ => return None,
    })
}

const fn looks_for(profile: Profile) -> &'static str {
    match profile {
        Profile::Simplifier => "You look for what can be left out or done in a simpler way.",
        Profile::Pessimist => "You look for what will go wrong, and what happens then.",
        Profile::Security => "You look for who could abuse it, and what they would get.",
        Profile::Cost => "You look for what it costs, now and later: work, time, money.",
    }
}
