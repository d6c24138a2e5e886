//! `cargo xtask bench start`: what it costs to start `gavel`, against `true` on the same machine.

use std::ffi::OsStr;
use std::fs;
use std::io::{Read, Write, pipe};
use std::path::Path;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::figures::Samples;
use crate::args::Args;
use crate::exec::Exec;
use crate::{place, say, table};

const RUNS: usize = 50;
const MEMORY_RUNS: usize = 5;
const PIPE_BYTES: usize = 65_536;

/// Runs the verb.
pub(super) fn run(mut args: Args) -> Result<()> {
    let runs = args.parsed("--runs")?.unwrap_or(RUNS);
    args.finish()?;
    say::line(&super::load());
    let build = [
        "build",
        "--release",
        "--locked",
        "--quiet",
        "--package",
        "gavel-cli",
    ];
    Exec::cargo().args(build).run()?;
    let gavel = place::root().join("target/release/gavel");
    let state = place::scratch("bench-state")?;
    let mut rows = vec![
        ["", "median", "p95", "over true", "memory"]
            .map(str::to_owned)
            .to_vec(),
    ];
    let base = wall(runs, || command(Path::new("true"), &[], &state))?;
    rows.push(row("true", &base, &base, None));
    for (name, words) in [
        ("gavel --version", ["--version"]),
        ("gavel status", ["status"]),
    ] {
        let taken = wall(runs, || command(&gavel, &words, &state))?;
        let memory = Samples::of(repeat(MEMORY_RUNS, || {
            peak(command(&gavel, &words, &state).into_command())
        })?);
        rows.push(row(name, &taken, &base, Some(memory.median())));
    }
    say::line(&table::layout(&rows));
    Ok(())
}

/// A fresh state folder, so that the figures do not depend on whose machine this is.
fn command(program: &Path, words: &[&str], state: &Path) -> Exec {
    let exec = Exec::new(program).args(words.iter().map(OsStr::new));
    exec.env("XDG_STATE_HOME", state)
}

fn row(name: &str, taken: &Samples, base: &Samples, memory: Option<f64>) -> Vec<String> {
    let over = taken.median() - base.median();
    vec![
        name.to_owned(),
        format!("{:.2} ms", taken.median()),
        format!("{:.2} ms", taken.percentile(95)),
        format!("{over:.2} ms"),
        memory.map_or_else(|| "not measured".to_owned(), |mb| format!("{mb:.1} MB")),
    ]
}

fn repeat(runs: usize, sample: impl Fn() -> Result<f64>) -> Result<Vec<f64>> {
    (0..runs).map(|_| sample()).collect()
}

fn wall(runs: usize, exec: impl Fn() -> Exec) -> Result<Samples> {
    let once = || {
        let begun = Instant::now();
        exec().output()?;
        Ok(begun.elapsed().as_secs_f64() * 1000.0)
    };
    once()?;
    repeat(runs, once).map(Samples::of)
}

/// The peak resident memory in MB. The child gets a full pipe as its output, so it stops at its
/// first word, when its work is done, and can be looked at: the standard library has no `wait4`.
fn peak(mut command: std::process::Command) -> Result<f64> {
    let (mut reader, mut writer) = pipe()?;
    writer.write_all(&vec![b' '; PIPE_BYTES])?;
    command.stdout(writer).stderr(Stdio::null());
    let mut child = command.spawn()?;
    // The command holds the other writing end; without dropping it the pipe never ends.
    drop(command);
    let kilobytes = settled(child.id());
    let mut said = Vec::new();
    reader.read_to_end(&mut said)?;
    if !child.wait()?.success() {
        bail!("the measured command did not succeed");
    }
    Ok(kilobytes? / 1024.0)
}

/// The high-water mark once it and the used processor time have stood still for half a second.
fn settled(pid: u32) -> Result<f64> {
    let mut last = (String::new(), String::new());
    let mut still = 0;
    while still < 25 {
        thread::sleep(Duration::from_millis(20));
        let status = fs::read_to_string(format!("/proc/{pid}/status"))?;
        let mark = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let mark = mark.context("the command ended before it could be looked at")?;
        let stat = fs::read_to_string(format!("/proc/{pid}/stat"))?;
        let times: Vec<&str> = stat.split_whitespace().skip(13).take(2).collect();
        let now = (mark.trim().to_owned(), times.join(" "));
        still = if now == last { still + 1 } else { 0 };
        last = now;
    }
    let number = last.0.trim_end_matches("kB").trim();
    number
        .parse()
        .with_context(|| format!("`{number}` is no size"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_memory_of_a_waiting_program_is_seen() {
        let command = Exec::new("git").args(["--version"]).into_command();
        let megabytes = peak(command).unwrap();
        assert!((0.5..200.0).contains(&megabytes), "{megabytes}");
    }

    #[test]
    fn a_silent_program_is_not_given_a_number() {
        assert!(peak(Exec::new("true").into_command()).is_err());
    }
}
