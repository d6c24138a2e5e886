//! Every criterion's example holds against the real program, and so does every variation of it; a
//! program that learned the written values by heart keeps none of them.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use gavel_domain::{Example, ExampleAction, ExampleStep, FileAfter};
use gavel_offline::{Design, criteria};
use gavel_rules::examples::{FileSeen, Said, StepEnd, StepOrder, StepSeen, judge_example, vary};

use crate::scripts::{SCRIPTS, idea_of};
use crate::workshop::{Workshop, design, program};

/// What the contract `physics` declares: commands, and options by the names of fields.
fn known_words(design: &Design) -> Vec<String> {
    let mut words = vec!["help".to_owned(), "--file".to_owned(), "--by".to_owned()];
    for entity in design.entities() {
        let commands = entity.commands.iter();
        words.extend(commands.map(|command| format!("{} {}", entity.name, command.word())));
        words.extend(
            entity
                .fields
                .iter()
                .map(|field| format!("--{}", field.name)),
        );
    }
    words
}

#[expect(
    clippy::disallowed_methods,
    reason = "the generated program is what is tested"
)]
fn run(binary: &Path, folder: &Path, step: &ExampleStep) -> StepSeen {
    let ExampleAction::Run { args, stdin, .. } = &step.action else {
        panic!("{step}: these programs have no server");
    };
    let mut child = Command::new(binary)
        .args(args)
        .current_dir(folder)
        .env_clear()
        .env("HOME", folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(stdin.as_bytes()).ok();
    let output = child.wait_with_output().unwrap();
    let said = |bytes: &[u8]| Said {
        text: String::from_utf8_lossy(bytes).into_owned(),
        cut: false,
    };
    let file = |file: &FileAfter| match file {
        FileAfter::Holds(file) => match fs::read(folder.join(file.path.as_str())) {
            Ok(bytes) => FileSeen::Text { said: said(&bytes) },
            Err(_) => FileSeen::Missing,
        },
        FileAfter::Gone(_) => FileSeen::Missing,
    };
    StepSeen {
        end: StepEnd::Exited {
            code: output.status.code().unwrap(),
        },
        out: said(&output.stdout),
        err: said(&output.stderr),
        files: step.files.iter().map(file).collect(),
        millis: 0,
        changed_files: false,
    }
}

fn executed(binary: &Path, example: &Example) -> Vec<StepSeen> {
    let folder = tempfile::tempdir().unwrap();
    for file in &example.files {
        fs::write(folder.path().join(file.path.as_str()), &file.text).unwrap();
    }
    let steps = example.steps.iter();
    steps.map(|step| run(binary, folder.path(), step)).collect()
}

fn judged(example: &Example, seen: &[StepSeen]) -> Vec<String> {
    judge_example(example, &StepOrder::written(example), seen)
}

#[test]
fn examples_and_their_variations_hold_against_the_program() {
    let workshop = Workshop::new("examples");
    for idea in SCRIPTS.map(idea_of) {
        let design = design(idea);
        let known = known_words(&design);
        let folder = workshop.write(design.program(), &program(&design));
        let binary = workshop.build(&folder, design.program());
        let (mut varied, mut all) = (Vec::new(), 0);
        for criterion in criteria(&design) {
            let example: Example = criterion.example.parse().unwrap();
            assert!(example.expects_something(), "{}", criterion.id);
            let by_heart = executed(&binary, &example);
            let problems = judged(&example, &by_heart);
            assert_eq!(problems, Vec::<String>::new(), "{idea}: {}", criterion.id);
            all += 1;
            for seed in [1, 22, 333] {
                let Some(other) = vary(&example, &known, seed) else {
                    continue;
                };
                let seen = executed(&binary, &other.example);
                let problems = judged(&other.example, &seen);
                let id = &criterion.id;
                assert_eq!(
                    problems,
                    Vec::<String>::new(),
                    "{idea}: {id}\n{}",
                    other.example
                );
                assert_ne!(judged(&other.example, &by_heart), Vec::<String>::new());
                varied.push(id.clone());
            }
        }
        varied.dedup();
        // What only refuses, helps or fails gives nothing back.
        assert!(
            varied.len() * 2 >= all,
            "{idea}: {} of {all}: {varied:?}",
            varied.len()
        );
    }
}
