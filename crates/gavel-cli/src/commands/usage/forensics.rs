//! `gavel usage forensics`: where the tokens of one run went, and what is odd about it.

use gavel_domain::{Head, MicroUsd, Tokens};
use gavel_rules::{Dear, Forensics, Peak, all_input, analyse_calls, fresh_input};
use gavel_store::{Access, HeadsQuery, Store};
use serde_json::{Value, json};

use super::dollars;
use super::reading::{Calls, read_calls};
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::ui::{Cell, Look, cell};
use crate::which_run::Unnamed;

/// How many runs a part of an id is looked for in.
const LOOK_BACK: u32 = 10_000;
/// How many runs are listed when several may be meant.
const MOST_LISTED: usize = 5;

pub(super) async fn run(context: &Context, named: Option<&str>) -> Result<Exit, Failure> {
    let store = context.store(Access::ReadOnly).await?;
    let head = match named {
        Some(part) => find(store.as_ref(), part).await?,
        None => context.run(store.as_ref(), None, Unnamed::Newest).await?,
    };
    let catalogue = context.settings()?.models.catalogue();
    let catalogue = catalogue.map_err(|error| Failure::new(Exit::Usage, error))?;
    let calls = read_calls(store.as_ref(), &head, &catalogue).await?;
    let found = analyse_calls(&calls.seen);
    tell(context, &head, (&found, &calls));
    super::tell_damage(context, &calls.damaged);
    context
        .ui
        .data("forensics", &as_json(&head, &found, &calls));
    Ok(Exit::Done)
}

/// Finds a run by the beginning or the end of its id.
async fn find(store: &dyn Store, part: &str) -> Result<Head, Failure> {
    let query = HeadsQuery {
        project: None,
        unfinished: false,
        limit: LOOK_BACK,
    };
    let part = part.trim().to_ascii_lowercase();
    let is_meant = |head: &Head| {
        let id = head.run.to_string();
        let bare = id.replace('-', "");
        let forms = [id.as_str(), bare.as_str()];
        forms
            .iter()
            .any(|id| id.starts_with(&part) || id.ends_with(&part))
    };
    let mut meant: Vec<_> = store.heads(query).await?;
    meant.retain(is_meant);
    match meant.as_slice() {
        [] => {
            let missing = format!("there is no run `{part}`");
            Err(Failure::usage(missing).hint("gavel status lists all runs"))
        }
        [_] => Ok(meant.remove(0)),
        several => {
            let listed = several.iter().take(MOST_LISTED);
            let listed: Vec<_> = listed
                .map(|head| format!("{} ({})", head.run, head.state))
                .collect();
            let more = match several.len().saturating_sub(MOST_LISTED) {
                0 => String::new(),
                left => format!(" and {left} more"),
            };
            let text = format!("several runs match `{part}`: {}{more}", listed.join(", "));
            Err(Failure::usage(text).hint("give more of the id"))
        }
    }
}

fn tell(context: &Context, head: &Head, (found, calls): (&Forensics, &Calls)) {
    let ui = &context.ui;
    ui.line(format!(
        "{} {}",
        ui.look(&format!("run {}", head.run.short()), Look::Strong),
        ui.look(&format!("· {} · {}", head.state, head.run), Look::Faint),
    ));
    ui.table(&totals(found));
    if !found.findings.is_empty() {
        title(context, "odd");
        let rows = found.findings.iter().map(|finding| {
            vec![
                ("  !".to_owned(), Look::Warn),
                cell(&finding.key),
                cell(finding.oddity.told()),
            ]
        });
        ui.table(&rows.collect::<Vec<_>>());
    }
    tell_repeated(context, found, calls);
    if !found.dearest.is_empty() {
        let paid = found.cost > MicroUsd::ZERO;
        let which = if paid { "most expensive" } else { "longest" };
        title(context, &format!("{which} calls"));
        let rows: Vec<_> = found.dearest.iter().map(dear_row).collect();
        ui.table(&rows);
    }
    if found.without_texts > 0 {
        ui.line("");
        ui.line(texts_gone(found));
    }
}

fn title(context: &Context, text: &str) {
    context.ui.line("");
    context.ui.line(context.ui.look(text, Look::Faint));
}

fn cost_text(found: &Forensics) -> String {
    let known = found.known_cost();
    known.map_or_else(|| "unknown".to_owned(), |cost| cost.to_string())
}

fn lost_text(found: &Forensics) -> String {
    match (found.known_lost(), found.lost_unpriced) {
        (None, _) => "of unknown price".to_owned(),
        (Some(lost), 0) => format!("booked in full, {lost} at most"),
        (Some(lost), some) => format!("booked in full, {lost} at most; {some} of unknown price"),
    }
}

