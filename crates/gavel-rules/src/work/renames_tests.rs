use proptest::prelude::*;

use super::super::{
    CodeReading, Named, Span, StatementKind, Substance, TestFunction, WorkEdition, WorkFinding,
    inspect_work,
};
use super::*;

/// Tokens of a text that is written with spaces between them.
fn tokens(text: &str) -> Vec<Token> {
    let kind = |word: &str| {
        let first = word.chars().next().unwrap();
        if first == '"' {
            TokenKind::Text
        } else if first.is_ascii_digit() {
            TokenKind::Number
        } else if first.is_alphabetic() {
            TokenKind::Word
        } else {
            TokenKind::Sign
        }
    };
    // `~` stands for a space inside a string.
    let words = text.split(' ');
    words
        .map(|word| Token {
            kind: kind(word),
            text: word.replace('~', " "),
        })
        .collect()
}

fn test_file(body: &str) -> WorkFile {
    let mut file = WorkFile::unread("tests/test_cart.py", body.as_bytes());
    file.reading = CodeReading::Read;
    let statement = |line: &str| Statement {
        kind: StatementKind::Assertion,
        line: 1,
        tokens: tokens(line),
        blocks: Vec::new(),
    };
    file.tests = vec![TestFunction {
        name: "test_a".to_owned(),
        full_name: "test_a".to_owned(),
        line: 1,
        span: Span::default(),
        attributes: Vec::new(),
        skipped: None,
        catches: Vec::new(),
        tolerances: Vec::new(),
        assertions: 1,
        substance: Substance::Asserts,
        body: body.lines().map(statement).collect(),
    }];
    file
}

fn product(defined: &str, text: &str) -> WorkFile {
    let mut file = WorkFile::unread("src/cart.py", text.as_bytes());
    file.reading = CodeReading::Read;
    let names = defined.split_whitespace();
    file.definitions = names
        .map(|name| Definition {
            name: name.trim_end_matches("()").to_owned(),
            kind: if name.ends_with("()") {
                DefinitionKind::Function
            } else {
                DefinitionKind::Type
            },
        })
        .collect();
    file
}

struct Side<'a> {
    defined: &'a str,
    says: &'a str,
    test: &'a str,
}

fn found(before: &Side<'_>, after: &Side<'_>, request: &str) -> Vec<WorkFinding> {
    let tree =
        |side: &Side<'_>| WorkFiles::new([product(side.defined, side.says), test_file(side.test)]);
    inspect_work(
        &tree(before),
        &tree(after),
        request,
        Named::Nothing,
        WorkEdition::Second,
    )
}

fn renamed(before: [&str; 2], after: [&str; 2]) -> usize {
    let before = Side {
        defined: before[0],
        says: "",
        test: before[1],
    };
    let after = Side {
        defined: after[0],
        says: "",
        test: after[1],
    };
    found(
        &before,
        &after,
        "rename add to total, assert_eq to assert_ne, 3 to 4",
    )
    .len()
}

