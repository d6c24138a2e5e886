//! What is known about verifying a tree, before anything is run.

use super::detect::{Seen, detect};
use super::recipe::Recipe;
use super::settings::{VerifySettings, VerifySettingsError};
use super::smoke::Smoke;
use crate::{RepoDir, RepoPath, TreeRoot};

/// Manifests are small; what is longer is no manifest.
const MAX_MANIFEST: usize = 1024 * 1024;
/// Beyond so many files a tree is judged by the first ones.
const MAX_FILES: usize = 50_000;

/// How a tree can be verified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecipeFound {
    /// Nothing at its root is known.
    None,
    /// A project is there, and neither a test command nor a file of tests.
    NoTests,
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
}

impl RecipeFound {
    /// The stable code of why nothing can be run; `None` when something can.
    pub const fn missing(&self) -> Option<&'static str> {
        match self {
            Self::None => Some("no_recipe"),
            Self::NoTests => Some("no_test_commands"),
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
            Self::Unusable(error) => error.to_string(),
            Self::Found(_) => String::new(),
        }
    }

    /// The same with what a person can do about it; a model cannot write `gavel.toml`.
    pub fn told(&self) -> String {
        const REMEDY: &str = "Add a test, or name the command in gavel.toml: \
            [verify] test = [\"program\", \"argument\"].";
        match self {
            Self::None | Self::NoTests => format!("{} {REMEDY}", self.lacks()),
            Self::Unusable(_) | Self::Found(_) => self.lacks(),
        }
    }
}

/// Finds out how a tree is verified, from the list of its files and the texts of a few of them.
///
/// `read` gives the text of a file of the tree, and `None` when there is no such file.
pub fn recipe_of(files: &[RepoPath], read: impl Fn(&str) -> Option<String>) -> RecipeFound {
    let own = match read("gavel.toml").map(|text| VerifySettings::read(&text)) {
        None => VerifySettings::default(),
        Some(Ok(own)) => own.unwrap_or_default(),
        Some(Err(error)) => return RecipeFound::Unusable(error),
    };
    let seen = Seen::new(files, &read);
    let mut found = detect(&seen);
    if let Some(test) = own.test {
        let install = own.install;
        found.known = true;
        found.recipes.tests = vec![Recipe::Own { install, test }];
    }
    if !own.smoke.is_empty() {
        found.recipes.smoke = own.smoke;
    }
    match (found.known, found.recipes.tests.is_empty()) {
        (false, _) => RecipeFound::None,
        (true, true) => RecipeFound::NoTests,
        (true, false) => RecipeFound::Found(found.recipes),
    }
}

/// Finds out how a tree on disk is verified. What it ignores is not looked at.
pub fn find_recipe(tree: &TreeRoot) -> RecipeFound {
    let files = match tree.walk(&RepoDir::ROOT, MAX_FILES) {
        Ok(walked) => walked.files,
        Err(_) => return RecipeFound::None,
    };
    recipe_of(&files, |name| text(tree, name))
}

/// A file's text; `None` when there is no such file, or it is not one of the tree's own.
fn text(tree: &TreeRoot, name: &str) -> Option<String> {
    let path = RepoPath::new(name).ok()?;
    let content = tree.read(&path, MAX_MANIFEST).ok()?;
    Some(String::from_utf8_lossy(&content.bytes).into_owned())
}
