use super::*;

use crate::syntax::check_syntax;
use FaultKind as K;
use SourceLanguage as L;

fn path_of(language: SourceLanguage) -> RepoPath {
    let name = match language {
        L::Rust => "src/lib.rs",
        L::Python => "app.py",
        L::JavaScript => "app.js",
        L::TypeScript => "app.ts",
        L::Tsx => "app.tsx",
    };
    RepoPath::new(name).unwrap()
}

fn places(language: SourceLanguage, source: &str) -> Vec<FaultPlace> {
    assert_eq!(
        check_syntax(language, source).unwrap().problems,
        [],
        "{source}"
    );
    find_fault_places(language, &path_of(language), source).unwrap()
}

/// Kind and what becomes of it.
fn faults(language: SourceLanguage, source: &str) -> Vec<(FaultKind, String)> {
    let places = places(language, source).into_iter();
    places.map(|place| (place.kind, place.after)).collect()
}

fn table(language: SourceLanguage, cases: &[(&str, &[(FaultKind, &str)])]) {
    for (source, expected) in cases {
        let expected: Vec<_> = expected
            .iter()
            .map(|(kind, after)| (*kind, (*after).to_owned()))
            .collect();
        assert_eq!(faults(language, source), expected, "{source}");
    }
}

#[test]
fn rust_bodies_become_what_their_type_allows() {
    table(
        L::Rust,
        &[
            (
                "fn f() { g(); }",
                &[(K::EmptyBody, "{}"), (K::DroppedStatement, "nothing")],
            ),
            (
                "fn f() -> bool { g() }",
                &[
                    (K::DefaultValue, "{ true }"),
                    (K::DefaultValue, "{ false }"),
                ],
            ),
            (
                "fn f() -> u32 { g() }",
                &[(K::DefaultValue, "{ 0 }"), (K::DefaultValue, "{ 1 }")],
            ),
            (
                "fn f() -> &'static str { g() }",
                &[(K::DefaultValue, "{ \"\" }")],
            ),
            ("fn f() -> &[u8] { g() }", &[(K::DefaultValue, "{ &[] }")]),
            (
                "fn f() -> String { g() }",
                &[(K::DefaultValue, "{ Default::default() }")],
            ),
            (
                "fn f() -> io::Result<()> { g() }",
                &[(K::DefaultValue, "{ Ok(()) }")],
            ),
            (
                "fn f() -> fmt::Result { g() }",
                &[(K::DefaultValue, "{ Ok(Default::default()) }")],
            ),
            (
                "fn f() -> Result<Option<bool>, E> { g() }",
                &[
                    (K::DefaultValue, "{ Ok(None) }"),
                    (K::DefaultValue, "{ Ok(Some(true)) }"),
                ],
            ),
            (
                "fn f() -> (u8, String) { g() }",
                &[(K::DefaultValue, "{ (0, Default::default(),) }")],
            ),
            (
                "fn f() -> Box<u8> { g() }",
                &[
                    (K::DefaultValue, "{ Box::new(0) }"),
                    (K::DefaultValue, "{ Box::new(1) }"),
                ],
            ),
            (
                "async fn f() { g().await; }",
                &[(K::EmptyBody, "{}"), (K::DroppedStatement, "nothing")],
            ),
        ],
    );
}

#[test]
fn rust_bodies_stay_where_nothing_can_replace_them() {
    for source in [
        "fn f() {}",
        "fn f() { /* nothing */ }",
        "fn f() -> ! { g() }",
        "fn f() -> impl Iterator { g() }",
        "const fn f() -> u8 { 1 + 1 }",
        "fn f() -> String { String::new() }",
        "impl Default for A { fn default() -> Self { A(g()) } }",
        "impl fmt::Debug for A { fn fmt(&self) -> bool { a < b } }",
        "const A: u8 = 1 + 2; static B: bool = true; enum C { D = 1 + 2 }",
        "struct A([u8; 2 + 1]); type B = [u8; 3 - 1];",
        "macro_rules! a { () => { 1 + 2 } }",
        "#[cfg(test)] mod tests { fn helper() { if a { b(); } } }",
        "#[test]\nfn t() { assert!(1 < 2); }",
        "#[tokio::test]\nasync fn t() { f(1 + 2); }",
    ] {
        assert_eq!(faults(L::Rust, source), [], "{source}");
    }
}

