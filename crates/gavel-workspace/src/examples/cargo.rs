//! Rust: the executables that cargo says it built.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::program::{ProgramError, ProgramFound, Site, none};
use crate::{Argv, Exit};

const METADATA: [&str; 6] = [
    "cargo",
    "metadata",
    "--offline",
    "--no-deps",
    "--format-version",
    "1",
];
const BUILD: [&str; 5] = [
    "cargo",
    "build",
    "--offline",
    "--workspace",
    "--message-format=json",
];
/// What is repeated of a build that failed.
const SHOWN: usize = 300;

/// What `cargo metadata` says; it runs nothing of the tree.
#[derive(Debug, Deserialize)]
struct Metadata {
    packages: Vec<Package>,
    target_directory: PathBuf,
}

#[derive(Debug, Deserialize)]
struct Package {
    id: String,
    name: String,
    default_run: Option<String>,
    targets: Vec<Target>,
}

#[derive(Debug, Deserialize)]
struct Target {
    name: String,
    kind: Vec<String>,
}

/// A message of the build.
#[derive(Debug, Deserialize)]
struct Built {
    package_id: String,
    target: Target,
    executable: Option<PathBuf>,
}

impl Target {
    fn is_program(&self) -> bool {
        self.kind.iter().any(|kind| kind == "bin")
    }
}

pub(super) async fn program(site: &Site<'_>) -> Result<Option<ProgramFound>, ProgramError> {
    if site.text("Cargo.toml").is_none() {
        return Ok(None);
    }
    let told = site.run(&Argv::new(METADATA)?).await?;
    let metadata = told.output.text.lines().find(|line| line.starts_with('{'));
    let metadata = metadata.and_then(|line| serde_json::from_str::<Metadata>(line).ok());
    let Some(metadata) = metadata.filter(|_| told.exit == Exit::Code(0)) else {
        let said = shown(&told.output.text);
        return Ok(Some(none(&format!(
            "cargo cannot read the project: {said}"
        ))));
    };
    let (package, name) = match choose(&metadata.packages) {
        Choice::One { package, name } => (package, name),
        // A library; another language may have the program.
        Choice::None => return Ok(None),
        Choice::Several(names) => return Ok(Some(ProgramFound::Several(names))),
    };
    let built = site.run(&Argv::new(BUILD)?).await?;
    if built.exit != Exit::Code(0) {
        let said = shown(&built.output.text);
        return Ok(Some(none(&format!("`cargo build` failed: {said}"))));
    }
    let executable = executable(
        &built.output.text,
        (package, name),
        &metadata.target_directory,
    );
    match executable {
        Some(path) => site.found([path.display().to_string()]).map(Some),
        None => Ok(Some(none(&format!("cargo built no executable `{name}`")))),
    }
}

/// Which of a workspace's programs is meant.
#[derive(Debug, PartialEq, Eq)]
enum Choice<'a> {
    None,
    One { package: &'a str, name: &'a str },
    Several(Vec<String>),
}

/// The only one, the one that a package runs by default, or the one that is called like its package.
fn choose(packages: &[Package]) -> Choice<'_> {
    let programs = || {
        packages.iter().flat_map(|package| {
            let own = package.targets.iter().filter(|target| target.is_program());
            own.map(move |target| (package, target.name.as_str()))
        })
    };
    let only = |wanted: &dyn Fn(&Package, &str) -> bool| {
        let mut fitting = programs().filter(|(package, name)| wanted(package, name));
        match (fitting.next(), fitting.next()) {
            (Some((package, name)), None) => Some(Choice::One {
                package: &package.id,
                name,
            }),
            (_, _) => None,
        }
    };
    only(&|_, _| true)
        .or_else(|| only(&|package, name| package.default_run.as_deref() == Some(name)))
        .or_else(|| only(&|package, name| package.name == name))
        .unwrap_or_else(|| {
            let names: BTreeSet<String> = programs().map(|(_, name)| name.to_owned()).collect();
            match names.is_empty() {
                true => Choice::None,
                false => Choice::Several(names.into_iter().collect()),
            }
        })
}

