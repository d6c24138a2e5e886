//! Changing the index: everything at once, or nothing.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use sqlx::SqliteConnection;

use super::look::generation;
use super::{INDEX_LEVELS, INDEX_ROOM, IndexError, TextIndex, file};
use crate::sqlite::lane::Held;

/// How many rows go into one statement.
const BATCH: usize = 500;

/// What is new.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IndexChange {
    /// The generation that it was decided upon; another one in the file refuses it.
    pub after: u64,
    /// Notes of the caller; `None` takes one away.
    pub marks: BTreeMap<String, Option<String>>,
    /// Sources and their stamps. What was kept of each is replaced; `None` takes it away.
    pub sources: BTreeMap<String, Option<String>>,
    /// The lines of the sources that are named above.
    pub lines: Vec<IndexLine>,
    /// Documents that are no more.
    pub gone: BTreeSet<String>,
    /// Documents that are new or changed.
    pub documents: Vec<IndexDocument>,
}

/// A line of a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexLine {
    /// Where it stands.
    pub source: String,
    /// What it is about.
    pub subject: String,
    /// The line.
    pub text: String,
}

/// A document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexDocument {
    /// Its name.
    pub name: String,
    /// Its place among the others begins here; those with the same base follow each other. A
    /// multiple of [`INDEX_ROOM`].
    pub base: i64,
    /// What the caller gets back.
    pub body: String,
    /// Its words, each once and with its level; `None` keeps it out of every search.
    pub words: Option<BTreeMap<String, usize>>,
}

/// How many documents more, or fewer, have a word at each level.
type Counts = HashMap<String, [i64; INDEX_LEVELS]>;

enum Stop {
    Moved,
    Form(serde_json::Error),
    Sql(sqlx::Error),
}

impl From<sqlx::Error> for Stop {
    fn from(error: sqlx::Error) -> Self {
        Self::Sql(error)
    }
}

impl From<serde_json::Error> for Stop {
    fn from(error: serde_json::Error) -> Self {
        Self::Form(error)
    }
}

impl TextIndex {
    /// Makes a change in one transaction; gives the new generation.
    pub async fn apply(&self, change: &IndexChange) -> Result<u64, IndexError> {
        let mut held = match self.writer.take().await {
            Ok(held) => held,
            Err(error) => return Err(file::unavailable(&self.path, error)),
        };
        let mut done = write(&mut held.conn, change).await;
        if done.is_ok() && !(change.gone.is_empty() && change.sources.values().all(Option::is_some))
        {
            done = fold_log(&mut held.conn).await;
        }
        self.settle(held, done).await?;
        Ok(change.after + 1)
    }

    /// Joins the many small lists that large changes leave behind.
    pub async fn join(&self) -> Result<(), IndexError> {
        let mut held = match self.writer.take().await {
            Ok(held) => held,
            Err(error) => return Err(file::unavailable(&self.path, error)),
        };
        let done = join(&mut held.conn).await;
        self.settle(held, done).await
    }

    async fn settle(&self, mut held: Held<'_>, done: Result<(), Stop>) -> Result<(), IndexError> {
        match done {
            Ok(()) => {
                held.keep();
                Ok(())
            }
            // Nobody keeps the connection, so the transaction is rolled back.
            Err(Stop::Moved) => Err(IndexError::Moved {
                path: self.path.clone(),
            }),
            Err(Stop::Form(error)) => Err(file::unavailable(&self.path, error)),
            Err(Stop::Sql(error)) => Err(self.wrong(&mut held.conn, error).await),
        }
    }
}

async fn join(conn: &mut SqliteConnection) -> Result<(), Stop> {
    sqlx::query("INSERT INTO found (found) VALUES ('optimize')")
        .execute(&mut *conn)
        .await?;
    // What the query planner knows about the sizes of tables.
    sqlx::query("PRAGMA optimize").execute(&mut *conn).await?;
    // Such a change leaves a log as large as the file.
    fold_log(conn).await
}

/// Folds the log back into the file: what was taken out must not stay in it either. Whoever reads
/// just now puts it off to the next time.
async fn fold_log(conn: &mut SqliteConnection) -> Result<(), Stop> {
    sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)")
        .execute(conn)
        .await?;
    Ok(())
}

