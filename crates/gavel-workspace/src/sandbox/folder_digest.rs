//! What a folder holds, as one value.

use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use gavel_domain::Digest;

/// Folders with more are not compared.
const MOST_BYTES: u64 = 32 * 1024 * 1024;
const MOST_FILES: usize = 2_000;

/// A value for the names and contents of all files below a folder; `None` when there is too much of it,
/// or something in it cannot be read.
pub(super) fn digest_of(folder: &Path) -> Option<Digest> {
    let mut open: Vec<PathBuf> = vec![folder.to_owned()];
    let mut found: Vec<(PathBuf, Vec<u8>)> = Vec::new();
    let mut bytes = 0_u64;
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).ok()? {
            let path = entry.ok()?.path();
            let data = fs::symlink_metadata(&path).ok()?;
            let content = if data.is_dir() {
                open.push(path.clone());
                Vec::new()
            } else if data.is_file() {
                bytes = bytes.saturating_add(data.len());
                if bytes > MOST_BYTES {
                    return None;
                }
                fs::read(&path).ok()?
            } else if data.is_symlink() {
                let target = fs::read_link(&path).ok()?;
                target.as_os_str().as_bytes().to_vec()
            } else {
                return None;
            };
            found.push((path, content));
        }
        if found.len() > MOST_FILES {
            return None;
        }
    }
    found.sort();
    let fields = found
        .iter()
        .flat_map(|(path, content)| [path.as_os_str().as_bytes(), content.as_slice()]);
    Some(Digest::of_fields(fields))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_contents_and_links_count_and_times_do_not() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let now = || digest_of(folder.path()).unwrap();
        let empty = now();
        fs::write(at("a"), "one").unwrap();
        let one = now();
        assert_ne!(one, empty);
        fs::write(at("a"), "one").unwrap();
        assert_eq!(now(), one);
        fs::write(at("a"), "two").unwrap();
        assert_ne!(now(), one);
        fs::rename(at("a"), at("b")).unwrap();
        let renamed = now();
        std::os::unix::fs::symlink("b", at("c")).unwrap();
        assert_ne!(now(), renamed);
        fs::remove_file(at("c")).unwrap();
        assert_eq!(now(), renamed);
        fs::create_dir(at("d")).unwrap();
        assert_ne!(now(), renamed);
        assert_eq!(digest_of(&at("gone")), None);
    }
}
