use super::*;

/// Three dollars in, fifteen out, thirty cents from the cache.
const DEAR: Price = Price {
    input: 3_000_000,
    cache_read: 300_000,
    cache_write: 3_750_000,
    output: 15_000_000,
};

/// The same without a cheaper cache.
const PLAIN: Price = Price {
    cache_read: 3_000_000,
    ..DEAR
};

fn model(name: &str, price: Option<Price>) -> PricedModel {
    PricedModel {
        name: name.to_owned(),
        price,
    }
}

fn staff(price: Option<Price>) -> PricedStaff {
    let one = model("fake/one", price);
    PricedStaff {
        leader: one.clone(),
        seats: vec![one.clone(); 2],
        coder: one.clone(),
        auditor: one.clone(),
        judge: one,
    }
}

fn preview(staff: &PricedStaff, route: Route, history: &[(Stage, StageHistory)]) -> Preview {
    preview_cost(PreviewCase {
        route,
        staff,
        max_sprints: 8,
        cap: Some(MicroUsd::dollars(5)),
        history: &history.iter().copied().collect(),
    })
}

fn of(preview: &Preview, stage: Stage) -> (Option<u64>, Option<u64>) {
    let found = preview.stages.iter().find(|found| found.stage == stage);
    let found = found.unwrap();
    (found.low.map(|low| low.0), found.high.map(|high| high.0))
}

#[test]
fn a_sprint_is_six_calls_of_eight_thousand_in_and_two_thousand_out() {
    // Six times 8,000 × $3 + 2,000 × $15 per million.
    let plain = preview(&staff(Some(PLAIN)), Route::Council, &[]);
    assert_eq!(plain.one_sprint, Some(MicroUsd(324_000)));
    assert_eq!(
        of(&plain, Stage::Building),
        (Some(648_000), Some(2_592_000))
    );
    // Seventy of a hundred from the cache: 2,400 × $3 + 5,600 × $0.30 + 2,000 × $15.
    let cached = preview(&staff(Some(DEAR)), Route::Council, &[]);
    assert_eq!(cached.one_sprint, Some(MicroUsd(6 * 38_880)));
}

#[test]
fn a_debate_is_thirty_thousand_in_and_six_thousand_out_over_all_seats() {
    for seats in 1..=3 {
        let mut staff = staff(Some(PLAIN));
        staff.seats = vec![model("fake/one", Some(PLAIN)); seats];
        let told = preview(&staff, Route::Council, &[]);
        // And 4 to 13 replies of the leader.
        let led = |replies: u64| replies * (6_000 * 3 + 1_200 * 15);
        let expected = (Some(180_000 + led(4)), Some(360_000 + led(13)));
        assert_eq!(of(&told, Stage::Council), expected);
    }
    let mut alone = staff(Some(PLAIN));
    alone.seats.clear();
    let told = preview(&alone, Route::Council, &[]);
    let debates = told.stages.iter().any(|told| told.stage == Stage::Council);
    assert!(!debates, "a review by rules costs nothing: {told:?}");
}

#[test]
fn the_total_is_the_sum_of_the_stages() {
    let told = preview(&staff(Some(DEAR)), Route::Council, &[]);
    let stages: Vec<_> = told.stages.iter().map(|stage| stage.stage).collect();
    assert_eq!(
        stages,
        [
            Stage::Discovery,
            Stage::Council,
            Stage::Scoping,
            Stage::Contracts,
            Stage::Building,
            Stage::Gating
        ]
    );
    let sum = |end: fn(&StagePreview) -> Option<MicroUsd>| told.stages.iter().map(end).sum();
    assert_eq!(told.low, sum(|stage| stage.low));
    assert_eq!(told.high, sum(|stage| stage.high));
    assert!(told.low < told.high && told.low > Some(MicroUsd::ZERO));
    assert_eq!((told.sprints_low, told.sprints_high), (2, 8));
}

#[test]
fn the_cap_is_told_in_sprints() {
    // Without other stages than the gate: the cap less two gate calls, by the price of a sprint.
    let hot = preview(&staff(Some(PLAIN)), Route::HotPath, &[]);
    assert_eq!(of(&hot, Stage::Gating), (Some(54_000), Some(108_000)));
    assert_eq!(hot.sprints_in_cap, Some((5_000_000 - 108_000) / 324_000));
    assert_eq!((hot.sprints_low, hot.sprints_high), (1, 1));
    for (cap, sprints) in [
        (Some(MicroUsd(1)), Some(1)),
        (Some(MicroUsd::dollars(1_000)), Some(3_086)),
        (None, None),
    ] {
        let told = preview_cost(PreviewCase {
            route: Route::HotPath,
            staff: &staff(Some(PLAIN)),
            max_sprints: 8,
            cap,
            history: &BTreeMap::new(),
        });
        assert_eq!(told.sprints_in_cap, sprints, "{cap:?}");
    }
}

