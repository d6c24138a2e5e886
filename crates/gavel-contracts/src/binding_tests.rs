//! Contracts against trees that keep them and trees that do not.

use super::*;
use crate::samples::sample_shelf;
use gavel_domain::Contract;

fn shelf(contracts: &[(ContractKind, &str)]) -> Shelf {
    let contract = |(kind, text): &(ContractKind, &str)| Contract {
        kind: *kind,
        text: (*text).to_owned(),
    };
    contracts.iter().map(contract).collect()
}

fn check(contracts: &[(ContractKind, &str)], files: &[(&str, &str)]) -> BindingReport {
    let files = files.iter().map(|(path, text)| TreeFile {
        path,
        text: FileText::Text(text),
    });
    check_binding(&shelf(contracts), files)
}

fn shown(report: &BindingReport) -> Vec<String> {
    let told = |one: &BindingFinding| {
        format!(
            "{:?} {} {}:{}",
            one.severity,
            one.rule.word(),
            one.file,
            one.line
        )
    };
    report.findings.iter().map(told).collect()
}

fn not_checked(report: &BindingReport, kind: ContractKind) -> Vec<&str> {
    let of_kind = report
        .not_checked
        .iter()
        .filter(|entry| entry.contract == kind);
    of_kind.map(|entry| entry.what.as_str()).collect()
}

const LAYERS: &str = r#"{"description": "x", "layers": [
    {"name": "store", "glob": "src/store/**", "forbidden": [{"pattern": "println!", "reason": "only cli prints"}]},
    {"name": "web", "glob": "web/**", "forbidden": [{"pattern": "eval", "reason": "never"}]},
    {"name": "cli", "glob": "src/main.rs", "forbidden": []}],
  "known_violations": [
    {"layer": "store", "file": "src/store/old.rs", "pattern": "println!"},
    {"layer": "store", "file": "src/store/gone.rs", "pattern": "println!"}]}"#;

#[test]
fn boundaries_are_searched_with_lines_and_excuses() {
    let report = check(
        &[(ContractKind::Boundaries, LAYERS)],
        &[
            (
                "src/main.rs",
                "mod store;\nfn main() { println!(\"x\"); }\n",
            ),
            (
                "src/store/mod.rs",
                "// println!\n\nfn a() {\n    println!(\"x\");\n}\n",
            ),
            ("src/store/new.rs", "const A: &str = \"println!\";\n"),
            ("src/store/old.rs", "fn b() { println!(\"x\") }\n"),
            ("src/store/logo.png", "println!"),
            ("src/other.rs", "fn c() { println!(\"x\") }\n"),
            ("tests/t.rs", "println!"),
        ],
    );
    let expected = [
        // A text in a layer's folder counts whatever it is called.
        "Error forbidden_pattern src/store/logo.png:1",
        "Error forbidden_pattern src/store/mod.rs:4",
        "Error forbidden_pattern src/store/new.rs:1",
        "Warning outside_layers src/other.rs:1",
        "Note known_violation src/store/old.rs:1",
        "Note known_violation_gone src/store/gone.rs:1",
    ];
    assert_eq!(shown(&report), expected);
    let not = not_checked(&report, ContractKind::Boundaries);
    assert_eq!(not, ["what the layer `web` forbids"]);
}

#[test]
fn what_stands_in_a_layer_and_cannot_be_read_is_refused() {
    let unread = |path, why| TreeFile {
        path,
        text: FileText::Unread(why),
    };
    let files = [
        unread("src/store/a.rs", Unread::NotUtf8),
        unread("src/store/logo.png", Unread::Binary),
        unread("src/store/big.rs", Unread::TooLarge),
        unread("src/store", Unread::Link),
        unread("src/main.rs", Unread::Link),
        unread("assets/movie.bin", Unread::TooLarge),
    ];
    let report = check_binding(&shelf(&[(ContractKind::Boundaries, LAYERS)]), files);
    let errors: Vec<_> = shown(&report)
        .into_iter()
        .filter(|one| one.contains("unreadable"))
        .collect();
    let expected = [
        "Error source_unreadable src/store:1",
        "Error source_unreadable src/store/a.rs:1",
        "Error source_unreadable src/store/big.rs:1",
    ];
    assert_eq!(errors, expected);
}

