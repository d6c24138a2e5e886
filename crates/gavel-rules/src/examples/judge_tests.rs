use super::*;

fn ran(code: i32, out: &str, err: &str) -> StepSeen {
    StepSeen {
        end: StepEnd::Exited { code },
        out: said(out),
        err: said(err),
        files: Vec::new(),
        changed_files: false,
        millis: 1,
    }
}

fn answered(status: u16, body: &str) -> StepSeen {
    StepSeen {
        end: StepEnd::Answered { status },
        ..ran(0, body, "")
    }
}

fn said(text: &str) -> Said {
    Said {
        text: text.to_owned(),
        cut: false,
    }
}

fn cut(text: &str) -> Said {
    Said {
        cut: true,
        ..said(text)
    }
}

fn with_file(file: FileSeen) -> StepSeen {
    StepSeen {
        files: vec![file],
        ..ran(0, "", "")
    }
}

#[track_caller]
fn problems(example: &str, seen: &[StepSeen]) -> Vec<String> {
    let example = example.parse().unwrap();
    judge_example(&example, &StepOrder::written(&example), seen)
}

#[test]
fn what_is_as_expected_has_no_problem() {
    let text = "$ add x\nexit 2\nerror name\nhas \"a b\"\nlacks c\njson \"\" \"a b\"\n\
        holds f.txt in\ngone g\nPOST /x\nstatus 201\njson /a/0 5";
    let run = StepSeen {
        files: vec![
            FileSeen::Text {
                said: said("within"),
            },
            FileSeen::Missing,
        ],
        ..ran(2, "\"a b\"\n", "no name")
    };
    let seen = [run, answered(201, "{\"a\": [5.0]}")];
    assert_eq!(problems(text, &seen), Vec::<String>::new());
}

#[test]
fn each_difference_is_told_with_its_line() {
    let missing = "it was not reached";
    for (text, seen, words) in [
        (
            "$ list",
            ran(1, "", ""),
            "it ended with exit code 1, and 0 was expected",
        ),
        (
            "$ list\nhas Amber",
            ran(0, "", "Amber"),
            "standard output does not hold `Amber`",
        ),
        (
            "$ list\nerror Amber",
            ran(0, "Amber", ""),
            "standard error does not hold `Amber`",
        ),
        (
            "$ list\nlacks \"a b\"",
            ran(0, "a b", ""),
            "holds `\"a b\"`, which it must not",
        ),
        (
            "$ list\njson /a 1",
            ran(0, "a", ""),
            "standard output is no JSON",
        ),
        (
            "$ list\njson /a 1",
            ran(0, "{}", ""),
            "holds nothing at `/a`",
        ),
        (
            "$ list\njson /a \"1\"",
            ran(0, "{\"a\":1}", ""),
            "holds 1 at `/a`, and \"1\" was expected",
        ),
        (
            "$ list\nholds f x",
            with_file(FileSeen::Missing),
            "there is no file `f`",
        ),
        (
            "$ list\nholds f x",
            with_file(FileSeen::Unreadable),
            "is no file that can be read",
        ),
        ("$ list\nholds f x", ran(0, "", ""), "was not looked at"),
        (
            "$ list\nholds f x",
            with_file(FileSeen::Text { said: said("y") }),
            "`f` does not hold `x`",
        ),
        (
            "$ list\ngone f",
            with_file(FileSeen::Unreadable),
            "`f` is still there",
        ),
        (
            "GET /\nhas x",
            answered(500, ""),
            "it answered 500, and 200 was expected",
        ),
        ("GET /", ran(0, "", ""), "something else was done"),
        ("$ list", answered(200, ""), "something else was done"),
    ] {
        let found = problems(text, &[seen]);
        let line = format!("line 1: `{}`: ", text.lines().next().unwrap());
        assert!(found[0].starts_with(&line), "{found:?}");
        assert!(
            found.iter().any(|one| one.contains(words)),
            "{text}: {found:?}"
        );
    }
    assert!(problems("$ a\n$ b", &[ran(0, "", "")])[0].contains(missing));
}

/// Silence is refusal: what was cut off shows nothing.
#[test]
fn what_was_cut_off_cannot_be_lacking() {
    let seen = StepSeen {
        out: cut("Amber"),
        ..ran(0, "", "")
    };
    assert_eq!(
        problems("$ list\nhas Amber", std::slice::from_ref(&seen)),
        Vec::<String>::new()
    );
    assert!(
        problems("$ list\nlacks Birch", std::slice::from_ref(&seen))[0].contains("too long to see")
    );
    assert!(problems("$ list\nhas Birch", &[seen])[0].contains("as far as it was read"));
}

#[test]
fn an_end_that_is_none_is_a_problem_and_problems_are_bounded() {
    for (end, words) in [
        (StepEnd::Signalled, "a signal ended it"),
        (StepEnd::TimedOut, "did not end in time"),
        (StepEnd::Flooded, "more than anybody reads"),
        (StepEnd::ServerEnded { code: Some(3) }, "exit code 3"),
        (StepEnd::ServerEnded { code: None }, "a signal had ended"),
    ] {
        let seen = StepSeen {
            end,
            ..ran(0, "", "")
        };
        assert!(problems("$ list", &[seen])[0].contains(words));
    }
    let many = "$ list\n".repeat(30);
    let found = problems(&many, &[]);
    assert_eq!(found.last().unwrap(), "and 10 more");
    assert_eq!(found.len(), MOST + 1);
}
