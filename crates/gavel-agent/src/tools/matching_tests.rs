use proptest::prelude::*;

use super::*;

const FILE: &str =
    "fn one() {\n    let a = 1;\n    call(a);\n}\n\nfn two() {\n\tlet b = 2;\n\tcall(b);\n}\n";

fn blanks(text: &str, wanted: &str) -> BlankMatch {
    let found = find(text, wanted);
    match found {
        Match::Blanks(found) => found,
        Match::Exact(_) | Match::Ambiguous(_) | Match::Missing => panic!("{found:?}"),
    }
}

/// Nothing is found; the nearest places, as first and last line.
fn near(text: &str, wanted: &str) -> Vec<(usize, usize)> {
    assert_eq!(find(text, wanted), Match::Missing);
    let blocks = nearest(text, wanted);
    blocks
        .iter()
        .map(|block| (block.first, block.last))
        .collect()
}

#[test]
fn an_exact_place_comes_first() {
    assert_eq!(find(FILE, "let a = 1;"), Match::Exact(15..25));
    assert_eq!(find(FILE, "call"), Match::Ambiguous(vec![3, 8]));
    // Unique as a text although its line is not.
    assert_eq!(find("ab\nabc\n", "abc"), Match::Exact(3..6));
}

#[test]
fn a_unique_block_with_other_blanks_is_found() {
    let found = blanks(FILE, "let a = 1;\ncall(a);\n");
    assert_eq!(
        FILE.get(found.bytes.clone()).unwrap(),
        "    let a = 1;\n    call(a);"
    );
    assert_eq!(found.lines, Block { first: 2, last: 3 });
    assert_eq!(found.shift, Shift::Add("    ".into()));
    let found = blanks(FILE, "        let a  =  1;\n        call(a);");
    assert_eq!(found.shift, Shift::Remove("    ".into()));
    // Blanks at line ends, and line ends themselves.
    let found = blanks("a \r\nb\r\n", "a\nb");
    assert_eq!(found.bytes, 0..5);
    assert_eq!(found.shift, Shift::None);
}

#[test]
fn what_is_not_certain_is_no_match() {
    // One line differs in a word.
    let other_word = "    let a = 1;\n    call(c);";
    assert_eq!(near(FILE, other_word), [(2, 3), (7, 8)]);
    // Twice with other blanks.
    let twice = find("if x {\n  go();\n}\nif y {\n    go();\n}\n", "   go(); ");
    assert_eq!(twice, Match::Ambiguous(vec![2, 5]));
    // Indentation that shifts differently from line to line.
    assert_eq!(near("  a\n    b\n", "a\nb"), [(1, 2)]);
    // Spaces for tabs: which the replacement's lines need is not known.
    assert_eq!(
        near(FILE, "    let b = 2;\n    call(b);").first(),
        Some(&(7, 8))
    );
    assert_eq!(near(FILE, "nothing like it anywhere"), []);
    assert_eq!(near(FILE, "  \n \n"), []);
    assert_eq!(near("", "x"), []);
}

#[test]
fn replacements_are_shifted_or_not_made() {
    let add = Shift::Add("  ".into());
    assert_eq!(add.apply("a\n\n  b\n").as_deref(), Some("  a\n\n    b\n"));
    let remove = Shift::Remove("  ".into());
    assert_eq!(remove.apply("  a\n    b").as_deref(), Some("a\n  b"));
    assert_eq!(remove.apply("  a\nb"), None);
}

proptest! {
    #[test]
    fn a_match_is_unique_and_says_the_same_words(
        lines in prop::collection::vec("[ab]{0,3}( [ab]{1,2})?", 1..12),
        wanted in prop::collection::vec("[ ]{0,2}[ab]{1,3}( [ab]{1,2})?", 1..3),
    ) {
        let text = lines.iter().map(|line| format!("{line}\n")).collect::<String>();
        let wanted = wanted.join("\n");
        match find(&text, &wanted) {
            Match::Exact(bytes) => {
                prop_assert_eq!(text.get(bytes).unwrap(), wanted.as_str());
                prop_assert_eq!(text.matches(&wanted).count(), 1);
            }
            Match::Blanks(found) => {
                let block = text.get(found.bytes).unwrap();
                prop_assert!(same_words(block, &wanted));
                prop_assert!(!text.contains(&wanted));
                let count = block.lines().count();
                let again = text.lines().collect::<Vec<_>>().windows(count)
                    .filter(|window| {
                        window.iter().zip(wanted.lines()).all(|(a, b)| same_words(a, b))
                    })
                    .count();
                prop_assert_eq!(again, 1);
            }
            Match::Ambiguous(places) => prop_assert!(places.len() > 1),
            Match::Missing => prop_assert!(!text.contains(&wanted)),
        }
    }
}