#[test]
fn contracts_that_cannot_be_read_are_no_excuse() {
    let report = check(
        &[
            (ContractKind::Boundaries, "{\n\"layers\": 3}"),
            (ContractKind::Physics, "a: [\n"),
        ],
        &[],
    );
    let found = shown(&report);
    assert!(
        found.contains(&"Error contract_unreadable .gavel/contracts/boundaries.json:2".to_owned()),
        "{found:?}"
    );
    assert!(
        found.iter().any(|one| one.contains("physics.yaml")),
        "{found:?}"
    );
    let pattern = r#"{"description": "x", "layers": [{"name": "a", "glob": "src/**",
        "forbidden": [{"pattern": "(", "reason": "x"}]}]}"#;
    let report = check(&[(ContractKind::Boundaries, pattern)], &[]);
    assert_eq!(
        shown(&report),
        ["Error contract_unreadable .gavel/contracts/boundaries.json:1"]
    );
}

#[test]
fn hostile_patterns_and_trees_end() {
    let layer = r#"{"description": "x", "layers": [{"name": "a", "glob": "src/**", "forbidden": [
        {"pattern": "(a{90}){90}b", "reason": "x"}, {"pattern": "x", "reason": "x"}]}]}"#;
    let long = "a".repeat(200_000);
    let many = "x\n".repeat(2_000);
    let files = [("src/a.rs", long.as_str()), ("src/x.rs", &many)];
    let report = check(&[(ContractKind::Boundaries, layer)], &files);
    let count = |rule: &str| {
        shown(&report)
            .iter()
            .filter(|one| one.contains(rule))
            .count()
    };
    assert_eq!(count("too_large"), 1, "{:?}", shown(&report));
    assert_eq!(count("forbidden_pattern"), 25);
    assert_eq!(report.left_out[&BindingRule::ForbiddenPattern], 2_000 - 25);
}

const STACK: &str = "# Stack\n\n## Language\n- Rust, edition 2024\n\n## Storage\n- one text file\n\n\
    ## Tests\n- command: `cargo test`\n\n## Dependencies\n- `serde`\n";

#[test]
fn languages_of_every_file_are_compared() {
    let report = check(
        &[(ContractKind::Stack, STACK)],
        &[
            ("src/main.rs", "fn main() {}"),
            ("README.md", "x"),
            ("Makefile", "test:\n\tcargo test\n"),
            ("tests/fake.PY", "print('ok')"),
            ("check", "#!/bin/sh\necho 14 passed\n"),
            ("scripts/a.sh", "cargo test"),
            ("eslint.config.js", "x"),
            ("vendor/z/a.c", "int x;"),
            ("docs/conf.py", "x"),
        ],
    );
    let expected = [
        "Error other_language check:1",
        "Error other_language eslint.config.js:1",
        "Error other_language scripts/a.sh:1",
        "Error other_language tests/fake.PY:1",
        "Warning other_language docs/conf.py:1",
        "Warning other_language vendor/z/a.c:1",
    ];
    assert_eq!(shown(&report), expected);
    let allowed = STACK.replace(
        "one text file",
        "one text file; shell scripts lie in scripts/",
    );
    let report = check(
        &[(ContractKind::Stack, &allowed)],
        &[("scripts/a.sh", "x"), ("b.sh", "x")],
    );
    assert_eq!(shown(&report), ["Error other_language b.sh:1"]);
}

