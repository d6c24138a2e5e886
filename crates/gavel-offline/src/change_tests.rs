use super::*;

fn replace(file: &str, old: &str, new: &str) -> Option<Change> {
    Some(Change {
        file: file.to_owned(),
        kind: ChangeKind::Replace {
            old: old.to_owned(),
            new: new.to_owned(),
        },
    })
}

#[test]
fn sentences_that_leave_no_choice() {
    let table = [
        (
            "rename getUser to fetchUser in src/a.ts",
            replace("src/a.ts", "getUser", "fetchUser"),
        ),
        (
            "Rename the function `get_user` to `fetch_user` in src/lib.rs.",
            replace("src/lib.rs", "get_user", "fetch_user"),
        ),
        (
            "replace \"hello world\" with \"good day\" in README.md",
            replace("README.md", "hello world", "good day"),
        ),
        (
            "change 'a, b' to 'b, a' in notes.txt",
            replace("notes.txt", "a, b", "b, a"),
        ),
        (
            "fix typo recieve → receive in README.md",
            replace("README.md", "recieve", "receive"),
        ),
        (
            "please fix the typo \"teh\" in README.md",
            replace("README.md", "teh", "the"),
        ),
        (
            "fix typo in README.md",
            Some(Change {
                file: "README.md".to_owned(),
                kind: ChangeKind::Typos,
            }),
        ),
        (
            "fix the spelling mistakes in docs/a.md",
            Some(Change {
                file: "docs/a.md".to_owned(),
                kind: ChangeKind::Typos,
            }),
        ),
        (
            "remove the file Makefile",
            Some(Change {
                file: "Makefile".to_owned(),
                kind: ChangeKind::Remove,
            }),
        ),
        (
            "delete src/old.rs",
            Some(Change {
                file: "src/old.rs".to_owned(),
                kind: ChangeKind::Remove,
            }),
        ),
        (
            "add the line \"See docs/.\" to the end of README.md",
            Some(Change {
                file: "README.md".to_owned(),
                kind: ChangeKind::AddLine("See docs/.".to_owned()),
            }),
        ),
    ];
    for (sentence, change) in table {
        assert_eq!(read_change(sentence), change, "{sentence}");
    }
}

#[test]
fn whatever_leaves_a_choice_needs_a_model() {
    for sentence in [
        "",
        "rename getUser in src/a.ts",
        "rename getUser to fetchUser",
        "add a retry to the login endpoint",
        "fix the crash on start",
        "fix typo zzyzx in README.md",
        "update deps",
        "remove the login button",
        "delete everything",
        "replace \"open with \"x\" in a.md",
        "replace \"a\" with \"a\" in a.md",
        "rename a to b in ../outside.rs",
        "rename a to b in /etc/passwd",
        "fix typo in README.md and add a logo",
        "sửa lỗi chính tả trong README.md",
        "add a line to README.md",
    ] {
        assert_eq!(read_change(sentence), None, "{sentence}");
    }
}

#[test]
fn whole_words_change_and_nothing_else() {
    let rename = ChangeKind::Replace {
        old: "user".to_owned(),
        new: "person".to_owned(),
    };
    assert_eq!(
        rename.line("user, username, super_user, (user)"),
        "person, username, super_user, (person)"
    );
    let quoted = ChangeKind::Replace {
        old: "()".to_owned(),
        new: "(x)".to_owned(),
    };
    assert_eq!(quoted.line("f() + g()"), "f(x) + g(x)");
    assert_eq!(
        ChangeKind::Typos.line("Teh dependancy was RECIEVE d untill now; teh_x stays."),
        "The dependency was RECEIVE d until now; teh_x stays."
    );
}

#[test]
fn a_misspelling_is_known_by_its_stem() {
    for (line, expected) in [
        (
            "It recieves, recieved and is Recieving.",
            "It receives, received and is Receiving.",
        ),
        ("SEPERATELY seperated", "SEPARATELY separated"),
        (
            "two dependancies and libaries",
            "two dependencies and libraries",
        ),
        ("an adress and adresses", "an address and addresses"),
        (
            "it occured while intializing",
            "it occurred while initializing",
        ),
        (
            "the receiver receives separate addresses",
            "the receiver receives separate addresses",
        ),
    ] {
        assert_eq!(ChangeKind::Typos.line(line), expected);
    }
}
