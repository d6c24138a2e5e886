//! Looking for damage, for `gavel doctor` and for tests. Nothing is changed.

use std::collections::BTreeMap;
use std::time::Duration;

use gavel_domain::{Digest, Head, MicroUsd, Month, RunId, Seq};
use sqlx::sqlite::SqliteRow;
use sqlx::{Row, SqliteConnection};
use tokio::time::Instant;

use super::SqliteStore;
use super::form::{FormError, column, number, parsed, word};
use super::inbox::inbox_row;
use super::ledger::{call_row, totals_row};
use super::read::{blob, head_row, records};
use crate::{CallRow, CallState, ReadError, Totals};

const PAGE: u32 = 500;

/// Something in the file that is not what it should be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Damage {
    /// SQLite itself finds the file wrong.
    #[error("the file is damaged: {problem}")]
    File {
        /// In SQLite's words.
        problem: String,
    },
    /// A record is missing, unreadable or does not follow from the one before it. What comes after
    /// it in this run was not looked at.
    #[error("run {run} is damaged at record {seq}: {problem}")]
    Record {
        /// The run.
        run: RunId,
        /// Where.
        seq: Seq,
        /// What.
        problem: String,
    },
    /// The head is not what the records add up to.
    #[error("the head of run {run} differs from its {seq} records")]
    Head {
        /// The run.
        run: RunId,
        /// How many records it claims.
        seq: Seq,
    },
    /// The head cannot be read.
    #[error("the head of run {run} cannot be read: {problem}")]
    UnreadableHead {
        /// The run.
        run: RunId,
        /// What.
        problem: String,
    },
    /// The ledger's rows of a run do not add up to what its journal says.
    #[error("the ledger of run {run} says {ledger}, its journal {journal}")]
    Spend {
        /// The run.
        run: RunId,
        /// Settled, unconfirmed and reserved money by the ledger.
        ledger: MicroUsd,
        /// The same by the journal.
        journal: MicroUsd,
    },
    /// Totals are not the sum of their rows.
    #[error("the totals of {name} are not the sum of its calls")]
    Totals {
        /// A run's id or a month.
        name: String,
        /// What is stored.
        stored: Totals,
        /// What the rows add up to.
        summed: Totals,
    },
    /// A blob's content does not match its name.
    #[error("the blob {digest} is damaged{}", of_runs(runs))]
    Blob {
        /// Which.
        digest: Digest,
        /// The runs that brought it.
        runs: Vec<RunId>,
    },
    /// A row of another table cannot be read.
    #[error("{place} cannot be read")]
    Row {
        /// Where.
        place: String,
    },
}

impl Damage {
    /// The runs that it is part of; none where it is of the file as a whole.
    pub fn runs(&self) -> Vec<RunId> {
        match self {
            Self::Record { run, .. } | Self::Head { run, .. } => vec![*run],
            Self::UnreadableHead { run, .. } => vec![*run],
            Self::Blob { runs, .. } => runs.clone(),
            Self::File { .. } | Self::Spend { .. } | Self::Totals { .. } | Self::Row { .. } => {
                Vec::new()
            }
        }
    }
}

fn of_runs(runs: &[RunId]) -> String {
    let names: Vec<_> = runs.iter().map(|run| format!("run {run}")).collect();
    match names.as_slice() {
        [] => String::new(),
        names => format!(", a text of {}", names.join(" and ")),
    }
}

/// What a check found, and how much it looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked {
    /// What is not what it should be.
    pub damage: Vec<Damage>,
    /// How many runs there are.
    pub runs: usize,
    /// The journals of how many were looked at, the newest first.
    pub looked_at: usize,
    /// True when the time was over before everything was looked at.
    pub cut: bool,
}

/// What belongs to one moment: a driver may write while we look.
struct Snapshot {
    heads: Vec<SqliteRow>,
    calls: Vec<SqliteRow>,
    totals: Vec<SqliteRow>,
    inbox: Vec<SqliteRow>,
    blobs: Vec<SqliteRow>,
}

