use proptest::prelude::*;

use super::*;

fn words(line: &str) -> Vec<String> {
    Argv::parse(line).unwrap().into()
}

#[test]
fn quotes_and_escapes_work_as_in_a_shell() {
    for (line, expected) in [
        ("cargo test", vec!["cargo", "test"]),
        ("  cargo\ttest  ", vec!["cargo", "test"]),
        ("a 'b c' \"d e\"", vec!["a", "b c", "d e"]),
        ("a b' 'c\" \"d", vec!["a", "b c d"]),
        ("a ''", vec!["a", ""]),
        (r#"a "x\"y" '\n'"#, vec!["a", "x\"y", r"\n"]),
        (r"a b\ c \$HOME", vec!["a", "b c", "$HOME"]),
        (r#"a "\$x \n""#, vec!["a", r"$x \n"]),
        ("a '$(x) | > ; &'", vec!["a", "$(x) | > ; &"]),
        ("a \"x > y | z; w & v\"", vec!["a", "x > y | z; w & v"]),
        ("a 'two\nlines'", vec!["a", "two\nlines"]),
        (
            "cargo test \\\n  --offline",
            vec!["cargo", "test", "--offline"],
        ),
        ("find . -name *.rs", vec!["find", ".", "-name", "*.rs"]),
        ("make CC=gcc", vec!["make", "CC=gcc"]),
        ("'A=b' c", vec!["A=b", "c"]),
    ] {
        assert_eq!(words(line), expected, "{line}");
    }
}

#[test]
fn what_only_a_shell_understands_is_refused() {
    for (line, what) in [
        ("a | b", ShellWord::Pipe),
        ("a > b", ShellWord::Redirection),
        ("a 2>&1", ShellWord::Redirection),
        ("a < b", ShellWord::Redirection),
        ("a && b", ShellWord::Sequence),
        ("a ; b", ShellWord::Sequence),
        ("a &", ShellWord::Sequence),
        ("a || b", ShellWord::Pipe),
        ("a $(b)", ShellWord::Expansion),
        ("a `b`", ShellWord::Expansion),
        ("a \"$(b)\"", ShellWord::Expansion),
        ("a $HOME", ShellWord::Expansion),
        ("a\nb", ShellWord::Newline),
        ("a\r\nb", ShellWord::Newline),
        ("(a)", ShellWord::Subshell),
        ("FOO=1 a", ShellWord::Assignment),
        ("LD_PRELOAD=/x.so a", ShellWord::Assignment),
    ] {
        assert_eq!(Argv::parse(line), Err(ArgvError::Shell { what }), "{line}");
    }
    let refused = Argv::parse("cat a > b").unwrap_err().to_string();
    assert_eq!(
        refused,
        "there is no shell here, so a redirection with `>` or `<` has no meaning; pass one program \
         with its arguments, and quote the text if it is meant literally"
    );
}

#[test]
fn broken_and_empty_lines_are_refused() {
    for (line, error) in [
        ("", ArgvError::Empty),
        ("   ", ArgvError::Empty),
        ("'' x", ArgvError::Empty),
        ("a 'b", ArgvError::OpenQuote { quote: '\'' }),
        ("a \"b", ArgvError::OpenQuote { quote: '"' }),
        ("a \\", ArgvError::OpenEscape),
        ("a '\0'", ArgvError::Nul),
    ] {
        assert_eq!(Argv::parse(line), Err(error), "{line:?}");
    }
    let long = "x".repeat(MAX_BYTES);
    let bytes = MAX_BYTES + 1;
    assert_eq!(Argv::new([long]), Err(ArgvError::TooLong { bytes }));
}

proptest! {
    #[test]
    fn what_is_shown_parses_to_the_same_words(list in prop::collection::vec("[^\0]{0,12}", 1..6)) {
        if let Ok(argv) = Argv::new(list) {
            prop_assert_eq!(Argv::parse(&argv.to_string()).unwrap(), argv);
        }
    }
}
