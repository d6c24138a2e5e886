//! Programs are broken on purpose, place by place: their own tests notice nine of ten faults, however the
//! seed of a run chooses among them.

use gavel_testkit::{BrokenProgram, asked_for};

use crate::workshop::{Workshop, design, program};

const SEEDS: u64 = 50;
const FEWEST_CAUGHT: usize = 90;

#[expect(clippy::print_stderr, reason = "figures for people who ask for them")]
fn notices(idea: &str) {
    if !asked_for("ideas") {
        return;
    }
    let design = design(idea);
    let workshop = Workshop::new(&format!("faults-{}", design.program()));
    let files = program(&design);
    let folder = workshop.write(design.program(), &files);
    let sources = files.iter().map(|file| file.path.as_str());
    let sources: Vec<&str> = sources.filter(|path| path.starts_with("src/")).collect();
    let cargo = |args: &[&str]| workshop.cargo(&folder, args);
    let broken = BrokenProgram::new(&folder, &sources, "cli", &cargo);
    let unnoticed = broken.unnoticed();
    let shares = (0..SEEDS).map(|seed| broken.caught(seed));
    let (share, missed) = shares.min_by_key(|(share, _)| *share).unwrap();
    let all = broken.faults();
    eprintln!(
        "{idea}: {} of {all} faults are noticed, and at least {} % of the {} that a run tries",
        all - unnoticed.len(),
        share.percent,
        share.tried
    );
    assert!(share.percent >= FEWEST_CAUGHT, "{missed:#?}");
    assert!(
        (all - unnoticed.len()) * 100 >= all * FEWEST_CAUGHT,
        "{unnoticed:#?}"
    );
}

#[test]
fn ideas_with_periods() {
    notices("fuel log for my car: date, litres, price, station; total per month");
}

#[test]
fn ideas_with_two_things() {
    notices(
        "I run a small vet practice and want to keep track of pets (name, species, owner) and their visits \
         (date, reason, cost)",
    );
}

#[test]
fn ideas_with_tags() {
    notices("a recipe box with title, servings, minutes and tags");
}

#[test]
fn ideas_with_numbers() {
    notices("what's in my wine cellar: wine name, vintage, region, number of bottles");
}

#[test]
fn ideas_with_marks() {
    notices("list of tools I lent out: tool, neighbour, date lent, returned yes/no");
}

#[test]
fn ideas_with_a_calendar() {
    notices("address book with birthdays, show whose birthday is coming up in the next 30 days");
}

#[test]
fn ideas_with_what_is_overdue() {
    notices("todo list with due dates, show what is overdue");
}

#[test]
fn ideas_with_what_runs_low() {
    notices("pantry inventory with minimum stock, warn me when something is low");
}

#[test]
fn ideas_with_an_order() {
    notices("a movie watchlist with ratings, sort by rating");
}

#[test]
fn ideas_with_streaks() {
    notices("a habit tracker with streaks");
}
