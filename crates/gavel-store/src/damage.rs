//! Damage of one run, which stops nothing that is done about others.

use std::collections::BTreeSet;
use std::error::Error;
use std::fmt::Display;
use std::sync::{Mutex, PoisonError};

use gavel_domain::RunId;

use crate::ReadError;

/// True when damage in the store is behind an error.
pub fn is_damage(error: &(dyn Error + 'static)) -> bool {
    std::iter::successors(Some(error), |error| (*error).source()).any(|error| {
        let boxed = error.downcast_ref::<Box<ReadError>>();
        let found = error.downcast_ref().or(boxed.map(AsRef::as_ref));
        found.is_some_and(ReadError::is_damage)
    })
}

/// True when a disk without room is behind an error, as far as SQLite tells.
pub fn is_full(error: &(dyn Error + 'static)) -> bool {
    std::iter::successors(Some(error), |error| (*error).source()).any(|error| {
        let sql = error.downcast_ref::<sqlx::Error>();
        sql.is_some_and(crate::sqlite::fault::is_full)
    })
}

/// Says that a run is left out since it is damaged; once for each run, however often it is met.
pub fn tell_left_out(run: RunId, problem: &dyn Display) {
    static TOLD: Mutex<BTreeSet<RunId>> = Mutex::new(BTreeSet::new());
    let mut told = TOLD.lock().unwrap_or_else(PoisonError::into_inner);
    if told.insert(run) {
        tracing::warn!("{problem}; run {run} is left out: gavel doctor tells more");
    }
}

/// What was read of another's run; nothing when it is damaged, which is said.
pub fn unless_damaged<T, E: Error + 'static>(
    run: RunId,
    read: Result<T, E>,
) -> Result<Option<T>, E> {
    match read {
        Ok(read) => Ok(Some(read)),
        Err(error) if is_damage(&error) => {
            tell_left_out(run, &error);
            Ok(None)
        }
        Err(error) => Err(error),
    }
}
