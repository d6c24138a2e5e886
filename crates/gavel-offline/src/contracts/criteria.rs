//! Criteria from phase windows, and whether the design can be what they speak of.

use std::collections::{BTreeMap, BTreeSet};

use gavel_domain::{ContractKind, Criterion, Example, ExampleAction, ExampleStep};

use super::ContractProblem;
use super::read::wrong;
use crate::design::{Command, Design, Entity, Field};
use crate::program::is_keyword;

/// The criteria of all phases up to one.
pub(super) fn read(windows: &[String], last: u32) -> Result<Vec<Criterion>, ContractProblem> {
    let mut phases: BTreeMap<u32, Vec<Criterion>> = BTreeMap::new();
    for window in windows {
        let found = phases_in(window)?;
        for (number, criteria) in found {
            phases.entry(number).or_insert(criteria);
        }
    }
    if !windows.is_empty() && !phases.contains_key(&last) {
        let place = format!("phase {last}");
        return Err(wrong(
            ContractKind::Phases,
            &place,
            "it is missing: begin it with `## Phase N: Name`",
        ));
    }
    let criteria: Vec<Criterion> = phases
        .into_iter()
        .filter(|(number, _)| *number <= last)
        .flat_map(|(_, all)| all)
        .map(|criterion| Criterion {
            example: modern(&criterion.example),
            ..criterion
        })
        .collect();
    let mut seen = BTreeSet::new();
    for Criterion { id, .. } in &criteria {
        let problem = |remedy| wrong(ContractKind::Phases, &format!("criterion `{id}`"), remedy);
        if !seen.insert(id) {
            return Err(problem("it stands twice: rename one of the two"));
        }
        if !Criterion::is_id(id) || is_keyword(id) || id == "main" {
            return Err(problem(
                "no test can be called so: use small letters, digits and underscores, and no word of Rust",
            ));
        }
    }
    Ok(criteria)
}

/// Contracts of earlier versions put a line into the data file without naming it; here it has a name.
fn modern(example: &str) -> String {
    let named = example.trim_start().strip_prefix("file ").and_then(|rest| {
        let (text, steps) = rest.split_once('\n')?;
        let steps = steps.replace("$ ", "$ --file damaged.txt ");
        let named = format!("file damaged.txt {text}\n{steps}");
        named.parse::<Example>().is_ok().then_some(named)
    });
    match (example.parse::<Example>(), named) {
        (Err(_), Some(named)) => named,
        (Ok(_) | Err(_), _) => example.to_owned(),
    }
}

/// True if the windows show that the first phase is the last one, too.
pub(super) fn is_only_phase(windows: &[String], phase: u32) -> Result<bool, ContractProblem> {
    let mut numbers = BTreeSet::new();
    for window in windows {
        numbers.extend(phases_in(window)?.into_iter().map(|(number, _)| number));
    }
    Ok(phase == 0 && numbers == BTreeSet::from([0]))
}

fn phases_in(window: &str) -> Result<Vec<(u32, Vec<Criterion>)>, ContractProblem> {
    let mut phases: Vec<(u32, Vec<Criterion>)> = Vec::new();
    let mut wanted = false;
    let mut fence: Option<&str> = None;
    for line in window.lines() {
        let text = line.trim();
        let marks = text.len() - text.trim_start_matches('`').len();
        if let Some(heading) = line.strip_prefix("## ").filter(|_| fence.is_none()) {
            wanted = false;
            phases.extend(number(heading).map(|number| (number, Vec::new())));
        } else if line.starts_with("**") && fence.is_none() {
            wanted = line.to_lowercase().starts_with("**exit criteria");
        }
        let Some((_, criteria)) = phases.last_mut().filter(|_| wanted) else {
            continue;
        };
        match (fence, line.strip_prefix("- "), criteria.last_mut()) {
            (Some(open), _, _) if text.starts_with(open) && text.len() == marks => fence = None,
            (Some(_), _, Some(last)) if last.example.is_empty() => last.example += text,
            (Some(_), _, Some(last)) => last.example += &format!("\n{text}"),
            (None, _, _) if marks >= 3 => fence = text.get(..marks),
            (None, Some(bullet), _) => criteria.push(criterion(bullet)?),
            (None, None, Some(last)) if line.starts_with(' ') && !text.is_empty() => {
                last.statement += &format!(" {text}");
            }
            (Some(_) | None, _, _) => {}
        }
    }
    Ok(phases)
}

/// The number in `Phase 3: name`.
fn number(heading: &str) -> Option<u32> {
    let (word, rest) = heading.trim().split_once(' ')?;
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    digits
        .parse()
        .ok()
        .filter(|_| word.eq_ignore_ascii_case("phase"))
}

fn criterion(bullet: &str) -> Result<Criterion, ContractProblem> {
    let parts = bullet
        .trim()
        .strip_prefix('`')
        .and_then(|rest| rest.split_once('`'));
    let named = parts.and_then(|(id, rest)| Some((id, rest.trim_start().strip_prefix(':')?)));
    let (id, statement) = named.ok_or_else(|| {
        wrong(
            ContractKind::Phases,
            &format!("bullet `{bullet}`"),
            "write - `id`: statement",
        )
    })?;
    Ok(Criterion {
        id: id.to_owned(),
        statement: statement.trim().to_owned(),
        example: String::new(),
    })
}