/// Looks at everything, or at as much as fits into a time: the newest runs first.
pub(super) async fn check(
    store: &SqliteStore,
    time: Option<Duration>,
) -> Result<Checked, ReadError> {
    let end = time.and_then(|time| Instant::now().checked_add(time));
    let over = || end.is_some_and(|end| Instant::now() >= end);
    let mut checked = Checked {
        damage: Vec::new(),
        runs: 0,
        looked_at: 0,
        cut: false,
    };
    let Some(mut read) = store.read().await? else {
        return Ok(checked);
    };
    let outcome = pages(read.conn(), &mut checked.damage).await;
    let outcome = match outcome {
        Ok(()) => snapshot(read.conn()).await,
        Err(error) => Err(error),
    };
    let snapshot = match read.end(outcome).await {
        Ok(snapshot) => snapshot,
        // The pages are so wrong that no table can be read as a whole.
        Err(ReadError::Damaged { place: problem }) => {
            checked.damage.push(Damage::File { problem });
            return Ok(checked);
        }
        Err(error) => {
            checked.damage = told(error, checked.damage)?;
            return Ok(checked);
        }
    };
    let heads = heads(&snapshot, &mut checked.damage)?;
    checked.runs = snapshot.heads.len();
    money(&snapshot, &heads, &mut checked.damage);
    for row in &snapshot.inbox {
        if let Err(error) = inbox_row(row) {
            checked.damage.push(unreadable("the inbox", row, &error));
        }
    }
    for head in heads {
        if over() {
            checked.cut = true;
            return Ok(checked);
        }
        checked.damage = journal(store, head, checked.damage).await?;
        checked.looked_at += 1;
    }
    for row in &snapshot.blobs {
        if over() {
            checked.cut = true;
            break;
        }
        if let Some(damage) = blob_row(store, row).await? {
            checked.damage.push(damage);
        }
    }
    Ok(checked)
}

/// The heads that can be read.
fn heads(snapshot: &Snapshot, damage: &mut Vec<Damage>) -> Result<Vec<Head>, ReadError> {
    let mut heads = Vec::new();
    for row in &snapshot.heads {
        match (head_row(row), parsed(row, "run")) {
            (Ok(head), _) => heads.push(head),
            (Err(error), Ok(run)) if error.is_damage() => damage.push(Damage::UnreadableHead {
                run,
                problem: error.to_string(),
            }),
            (Err(error), _) => *damage = told(error, std::mem::take(damage))?,
        }
    }
    Ok(heads)
}

async fn blob_row(store: &SqliteStore, row: &SqliteRow) -> Result<Option<Damage>, ReadError> {
    let digest = match parsed(row, "digest") {
        Ok(digest) => digest,
        Err(error) => return Ok(Some(unreadable("the table of blobs", row, &error))),
    };
    match blob(store, digest).await {
        Ok(_) => Ok(None),
        Err(ReadError::DamagedBlob { digest }) => {
            let runs = users(store, digest).await?;
            Ok(Some(Damage::Blob { digest, runs }))
        }
        Err(error) => Ok(told(error, Vec::new())?.pop()),
    }
}

/// The runs that brought a blob.
async fn users(store: &SqliteStore, digest: Digest) -> Result<Vec<RunId>, ReadError> {
    let Some(mut read) = store.read().await? else {
        return Ok(Vec::new());
    };
    let names = sqlx::query_scalar("SELECT run FROM blob_uses WHERE digest = ? ORDER BY run")
        .bind(digest.to_string())
        .fetch_all(read.conn())
        .await;
    let names: Vec<String> = read.end(names).await?;
    Ok(names.iter().filter_map(|name| name.parse().ok()).collect())
}

/// Asks SQLite about its pages, indexes and references.
async fn pages(conn: &mut SqliteConnection, damage: &mut Vec<Damage>) -> Result<(), sqlx::Error> {
    let found: Vec<String> = sqlx::query_scalar("PRAGMA quick_check")
        .fetch_all(&mut *conn)
        .await?;
    let problems = found.into_iter().filter(|line| line != "ok");
    damage.extend(problems.map(|problem| Damage::File { problem }));
    let dangling = sqlx::query("PRAGMA foreign_key_check")
        .fetch_all(&mut *conn)
        .await?;
    for row in dangling {
        let (table, parent): (String, String) = (row.try_get(0)?, row.try_get(2)?);
        let problem = format!("a row of {table} names one of {parent} that is not there");
        damage.push(Damage::File { problem });
    }
    Ok(())
}

async fn snapshot(conn: &mut SqliteConnection) -> Result<Snapshot, sqlx::Error> {
    sqlx::query("BEGIN").execute(&mut *conn).await?;
    let snapshot = Snapshot {
        heads: sqlx::query("SELECT run, seq, head FROM heads ORDER BY updated_us DESC, run DESC")
            .fetch_all(&mut *conn)
            .await?,
        calls: sqlx::query("SELECT * FROM ledger ORDER BY n")
            .fetch_all(&mut *conn)
            .await?,
        totals: sqlx::query("SELECT * FROM totals ORDER BY scope, name")
            .fetch_all(&mut *conn)
            .await?,
        inbox: sqlx::query("SELECT * FROM inbox ORDER BY n")
            .fetch_all(&mut *conn)
            .await?,
        blobs: sqlx::query("SELECT rowid AS n, digest FROM blobs ORDER BY rowid")
            .fetch_all(&mut *conn)
            .await?,
    };
    sqlx::query("COMMIT").execute(&mut *conn).await?;
    Ok(snapshot)
}

