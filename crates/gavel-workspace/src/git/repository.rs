//! What kind of repository this is: read without discovery, judged before anything is built on it.

use std::fs;
use std::path::{Path, PathBuf};

use gavel_domain::Timestamp;

use super::call::{Answer, Call, Git, GitError, Plumbing};
use super::commit::Author;
use super::git_dir::{GitDir, Unsound};
use super::object_id::{CommitId, ObjectFormat};
use super::remote::{RemoteError, RemoteUrl};

const MANY_FILES: u64 = 100_000;
const SHOWN_SUBMODULES: usize = 5;
/// Larger `.gitattributes` files are nobody's rules.
const MAX_RULES: usize = 1024 * 1024;

/// Why a folder could not be opened as a repository.
#[derive(Debug, thiserror::Error)]
pub enum RepositoryError {
    /// There is no git dir in the folder; parents are not searched.
    #[error("{} is not a git repository: run `git init` there first", .folder.display())]
    NotARepository {
        /// The folder.
        folder: PathBuf,
    },
    /// The `.git` file leads nowhere.
    #[error("{} does not lead to a git dir: repair the checkout first", .file.display())]
    BrokenLink {
        /// The `.git` file.
        file: PathBuf,
    },
    /// Something else stands in the place of a file or folder of git's: look at it, then remove it.
    #[error(transparent)]
    Unsound(#[from] Unsound),
    /// The `.git` file names the git dir of another checkout.
    #[error(
        "{} names the git dir of another checkout, {}: go there, or make a work tree of it with `git worktree add`",
        .file.display(), .git_dir.display()
    )]
    Foreign {
        /// The `.git` file.
        file: PathBuf,
        /// What it names.
        git_dir: PathBuf,
    },
    /// A repository was to be made where one is.
    #[error("{} has a git repository already", .folder.display())]
    Exists {
        /// The folder.
        folder: PathBuf,
    },
    /// A root commit was asked for where commits already exist.
    #[error("HEAD has no commit, but other branches have: switch to one of them first")]
    OrphanHead,
    /// A file could not be read.
    #[error("{} could not be read", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
    /// Git did not do it.
    #[error(transparent)]
    Git(#[from] GitError),
}

/// Where HEAD points.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HeadState {
    /// A branch with commits.
    Branch {
        /// Its short name.
        name: String,
        /// Its tip.
        commit: CommitId,
    },
    /// A commit without a branch.
    Detached {
        /// The commit.
        commit: CommitId,
    },
    /// A branch without a commit yet.
    Unborn {
        /// Its short name.
        name: String,
    },
}

/// How the git dir lies to the files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Layout {
    /// A checkout with its git dir inside.
    Checkout,
    /// A further work tree of another repository.
    LinkedWorkTree,
    /// No checkout.
    Bare,
}

/// What a repository is, as far as it matters for building in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepositoryClass {
    /// Where HEAD points.
    pub head: HeadState,
    /// How its parts lie.
    pub layout: Layout,
    /// Files in HEAD.
    pub files: u64,
    /// Submodule folders in HEAD.
    pub submodules: Vec<String>,
    /// True when attributes send files through Git LFS.
    pub lfs: bool,
    /// True when its history is cut off; builds do not need it.
    pub shallow: bool,
    /// True when the checkout shows a part; work trees of builds are always whole.
    pub sparse: bool,
    /// True when objects are fetched on demand.
    pub partial: bool,
    /// True when objects come from another repository.
    pub alternates: bool,
    /// True when the user's git changes line ends; work trees of builds hold the stored bytes.
    pub converts_line_ends: bool,
}

/// Why nothing can be built in a repository.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// Git LFS.
    #[error(
        "the repository keeps files in Git LFS, whose content Gavel does not fetch: a build would see pointers only"
    )]
    Lfs,
    /// Submodules.
    #[error(
        "the repository has submodules ({paths}), which Gavel does not fetch: a build would see empty folders"
    )]
    Submodules {
        /// The first few.
        paths: String,
    },
    /// A partial clone.
    #[error(
        "the repository is a partial clone, and Gavel fetches nothing: run `git fetch --refetch --no-filter` first"
    )]
    PartialClone,
}

impl RepositoryClass {
    /// What stands in the way of a build; empty when nothing does.
    pub fn refusals(&self) -> Vec<Refused> {
        let mut refusals = Vec::new();
        if self.lfs {
            refusals.push(Refused::Lfs);
        }
        if !self.submodules.is_empty() {
            let first: Vec<_> = self
                .submodules
                .iter()
                .take(SHOWN_SUBMODULES)
                .cloned()
                .collect();
            refusals.push(Refused::Submodules {
                paths: first.join(", "),
            });
        }
        if self.partial {
            refusals.push(Refused::PartialClone);
        }
        refusals
    }

    /// True above 100,000 files: recording the tree around a step then takes noticeable time.
    pub const fn is_large(&self) -> bool {
        self.files > MANY_FILES
    }
}

/// A repository on this machine.
#[derive(Debug)]
pub struct Repository {
    git: Git,
    common_dir: PathBuf,
    layout: Layout,
    settings: Vec<(String, String)>,
    /// An empty work tree for calls that need none.
    _void: tempfile::TempDir,
}

