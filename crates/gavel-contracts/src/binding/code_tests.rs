//! Lines and tokens, with the numbers that people see.

use super::*;

fn found(text: &str, pattern: &str) -> Vec<u32> {
    let regex = regex::Regex::new(pattern).unwrap();
    let lines = Code::of(&[Language::Rust], "a.rs", text).lines();
    let mut found: Vec<u32> = lines
        .iter()
        .flat_map(|line| {
            let places = regex.find_iter(&line.text);
            places
                .map(|place| line.line_at(place.start()))
                .collect::<Vec<_>>()
        })
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}

#[test]
fn lines_are_counted_through_comments_and_literals() {
    let text = "/* one\ntwo */ a();\nlet s = \"x\ny\";\nb(); // c()\n/* d() */ e();\n";
    assert_eq!(found(text, "a\\("), [2]);
    assert_eq!(found(text, "^y\""), [4]);
    assert_eq!(found(text, "b\\("), [5]);
    assert_eq!(found(text, "c\\("), Vec::<u32>::new());
    assert_eq!(found(text, "d\\("), Vec::<u32>::new());
    assert_eq!(found(text, "e\\("), [6]);
    assert_eq!(found("a\r\nb\r\n", "^b$"), [2]);
}

#[test]
fn statements_over_several_lines_are_one() {
    assert_eq!(
        found("x();\nstd\n  ::fs\n  ::read();\n", "std::fs::read"),
        [2]
    );
    assert_eq!(found("a\n  .b()\n  .c()\n", "b\\(\\)\\.c"), [2]);
    assert_eq!(found("println // x\n  !(\"\");", "println!"), [1]);
    assert_eq!(found("require(\n  \"fs\")", "require\\(\"fs\"\\)"), [1]);
    assert_eq!(
        found("import {\n  a,\n} from \"fs\"", "import .* from \"fs\""),
        [1]
    );
    assert_eq!(found("use\n  crate::store;", "use crate::store"), [1]);
    // Two statements are not one.
    assert_eq!(found("let a = b;\nlet c = d;", "b.*c"), Vec::<u32>::new());
    assert_eq!(found("a(\"x\");\nb(\"y\");", "x.*y"), Vec::<u32>::new());
}

#[test]
fn a_literal_says_what_stands_between_its_quotes() {
    let tokens = Code::of(&[Language::Rust], "a.rs", "r#\"a b\"# 'c' \"\" x").tokens();
    let said: Vec<_> = tokens.iter().map(Token::said).collect();
    assert_eq!(said, [Some("a b"), Some("c"), Some(""), None]);
}