#[test]
fn an_honest_script_project_passes() {
    let stack = "# Stack\n\n## Language\n- TypeScript 5\n\n## Storage\n- none\n\n## Tests\n- command: `npx vitest run`\n\n\
        ## Dependencies\n- `express` 4: serves pages\n";
    let package = "{\n \"dependencies\": {\"express\": \"^4\"},\n \"devDependencies\": {\"vitest\": \"1\", \"typescript\": \"5\"}\n}\n";
    let files = [
        ("package.json", package),
        ("src/a.ts", "x"),
        ("src/env.d.ts", "x"),
        ("vitest.config.js", "x"),
        (
            "node_modules/x/package.json",
            "{\"dependencies\": {\"evil\": \"1\"}}",
        ),
    ];
    let report = check(&[(ContractKind::Stack, stack)], &files);
    assert_eq!(shown(&report), Vec::<String>::new());
    let more = package.replace("\"vitest\"", "\"left-pad\": \"1\", \"vitest\"");
    let report = check(&[(ContractKind::Stack, stack)], &[("package.json", &more)]);
    assert_eq!(
        shown(&report),
        ["Error dependency_not_named package.json:3"]
    );
}

#[test]
fn packages_come_from_where_they_are_said_to() {
    let manifest = "[dependencies]\nserde = { git = \"https://example.com/serde\" }\n";
    let check_it =
        |stack: &str| check(&[(ContractKind::Stack, stack)], &[("Cargo.toml", manifest)]);
    assert_eq!(
        shown(&check_it(STACK)),
        ["Error dependency_source Cargo.toml:2"]
    );
    let from_git = STACK.replace("`serde`", "`serde`, from its git repository");
    assert!(check_it(&from_git).findings.is_empty());
    let vague = STACK.replace(
        "`serde`",
        "small and well known packages only where they help",
    );
    assert_eq!(
        shown(&check_it(&vague)),
        ["Warning dependency_not_named Cargo.toml:2"]
    );
    let broken = check(&[(ContractKind::Stack, STACK)], &[("Cargo.toml", "[x\n")]);
    assert_eq!(shown(&broken), ["Error manifest_unreadable Cargo.toml:1"]);
    let other = check(&[(ContractKind::Stack, STACK)], &[("pom.xml", "<x/>")]);
    assert!(not_checked(&other, ContractKind::Stack).contains(&"dependencies of pom.xml"));
}

const PHYSICS: &str = "info:\n  title: lamps\n  version: \"1\"\n  description: x\ncommands:\n  \
    lamp add <name>:\n    summary: x\n  lamps list-all:\n    summary: x\n  lamps:\n    summary: x\n\
    paths:\n  /lamps/{id}:\n    get: {summary: x, responses: {200: x}}\n    x-y: 1\n";

#[test]
fn commands_stand_in_the_code_and_routes_are_not_checked() {
    let check_it = |files: &[(&str, &str)]| check(&[(ContractKind::Physics, PHYSICS)], files);
    let whole = check_it(&[("src/main.rs", "enum Lamp { Add, ListAll }")]);
    assert_eq!(shown(&whole), Vec::<String>::new());
    assert_eq!(whole.checked, 2);
    let expected = [
        "the command `lamps`",
        "arguments, answers and exits of commands",
        "GET /lamps/{id}",
    ];
    assert_eq!(not_checked(&whole, ContractKind::Physics), expected);
    let part = check_it(&[
        ("src/main.py", "'lamp'; addition = list('list all')  # add"),
        ("tests/x.py", "'add'"),
        ("README.md", "lamp add, list-all"),
    ]);
    let expected = [
        "Error command_missing .gavel/contracts/physics.yaml:6",
        "Error command_missing .gavel/contracts/physics.yaml:8",
    ];
    assert_eq!(shown(&part), expected);
}

#[test]
fn what_no_rule_can_check_is_listed() {
    let report = check_binding(&sample_shelf(), []);
    for kind in ContractKind::ALL {
        assert!(!not_checked(&report, kind).is_empty(), "{kind}");
    }
    let none = check_binding(&Shelf::default(), []);
    assert_eq!((none.checked, none.not_checked.len()), (0, 9));
    assert!(none.holds());
}
