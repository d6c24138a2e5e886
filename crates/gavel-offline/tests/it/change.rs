//! Small changes by rules, played at a desk.

use crate::desk::{Desk, ask_for, data};

const CODER: [&str; 4] = ["read_file", "list_directory", "write_file", "edit_file"];

fn desk(path: &str, text: &str) -> Desk {
    let mut desk = Desk::new();
    desk.files.insert(path.to_owned(), text.to_owned());
    desk
}

fn task(idea: &str) -> String {
    format!("Change: 1\n\nMake it.\n\n{}", data("idea", idea))
}

#[test]
fn a_rename_touches_whole_words_in_one_file() {
    let text =
        "fn get() {}\n\nfn a() {\n    get();\n}\n\nfn b() {\n    get();\n}\nfn target() {}\n";
    let mut desk = desk("src/a.rs", text);
    let played = desk.play(&task("rename get to fetch in src/a.rs"), &CODER);
    assert!(played.text.starts_with("3 lines of src/a.rs"), "{played:?}");
    assert_eq!(
        desk.files["src/a.rs"],
        "fn fetch() {}\n\nfn a() {\n    fetch();\n}\n\nfn b() {\n    fetch();\n}\nfn target() {}\n"
    );
}

#[test]
fn a_line_is_added_and_typos_are_corrected() {
    let mut readme = desk("README.md", "# Teh tool\n\nWill recieve it.\n");
    readme.play(&task("fix the typos in README.md"), &CODER);
    assert_eq!(
        readme.files["README.md"],
        "# The tool\n\nWill receive it.\n"
    );
    readme.play(&task("add the line \"See docs.\" to README.md"), &CODER);
    assert_eq!(
        readme.files["README.md"],
        "# The tool\n\nWill receive it.\nSee docs.\n"
    );
}

#[test]
fn every_certain_misspelling_goes_and_the_judge_sees_one_that_is_left() {
    let before = "It recieves mail.\nTeh seperate adresses.\n\nRecieving occured.\n";
    let after = "It receives mail.\nThe separate addresses.\n\nReceiving occurred.\n";
    let mut readme = desk("README.md", before);
    readme.play(&task("fix the typos in README.md"), &CODER);
    assert_eq!(readme.files["README.md"], after);
    let judge = |lines: &str| {
        let criterion =
            r#"{"id": "change-made", "statement": "This was done: fix the typos in README.md"}"#;
        let changes = "--- a/README.md\n+++ b/README.md\n+It receives mail.\n";
        let said = ask_for(
            "judge",
            &[
                ("criteria", criterion),
                ("files", lines),
                ("changes", changes),
            ],
        );
        said["judgements"][0]["standing"].clone()
    };
    let all = "=== README.md\n1: It receives mail.\n2: The separate addresses.\n";
    assert_eq!(judge(all), "met");
    let left = "=== README.md\n1: It receives mail.\n2: The seperated adresses.\n";
    assert_eq!(judge(left), "unmet");
}

#[test]
fn a_file_that_is_not_there_is_named_in_plain_words() {
    let text = desk("a.md", "x\n").play(&task("rename a to b in src/missing.rs"), &CODER);
    assert!(text.text.contains("src/missing.rs"), "{text:?}");
    assert!(!text.text.contains(['{', '_']), "{text:?}");
}

#[test]
fn what_leaves_a_choice_is_left_to_a_model() {
    let before = "fn login() {}\n";
    for (idea, why) in [
        ("add a retry to the login endpoint", "leaves a choice"),
        (
            "rename nobody to somebody in src/a.rs",
            "`nobody` does not stand in src/a.rs",
        ),
        ("fix typo in src/a.rs", "name the word"),
        ("rename a to b in src/missing.rs", "is not there"),
        ("remove the file src/a.rs", "no command can be run here"),
    ] {
        let mut desk = desk("src/a.rs", before);
        let text = desk.play(&task(idea), &CODER).text;
        assert!(text.starts_with("Cannot: "), "{idea}: {text}");
        assert!(text.contains(why), "{idea}: {text}");
        assert_eq!(desk.files["src/a.rs"], before, "{idea}");
    }
}

#[test]
fn a_change_that_was_made_is_not_mended_by_rules() {
    let mut desk = desk("src/a.rs", "fn get() {}\n");
    let idea = "rename get to fetch in src/a.rs";
    let task = format!("{}\n\n{}", task(idea), data("verification", "failed"));
    let text = desk.play(&task, &CODER).text;
    assert!(text.contains("nothing to mend"), "{text}");
}

#[test]
fn a_text_that_nobody_read_is_not_called_clear() {
    let said = ask_for("clarity", &[("prompt", "thêm nút đăng xuất")]);
    assert_eq!(said["clarity"], "vague");
}
