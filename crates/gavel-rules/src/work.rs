//! What the work did to what was there: tests, snapshots, settings, lock files, scope.
//!
//! Two trees are compared, as they were read by `gavel-workspace`. Everything that takes something
//! away from what a project checks is a finding, whatever the request says; whether it may stand is
//! for a person or an independent auditor to say, finding by finding. New tests, tests that moved,
//! further assertions and another layout are none, and neither are honest renames ([`renames()`]).

mod doc_tests;
mod files;
mod findings;
mod helpers;
mod locks;
mod notices;
mod pairs;
mod paths;
mod reasons;
mod renames;
mod request;
mod request_scope;
mod scope;
mod settings;
mod statements;
mod support_changes;
mod test_changes;
mod test_data;
mod test_values;
mod unread;

pub use files::{
    BLOCK, Check, CodeReading, Definition, DefinitionKind, Entry, LockedPackage, Notice,
    NoticeKind, Setting, SettingValue, SettingsRead, Span, Statement, StatementKind, Substance,
    SupportItem, TestFunction, TestModule, Token, TokenKind, Tolerance, WorkFile, WorkFiles,
};
pub use findings::{WorkFinding, WorkFindingKind};
pub use paths::{FileRole, file_role, is_snapshot_file, is_test_file};
pub use reasons::is_reason;
pub use renames::{Renames, renames};
pub use request::is_bug_fix;
pub use request_scope::RequestScope;
pub use test_data::data_of_tests;

/// How a piece of the base's test code stands in the work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ItemStanding {
    /// As it was, or with something harmless added.
    Kept,
    /// With honest renames.
    Renamed,
    /// With further names that nothing of the base's tests speaks of: imports, methods of a helper.
    Extended,
    /// Otherwise; the finding says how.
    Changed {
        /// The id of the finding.
        finding: String,
    },
}

/// A test or other test code of the base, and what stands for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemComparison {
    /// The file of the base.
    pub file: String,
    /// The full name of the test; `None` for other test code.
    pub test: Option<String>,
    /// Where it stands in that file.
    pub span: Span,
    /// What stands for it; `None` when nothing does.
    pub after: Option<ItemPlace>,
    /// How it stands.
    pub standing: ItemStanding,
}

/// Where a piece of test code stands in the work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemPlace {
    /// The file.
    pub file: String,
    /// The full name of the test there; `None` for other test code.
    pub test: Option<String>,
    /// Where it stands in that file.
    pub span: Span,
}

/// Everything of the base's test code, compared piece by piece, and what is to be said about files.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TestComparison {
    /// The pieces.
    pub items: Vec<ItemComparison>,
    /// The findings about pieces, and about whole files that are compared by their bytes.
    pub findings: Vec<WorkFinding>,
}

/// Compares the test code of two trees. `request` is what the person asked for, in their own words;
/// it accounts for renamed texts and for nothing else.
pub fn compare_test_code(before: &WorkFiles, after: &WorkFiles, request: &str) -> TestComparison {
    let renames = renames(before, after, request);
    let mut compared = TestComparison::default();
    let tests = test_changes::compare_tests(before, after, &renames);
    let support = support_changes::compare_support(before, after, &renames);
    for part in [tests, support] {
        compared.items.extend(part.items);
        compared.findings.extend(part.findings);
    }
    compared
        .findings
        .extend(unread::compare_bytes(before, after));
    compared
        .findings
        .extend(doc_tests::compare_doc_tests(before, after, &renames));
    compared
}

/// What the work was to touch.
#[derive(Debug, Clone, Copy)]
pub enum Named<'a> {
    /// The paths that the plan of the change named.
    ByPlan(&'a [String]),
    /// Nobody planned it: files that the request names, and what these stand beside.
    ByRequest(&'a RequestScope),
    /// Nobody said.
    Nothing,
}

/// Which findings there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum WorkEdition {
    /// Those of the first runs.
    First,
    /// Also code that is put out of the reach of faults, helpers of tests beside the product, values of
    /// tests in the product, and files that a request does not speak of.
    Second,
}

/// Everything that the work took away from what the project checks.
pub fn inspect_work(
    before: &WorkFiles,
    after: &WorkFiles,
    request: &str,
    named: Named<'_>,
    edition: WorkEdition,
) -> Vec<WorkFinding> {
    let mut findings = compare_test_code(before, after, request).findings;
    findings.extend(settings::compare_settings(before, after));
    findings.extend(locks::compare_locks(before, after));
    findings.extend(notices::new_notices(before, after, edition));
    if edition >= WorkEdition::Second {
        findings.extend(helpers::compare_helpers(before, after));
        findings.extend(test_values::knows_tests(before, after));
    }
    match named {
        Named::ByPlan(planned) => findings.extend(scope::beyond_plan(before, after, planned)),
        Named::ByRequest(scope) => findings.extend(scope.beyond(before, after)),
        Named::Nothing => {}
    }
    // The same line may be found twice, and a finding is released by its id.
    let mut known = std::collections::BTreeSet::new();
    findings.retain(|finding| known.insert(finding.id.clone()));
    findings.sort_by(|a, b| (&a.file, a.line, &a.id).cmp(&(&b.file, b.line, &b.id)));
    findings
}

#[cfg(test)]
#[path = "work_tests.rs"]
mod tests;