impl Repository {
    /// Makes a repository with the default branch `main` in a folder that exists and has none, and
    /// opens it. Nothing of the user's own settings or templates gets into it.
    pub async fn init(program: &Path, folder: &Path) -> Result<Self, RepositoryError> {
        let folder = folder
            .canonicalize()
            .map_err(|source| RepositoryError::Io {
                path: folder.to_owned(),
                source,
            })?;
        let inner = folder.join(".git");
        if inner.symlink_metadata().is_ok() {
            return Err(RepositoryError::Exists { folder });
        }
        let git = Git::new(program, &inner, &folder, &inner.join("index"));
        let call =
            Call::new(Plumbing::Init).args(["--quiet", "--template=", "--initial-branch=main"]);
        git.run(call.flushed()).await?;
        Self::open(program, &folder).await
    }

    /// Opens the repository whose checkout, or bare git dir, is exactly this folder.
    pub async fn open(program: &Path, folder: &Path) -> Result<Self, RepositoryError> {
        let GitDir {
            git_dir,
            common_dir,
            layout,
        } = GitDir::find(folder)?;
        let void = tempfile::tempdir().map_err(|source| RepositoryError::Io {
            path: PathBuf::from("a temporary folder"),
            source,
        })?;
        let git = Git::new(
            program,
            &git_dir,
            void.path(),
            &void.path().join(".git-index"),
        );
        let mut settings = read_settings(&git, &common_dir.join("config")).await?;
        settings.extend(read_settings(&git, &git_dir.join("config.worktree")).await?);
        let is_bare = last(&settings, "core.bare").is_some_and(is_true);
        let layout = if is_bare && layout == Layout::Checkout {
            Layout::Bare
        } else {
            layout
        };
        Ok(Self {
            git,
            common_dir,
            layout,
            settings,
            _void: void,
        })
    }

    /// How its parts lie.
    pub const fn layout(&self) -> Layout {
        self.layout
    }

    /// For calls that only read.
    pub(super) const fn git(&self) -> &Git {
        &self.git
    }

    /// The git dir that all its work trees share: what a [`WorkTreePlace`](crate::WorkTreePlace)
    /// needs.
    pub fn git_dir(&self) -> &Path {
        &self.common_dir
    }

    /// The address that the repository's own config gives a remote, as it stands there: nothing
    /// that would rewrite it is read. `None` when there is no such remote.
    pub fn remote(&self, name: &str) -> Option<Result<RemoteUrl, RemoteError>> {
        let url = |what: &str| last(&self.settings, &format!("remote.{name}.{what}"));
        Some(RemoteUrl::new(url("pushurl").or_else(|| url("url"))?))
    }

    /// Looks at everything that matters for building here.
    pub async fn class(&self) -> Result<RepositoryClass, RepositoryError> {
        let head = self.head().await?;
        let listing = match &head {
            HeadState::Branch { commit, .. } | HeadState::Detached { commit } => {
                self.list(commit).await?
            }
            HeadState::Unborn { .. } => Listing::default(),
        };
        let set = |name: &str| last(&self.settings, name);
        let promisor = |(name, value): &(String, String)| {
            name.starts_with("remote.") && name.ends_with(".promisor") && is_true(value)
        };
        let partial =
            set("extensions.partialclone").is_some() || self.settings.iter().any(promisor);
        // A partial clone may lack the rules, and is refused anyway.
        let objects = if partial {
            &[]
        } else {
            listing.attributes.as_slice()
        };
        let rules = self.attributes(objects).await?;
        Ok(RepositoryClass {
            head,
            layout: self.layout,
            files: listing.files,
            submodules: listing.submodules,
            lfs: has_rule(&rules, |rule| rule == "filter=lfs"),
            shallow: self.common_dir.join("shallow").exists(),
            sparse: set("core.sparsecheckout").is_some_and(is_true),
            partial,
            alternates: self.common_dir.join("objects/info/alternates").exists(),
            converts_line_ends: set("core.autocrlf").is_some_and(|v| v == "input" || is_true(v))
                || has_rule(&rules, |rule| {
                    rule == "text" || rule.starts_with("text=") || rule.starts_with("eol=")
                }),
        })
    }

    /// Where HEAD points.
    pub async fn head(&self) -> Result<HeadState, RepositoryError> {
        let call = Call::new(Plumbing::SymbolicRef)
            .args(["--quiet", "HEAD"])
            .accept(&[0, 1]);
        let target = self.git.run(call).await?;
        let name = target.line()?;
        let name = name.strip_prefix("refs/heads/").unwrap_or(name).to_owned();
        let call = Call::new(Plumbing::RevParse)
            .args(["--verify", "--quiet", "HEAD^{commit}"])
            .accept(&[0, 1]);
        let found = self.git.run(call).await?;
        Ok(match (target.code, found.code) {
            (0, 0) => HeadState::Branch {
                name,
                commit: found.id()?,
            },
            (0, _) => HeadState::Unborn { name },
            (_, 0) => HeadState::Detached {
                commit: found.id()?,
            },
            _ => return Err(target.garbled().into()),
        })
    }

