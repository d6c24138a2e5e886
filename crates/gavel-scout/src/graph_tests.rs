use super::*;
use crate::source;

fn graph(files: &[(&str, &str)], packages: &[OwnPackage]) -> ImportGraph {
    let paths: Vec<RepoPath> = files
        .iter()
        .map(|(path, _)| RepoPath::new(*path).unwrap())
        .collect();
    let facts: Vec<_> = paths
        .iter()
        .zip(files)
        .map(|(path, (_, text))| {
            let language = Language::of_path(path.as_str()).unwrap();
            (language, source::read(path, language, text))
        })
        .collect();
    let importing: Vec<_> = paths
        .iter()
        .zip(&facts)
        .map(|(path, (language, facts))| ImportingFile {
            path,
            language: *language,
            imports: &facts.imports,
        })
        .collect();
    let resolver = Resolver::new(paths.iter(), packages, &|_| false);
    build(&importing, &resolver)
}

fn package(name: &str, ecosystem: Ecosystem, folder: &str) -> OwnPackage {
    OwnPackage {
        name: name.to_owned(),
        ecosystem,
        folder: folder.to_owned(),
    }
}

fn cycles(graph: &ImportGraph) -> Vec<Vec<&str>> {
    graph
        .cycles
        .iter()
        .map(|cycle| cycle.files.iter().map(RepoPath::as_str).collect())
        .collect()
}

fn dead(graph: &ImportGraph) -> Vec<String> {
    graph
        .dead
        .iter()
        .map(|one| format!("{} {}", one.evidence, one.target))
        .collect()
}

#[test]
fn rust_modules_and_own_crates_are_followed() {
    let packages = [
        package("one-lib", Ecosystem::Rust, "crates/one"),
        package("two", Ecosystem::Rust, "crates/two"),
    ];
    let found = graph(
        &[
            ("crates/one/src/lib.rs", "mod a;\nmod b;\nmod gone;\n"),
            ("crates/one/src/a.rs", "use crate::b::X;\nuse std::fmt;"),
            ("crates/one/src/b.rs", "use super::a::Y;"),
            ("crates/two/src/main.rs", "use one_lib::a::Z;"),
        ],
        &packages,
    );
    assert_eq!(
        cycles(&found),
        [["crates/one/src/a.rs", "crates/one/src/b.rs"]]
    );
    assert_eq!(dead(&found), ["crates/one/src/lib.rs:3 gone"]);
    assert_eq!((found.inside, found.outside), (5, 1));
    let groups: Vec<&str> = found
        .groups
        .iter()
        .map(|group| group.name.as_str())
        .collect();
    assert_eq!(groups, ["crates/one/src", "crates/two/src"]);
    assert_eq!(
        (
            found.edges[0].from,
            found.edges[0].to,
            found.edges[0].imports
        ),
        (1, 0, 1)
    );
}

#[test]
fn a_parent_and_its_child_are_no_circle() {
    let found = graph(
        &[
            ("src/lib.rs", "mod a;\nuse a::X;"),
            ("src/a.rs", "mod b;\npub use self::b::Y;"),
            ("src/a/b.rs", "use super::Z;\nuse crate::W;"),
        ],
        &[package("x", Ecosystem::Rust, "")],
    );
    assert_eq!(cycles(&found), Vec::<Vec<&str>>::new());
    assert_eq!(dead(&found), Vec::<String>::new());
}

#[test]
fn python_packages_are_followed() {
    let found = graph(
        &[
            ("src/app/__init__.py", "from .a import x"),
            (
                "src/app/a.py",
                "from app.b import y\nimport os\nfrom .gone.deep import z",
            ),
            ("src/app/b.py", "def f():\n    from .a import x"),
            ("src/app/c.py", "from . import d"),
            ("src/app/d.py", "from app import c"),
        ],
        &[],
    );
    assert_eq!(cycles(&found), [["src/app/c.py", "src/app/d.py"]]);
    assert_eq!(dead(&found), ["src/app/a.py:3 .gone.deep.z"]);
    assert_eq!(found.outside, 1);
}

#[test]
fn scripts_are_followed_through_endings_indexes_and_own_packages() {
    let found = graph(
        &[
            (
                "packages/a/src/index.ts",
                "import { b } from './b.js'\nimport x from 'left-pad'",
            ),
            (
                "packages/a/src/b.ts",
                "import { a } from '.'\nimport './gone'",
            ),
            (
                "packages/c/index.js",
                "const a = require('@me/a'); require('../a/src')",
            ),
        ],
        &[package("@me/a", Ecosystem::Node, "packages/a")],
    );
    assert_eq!(
        cycles(&found),
        [["packages/a/src/b.ts", "packages/a/src/index.ts"]]
    );
    assert_eq!(dead(&found), ["packages/a/src/b.ts:2 ./gone"]);
    assert_eq!((found.inside, found.outside), (4, 1));
}

#[test]
fn a_late_import_turns_in_no_circle() {
    let found = graph(
        &[
            ("a.ts", "import type { B } from './b'"),
            ("b.ts", "import { a } from './a'"),
        ],
        &[],
    );
    assert_eq!(cycles(&found), Vec::<Vec<&str>>::new());
}
