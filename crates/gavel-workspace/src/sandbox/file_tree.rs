//! A root of its own: an empty tree into which only the policy's folders are bound.
//!
//! Landlock says who may open what; here the rest is not even there. That also covers what Landlock
//! does not: modes and times of files outside, socket files, other processes in `/proc`.

use std::ffi::CString;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::{fs, io};

use nix::sched::{CloneFlags, unshare};
use rustix::fs::{StatVfsMountFlags, statvfs};
use rustix::mount::{
    MountFlags, MountPropagationFlags, UnmountFlags, mount, mount_bind, mount_bind_recursive,
    mount_change, mount_remount, unmount,
};
use rustix::process::pivot_root;

use super::exec::{Broken, Stage};
use super::landlock::DEVICES;
use super::policy::{AlsoAt, Layer, Policy};

const STAGE: &str = "building the file tree";

/// Where the user's tree hangs while ours is built.
const OLD: &str = "/.old";

/// One thing to show: where, and the real file or folder behind it.
struct Shown {
    at: PathBuf,
    real: PathBuf,
    writable: bool,
}

impl Shown {
    /// True if other file systems hang below it.
    fn has_mounts(&self, mounts: &[(PathBuf, MountFlags)]) -> bool {
        let mut below = mounts.iter();
        below.any(|(place, _)| place.starts_with(&self.real) && *place != self.real)
    }
}

pub(crate) fn build(policy: &Policy) -> Result<(), Broken> {
    // Names are resolved while the user's tree is still the root: links are absolute in it.
    let shown = resolve(policy)?;
    let mounts = mounts_below(Path::new("/"))?;
    unshare(CloneFlags::CLONE_NEWNS).stage(STAGE)?;
    let private = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
    mount_change("/", private).stage(STAGE)?;
    let quiet = MountFlags::NOSUID | MountFlags::NODEV;
    mount("tmpfs", "/tmp", "tmpfs", quiet, Some(c"mode=0755")).stage(STAGE)?;
    fs::create_dir(Path::new("/tmp").join(OLD.trim_start_matches('/'))).stage(STAGE)?;
    pivot_root("/tmp", &*format!("/tmp{OLD}")).stage(STAGE)?;
    rustix::process::chdir("/").stage(STAGE)?;
    mount(
        "proc",
        make_folder("/proc")?,
        "proc",
        quiet | MountFlags::NOEXEC,
        None,
    )
    .stage(STAGE)?;
    for thing in &shown {
        let layer = policy.layers.iter().find(|one| one.folder == thing.at);
        show(thing, thing.has_mounts(&mounts), layer).map_err(|broken| Broken {
            detail: format!("{}: {}", thing.at.display(), broken.detail),
            ..broken
        })?;
    }
    devices(quiet)?;
    unmount(OLD, UnmountFlags::DETACH).stage(STAGE)?;
    fs::remove_dir(OLD).stage(STAGE)?;
    let closed = MountFlags::BIND | MountFlags::RDONLY | quiet;
    mount_remount("/", closed, c"").stage(STAGE)
}

fn resolve(policy: &Policy) -> Result<Vec<Shown>, Broken> {
    let mut shown = Vec::new();
    let parents_first = |list: &[PathBuf]| {
        let mut list = list.to_vec();
        list.sort();
        list
    };
    for at in parents_first(&policy.read_only) {
        if at.starts_with("/proc") || at.starts_with("/dev") {
            continue;
        }
        match fs::canonicalize(&at) {
            Ok(real) => shown.push(Shown {
                at,
                real,
                writable: false,
            }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(format!("{}: {error}", at.display())).stage(STAGE),
        }
    }
    for at in temporary_folders(policy) {
        shown.push(Shown {
            at: at.into(),
            real: policy.temp.clone(),
            writable: true,
        });
    }
    for at in parents_first(&policy.read_write) {
        shown.push(Shown {
            real: at.clone(),
            at,
            writable: true,
        });
    }
    // Rules of Landlock are about folders and not about names: they hold at each place.
    for AlsoAt { folder, at } in &policy.also_at {
        shown.push(Shown {
            at: at.clone(),
            real: folder.clone(),
            writable: policy.read_write.contains(folder),
        });
    }
    Ok(shown)
}

/// The usual temporary folders, behind which the policy's own is shown.
///
/// Not where something else must hang below one: its mount point would be made in the folder
/// behind, which commands can fill with links.
pub(crate) fn temporary_folders(policy: &Policy) -> impl Iterator<Item = &'static str> {
    let listed = || policy.read_write.iter().chain(&policy.read_only);
    let taken = move |at: &str| listed().any(|path| path.starts_with(at));
    ["/tmp", "/var/tmp"]
        .into_iter()
        .filter(move |at| !taken(at))
}

