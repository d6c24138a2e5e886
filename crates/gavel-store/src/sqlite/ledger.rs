//! The ledger: calls, their totals, and the caps that a reservation must fit.

use std::collections::BTreeMap;

use gavel_domain::{
    Cap, CapScope, MicroUsd, Month, ProjectId, RecordKey, RunId, TokenUsage, Tokens,
};
use serde::{Deserialize, Serialize};
use sqlx::sqlite::SqliteRow;

use super::SqliteStore;
use super::commit::{refuse, whole};
use super::fault::{Fault, Stop};
use super::form::{FormError, column, moment, number, parsed, to_word, word};
use super::write::Write;
use crate::{
    BatchProblem, Booked, CallId, CallRow, CallState, CallsQuery, CallsRead, Claimed, CommitError,
    DamagedCall, LedgerChange, LedgerProblem, ReadError, Reservation, Totals, TotalsOf,
};

type Outcome<T> = Result<T, Stop<CommitError>>;

/// The stored words of [`CallState`].
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
enum StateWord {
    Reserved,
    Settled,
    Lost,
    Released,
}

/// Books one change; answers with the totals of the run and of the call's month after it.
pub(super) async fn apply(
    write: &mut Write<'_>,
    run: RunId,
    change: &LedgerChange,
) -> Outcome<Booked> {
    let call = match change {
        LedgerChange::Reserve(reservation) => &reservation.call,
        LedgerChange::Settle { call, .. }
        | LedgerChange::Lose { call }
        | LedgerChange::Release { call } => call,
    };
    if call.run != run {
        return Err(refuse(run, BatchProblem::OtherRun { other: call.run }));
    }
    let row = find(write, call).await?;
    match (change, row) {
        (LedgerChange::Reserve(reservation), None) => reserve(write, reservation).await,
        (LedgerChange::Reserve(_), Some(_)) => Err(misuse(call, LedgerProblem::AlreadyThere)),
        (
            LedgerChange::Settle {
                cost,
                usage,
                claimed,
                ..
            },
            Some(row),
        ) => {
            let booked = book(write, &row, Booking::Settled(*cost, *usage)).await?;
            if let Some(claimed) = claimed {
                keep_claim(write, call, claimed).await?;
            }
            Ok(booked)
        }
        (LedgerChange::Lose { .. }, Some(row)) => book(write, &row, Booking::Lost).await,
        (LedgerChange::Release { .. }, Some(row)) => book(write, &row, Booking::Released).await,
        (
            LedgerChange::Settle { .. } | LedgerChange::Lose { .. } | LedgerChange::Release { .. },
            None,
        ) => Err(misuse(call, LedgerProblem::NotReserved)),
    }
}

async fn find(write: &mut Write<'_>, call: &CallId) -> Outcome<Option<CallRow>> {
    let row = sqlx::query("SELECT * FROM ledger WHERE run = ? AND key = ?")
        .bind(call.run.to_string())
        .bind(call.key.as_str())
        .fetch_optional(write.next())
        .await?;
    let row = row.map(|row| call_row(&row)).transpose();
    row.map_err(|error| {
        let place = format!("the call {} of run {}: {error}", call.key, call.run);
        Stop::Broken(Fault::Damaged { place })
    })
}

async fn reserve(write: &mut Write<'_>, wanted: &Reservation) -> Outcome<Booked> {
    let run = wanted.call.run;
    let (mut of_run, mut of_month) = both_totals(write, run, wanted.month.as_str()).await?;
    for cap in &wanted.caps {
        fits(*cap, wanted, &of_run, &of_month)?;
    }
    sqlx::query(
        "INSERT INTO ledger
             (run, key, month, at, model, role, stage, class, state, ceiling, ceiling_tokens)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'reserved', ?, ?)",
    )
    .bind(run.to_string())
    .bind(wanted.call.key.as_str())
    .bind(wanted.month.as_str())
    .bind(wanted.at.to_string())
    .bind(&wanted.model)
    .bind(to_word(&wanted.role)?)
    .bind(wanted.stage.map(gavel_domain::Stage::word))
    .bind(to_word(&wanted.class)?)
    .bind(whole(run, wanted.money.0)?)
    .bind(whole(run, wanted.tokens.0)?)
    .execute(write.next())
    .await?;
    for totals in [&mut of_run, &mut of_month] {
        totals.reserved = totals.reserved + wanted.money;
        totals.reserved_tokens = totals.reserved_tokens + wanted.tokens;
    }
    put_totals(write, run, &wanted.month, (of_run, of_month)).await
}

