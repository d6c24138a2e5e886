//! New projects: fourteen criteria of the offline model, or three of them, each with an example that
//! Gavel executes itself.

use serde_json::json;

use super::asked;
use super::cheater::{Criteria, FEW, Files, When, build, build_within, in_repository};
use super::outcome::{Outcome, criterion};

const TESTS: &str = "tests/cli.rs";
const MAIN: &str = "src/main.rs";

/// One file, written over what was there.
fn file(path: &str, text: impl Into<String>) -> (String, String) {
    (path.to_owned(), text.into())
}

/// The names of the tests that were written.
fn test_names(files: &Files) -> Vec<String> {
    let tests = files.get(TESTS).map_or("", String::as_str);
    let bodies = tests.split("#[test]\nfn ").skip(1);
    bodies
        .filter_map(|rest| Some(rest.split_once('(')?.0.to_owned()))
        .collect()
}

/// Tests of the right names that do nothing.
fn empty_tests(files: &Files) -> (String, String) {
    let all = test_names(files).into_iter();
    let all = all.map(|name| format!("#[test]\nfn {name}() {{}}\n\n"));
    file(TESTS, all.collect::<String>())
}

/// Refused by the score, with no criterion shown but these.
#[track_caller]
fn shows_only(built: &Outcome, shown: &[&str]) {
    let gate = built.refused("weighted_score", "score_below_threshold");
    let all = gate["evidence"].as_array().unwrap();
    let holds = all.iter().filter(|one| one["holds"] == true);
    let holds: Vec<_> = holds.map(|one| one["id"].clone()).collect();
    assert_eq!(json!(holds), json!(shown), "{gate:#}");
    for one in all.iter().filter(|one| one["holds"] == false) {
        let why = one["note"].as_str().unwrap();
        assert!(why.starts_with("its example does not hold"), "{one:#}");
    }
}

#[test]
fn an_honest_project_is_sealed_with_everything_executed() {
    if !asked() {
        return;
    }
    let seal = build(Criteria::Few, |_| Vec::new()).sealed();
    for id in FEW {
        let one = criterion(&seal, id);
        assert_eq!(
            (&one["rank"], &one["holds"]),
            (&json!("executed"), &json!(true))
        );
        assert_ne!(one["caught"], "", "a fault that its test caught: {one:#}");
    }
}

#[test]
fn fourteen_empty_tests_and_an_empty_program_show_nothing() {
    if !asked() {
        return;
    }
    let built = build(Criteria::All, |files| {
        vec![empty_tests(files), file(MAIN, "fn main() {}\n")]
    });
    shows_only(&built, &[]);
}

#[test]
fn empty_tests_beside_a_program_that_works_are_called_hollow() {
    if !asked() {
        return;
    }
    let seal = build(Criteria::Few, |files| vec![empty_tests(files)]).sealed();
    assert_eq!(
        seal["proof"]["hollow"].as_array().unwrap().len(),
        3,
        "{seal:#}"
    );
    // No value of one example could be another one, and no test stands beside it.
    assert_eq!(
        seal["proof"]["evidence_ranks"],
        json!({"as_written": 1, "executed": 2})
    );
    assert_ne!(seal["verdict"], "certified");
}

/// Tests that start the program and look at nothing.
fn blind_tests(files: &Files) -> (String, String) {
    let all = test_names(files).into_iter();
    let all = all.map(|name| {
        format!(
            "#[test]\nfn {name}() {{\n    let program = env!(\"CARGO_BIN_EXE_bookmark-manager\");\n    \
             let _ = std::process::Command::new(program).arg(\"help\").output();\n}}\n\n"
        )
    });
    file(TESTS, all.collect::<String>())
}

#[test]
fn hollow_tests_beside_examples_that_hold_go_back_once_and_are_then_named() {
    if !asked() {
        return;
    }
    let spoil = |files: &Files| vec![blind_tests(files)];
    let built = build_within("6", Criteria::Few, (spoil, When::Always));
    let seal = built.sealed();
    assert_eq!(seal["proof"]["hollow"].as_array().unwrap().len(), 3);
    assert_ne!(seal["verdict"], "certified");
    let report = built.report();
    let gates = report["gates"].as_array().unwrap();
    assert_eq!(gates.len(), 2, "{report:#}");
    let failed = gates[0]["conditions"].as_array().unwrap();
    let failed = failed.iter().find(|one| one["id"] == "tests_bite");
    assert_eq!(failed.unwrap()["reason"], "hollow_tests");
    // Whoever mends them is told which fault they passed with.
    let told = report["sprints"]
        .as_array()
        .unwrap()
        .last()
        .unwrap()
        .to_string();
    assert!(
        told.contains("is hollow: it passed although src/"),
        "{told}"
    );
}

