//! Commands that look: list, get, search, stale, audit.

use gavel_memory::{Audit, Found, Item, ItemId, Kind, Problem, Query, Standing, count_uses};
use gavel_rules::sanitize_for_display;
use gavel_store::Access;
use serde_json::{Value, json};

use super::desk::Desk;
use super::show::{as_json, card, finish, insert, problem_json, row, short, tell};
use crate::args::{MemoryListArgs, MemorySearchArgs};
use crate::commands::control::read_text;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::project;
use crate::ui::{Look, cell};

/// What fits less than this is noise.
const FLOOR: f64 = 0.05;
/// How many of each sort an audit shows to a person.
const SHOWN: usize = 20;

pub(super) async fn list(context: &Context, args: &MemoryListArgs) -> Result<Exit, Failure> {
    if args.stale {
        return stale(context, &args.kind).await;
    }
    let desk = Desk::open(context).await?;
    let now = desk.now;
    let wanted = |item: &&Item| {
        let kind = args.kind.is_empty() || args.kind.contains(&item.kind);
        let status = args.status.contains(&item.status_at(now));
        // Whoever asks for a status that is over wants to see what is over.
        let shown = if args.status.is_empty() {
            args.all || item.is_live(now)
        } else {
            status && (args.all || item.is_live(now) || item.status_at(now).is_over())
        };
        kind && shown
    };
    let items: Vec<&Item> = desk.memory.items().filter(wanted).collect();
    if items.is_empty() {
        let any = desk.memory.items().next().is_some();
        let nothing = if any {
            "nothing fits"
        } else {
            "nothing is remembered yet"
        };
        context.ui.line(nothing);
    }
    let rows: Vec<_> = items.iter().map(|item| row(item, now)).collect();
    context.ui.table(&rows);
    let data: Vec<Value> = items.iter().map(|item| as_json(item, now)).collect();
    Ok(finish(context, &desk.memory, &data))
}

pub(super) async fn get(context: &Context, name: &str) -> Result<Exit, Failure> {
    let mut desk = Desk::open(context).await?;
    let id = desk.find(name).await?;
    let item = desk.memory.item(&id.to_string())?;
    card(context, item, desk.now);
    tell(context, desk.memory.problems());
    context.ui.data("memory_item", &as_json(item, desk.now));
    Ok(Exit::Done)
}

pub(super) async fn search(context: &Context, args: MemorySearchArgs) -> Result<Exit, Failure> {
    let desk = Desk::open(context).await?;
    let text = read_text(args.query)?;
    let paths = args.path.iter();
    let paths = paths.map(|path| project::path_from_root(path, context.directory(), &desk.root));
    let paths = paths.collect::<Result<Vec<_>, _>>()?;
    let shelf = desk.shelf().await?;
    let query = Query {
        text: &text,
        kinds: &args.kind,
        standing: Standing::Live,
        limit: args.limit,
        floor: FLOOR,
        now: desk.now,
        paths: &paths,
    };
    let found = shelf.find_called(&query).await?;
    if let Some(why) = shelf.remade() {
        context.ui.note(format!("the index was made anew: {why}"));
    }
    if found.is_empty() {
        context.ui.line("nothing fits");
    }
    let rows: Vec<_> = found
        .iter()
        .map(|found| row(&found.item, desk.now))
        .collect();
    if args.explain {
        for (found, row) in found.iter().zip(rows) {
            context.ui.table(&[row]);
            explain(context, found);
        }
    } else {
        context.ui.table(&rows);
    }
    let data = found.iter().map(|found| {
        let mut data = as_json(&found.item, desk.now);
        insert(&mut data, "score", json!(rounded(found.score)));
        if args.explain {
            insert(&mut data, "why", json!(found.why));
        }
        data
    });
    Ok(finish(context, &desk.memory, &data.collect::<Vec<_>>()))
}

/// Why an item was found, in a few lines.
fn explain(context: &Context, found: &Found) {
    let why = &found.why;
    let line = |text: String| {
        let text = context.ui.look(&text, Look::Faint);
        context.ui.flow(2, format!("    {text}"));
    };
    line(format!(
        "score {:.3} = fit {:.3} × life {:.3} × recency {:.3}",
        found.score, why.fit, why.lifecycle, why.recency
    ));
    for word in &why.words {
        let fields: Vec<&str> = word.fields.iter().map(|field| field.word()).collect();
        line(format!(
            "{} in {}, {} in all (rarity {:.2})",
            sanitize_for_display(&word.word),
            fields.join(" and "),
            items(word.items),
            word.idf
        ));
    }
    if why.shares_path {
        line("about the same files".to_owned());
    }
}

