use std::time::Duration;

use gavel_workspace::Exit;

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
