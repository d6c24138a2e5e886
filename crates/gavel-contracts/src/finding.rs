//! What a check found: the place, the rule, what is wrong and what would help.

use std::fmt;

use gavel_domain::ContractKind;
use serde::Serialize;

/// The most findings that one check returns.
pub const MAX_FINDINGS: usize = 40;
/// The most of a foreign text inside a message.
const MAX_QUOTE: usize = 60;

/// Something that a contract must be mended for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The rule's name, for example `phase_order`.
    pub rule: &'static str,
    /// The contract.
    pub kind: ContractKind,
    /// The line, counted from one, where there is one.
    pub line: Option<u32>,
    /// What is wrong.
    pub message: String,
    /// What would help.
    pub help: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind.file_name())?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        write!(f, ": {}: {}; {}", self.rule, self.message, self.help)
    }
}

/// Collects findings about one contract.
#[derive(Debug)]
pub(crate) struct Findings {
    kind: ContractKind,
    list: Vec<Finding>,
}

impl Findings {
    pub(crate) const fn about(kind: ContractKind) -> Self {
        Self {
            kind,
            list: Vec::new(),
        }
    }

    /// Adds one: the rule and its place, what is wrong, what would help.
    pub(crate) fn add(
        &mut self,
        (rule, line): (&'static str, Option<u32>),
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        // A hostile text must not grow the list without an end.
        if self.list.len() < MAX_FINDINGS {
            self.list.push(Finding {
                rule,
                kind: self.kind,
                line,
                message: message.into(),
                help: help.into(),
            });
        }
    }

    pub(crate) fn extend(&mut self, others: Vec<Finding>) {
        self.list.extend(others);
        self.list.truncate(MAX_FINDINGS);
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub(crate) fn into_list(self) -> Vec<Finding> {
        self.list
    }

    /// The value when nothing was found.
    pub(crate) fn or<T>(self, value: T) -> Result<T, Vec<Finding>> {
        if self.list.is_empty() {
            Ok(value)
        } else {
            Err(self.list)
        }
    }
}

/// A foreign text inside a message: one line, not long.
pub(crate) fn quote(text: &str) -> String {
    let text = text.trim();
    let mut quoted: String = text
        .chars()
        .take(MAX_QUOTE)
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    if text.chars().nth(MAX_QUOTE).is_some() {
        quoted.push('…');
    }
    format!("`{quoted}`")
}

/// A foreign sentence at the end of a message: one line, not long.
pub(crate) fn clip(text: &str) -> String {
    const MOST: usize = 160;
    let text = text.trim();
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    let mut clipped: String = text.chars().take(MOST).map(plain).collect();
    if text.chars().nth(MOST).is_some() {
        clipped.push('…');
    }
    clipped
}

/// Several names in one message.
pub(crate) fn quote_all<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    const MOST: usize = 12;
    let all: Vec<_> = names.into_iter().collect();
    let mut quoted: Vec<_> = all.iter().take(MOST).map(|name| quote(name)).collect();
    if all.len() > MOST {
        quoted.push(format!("{} more", all.len() - MOST));
    }
    quoted.join(", ")
}
