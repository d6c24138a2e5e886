//! Compaction: when a conversation has grown too long, and which part of it is folded into a
//! summary. A decision on sizes; whoever asks writes the summary.

use std::ops::Range;

use gavel_domain::Tokens;

/// The most tokens that a conversation may have before it is compacted, whatever the model takes.
const MAX_CONVERSATION: u64 = 64_000;
/// The share of a model's context that a conversation may fill, in percent.
const CONTEXT_PERCENT: u64 = 60;

/// What a message is, as far as compaction cares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MessageKind {
    /// The rules.
    System,
    /// Words to the model: the task first, later interjections, notes, an earlier summary.
    Words,
    /// A reply of the model, with or without tool calls.
    Reply,
    /// The results of the calls of the reply before.
    Results,
}

/// The size of one message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MessageSize {
    /// What it is.
    pub kind: MessageKind,
    /// How long it is.
    pub tokens: Tokens,
}

/// How a conversation is compacted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CompactionRule {
    /// Above this it is compacted.
    pub limit: Tokens,
    /// How many of the last turns stay whole, if they fit.
    pub keep_turns: usize,
    /// How long the summary may be.
    pub summary: Tokens,
}

impl CompactionRule {
    /// The rule for a model with that context: 60 % of it, at most 64,000 tokens; the last four
    /// turns stay.
    pub fn for_context(context: Tokens) -> Self {
        let share = context.0.saturating_mul(CONTEXT_PERCENT) / 100;
        Self {
            limit: Tokens(share.min(MAX_CONVERSATION)),
            keep_turns: 4,
            summary: Tokens(2_000),
        }
    }
}

/// Says which messages are replaced by one summary, or `None` when nothing is.
///
/// The rules and the task stay, and so do the last turns, whole: a reply and its results are never
/// parted. When the last turns alone are too long, fewer stay, but always one. What would fold no
/// reply at all is not worth it.
pub fn plan_compaction(messages: &[MessageSize], rule: &CompactionRule) -> Option<Range<usize>> {
    if sum(messages) <= rule.limit {
        return None;
    }
    let from = end_of_task(messages)?;
    let starts = turn_starts(messages, from);
    let fits = |until: &usize| {
        let (kept, rest) = (messages.get(..from), messages.get(*until..));
        let left = sum(kept.unwrap_or_default()) + sum(rest.unwrap_or_default()) + rule.summary;
        left <= rule.limit
    };
    let last_turns = starts.iter().rev().take(rule.keep_turns.max(1)).rev();
    let until = last_turns
        .clone()
        .copied()
        .find(fits)
        .or_else(|| starts.last().copied())?;
    let folded = messages.get(from..until)?;
    let has_reply = folded
        .iter()
        .any(|message| message.kind == MessageKind::Reply);
    has_reply.then_some(from..until)
}

fn sum(messages: &[MessageSize]) -> Tokens {
    let total = messages.iter().map(|message| message.tokens.0);
    Tokens(total.fold(0, u64::saturating_add))
}

/// The place after the rules and the first words.
fn end_of_task(messages: &[MessageSize]) -> Option<usize> {
    let task = messages
        .iter()
        .position(|message| message.kind == MessageKind::Words)?;
    Some(task + 1)
}

/// Where turns begin: at the words that lead to a reply, or at the reply itself.
fn turn_starts(messages: &[MessageSize], from: usize) -> Vec<usize> {
    let mut starts = Vec::new();
    let mut start = None;
    for (place, message) in messages.iter().enumerate().skip(from) {
        match message.kind {
            MessageKind::Words => {
                start.get_or_insert(place);
            }
            MessageKind::Reply => starts.push(start.take().unwrap_or(place)),
            MessageKind::System | MessageKind::Results => start = None,
        }
    }
    starts
}

#[cfg(test)]
#[path = "compaction_tests.rs"]
mod tests;
