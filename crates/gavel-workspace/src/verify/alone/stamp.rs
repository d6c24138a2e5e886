//! Whether what runs a test is what was there when the tests were listed: a test could put something else
//! into its place for those that run after it.
//!
//! The kernel sets a file's time of change at every write, and no program can set it.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

/// Files that are looked at in one folder of packages; in a larger one the rest is not.
const MAX_FILES: usize = 400_000;

/// A file, or a folder with everything in it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Stamp {
    /// How many files and folders there are.
    entries: usize,
    /// Sums of sizes and of inode numbers.
    bytes: u64,
    inodes: u64,
    /// When the last of them changed, in seconds and nanoseconds.
    changed: (i64, i64),
}

impl Stamp {
    /// A program.
    pub(super) fn of_file(path: &Path) -> Self {
        let mut stamp = Self::default();
        stamp.add(path);
        stamp
    }

    /// Installed packages. Folders in which tools keep notes are left out.
    pub(super) fn of_packages(folder: &Path) -> Self {
        let mut stamp = Self::default();
        let mut open = Vec::new();
        for (path, name) in entries(folder) {
            let notes = name.starts_with('.') && !matches!(name.as_str(), ".bin" | ".pnpm");
            if !notes {
                open.push(path);
            }
        }
        while let Some(path) = open.pop() {
            let is_folder = stamp.add(&path);
            if is_folder && stamp.entries < MAX_FILES {
                open.extend(entries(&path).map(|(path, _)| path));
            }
        }
        stamp
    }

    /// Takes an entry in, and says whether it is a folder.
    fn add(&mut self, path: &Path) -> bool {
        let Ok(data) = fs::symlink_metadata(path) else {
            return false;
        };
        self.entries += 1;
        if data.is_dir() {
            // Tools write beside packages; what is in them counts file by file.
            return true;
        }
        self.bytes = self.bytes.wrapping_add(data.size());
        self.inodes = self.inodes.wrapping_add(data.ino());
        self.changed = self.changed.max((data.ctime(), data.ctime_nsec()));
        false
    }
}

fn entries(folder: &Path) -> impl Iterator<Item = (std::path::PathBuf, String)> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    entries.filter_map(Result::ok).map(|entry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        (entry.path(), name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_was_written_again_is_another() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("program");
        fs::write(&file, "one").unwrap();
        let before = Stamp::of_file(&file);
        assert_eq!(Stamp::of_file(&file), before);
        fs::remove_file(&file).unwrap();
        assert_ne!(Stamp::of_file(&file), before);
        // Of another length: the kernel's clock may not have ticked in between.
        fs::write(&file, "two and more").unwrap();
        assert_ne!(Stamp::of_file(&file), before);
    }

    #[test]
    fn packages_are_all_that_is_in_their_folder_but_notes() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("jest/bin/jest.js", "one");
        write(".bin/jest", "one");
        let before = Stamp::of_packages(folder.path());
        assert_eq!(before.entries, 5);
        write(".cache/notes", "one");
        assert_eq!(Stamp::of_packages(folder.path()), before);
        for name in ["jest/bin/jest.js", ".bin/jest", "jest/new.js"] {
            let before = Stamp::of_packages(folder.path());
            write(name, "longer");
            assert_ne!(Stamp::of_packages(folder.path()), before, "{name}");
        }
    }
}
