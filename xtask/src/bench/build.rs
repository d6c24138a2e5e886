//! `cargo xtask bench build`: a cold build of the binary, and the units that took longest.

use std::fs;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::args::Args;
use crate::exec::Exec;
use crate::{place, say, table};

const SHOWN: usize = 10;

/// A unit of work as cargo's timing report lists it.
#[derive(Debug, Deserialize)]
struct Unit {
    name: String,
    version: String,
    target: String,
    duration: f64,
}

/// Runs the verb.
pub(super) fn run(mut args: Args) -> Result<()> {
    let release = args.switch("--release");
    args.finish()?;
    let folder = place::scratch("cold-build")?;
    fs::remove_dir_all(&folder)?;
    say::line(&super::load());
    Exec::cargo().args(["fetch", "--locked", "--quiet"]).run()?;
    let begun = Instant::now();
    let mut build = vec![
        "build",
        "--locked",
        "--quiet",
        "--timings",
        "--package",
        "gavel-cli",
    ];
    build.extend(release.then_some("--release"));
    let built = Exec::cargo()
        .args(build)
        .env("CARGO_TARGET_DIR", &folder)
        .run();
    let took = begun.elapsed();
    let report = built.and_then(|()| slowest(&folder));
    fs::remove_dir_all(&folder)?;
    let profile = if release { "release" } else { "dev" };
    let units = report?;
    say::line(&format!(
        "cold {profile} build of gavel: {:.1} s wall, {} units; the slowest:",
        took.as_secs_f64(),
        units.len()
    ));
    say::line(&table::layout(&rows(&units)));
    Ok(())
}

fn slowest(folder: &Path) -> Result<Vec<Unit>> {
    let path = folder.join("cargo-timings").join("cargo-timing.html");
    let html = fs::read_to_string(&path).context("cargo left no timing report")?;
    parse(&html)
}

fn parse(html: &str) -> Result<Vec<Unit>> {
    let (_, rest) = html
        .split_once("UNIT_DATA = ")
        .context("the timing report holds no units")?;
    let (data, _) = rest.split_once("];").context("the timing report is cut")?;
    let mut units: Vec<Unit> =
        serde_json::from_str(&format!("{data}]")).context("the timing report changed its form")?;
    units.sort_by(|a, b| b.duration.total_cmp(&a.duration));
    Ok(units)
}

fn rows(units: &[Unit]) -> Vec<Vec<String>> {
    let row = |unit: &Unit| {
        let name = format!("{} {}{}", unit.name, unit.version, unit.target);
        vec![name, format!("{:.1} s", unit.duration)]
    };
    units.iter().take(SHOWN).map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_read_and_sorted() {
        let html = "const UNIT_DATA = [
  {\"i\": 1, \"name\": \"a\", \"version\": \"1.0\", \"target\": \"\", \"duration\": 0.5},
  {\"i\": 2, \"name\": \"b\", \"version\": \"2.0\", \"target\": \" build-script\", \"duration\": 3.25}
];
const OTHER = [];";
        let units = parse(html).unwrap();
        let rows = rows(&units);
        assert_eq!(rows, [["b 2.0 build-script", "3.2 s"], ["a 1.0", "0.5 s"]]);
        assert!(parse("<html>").is_err());
    }
}
