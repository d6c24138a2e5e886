//! Scope where nobody planned: a request that names files says where the change belongs.

use std::collections::{BTreeMap, BTreeSet};

use super::files::WorkFiles;
use super::paths::FileRole;
use super::{WorkFinding, WorkFindingKind};
use crate::repository::name_of;

/// Names of files that say nothing: their folder does.
const NAMELESS: [&str; 6] = ["mod", "lib", "main", "index", "__init__", "__main__"];

/// The files that a request speaks of, and those that they stand beside: what they use, directly or through
/// others, and what uses one of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RequestScope {
    related: BTreeSet<String>,
}

impl RequestScope {
    /// The files among `paths` that a request names: by their path, by the end of it, or by a folder. None
    /// where it names nothing that is there, so that it limits nothing.
    pub fn named(request: &str, paths: &[String]) -> BTreeSet<String> {
        let split = |c: char| c.is_whitespace() || "\"'`,;()[]{}<>".contains(c);
        let words = request.split(split);
        let words = words.map(|word| word.trim_end_matches(['.', ':', '!', '?']));
        let words = words.map(|word| word.trim_start_matches("./"));
        let mut named = BTreeSet::new();
        for word in words.filter(|word| word.len() > 2 && word.contains(['.', '/'])) {
            let folder = word.trim_end_matches('/');
            let is_folder = word.contains('/') && !folder.is_empty();
            let fits = |path: &&String| {
                let ends = path.strip_suffix(word);
                let below = path.strip_prefix(folder).filter(|_| is_folder);
                ends.is_some_and(|head| head.is_empty() || head.ends_with('/'))
                    || below.is_some_and(|rest| rest.starts_with('/'))
            };
            named.extend(paths.iter().filter(fits).cloned());
        }
        named
    }

    /// What the named files stand beside, by what the texts of all of them say.
    pub fn of(named: &BTreeSet<String>, texts: &BTreeMap<String, String>) -> Self {
        let mut by_name: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for path in texts.keys() {
            by_name.entry(module_of(path)).or_default().push(path);
        }
        let mut related: BTreeSet<String> = named.clone();
        let mut waiting: Vec<&str> = named.iter().map(String::as_str).collect();
        while let Some(path) = waiting.pop() {
            // A file of the same name in another language is the other half of it.
            let text = texts.get(path).map_or("", String::as_str);
            let said = words(text).chain([module_of(path)]);
            for other in said.filter_map(|word| by_name.get(word)).flatten() {
                if related.insert((*other).to_owned()) {
                    waiting.push(other);
                }
            }
        }
        let names: BTreeSet<&str> = named.iter().map(|path| module_of(path)).collect();
        let uses = texts
            .iter()
            .filter(|(_, text)| words(text).any(|word| names.contains(word)));
        related.extend(uses.map(|(path, _)| path.clone()));
        Self { related }
    }

    /// Files of the product from before the run that differ and that have nothing to do with what the
    /// request names. What was done to tests, settings and locks is looked at elsewhere; new files and
    /// texts for people are the work itself.
    pub(super) fn beyond(&self, before: &WorkFiles, after: &WorkFiles) -> Vec<WorkFinding> {
        let differs = |path: &str| {
            let content = |files: &'_ WorkFiles| files.get(path).map(|file| file.content.clone());
            content(before) != content(after)
        };
        let ours = before.iter().filter(|file| match file.role() {
            FileRole::Product | FileRole::Other => !file.path.starts_with(".gavel/"),
            FileRole::Test
            | FileRole::Snapshot
            | FileRole::Fixture
            | FileRole::Ci
            | FileRole::Lock
            | FileRole::Settings
            | FileRole::Document => false,
        });
        let beyond = ours.filter(|file| !self.related.contains(&file.path) && differs(&file.path));
        beyond
            .map(|file| {
                let path = &file.path;
                let now = after.get(path).map(|now| now.content.as_slice());
                let how = if now.is_none() { "removed" } else { "changed" };
                let now = String::from_utf8_lossy(now.unwrap_or_default()).into_owned();
                let mut finding = WorkFinding::new(WorkFindingKind::OutOfScope, path, "request")
                    .saying(format!(
                        "{path} was {how}; the request names other files, and neither use they this one \
                         nor this one them"
                    ))
                    .changed("", &now);
                finding.after = String::new();
                finding
            })
            .collect()
    }
}

/// What others call a file by: its stem, or its folder where the stem says nothing.
fn module_of(path: &str) -> &str {
    let stem = |name: &'_ str| name.split('.').next().unwrap_or_default().len();
    let name = name_of(path);
    let own = name.get(..stem(name)).unwrap_or_default();
    if NAMELESS.contains(&own) {
        let folder = path.rsplit('/').nth(1);
        return folder.unwrap_or(own);
    }
    own
}

/// The words of a text, those with a hyphen also as a whole.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let hyphened = text.split(move |c: char| !is_part(c) && c != '-');
    let plain = text.split(move |c: char| !is_part(c));
    plain.chain(hyphened.filter(|word| word.contains('-')))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(files: &[(&str, &str)]) -> BTreeMap<String, String> {
        let files = files.iter();
        files
            .map(|(path, text)| ((*path).to_owned(), (*text).to_owned()))
            .collect()
    }

    #[test]
    fn a_request_names_files_by_path_name_and_folder() {
        let paths = ["shop.py", "src/cart.py", "src/web/index.html", "README.md"];
        let paths = paths.map(str::to_owned);
        for (request, wanted) in [
            ("fix the total in shop.py", &["shop.py"][..]),
            ("mend `cart.py`, please.", &["src/cart.py"]),
            ("mend src/cart.py: it adds", &["src/cart.py"]),
            ("say less in src/web/", &["src/web/index.html"]),
            ("fix the total", &[]),
            ("e.g. make it faster", &[]),
            ("add totals.py", &[]),
        ] {
            let named = RequestScope::named(request, &paths);
            let named: Vec<&str> = named.iter().map(String::as_str).collect();
            assert_eq!(named, wanted, "{request}");
        }
    }

    #[test]
    fn what_a_named_file_uses_and_what_uses_it_belong_to_the_change() {
        let all = texts(&[
            ("shop.py", "from price import each"),
            ("price.py", "import tax"),
            ("tax.py", "RATE = 7"),
            ("cli.py", "import shop"),
            ("gui.py", "import cli"),
            ("mail.py", "import smtplib"),
        ]);
        let named = BTreeSet::from(["shop.py".to_owned()]);
        let scope = RequestScope::of(&named, &all);
        let related: Vec<&str> = scope.related.iter().map(String::as_str).collect();
        assert_eq!(related, ["cli.py", "price.py", "shop.py", "tax.py"]);
    }
}
