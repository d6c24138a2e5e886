//! Scripts of dependencies that a person allowed a host: they run apart from the project, see the
//! dependencies alone, and reach that host and no other.
//!
//! An answer counts for the digest of everything that they can load, taken before any code of the tree
//! has run: what an agent or a script puts beside them needs another answer.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use gavel_domain::{Digest, InstallScripts, ScriptsUnasked};
use serde_json::Value;

use super::super::node::NodeManager;
use super::{InstallProblem, Installer, Network, Step, Tree, node, yarn};
use crate::Policy;

/// Folders with more are not compared, so that nobody is asked about them, which is said.
const MOST: Most = Most {
    files: 200_000,
    bytes: 1024 * 1024 * 1024,
};
/// Scripts that a package manager runs when it installs a package.
const SCRIPTS: [&str; 3] = ["preinstall", "install", "postinstall"];
/// The folder that packages are laid out in.
const MODULES: &str = "node_modules";
/// The folder that these scripts may write beside the dependencies.
const APART: &str = "scripts";

impl Installer<'_> {
    /// Runs what belongs to an install, without network; scripts of dependencies that a person allowed
    /// a host run apart before it.
    pub(super) async fn node_scripts(
        &mut self,
        tree: &Tree,
        manager: NodeManager,
        steps: Vec<Step>,
    ) -> Result<(), InstallProblem> {
        let laid_out = match manager {
            NodeManager::Npm => true,
            NodeManager::Yarn => yarn::is_classic(tree),
            NodeManager::Pnpm | NodeManager::Bun => false,
        };
        let scripts = match laid_out {
            true => scripts_of(tree, MOST),
            false => Err(ScriptsUnasked::OtherManager),
        };
        let scripts = match scripts {
            Ok(Some(scripts)) => scripts,
            Ok(None) => return self.all_of(steps, None).await,
            Err(unasked) => return self.all_of(steps, Some(unasked)).await,
        };
        let granted = self.plan.policy.registries.scripts.iter();
        let hosts: Vec<_> = granted
            .filter(|granted| granted.scripts == scripts.digest)
            .map(|granted| granted.host.clone())
            .collect();
        if hosts.is_empty() {
            for mut step in steps {
                if step.argv == *node::rebuild().map_err(|error| self.unfit(error))?.argv() {
                    step.scripts = Some(scripts.clone());
                }
                self.step(step).await?;
            }
            return Ok(());
        }
        let names = scripts.packages.iter().map(|named| name_of(named));
        let words = ["npm", "rebuild"].map(str::to_owned).into_iter();
        let words = words.chain(names);
        let apart = Step::build(words).map_err(|error| self.unfit(error))?;
        self.step(Step {
            network: Network::Scripts(hosts),
            scripts: Some(scripts),
            ..apart
        })
        .await?;
        // The project's own scripts are left, which the same command would have run.
        let rebuild = node::rebuild().map_err(|error| self.unfit(error))?;
        for name in SCRIPTS
            .into_iter()
            .filter(|name| node::has_script(tree, name))
        {
            let own = Step::build(["npm", "run", name]);
            self.step(own.map_err(|error| self.unfit(error))?).await?;
        }
        for step in steps
            .into_iter()
            .filter(|step| step.argv != *rebuild.argv())
        {
            self.step(step).await?;
        }
        Ok(())
    }

    /// Runs steps of which it is not known whose scripts they run, or which run none.
    async fn all_of(
        &mut self,
        steps: Vec<Step>,
        unasked: Option<ScriptsUnasked>,
    ) -> Result<(), InstallProblem> {
        for step in steps {
            self.step(Step { unasked, ..step }).await?;
        }
        Ok(())
    }
}

/// How much is compared.
#[derive(Debug, Clone, Copy)]
struct Most {
    files: usize,
    bytes: u64,
}

/// What such a step may touch: the dependencies, a home of its own, and nothing else of the project.
pub(super) fn apart(policy: &Policy) -> io::Result<Policy> {
    let mut policy = policy.clone();
    let own = policy.fetch.join(APART);
    for name in ["home", "npm"] {
        fs::create_dir_all(own.join(name))?;
    }
    policy.read_write = vec![policy.cwd.join(MODULES), own.clone()];
    let manifests = ["package.json", "package-lock.json", "npm-shrinkwrap.json"];
    let manifests = manifests.map(|name| policy.cwd.join(name));
    policy.read_only.retain(|path| *path != policy.fetch);
    policy
        .read_only
        .extend(manifests.into_iter().filter(|path| is_plain_file(path)));
    for (name, below) in [
        ("HOME", "home"),
        ("npm_config_cache", "npm"),
        ("XDG_CACHE_HOME", "home/.cache"),
    ] {
        let path = super::shown(&own.join(below));
        policy.env.insert(name.to_owned(), path);
    }
    policy.temp = own;
    Ok(policy)
}