/// Every run that goes well is one that the program has; the same thing is told once for all criteria.
pub(super) fn check(
    design: &Design,
    criteria: &[Criterion],
    phase: u32,
) -> Result<(), ContractProblem> {
    let mut strange: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for criterion in criteria {
        let example: Example = criterion.example.parse().map_err(|source| {
            let id = criterion.id.clone();
            ContractProblem::Example { id, source }
        })?;
        let mut steps = example.steps.iter();
        if let Some(remedy) = steps.find_map(|step| step_problem(design, step, phase)) {
            strange
                .entry(remedy)
                .or_default()
                .push(format!("`{}`", criterion.id));
        }
    }
    let Some((remedy, ids)) = strange.into_iter().next() else {
        return Ok(());
    };
    Err(wrong(
        ContractKind::Phases,
        &format!("criteria {}", crate::english::listed(&ids)),
        &remedy,
    ))
}

/// What is wrong with a step: what goes well must be something that the program has.
fn step_problem(design: &Design, step: &ExampleStep, phase: u32) -> Option<String> {
    if !step.json.is_empty() {
        return Some("the program prints no JSON: say with `has` what it prints".to_owned());
    }
    match &step.action {
        ExampleAction::Run { args, exit: 0, .. } => problem(design, args, phase),
        ExampleAction::Run { .. } => None,
        ExampleAction::Ask { .. } => {
            Some("the program has no server: say with `$` what is run".to_owned())
        }
    }
}

/// What the program would not understand in a run, and what to change.
fn problem(design: &Design, args: &[String], phase: u32) -> Option<String> {
    let mut words: Vec<&str> = args.iter().map(String::as_str).collect();
    let file = words.first() == Some(&"--file");
    words.drain(..words.len().min(if file { 2 } else { 0 }));
    let help = words
        .first()
        .is_some_and(|word| ["help", "--help", "-h"].contains(word));
    words.drain(..usize::from(help));
    let first = words.first().copied().unwrap_or_default();
    let called = |entity: &&Entity| {
        [&entity.name, &entity.plural]
            .iter()
            .any(|name| *name == first)
    };
    let (entity, skipped) = match (design.entities().iter().find(called), design.entities()) {
        (Some(entity), _) => (entity, 1),
        (None, [only]) => (only, 0),
        (None, _) if help && words.is_empty() => return None,
        (None, _) => {
            return Some(format!(
                "schema.md has no entity `{first}`: name one that it has"
            ));
        }
    };
    let name = &entity.name;
    let Some(word) = words.get(skipped) else {
        return (!help).then(|| format!("say what to do with `{name}`"));
    };
    let Some(command) = entity
        .commands
        .iter()
        .find(|command| command.word() == *word)
    else {
        let missing = format!("physics.yaml has no command `{name} {word}` up to phase {phase}");
        return Some(format!("{missing}: add it there, or change these criteria"));
    };
    if help {
        return None;
    }
    options(
        entity,
        command,
        words.get(skipped + 1..).unwrap_or_default(),
    )
}

fn options(entity: &Entity, command: &Command, words: &[&str]) -> Option<String> {
    let name = &entity.name;
    let fields = || entity.fields.iter().map(|field| field.name.as_str());
    let known: Vec<&str> = match command {
        Command::Add | Command::List | Command::Edit => fields().collect(),
        Command::Total { .. } => vec!["by"],
        Command::Show | Command::Delete | Command::Search | Command::Mark { .. } => Vec::new(),
    };
    let (mut given, mut alone) = (Vec::new(), false);
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let Some(option) = word.strip_prefix("--").filter(|option| !option.is_empty()) else {
            alone = true;
            continue;
        };
        let said = option.split_once('=').map_or(option, |(said, _)| said);
        if said == option {
            words.next();
        }
        let same = |known: &&&str| **known == said || said.strip_suffix('s') == Some(known);
        let starts = |known: &&&str| known.starts_with(said);
        let Some(field) = known
            .iter()
            .find(same)
            .or_else(|| known.iter().find(starts))
        else {
            let word = command.word();
            let missing = format!("schema.md gives {name} no `{said}` to {word}");
            return Some(format!(
                "{missing}: put the field back, or take --{said} out"
            ));
        };
        given.push(*field);
    }
    given.extend(
        entity
            .main_text()
            .filter(|_| alone)
            .map(|field| field.name.as_str()),
    );
    let needed = |field: &&Field| field.required && !given.contains(&field.name.as_str());
    let missing = entity
        .fields
        .iter()
        .find(needed)
        .filter(|_| *command == Command::Add)?;
    let missing = format!("{name} requires `{}`", missing.name);
    Some(format!(
        "{missing}: give it wherever one is added, or make it optional in schema.md"
    ))
}