/// Where cargo put it. Macros of the tree can print such a line, too: only cargo's own folder counts,
/// and the last line, which cargo writes when all of them have ended.
fn executable(messages: &str, (package, name): (&str, &str), target: &Path) -> Option<PathBuf> {
    let built = messages
        .lines()
        .filter_map(|line| serde_json::from_str::<Built>(line).ok());
    let own = built.filter(|built| {
        let Target { name: called, .. } = &built.target;
        built.package_id == package && called == name && built.target.is_program()
    });
    own.filter_map(|built| built.executable)
        .rfind(|path| path.starts_with(target) && is_plain(path))
}

fn is_plain(path: &Path) -> bool {
    use std::path::Component;
    path.components()
        .all(|part| matches!(part, Component::RootDir | Component::Normal(_)))
}

fn shown(text: &str) -> String {
    let told = text.lines().filter(|line| !line.starts_with('{'));
    let told: Vec<&str> = told.collect();
    let text = told.join(" ");
    let start = text.len().saturating_sub(SHOWN);
    let start = text.ceil_char_boundary(start);
    text.get(start..).unwrap_or_default().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(name: &str, default_run: Option<&str>, programs: &[&str]) -> Package {
        let target = |name: &&str| Target {
            name: (*name).to_owned(),
            kind: vec!["bin".to_owned()],
        };
        let library = Target {
            name: name.to_owned(),
            kind: vec!["lib".to_owned()],
        };
        Package {
            id: format!("id of {name}"),
            name: name.to_owned(),
            default_run: default_run.map(str::to_owned),
            targets: programs.iter().map(target).chain([library]).collect(),
        }
    }

    #[test]
    fn one_program_is_chosen_or_none_is() {
        let several = |names: &[&str]| {
            let names = names.iter().map(|name| (*name).to_owned());
            Choice::Several(names.collect())
        };
        let one = |name| Choice::One {
            package: "id of a",
            name,
        };
        for (packages, wanted) in [
            (vec![package("a", None, &[])], Choice::None),
            (vec![package("a", None, &["x"])], one("x")),
            (vec![package("a", None, &["x", "a"])], one("a")),
            (vec![package("a", Some("x"), &["x", "a"])], one("x")),
            (vec![package("a", None, &["x", "y"])], several(&["x", "y"])),
            (
                vec![package("b", None, &["b"]), package("a", None, &["a"])],
                several(&["a", "b"]),
            ),
            (
                vec![package("b", None, &[]), package("a", None, &["x"])],
                one("x"),
            ),
        ] {
            assert_eq!(choose(&packages), wanted);
        }
    }

    #[test]
    fn only_what_cargo_built_in_its_own_folder_counts() {
        let line = |package: &str, kind: &str, path: &str| {
            format!(
                "{{\"reason\":\"compiler-artifact\",\"package_id\":\"{package}\",\"target\":\
                 {{\"name\":\"x\",\"kind\":[\"{kind}\"]}},\"executable\":\"{path}\"}}\n"
            )
        };
        let found = |text: &str| {
            let path = executable(text, ("p", "x"), Path::new("/t/target"));
            path.map(|path| path.display().to_string())
        };
        let right = line("p", "bin", "/t/target/debug/x");
        assert_eq!(found(&right).unwrap(), "/t/target/debug/x");
        for forged in [
            line("q", "bin", "/t/target/debug/x"),
            line("p", "test", "/t/target/debug/x"),
            line("p", "bin", "/t/evil"),
            line("p", "bin", "/t/target/../evil"),
            "warning: nothing\n".to_owned(),
        ] {
            assert_eq!(found(&forged), None, "{forged}");
        }
        let earlier = line("p", "bin", "/t/target/evil") + &right;
        assert_eq!(found(&earlier).unwrap(), "/t/target/debug/x");
    }
}
