//! Manifests with everything that they can hide.

use super::super::tree::{FileText, TreeFile};
use super::*;

fn tree<'a>(files: &'a [(&'a str, &'a str)]) -> Tree<'a> {
    Tree::new(files.iter().map(|(path, text)| TreeFile {
        path,
        text: FileText::Text(text),
    }))
}

/// Package, line, and where it comes from.
fn found(path: &str, text: &str, others: &[(&str, &str)]) -> Vec<(String, u32, String)> {
    let all = [others, &[(path, text)]].concat();
    let read = read(path, text, &tree(&all)).unwrap();
    let told = |one: Dependency| {
        let elsewhere = one.elsewhere.unwrap_or_default();
        let tests = if one.used == Use::Tests { "tests:" } else { "" };
        (one.package, one.line, format!("{tests}{elsewhere}"))
    };
    read.into_iter().map(told).collect()
}

fn expected(all: &[(&str, u32, &str)]) -> Vec<(String, u32, String)> {
    let one = |(package, line, from): &(&str, u32, &str)| {
        ((*package).to_owned(), *line, (*from).to_owned())
    };
    all.iter().map(one).collect()
}

#[test]
fn cargo() {
    let text = "[package]\nname = \"p\"\n\n[dependencies]\na = \"1\"\nb = { package = \"evil\", version = \"1\" }\n\
        c = { path = \"c\" }\nd = { path = \"../d\" }\ne = { git = \"https://x\" }\nf.workspace = true\n\
        v = { path = \"vendor/v\" }\n\n\
        [dev-dependencies]\ng = \"1\"\n\n[build-dependencies.h]\nversion = \"1\"\n\n\
        [target.'cfg(unix)'.dev-dependencies]\ni = \"1\"\n\n[workspace.dependencies]\nf = { package = \"real\" }\n\n\
        [patch.crates-io]\na = { path = \"c\" }\n";
    let others = [("c/Cargo.toml", ""), ("vendor/v/Cargo.toml", "")];
    let mut all = found("Cargo.toml", text, &others);
    all.sort_by_key(|one| one.1);
    let wanted = [
        ("a", 5, ""),
        ("evil", 6, ""),
        ("d", 8, "../d"),
        ("e", 9, "https://x"),
        ("v", 11, "vendor/v"),
        ("g", 14, "tests:"),
        ("h", 16, ""),
        ("i", 20, "tests:"),
        ("real", 23, ""),
        ("a", 26, "[patch]"),
    ];
    assert_eq!(all, expected(&wanted));
    let broken = read("Cargo.toml", "[package]\nx = \n", &tree(&[]));
    assert_eq!(broken.unwrap_err().line, 2);
}

#[test]
fn node() {
    let text = "{\n  \"dependencies\": {\n    \"a\": \"^1\",\n    \"b\": \"npm:evil@1\",\n    \"@s/c\": \"npm:@s/evil\",\n    \
        \"d\": \"github:x/y\",\n    \"e\": \"file:./e\",\n    \"f\": \"file:../f\",\n    \"w\": \"workspace:*\"\n  },\n  \
        \"devDependencies\": {\n    \"a\": \"1\"\n  },\n  \"overrides\": {\n    \"a\": \"2\"\n  }\n}\n";
    let others = [
        ("e/package.json", "{\"name\": \"e\"}"),
        ("pkgs/w/package.json", "{\"name\": \"w\"}"),
    ];
    let mut all = found("package.json", text, &others);
    all.sort_by_key(|one| one.1);
    let wanted = [
        ("a", 3, ""),
        ("evil", 4, ""),
        ("@s/evil", 5, ""),
        ("d", 6, "github:x/y"),
        ("f", 8, "file:../f"),
        ("a", 12, "tests:"),
        ("a", 15, "overrides"),
    ];
    assert_eq!(all, expected(&wanted));
    assert_eq!(
        read("package.json", "{\n,}", &tree(&[])).unwrap_err().line,
        2
    );
}

#[test]
fn python() {
    let text = "[project]\nname = \"p\"\ndependencies = [\n  \"a>=1\",\n  \"b[x] ; python_version > '3'\",\n  \
        \"c @ https://x\",\n]\n\n[project.optional-dependencies]\ndev = [\"d\"]\n\n[dependency-groups]\nt = [\n  \"e\"\n]\n\n\
        [build-system]\nrequires = [\"setuptools>=61\", \"evil\"]\n\n[tool.poetry.dependencies]\npython = \"^3\"\nf = \"1\"\n\n\
        [tool.uv.sources]\na = { git = \"x\" }\n";
    let mut all = found("pyproject.toml", text, &[]);
    all.sort_by_key(|one| one.1);
    let wanted = [
        ("a", 4, ""),
        ("b", 5, ""),
        ("c", 6, "https://x"),
        ("d", 10, "tests:"),
        ("e", 14, "tests:"),
        ("evil", 18, ""),
        ("f", 22, ""),
        ("a", 25, "tool.uv.sources"),
    ];
    assert_eq!(all, expected(&wanted));
    let lines = "# c\na==1 # x\n-r other.txt\n-e .\n-e git+https://x\nhttps://y/z.whl\n\nb\n";
    let wanted = [
        ("a", 2, ""),
        ("git+https://x", 5, ""),
        ("https://y/z.whl", 6, "https://y/z.whl"),
        ("b", 8, ""),
    ];
    assert_eq!(found("requirements-dev.txt", lines, &[]), expected(&wanted));
    let setup = "[options]\ninstall_requires =\n    a>=1\n    b\npackages = find:\n[options.extras_require]\ntest = c\n";
    let wanted = [("a", 3, ""), ("b", 4, ""), ("c", 7, "tests:")];
    assert_eq!(found("setup.cfg", setup, &[]), expected(&wanted));
    let pip = "[packages]\na = \"*\"\n\n[dev-packages]\nb = {path = \"x\"}\n";
    assert_eq!(
        found("Pipfile", pip, &[]),
        expected(&[("a", 2, ""), ("b", 5, "tests:x")])
    );
}

#[test]
fn go() {
    let text = "module example.com/p\n\ngo 1.22\n\nrequire github.com/a/b v1.0.0\n\nrequire (\n\tgithub.com/c/d/v2 v2.0.0\n\
        \tgithub.com/e/f v1.0.0 // indirect\n\tgithub.com/g/h v1.0.0 // indirect\n)\n\nreplace github.com/a/b => ../b\n\
        replace example.com/own => ./own\n";
    let others = [
        ("main.go", "import \"github.com/g/h/sub\"\n"),
        ("own/go.mod", "module example.com/own\n"),
    ];
    let wanted = [
        ("github.com/a/b", 5, ""),
        ("github.com/c/d/v2", 8, ""),
        ("github.com/g/h", 10, ""),
        ("github.com/a/b", 13, "../b"),
    ];
    assert_eq!(found("go.mod", text, &others), expected(&wanted));
    assert_eq!(
        spellings("github.com/c/d/v2"),
        ["github.com/c/d/v2", "d", "c/d/v2"]
    );
    assert_eq!(spellings("serde"), ["serde"]);
}
