//! The source files of a tree: which of them may get faults, and their texts.

use std::collections::BTreeSet;

use crate::path::RepoPath;
use crate::syntax::SourceLanguage;
use crate::tree_root::{FileError, TreeRoot};

use super::place::MutationError;
use super::product_files::is_product_file;
use super::rust::DeclaredModules;

/// Longer files are not planted: generated code, mostly.
const MAX_FILE_BYTES: usize = 1024 * 1024;

/// The files that may get faults, with their texts.
pub(super) fn product_sources(
    root: &TreeRoot,
    files: &[RepoPath],
) -> Result<Vec<(RepoPath, SourceLanguage, String)>, MutationError> {
    let declared = declared_modules(root, files)?;
    let of_tests = declared.only_for_tests();
    let is_of_tests = |file: &RepoPath| {
        of_tests.iter().any(|test| {
            let below = file.as_str().strip_prefix(test.as_str());
            below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    };
    let files: BTreeSet<&RepoPath> = files.iter().collect();
    let mut sources = Vec::new();
    for file in files {
        let Some(language) = is_product_file(file) else {
            continue;
        };
        if is_of_tests(file) {
            continue;
        }
        if let Some(source) = read_source(root, file)? {
            sources.push((file.clone(), language, source));
        }
    }
    Ok(sources)
}

/// The text of a file; `None` for what is no source of ordinary size, or lies behind a symlink.
pub(super) fn read_source(
    root: &TreeRoot,
    file: &RepoPath,
) -> Result<Option<String>, MutationError> {
    let through_link = root.path().join(file.as_str()).symlink_metadata();
    if !through_link.is_ok_and(|found| found.is_file()) {
        return Ok(None);
    }
    let content = match root.read(file, MAX_FILE_BYTES) {
        Ok(content) if content.left_out() == 0 => content,
        Ok(_)
        | Err(
            FileError::NotFound { .. }
            | FileError::Credential { .. }
            | FileError::LeavesTree { .. }
            | FileError::Unaddressable { .. }
            | FileError::IsSymlink { .. }
            | FileError::WrongKind { .. },
        ) => return Ok(None),
        Err(error @ FileError::Io { .. }) => return Err(error.into()),
    };
    Ok(String::from_utf8(content.bytes).ok())
}

/// The modules that files declare.
///
/// Those who declare need not be among the files: everything in their folders and above is asked.
fn declared_modules(root: &TreeRoot, files: &[RepoPath]) -> Result<DeclaredModules, MutationError> {
    let mut folders = BTreeSet::new();
    let rust = |file: &&RepoPath| SourceLanguage::of_path(file) == Some(SourceLanguage::Rust);
    for file in files.iter().filter(rust) {
        let mut folder = file.folder();
        while folders.insert(folder.clone()) {
            let Some(path) = folder.path() else { break };
            folder = path.folder();
        }
    }
    let mut found = DeclaredModules::default();
    for folder in folders {
        let place = match folder.path() {
            Some(path) => root.path().join(path.as_str()),
            None => root.path().to_owned(),
        };
        let Ok(entries) = std::fs::read_dir(place) else {
            continue;
        };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let name = name.to_str().filter(|name| name.ends_with(".rs"));
            let Some(file) = name.and_then(|name| folder.join(name).ok()) else {
                continue;
            };
            if let Some(source) = read_source(root, &file)? {
                found.add(&file, &source);
            }
        }
    }
    Ok(found)
}
