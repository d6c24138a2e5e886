//! What is to be remembered, checked before it is written.

use gavel_domain::Timestamp;
use gavel_rules::memory::{Status, StatusProblem, check_status};
use gavel_workspace::{RepoPath, Scrubber, ScrubberError, SecretKind};

use crate::event::Fields;
use crate::id::Kind;
use crate::item::{Acceptance, Expiry, Provenance, Severity, Visibility};
use crate::write::WriteError;

/// An item says one thing; whoever needs more has a document.
pub const MAX_TEXT_BYTES: usize = 16 << 10;
/// More tags do not help to find it.
pub const MAX_TAGS: usize = 20;

/// A title is one line that people read in a list.
pub const MAX_TITLE_CHARS: usize = 120;

const MAX_TAG_CHARS: usize = 64;

/// Something to remember. What is shared and accepted goes into a file of the repository; proposals,
/// private items and those of one machine are kept by the store.
#[derive(Debug, Clone, PartialEq)]
pub struct NewItem {
    /// What it is.
    pub kind: Kind,
    /// What people call it; without one, the beginning of the text serves.
    pub title: Option<String>,
    /// What it says.
    pub text: String,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// Files and folders that it is about.
    pub paths: Vec<RepoPath>,
    /// How bad it is: traps alone have it, and are `medium` unless said otherwise.
    pub severity: Option<Severity>,
    /// Where it is on its way; the first status of its kind unless said otherwise.
    pub status: Option<Status>,
    /// When its time is over.
    pub expires_at: Option<Timestamp>,
    /// Whether somebody vouches for it. What a model wrote is proposed.
    pub acceptance: Acceptance,
    /// Who may see it.
    pub visibility: Visibility,
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
    /// A title is empty, long, or more than one line.
    #[error("a title is one line of at most {MAX_TITLE_CHARS} characters")]
    Title,
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
    /// It cannot have that status.
    #[error("the {kind} cannot be written: {problem}")]
    Status {
        /// What it is.
        kind: Kind,
        /// Why.
        problem: StatusProblem,
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
            title: None,
            text: text.into(),
            tags: Vec::new(),
            paths: Vec::new(),
            severity: None,
            status: None,
            expires_at: None,
            acceptance: Acceptance::Accepted,
            visibility: Visibility::Shared,
            provenance,
        }
    }

    /// The same, for somebody to decide about.
    pub fn proposed(self) -> Self {
        Self {
            acceptance: Acceptance::Proposed,
            ..self
        }
    }

    /// Checks everything and gives the fields as they are stored.
    pub(crate) fn check(self, scrubber: &Scrubber) -> Result<Fields, AddError> {
        if let Some(to) = self.status {
            let kind = self.kind;
            check_status(kind.course(), None, to)
                .map_err(|problem| AddError::Status { kind, problem })?;
        }
        let severity = match self.kind {
            Kind::Trap => Some(self.severity.unwrap_or(Severity::Medium)),
            Kind::Decision
            | Kind::Constraint
            | Kind::Plan
            | Kind::Feedback
            | Kind::RuntimeNote
            | Kind::Handoff
            | Kind::Vision => self.severity,
        };
        let fields = Fields {
            title: self.title,
            text: Some(self.text),
            tags: Some(self.tags),
            paths: Some(self.paths),
            severity,
            status: self.status,
            expires_at: self.expires_at.map(Expiry::At),
            superseded_by: None,
            acceptance: Some(self.acceptance),
            visibility: Some(self.visibility),
            provenance: Some(self.provenance),
        };
        fields.check(self.kind, scrubber)
    }
}

impl Fields {
    /// Checks what people give and brings it into its stored form.
    pub(crate) fn check(mut self, kind: Kind, scrubber: &Scrubber) -> Result<Self, AddError> {
        if let Some(text) = &mut self.text {
            *text = text.trim().to_owned();
            if text.is_empty() {
                return Err(AddError::Empty);
            }
            if text.len() > MAX_TEXT_BYTES {
                return Err(AddError::TooLong { bytes: text.len() });
            }
        }
        if let Some(title) = &mut self.title {
            *title = title.trim().to_owned();
            let long = title.chars().count() > MAX_TITLE_CHARS;
            if title.is_empty() || long || title.contains(char::is_control) {
                return Err(AddError::Title);
            }
        }
        if self.severity.is_some() && kind != Kind::Trap {
            return Err(AddError::NoSeverity { kind });
        }
        self.tags = self.tags.map(check_tags).transpose()?;
        match self.secret(scrubber) {
            None => Ok(self),
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
