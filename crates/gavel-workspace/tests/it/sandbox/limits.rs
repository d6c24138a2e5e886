use std::time::Duration;

use gavel_workspace::{Exit, Walls};

use crate::room::{Room, alive};

#[tokio::test]
async fn the_deadline_ends_everything() {
    for mut room in Room::each().await {
        room.limits.wall_ms = 300;
        let mark = room.mark();
        let script = format!("trap '' TERM INT HUP; setsid sleep {mark} & sleep {mark}");
        let outcome = room.run(["sh", "-c", &script]).await;
        assert_eq!(outcome.exit, Exit::Deadline);
        assert!(outcome.elapsed < Duration::from_secs(10), "{outcome:?}");
        assert_eq!(alive(&mark), 0);
        room.limits.wall_ms = 20_000;
        assert_eq!(room.run(["sleep", "0.4"]).await.exit, Exit::Code(0));
    }
}

/// Doubles as fast as it can, in one session or each in its own. It stops at about a thousand, so
/// that a broken sandbox costs a test and not the machine.
fn bomb(mark: &str, session: &str) -> String {
    format!(
        "import os, time\nmark = '{mark}'\nfor _ in range(10):\n    try:\n        \
         if os.fork() == 0: {session}\n    except OSError: pass\ntime.sleep(60)\n"
    )
}

#[tokio::test]
async fn a_fork_bomb_is_ended_and_the_machine_lives() {
    for mut room in Room::each().await {
        room.limits.tasks = 100;
        room.limits.wall_ms = 5_000;
        for session in ["pass", "os.setsid()"] {
            let mark = room.mark();
            let outcome = room.run(["python3", "-c", &bomb(&mark, session)]).await;
            // For other users than root the kernel refuses the forks, and time runs out.
            assert!(
                matches!(outcome.exit, Exit::Tasks | Exit::Deadline),
                "{outcome:?}"
            );
            assert_eq!(alive(&mark), 0);
        }
        let many = "for i in $(seq 20); do sleep 0.2 & done; wait";
        assert_eq!(room.run(["sh", "-c", many]).await.exit, Exit::Code(0));
    }
}

#[tokio::test]
async fn memory_is_bounded_over_all_processes() {
    for mut room in Room::each().await {
        let script = "b = bytearray(400 << 20); import time; time.sleep(0.5)";
        room.limits.memory_bytes = 200 << 20;
        let outcome = room.run(["python3", "-c", script]).await;
        assert_eq!(outcome.exit, Exit::Memory);
        room.limits.memory_bytes = 1 << 30;
        let outcome = room.run(["python3", "-c", script]).await;
        assert_eq!(outcome.exit, Exit::Code(0));
        room.limits.address_space = Some(300 << 20);
        let outcome = room.run(["python3", "-c", script]).await;
        assert_eq!(outcome.exit, Exit::Code(1));
        assert!(outcome.output.text.contains("MemoryError"));
    }
}

#[tokio::test]
async fn files_cannot_grow_without_end() {
    for mut room in Room::each().await {
        let write = ["dd", "if=/dev/zero", "of=big", "bs=1M", "count=4"];
        room.limits.file_bytes = 1 << 20;
        assert_ne!(room.run(write).await.exit, Exit::Code(0));
        assert_eq!(room.tree().join("big").metadata().unwrap().len(), 1 << 20);
        room.limits.file_bytes = 1 << 30;
        assert_eq!(room.run(write).await.exit, Exit::Code(0));
    }
}

#[tokio::test]
async fn an_output_flood_is_ended_and_long_output_is_cut() {
    for mut room in Room::each().await {
        room.limits.output_flood = 4 << 20;
        let outcome = room.run(["yes"]).await;
        assert_eq!(outcome.exit, Exit::Flood);
        assert!(outcome.output.text.len() < room.limits.kept_output + 100);
        assert!(outcome.output.total_bytes > 4 << 20);

        let outcome = room.run(["seq", "100000"]).await;
        assert_eq!(outcome.exit, Exit::Code(0));
        let text = &outcome.output.text;
        assert!(text.starts_with("1\n2\n") && text.ends_with("\n99999\n100000\n"));
        assert_eq!(outcome.output.total_bytes, 588_895);
        assert_eq!(outcome.output.notes().len(), 1);
    }
}

