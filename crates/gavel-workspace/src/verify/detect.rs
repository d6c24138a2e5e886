//! Finds the recipes of a tree by the files at its root.

use serde_json::Value;

use super::found::Recipes;
use super::node::{NodeInstall, NodeManager, ScriptRunner};
use super::python::{PythonInstall, TestFolder};
use super::recipe::Recipe;
use super::smoke::Smoke;
use crate::RepoPath;

/// What npm writes into a new package; it means "no tests".
const NPM_PLACEHOLDER: &str = "no test specified";

/// Folders of other people's code.
const FOREIGN: [&str; 5] = ["node_modules", "vendor", "target", "venv", ".venv"];

/// A tree as detection sees it.
pub(super) struct Seen<'a> {
    files: Vec<&'a RepoPath>,
    read: &'a dyn Fn(&str) -> Option<String>,
}

/// What detection came to.
#[derive(Debug, Default)]
pub(super) struct Detected {
    /// A project of a known kind is there.
    pub(super) known: bool,
    pub(super) recipes: Recipes,
}

impl<'a> Seen<'a> {
    pub(super) fn new(files: &'a [RepoPath], read: &'a dyn Fn(&str) -> Option<String>) -> Self {
        let own = |file: &&RepoPath| file.segments().all(|part| !FOREIGN.contains(&part));
        let files = files.iter().filter(own).collect();
        Self { files, read }
    }

    fn text(&self, name: &str) -> Option<String> {
        (self.read)(name)
    }

    fn has(&self, name: &str) -> bool {
        self.files.iter().any(|file| file.as_str() == name)
    }

    fn any(&self, is_it: impl Fn(&RepoPath) -> bool) -> bool {
        self.files.iter().any(|file| is_it(file))
    }
}

/// A project of one kind, and its recipe if it has tests.
type Project = Option<Option<Recipe>>;

/// Everything that fits the tree.
pub(super) fn detect(seen: &Seen<'_>) -> Detected {
    let manifest = seen.text("package.json").map(|text| {
        // A broken manifest is the package manager's to complain about.
        serde_json::from_str::<Value>(&text).unwrap_or_default()
    });
    let manager = manager(seen, manifest.as_ref());
    let mut found = Detected::default();
    for project in [
        rust(seen),
        manifest
            .as_ref()
            .map(|manifest| node(seen, manager, manifest)),
        python(seen),
        go(seen),
        java(seen),
        dotnet(seen),
    ] {
        found.known |= project.is_some();
        found.recipes.tests.extend(project.flatten());
    }
    let makefile = seen.text("Makefile").unwrap_or_default();
    let target = ["test", "check"]
        .into_iter()
        .find(|name| has_target(&makefile, name));
    if let (true, Some(target)) = (found.recipes.tests.is_empty(), target) {
        found.known = true;
        found.recipes.tests.push(Recipe::Make { target });
    }
    found
        .recipes
        .smoke
        .extend(smoke(manager, manifest.as_ref(), &makefile));
    found
}

/// A script or target of this very name is the project's own word on how it is tried out.
fn smoke(manager: NodeManager, manifest: Option<&Value>, makefile: &str) -> Option<Smoke> {
    let script = manifest.and_then(|manifest| manifest.pointer("/scripts/smoke"));
    let argv = if script.is_some_and(Value::is_string) {
        manager.script("smoke", &[]).ok()?
    } else if has_target(makefile, "smoke") {
        crate::Argv::new(["make", "smoke"]).ok()?
    } else {
        return None;
    };
    Some(Smoke::Cli {
        argv,
        exit: 0,
        expect: None,
    })
}

pub(super) fn has_target(makefile: &str, name: &str) -> bool {
    makefile.lines().any(|line| {
        let rest = line.strip_prefix(name).map(str::trim_start);
        rest.is_some_and(|rest| rest.starts_with(':') && !rest.starts_with(":="))
    })
}

fn rust(seen: &Seen<'_>) -> Project {
    seen.text("Cargo.toml")?;
    let locked = seen.has("Cargo.lock");
    Some(Some(Recipe::Cargo { locked }))
}