/// Checks one cap, in a width in which nothing wraps. A call that takes nothing passes no cap.
fn fits(cap: Cap, wanted: &Reservation, run: &Totals, month: &Totals) -> Outcome<()> {
    let money = |of: &Totals| [of.settled.0, of.unconfirmed.0, of.reserved.0];
    let (taken, wanted) = match cap.scope {
        CapScope::RunUsd => (money(run), wanted.money.0),
        CapScope::MonthUsd => (money(month), wanted.money.0),
        CapScope::RunTokens => (
            [
                run.settled_tokens.0,
                run.unconfirmed_tokens.0,
                run.reserved_tokens.0,
            ],
            wanted.tokens.0,
        ),
    };
    let taken: u128 = taken.into_iter().map(u128::from).sum();
    if wanted == 0 || taken + u128::from(wanted) <= u128::from(cap.limit) {
        return Ok(());
    }
    Err(Stop::Refused(CommitError::OverCap {
        cap,
        taken: u64::try_from(taken).unwrap_or(u64::MAX),
        wanted,
    }))
}

/// What becomes of a reservation.
#[derive(Clone, Copy)]
enum Booking {
    Settled(MicroUsd, TokenUsage),
    Lost,
    Released,
}

async fn book(write: &mut Write<'_>, row: &CallRow, booking: Booking) -> Outcome<Booked> {
    let (run, month) = (row.call.run, row.month.as_str());
    if row.state != CallState::Reserved {
        return Err(misuse(&row.call, LedgerProblem::NotReserved));
    }
    let (state, cost, usage) = match booking {
        Booking::Settled(cost, usage) => (StateWord::Settled, cost, usage),
        Booking::Lost => (StateWord::Lost, MicroUsd::ZERO, TokenUsage::default()),
        Booking::Released => (StateWord::Released, MicroUsd::ZERO, TokenUsage::default()),
    };
    sqlx::query(
        "UPDATE ledger SET state = ?, cost = ?, input = ?, cache_read = ?, cache_write = ?,
             output = ? WHERE run = ? AND key = ?",
    )
    .bind(to_word(&state)?)
    .bind(whole(run, cost.0)?)
    .bind(whole(run, usage.input.0)?)
    .bind(whole(run, usage.cache_read.0)?)
    .bind(whole(run, usage.cache_write.0)?)
    .bind(whole(run, usage.output.0)?)
    .bind(run.to_string())
    .bind(row.call.key.as_str())
    .execute(write.next())
    .await?;
    let (mut of_run, mut of_month) = both_totals(write, run, month).await?;
    for (totals, whose) in [(&mut of_run, "run"), (&mut of_month, "month")] {
        let left = totals.reserved.0.checked_sub(row.ceiling.0);
        let left_tokens = totals.reserved_tokens.0.checked_sub(row.ceiling_tokens.0);
        let (Some(left), Some(left_tokens)) = (left, left_tokens) else {
            let place = format!("the totals of the {whose} of run {run}, {month}");
            return Err(Stop::Broken(Fault::Damaged { place }));
        };
        (totals.reserved, totals.reserved_tokens) = (MicroUsd(left), Tokens(left_tokens));
        match booking {
            Booking::Settled(cost, usage) => {
                totals.settled = totals.settled + cost;
                totals.settled_tokens = totals.settled_tokens + usage.total();
            }
            Booking::Lost => {
                totals.unconfirmed = totals.unconfirmed + row.ceiling;
                totals.unconfirmed_tokens = totals.unconfirmed_tokens + row.ceiling_tokens;
            }
            Booking::Released => {}
        }
    }
    put_totals(write, run, &row.month, (of_run, of_month)).await
}

