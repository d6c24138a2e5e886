//! Memory and the store together: which project a line belongs to, and handing over what was written.

use std::path::Path;

use gavel_domain::ProjectId;
use gavel_store::{ReadError, Store};

use crate::written::Written;

/// What a project is called in the store: its id, else the folder of its checkout.
pub fn project_key(project: Option<ProjectId>, checkout: &Path) -> String {
    match project {
        Some(project) => project.to_string(),
        None => {
            let real = checkout.canonicalize();
            let real = real.unwrap_or_else(|_gone| checkout.to_owned());
            real.to_string_lossy().into_owned()
        }
    }
}

/// Hands over to the store what it shall hold, and tells it what it may drop. What lies in the
/// repository was written before, so nothing is lost in between.
pub async fn keep_written(
    store: &dyn Store,
    project: &str,
    written: Written,
) -> Result<(), ReadError> {
    if !written.held.is_empty() {
        store.keep_memory_lines(project, written.held).await?;
    }
    if !written.settled.is_empty() {
        store.drop_memory_lines(project, written.settled).await?;
    }
    Ok(())
}

#[cfg(test)]
#[path = "keep_tests.rs"]
mod tests;
