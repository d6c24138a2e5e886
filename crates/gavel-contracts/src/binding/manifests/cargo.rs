//! Cargo.toml: dependencies of every kind, renamed and replaced ones included.

use toml::de::{DeTable, DeValue};

use super::{Dependency, ManifestProblem, Use, line_of, read_toml};
use crate::binding::tree::{Tree, folder_of, resolve};

const PRODUCT: [&str; 3] = ["dependencies", "build-dependencies", "build_dependencies"];
const TESTS: [&str; 2] = ["dev-dependencies", "dev_dependencies"];
/// Where one package is put in the place of another.
const REPLACED: [&str; 2] = ["patch", "replace"];

pub(super) fn read(
    path: &str,
    text: &str,
    tree: &Tree<'_>,
) -> Result<Vec<Dependency>, ManifestProblem> {
    let root = read_toml(text)?;
    let mut reader = Reader {
        folder: folder_of(path),
        text,
        tree,
        found: Vec::new(),
    };
    let root = root.get_ref();
    reader.tables(root);
    if let Some(targets) = table(root, "target") {
        for target in targets.values() {
            if let DeValue::Table(target) = target.get_ref() {
                reader.tables(target);
            }
        }
    }
    if let Some(shared) = table(root, "workspace").and_then(|all| table(all, "dependencies")) {
        reader.packages(shared, Use::Product);
    }
    for name in REPLACED {
        reader.replaced(root, name);
    }
    Ok(reader.found)
}

fn table<'t, 'i>(of: &'t DeTable<'i>, name: &str) -> Option<&'t DeTable<'i>> {
    of.get(name)?.get_ref().as_table()
}

struct Reader<'r, 'a> {
    folder: &'r str,
    text: &'r str,
    tree: &'r Tree<'a>,
    found: Vec<Dependency>,
}

impl Reader<'_, '_> {
    fn tables(&mut self, of: &DeTable<'_>) {
        for (names, used) in [(&PRODUCT[..], Use::Product), (&TESTS[..], Use::Tests)] {
            for packages in names.iter().filter_map(|name| table(of, name)) {
                self.packages(packages, used);
            }
        }
    }

    fn packages(&mut self, packages: &DeTable<'_>, used: Use) {
        for (key, value) in packages {
            let fields = value.get_ref().as_table();
            let field = |name: &str| fields?.get(name)?.get_ref().as_str();
            let shared = fields.and_then(|fields| fields.get("workspace")).is_some();
            let is_own = field("path").is_some_and(|path| self.is_own(path));
            // What the workspace shares stands in its own table.
            if shared || (is_own && field("git").is_none()) {
                continue;
            }
            let elsewhere = ["path", "git", "registry-index", "registry"];
            let elsewhere = elsewhere.iter().find_map(|name| field(name));
            self.found.push(Dependency {
                package: field("package").unwrap_or(key.get_ref()).to_owned(),
                line: line_of(self.text, key.span().start),
                used,
                elsewhere: elsewhere.map(str::to_owned),
            });
        }
    }

    /// True for a crate of this tree that did not come from elsewhere.
    fn is_own(&self, path: &str) -> bool {
        let folder = resolve(self.folder, path);
        folder.is_some_and(|folder| {
            let is_foreign =
                ["vendor", "third_party"].contains(&folder.split('/').next().unwrap_or_default());
            let manifest = if folder.is_empty() {
                "Cargo.toml".to_owned()
            } else {
                format!("{folder}/Cargo.toml")
            };
            !is_foreign && self.tree.has(&manifest)
        })
    }

    fn replaced(&mut self, root: &DeTable<'_>, name: &str) {
        let Some(replaced) = table(root, name) else {
            return;
        };
        for (key, value) in replaced {
            let Some(fields) = value.get_ref().as_table() else {
                continue;
            };
            let line = |place: usize| line_of(self.text, place);
            let one = |package: &str, line| Dependency {
                package: package.split(':').next().unwrap_or(package).to_owned(),
                line,
                used: Use::Product,
                elsewhere: Some(format!("[{name}]")),
            };
            if name == "replace" {
                self.found.push(one(key.get_ref(), line(key.span().start)));
            } else {
                let packages = fields.iter();
                let all: Vec<_> = packages
                    .map(|(package, _)| one(package.get_ref(), line(package.span().start)))
                    .collect();
                self.found.extend(all);
            }
        }
    }
}
