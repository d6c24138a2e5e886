//! Walking a tree: what is in it, without what its `.gitignore` files exclude.

use std::path::{Path, PathBuf};

use ignore::{DirEntry, WalkBuilder};

/// Walks below a root in the order of names, following no symlink and entering no git folder.
///
/// Only the tree's own `.gitignore` files count. `wanted` is asked for every path below the root.
pub(crate) fn plain_walk(
    root: &Path,
    wanted: impl Fn(&Path) -> bool + Send + Sync + 'static,
) -> impl Iterator<Item = DirEntry> {
    let start = root.to_path_buf();
    let has_readable_rules = rules_are_readable(&start);
    WalkBuilder::new(root)
        .standard_filters(false)
        .git_ignore(has_readable_rules)
        .require_git(false)
        .follow_links(false)
        .sort_by_file_name(std::ffi::OsStr::cmp)
        .filter_entry(move |entry| {
            let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
            entry.depth() == 0
                || (entry.file_name() != ".git"
                    && wanted(entry.path())
                    && (!is_folder || rules_are_readable(entry.path())))
        })
        .build()
        .filter_map(Result::ok)
        .filter(|entry| entry.depth() > 0)
}

/// False when a folder's `.gitignore` is a pipe or a device: reading it would never end.
fn rules_are_readable(folder: &Path) -> bool {
    let rules: PathBuf = folder.join(".gitignore");
    match rules.metadata() {
        Ok(found) => found.is_file(),
        Err(_) => true,
    }
}
