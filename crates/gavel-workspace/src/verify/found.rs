//! What is known about verifying a tree, before anything is run.

use super::detect::{Seen, detect};
use super::recipe::Recipe;
use super::settings::{VerifySettings, VerifySettingsError};
use super::smoke::Smoke;
use crate::{RepoPath, TreeName, TreeRoot, Walked};

/// Manifests are small; what is longer is no manifest.
const MAX_MANIFEST: usize = 1024 * 1024;

/// The files of a tree, as far as a search for tests looks at them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileList {
    files: Vec<RepoPath>,
    left_out: usize,
}

impl FileList {
    /// So many files are looked at; more need more memory than the answer is worth.
    pub const MOST: usize = 1_000_000;

    /// Takes the first of these names; the rest is only counted. Names that no tool can use are
    /// left out.
    pub fn first_of(names: impl IntoIterator<Item = TreeName>, most: usize) -> Self {
        let mut list = Self::default();
        for name in names {
            match name {
                TreeName::Path(path) if list.files.len() < most => list.files.push(path),
                TreeName::Path(_) => list.left_out += 1,
                TreeName::Unaddressable(_) => {}
            }
        }
        list
    }

    /// The names of the files.
    pub fn paths(&self) -> &[RepoPath] {
        &self.files
    }

    /// What was not looked at, in a sentence; `None` when everything was.
    fn limit(&self) -> Option<FileLimit> {
        (self.left_out > 0).then_some(FileLimit {
            looked_at: self.files.len(),
            left_out: self.left_out,
        })
    }
}

impl From<Walked> for FileList {
    fn from(walked: Walked) -> Self {
        Self {
            files: walked.files,
            left_out: walked.left_out,
        }
    }
}

/// A search that stopped before it had seen every file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the search for tests stopped at {looked_at} files; {left_out} more were not looked at")]
pub struct FileLimit {
    /// Files that were looked at.
    pub looked_at: usize,
    /// Files that were not.
    pub left_out: usize,
}

/// How a tree can be verified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecipeFound {
    /// Nothing at its root is known.
    None,
    /// A project is there, and neither a test command nor a file of tests.
    NoTests,
    /// Nothing was found among the files that were looked at, and there are more.
    Unseen(FileLimit),
    /// It can be verified.
    Found(Recipes),
    /// A person said how, in a way that cannot be used.
    Unusable(VerifySettingsError),
}

/// Everything that is run to verify a tree.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Recipes {
    /// The tests, at most one recipe for each language; all must pass.
    pub tests: Vec<Recipe>,
    /// What is tried out after them; all must come to what they say.
    pub smoke: Vec<Smoke>,
    /// Set when not every file was looked at: there may be tests of other languages.
    pub limit: Option<FileLimit>,
}

impl RecipeFound {
    /// The code of a search that stopped at its limit without a test.
    const UNSEEN: &str = "search_stopped";

    /// The stable code of why nothing can be run; `None` when something can.
    pub const fn missing(&self) -> Option<&'static str> {
        match self {
            Self::None => Some("no_recipe"),
            Self::NoTests => Some("no_test_commands"),
            Self::Unseen(_) => Some(Self::UNSEEN),
            Self::Unusable(_) => Some("recipe_unusable"),
            Self::Found(_) => None,
        }
    }

    /// Why nothing can be run, in a sentence; empty when something can.
    pub fn lacks(&self) -> String {
        match self {
            Self::None => "Nothing at the root of the tree says how it is tested: there is no \
                Cargo.toml, package.json, Python project, go.mod, pom.xml, .NET project or Makefile \
                with a `test` target."
                .to_owned(),
            Self::NoTests => "There is a project, and no test: neither a test command nor a file \
                of tests was found."
                .to_owned(),
            Self::Unseen(limit) => format!("Whether there are tests is not known: {limit}."),
            Self::Unusable(error) => error.to_string(),
            Self::Found(_) => String::new(),
        }
    }

    /// The same with what a person can do about it; a model cannot write `gavel.toml`.
    pub fn told(&self) -> String {
        const REMEDY: &str = "Add a test, or name the command in gavel.toml: \
            [verify] test = [\"program\", \"argument\"].";
        match self {
            Self::None | Self::NoTests | Self::Unseen(_) => format!("{} {REMEDY}", self.lacks()),
            Self::Unusable(_) | Self::Found(_) => self.lacks(),
        }
    }
}

/// Finds out how a tree is verified, from the list of its files and the texts of a few of them.
///
/// `read` gives the text of a file of the tree, and `None` when there is no such file.
pub fn recipe_of(files: &FileList, read: impl Fn(&str) -> Option<String>) -> RecipeFound {
    let own = match read("gavel.toml").map(|text| VerifySettings::read(&text)) {
        None => VerifySettings::default(),
        Some(Ok(own)) => own.unwrap_or_default(),
        Some(Err(error)) => return RecipeFound::Unusable(error),
    };
    let seen = Seen::new(&files.files, &read);
    let mut found = detect(&seen);
    found.recipes.limit = files.limit();
    if let Some(test) = own.test {
        let install = own.install;
        found.known = true;
        found.recipes.tests = vec![Recipe::Own { install, test }];
        // A person said what the tests are.
        found.recipes.limit = None;
    }
    if !own.smoke.is_empty() {
        found.recipes.smoke = own.smoke;
    }
    match (found.known, found.recipes.tests.is_empty(), files.limit()) {
        (true, false, _) => RecipeFound::Found(found.recipes),
        (_, _, Some(limit)) => RecipeFound::Unseen(limit),
        (false, _, None) => RecipeFound::None,
        (true, true, None) => RecipeFound::NoTests,
    }
}

/// Finds out how a tree on disk is verified, from the list of its files.
pub fn find_recipe(tree: &TreeRoot, files: &FileList) -> RecipeFound {
    recipe_of(files, |name| text(tree, name))
}

/// A file's text; `None` when there is no such file, or it is not one of the tree's own.
fn text(tree: &TreeRoot, name: &str) -> Option<String> {
    let path = RepoPath::new(name).ok()?;
    let content = tree.read(&path, MAX_MANIFEST).ok()?;
    Some(String::from_utf8_lossy(&content.bytes).into_owned())
}