fn totals(found: &Forensics) -> Vec<Vec<Cell>> {
    let row = |name: &str, amount: String, more: String| {
        vec![
            (format!("  {name}"), Look::Faint),
            cell(amount),
            (more, Look::Faint),
        ]
    };
    let peak = |peak: &Option<Peak>| match peak {
        Some(peak) => (grouped(peak.tokens), peak.key.clone()),
        None => ("-".to_owned(), String::new()),
    };
    let unpriced = match found.unpriced {
        0 => String::new(),
        some => format!("{some} replies have no known price"),
    };
    let mut rows = vec![
        row("cost", cost_text(found), unpriced),
        row("replies", found.replies.to_string(), String::new()),
    ];
    for (name, number, more) in [
        ("lost", found.lost, lost_text(found)),
        ("under way", found.under_way, String::new()),
        ("released", found.released, "nothing was billed".to_owned()),
    ] {
        if number > 0 {
            rows.push(row(name, number.to_string(), more));
        }
    }
    let input = all_input(&found.tokens);
    let cached = match found.cache_ratio {
        Some(ratio) => format!("{}.{} % from a cache", ratio / 10, ratio % 10),
        None => String::new(),
    };
    rows.push(row("input", grouped(input), cached));
    rows.push(row(
        "fresh input",
        grouped(fresh_input(&found.tokens)),
        String::new(),
    ));
    rows.push(row("output", grouped(found.tokens.output), String::new()));
    let (tokens, key) = peak(&found.peak_input);
    rows.push(row("peak input", tokens, key));
    let (tokens, key) = peak(&found.peak_fresh);
    rows.push(row("peak fresh input", tokens, key));
    rows
}

fn tell_repeated(context: &Context, found: &Forensics, calls: &Calls) {
    if found.repeated.is_empty() {
        return;
    }
    title(
        context,
        &format!(
            "sent again: {} of {} bytes",
            grouped(Tokens(found.repeated_bytes)),
            grouped(Tokens(found.sent_bytes)),
        ),
    );
    let rows = found.repeated.iter().map(|block| {
        let beginning = calls.beginnings.get(&block.digest);
        let beginning = beginning.map(String::as_str).unwrap_or_default();
        vec![
            cell(format!("  {} times", block.times)),
            cell(format!("{} bytes", grouped(Tokens(block.bytes)))),
            (format!("“{beginning}”"), Look::Faint),
        ]
    });
    context.ui.table(&rows.collect::<Vec<_>>());
}

fn dear_row(call: &Dear) -> Vec<Cell> {
    let cost = match call.cost {
        Some(cost) => cost.to_string(),
        None => "no price".to_owned(),
    };
    vec![
        cell(format!("  {cost}")),
        cell(call.stage.map_or("-", gavel_domain::Stage::word)),
        cell(word(call.role)),
        cell(format!(
            "{} in, {} out",
            grouped(all_input(&call.usage)),
            grouped(call.usage.output)
        )),
        cell(&call.model),
        (call.key.clone(), Look::Faint),
    ]
}

fn texts_gone(found: &Forensics) -> String {
    format!(
        "The texts of {} calls are gone (usage.retention_days): what they sent again cannot be told. \
         The totals are complete.",
        found.without_texts
    )
}

fn as_json(head: &Head, found: &Forensics, calls: &Calls) -> Value {
    let peak = |peak: &Option<Peak>| {
        peak.as_ref()
            .map(|peak| json!({ "key": peak.key, "tokens": peak.tokens }))
    };
    let findings = found.findings.iter().map(|finding| {
        json!({
            "key": finding.key,
            "code": finding.oddity.code(),
            "told": finding.oddity.told(),
        })
    });
    let repeated = found.repeated.iter().map(|block| {
        json!({
            "times": block.times,
            "bytes": block.bytes,
            "again_bytes": block.again(),
            "begins": calls.beginnings.get(&block.digest),
        })
    });
    let dearest = found.dearest.iter().map(|call| {
        json!({
            "key": call.key,
            "model": call.model,
            "role": call.role,
            "stage": call.stage,
            "cost_usd": call.cost.map(dollars),
            "input_tokens": all_input(&call.usage),
            "cache_read_tokens": call.usage.cache_read,
            "output_tokens": call.usage.output,
        })
    });
    json!({
        "run": head.run,
        "state": head.state,
        "replies": found.replies,
        "lost": { "count": found.lost, "ceiling_usd": found.known_lost().map(dollars), "unpriced": found.lost_unpriced },
        "under_way": found.under_way,
        "released": found.released,
        "cost_usd": found.known_cost().map(dollars),
        "unpriced": found.unpriced,
        "input_tokens": all_input(&found.tokens),
        "fresh_input_tokens": fresh_input(&found.tokens),
        "cache_read_tokens": found.tokens.cache_read,
        "cache_write_tokens": found.tokens.cache_write,
        "output_tokens": found.tokens.output,
        "cache_ratio": found.cache_ratio.map(thousandths),
        "peak_input": peak(&found.peak_input),
        "peak_fresh_input": peak(&found.peak_fresh),
        "findings": findings.collect::<Vec<_>>(),
        "sent_bytes": found.sent_bytes,
        "repeated_bytes": found.repeated_bytes,
        "repeated": repeated.collect::<Vec<_>>(),
        "most_expensive": dearest.collect::<Vec<_>>(),
        "calls_without_texts": found.without_texts,
    })
}

/// A share as a JSON number.
fn thousandths(share: u64) -> f64 {
    dollars(MicroUsd(share.saturating_mul(1_000)))
}

/// A number that people can read.
fn grouped(number: Tokens) -> String {
    let digits = number.to_string();
    let mut told = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            told.push(',');
        }
        told.push(digit);
    }
    told
}

/// The stored word of a role.
fn word(role: gavel_domain::Role) -> String {
    match serde_json::to_value(role) {
        Ok(Value::String(word)) => word,
        Ok(_) | Err(_) => "-".to_owned(),
    }
}
