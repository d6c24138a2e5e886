//! `gavel watch`: follows the facts of a run from any process.

use gavel_domain::{Record, RunState, Seq};
use gavel_run::Follower;
use gavel_store::Access;
use serde_json::{Value, json};

use crate::context::{Context, Newest};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::ui::Look;

pub(crate) async fn run(
    context: &Context,
    run: Option<String>,
    from: u64,
    only: &[String],
) -> Result<Exit, Failure> {
    let store = context.store(Access::ReadOnly).await?;
    let head = context
        .run(store.as_ref(), run.as_deref(), Newest::Unfinished)
        .await?;
    let mut follower = Follower::new(store, head.run, Seq(from));
    let follow = async {
        loop {
            let records = follower.next().await?;
            let caught_up = records.is_empty();
            for record in records {
                if only.is_empty() || only.contains(&record.kind) {
                    show(context, &record);
                }
            }
            if caught_up && ended(&follower).await? {
                return Ok(Exit::Done);
            }
        }
    };
    tokio::select! {
        exit = follow => exit,
        _ = tokio::signal::ctrl_c() => Ok(Exit::Done),
    }
}

/// True once the run is over and every record up to its end was shown.
async fn ended(follower: &Follower) -> Result<bool, Failure> {
    let Some(head) = follower.head().await? else {
        return Ok(true);
    };
    let over = head.state.is_final() || head.state == RunState::Halted;
    Ok(over && follower.seen() >= head.seq)
}

fn show(context: &Context, record: &Record) {
    let time = record
        .at
        .to_zoned(jiff::tz::TimeZone::system())
        .strftime("%H:%M:%S")
        .to_string();
    context.ui.line(format!(
        "{} {:>5}  {}  {}",
        context.ui.look(&time, Look::Faint),
        record.seq,
        context.ui.look(&record.kind, Look::Strong),
        record.key,
    ));
    let body: Value = serde_json::from_str(&record.body).unwrap_or(Value::Null);
    context.ui.data(
        "fact",
        &json!({
            "run": record.run,
            "seq": record.seq,
            "key": record.key,
            "kind": record.kind,
            "at": record.at,
            "body": body,
        }),
    );
}