/// Keeps what a provider counted beside what was booked. No sum is made of it, so the largest amount
/// that fits stands for all above.
async fn keep_claim(write: &mut Write<'_>, call: &CallId, claimed: &Claimed) -> Outcome<()> {
    let most = |amount: u64| i64::try_from(amount).unwrap_or(i64::MAX);
    sqlx::query("UPDATE ledger SET claimed = ?, claimed_tokens = ? WHERE run = ? AND key = ?")
        .bind(most(claimed.cost.0))
        .bind(most(claimed.tokens.0))
        .bind(call.run.to_string())
        .bind(call.key.as_str())
        .execute(write.next())
        .await?;
    Ok(())
}

async fn both_totals(write: &mut Write<'_>, run: RunId, month: &str) -> Outcome<(Totals, Totals)> {
    let rows = sqlx::query(
        "SELECT * FROM totals
         WHERE (scope = 'run' AND name = ?) OR (scope = 'month' AND name = ?)",
    )
    .bind(run.to_string())
    .bind(month)
    .fetch_all(write.next())
    .await?;
    let (mut of_run, mut of_month) = (Totals::default(), Totals::default());
    for row in rows {
        let found = column::<&str>(&row, "scope").and_then(|scope| {
            let of = if scope == "run" {
                &mut of_run
            } else {
                &mut of_month
            };
            *of = totals_row(&row)?;
            Ok(())
        });
        found.map_err(|error| {
            let place = format!("the totals of run {run} or of {month}: {error}");
            Stop::Broken(Fault::Damaged { place })
        })?;
    }
    Ok((of_run, of_month))
}

async fn put_totals(
    write: &mut Write<'_>,
    run: RunId,
    month: &Month,
    (of_run, of_month): (Totals, Totals),
) -> Outcome<Booked> {
    let name = run.to_string();
    let both = [
        ("run", name.as_str(), of_run),
        ("month", month.as_str(), of_month),
    ];
    for (scope, name, sums) in both {
        sqlx::query(
            "INSERT INTO totals (scope, name, settled, unconfirmed, reserved, settled_tokens,
                 unconfirmed_tokens, reserved_tokens)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?)
             ON CONFLICT (scope, name) DO UPDATE SET settled = excluded.settled,
                 unconfirmed = excluded.unconfirmed, reserved = excluded.reserved,
                 settled_tokens = excluded.settled_tokens,
                 unconfirmed_tokens = excluded.unconfirmed_tokens,
                 reserved_tokens = excluded.reserved_tokens",
        )
        .bind(scope)
        .bind(name)
        .bind(whole(run, sums.settled.0)?)
        .bind(whole(run, sums.unconfirmed.0)?)
        .bind(whole(run, sums.reserved.0)?)
        .bind(whole(run, sums.settled_tokens.0)?)
        .bind(whole(run, sums.unconfirmed_tokens.0)?)
        .bind(whole(run, sums.reserved_tokens.0)?)
        .execute(write.next())
        .await?;
    }
    Ok(Booked {
        run: of_run,
        month: month.clone(),
        of_month,
    })
}

