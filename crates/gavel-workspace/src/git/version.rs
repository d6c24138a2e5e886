//! Which git this is.

use std::path::Path;

use super::call::{Call, Git, GitError, Plumbing};

/// The oldest git that knows every option in use.
const OLDEST: (u32, u32) = (2, 36);

/// A version of git.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitVersion {
    /// As it says itself, for example `2.47.3`.
    pub text: String,
    /// True when it is 2.36 or newer.
    pub is_supported: bool,
}

impl GitVersion {
    /// Asks a git program.
    pub async fn of(program: &Path) -> Result<Self, GitError> {
        let nowhere = Path::new("/");
        let git = Git::new(program, nowhere, nowhere, Path::new("/dev/null"));
        let answer = git.run(Call::new(Plumbing::Version)).await?;
        let line = answer.line()?;
        let text = line
            .strip_prefix("git version ")
            .ok_or_else(|| answer.garbled())?;
        let text = text.split(' ').next().unwrap_or_default().to_owned();
        let mut numbers = text
            .split('.')
            .map_while(|number| number.parse::<u32>().ok());
        let (Some(major), Some(minor)) = (numbers.next(), numbers.next()) else {
            return Err(answer.garbled());
        };
        Ok(Self {
            text,
            is_supported: (major, minor) >= OLDEST,
        })
    }
}
