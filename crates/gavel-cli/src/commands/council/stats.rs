//! `gavel council stats`: what debates changed, what they cost, and how their decisions turned out.

use std::collections::BTreeMap;
use std::path::PathBuf;

use gavel_deliberation::CouncilRecord;
use gavel_domain::{Badge, Head, OptionsReviewed, ReviewMade, Voices};
use gavel_product::meeting;
use gavel_rules::council::{CouncilScore, DebateSeen, DecisionEnd, DecisionSeen, score};
use gavel_store::{Access, SqliteStore};
use serde_json::json;

use super::outcome::record;
use super::proved::{Proof, proofs};
use super::sheet::Sheet;
use crate::context::Context;
use crate::driver::{given, records};
use crate::exit::Exit;
use crate::failure::{Failure, unless_damaged};
use crate::ui::{Look, cell};
use crate::which_run::{RunsWanted, Surroundings};

/// How many runs are looked at, the newest first.
const LOOK_BACK: usize = 1_000;
/// How many debates are listed.
const LISTED: usize = 10;

pub(super) async fn run(context: &Context) -> Result<Exit, Failure> {
    let store = context.store(Access::ReadOnly).await?;
    let here = Surroundings::of(context)?;
    let found = here.runs(&store, RunsWanted::newest(LOOK_BACK)).await?;
    let mut seen = Vec::new();
    let mut memories = BTreeMap::new();
    for head in found.heads {
        let debates = debates_of(&store, &head, &mut memories).await;
        seen.extend(unless_damaged(head.run, debates)?.unwrap_or_default());
    }
    let total = score(&seen);
    if seen.is_empty() {
        let none = format!("no council has met {}", here.place());
        context.ui.line(none);
    } else {
        table(context, &seen);
        sheet(&total).print(context);
    }
    let data = json!({ "score": total, "debates": seen });
    context.ui.data("council_stats", &data);
    Ok(Exit::Done)
}

/// What people said about decisions, by checkout: each memory is read once.
type Memories = BTreeMap<PathBuf, Vec<Proof>>;

/// The debates of a run, and the reviews by rules in their place.
async fn debates_of(
    store: &SqliteStore,
    head: &Head,
    memories: &mut Memories,
) -> Result<Vec<DebateSeen>, Failure> {
    let ours = [gavel_product::DRIVER, meeting::DRIVER];
    if !ours.contains(&head.driver.as_str()) {
        return Ok(Vec::new());
    }
    let Some(last) = record(store, head, None).await? else {
        return reviews_of(store, head).await;
    };
    let checkout = given(store, head).await?.and_then(|given| given.checkout);
    let said: &[Proof] = match checkout {
        Some(checkout) => memories
            .entry(checkout.clone())
            .or_insert_with(|| proofs(&checkout)),
        None => &[],
    };
    let mut seen = Vec::new();
    for number in 1..last.meetings {
        if let Some(earlier) = record(store, head, Some(number)).await? {
            seen.push(debate(&earlier, |told| end_of(&earlier, (said, told))));
        }
    }
    seen.push(debate(&last, |told| end_of(&last, (said, told))));
    // Where nobody opened, or it was cut, nothing was debated.
    seen.retain(|debate| debate.badge.is_some());
    Ok(seen)
}

/// Reviews count as such: nobody debated.
async fn reviews_of(store: &SqliteStore, head: &Head) -> Result<Vec<DebateSeen>, Failure> {
    let records = records(store, head).await?;
    let is_review = |record: &&gavel_domain::Record| {
        record.read::<OptionsReviewed>().is_ok()
            || record.read::<ReviewMade>().is_ok() && record.key.as_str().starts_with("council-")
    };
    let reviews = records.iter().filter(is_review);
    let seen = reviews.map(|_| DebateSeen {
        run: head.run.to_string(),
        voices: Voices::Rules,
        stop: None,
        rounds: 0,
        badge: None,
        cost: gavel_domain::MicroUsd::ZERO,
        decisions: Vec::new(),
    });
    Ok(seen.collect())
}