#[tokio::test]
async fn output_that_is_not_text_is_shown_and_said() {
    for room in Room::each().await {
        let outcome = room.run(["printf", r"a\377b"]).await;
        assert_eq!(outcome.output.text, "a\u{fffd}b");
        assert!(outcome.output.replaced_bytes);
    }
}

#[tokio::test]
async fn the_disk_is_bounded_over_all_files() {
    for mut room in Room::each().await {
        room.limits = room.limits.clone().with_disk(16 << 20);
        let many = "for i in $(seq 100); do dd if=/dev/zero of=part$i bs=1M count=1 2>/dev/null; done; \
            sleep 60";
        let unlinked = "import os, time\nf = open('gone', 'wb')\nos.unlink('gone')\n\
            f.write(b'x' * (60 << 20))\nf.flush()\ntime.sleep(60)\n";
        for attack in [["sh", "-c", many], ["python3", "-c", unlinked]] {
            let outcome = room.run(attack).await;
            assert_eq!(
                outcome.exit,
                Exit::Disk { allowed: 16 << 20 },
                "{outcome:?}"
            );
            assert!(outcome.elapsed < Duration::from_secs(30), "{outcome:?}");
            for number in 1..=100 {
                std::fs::remove_file(room.tree().join(format!("part{number}"))).ok();
            }
        }
        // What is there already counts for the build, and a command adds less than it may.
        let normal =
            "mkdir -p target && dd if=/dev/zero of=target/built bs=1M count=8 2>/dev/null; sleep 1";
        assert_eq!(room.run(["sh", "-c", normal]).await.exit, Exit::Code(0));
        assert_eq!(room.run(["sh", "-c", normal]).await.exit, Exit::Code(0));
    }
}

#[tokio::test]
async fn memory_in_files_without_a_name_counts() {
    for mut room in Room::each().await {
        let script = |bytes: u32| {
            format!(
                "import os, time\nfd = os.memfd_create('m')\nblock = b'x' * (1 << 20)\n\
                 for _ in range({bytes} >> 20): os.write(fd, block)\ntime.sleep(1)\n"
            )
        };
        room.limits.memory_bytes = 200 << 20;
        let outcome = room.run(["python3", "-c", &script(400 << 20)]).await;
        assert_eq!(outcome.exit, Exit::Memory);
        let outcome = room.run(["python3", "-c", &script(50 << 20)]).await;
        assert_eq!(outcome.exit, Exit::Code(0));
        if room.walls != Walls::Namespaces {
            continue;
        }
        let segment = |bytes: u32| {
            format!(
                "import ctypes, time\nc = ctypes.CDLL(None)\nc.shmat.restype = ctypes.c_void_p\n\
                 for i in range({bytes} >> 25):\n    m = c.shmget(0, 1 << 25, 0o1600)\n    \
                 p = c.shmat(m, None, 0)\n    ctypes.memset(ctypes.c_void_p(p), 1, 1 << 25)\n    \
                 c.shmdt(ctypes.c_void_p(p))\ntime.sleep(1)\n"
            )
        };
        let outcome = room.run(["python3", "-c", &segment(400 << 20)]).await;
        assert_eq!(outcome.exit, Exit::Memory);
        let outcome = room.run(["python3", "-c", &segment(50 << 20)]).await;
        assert_eq!(outcome.exit, Exit::Code(0));
    }
}

/// Calls of the C library, since Python keeps what it maps open.
const MAPPING: &str = "import ctypes, os, time\nc = ctypes.CDLL(None, use_errno=True)\n\
    c.mmap.restype = ctypes.c_void_p\n\
    c.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]\n\
    c.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]\n\
    def held(p):\n    assert p not in (None, ctypes.c_void_p(-1).value), os.strerror(ctypes.get_errno())\n    return p\n";

