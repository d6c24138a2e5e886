//! The recorded output of a verification: which commands ran, how they ended, what they printed.
//!
//! One text for one fact. Its first line is ours (JSON, with the length of each part), the rest is
//! what the commands printed; so everything that a verification says can be read again later.

use std::collections::BTreeSet;

use gavel_domain::{Digest, SandboxLevel};
use gavel_rules::RunnerNote;
use gavel_workspace::{CommandOutcome, SmokeSeen, TestNames, test_names};
use serde::{Deserialize, Serialize};

/// The most that is kept of one command's output, half of it from each end.
const KEPT: usize = 1024 * 1024;

/// A command that a verification rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandRan {
    /// The recipe that it belongs to, for example `cargo`.
    pub recipe: String,
    /// The command.
    pub argv: Vec<String>,
    /// Its exit code; `None` when a signal or a limit ended it.
    pub exit: Option<i32>,
    /// The confinement in force.
    pub level: SandboxLevel,
    /// How long it ran.
    pub millis: u64,
    /// What it printed: secrets taken out, at most one mebibyte, both ends kept.
    pub output: String,
}

impl CommandRan {
    /// The digest of what it printed, as recorded.
    pub fn output_digest(&self) -> Digest {
        Digest::of(&self.output)
    }

    pub(crate) fn new(
        (recipe, argv): (&str, &[String]),
        outcome: &CommandOutcome,
        scrub: impl Fn(&str) -> String,
    ) -> Self {
        Self {
            recipe: recipe.to_owned(),
            argv: argv.to_vec(),
            exit: outcome.exit.code(),
            level: outcome.confinement.level(),
            millis: u64::try_from(outcome.elapsed.as_millis()).unwrap_or(u64::MAX),
            output: both_ends(&scrub(&outcome.output.text), KEPT),
        }
    }
}

/// A smoke run: the product was tried out once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SmokeRan {
    /// What was asked, as evidence names it: `GET /health`, or the command's words.
    pub request: String,
    /// True when it came to what the recipe says.
    pub passed: bool,
    /// What came, in one sentence.
    pub said: String,
    /// The status of the answer; `None` for a command, and without an answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// The beginning of the answer, secrets taken out.
    #[serde(default)]
    pub excerpt: String,
}

impl SmokeRan {
    pub(crate) fn new(seen: &SmokeSeen, scrub: impl Fn(&str) -> String) -> Self {
        Self {
            request: seen.request.clone(),
            passed: seen.passed,
            said: seen.said.clone(),
            status: seen.status,
            excerpt: scrub(&seen.excerpt),
        }
    }
}

/// What a verification recorded.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VerifyOutput {
    /// The commands, in order, those of smoke runs last; none when nothing could be run.
    pub commands: Vec<CommandRan>,
    /// What was tried out.
    pub smoke: Vec<SmokeRan>,
    /// Who ran the tests, where that is worth a word.
    pub runner: Vec<RunnerNote>,
    /// Sources that the commands of a fresh checkout wrote anew: what ran is not what is judged.
    pub rewritten: Vec<String>,
    /// Recipes whose runner cannot run one test alone: they count by the exit status of the whole suite.
    pub whole: Vec<String>,
    /// Tests that were printed as passed beyond those that the runner lists: they are not counted.
    pub unlisted: u32,
    /// Its dependencies could be fetched only with the whole network of this machine.
    pub needs_open_network: bool,
    /// Why nothing, or not everything, was run.
    pub note: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct Header {
    commands: Vec<Row>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    smoke: Vec<SmokeRan>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    runner: Vec<RunnerNote>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    rewritten: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    whole: Vec<String>,
    #[serde(default, skip_serializing_if = "is_none")]
    unlisted: u32,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    needs_open_network: bool,
}

#[derive(Debug, Serialize, Deserialize)]
struct Row {
    recipe: String,
    argv: Vec<String>,
    exit: Option<i32>,
    level: SandboxLevel,
    millis: u64,
    bytes: usize,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
const fn is_none(number: &u32) -> bool {
    *number == 0
}

impl VerifyOutput {
    /// Reads a recorded text; one of another form is a note.
    pub fn read(text: &str) -> Self {
        Self::try_read(text).unwrap_or_else(|| Self {
            note: text.to_owned(),
            ..Self::default()
        })
    }

    fn try_read(text: &str) -> Option<Self> {
        let (first, mut rest) = text.split_once('\n')?;
        let header: Header = serde_json::from_str(first).ok()?;
        let mut commands = Vec::with_capacity(header.commands.len());
        for row in header.commands {
            let (output, after) = rest.split_at_checked(row.bytes)?;
            rest = after;
            commands.push(CommandRan {
                recipe: row.recipe,
                argv: row.argv,
                exit: row.exit,
                level: row.level,
                millis: row.millis,
                output: output.to_owned(),
            });
        }
        Some(Self {
            commands,
            smoke: header.smoke,
            runner: header.runner,
            rewritten: header.rewritten,
            whole: header.whole,
            unlisted: header.unlisted,
            needs_open_network: header.needs_open_network,
            note: rest.to_owned(),
        })
    }

    /// The text to record.
    pub(crate) fn text(&self) -> Result<String, serde_json::Error> {
        let row = |ran: &CommandRan| Row {
            recipe: ran.recipe.clone(),
            argv: ran.argv.clone(),
            exit: ran.exit,
            level: ran.level,
            millis: ran.millis,
            bytes: ran.output.len(),
        };
        let commands = self.commands.iter().map(row).collect();
        let header = Header {
            commands,
            smoke: self.smoke.clone(),
            runner: self.runner.clone(),
            rewritten: self.rewritten.clone(),
            whole: self.whole.clone(),
            unlisted: self.unlisted,
            needs_open_network: self.needs_open_network,
        };
        let mut text = serde_json::to_string(&header)?;
        text.push('\n');
        for ran in &self.commands {
            text.push_str(&ran.output);
        }
        text.push_str(&self.note);
        Ok(text)
    }

    /// The tests that its runners named.
    pub fn tests(&self) -> TestNames {
        self.tests_of(|_| true)
    }

    /// Names of passed tests that only a runner printed which cannot run one of them alone.
    pub fn printed(&self) -> BTreeSet<String> {
        let alone = self.tests_of(|ran| !self.whole.contains(&ran.recipe));
        let all = self.tests().passed.into_iter();
        all.filter(|name| !alone.passed.contains(name)).collect()
    }

    fn tests_of(&self, wanted: impl Fn(&CommandRan) -> bool) -> TestNames {
        let mut all = TestNames::default();
        for ran in self.commands.iter().filter(|ran| wanted(ran)) {
            all.add(test_names(&ran.recipe, &ran.output));
        }
        all
    }
}

/// A text of at most about so many bytes, whole lines from its beginning and its end.
pub(crate) fn both_ends(text: &str, bytes: usize) -> String {
    if text.len() <= bytes {
        return text.to_owned();
    }
    let half = bytes / 2;
    let head = text
        .get(..text.floor_char_boundary(half))
        .unwrap_or_default();
    let head = head
        .rfind('\n')
        .map_or(head, |end| head.get(..=end).unwrap_or_default());
    let tail = text
        .get(text.ceil_char_boundary(text.len() - half)..)
        .unwrap_or_default();
    let tail = tail
        .find('\n')
        .map_or(tail, |start| tail.get(start + 1..).unwrap_or_default());
    let left_out = text.len() - head.len() - tail.len();
    format!("{head}\n[{left_out} bytes left out]\n{tail}")
}

#[cfg(test)]
#[path = "output_tests.rs"]
mod tests;
