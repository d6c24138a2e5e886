//! What is a comment, and what only looks like one.

use proptest::prelude::*;

use super::*;

/// The text without its comments.
fn code(path: &str, text: &str) -> String {
    let languages = super::super::language::languages_of(path, "");
    let spans = cut(&languages, path, text);
    let whole: String = spans.iter().map(|span| span.text).collect();
    assert_eq!(whole, text, "the parts make up the whole");
    let kept = spans.iter().filter(|span| span.kind != SpanKind::Comment);
    kept.map(|span| span.text).collect()
}

fn literals(path: &str, text: &str) -> Vec<String> {
    let languages = super::super::language::languages_of(path, "");
    let spans = cut(&languages, path, text);
    let literals = spans.iter().filter(|span| span.kind == SpanKind::Text);
    literals.map(|span| span.text.to_owned()).collect()
}

#[test]
fn comments_go_and_strings_stay() {
    for (path, text, kept) in [
        ("a.rs", "a(); // b\nc();", "a(); \nc();"),
        ("a.rs", "a /* b /* c */ d */ e", "a  e"),
        ("a.rs", "/// doc\n//! doc\nx", "\n\nx"),
        ("a.rs", "let s = \"// no\"; // yes", "let s = \"// no\"; "),
        ("a.rs", r##"r#"/* " no"# /* yes */"##, r##"r#"/* " no"# "##),
        ("a.rs", "'\"' // yes \"", "'\"' "),
        ("a.rs", r"'\'' // yes '", r"'\'' "),
        (
            "a.rs",
            "fn f<'a>(x: &'a str) {} // yes",
            "fn f<'a>(x: &'a str) {} ",
        ),
        ("a.rs", "b'\"' // yes\nbr\"//no\"", "b'\"' \nbr\"//no\""),
        ("a.py", "x = 1  # yes\ny = '# no'", "x = 1  \ny = '# no'"),
        ("a.py", "\"\"\"# no\n\"\"\" # yes", "\"\"\"# no\n\"\"\" "),
        ("a.py", r#"r"\" # no" # yes"#, r#"r"\" # no" "#),
        (
            "a.js",
            "a // yes\n'//no' + \"/*no*/\"",
            "a \n'//no' + \"/*no*/\"",
        ),
        (
            "a.ts",
            "`// no ${ a /* yes */ } // no` // yes",
            "`// no ${ a  } // no` ",
        ),
        ("a.js", "x = /[/*]/; y(); /* yes */", "x = /[/*]/; y(); "),
        ("a.js", "return /'/.test(a) // yes", "return /'/.test(a) "),
        ("a.js", "a / b /* yes */ / c", "a / b  / c"),
        ("a.go", "`/* no` // yes\n'\"' // yes", "`/* no` \n'\"' "),
        (
            "A.java",
            "\"\"\"\n /* no \" */\n\"\"\" /* yes */",
            "\"\"\"\n /* no \" */\n\"\"\" ",
        ),
        ("a.c", "'\"' /* yes */ \"/* no */\"", "'\"'  \"/* no */\""),
        (
            "a.cpp",
            "R\"x(/* )\" no )x\" // yes",
            "R\"x(/* )\" no )x\" ",
        ),
        (
            "a.cpp",
            "int a = 1'000 + '/'; // yes",
            "int a = 1'000 + '/'; ",
        ),
    ] {
        assert_eq!(code(path, text), kept, "{path}: {text}");
    }
}

/// Each of these runs `bad()`, and a careless reader takes it for a comment.
#[test]
fn code_does_not_hide_in_what_looks_like_a_comment() {
    for (path, text) in [
        // A quote of the outer kind inside a value of a formatted string, from Python 3.12 on.
        ("a.py", "x = f\"{d[\"a#\"]}\" ; bad()"),
        ("a.py", "x = f'{d['#']:>{w}}' ; bad()"),
        ("a.py", "x = 1 # harmless\rbad()"),
        ("a.js", "if (x) /[/*]/.test(y); bad(); /* */"),
        ("a.js", "x = (a) / \"/\" + \"//\"; bad()"),
        ("a.js", "x = (a) / 1 + `\n/* ` + bad() + ` */ `"),
        ("a.js", "await /[/*]/.x; bad() /* */"),
        ("a.js", "a++ / 1 + '/*'; bad() /* */"),
        ("a.js", "// harmless\u{2028}bad()"),
        ("a.js", "x = `${ `/*` + bad() }` /* */"),
        ("a.tsx", "<p>/* {bad()} */</p>"),
        ("a.js", "<p>// {bad()}</p>"),
        ("a.ts", "a! / b; '/*'; bad() /* */"),
        ("A.java", "String s = \\u0022 /* \" + bad() + \" */ \";"),
        ("a.c", "char *s = \"??/\" /* \" + bad() + \" */ \";"),
        ("a.c", "#include <sys/*x>\nbad(); /* */"),
        ("a.cpp", "x = 1'0 + '/*' + bad() /* */;"),
        ("a.rs", "let a = '\"'; bad(); let b = '\"';"),
        ("a.rs", "let a = \"\\\\\"; bad(); // \""),
        ("a.rs", "/* never closed\nbad()"),
        ("a.kt", "// a ${bad()}"),
        ("a.sh", "x=${y#*/} bad"),
    ] {
        assert!(code(path, text).contains("bad"), "{path}: {text}");
    }
}

#[test]
fn literals_are_whole() {
    assert_eq!(literals("a.rs", "#[path = \"a b\"] mod x;"), ["\"a b\""]);
    assert_eq!(
        literals("a.rs", "r#\"x\"# r#mod 'a 'b'"),
        ["r#\"x\"#", "'b'"]
    );
    assert_eq!(
        literals("a.py", "rb'x' Rb\"y\" if'z'"),
        ["rb'x'", "Rb\"y\"", "'z'"]
    );
}

#[test]
fn deep_nesting_and_open_comments_cost_little() {
    let deep = "`${".repeat(20_000);
    assert!(code("a.js", &deep) == deep);
    let open = "/* ".repeat(200_000);
    assert!(code("a.c", &open) == open);
    assert!(code("a.rs", &open) == open);
    let one_line = "a(b/c)+[d];".repeat(50_000);
    assert!(code("a.ts", &one_line) == one_line);
    let nested = format!("{}{}x", "/*".repeat(500_000), "*/".repeat(500_000));
    assert!(code("a.rs", &nested) == "x");
}

proptest! {
    #[test]
    fn no_text_is_lost_or_stops_the_lexer(text in "[-a-z0-9 \n\r'\"`/*#{}()$\\\\!:=<>é]{0,80}", which in 0_usize..6) {
        let path = ["a.rs", "a.py", "a.js", "a.go", "A.java", "a.cpp"][which];
        code(path, &text);
    }

    #[test]
    fn what_follows_a_line_of_code_is_never_swallowed(before in "[a-z0-9 +()=;,.]{0,40}", which in 0_usize..6) {
        let path = ["a.rs", "a.py", "a.js", "a.go", "A.java", "a.cpp"][which];
        let text = format!("{before}\nbad();\n");
        prop_assert!(code(path, &text).contains("bad"));
    }
}

#[test]
fn languages_have_names_and_files() {
    use super::super::language::languages_of;
    assert_eq!(Language::named_by("Python3.12"), [Language::Python]);
    assert_eq!(Language::named_by("`Rust`"), [Language::Rust]);
    assert_eq!(Language::named_by("go"), []);
    assert_eq!(Language::named_by("Go"), [Language::Go]);
    assert_eq!(Language::named_by("C++20"), [Language::Cpp]);
    assert_eq!(Language::named_by("C17"), [Language::C]);
    assert_eq!(Language::named_by("edition"), []);
    assert_eq!(languages_of("a/B.PY", ""), [Language::Python]);
    assert_eq!(
        languages_of("run", "#!/usr/bin/python3.12 -u"),
        [Language::Python]
    );
    assert_eq!(
        languages_of("run", "#!/usr/bin/env A=b node"),
        [Language::JavaScript]
    );
    assert_eq!(languages_of("x.txt", "hello"), []);
}
