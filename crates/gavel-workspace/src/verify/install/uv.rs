//! uv: wheels of the lock are fetched into a cache and an environment that are thrown away for the tree;
//! the project is built and its environment filled without network from a copy of that cache.

use super::python::build_requires;
use super::requirements::Requirements;
use super::{InstallProblem, Installer, Step, Tree};
use crate::ArgvError;

impl Installer<'_> {
    pub(super) async fn uv(
        &mut self,
        tree: &Tree,
        runner: Option<&str>,
    ) -> Result<(), InstallProblem> {
        let manifest = tree.text("pyproject.toml").unwrap_or_default();
        self.all(steps(tree, &build_requires(&manifest), runner))
            .await
    }
}

fn steps(tree: &Tree, requires: &[String], runner: Option<&str>) -> Result<Vec<Step>, ArgvError> {
    let project = super::shown(&tree.path);
    let cache = tree.in_fetch("uv");
    let aside = tree.in_fetch("uv-environment");
    // An environment or an interpreter that the tree brings is a program of the tree.
    let apart = |words: &[&str]| {
        let step = Step::fetch(words.iter().copied())?.outside_the_tree();
        let step = step
            .with("UV_CACHE_DIR", &cache)
            .with("UV_PYTHON", "python3");
        Ok(step.with("UV_PROJECT_ENVIRONMENT", &aside))
    };
    let mut steps = vec![apart(&[
        "uv",
        "sync",
        "--frozen",
        "--no-build",
        "--no-install-workspace",
        "--project",
        &project,
    ])?];
    let more = Requirements::of(requires.iter().map(String::as_str).chain(runner));
    if !more.named.is_empty() {
        let target = tree.in_fetch("uv-more");
        let mut words = vec![
            "uv",
            "pip",
            "install",
            "--only-binary",
            ":all:",
            "--target",
            &target,
        ];
        words.extend(more.named.iter().map(String::as_str));
        steps.push(apart(&words)?);
    }
    let own = tree.in_cache("uv");
    let offline = |words: &[&str]| {
        Ok(Step::build(words.iter().copied())?
            .needed()
            .with("UV_CACHE_DIR", &own))
    };
    steps.push(offline(&["cp", "-aT", &cache, &own])?);
    steps.push(offline(&["uv", "sync", "--frozen", "--offline"])?);
    if let Some(runner) = runner {
        steps.push(offline(&["uv", "pip", "install", "--offline", runner])?);
    }
    Ok(steps)
}
