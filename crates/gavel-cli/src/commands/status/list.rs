//! `gavel status` without a run: those of this project, in pages.

use gavel_domain::Head;
use gavel_store::{Access, HeadsQuery, SqliteStore, Store as _};
use jiff::tz::TimeZone;
use serde_json::{Value, json};

use super::{as_json, next, state};
use crate::args::ListArgs;
use crate::commands::loops::{self, LoopInList};
use crate::context::Context;
use crate::driver::{Given, given};
use crate::exit::Exit;
use crate::failure::{Failure, unless_damaged};
use crate::summary::clipped;
use crate::ui::{Cell, Look, cell};
use crate::which_run::{RunsHere, RunsWanted, Surroundings};

/// How many runs a page has.
const PAGE: usize = 50;
/// More runs are not counted.
const MOST: u32 = 10_000;
/// How much of an idea a row has: with it, a row fits into 80 columns.
const IDEA: usize = 24;
/// For how many runs the next command is written out.
const MOST_NEXT: usize = 3;

pub(crate) async fn list(context: &Context, args: &ListArgs) -> Result<Exit, Failure> {
    let store = context.store(Access::ReadOnly).await?;
    let here = Surroundings::of(context)?;
    let everywhere = HeadsQuery {
        project: None,
        unfinished: false,
        limit: MOST,
    };
    let found = match args.all {
        true => RunsHere {
            heads: store.heads(everywhere.clone()).await?,
            ..RunsHere::default()
        },
        false => here.runs(&store, RunsWanted::ALL).await?,
    };
    found.tell(context);
    let heads = found.heads;
    let page = Page::of(&heads, args.page)?;
    let mut listed = Vec::new();
    for head in page.heads {
        listed.push(Listed::read(&store, head).await?);
    }
    if listed.is_empty() {
        let elsewhere = store.heads(everywhere).await?.len();
        context.ui.line(match (args.all, elsewhere) {
            (true, _) | (false, 0) => "no runs yet".to_owned(),
            (false, 1) => format!(
                "no runs {}; one elsewhere: gavel status --all",
                here.place()
            ),
            (false, others) => {
                format!(
                    "no runs {}; {others} elsewhere: gavel status --all",
                    here.place()
                )
            }
        });
    } else {
        show(context, &listed, args.all);
        page.show(context, args.all);
    }
    let runs: Vec<Value> = listed.iter().map(Listed::as_json).collect();
    let data = json!({
        "runs": runs, "total": page.total, "page": page.number, "pages": page.pages,
    });
    context.ui.data("status", &data);
    Ok(Exit::Done)
}

/// Some of many runs.
struct Page<'a> {
    heads: &'a [Head],
    total: usize,
    number: usize,
    pages: usize,
}

impl<'a> Page<'a> {
    fn of(heads: &'a [Head], number: u32) -> Result<Self, Failure> {
        let pages = heads.len().div_ceil(PAGE).max(1);
        let number = usize::try_from(number).unwrap_or(usize::MAX);
        let page = number.checked_sub(1).and_then(|before| match pages {
            1 if before == 0 => Some(heads),
            _ => heads.chunks(PAGE).nth(before),
        });
        let heads_of_page = page.ok_or_else(|| {
            let beyond = format!("there is no page {number}");
            Failure::usage(beyond).hint(format!("the pages are 1 to {pages}"))
        })?;
        Ok(Self {
            heads: heads_of_page,
            total: heads.len(),
            number,
            pages,
        })
    }

    /// Says what is not on this page.
    fn show(&self, context: &Context, all: bool) {
        if self.pages == 1 {
            return;
        }
        let first = (self.number - 1) * PAGE + 1;
        let last = first + self.heads.len() - 1;
        let all = if all { " --all" } else { "" };
        let more = match self.number < self.pages {
            true => format!("; gavel status{all} --page {} goes on", self.number + 1),
            false => String::new(),
        };
        let which = format!("runs {first} to {last} of {}{more}", self.total);
        context.ui.line(context.ui.look(&which, Look::Faint));
    }
}

