//! `gavel intake`: scores and route of an idea, without a model and without a network.

use gavel_rules::{Circumstances, CouncilWish, Gap, GrayArea, Intake, Route, score_intake_in};

use super::control::read_text;
use crate::args::IntakeArgs;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::ui::{Cell, Look, cell};

pub(crate) fn run(context: &Context, args: IntakeArgs) -> Result<Exit, Failure> {
    let idea = read_text(args.idea)?;
    let council = if args.force_council {
        CouncilWish::Forced
    } else {
        CouncilWish::AsScored
    };
    let circumstances = Circumstances {
        max_sprints: args.max_sprints,
        council,
        ..Circumstances::default()
    };
    let intake = score_intake_in(&idea, &circumstances);
    card(context, &intake);
    context.ui.data("intake", &intake);
    Ok(Exit::Done)
}

fn card(context: &Context, intake: &Intake) {
    let (route, look) = match intake.route {
        Route::HotPath => ("straight to work", Look::Good),
        Route::Council => ("through the council", Look::Warn),
    };
    let why: Vec<_> = intake.reasons.iter().map(|why| why.sentence()).collect();
    let missing: Vec<_> = intake.missing.iter().copied().map(Gap::word).collect();
    let missing = match missing.as_slice() {
        [] => ("nothing".to_owned(), Look::Good),
        words => (words.join(", "), Look::Warn),
    };
    let score = |label: &str, score: String| cell(format!("{label} ({score})"));
    let complexity = intake.complexity;
    let rows = [
        ("route", (route.to_owned(), look)),
        ("why", cell(why.join("; "))),
        ("missing", missing),
        (
            "complexity",
            score(complexity.label.word(), complexity.score.to_string()),
        ),
        (
            "size",
            score(intake.size.label.word(), intake.size.score.to_string()),
        ),
        ("language", cell(language(intake))),
    ];
    let titled = |(title, cell): (&str, Cell)| vec![(title.to_owned(), Look::Strong), cell];
    context.ui.table(&rows.map(titled));
    if intake.gray_areas.is_empty() {
        return;
    }
    context.ui.line("");
    context
        .ui
        .line(context.ui.look("worth saying", Look::Strong));
    let asked = intake.gray_areas.iter().copied().map(question);
    context.ui.table(&asked.collect::<Vec<_>>());
}

fn language(intake: &Intake) -> String {
    let code = intake.language.code();
    if intake.scored {
        code.to_owned()
    } else {
        format!("{code}, which the local rules do not read")
    }
}

fn question(area: GrayArea) -> Vec<Cell> {
    let [recommended, ..] = area.options();
    vec![
        cell(format!("  {}", area.word())),
        cell(area.question()),
        (format!("for example: {recommended}"), Look::Faint),
    ]
}
