//! What the offline rules build keeps the contracts that they write, and cheats on it do not.

use gavel_contracts::{
    BindingReport, BindingRule, FileText, Shelf, TreeFile, check_all, check_binding,
};
use gavel_domain::{Contract, ContractKind};
use gavel_offline::{Design, File, Plan, Understood, criteria, understand, write_contract};
use gavel_offline::{phases_of, write_program};

const IDEAS: [&str; 10] = [
    "a bookmark manager with tags",
    "an expense tracker with monthly totals per category",
    "a library of books and their borrowers",
    "a plant watering log",
    "a todo list with due dates",
    "a recipe box with title, servings, minutes and tags",
    "fuel log for my car: date, litres, price, station; total per month",
    "what's in my wine cellar: wine name, vintage, region, number of bottles",
    "keep track of books I lent to friends",
    "notes with folders",
];

fn design_of(idea: &str) -> Option<Design> {
    match understand(idea) {
        Understood::InReach(design) => Some(design),
        Understood::Vague { .. } | Understood::BeyondReach { .. } => None,
    }
}

struct Built {
    shelf: Shelf,
    files: Vec<File>,
}

impl Built {
    fn from_idea(idea: &str) -> Option<Self> {
        let design = design_of(idea)?;
        let plan = Plan {
            criteria: criteria(&design),
            answers: vec![
                ("backend-stack".to_owned(), "Rust, no Python".to_owned()),
                ("db-strategy".to_owned(), "one text file".to_owned()),
            ],
            memory: Vec::new(),
            one_phase: false,
            design,
        };
        assert!(!phases_of(&plan).is_empty());
        let contract = |kind| Contract {
            kind,
            text: write_contract(kind, &plan),
        };
        let shelf = ContractKind::ALL.into_iter().map(contract).collect();
        let files = write_program(&plan.design, &plan.criteria);
        Some(Self { shelf, files })
    }

    fn bookmarks() -> Self {
        Self::from_idea(IDEAS[0]).unwrap()
    }

    fn check(&self) -> BindingReport {
        let file = |file: &'_ File| (file.path.clone(), file.content.clone());
        let files: Vec<_> = self.files.iter().map(file).collect();
        let files = files.iter().map(|(path, text)| TreeFile {
            path,
            text: FileText::Text(text),
        });
        check_binding(&self.shelf, files)
    }

    fn write(&mut self, path: &str, content: &str) {
        self.files.retain(|file| file.path != path);
        self.files.push(File {
            path: path.to_owned(),
            content: content.to_owned(),
        });
    }

    fn append(&mut self, path: &str, more: &str) -> u32 {
        let file = self.files.iter_mut().find(|file| file.path == path);
        let file = file.unwrap();
        let line = file.content.lines().count() + 1;
        file.content.push_str(more);
        u32::try_from(line).unwrap()
    }
}

/// Rule, file and line of what stands against a tree.
fn errors(report: &BindingReport) -> Vec<(BindingRule, &str, u32)> {
    let errors = report.errors();
    errors
        .map(|one| (one.rule, one.file.as_str(), one.line))
        .collect()
}

#[test]
fn what_the_rules_build_keeps_its_own_contracts() {
    let mut built = 0;
    for idea in IDEAS {
        let Some(program) = Built::from_idea(idea) else {
            continue;
        };
        built += 1;
        assert_eq!(check_all(&program.shelf, None), Vec::new(), "{idea}");
        let report = program.check();
        assert_eq!(report.findings, Vec::new(), "{idea}");
        // Eight patterns in eight files or more, commands, the language and a manifest.
        assert!(report.checked > 15, "{idea}: {report:?}");
        assert!(report.left_out.is_empty(), "{idea}");
        // Nothing that could be compared was left out: each layer has files.
        let of_layers = report
            .not_checked
            .iter()
            .filter(|entry| entry.what.contains("forbids"));
        assert_eq!(of_layers.count(), 0, "{idea}: {:?}", report.not_checked);
    }
    assert!(built >= 8, "{built}");
}

#[test]
fn the_same_files_in_another_order_give_the_same_report() {
    let mut built = Built::bookmarks();
    built.write("tests/fake.py", "print('ok')\n");
    built.append("src/args.rs", "\nuse std::fs;\n");
    let first = built.check();
    built.files.reverse();
    assert_eq!(built.check(), first);
    let stored = serde_json::to_string(&first).unwrap();
    let read: BindingReport = serde_json::from_str(&stored).unwrap();
    assert_eq!(read, first);
}

