//! Size: how much work a prompt asks for.

use std::collections::BTreeSet;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::prompt::{Prompt, letters};
use super::{Circumstances, Task};

const SWEEP: [&str; 8] = [
    "all",
    "every",
    "comprehensive",
    "everything",
    "clean up",
    "entire",
    "the whole",
    "improve",
];
const REWORK: [&str; 3] = ["refactor", "migrate", "architecture"];
/// First words of a question; helping verbs that also begin a command (`do`, `can`) are left out.
const QUESTION_WORDS: [&str; 10] = [
    "what", "why", "how", "when", "where", "which", "who", "is", "are", "does",
];
const QUESTION_MARKS: [char; 4] = ['?', '？', '؟', '¿'];

const SMALL_UP_TO: HalfPoints = HalfPoints::whole(-1);
const MEDIUM_UP_TO: HalfPoints = HalfPoints::whole(3);

/// How much work a prompt asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Size {
    /// The bucket.
    pub label: SizeLabel,
    /// The sum.
    pub score: HalfPoints,
}

/// A bucket of size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SizeLabel {
    /// A few steps.
    Small,
    /// An ordinary piece of work.
    Medium,
    /// More than one sitting.
    Large,
}

impl SizeLabel {
    /// The stored word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Small => "small",
            Self::Medium => "medium",
            Self::Large => "large",
        }
    }
}

/// A score in half points: exact, and written as a number (`-2`, `3.5`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HalfPoints(i32);

impl HalfPoints {
    /// Whole points.
    pub const fn whole(points: i32) -> Self {
        Self(points.saturating_mul(2))
    }

    /// Half points.
    pub const fn halves(halves: i32) -> Self {
        Self(halves)
    }

    /// How many half points.
    pub const fn in_halves(self) -> i32 {
        self.0
    }
}

impl fmt::Display for HalfPoints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 % 2 == 0 {
            write!(f, "{}", self.0 / 2)
        } else {
            write!(f, "{}", f64::from(self.0) / 2.0)
        }
    }
}

impl Serialize for HalfPoints {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0 % 2 == 0 {
            serializer.serialize_i32(self.0 / 2)
        } else {
            serializer.serialize_f64(f64::from(self.0) / 2.0)
        }
    }
}

impl<'de> Deserialize<'de> for HalfPoints {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let points = f64::deserialize(deserializer)?;
        let halves = (points * 2.0).round();
        if !(f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(&halves) {
            return Err(serde::de::Error::custom("a score out of range"));
        }
        #[expect(clippy::cast_possible_truncation, reason = "checked above")]
        let halves = halves as i32;
        Ok(Self(halves))
    }
}

pub(super) fn score(prompt: &Prompt<'_>, circumstances: &Circumstances) -> Size {
    let length = match told_length(prompt, circumstances) {
        ..80 => -4,
        241.. => 4,
        _ => 0,
    };
    let sweeps = i32::try_from(prompt.count(&SWEEP)).unwrap_or(i32::MAX);
    let rework = 4 * i32::from(prompt.has(&REWORK));
    let files: BTreeSet<&String> = prompt.files().iter().collect();
    let paths = match files.len() {
        1 => -2,
        3.. => 4,
        _ => 0,
    };
    let question = -2 * i32::from(is_question(prompt));
    let everywhere = 8 * i32::from(sweeps > 0 && files.is_empty());
    let halves = [
        length,
        sweeps.saturating_mul(3),
        rework,
        paths,
        question,
        everywhere,
    ];
    let score = HalfPoints::halves(halves.into_iter().fold(0, i32::saturating_add));
    let label = if score <= SMALL_UP_TO {
        SizeLabel::Small
    } else if score <= MEDIUM_UP_TO {
        SizeLabel::Medium
    } else {
        SizeLabel::Large
    };
    Size { label, score }
}

/// The length; in a hunt for a fault, a line of a stack trace counts as one character.
fn told_length(prompt: &Prompt<'_>, circumstances: &Circumstances) -> usize {
    if circumstances.task != Some(Task::Debug) {
        return prompt.length();
    }
    let lines = prompt.text().lines();
    let length = |line: &str| if is_frame(line) { 1 } else { letters(line) };
    lines.map(length).sum()
}

/// True for `at f (file:1:2)`, `File "x.py", line 3` and `12: 0x… - name`.
fn is_frame(line: &str) -> bool {
    let line = line.trim_start();
    let numbered = line.split_once(':').is_some_and(|(number, rest)| {
        !number.is_empty()
            && number.bytes().all(|byte| byte.is_ascii_digit())
            && rest.starts_with(' ')
    });
    numbered || line.starts_with("at ") || line.starts_with("File \"")
}

fn is_question(prompt: &Prompt<'_>) -> bool {
    let asks = prompt
        .words()
        .next()
        .is_some_and(|word| QUESTION_WORDS.contains(&word));
    asks || prompt.text().ends_with(QUESTION_MARKS)
}
