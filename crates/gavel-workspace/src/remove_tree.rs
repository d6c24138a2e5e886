//! Removes a folder with everything in it, however deep it is.
//!
//! What commands leave behind may be nested a hundred thousand times, which neither the stack nor the
//! descriptors of a process that calls itself for every level would survive. Folders below a certain
//! depth are moved up first. No link is followed, and no path is looked up twice.

use std::ffi::CStr;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;

use rustix::fs::{AtFlags, CWD, Dir, Mode, OFlags, openat, renameat, unlinkat};
use rustix::io::Errno;

/// Folders that lie deeper are moved up before they are looked into.
const DEEPEST: usize = 64;

/// Removes a folder with everything in it; of a link, the link. What vanishes meanwhile is no error.
pub fn remove_tree(folder: &Path) -> io::Result<()> {
    if !folder.symlink_metadata()?.is_dir() {
        return std::fs::remove_file(folder);
    }
    let open = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let top = openat(CWD, folder, open, Mode::empty())?;
    let mut moved = 0;
    loop {
        let before = moved;
        clear(top.as_fd(), 0, top.as_fd(), &mut moved)?;
        match std::fs::remove_dir(folder) {
            Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty && moved > before => {}
            removed => return removed,
        }
    }
}

/// Empties a folder; what lies too deep hangs below the top afterwards.
fn clear(
    folder: BorrowedFd<'_>,
    depth: usize,
    top: BorrowedFd<'_>,
    moved: &mut u64,
) -> io::Result<()> {
    for entry in Dir::read_from(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        if name == c"." || name == c".." || is_gone(folder, name)? {
            continue;
        }
        if depth == DEEPEST {
            *moved += 1;
            renameat(folder, name, top, format!(".removing-{moved}"))?;
            continue;
        }
        let open = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let below = openat(folder, name, open, Mode::empty())?;
        clear(below.as_fd(), depth + 1, top, moved)?;
        unlinkat(folder, name, AtFlags::REMOVEDIR)?;
    }
    Ok(())
}

/// Removes a file or an empty folder; false for a folder with something in it.
fn is_gone(folder: BorrowedFd<'_>, name: &CStr) -> io::Result<bool> {
    match unlinkat(folder, name, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => return Ok(true),
        // A folder, as Linux and as others say it.
        Err(Errno::ISDIR | Errno::PERM) => {}
        Err(error) => return Err(error.into()),
    }
    match unlinkat(folder, name, AtFlags::REMOVEDIR) {
        Ok(()) | Err(Errno::NOENT) => Ok(true),
        Err(Errno::NOTEMPTY | Errno::EXIST) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    /// Chains of folders, each hung below the last one, as only a move can make them.
    fn nest(top: &Path, levels: usize) {
        const CHAIN: usize = 500;
        let place = top.join("n");
        for link in 0..levels / CHAIN {
            let chain = top.join(format!("chain-{link}"));
            let mut bottom = chain.clone();
            fs::create_dir(&chain).unwrap();
            for _ in 1..CHAIN {
                bottom.push("d");
                fs::create_dir(&bottom).unwrap();
            }
            fs::write(bottom.join("file"), "x").unwrap();
            if place.exists() {
                fs::rename(&place, bottom.join("d")).unwrap();
            }
            fs::rename(&chain, &place).unwrap();
        }
    }

    #[test]
    fn folders_are_removed_however_deep_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().join("top");
        fs::create_dir(&top).unwrap();
        nest(&top, 10_000);
        fs::write(top.join("beside"), "x").unwrap();
        remove_tree(&top).unwrap();
        assert!(!top.exists());
    }

    #[test]
    fn a_link_is_removed_and_not_what_is_behind_it() {
        let folder = tempfile::tempdir().unwrap();
        let (kept, top) = (folder.path().join("kept"), folder.path().join("top"));
        fs::create_dir_all(top.join("a/b")).unwrap();
        fs::create_dir(&kept).unwrap();
        fs::write(kept.join("file"), "x").unwrap();
        symlink(&kept, top.join("a/link")).unwrap();
        symlink(&kept, folder.path().join("link")).unwrap();
        remove_tree(&top).unwrap();
        remove_tree(&folder.path().join("link")).unwrap();
        assert!(!top.exists() && kept.join("file").exists());
        let gone = remove_tree(&top).unwrap_err();
        assert_eq!(gone.kind(), io::ErrorKind::NotFound);
    }
}
