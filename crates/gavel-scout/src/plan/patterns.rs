//! What weighs on a repository: findings of one kind together, and what only the whole shows.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{VersionLine, VersionStatus, rank};
use crate::finding::{Check, Finding, Severity};
use crate::language::Language;
use crate::scan::Scan;
use crate::survey::{Evidence, Survey};
use crate::technology::TechnologyKind;

/// So many places are named for each pattern.
const SHOWN: usize = 10;
/// So much plain JavaScript is worth types.
const MUCH_SCRIPT: u32 = 500;

/// What kind of pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind", content = "check")]
pub enum PatternKind {
    /// A check failed, at least once.
    Check(Check),
    /// The same package is used in several versions.
    SeveralVersions,
    /// Much JavaScript and no TypeScript.
    PlainScript,
    /// No linter or formatter is known here.
    NoLinter,
    /// It serves requests, and nothing packs it.
    NoContainer,
}

/// A pattern with where it was seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pattern {
    /// What kind.
    #[serde(flatten)]
    pub kind: PatternKind,
    /// How much it matters.
    pub severity: Severity,
    /// What was seen.
    pub detail: String,
    /// How often.
    pub count: u32,
    /// Where, the first places.
    pub evidence: Vec<Evidence>,
}

pub(super) fn patterns(scan: &Scan, versions: &[VersionLine]) -> Vec<Pattern> {
    let mut by_check: BTreeMap<Check, Vec<&Finding>> = BTreeMap::new();
    for finding in &scan.findings {
        by_check.entry(finding.check).or_default().push(finding);
    }
    let mut all: Vec<Pattern> = by_check
        .into_iter()
        .filter_map(|(check, found)| of_check(check, &found))
        .collect();
    all.extend(several_versions(versions));
    all.extend(plain_script(&scan.survey));
    all.extend(no_linter(&scan.survey));
    all.extend(no_container(&scan.survey));
    all.sort_by_key(|pattern| (rank(pattern.severity), pattern.kind));
    all
}

fn of_check(check: Check, found: &[&Finding]) -> Option<Pattern> {
    let worst = found.iter().min_by_key(|finding| rank(finding.severity))?;
    let count = crate::lines::count(found.len());
    let detail = match found.len() {
        1 => worst.message.clone(),
        many => format!("{many} findings; the first: {}", worst.message),
    };
    Some(Pattern {
        kind: PatternKind::Check(check),
        severity: worst.severity,
        detail,
        count,
        evidence: found
            .iter()
            .filter_map(|finding| finding.evidence.clone())
            .take(SHOWN)
            .collect(),
    })
}

fn several_versions(versions: &[VersionLine]) -> Option<Pattern> {
    let old: Vec<&VersionLine> = versions
        .iter()
        .filter(|line| line.status == VersionStatus::Outdated)
        .collect();
    let first = old.first()?;
    Some(Pattern {
        kind: PatternKind::SeveralVersions,
        severity: Severity::Note,
        detail: format!(
            "parts of this repository use different versions of a package; the first: {}",
            first.package
        ),
        count: crate::lines::count(old.len()),
        evidence: old
            .iter()
            .take(SHOWN)
            .map(|line| line.declared.clone())
            .collect(),
    })
}

fn lines_of(survey: &Survey, language: Language) -> u32 {
    let share = survey
        .languages
        .iter()
        .find(|share| share.language == language);
    share.map_or(0, |share| share.lines)
}

fn plain_script(survey: &Survey) -> Option<Pattern> {
    let lines = lines_of(survey, Language::JavaScript);
    let plain = lines >= MUCH_SCRIPT && lines_of(survey, Language::TypeScript) == 0;
    plain.then(|| Pattern {
        kind: PatternKind::PlainScript,
        severity: Severity::Note,
        detail: format!("{lines} lines of JavaScript and none of TypeScript"),
        count: 1,
        evidence: Vec::new(),
    })
}

fn has(survey: &Survey, kind: TechnologyKind) -> bool {
    survey.technologies.iter().any(|one| one.kind == kind)
}

fn no_linter(survey: &Survey) -> Option<Pattern> {
    // Go and Rust bring a formatter along with the language.
    let brings = survey.languages.iter().all(|share| {
        !share.language.is_code() || matches!(share.language, Language::Rust | Language::Go)
    });
    (!brings && !has(survey, TechnologyKind::Linter)).then(|| Pattern {
        kind: PatternKind::NoLinter,
        severity: Severity::Note,
        detail: "no linter or formatter that is known here".to_owned(),
        count: 1,
        evidence: Vec::new(),
    })
}

fn no_container(survey: &Survey) -> Option<Pattern> {
    let first = survey.routes.first()?;
    let packed = has(survey, TechnologyKind::Container) || has(survey, TechnologyKind::Hosting);
    (!packed).then(|| Pattern {
        kind: PatternKind::NoContainer,
        severity: Severity::Note,
        detail: "it serves requests, and no container or hosting file that is known here packs it"
            .to_owned(),
        count: 1,
        evidence: vec![first.evidence.clone()],
    })
}
