//! The checks: the form of each kind, and agreement with the contracts that stand already.

pub(crate) mod boundaries;
mod directive;
mod phases;
pub(crate) mod physics;
mod schema;
pub(crate) mod sections;

use gavel_domain::{ContractKind, Spec};
use gavel_rules::is_hidden;
use gavel_workspace::Scrubber;

use crate::Shelf;
use crate::finding::{Finding, Findings, MAX_FINDINGS};
use crate::markdown::Document;
use crate::phases::place_phases;

/// The most bytes of a contract.
pub const MAX_CONTRACT_BYTES: usize = 40_000;

/// The rule of a contract that cannot be compared because the other one is malformed itself.
const NOT_COMPARABLE: &str = "not_comparable";

/// What a contract must agree with.
#[derive(Debug, Clone, Copy)]
pub struct Agreement<'a> {
    /// The contracts that stand already.
    pub shelf: &'a Shelf,
    /// The spec, if there is one.
    pub spec: Option<&'a Spec>,
}

/// Checks a text as a contract of a kind: everything that was found, up to [`MAX_FINDINGS`].
pub fn check(kind: ContractKind, text: &str, agreement: &Agreement<'_>) -> Vec<Finding> {
    let mut findings = Findings::about(kind);
    if check_text(text, &mut findings) {
        match kind {
            ContractKind::Physics => physics::check(text, agreement, &mut findings),
            ContractKind::Boundaries => boundaries::check(text, agreement, &mut findings),
            ContractKind::Manifesto
            | ContractKind::Blueprint
            | ContractKind::Stack
            | ContractKind::Schema
            | ContractKind::Ui
            | ContractKind::Phases
            | ContractKind::BuilderDirective => {
                check_document(kind, text, agreement, &mut findings);
            }
        }
    }
    findings.into_list()
}

/// What a text of the contract `phases` leaves to be shown by other means than an executed example.
///
/// It is told and kept, and no contract is refused for it.
pub fn missing_examples(text: &str) -> Vec<Finding> {
    let placed = place_phases(&Document::parse(text));
    placed.map_or_else(|_| Vec::new(), |placed| phases::missing_examples(&placed))
}

/// Checks all contracts of a build, and that none is missing.
pub fn check_all(shelf: &Shelf, spec: Option<&Spec>) -> Vec<Finding> {
    let mut all = Vec::new();
    for kind in shelf.missing() {
        let mut findings = Findings::about(kind);
        findings.add(
            ("missing", None),
            format!("the contract {kind} is missing"),
            format!("write {}", kind.file_name()),
        );
        all.extend(findings.into_list());
    }
    for contract in shelf.iter() {
        let found = check(contract.kind, &contract.text, &Agreement { shelf, spec });
        // The other contract is checked here too and says itself what is wrong with it.
        let own = found.into_iter().filter(|one| one.rule != NOT_COMPARABLE);
        all.extend(own);
    }
    all.truncate(MAX_FINDINGS);
    all
}

/// What holds for every contract; false when it is not worth reading on.
fn check_text(text: &str, findings: &mut Findings) -> bool {
    if text.len() > MAX_CONTRACT_BYTES {
        findings.add(
            ("too_long", None),
            format!(
                "{} bytes, and a contract has {MAX_CONTRACT_BYTES} at most",
                text.len()
            ),
            "say it shorter",
        );
        return false;
    }
    if text.trim().is_empty() {
        findings.add(
            ("empty", None),
            "the text is empty",
            "submit the whole contract",
        );
        return false;
    }
    for (number, line) in (1..).zip(text.split('\n')) {
        if let Some(sign) = line.chars().find(|c| is_hidden(*c)) {
            findings.add(
                ("control_character", Some(number)),
                format!(
                    "the line holds the control character {}",
                    sign.escape_unicode()
                ),
                "use printable characters, tabs and plain line ends only",
            );
        }
    }
    check_secrets(text, findings);
    true
}

fn check_secrets(text: &str, findings: &mut Findings) {
    let scrubbed = match Scrubber::new([]) {
        Ok(scrubber) => scrubber.scrub(text),
        Err(error) => {
            findings.add(
                ("secret", None),
                format!("nobody could look for secrets: {error}"),
                "report this as a bug of Gavel",
            );
            return;
        }
    };
    if let Some(kind) = scrubbed.found.first() {
        let same = text
            .bytes()
            .zip(scrubbed.text.bytes())
            .take_while(|(before, after)| before == after);
        let line = line_at(text, same.count());
        findings.add(
            ("secret", line),
            format!("the text holds a secret: {kind}"),
            "take it out; say where it is kept instead",
        );
    }
}

fn check_document(
    kind: ContractKind,
    text: &str,
    agreement: &Agreement<'_>,
    findings: &mut Findings,
) {
    let document = Document::parse(text);
    if let Some(line) = document.open_fence {
        findings.add(
            ("fence_open", Some(line)),
            "a fence is opened and never closed",
            "close it with a line of the same marks",
        );
        return;
    }
    check_title(&document, findings);
    match kind {
        ContractKind::Manifesto => sections::check_manifesto(&document, findings),
        ContractKind::Blueprint => sections::check_blueprint(&document, findings),
        ContractKind::Stack => sections::check_stack(&document, findings),
        ContractKind::Ui => sections::check_ui(&document, findings),
        ContractKind::Schema => schema::check(&document, findings),
        ContractKind::Phases => phases::check(&document, agreement, findings),
        ContractKind::BuilderDirective => directive::check(&document, agreement, findings),
        ContractKind::Physics | ContractKind::Boundaries => {}
    }
}

fn check_title(document: &Document<'_>, findings: &mut Findings) {
    let help = "begin with one heading of the first level, such as `# Schema`";
    let first = document
        .before
        .iter()
        .find(|line| !line.text().trim().is_empty());
    if let Some(line) = first {
        let message = "something stands before the title";
        findings.add(("title", Some(line.number)), message, help);
        return;
    }
    match document.sections.first() {
        Some(section) if section.level == 1 && !section.title.is_empty() => {}
        Some(section) => findings.add(("title", section.line()), "there is no title", help),
        None => findings.add(("title", None), "there is no title", help),
    }
    for section in document
        .sections
        .iter()
        .skip(1)
        .filter(|section| section.level == 1)
    {
        findings.add(
            ("title", section.line()),
            "there is a second heading of the first level",
            "use `## ` for everything below the title",
        );
    }
}

/// Says that another contract cannot be read, so that nothing was compared.
fn cannot_compare(other: ContractKind, findings: &mut Findings) {
    findings.add(
        (NOT_COMPARABLE, None),
        format!("this cannot be compared with {other}, which is malformed itself"),
        format!("mend {} first", other.file_name()),
    );
}

/// The line of a place in a text.
pub(crate) fn line_at(text: &str, place: usize) -> Option<u32> {
    let before = text.bytes().take(place).filter(|byte| *byte == b'\n');
    u32::try_from(before.count() + 1).ok()
}

/// The first line that holds a text.
fn line_with(text: &str, needle: &str) -> Option<u32> {
    line_at(text, text.find(needle)?)
}

#[cfg(test)]
#[path = "check_tests.rs"]
mod tests;
