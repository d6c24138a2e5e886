use proptest::prelude::*;

use super::*;

fn file(path: &str, (from, to): (u32, u32), quote: Option<&str>) -> Cite {
    Cite::File {
        path: path.to_owned(),
        from,
        to,
        quote: quote.map(str::to_owned),
    }
}

#[test]
fn every_form_is_read() {
    let memory = |id: &str| Cite::Memory(id.to_owned());
    let table = [
        ("src/lib.rs:12", file("src/lib.rs", (12, 12), None)),
        ("./src/lib.rs:12-20", file("src/lib.rs", (12, 20), None)),
        ("src/lib.rs:L12–L20", file("src/lib.rs", (12, 20), None)),
        ("src/lib.rs#L12-L20", file("src/lib.rs", (12, 20), None)),
        ("src/lib.rs:12:5", file("src/lib.rs", (12, 12), None)),
        ("src/lib.rs:12, 18-20", file("src/lib.rs", (12, 20), None)),
        ("file:src/lib.rs:12", file("src/lib.rs", (12, 12), None)),
        ("`src/lib.rs:12`", file("src/lib.rs", (12, 12), None)),
        (" (src/lib.rs:12). ", file("src/lib.rs", (12, 12), None)),
        ("Makefile:3", file("Makefile", (3, 3), None)),
        ("pages/[id].tsx:4", file("pages/[id].tsx", (4, 4), None)),
        (
            "src/lib.rs:12 \"fn main\"",
            file("src/lib.rs", (12, 12), Some("fn main")),
        ),
        (
            "src/lib.rs:12-13 “fn main”",
            file("src/lib.rs", (12, 13), Some("fn main")),
        ),
        (
            "`src/lib.rs:12` `fn main`",
            file("src/lib.rs", (12, 12), Some("fn main")),
        ),
        (
            "src/lib.rs:12 'fn main'",
            file("src/lib.rs", (12, 12), Some("fn main")),
        ),
        (
            "src/lib.rs:12: \"fn main ...\"",
            file("src/lib.rs", (12, 12), Some("fn main")),
        ),
        (
            "src/lib.rs:12 (\"fn main\")",
            file("src/lib.rs", (12, 12), Some("fn main")),
        ),
        (
            "src/lib.rs:12 \"print(\"a: 1\")\"",
            file("src/lib.rs", (12, 12), Some("print(\"a: 1\")")),
        ),
        ("src/lib.rs:12 \"\"", file("src/lib.rs", (12, 12), None)),
        (
            "src/lib.rs:12 the entry point",
            file("src/lib.rs", (12, 12), None),
        ),
        ("memory:trap-1", memory("trap-1")),
        ("Memory: trap-1 (no server)", memory("trap-1")),
        ("memory:trap-1 \"no server\"", memory("trap-1")),
        ("trap-0198f7", memory("trap-0198f7")),
        ("answer:db-strategy", Cite::Answer("db-strategy".to_owned())),
        ("tool:3", Cite::Tool(3)),
        ("TOOL:#3", Cite::Tool(3)),
        ("Idea", Cite::Idea),
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
    let table = [
        ("memory:trap-1 \"no server\"", Some("no server")),
        ("tool:2 “3 results…”", Some("3 results")),
        ("memory:trap-1", None),
        ("memory:trap-1 \"", None),
        ("memory:it's", None),
    ];
    for (text, wanted) in table {
        assert_eq!(quoted_words(text), wanted, "{text}");
    }
}

proptest! {
    #[test]
    fn reading_is_total(text in any::<String>(), cut in "[a-z/.]{0,4}[:#]?[0-9L,:–-]{0,6}[ \"`'“”]{0,3}[a-zệ]{0,3}[\"`'”]?") {
        for text in [&text, &cut] {
            if let Cite::File { path, from, to, quote } = read_cite(text) {
                prop_assert!(!path.is_empty() && !path.contains(char::is_whitespace));
                prop_assert!(0 < from && from <= to);
                prop_assert!(quote.is_none_or(|quote| !quote.trim().is_empty()));
            }
        }
    }

    #[test]
    fn a_plain_citation_is_read_as_written(
        path in "[a-z]{1,8}/[a-z]{1,8}\\.[a-z]{1,3}",
        from in 1_u32..5_000,
        more in 0_u32..50,
        quote in "[a-z(]([a-z \\[\\]();=]{0,20}[a-z)])?",
    ) {
        let text = format!("{path}:{from}-{} \"{quote}\"", from + more);
        prop_assert_eq!(read_cite(&text), file(&path, (from, from + more), Some(&quote)));
    }
}
