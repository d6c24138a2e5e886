//! What is said on the hot path: to whoever makes the change, and about what it came to.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use gavel_build::{CommandRan, CommitVerified};
use gavel_domain::{
    Ask, AskSource, Criterion, CriterionStanding, EvidenceRef, Spec, VerifyFinished, VerifyVerdict,
    test_name,
};
use gavel_rules::{AskClaim, Claimant, Claimed, install_findings};
use gavel_workspace::{ChangeKind, TestNames};
use serde::{Deserialize, Serialize};

use crate::PROVEN_FLOW;

/// What the two criteria of a small change are called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CriterionIds {
    /// What the program itself looks at: tests before and after.
    tests_still_pass: &'static str,
    /// What is judged: what the person asked for.
    change_made: &'static str,
}

impl CriterionIds {
    /// No test can take these names: a test shows a criterion only where its id is one that
    /// [`Criterion::is_id`] allows.
    const NOT_TESTS: Self = Self {
        tests_still_pass: "tests-still-pass",
        change_made: "change-made",
    };
    /// Those of flow 4, for runs under way; [`gavel_rules::shown_by_test`] lets no test speak for them.
    const OF_FLOW_4: Self = Self {
        tests_still_pass: "tests_still_pass",
        change_made: "change_made",
    };

    /// The ids that a run of this flow has.
    pub(crate) const fn of_flow(flow: u32) -> Self {
        if flow >= 5 {
            Self::NOT_TESTS
        } else {
            Self::OF_FLOW_4
        }
    }

    fn is_about_tests(id: &str) -> bool {
        [Self::NOT_TESTS, Self::OF_FLOW_4]
            .iter()
            .any(|ids| ids.tests_still_pass == id)
    }
}

pub(crate) const CODER: &str = "You make one small change to a project that is there already. Find the \
    place, read what is around it, change as little as the request needs, and keep to the habits of \
    the project. Where the change is one of behaviour, add or adapt a test that fails without it; \
    never weaken, skip or delete a test otherwise. If the project has contracts, keep to them. Leave \
    `.gavel/` and `gavel.toml` alone, and add no dependency that nobody asked for. Run the tests \
    before you end with a few sentences on what you changed and where. If it cannot be done, or you \
    would have to guess what is meant, change nothing and reply with `Cannot:` and the reason.";

pub(crate) const FIXER: &str = "You mend what a verification found after one small change. Change as \
    little as is needed, and keep the change that was asked for. Never weaken, skip or delete a test. \
    Leave `.gavel/` and `gavel.toml` alone. Run the tests before you end with a few sentences on what \
    you changed. If you cannot mend it, reply with `Cannot:` and the reason.";

pub(crate) const BRING_TESTS: &str = "No test is executed here yet, and without one nothing is \
    proven. Add at least one test that fails without this change, for a runner that is usual for this \
    kind of project and that its manifest names.";

/// What the first criterion begins with.
const TESTS_PASS: &str = "Every test passes after the change";
/// The longest sentence that is taken from a prompt.
const MOST_SENTENCE: usize = 300;
/// The longest request that one criterion holds.
const MOST_REQUEST: usize = 2_000;
/// The longest title of a commit.
const MOST_TITLE: usize = 60;
/// The most names that are told.
const MOST_NAMES: usize = 40;
/// Folders and files that only Gavel and people write.
const OWN: [&str; 2] = [".gavel", "gavel.toml"];

/// A file that a sprint left in another state, as it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Touched {
    pub(crate) name: String,
    /// `added`, `modified`, `removed` or `retyped`.
    pub(crate) how: String,
}

impl Touched {
    pub(crate) fn new(name: String, kind: ChangeKind) -> Self {
        let how = match kind {
            ChangeKind::Added => "added",
            ChangeKind::Modified => "modified",
            ChangeKind::Removed => "removed",
            ChangeKind::Retyped => "retyped",
        };
        Self {
            name,
            how: how.to_owned(),
        }
    }
}

/// True for the criterion that what a person asked for was done.
pub(crate) fn is_change_made(id: &str) -> bool {
    id == CriterionIds::NOT_TESTS.change_made
}