/// By lock files in the order of how much they say, then by what the manifest names.
fn manager(seen: &Seen<'_>, manifest: Option<&Value>) -> NodeManager {
    let named = manifest.and_then(|manifest| manifest.get("packageManager"));
    let named = named.and_then(Value::as_str).unwrap_or_default();
    let is = |files: &[&str], name: &str| {
        files.iter().any(|file| seen.has(file)) || named.starts_with(name)
    };
    if is(&["pnpm-lock.yaml"], "pnpm@") {
        NodeManager::Pnpm
    } else if is(&["bun.lock", "bun.lockb"], "bun@") {
        NodeManager::Bun
    } else if is(&["yarn.lock"], "yarn@") {
        NodeManager::Yarn
    } else {
        NodeManager::Npm
    }
}

/// The script that runs the tests of a project for Node; none where npm's placeholder stands.
pub(super) fn test_script(manifest: &Value) -> Option<&str> {
    let script = manifest.pointer("/scripts/test").and_then(Value::as_str);
    script.filter(|script| !script.contains(NPM_PLACEHOLDER))
}

/// Whether tests that are found without a script can be run alone; none where there are none.
pub(super) fn found_tests_run_alone(files: &[RepoPath], manifest: &Value) -> Option<bool> {
    let read = |_: &str| None;
    let seen = Seen::new(files, &read);
    let manager = manager(&seen, Some(manifest));
    let has_tests = seen.any(|file| is_node_test(manager, file));
    has_tests.then_some(manager != NodeManager::Bun)
}

fn node(seen: &Seen<'_>, manager: NodeManager, manifest: &Value) -> Option<Recipe> {
    let needs = |list: &str| manifest.get(list).and_then(Value::as_object);
    let some = |list: &str| needs(list).is_some_and(|list| !list.is_empty());
    let locks: &[&str] = match manager {
        NodeManager::Npm => &["package-lock.json"],
        NodeManager::Pnpm => &["pnpm-lock.yaml"],
        NodeManager::Yarn => &["yarn.lock"],
        NodeManager::Bun => &["bun.lock", "bun.lockb"],
    };
    let workspaces = manifest
        .get("workspaces")
        .is_some_and(|list| !list.is_null());
    let install = if !some("dependencies") && !some("devDependencies") && !workspaces {
        NodeInstall::Nothing
    } else if locks.iter().any(|lock| seen.has(lock)) {
        NodeInstall::Locked
    } else {
        NodeInstall::Ranges
    };
    match test_script(manifest) {
        Some(script) => Some(Recipe::NodeScript {
            manager,
            install,
            runner: ScriptRunner::of_script(script),
        }),
        None => seen
            .any(|file| is_node_test(manager, file))
            .then_some(Recipe::NodeTest { manager, install }),
    }
}

/// What `node --test` picks up by itself; `bun test` goes by other names.
fn is_node_test(manager: NodeManager, file: &RepoPath) -> bool {
    const ENDINGS: [&str; 6] = ["js", "cjs", "mjs", "ts", "cts", "mts"];
    let Some((stem, ending)) = file.name().rsplit_once('.') else {
        return false;
    };
    let marked = |marks: &[&str]| marks.iter().any(|mark| stem.ends_with(mark));
    let picked = match manager {
        NodeManager::Bun => marked(&[".test", "_test", ".spec", "_spec"]),
        NodeManager::Npm | NodeManager::Pnpm | NodeManager::Yarn => {
            let folders = file.segments().count().saturating_sub(1);
            let in_folder = file.segments().take(folders).any(|part| part == "test");
            let named = stem == "test" || stem.starts_with("test-");
            in_folder || named || marked(&[".test", "-test", "_test"])
        }
    };
    picked && ENDINGS.contains(&ending)
}

