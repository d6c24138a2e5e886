use super::*;

fn listed(language: SourceLanguage, source: &str) -> Vec<String> {
    let report = check_syntax(language, source).unwrap();
    assert_eq!(report.left_out, 0);
    report
        .problems
        .iter()
        .map(|problem| format!("{}:{} {}", problem.line, problem.column, problem.message))
        .collect()
}

#[test]
fn sound_code_has_no_problems() {
    use SourceLanguage as L;
    for (language, source) in [
        (
            L::Rust,
            "fn main() { let x: Vec<u8> = vec![1]; println!(\"{x:?}\"); }\n",
        ),
        (
            L::Rust,
            "async fn f() -> impl Send { if let Some(x) = a() && x > 1 { x } }\n",
        ),
        (
            L::Python,
            "def f(x: int) -> str:\n    match x:\n        case 1: return f\"{x!r}\"\n",
        ),
        (
            L::JavaScript,
            "const f = async (a) => a?.b ?? <div>{a}</div>;\n",
        ),
        (
            L::TypeScript,
            "type A<T> = T extends infer U ? U : never; const x = <A<1>>y;\n",
        ),
        (
            L::Tsx,
            "const f = (p: {a: number}) => <b>{p.a satisfies number}</b>;\n",
        ),
        (L::Rust, ""),
    ] {
        assert_eq!(listed(language, source), Vec::<String>::new(), "{source}");
    }
}

#[test]
fn problems_are_found_with_their_place() {
    use SourceLanguage as L;
    let sources = [
        (L::Rust, "fn a() {\n    let x = 1\n}\n"),
        (L::Rust, "fn a() {}\nfn b( {}\nfn c() {}\n"),
        (L::Rust, "fn a() {\n    if x { 1 }\n"),
        (L::Python, "def f(:\n    pass\n"),
        (L::Python, "x = [1, 2\ny = 3\n"),
        (L::JavaScript, "const ä = ;\nfoo(1,;\n"),
        (L::TypeScript, "interface A { x: }\n"),
        (L::Tsx, "const a = <b>hi</c>;\nconst x: = 1;\n"),
    ];
    let found: Vec<String> = sources
        .iter()
        .map(|(language, source)| listed(*language, source).join(", "))
        .collect();
    insta::assert_snapshot!(found.join("\n"), @"
    2:14 `;` is missing
    2:6 `)` is missing
    1:1 cannot be read: `fn a() {`
    1:7 `)` is missing
    1:3 cannot be read: `= [1, 2`
    1:11 cannot be read: `;`, 2:7 `)` is missing
    1:16 cannot be read: `:`
    2:8 cannot be read: `:`
    ");
}

#[test]
fn the_list_is_capped() {
    let source = "let = ;\n".repeat(200);
    let report = check_syntax(SourceLanguage::JavaScript, &source).unwrap();
    assert_eq!(report.problems.len(), MAX_PROBLEMS);
    assert!(report.left_out >= 100, "{}", report.left_out);
}

#[test]
fn texts_that_cannot_be_checked_are_refused() {
    let long = "x".repeat(MAX_BYTES + 1);
    assert!(matches!(
        check_syntax(SourceLanguage::Rust, &long),
        Err(SyntaxCheckError::TooLong { .. })
    ));
    // Deep nesting must end in an answer, not in a stack overflow.
    let deep = "(".repeat(200_000);
    assert!(check_syntax(SourceLanguage::Rust, &deep).is_ok());
}

#[test]
fn the_language_follows_from_the_name() {
    for (name, language) in [
        ("src/a.rs", Some(SourceLanguage::Rust)),
        ("a.pyi", Some(SourceLanguage::Python)),
        ("a.b.mjs", Some(SourceLanguage::JavaScript)),
        ("a.d.ts", Some(SourceLanguage::TypeScript)),
        ("a.tsx", Some(SourceLanguage::Tsx)),
        ("rs", None),
        ("a.rs.txt", None),
    ] {
        let path = RepoPath::new(name).unwrap();
        assert_eq!(SourceLanguage::of_path(&path), language, "{name}");
    }
}
