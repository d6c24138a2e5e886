//! One tree on the disk: files are opened below its root or not at all.
//!
//! The kernel resolves every path (`openat2` with `RESOLVE_BENEATH`), so a symlink that leaves the
//! tree is refused at the moment of opening and nobody can swap it in between. Where `openat2` is
//! missing, no symlink is followed at all. These functions block; they touch one file each.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::fd::{AsFd, AsRawFd as _, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;

use crate::credentials::is_credential_file;
use crate::path::{PathError, RepoDir, RepoPath};

const NEW_FILE_MODE: u32 = 0o644;
const NEW_FOLDER_MODE: u32 = 0o755;
const OPEN_TRIES: u32 = 8;

/// Makes the names of temporary files unique inside this process.
static NEXT_TEMP: AtomicU64 = AtomicU64::new(0);

/// Why a file was not opened, written or removed.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// There is nothing of that name.
    #[error("`{path}` does not exist: list its folder to see what does")]
    NotFound {
        /// What was asked for.
        path: String,
    },
    /// A symlink leads out of the tree.
    #[error("`{path}` leads out of the tree through a symlink, which is not followed")]
    LeavesTree {
        /// What was asked for.
        path: String,
    },
    /// A symlink leads to a place that has no address: git's own folder, or a name without one.
    #[error("`{path}` leads to a place that no tool may touch")]
    Unaddressable {
        /// What was asked for.
        path: String,
        /// What is wrong with the place.
        #[source]
        source: PathError,
    },
    /// The file holds credentials; its content never leaves the machine.
    #[error("`{path}` is a credential file: it is never read, ask a person for what is needed")]
    Credential {
        /// What was asked for.
        path: String,
    },
    /// A symlink would have to be written through.
    #[error("`{path}` is a symlink to `{target}`: name the file itself")]
    IsSymlink {
        /// What was asked for.
        path: String,
        /// Where it points, as it is written there.
        target: String,
    },
    /// It is a folder, a socket, a pipe or a device; or a file where a folder is needed.
    #[error("`{path}` is not {wanted}")]
    WrongKind {
        /// What was asked for.
        path: String,
        /// What it should have been.
        wanted: &'static str,
    },
    /// The system said no.
    #[error("`{path}` could not be used")]
    Io {
        /// What was asked for.
        path: String,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
}

/// The content of a file, as far as it was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileContent {
    /// The first bytes, at most as many as asked for.
    pub bytes: Vec<u8>,
    /// How many bytes the file has.
    pub total_bytes: u64,
}

impl FileContent {
    /// How many bytes were left out.
    pub fn left_out(&self) -> u64 {
        self.total_bytes.saturating_sub(self.bytes.len() as u64)
    }

    /// True when it holds a NUL: not a text for people.
    pub fn is_binary(&self) -> bool {
        self.bytes.contains(&0)
    }
}

/// The root of a tree. All reading and writing of files by tools goes through one of these.
#[derive(Debug)]
pub struct TreeRoot {
    path: PathBuf,
    folder: OwnedFd,
}

impl TreeRoot {
    /// Opens an existing folder as the root of a tree.
    pub fn open(path: &Path) -> Result<Self, FileError> {
        let shown = path.display().to_string();
        if !path.is_absolute() {
            let wanted = "an absolute path";
            return Err(FileError::WrongKind {
                path: shown,
                wanted,
            });
        }
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder = rustix::fs::open(path, flags, Mode::empty())
            .map_err(|errno| refuse(&shown, errno, "a folder"))?;
        let path = real_path(&folder).map_err(|source| FileError::Io {
            path: shown,
            source,
        })?;
        Ok(Self { path, folder })
    }

    /// The root, with all symlinks resolved.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads the first `max_bytes` bytes of a file.
    ///
    /// A symlink that stays inside the tree is followed; a credential file is refused under its own
    /// name and under every other.
    pub fn read(&self, path: &RepoPath, max_bytes: usize) -> Result<FileContent, FileError> {
        let file = self.open_file(path)?;
        let io = |source| FileError::Io {
            path: path.to_string(),
            source,
        };
        let total_bytes = file.metadata().map_err(io)?.len();
        let mut bytes = Vec::new();
        let limit = u64::try_from(max_bytes).unwrap_or(u64::MAX);
        file.take(limit).read_to_end(&mut bytes).map_err(io)?;
        let total_bytes = total_bytes.max(bytes.len() as u64);
        Ok(FileContent { bytes, total_bytes })
    }