fn python(seen: &Seen<'_>) -> Project {
    let project = seen.text("pyproject.toml");
    let requirements = seen.text("requirements.txt");
    let development = seen.text("requirements-dev.txt");
    let settings = ["setup.cfg", "tox.ini"].map(|name| seen.text(name));
    let is_package = seen.has("setup.py")
        || project
            .as_ref()
            .is_some_and(|text| text.contains("[build-system]") || text.contains("[project]"));
    let names_pytest = |text: &String| text.contains("pytest");
    let named = [&project, &requirements, &development]
        .into_iter()
        .chain(&settings)
        .flatten()
        .any(names_pytest);
    let files = ["pytest.ini", "conftest.py", "tests/conftest.py"];
    let configured = named || files.iter().any(|name| seen.has(name));
    let locked = |name: &str| {
        seen.text(name)
            .map(|text| text.contains("name = \"pytest\""))
    };
    let install = if let Some(has_runner) = locked("uv.lock") {
        PythonInstall::Uv { has_runner }
    } else if let Some(has_runner) = locked("poetry.lock") {
        PythonInstall::Poetry { has_runner }
    } else if is_package {
        PythonInstall::Project
    } else if requirements.is_some() {
        PythonInstall::Requirements
    } else {
        PythonInstall::Runner
    };
    if configured {
        return Some(Some(Recipe::Pytest { install }));
    }
    if seen.has("manage.py") {
        return Some(Some(Recipe::Django { install }));
    }
    let has_tests = seen.any(is_python_test);
    match install {
        // Dependencies need an environment, and pytest runs unittest's tests too.
        PythonInstall::Requirements
        | PythonInstall::Project
        | PythonInstall::Uv { .. }
        | PythonInstall::Poetry { .. } => Some(has_tests.then_some(Recipe::Pytest { install })),
        PythonInstall::Runner => unittest_folder(seen).map(|folder| {
            let recipe = Recipe::Unittest { folder };
            Some(recipe)
        }),
    }
}

/// What pytest picks up by itself.
fn is_python_test(file: &RepoPath) -> bool {
    let stem = file.name().strip_suffix(".py");
    stem.is_some_and(|stem| stem.starts_with("test") || stem.ends_with("_test"))
}

/// Where unittest finds tests: at the root, or in a folder that is a package or is named to it.
fn unittest_folder(seen: &Seen<'_>) -> Option<TestFolder> {
    let holds = |folder: &str| {
        seen.any(|file| {
            let in_it = match file.as_str().rsplit_once('/') {
                Some((above, _)) => above == folder,
                None => folder.is_empty(),
            };
            in_it && file.name().starts_with("test") && file.name().ends_with(".py")
        })
    };
    if holds("") {
        return Some(TestFolder::Root);
    }
    [("tests", TestFolder::Tests), ("test", TestFolder::Test)]
        .into_iter()
        .find(|(name, _)| holds(name))
        .map(
            |(name, folder)| match seen.has(&format!("{name}/__init__.py")) {
                true => TestFolder::Root,
                false => folder,
            },
        )
}

fn go(seen: &Seen<'_>) -> Project {
    seen.text("go.mod")?;
    let has_tests = seen.any(|file| file.name().ends_with("_test.go"));
    Some(has_tests.then_some(Recipe::Go))
}

fn java(seen: &Seen<'_>) -> Project {
    seen.text("pom.xml")?;
    let wrapper = seen.has("mvnw");
    let has_tests = seen.any(|file| file.segments().any(|part| part == "test"));
    Some(has_tests.then_some(Recipe::Maven { wrapper }))
}

/// A solution or a project at most two folders down; a project of tests names their SDK.
fn dotnet(seen: &Seen<'_>) -> Project {
    let near = |file: &RepoPath| file.segments().count() <= 3;
    let ends = |file: &RepoPath, with: &[&str]| {
        near(file) && with.iter().any(|ending| file.name().ends_with(ending))
    };
    let is_project = |file: &RepoPath| ends(file, &[".csproj", ".fsproj", ".vbproj"]);
    if !seen.any(|file| is_project(file) || ends(file, &[".sln", ".slnx"])) {
        return None;
    }
    let names_tests = |file: &RepoPath| match seen.text(file.as_str()) {
        Some(text) => text.contains("Microsoft.NET.Test.Sdk") || text.contains("MSTest.Sdk"),
        // Only what lies at the root could be read.
        None => file.name().to_lowercase().contains("test"),
    };
    let has_tests = seen.any(|file| is_project(file) && names_tests(file));
    Some(has_tests.then_some(Recipe::Dotnet))
}

#[cfg(test)]
#[path = "detect_tests.rs"]
mod tests;
