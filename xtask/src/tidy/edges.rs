//! Crate edges: arrows only point down the table in ARCHITECTURE.md.

use std::collections::BTreeSet;

use anyhow::{Context, Result, bail};

use super::Finding;
use super::markdown::{bare, table};
use super::packages::{Dependency, Package, Packages};
use super::tree::Tree;

const DOCUMENT: &str = "ARCHITECTURE.md";
const TESTKIT: &str = "gavel-testkit";
const WORKSHOP: [&str; 2] = [TESTKIT, "xtask"];

/// The table: which crate is in which row, and what may cross inside a row.
#[derive(Debug)]
struct Picture {
    rooms: Vec<Room>,
    exceptions: BTreeSet<(String, String)>,
}

#[derive(Debug)]
struct Room {
    name: String,
    row: usize,
    exists: bool,
}

/// Compares the manifests with the table.
pub(super) fn check(tree: &Tree, packages: &Packages) -> Result<Vec<Finding>> {
    let picture = Picture::read(tree.text(DOCUMENT)?)?;
    let mut findings = picture.compare_names(packages);
    for package in &packages.packages {
        let inside = package.dependencies.iter().filter(|dep| dep.path.is_some());
        findings.extend(inside.filter_map(|dep| picture.judge(package, dep)));
    }
    Ok(findings)
}

impl Picture {
    fn read(text: &str) -> Result<Self> {
        let mut rooms = Vec::new();
        let mut row = 0;
        for cells in table(text, "row") {
            let [name, room, state, ..] = cells.as_slice() else {
                bail!("{DOCUMENT}: a row of the crate table has too few cells: {cells:?}");
            };
            row += usize::from(!name.is_empty());
            let exists = match state.as_str() {
                "here" => true,
                "planned" => false,
                other => bail!("{DOCUMENT}: `{other}` is neither `here` nor `planned`"),
            };
            rooms.push(Room {
                name: bare(room).to_owned(),
                row,
                exists,
            });
        }
        if rooms.is_empty() {
            bail!("{DOCUMENT} holds no table that starts with `| row | crate |`");
        }
        Ok(Self {
            rooms,
            exceptions: exceptions(text)?,
        })
    }

    fn compare_names(&self, packages: &Packages) -> Vec<Finding> {
        let real: BTreeSet<&str> = packages.packages.iter().map(|p| p.name.as_str()).collect();
        let stated = self
            .rooms
            .iter()
            .filter(|room| room.exists != real.contains(room.name.as_str()));
        let wrong = stated.map(|room| {
            let truth = if room.exists {
                "does not exist"
            } else {
                "exists"
            };
            format!(
                "{DOCUMENT}: `{}` {truth}; mark it so in the crate table",
                room.name
            )
        });
        let unlisted = real
            .iter()
            .filter(|name| !WORKSHOP.contains(name) && self.row(name).is_none());
        let unlisted =
            unlisted.map(|name| format!("`{name}` is not in the crate table of {DOCUMENT}"));
        wrong.chain(unlisted).collect()
    }

    fn row(&self, name: &str) -> Option<usize> {
        let room = self.rooms.iter().find(|room| room.name == name);
        room.map(|room| room.row)
    }

    fn judge(&self, from: &Package, to: &Dependency) -> Option<Finding> {
        let (from, name) = (from.name.as_str(), to.name.as_str());
        if name == TESTKIT {
            let dev = to.kind.as_deref() == Some("dev");
            return (!dev).then(|| format!("{from} uses {TESTKIT} outside its tests"));
        }
        if from == TESTKIT {
            return None;
        }
        let (Some(above), Some(below)) = (self.row(from), self.row(name)) else {
            return Some(format!("{from} → {name}: no such arrow, see {DOCUMENT}"));
        };
        let excepted = || {
            self.exceptions
                .contains(&(from.to_owned(), name.to_owned()))
        };
        let fine = above < below || (above == below && excepted());
        (!fine).then(|| format!("{from} → {name} does not point down the table of {DOCUMENT}"))
    }
}

/// Reads `except: rules → domain, cli → server → mcp.`; a chain excepts every pair along it.
fn exceptions(text: &str) -> Result<BTreeSet<(String, String)>> {
    let (_, list) = text
        .split_once("except: ")
        .with_context(|| format!("{DOCUMENT} lacks the sentence with `except: `"))?;
    let list = list.split('.').next().unwrap_or_default();
    let mut pairs = BTreeSet::new();
    for chain in list.split(',') {
        let names: Vec<String> = chain
            .split('→')
            .map(|name| format!("gavel-{}", bare(name)))
            .collect();
        for (place, from) in names.iter().enumerate() {
            let later = names.iter().skip(place + 1);
            pairs.extend(later.map(|to| (from.clone(), to.clone())));
        }
    }
    Ok(pairs)
}

#[cfg(test)]
#[path = "edges_tests.rs"]
mod tests;
