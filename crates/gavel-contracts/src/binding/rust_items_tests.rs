//! What a file takes in, and what is only for tests.

use super::super::code::Code;
use super::super::language::Language;
use super::*;

fn tokens(text: &str) -> Vec<Token<'_>> {
    Code::of(&[Language::Rust], "src/a.rs", text).tokens()
}

#[test]
fn files_are_taken_in_by_name_and_by_path() {
    let text = "mod a;\npub mod b { }\n#[path = \"x/y.rs\"]\nmod c;\ninclude!(\"z.txt\");\n\
        include!(concat!(env!(\"OUT_DIR\"), \"/g.rs\"));\nlet path = \"no\";\nfn f(mod_: i32) {}\n\
        // mod d;\n#[cfg_attr(unix, path = \"u.rs\")] mod e;\n";
    let file = |path: &str, line| Taken::File {
        path: path.to_owned(),
        line,
    };
    let module = |name: &str, line| Taken::Module {
        name: name.to_owned(),
        line,
    };
    let expected = [
        module("a", 1),
        file("x/y.rs", 3),
        module("c", 4),
        file("z.txt", 5),
        Taken::Unclear { line: 6 },
        file("u.rs", 10),
        module("e", 10),
    ];
    assert_eq!(taken_files(&tokens(text)), expected);
}

#[test]
fn items_for_tests_are_left_out() {
    let text = "fn a() {}\n#[cfg(test)]\n#[path = \"t.rs\"]\nmod tests;\nfn b() {}\n\
        #[cfg(test)]\nmod inner { fn c() { [1]; } }\nfn d() {}";
    let kept = without_tests(&tokens(text));
    let words: Vec<_> = kept.iter().map(|token| token.text).collect();
    assert_eq!(words.join(""), "fna(){}fnb(){}fnd(){}");
}
