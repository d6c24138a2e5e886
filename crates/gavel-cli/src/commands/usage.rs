//! `gavel usage`: what was spent, call by call summed up.

mod forensics;
mod reading;

use std::collections::BTreeMap;

use gavel_domain::{MicroUsd, Month, Timestamp};
use gavel_run::{Spend, Usage, usage_and_damage};
use gavel_store::{Access, CallsQuery, DamagedCall};
use serde_json::{Value, json};

use crate::args::{UsageArgs, UsageCommand};
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::ui::{Cell, Look, cell};
use crate::which_run::Unnamed;

pub(crate) async fn run(context: &Context, args: UsageArgs) -> Result<Exit, Failure> {
    let UsageArgs {
        command,
        run,
        month,
    } = args;
    if let Some(UsageCommand::Forensics { run }) = command {
        return forensics::run(context, run.as_deref()).await;
    }
    let store = context.store(Access::ReadOnly).await?;
    let query = match (&run, &month) {
        (Some(name), _) => {
            let head = context
                .run(store.as_ref(), Some(name), Unnamed::Newest)
                .await?;
            CallsQuery {
                run: Some(head.run),
                month: None,
            }
        }
        (None, Some(month)) => CallsQuery {
            run: None,
            month: Some(parse_month(month)?),
        },
        (None, None) => CallsQuery::default(),
    };
    let (spent, damaged) = usage_and_damage(store.as_ref(), query).await?;
    let total = &spent.total;
    let (input, output) = (total.input_tokens(), total.output_tokens());
    // The rules have no tokens to show.
    let tokens = match input.0 + output.0 {
        0 => String::new(),
        _ => format!(", {input} tokens in, {output} out"),
    };
    // No run is named, so no project is, either.
    let of = if run.is_none() {
        ", in all projects"
    } else {
        ""
    };
    context.ui.line(format!(
        "{} for {}{tokens}{of}",
        context.ui.look(&cost_text(total), Look::Strong),
        counted(total.calls, "reply", "replies"),
    ));
    if total.interrupted > 0 {
        context.ui.line(format!(
            "{} more at most for {} without a reply, booked in full",
            lost_text(total),
            counted(total.interrupted, "call", "calls"),
        ));
    }
    if total.under_way > 0 {
        context.ui.line(format!(
            "{} reserved by {}",
            total.reserved,
            counted(total.under_way, "call", "calls"),
        ));
    }
    unknown(context, &spent);
    for (title, parts) in [
        ("provider", &spent.by_provider),
        ("model", &spent.by_model),
        ("role", &spent.by_role),
        ("stage", &spent.by_stage),
        ("day", &spent.by_day),
    ] {
        table(context, title, parts);
    }
    tell_damage(context, &damaged);
    let mut data = all_as_json(&spent);
    if let Value::Object(fields) = &mut data {
        fields.insert("damaged".into(), damaged.iter().map(row_as_json).collect());
    }
    context.ui.data("usage", &data);
    Ok(Exit::Done)
}

/// Names the rows that no sum holds since they cannot be read.
fn tell_damage(context: &Context, damaged: &[DamagedCall]) {
    for row in damaged {
        context
            .ui
            .beside(format!("{row}; it stands in no sum here"));
    }
    if !damaged.is_empty() {
        context
            .ui
            .beside("the rest is shown; gavel doctor looks through the whole store");
    }
}

fn row_as_json(row: &DamagedCall) -> Value {
    json!({ "row": row.row, "run": row.run, "problem": row.problem })
}

/// What the sum does not hold, and why.
fn unknown(context: &Context, spent: &Usage) {
    let total = &spent.total;
    if total.unpriced > 0 {
        let replies = counted(total.unpriced, "reply", "replies");
        context.ui.line(format!("{replies} without a known price"));
    }
    if total.unmetered > 0 {
        let replies = counted(total.unmetered, "reply", "replies");
        context.ui.line(format!("{replies} that nobody counts"));
    }
    if total.interrupted_unpriced > 0 {
        let lost = counted(total.interrupted_unpriced, "call", "calls");
        context
            .ui
            .line(format!("{lost} without a reply and without a known price"));
    }
    for (source, calls) in &spent.sources {
        let asked = counted(*calls, "time", "times");
        context.ui.line(format!(
            "source {source} asked {asked}, unmetered: nobody counts what it cost"
        ));
    }
    if total.above_ceiling > 0 {
        let told = format!(
            "{} counted more than was possible ({} by the provider): booked was what had been \
             reserved, the rest counts for no cap",
            counted(total.above_ceiling, "reply", "replies"),
            total.claimed,
        );
        context.ui.line(context.ui.look(&told, Look::Warn));
    }
}