async fn write(conn: &mut SqliteConnection, change: &IndexChange) -> Result<(), Stop> {
    sqlx::query("BEGIN IMMEDIATE").execute(&mut *conn).await?;
    if generation(conn).await?.unsigned_abs() != change.after {
        return Err(Stop::Moved);
    }
    put_marks(conn, &change.marks).await?;
    put_sources(conn, change).await?;
    let mut counts = Counts::new();
    let replaced = change.documents.iter().map(|document| &document.name);
    let gone: Vec<&String> = change.gone.iter().chain(replaced).collect();
    let mut number = 0;
    for gone in gone.chunks(BATCH) {
        number -= forget(conn, gone, &mut counts).await?;
    }
    for documents in change.documents.chunks(BATCH) {
        number += put(conn, documents, &mut counts).await?;
    }
    put_counts(conn, counts).await?;
    sqlx::query("UPDATE total SET generation = generation + 1, documents = documents + ?")
        .bind(number)
        .execute(&mut *conn)
        .await?;
    sqlx::query("COMMIT").execute(conn).await?;
    Ok(())
}

async fn put_marks(
    conn: &mut SqliteConnection,
    marks: &BTreeMap<String, Option<String>>,
) -> Result<(), Stop> {
    for (name, value) in marks {
        let statement = match value {
            Some(value) => sqlx::query("INSERT OR REPLACE INTO mark VALUES (?1, ?2)")
                .bind(name)
                .bind(value),
            None => sqlx::query("DELETE FROM mark WHERE name = ?").bind(name),
        };
        statement.execute(&mut *conn).await?;
    }
    Ok(())
}

async fn put_sources(conn: &mut SqliteConnection, change: &IndexChange) -> Result<(), Stop> {
    let names: Vec<&String> = change.sources.keys().collect();
    for names in names.chunks(BATCH) {
        let names = serde_json::to_string(names)?;
        for statement in [
            "DELETE FROM line WHERE source IN (
                SELECT source.id FROM json_each(?) AS old JOIN source ON source.name = old.value)",
            "DELETE FROM source WHERE name IN (SELECT value FROM json_each(?))",
        ] {
            let statement = sqlx::query(statement).bind(&names);
            statement.execute(&mut *conn).await?;
        }
    }
    let sources = change.sources.iter();
    let kept: Vec<(&String, &String)> = sources
        .filter_map(|(name, stamp)| Some((name, stamp.as_ref()?)))
        .collect();
    for kept in kept.chunks(BATCH) {
        let statement = "INSERT INTO source (name, stamp)
            SELECT new.value ->> 0, new.value ->> 1 FROM json_each(?) AS new";
        let statement = sqlx::query(statement).bind(serde_json::to_string(kept)?);
        statement.execute(&mut *conn).await?;
    }
    for lines in change.lines.chunks(BATCH) {
        let statement = "INSERT INTO line (source, subject, text)
            SELECT source.id, new.value ->> 1, new.value ->> 2 FROM json_each(?) AS new
            JOIN source ON source.name = new.value ->> 0";
        let lines = lines.iter();
        let lines: Vec<_> = lines
            .map(|line| (&line.source, &line.subject, &line.text))
            .collect();
        let statement = sqlx::query(statement).bind(serde_json::to_string(&lines)?);
        statement.execute(&mut *conn).await?;
    }
    Ok(())
}

/// Takes documents out; gives how many of them could be found.
async fn forget(
    conn: &mut SqliteConnection,
    names: &[&String],
    counts: &mut Counts,
) -> Result<i64, Stop> {
    let names = serde_json::to_string(names)?;
    let found = "SELECT words FROM document
        WHERE name IN (SELECT value FROM json_each(?)) AND words IS NOT NULL";
    let found: Vec<(String,)> = sqlx::query_as(found)
        .bind(&names)
        .fetch_all(&mut *conn)
        .await?;
    for (words,) in &found {
        count(words, -1, counts);
    }
    for statement in [
        "INSERT INTO found (found, rowid, words) SELECT 'delete', place, words FROM document
            WHERE name IN (SELECT value FROM json_each(?)) AND words IS NOT NULL",
        "DELETE FROM document WHERE name IN (SELECT value FROM json_each(?))",
    ] {
        let statement = sqlx::query(statement).bind(&names);
        statement.execute(&mut *conn).await?;
    }
    Ok(i64::try_from(found.len()).unwrap_or(i64::MAX))
}

