//! Gray areas: what a prompt does not say and an answer would settle.

use serde::{Deserialize, Serialize};

use super::prompt::Prompt;

/// More questions than this are not asked.
const MOST: usize = 4;

const NARROWING: [&str; 2] = ["this file", "only"];
const SOURCE_FOLDERS: [&str; 3] = ["src", "lib", "app"];
const TARGETS: [&str; 6] = [
    "repo",
    "repository",
    "project",
    "service",
    "component",
    "module",
];
const FORMATS: [&str; 16] = [
    "json", "jsonl", "md", "markdown", "yaml", "yml", "toml", "csv", "xml", "html", "pdf", "ts",
    "tsx", "js", "py", "rs",
];
const CONVENTIONS: [&str; 7] = [
    "eslint",
    "prettier",
    "rustfmt",
    "clippy",
    "style guide",
    "naming",
    "convention",
];
const DEPTHS: [&str; 8] = [
    "deep",
    "high-level",
    "in-depth",
    "detailed",
    "brief",
    "thorough",
    "overview",
    "summary",
];
const READERS: [&str; 16] = [
    "dev",
    "devs",
    "developer",
    "developers",
    "user",
    "users",
    "customer",
    "customers",
    "client",
    "clients",
    "admin",
    "admins",
    "beginners",
    "teams",
    "students",
    "everyone",
];
const BEFORE_READERS: [&str; 7] = ["the", "our", "my", "all", "end", "new", "other"];

/// A dimension that a prompt leaves open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GrayArea {
    /// How far the change reaches.
    Scope,
    /// What it is about.
    Target,
    /// In which form the result comes.
    Format,
    /// Which rules of the house it follows.
    Convention,
    /// How thorough it is.
    Depth,
    /// For whom it is.
    Audience,
}

impl GrayArea {
    const IN_ORDER: [Self; 6] = [
        Self::Scope,
        Self::Target,
        Self::Format,
        Self::Convention,
        Self::Depth,
        Self::Audience,
    ];

    /// The stored word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Scope => "scope",
            Self::Target => "target",
            Self::Format => "format",
            Self::Convention => "convention",
            Self::Depth => "depth",
            Self::Audience => "audience",
        }
    }

    /// What to ask.
    pub const fn question(self) -> &'static str {
        match self {
            Self::Scope => "How far may the change reach?",
            Self::Target => "Which part is it about?",
            Self::Format => "In which form should the result come?",
            Self::Convention => "Which conventions should it follow?",
            Self::Depth => "How thorough should it be?",
            Self::Audience => "For whom is it?",
        }
    }

    /// Three answers, the recommended one first.
    pub const fn options(self) -> [&'static str; 3] {
        match self {
            Self::Scope => [
                "only what the task needs",
                "one file or folder",
                "the whole project",
            ],
            Self::Target => ["the whole project", "one component", "something new"],
            Self::Format => ["source code", "a document", "data (JSON, CSV)"],
            Self::Convention => [
                "those that the project has",
                "the language's usual ones",
                "own rules",
            ],
            Self::Depth => [
                "as needed to work",
                "a quick sketch",
                "complete and polished",
            ],
            Self::Audience => ["myself", "developers", "end users"],
        }
    }

    fn is_settled(self, prompt: &Prompt<'_>) -> bool {
        match self {
            Self::Scope => prompt.has(&NARROWING) || names_a_folder(prompt),
            Self::Target => prompt.has(&TARGETS),
            Self::Format => prompt.has(&FORMATS),
            Self::Convention => prompt.has(&CONVENTIONS),
            Self::Depth => prompt.has(&DEPTHS),
            Self::Audience => names_readers(prompt),
        }
    }
}

pub(super) fn open(prompt: &Prompt<'_>) -> Vec<GrayArea> {
    let open = GrayArea::IN_ORDER
        .into_iter()
        .filter(|area| !area.is_settled(prompt));
    open.take(MOST).collect()
}

/// `in src/`, `in lib/`, `in app/`.
fn names_a_folder(prompt: &Prompt<'_>) -> bool {
    let mut places = prompt.words().enumerate();
    places.any(|(at, word)| {
        let folder = prompt.word(at + 1).unwrap_or_default();
        word == "in"
            && SOURCE_FOLDERS.contains(&folder)
            && prompt.before(at + 1).trim().is_empty()
            && prompt.before(at + 2).starts_with('/')
    })
}

/// `for developers`, `for our users`.
fn names_readers(prompt: &Prompt<'_>) -> bool {
    let mut places = prompt.words().enumerate();
    places.any(|(at, word)| {
        if word != "for" {
            return false;
        }
        let mut next = (at + 1..).map_while(|at| prompt.word(at));
        let reader = next.find(|word| !BEFORE_READERS.contains(word));
        reader.is_some_and(|reader| READERS.contains(&reader))
    })
}
