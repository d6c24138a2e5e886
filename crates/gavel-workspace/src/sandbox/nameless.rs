//! Memory and disk in files that no folder names: they take room as long as somebody has them open or
//! mapped.
//!
//! A descriptor tells how large its file is. A mapping does so only to whoever may look through
//! `/proc/PID/map_files`, which takes root: for others the size counts that was seen while the file was
//! open. A memory file that was never seen open counts by what the whole machine's shared memory grew
//! meanwhile: more than that nobody hides in it.

use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

/// Which file: the numbers of its device, and its own.
type Id = (u32, u32, u64);

/// Mappings are looked at once the machine's shared memory grew by this part of what is allowed.
const PART: u64 = 16;

/// Bytes in files that have no name.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Nameless {
    /// In memory: of `memfd_create`, or shared without a file.
    pub(crate) memory: u64,
    /// Removed from the disk.
    pub(crate) unlinked: u64,
}

/// What was seen of them while a command runs.
#[derive(Debug)]
pub(crate) struct NamelessFiles {
    /// Sizes of files that were open when they were looked at.
    sizes: BTreeMap<Id, u64>,
    /// The machine's shared memory when the command began; none where the kernel does not tell.
    at_start: Option<u64>,
    /// No file is larger.
    largest: u64,
}

/// A file without a name that somebody has mapped.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Mapping<'a> {
    id: Id,
    /// The addresses, as the kernel writes them.
    range: &'a str,
    in_memory: bool,
}

/// What is known of a file so far.
#[derive(Debug, Clone, Copy)]
struct Found {
    in_memory: bool,
    bytes: Option<u64>,
    /// How much of it is mapped.
    mapped: u64,
}

impl NamelessFiles {
    pub(crate) fn begin(largest: u64) -> Self {
        Self {
            sizes: BTreeMap::new(),
            at_start: shared_memory(),
            largest,
        }
    }

    /// What is in memory, when a command may have so much of it. Mappings are looked at only where they
    /// can matter: they are many.
    pub(crate) fn memory(&mut self, processes: &[i32], allowed: u64) -> u64 {
        let grown = self.grown();
        let with_mappings = grown.is_none_or(|grown| grown > allowed / PART);
        self.look(processes, with_mappings, grown.unwrap_or(0))
            .memory
    }

    /// What was removed from the disk.
    pub(crate) fn unlinked(&mut self, processes: &[i32]) -> u64 {
        self.look(processes, true, 0).unlinked
    }

    fn grown(&self) -> Option<u64> {
        let now = shared_memory()?;
        Some(now.saturating_sub(self.at_start?))
    }

    fn look(&mut self, processes: &[i32], with_mappings: bool, grown: u64) -> Nameless {
        let mut files = BTreeMap::new();
        for pid in processes {
            self.look_at_open(*pid, &mut files);
        }
        if with_mappings {
            for pid in processes {
                self.look_at_mapped(*pid, &mut files);
            }
        }
        self.sum(files.values(), grown)
    }

    fn look_at_open(&mut self, pid: i32, files: &mut BTreeMap<Id, Found>) {
        let Ok(handles) = fs::read_dir(format!("/proc/{pid}/fd")) else {
            return;
        };
        for handle in handles.filter_map(Result::ok) {
            let Some((id, bytes)) = size_of(&handle.path()) else {
                continue;
            };
            if files.contains_key(&id) {
                continue;
            }
            let target = fs::read_link(handle.path());
            let in_memory =
                target.is_ok_and(|target| is_memory(target.as_os_str().as_encoded_bytes()));
            self.sizes.insert(id, bytes);
            let found = Found {
                in_memory,
                bytes: Some(bytes),
                mapped: 0,
            };
            files.insert(id, found);
        }
    }

    fn look_at_mapped(&self, pid: i32, files: &mut BTreeMap<Id, Found>) {
        let Ok(table) = fs::read(format!("/proc/{pid}/maps")) else {
            return;
        };
        let table = String::from_utf8_lossy(&table);
        for mapping in table.lines().filter_map(read_mapping) {
            let found = files.entry(mapping.id).or_insert_with(|| {
                let range = format!("/proc/{pid}/map_files/{}", mapping.range);
                let told = size_of(Path::new(&range)).filter(|(id, _)| *id == mapping.id);
                let bytes = told.map(|(_, bytes)| bytes);
                Found {
                    in_memory: mapping.in_memory,
                    bytes: bytes.or_else(|| self.sizes.get(&mapping.id).copied()),
                    mapped: 0,
                }
            });
            found.mapped = found.mapped.saturating_add(length(mapping.range));
        }
    }

    fn sum<'a>(&self, files: impl Iterator<Item = &'a Found>, grown: u64) -> Nameless {
        let mut sum = Nameless::default();
        let mut unknown = 0_u64;
        for file in files {
            match (file.in_memory, file.bytes) {
                (true, Some(bytes)) => sum.memory += bytes,
                (true, None) => unknown += 1,
                (false, bytes) => sum.unlinked += bytes.unwrap_or(file.mapped.min(self.largest)),
            }
        }
        let hidden = grown.saturating_sub(sum.memory);
        sum.memory += hidden.min(unknown.saturating_mul(self.largest));
        sum
    }
}

