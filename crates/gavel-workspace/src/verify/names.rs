//! The names of tests in a runner's output.
//!
//! Names decide which criteria are shown, so a name is taken only from the place where the runner
//! itself prints it, and never more passed names than the runner's own closing counts. What cannot
//! be read is left out: a missing name shows nothing.

use std::collections::BTreeSet;

use gavel_domain::{test_name, test_without_parameters};

use super::counts::Counts;
use super::runner::Runner;
use super::runners;

/// Which tests passed and which failed, by the names that the runner prints.
///
/// Parts of a name are joined by `::`. A name that failed anywhere is not among the passed ones.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TestNames {
    /// Tests that passed.
    pub passed: BTreeSet<String>,
    /// Tests that failed.
    pub failed: BTreeSet<String>,
}

impl TestNames {
    /// True when no name is known.
    pub fn is_empty(&self) -> bool {
        self.passed.is_empty() && self.failed.is_empty()
    }

    /// True when a test of this name, whole or its last part, passed and none of it failed.
    pub fn shows(&self, name: &str) -> bool {
        let is_it = |full: &String| is_named(full, name);
        self.passed.iter().any(is_it) && !self.failed.iter().any(is_it)
    }

    /// True when a test of this name, whole or its last part, was executed.
    pub fn knows(&self, name: &str) -> bool {
        let mut all = self.passed.iter().chain(&self.failed);
        all.any(|full| is_named(full, name))
    }

    /// Takes the names of another run of tests in.
    pub fn add(&mut self, other: Self) {
        self.failed.extend(other.failed);
        self.passed.extend(other.passed);
        let failed = &self.failed;
        self.passed.retain(|name| !failed.contains(name));
    }

    pub(super) fn take(&mut self, name: &str, passed: bool) {
        let list = if passed {
            &mut self.passed
        } else {
            &mut self.failed
        };
        list.insert(name.to_owned());
    }

    /// More passed names than the runner counted: something else printed them.
    fn bounded(mut self, counted: u32) -> Self {
        if self.passed.len() > usize::try_from(counted).unwrap_or(usize::MAX) {
            self.passed.clear();
        }
        self
    }

    /// The same for the sum of several closings.
    pub(super) fn bounded_by(self, counted: &[Counts]) -> Self {
        let passed = counted.iter().map(|count| count.passed);
        self.bounded(passed.fold(0, u32::saturating_add))
    }
}

fn is_named(full: &str, name: &str) -> bool {
    full == name || test_name(full) == name || test_without_parameters(full) == name
}

/// The names in the output of a recipe's test command, by the recipe's name in facts.
///
/// Scripts run whatever the project calls: each runner that closed is asked for its names. vitest,
/// and jest with several files, name what passed only when they are asked to, which
/// [`crate::Recipe::test`] does where the script is plain.
pub fn test_names(recipe: &str, output: &str) -> TestNames {
    let output = runners::without_colours(output);
    let mut all = TestNames::default();
    for runner in Runner::of_recipe(recipe) {
        if !runner.closings(&output).is_empty() {
            all.add(runner.names(&output));
        }
    }
    all
}

/// `test a::b ... ok` between `running 3 tests` and what follows the list.
pub(super) fn cargo(output: &str) -> TestNames {
    let mut all = TestNames::default();
    let mut section: Option<TestNames> = None;
    let mut listing = false;
    // A test whose result stands on a line of its own, since something else printed meanwhile.
    let mut open = None;
    for line in output.lines() {
        if is_running(line) {
            section = Some(TestNames::default());
            listing = true;
        } else if line == "failures:" {
            listing = false;
        } else if line.starts_with("test result: ") {
            listing = false;
            let counted = runners::cargo(line).first().map_or(0, |count| count.passed);
            if let Some(names) = section.take() {
                all.add(names.bounded(counted));
            }
        } else if let (true, Some(names)) = (listing, section.as_mut()) {
            let (name, result) = match cargo_line(line) {
                Some((name, result)) => (Some(name), result),
                None => (open, line),
            };
            open = name;
            if let Some((name, passed)) = name.zip(cargo_result(result)) {
                names.take(name, passed);
                open = None;
            }
        }
    }
    all
}

fn is_running(line: &str) -> bool {
    let number = line.strip_prefix("running ").and_then(|rest| {
        rest.strip_suffix(" tests")
            .or_else(|| rest.strip_suffix(" test"))
    });
    number.is_some_and(|number| number.parse::<u32>().is_ok())
}

