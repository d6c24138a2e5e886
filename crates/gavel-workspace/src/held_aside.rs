//! Files of a tree that are out of it while a command runs: whatever walls stand around the command,
//! what is not there cannot be read.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use crate::RepoPath;

/// Files that were taken out of a tree; they go back when this is dropped.
#[derive(Debug)]
pub struct HeldAside {
    root: PathBuf,
    vault: PathBuf,
    held: Vec<RepoPath>,
}

impl HeldAside {
    /// Takes these files out of the tree into the vault, a folder of its own on the same disk that
    /// commands cannot reach. What is not there, or lies behind a symlink, is passed over.
    ///
    /// What a killed process left in the vault is removed: the tree is restored from its record.
    pub fn take(root: &Path, vault: &Path, files: &[RepoPath]) -> io::Result<Self> {
        remove(vault)?;
        let mut aside = Self {
            root: root.to_owned(),
            vault: vault.to_owned(),
            held: Vec::new(),
        };
        for file in files {
            let place = root.join(file.as_str());
            if !has_real_folder(root, file) || place.symlink_metadata().is_err() {
                continue;
            }
            fs::create_dir_all(vault)?;
            fs::rename(&place, aside.kept_as(aside.held.len()))?;
            aside.held.push(file.clone());
        }
        Ok(aside)
    }

    fn kept_as(&self, number: usize) -> PathBuf {
        self.vault.join(number.to_string())
    }

    /// Puts everything back, in place of what a command may have put there meanwhile: nobody who
    /// cannot see a file can mean to replace it.
    pub fn put_back(mut self) -> io::Result<()> {
        self.return_all()
    }

    /// Tries every file; the vault stays when one of them could not go back.
    fn return_all(&mut self) -> io::Result<()> {
        let mut failed = None;
        for (number, file) in std::mem::take(&mut self.held).iter().enumerate() {
            if let Err(error) = self.return_one(number, file) {
                failed = Some(error);
            }
        }
        match failed {
            Some(error) => Err(error),
            None => remove(&self.vault),
        }
    }

    fn return_one(&self, number: usize, file: &RepoPath) -> io::Result<()> {
        let place = self.root.join(file.as_str());
        make_folder(&self.root, file)?;
        clear(&place)?;
        fs::rename(self.kept_as(number), place)
    }
}

impl Drop for HeldAside {
    fn drop(&mut self) {
        if let Err(error) = self.return_all() {
            // Only where a drive was cut: the next one restores the tree from its record.
            tracing::warn!(%error, folder = %self.root.display(), "files were not put back");
        }
    }
}

fn remove(folder: &Path) -> io::Result<()> {
    match crate::remove_tree(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        done => done,
    }
}

/// The folders between the root and the file, from the top.
fn folders<'a>(root: &'a Path, file: &'a RepoPath) -> impl Iterator<Item = PathBuf> + 'a {
    let count = file.segments().count().saturating_sub(1);
    let parts: Vec<&str> = file.segments().take(count).collect();
    (1..=count).map(move |end| root.join(parts.get(..end).unwrap_or_default().join("/")))
}

/// True when no folder above the file is a symlink or missing.
fn has_real_folder(root: &Path, file: &RepoPath) -> bool {
    folders(root, file).all(|folder| folder.symlink_metadata().is_ok_and(|data| data.is_dir()))
}

/// Makes the folders above a file that are missing, in place of whatever else stands there, and lets
/// files be put into them.
fn make_folder(root: &Path, file: &RepoPath) -> io::Result<()> {
    for folder in folders(root, file) {
        let there = folder.symlink_metadata();
        if !there.as_ref().is_ok_and(fs::Metadata::is_dir) {
            clear(&folder)?;
            fs::create_dir(&folder)?;
        } else if let Ok(data) = there
            && data.permissions().mode() & 0o700 != 0o700
        {
            let mode = data.permissions().mode() | 0o700;
            fs::set_permissions(&folder, fs::Permissions::from_mode(mode))?;
        }
    }
    Ok(())
}

/// Removes whatever stands at a path; a symlink, and not what is behind it.
fn clear(path: &Path) -> io::Result<()> {
    match path.symlink_metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
        Ok(data) if data.is_dir() => crate::remove_tree(path),
        Ok(_) => fs::remove_file(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> RepoPath {
        RepoPath::new(text).unwrap()
    }

    #[test]
    fn files_are_gone_for_a_while_and_come_back() {
        let folder = tempfile::tempdir().unwrap();
        let (root, vault) = (folder.path().join("tree"), folder.path().join("vault"));
        fs::create_dir_all(root.join("conf")).unwrap();
        fs::write(root.join(".env"), "a").unwrap();
        fs::write(root.join("conf/.env"), "b").unwrap();
        let files = [path(".env"), path("conf/.env"), path("none/.env")];
        let aside = HeldAside::take(&root, &vault, &files).unwrap();
        assert!(!root.join(".env").exists() && !root.join("conf/.env").exists());
        // A folder that was moved meanwhile leaves its credentials behind.
        fs::rename(root.join("conf"), root.join("other")).unwrap();
        drop(aside);
        assert_eq!(fs::read_to_string(root.join(".env")).unwrap(), "a");
        assert_eq!(fs::read_to_string(root.join("conf/.env")).unwrap(), "b");
        assert!(!root.join("other/.env").exists() && !vault.exists());
    }

    #[test]
    fn nothing_is_moved_through_a_symlink() {
        let folder = tempfile::tempdir().unwrap();
        let (root, vault) = (folder.path().join("tree"), folder.path().join("vault"));
        let outside = folder.path().join("outside");
        fs::create_dir_all(&outside).unwrap();
        fs::create_dir_all(root.join("conf")).unwrap();
        fs::write(outside.join(".env"), "theirs").unwrap();
        fs::write(root.join("conf/.env"), "ours").unwrap();
        let files = [path("conf/.env")];
        let aside = HeldAside::take(&root, &vault, &files).unwrap();
        fs::remove_dir(root.join("conf")).unwrap();
        std::os::unix::fs::symlink(&outside, root.join("conf")).unwrap();
        drop(aside);
        let there = || fs::read_to_string(outside.join(".env")).unwrap();
        assert_eq!(there(), "theirs");
        assert_eq!(fs::read_to_string(root.join("conf/.env")).unwrap(), "ours");
        drop(HeldAside::take(&root, &vault, &files).unwrap());
        assert_eq!(there(), "theirs");
    }

    #[test]
    fn what_a_command_puts_in_their_place_goes() {
        let folder = tempfile::tempdir().unwrap();
        let (root, vault) = (folder.path().join("tree"), folder.path().join("vault"));
        fs::create_dir_all(root.join("a")).unwrap();
        fs::create_dir_all(root.join("b")).unwrap();
        for file in [".env", "a/.env", "b/.env"] {
            fs::write(root.join(file), "theirs").unwrap();
        }
        let files = [path(".env"), path("a/.env"), path("b/.env")];
        let aside = HeldAside::take(&root, &vault, &files).unwrap();
        fs::write(root.join(".env"), "made up").unwrap();
        fs::create_dir(root.join("b/.env")).unwrap();
        fs::set_permissions(root.join("a"), fs::Permissions::from_mode(0o555)).unwrap();
        aside.put_back().unwrap();
        for file in [".env", "a/.env", "b/.env"] {
            assert_eq!(
                fs::read_to_string(root.join(file)).unwrap(),
                "theirs",
                "{file}"
            );
        }
        assert!(!vault.exists());
    }
}