/// A run in the list.
struct Listed<'a> {
    head: &'a Head,
    given: Option<Given>,
    driven: bool,
    next: String,
    of_loop: Option<LoopInList>,
}

impl<'a> Listed<'a> {
    async fn read(store: &SqliteStore, head: &'a Head) -> Result<Self, Failure> {
        let driven = store.driver(head.run).await?.is_some();
        let stand = loops::Stand::read(store, head).await;
        let stand = unless_damaged(head.run, stand)?.flatten();
        let mut of_loop = stand.map(|stand| stand.in_list(head, driven));
        let next_of_loop = of_loop.as_mut().and_then(|of_loop| of_loop.next.take());
        Ok(Self {
            head,
            given: unless_damaged(head.run, given(store, head).await)?.flatten(),
            driven,
            next: next_of_loop.unwrap_or_else(|| next(head, driven)),
            of_loop,
        })
    }

    fn row(&self, with_folder: bool) -> Vec<Cell> {
        let head = self.head;
        let given = self.given.as_ref();
        let of_loop = self.of_loop.as_ref();
        let stage = of_loop.map_or_else(
            || head.stage.map_or("-", gavel_domain::Stage::word),
            |of_loop| of_loop.phase.as_str(),
        );
        let state_of_loop = of_loop.and_then(|of_loop| of_loop.state.clone());
        let mut cells = vec![
            (head.run.short(), Look::Strong),
            state_of_loop.unwrap_or_else(|| state(head, self.driven)),
            cell(stage),
            cell(head.spent_text()),
            cell(changed(head)),
            cell(given.map_or_else(|| "-".to_owned(), |given| clipped(&given.idea, IDEA))),
        ];
        if with_folder {
            let folder = given.and_then(|given| given.checkout.as_ref());
            let folder = folder.map_or_else(|| "-".to_owned(), |path| path.display().to_string());
            cells.push(cell(folder));
        }
        cells
    }

    fn as_json(&self) -> Value {
        let mut data = as_json(self.head);
        if let Value::Object(fields) = &mut data {
            let given = self.given.as_ref();
            fields.insert("idea".into(), json!(given.map(|given| &given.idea)));
            fields.insert(
                "folder".into(),
                json!(given.and_then(|given| given.checkout.as_ref())),
            );
            fields.insert("next".into(), json!(self.next));
        }
        data
    }
}

fn show(context: &Context, listed: &[Listed<'_>], with_folder: bool) {
    let mut titles = vec!["run", "state", "stage", "spent", "changed", "idea"];
    if with_folder {
        titles.push("folder");
    }
    let titles = titles
        .iter()
        .map(|title| ((*title).to_owned(), Look::Faint));
    let mut rows: Vec<Vec<Cell>> = vec![titles.collect()];
    rows.extend(listed.iter().map(|one| one.row(with_folder)));
    context.ui.table(&rows);
    let open = listed.iter().filter(|one| !one.head.state.is_final());
    let open: Vec<_> = open.take(MOST_NEXT).collect();
    let newest = listed.first().filter(|_| open.is_empty());
    for (place, one) in open.into_iter().chain(newest).enumerate() {
        let before = if place == 0 { "next  " } else { "      " };
        context.ui.command((before, &one.next), "");
    }
}

/// Shown times are local, stored ones are UTC. The time of day matters for what is recent.
fn changed(head: &Head) -> String {
    let here = |at: gavel_domain::Timestamp| at.to_zoned(TimeZone::system());
    let (changed, now) = (here(head.updated_at), here(Context::clock().now()));
    let form = if changed.year() == now.year() {
        "%m-%d %H:%M"
    } else {
        "%Y-%m-%d"
    };
    changed.strftime(form).to_string()
}