fn show(thing: &Shown, has_mounts: bool, layer: Option<&Layer>) -> Result<(), Broken> {
    let source = in_old(&thing.real)?;
    if fs::metadata(&source).stage(STAGE)?.is_dir() {
        make_folder(&thing.at)?;
    } else {
        make_folder(thing.at.parent().ok_or("no parent").stage(STAGE)?)?;
        if !thing.at.exists() {
            fs::File::create_new(&thing.at).stage(STAGE)?;
        }
    }
    if let Some(layer) = layer {
        return lay_over(&source, layer);
    }
    let mut wanted = MountFlags::BIND | MountFlags::NOSUID | MountFlags::NODEV;
    if !thing.writable {
        wanted |= MountFlags::RDONLY;
    }
    if !has_mounts {
        // The kernel writes out the whole table for every reader: most of what a sandbox costs.
        mount_bind(&source, &thing.at).stage(STAGE)?;
        return mount_remount(&thing.at, wanted | held_by(&thing.at)?, c"").stage(STAGE);
    }
    mount_bind_recursive(&source, &thing.at).stage(STAGE)?;
    for (place, held) in mounts_below(&thing.at)? {
        mount_remount(&place, wanted | held, c"").stage(STAGE)?;
    }
    Ok(())
}

/// The flags of the mount that a path lies in.
fn held_by(at: &Path) -> Result<MountFlags, Broken> {
    let found = statvfs(at).stage(STAGE)?.f_flag;
    let known = [
        (StatVfsMountFlags::RDONLY, MountFlags::RDONLY),
        (StatVfsMountFlags::NOSUID, MountFlags::NOSUID),
        (StatVfsMountFlags::NODEV, MountFlags::NODEV),
        (StatVfsMountFlags::NOEXEC, MountFlags::NOEXEC),
        (StatVfsMountFlags::NOATIME, MountFlags::NOATIME),
        (StatVfsMountFlags::NODIRATIME, MountFlags::NODIRATIME),
        (StatVfsMountFlags::RELATIME, MountFlags::RELATIME),
    ];
    let held = known.into_iter().filter(|(flag, _)| found.contains(*flag));
    Ok(held.fold(MountFlags::empty(), |all, (_, flag)| all | flag))
}

/// Where a path of the user's tree is while ours is built.
fn in_old(path: &Path) -> Result<PathBuf, Broken> {
    Ok(Path::new(OLD).join(path.strip_prefix("/").stage(STAGE)?))
}

/// Shows a folder under a layer that takes all changes.
fn lay_over(source: &Path, layer: &Layer) -> Result<(), Broken> {
    let (upper, scratch) = (in_old(&layer.upper())?, in_old(&layer.scratch())?);
    for folder in [&upper, &scratch] {
        fs::create_dir_all(folder).stage(STAGE)?;
    }
    let mut options = Vec::new();
    for (name, folder) in [
        ("lowerdir=", source),
        ("upperdir=", upper.as_path()),
        ("workdir=", scratch.as_path()),
    ] {
        options.extend_from_slice(name.as_bytes());
        for byte in folder.as_os_str().as_bytes() {
            if b",:\\".contains(byte) {
                options.push(b'\\');
            }
            options.push(*byte);
        }
        options.push(b',');
    }
    // Marks of the kernel's own are kept where also a user's namespace may write them.
    options.extend_from_slice(b"userxattr");
    let options = CString::new(options).stage(STAGE)?;
    let quiet = MountFlags::NOSUID | MountFlags::NODEV;
    mount("overlay", &layer.folder, "overlay", quiet, Some(&*options)).stage(STAGE)
}

fn make_folder<P: AsRef<Path>>(path: P) -> Result<P, Broken> {
    fs::create_dir_all(path.as_ref()).stage(STAGE)?;
    Ok(path)
}

