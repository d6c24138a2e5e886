//! `cargo xtask bench start`: what it costs to start `gavel`, against `true` on the same machine.

use std::ffi::OsStr;
use std::fs;
use std::io::{Read, Write, pipe};
use std::path::{Path, PathBuf};
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

/// Something to start.
struct Subject {
    name: &'static str,
    program: PathBuf,
    words: &'static [&'static str],
}

/// Runs the verb.
pub(super) fn run(mut args: Args) -> Result<()> {
    let runs = args.parsed("--runs")?.unwrap_or(RUNS);
    args.finish()?;
    say::line(&super::load());
    let build = ["build", "--release", "--locked", "--quiet"];
    let build = Exec::cargo().args(build).args(["--package", "gavel-cli"]);
    build.run()?;
    let state = place::scratch("bench-state")?;
    let subjects = subjects();
    let walls = in_turns(&subjects, &state, runs)?;
    let mut rows = vec![
        ["", "median", "p95", "over true", "memory"]
            .map(str::to_owned)
            .to_vec(),
    ];
    let base = walls.first().map_or(f64::NAN, Samples::median);
    for (subject, wall) in subjects.iter().zip(&walls) {
        rows.push(row(subject, wall, base, &state)?);
    }
    say::line(&table::layout(&rows));
    Ok(())
}

fn subjects() -> [Subject; 3] {
    let gavel = place::root().join("target/release/gavel");
    [
        Subject {
            name: "true",
            program: PathBuf::from("true"),
            words: &[],
        },
        Subject {
            name: "gavel --version",
            program: gavel.clone(),
            words: &["--version"],
        },
        Subject {
            name: "gavel status",
            program: gavel,
            words: &["status"],
        },
    ]
}

impl Subject {
    /// With a state folder of our own, so that the figures do not depend on whose machine this is.
    fn command(&self, state: &Path) -> Exec {
        let exec = Exec::new(&self.program).args(self.words.iter().map(OsStr::new));
        exec.env("XDG_STATE_HOME", state)
    }

    fn wall(&self, state: &Path) -> Result<f64> {
        let begun = Instant::now();
        self.command(state).output()?;
        Ok(begun.elapsed().as_secs_f64() * 1000.0)
    }
}

/// Wall times in milliseconds, one of each in turn, so that all see the same machine. The first
/// round only warms the caches.
fn in_turns(subjects: &[Subject], state: &Path, runs: usize) -> Result<Vec<Samples>> {
    let mut walls = vec![Vec::new(); subjects.len()];
    for round in 0..=runs {
        for (subject, walls) in subjects.iter().zip(&mut walls) {
            let wall = subject.wall(state)?;
            if round > 0 {
                walls.push(wall);
            }
        }
    }
    Ok(walls.into_iter().map(Samples::of).collect())
}

fn row(subject: &Subject, wall: &Samples, base: f64, state: &Path) -> Result<Vec<String>> {
    let memory = if subject.words.is_empty() {
        "not measured".to_owned()
    } else {
        let peaks = (0..MEMORY_RUNS).map(|_| peak(subject.command(state).into_command()));
        let peaks = Samples::of(peaks.collect::<Result<_>>()?);
        format!("{:.1} MB", peaks.median())
    };
    Ok(vec![
        subject.name.to_owned(),
        format!("{:.2} ms", wall.median()),
        format!("{:.2} ms", wall.percentile(95)),
        format!("{:.2} ms", wall.median() - base),
        memory,
    ])
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