/// Reads the totals of a run, a month or all months; whoever spent nothing has none.
pub(super) async fn totals(store: &SqliteStore, of: TotalsOf) -> Result<Totals, ReadError> {
    let (scope, name) = match of {
        TotalsOf::Run(run) => ("run", Some(run.to_string())),
        TotalsOf::Month(month) => ("month", Some(month.as_str().to_owned())),
        TotalsOf::AllMonths => ("month", None),
    };
    let Some(mut read) = store.read().await? else {
        return Ok(Totals::default());
    };
    let query = sqlx::query("SELECT * FROM totals WHERE scope = ?1 AND (?2 IS NULL OR name = ?2)")
        .bind(scope)
        .bind(&name);
    let rows = query.fetch_all(read.conn()).await;
    let rows = read.end(rows).await?;
    rows.iter().try_fold(Totals::default(), |sum, row| {
        let totals = totals_row(row).map_err(|error| ReadError::Damaged {
            place: format!(
                "the totals of the {scope} {}: {error}",
                name.as_deref().unwrap_or("-")
            ),
        })?;
        Ok(sum + totals)
    })
}

/// Counts the calls of a model for which more was claimed than was reserved. Older rows hold no claim:
/// all of it was booked.
pub(super) async fn breaches(store: &SqliteStore, model: &str) -> Result<u32, ReadError> {
    let Some(mut read) = store.read().await? else {
        return Ok(0);
    };
    let query = sqlx::query_scalar::<_, i64>(
        "SELECT count(*) FROM ledger
         WHERE model = ? AND state = 'settled' AND (claimed IS NOT NULL OR cost > ceiling)",
    )
    .bind(model);
    let count = query.fetch_one(read.conn()).await;
    let count = read.end(count).await?;
    Ok(u32::try_from(count).unwrap_or(u32::MAX))
}

/// Looks for a fact that names who agreed, and is not from the engine itself.
pub(super) async fn was_agreed(
    store: &SqliteStore,
    project: ProjectId,
    key: &RecordKey,
) -> Result<bool, ReadError> {
    let Some(mut read) = store.read().await? else {
        return Ok(false);
    };
    let query = sqlx::query_scalar::<_, i64>(
        "SELECT EXISTS (
            SELECT 1 FROM heads JOIN records ON records.run = heads.run
            WHERE heads.project = ? AND records.key = ?
              AND json_extract(records.body, '$.by.door') <> 'engine')",
    )
    .bind(project.to_string())
    .bind(key.to_string());
    let found = query.fetch_one(read.conn()).await;
    Ok(read.end(found).await? != 0)
}

/// Counts the calls to sources. Heads say which runs have any, so that no other journal is read.
pub(super) async fn source_calls(
    store: &SqliteStore,
    query: CallsQuery,
) -> Result<BTreeMap<String, u64>, ReadError> {
    let Some(mut read) = store.read().await? else {
        return Ok(BTreeMap::new());
    };
    let rows = sqlx::query_as::<_, (String, i64)>(
        "SELECT json_extract(records.body, '$.source') AS source, count(*)
         FROM heads JOIN records ON records.run = heads.run
         WHERE json_extract(heads.head, '$.source_calls') > 0
           AND (?1 IS NULL OR heads.run = ?1)
           AND (?2 IS NULL OR substr(records.at, 1, 7) = ?2)
           AND records.kind = 'tool_finished'
           AND json_extract(records.body, '$.source') IS NOT NULL
         GROUP BY source",
    )
    .bind(query.run.map(|run| run.to_string()))
    .bind(query.month.map(|month| month.as_str().to_owned()))
    .fetch_all(read.conn())
    .await;
    let rows = read.end(rows).await?;
    let counted = rows.into_iter();
    Ok(counted
        .map(|(source, calls)| (source, u64::try_from(calls).unwrap_or(0)))
        .collect())
}

/// Reads ledger rows in the order in which they were reserved. Whoever must have all of them gets none
/// where one is damaged.
pub(super) async fn calls(
    store: &SqliteStore,
    query: CallsQuery,
) -> Result<Vec<CallRow>, ReadError> {
    let CallsRead { rows, damaged } = calls_and_damage(store, query).await?;
    match damaged.first() {
        None => Ok(rows),
        Some(first) => Err(ReadError::Damaged {
            place: first.to_string(),
        }),
    }
}

