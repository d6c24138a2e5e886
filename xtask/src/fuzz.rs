//! `cargo xtask fuzz MINUTES [TARGET]`: the fuzz targets one after the other, so many minutes each.
//!
//! What makes a build one for libFuzzer are flags of the compiler that stable has, too, so that neither a
//! nightly toolchain nor cargo-fuzz is needed; a C++ compiler is, for libFuzzer itself. No sanitizer: the
//! crates that are fuzzed forbid unsafe code, and without it they run much faster.

use std::path::{Path, PathBuf};

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

/// Counts which edges are taken, and what is compared with what.
const COVERAGE: &str = "--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1 -Cdebug-assertions";

/// Builds one target, for a named platform: then build scripts and macros are left as they are.
fn build(folder: &Path, target: &str) -> Result<PathBuf> {
    let told = Exec::new("rustc").args(["-vV"]).output()?;
    let platform = told
        .lines()
        .find_map(|line| line.strip_prefix("host: "))
        .context("rustc does not say for which platform it builds")?;
    let made = place::root().join("target/fuzz");
    Exec::cargo()
        .args(["build", "--release", "--quiet", "--target", platform])
        .args(["--bin", target])
        .args([Path::new("--manifest-path"), &folder.join("Cargo.toml")])
        .args([Path::new("--target-dir"), &made])
        .env("RUSTFLAGS", COVERAGE)
        .run()?;
    Ok(made.join(platform).join("release").join(target))
}

/// Fuzzes one target; true when nothing was found.
fn fuzz(folder: &Path, target: &str, minutes: u32) -> Result<bool> {
    let program = build(folder, target)?;
    let seeds = folder.join("corpus").join(target);
    let (found, broken) = (
        folder.join("found").join(target),
        folder.join("artifacts").join(target),
    );
    for place in [&found, &broken] {
        std::fs::create_dir_all(place).context("cannot make a folder for what is found")?;
    }
    let seconds = format!("-max_total_time={}", minutes * 60);
    let kept = format!("-artifact_prefix={}/", broken.display());
    let run = Exec::new(program)
        .args([&found, &seeds])
        .args([&seconds, &kept])
        .args(["-timeout=10", "-rss_limit_mb=2048"])
        .args(["-print_final_stats=1", "-verbosity=1"]);
    Ok(run.tee()?.success)
}