/// The name, and what follows it: a result, perhaps with a time.
fn cargo_line(line: &str) -> Option<(&str, &str)> {
    let (name, result) = line.strip_prefix("test ")?.split_once(" ... ")?;
    let name = name.strip_suffix(" - should panic").unwrap_or(name);
    Some((name, result))
}

fn cargo_result(text: &str) -> Option<bool> {
    match text.split(' ').next() {
        Some("ok") => Some(true),
        Some("FAILED") => Some(false),
        Some(_) | None => None,
    }
}

/// `PASSED test_a.py::test_b` under `short test summary info`.
pub(super) fn pytest(output: &str) -> TestNames {
    let mut names = TestNames::default();
    let mut listing = false;
    for line in output.lines() {
        if line.starts_with('=') {
            listing = line.contains(" short test summary info ");
        } else if listing && let Some((word, rest)) = line.split_once(' ') {
            let (name, _) = rest.split_once(" - ").unwrap_or((rest, ""));
            match word {
                "PASSED" => names.take(name, true),
                "FAILED" | "ERROR" => names.take(name, false),
                _ => {}
            }
        }
    }
    names.bounded_by(&runners::pytest(output))
}

/// `test_b (test_a.A.test_b) ... ok`, and `FAIL: test_b (test_a.A.test_b)` below a double line.
///
/// A doc string stands on a line between name and result, and so does what a test prints.
pub(super) fn unittest(output: &str) -> TestNames {
    let mut names = TestNames::default();
    let mut listing = true;
    let mut open: Option<String> = None;
    for line in output.lines() {
        if line.starts_with("=====") || line.starts_with("-----") {
            listing = false;
        }
        let (word, rest) = line.split_once(": ").unwrap_or_default();
        if !listing && matches!(word, "FAIL" | "ERROR") {
            if let Some(name) = unittest_name(rest) {
                names.take(&name, false);
            }
        } else if listing {
            if let Some(name) = unittest_name(line) {
                open = Some(name);
            }
            let (_, result) = line.rsplit_once(" ... ").unwrap_or(("", line));
            let passed = match result {
                "ok" => true,
                "FAIL" | "ERROR" => false,
                _ => continue,
            };
            if let Some(name) = open.take() {
                names.take(&name, passed);
            }
        }
    }
    let failed = &names.failed;
    names.passed.retain(|name| !failed.contains(name));
    names.bounded_by(&runners::unittest(output))
}

/// `test_b (test_a.A.test_b)` and, before Python 3.11, `test_b (test_a.A)`.
fn unittest_name(line: &str) -> Option<String> {
    let (test, rest) = line.split_once(" (")?;
    let (class, _) = rest.split_once(')')?;
    let plain = |text: &str| {
        let letter = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
        !text.is_empty() && text.chars().all(letter)
    };
    if !plain(test) || !plain(class) {
        return None;
    }
    let own = format!(".{test}");
    let class = class.strip_suffix(&own).unwrap_or(class);
    Some(format!("{}::{test}", class.replace('.', "::")))
}

/// As jest prints them: names below their file and their groups.
pub(super) fn jest(output: &str) -> TestNames {
    ticked(output, Parents::AreTests).bounded_by(&runners::jest(output))
}

pub(super) fn mocha(output: &str) -> TestNames {
    // Past its counts, it tells failures once more.
    let end = output.find(" passing (").unwrap_or(output.len());
    let names = ticked(output.get(..end).unwrap_or_default(), Parents::AreTests);
    names.bounded_by(&runners::mocha(output))
}

/// `✓ a.test.js > group > name 1ms` when asked for names; else files, with failures below them.
pub(super) fn vitest(output: &str) -> TestNames {
    let mut names = TestNames::default();
    for line in output.lines() {
        let Some((mark, rest)) = line.trim_start().split_once(' ') else {
            continue;
        };
        let passed = match mark {
            "✓" => true,
            "×" => false,
            _ => continue,
        };
        let name = without_time(rest);
        match name.split_once(" > ") {
            Some((_, name)) => names.take(&name.replace(" > ", "::"), passed),
            None if !is_file(rest) => names.take(name, passed),
            None => {}
        }
    }
    names.bounded_by(&runners::vitest(output))
}