#[test]
fn rust_expressions_get_what_is_wrong_with_them() {
    let inside = |code: &str| format!("impl A {{ fn f() -> ! {{ {code} }} }}");
    let cases: &[(&str, &[(FaultKind, &str)])] = &[
        ("if a.b() { }", &[(K::NegatedCondition, "!(a.b())")]),
        ("if !a { }", &[(K::NegatedCondition, "!(!a)")]),
        ("if a == b { }", &[(K::NegatedCondition, "!(a == b)")]),
        (
            "if a < b { }",
            &[
                (K::NegatedCondition, "!(a < b)"),
                (K::Boundary, "a <= b"),
                (K::Boundary, "a > b"),
            ],
        ),
        ("if let Some(x) = a { }", &[]),
        (
            "if let Some(x) = a && x == 1 { }",
            &[(K::Equality, "x != 1")],
        ),
        ("while a { }", &[(K::NegatedCondition, "while false")]),
        ("while let Some(1) = a { }", &[]),
        (
            "match a { 1..=2 => {} x if x.y() => {} _ => {} }",
            &[(K::NegatedCondition, "!(x.y())")],
        ),
        ("let x = !a;", &[(K::Logic, "a")]),
        ("let x = -a;", &[(K::Arithmetic, "a")]),
        ("let x = true;", &[(K::Logic, "false")]),
        ("let x = a && b;", &[(K::Logic, "a || b")]),
        ("for i in 0..n { }", &[(K::Boundary, "0..n+1")]),
        ("let x = [0; 1 + 2];", &[]),
        ("let x = a as u8;", &[]),
        (
            "let Some(x) = a else { b();\n return };",
            &[(K::DroppedStatement, "nothing")],
        ),
        (
            "x += 1;",
            &[(K::DroppedStatement, "nothing"), (K::Arithmetic, "x -= 1")],
        ),
        ("println!(\"{}\", a + b); log::info!(\"x\"); drop(x);", &[]),
        ("write!(out, \"x\")?;", &[(K::DroppedStatement, "nothing")]),
        ("writeln!(io::stderr(), \"x\")?;", &[]),
        (
            "let f = |x: [u8; 1 + 1]| x + 1;",
            &[(K::Arithmetic, "x - 1")],
        ),
        ("return; break; continue;", &[]),
    ];
    for (code, expected) in cases {
        table(L::Rust, &[(&inside(code), expected)]);
    }
}

#[test]
fn python_functions_get_faults_and_modules_do_not() {
    table(
        L::Python,
        &[
            ("x = 1 + 2\nif x > 1:\n    print(x)\n", &[]),
            ("class A:\n    limit = 1 + 2\n", &[]),
            (
                "def f():\n    g()\n",
                &[(K::EmptyBody, "return"), (K::DroppedStatement, "nothing")],
            ),
            ("def f():\n    \"\"\"Says.\"\"\"\n", &[]),
            ("def f():\n    pass\n", &[]),
            ("def f():\n    raise NotImplementedError\n", &[]),
            ("def f(): return g()\n", &[]),
            (
                "def f():\n    return g()\n",
                &[(K::DefaultValue, "return None")],
            ),
            (
                "def f() -> bool:\n    return g()\n",
                &[
                    (K::DefaultValue, "return True"),
                    (K::DefaultValue, "return False"),
                ],
            ),
            (
                "def f() -> Optional[int]:\n    return g()\n",
                &[
                    (K::DefaultValue, "return None"),
                    (K::DefaultValue, "return 0"),
                    (K::DefaultValue, "return 1"),
                ],
            ),
            (
                "def f() -> dict[str, int] | None:\n    return g()\n",
                &[
                    (K::DefaultValue, "return None"),
                    (K::DefaultValue, "return {}"),
                ],
            ),
            (
                "def f():\n    return []\n",
                &[(K::DefaultValue, "return None")],
            ),
            ("def f():\n    yield 1\n", &[(K::EmptyBody, "return")]),
            ("@abstractmethod\ndef f():\n    return 1 + 2\n", &[]),
        ],
    );
}

