//! Paths in full.

use super::super::code::Code;
use super::super::language::Language;
use super::*;

fn paths(file: &str, text: &str) -> Vec<(u32, String)> {
    let tokens = Code::of(&[Language::Rust], file, text).tokens();
    let lines = resolved_paths(file, &tokens);
    lines
        .into_iter()
        .map(|line| (line.line_at(0), line.text))
        .collect()
}

fn shown(file: &str, text: &str) -> Vec<String> {
    paths(file, text)
        .into_iter()
        .map(|(_, text)| text)
        .collect()
}

#[test]
fn imports_are_spelled_out_with_their_lines() {
    let text = "use std::{\n    env,\n    fs::{self, File as F},\n    io::*,\n};\n";
    let expected = [
        (2, "use std::env"),
        (3, "use std::fs"),
        (3, "use std::fs::File as F"),
        (4, "use std::io::*"),
    ];
    let expected: Vec<_> = expected.map(|(line, text)| (line, text.to_owned())).into();
    assert_eq!(paths("src/a.rs", text), expected);
}

#[test]
fn names_stand_for_what_was_imported() {
    let text = "use std as s;\nuse s::fs;\nfn f() { fs::read(); s::env::var(); other::x(); }";
    let expected = [
        "use std as s",
        "use std::fs",
        "std::fs::read",
        "std::env::var",
        "other::x",
    ];
    assert_eq!(shown("src/a.rs", text), expected);
    let cycle = "use a as b;\nuse b as a;\nfn f() { a::b::c(); }";
    assert_eq!(shown("src/a.rs", cycle).len(), 3);
}

#[test]
fn relative_paths_begin_at_the_crate() {
    let text =
        "use super::x;\nmod inner { use super::y; fn f() { super::super::z::w(); } }\nuse self::v;";
    let expected = [
        "use crate::a::x",
        "use crate::a::b::y",
        "use crate::a::b::v",
        "crate::a::z::w",
    ];
    assert_eq!(shown("src/a/b.rs", text), expected);
    assert_eq!(
        shown("crates/p/src/a/mod.rs", "use super::x;"),
        ["use crate::x"]
    );
    assert_eq!(shown("src/main.rs", "use self::x;"), ["use crate::x"]);
}
