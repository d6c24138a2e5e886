//! `cargo xtask bench large`: a small change by the offline rules in repositories of many files.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::args::Args;
use crate::exec::Exec;
use crate::{place, say, table};

const SIZES: [usize; 4] = [1_000, 10_000, 50_000, 200_000];
const LOOK_EVERY: Duration = Duration::from_millis(10);
const IDEA: &str = "fix the typo teh in README.md";
/// It comes after the other files in the order of names, and takes no time.
const TEST: &str = "import unittest\n\n\nclass Sample(unittest.TestCase):\n    \
    def test_sum(self):\n        self.assertEqual(1 + 1, 2)\n";

/// Runs the verb.
pub(super) fn run(mut args: Args) -> Result<()> {
    let only: Option<usize> = args.parsed("--files")?;
    let gavel = args.value("--gavel")?.map(PathBuf::from);
    args.finish()?;
    let gavel = match gavel {
        Some(gavel) => std::path::absolute(gavel)?,
        None => built()?,
    };
    let scratch = place::scratch("bench-large")?;
    let mut rows = vec![
        ["files", "load before", "wall", "memory"]
            .map(str::to_owned)
            .to_vec(),
    ];
    for files in only.map_or_else(|| SIZES.to_vec(), |one| vec![one]) {
        let folder = scratch.join(format!("files-{files}"));
        make(&folder, files)?;
        let load = super::load();
        let load = load.rsplit(' ').next().unwrap_or_default().to_owned();
        let (wall, memory) = measure(&gavel, &folder, &scratch.join("state"))?;
        let wall = format!("{:.1} s", wall.as_secs_f64());
        rows.push(vec![files.to_string(), load, wall, format!("{memory} MB")]);
        fs::remove_dir_all(folder)?;
    }
    say::line(&table::layout(&rows));
    Ok(())
}

fn built() -> Result<PathBuf> {
    let build = ["build", "--release", "--locked", "--quiet"];
    let build = Exec::cargo().args(build).args(["--package", "gavel-cli"]);
    build.run()?;
    Ok(place::root().join("target/release/gavel"))
}

/// A repository as a clone leaves it: one pack, one commit, so many files of a few lines.
fn make(folder: &Path, files: usize) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder)?;
    fs::write(
        folder.join("README.md"),
        "# Sample\n\nThis is teh sample.\n",
    )?;
    fs::write(folder.join("test_sample.py"), TEST)?;
    for number in 0..files.saturating_sub(2) {
        let below = folder.join(format!(
            "pkg{:04}/mod{:02}",
            number / 1000,
            number / 50 % 20
        ));
        fs::create_dir_all(&below)?;
        let text = format!("VALUE = {number}\n\n\ndef add(x):\n    return x + VALUE\n");
        fs::write(below.join(format!("part{number:06}.py")), text)?;
    }
    let name = ["-c", "user.name=bench", "-c", "user.email=bench@localhost"];
    for words in [
        ["init", "-q", "-b", "main"].as_slice(),
        &["add", "-A"],
        &["commit", "-q", "-m", "start"],
        &["repack", "-a", "-d", "-q"],
        &["prune-packed", "-q"],
    ] {
        let git = Exec::new("git").args([Path::new("-C"), folder]);
        git.args(name).args(["-c", "gc.auto=0"]).args(words).run()?;
    }
    Ok(())
}

/// Wall time, and the peak of resident memory in MB, of one run whose test passed.
fn measure(gavel: &Path, folder: &Path, state: &Path) -> Result<(Duration, u64)> {
    let places = [Path::new("-C"), folder, Path::new("--state"), state];
    let start = Exec::new(gavel).args(places).args(["start", IDEA, "--yes"]);
    let mut command = start.into_command();
    command.stdout(Stdio::piped()).stderr(Stdio::null());
    let begun = Instant::now();
    let mut child = command.spawn()?;
    let memory = peak(&mut child)?;
    let wall = begun.elapsed();
    let output = child.wait_with_output()?;
    let said = String::from_utf8_lossy(&output.stdout);
    if !said.contains("1 of 1 tests passed") {
        bail!("no test was passed in {}:\n{said}", folder.display());
    }
    Ok((wall, memory))
}

/// The high-water mark, looked at until the program ends.
fn peak(child: &mut Child) -> Result<u64> {
    let status = format!("/proc/{}/status", child.id());
    let mut most = 0;
    while child.try_wait()?.is_none() {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let mark = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        if let Some(mark) = mark {
            let kilobytes = mark.trim().trim_end_matches("kB").trim();
            let kilobytes: u64 = kilobytes.parse().context("a size in /proc")?;
            most = most.max(kilobytes / 1024);
        }
        thread::sleep(LOOK_EVERY);
    }
    Ok(most)
}