fn is_plain_file(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| found.is_file())
}

fn name_of(named: &str) -> String {
    let end = named.rfind('@').filter(|end| *end > 0);
    named
        .get(..end.unwrap_or(named.len()))
        .unwrap_or(named)
        .to_owned()
}

/// The packages with scripts, and the digest of all that these can load; nothing when there are none.
fn scripts_of(tree: &Tree, most: Most) -> Result<Option<InstallScripts>, ScriptsUnasked> {
    let folder = tree.path.join(MODULES);
    if !fs::symlink_metadata(&folder).is_ok_and(|found| found.is_dir()) {
        return Ok(None);
    }
    let mut files = Vec::new();
    list(&folder, Path::new(""), &mut files, most.files)?;
    files.sort();
    let mut packages: Vec<String> = files
        .iter()
        .filter(|(path, _)| is_manifest(path))
        .filter_map(|(path, _)| with_scripts(&folder, path))
        .collect();
    packages.sort();
    packages.dedup();
    if packages.is_empty() {
        return Ok(None);
    }
    let mut left = most.bytes;
    let mut digests = Vec::with_capacity(files.len());
    for (path, target) in &files {
        let content = match target {
            Some(target) => target.clone(),
            None => {
                let content =
                    fs::read(folder.join(path)).map_err(|error| not_comparable(&error))?;
                let too_many = ScriptsUnasked::TooManyBytes { most: most.bytes };
                left = left.checked_sub(content.len() as u64).ok_or(too_many)?;
                content
            }
        };
        let path = path.to_str().ok_or(ScriptsUnasked::NotComparable)?;
        let fields = [path.as_bytes(), content.as_slice()];
        digests.push(Digest::of_fields(fields).to_string());
    }
    Ok(Some(InstallScripts {
        digest: Digest::of_fields(digests.iter().map(String::as_bytes)),
        packages,
    }))
}

/// Files by their path below the folder, at most so many; of links what they name.
fn list(
    folder: &Path,
    below: &Path,
    files: &mut Vec<(PathBuf, Option<Vec<u8>>)>,
    most: usize,
) -> Result<(), ScriptsUnasked> {
    for entry in fs::read_dir(folder.join(below)).map_err(|error| not_comparable(&error))? {
        let entry = entry.map_err(|error| not_comparable(&error))?;
        let path = below.join(entry.file_name());
        let kind = entry.file_type().map_err(|error| not_comparable(&error))?;
        if kind.is_dir() {
            list(folder, &path, files, most)?;
        } else if kind.is_symlink() {
            let target = fs::read_link(entry.path()).map_err(|error| not_comparable(&error))?;
            let target = target.to_str().ok_or(ScriptsUnasked::NotComparable)?;
            files.push((path, Some(target.as_bytes().to_vec())));
        } else if kind.is_file() {
            files.push((path, None));
        } else {
            return Err(ScriptsUnasked::NotComparable);
        }
        if files.len() > most {
            return Err(ScriptsUnasked::TooManyFiles { most: most as u64 });
        }
    }
    Ok(())
}

fn not_comparable(error: &io::Error) -> ScriptsUnasked {
    tracing::debug!(%error, "what belongs to the dependencies could not be read");
    ScriptsUnasked::NotComparable
}

/// True for the manifest of a package, and for none that lies deeper in one.
fn is_manifest(path: &Path) -> bool {
    let Some(folder) = path.parent().and_then(Path::to_str) else {
        return false;
    };
    if path.file_name().is_none_or(|name| name != "package.json") {
        return false;
    }
    let package = folder.rsplit("node_modules/").next().unwrap_or(folder);
    let parts = package.split('/').count();
    !package.is_empty() && parts == if package.starts_with('@') { 2 } else { 1 }
}

/// `name@version` of a package that has scripts, or is built when it has none.
fn with_scripts(folder: &Path, manifest: &Path) -> Option<String> {
    let text = fs::read_to_string(folder.join(manifest)).ok()?;
    let read: Value = serde_json::from_str(&text).ok()?;
    let scripts = read.get("scripts");
    let has = |name: &&str| {
        scripts
            .and_then(|all| all.get(*name))
            .is_some_and(Value::is_string)
    };
    let built = folder
        .join(manifest.with_file_name("binding.gyp"))
        .is_file();
    if !built && !SCRIPTS.iter().any(has) {
        return None;
    }
    let text = |name: &str| read.get(name).and_then(Value::as_str);
    let (name, version) = (text("name")?, text("version").unwrap_or("0"));
    let plain = |c: char| c.is_ascii_alphanumeric() || "@/-_.+~".contains(c);
    let fits = !name.starts_with('-') && [name, version].iter().all(|part| part.chars().all(plain));
    fits.then(|| format!("{name}@{version}"))
}

#[cfg(test)]
#[path = "scripts_tests.rs"]
mod tests;