/// Reads what can be read of them, and names the rest.
pub(super) async fn calls_and_damage(
    store: &SqliteStore,
    query: CallsQuery,
) -> Result<CallsRead, ReadError> {
    let Some(mut read) = store.read().await? else {
        return Ok(CallsRead::default());
    };
    let run = query.run.map(|run| run.to_string());
    let month = query.month.map(|month| month.as_str().to_owned());
    let query = match (run, month) {
        (Some(run), None) => sqlx::query("SELECT * FROM ledger WHERE run = ? ORDER BY n").bind(run),
        (None, Some(month)) => {
            sqlx::query("SELECT * FROM ledger WHERE month = ? ORDER BY n").bind(month)
        }
        (Some(run), Some(month)) => {
            sqlx::query("SELECT * FROM ledger WHERE run = ? AND month = ? ORDER BY n")
                .bind(run)
                .bind(month)
        }
        (None, None) => sqlx::query("SELECT * FROM ledger ORDER BY n"),
    };
    let rows = query.fetch_all(read.conn()).await;
    let rows = read.end(rows).await?;
    let mut found = CallsRead::default();
    for row in &rows {
        match call_row(row) {
            Ok(call) => found.rows.push(call),
            Err(error) => found.damaged.push(DamagedCall {
                row: number(row, "n").ok(),
                run: column::<Option<String>>(row, "run").ok().flatten(),
                problem: error.to_string(),
            }),
        }
    }
    Ok(found)
}

fn claim(row: &SqliteRow) -> Result<Option<Claimed>, FormError> {
    let claimed: Option<i64> = column(row, "claimed")?;
    if claimed.is_none() {
        return Ok(None);
    }
    Ok(Some(Claimed {
        cost: MicroUsd(number(row, "claimed")?),
        tokens: Tokens(number(row, "claimed_tokens")?),
    }))
}

pub(super) fn call_row(row: &SqliteRow) -> Result<CallRow, FormError> {
    let tokens = |name| number(row, name).map(Tokens);
    let stage: Option<&str> = column(row, "stage")?;
    let stage = match stage {
        Some(_) => Some(word(row, "stage")?),
        None => None,
    };
    Ok(CallRow {
        call: CallId {
            run: parsed(row, "run")?,
            key: parsed(row, "key")?,
        },
        month: word(row, "month")?,
        at: moment(row, "at")?,
        model: column(row, "model")?,
        role: word(row, "role")?,
        stage,
        class: word(row, "class")?,
        state: match word(row, "state")? {
            StateWord::Reserved => CallState::Reserved,
            StateWord::Settled => CallState::Settled,
            StateWord::Lost => CallState::Lost,
            StateWord::Released => CallState::Released,
        },
        ceiling: MicroUsd(number(row, "ceiling")?),
        ceiling_tokens: tokens("ceiling_tokens")?,
        cost: MicroUsd(number(row, "cost")?),
        usage: TokenUsage {
            input: tokens("input")?,
            cache_read: tokens("cache_read")?,
            cache_write: tokens("cache_write")?,
            output: tokens("output")?,
        },
        claimed: claim(row)?,
    })
}

/// Reads the six sums out of a row of `totals`, or of a query with the same columns.
pub(super) fn totals_row(row: &SqliteRow) -> Result<Totals, FormError> {
    let money = |name| number(row, name).map(MicroUsd);
    let tokens = |name| number(row, name).map(Tokens);
    Ok(Totals {
        settled: money("settled")?,
        unconfirmed: money("unconfirmed")?,
        reserved: money("reserved")?,
        settled_tokens: tokens("settled_tokens")?,
        unconfirmed_tokens: tokens("unconfirmed_tokens")?,
        reserved_tokens: tokens("reserved_tokens")?,
    })
}

fn misuse(call: &CallId, problem: LedgerProblem) -> Stop<CommitError> {
    Stop::Refused(CommitError::Ledger {
        call: call.clone(),
        problem,
    })
}
