//! Finds and kills everything that descends from this process, by reading `/proc`.

use std::collections::{BTreeSet, HashMap};
use std::{fs, io};

use rustix::process::{
    Pid, PidfdFlags, Signal, getpgrp, getpid, kill_process_group, pidfd_open, pidfd_send_signal,
};

use super::nameless::NamelessFiles;

/// One process, as `/proc/PID/stat` shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Process {
    pid: i32,
    /// A thread that lives: its first one may have ended, and shows nothing any more.
    shown_by: i32,
    parent: i32,
    group: i32,
    /// Its first thread is over.
    ended: bool,
    /// All of them are.
    dead: bool,
    threads: u64,
    started: u64,
    resident_pages: u64,
}

/// The living descendants of this process.
#[derive(Debug)]
pub(crate) struct Descendants(Vec<Process>);

impl Descendants {
    pub(crate) fn of_self() -> io::Result<Self> {
        let mut children: HashMap<i32, Vec<Process>> = HashMap::new();
        for entry in fs::read_dir("/proc")? {
            let name = entry?.file_name();
            let Some(pid) = name.to_str().and_then(|name| name.parse::<i32>().ok()) else {
                continue;
            };
            if let Some(process) = read(pid) {
                children.entry(process.parent).or_default().push(process);
            }
        }
        let mut found = Vec::new();
        let mut parents = vec![getpid().as_raw_nonzero().get()];
        while let Some(parent) = parents.pop() {
            for process in children.remove(&parent).unwrap_or_default() {
                parents.push(process.pid);
                found.push(process);
            }
        }
        Ok(Self(found))
    }

    /// Processes and threads; the dead wait only to be collected and do not count.
    pub(crate) fn tasks(&self) -> u64 {
        self.alive().map(|process| process.threads).sum()
    }

    /// Memory in bytes: what is resident, and what lies in memory files. Shared pages count once for
    /// each process; those of memory files count once, whether anybody has touched them or not.
    /// Segments of System V count where the caller has a namespace of its own for them.
    pub(crate) fn memory(
        &self,
        segments: Segments,
        files: &mut NamelessFiles,
        allowed: u64,
    ) -> u64 {
        let pages: u64 = self.alive().map(|process| process.resident_pages).sum();
        let resident = pages.saturating_mul(rustix::param::page_size() as u64);
        let in_files = files.memory(&self.ids(), allowed)
            + match segments {
                Segments::Own => fs::read_to_string("/proc/sysvipc/shm")
                    .map_or(0, |table| resident_segments(&table)),
                Segments::Everybodys => 0,
            };
        if in_files == 0 {
            return resident;
        }
        let mapped: u64 = self.alive().map(|process| shared(process.shown_by)).sum();
        resident.saturating_sub(mapped.min(in_files)) + in_files
    }

    /// What lies in files of the disk that no folder names.
    pub(crate) fn unlinked(&self, files: &mut NamelessFiles) -> u64 {
        files.unlinked(&self.ids())
    }

    fn ids(&self) -> Vec<i32> {
        self.alive().map(|process| process.shown_by).collect()
    }

    fn alive(&self) -> impl Iterator<Item = &Process> {
        self.0.iter().filter(|process| !process.dead)
    }
}

/// Whose segments of shared memory this process sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Segments {
    /// Those of the command alone.
    Own,
    /// Those of the whole machine.
    Everybodys,
}

/// The resident bytes of the segments in a table of `/proc/sysvipc/shm`.
fn resident_segments(table: &str) -> u64 {
    let mut lines = table.lines().map(str::split_ascii_whitespace);
    let column = lines
        .next()
        .and_then(|mut head| head.position(|name| name == "rss"));
    let Some(column) = column else { return 0 };
    lines
        .filter_map(|mut fields| fields.nth(column)?.parse::<u64>().ok())
        .sum()
}

/// Resident pages of a process that others share, in bytes.
fn shared(pid: i32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("RssShmem:"));
    let kilobytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1024
}