#[test]
fn python_expressions_get_what_is_wrong_with_them() {
    let cases: &[(&str, &[(FaultKind, &str)])] = &[
        ("if a:\n        pass", &[(K::NegatedCondition, "not (a)")]),
        ("if __name__ == '__main__':\n        pass", &[]),
        (
            "while a:\n        pass",
            &[(K::NegatedCondition, "while False")],
        ),
        (
            "x = a < b",
            &[(K::Boundary, "a <= b"), (K::Boundary, "a > b")],
        ),
        ("x = a < b < c", &[]),
        ("x = a in b", &[(K::Equality, "a not in b")]),
        ("x = a is not b", &[(K::Equality, "a is b")]),
        ("x = not a", &[(K::Logic, "a")]),
        ("x = a and b", &[(K::Logic, "a or b")]),
        ("x = a + 'b'", &[]),
        ("x = f'{a + b}'", &[]),
        (
            "x = [y for y in a if y]",
            &[(K::NegatedCondition, "not (y)")],
        ),
        ("x = a if b else c", &[(K::NegatedCondition, "not (b)")]),
        (
            "x += 1",
            &[(K::DroppedStatement, "nothing"), (K::Arithmetic, "-(1)")],
        ),
        ("self.x = 1", &[(K::DroppedStatement, "nothing")]),
        ("x.append(1)", &[(K::DroppedStatement, "nothing")]),
        ("x(); y()", &[]),
        ("print(a); logger.info(a)", &[]),
        ("logger.info(a + b)", &[]),
        ("raise ValueError(a)", &[(K::DroppedStatement, "nothing")]),
        ("global x", &[]),
        ("import x", &[]),
        (
            "match a:\n        case 1 | 2 if b: pass",
            &[(K::NegatedCondition, "not (b)")],
        ),
        ("def g(y: int = 1 + 2): pass", &[]),
    ];
    for (code, expected) in cases {
        let source = format!("def f():\n    yield\n    {code}\n");
        let mut all = vec![(K::EmptyBody, "return")];
        all.extend_from_slice(expected);
        table(L::Python, &[(&source, &all)]);
    }
}

#[test]
fn javascript_functions_get_faults_and_modules_do_not() {
    table(
        L::JavaScript,
        &[
            ("const x = 1 + 2; if (x) { f(); }", &[]),
            (
                "function f() { g(); }",
                &[
                    (K::EmptyBody, "{ return }"),
                    (K::DroppedStatement, "nothing"),
                ],
            ),
            ("function f() { }", &[]),
            (
                "function f() { return g(); }",
                &[(K::DefaultValue, "{ return }")],
            ),
            (
                "function f() { return [1]; }",
                &[
                    (K::DefaultValue, "{ return [] }"),
                    (K::DefaultValue, "{ return }"),
                ],
            ),
            (
                "function* f() { yield 1; }",
                &[(K::EmptyBody, "{ return }")],
            ),
            ("const f = (x) => x;", &[(K::DefaultValue, "undefined")]),
            (
                "class A { constructor() { this.x = 1; } }",
                &[(K::DroppedStatement, "nothing")],
            ),
            (
                "class A { get x() { return this.y; } }",
                &[(K::DefaultValue, "{ return }")],
            ),
        ],
    );
    table(
        L::TypeScript,
        &[
            (
                "function f(): boolean { return g(); }",
                &[
                    (K::DefaultValue, "{ return true }"),
                    (K::DefaultValue, "{ return false }"),
                ],
            ),
            (
                "async function f(): Promise<string[]> { return g(); }",
                &[(K::DefaultValue, "{ return [] }")],
            ),
            (
                "enum A { B = 1 + 2 }\ninterface C { d(): true }\ntype E = true;",
                &[],
            ),
            (
                "declare function f(): boolean;\nabstract class A { abstract g(): void }",
                &[],
            ),
        ],
    );
}