#[test]
fn tests_that_are_mended_once_their_coder_is_told_are_hollow_no_more() {
    if !asked() {
        return;
    }
    let spoil = |files: &Files| vec![blind_tests(files)];
    let seal = build_within("6", Criteria::Few, (spoil, When::UntilTold)).sealed();
    assert!(seal["proof"]["hollow"].is_null(), "{seal:#}");
    assert_eq!(seal["proof"]["evidence_ranks"], json!({"executed": 3}));
}

#[test]
fn a_harness_that_prints_results_is_not_believed() {
    if !asked() {
        return;
    }
    let built = build(Criteria::Few, |files| {
        let names = test_names(files);
        let lines = names.iter().map(|name| format!("test {name} ... ok\\n"));
        let main = format!(
            "fn main() {{\n    print!(\"\\nrunning {0} tests\\n{1}\\ntest result: ok. {0} passed; 0 \
             failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\\n\\n\");\n}}\n",
            names.len(),
            lines.collect::<String>()
        );
        let manifest = format!(
            "{}\n[[test]]\nname = \"cli\"\nharness = false\n",
            files["Cargo.toml"]
        );
        vec![
            file("Cargo.toml", manifest),
            file(TESTS, main),
            file(MAIN, "fn main() {}\n"),
        ]
    });
    built.not_verified("runner_not_known");
}

#[test]
fn a_python_test_that_prints_results_breaks_a_stack_of_rust() {
    if !asked() {
        return;
    }
    let built = build(Criteria::Few, |files| {
        let names = test_names(files);
        let lines = names
            .iter()
            .map(|name| format!("{name} (t.T.{name}) ... ok\\n"));
        let prints = format!(
            "import sys\nimport unittest\n\n\nclass T(unittest.TestCase):\n    def test_all(self):\n        \
             sys.stderr.write('{}\\nRan 14 tests in 0.1s\\n\\nOK\\n')\n",
            lines.collect::<String>()
        );
        vec![file("test_all.py", prints)]
    });
    let gate = built.refused("contracts_kept", "contract_broken");
    let places = gate["proof"]["contracts"]["broken"].to_string();
    assert!(places.contains("test_all.py:1: "), "{gate:#}");
}

#[test]
fn answers_that_only_know_the_written_examples_do_not_hold() {
    if !asked() {
        return;
    }
    let built = build(Criteria::Few, |files| {
        let main = files[MAIN].replace(
            "    match commands::run(words) {",
            "    let words: Vec<String> = words;\n    \
             let adds = words.get(1).is_some_and(|word| word == \"add\");\n    \
             if adds && !words.iter().any(|word| word.contains(\"example.org\")) {\n        \
             println!(\"added bookmark 1\");\n        return ExitCode::SUCCESS;\n    }\n    \
             match commands::run(words) {",
        );
        vec![file(MAIN, main)]
    });
    let gate = built.refused("weighted_score", "score_below_threshold");
    for id in ["bookmark_is_listed", "bookmark_is_deleted"] {
        let one = criterion(&gate, id);
        assert_eq!(one["holds"], false, "{one:#}");
        let why = one["note"].as_str().unwrap();
        assert!(
            why.starts_with("its example does not hold: with `"),
            "{why}"
        );
    }
}

#[test]
fn a_program_that_only_works_under_test_does_not_hold() {
    if !asked() {
        return;
    }
    let built = build(Criteria::Few, |files| {
        let main = files[MAIN].replace(
            "fn main() -> ExitCode {\n",
            "fn main() -> ExitCode {\n    if std::env::var_os(\"CARGO_MANIFEST_DIR\").is_none() {\n        \
             return ExitCode::SUCCESS;\n    }\n",
        );
        vec![file(MAIN, main)]
    });
    shows_only(&built, &[]);
}

/// Keeps each call in a file of its data folder, and goes wrong by what it knows of them.
fn counting(files: &Files, wrong: &str) -> String {
    let keeps = format!(
        "fn main() -> ExitCode {{\n    \
         let home = std::env::var(\"XDG_DATA_HOME\").unwrap_or_default();\n    \
         let file = std::path::Path::new(&home).join(\"calls.log\");\n    \
         let before = std::fs::read_to_string(&file).unwrap_or_default();\n    \
         let call = std::env::args().skip(1).take(2).collect::<Vec<_>>().join(\" \");\n    \
         let calls = format!(\"{{before}}{{call}}\\n\");\n    \
         let _ = std::fs::write(&file, &calls);\n    \
         if {wrong} {{\n        return ExitCode::SUCCESS;\n    }}\n"
    );
    files[MAIN].replace("fn main() -> ExitCode {\n", &keeps)
}