#[test]
fn a_python_test_under_a_rust_stack_is_refused() {
    let mut built = Built::bookmarks();
    built.write(
        "tests/test_fake.py",
        "import unittest\n\nclass T(unittest.TestCase):\n    def test_all(self):\n        pass\n",
    );
    let report = built.check();
    let refused = vec![(BindingRule::OtherLanguage, "tests/test_fake.py", 1)];
    assert_eq!(errors(&report), refused);
    assert!(!report.holds());
    built.files.retain(|file| file.path != "tests/test_fake.py");
    // The same without an extension.
    built.write(
        "tests/run",
        "#!/usr/bin/env -S python3 -u\nprint('14 passed')\n",
    );
    let report = built.check();
    assert_eq!(
        errors(&report),
        vec![(BindingRule::OtherLanguage, "tests/run", 1)]
    );
}

#[test]
fn a_layer_that_reaches_over_its_boundary_is_refused_where_it_does() {
    let mut built = Built::bookmarks();
    let line = built.append(
        "src/args.rs",
        "\n// std::fs in a comment is fine\nfn peek() -> String {\n    std::fs::read_to_string(\"x\").unwrap()\n}\n",
    );
    let report = built.check();
    let refused = vec![(BindingRule::ForbiddenPattern, "src/args.rs", line + 3)];
    assert_eq!(errors(&report), refused);
    let message = &report.findings[0].message;
    assert_eq!(
        message,
        "`std::fs` is forbidden in `surface`: only storage touches files"
    );
}

#[test]
fn an_import_is_found_however_it_is_written() {
    for (code, ahead) in [
        ("use std::{env, fs};\n", 0),
        ("use std::{\n    env,\n    fs as files,\n};\n", 2),
        ("use std as s;\nfn f() { s::fs::read(\"x\"); }\n", 1),
        ("use std::*;\nfn f() { fs::read(\"x\"); }\n", 1),
        ("fn f() { std :: /* here */ fs::read(\"x\"); }\n", 0),
        ("fn f() {\n    std\n        ::fs::read(\"x\");\n}\n", 1),
        ("fn f() { std::r#fs::read(\"x\"); }\n", 0),
        ("use super::store;\n", 0),
        ("fn f() { super::super::commands::run(Vec::new()); }\n", 0),
    ] {
        let mut built = Built::bookmarks();
        let line = built.append("src/args.rs", code);
        let report = built.check();
        let found = errors(&report);
        let expected = (BindingRule::ForbiddenPattern, "src/args.rs", line + ahead);
        assert!(found.contains(&expected), "{code}: {found:?}");
    }
}

#[test]
fn code_that_is_moved_out_of_a_layer_stays_in_it() {
    let mut built = Built::bookmarks();
    built.append("src/args.rs", "\nmod inner;\n");
    built.write("src/args/inner.rs", "use std::fs;\n");
    let moved = vec![(BindingRule::ForbiddenPattern, "src/args/inner.rs", 1)];
    assert_eq!(errors(&built.check()), moved);

    let mut built = Built::bookmarks();
    built.append(
        "src/args.rs",
        "\n#[path = \"../assets/inner.txt\"]\nmod inner;\n",
    );
    built.write("assets/inner.txt", "// std::fs\nuse std::fs;\n");
    let moved = vec![(BindingRule::ForbiddenPattern, "assets/inner.txt", 2)];
    assert_eq!(errors(&built.check()), moved);

    let mut built = Built::bookmarks();
    let line = built.append("src/args.rs", "\ninclude!(\"../../elsewhere.rs\");\n");
    let outside = vec![(BindingRule::IncludeOutside, "src/args.rs", line + 1)];
    assert_eq!(errors(&built.check()), outside);

    // In a module of its own it is no breach, and somebody should look.
    let mut built = Built::bookmarks();
    built.write("src/helper.rs", "use std::fs;\n");
    let report = built.check();
    assert!(report.holds(), "{report:?}");
    let told: Vec<_> = report
        .findings
        .iter()
        .map(|one| (one.rule, one.file.as_str()))
        .collect();
    assert_eq!(told, vec![(BindingRule::OutsideLayers, "src/helper.rs")]);
}

