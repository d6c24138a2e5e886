//! From the idea to pinned contracts.

use std::path::PathBuf;

use gavel_domain::{ContractKind, Digest, DiscoveryAnswer, Stage};
use serde::Serialize;
use serde_json::Value;

use super::{Report, Text};
use crate::ProductBrief;

/// Where a run works.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Place {
    /// The checkout it was started for.
    pub checkout: PathBuf,
    /// The repository.
    pub repository: PathBuf,
    /// The commit that it began with.
    pub base: String,
    /// The build's work tree.
    pub work_tree: PathBuf,
}

impl Place {
    pub(super) fn of(brief: &ProductBrief) -> Self {
        Self {
            checkout: brief.checkout.clone(),
            repository: brief.repository.clone(),
            base: brief.base.clone(),
            work_tree: brief.work_tree.clone(),
        }
    }
}

/// What project memory said to a stage.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Recalled {
    /// In which stage.
    pub stage: Option<Stage>,
    /// The ids of the items.
    pub items: Vec<String>,
    /// Their texts.
    pub texts: Text<Value>,
}

/// The answers of the discovery.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DiscoveryTold {
    /// Question, answer, and whether a person gave it.
    pub answers: Text<Vec<DiscoveryAnswer>>,
    /// How many recommendations were taken as they were.
    pub recommended: u32,
}

/// The newest version of a contract.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ContractTold {
    /// Which.
    pub kind: ContractKind,
    /// Its version, counted from one in the run.
    pub version: u32,
    /// The digest of its text.
    pub digest: Digest,
    /// Its size.
    pub bytes: u64,
    /// Who wrote it.
    pub model: String,
    /// True when the build is held to this version.
    pub pinned: bool,
    /// Its text.
    pub text: Text,
}

impl Report {
    /// The text of a contract, when there is one and it is kept.
    pub fn contract(&self, kind: ContractKind) -> Option<&str> {
        let told = self.contracts.iter().find(|told| told.kind == kind)?;
        told.text.kept().map(String::as_str)
    }

    /// The name of a phase, as its heading says it.
    pub fn phase_name(&self, phase: u32) -> Option<String> {
        let begins = format!("## Phase {phase}");
        let text = self.contract(ContractKind::Phases)?;
        let name = text.lines().find_map(|line| {
            let rest = line.strip_prefix(&begins)?;
            let name = rest.trim_start().strip_prefix([':', '-', '–', '—'])?;
            Some(name.trim().to_owned())
        });
        name.filter(|name| !name.is_empty())
    }
}
