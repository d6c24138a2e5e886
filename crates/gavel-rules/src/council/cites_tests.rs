use proptest::prelude::*;

use super::*;

fn file(path: &str, (from, to): (u32, u32)) -> Cite {
    Cite::File {
        path: path.to_owned(),
        from,
        to,
    }
}

fn quote(words: &str) -> Behind {
    Behind::Quote(words.to_owned())
}

fn words(words: &str) -> Behind {
    Behind::Words(words.to_owned())
}

#[test]
fn every_form_is_read() {
    let memory = |id: &str| Cite::Memory(id.to_owned());
    let table = [
        ("src/lib.rs:12", file("src/lib.rs", (12, 12))),
        ("./src/lib.rs:12-20", file("src/lib.rs", (12, 20))),
        ("src/lib.rs:L12–L20", file("src/lib.rs", (12, 20))),
        ("src/lib.rs#L12-L20", file("src/lib.rs", (12, 20))),
        ("src/lib.rs:12:5", file("src/lib.rs", (12, 12))),
        ("src/lib.rs:12, 18-20", file("src/lib.rs", (12, 20))),
        ("file:src/lib.rs:12", file("src/lib.rs", (12, 12))),
        ("`src/lib.rs:12`", file("src/lib.rs", (12, 12))),
        (" (src/lib.rs:12). ", file("src/lib.rs", (12, 12))),
        ("Makefile:3", file("Makefile", (3, 3))),
        ("pages/[id].tsx:4", file("pages/[id].tsx", (4, 4))),
        ("memory:trap-1", memory("trap-1")),
        ("Memory: trap-1 (no server)", memory("trap-1")),
        ("memory:trap-1 \"no server\"", memory("trap-1")),
        ("trap-0198f7", memory("trap-0198f7")),
        ("answer:db-strategy", Cite::Answer("db-strategy".to_owned())),
        ("tool:3", Cite::Tool(3)),
        ("TOOL:#3", Cite::Tool(3)),
        ("Idea", Cite::Idea),
        ("IDEA.", Cite::Idea),
        ("idea \"a queue\"", Cite::Idea),
        ("`memory:m1`", memory("m1")),
        ("`memory:m1` \"no server\"", memory("m1")),
        (
            "https://a.test/x#L3.",
            Cite::Url("https://a.test/x#L3".to_owned()),
        ),
        (
            "<http://a.test:80/x>",
            Cite::Url("http://a.test:80/x".to_owned()),
        ),
    ];
    for (text, wanted) in table {
        assert_eq!(read_cite(text), wanted, "{text}");
    }
}

#[test]
fn what_is_no_citation_is_unknown() {
    let texts = [
        "",
        " ",
        "see above",
        "common sense",
        "grep",
        "src/lib.rs",
        "src/lib.rs:0",
        "src/lib.rs:20-12",
        "src/lib.rs:99999999999",
        ":12",
        "the file src/lib.rs:12",
        "not found: src/lib.rs:12",
        "line 12 of src/lib.rs",
        "ftp://a.test:21",
        "memory:",
        "answer: ",
        "tool:",
        "tool:0",
        "tool:x",
        "tool:-1",
        "12",
        "ideas",
    ];
    for text in texts {
        assert_eq!(read_cite(text), Cite::Unknown, "{text:?}");
    }
}

