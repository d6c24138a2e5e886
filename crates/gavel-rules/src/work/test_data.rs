//! Data that tests stand on, wherever it lies: a file that tests name and nothing else does.

use std::collections::BTreeSet;

use super::paths::{FileRole, file_role};
use crate::repository::name_of;

/// The files among `data` that only tests use, by what the code and the settings of the base name.
/// `sources` are paths and texts.
pub fn data_of_tests<'a>(
    data: impl Iterator<Item = &'a str>,
    sources: &[(&str, &str)],
) -> BTreeSet<String> {
    let named_by = |role_fits: fn(FileRole) -> bool, names: &[&str]| {
        let mut texts = sources
            .iter()
            .filter(|(path, _)| role_fits(file_role(path)));
        texts.any(|(_, text)| names.iter().any(|name| says(text, name)))
    };
    let is_test = |role: FileRole| role == FileRole::Test;
    let is_other = |role: FileRole| match role {
        FileRole::Product | FileRole::Settings => true,
        FileRole::Test
        | FileRole::Snapshot
        | FileRole::Fixture
        | FileRole::Ci
        | FileRole::Lock
        | FileRole::Document
        | FileRole::Other => false,
    };
    data.filter(|path| file_role(path) == FileRole::Other)
        .filter(|path| {
            let names = names(path);
            named_by(is_test, &names) && !named_by(is_other, &names)
        })
        .map(str::to_owned)
        .collect()
}

/// What code calls a file by: its own name, or the folder that it is found in.
fn names(path: &str) -> Vec<&str> {
    let mut folders = path.rsplit('/').skip(1);
    let mut names = vec![name_of(path)];
    names.extend(folders.next().filter(|folder| folder.len() > 2));
    names
}

/// True when a text holds a name as a word of its own.
fn says(text: &str, name: &str) -> bool {
    let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    text.match_indices(name).any(|(at, found)| {
        let before = text.get(..at).and_then(|head| head.chars().next_back());
        let after = text.get(at + found.len()..);
        !is_part(before) && !is_part(after.and_then(|tail| tail.chars().next()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_belongs_to_tests_when_nothing_else_names_it() {
        let test = "for case in json.load(open('cases.json')): check(case)";
        let globbed = "for name in glob('expected/*.txt'): check(name)";
        for (data, sources, is_theirs) in [
            ("cases.json", &[("test_shop.py", test)][..], true),
            ("cases.json", &[("shop.py", test)], false),
            (
                "cases.json",
                &[("test_shop.py", test), ("shop.py", test)],
                false,
            ),
            (
                "cases.json",
                &[("test_shop.py", test), ("package.json", "cases.json")],
                false,
            ),
            ("other.json", &[("test_shop.py", test)], false),
            ("showcases.json", &[("test_shop.py", test)], false),
            ("expected/a.txt", &[("test_shop.py", globbed)], true),
            (
                "expected/a.txt",
                &[("test_shop.py", globbed), ("shop.py", globbed)],
                false,
            ),
            // Code is no data: a library is imported by its tests alone.
            ("cases.py", &[("test_shop.py", "import cases")], false),
        ] {
            let found = data_of_tests([data].into_iter(), sources);
            assert_eq!(found.contains(data), is_theirs, "{data} {sources:?}");
        }
    }
}
