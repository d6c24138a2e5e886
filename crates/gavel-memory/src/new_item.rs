//! What is to be remembered, checked before it is written.

use gavel_workspace::{RepoPath, Scrubber, ScrubberError, SecretKind};

use crate::event::Fields;
use crate::id::Kind;
use crate::item::{Acceptance, Provenance, Severity, Visibility};
use crate::write::WriteError;

/// An item says one thing; whoever needs more has a document.
pub const MAX_TEXT_BYTES: usize = 16 << 10;
/// More tags do not help to find it.
pub const MAX_TAGS: usize = 20;

const MAX_TAG_CHARS: usize = 64;

/// Something to remember. What is written to a file is shared and accepted: proposals, private
/// items and those of one machine do not belong into a repository.
#[derive(Debug, Clone, PartialEq)]
pub struct NewItem {
    /// What it is.
    pub kind: Kind,
    /// What it says.
    pub text: String,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// Files and folders that it is about.
    pub paths: Vec<RepoPath>,
    /// How bad it is: traps alone have it, and are `medium` unless said otherwise.
    pub severity: Option<Severity>,
    /// Where it comes from.
    pub provenance: Provenance,
}

/// Why an item was not written.
#[derive(Debug, thiserror::Error)]
pub enum AddError {
    /// There is no text.
    #[error("there is nothing to remember: give a text")]
    Empty,
    /// The text is a document.
    #[error("the text has {bytes} bytes: at most {MAX_TEXT_BYTES}, say one thing per item")]
    TooLong {
        /// How many.
        bytes: usize,
    },
    /// A tag is empty, long, or more than one word.
    #[error("`{tag}` is no tag: one word of at most {MAX_TAG_CHARS} characters")]
    Tag {
        /// The tag.
        tag: String,
    },
    /// Too many tags.
    #[error("{count} tags are too many: at most {MAX_TAGS}")]
    TooManyTags {
        /// How many.
        count: usize,
    },
    /// Only a trap is bad.
    #[error("a {kind} has no severity: only a trap has")]
    NoSeverity {
        /// What it is.
        kind: Kind,
    },
    /// It holds a secret, and would lie in the repository for ever.
    #[error("the item holds a {kind}, at `{masked}`: leave it out")]
    Secret {
        /// Which sort.
        kind: SecretKind,
        /// The place, with the secret taken out.
        masked: String,
    },
    /// The scanner for secrets is broken.
    #[error("nothing is written without a look for secrets")]
    Scanner(#[from] ScrubberError),
    /// The file could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

impl NewItem {
    /// An item with a text and nothing else.
    pub fn new(kind: Kind, text: impl Into<String>, provenance: Provenance) -> Self {
        Self {
            kind,
            text: text.into(),
            tags: Vec::new(),
            paths: Vec::new(),
            severity: None,
            provenance,
        }
    }

    /// Checks everything and gives the fields as they are stored.
    pub(crate) fn check(self, scrubber: &Scrubber) -> Result<Fields, AddError> {
        let text = self.text.trim().to_owned();
        if text.is_empty() {
            return Err(AddError::Empty);
        }
        if text.len() > MAX_TEXT_BYTES {
            return Err(AddError::TooLong { bytes: text.len() });
        }
        if self.severity.is_some() && self.kind != Kind::Trap {
            return Err(AddError::NoSeverity { kind: self.kind });
        }
        let tags = check_tags(self.tags)?;
        let severity = match self.kind {
            Kind::Trap => Some(self.severity.unwrap_or(Severity::Medium)),
            Kind::Decision
            | Kind::Constraint
            | Kind::Plan
            | Kind::Feedback
            | Kind::RuntimeNote
            | Kind::Handoff
            | Kind::Vision => None,
        };
        let fields = Fields {
            text: Some(text),
            tags: Some(tags),
            paths: Some(self.paths),
            severity,
            acceptance: Some(Acceptance::Accepted),
            visibility: Some(Visibility::Shared),
            provenance: Some(self.provenance),
        };
        match fields.secret(scrubber) {
            None => Ok(fields),
            Some((kind, masked)) => Err(AddError::Secret {
                kind,
                masked: around_the_secret(&masked),
            }),
        }
    }
}

/// Tags in lower case, each once, in the order given.
fn check_tags(tags: Vec<String>) -> Result<Vec<String>, AddError> {
    if tags.len() > MAX_TAGS {
        return Err(AddError::TooManyTags { count: tags.len() });
    }
    let mut checked: Vec<String> = Vec::new();
    for tag in tags {
        let plain = tag.trim().to_lowercase();
        let odd = |c: char| c.is_whitespace() || c.is_control() || c == ',';
        if plain.is_empty() || plain.contains(odd) || plain.chars().count() > MAX_TAG_CHARS {
            return Err(AddError::Tag {
                tag: tag.chars().take(MAX_TAG_CHARS).collect(),
            });
        }
        if !checked.contains(&plain) {
            checked.push(plain);
        }
    }
    Ok(checked)
}

/// The first masked place with a few words on both sides.
fn around_the_secret(masked: &str) -> String {
    const AROUND: usize = 30;
    let place = masked.find("[secret:").unwrap_or_default();
    let (before, after) = masked.split_at_checked(place).unwrap_or_default();
    let skipped = before.chars().count().saturating_sub(AROUND);
    let end = after.find(']').map_or(0, |end| end + 1);
    let (secret, rest) = after.split_at_checked(end).unwrap_or_default();
    let before = before.chars().skip(skipped);
    let shown: String = before
        .chain(secret.chars())
        .chain(rest.chars().take(AROUND))
        .collect();
    shown.escape_debug().to_string()
}
