//! Which file an import means.

use std::collections::{BTreeMap, HashMap, HashSet};

use gavel_rules::Ecosystem;
use gavel_workspace::RepoPath;

use super::{ImportingFile, OwnPackage};
use crate::imports::{Import, ImportKind};
use crate::language::Family;

/// What an import means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// A file of the repository.
    File(String),
    /// Something of the repository that is no single file.
    Inside,
    /// A package, or the standard library.
    Outside,
    /// A file that should be there and is not.
    Nothing,
}

/// The files and packages of a repository, for looking up.
pub(crate) struct Resolver<'a> {
    files: HashSet<&'a str>,
    /// Own packages by the name that code uses.
    rust: HashMap<String, &'a OwnPackage>,
    node: HashMap<&'a str, &'a OwnPackage>,
    /// Folders in which Python looks for modules, longest first.
    roots: Vec<String>,
    /// The crate of a file: the folder of its manifest.
    crates: BTreeMap<&'a str, &'a OwnPackage>,
    exists: &'a (dyn Fn(&RepoPath) -> bool + Sync),
}

const SCRIPT_ENDINGS: [&str; 12] = [
    ".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts", ".json", ".vue",
    ".svelte",
];

impl<'a> Resolver<'a> {
    pub(crate) fn new(
        files: impl Iterator<Item = &'a RepoPath>,
        packages: &'a [OwnPackage],
        exists: &'a (dyn Fn(&RepoPath) -> bool + Sync),
    ) -> Self {
        let of = |ecosystem: Ecosystem| {
            packages
                .iter()
                .filter(move |one| one.ecosystem == ecosystem)
        };
        let mut roots: Vec<String> = vec![String::new(), "src".to_owned(), "lib".to_owned()];
        for package in of(Ecosystem::Python) {
            roots.push(package.folder.clone());
            roots.push(joined(&package.folder, "src"));
        }
        roots.sort_by_key(|root| std::cmp::Reverse(root.len()));
        roots.dedup();
        Self {
            files: files.map(RepoPath::as_str).collect(),
            rust: of(Ecosystem::Rust)
                .map(|one| (one.name.replace('-', "_"), one))
                .collect(),
            node: of(Ecosystem::Node)
                .map(|one| (one.name.as_str(), one))
                .collect(),
            crates: of(Ecosystem::Rust)
                .map(|one| (one.folder.as_str(), one))
                .collect(),
            roots,
            exists,
        }
    }

    /// What an import of a file means.
    pub(crate) fn meaning(&self, file: &ImportingFile<'_>, import: &Import) -> Meaning {
        match file.language.family() {
            Family::Rust if import.kind == ImportKind::Declares => {
                self.rust_module(file, &import.target)
            }
            Family::Rust => self.rust_path(file, &import.target),
            Family::Python => self.python(file, &import.target),
            Family::Script => self.script(file, &import.target),
            Family::Go
            | Family::Jvm
            | Family::DotNet
            | Family::Php
            | Family::Ruby
            | Family::Prisma
            | Family::Sql
            | Family::Counted => Meaning::Outside,
        }
    }

    fn first(&self, candidates: impl IntoIterator<Item = String>) -> Option<String> {
        candidates
            .into_iter()
            .find(|path| self.files.contains(path.as_str()))
    }

    /// True when something lies there that no list names: what a tool makes and git ignores.
    fn lies_there(&self, path: &str) -> bool {
        RepoPath::new(path).is_ok_and(|path| (self.exists)(&path))
    }

    /// `mod x;`: the file below, or beside.
    fn rust_module(&self, file: &ImportingFile<'_>, name: &str) -> Meaning {
        let folder = folder_of(file.path.as_str());
        if let Some(named) = name.strip_prefix("./") {
            let path = normal(&joined(folder, named));
            return match path.and_then(|path| self.first([path])) {
                Some(path) => Meaning::File(path),
                None => Meaning::Nothing,
            };
        }
        let own = file.path.name();
        let is_root = matches!(own, "lib.rs" | "main.rs" | "mod.rs" | "build.rs");
        let stem = own.strip_suffix(".rs").unwrap_or(own);
        let below = if is_root {
            folder.to_owned()
        } else {
            joined(folder, stem)
        };
        // Programs, tests and examples are roots of their own: their modules lie beside them.
        let candidates = [
            format!("{}.rs", joined(&below, name)),
            format!("{}/mod.rs", joined(&below, name)),
            format!("{}.rs", joined(folder, name)),
            format!("{}/mod.rs", joined(folder, name)),
        ];
        let generated = candidates.iter().any(|path| self.lies_there(path));
        match self.first(candidates) {
            Some(path) => Meaning::File(path),
            None if generated => Meaning::Inside,
            None => Meaning::Nothing,
        }
    }

    /// `crate::a::b`, `super::a`, `self::a`, `own_package::a`.
    fn rust_path(&self, file: &ImportingFile<'_>, target: &str) -> Meaning {
        let parts: Vec<&str> = target.split("::").map(str::trim).collect();
        let Some((first, rest)) = parts.split_first() else {
            return Meaning::Outside;
        };
        let mut rest = rest;
        let mut at = match *first {
            "crate" => self.crate_root(file.path.as_str()),
            "self" => module_path(file.path.as_str()),
            "super" => {
                let mut module = parent_of(&module_path(file.path.as_str()));
                while let Some((&"super", more)) = rest.split_first() {
                    (module, rest) = (parent_of(&module), more);
                }
                module
            }
            name => match self.rust.get(name) {
                Some(package) => joined(&package.folder, "src"),
                None => return Meaning::Outside,
            },
        };
        // The longest part of the path that is a file; the rest are items in it.
        let mut best = self.module_file(&at);
        for part in rest {
            at = joined(&at, part);
            match self.module_file(&at) {
                Some(file) => best = Some(file),
                None => break,
            }
        }
        best.map_or(Meaning::Inside, Meaning::File)
    }

