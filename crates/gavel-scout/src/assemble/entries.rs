//! Entry points: what manifests name, what the language takes for one, and files in which a program begins.

use std::collections::BTreeMap;

use gavel_rules::{Ecosystem, is_test_source};
use gavel_workspace::RepoPath;

use super::stacks::folder_of;
use crate::folders::FolderRole;
use crate::manifest::Manifest;
use crate::reading::is_test_data;
use crate::scan::Seen;
use crate::survey::{EntryKind, EntryPoint, Evidence, GapReason};

/// The most that are listed.
const MOST: usize = 200;

struct Entries<'a> {
    files: BTreeMap<&'a str, &'a RepoPath>,
    found: BTreeMap<&'a RepoPath, EntryPoint>,
}

/// The entry points, in the order of their paths.
pub(super) fn entry_points(seen: &[Seen<'_>], manifests: &[&Manifest]) -> Vec<EntryPoint> {
    let ours = seen
        .iter()
        .filter(|one| one.read.gap != Some(GapReason::NotOurs));
    let mut entries = Entries {
        files: ours
            .map(|one| (one.file.path.as_str(), &one.file.path))
            .collect(),
        found: BTreeMap::new(),
    };
    for manifest in manifests
        .iter()
        .filter(|one| !super::is_example(one.path.as_str()))
    {
        entries.stated(manifest);
        entries.conventions(manifest);
    }
    for one in seen {
        let path = one.file.path.as_str();
        let main = one
            .read
            .source
            .as_ref()
            .and_then(|source| source.facts.main);
        let Some(line) = main else { continue };
        // In Rust a beginning is a file of a target, and those are named above.
        let aside = path.split('/').any(|part| {
            matches!(
                FolderRole::of_name(part),
                Some(FolderRole::Examples | FolderRole::Documents | FolderRole::Tests)
            ) || part == "benches"
        });
        if aside || is_test_source(path) || is_test_data(path) || path.ends_with(".rs") {
            continue;
        }
        entries.add(
            path,
            EntryKind::Program,
            Evidence::line(&one.file.path, line),
        );
    }
    let mut all: Vec<EntryPoint> = entries.found.into_values().collect();
    all.truncate(MOST);
    all
}

impl Entries<'_> {
    fn add(&mut self, path: &str, kind: EntryKind, evidence: Evidence) {
        if let Some(path) = self.files.get(path).copied() {
            self.found.entry(path).or_insert_with(|| EntryPoint {
                path: path.clone(),
                kind,
                evidence,
            });
        }
    }

    fn stated(&mut self, manifest: &Manifest) {
        let folder = folder_of(manifest.path.as_str());
        for entry in &manifest.entries {
            let paths = entry.files.iter().map(|file| below(folder, file));
            let there = paths
                .into_iter()
                .find(|path| self.files.contains_key(path.as_str()));
            if let Some(path) = there {
                let evidence = Evidence::line(&manifest.path, entry.line);
                self.add(&path, entry.kind, evidence);
            }
        }
    }

    fn conventions(&mut self, manifest: &Manifest) {
        use EntryKind::{Library, Program};
        let folder = folder_of(manifest.path.as_str());
        let name = manifest.name.clone().unwrap_or_default();
        let module = name.replace(['-', '.'], "_");
        let lower = module.to_lowercase();
        let fixed: Vec<(String, EntryKind)> = match manifest.ecosystem {
            Ecosystem::Rust => vec![
                ("src/main.rs".into(), Program),
                ("src/lib.rs".into(), Library),
            ],
            Ecosystem::Python => vec![
                ("manage.py".into(), Program),
                ("wsgi.py".into(), Program),
                ("asgi.py".into(), Program),
                (format!("{lower}/__init__.py"), Library),
                (format!("src/{lower}/__init__.py"), Library),
                (format!("{module}/__init__.py"), Library),
                (format!("{lower}/__main__.py"), Program),
                (format!("src/{lower}/__main__.py"), Program),
                (format!("{lower}.py"), Library),
                (format!("src/{lower}.py"), Library),
            ],
            Ecosystem::Node => [
                "src/main.tsx",
                "src/main.ts",
                "src/main.jsx",
                "src/main.js",
                "src/index.tsx",
            ]
            .map(|file| (file.to_owned(), Program))
            .into(),
            Ecosystem::Php => vec![
                ("public/index.php".into(), Program),
                ("artisan".into(), Program),
            ],
            Ecosystem::Ruby => vec![
                ("config.ru".into(), Program),
                (format!("lib/{name}.rb"), Library),
                (format!("lib/{}.rb", name.replace('-', "/")), Library),
            ],
            Ecosystem::DotNet => vec![("Program.cs".into(), Program)],
            Ecosystem::Go | Ecosystem::Maven | Ecosystem::Gradle => Vec::new(),
        };
        for (file, kind) in fixed {
            let path = below(folder, &file);
            if let Some(evidence) = self
                .files
                .get(path.as_str())
                .map(|path| Evidence::file(path))
            {
                self.add(&path, kind, evidence);
            }
        }
        let programs = [(Ecosystem::Rust, "src/bin/"), (Ecosystem::Ruby, "exe/")];
        let programs = programs
            .iter()
            .filter(|(owner, _)| *owner == manifest.ecosystem);
        for start in programs.map(|(_, start)| below(folder, start)) {
            let inside: Vec<&RepoPath> = self
                .files
                .range(start.as_str()..)
                .take_while(|(path, _)| path.starts_with(&start))
                .map(|(_, path)| *path)
                .collect();
            for path in inside {
                let rest = path.as_str().strip_prefix(&start).unwrap_or_default();
                if !rest.contains('/') || rest.ends_with("/main.rs") {
                    self.add(path.as_str(), Program, Evidence::file(path));
                }
            }
        }
    }
}

fn below(folder: &str, file: &str) -> String {
    if folder.is_empty() {
        file.to_owned()
    } else {
        format!("{folder}/{file}")
    }
}
