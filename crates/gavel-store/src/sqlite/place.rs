//! Where the files lie, with which permissions, and on which file systems they may not lie.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use gavel_domain::{RunId, Timestamp};

/// The state folder and the names in it.
#[derive(Debug, Clone)]
pub(super) struct Place {
    state: PathBuf,
}

impl Place {
    pub(super) const fn new(state: PathBuf) -> Self {
        Self { state }
    }

    /// The folder.
    pub(super) fn folder(&self) -> &Path {
        &self.state
    }

    /// The database.
    pub(super) fn database(&self) -> PathBuf {
        self.state.join("gavel.db")
    }

    /// The lock that every opener shares and a migration holds alone.
    pub(super) fn store_lock(&self) -> PathBuf {
        self.state.join("store.lock")
    }

    /// The lock of a run's driver.
    pub(super) fn run_lock(&self, run: RunId) -> PathBuf {
        self.state.join("locks").join(format!("{run}.lock"))
    }

    /// The copy that a migration makes first.
    pub(super) fn copy(&self, schema: u32, at: Timestamp) -> PathBuf {
        let at = at.strftime("%Y%m%dT%H%M%S%fZ");
        self.state
            .join(format!("gavel.db.schema-{schema}-{at}.copy"))
    }

    /// True when there is a database file, of whatever content.
    pub(super) fn has_database(&self) -> io::Result<bool> {
        fs::exists(self.database())
    }

    /// Makes the folders, for their owner alone.
    pub(super) fn make_folders(&self) -> io::Result<()> {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(self.state.join("locks"))
    }

    /// Flushes the folder, so that a new file is still there after a power cut.
    pub(super) fn sync_folder(&self) -> io::Result<()> {
        File::open(&self.state)?.sync_all()
    }
}

/// Opens a lock file, for its owner alone; makes it when it is missing.
pub(super) fn open_lock(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(path)
}

/// Makes an empty file for its owner alone; an existing one is left alone and never opened.
///
/// SQLite's locks belong to the process: opening and closing its file ourselves would drop them.
pub(super) fn make_file(path: &Path) -> io::Result<()> {
    let made = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path);
    match made {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}

/// The name of the network file system that a folder lies on, or would lie on once it is made.
pub(super) fn network_file_system(folder: &Path) -> io::Result<Option<String>> {
    let Some(existing) = folder.ancestors().find(|path| path.exists()) else {
        return Ok(None);
    };
    kind::network(existing)
}

#[cfg(target_os = "linux")]
mod kind {
    use std::io;
    use std::path::Path;

    /// File systems whose locks or shared memory do not hold between machines, by `statfs` type.
    const NETWORK: [(u32, &str); 14] = [
        (0x6969, "nfs"),
        (0x517B, "smb"),
        (0xFF53_4D42, "cifs"),
        (0xFE53_4D42, "smb2"),
        (0x0102_1997, "9p"),
        (0x5346_414F, "afs"),
        (0x6B41_4653, "kafs"),
        (0x7375_7245, "coda"),
        (0x564C, "ncp"),
        (0x00C3_6400, "ceph"),
        (0x0BD0_0BD0, "lustre"),
        (0x4750_4653, "gpfs"),
        (0x0116_1970, "gfs2"),
        (0x7461_636F, "ocfs2"),
    ];
    const FUSE: u32 = 0x6573_5546;
    /// FUSE file systems that keep their files on this machine.
    const LOCAL_FUSE: [&str; 8] = [
        "fuseblk",
        "fuse.fuse-overlayfs",
        "fuse.ntfs-3g",
        "fuse.gocryptfs",
        "fuse.encfs",
        "fuse.bindfs",
        "fuse.mergerfs",
        "fuse.cryfs",
    ];

    pub(super) fn network(path: &Path) -> io::Result<Option<String>> {
        let word = i128::from(rustix::fs::statfs(path)?.f_type);
        if is(word, FUSE) {
            let mounts = std::fs::read_to_string("/proc/self/mountinfo")?;
            let kind = super::fuse_kind(&mounts, &path.canonicalize()?);
            return Ok((!LOCAL_FUSE.contains(&kind.as_str())).then_some(kind));
        }
        Ok(name(word).map(str::to_owned))
    }

    /// The name of a network file system, by its type.
    pub(super) fn name(word: i128) -> Option<&'static str> {
        let found = NETWORK.iter().find(|(magic, _)| is(word, *magic));
        found.map(|(_, name)| *name)
    }

    /// The width and the sign of the type differ between machines; its lower 32 bits do not.
    fn is(word: i128, magic: u32) -> bool {
        word & 0xFFFF_FFFF == i128::from(magic)
    }
}

/// Other systems do not tell by number; there SQLite's own locking errors are what is left.
#[cfg(not(target_os = "linux"))]
mod kind {
    use std::io;
    use std::path::Path;

    #[expect(clippy::unnecessary_wraps, reason = "the same shape as on Linux")]
    pub(super) fn network(_path: &Path) -> io::Result<Option<String>> {
        Ok(None)
    }
}

/// The type of the mount that a path lies on, from the text of `/proc/self/mountinfo`; a path that
/// is on none of them is on an unknown one.
#[cfg(target_os = "linux")]
fn fuse_kind(mountinfo: &str, path: &Path) -> String {
    let mounts = mountinfo.lines().filter_map(|line| {
        let (mount, filesystem) = line.split_once(" - ")?;
        let point = mount.split(' ').nth(4)?.replace("\\040", " ");
        let kind = filesystem.split(' ').next()?;
        Some((point, kind.to_owned()))
    });
    let nearest = mounts
        .filter(|(point, _)| path.starts_with(point))
        // Later lines lie over earlier ones of the same point, and `max_by_key` keeps the last.
        .max_by_key(|(point, _)| point.len());
    nearest.map_or_else(|| "fuse".to_owned(), |(_, kind)| kind)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::path::Path;

    use super::{fuse_kind, kind, network_file_system};

    const MOUNTS: &str = "\
22 1 254:0 / / rw,relatime - ext4 /dev/vda rw
40 22 0:35 / /home/me/far rw,nosuid - fuse.sshfs me@far:/ rw
41 22 0:36 / /home/me/my\\040disk rw,nosuid - fuseblk /dev/sdb1 rw
";

    #[test]
    fn the_nearest_mount_names_the_kind() {
        let kind = |path: &str| fuse_kind(MOUNTS, Path::new(path));
        assert_eq!(kind("/home/me/far/state"), "fuse.sshfs");
        assert_eq!(kind("/home/me/my disk/state"), "fuseblk");
        assert_eq!(kind("/home/me/farther"), "ext4");
        assert_eq!(kind("relative"), "fuse");
    }

    #[test]
    fn types_are_known_in_any_width() {
        assert_eq!(kind::name(0x6969), Some("nfs"));
        // As a 32-bit machine reports it, with the sign stretched.
        assert_eq!(
            kind::name(i128::from(0xFE53_4D42_u32.cast_signed())),
            Some("smb2")
        );
        assert_eq!(kind::name(0x0102_1997), Some("9p"));
        for local in [0xEF53, 0x0102_1994, 0x9123_683E, 0x5846_5342, 0x794C_7630] {
            assert_eq!(kind::name(local), None);
        }
    }

    #[test]
    fn a_local_folder_is_no_network_even_before_it_is_made() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("not/yet/there");
        assert_eq!(network_file_system(&inner).unwrap(), None);
    }
}
