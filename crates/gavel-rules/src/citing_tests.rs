use super::*;

fn shows(statement: &str, path: &str, (before, text): (Option<&str>, &str), line: u32) -> bool {
    let cited = CitedLine {
        path,
        line,
        text,
        before,
    };
    can_show(statement, cited)
}

#[test]
fn only_what_the_work_wrote_and_does_can_be_cited() {
    let before = "fn main() {\n    login();\n}\n";
    let after = "fn main() {\n    // a logout button\n    login();\n    logout_button();\n}\n";
    let add = "This was done: add a logout button";
    for (line, expected) in [
        (1, false),
        (2, false),
        (3, false),
        (4, true),
        (5, false),
        (6, false),
    ] {
        let said = shows(add, "src/main.rs", (Some(before), after), line);
        assert_eq!(said, expected, "line {line}");
    }
    assert!(
        !shows(add, "src/main.rs", (Some(after), after), 4),
        "unchanged"
    );
    assert!(!shows(add, "src/main.rs", (None, after), 0));
    assert!(shows(add, "src/new.rs", (None, after), 4));
}

#[test]
fn prose_shows_what_is_about_prose() {
    let text = "# Users, hello\n";
    for (statement, path, expected) in [
        (
            "This was done: add a greeting to README.md",
            "README.md",
            true,
        ),
        ("The README tells how to install it.", "README.md", true),
        ("An entry that was added is listed.", "README.md", false),
        ("An entry that was added is listed.", "docs/use.html", false),
        ("The page greets the user.", "web/index.html", true),
        (
            "This was done: fix the typo in the comment",
            "src/lib.py",
            true,
        ),
        ("This was done: add a logout button", "src/lib.py", false),
        (
            "This was done: add a logout button to src/lib.py",
            "src/lib.py",
            false,
        ),
    ] {
        assert_eq!(
            shows(statement, path, (None, text), 1),
            expected,
            "{statement}"
        );
    }
}

#[test]
fn where_lines_were_only_removed_those_that_stay_show_it() {
    let before = "a();\ndebug();\nb();\n";
    let remove = "This was done: remove the debug call";
    assert!(shows(remove, "src/x.rs", (Some(before), "a();\nb();\n"), 1));
    assert!(!shows(remove, "src/x.rs", (Some(before), before), 1));
}