/// vitest ticks whole files, with the number of their tests.
fn is_file(rest: &str) -> bool {
    rest.contains(" test)") || rest.contains(" tests") || rest.contains(" test |")
}

/// Both reporters of `node --test`.
pub(super) fn node(output: &str) -> TestNames {
    let counted = runners::node(output);
    let names = if output.lines().any(|line| line.starts_with("TAP version")) {
        tap(output)
    } else {
        // Past the closing, failures are told once more.
        let end = output.find("\nℹ tests ").unwrap_or(0);
        let (list, closing) = output.split_at_checked(end).unwrap_or_default();
        let parents = if closing.contains("\nℹ suites 0\n") {
            Parents::AreTests
        } else {
            Parents::MayBeSuites
        };
        ticked(list, parents)
    };
    names.bounded_by(&counted)
}

/// `ok 1 - name`, children indented between `# Subtest: parent` and their parent's line.
///
/// A parent is a test itself unless its block says `type: 'suite'`.
fn tap(output: &str) -> TestNames {
    let mut names = TestNames::default();
    let mut above: Vec<(usize, &str)> = Vec::new();
    let mut last: Option<(String, bool)> = None;
    for line in output.lines() {
        let text = line.trim_start();
        let depth = line.len() - text.len();
        if text == "type: 'suite'" {
            last = None;
        } else if text == "..." {
            if let Some((name, passed)) = last.take() {
                names.take(&name, passed);
            }
        } else if let Some(name) = text.strip_prefix("# Subtest: ") {
            above.retain(|(level, _)| *level < depth);
            above.push((depth, name));
        } else if let Some((name, passed)) = tap_line(text) {
            above.retain(|(level, _)| *level < depth);
            last = Some((joined(&above, name), passed));
        }
    }
    names
}

fn tap_line(text: &str) -> Option<(&str, bool)> {
    let (rest, passed) = match text.strip_prefix("not ok ") {
        Some(rest) => (rest, false),
        None => (text.strip_prefix("ok ")?, true),
    };
    let (number, name) = rest.split_once(" - ")?;
    number.parse::<u32>().ok()?;
    (!is_open(name)).then_some((name, passed))
}

/// A test that is skipped or to be written.
fn is_open(name: &str) -> bool {
    name.contains(" # SKIP") || name.contains(" # TODO")
}

/// What an entry with entries below it is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Parents {
    AreTests,
    /// Then it is left out, for a suite proves nothing.
    MayBeSuites,
}

/// `✔ name (1.2ms)` and `✖ name`, as node, mocha and jest print them for people.
fn ticked(output: &str, parents: Parents) -> TestNames {
    let mut names = TestNames::default();
    let mut above: Vec<(usize, &str)> = Vec::new();
    for line in output.lines() {
        let text = line.trim_start();
        let depth = line.len() - text.len();
        let Some((mark, rest)) = text.split_once(' ') else {
            continue;
        };
        let name = without_time(rest);
        let closes = above.contains(&(depth, name));
        above.retain(|(level, _)| *level < depth);
        let passed = match mark {
            "▶" => {
                above.push((depth, name));
                continue;
            }
            "✔" | "✓" => true,
            "✖" | "✕" | "×" => false,
            _ if is_numbered(mark) => false,
            _ => continue,
        };
        if is_open(rest) || closes && parents == Parents::MayBeSuites {
            continue;
        }
        names.take(&joined(&above, name), passed);
    }
    names
}

/// `1)`, which is how mocha marks a failure.
fn is_numbered(mark: &str) -> bool {
    let number = mark.strip_suffix(')');
    number.is_some_and(|number| number.parse::<u32>().is_ok())
}

/// Takes ` (1.2ms)`, ` (8 ms)` or ` 13ms` from the end.
fn without_time(text: &str) -> &str {
    let text = text.trim_end();
    let Some(rest) = text.trim_end_matches(')').strip_suffix("ms") else {
        return text;
    };
    let rest = rest.trim_end();
    let rest = rest.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    rest.strip_suffix('(').unwrap_or(rest).trim_end()
}

fn joined(above: &[(usize, &str)], name: &str) -> String {
    let above = above.iter().map(|(_, parent)| *parent);
    let parts: Vec<_> = above.chain([name]).collect();
    parts.join("::")
}

#[cfg(test)]
#[path = "names_tests.rs"]
mod tests;
