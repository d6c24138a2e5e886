//! Names of artifacts: they tell their loop, so that one of another loop is never taken for ours.

use gavel_domain::RunId;

/// A text that names no artifact of a loop.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ArtifactNameError {
    /// It has another form.
    #[error("`{0}` is no artifact id, such as art_9a8057cc_3")]
    Form(String),
    /// It is of another loop.
    #[error("`{0}` is an artifact of another loop")]
    OtherLoop(String),
}

/// The id of an artifact: `art_`, the end of its loop's id, its number.
pub fn artifact_name(run: RunId, number: u32) -> String {
    format!("art_{}_{number}", run.short())
}

/// Reads the number of an artifact of this loop.
pub fn read_artifact(run: RunId, name: &str) -> Result<u32, ArtifactNameError> {
    let shown = || name.chars().take(80).collect::<String>();
    let parts = name
        .strip_prefix("art_")
        .and_then(|rest| rest.rsplit_once('_'));
    let Some((of, number)) = parts else {
        return Err(ArtifactNameError::Form(shown()));
    };
    let Ok(number) = number.parse() else {
        return Err(ArtifactNameError::Form(shown()));
    };
    if of != run.short() {
        return Err(ArtifactNameError::OtherLoop(shown()));
    }
    Ok(number)
}
