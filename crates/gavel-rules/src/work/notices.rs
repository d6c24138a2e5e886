//! Lines of the result that the base did not have, wherever it had them: they notice that tests run, give
//! assertions another meaning, or put code where no fault can be planted in it.

use std::collections::{BTreeMap, BTreeSet};

use super::files::{DefinitionKind, Notice, NoticeKind, WorkFile, WorkFiles};
use super::paths::FileRole;
use super::{WorkEdition, WorkFinding, WorkFindingKind};

/// A finding about each of these lines.
pub(super) fn new_notices(
    before: &WorkFiles,
    after: &WorkFiles,
    edition: WorkEdition,
) -> Vec<WorkFinding> {
    let base = Base {
        functions: functions_of(before),
        is_changed: changes_product(before, after),
    };
    let mut known: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for notice in before.iter().flat_map(|file| &file.notices) {
        *known.entry((&notice.sign, &notice.text)).or_default() += 1;
    }
    let mut findings = Vec::new();
    for file in after.iter() {
        for notice in &file.notices {
            let left = known.entry((&notice.sign, &notice.text)).or_default();
            if *left > 0 {
                *left -= 1;
                continue;
            }
            let told = told(notice, file, &base);
            findings.extend(told.filter(|told| told.since <= edition).map(|told| {
                WorkFinding::new(told.kind, &file.path, &notice.text)
                    .at(notice.line)
                    .saying(format!("{}: {}", told.what, notice.sign))
                    .changed("", &notice.text)
            }));
        }
    }
    findings
}

/// What is said of a line.
struct Told {
    kind: WorkFindingKind,
    what: &'static str,
    since: WorkEdition,
}

/// What the product was before.
struct Base<'a> {
    functions: BTreeSet<&'a str>,
    /// The work changed or removed some of its files: new files alone hide nothing that was there.
    is_changed: bool,
}

fn changes_product(before: &WorkFiles, after: &WorkFiles) -> bool {
    let mut product = before
        .iter()
        .filter(|file| file.role() == FileRole::Product);
    product.any(|file| {
        let now = after.get(&file.path);
        now.is_none_or(|now| now.content != file.content)
    })
}

fn told(notice: &Notice, file: &WorkFile, base: &Base<'_>) -> Option<Told> {
    let was_function = base.functions.contains(notice.sign.as_str());
    let (kind, what, since) = match notice.kind {
        NoticeKind::NoticesTests => (
            WorkFindingKind::NoticesTests,
            "product code notices that tests run",
            WorkEdition::First,
        ),
        NoticeKind::ReadsSurroundings => (
            WorkFindingKind::NoticesTests,
            "product code notices that tests run",
            WorkEdition::Second,
        ),
        NoticeKind::RedefinesAssertion => (
            WorkFindingKind::AssertionRedefined,
            "an assertion is given another meaning",
            WorkEdition::First,
        ),
        NoticeKind::RunsText if base.is_changed => (
            WorkFindingKind::CodeHidden,
            "a text or a file is run as code, so that no fault can be planted in it",
            WorkEdition::Second,
        ),
        // What has always been made by macros is nobody's to hide.
        NoticeKind::FunctionInMacro if was_function => (
            WorkFindingKind::CodeHidden,
            "a function from before the run stands in a macro, where no fault can be planted",
            WorkEdition::Second,
        ),
        NoticeKind::NameForMacro if was_function && !defines(file, &notice.sign) => (
            WorkFindingKind::CodeHidden,
            "a function from before the run is made by a macro, where no fault can be planted",
            WorkEdition::Second,
        ),
        NoticeKind::RunsText | NoticeKind::FunctionInMacro | NoticeKind::NameForMacro => {
            return None;
        }
    };
    Some(Told { kind, what, since })
}

/// The names of the functions that the product had.
fn functions_of(before: &WorkFiles) -> BTreeSet<&str> {
    let product = before
        .iter()
        .filter(|file| file.role() == FileRole::Product);
    let all = product.flat_map(|file| &file.definitions);
    let functions = all.filter(|one| one.kind == DefinitionKind::Function);
    functions.map(|one| one.name.as_str()).collect()
}

fn defines(file: &WorkFile, name: &str) -> bool {
    let mut all = file.definitions.iter();
    all.any(|one| one.kind == DefinitionKind::Function && one.name == name)
}
