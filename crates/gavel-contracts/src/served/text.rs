//! Texts as they leave the program: in pieces, without secrets, and told which piece it is.

use gavel_agent::{Cap, Refused};
use gavel_domain::{ContractKind, RunId};
use gavel_workspace::Scrubber;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use super::{HeldContract, RunContracts};
use crate::paging::{Piece, piece};

/// A text, or a piece of it.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct TextPage {
    run: String,
    /// What it is a piece of.
    name: String,
    text: String,
    /// How many lines there are in all.
    lines: usize,
    /// Call again with this `from` to read on.
    next_from: Option<usize>,
    /// The version of a contract.
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<u32>,
    /// Whether the build is held to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pinned: Option<bool>,
}

impl TextPage {
    /// The same, as a piece of this contract.
    pub(super) const fn of(mut self, contract: &HeldContract) -> Self {
        self.version = Some(contract.version);
        self.pinned = Some(contract.pinned);
        self
    }

    /// What was handed out, in one line.
    pub(super) fn line(&self) -> String {
        match self.next_from {
            Some(next) => format!("{}: go on with from={next}", self.name),
            None => format!("{}: {} lines", self.name, self.lines),
        }
    }
}

/// Cuts the piece that was asked for.
pub(super) fn page(
    run: RunId,
    (name, text): (&str, &str),
    from: Option<u32>,
) -> Result<TextPage, Refused> {
    let text = scrubbed(text)?;
    let (cut, rest) = piece((name, &text), from, Cap::RESULT)
        .map_err(|error| Refused::from_error("bad_arguments", &error))?;
    let Piece { first, last, .. } = cut;
    let shown = if cut.cut {
        rest.chars().take(Cap::RESULT.bytes / 4).collect()
    } else {
        rest.split_inclusive('\n').take(last + 1 - first).collect()
    };
    Ok(TextPage {
        run: run.to_string(),
        name: name.to_owned(),
        text: shown,
        lines: cut.total,
        next_from: cut.go_on(),
        version: None,
        pinned: None,
    })
}

/// Takes secrets out: what leaves the process is read by strangers.
pub(super) fn scrubbed(text: &str) -> Result<String, Refused> {
    let scrubber = Scrubber::new([]).map_err(|error| Refused::from_error("internal", &error))?;
    Ok(scrubber.scrub(text).text)
}

/// The contract that a word means. The contract `phases` is handed out by its windows only.
pub(super) fn kind_of(word: &str) -> Result<ContractKind, Refused> {
    let Some(kind) = ContractKind::from_word(&word.replace('-', "_")) else {
        let kinds = ContractKind::ALL.map(ContractKind::word).join(", ");
        let message = format!("there is no contract of that kind; the kinds are {kinds}");
        let refused = Refused::new("bad_arguments", message);
        return Err(refused.then("gavel_get_summary", json!({}), "to see which are written"));
    };
    if kind == ContractKind::Phases {
        let message = "the contract phases is not handed out whole: read one phase and the next \
                       with gavel_get_phase_window";
        let refused = Refused::new("use_phase_window", message);
        return Err(refused.then(
            "gavel_get_phase_window",
            json!({ "phase": 0 }),
            "to read the first phase and the next",
        ));
    }
    Ok(kind)
}

/// The contract of a kind, with its text.
pub(super) fn held(
    of: &RunContracts,
    (kind, version): (ContractKind, Option<u32>),
) -> Result<(&HeldContract, &str), Refused> {
    let run = of.run;
    let mut all = of.contracts.iter().chain(&of.versions);
    let wanted = |held: &&HeldContract| {
        held.kind == kind && version.is_none_or(|version| version == held.version)
    };
    let Some(contract) = all.find(wanted) else {
        let message = match version {
            Some(version) => format!("run {} has no version {version} of {kind}", run.short()),
            None => format!("run {} has no contract {kind} yet", run.short()),
        };
        let arguments = json!({ "run": run.to_string() });
        let refused = Refused::new("not_written", message);
        return Err(refused.then("gavel_get_summary", arguments, "to see which are written"));
    };
    match &contract.text {
        Some(text) => Ok((contract, text)),
        None => Err(Refused::new(
            "text_gone",
            format!(
                "the text of the contract {kind} of run {} is no longer kept; it stands on the \
                 build's branch, in .gavel/contracts",
                run.short()
            ),
        )),
    }
}