/// What a small change is held to: all that was asked for until now, or, in runs without asks, the
/// first sentence of the request.
pub(crate) fn spec_of(
    (idea, asked): (&str, &[Ask]),
    before: &VerifyFinished,
    ids: CriterionIds,
) -> Spec {
    let sentence = if asked.is_empty() {
        first_sentence(idea)
    } else {
        request(idea, asked)
    };
    let tests = match before.passed {
        0 => format!("{TESTS_PASS}; there was none before it."),
        passed => format!("{TESTS_PASS}, as {passed} did before it."),
    };
    let criterion = |id: &str, statement: String| Criterion {
        id: id.to_owned(),
        statement,
        example: String::new(),
    };
    Spec {
        title: title_of(idea),
        purpose: "One small change to what is there.".to_owned(),
        in_scope: vec![sentence.clone()],
        criteria: vec![
            criterion(ids.tests_still_pass, tests),
            criterion(ids.change_made, format!("This was done: {sentence}")),
        ],
        sprint_estimate: 1,
        ..Spec::default()
    }
}

/// The request on one line, and what was said about it since.
fn request(idea: &str, asked: &[Ask]) -> String {
    let mut request = on_one_line(idea);
    let later = asked.iter().filter(|ask| match &ask.source {
        // What was said in the place of the idea is the idea.
        AskSource::Idea | AskSource::Agent | AskSource::PlanStep | AskSource::Rewording { .. } => {
            false
        }
        AskSource::Answer { .. } | AskSource::Interjection => true,
    });
    for ask in later {
        request.push_str(&format!("; also: {}", ask.text));
    }
    request.chars().take(MOST_REQUEST).collect()
}

fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What the criteria of a small change say about asks: each whose words the criterion holds.
pub(crate) fn claims(asked: &[Ask], spec: &Spec) -> BTreeMap<String, AskClaim> {
    let change = spec.criteria.iter().find(|one| is_change_made(&one.id));
    let Some(change) = change else {
        return BTreeMap::new();
    };
    let held = asked
        .iter()
        .filter(|ask| change.statement.contains(&ask.text));
    held.map(|ask| (ask.id.clone(), AskClaim::Served(vec![change.id.clone()])))
        .collect()
}

/// What the commands of a passed verification say about the tests of a small change: no judge has a
/// word in it. `None` for every other criterion.
pub(crate) fn shown_by_commands(criterion: &Criterion, commands: &[CommandRan]) -> Option<Claimed> {
    if !CriterionIds::is_about_tests(&criterion.id) || !criterion.statement.starts_with(TESTS_PASS)
    {
        return None;
    }
    let passed = commands.iter().filter(|ran| ran.exit == Some(0));
    let evidence = passed.map(|ran| EvidenceRef::Command {
        command: ran.argv.join(" "),
        exit: 0,
    });
    Some(Claimed {
        by: Claimant::Program,
        standing: CriterionStanding::Met,
        evidence: evidence.collect(),
        note: "the commands of the verification say so".to_owned(),
    })
}

/// The first sentence of a prompt, on one line.
fn first_sentence(idea: &str) -> String {
    let line = idea.trim().lines().next().unwrap_or_default().trim();
    let ends = line
        .char_indices()
        .zip(line.chars().skip(1))
        .find(|((_, c), next)| matches!(c, '.' | '!' | '?') && next.is_whitespace());
    let end = ends.map_or(line.len(), |((at, c), _)| at + c.len_utf8());
    let sentence = line.get(..end).unwrap_or(line);
    sentence.chars().take(MOST_SENTENCE).collect()
}

/// The prompt as the first line of a commit.
pub(crate) fn title_of(idea: &str) -> String {
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    let line = first_sentence(idea);
    let title: String = line.chars().map(plain).take(MOST_TITLE).collect();
    title.trim_end_matches(['.', ' ']).to_owned()
}

/// What a verification saw.
pub(crate) type Saw<'a> = (&'a VerifyFinished, &'a TestNames);

