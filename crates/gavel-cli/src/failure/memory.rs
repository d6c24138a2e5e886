//! Failures of project memory.

use gavel_memory::{
    AddError, ChangeError, CompactError, FindError, HoldError, ImportError, OpenError, RedactError,
    ShelfError, WriteError,
};

use super::Failure;
use crate::exit::Exit;

impl From<OpenError> for Failure {
    fn from(error: OpenError) -> Self {
        let exit = match error {
            OpenError::Folder(_) => Exit::Failed,
            OpenError::Scanner(_) => Exit::Bug,
        };
        Self::new(exit, error)
    }
}

impl From<AddError> for Failure {
    fn from(error: AddError) -> Self {
        let exit = match error {
            AddError::Write(error) => return error.into(),
            AddError::Secret { .. } => Exit::Refused,
            AddError::Scanner(_) => Exit::Bug,
            AddError::Empty
            | AddError::TooLong { .. }
            | AddError::Title
            | AddError::Status { .. }
            | AddError::Tag { .. }
            | AddError::TooManyTags { .. }
            | AddError::NoSeverity { .. } => Exit::Usage,
        };
        Self::new(exit, error)
    }
}

impl From<WriteError> for Failure {
    fn from(error: WriteError) -> Self {
        let exit = match error {
            WriteError::Exists { .. } | WriteError::Form(_) => Exit::Bug,
            WriteError::NotAFolder { .. } => Exit::Refused,
            WriteError::Io { .. } | WriteError::TooLarge { .. } => Exit::Failed,
        };
        Self::new(exit, error)
    }
}

impl From<FindError> for Failure {
    fn from(error: FindError) -> Self {
        Self::new(Exit::Usage, error).hint("gavel memory list --all shows every item")
    }
}

impl From<ChangeError> for Failure {
    fn from(error: ChangeError) -> Self {
        let exit = match error {
            ChangeError::Write(error) => return error.into(),
            ChangeError::Unfit(error) => return error.into(),
            ChangeError::Decided { .. } => Exit::Conflict,
            ChangeError::NoItem { .. }
            | ChangeError::Over { .. }
            | ChangeError::Nothing
            | ChangeError::Status { .. }
            | ChangeError::Circle { .. } => Exit::Usage,
        };
        Self::new(exit, error)
    }
}

impl From<RedactError> for Failure {
    fn from(error: RedactError) -> Self {
        match error {
            RedactError::Write(error) => error.into(),
            RedactError::NoItem { .. } => Self::new(Exit::Usage, error)
                .hint("gavel memory audit names items whose lines hold a secret"),
            RedactError::Held(HoldError::Busy { .. }) => Self::new(Exit::Conflict, error),
            RedactError::Held(HoldError::Io { .. })
            | RedactError::Unread(_)
            | RedactError::Io { .. } => Self::new(Exit::Failed, error),
        }
    }
}

impl From<CompactError> for Failure {
    fn from(error: CompactError) -> Self {
        let exit = match error {
            CompactError::Held(HoldError::Busy { .. }) => Exit::Conflict,
            CompactError::Held(HoldError::Io { .. })
            | CompactError::Unread(_)
            | CompactError::Io { .. } => Exit::Failed,
            CompactError::Differs { .. } => Exit::Bug,
        };
        Self::new(exit, error)
    }
}

impl From<ImportError> for Failure {
    fn from(error: ImportError) -> Self {
        match error {
            ImportError::Write(error) => error.into(),
            ImportError::Line {
                trouble: gavel_memory::Trouble::Secret { .. },
                ..
            } => Self::new(Exit::Refused, error),
            ImportError::Line { .. } => Self::new(Exit::Usage, error),
        }
    }
}

impl From<ShelfError> for Failure {
    fn from(error: ShelfError) -> Self {
        let exit = match error {
            ShelfError::Scanner(_) | ShelfError::Form(_) => Exit::Bug,
            ShelfError::Restless { .. } => Exit::Conflict,
            ShelfError::Folder(_) | ShelfError::Index(_) | ShelfError::CutShort(_) => Exit::Failed,
        };
        Self::new(exit, error)
    }
}