#[test]
fn a_name_of_the_product_may_become_another_one() {
    let test = "assert_eq ( add ( 1 , 2 ) , 3 )";
    let total = "assert_eq ( total ( 1 , 2 ) , 3 )";
    assert_eq!(renamed(["add()", test], ["total()", total]), 0);
    for (why, before, after) in [
        (
            "the old name is still there",
            ["add()", test],
            ["add() total()", total],
        ),
        (
            "the new name was there",
            ["add() total()", test],
            ["total()", total],
        ),
        ("the new name is not defined", ["add()", test], ["", total]),
        (
            "the old name was never defined",
            ["", test],
            ["total()", total],
        ),
        ("another kind of thing", ["add()", test], ["total", total]),
        (
            "the assertion is none of the product's",
            ["add()", test],
            ["total()", "assert_ne ( total ( 1 , 2 ) , 3 )"],
        ),
        (
            "the value is another one",
            ["add()", test],
            ["total()", "assert_eq ( total ( 1 , 2 ) , 4 )"],
        ),
        (
            "only one of two places was renamed",
            ["add()", "assert_eq ( add ( 1 ) , add ( 2 ) )"],
            ["total()", "assert_eq ( total ( 1 ) , add ( 2 ) )"],
        ),
        (
            "two names became one",
            ["add() plus()", "assert_eq ( add ( 1 ) , plus ( 1 ) )"],
            ["total()", "assert_eq ( total ( 1 ) , total ( 1 ) )"],
        ),
        (
            "one name became two",
            [
                "add()",
                "assert_eq ( add ( 1 ) , 1 )\nassert_eq ( add ( 2 ) , 2 )",
            ],
            [
                "one() two()",
                "assert_eq ( one ( 1 ) , 1 )\nassert_eq ( two ( 2 ) , 2 )",
            ],
        ),
        (
            "it would be compared with itself",
            ["add()", "assert_eq ( add ( 1 ) , total ( 1 ) )"],
            ["total()", "assert_eq ( total ( 1 ) , total ( 1 ) )"],
        ),
    ] {
        assert_eq!(renamed(before, after), 1, "{why}");
    }
}

#[test]
fn a_text_may_become_what_the_request_names() {
    for (request, was, is, count) in [
        (
            "Fix the typo recieve, it is receive",
            "You~recieve",
            "You~receive",
            0,
        ),
        (
            "Fix the typo recieve, it is receive",
            "Recieve",
            "Receive",
            0,
        ),
        (
            "Say \"Good morning\" in place of \"Hello there\"",
            "Hello~there,~Ann",
            "Good~morning,~Ann",
            0,
        ),
        ("Write Hello in place of hello", "hello~Ann", "Hello~Ann", 0),
        ("Fix the typo", "You~recieve", "You~receive", 1),
        ("Fix the typo recieve", "You~recieve", "You~receive", 1),
        ("The sum of 2 and 3 is 5", "2", "3", 1),
        ("Say invalid in place of valid", "valid", "invalid", 1),
        ("Return true in place of false", "false", "true", 1),
        (
            "Fix the typo recieve, it is receive",
            "You~recieve",
            "They~receive",
            1,
        ),
        ("hello", "hello~Ann", "Hello~Ann", 1),
    ] {
        let test = |text: &str| format!("assert_eq ( greet ( ) , \"{text}\" )");
        let (old, new) = (was.replace('~', " "), is.replace('~', " "));
        let before = Side {
            defined: "greet()",
            says: &old,
            test: &test(was),
        };
        let after = Side {
            defined: "greet()",
            says: &new,
            test: &test(is),
        };
        let found = found(&before, &after, request);
        assert_eq!(found.len(), count, "{request}: {was} → {is}");
    }
    let before = Side {
        defined: "",
        says: "receive",
        test: "assert ( \"receive\" )",
    };
    let after = Side {
        defined: "",
        says: "receive",
        test: "assert ( \"recieve\" )",
    };
    let request = "Fix the typo recieve, it is receive";
    assert_eq!(
        found(&before, &after, request).len(),
        1,
        "the product says no such thing"
    );
}

proptest! {
    #[test]
    fn without_a_rename_only_the_same_is_explained(a in "[a-z ]{1,20}", b in "[a-z ]{1,20}") {
        let of = |text: &str| -> Vec<Token> {
            let words = text.split_whitespace();
            words.map(|word| Token { kind: TokenKind::Word, text: word.to_owned() }).collect()
        };
        let (a, b) = (of(&a), of(&b));
        prop_assert_eq!(Renames::default().explain(&a, &b), a == b);
    }

    #[test]
    fn parts_that_differ_are_parts_of_the_texts(a in "[a-c .]{0,12}", b in "[a-c .]{0,12}") {
        for one in differing_words(&a, &b) {
            prop_assert!(a.contains(&one.old) && b.contains(&one.new), "{one:?}");
            prop_assert!(one.old != one.new);
        }
    }
}
