//! What a run may cost, told before the first paid call: a range for each stage, from the prices of
//! its models, or from earlier runs with the same models where there are any.

use std::collections::{BTreeMap, BTreeSet};

use gavel_domain::{MicroUsd, Price, Stage, TokenUsage, Tokens, cost};
use serde::{Deserialize, Serialize};

use crate::Route;

/// The sprints of a run that goes well.
const FEW_SPRINTS: u32 = 2;
/// How much of a request comes from the provider's cache, in percent, where that is cheaper.
const CACHED_PERCENT: u64 = 70;

/// A model and its price.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PricedModel {
    /// `provider/model`.
    pub name: String,
    /// `None` when it is unknown, which is not the same as free.
    pub price: Option<Price>,
}

/// Who works in a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PricedStaff {
    /// Leads: discovery, spec, contracts.
    pub leader: PricedModel,
    /// The seats of the council.
    pub seats: Vec<PricedModel>,
    /// Writes code.
    pub coder: PricedModel,
    /// Checks it.
    pub auditor: PricedModel,
    /// Judges what no test shows.
    pub judge: PricedModel,
}

/// What a stage cost in earlier runs with the same models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StageHistory {
    /// How many runs.
    pub runs: u32,
    /// The least that one of them spent.
    pub lowest: MicroUsd,
    /// The most.
    pub highest: MicroUsd,
}

impl StageHistory {
    /// One run.
    pub const fn of(spent: MicroUsd) -> Self {
        Self {
            runs: 1,
            lowest: spent,
            highest: spent,
        }
    }

    /// With another run.
    #[must_use]
    pub fn and(self, spent: MicroUsd) -> Self {
        Self {
            runs: self.runs.saturating_add(1),
            lowest: self.lowest.min(spent),
            highest: self.highest.max(spent),
        }
    }
}

/// What the preview is computed from.
#[derive(Debug, Clone, Copy)]
pub struct PreviewCase<'a> {
    /// The way that the run takes.
    pub route: Route,
    /// Its models.
    pub staff: &'a PricedStaff,
    /// The most sprints.
    pub max_sprints: u32,
    /// The run's money cap.
    pub cap: Option<MicroUsd>,
    /// What earlier runs with the same models and the same way spent.
    pub history: &'a BTreeMap<Stage, StageHistory>,
}

/// What a run may cost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Preview {
    /// Each stage that asks a model, in order.
    pub stages: Vec<StagePreview>,
    /// The least that is likely; `None` when it cannot be projected.
    pub low: Option<MicroUsd>,
    /// The most that is likely.
    pub high: Option<MicroUsd>,
    /// The sprints of the low end.
    pub sprints_low: u32,
    /// The sprints of the high end.
    pub sprints_high: u32,
    /// About what one sprint costs, by the prices.
    pub one_sprint: Option<MicroUsd>,
    /// How many sprints the cap pays for, at least one; `None` without a cap, for free models, and
    /// where it cannot be projected.
    pub sprints_in_cap: Option<u32>,
    /// The run's money cap.
    pub cap: Option<MicroUsd>,
    /// Models without a known price.
    pub unpriced: Vec<String>,
    /// True when every model costs nothing.
    pub free: bool,
}

/// What a stage may cost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StagePreview {
    /// Which.
    pub stage: Stage,
    /// The least that is likely; `None` when it cannot be projected.
    pub low: Option<MicroUsd>,
    /// The most that is likely.
    pub high: Option<MicroUsd>,
    /// How many earlier runs this comes from; none means from the prices.
    pub earlier_runs: u32,
}

/// Calls of one kind.
struct Piece<'a> {
    stage: Stage,
    model: &'a PricedModel,
    /// The fewest and the most calls, of the run or of each sprint.
    calls: (u32, u32),
    times: Times,
    /// Of one call.
    input: u64,
    output: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Times {
    Once,
    EachSprint,
}

impl<'a> Piece<'a> {
    const fn once(stage: Stage, model: &'a PricedModel, calls: (u32, u32)) -> Self {
        Self {
            stage,
            model,
            calls,
            times: Times::Once,
            input: 8_000,
            output: 2_000,
        }
    }

    const fn each_sprint(model: &'a PricedModel, calls: u32) -> Self {
        Self {
            times: Times::EachSprint,
            ..Self::once(Stage::Building, model, (calls, calls))
        }
    }

    const fn tokens(self, input: u64, output: u64) -> Self {
        Self {
            input,
            output,
            ..self
        }
    }

