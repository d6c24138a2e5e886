//! What a comparison found: findings with their place, and what was not compared.

use std::collections::BTreeMap;
use std::fmt;

use gavel_domain::ContractKind;
use serde::{Deserialize, Serialize};

/// The most findings of one rule and severity that are kept; the rest is counted.
const MAX_OF_RULE: usize = 25;
/// The most entries of what was not checked, for one contract.
const MAX_NOT_CHECKED: usize = 60;
/// The most of a list of names inside a text.
const MAX_NAMES: usize = 12;

/// How much a finding weighs, heaviest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BindingSeverity {
    /// The tree breaks a contract, or cannot be compared with it.
    Error,
    /// Nothing is broken for certain; somebody should look.
    Warning,
    /// Told, and fine.
    Note,
}

/// The rule that a finding is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BindingRule {
    /// A contract cannot be read, so that nothing could be compared with it.
    ContractUnreadable,
    /// A layer's file holds what the layer forbids.
    ForbiddenPattern,
    /// The same, and the contract knows and excuses it.
    KnownViolation,
    /// A known violation that is gone.
    KnownViolationGone,
    /// There is source code, and none of it in a layer of the contract.
    LayersAbsent,
    /// A source file that no layer covers.
    OutsideLayers,
    /// Code is taken from a place outside the tree.
    IncludeOutside,
    /// A file cannot be read as text, so that nobody can say what it holds.
    SourceUnreadable,
    /// More text and patterns than can be searched.
    TooLarge,
    /// A source file in a language that the stack does not name.
    OtherLanguage,
    /// A manifest asks for a package that the stack does not name.
    DependencyNotNamed,
    /// A manifest takes a package from elsewhere than its registry.
    DependencySource,
    /// A manifest cannot be read.
    ManifestUnreadable,
    /// A declared command is nowhere in the product's code.
    CommandMissing,
}

impl BindingRule {
    /// Its word, as it is stored and shown.
    pub const fn word(self) -> &'static str {
        match self {
            Self::ContractUnreadable => "contract_unreadable",
            Self::ForbiddenPattern => "forbidden_pattern",
            Self::KnownViolation => "known_violation",
            Self::KnownViolationGone => "known_violation_gone",
            Self::LayersAbsent => "layers_absent",
            Self::OutsideLayers => "outside_layers",
            Self::IncludeOutside => "include_outside",
            Self::SourceUnreadable => "source_unreadable",
            Self::TooLarge => "too_large",
            Self::OtherLanguage => "other_language",
            Self::DependencyNotNamed => "dependency_not_named",
            Self::DependencySource => "dependency_source",
            Self::ManifestUnreadable => "manifest_unreadable",
            Self::CommandMissing => "command_missing",
        }
    }
}

/// A place where code and contract differ.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct BindingFinding {
    /// How much it weighs.
    pub severity: BindingSeverity,
    /// The rule.
    pub rule: BindingRule,
    /// The file, from the root of the tree; a contract's own file where that is at fault.
    pub file: String,
    /// The line, counted from one.
    pub line: u32,
    /// The contract.
    pub contract: ContractKind,
    /// What is wrong there, and what would help.
    pub message: String,
}

impl fmt::Display for BindingFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            file,
            line,
            rule,
            message,
            ..
        } = self;
        write!(f, "{file}:{line}: {}: {message}", rule.word())
    }
}

/// Something that a contract says and no rule compared with the code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotChecked {
    /// The contract.
    pub contract: ContractKind,
    /// What it says.
    pub what: String,
    /// Why that was not compared.
    pub why: String,
}

/// What a comparison came to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BindingReport {
    /// Heaviest first, then by rule and place.
    pub findings: Vec<BindingFinding>,
    /// Findings beyond the most that are kept of a rule.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub left_out: BTreeMap<BindingRule, u32>,
    /// Rules that were applied to something.
    pub checked: u32,
    /// What was not compared.
    pub not_checked: Vec<NotChecked>,
}

impl BindingReport {
    /// True when the tree keeps its contracts, as far as rules can tell.
    pub fn holds(&self) -> bool {
        self.errors().next().is_none()
    }

    /// The findings that stand against the tree.
    pub fn errors(&self) -> impl Iterator<Item = &BindingFinding> {
        let is_error = |finding: &&BindingFinding| finding.severity == BindingSeverity::Error;
        self.findings.iter().filter(is_error)
    }
}

/// A place in the tree.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spot<'a> {
    pub(super) file: &'a str,
    pub(super) line: u32,
}

impl<'a> Spot<'a> {
    pub(super) const fn new(file: &'a str, line: u32) -> Self {
        Self { file, line }
    }
}

/// Where a contract lies in the tree of a build.
pub(super) fn contract_path(kind: ContractKind) -> String {
    format!(".gavel/contracts/{}", kind.file_name())
}

/// A rule with its weight and its contract.
#[derive(Debug, Clone, Copy)]
pub(super) struct Verdict {
    pub(super) rule: BindingRule,
    pub(super) severity: BindingSeverity,
    pub(super) contract: ContractKind,
}

/// Collects findings, as many of each rule as anybody reads.
#[derive(Debug, Default)]
pub(super) struct Collector {
    /// Of each severity and rule, so that many warnings cannot push an error out.
    findings: BTreeMap<(BindingSeverity, BindingRule), Vec<BindingFinding>>,
    left_out: BTreeMap<BindingRule, u32>,
    checked: u32,
    not_checked: Vec<NotChecked>,
}

impl Collector {
    pub(super) fn add(&mut self, verdict: Verdict, spot: Spot<'_>, message: impl Into<String>) {
        let Verdict {
            rule,
            severity,
            contract,
        } = verdict;
        let kept = self.findings.entry((severity, rule)).or_default();
        if kept.len() >= MAX_OF_RULE {
            let more = self.left_out.entry(rule).or_default();
            *more = more.saturating_add(1);
            return;
        }
        kept.push(BindingFinding {
            severity,
            rule,
            file: spot.file.to_owned(),
            line: spot.line,
            contract,
            message: message.into(),
        });
    }

    /// Counts rules that were applied.
    pub(super) fn checked(&mut self, rules: usize) {
        let rules = u32::try_from(rules).unwrap_or(u32::MAX);
        self.checked = self.checked.saturating_add(rules);
    }

    pub(super) fn not_checked(
        &mut self,
        contract: ContractKind,
        what: impl Into<String>,
        why: impl Into<String>,
    ) {
        let of_contract = |entry: &&NotChecked| entry.contract == contract;
        let count = self.not_checked.iter().filter(of_contract).count();
        if count > MAX_NOT_CHECKED {
            return;
        }
        let (what, why) = if count == MAX_NOT_CHECKED {
            ("more".to_owned(), "the list is too long".to_owned())
        } else {
            (what.into(), why.into())
        };
        self.not_checked.push(NotChecked {
            contract,
            what,
            why,
        });
    }

    pub(super) fn into_report(self) -> BindingReport {
        let mut findings: Vec<_> = self.findings.into_values().flatten().collect();
        findings.sort();
        BindingReport {
            findings,
            left_out: self.left_out,
            checked: self.checked,
            not_checked: self.not_checked,
        }
    }
}

/// Names in one line, the first of them in full.
pub(super) fn list_names<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let all: Vec<&str> = names.into_iter().collect();
    let shown: Vec<&str> = all.iter().take(MAX_NAMES).copied().collect();
    let more = all.len() - shown.len();
    let mut text = shown.join(", ");
    if more > 0 {
        text.push_str(&format!(" and {more} more"));
    }
    text
}
