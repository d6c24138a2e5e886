//! `gavel contracts check` through the binary: code that keeps its contracts, and code that does not.

use std::fs;
use std::path::PathBuf;

use gavel_domain::{ContractKind, Criterion};
use gavel_offline::{Plan, Understood, criteria, understand, write_contract, write_program};

use crate::bench::Bench;

struct Project {
    bench: Bench,
    folder: PathBuf,
}

impl Project {
    /// What the offline rules make of an idea, with its contracts.
    fn bookmarks() -> Self {
        let bench = Bench::new();
        let folder = bench.folder().join("project");
        let project = Self { bench, folder };
        let Understood::InReach(design) = understand("a bookmark manager with tags") else {
            panic!("the idea is in reach");
        };
        let criteria: Vec<Criterion> = criteria(&design);
        for file in write_program(&design, &criteria) {
            project.put(&file.path, &file.content);
        }
        let plan = Plan {
            design,
            criteria,
            answers: Vec::new(),
            memory: Vec::new(),
            one_phase: false,
        };
        for kind in ContractKind::ALL {
            let path = format!(".gavel/contracts/{}", kind.file_name());
            project.put(&path, &write_contract(kind, &plan));
        }
        project
    }

    fn put(&self, path: &str, text: &str) {
        let file = self.folder.join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    /// Appends lines to a file and tells where they begin.
    fn append(&self, path: &str, more: &str) -> usize {
        let before = fs::read_to_string(self.folder.join(path)).unwrap();
        self.put(path, &format!("{before}{more}"));
        before.lines().count() + 1
    }
}

#[test]
fn code_that_keeps_its_contracts_passes_and_what_is_not_checked_is_told() {
    let project = Project::bookmarks();
    let told = project.bench.run(&["contracts", "check"]);
    assert_eq!(told.code, Some(0), "{told:?}");
    assert!(told.stdout.contains("keeps its contracts"), "{told:?}");
    assert!(told.stdout.contains("Not checked:"), "{told:?}");
    let data = project.bench.json(&["contracts", "check", "--tree", "."]);
    assert_eq!(data["schema"], "gavel/contracts-check/v1");
    assert_eq!(data["findings"], serde_json::json!([]));
    assert!(data["checked"].as_u64().unwrap() > 15, "{data}");
    let mut not_checked = data["not_checked"].as_array().unwrap().iter();
    assert!(
        not_checked.any(|entry| entry["contract"] == "manifesto"),
        "{data}"
    );
}

#[test]
fn code_that_breaks_them_is_refused_with_file_and_line() {
    let project = Project::bookmarks();
    let line = project.append("src/args.rs", "\nuse std::{env, fs};\n") + 1;
    project.put("tests/fake.py", "print('Ran 14 tests')\n");
    let told = project.bench.run(&["contracts", "check"]);
    assert_eq!(told.code, Some(5), "{told:?}");
    let place = format!("src/args.rs:{line}: error: forbidden_pattern");
    assert!(told.stdout.contains(&place), "{told:?}");
    let data = project.bench.json(&["contracts", "check"]);
    let found = data["findings"].as_array().unwrap();
    let told: Vec<_> = found
        .iter()
        .map(|one| {
            let file = one["file"].as_str().unwrap();
            (
                one["rule"].as_str().unwrap(),
                file,
                one["line"].as_u64().unwrap(),
            )
        })
        .collect();
    let expected = [
        (
            "forbidden_pattern",
            "src/args.rs",
            u64::try_from(line).unwrap(),
        ),
        ("other_language", "tests/fake.py", 1),
    ];
    assert_eq!(told, expected);
    assert!(found.iter().all(|one| one["severity"] == "error"), "{data}");
}

#[test]
fn what_cannot_be_compared_is_wrong_usage() {
    let bench = Bench::new();
    let none = bench.run(&["contracts", "check"]);
    assert_eq!(none.code, Some(2), "{none:?}");
    assert!(
        none.stderr.contains("gavel contracts check RUN"),
        "{none:?}"
    );
    let both = bench.run(&["contracts", "check", "x", "--tree", "."]);
    assert_eq!(both.code, Some(2), "{both:?}");
    assert_eq!(
        bench.run(&["contracts", "check", "--tree", "nowhere"]).code,
        Some(2)
    );
}
