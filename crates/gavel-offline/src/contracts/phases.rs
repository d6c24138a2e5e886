//! What is built in which order: first what is stored and read, then everything else.

use gavel_domain::{Criterion, Example, ExampleAction, ExampleStep, Phase};

use super::Plan;
use crate::criteria::criteria;
use crate::design::{Command, Design};
use crate::english::{capital, listed, spoken};

const TESTS: &str = "a test for each exit criterion";

/// The two phases: what is stored can be read; then everything else. Or one that holds both.
pub fn phases_of(plan: &Plan) -> Vec<Phase> {
    let [mut first, rest] = both(plan);
    if !plan.one_phase {
        return vec![first, rest];
    }
    let new = |text: &String| !first.deliverables.contains(text);
    let more: Vec<String> = rest.deliverables.into_iter().filter(new).collect();
    first.deliverables.retain(|text| text != TESTS);
    first.deliverables.extend(more);
    first.deliverables.push(TESTS.to_owned());
    first.criteria.extend(rest.criteria);
    first.objective = rest.objective;
    vec![first]
}

fn both(plan: &Plan) -> [Phase; 2] {
    let design = &plan.design;
    let is_late = |criterion: &Criterion| is_late(design, criterion);
    let (mut late, mut early): (Vec<_>, Vec<_>) = plan.criteria.iter().cloned().partition(is_late);
    // A phase ends with something, whatever a spec leaves out.
    for (phase, end) in [(&mut early, "_is_listed"), (&mut late, "help")] {
        let own = criteria(design)
            .into_iter()
            .find(|criterion| criterion.id.ends_with(end));
        phase.extend(own.filter(|_| phase.is_empty()));
    }
    let plurals: Vec<String> = design
        .entities()
        .iter()
        .map(|one| spoken(&one.plural))
        .collect();
    let things = listed(&plurals);
    let file = format!(
        "the data file of `{}`, with a line for each entry",
        design.program()
    );
    let phase = |number, name: &str, objective, deliverables: Vec<String>, criteria| Phase {
        number,
        name: name.to_owned(),
        objective,
        deliverables: deliverables
            .into_iter()
            .filter(|text| !text.is_empty())
            .collect(),
        schema_coverage: design
            .entities()
            .iter()
            .map(|one| one.name.clone())
            .collect(),
        criteria,
    };
    let stored = format!("{} can be stored, listed and shown.", capital(&things));
    let first = vec![file, commands(design, 0), TESTS.to_owned()];
    let holds =
        format!("All that is promised about {things} holds, and the program explains itself.");
    let help = "help for every command, and a README".to_owned();
    let rest = vec![commands(design, 1), help, TESTS.to_owned()];
    [
        phase(0, "Genesis", stored, first, early),
        phase(1, "Everything else", holds, rest, late),
    ]
}

/// The phase in which a command is built.
pub(super) fn phase_of(command: &Command) -> u32 {
    u32::from(!matches!(
        command,
        Command::Add | Command::List | Command::Show
    ))
}

/// The commands of a phase; an empty text if it has none.
fn commands(design: &Design, phase: u32) -> String {
    let mut names: Vec<String> = Vec::new();
    for entity in design.entities() {
        let own = entity
            .commands
            .iter()
            .filter(|command| phase_of(command) == phase);
        names.extend(own.map(|command| format!("`{} {}`", entity.name, command.word())));
    }
    if names.is_empty() {
        String::new()
    } else {
        format!("the commands {}", listed(&names))
    }
}

/// True for what needs a later command, explains commands, or cannot be told.
fn is_late(design: &Design, criterion: &Criterion) -> bool {
    let Ok(Example { steps, .. }) = criterion.example.parse() else {
        return true;
    };
    let commands = || design.entities().iter().flat_map(|entity| &entity.commands);
    let later = |word: &String| commands().any(|one| one.word() == word && phase_of(one) > 0);
    let late = |args: &[String]| {
        args.iter()
            .take(2)
            .any(|word| word == "help" || later(word))
    };
    let is_late = |step: &ExampleStep| match &step.action {
        ExampleAction::Run { args, .. } => late(args),
        ExampleAction::Ask { .. } => true,
    };
    steps.iter().any(is_late)
}