    /// Opens a regular file for reading, under the rules of [`TreeRoot::read`].
    pub(crate) fn open_file(&self, path: &RepoPath) -> Result<File, FileError> {
        if is_credential_file(path) {
            return Err(FileError::Credential {
                path: path.to_string(),
            });
        }
        // Without NONBLOCK, opening a pipe would wait for somebody to write into it.
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let opened = self.open_beneath(path.as_path(), flags);
        let file = opened.map_err(|errno| refuse(path.as_str(), errno, "a file"))?;
        let place = self.place_of(&file, path)?;
        if place.is_some_and(|place| is_credential_file(&place)) {
            return Err(FileError::Credential {
                path: path.to_string(),
            });
        }
        regular(file, path)
    }

    /// Opens a regular file whose name is fixed and of which only known words are taken, so that it may
    /// be one that can hold credentials.
    pub(crate) fn open_settings(&self, path: &RepoPath) -> Result<File, FileError> {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let opened = self.open_beneath(path.as_path(), flags);
        let file = opened.map_err(|errno| refuse(path.as_str(), errno, "a file"))?;
        regular(file, path)
    }

    /// Writes a file whole: into a temporary file beside it, which then takes its name.
    ///
    /// Missing folders are made. A file that was there keeps its mode; a new one is not executable.
    /// Hard links to the old content keep the old content.
    pub fn write(&self, path: &RepoPath, bytes: &[u8]) -> Result<(), FileError> {
        let folder = self.open_or_make_folder(path)?;
        let mode = match self.entry(&folder, path)? {
            Some(stat) => Mode::from_raw_mode(stat.st_mode) & Mode::from_raw_mode(0o777),
            None => Mode::from_raw_mode(NEW_FILE_MODE),
        };
        let number = NEXT_TEMP.fetch_add(1, Ordering::Relaxed);
        let temp = format!(".gavel-{}-{number}.tmp", std::process::id());
        let written = write_new(&folder, &temp, bytes, mode).and_then(|()| {
            rustix::fs::renameat(&folder, temp.as_str(), &folder, path.name())
                .map_err(std::io::Error::from)
        });
        written.map_err(|source| {
            let left = rustix::fs::unlinkat(&folder, temp.as_str(), AtFlags::empty());
            if left.is_err_and(|errno| errno != Errno::NOENT) {
                tracing::warn!(%path, temp, "a temporary file stays until the tree is restored");
            }
            FileError::Io {
                path: path.to_string(),
                source,
            }
        })
    }

    /// Removes a file, or a symlink itself.
    pub fn remove(&self, path: &RepoPath) -> Result<(), FileError> {
        let folder = self.open_folder(&path.folder())?;
        rustix::fs::unlinkat(&folder, path.name(), AtFlags::empty())
            .map_err(|errno| refuse(path.as_str(), errno, "a file"))
    }

