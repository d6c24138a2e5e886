//! The plan in a few lines. The grade is counted from the findings, and the count is shown.

use serde::{Deserialize, Serialize};

use super::patterns::{Pattern, PatternKind};
use super::tasks::{Level, Task};
use crate::finding::Severity;
use crate::scan::Scan;

/// How a repository stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[expect(missing_docs, reason = "marks as schools give them")]
pub enum Grade {
    A,
    B,
    C,
    D,
    F,
}

impl Grade {
    /// The grade for so many of 100 points.
    pub const fn of_points(points: u32) -> Self {
        match points {
            90.. => Self::A,
            80.. => Self::B,
            65.. => Self::C,
            50.. => Self::D,
            _ => Self::F,
        }
    }

    /// The letter.
    pub const fn letter(self) -> &'static str {
        match self {
            Self::A => "A",
            Self::B => "B",
            Self::C => "C",
            Self::D => "D",
            Self::F => "F",
        }
    }
}

/// The plan in a few lines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Brief {
    /// How it stands.
    pub grade: Grade,
    /// Of 100; what each pattern costs is a rule.
    pub points: u32,
    /// One sentence.
    pub headline: String,
    /// What to do first, at most three.
    pub top_priorities: Vec<String>,
    /// What the work may break.
    pub risk: String,
    /// What can be done without deciding anything.
    pub automation: String,
    /// What the report does not know.
    pub versions: String,
}

pub(super) fn brief(scan: &Scan, patterns: &[Pattern], tasks: &[Task]) -> Brief {
    let lost: u32 = patterns.iter().map(cost).sum();
    let points = 100_u32.saturating_sub(lost);
    let grade = Grade::of_points(points);
    let count = |severity: Severity| scan.count(severity);
    let headline = format!(
        "{} of 100 points: {} errors, {} warnings, {} notes in {} files that were read",
        points,
        count(Severity::Error),
        count(Severity::Warning),
        count(Severity::Note),
        scan.survey.files_read,
    );
    let risky = tasks.iter().filter(|task| task.risk == Level::High).count();
    let medium = tasks
        .iter()
        .filter(|task| task.risk == Level::Medium)
        .count();
    let automatable = tasks.iter().filter(|task| task.automatable).count();
    Brief {
        grade,
        points,
        headline,
        top_priorities: tasks.iter().take(3).map(|task| task.to.clone()).collect(),
        risk: format!(
            "{risky} tasks of high risk, {medium} of medium, of {}",
            tasks.len()
        ),
        automation: format!("{automatable} of {} tasks need no decision", tasks.len()),
        versions: "no registry was asked: whether a version is the latest is unknown".to_owned(),
    }
}

/// What a pattern costs: by its severity, a little more where it is seen often.
fn cost(pattern: &Pattern) -> u32 {
    let many = pattern.count.min(5);
    match (pattern.kind, pattern.severity) {
        (_, Severity::Error) => 12 + 2 * many,
        (_, Severity::Warning) => 5 + many,
        (PatternKind::Check(_), Severity::Note) => 2,
        (_, Severity::Note) => 1,
    }
}