fn debate(record: &CouncilRecord, end: impl Fn(&str) -> DecisionEnd) -> DebateSeen {
    let sure = record.confidence.as_ref();
    // What stayed open is no decision that could be right.
    let made = record.decisions.iter();
    let made = made.filter(|told| told.id.is_none() || told.option.is_some());
    let decisions = made.map(|told| DecisionSeen {
        id: told
            .id
            .clone()
            .unwrap_or_else(|| format!("decision-{}", told.number)),
        changed: told.changed,
        outcome: end(&told.key),
    });
    DebateSeen {
        run: record.run.to_string(),
        voices: sure.map_or(Voices::Several, |sure| sure.voices),
        stop: record.stop.as_ref().map(|stop| stop.reason),
        rounds: record.stop.as_ref().map_or(0, |stop| stop.rounds),
        badge: sure.and_then(|sure| sure.badge),
        cost: record.stats.cost,
        decisions: decisions.collect(),
    }
}

/// What became of a decision. Only a word about that very decision counts: a run that was sealed may
/// have been sealed in spite of it.
fn end_of(record: &CouncilRecord, (said, key): (&[Proof], &str)) -> DecisionEnd {
    let of_this = |proof: &&Proof| proof.run == record.run && proof.key == key;
    match said.iter().rfind(of_this) {
        Some(proof) if proof.right => DecisionEnd::Right,
        Some(_) => DecisionEnd::Wrong,
        None => DecisionEnd::Unknown,
    }
}

fn table(context: &Context, seen: &[DebateSeen]) {
    let titles = [
        "run",
        "voices",
        "rounds",
        "decisions",
        "changed",
        "evidence",
        "cost",
    ];
    let mut rows = vec![titles.map(|title| (title.to_owned(), Look::Faint)).to_vec()];
    for debate in seen.iter().take(LISTED) {
        let short: String = debate.run.chars().rev().take(8).collect();
        let short: String = short.chars().rev().collect();
        let changed = debate
            .decisions
            .iter()
            .filter(|one| one.changed == Some(true));
        let voices = match debate.voices {
            Voices::Several => "several",
            Voices::OneModel => "one model",
            Voices::Rules => "rules",
        };
        rows.push(vec![
            (short, Look::Strong),
            cell(voices),
            cell(debate.rounds),
            cell(debate.decisions.len()),
            cell(changed.count()),
            cell(debate.badge.map_or("-", Badge::word)),
            cell(debate.cost),
        ]);
    }
    context.ui.table(&rows);
    if seen.len() > LISTED {
        let more = seen.len() - LISTED;
        context
            .ui
            .line(format!("and {more} more; --json lists all"));
    }
    context.ui.line("");
}

fn sheet(score: &CouncilScore) -> Sheet {
    let mut sheet = Sheet::default();
    let rounds = score
        .rounds_median
        .map_or_else(|| "-".to_owned(), |rounds| rounds.to_string());
    let debates = format!(
        "{} ({} without rounds, since drafts agreed; {} with one model), {rounds} rounds in the \
         middle, {} in all",
        score.debates, score.skipped, score.one_model, score.cost
    );
    sheet.label("Debates").text(&debates, Look::Plain);
    if score.reviews > 0 {
        let reviews = format!("{} by rules alone", score.reviews);
        sheet.label("Reviews").text(&reviews, Look::Plain);
    }
    let changed = format!(
        "{}: the debate changed {}, left {}",
        score.decisions, score.changed, score.unchanged
    );
    sheet.label("Decisions").text(&changed, Look::Plain);
    let turned = format!(
        "{} right, {} wrong, {} unknown",
        score.right, score.wrong, score.unknown
    );
    sheet.label("Turned out").text(&turned, Look::Plain);
    if score.changed > 0 {
        let worth = format!(
            "of those that the debate changed {} were right and {} wrong; of the others {} and {}",
            score.right_when_changed,
            score.wrong_when_changed,
            score.right_when_unchanged,
            score.wrong_when_unchanged
        );
        sheet.text(&worth, Look::Plain);
    }
    sheet
}
