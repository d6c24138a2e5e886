use std::collections::BTreeMap;
use std::fs;

use gavel_workspace::{Exit, Walls};

use crate::room::{Bystander, Room};

#[tokio::test]
async fn the_environment_is_exactly_the_policys() {
    let own = fs::read("/proc/self/environ").unwrap();
    let own = String::from_utf8_lossy(&own);
    assert!(
        own.contains("CARGO_MANIFEST_DIR="),
        "the test has secrets to lose"
    );
    for room in Room::each().await {
        let outcome = room.run(["env"]).await;
        let seen: BTreeMap<_, _> = outcome
            .output
            .text
            .lines()
            .map(|line| line.split_once('=').unwrap())
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        assert_eq!(seen, room.policy().env);
    }
}

#[tokio::test]
async fn other_processes_cannot_be_looked_into() {
    let own = std::process::id();
    for room in Room::each().await {
        for file in [
            "environ",
            "maps",
            "root/etc/passwd",
            "cwd/Cargo.toml",
            "exe",
        ] {
            let file = format!("/proc/{own}/{file}");
            room.stopped(["sh", "-c", &format!("head -c 9 {file}")])
                .await;
        }
        // The supervisor too, and itself is no secret.
        let parent = "head -c 1 /proc/$PPID/environ && head -c 1 /proc/$PPID/maps";
        let outcome = room.run(["sh", "-c", parent]).await;
        assert_ne!(outcome.exit, Exit::Code(0));
        let outcome = room.run(["sh", "-c", "cat /proc/self/maps"]).await;
        assert!(outcome.output.text.contains("[stack]"));
    }
}

#[tokio::test]
async fn other_processes_cannot_be_signalled() {
    for room in Room::each().await {
        let bystander = Bystander::start();
        let script = format!("kill -0 {}", bystander.id());
        room.stopped(["sh", "-c", &script]).await;
        let outcome = room.run(["sh", "-c", "sleep 60 & kill -9 $!"]).await;
        assert_eq!(outcome.exit, Exit::Code(0));
    }
}

/// Makes system calls with senseless arguments and prints what they said.
const CALLS: &str = "
import ctypes, errno
libc = ctypes.CDLL(None, use_errno=True)
for name, number in (
    ('unshare', 272), ('setns', 308), ('ptrace', 101), ('keyctl', 250), ('add_key', 248),
    ('request_key', 249), ('process_vm_readv', 310), ('process_vm_writev', 311), ('kcmp', 312),
    ('name_to_handle_at', 303), ('pidfd_getfd', 438), ('io_uring_setup', 425), ('clone3', 435),
    ('openat2', 437), ('unshare on x32', 272 | 0x40000000),
):
    ctypes.set_errno(0)
    result = libc.syscall(number, 0, 0, 0, 0, 0, 0)
    code = ctypes.get_errno()
    print(name, 'ok' if result >= 0 else errno.errorcode[code])
";

#[cfg(target_arch = "x86_64")]
#[tokio::test]
async fn calls_that_look_into_processes_or_change_namespaces_are_refused() {
    for room in Room::each().await {
        let free = room.control(["python3", "-c", CALLS]).await.output.text;
        let held = room.run(["python3", "-c", CALLS]).await.output.text;
        let mut compared = 0;
        for (free, held) in free.lines().zip(held.lines()) {
            let (name, said) = held.rsplit_once(' ').unwrap();
            let gone = matches!(name, "io_uring_setup" | "clone3" | "openat2");
            assert_eq!(said, if gone { "ENOSYS" } else { "EPERM" }, "{name}");
            let (_, unconfined) = free.rsplit_once(' ').unwrap();
            // A machine that gives out no namespaces may not have it for anybody.
            let nobodys = name == "clone3" && unconfined == "ENOSYS";
            if !name.contains("x32") && !nobodys {
                assert!(!matches!(unconfined, "EPERM" | "ENOSYS"), "{free}");
            }
            compared += 1;
        }
        assert_eq!(compared, 15, "{held}");
    }
}

#[tokio::test]
async fn new_namespaces_cannot_be_made_by_clone() {
    let script = "import ctypes; libc = ctypes.CDLL(None, use_errno=True); \
                  r = libc.syscall(56, 0x10000000 | 17, 0, 0, 0, 0); \
                  e = ctypes.get_errno(); \
                  import os; \
                  os._exit(0) if r == 0 else print('made' if r > 0 else e)";
    for room in Room::each().await {
        let outcome = room.run(["python3", "-c", script]).await;
        assert_eq!(outcome.output.text, "1\n", "EPERM");
        let plain = script.replace("0x10000000 | 17", "17");
        let outcome = room.run(["python3", "-c", &plain]).await;
        assert_eq!(outcome.output.text, "made\n");
    }
}

#[tokio::test]
async fn no_privileges_are_left_or_gained() {
    for room in Room::each().await {
        let outcome = room.run(["cat", "/proc/self/status"]).await;
        let value = |name: &str| {
            let line = outcome
                .output
                .text
                .lines()
                .find(|line| line.starts_with(name));
            line.unwrap().split_once(':').unwrap().1.trim().to_owned()
        };
        // Root keeps "ignore file permissions"; the file rules bound where.
        let left = u64::from_str_radix(&value("CapEff"), 16).unwrap();
        assert_eq!(left & !0b10, 0, "{left:x}");
        assert_eq!(u64::from_str_radix(&value("CapAmb"), 16).unwrap(), left);
        assert_eq!(value("NoNewPrivs"), "1");
        assert_eq!(value("Seccomp"), "2");
    }
}

#[tokio::test]
async fn no_inherited_file_reaches_the_command() {
    for room in Room::each().await {
        let secret = room.outside().join("secret");
        // Gavel itself was started by something that left descriptor 7 open.
        let parent = room.parent(
            "exec 7< \"$0\"; exec \"$@\"",
            &secret,
            ["sh", "-c", "cat <&7"],
        );
        let said = parent.finish();
        assert!(!said.contains("outside secret"), "{said}");
        let parent = room.parent("exec 7< \"$0\"; cat <&7", &secret, ["true"]);
        assert_eq!(parent.finish(), "outside secret\n");
        let outcome = room.run(["sh", "-c", "ls /proc/self/fd | wc -l"]).await;
        // Three, and the one with which `ls` reads the folder.
        assert_eq!(outcome.output.text.trim(), "4", "{:?}", room.walls);
    }
}

#[tokio::test]
async fn other_processes_are_not_even_seen_in_a_namespace_of_its_own() {
    let own = std::process::id();
    for room in Room::each().await {
        let outcome = room.run(["test", "-d", &format!("/proc/{own}")]).await;
        let hidden = outcome.exit != Exit::Code(0);
        assert_eq!(hidden, room.walls != Walls::Landlock);
    }
}
