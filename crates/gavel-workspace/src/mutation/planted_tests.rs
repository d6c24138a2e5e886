use super::*;

use super::super::diagnostics::SpanRank;

fn span(file: &str, line: u32, text: &str) -> Span {
    Span {
        file: file.to_owned(),
        bytes: 0..1,
        lines: line..line + 1,
        text: Some(text.to_owned()),
        rank: SpanRank::Primary,
    }
}

#[test]
fn a_span_lies_in_the_file_that_has_its_path_and_its_line() {
    let file = RepoPath::new("crates/a/src/lib.rs").unwrap();
    let root = Path::new("/copy");
    let text = "first\n    second\n";
    for (span, is) in [
        (span("crates/a/src/lib.rs", 2, "    second"), true),
        // Cargo started in the folder of the crate.
        (span("src/lib.rs", 2, "    second"), true),
        (span("/copy/crates/a/src/lib.rs", 1, "first"), true),
        (span("/other/crates/a/src/lib.rs", 1, "first"), false),
        (span("src/lib.rs", 2, "other"), false),
        (span("src/lib.rs", 9, "second"), false),
        (span("b/src/lib.rs", 1, "first"), false),
    ] {
        assert_eq!(is_in(&span, &file, root, text), is, "{span:?}");
    }
}

/// Code with much of what a language has; every place in it gets its fault at once.
fn planted_text(name: &str, source: &str) -> String {
    let room = tempfile::tempdir().unwrap();
    let tree = room.path().join("tree");
    let control = room.path().join("control");
    let path = tree.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::create_dir_all(&control).unwrap();
    std::fs::write(&path, source).unwrap();
    let planted = PlantedTree::plant(&PlantRequest {
        folder: &tree,
        files: &[RepoPath::new(name).unwrap()],
        touched: &BTreeMap::new(),
        exclusions: &Exclusions::default(),
        control: &control,
        seed: &Digest::of("seed"),
        most: usize::MAX,
        alarms: Alarms::Left,
    })
    .unwrap();
    // A file whose planted text does not parse would have lost its faults.
    assert_ne!(planted.faults(), [], "{source}");
    std::fs::read_to_string(&path).unwrap()
}

#[test]
fn planted_code_parses_whatever_it_stands_in() {
    for (name, sources) in [
        (
            "src/a.rs",
            [
                "fn f() -> u8 { { #![allow(x)] } loop { break 1 + 2 } }",
                "fn f(a: u8) -> bool { #![inline] -a < b && !c || d as u8 > 1 }",
                "fn f() { 'a: while x < y { if z { continue 'a; } } x.y(); *a = b; (a)(b); }",
                "impl<'a, T: X<{ 1 + 2 }>> A<'a, T> { fn f<const N: usize>() -> [u8; N] { [1 + 2; N] } }",
                "fn f() -> X { X { a: 1 + 2, ..y(true) } }",
                "fn f() { let c = async move |x| x + 1; unsafe { g(-1) }; return h(a..=b, ..c, d..); }",
                "fn f(x: T) -> u8 { match x { A(1..=2) | B { .. } if x > y => 1 + 1, _ => { z(); 2 } } }",
                "fn f() { if let A = b && c < d || e { } else if !g { } let Some(x) = y else { z(); return }; }",
                "trait T { fn f(&self) -> Result<(), E> { self.g()?; Ok(()) } fn h(); }",
                "fn f() { x[a + 1] += b - 1; x = if c { d } else { e }; g(|| { h(); }); }",
                "// first\n/// Documents.\n#[derive(A)]\nstruct S;\nfn f() { x(); }\n",
                "fn f() { a\n    .b(1 + 2)\n    .c(|x| {\n        x > 1\n    });\n}\n",
            ]
            .as_slice(),
        ),
        (
            "a.py",
            [
                "\"\"\"Doc.\"\"\"\nfrom __future__ import annotations\ndef f():\n    g()\n",
                "# c\nclass A:\n    def f(self):\n        return 1 + 2\n",
                "import x; import y\nasync def f():\n\tasync with a as b: c()\n\tawait d(e)\n",
                "def f(a):\n    try:\n        g()\n    except (A, B) as e:\n        raise C from e\n    finally:\n        h()\n",
                "def f():\n    if a: b()\n    elif c: d()\n    else: e()\n",
                "def f():\n    x[a + 1:b] = {c: d for c, d in e if not c}\n    lambda y: y + 1\n",
                "def f():\n    g(a,\n      b + 1,  # why\n      c)\n    return (\n        a\n        and b\n    )\n",
                "def f():\n    with a(), b():\n        x = y = z\n        del x\n    return -a if b > c else not d\n",
                "def f():\n    if (n := g()) > 1 and n:\n        return f\"{n + 1}\"\n    return [] or None\n",
                "@d(1 + 2)\ndef f(*a, b=True, **c):\n    # why\n\n    return a\n",
                "def f():\n    x = yield 1 + 2\n    return x\n",
                "if a:\n    def f():\n        for i in b:\n            continue\n        else:\n            g()\n",
            ]
            .as_slice(),
        ),
        (
            "a.jsx",
            [
                "#!/usr/bin/env node\n'use strict'\nfunction f() { 'use x'; g() }",
                "export default () => ({ a: 1 + 2 })",
                "const f = async x => await x + 1, g = function* () { yield a < b }",
                "function f() { if (a) b(); else c(); do d(); while (e) for (;;) break }",
                "function f() { for (let i = 0; i < n; i++) g(i); x: for (const a in b) { continue x } }",
                "class A extends B { static #x = 1; constructor() { super(); this.y = 2 } get z() { return -this.y } }",
                "function f() { return a\n  ? b || (c ?? d)\n  : !e && typeof g === 'x' }",
                "const f = (a) => <b c={a > 1}>{a && <d>{a + 1}</d>} text</b>",
                "function f() { throw new E(`a ${b + 1}`) }\nmodule.exports = { f, g() { return [] } }",
                "function f() { x = a, y.z += b; delete q.r; void 0; return /a+b/.test(c) }",
                "function f() { switch (a) { case 1 + 1: b(); break; default: return true } try { c() } catch { d() } finally { e() } }",
                "const f = a => b => a - b; (function () { g() })(); new (class { h() { i() } })()",
            ]
            .as_slice(),
        ),
    ] {
        for source in sources {
            let text = planted_text(name, source);
            if !name.ends_with(".py") {
                assert_eq!(text.lines().count(), source.lines().count(), "{text}");
            }
        }
    }
}

#[test]
fn documentation_and_directives_stay_where_they_were() {
    let text = planted_text("src/a.rs", "//! Module.\n/// Item.\nfn f() { x(); }\n");
    assert!(text.contains("\n#![allow("), "{text}");
    assert!(text.contains(" /// Item.\nfn f()"), "{text}");
    let text = planted_text(
        "a.py",
        "\"\"\"Doc.\"\"\"\nfrom __future__ import annotations\nimport x\ndef f():\n    g()\n",
    );
    assert!(
        text.starts_with("\"\"\"Doc.\"\"\"\nfrom __future__ import annotations\n_g"),
        "{text}"
    );
    let text = planted_text("a.js", "#!/x\n'use strict'\nfunction f() { g() }\n");
    assert!(
        text.starts_with("#!/x\n'use strict'\nfunction _g"),
        "{text}"
    );
}