/// Folds a journal again and compares it with its head.
pub(super) async fn journal(
    store: &SqliteStore,
    head: Head,
    mut damage: Vec<Damage>,
) -> Result<Vec<Damage>, ReadError> {
    let run = head.run;
    let mut fold = Head::new(run, head.started_at);
    while fold.seq < head.seq {
        let left = head.seq.0.saturating_sub(fold.seq.0);
        let limit = u32::try_from(left).unwrap_or(PAGE).min(PAGE);
        let page = match records(store, run, fold.seq, limit).await {
            Ok(page) => page,
            Err(error) => return told(error, damage),
        };
        let missing = page.is_empty();
        for record in page {
            let problem = if record.prev == fold.chain {
                fold.apply(&record).err().map(|error| error.to_string())
            } else {
                Some("it does not follow from the record before it".to_owned())
            };
            if let Some(problem) = problem {
                let seq = record.seq;
                damage.push(Damage::Record { run, seq, problem });
                return Ok(damage);
            }
        }
        if missing {
            let (seq, problem) = (fold.seq.next(), "it is missing".to_owned());
            damage.push(Damage::Record { run, seq, problem });
            return Ok(damage);
        }
    }
    if fold != head {
        let seq = head.seq;
        damage.push(Damage::Head { run, seq });
    }
    Ok(damage)
}

/// Adds the ledger up and compares it with the stored totals and with the heads.
fn money(snapshot: &Snapshot, heads: &[Head], damage: &mut Vec<Damage>) {
    let mut runs: BTreeMap<RunId, Totals> = BTreeMap::new();
    let mut months: BTreeMap<Month, Totals> = BTreeMap::new();
    for row in &snapshot.calls {
        match call_row(row) {
            Ok(call) => {
                add(runs.entry(call.call.run).or_default(), &call);
                add(months.entry(call.month.clone()).or_default(), &call);
            }
            Err(error) => damage.push(unreadable("the ledger", row, &error)),
        }
    }
    for head in heads {
        let reserved: MicroUsd = head.reserved.values().copied().sum();
        let ledger = runs.get(&head.run).copied().unwrap_or_default();
        let by_journal = (head.settled, head.unconfirmed, reserved);
        if by_journal != (ledger.settled, ledger.unconfirmed, ledger.reserved) {
            damage.push(Damage::Spend {
                run: head.run,
                ledger: ledger.money(),
                journal: head.spent() + reserved,
            });
        }
    }
    let mut summed: BTreeMap<(String, String), Totals> = BTreeMap::new();
    summed.extend(
        runs.into_iter()
            .map(|(run, totals)| (("run".to_owned(), run.to_string()), totals)),
    );
    summed.extend(
        months
            .into_iter()
            .map(|(month, totals)| (("month".to_owned(), month.as_str().to_owned()), totals)),
    );
    for row in &snapshot.totals {
        match totals_of(row) {
            Ok((scope, name, stored)) => {
                let key = (scope, name);
                let summed = summed.remove(&key).unwrap_or_default();
                compare(key.1, stored, summed, damage);
            }
            Err(error) => damage.push(unreadable("the totals", row, &error)),
        }
    }
    for ((_, name), summed) in summed {
        compare(name, Totals::default(), summed, damage);
    }
}

fn compare(name: String, stored: Totals, summed: Totals, damage: &mut Vec<Damage>) {
    if stored != summed {
        damage.push(Damage::Totals {
            name,
            stored,
            summed,
        });
    }
}

fn totals_of(row: &SqliteRow) -> Result<(String, String, Totals), FormError> {
    Ok((word(row, "scope")?, column(row, "name")?, totals_row(row)?))
}

fn add(totals: &mut Totals, call: &CallRow) {
    match call.state {
        CallState::Reserved => {
            totals.reserved = totals.reserved + call.ceiling;
            totals.reserved_tokens = totals.reserved_tokens + call.ceiling_tokens;
        }
        CallState::Settled => {
            totals.settled = totals.settled + call.cost;
            totals.settled_tokens = totals.settled_tokens + call.usage.total();
        }
        CallState::Lost => {
            totals.unconfirmed = totals.unconfirmed + call.ceiling;
            totals.unconfirmed_tokens = totals.unconfirmed_tokens + call.ceiling_tokens;
        }
        CallState::Released => {}
    }
}

/// Takes a reading error that is damage into the list; any other ends the check.
pub(super) fn told(error: ReadError, mut damage: Vec<Damage>) -> Result<Vec<Damage>, ReadError> {
    damage.push(match error {
        ReadError::DamagedRecord { run, seq, problem } => Damage::Record { run, seq, problem },
        ReadError::DamagedBlob { digest } => Damage::Blob {
            digest,
            runs: Vec::new(),
        },
        ReadError::Damaged { place } => Damage::Row { place },
        error @ ReadError::Unavailable(_) => return Err(error),
    });
    Ok(damage)
}

fn unreadable(table: &str, row: &SqliteRow, error: &FormError) -> Damage {
    let n = number(row, "n").map_or_else(|_| String::new(), |n| format!(", row {n}"));
    Damage::Row {
        place: format!("{table}{n}: {error}"),
    }
}
