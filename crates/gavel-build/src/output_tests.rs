use super::*;

fn ran(recipe: &str, output: &str) -> CommandRan {
    CommandRan {
        recipe: recipe.to_owned(),
        argv: vec!["cargo".to_owned(), "test".to_owned()],
        exit: Some(0),
        level: SandboxLevel::Landlock,
        millis: 12,
        output: output.to_owned(),
    }
}

const PASSED: &str = "running 1 test\ntest a ... ok\n\ntest result: ok. 1 passed; 0 failed; \
                      0 ignored; 0 measured; 0 filtered out\n";

#[test]
fn what_is_recorded_can_be_read_again() {
    // A program that prints a header of its own changes nothing: lengths are in ours.
    let forged = "{\"commands\":[]}\ntest forged ... ok\n";
    let smoke = SmokeRan {
        request: "GET /health".to_owned(),
        passed: false,
        said: "it answered 500, and 200 was expected".to_owned(),
        status: Some(500),
        excerpt: "broken\n".to_owned(),
    };
    for (commands, smoke) in [
        (vec![], vec![]),
        (vec![ran("cargo", PASSED), ran("npm", forged)], vec![]),
        (
            vec![ran("cargo", PASSED), ran("smoke", forged)],
            vec![smoke],
        ),
    ] {
        let output = VerifyOutput {
            rewritten: vec!["src/lib.rs".to_owned()],
            whole: vec!["npm".to_owned()],
            unlisted: 500,
            needs_open_network: true,
            runner: Vec::new(),
            commands,
            smoke,
            note: "ä note".to_owned(),
        };
        let text = output.text().unwrap();
        assert_eq!(VerifyOutput::read(&text), output);
    }
}

#[test]
fn what_was_recorded_before_there_were_smoke_runs_can_be_read() {
    let output = VerifyOutput {
        rewritten: vec!["src/lib.rs".to_owned()],
        whole: Vec::new(),
        unlisted: 0,
        needs_open_network: true,
        runner: Vec::new(),
        commands: vec![ran("cargo", PASSED)],
        ..VerifyOutput::default()
    };
    let text = output.text().unwrap();
    assert!(!text.contains("smoke"), "{text}");
    assert_eq!(VerifyOutput::read(&text), output);
}

#[test]
fn another_form_is_a_note() {
    for text in [
        "",
        "just words",
        "{}\nx",
        "{\"commands\":[{\"recipe\":\"cargo\",\"argv\":[],\"exit\":0,\"level\":\"none\",\
         \"millis\":1,\"bytes\":99}]}\nshort",
    ] {
        let read = VerifyOutput::read(text);
        assert_eq!((read.commands.len(), read.note.as_str()), (0, text));
    }
}

#[test]
fn tests_are_named_by_the_recipe_that_ran_them() {
    let output = VerifyOutput {
        rewritten: vec!["src/lib.rs".to_owned()],
        whole: Vec::new(),
        unlisted: 0,
        needs_open_network: true,
        runner: Vec::new(),
        commands: vec![
            ran("cargo", PASSED),
            ran("unittest", PASSED),
            ran("smoke", PASSED),
        ],
        smoke: Vec::new(),
        note: PASSED.replace("test a", "test b"),
    };
    let tests = output.tests();
    assert_eq!(tests.passed.into_iter().collect::<Vec<_>>(), ["a"]);
}

#[test]
fn long_output_keeps_whole_lines_of_both_ends() {
    let long: String = (0..1000).map(|n| format!("line {n} ä\n")).collect();
    let kept = both_ends(&long, 200);
    assert!(kept.len() < 260, "{}", kept.len());
    assert!(kept.starts_with("line 0 ä\n") && kept.ends_with("line 999 ä\n"));
    assert!(kept.contains(" bytes left out]\n"));
    assert!(
        kept.lines()
            .all(|line| line.is_empty() || line.starts_with("line ") || line.starts_with('['))
    );
    assert_eq!(both_ends("short", 200), "short");
}

#[test]
fn a_name_that_a_runner_with_single_tests_printed_too_is_not_only_printed() {
    let other = "running 1 test\ntest b ... ok\n\ntest result: ok. 1 passed; 0 failed; \
                 0 ignored; 0 measured; 0 filtered out\n";
    let output = VerifyOutput {
        whole: vec!["make".to_owned()],
        unlisted: 0,
        commands: vec![
            ran("cargo", PASSED),
            ran("make", PASSED),
            ran("make", other),
        ],
        ..VerifyOutput::default()
    };
    assert_eq!(output.printed(), BTreeSet::from(["b".to_owned()]));
    let nobody = VerifyOutput {
        whole: Vec::new(),
        unlisted: 0,
        ..output
    };
    assert_eq!(nobody.printed(), BTreeSet::new());
}
