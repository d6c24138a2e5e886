use proptest::prelude::*;

use super::*;
use crate::council::TagWord;

fn read(source: &str) -> Vec<&str> {
    sources(&Tag {
        word: TagWord::Confirmed,
        source: Some(source),
        at: 0..0,
    })
}

#[test]
fn a_tag_may_name_several_sources() {
    let table: &[(&str, &[&str])] = &[
        ("a.rs:1", &["a.rs:1"]),
        (
            "a.rs:1; memory:x , tool:2 and idea",
            &["a.rs:1", "memory:x", "tool:2", "idea"],
        ),
        ("a.rs:1, and b.rs:2", &["a.rs:1", "b.rs:2"]),
        ("a.rs:1,b.rs:2", &["a.rs:1", "b.rs:2"]),
        ("a.rs:1, 5-7, tool:1", &["a.rs:1, 5-7", "tool:1"]),
        (
            "a.rs:1 \"x, y; z and w\"; b.rs:2",
            &["a.rs:1 \"x, y; z and w\"", "b.rs:2"],
        ),
        (
            "a.rs:1 \"f(\"a, b\")\"; b.rs:2",
            &["a.rs:1 \"f(\"a, b\")\"", "b.rs:2"],
        ),
        ("a.rs:1 \"open, b.rs:2", &["a.rs:1 \"open", "b.rs:2"]),
        (
            "https://a.test/x?a=1,2;b=3, tool:1",
            &["https://a.test/x?a=1,2;b=3", "tool:1"],
        ),
        ("src/land and sea.rs:1", &["src/land", "sea.rs:1"]),
        ("a.rs:1, src/made_up.rs", &["a.rs:1", "src/made_up.rs"]),
        ("a.rs:1; my experience", &["a.rs:1", "my experience"]),
        (
            "a.rs:1, which opens and closes it",
            &["a.rs:1, which opens and closes it"],
        ),
        (
            "a.rs:1 AND memory:x; and tool:2",
            &["a.rs:1", "memory:x", "tool:2"],
        ),
        (" ; , ", &[]),
    ];
    for (source, wanted) in table {
        assert_eq!(read(source), *wanted, "{source}");
    }
}

#[test]
fn a_tag_without_a_source_has_none() {
    let tag = Tag {
        word: TagWord::Confirmed,
        source: None,
        at: 0..0,
    };
    assert_eq!(sources(&tag), Vec::<&str>::new());
}

proptest! {
    #[test]
    fn splitting_is_total(source in any::<String>(), signs in "[a-zệ0-9:/;, \"'`“”.]{0,40}( and )?[a-z:;,/]{0,9}") {
        for source in [&source, &signs] {
            for part in read(source) {
                prop_assert!(!part.is_empty());
                prop_assert_eq!(part, part.trim());
                prop_assert!(source.contains(part));
            }
        }
    }

    #[test]
    fn what_is_joined_is_split_again(
        parts in prop::collection::vec("[a-z]{1,5}/[a-z]{1,5}\\.rs:[1-9][0-9]{0,2}( \"[a-z]([a-z ,;]{0,9}[a-z])?\")?", 1..5),
        by in prop::sample::select(vec!["; ", ", ", " and ", ", and "]),
    ) {
        let joined = parts.join(by);
        prop_assert_eq!(read(&joined), parts);
    }
}