fn devices(quiet: MountFlags) -> Result<(), Broken> {
    make_folder("/dev")?;
    for device in DEVICES {
        fs::File::create_new(device).stage(STAGE)?;
        mount_bind_recursive(&*format!("{OLD}{device}"), device).stage(STAGE)?;
    }
    make_folder("/dev/shm")?;
    mount(
        "tmpfs",
        "/dev/shm",
        "tmpfs",
        quiet,
        Some(c"mode=1777,size=256m"),
    )
    .stage(STAGE)?;
    for (link, target) in [
        ("fd", "/proc/self/fd"),
        ("stdin", "/proc/self/fd/0"),
        ("stdout", "/proc/self/fd/1"),
        ("stderr", "/proc/self/fd/2"),
    ] {
        symlink(target, Path::new("/dev").join(link)).stage(STAGE)?;
    }
    Ok(())
}

/// The mounts at and below a folder with the flags that they have: a user namespace may add flags
/// to an inherited mount but not take one away, and `remount` names the whole set.
fn mounts_below(folder: &Path) -> Result<Vec<(PathBuf, MountFlags)>, Broken> {
    let table = fs::read_to_string("/proc/self/mountinfo").stage(STAGE)?;
    let mounts = table.lines().filter_map(parse_mount);
    Ok(mounts
        .filter(|(place, _)| place.starts_with(folder))
        .collect())
}

fn parse_mount(line: &str) -> Option<(PathBuf, MountFlags)> {
    let mut fields = line.split(' ').skip(4);
    let place = unescape(fields.next()?);
    let flags = fields.next()?.split(',').map(|option| match option {
        "ro" => MountFlags::RDONLY,
        "nosuid" => MountFlags::NOSUID,
        "nodev" => MountFlags::NODEV,
        "noexec" => MountFlags::NOEXEC,
        "noatime" => MountFlags::NOATIME,
        "nodiratime" => MountFlags::NODIRATIME,
        "relatime" => MountFlags::RELATIME,
        _ => MountFlags::empty(),
    });
    Some((place, flags.fold(MountFlags::empty(), |all, one| all | one)))
}

/// Blanks and backslashes stand in the table as `\` and three octal digits.
fn unescape(text: &str) -> PathBuf {
    use std::os::unix::ffi::OsStringExt;
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        let code = tail
            .get(..3)
            .filter(|_| *first == b'\\')
            .and_then(|digits| str::from_utf8(digits).ok())
            .and_then(|digits| u8::from_str_radix(digits, 8).ok());
        bytes.push(code.unwrap_or(*first));
        rest = if code.is_some() {
            tail.get(3..).unwrap_or_default()
        } else {
            tail
        };
    }
    std::ffi::OsString::from_vec(bytes).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mount_line_gives_its_place_and_flags() {
        let line =
            "36 35 98:0 /mnt1 /my\\040tree\\134x ro,noexec,relatime master:1 - ext3 /dev/root rw";
        let flags = MountFlags::RDONLY | MountFlags::NOEXEC | MountFlags::RELATIME;
        assert_eq!(parse_mount(line), Some(("/my tree\\x".into(), flags)));
        assert_eq!(parse_mount("36 35"), None);
    }
    #[test]
    fn flags_are_the_same_whoever_is_asked_for_them() {
        let mounts = mounts_below(Path::new("/")).unwrap();
        for place in ["/", "/proc"].map(PathBuf::from) {
            // Of two at one place the later one is seen.
            let listed = mounts.iter().rfind(|(at, _)| *at == place).unwrap().1;
            let held = held_by(&place).unwrap();
            assert_eq!(
                held - MountFlags::RDONLY,
                listed - MountFlags::RDONLY,
                "{place:?}"
            );
            assert!(held.contains(listed), "{place:?}: {held:?}");
        }
    }

    #[test]
    fn only_what_hangs_below_makes_a_folder_one_with_mounts() {
        let mounts = ["/", "/home", "/home/me/disk"].map(|at| (at.into(), MountFlags::empty()));
        let has = |real: &str| {
            let shown = Shown {
                at: real.into(),
                real: real.into(),
                writable: false,
            };
            shown.has_mounts(&mounts)
        };
        assert!(has("/") && has("/home") && has("/home/me"));
        assert!(!has("/home/me/disk") && !has("/home/me/dis") && !has("/usr"));
    }
}