/// The id and the bytes of a plain file that no folder names.
fn size_of(path: &Path) -> Option<(Id, u64)> {
    let found: Metadata = fs::metadata(path).ok()?;
    if !found.is_file() || found.nlink() != 0 {
        return None;
    }
    let device = found.dev();
    let id = (
        rustix::fs::major(device),
        rustix::fs::minor(device),
        found.ino(),
    );
    Some((id, found.blocks() * 512))
}

/// True for what lies in memory, by the name that the kernel gives it.
fn is_memory(name: &[u8]) -> bool {
    name.starts_with(b"/memfd:") || name == b"/dev/zero (deleted)"
}

/// Reads a line of `/proc/PID/maps`; none for what has a name, or is no file.
fn read_mapping(line: &str) -> Option<Mapping<'_>> {
    let mut rest = line;
    let mut field = || {
        let (field, tail) = rest.split_once(' ')?;
        rest = tail.trim_start();
        Some(field)
    };
    let (range, _rights, _offset) = (field()?, field()?, field()?);
    let (major, minor) = field()?.split_once(':')?;
    let inode = field()?.parse().ok()?;
    // Segments of System V stand in a table of their own.
    if inode == 0 || !rest.ends_with(" (deleted)") || rest.starts_with("/SYSV") {
        return None;
    }
    let number = |text| u32::from_str_radix(text, 16).ok();
    Some(Mapping {
        id: (number(major)?, number(minor)?, inode),
        range,
        in_memory: is_memory(rest.as_bytes()),
    })
}

/// How much a range of addresses spans.
fn length(range: &str) -> u64 {
    let number = |text| u64::from_str_radix(text, 16).ok();
    let ends = range.split_once('-');
    let ends = ends.and_then(|(from, to)| Some((number(from)?, number(to)?)));
    ends.map_or(0, |(from, to)| to.saturating_sub(from))
}

/// The shared memory of the whole machine, in bytes.
fn shared_memory() -> Option<u64> {
    let table = fs::read_to_string("/proc/meminfo").ok()?;
    let line = table.lines().find_map(|line| line.strip_prefix("Shmem:"))?;
    let kilobytes: u64 = line.trim().trim_end_matches(" kB").parse().ok()?;
    Some(kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    #[test]
    fn a_mapping_without_a_name_is_read() {
        let line = "7fcba4e51000-7fcba4e52000 rw-s 00000000 00:01 25                         /memfd:a b (deleted)";
        let wanted = Mapping {
            id: (0, 1, 25),
            range: "7fcba4e51000-7fcba4e52000",
            in_memory: true,
        };
        assert_eq!(read_mapping(line), Some(wanted));
        assert_eq!(length("7fcba4e51000-7fcba4e52000"), 4096);
        let shared = "7f00-7f01 rw-s 00000000 00:01 26    /dev/zero (deleted)";
        assert!(read_mapping(shared).unwrap().in_memory);
        let removed = "7f00-7f01 r--s 00000000 fe:00 27    /srv/gone (deleted)";
        assert_eq!(
            read_mapping(removed).map(|one| (one.id, one.in_memory)),
            Some(((254, 0, 27), false))
        );
        for other in [
            "7f00-7f01 rw-p 00000000 00:00 0 ",
            "7f00-7f01 rw-p 00000000 00:00 0   [heap]",
            "7f00-7f01 r--p 00000000 fe:00 28   /usr/lib/libc.so.6",
            "7f00-7f01 rw-s 00000000 00:01 0    /SYSV00000000 (deleted)",
            "7f00-7f01 rw-s 00000000 00:01 3    /SYSV00000000 (deleted)",
            "",
        ] {
            assert_eq!(read_mapping(other), None, "{other}");
        }
    }

    #[test]
    fn what_nobody_saw_open_counts_by_what_the_machine_grew() {
        let files = NamelessFiles {
            sizes: BTreeMap::new(),
            at_start: Some(0),
            largest: 64 * MIB,
        };
        let of = |in_memory, bytes| Found {
            in_memory,
            bytes,
            mapped: MIB,
        };
        let known = [of(true, Some(8 * MIB)), of(false, Some(3 * MIB))];
        let sum = |files_seen: &[Found], grown| files.sum(files_seen.iter(), grown);
        let wanted = |memory, unlinked| Nameless { memory, unlinked };
        // What others have is not the command's.
        assert_eq!(sum(&known, 500 * MIB), wanted(8 * MIB, 3 * MIB));
        let hidden = [of(true, Some(8 * MIB)), of(true, None), of(false, None)];
        assert_eq!(sum(&hidden, 20 * MIB), wanted(20 * MIB, MIB));
        assert_eq!(sum(&hidden, 500 * MIB), wanted(72 * MIB, MIB));
        assert_eq!(sum(&hidden, 2 * MIB), wanted(8 * MIB, MIB));
    }
}
