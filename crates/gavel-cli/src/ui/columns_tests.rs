use super::*;

fn row(cells: &[&str]) -> Vec<Cell> {
    let cells = cells.iter();
    cells
        .map(|text| ((*text).to_owned(), Look::Plain))
        .collect()
}

fn shown(rows: &[Vec<Cell>], room: Option<usize>) -> String {
    let lines = laid(rows, room).into_iter().map(|line| {
        let texts = line.into_iter().map(|(text, _)| text);
        texts.collect::<String>()
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn list() -> Vec<Vec<Cell>> {
    vec![
        row(&["trp_1", "trap", "high", "wait for the health check", ""]),
        row(&[
            "fb_2",
            "feedback",
            "",
            "the dispatcher belongs into a package of its own, with tests that came before it",
            "#startup",
        ]),
    ]
}

#[test]
fn a_pipe_gets_every_row_on_one_line() {
    insta::assert_snapshot!(shown(&list(), None), @r"
    trp_1  trap      high  wait for the health check
    fb_2   feedback        the dispatcher belongs into a package of its own, with tests that came before it  #startup
    ");
}

#[test]
fn long_cells_are_broken_between_words_below_their_column() {
    insta::assert_snapshot!(shown(&list(), Some(79)), @r"
    trp_1  trap      high  wait for the health check
    fb_2   feedback        the dispatcher belongs into a package of its    #startup
                           own, with tests that came before it
    ");
}

#[test]
fn columns_without_room_stand_below_their_row() {
    insta::assert_snapshot!(shown(&list(), Some(44)), @r"
    trp_1  trap      high
      wait for the health check
    fb_2   feedback
      the dispatcher belongs into a     #startup
      package of its own, with tests
      that came before it
    ");
}

#[test]
fn what_belongs_to_words_stands_below_them() {
    let mut rows = list();
    rows[1][4] = ("#startup #dispatcher".to_owned(), Look::Faint);
    insta::assert_snapshot!(shown(&rows, Some(70)), @r"
    trp_1  trap      high  wait for the health check
    fb_2   feedback        the dispatcher belongs into a package of its
                           own, with tests that came before it
                           #startup #dispatcher
    ");
}

#[test]
fn a_command_is_never_broken_and_no_line_is_too_long() {
    let run = row(&[
        "07b4de95",
        "interrupted",
        "gavel council show 07b4de95",
        "x",
    ]);
    for room in 16..80 {
        let shown = shown(std::slice::from_ref(&run), Some(room));
        assert!(shown.contains("gavel council show 07b4de95"), "{shown}");
        for line in shown.lines() {
            let whole = line.trim_start() == "gavel council show 07b4de95";
            assert!(whole || columns(line) <= room, "{room}: {shown}");
            assert_eq!(line.trim_end(), line);
        }
    }
}

#[test]
fn a_row_of_nothing_is_an_empty_line() {
    let rows = [row(&["a"]), Vec::new(), row(&["", ""]), row(&["b"])];
    assert_eq!(shown(&rows, Some(20)), "a\n\n\nb");
    assert_eq!(shown(&rows, None), "a\n\n\nb");
}

#[test]
fn sentences_keep_their_own_lines_and_indents() {
    let text = "one two three\n\n  four five six";
    assert_eq!(flowed(text, None, 2), text);
    assert_eq!(
        flowed(text, Some(9), 2),
        "one two\n  three\n\n  four\n    five\n    six"
    );
    assert_eq!(
        flowed("12:00:00  it goes on", Some(18), 10),
        "12:00:00  it goes\n          on"
    );
    assert_eq!(
        flowed("a_word_too_long b", Some(4), 0),
        "a_word_too_long\nb"
    );
}

#[test]
fn data_stays_marked_and_lists_hang() {
    let brief = "- one two three\n| four five </data>\n|";
    assert_eq!(
        flowed(brief, Some(11), 0),
        "- one two\n  three\n| four five\n| </data>\n|"
    );
}

#[test]
fn a_shell_takes_a_broken_command_as_one() {
    let command = "gavel loop complete 7443b93d slot-2 --agent alice --cites ID";
    assert_eq!(typed("next: ", command, None), format!("next: {command}"));
    assert_eq!(typed("", command, Some(60)), command);
    let broken = typed("next: ", command, Some(44));
    assert_eq!(
        broken,
        "next: gavel loop complete 7443b93d slot-2 \\\n        --agent alice --cites ID"
    );
}

#[test]
fn looks_take_no_columns_and_pictures_take_two() {
    assert_eq!(columns("\x1b[33mwarn\x1b[0m"), 4);
    assert_eq!(columns("日本 ok"), 7);
    let dressed = "\x1b[2mone two\x1b[0m";
    assert_eq!(flowed(dressed, Some(7), 0), dressed);
}
