//! Tells an answer from an instruction that came back.
//!
//! Small models repeat what they were told instead of doing it. Such a reply looks like content and
//! is none, so it is refused where it enters.

use crate::{MessageRole, Part, Request};

/// Shorter instructions are not judged: "yes" answers "Say yes" rightly.
const MIN_CHARS: usize = 40;

/// How much of the longer text the shorter one must cover, in percent.
const MIN_SHARE: usize = 80;

/// True when the text is the instruction itself.
///
/// The rule: with white space folded, code fences and surrounding quotes removed and case ignored,
/// one of the two texts contains the other, the shorter one covers at least 80 % of the longer, and
/// the instruction has at least 40 characters. Instructions are the texts of the system messages
/// and of the last user message; tool results are none, since repeating a file can be the task.
pub fn is_echo(request: &Request, text: &str) -> bool {
    let reply = folded(text);
    instructions(request).any(|instruction| repeats(&folded(instruction), &reply))
}

fn instructions(request: &Request) -> impl Iterator<Item = &str> {
    let last_user = request
        .messages
        .iter()
        .rposition(|message| message.role == MessageRole::User);
    request
        .messages
        .iter()
        .enumerate()
        .filter(move |(at, message)| message.role == MessageRole::System || Some(*at) == last_user)
        .flat_map(|(_, message)| &message.parts)
        .filter_map(|part| match part {
            Part::Text { text } => Some(text.as_str()),
            Part::ToolCall { .. } | Part::ToolResult { .. } => None,
        })
}

fn repeats(instruction: &str, reply: &str) -> bool {
    let (short, long) = if instruction.len() <= reply.len() {
        (instruction, reply)
    } else {
        (reply, instruction)
    };
    instruction.chars().count() >= MIN_CHARS
        && short.len().saturating_mul(100) >= long.len().saturating_mul(MIN_SHARE)
        && long.contains(short)
}

fn folded(text: &str) -> String {
    let words: Vec<String> = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("```"))
        .flat_map(str::split_whitespace)
        .map(str::to_lowercase)
        .collect();
    words
        .join(" ")
        .trim_matches(['"', '\'', '`', '“', '”'])
        .to_owned()
}

#[cfg(test)]
#[path = "echo_tests.rs"]
mod tests;
