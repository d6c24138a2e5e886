//! The renovation plan: what is old, what patterns weigh, what to do first. Rules over a scan; no model, no network.

mod brief;
mod patterns;
mod tasks;

use std::collections::BTreeMap;

use gavel_rules::Ecosystem;
use serde::{Deserialize, Serialize};

use crate::finding::Severity;
use crate::lines::version_numbers;
use crate::scan::Scan;
use crate::survey::{Dependency, Evidence, Stated, Survey};

pub use brief::{Brief, Grade};
pub use patterns::{Pattern, PatternKind};
pub use tasks::{Level, Task};

/// What to do about a repository, and in which order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RenovationPlan {
    /// The plan in a few lines.
    pub brief: Brief,
    /// Dependencies with the versions in use.
    pub versions: Vec<VersionLine>,
    /// What weighs on the repository.
    pub patterns: Vec<Pattern>,
    /// What to do, first things first.
    pub tasks: Vec<Task>,
}

/// A dependency with its version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VersionLine {
    /// The package.
    pub package: String,
    /// Whose.
    pub ecosystem: Ecosystem,
    /// The version in use, where a file states it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current: Option<Stated>,
    /// The latest version that is known, and how.
    pub latest: Latest,
    /// How the one is to the other.
    pub status: VersionStatus,
    /// Where it is asked for.
    pub declared: Evidence,
}

/// The latest version that is known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "source", rename_all = "snake_case")]
pub enum Latest {
    /// Nobody was asked.
    Unknown,
    /// Another part of this repository is further.
    Repository {
        /// The version there.
        version: String,
        /// Where.
        evidence: Evidence,
    },
}

/// How the version in use is to the latest one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VersionStatus {
    /// Older than what is known.
    Outdated,
    /// No latest version is known, or none in use.
    Unknown,
}

/// Makes a plan.
pub fn plan(scan: &Scan) -> RenovationPlan {
    let versions = versions(&scan.survey);
    let patterns = patterns::patterns(scan, &versions);
    let tasks = tasks::tasks(&patterns);
    RenovationPlan {
        brief: brief::brief(scan, &patterns, &tasks),
        versions,
        patterns,
        tasks,
    }
}

/// A package of an ecosystem.
type Package<'a> = (Ecosystem, &'a str);

/// Every dependency of every manifest; what is older than elsewhere in the repository comes first.
fn versions(survey: &Survey) -> Vec<VersionLine> {
    let mut newest: BTreeMap<Package<'_>, &Stated> = BTreeMap::new();
    for stack in &survey.stacks {
        for dependency in &stack.dependencies {
            let Some(version) = &dependency.version else {
                continue;
            };
            let known = newest
                .entry((stack.ecosystem, &dependency.name))
                .or_insert(version);
            if is_newer(&version.text, &known.text) {
                *known = version;
            }
        }
    }
    let mut lines: Vec<VersionLine> = Vec::new();
    for stack in &survey.stacks {
        for dependency in &stack.dependencies {
            let newest = newest
                .get(&(stack.ecosystem, dependency.name.as_str()))
                .copied();
            let line = line(stack.ecosystem, dependency, newest);
            let known = lines.iter().any(|known| {
                known.ecosystem == line.ecosystem
                    && known.package == line.package
                    && known.current == line.current
            });
            if !known {
                lines.push(line);
            }
        }
    }
    lines.sort_by(|a, b| {
        (a.status, a.ecosystem, &a.package).cmp(&(b.status, b.ecosystem, &b.package))
    });
    lines
}

fn line(ecosystem: Ecosystem, dependency: &Dependency, newest: Option<&Stated>) -> VersionLine {
    let current = dependency.version.clone();
    let older = match (&current, newest) {
        (Some(current), Some(newest)) if is_newer(&newest.text, &current.text) => Some(newest),
        (_, _) => None,
    };
    let (latest, status) = match older {
        Some(newest) => {
            let latest = Latest::Repository {
                version: newest.text.clone(),
                evidence: newest.evidence.clone(),
            };
            (latest, VersionStatus::Outdated)
        }
        None => (Latest::Unknown, VersionStatus::Unknown),
    };
    VersionLine {
        package: dependency.name.clone(),
        ecosystem,
        current,
        latest,
        status,
        declared: dependency.declared.clone(),
    }
}

fn is_newer(a: &str, b: &str) -> bool {
    version_numbers(a) > version_numbers(b)
}

/// The weight of a finding's severity in an order: the worst first.
const fn rank(severity: Severity) -> u8 {
    match severity {
        Severity::Error => 0,
        Severity::Warning => 1,
        Severity::Note => 2,
    }
}

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;
