//! The environment: read here and nowhere else in the program.
#![expect(
    clippy::disallowed_methods,
    reason = "this is the one place that reads the environment"
)]

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use secrecy::SecretString;

/// A variable that is set and not empty.
pub(crate) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// A secret, wrapped before anybody can print it.
pub(crate) fn secret(name: &str) -> Option<SecretString> {
    variable(name).map(SecretString::from)
}

/// A folder of the XDG base directory rules: the variable if it is absolute, else below the home.
pub(crate) fn folder(variable_name: &str, below_home: &str) -> Option<PathBuf> {
    let set = std::env::var_os(variable_name)
        .map(PathBuf::from)
        .filter(|path| path.is_absolute());
    set.or_else(|| home().map(|home| home.join(below_home)))
}

/// The user's home.
pub(crate) fn home() -> Option<PathBuf> {
    std::env::home_dir().filter(|home| home.is_absolute())
}

/// Finds a program in `PATH`; relative entries are skipped, since they name what lies around.
pub(crate) fn program(name: &str) -> Option<PathBuf> {
    let path: OsString = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
}

/// This very program, so that it can be started again as a sandbox.
///
/// On Linux the kernel's own link: it leads to the program that runs even when another version was
/// installed over it in the middle of a run.
pub(crate) fn own_program() -> std::io::Result<PathBuf> {
    let link = Path::new("/proc/self/exe");
    if link.exists() {
        return Ok(link.to_owned());
    }
    std::env::current_exe()
}

/// Where this program lies by the name that it was called by, links not followed.
pub(crate) fn called_program() -> std::io::Result<PathBuf> {
    let name = std::env::args_os().next().map(PathBuf::from);
    let called = name.and_then(|name| match name.components().count() {
        1 => program(name.to_str()?),
        _ => std::path::absolute(name).ok(),
    });
    match called.filter(|file| file.is_file()) {
        Some(called) => Ok(called),
        None => std::env::current_exe(),
    }
}

/// This machine's name, for messages.
pub(crate) fn host() -> String {
    std::fs::read_to_string(Path::new("/proc/sys/kernel/hostname"))
        .map(|name| name.trim().to_owned())
        .ok()
        .filter(|name| !name.is_empty())
        .unwrap_or_else(|| "this machine".to_owned())
}

/// True when that terminal can move its cursor and take lines away.
pub(crate) fn redraws(is_terminal: bool) -> bool {
    is_terminal && variable("TERM").is_none_or(|term| term != "dumb")
}

/// True when colours may be used on that stream.
pub(crate) fn colours(is_terminal: bool) -> bool {
    if variable("NO_COLOR").is_some() {
        return false;
    }
    if variable("CLICOLOR_FORCE").is_some_and(|value| value != "0") {
        return true;
    }
    redraws(is_terminal)
}
