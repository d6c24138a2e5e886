//! What is built in which order: first what is stored and read, then everything else.

use gavel_domain::{Criterion, Phase};

use super::{GENESIS, Plan, listed};
use crate::criteria::criteria;
use crate::design::{Command, Design, Entity};
use crate::transcript::Transcript;

/// The two phases: what is stored can be read; then everything else.
pub fn phases_of(plan: &Plan) -> [Phase; 2] {
    let design = &plan.design;
    let (mut late, mut early): (Vec<Criterion>, Vec<Criterion>) = plan
        .criteria
        .iter()
        .cloned()
        .partition(|criterion| is_late(design, criterion));
    // A phase ends with something, whatever a spec leaves out.
    for (phase, end) in [(&mut early, "_is_listed"), (&mut late, "help")] {
        let own = criteria(design)
            .into_iter()
            .find(|criterion| criterion.id.ends_with(end));
        phase.extend(own.filter(|_| phase.is_empty()));
    }
    let things = super::things(design);
    let commands = |late: bool| -> Vec<String> {
        let all = design
            .entities()
            .iter()
            .flat_map(|entity| entity.commands.iter().map(move |command| (entity, command)));
        let wanted = all.filter(|(_, command)| phase_of(command) == u32::from(late));
        wanted
            .map(|(entity, command)| format!("`{} {}`", entity.name, command.word()))
            .collect()
    };
    let phase = |number, name: &str, objective, deliverables, criteria| Phase {
        number,
        name: name.to_owned(),
        objective,
        deliverables,
        schema_coverage: design
            .entities()
            .iter()
            .map(|entity| entity.name.clone())
            .collect(),
        criteria,
    };
    let [first, more] = [commands(false), commands(true)];
    let first = vec![
        format!(
            "the data file of `{}`, with a line for each entry",
            design.program()
        ),
        format!("the commands {}", listed(&first)),
        "a test for each exit criterion".to_owned(),
    ];
    let mut rest = vec![
        "help for every command, and a README".to_owned(),
        "a test for each exit criterion".to_owned(),
    ];
    if !more.is_empty() {
        rest.insert(0, format!("the commands {}", listed(&more)));
    }
    [
        phase(
            0,
            GENESIS,
            format!(
                "{} can be stored, listed and shown.",
                super::capital(&things)
            ),
            first,
            early,
        ),
        phase(
            1,
            "Everything else",
            format!("All that is promised about {things} holds, and the program explains itself."),
            rest,
            late,
        ),
    ]
}

/// The phase in which a command is built.
pub(super) fn phase_of(command: &Command) -> u32 {
    u32::from(!matches!(
        command,
        Command::Add | Command::List | Command::Show
    ))
}

/// True for what needs a later command, explains commands, or cannot be told.
fn is_late(design: &Design, criterion: &Criterion) -> bool {
    let Ok(Transcript { steps, .. }) = criterion.example.parse() else {
        return true;
    };
    let words = |entity: &Entity, word: &String| {
        entity
            .commands
            .iter()
            .any(|command| command.word() == word && phase_of(command) > 0)
    };
    steps.iter().any(|step| {
        let said: Vec<&String> = step.args.iter().take(2).collect();
        let later = |word: &&String| design.entities().iter().any(|entity| words(entity, word));
        said.first().is_some_and(|word| *word == "help") || said.iter().any(later)
    })
}