/// Sends `SIGKILL` to every living descendant and says how many there were.
///
/// Whole groups come first: the kernel kills a group's members in one go, so that a fork bomb
/// cannot breed faster than a list is walked. The command starts in a session of its own, thus no
/// group of a descendant has members from outside.
pub(crate) fn kill_all() -> io::Result<u64> {
    let found = Descendants::of_self()?;
    let own = getpgrp().as_raw_nonzero().get();
    let groups: BTreeSet<i32> = found.alive().map(|process| process.group).collect();
    for group in groups.into_iter().filter(|group| *group != own) {
        if let Some(group) = Pid::from_raw(group) {
            kill_process_group(group, Signal::KILL).ok();
        }
    }
    let mut killed = 0;
    for process in found.alive() {
        killed += u64::from(kill(process));
    }
    Ok(killed)
}

/// Kills this very process: its number may belong to a stranger by now, its start time cannot.
fn kill(process: &Process) -> bool {
    let Some(pid) = Pid::from_raw(process.pid) else {
        return false;
    };
    let Ok(handle) = pidfd_open(pid, PidfdFlags::empty()) else {
        return false;
    };
    let same = read(process.pid).is_some_and(|now| now.started == process.started);
    same && pidfd_send_signal(&handle, Signal::KILL).is_ok()
}

fn read(pid: i32) -> Option<Process> {
    let process = parse(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)?;
    if process.ended && !process.dead {
        return Some(of_a_living_thread(process).unwrap_or(process));
    }
    Some(process)
}

/// The same process as one of its other threads shows it.
fn of_a_living_thread(process: Process) -> Option<Process> {
    let pid = process.pid;
    let threads = fs::read_dir(format!("/proc/{pid}/task")).ok()?;
    let ids = threads.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok());
    let mut living = ids.filter_map(|id| {
        let stat = fs::read_to_string(format!("/proc/{pid}/task/{id}/stat")).ok()?;
        parse(&stat).filter(|thread| !thread.ended)
    });
    let thread = living.next()?;
    Some(Process {
        shown_by: thread.pid,
        resident_pages: thread.resident_pages,
        ..process
    })
}

/// Parses a `stat` line. The name in parentheses may itself hold spaces and parentheses.
fn parse(stat: &str) -> Option<Process> {
    let (head, tail) = stat.rsplit_once(')')?;
    let (pid, _) = head.split_once(' ')?;
    let fields: Vec<&str> = tail.split_ascii_whitespace().collect();
    let number = |index: usize| fields.get(index)?.parse::<u64>().ok();
    let pid = pid.parse().ok()?;
    let ended = matches!(*fields.first()?, "Z" | "X");
    let threads = number(17)?;
    Some(Process {
        pid,
        shown_by: pid,
        parent: fields.get(1)?.parse().ok()?,
        group: fields.get(2)?.parse().ok()?,
        ended,
        dead: ended && threads <= 1,
        threads,
        started: number(19)?,
        resident_pages: number(21)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_are_counted_by_what_is_resident() {
        let table = "       key      shmid perms                  size  cpid  lpid nattch   uid   gid  \
            cuid  cgid      atime      dtime      ctime                   rss                  swap\n\
            0          0   600               4194304   912   912      0     0     0     0     0          \
            0          0 1700000000               1048576                     0\n\
            0          1   600                  4096   912   912      0     0     0     0     0          \
            0          0 1700000000                  4096                     0\n";
        assert_eq!(resident_segments(table), 1_048_576 + 4096);
        assert_eq!(resident_segments(""), 0);
        assert_eq!(resident_segments("key shmid\n1 2\n"), 0);
    }

    #[test]
    fn a_name_with_parentheses_and_spaces_is_skipped() {
        let line =
            "42 (a) R 1 (x) S 7 42 42 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 3 0 9911 8192 77 18\n";
        let expected = Process {
            pid: 42,
            shown_by: 42,
            parent: 7,
            group: 42,
            ended: false,
            dead: false,
            threads: 3,
            started: 9911,
            resident_pages: 77,
        };
        assert_eq!(parse(line), Some(expected));
        assert_eq!(parse("42 (half a li"), None);
        let over = |threads: u32| {
            let line =
                format!("42 (a) Z 7 42 42 0 -1 0 1 0 0 0 0 0 0 0 20 0 {threads} 0 9911 0 0 18");
            parse(&line).map(|process| (process.ended, process.dead))
        };
        assert_eq!(over(1), Some((true, true)));
        assert_eq!(over(3), Some((true, false)), "its other threads live");
    }
}
