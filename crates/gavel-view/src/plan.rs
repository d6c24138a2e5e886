//! From the idea to pinned contracts.

use std::path::PathBuf;

use gavel_domain::{
    ContractKind, Digest, DiscoveryAnswer, MicroUsd, ProductBrief, RecommendersChosen, Stage,
};
use serde::Serialize;
use serde_json::Value;

use crate::{Report, Text};

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
    pub(crate) fn of(brief: &ProductBrief) -> Self {
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
    /// A code: why memory did not answer; empty when it did.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub unanswered: String,
}

/// Who recommended answers, and what that might cost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RecommendersTold {
    /// `leader` or `council`.
    pub by: String,
    /// A code: why it is the leader where a council was possible; empty otherwise.
    pub reason: String,
    /// The models of the seats; empty without a council.
    pub seats: Vec<String>,
    /// What recommending had cost by then.
    #[serde(rename = "spent_usd", serialize_with = "crate::spend::dollars")]
    pub spent: MicroUsd,
    /// What it might cost.
    #[serde(rename = "guard_usd", serialize_with = "crate::spend::dollars")]
    pub guard: MicroUsd,
}

impl From<RecommendersChosen> for RecommendersTold {
    fn from(fact: RecommendersChosen) -> Self {
        Self {
            by: fact.by,
            reason: fact.reason,
            seats: fact.seats,
            spent: fact.spent,
            guard: fact.guard,
        }
    }
}

/// The answers of the discovery.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DiscoveryTold {
    /// Question, answer, and whether a person gave it.
    pub answers: Text<Vec<DiscoveryAnswer>>,
    /// How many recommendations were taken as they were.
    pub recommended: u32,
}

/// A contract: the version that the build is held to, else the newest.
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

    /// A contract by its version; without one, the version that holds.
    pub fn version_of(&self, kind: ContractKind, version: Option<u32>) -> Option<&ContractTold> {
        let mut all = self.contracts.iter().chain(&self.versions);
        all.find(|told| told.kind == kind && version.is_none_or(|wanted| wanted == told.version))
    }

    /// The commands of the interface, by their names, as `physics` lists them.
    pub fn commands(&self) -> Vec<String> {
        let text = self.contract(ContractKind::Physics).unwrap_or_default();
        let mut below = text
            .lines()
            .skip_while(|line| !line.starts_with("commands:"));
        below.next();
        let room = |line: &str| line.len() - line.trim_start().len();
        let blank = |line: &&str| !line.trim().is_empty() && !line.trim().starts_with('#');
        let below: Vec<&str> = below
            .filter(blank)
            .take_while(|line| room(line) > 0)
            .collect();
        let level = below.first().map_or(0, |line| room(line));
        let names = below.iter().filter(|line| room(line) == level);
        let names = names.filter_map(|line| line.split_once(':'));
        names
            .map(|(name, _)| name.trim().trim_matches(['"', '\'']).to_owned())
            .collect()
    }

    /// The command that runs the tests, as `stack` says it.
    pub fn test_command(&self) -> Option<String> {
        let text = self.contract(ContractKind::Stack)?;
        text.lines().find_map(|line| {
            let rest = line.trim().strip_prefix("- command:")?.trim();
            Some(rest.trim_matches('`').to_owned())
        })
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
