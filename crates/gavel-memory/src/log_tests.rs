use super::*;
use crate::fold::fold;
use crate::item::State;

const GOLDEN: &str = include_str!("../tests/golden/events.jsonl");

fn scrubber() -> Scrubber {
    Scrubber::new([]).unwrap()
}

/// A checkout with these files below the memory folder.
fn read(files: &[(&str, &str)]) -> (Log, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(MEMORY_FOLDER).join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let root = TreeRoot::open(folder.path()).unwrap();
    let log = Log::read(&root, &scrubber()).unwrap();
    let problems = log.problems.iter().map(ToString::to_string).collect();
    (log, problems)
}

fn added(text: &str) -> String {
    format!(
        r#"{{"event":"added","id":"01890a5d-ac96-774b-bcce-b302099a8001","at":"2026-11-15T12:00:00Z","item":"dec_01890a5d-ac96-774b-bcce-b302099a8057","text":"{text}"}}"#
    )
}

#[test]
fn the_stored_form_is_frozen() {
    let mut log = Log::default();
    for line in GOLDEN.lines() {
        let troubles = log.take_line(line, Home::Tracked, &scrubber()).unwrap();
        assert!(troubles.is_empty(), "{troubles:?}");
    }
    let written: Vec<String> = log.events().map(|event| event.to_line().unwrap()).collect();
    assert_eq!(written, GOLDEN.lines().collect::<Vec<_>>());
}

#[test]
fn damage_is_told_with_its_place_and_the_rest_is_read() {
    let half = added("half");
    let half = half.get(..60).unwrap();
    let text = format!(
        "{half}\n\n{}\n[1]\n{{\"event\":\"added\"}}\nnothing\n",
        added("whole")
    );
    let (log, problems) = read(&[("2026-11/a.jsonl", &text)]);
    assert_eq!(fold(log.events()).items.len(), 1);
    insta::assert_snapshot!(problems.join("\n"), @"
    .gavel/memory/2026-11/a.jsonl:1: the line is damaged and was left out: EOF while parsing an object at line 1 column 60
    .gavel/memory/2026-11/a.jsonl:4: the line is damaged and was left out: invalid type: sequence, expected a map at line 1 column 0
    .gavel/memory/2026-11/a.jsonl:5: the line is damaged and was left out: `id` is missing
    .gavel/memory/2026-11/a.jsonl:6: the line is damaged and was left out: expected ident at line 1 column 2
    ");
}

#[test]
fn what_later_versions_write_is_passed_over_and_told() {
    let newer = added("kept").replace(
        r#""text""#,
        r#""mood":"calm","by":{"door":"dream","role":"poet"},"visibility":"galaxy","text""#,
    );
    let other = added("x").replace("added", "sang").replace("8001", "8002");
    let bare = r#"{"event":"hummed","id":"01890a5d-ac96-774b-bcce-b302099a8003","at":"2026-11-15T12:00:00Z","tune":1}"#;
    let (log, problems) = read(&[("2026-11/a.jsonl", &format!("{newer}\n{other}\n{bare}"))]);
    let items = fold(log.events()).items;
    assert_eq!(items.values().next().unwrap().text, "kept");
    assert_eq!(items.values().next().unwrap().by, None);
    insta::assert_snapshot!(problems.join("\n"), @"
    .gavel/memory/2026-11/a.jsonl:1: the value of `by` is not known to this version: passed over
    .gavel/memory/2026-11/a.jsonl:1: the value of `visibility` is not known to this version: passed over
    .gavel/memory/2026-11/a.jsonl:1: the field `mood` is not known to this version: passed over
    .gavel/memory/2026-11/a.jsonl:2: events of kind `sang` are not known to this version: left out
    .gavel/memory/2026-11/a.jsonl:3: events of kind `hummed` are not known to this version: left out
    ");
}

#[test]
fn a_secret_in_a_file_reaches_nobody() {
    let token = concat!("ghp", "_16C7e42F292c6912E7710c838347Ae178B4a");
    let (log, problems) = read(&[("2026-11/a.jsonl", &added(&format!("use {token}")))]);
    assert!(fold(log.events()).items.is_empty());
    assert_eq!(problems.len(), 1);
    assert!(problems[0].contains("2026-11/a.jsonl:1"), "{problems:?}");
    assert!(!problems[0].contains(token), "{problems:?}");
}

#[test]
fn two_lines_with_one_id_count_once() {
    let (one, other) = (added("one"), added("other"));
    let files = [
        ("2026-11/a.jsonl", one.as_str()),
        ("2026-11/b.jsonl", &other),
    ];
    let swapped = [
        ("2026-11/a.jsonl", other.as_str()),
        ("2026-11/b.jsonl", &one),
    ];
    let ((log, problems), (swapped, _)) = (read(&files), read(&swapped));
    assert_eq!(fold(log.events()).items, fold(swapped.events()).items);
    assert_eq!(problems.len(), 1, "{problems:?}");
    let (_, copies) = read(&[("2026-11/a.jsonl", &one), ("2026-12/b.jsonl", &one)]);
    assert_eq!(copies, Vec::<String>::new(), "a copy is no trouble");
}

#[test]
fn only_files_in_months_are_read_and_strays_are_told() {
    let line = added("x");
    let (log, problems) = read(&[
        ("stray.jsonl", &line),
        ("2026-11/README.md", "words"),
        ("2026-11/.a.tmp", &line),
        ("notes/a.jsonl", &line),
    ]);
    assert_eq!(log.events().count(), 0);
    insta::assert_snapshot!(problems.join("\n"), @"
    .gavel/memory/notes: memory lies in files in folders of months, such as 2026-11: this was not read
    .gavel/memory/stray.jsonl: memory lies in files in folders of months, such as 2026-11: this was not read
    ");
    let (nothing, problems) = read(&[]);
    assert!(nothing.events().next().is_none() && problems.is_empty());
}

#[test]
fn a_symlink_is_not_followed() {
    let folder = tempfile::tempdir().unwrap();
    let month = folder.path().join(MEMORY_FOLDER).join("2026-11");
    std::fs::create_dir_all(&month).unwrap();
    std::fs::write(folder.path().join("outside"), added("x")).unwrap();
    std::os::unix::fs::symlink(folder.path().join("outside"), month.join("a.jsonl")).unwrap();
    let root = TreeRoot::open(folder.path()).unwrap();
    let log = Log::read(&root, &scrubber()).unwrap();
    assert_eq!((log.events().count(), log.problems.len()), (0, 1));
}

#[test]
fn a_redacted_item_says_nothing() {
    let mut log = Log::default();
    let redacted = added("words")
        .replace("added", "redacted")
        .replace("8001", "8000");
    log.take_line(&redacted, Home::Tracked, &scrubber())
        .unwrap();
    log.take_line(&added("words"), Home::Tracked, &scrubber())
        .unwrap();
    let items = fold(log.events()).items;
    let item = items.values().next().unwrap();
    assert_eq!((item.state, item.text.as_str()), (State::Redacted, ""));
}
