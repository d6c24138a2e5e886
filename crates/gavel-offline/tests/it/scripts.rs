//! Programs pass scripts that were written from the idea alone, before there was a generator.

use std::path::Path;
use std::process::{Command, Output};

use crate::workshop::{Workshop, design, program};

pub(crate) const SCRIPTS: [&str; 5] = [
    include_str!("ideas/bookmarks.txt"),
    include_str!("ideas/expenses.txt"),
    include_str!("ideas/recipes.txt"),
    include_str!("ideas/books.txt"),
    include_str!("ideas/todos.txt"),
];

/// The idea that a script was written from.
pub(crate) fn idea_of(script: &str) -> &str {
    script.lines().next().unwrap().trim_start_matches("# ")
}

#[test]
fn programs_do_what_the_idea_says() {
    let workshop = Workshop::new("scripts");
    for script in SCRIPTS {
        let idea = idea_of(script);
        let design = design(idea);
        let folder = workshop.write(design.program(), &program(&design));
        let binary = workshop.build(&folder, design.program());
        let data = tempfile::tempdir().unwrap();
        let mut checks = 0;
        for step in script.split("\n$ ").skip(1) {
            checks += check(&binary, &data.path().join("data.txt"), step);
        }
        assert!(checks > 30, "{idea}: only {checks} checks");
        leaves_nothing_behind(data.path());
    }
}

#[test]
fn two_programs_at_once_lose_nothing() {
    let workshop = Workshop::new("together");
    let design = design("a bookmark manager with tags");
    let folder = workshop.write(design.program(), &program(&design));
    let binary = workshop.build(&folder, design.program());
    let data = tempfile::tempdir().unwrap();
    let file = data.path().join("data.txt");
    std::thread::scope(|scope| {
        for n in 0..16 {
            let add = words(&format!("bookmark add --url https://example.org/{n}"));
            let (binary, file) = (&binary, &file);
            scope.spawn(move || assert!(run(binary, file, &add).status.success()));
        }
    });
    let list = run(&binary, &file, &words("bookmark list"));
    assert_eq!(String::from_utf8_lossy(&list.stdout).lines().count(), 17);
}

/// Runs the first line and compares the others; returns how many there were.
fn check(binary: &Path, file: &Path, step: &str) -> usize {
    let mut lines = step.lines().filter(|line| !line.starts_with('#'));
    let line = lines.next().unwrap();
    let output = run(binary, file, &words(line));
    let (said, error) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    let code = output.status.code().unwrap();
    let mut expected_exit = code == 0;
    let mut count = 1;
    for expectation in lines {
        let (verb, wanted) = expectation.split_once(' ').unwrap_or((expectation, ""));
        let text = words(wanted).concat();
        match verb {
            "exit" => expected_exit = code == wanted.parse::<i32>().unwrap(),
            "fails" => expected_exit = code != 0,
            "has" => assert!(said.contains(&text), "{line}\n{expectation}\n{said}"),
            "lacks" => assert!(!said.contains(&text), "{line}\n{expectation}\n{said}"),
            "error" => assert!(error.contains(&text), "{line}\n{expectation}\n{error}"),
            other => panic!("{other}"),
        }
        count += 1;
    }
    assert!(expected_exit, "{line}: exit {code}\n{said}{error}");
    count
}

#[expect(
    clippy::disallowed_methods,
    reason = "the generated program is what is tested"
)]
fn run(binary: &Path, file: &Path, words: &[String]) -> Output {
    Command::new(binary)
        .arg("--file")
        .arg(file)
        .args(words)
        .output()
        .unwrap()
}

/// Words parted by blanks, or in double quotes.
fn words(line: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for (index, part) in line.split('"').enumerate() {
        if index % 2 == 1 {
            words.push(part.to_owned());
        } else {
            words.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    words
}

fn leaves_nothing_behind(folder: &Path) {
    let mut names: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    names.sort();
    assert_eq!(names, ["data.txt", "data.txt.lock"]);
}
