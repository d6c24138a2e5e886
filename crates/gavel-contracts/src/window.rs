//! The phase window: one phase and the one after it, never the whole contract.

use std::collections::BTreeMap;

use crate::markdown::{Document, Line, Section};
use crate::phases::PhaseHeading;

/// Why there is no such window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum WindowError {
    /// The contract has no phases.
    #[error("the contract has no phases: none of its headings is like `## Phase 0: Name`")]
    NoPhases,
    /// Another phase must be asked for.
    #[error("there is no phase {asked}: ask for one of 0..{last}")]
    NoSuchPhase {
        /// What was asked for.
        asked: u32,
        /// The highest number.
        last: u32,
    },
}

/// Phase `n` and the one after it, as they stand in the contract, below a line that says which.
pub fn phase_window(text: &str, n: u32) -> Result<String, WindowError> {
    let document = Document::parse(text);
    let mut phases: BTreeMap<u32, &Section<'_>> = BTreeMap::new();
    for section in document.seconds() {
        if let PhaseHeading::Phase { number, .. } = PhaseHeading::read(section.title) {
            phases.entry(number).or_insert(section);
        }
    }
    let (last, _) = phases.last_key_value().ok_or(WindowError::NoPhases)?;
    let last = *last;
    let (first, next) = match (phases.get(&n), phases.get(&n.saturating_add(1))) {
        (None, _) => return Err(WindowError::NoSuchPhase { asked: n, last }),
        (Some(first), next) => (first, next.filter(|_| n < last)),
    };
    let mut window = match next {
        Some(_) => format!("Window: phases {n} and {} of 0..{last}\n\n", n + 1),
        None if n == last => format!("Window: phase {n} of 0..{last}, the final phase\n\n"),
        None => format!("Window: phase {n} of 0..{last}; the next one is missing\n\n"),
    };
    push_section(&mut window, first);
    if let Some(next) = next {
        if !window.ends_with("\n\n") {
            window.push('\n');
        }
        push_section(&mut window, next);
    }
    Ok(window)
}

fn push_section(window: &mut String, section: &Section<'_>) {
    window.push_str(section.heading.raw);
    window.extend(section.body.iter().map(|Line { raw, .. }| *raw));
}

#[cfg(test)]
#[path = "window_tests.rs"]
mod tests;