#[test]
fn javascript_expressions_get_what_is_wrong_with_them() {
    let cases: &[(&str, &[(FaultKind, &str)])] = &[
        ("if (a) b; else c", &[(K::NegatedCondition, "!(a)")]),
        ("while (a) {}", &[(K::NegatedCondition, "while (false)")]),
        ("for (;;) { break }", &[]),
        ("for (const x of y) {}", &[]),
        ("let x = a ? b : c", &[(K::NegatedCondition, "!(a)")]),
        ("let x = a === b", &[(K::Equality, "a !== b")]),
        (
            "let x = a >= b",
            &[(K::Boundary, "a > b"), (K::Boundary, "a < b")],
        ),
        ("let x = a ?? b", &[(K::Logic, "(a) && (b)")]),
        ("let x = !a", &[(K::Logic, "!!a")]),
        ("let x = a + 'b' + c", &[]),
        ("let x = `${a + b}`", &[]),
        (
            "x += 1",
            &[(K::DroppedStatement, "nothing"), (K::Arithmetic, "-(1)")],
        ),
        ("i++", &[(K::DroppedStatement, "nothing")]),
        ("throw new Error(a)", &[(K::DroppedStatement, "nothing")]),
        ("console.log(a); logger.info(a + b)", &[]),
        ("let x = {a: true}", &[(K::Logic, "false")]),
    ];
    for (code, expected) in cases {
        let source = format!("function* f() {{ {code} }}");
        let mut all = vec![(K::EmptyBody, "{ return }")];
        all.extend_from_slice(expected);
        table(L::JavaScript, &[(&source, &all)]);
    }
}

#[test]
fn a_place_knows_its_line_its_function_and_what_stands_there() {
    let source = "\nmod a {\n    impl Parser<'_> {\n        fn next(&self) -> impl X {\n            self.at\n                + 1\n        }\n    }\n}\n";
    let found = places(L::Rust, source);
    let shown: Vec<_> = found
        .iter()
        .map(|place| {
            (
                place.line,
                place.function.as_str(),
                place.function_lines.clone(),
                place.before.as_str(),
            )
        })
        .collect();
    assert_eq!(shown, [(5, "a::Parser::next", 4..=7, "self.at + 1")]);
    let source = "class A:\n    def f(self):\n        def g():\n            return x or y\n        return g\n";
    let found = places(L::Python, source);
    let names: Vec<_> = found
        .iter()
        .map(|place| (place.line, place.function.as_str()))
        .collect();
    assert_eq!(names, [(3, "A.f"), (4, "A.f.g"), (4, "A.f.g")]);
    let source = "class A { f() { x(); } }\nconst b = { c: () => 1, d: function () { x(); } };\n";
    let found = places(L::JavaScript, source);
    let names: Vec<_> = found
        .iter()
        .map(|place| (place.line, place.function.as_str()))
        .collect();
    assert_eq!(
        names,
        [
            (1, "A.f"),
            (1, "A.f"),
            (2, "c"),
            (2, "c"),
            (2, "d"),
            (2, "d")
        ]
    );
}

#[test]
fn what_would_change_its_meaning_is_not_copied() {
    for source in [
        "fn f() -> ! { (a // why\n) + b; }",
        "fn f() -> ! { a + \"x\ny\"; }",
    ] {
        assert_eq!(faults(L::Rust, source), [], "{source}");
    }
    assert_eq!(
        faults(L::Rust, "fn f() -> ! { let x = a\n        + b; }"),
        [(K::Arithmetic, "a - b".to_owned())]
    );
}

#[test]
fn code_that_is_deep_or_broken_ends_the_search_and_not_the_program() {
    let deep = format!(
        "fn f() -> u8 {{ {}1{} }}",
        "(".repeat(20_000),
        ")".repeat(20_000)
    );
    find_fault_places(L::Rust, &path_of(L::Rust), &deep).unwrap();
    let broken = "fn f() -> bool { if a b } } fn ( { 1 + }";
    find_fault_places(L::Rust, &path_of(L::Rust), broken).unwrap();
    let nul = "fn f() -> bool { g(\"\0\") }";
    let found = find_fault_places(L::Rust, &path_of(L::Rust), nul).unwrap();
    assert_eq!(found, []);
}
