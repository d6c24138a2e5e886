use proptest::prelude::*;

use super::*;

const STYLES: [Style; 11] = [
    Style::Slashes,
    Style::Rust,
    Style::Script,
    Style::Go,
    Style::Php,
    Style::Python,
    Style::Ruby,
    Style::Hash,
    Style::Sql,
    Style::Markup,
    Style::Sheet,
];

#[test]
fn comments_and_strings_become_spaces() {
    let cases = [
        (
            Style::Rust,
            "a /* b /* c */ d */ e",
            "a                   e",
        ),
        (
            Style::Rust,
            "x<'a>('\\'', 'b') // c",
            "x<'a>('  ', ' ')     ",
        ),
        (Style::Rust, "r#\"a\"b\"# c", "r#\"   \"# c"),
        (Style::Rust, "\"a\nb\" c", "\" \n \" c"),
        (Style::Script, "a = /[\"/]/; b", "a = /    /; b"),
        (Style::Script, "a / b / \"c\"", "a / b / \" \""),
        (
            Style::Script,
            "`a ${`b ${c}`} d` + e",
            "`               ` + e",
        ),
        (Style::Python, "'''a\n#b''' # c", "''' \n  '''    "),
        (
            Style::Ruby,
            "a\n=begin\nb\n=end\nc",
            "a\n      \n \n    \nc",
        ),
        (Style::Slashes, "\"open\nclose // x", "\"    \nclose     "),
        (Style::Php, "#[Route]\n# b", "#[Route]\n   "),
        (Style::Sql, "a -- b\n/* c */d", "a     \n       d"),
        (Style::Markup, "<a><!-- b --></a>", "<a>          </a>"),
        (Style::Go, "`a\n\"` b", "` \n ` b"),
        (Style::Script, "`é", "`  "),
    ];
    for (style, text, code) in cases {
        assert_eq!(mask(style, text).code, code, "{text}");
    }
}

#[test]
fn strings_stay_in_the_text() {
    let masked = mask(Style::Script, "get('/a') // '/b'");
    assert_eq!(masked.text, "get('/a')        ");
}

proptest! {
    #[test]
    fn every_text_keeps_its_length_and_lines(text in "[a-z\"'`/*#\\\\\\n{}$r<!>é-]{0,200}") {
        for style in STYLES {
            let masked = mask(style, &text);
            prop_assert_eq!(masked.code.len(), text.len());
            prop_assert_eq!(masked.text.len(), text.len());
            prop_assert_eq!(masked.code.lines().count(), text.lines().count());
        }
    }
}
