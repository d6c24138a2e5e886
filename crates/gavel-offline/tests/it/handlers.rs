//! A program's own tests notice when a command does nothing.

use gavel_offline::File;

use crate::workshop::{Workshop, design, expect_success, program};

const SIGNATURE: &str = "(file: &Path, words: &[&str]) -> Result<String, Error> {\n";

/// The files with the body of one handler gone, for each handler.
fn mutants(files: &[File]) -> Vec<(String, Vec<File>)> {
    let mut mutants = Vec::new();
    for file in files
        .iter()
        .filter(|file| file.path.starts_with("src/commands/"))
    {
        let mut before = String::new();
        let parts: Vec<&str> = file.content.split_inclusive(SIGNATURE).collect();
        for (head, rest) in parts.iter().zip(parts.iter().skip(1)) {
            before += head;
            let name = head.lines().next_back().unwrap();
            if name.starts_with("pub fn run") {
                continue;
            }
            let (_, after) = file
                .content
                .strip_prefix(&before)
                .unwrap()
                .split_once("\n}\n")
                .unwrap();
            assert!(rest.contains("\n}\n"), "{name}");
            let content =
                format!("{before}    let _ = (file, words);\n    Ok(String::new())\n}}\n{after}");
            let mut changed = files.to_vec();
            changed.retain(|other| other.path != file.path);
            changed.push(File {
                path: file.path.clone(),
                content,
            });
            mutants.push((format!("{}: {name}", file.path), changed));
        }
    }
    mutants
}

/// How many handlers there are, and which of them nobody would miss.
fn unnoticed(idea: &str) -> (usize, Vec<String>) {
    let workshop = Workshop::new("mutants");
    let design = design(idea);
    let files = program(&design);
    let folder = workshop.write(design.program(), &files);
    let test = || workshop.cargo(&folder, &["test", "--locked", "--quiet", "--test", "cli"]);
    expect_success(&test());
    let mut survivors = Vec::new();
    let mutants = mutants(&files);
    for (name, changed) in &mutants {
        workshop.write(design.program(), changed);
        let output = test();
        let said = String::from_utf8_lossy(&output.stdout);
        let noticed = !output.status.success() && said.contains("test result: FAILED");
        if !noticed {
            survivors.push(format!(
                "{name}\n{said}\n{}",
                String::from_utf8_lossy(&output.stderr)
            ));
        }
    }
    workshop.write(design.program(), &files);
    (mutants.len(), survivors)
}

#[test]
fn a_handler_that_does_nothing_fails_a_test() {
    let (handlers, survivors) = unnoticed("todo list with due dates and monthly totals");
    assert_eq!(survivors, Vec::<String>::new());
    assert_eq!(handlers, 8);
}

#[test]
fn a_program_whose_idea_was_chosen_by_others_misses_its_handlers_too() {
    let idea = "fuel log for my car: date, litres, price, station; total per month";
    let (handlers, survivors) = unnoticed(idea);
    assert_eq!(survivors, Vec::<String>::new());
    assert_eq!(handlers, 7);
}