    fn module_file(&self, module: &str) -> Option<String> {
        self.first([
            format!("{module}.rs"),
            joined(module, "mod.rs"),
            joined(module, "lib.rs"),
            joined(module, "main.rs"),
        ])
    }

    /// The folder of the root module of the crate in which a file lies.
    fn crate_root(&self, path: &str) -> String {
        let mut folder = folder_of(path);
        loop {
            if self.crates.contains_key(folder) {
                let src = joined(folder, "src");
                return if path.starts_with(&format!("{src}/")) {
                    src
                } else {
                    folder_of(path).to_owned()
                };
            }
            if folder.is_empty() {
                return "src".to_owned();
            }
            folder = folder_of(folder);
        }
    }

    fn python(&self, file: &ImportingFile<'_>, target: &str) -> Meaning {
        let dots = target.chars().take_while(|c| *c == '.').count();
        let name = target.get(dots..).unwrap_or_default().replace('.', "/");
        if dots > 0 {
            let mut folder = folder_of(file.path.as_str());
            for _ in 1..dots {
                if folder.is_empty() {
                    return Meaning::Outside;
                }
                folder = folder_of(folder);
            }
            let found = self.python_module(&joined(folder, &name));
            let module = joined(folder, &name);
            let above = folder_of(&module);
            let compiled = [".so", ".pyx", ".pyd", ".c"].iter().any(|end| {
                self.lies_there(&format!("{module}{end}"))
                    || self.lies_there(&format!("{above}{end}"))
            });
            return match found {
                Some(file) => Meaning::File(file),
                // A folder without a file of its own is a package too, and its names may be made at run time.
                None if compiled || self.is_folder(above) => Meaning::Inside,
                None => Meaning::Nothing,
            };
        }
        for root in &self.roots {
            let found = self.python_module(&joined(root, &name));
            // A package of the root must be more than a folder that has the name of a library.
            if let Some(found) = found {
                return Meaning::File(found);
            }
        }
        Meaning::Outside
    }

    /// The module itself, or the one that the last name stands in.
    fn python_module(&self, module: &str) -> Option<String> {
        let in_module = folder_of(module);
        let own = [
            format!("{module}.py"),
            format!("{module}.pyi"),
            joined(module, "__init__.py"),
        ];
        let above = [format!("{in_module}.py"), joined(in_module, "__init__.py")];
        let above = if in_module.is_empty() {
            None
        } else {
            self.first(above)
        };
        self.first(own).or(above)
    }

    fn is_folder(&self, folder: &str) -> bool {
        folder.is_empty() || self.lies_there(folder)
    }

    fn script(&self, file: &ImportingFile<'_>, target: &str) -> Meaning {
        let target = target.split(['?', '#']).next().unwrap_or(target);
        if !target.starts_with('.') {
            return self.own_script_package(target);
        }
        let Some(path) = normal(&joined(folder_of(file.path.as_str()), target)) else {
            return Meaning::Outside;
        };
        let mut candidates = vec![path.clone()];
        candidates.extend(
            SCRIPT_ENDINGS
                .iter()
                .map(|ending| format!("{path}{ending}")),
        );
        candidates.extend(
            SCRIPT_ENDINGS
                .iter()
                .map(|ending| joined(&path, &format!("index{ending}"))),
        );
        // TypeScript names the file that it becomes.
        for (made, from) in [
            (".js", ".ts"),
            (".js", ".tsx"),
            (".mjs", ".mts"),
            (".jsx", ".tsx"),
        ] {
            if let Some(stem) = path.strip_suffix(made) {
                candidates.push(format!("{stem}{from}"));
            }
        }
        let made = candidates.iter().any(|path| self.lies_there(path));
        match self.first(candidates) {
            Some(path) => Meaning::File(path),
            // A folder with a manifest of its own, or what a build made and git ignores.
            None if made => Meaning::Inside,
            None => Meaning::Nothing,
        }
    }

    /// `@own/package/sub`: a part of the same repository.
    fn own_script_package(&self, target: &str) -> Meaning {
        let scoped = usize::from(target.starts_with('@'));
        let name: Vec<&str> = target.splitn(scoped + 2, '/').collect();
        let package = name
            .get(..scoped + 1)
            .map(|parts| parts.join("/"))
            .unwrap_or_default();
        let Some(own) = self.node.get(package.as_str()) else {
            return Meaning::Outside;
        };
        let inside = name.get(scoped + 1).copied().unwrap_or("index");
        let folders = [own.folder.clone(), joined(&own.folder, "src")];
        let candidates = folders.iter().flat_map(|folder| {
            SCRIPT_ENDINGS
                .iter()
                .map(move |ending| joined(folder, &format!("{inside}{ending}")))
        });
        self.first(candidates)
            .map_or(Meaning::Inside, Meaning::File)
    }
}

fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

fn joined(folder: &str, name: &str) -> String {
    match (folder.is_empty(), name.is_empty()) {
        (true, _) => name.to_owned(),
        (false, true) => folder.to_owned(),
        (false, false) => format!("{folder}/{name}"),
    }
}

/// Without `.` and `..`; nothing for a path that leaves the repository.
fn normal(path: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// The path of a module below its crate: `src/a/b.rs` and `src/a/b/mod.rs` are `src/a/b`.
fn module_path(path: &str) -> String {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    match name {
        "mod.rs" | "lib.rs" | "main.rs" => folder.to_owned(),
        name => joined(folder, name.strip_suffix(".rs").unwrap_or(name)),
    }
}

fn parent_of(module: &str) -> String {
    folder_of(module).to_owned()
}
