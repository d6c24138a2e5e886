//! Transcripts: the form in which a criterion's example is written and a program's tests state it.
//!
//! `$` runs the program; `exit` is its exit code, 0 unless said; `has` and `lacks` are texts of
//! standard output, `error` of standard error; `file` is a line that the data file holds at first.

use std::fmt;
use std::str::FromStr;

/// Runs of the program one after another, starting from an empty data file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Transcript {
    /// A line that the data file holds at first.
    pub file: Option<String>,
    /// The runs; a transcript that was read has at least one.
    pub steps: Vec<Step>,
}

/// One start of the program, seen from outside.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Step {
    /// The words after the program's name.
    pub args: Vec<String>,
    /// The exit code.
    pub exit: u8,
    /// Texts in standard output.
    pub has: Vec<String>,
    /// Texts that are not in standard output.
    pub lacks: Vec<String>,
    /// Texts in standard error.
    pub error: Vec<String>,
}

/// Why a text is no transcript; each tells what to write instead.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TranscriptProblem {
    /// Nothing is run.
    #[error("no line starts with `$`: say what is run, as in `$ bookmark list`")]
    NothingRun,
    /// A line that says nothing about a run: its text.
    #[error("`{0}` is no line of a transcript: `$` and words, then exit, has, lacks or error")]
    Strange(String),
    /// A quote is opened and not closed: the line.
    #[error("`{0}` has an open quote: close it")]
    OpenQuote(String),
}

impl fmt::Display for Transcript {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            writeln!(f, "file {}", quoted(file))?;
        }
        for step in &self.steps {
            write_line(f, "$", &step.args)?;
            if step.exit != 0 {
                writeln!(f, "exit {}", step.exit)?;
            }
            let said = [&step.has, &step.lacks, &step.error];
            for (verb, texts) in ["has", "lacks", "error"].into_iter().zip(said) {
                if !texts.is_empty() {
                    write_line(f, verb, texts)?;
                }
            }
        }
        Ok(())
    }
}

impl FromStr for Transcript {
    type Err = TranscriptProblem;

    fn from_str(text: &str) -> Result<Self, TranscriptProblem> {
        let mut read = Self::default();
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let strange = || TranscriptProblem::Strange(line.to_owned());
            let (verb, rest) = line.split_once(' ').unwrap_or((line, ""));
            let words = split(rest).ok_or_else(|| TranscriptProblem::OpenQuote(line.to_owned()))?;
            match (verb, read.steps.last_mut()) {
                ("file", None) => read.file = Some(words.join(" ")),
                ("$", _) => read.steps.push(Step {
                    args: words,
                    ..Step::default()
                }),
                ("exit", Some(step)) => step.exit = rest.trim().parse().ok().ok_or_else(strange)?,
                (_, Some(_)) if words.is_empty() => return Err(strange()),
                ("has", Some(step)) => step.has.extend(words),
                ("lacks", Some(step)) => step.lacks.extend(words),
                ("error", Some(step)) => step.error.extend(words),
                _ => return Err(strange()),
            }
        }
        let run = !read.steps.is_empty();
        run.then_some(read).ok_or(TranscriptProblem::NothingRun)
    }
}

fn write_line(f: &mut fmt::Formatter<'_>, verb: &str, words: &[String]) -> fmt::Result {
    f.write_str(verb)?;
    words
        .iter()
        .try_for_each(|word| write!(f, " {}", quoted(word)))?;
    f.write_str("\n")
}

/// A word as a transcript writes it.
pub(crate) fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_.:/=+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    let mut out = word.replace('\\', "\\\\");
    for (plain, escaped) in [("\"", "\\\""), ("\n", "\\n"), ("\t", "\\t"), ("\r", "\\r")] {
        out = out.replace(plain, escaped);
    }
    format!("\"{out}\"")
}

/// Words, parted by blanks; inside of double quotes a backslash escapes. None if a quote is open.
fn split(text: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut inside = false;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '"' => {
                inside = !inside;
                word.get_or_insert_default();
            }
            ' ' if !inside => words.extend(word.take()),
            '\\' if inside => word.get_or_insert_default().push(match chars.next() {
                Some('n') => '\n',
                Some('t') => '\t',
                Some('r') => '\r',
                other => other?,
            }),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    (!inside).then_some(words)
}

#[cfg(test)]
#[path = "transcript_tests.rs"]
mod tests;