#[test]
fn words_in_quotation_marks_are_found_behind_any_form() {
    let main = || quote("fn main");
    let table = [
        ("src/lib.rs:12 \"fn main\"", main()),
        ("src/lib.rs:12-13 “fn main”", main()),
        ("src/lib.rs:12 „fn main“", main()),
        ("src/lib.rs:12 „fn main”", main()),
        ("src/lib.rs:12 ‘fn main’", main()),
        ("src/lib.rs:12 «fn main»", main()),
        ("src/lib.rs:12 「fn main」", main()),
        ("src/lib.rs:12 'fn main'", main()),
        ("src/lib.rs:12 - \"fn main\"", main()),
        ("src/lib.rs:12: \"fn main ...\"", main()),
        ("src/lib.rs:12 (\"fn main\").", main()),
        ("`src/lib.rs:12` `fn main`", main()),
        (
            "src/lib.rs:12 \"print(\"a: 1\")\"",
            quote("print(\"a: 1\")"),
        ),
        ("memory:trap-1 \"no server\"", quote("no server")),
        ("trap-1 \"no server\"", quote("no server")),
        ("tool:2 “3 results…”", quote("3 results")),
        ("https://a.test/x \"one row\"", quote("one row")),
        ("answer:db 'one'", quote("one")),
    ];
    for (text, wanted) in table {
        assert_eq!(read_behind(text), wanted, "{text}");
    }
}

#[test]
fn what_is_no_quote_does_not_pass_for_one() {
    let table = [
        ("src/lib.rs:12 \"fsync is off", words("\"fsync is off")),
        (
            "src/lib.rs:12 says fsync is off",
            words("says fsync is off"),
        ),
        (
            "src/lib.rs:12 \"fn main\" shows it",
            words("\"fn main\" shows it"),
        ),
        ("src/lib.rs:12 [CONFIRMED via x", words("[CONFIRMED via x")),
        ("memory:trap-1 (no server)", words("no server")),
        ("tool:1 (read_file)", words("read_file")),
        ("src/lib.rs:12", Behind::Nothing),
        ("src/lib.rs:12 \"\"", Behind::Nothing),
        ("src/lib.rs:12 \"...\"", Behind::Nothing),
        ("memory:trap-1 \"", Behind::Nothing),
        ("`memory:m1`", Behind::Nothing),
        ("memory:it's", Behind::Nothing),
        ("see above", Behind::Nothing),
    ];
    for (text, wanted) in table {
        assert_eq!(read_behind(text), wanted, "{text}");
    }
}

#[test]
fn a_citation_is_written_in_one_form() {
    let table = [
        ("`./src/lib.rs:L12` \"fn main\"", "src/lib.rs:12"),
        ("src/lib.rs#L12-L20", "src/lib.rs:12-20"),
        ("Memory: trap-1", "memory:trap-1"),
        ("trap-1", "memory:trap-1"),
        ("TOOL:#3", "tool:3"),
        ("answer:db.", "answer:db"),
        ("<https://a.test/x>", "https://a.test/x"),
    ];
    for (text, wanted) in table {
        assert_eq!(read_cite(text).written().as_deref(), Some(wanted), "{text}");
    }
    assert_eq!(Cite::Unknown.written(), None);
}

proptest! {
    #[test]
    fn reading_is_total(text in any::<String>(), cut in "[a-z/.]{0,4}[:#]?[0-9L,:–-]{0,6}[ \"`'“”]{0,3}[a-zệ]{0,3}[\"`'”]?") {
        for text in [&text, &cut] {
            if let Behind::Quote(words) | Behind::Words(words) = read_behind(text) {
                prop_assert!(!words.trim().is_empty());
            }
            if let Cite::File { path, from, to } = read_cite(text) {
                prop_assert!(!path.is_empty() && !path.contains(char::is_whitespace));
                prop_assert!(0 < from && from <= to);
            }
        }
    }

    #[test]
    fn a_plain_citation_is_read_as_written(
        path in "[a-z]{1,8}/[a-z]{1,8}\\.[a-z]{1,3}",
        from in 1_u32..5_000,
        more in 0_u32..50,
        said in "[a-z(]([a-z \\[\\]();=]{0,20}[a-z)])?",
    ) {
        let text = format!("{path}:{from}-{} \"{said}\"", from + more);
        prop_assert_eq!(read_cite(&text), file(&path, (from, from + more)));
        prop_assert_eq!(read_behind(&text), quote(&said));
    }
}
