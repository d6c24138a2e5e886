//! What the roles of a build are told. Everything from outside goes in as data.

use gavel_agent::{Cap, Excerpt, Keep};
use gavel_domain::{VerifyFinished, VerifyVerdict};
use gavel_rules::RunnerNote;
use gavel_workspace::TestNames;

use crate::VerifyOutput;
use crate::output::both_ends;

pub(crate) const SCOUT: &str = "You scout a source tree before one phase of it is built. You only \
    read. Look at what is there, then at the contracts that the phase touches. Reply with a short \
    report: what exists and works, which files matter for this phase, what the phase still needs, \
    what could go wrong. Name files by their path, and report nothing that you did not see.";

pub(crate) const PLANNER: &str = "You plan one phase of a build: which files it creates, modifies \
    or deletes, and what each is for. The tests of the phase's exit criteria are files too. Paths \
    are relative to the root of the tree. Plan no file below `.gavel/`, and nothing that the phase \
    does not need.";

pub(crate) const CODER: &str = "You write the code of one phase. The contracts decide what it does: \
    read those that you need before you write, do what they demand, and add nothing they do not ask \
    for. Write whole files that work, with no placeholder and nothing left for later. For every exit \
    criterion of the phase write one test; its name is exactly the id of the criterion, and it fails \
    when the criterion does not hold. Use no dependency that the stack contract does not list. Leave \
    `.gavel/` alone. Run the tests and mend what fails. End with a few sentences on what you did.";

pub(crate) const AUDITOR: &str = "You audit one phase that somebody else built. Believe only what you \
    have read: the contracts, the phase, the changed files, the verification. An error is something \
    that breaks a contract, an exit criterion or a test; its evidence names which. An exit criterion \
    without a test of exactly its name is an error, and so is a test that cannot fail. Everything \
    else is a warning at most, and taste is nothing. What you cannot show to hold does not hold. \
    Finish by calling `submit_audit`; `pass` only without errors.";

pub(crate) const FIXER: &str = "You mend what a verification and an audit found in one phase. Take \
    failed tests first, then the errors; warnings only where it is easy. Change as little as is \
    needed. The contracts are right: never change them, and never weaken, skip or delete a test; \
    correct one only where it contradicts its criterion. Run the tests before you end with a few \
    sentences on what you changed. If you cannot mend it, reply with `Cannot:` and the reason.";

/// How much of the output a role sees.
const OUTPUT_BYTES: usize = 10_000;
/// How many names of one kind it sees.
const MAX_NAMES: usize = 60;

/// A task: the phase in the first line, what to do, and the data.
pub(crate) fn task(phase: u32, words: &str, data: &[Excerpt]) -> String {
    let mut task = format!("Phase: {phase}\n\n{words}");
    for one in data {
        task.push_str("\n\n");
        task.push_str(&one.to_string());
    }
    task
}

/// A section of data.
pub(crate) fn data(source: &str, text: &str) -> Excerpt {
    Excerpt::new(source, text, Cap::RESULT, Keep::Head)
}

/// A verification for those who must act on it.
pub(crate) fn verification(
    fact: &VerifyFinished,
    output: &VerifyOutput,
    (tests, missing): (&TestNames, &[&str]),
) -> String {
    let verdict = match fact.verdict {
        VerifyVerdict::Passed => "passed",
        VerifyVerdict::Failed => "failed",
        VerifyVerdict::Unclear => "unclear",
    };
    let mut lines = vec![
        format!("verdict: {verdict} ({}, by {})", fact.reason, fact.recipe),
        format!(
            "counts: {} executed, {} passed, {} failed, {} skipped",
            fact.executed, fact.passed, fact.failed, fact.skipped
        ),
    ];
    list(&mut lines, "failed tests:", tests.failed.iter());
    list(&mut lines, "criteria without a test:", missing.iter());
    let share = OUTPUT_BYTES / output.commands.len().max(1);
    for ran in &output.commands {
        let ended = match ran.exit {
            Some(code) => format!("exit code {code}"),
            None => "ended from outside".to_owned(),
        };
        lines.push(format!("output of {} ({ended}):", ran.argv.join(" ")));
        lines.push(both_ends(&ran.output, share));
    }
    list(
        &mut lines,
        "what runs the tests:",
        output.runner.iter().map(RunnerNote::line),
    );
    if !output.note.is_empty() {
        lines.push(both_ends(&output.note, OUTPUT_BYTES));
    }
    lines.join("\n")
}

fn list(
    lines: &mut Vec<String>,
    title: &str,
    names: impl ExactSizeIterator<Item = impl std::fmt::Display>,
) {
    if names.len() == 0 {
        return;
    }
    lines.push(title.to_owned());
    let left_out = names.len().saturating_sub(MAX_NAMES);
    lines.extend(names.take(MAX_NAMES).map(|name| format!("- {name}")));
    if left_out > 0 {
        lines.push(format!("and {left_out} more"));
    }
}
