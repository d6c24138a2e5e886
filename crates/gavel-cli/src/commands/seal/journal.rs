//! `gavel seal verify --journal`: the seal beside the journal that this machine keeps of the run.

use anyhow::anyhow;
use gavel_build::SealCheck;
use gavel_product::{CompareError, JournalOutcome, JournalRow, compare_with_journal};
use gavel_store::Access;
use serde_json::{Value, json};

use super::card::plain;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::ui::Look;
use crate::which_run::Unnamed;

/// What a comparison came to.
pub(super) struct Compared {
    rows: Vec<JournalRow>,
}

impl Compared {
    fn differs(&self) -> bool {
        let differs = |row: &JournalRow| matches!(row.outcome, JournalOutcome::Differs(_));
        self.rows.iter().any(differs)
    }

    /// What differs makes a seal worth nothing here, whoever signed it.
    pub(super) fn exit(&self) -> Option<Exit> {
        self.differs().then_some(Exit::Gate)
    }

    pub(super) fn as_json(&self) -> Value {
        json!({ "same": !self.differs(), "parts": self.rows })
    }
}

/// Compares with the journal of the seal's run, or of the run that is named, and tells.
pub(super) async fn compare(
    context: &Context,
    check: &SealCheck,
    named: Option<&str>,
) -> Result<Compared, Failure> {
    let missing = || Failure::new(Exit::Gate, anyhow!("the seal cannot be read"));
    let statement = check.statement.as_ref().ok_or_else(missing)?;
    let store = context.store(Access::ReadOnly).await?;
    let run = match named {
        Some(named) => {
            let head = context.run(store.as_ref(), Some(named), Unnamed::Newest);
            head.await?.run
        }
        None => statement.predicate.run,
    };
    let first = check.earlier.last().map(|seal| &seal.journal);
    let first = first.unwrap_or(&statement.predicate.journal).seq;
    let rows = compare_with_journal(store.as_ref(), run, (statement, first)).await?;
    let compared = Compared { rows };
    context.ui.line("");
    context.ui.line(if compared.differs() {
        let line = format!("the journal of run {} says something else:", run.short());
        context.ui.look(&line, Look::Bad)
    } else {
        let line = format!("the journal of run {} says the same", run.short());
        context.ui.look(&line, Look::Good)
    });
    for row in &compared.rows {
        let (word, look) = match &row.outcome {
            JournalOutcome::Same => ("same".to_owned(), Look::Good),
            JournalOutcome::Reworded(why) => {
                (format!("same, reworded: {}", plain(why)), Look::Good)
            }
            JournalOutcome::Differs(why) => (format!("DIFFERS: {}", plain(why)), Look::Bad),
            JournalOutcome::NotKept(why) => (format!("not compared: {}", plain(why)), Look::Warn),
        };
        let word = context.ui.look(&word, look);
        context.ui.line(format!("  {:<10} {word}", row.part));
    }
    Ok(compared)
}

impl From<CompareError> for Failure {
    fn from(error: CompareError) -> Self {
        match error {
            CompareError::NoJournal(_) => Self::new(Exit::Failed, error)
                .hint("compare where it was run, or name another store with --state DIR"),
            CompareError::Unread(source) => source.into(),
        }
    }
}
