//! `gavel council list`: the councils that met, with what each came to.

use gavel_deliberation::{CouncilRecord, Told};
use gavel_domain::{Badge, Head};
use gavel_product::meeting;
use gavel_store::{Access, SqliteStore};
use serde_json::{Value, json};

use super::outcome::record;
use super::reviewed;
use crate::context::Context;
use crate::driver::records;
use crate::exit::Exit;
use crate::failure::{Failure, unless_damaged};
use crate::summary::clipped;
use crate::ui::{Look, cell};
use crate::which_run::{RunsWanted, Surroundings};

/// How many runs are looked at, the newest first.
const LOOK_BACK: usize = 1_000;
/// How many debates are shown; data has all of them.
const LISTED: usize = 20;
const TOPIC: usize = 48;
const CHOICE: usize = 32;

/// One debate, or one review by rules.
struct Row {
    run: String,
    debate: u32,
    topic: String,
    decided: String,
    evidence: &'static str,
}

pub(super) async fn run(context: &Context) -> Result<Exit, Failure> {
    let store = context.store(Access::ReadOnly).await?;
    let here = Surroundings::of(context)?;
    let found = here.runs(&store, RunsWanted::newest(LOOK_BACK)).await?;
    let mut rows = Vec::new();
    for head in found.heads {
        let of_run = rows_of(&store, &head).await;
        rows.extend(unless_damaged(head.run, of_run)?.unwrap_or_default());
    }
    if rows.is_empty() {
        context.ui.line("no council has met here yet");
    } else {
        let titles = ["run", "debate", "evidence", "topic", "came to"];
        let mut table = vec![titles.map(|title| (title.to_owned(), Look::Faint)).to_vec()];
        table.extend(rows.iter().take(LISTED).map(|row| {
            let short: Vec<char> = row.run.chars().collect();
            let short: String = short.iter().skip(short.len().saturating_sub(8)).collect();
            vec![
                (short, Look::Strong),
                cell(row.debate),
                cell(row.evidence),
                cell(clipped(&row.topic, TOPIC)),
                cell(clipped(&row.decided, CHOICE)),
            ]
        }));
        context.ui.table(&table);
        if rows.len() > LISTED {
            let more = rows.len() - LISTED;
            context
                .ui
                .line(format!("and {more} more; --json lists all"));
        }
    }
    let data: Vec<Value> = rows
        .iter()
        .map(|row| {
            json!({
                "run": row.run,
                "debate": row.debate,
                "topic": row.topic,
                "decided": row.decided,
                "evidence": row.evidence,
            })
        })
        .collect();
    context.ui.data("councils", &json!({ "councils": data }));
    Ok(Exit::Done)
}

/// The debates of a run, the last one first; of a council by rules, its review.
async fn rows_of(store: &SqliteStore, head: &Head) -> Result<Vec<Row>, Failure> {
    let ours = [gavel_product::DRIVER, meeting::DRIVER];
    if !ours.contains(&head.driver.as_str()) {
        return Ok(Vec::new());
    }
    let Some(last) = record(store, head, None).await? else {
        let all = records(store, head).await?;
        let review = reviewed::read(store, &all).await?;
        return Ok(review
            .map(|review| Row {
                run: head.run.to_string(),
                debate: 1,
                decided: review.recommended_name().unwrap_or("open").to_owned(),
                topic: review.topic,
                evidence: "rules",
            })
            .into_iter()
            .collect());
    };
    let mut rows = vec![row_of(&last)];
    for number in (1..last.meetings).rev() {
        if let Some(earlier) = record(store, head, Some(number)).await? {
            rows.push(row_of(&earlier));
        }
    }
    Ok(rows)
}

fn row_of(record: &CouncilRecord) -> Row {
    let topic = record.topic.as_ref().and_then(Told::kept);
    let made = record
        .decisions
        .iter()
        .filter_map(|told| told.decision.kept());
    let made: Vec<&str> = made.map(|decision| decision.choice.as_str()).collect();
    let badge = record.confidence.as_ref().and_then(|sure| sure.badge);
    let ended = record.stop.is_some();
    Row {
        run: record.run.to_string(),
        debate: record.meeting,
        topic: topic.cloned().unwrap_or_default(),
        decided: match made.is_empty() {
            true if !ended => "not at its end".to_owned(),
            true => "nothing".to_owned(),
            false => made.join(" · "),
        },
        evidence: badge.map_or("-", Badge::word),
    }
}
