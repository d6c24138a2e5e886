//! Programs of a verification by the path that was resolved outside the tree: what a tree says about
//! its toolchain is honoured where it names one that is installed, and never followed into itself.

use std::fs;
use std::path::{Path, PathBuf};

use toml::Table;

use crate::{Argv, CommandError, Policy};

/// What a tree's `rust-toolchain` or `rust-toolchain.toml` asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ToolchainFile {
    /// A release channel, a version or a dated channel.
    Channel(String),
    /// Another name: a toolchain that somebody linked.
    Custom(String),
    /// A folder; never followed.
    Path(String),
    /// Nothing that can be read.
    Unreadable,
}

impl ToolchainFile {
    /// Reads the file; the old form is a bare name.
    pub(super) fn read(text: &str) -> Self {
        let bare = text.trim();
        let table = match text.parse::<Table>() {
            Ok(table) if !table.is_empty() => table,
            Ok(_) | Err(_) if is_name(bare) => return Self::of_name(bare),
            Ok(_) | Err(_) => return Self::Unreadable,
        };
        let said = |key: &str| {
            let table = table.get("toolchain")?.get(key)?;
            Some(table.as_str().unwrap_or_default().to_owned())
        };
        match (said("path"), said("channel")) {
            (Some(path), _) => Self::Path(path),
            (None, Some(name)) if is_name(&name) => Self::of_name(&name),
            (None, Some(_) | None) => Self::Unreadable,
        }
    }

    fn of_name(name: &str) -> Self {
        let first = name.split('-').next().unwrap_or_default();
        let is_version = first.split('.').count() >= 2
            && first
                .split('.')
                .all(|part| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit()));
        if ["stable", "beta", "nightly"].contains(&first) || is_version {
            Self::Channel(name.to_owned())
        } else {
            Self::Custom(name.to_owned())
        }
    }
}

/// True for a name that is one folder below rustup's toolchains.
fn is_name(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    !text.is_empty() && !text.starts_with('.') && text.chars().all(plain)
}

/// A command with its program, and its policy with toolchains, as they were found outside the tree.
pub fn resolved_command(argv: &Argv, mut policy: Policy) -> Result<(Argv, Policy), CommandError> {
    // Whatever `go.mod` names, no other toolchain is fetched or switched to.
    let local = ("GOTOOLCHAIN".to_owned(), "local".to_owned());
    policy.env.extend([local]);
    let toolchain = rust_toolchain(&policy).map_err(|name| CommandError::NotStarted {
        program: argv.program().to_owned(),
        detail: format!(
            "the project asks for the Rust toolchain `{name}`, which is not installed here; \
             install it with `rustup toolchain install {name}`"
        ),
    });
    if let Some((name, folder)) = toolchain? {
        policy.env.insert("RUSTUP_TOOLCHAIN".to_owned(), name);
        let programs = folder.join("bin").display().to_string();
        let path = policy.env.entry("PATH".to_owned()).or_default();
        *path = format!("{programs}:{path}");
    }
    let argv = with_program(argv, &policy).unwrap_or_else(|| argv.clone());
    Ok((argv, policy))
}

/// The toolchain that rustup is told to use, with its folder; none where rustup is not used. The
/// error is the name of one that is not there.
fn rust_toolchain(policy: &Policy) -> Result<Option<(String, PathBuf)>, String> {
    let Some(home) = policy.env.get("RUSTUP_HOME").map(Path::new) else {
        return Ok(None);
    };
    let toolchains = home.join("toolchains");
    let settings = fs::read_to_string(home.join("settings.toml")).unwrap_or_default();
    let settings: Table = settings.parse().unwrap_or_default();
    let default = settings.get("default_toolchain");
    let default = default.and_then(toml::Value::as_str);
    let asked = ["rust-toolchain", "rust-toolchain.toml"]
        .into_iter()
        .find_map(|name| own_text(&policy.cwd.join(name)))
        .map(|text| ToolchainFile::read(&text));
    match asked {
        Some(ToolchainFile::Channel(name) | ToolchainFile::Custom(name)) => {
            let found = installed(&toolchains, &name, default, policy);
            found.map(Some).ok_or(name)
        }
        Some(ToolchainFile::Path(_) | ToolchainFile::Unreadable) | None => {
            Ok(default.and_then(|name| installed(&toolchains, name, Some(name), policy)))
        }
    }
}

/// The text of a plain file; what a symlink leads to is not read.
fn own_text(path: &Path) -> Option<String> {
    let data = fs::symlink_metadata(path).ok()?;
    let is_file = data.is_file() && data.len() <= 64 * 1024;
    is_file.then(|| fs::read_to_string(path).ok())?
}

/// An installed toolchain of that name, with or without the host's name behind it.
fn installed(
    toolchains: &Path,
    name: &str,
    default: Option<&str>,
    policy: &Policy,
) -> Option<(String, PathBuf)> {
    let host = default.and_then(|full| {
        let (_, host) = full.split_once('-')?;
        Some(format!("{name}-{host}"))
    });
    let names = [Some(name.to_owned()), host];
    names.into_iter().flatten().find_map(|name| {
        let folder = toolchains.join(&name).canonicalize().ok()?;
        let outside = !policy.read_write.iter().any(|own| folder.starts_with(own));
        let is_one = outside && folder.join("bin/cargo").is_file();
        is_one.then_some((name, folder))
    })
}

/// The command with the absolute path of its program, when that lies outside what commands can write.
fn with_program(argv: &Argv, policy: &Policy) -> Option<Argv> {
    let program = argv.program();
    if program.contains('/') {
        return None;
    }
    let path = policy.env.get("PATH")?;
    let outside = |file: &PathBuf| !policy.read_write.iter().any(|own| file.starts_with(own));
    let file = path
        .split(':')
        .map(|folder| Path::new(folder).join(program))
        .find(|file| outside(file) && file.is_file())?;
    let first = file.to_str()?.to_owned();
    let rest = argv.words().iter().skip(1).cloned();
    Argv::new(std::iter::once(first).chain(rest)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_toolchain_is_a_channel_a_name_or_a_path() {
        let channel = |name: &str| ToolchainFile::Channel(name.to_owned());
        let custom = |name: &str| ToolchainFile::Custom(name.to_owned());
        let path = |path: &str| ToolchainFile::Path(path.to_owned());
        for (text, wanted) in [
            ("stable\n", channel("stable")),
            ("[toolchain]\nchannel = \"1.85\"\n", channel("1.85")),
            ("nightly-2025-01-01", channel("nightly-2025-01-01")),
            ("[toolchain]\nchannel = \"esp\"\n", custom("esp")),
            ("mine", custom("mine")),
            (
                "[toolchain]\npath = \"/proc/self/cwd/tc\"\n",
                path("/proc/self/cwd/tc"),
            ),
            (
                "[toolchain]\npath = \"tc\"\nchannel = \"stable\"\n",
                path("tc"),
            ),
            ("[toolchain]\npath = 1\n", path("")),
            ("../tc", ToolchainFile::Unreadable),
            (
                "[toolchain]\nchannel = \"../../tc\"\n",
                ToolchainFile::Unreadable,
            ),
            ("[toolchain]\n", ToolchainFile::Unreadable),
            ("", ToolchainFile::Unreadable),
        ] {
            assert_eq!(ToolchainFile::read(text), wanted, "{text}");
        }
    }
}