/// Memory files of which one page is mapped, and that nobody has open.
fn mapped_and_closed(mebibytes: u32) -> String {
    format!(
        "{MAPPING}block = b'x' * (1 << 20)\nfor _ in range({mebibytes} >> 3):\n    \
         fd = os.memfd_create('m')\n    for _ in range(8): os.write(fd, block)\n    \
         held(c.mmap(None, 4096, 1, 1, fd, 0))\n    os.close(fd)\ntime.sleep(1)\n"
    )
}

/// Memory that is shared without a file, and that the process has let go of in its own pages.
fn shared_and_let_go(mebibytes: u32) -> String {
    format!(
        "{MAPPING}size = {mebibytes} << 20\nstep = 8 << 20\np = held(c.mmap(None, size, 3, 0x21, -1, 0))\n\
         for at in range(0, size, step):\n    ctypes.memset(p + at, 1, step)\n    \
         assert c.madvise(p + at, step, 4) == 0\ntime.sleep(1)\n"
    )
}

#[tokio::test]
async fn memory_that_is_only_mapped_counts() {
    for mut room in Room::each().await {
        room.limits.memory_bytes = 200 << 20;
        for script in [mapped_and_closed, shared_and_let_go] {
            let outcome = room.run(["python3", "-c", &script(400)]).await;
            assert_eq!(outcome.exit, Exit::Memory, "{}", outcome.output.text);
            let outcome = room.run(["python3", "-c", &script(48)]).await;
            assert_eq!(outcome.exit, Exit::Code(0), "{}", outcome.output.text);
        }
    }
}

/// Removed files of which one page is mapped, and that nobody has open.
fn removed_and_mapped(mebibytes: u32) -> String {
    format!(
        "{MAPPING}block = b'x' * (1 << 20)\nfor _ in range({mebibytes} >> 2):\n    \
         fd = os.open('gone', os.O_RDWR | os.O_CREAT)\n    os.unlink('gone')\n    \
         for _ in range(4): os.write(fd, block)\n    os.fsync(fd)\n    \
         held(c.mmap(None, 4 << 20, 1, 1, fd, 0))\n    os.close(fd)\ntime.sleep(3)\n"
    )
}

#[tokio::test]
async fn removed_files_that_are_only_mapped_count_for_the_disk() {
    for mut room in Room::each().await {
        room.limits = room.limits.clone().with_disk(16 << 20);
        let outcome = room.run(["python3", "-c", &removed_and_mapped(80)]).await;
        let allowed = 16 << 20;
        assert_eq!(outcome.exit, Exit::Disk { allowed }, "{outcome:?}");
        let outcome = room.run(["python3", "-c", &removed_and_mapped(8)]).await;
        assert_eq!(outcome.exit, Exit::Code(0), "{outcome:?}");
    }
}

#[tokio::test]
async fn empty_files_cannot_be_made_without_end() {
    for mut room in Room::each().await {
        room.limits = room.limits.clone().with_disk(4 << 20);
        let script = |count: u32| {
            format!(
                "import os, time\nfor n in range({count}): open(f'empty-{{n}}', 'w').close()\ntime.sleep(1)\n"
            )
        };
        let outcome = room.run(["python3", "-c", &script(500)]).await;
        assert_eq!(outcome.exit, Exit::Code(0), "{outcome:?}");
        let outcome = room.run(["python3", "-c", &script(40_000)]).await;
        let allowed = 4 << 20;
        assert_eq!(outcome.exit, Exit::Disk { allowed }, "{outcome:?}");
    }
}

#[tokio::test]
async fn what_is_recorded_of_a_tree_counts_for_its_build() {
    for mut room in Room::each().await {
        room.limits = room.limits.clone().with_disk(4 << 20);
        let objects = room.tree().with_file_name("tree.gavel").join("git/objects");
        std::fs::create_dir_all(&objects).unwrap();
        let quiet = ["sh", "-c", "sleep 1"];
        std::fs::write(objects.join("pack"), vec![b'x'; 6 << 20]).unwrap();
        assert_eq!(room.run(quiet).await.exit, Exit::Code(0));
        std::fs::write(objects.join("pack"), vec![b'x'; 9 << 20]).unwrap();
        let allowed = 4 << 20;
        assert_eq!(room.run(quiet).await.exit, Exit::Disk { allowed });
    }
}