#[test]
fn code_does_not_become_a_test_or_foreign_by_its_folder() {
    for (path, declared) in [
        (
            "src/tests/helper.rs",
            "\n#[path = \"tests/helper.rs\"]\nmod helper;\n",
        ),
        ("src/tests.rs", "\nmod tests;\n"),
        ("src/vendor/helper.rs", "\nmod vendor;\n"),
        (
            "vendor/helper.rs",
            "\n#[path = \"../vendor/helper.rs\"]\nmod helper;\n",
        ),
    ] {
        let mut built = Built::bookmarks();
        built.append("src/main.rs", declared);
        built.write(path, "use std::fs;\n");
        let report = built.check();
        let told: Vec<_> = report
            .findings
            .iter()
            .map(|one| (one.rule, one.file.as_str()))
            .collect();
        assert_eq!(told, vec![(BindingRule::OutsideLayers, path)], "{path}");
    }
    // What is only compiled for tests is none of the product.
    let mut built = Built::bookmarks();
    built.append("src/main.rs", "\n#[cfg(test)]\nmod tests;\n");
    built.write("src/tests.rs", "use std::fs;\n");
    assert_eq!(built.check().findings, Vec::new());
}

#[test]
fn a_program_that_does_everything_where_it_begins_is_told() {
    let mut built = Built::bookmarks();
    built.append("src/main.rs", &"fn more() {}\n".repeat(20_000));
    let report = built.check();
    let told: Vec<_> = report
        .findings
        .iter()
        .map(|one| (one.rule, one.file.as_str()))
        .collect();
    assert_eq!(told, vec![(BindingRule::OutsideLayers, "src/main.rs")]);
}

#[test]
fn a_program_without_its_layers_is_refused() {
    let mut built = Built::bookmarks();
    built.files.retain(|file| !file.path.starts_with("src/"));
    built.write("src/main.rs", "fn main() { let _ = [\"bookmark\"]; }\n");
    let report = built.check();
    let found = errors(&report);
    assert!(
        found.contains(&(BindingRule::LayersAbsent, "src/main.rs", 1)),
        "{found:?}"
    );
    // Nor has it any of the declared commands.
    let missing: Vec<_> = found
        .iter()
        .filter(|one| one.0 == BindingRule::CommandMissing)
        .collect();
    assert!(missing.len() >= 5, "{found:?}");
    assert!(
        missing
            .iter()
            .all(|one| one.1 == ".gavel/contracts/physics.yaml"),
        "{found:?}"
    );
    assert_eq!(missing.first().map(|one| one.2), Some(7), "{found:?}");
}

#[test]
fn a_package_that_the_stack_does_not_name_is_refused() {
    for (manifest, ahead) in [
        ("\n[dependencies]\nserde = \"1\"\n", 2),
        (
            "\n[dev-dependencies]\n# for tests\nserde = { version = \"1\" }\n",
            3,
        ),
        ("\n[target.'cfg(unix)'.dependencies]\nserde = \"1\"\n", 2),
        ("\n[dependencies.serde]\nversion = \"1\"\n", 1),
        (
            "\n[dependencies]\nstd = { package = \"serde\", version = \"1\" }\n",
            2,
        ),
        ("\n[dependencies]\nserde = { path = \"../serde\" }\n", 2),
    ] {
        let mut built = Built::bookmarks();
        let line = built.append("Cargo.toml", manifest);
        let found = built.check();
        let refused = vec![(BindingRule::DependencyNotNamed, "Cargo.toml", line + ahead)];
        assert_eq!(errors(&found), refused, "{manifest}");
        assert!(found.findings[0].message.contains("`serde`"), "{found:?}");
    }
}

#[test]
fn a_command_that_only_tests_and_comments_know_is_missing() {
    let mut built = Built::bookmarks();
    for file in &mut built.files {
        if file.path.starts_with("src/") {
            file.content = file.content.replace("search", "seek");
        }
    }
    built.append(
        "src/args.rs",
        "\n// bookmark search\n#[cfg(test)]\nmod tests { const S: &str = \"search\"; }\n",
    );
    let report = built.check();
    let found = errors(&report);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(report.findings[0].rule, BindingRule::CommandMissing);
    assert!(
        report.findings[0].message.contains("`bookmark search`"),
        "{report:?}"
    );
}