#[test]
fn an_unknown_price_is_not_zero() {
    let mut staff = staff(Some(DEAR));
    staff.coder = model("other/new", None);
    let told = preview(&staff, Route::Council, &[]);
    assert_eq!((told.low, told.high), (None, None));
    assert_eq!(of(&told, Stage::Building), (None, None));
    assert!(of(&told, Stage::Council).0.is_some(), "{told:?}");
    assert_eq!(told.unpriced, ["other/new"]);
    assert_eq!((told.one_sprint, told.sprints_in_cap), (None, None));
    assert!(told.headline().contains("cannot be projected"));
    assert!(told.headline().contains("other/new"));
    let building = told.rows().into_iter().find(|row| row[0] == "building");
    assert_eq!(building.unwrap()[1], "cannot be projected");
    // What a model without a price cost before is not known either.
    let before = [(Stage::Building, StageHistory::of(MicroUsd::ZERO))];
    let again = preview(&staff, Route::Council, &before);
    assert_eq!(of(&again, Stage::Building), (None, None));
}

#[test]
fn free_models_cost_nothing_and_that_is_said() {
    let told = preview(&staff(Some(Price::FREE)), Route::Council, &[]);
    assert_eq!(told.low, Some(MicroUsd::ZERO));
    assert_eq!(told.high, Some(MicroUsd::ZERO));
    assert!(told.free && told.sprints_in_cap.is_none());
    assert_eq!(
        told.headline(),
        "This run costs nothing: its models are free."
    );
    assert!(told.notes().is_empty());
}

#[test]
fn earlier_runs_are_preferred_to_prices() {
    let history = StageHistory::of(MicroUsd(700_000)).and(MicroUsd(200_000));
    let history = history.and(MicroUsd(900_000));
    let told = preview(
        &staff(Some(DEAR)),
        Route::Council,
        &[(Stage::Building, history)],
    );
    assert_eq!(of(&told, Stage::Building), (Some(200_000), Some(900_000)));
    assert_eq!(told.sprints_in_cap, None);
    let rows = told.rows();
    let building = rows.iter().find(|row| row[0] == "building").unwrap();
    assert_eq!(building[1], "$0.20 to $0.90");
    assert_eq!(building[2], "as in 3 earlier runs");
    let council = rows.iter().find(|row| row[0] == "council").unwrap();
    assert_eq!(council[2], "");
}

#[test]
fn what_does_not_fit_is_told_with_what_would() {
    let told = preview_cost(PreviewCase {
        route: Route::Council,
        staff: &staff(Some(PLAIN)),
        max_sprints: 20,
        cap: Some(MicroUsd::dollars(5)),
        history: &BTreeMap::new(),
    });
    let rows = told.rows().into_iter().map(|row| row.join("|"));
    let lines: Vec<_> = std::iter::once(told.headline())
        .chain(rows)
        .chain(told.notes())
        .collect();
    assert_eq!(
        lines,
        [
            "This run may cost $1.67 to $8.88.",
            "discovery|$0.04 to $0.21|",
            "council|$0.33 to $0.83|",
            "scoping|$0.06 to $0.17|",
            "contracts|$0.49 to $0.76|",
            "building|$0.65 to $6.48|2 to 20 sprints",
            "gating|$0.12 to $0.44|",
            "The high end is above caps.run_usd ($5.00): the run pauses there and asks.",
            "$5.00 pays for about 8 sprints: --max-sprints 8 would fit.",
        ]
    );
}

#[test]
fn no_number_of_sprints_is_named_where_not_even_one_fits() {
    let told = preview_cost(PreviewCase {
        route: Route::Council,
        staff: &staff(Some(PLAIN)),
        max_sprints: 8,
        cap: Some(MicroUsd::dollars(1)),
        history: &BTreeMap::new(),
    });
    assert_eq!(told.sprints_in_cap, Some(1));
    let notes = told.notes();
    assert_eq!(notes.len(), 1, "{notes:?}");
    assert!(notes[0].contains("above caps.run_usd"), "{notes:?}");
}

#[test]
fn amounts_are_told_to_the_next_cent() {
    for (micros, told) in [
        (0, "$0.00"),
        (1, "$0.01"),
        (10_000, "$0.01"),
        (10_001, "$0.02"),
        (1_234_567, "$1.24"),
    ] {
        assert_eq!(cents(MicroUsd(micros)), told);
    }
}

#[test]
fn a_preview_is_read_as_it_was_kept() {
    let told = preview(&staff(Some(DEAR)), Route::HotPath, &[]);
    let kept = serde_json::to_string(&told).unwrap();
    assert_eq!(serde_json::from_str::<Preview>(&kept).unwrap(), told);
}
