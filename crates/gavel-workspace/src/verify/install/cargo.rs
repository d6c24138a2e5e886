//! Cargo: `cargo fetch` from a folder outside the tree, so that neither a `.cargo/config.toml` (credential
//! providers, wrappers, other registries) nor a `rust-toolchain.toml` of the tree is found.

use std::fs;
use std::io;
use std::path::Path;

use super::{Step, Tree};
use crate::ArgvError;

pub(super) fn steps(tree: &Tree, locked: bool) -> Result<Vec<Step>, ArgvError> {
    let config = [".cargo/config.toml", ".cargo/config"].map(|name| tree.text(name));
    if config.iter().flatten().any(|text| is_vendored(text)) {
        return Ok(Vec::new());
    }
    let manifest = tree.file("Cargo.toml");
    let mut words = vec!["cargo", "fetch", "--manifest-path", &manifest];
    if locked {
        words.push("--locked");
    }
    let mut step = Step::fetch(words)?.outside_the_tree();
    if let Some(channel) = channel(tree) {
        step = step.with("RUSTUP_TOOLCHAIN", channel);
    }
    Ok(vec![step])
}

/// True when the tree brings its dependencies along.
fn is_vendored(config: &str) -> bool {
    let table = config.parse::<toml::Table>().unwrap_or_default();
    let sources = table.get("source").and_then(toml::Value::as_table);
    let local = |source: &toml::Value| {
        source.get("directory").is_some() || source.get("local-registry").is_some()
    };
    sources.is_some_and(|sources| sources.values().any(local))
}

/// The toolchain that the tree names, if it does so by name; one by path is code of the tree.
fn channel(tree: &Tree) -> Option<String> {
    let text = match tree.text("rust-toolchain.toml") {
        Some(text) => text,
        None => tree.text("rust-toolchain")?,
    };
    let named = match text.parse::<toml::Table>() {
        Ok(table) => table.get("toolchain")?.get("channel")?.as_str()?.to_owned(),
        Err(_) => text.trim().to_owned(),
    };
    let plain = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
    let fits = !named.is_empty() && named.chars().all(plain) && !named.starts_with(['.', '-']);
    fits.then_some(named)
}

/// Puts the person's registries into cargo's home, which commands of the tree may write, and removes
/// what they may have put there.
pub(super) fn own_settings(home: &Path, registries: &str) -> io::Result<()> {
    match fs::symlink_metadata(home) {
        Ok(found) if found.is_dir() => {}
        // A link in its place would lead the lines below to another folder.
        Ok(_) => fs::remove_file(home)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    fs::create_dir_all(home)?;
    for name in ["config", "config.toml", "credentials", "credentials.toml"] {
        match fs::remove_file(home.join(name)) {
            Err(error) if error.kind() == io::ErrorKind::IsADirectory => {
                crate::remove_tree(&home.join(name))?;
            }
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Ok(()) | Err(_) => {}
        }
    }
    if registries.is_empty() {
        return Ok(());
    }
    fs::write(home.join("config.toml"), registries)
}
