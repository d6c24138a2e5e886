//! `cargo xtask test --on MACHINE`: the attacks and the sandbox's own tests as on another machine. The
//! tests are built as always; what runs them cannot do what it could.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail, ensure};

use super::omitted::{self, Omitted};
use super::parts::{self, Part};
use crate::exec::Exec;
use crate::{place, say, setup};

/// Another machine than this one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Machine {
    /// The kernel gives out no namespaces: the walls are Landlock and seccomp.
    WithoutNamespaces,
    /// Whoever runs the tests has no powers.
    Unprivileged,
}

/// The user with no powers and no files.
const NOBODY: &str = "65534";
/// Which tests.
const FILTER: &str = "test(/attacks/) or (package(gavel-workspace) and test(/sandbox/))";
/// What is about the network that install steps have of their own.
const OF_NAMESPACES: &str = "test(/attacks::install/) or test(/attacks::permissions/) or \
    test(/attacks::managers/)";
/// Says to tests that a person agreed to an open network beforehand.
const OPEN_NETWORK: &str = "GAVEL_TEST_OPEN_NETWORK";
const PACKAGES: [&str; 4] = ["-p", "gavel-cli", "-p", "gavel-workspace"];

impl Machine {
    /// Reads the value of `--on`.
    pub(super) fn parse(word: &str) -> Result<Self> {
        match word {
            "without-namespaces" => Ok(Self::WithoutNamespaces),
            "unprivileged" => Ok(Self::Unprivileged),
            other => bail!(
                "there is no machine `{other}` to test on (known: without-namespaces, unprivileged)"
            ),
        }
    }

    fn filter(self) -> String {
        match self {
            Self::WithoutNamespaces => format!("({FILTER}) - ({OF_NAMESPACES})"),
            Self::Unprivileged => FILTER.to_owned(),
        }
    }

    /// The words before the command that runs the tests.
    fn before(self, scratch: &Path) -> Result<Vec<String>> {
        match self {
            Self::WithoutNamespaces => Ok(vec![shim(scratch)?.display().to_string()]),
            Self::Unprivileged if is_root()? => unprivileged(scratch),
            Self::Unprivileged => Ok(Vec::new()),
        }
    }
}

/// Builds the tests, and runs them there.
pub(super) fn run(machine: Machine, with: &[Part]) -> Result<()> {
    ensure!(setup::has_nextest(), "that needs cargo-nextest");
    let scratch = place::scratch("elsewhere")?;
    let (metadata, binaries) = (scratch.join("cargo.json"), scratch.join("binaries.json"));
    let list = ["nextest", "list", "--list-type", "binaries-only"];
    let list = Exec::cargo().args(list).args(["--message-format", "json"]);
    let listed = list.args(PACKAGES).output()?;
    fs::write(&binaries, listed)?;
    let known = Exec::cargo().args(["metadata", "--format-version", "1"]);
    fs::write(&metadata, known.output()?)?;
    let left_out = Omitted::begin(&scratch)?;
    // Whoever runs the tests writes here.
    let target = place::root().join("target");
    for (path, mode) in [(&target.join("tmp"), 0o1777), (&left_out, 0o666)] {
        fs::set_permissions(path, fs::Permissions::from_mode(mode))
            .with_context(|| path.display().to_string())?;
    }
    let mut words = machine.before(&scratch)?;
    words.extend(["cargo-nextest", "nextest", "run"].map(str::to_owned));
    let (program, words) = words.split_first().context("no command")?;
    let tests = Exec::new(program)
        .args(words)
        .args([Path::new("--cargo-metadata"), &metadata])
        .args([Path::new("--binaries-metadata"), &binaries])
        .args(["--no-fail-fast", "-E", &machine.filter()])
        .env(parts::VARIABLE, parts::join(with))
        .env(omitted::VARIABLE, &left_out);
    let tests = match machine {
        Machine::WithoutNamespaces => tests.env(OPEN_NETWORK, "1"),
        Machine::Unprivileged => tests,
    };
    let finished = tests.tee()?;
    for line in Omitted::read(&left_out)?.lines() {
        say::line(&line);
    }
    ensure!(finished.success, "some tests failed");
    Ok(())
}

fn is_root() -> Result<bool> {
    Ok(fs::metadata("/proc/self").context("/proc")?.uid() == 0)
}

/// A program before which the kernel gives out no namespaces.
fn shim(scratch: &Path) -> Result<PathBuf> {
    let source = place::root().join("tests/attacks/shims/no_namespaces.c");
    let shim = scratch.join("no_namespaces");
    let compiler = Exec::new("cc").args(["-O1", "-Wall", "-o"]);
    compiler.args([&shim, &source]).run()?;
    Ok(shim)
}

/// Nobody may look into the home of root, where toolchains lie: they are shown at another place, to this
/// command alone.
fn unprivileged(scratch: &Path) -> Result<Vec<String>> {
    let home = scratch.join("home");
    fs::create_dir_all(&home)?;
    let mut script = String::from("set -e; mount -t tmpfs -o mode=755 none /mnt; ");
    for (name, folder) in [("cargo", "CARGO_HOME"), ("rustup", "RUSTUP_HOME")] {
        script.push_str(&format!(
            "mkdir /mnt/{name}; mount --bind \"${{{folder}:-$HOME/.{name}}}\" /mnt/{name}; "
        ));
    }
    script.push_str(&format!(
        "chown {NOBODY}:{NOBODY} {home}; export HOME={home} CARGO_HOME=/mnt/cargo RUSTUP_HOME=/mnt/rustup \
         PATH=/mnt/cargo/bin:/usr/local/bin:/usr/bin:/bin TMPDIR=/tmp; \
         exec setpriv --reuid={NOBODY} --regid={NOBODY} --clear-groups \"$@\"",
        home = home.display()
    ));
    let words = ["unshare", "--mount", "sh", "-c", &script, "sh"];
    Ok(words.map(str::to_owned).to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_machines_are_taken_and_others_refused() {
        let parsed = |word| Machine::parse(word).ok();
        assert_eq!(parsed("unprivileged"), Some(Machine::Unprivileged));
        assert_eq!(
            parsed("without-namespaces"),
            Some(Machine::WithoutNamespaces)
        );
        assert_eq!(parsed("windows"), None);
    }
}