fn items(count: u64) -> String {
    match count {
        1 => "1 item".to_owned(),
        many => format!("{many} items"),
    }
}

pub(super) async fn stale(context: &Context, kinds: &[Kind]) -> Result<Exit, Failure> {
    let desk = Desk::open(context).await?;
    let (mut rows, mut data) = (Vec::new(), Vec::new());
    for item in desk.memory.items() {
        let Some(why) = item.staleness(desk.now) else {
            continue;
        };
        if !kinds.is_empty() && !kinds.contains(&item.kind) {
            continue;
        }
        rows.push(vec![
            (item.id.short(), Look::Strong),
            cell(item.kind),
            (why.told().to_owned(), Look::Warn),
            cell(short(item)),
        ]);
        let mut told = as_json(item, desk.now);
        insert(&mut told, "stale", json!(why));
        data.push(told);
    }
    if rows.is_empty() {
        context.ui.line("nothing is stale");
    } else {
        context.ui.table(&rows);
        context
            .ui
            .note("gavel memory mark ID confirmed keeps one fresh, gavel memory retire ID ends it");
    }
    Ok(finish(context, &desk.memory, &data))
}

pub(super) async fn audit(context: &Context) -> Result<Exit, Failure> {
    let desk = Desk::open(context).await?;
    let store = context.store(Access::ReadOnly).await?;
    let uses = count_uses(store.as_ref(), desk.project).await?;
    let audit = desk.memory.audit(&uses, desk.now);
    print_audit(context, &desk, &audit);
    let ids = |all: &[ItemId]| all.iter().map(ToString::to_string).collect::<Vec<_>>();
    let duplicates = audit
        .duplicates
        .iter()
        .map(|(one, other, share)| json!({ "ids": [one, other], "share": rounded(*share) }));
    let stale = audit
        .stale
        .iter()
        .map(|(id, why)| json!({ "id": id, "stale": why }));
    let told = |all: &[&Problem]| all.iter().map(|one| problem_json(one)).collect::<Vec<_>>();
    let data = json!({
        "items": audit.trusted,
        "proposed": audit.proposed,
        "duplicates": duplicates.collect::<Vec<_>>(),
        "stale": stale.collect::<Vec<_>>(),
        "never_used": ids(&audit.never_used),
        "cited": audit.cited,
        "cited_share": share(audit.cited, audit.trusted),
        "secrets": told(&audit.secrets),
        "problems": told(&audit.problems),
    });
    context.ui.data("memory_audit", &data);
    Ok(Exit::Done)
}

fn print_audit(context: &Context, desk: &Desk<'_>, audit: &Audit<'_>) {
    let ui = &context.ui;
    let label = |id: ItemId| {
        let item = desk.memory.item(&id.to_string());
        let label = item.map(short).unwrap_or_default();
        format!("{} {label}", id.short())
    };
    ui.flow(
        0,
        format!(
            "{} hold, {} wait for a word, {} were cited at least once",
            items(audit.trusted as u64),
            audit.proposed,
            audit.cited
        ),
    );
    let part = |title: &str, lines: Vec<String>| {
        if lines.is_empty() {
            return;
        }
        ui.line("");
        ui.line(ui.look(&format!("{title}: {}", lines.len()), Look::Strong));
        for line in lines.iter().take(SHOWN) {
            ui.flow(2, format!("  {line}"));
        }
        let more = lines.len().saturating_sub(SHOWN);
        if more > 0 {
            ui.line(format!("  and {more} more: --json shows all"));
        }
    };
    let lines = |problems: &[&Problem]| problems.iter().map(ToString::to_string).collect();
    part("secrets in files", lines(&audit.secrets));
    let doubles = audit.duplicates.iter();
    let doubles = doubles.map(|(one, other, _)| format!("{}  =  {}", label(*one), label(*other)));
    part("say the same", doubles.collect());
    let stale = audit.stale.iter();
    let stale = stale.map(|(id, why)| format!("{}: {}", label(*id), why.told()));
    part("stale", stale.collect());
    let unused = audit.never_used.iter().map(|id| label(*id));
    part("never used", unused.collect());
    part("damaged or not understood", lines(&audit.problems));
}

/// Which part of a whole, from 0 to 1; of nothing there is no part.
#[expect(
    clippy::cast_precision_loss,
    reason = "nobody has so many items that a share would be off"
)]
fn share(part: usize, whole: usize) -> Option<f64> {
    (whole > 0).then(|| rounded(part as f64 / whole as f64))
}

/// Three decimals are enough to compare.
pub(super) fn rounded(score: f64) -> f64 {
    (score * 1000.0).round() / 1000.0
}