/// Puts documents in; gives how many of them can be found.
async fn put(
    conn: &mut SqliteConnection,
    documents: &[IndexDocument],
    counts: &mut Counts,
) -> Result<i64, Stop> {
    let mut places = next_places(conn, documents).await?;
    let mut rows = Vec::with_capacity(documents.len());
    let mut number = 0;
    for document in documents {
        let place = places.entry(document.base).or_insert(document.base);
        let words = document.words.as_ref().map(text_of);
        if let Some(words) = &words {
            count(words, 1, counts);
            number += 1;
        }
        rows.push((*place, &document.name, &document.body, words));
        *place += 1;
    }
    let rows = serde_json::to_string(&rows)?;
    for statement in [
        "INSERT INTO document (place, name, body, words)
            SELECT new.value ->> 0, new.value ->> 1, new.value ->> 2, new.value ->> 3
            FROM json_each(?) AS new",
        "INSERT INTO found (rowid, words)
            SELECT new.value ->> 0, new.value ->> 3 FROM json_each(?) AS new
            WHERE new.value ->> 3 IS NOT NULL",
    ] {
        let statement = sqlx::query(statement).bind(&rows);
        statement.execute(&mut *conn).await?;
    }
    Ok(number)
}

/// The first free place behind each base.
async fn next_places(
    conn: &mut SqliteConnection,
    documents: &[IndexDocument],
) -> Result<HashMap<i64, i64>, Stop> {
    let bases: BTreeSet<i64> = documents.iter().map(|document| document.base).collect();
    let query = "SELECT base.value, (
            SELECT max(place) FROM document WHERE place >= base.value AND place < base.value + ?2
        ) FROM json_each(?1) AS base";
    let taken: Vec<(i64, Option<i64>)> = sqlx::query_as(query)
        .bind(serde_json::to_string(&bases)?)
        .bind(INDEX_ROOM)
        .fetch_all(conn)
        .await?;
    let next = taken
        .into_iter()
        .map(|(base, last)| (base, last.map_or(base, |last| last + 1)));
    Ok(next.collect())
}

async fn put_counts(conn: &mut SqliteConnection, counts: Counts) -> Result<(), Stop> {
    // In the order of the table, a page of it is touched once.
    let counts: BTreeMap<String, [i64; INDEX_LEVELS]> = counts.into_iter().collect();
    let rows: Vec<_> = counts
        .iter()
        .filter(|(_, counts)| **counts != [0; INDEX_LEVELS])
        .collect();
    for rows in rows.chunks(BATCH) {
        let statement = "INSERT INTO word (word, n0, n1, n2, n3)
            SELECT new.value ->> 0, new.value ->> '$[1][0]', new.value ->> '$[1][1]',
                new.value ->> '$[1][2]', new.value ->> '$[1][3]'
            FROM json_each(?) AS new WHERE true
            ON CONFLICT (word) DO UPDATE SET n0 = n0 + excluded.n0, n1 = n1 + excluded.n1,
                n2 = n2 + excluded.n2, n3 = n3 + excluded.n3";
        let statement = sqlx::query(statement).bind(serde_json::to_string(rows)?);
        statement.execute(&mut *conn).await?;
    }
    let fewer = rows
        .iter()
        .filter(|(_, counts)| counts.iter().any(|by| *by < 0));
    let fewer: Vec<&String> = fewer.map(|(word, _)| *word).collect();
    for words in fewer.chunks(BATCH) {
        let statement = "DELETE FROM word WHERE word IN (SELECT value FROM json_each(?))
            AND n0 + n1 + n2 + n3 = 0";
        let statement = sqlx::query(statement).bind(serde_json::to_string(words)?);
        statement.execute(&mut *conn).await?;
    }
    Ok(())
}

/// Words with their levels, as the full-text engine gets them: `retry_2 upload_0`.
fn text_of(words: &BTreeMap<String, usize>) -> String {
    let levelled = |(word, level): (&String, &usize)| {
        let level = (*level).min(INDEX_LEVELS - 1);
        format!("{word}_{level}")
    };
    let words: Vec<String> = words.iter().map(levelled).collect();
    words.join(" ")
}

fn count(words: &str, by: i64, counts: &mut Counts) {
    for levelled in words.split(' ') {
        let Some((word, level)) = levelled.rsplit_once('_') else {
            continue;
        };
        let Ok(level) = level.parse::<usize>() else {
            continue;
        };
        let counts = counts.entry(word.to_owned()).or_default();
        if let Some(count) = counts.get_mut(level) {
            *count += by;
        }
    }
}
