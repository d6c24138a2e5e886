use gavel_workspace::RepoPath;

use super::*;
use crate::language::Language;

fn targets(path: &str, text: &str) -> Vec<(String, u32, ImportKind)> {
    let path = RepoPath::new(path).unwrap();
    let language = Language::of_path(path.as_str()).unwrap();
    let found = crate::source::read(&path, language, text).imports;
    found
        .into_iter()
        .map(|one| (one.target, one.line, one.kind))
        .collect()
}

#[test]
fn rust_uses_and_modules_are_read() {
    use ImportKind::{Declares, Eager, Late};
    let text = "mod a;\npub(crate) use crate::b::{self, c::{D, E as F}};\n#[path = \"x_tests.rs\"]\n#[expect(a)]\nmod tests;\n\
                fn f() {\n    use super::g;\n    use std::fmt;\n}\nmod inner { }\n// use crate::no;\n";
    let wanted = [
        ("a", 1, Declares),
        ("crate::b", 2, Eager),
        ("crate::b::c::D", 2, Eager),
        ("crate::b::c::E", 2, Eager),
        ("./x_tests.rs", 5, Declares),
        ("std::fmt", 8, Late),
    ];
    let wanted = wanted.map(|(target, line, kind)| (target.to_owned(), line, kind));
    assert_eq!(targets("src/lib.rs", text), wanted);
}

#[test]
fn python_imports_are_read() {
    use ImportKind::{Eager, Late};
    let text = "import a.b, c as d\nfrom ..e import (\n    f,\n    g as h,\n)\nfrom . import i\ndef x():\n    import j\n\
                '''\nimport no\n'''\nfrom k import *\n";
    let wanted = [
        ("a.b", 1, Eager),
        ("c", 1, Eager),
        ("..e.f", 2, Eager),
        ("..e.g", 2, Eager),
        (".i", 6, Eager),
        ("j", 8, Late),
        ("k", 12, Eager),
    ];
    let wanted = wanted.map(|(target, line, kind)| (target.to_owned(), line, kind));
    assert_eq!(targets("a.py", text), wanted);
}

#[test]
fn script_imports_are_read() {
    use ImportKind::{Eager, Late};
    let text = "import a, {\n  b\n} from './a'\nimport type { T } from \"./t\"\nimport './side.css'\nexport * from './c'\n\
                const d = require('./d')\nfunction f() {\n  return import('./e')\n}\n// import './no'\nArray.from('x')\n";
    let wanted = [
        ("./a", 3, Eager),
        ("./t", 4, Late),
        ("./side.css", 5, Eager),
        ("./c", 6, Eager),
        ("./d", 7, Eager),
        ("./e", 9, Late),
    ];
    let wanted = wanted.map(|(target, line, kind)| (target.to_owned(), line, kind));
    assert_eq!(targets("a.ts", text), wanted);
}
