//! Reading: marks, sources, words, lists and documents.
//!
//! What may have many rows is asked for in one statement and comes back in one: a row costs more
//! than what is in it, since each wakes a thread.

use std::collections::BTreeMap;

use sqlx::SqliteConnection;
use sqlx::sqlite::SqliteRow;
use sqlx::{FromRow, Row};

use super::{INDEX_LEVELS, IndexError, IndexLine, TextIndex, file};

/// In how many documents a word is, by level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WordCount {
    /// The word.
    pub word: String,
    /// How many documents have it at each level.
    pub counts: [u32; INDEX_LEVELS],
}

/// What the index knows about words, all at one moment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WordCounts {
    /// How often the index was changed.
    pub generation: u64,
    /// How many documents can be found in it.
    pub documents: u64,
    /// The words that are in any.
    pub words: Vec<WordCount>,
}

/// A list of documents to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PostingList {
    /// The word.
    pub word: String,
    /// The level.
    pub level: usize,
    /// The lowest and the highest place that counts.
    pub places: (i64, i64),
}

/// What is asked for, and what it is bound to.
macro_rules! rows {
    ($index:expr, $query:expr) => {{
        let mut held = match $index.readers.take().await {
            Ok(held) => held,
            Err(error) => return Err(file::unavailable(&$index.path, error)),
        };
        match $query.fetch_all(&mut held.conn).await {
            Ok(rows) => {
                held.keep();
                rows
            }
            Err(error) => return Err($index.wrong(&mut held.conn, error).await),
        }
    }};
}

impl TextIndex {
    fn json<T: serde::Serialize + ?Sized>(&self, value: &T) -> Result<String, IndexError> {
        serde_json::to_string(value).map_err(|error| file::unavailable(&self.path, error))
    }

    /// How often the index was changed, and how many documents can be found in it.
    pub async fn total(&self) -> Result<(u64, u64), IndexError> {
        let rows: Vec<(i64, i64)> = rows!(
            self,
            sqlx::query_as("SELECT generation, documents FROM total")
        );
        let (generation, documents) = rows.first().copied().unwrap_or_default();
        Ok((generation.unsigned_abs(), documents.unsigned_abs()))
    }

    /// What the caller noted.
    pub async fn marks(&self) -> Result<BTreeMap<String, String>, IndexError> {
        let query = "SELECT name, value FROM mark WHERE name <> ' form'";
        let rows: Vec<(String, String)> = rows!(self, sqlx::query_as(query));
        Ok(rows.into_iter().collect())
    }

    /// The sources whose names begin so, with their stamps.
    pub async fn sources(&self, beginning: &str) -> Result<BTreeMap<String, String>, IndexError> {
        let query =
            "SELECT name, stamp FROM source WHERE name >= ?1 AND name < ?1 || char(1114111)";
        let rows: Vec<(String, String)> = rows!(self, sqlx::query_as(query).bind(beginning));
        Ok(rows.into_iter().collect())
    }

    /// How many sources there are, counted up to `most`.
    pub async fn count_sources(&self, most: u32) -> Result<u64, IndexError> {
        let query = "SELECT count(*) FROM (SELECT 1 FROM source LIMIT ?)";
        let rows: Vec<(i64,)> = rows!(self, sqlx::query_as(query).bind(most));
        Ok(rows.first().map_or(0, |(count,)| count.unsigned_abs()))
    }

    /// What is said about, in any of these sources.
    pub async fn subjects_in(&self, sources: &[String]) -> Result<Vec<String>, IndexError> {
        let query = "SELECT DISTINCT line.subject FROM json_each(?) AS wanted
            JOIN source ON source.name = wanted.value JOIN line ON line.source = source.id";
        let rows: Vec<(String,)> = rows!(self, sqlx::query_as(query).bind(self.json(sources)?));
        Ok(rows.into_iter().map(|(subject,)| subject).collect())
    }

    /// Every line about these subjects.
    pub async fn lines_about(&self, subjects: &[String]) -> Result<Vec<IndexLine>, IndexError> {
        let query = "SELECT source.name, line.subject, line.text FROM json_each(?) AS wanted
            JOIN line ON line.subject = wanted.value JOIN source ON source.id = line.source";
        let rows: Vec<IndexLine> = rows!(self, sqlx::query_as(query).bind(self.json(subjects)?));
        Ok(rows)
    }