    /// Opens a folder below the root, or the root itself.
    pub(crate) fn open_folder(&self, folder: &RepoDir) -> Result<OwnedFd, FileError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        match folder.path() {
            None => rustix::fs::openat(&self.folder, ".", flags, Mode::empty())
                .map_err(|errno| refuse(".", errno, "a folder")),
            Some(path) => {
                let opened = self.open_beneath(path.as_path(), flags);
                let opened = opened.map_err(|errno| refuse(path.as_str(), errno, "a folder"))?;
                self.place_of(&opened, path)?;
                Ok(opened)
            }
        }
    }

    fn open_or_make_folder(&self, path: &RepoPath) -> Result<OwnedFd, FileError> {
        let folder = path.folder();
        match self.open_folder(&folder) {
            Err(FileError::NotFound { .. }) => {}
            opened => return opened,
        }
        let mut here = RepoDir::ROOT;
        let mut opened = self.open_folder(&here)?;
        for segment in folder.path().into_iter().flat_map(RepoPath::segments) {
            let made = rustix::fs::mkdirat(&opened, segment, Mode::from_raw_mode(NEW_FOLDER_MODE));
            if let Err(errno) = made
                && errno != Errno::EXIST
            {
                return Err(refuse(path.as_str(), errno, "in a folder"));
            }
            let next = here
                .join(segment)
                .map_err(|source| FileError::Unaddressable {
                    path: path.to_string(),
                    source,
                })?;
            here = RepoDir::from(next);
            opened = self.open_folder(&here)?;
        }
        Ok(opened)
    }

    /// What stands under the name now; a symlink or anything but a file is refused.
    fn entry(
        &self,
        folder: &OwnedFd,
        path: &RepoPath,
    ) -> Result<Option<rustix::fs::Stat>, FileError> {
        let stat = match rustix::fs::statat(folder, path.name(), AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => stat,
            Err(Errno::NOENT) => return Ok(None),
            Err(errno) => return Err(refuse(path.as_str(), errno, "a file")),
        };
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => Ok(Some(stat)),
            FileType::Symlink => {
                let target = rustix::fs::readlinkat(folder, path.name(), Vec::new())
                    .map_err(|errno| refuse(path.as_str(), errno, "a file"))?;
                Err(FileError::IsSymlink {
                    path: path.to_string(),
                    target: target.to_string_lossy().into_owned(),
                })
            }
            FileType::Directory
            | FileType::Fifo
            | FileType::Socket
            | FileType::CharacterDevice
            | FileType::BlockDevice
            | FileType::Unknown => Err(FileError::WrongKind {
                path: path.to_string(),
                wanted: "a file",
            }),
        }
    }

    fn open_beneath(&self, path: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
        for _ in 0..OPEN_TRIES {
            match rustix::fs::openat2(&self.folder, path, flags, Mode::empty(), resolve) {
                // Something was renamed while the kernel looked.
                Err(Errno::AGAIN) => {}
                Err(Errno::NOSYS | Errno::PERM) => return self.descend(path, flags),
                opened => return opened,
            }
        }
        Err(Errno::AGAIN)
    }

    /// The way without `openat2`: segment by segment, no symlink at all.
    fn descend(&self, path: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
        let on_the_way = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let Some(name) = path.file_name() else {
            return Err(Errno::INVAL);
        };
        let mut folder = self.folder.try_clone().map_err(|_error| Errno::MFILE)?;
        for segment in path.parent().into_iter().flat_map(Path::components) {
            folder = rustix::fs::openat(&folder, segment.as_os_str(), on_the_way, Mode::empty())?;
        }
        rustix::fs::openat(&folder, name, flags | OFlags::NOFOLLOW, Mode::empty())
    }

    /// Where an opened file really lies; `None` is the root itself.
    fn place_of(&self, opened: &OwnedFd, path: &RepoPath) -> Result<Option<RepoPath>, FileError> {
        let real = real_path(opened).map_err(|source| FileError::Io {
            path: path.to_string(),
            source,
        })?;
        let Ok(place) = real.strip_prefix(&self.path) else {
            return Err(FileError::LeavesTree {
                path: path.to_string(),
            });
        };
        if place.as_os_str().is_empty() {
            return Ok(None);
        }
        RepoPath::from_path(place)
            .map(Some)
            .map_err(|source| FileError::Unaddressable {
                path: path.to_string(),
                source,
            })
    }
}

fn write_new(folder: &OwnedFd, name: &str, bytes: &[u8], mode: Mode) -> std::io::Result<()> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut file = File::from(rustix::fs::openat(folder, name, flags, mode)?);
    file.write_all(bytes)?;
    // The mask of this process must not take bits from a file that had them.
    rustix::fs::fchmod(&file, mode)?;
    Ok(())
}

fn regular(file: OwnedFd, path: &RepoPath) -> Result<File, FileError> {
    match file_type(&file, path)? {
        FileType::RegularFile => Ok(File::from(file)),
        FileType::Directory
        | FileType::Symlink
        | FileType::Fifo
        | FileType::Socket
        | FileType::CharacterDevice
        | FileType::BlockDevice
        | FileType::Unknown => Err(FileError::WrongKind {
            path: path.to_string(),
            wanted: "a file",
        }),
    }
}

fn file_type(file: &impl AsFd, path: &RepoPath) -> Result<FileType, FileError> {
    rustix::fs::fstat(file)
        .map(|stat| FileType::from_raw_mode(stat.st_mode))
        .map_err(|errno| refuse(path.as_str(), errno, "a file"))
}

fn real_path(opened: &OwnedFd) -> std::io::Result<PathBuf> {
    std::fs::read_link(format!("/proc/self/fd/{}", opened.as_raw_fd()))
}

fn refuse(path: &str, errno: Errno, wanted: &'static str) -> FileError {
    let path = path.to_owned();
    match errno {
        Errno::NOENT => FileError::NotFound { path },
        Errno::XDEV | Errno::LOOP => FileError::LeavesTree { path },
        Errno::NOTDIR | Errno::ISDIR | Errno::NXIO => FileError::WrongKind { path, wanted },
        _ => FileError::Io {
            path,
            source: errno.into(),
        },
    }
}