    /// What one call costs; `None` when nobody knows.
    fn one_call(&self) -> Option<MicroUsd> {
        let price = self.model.price?;
        let cached = if price.cache_read < price.input {
            self.input * CACHED_PERCENT / 100
        } else {
            0
        };
        let usage = TokenUsage {
            input: Tokens(self.input - cached),
            cache_read: Tokens(cached),
            cache_write: Tokens(0),
            output: Tokens(self.output),
        };
        Some(cost(&price, &usage))
    }

    /// The range over so many sprints.
    fn range(&self, (few, most): (u32, u32)) -> Option<(MicroUsd, MicroUsd)> {
        let one = self.one_call()?;
        let (few, most) = match self.times {
            Times::Once => (1, 1),
            Times::EachSprint => (few, most),
        };
        let of = |calls: u32, times: u32| {
            MicroUsd(one.0.saturating_mul(u64::from(calls) * u64::from(times)))
        };
        Some((of(self.calls.0, few), of(self.calls.1, most)))
    }
}

/// The calls that a run is expected to make. The figures are those of a small product: what a stage
/// really costs is known after the first run, and told from then on.
fn pieces(route: Route, staff: &PricedStaff) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    if route == Route::Council {
        let leader = &staff.leader;
        pieces.push(Piece::once(Stage::Discovery, leader, (1, 6)).tokens(4_000, 1_500));
        // A debate has about 30,000 tokens in and 6,000 out, over all seats; without seats the rules
        // review, and that costs nothing.
        // Its leader plans, looks at each round, draws together and judges.
        if !staff.seats.is_empty() {
            pieces.push(Piece::once(Stage::Council, leader, (4, 13)).tokens(6_000, 1_200));
        }
        let share = u64::try_from(staff.seats.len()).unwrap_or(1).max(1);
        pieces.extend(staff.seats.iter().map(|seat| {
            Piece::once(Stage::Council, seat, (1, 2)).tokens(30_000 / share, 6_000 / share)
        }));
        pieces.push(Piece::once(Stage::Scoping, leader, (1, 3)));
        pieces.push(Piece::once(Stage::Contracts, leader, (9, 14)));
    }
    pieces.push(Piece::each_sprint(&staff.coder, 4));
    pieces.push(Piece::each_sprint(&staff.auditor, 1));
    pieces.push(Piece::each_sprint(&staff.judge, 1));
    pieces.push(Piece::once(Stage::Gating, &staff.judge, (1, 2)));
    if route == Route::Council {
        // One round with models of different providers, five of the same tier.
        pieces.push(Piece::once(Stage::Gating, &staff.leader, (1, 5)).tokens(6_000, 1_000));
        pieces.push(Piece::once(Stage::Gating, &staff.auditor, (1, 5)).tokens(6_000, 1_000));
    }
    pieces
}

/// Projects what a run may cost.
pub fn preview_cost(case: PreviewCase<'_>) -> Preview {
    let (sprints_low, sprints_high) = match case.route {
        Route::HotPath => (1, 1),
        Route::Council => (
            FEW_SPRINTS.min(case.max_sprints).max(1),
            case.max_sprints.max(1),
        ),
    };
    let pieces = pieces(case.route, case.staff);
    let unpriced: BTreeSet<_> = pieces
        .iter()
        .filter(|piece| piece.model.price.is_none())
        .map(|piece| piece.model.name.clone())
        .collect();
    // In the order of the way.
    let stages: BTreeSet<_> = pieces.iter().map(|piece| piece.stage).collect();
    let stages: Vec<_> = stages
        .into_iter()
        .map(|stage| {
            let of_stage = pieces.iter().filter(|piece| piece.stage == stage);
            stage_preview(stage, of_stage, &case, (sprints_low, sprints_high))
        })
        .collect();
    let one_sprint: Option<MicroUsd> = pieces
        .iter()
        .filter(|piece| piece.times == Times::EachSprint)
        .map(|piece| Some(piece.range((1, 1))?.0))
        .sum();
    let low = stages.iter().map(|stage| stage.low).sum();
    let high = stages.iter().map(|stage| stage.high).sum();
    let free = pieces
        .iter()
        .all(|piece| piece.model.price == Some(Price::FREE));
    Preview {
        sprints_in_cap: sprints_in_cap(case.cap, one_sprint, &stages),
        stages,
        low,
        high,
        sprints_low,
        sprints_high,
        one_sprint,
        cap: case.cap,
        unpriced: unpriced.into_iter().collect(),
        free,
    }
}