    /// In how many documents each of these words is; a word that is in none is left out.
    pub async fn words(&self, words: &[&String]) -> Result<WordCounts, IndexError> {
        let query = "SELECT generation, documents, (
                SELECT group_concat(concat_ws(' ', word, n0, n1, n2, n3), char(10))
                FROM json_each(?) AS wanted JOIN word ON word.word = wanted.value
            ) FROM total";
        let rows: Vec<(i64, i64, Option<String>)> =
            rows!(self, sqlx::query_as(query).bind(self.json(words)?));
        let (generation, documents, text) = rows.into_iter().next().unwrap_or_default();
        let text = text.unwrap_or_default();
        let words = text.lines().map(|line| self.part(word_count(line)));
        Ok(WordCounts {
            generation: generation.unsigned_abs(),
            documents: documents.unsigned_abs(),
            words: words.collect::<Result<_, _>>()?,
        })
    }

    /// The places in each list, from the highest down, at most `most` of each.
    pub async fn postings(
        &self,
        lists: &[PostingList],
        most: u32,
    ) -> Result<Vec<Vec<i64>>, IndexError> {
        // Materialized, or the bounds would be taken out of their JSON again for every entry.
        let query = "WITH wanted AS MATERIALIZED (
                SELECT key, value ->> 0 AS word, value ->> 1 AS low, value ->> 2 AS high
                FROM json_each(?1)
            )
            SELECT group_concat(key || ' ' || (
                SELECT group_concat(place, ' ') FROM (
                    SELECT rowid AS place FROM found
                    WHERE found MATCH wanted.word AND rowid BETWEEN wanted.low AND wanted.high
                    ORDER BY rowid DESC LIMIT ?2
                )
            ), char(10)) FROM wanted";
        let wanted = lists.iter().map(|list| {
            let (from, to) = list.places;
            (format!("\"{}_{}\"", list.word, list.level), from, to)
        });
        let wanted: Vec<(String, i64, i64)> = wanted.collect();
        let query = sqlx::query_as(query).bind(self.json(&wanted)?).bind(most);
        self.numbered(rows!(self, query), lists.len())
    }

    /// The documents in these places, in no order of their own.
    pub async fn documents(&self, places: &[i64]) -> Result<Vec<(i64, String)>, IndexError> {
        let query = "SELECT group_concat(concat_ws(' ', place, octet_length(body), body), '')
            FROM json_each(?) AS wanted JOIN document ON document.place = wanted.value";
        let rows: Vec<Texts> = rows!(self, sqlx::query_as(query).bind(self.json(places)?));
        let text = one(rows);
        let mut rest = text.as_str();
        let mut found = Vec::with_capacity(places.len());
        while !rest.is_empty() {
            let (place, body, after) = self.part(document(rest))?;
            found.push((place, body.to_owned()));
            rest = after;
        }
        Ok(found)
    }

    /// A document by its name.
    pub async fn document(&self, name: &str) -> Result<Option<String>, IndexError> {
        let query = "SELECT body FROM document WHERE name = ?";
        let rows: Vec<(String,)> = rows!(self, sqlx::query_as(query).bind(name));
        Ok(rows.into_iter().next().map(|(body,)| body))
    }

    /// The names of documents that end so, at most `most`.
    pub async fn names_ending(&self, ending: &str, most: u32) -> Result<Vec<String>, IndexError> {
        let query = "SELECT name FROM document WHERE substr(name, -length(?1)) = ?1
            ORDER BY name LIMIT ?2";
        let rows: Vec<(String,)> = rows!(self, sqlx::query_as(query).bind(ending).bind(most));
        Ok(rows.into_iter().map(|(name,)| name).collect())
    }

    /// The places in each range of everything that can be found, from the highest down, at most
    /// `most` of each: for whoever has no words.
    pub async fn places(
        &self,
        ranges: &[(i64, i64)],
        most: u32,
    ) -> Result<Vec<Vec<i64>>, IndexError> {
        let query = "WITH wanted AS MATERIALIZED (
                SELECT key, value ->> 0 AS low, value ->> 1 AS high FROM json_each(?1)
            )
            SELECT group_concat(key || ' ' || (
                SELECT group_concat(place, ' ') FROM (
                    SELECT place FROM document WHERE words IS NOT NULL
                        AND place BETWEEN wanted.low AND wanted.high
                    ORDER BY place DESC LIMIT ?2
                )
            ), char(10)) FROM wanted";
        let query = sqlx::query_as(query).bind(self.json(ranges)?).bind(most);
        self.numbered(rows!(self, query), ranges.len())
    }

    /// Lists of places, each on a line that begins with its number.
    fn numbered(&self, rows: Vec<Texts>, lists: usize) -> Result<Vec<Vec<i64>>, IndexError> {
        let mut found = vec![Vec::new(); lists];
        for line in one(rows).lines() {
            let mut numbers = line.split(' ').map(str::parse::<i64>);
            let list = numbers.next().and_then(Result::ok);
            let list = list.and_then(|list| found.get_mut(usize::try_from(list).ok()?));
            let places: Result<Vec<i64>, _> = numbers.collect();
            *self.part(list)? = self.part(places.ok())?;
        }
        Ok(found)
    }

    /// A part of an answer that only a damaged file gives in another form.
    fn part<T>(&self, part: Option<T>) -> Result<T, IndexError> {
        part.ok_or_else(|| IndexError::Damaged {
            path: self.path.clone(),
            place: "an answer that is not of its form".to_owned(),
        })
    }
}

/// All that was asked for, in one text; none where there is nothing.
type Texts = (Option<String>,);

fn one(rows: Vec<Texts>) -> String {
    let text = rows.into_iter().next().and_then(|(text,)| text);
    text.unwrap_or_default()
}

impl FromRow<'_, SqliteRow> for IndexLine {
    fn from_row(row: &SqliteRow) -> Result<Self, sqlx::Error> {
        Ok(Self {
            source: row.try_get(0)?,
            subject: row.try_get(1)?,
            text: row.try_get(2)?,
        })
    }
}

/// A word and its counts.
fn word_count(line: &str) -> Option<WordCount> {
    let mut parts = line.split(' ');
    let word = parts.next()?.to_owned();
    let mut counts = [0; INDEX_LEVELS];
    for count in &mut counts {
        *count = parts.next()?.parse().ok()?;
    }
    Some(WordCount { word, counts })
}

/// The first of many documents, with its place and length before it, and what comes after.
fn document(text: &str) -> Option<(i64, &str, &str)> {
    let (place, text) = text.split_once(' ')?;
    let (length, text) = text.split_once(' ')?;
    let (body, after) = text.split_at_checked(length.parse().ok()?)?;
    Some((place.parse().ok()?, body, after))
}

/// The generation, inside a transaction.
pub(super) async fn generation(conn: &mut SqliteConnection) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar("SELECT generation FROM total")
        .fetch_one(conn)
        .await
}