/// What stands against a change: failed tests, tests that are gone, files that are not its own.
pub(crate) fn troubles(
    (idea, flow): (&str, u32),
    (before, after): (Saw<'_>, Saw<'_>),
    touched: &[Touched],
) -> Vec<String> {
    let mut troubles = Vec::new();
    let (fact, tests) = after;
    let failed = &tests.failed;
    troubles.extend(failed.iter().map(|name| format!("the test {name} failed")));
    if failed.is_empty() {
        let reason = &fact.reason;
        match fact.verdict {
            VerifyVerdict::Passed => {}
            VerifyVerdict::Failed => troubles.push(format!("the verification failed: {reason}")),
            VerifyVerdict::Unclear => {
                troubles.push(format!("the verification is unclear: {reason}"));
                troubles.extend(install_findings(fact));
            }
        }
    }
    troubles.extend(gone((idea, flow), before, after));
    for file in touched {
        let first = file.name.split('/').next().unwrap_or_default();
        if OWN.iter().any(|own| first.eq_ignore_ascii_case(own)) {
            let (name, how) = (&file.name, &file.how);
            troubles.push(format!(
                "{name} was {how}, which is Gavel's own: put it back"
            ));
        }
    }
    troubles
}

/// Tests that passed before and are not executed any more. A test that moved with its file or module is
/// still there, and a request that speaks of tests may change them.
///
/// In runs without a proof their names say so, whatever the count: one test must not stand in for
/// another. Where the gate compares the code of tests, whether one was renamed is for it to say, and only
/// fewer tests are told at once.
fn gone((idea, flow): (&str, u32), before: Saw<'_>, after: Saw<'_>) -> Option<String> {
    if asks_about_tests(idea) {
        return None;
    }
    let ((fact_before, tests_before), (fact_after, tests_after)) = (before, after);
    let (was, is) = (fact_before.passed, fact_after.passed);
    if flow >= PROVEN_FLOW && is + fact_after.failed >= was {
        return None;
    }
    let lost = lost(tests_before, tests_after);
    if !lost.is_empty() {
        return Some(format!(
            "{was} tests passed before and {is} now; these are gone: {}",
            lost.join(", ")
        ));
    }
    // A runner may tell counts and no names. What failed is told already.
    let missing = is + fact_after.failed < was;
    missing.then(|| format!("{was} tests passed before and {is} now"))
}

/// True for a request with `test` or `tests` as a word; `testimonials` is none.
fn asks_about_tests(idea: &str) -> bool {
    idea.split(|c: char| !c.is_alphanumeric())
        .any(|word| word.eq_ignore_ascii_case("test") || word.eq_ignore_ascii_case("tests"))
}

/// The tests of `before` that are not among those of `after`, by name. For one that is gone, one of
/// the same last part may stand that is new: it moved.
fn lost<'a>(before: &'a TestNames, after: &TestNames) -> Vec<&'a str> {
    let executed = |tests: &TestNames, name: &String| {
        tests.passed.contains(name) || tests.failed.contains(name)
    };
    let new = after.passed.iter().chain(&after.failed);
    let mut moved: Vec<&str> = new
        .filter(|name| !executed(before, name))
        .map(|name| test_name(name))
        .collect();
    let gone = before.passed.iter().filter(|name| !executed(after, name));
    gone.filter(|name| {
        let place = moved.iter().position(|new| *new == test_name(name));
        place.map(|place| moved.swap_remove(place)).is_none()
    })
    .map(String::as_str)
    .take(MOST_NAMES)
    .collect()
}

/// A verification for those who must act on it.
pub(crate) fn told(verified: &CommitVerified) -> String {
    let fact = &verified.fact;
    let mut text = format!(
        "{} executed, {} passed, {} failed, {} skipped ({}, by {})\n",
        fact.executed, fact.passed, fact.failed, fact.skipped, fact.reason, fact.recipe
    );
    for name in verified.tests.failed.iter().take(MOST_NAMES) {
        // Writing to a text cannot fail.
        writeln!(text, "failed: {name}").unwrap_or_default();
    }
    for note in &verified.runner {
        writeln!(text, "what runs the tests: {}", note.line()).unwrap_or_default();
    }
    for ran in &verified.commands {
        let ended = ran.exit.map_or_else(
            || "ended from outside".to_owned(),
            |code| format!("exit code {code}"),
        );
        writeln!(
            text,
            "output of {} ({ended}):\n{}",
            ran.argv.join(" "),
            ran.output
        )
        .unwrap_or_default();
    }
    text
}

#[cfg(test)]
#[path = "hot_words_tests.rs"]
mod tests;