    /// Makes one empty root commit in a repository without any, and returns where HEAD then is.
    ///
    /// A repository with a commit under HEAD is left as it is. The user's files and index are not
    /// touched.
    pub async fn ensure_root_commit(
        &self,
        author: &Author,
        message: &str,
        at: Timestamp,
    ) -> Result<CommitId, RepositoryError> {
        let name = match self.head().await? {
            HeadState::Branch { commit, .. } | HeadState::Detached { commit } => return Ok(commit),
            HeadState::Unborn { name } => name,
        };
        let refs = Call::new(Plumbing::ForEachRef).args([
            "--count=1",
            "--format=%(refname)",
            "refs/heads",
            "refs/remotes",
            "refs/tags",
        ]);
        if !self.git.run(refs).await?.stdout.is_empty() {
            return Err(RepositoryError::OrphanHead);
        }
        let tree = self.git.run(Call::new(Plumbing::WriteTree)).await?;
        let call = Call::new(Plumbing::CommitTree)
            .arg(tree.line()?)
            .input(message.as_bytes())
            .signed(author, format!("@{} +0000", at.as_second()));
        let commit: CommitId = self.git.run(call).await?.id()?;
        let zero = match commit.as_str().len() {
            64 => ObjectFormat::Sha256.zero(),
            _ => ObjectFormat::Sha1.zero(),
        };
        let call = Call::new(Plumbing::UpdateRef)
            .args(["--no-deref", "-m", "gavel: root"])
            .args([&format!("refs/heads/{name}"), commit.as_str(), zero]);
        self.git.run(call.flushed()).await?;
        Ok(commit)
    }

    async fn list(&self, commit: &CommitId) -> Result<Listing, RepositoryError> {
        let call = Call::new(Plumbing::LsTree).args(["-r", "-z", "--full-tree", commit.as_str()]);
        let answer = self.git.run(call).await?;
        let mut listing = Listing::default();
        for line in answer
            .stdout
            .split(|byte| *byte == 0)
            .filter(|line| !line.is_empty())
        {
            let line = String::from_utf8_lossy(line);
            let Some((meta, name)) = line.split_once('\t') else {
                return Err(answer.garbled().into());
            };
            listing.files += 1;
            if meta.starts_with("160000") {
                listing.submodules.push(name.to_owned());
            } else if name == ".gitattributes" || name.ends_with("/.gitattributes") {
                listing
                    .attributes
                    .extend(meta.split(' ').nth(2).map(str::to_owned));
            }
        }
        Ok(listing)
    }

    /// All attribute rules that count: of HEAD, and of this clone alone.
    async fn attributes(&self, objects: &[String]) -> Result<String, RepositoryError> {
        let mut rules = String::new();
        for object in objects {
            let call = Call::new(Plumbing::CatFile)
                .args(["blob", object])
                .cut_at(MAX_RULES);
            let answer: Answer = self.git.run(call).await?;
            rules.push_str(&String::from_utf8_lossy(&answer.stdout));
            rules.push('\n');
        }
        if let Ok(own) = fs::read_to_string(self.common_dir.join("info/attributes")) {
            rules.push_str(&own);
        }
        Ok(rules)
    }
}

#[derive(Debug, Default)]
struct Listing {
    files: u64,
    submodules: Vec<String>,
    attributes: Vec<String>,
}

/// Reads a config file as a file: nothing in it takes effect, and it includes nothing.
async fn read_settings(git: &Git, file: &Path) -> Result<Vec<(String, String)>, GitError> {
    if !file.exists() {
        return Ok(Vec::new());
    }
    let call =
        Call::new(Plumbing::Config)
            .arg("--file")
            .arg(file)
            .args(["--no-includes", "--list", "-z"]);
    let answer = git.run(call).await?;
    Ok(listed_settings(&answer.stdout))
}

/// Splits what `git config --list -z` printed: names and values in the order in which they stand. The
/// text is a stranger's, as git read it.
pub fn listed_settings(printed: &[u8]) -> Vec<(String, String)> {
    let text = String::from_utf8_lossy(printed);
    let settings = text.split_terminator('\0').map(|entry| {
        // A name without a value means true.
        let (name, value) = entry.split_once('\n').unwrap_or((entry, "true"));
        (name.to_owned(), value.to_owned())
    });
    settings.collect()
}

fn last<'a>(settings: &'a [(String, String)], name: &str) -> Option<&'a str> {
    let found = settings.iter().rev().find(|(found, _)| found == name);
    found.map(|(_, value)| value.as_str())
}

fn is_true(value: &str) -> bool {
    ["true", "yes", "on", "1"]
        .iter()
        .any(|word| value.eq_ignore_ascii_case(word))
}

fn has_rule(rules: &str, is_it: impl Fn(&str) -> bool) -> bool {
    rules
        .lines()
        .filter(|line| !line.trim_start().starts_with('#'))
        .any(|line| line.split_whitespace().skip(1).any(&is_it))
}
