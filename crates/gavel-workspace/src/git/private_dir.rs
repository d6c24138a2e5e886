//! The private git dir of a work tree: a config that nobody else writes, and objects of its own beside
//! those of the repository, which it borrows.
//!
//! It lies beside the work tree, never inside: commands of a run may write the work tree only.
//!
//! ```text
//! <folder>.gavel/git/     HEAD, config, info/attributes, info/exclude, shallow -> the repository's
//! <folder>.gavel/git/objects/  everything recorded here; what is committed goes to the repository
//! <folder>.gavel/index    the private index
//! <folder>.gavel/lock     the turn
//! <folder>.gavel/void/    an empty work tree for calls that need none
//! <folder>.gavel/push/    temporary files of a push to a repository on this machine
//! ```

use std::fs;
use std::path::{Path, PathBuf};

use super::call::{Call, Git, GitError, Plumbing};
use super::object_id::ObjectFormat;
use super::turn::with_suffix;

/// Takes every meaning from every file, so that trees are true to the byte.
///
/// `info/attributes` beats all `.gitattributes`: no line ends are changed, no filter, no keyword
/// and no encoding is applied, no driver runs, and diffs are textual.
const ATTRIBUTES: &str = "* !text !crlf !eol !filter !ident !working-tree-encoding !merge !diff\n";

/// Folders and files that tools make and nobody commits, for trees whose own `.gitignore` does not
/// say so yet. A `.gitignore` in the tree beats these lines.
const EXCLUDES: &str = "/target/\nnode_modules/\n__pycache__/\n*.pyc\n.pytest_cache/\n\
    .mypy_cache/\n.ruff_cache/\n.tox/\n/.venv/\n/venv/\n";

/// The private files of one work tree.
#[derive(Debug, Clone)]
pub(super) struct PrivateDir {
    home: PathBuf,
    format: ObjectFormat,
}

impl PrivateDir {
    /// Makes the files, or makes them right again.
    pub(super) async fn prepare(
        program: &Path,
        repository: &Path,
        folder: &Path,
    ) -> Result<Self, GitError> {
        let home = with_suffix(folder, ".gavel");
        for below in ["git/refs", "git/objects/info", "git/info", "void"] {
            let path = home.join(below);
            fs::create_dir_all(&path).map_err(|source| GitError::Io { path, source })?;
        }
        let format = object_format(program, repository, &home).await?;
        let this = Self { home, format };
        let git_dir = this.git_dir();
        put(&git_dir.join("HEAD"), "ref: refs/heads/none\n")?;
        put(&git_dir.join("config"), config(format))?;
        put(&git_dir.join("info/attributes"), ATTRIBUTES)?;
        put(&git_dir.join("info/exclude"), EXCLUDES)?;
        let borrowed = alternate(&repository.join("objects"));
        put(&this.objects().join("info/alternates"), &borrowed)?;
        // A link, not a copy: a repository may be deepened later.
        link(&repository.join("shallow"), &git_dir.join("shallow"))?;
        Ok(this)
    }

    /// The folder that holds them all.
    pub(super) fn home(&self) -> &Path {
        &self.home
    }

    pub(super) fn git_dir(&self) -> PathBuf {
        self.home.join("git")
    }

    pub(super) fn objects(&self) -> PathBuf {
        self.home.join("git/objects")
    }

    pub(super) fn index(&self) -> PathBuf {
        self.home.join("index")
    }

    pub(super) fn lock(&self) -> PathBuf {
        self.home.join("lock")
    }

    pub(super) fn void(&self) -> PathBuf {
        self.home.join("void")
    }

    pub(super) const fn format(&self) -> ObjectFormat {
        self.format
    }
}

/// Where what is recorded of a work tree lies until it is committed, whether or not it is there yet.
pub(crate) fn recorded_objects(folder: &Path) -> PathBuf {
    with_suffix(folder, ".gavel").join("git/objects")
}

/// Asks the repository's config file, as a file: nothing in it takes effect.
async fn object_format(
    program: &Path,
    repository: &Path,
    home: &Path,
) -> Result<ObjectFormat, GitError> {
    let git = Git::new(
        program,
        repository,
        &home.join("void"),
        &home.join("void-index"),
    );
    let call = Call::new(Plumbing::Config)
        .arg("--file")
        .arg(repository.join("config"))
        .args(["--no-includes", "--get", "extensions.objectFormat"])
        .accept(&[0, 1]);
    let answer = git.run(call).await?;
    match answer.line()? {
        "" | "sha1" => Ok(ObjectFormat::Sha1),
        "sha256" => Ok(ObjectFormat::Sha256),
        _ => Err(answer.garbled()),
    }
}

const fn config(format: ObjectFormat) -> &'static str {
    match format {
        ObjectFormat::Sha1 => "[core]\n\trepositoryformatversion = 0\n\tbare = false\n",
        ObjectFormat::Sha256 => {
            "[core]\n\trepositoryformatversion = 1\n\tbare = false\n\
             [extensions]\n\tobjectFormat = sha256\n"
        }
    }
}

/// The line that names an object folder to borrow from; quoted where its name has a line break.
fn alternate(objects: &Path) -> Vec<u8> {
    let name = objects.as_os_str().as_encoded_bytes();
    let mut line = Vec::with_capacity(name.len() + 1);
    if name.contains(&b'\n') {
        line.push(b'"');
        for byte in name {
            match byte {
                b'\n' => line.extend_from_slice(b"\\n"),
                b'"' | b'\\' => line.extend_from_slice(&[b'\\', *byte]),
                other => line.push(*other),
            }
        }
        line.push(b'"');
    } else {
        line.extend_from_slice(name);
    }
    line.push(b'\n');
    line
}

fn put(path: &Path, text: impl AsRef<[u8]>) -> Result<(), GitError> {
    if fs::read(path).is_ok_and(|found| found == text.as_ref()) {
        return Ok(());
    }
    fs::write(path, text).map_err(|source| GitError::Io {
        path: path.to_owned(),
        source,
    })
}

fn link(target: &Path, path: &Path) -> Result<(), GitError> {
    if fs::read_link(path).is_ok_and(|found| found == target) {
        return Ok(());
    }
    if path.symlink_metadata().is_ok() {
        let removed = fs::remove_file(path);
        removed.map_err(|source| GitError::Io {
            path: path.to_owned(),
            source,
        })?;
    }
    std::os::unix::fs::symlink(target, path).map_err(|source| GitError::Io {
        path: path.to_owned(),
        source,
    })
}
