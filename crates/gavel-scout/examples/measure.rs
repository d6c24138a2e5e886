//! Measures scout: `measure labels FILE FOLDER` compares what it says of a folder with labels that somebody wrote
//! down, `measure time FOLDER` says how long a deep and a quick scan take.

use std::collections::BTreeSet;
use std::error::Error;
use std::io::Write as _;
use std::path::Path;
use std::time::Instant;

use gavel_scout::{ConfigSource, DiskTree, Limits, Scan, Snapshot, scan_deep, scan_quick};

/// A set of things that a label file lists under a name.
struct Category {
    name: &'static str,
    said: BTreeSet<String>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["labels", labels, folder] => compare(Path::new(labels), Path::new(folder)),
        ["time", folder] => time(Path::new(folder)),
        _ => Err("usage: measure labels FILE FOLDER | measure time FOLDER".into()),
    }
}

fn compare(labels: &Path, folder: &Path) -> Result<(), Box<dyn Error>> {
    let wanted: toml::Table = std::fs::read_to_string(labels)?.parse()?;
    let limits = Limits::default();
    let tree = DiskTree::open(&folder.canonicalize()?, limits.files)?;
    let scan = scan_deep(&tree, &limits);
    let name = labels.file_stem().unwrap_or_default().to_string_lossy();
    let mut out = std::io::stdout().lock();
    for category in said(&scan) {
        let listed = wanted.get(category.name).and_then(toml::Value::as_array);
        let right: BTreeSet<String> = listed
            .into_iter()
            .flatten()
            .filter_map(|one| one.as_str())
            .map(str::to_owned)
            .collect();
        let hits = right.intersection(&category.said).count();
        let missed: Vec<&String> = right.difference(&category.said).collect();
        let extra: Vec<&String> = category.said.difference(&right).collect();
        writeln!(
            out,
            "{name}\t{}\t{hits}\t{}\t{}\tmissed {missed:?}\textra {extra:?}",
            category.name,
            category.said.len(),
            right.len(),
        )?;
    }
    Ok(())
}

fn said(scan: &Scan) -> [Category; 9] {
    let survey = &scan.survey;
    let of = |name: &'static str, said: BTreeSet<String>| Category { name, said };
    let kind = |one: &gavel_scout::Technology| {
        let kind = serde_json::to_value(one.kind).unwrap_or_default();
        format!("{} {}", kind.as_str().unwrap_or_default(), one.name)
    };
    let dependencies = survey.stacks.iter().flat_map(|stack| &stack.dependencies);
    let versions =
        dependencies.filter_map(|one| Some(format!("{} {}", one.name, one.version.as_ref()?.text)));
    let variables = survey
        .configuration
        .iter()
        .filter_map(|source| match source {
            ConfigSource::Variable { name, .. } => Some(name.clone()),
            ConfigSource::File { .. } => None,
        });
    [
        of(
            "languages",
            survey
                .languages
                .iter()
                .map(|one| one.language.name().to_owned())
                .collect(),
        ),
        of(
            "technologies",
            survey.technologies.iter().map(kind).collect(),
        ),
        of("versions", versions.collect()),
        of(
            "entry_points",
            survey
                .entry_points
                .iter()
                .map(|one| one.path.to_string())
                .collect(),
        ),
        of(
            "layers",
            survey
                .layers
                .iter()
                .map(|one| one.layer.name().to_lowercase())
                .collect(),
        ),
        of(
            "routes",
            survey
                .routes
                .iter()
                .map(|one| format!("{} {}", one.method, one.address))
                .collect(),
        ),
        of(
            "models",
            survey.models.iter().map(|one| one.name.clone()).collect(),
        ),
        of(
            "workspaces",
            survey
                .workspaces
                .iter()
                .map(|one| one.folder.clone())
                .collect(),
        ),
        of("variables", variables.collect()),
    ]
}

fn time(folder: &Path) -> Result<(), Box<dyn Error>> {
    let folder = folder.canonicalize()?;
    let limits = Limits::default();
    let begin = Instant::now();
    let tree = DiskTree::open(&folder, limits.files)?;
    let listed = begin.elapsed();
    let scan = scan_deep(&tree, &limits);
    let deep = begin.elapsed();
    let text = serde_json::to_string(&Snapshot::of_deep(&tree, &scan))?;
    let begin = Instant::now();
    let before: Snapshot = serde_json::from_str(&text)?;
    let tree = DiskTree::open(&folder, limits.files)?;
    let quick = scan_quick(&tree, &limits, &before);
    let quick_took = begin.elapsed();
    let mut out = std::io::stdout().lock();
    writeln!(
        out,
        "{} files, {} read, {} findings: listing {listed:?}, deep {deep:?} with it, quick {quick_took:?} ({} changed)",
        scan.survey.files,
        scan.survey.files_read,
        scan.findings.len(),
        quick.changed.len() + quick.added.len(),
    )?;
    for gap in &scan.survey.gaps {
        writeln!(out, "  {} files {}", gap.files, gap.reason.text())?;
    }
    Ok(())
}