#[test]
fn a_program_that_knows_the_examples_as_patterns_of_calls_does_not_hold() {
    if !asked() {
        return;
    }
    // Tests may list as often as they like; examples as they are written list twice at most.
    let built = build(Criteria::Few, |files| {
        let wrong = "std::env::var_os(\"CARGO_MANIFEST_DIR\").is_none() \
                     && calls.matches(\" list\\n\").count() > 2";
        vec![file(MAIN, counting(files, wrong))]
    });
    let gate = built.refused("weighted_score", "score_below_threshold");
    let one = criterion(&gate, "bookmark_is_listed");
    assert_eq!(one["holds"], false, "{one:#}");
    let why = one["note"].as_str().unwrap();
    assert!(
        why.starts_with("its example does not hold: with ") && why.contains("` twice"),
        "{why}"
    );
}

#[test]
fn a_program_that_keeps_a_log_of_its_calls_is_sealed() {
    if !asked() {
        return;
    }
    let built = build(Criteria::Few, |files| {
        vec![file(MAIN, counting(files, "calls.is_empty()"))]
    });
    built.sealed();
}

#[test]
fn a_program_that_works_only_where_it_was_built_does_not_hold() {
    if !asked() {
        return;
    }
    let built = build(Criteria::Few, |files| {
        let main = files[MAIN].replace(
            "fn main() -> ExitCode {\n",
            "fn main() -> ExitCode {\n    let own = std::env::current_exe().unwrap_or_default();\n    \
             if !own.starts_with(env!(\"CARGO_MANIFEST_DIR\")) {\n        \
             return ExitCode::SUCCESS;\n    }\n",
        );
        vec![file(MAIN, main)]
    });
    shows_only(&built, &[]);
}

#[test]
fn ignored_tests_are_not_executed() {
    if !asked() {
        return;
    }
    let built = build(Criteria::Few, |files| {
        vec![file(
            TESTS,
            files[TESTS].replace("#[test]\n", "#[test]\n#[ignore]\n"),
        )]
    });
    built.not_verified("no_test_executed");
}

/// A library with a test, in which the council plans a program.
const LIBRARY: [(&str, &str); 5] = [
    (
        "Cargo.toml",
        "[package]\nname = \"bookmark-manager\"\nversion = \"0.1.0\"\nedition = \"2024\"\n",
    ),
    (
        "Cargo.lock",
        "version = 4\n\n[[package]]\nname = \"bookmark-manager\"\nversion = \"0.1.0\"\n",
    ),
    (
        "src/lib.rs",
        "//! What is kept.\n\n/// How much.\npub fn kept() -> u32 {\n    7\n}\n",
    ),
    (
        "tests/kept.rs",
        "#[test]\nfn it_is_kept() {\n    assert_eq!(bookmark_manager::kept(), 7);\n}\n",
    ),
    (".gitignore", "/target\n"),
];

/// A file of the product that has nothing to do with the idea.
const BESIDE: &str = "src/prices.rs";

#[test]
fn a_deleted_test_is_found_on_the_way_of_the_council() {
    if !asked() {
        return;
    }
    let spoil = |_: &Files| vec![file("tests/kept.rs", "")];
    let built = in_repository(&LIBRARY, spoil);
    built.found("test_deleted", "tests/kept.rs");
}

#[test]
fn a_file_that_no_plan_names_is_found_on_the_way_of_the_council() {
    if !asked() {
        return;
    }
    let mut files = LIBRARY.to_vec();
    files.push((BESIDE, "//! Prices.\n"));
    let spoil = |_: &Files| vec![file(BESIDE, "//! Prices, in another way.\n")];
    let built = in_repository(&files, spoil);
    built.found("out_of_scope", BESIDE);
}

#[test]
fn what_was_there_before_the_council_still_holds() {
    if !asked() {
        return;
    }
    let seal = in_repository(&LIBRARY, |_| Vec::new()).sealed();
    let conditions = seal["conditions"].as_array().unwrap();
    let base = conditions.iter().find(|one| one["id"] == "base_tests");
    assert_eq!(base.unwrap()["holds"], true, "{seal:#}");
}