fn stage_preview<'a>(
    stage: Stage,
    pieces: impl Iterator<Item = &'a Piece<'a>>,
    case: &PreviewCase<'_>,
    sprints: (u32, u32),
) -> StagePreview {
    let known: Option<Vec<_>> = pieces.map(|piece| piece.range(sprints)).collect();
    // Money that was spent on a model without a price is nobody's knowledge, so history does not help.
    let history = known.as_ref().and_then(|_| case.history.get(&stage));
    let (low, high) = match (&known, history) {
        (_, Some(history)) => (Some(history.lowest), Some(history.highest)),
        (Some(ranges), None) => (
            Some(ranges.iter().map(|(low, _)| *low).sum()),
            Some(ranges.iter().map(|(_, high)| *high).sum()),
        ),
        (None, None) => (None, None),
    };
    StagePreview {
        stage,
        low,
        high,
        earlier_runs: history.map_or(0, |history| history.runs),
    }
}

/// What is left of the cap after everything else, in sprints; at least one is always tried.
fn sprints_in_cap(
    cap: Option<MicroUsd>,
    one_sprint: Option<MicroUsd>,
    stages: &[StagePreview],
) -> Option<u32> {
    let (cap, one) = (cap?, one_sprint?);
    let building = stages.iter().find(|stage| stage.stage == Stage::Building)?;
    if building.earlier_runs > 0 {
        // What sprints really cost is not known one by one.
        return None;
    }
    let others = stages.iter().filter(|stage| stage.stage != Stage::Building);
    let others: Option<MicroUsd> = others.map(|stage| stage.high).sum();
    let sprints = cap.saturating_sub(others?).0.checked_div(one.0)?;
    Some(u32::try_from(sprints).unwrap_or(u32::MAX).max(1))
}

impl Preview {
    /// The stages as rows of a table: the stage, its range, where that comes from.
    pub fn rows(&self) -> Vec<[String; 3]> {
        let row = |stage: &StagePreview| {
            let told = match (stage.low, stage.high) {
                (Some(low), Some(high)) => range(low, high),
                (None, _) | (_, None) => "cannot be projected".to_owned(),
            };
            [stage.stage.word().to_owned(), told, self.basis(stage)]
        };
        self.stages.iter().map(row).collect()
    }

    fn basis(&self, stage: &StagePreview) -> String {
        match (stage.earlier_runs, stage.stage) {
            (0, Stage::Building) if self.sprints_low == self.sprints_high => {
                counted(self.sprints_high, "sprint")
            }
            (0, Stage::Building) => {
                format!("{} to {} sprints", self.sprints_low, self.sprints_high)
            }
            (0, _) => String::new(),
            (runs, _) => format!("as in {}", counted(runs, "earlier run")),
        }
    }

    /// One sentence about all of it.
    pub fn headline(&self) -> String {
        if self.free {
            return "This run costs nothing: its models are free.".to_owned();
        }
        match (self.low, self.high) {
            (Some(low), Some(high)) => format!("This run may cost {}.", range(low, high)),
            (None, _) | (_, None) => format!(
                "What this run may cost cannot be projected: the price of {} is not known.",
                self.unpriced.join(", ")
            ),
        }
    }

    /// Whether the run with so many sprints stays below the cap.
    fn fits(&self, sprints: u32, cap: MicroUsd) -> bool {
        let others = self.stages.iter();
        let others = others.filter(|stage| stage.stage != Stage::Building);
        let others: Option<MicroUsd> = others.map(|stage| stage.high).sum();
        let (Some(others), Some(one)) = (others, self.one_sprint) else {
            return false;
        };
        others + MicroUsd(one.0.saturating_mul(u64::from(sprints))) <= cap
    }

    /// What a person should know besides.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        let Some(cap) = self.cap else {
            return notes;
        };
        if self.high.is_some_and(|high| high > cap) {
            notes.push(format!(
                "The high end is above caps.run_usd ({cap}): the run pauses there and asks."
            ));
        }
        if let Some(sprints) = self.sprints_in_cap
            && sprints < self.sprints_high
            && self.fits(sprints, cap)
        {
            notes.push(format!(
                "{cap} pays for about {}: --max-sprints {sprints} would fit.",
                counted(sprints, "sprint")
            ));
        }
        notes
    }
}

fn counted(number: u32, what: &str) -> String {
    match number {
        1 => format!("1 {what}"),
        _ => format!("{number} {what}s"),
    }
}

fn range(low: MicroUsd, high: MicroUsd) -> String {
    let (low, high) = (cents(low), cents(high));
    if low == high {
        format!("about {low}")
    } else {
        format!("{low} to {high}")
    }
}

/// An amount to the next cent: more digits would promise what nobody knows.
fn cents(amount: MicroUsd) -> String {
    MicroUsd(amount.0.div_ceil(10_000).saturating_mul(10_000)).to_string()
}

#[cfg(test)]
#[path = "preview_tests.rs"]
mod tests;
