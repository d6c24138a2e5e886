use super::*;

#[test]
fn attributes_of_tests_are_told_from_others() {
    for (attribute, is) in [
        ("#[test]", true),
        ("#[tokio::test]", true),
        ("#[tokio::test(flavor = \"current_thread\")]", true),
        ("#[rstest]", true),
        ("#[cfg(test)]", true),
        ("#![cfg(test)]", true),
        ("#[cfg( all(unix, test) )]", true),
        ("#[cfg(not(test))]", false),
        ("#[cfg(any(test, feature = \"x\"))]", false),
        ("#[cfg(feature = \"test\")]", false),
        ("#[inline]", false),
        ("#[doc = \"test\"]", false),
    ] {
        assert_eq!(says_test(attribute), is, "{attribute}");
    }
}

#[test]
fn lints_that_are_denied_are_not_and_lines_stay() {
    let source = "#![deny(\n    warnings,\n)]\n#![cfg_attr(x, deny(unused), no_std)]\n#![allow(deny)]\nmod a { #[forbid(y)] fn f() {} }\n";
    let tree = crate::syntax::parse(crate::SourceLanguage::Rust, source).unwrap();
    let mut found = without_denied_lints(&tree, source);
    found.sort_by_key(|(range, _)| range.start);
    let found: Vec<_> = found
        .iter()
        .map(|(range, text)| (source.get(range.clone()).unwrap(), text.as_str()))
        .collect();
    assert_eq!(
        found,
        [
            ("#![deny(\n    warnings,\n)]", "\n\n"),
            (
                "#![cfg_attr(x, deny(unused), no_std)]",
                "#![cfg_attr(x, allow(unused), no_std)]"
            ),
            ("#[forbid(y)]", ""),
        ]
    );
}