fn all_as_json(spent: &Usage) -> Value {
    let mut data = as_json(&spent.total);
    if let Value::Object(fields) = &mut data {
        fields.insert("by_model".into(), list("model", &spent.by_model));
        fields.insert("by_provider".into(), list("provider", &spent.by_provider));
        fields.insert("by_role".into(), list("role", &spent.by_role));
        fields.insert("by_stage".into(), list("stage", &spent.by_stage));
        fields.insert("by_day".into(), list("day", &spent.by_day));
        let sources = spent.sources.iter();
        let sources = sources.map(|(source, calls)| json!({"source": source, "calls": calls}));
        fields.insert("sources".into(), sources.collect());
    }
    data
}

fn counted(number: u64, one: &str, many: &str) -> String {
    let what = if number == 1 { one } else { many };
    format!("{number} {what}")
}

fn table(context: &Context, title: &str, parts: &BTreeMap<String, Spend>) {
    if parts.is_empty() {
        return;
    }
    let faint = |text: &str| (text.to_owned(), Look::Faint);
    let mut rows: Vec<Vec<Cell>> = vec![vec![
        faint(title),
        faint("replies"),
        faint("cost"),
        faint("lost"),
    ]];
    rows.extend(parts.iter().map(|(name, spend)| {
        vec![
            cell(name),
            cell(spend.calls),
            cell(cost_text(spend)),
            cell(lost_text(spend)),
        ]
    }));
    context.ui.line("");
    context.ui.table(&rows);
}

fn list(name: &str, parts: &BTreeMap<String, Spend>) -> Value {
    let rows = parts.iter().map(|(key, spend)| {
        let mut row = as_json(spend);
        if let Value::Object(fields) = &mut row {
            fields.insert(name.to_owned(), Value::String(key.clone()));
        }
        row
    });
    Value::Array(rows.collect())
}

/// What replies cost; never nothing for what nobody knows.
fn cost_text(spend: &Spend) -> String {
    let known = spend.known_cost();
    known.map_or_else(|| "unknown".to_owned(), |cost| cost.to_string())
}

/// What lost calls cost at most; an amount only where there are any.
fn lost_text(spend: &Spend) -> String {
    if spend.interrupted == 0 {
        return "none".to_owned();
    }
    let lost = spend.known_lost();
    lost.map_or_else(|| "unknown".to_owned(), |lost| lost.to_string())
}

fn as_json(spend: &Spend) -> Value {
    json!({
        "calls": spend.calls,
        "interrupted": {
            "count": spend.interrupted,
            "ceiling_usd": spend.known_lost().map(dollars),
            "unpriced": spend.interrupted_unpriced,
        },
        "reserved": { "count": spend.under_way, "ceiling_usd": dollars(spend.reserved) },
        "unpriced": spend.unpriced,
        "unmetered": spend.unmetered,
        "reported": spend.reported,
        "source_calls": spend.source_calls,
        "above_ceiling": { "count": spend.above_ceiling, "claimed_usd": dollars(spend.claimed) },
        "input_tokens": spend.input_tokens(),
        "output_tokens": spend.output_tokens(),
        "cost_usd": spend.known_cost().map(dollars),
    })
}

/// Dollars as a JSON number; exact up to billions of dollars.
#[expect(
    clippy::cast_precision_loss,
    reason = "micro-dollars below 2^53 are exact"
)]
pub(crate) fn dollars(amount: MicroUsd) -> f64 {
    amount.0 as f64 / 1_000_000.0
}

fn parse_month(text: &str) -> Result<Month, Failure> {
    let first: Result<Timestamp, _> = format!("{text}-01T00:00:00Z").parse();
    match first {
        Ok(first) => Ok(Month::of(first)),
        Err(_) => Err(Failure::usage(format!(
            "`{text}` is not a month such as 2026-11"
        ))),
    }
}
