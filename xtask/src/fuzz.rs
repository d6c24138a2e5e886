//! `cargo xtask fuzz MINUTES [TARGET]`: the fuzz targets one after the other, so many minutes each. Needs
//! a nightly toolchain and cargo-fuzz, which nothing else needs.
//!
//! No sanitizer: the crates that are fuzzed forbid unsafe code, and without it they run much faster.

use std::path::Path;

use anyhow::{Context, Result, bail, ensure};

use crate::args::Args;
use crate::exec::Exec;
use crate::{place, say};

/// Runs the verb.
pub(crate) fn run(mut args: Args) -> Result<()> {
    let minutes = args.word().context("how many minutes?")?;
    let minutes: u32 = minutes
        .parse()
        .with_context(|| format!("`{minutes}` is no number of minutes"))?;
    ensure!(
        minutes > 0,
        "libFuzzer takes no minutes for ever: give it one"
    );
    let wanted = args.word();
    args.finish()?;
    let folder = place::root().join("fuzz");
    let targets = targets(&folder, wanted.as_deref())?;
    // The dependencies are those of the workspace, in its versions.
    let lock = "Cargo.lock";
    std::fs::copy(place::root().join(lock), folder.join(lock)).context("cannot copy the lock")?;
    let mut broken = Vec::new();
    for target in targets {
        say::note(&format!("-- {target}, {minutes} minutes"));
        if !fuzz(&folder, &target, minutes)? {
            broken.push(target);
        }
    }
    ensure!(
        broken.is_empty(),
        "something was found in {}: mend it, and keep the input from fuzz/artifacts as a seed",
        broken.join(", ")
    );
    Ok(())
}

/// The named target, or all.
fn targets(folder: &Path, wanted: Option<&str>) -> Result<Vec<String>> {
    let entries = std::fs::read_dir(folder.join("fuzz_targets")).context("no fuzz targets")?;
    let mut targets = Vec::new();
    for entry in entries {
        let path = entry?.path();
        targets.extend(
            path.file_stem()
                .map(|name| name.to_string_lossy().into_owned()),
        );
    }
    targets.sort();
    match wanted {
        None => Ok(targets),
        Some(wanted) if targets.iter().any(|target| target == wanted) => {
            Ok(vec![wanted.to_owned()])
        }
        Some(wanted) => bail!("no target `{wanted}`: there are {}", targets.join(", ")),
    }
}

/// Fuzzes one target; true when nothing was found.
fn fuzz(folder: &Path, target: &str, minutes: u32) -> Result<bool> {
    let seeds = folder.join("corpus").join(target);
    let found = folder.join("found").join(target);
    std::fs::create_dir_all(&found).context("cannot make a folder for what is found")?;
    let seconds = format!("-max_total_time={}", minutes * 60);
    let run = Exec::new("rustup")
        .args([
            "run",
            "nightly",
            "cargo",
            "fuzz",
            "run",
            "--sanitizer",
            "none",
        ])
        .args(["--fuzz-dir", "fuzz", target])
        .args([&found, &seeds])
        .args(["--", &seconds, "-timeout=10", "-rss_limit_mb=2048"])
        .args(["-print_final_stats=1", "-verbosity=1"]);
    Ok(run.tee()?.success)
}
