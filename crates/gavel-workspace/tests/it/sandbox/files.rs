use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use gavel_workspace::{CommandError, Exit, Gap, Walls};

use crate::room::{Room, text};

#[tokio::test]
async fn files_outside_cannot_be_read() {
    for room in Room::each().await {
        let ssh = room.outside().join(".ssh");
        fs::create_dir(&ssh).unwrap();
        let state = room.lock().with_file_name("gavel.db");
        for secret in [ssh.join("id_ed25519"), state, room.outside().join("secret")] {
            fs::write(&secret, "private").unwrap();
            let (free, held) = room.stopped(["cat", text(&secret)]).await;
            assert_eq!(free, "private");
            assert!(!held.contains("private"), "{held}");
        }
        room.stopped(["ls", text(&room.outside())]).await;
        let inside = room.run(["cat", text(&room.tree().join("inside"))]).await;
        assert_eq!(inside.output.text, "inside text\n");
    }
}

#[tokio::test]
async fn files_outside_cannot_be_written_or_made() {
    for room in Room::each().await {
        let secret = room.outside().join("secret");
        let append = format!("echo more >> {}", text(&secret));
        room.stopped(["sh", "-c", &append]).await;
        assert_eq!(
            fs::read_to_string(&secret).unwrap(),
            "outside secret\nmore\n"
        );

        let new = format!("touch {}/new-$$", text(&room.outside()));
        room.stopped(["sh", "-c", &new]).await;
        assert_eq!(fs::read_dir(room.outside()).unwrap().count(), 2);

        let cut = format!("import os; os.truncate({:?}, 3)", text(&secret));
        room.stopped(["python3", "-c", &cut]).await;
        fs::write(&secret, "whole").unwrap();
        room.run(["python3", "-c", &cut]).await;
        assert_eq!(fs::read_to_string(&secret).unwrap(), "whole");

        let inside = room.run(["sh", "-c", "echo x > a && rm inside a"]).await;
        assert_eq!(inside.exit, Exit::Code(0), "{}", inside.output.text);
    }
}

#[tokio::test]
async fn deleting_everything_in_reach_deletes_only_the_inside() {
    for room in Room::each().await {
        let (outside, tree) = (room.outside(), room.tree());
        let held = room
            .run(["find", text(&outside), text(&tree), "-delete"])
            .await;
        assert_ne!(held.exit, Exit::Code(0));
        assert!(room.outside().join("secret").exists());
        assert!(!room.tree().join("inside").exists(), "it did try");
        room.control(["find", text(&outside), "-delete"]).await;
        assert!(!room.outside().exists());
    }
}

#[tokio::test]
async fn links_in_the_work_tree_do_not_lead_outside() {
    for room in Room::each().await {
        let secret = room.outside().join("secret");
        symlink(&secret, room.tree().join("link")).unwrap();
        symlink(room.outside(), room.tree().join("folder")).unwrap();
        room.stopped(["cat", "link"]).await;
        room.stopped(["cat", "folder/secret"]).await;
        room.stopped(["sh", "-c", "echo x >> link"]).await;
        room.stopped(["sh", "-c", "touch folder/new-$$"]).await;
        let link = format!("ln {} hard && cat hard && rm hard", text(&secret));
        room.stopped(["sh", "-c", &link]).await;
        let moved = room.outside().join("moved");
        fs::write(&moved, "x").unwrap();
        let away = format!("mv {m} here && mv here {m}", m = text(&moved));
        room.stopped(["sh", "-c", &away]).await;
        // The same within the tree works.
        let inside = "import os; os.link('inside', 'hard'); os.symlink('inside', 'soft'); \
                      os.mkdir('d'); os.rename('hard', 'd/hard'); os.link('d/hard', 'again'); \
                      print(open('soft').read(), open('d/hard').read())";
        let inside = room.run(["python3", "-c", inside]).await;
        assert_eq!(inside.output.text, "inside text\n inside text\n\n");
    }
}

#[tokio::test]
async fn modes_outside_cannot_be_changed_or_the_gap_is_named() {
    for room in Room::each().await {
        let secret = room.outside().join("secret");
        let open = format!("chmod 666 {}", text(&secret));
        let mode = || fs::metadata(&secret).unwrap().permissions().mode() & 0o777;
        let held = room.run(["sh", "-c", &open]).await;
        let named = held.confinement.gaps().contains(&Gap::FileModes);
        match room.walls {
            Walls::Namespaces | Walls::Bubblewrap => assert!(mode() != 0o666 && !named),
            Walls::Landlock | Walls::Absent => {
                assert!(mode() == 0o666 && named, "closed: take it off the list");
            }
        }
        room.control(["sh", "-c", &open]).await;
        assert_eq!(mode(), 0o666);
    }
}

#[tokio::test]
async fn set_id_files_and_devices_cannot_be_made() {
    for room in Room::each().await {
        room.stopped(["sh", "-c", "touch t && chmod u+s t"]).await;
        room.stopped(["sh", "-c", "touch t && chmod g+s t"]).await;
        for flags in ["os.O_CREAT", "os.O_TMPFILE"] {
            let make = format!(
                "import os; n = '.' if {flags} == os.O_TMPFILE else 'new' + str(os.getpid()); \
                 os.open(n, os.O_RDWR | {flags}, 0o4755)"
            );
            room.stopped(["python3", "-c", &make]).await;
        }
        let allowed = room
            .run(["sh", "-c", "touch t && chmod 755 t && mkfifo f"])
            .await;
        assert_eq!(allowed.exit, Exit::Code(0), "{}", allowed.output.text);
        let device = room.run(["mknod", "null", "c", "1", "3"]).await;
        assert_ne!(device.exit, Exit::Code(0));
    }
}

#[tokio::test]
async fn devices_are_out_of_reach_but_for_the_harmless_ones() {
    for room in Room::each().await {
        for device in [
            "/dev/mem",
            "/dev/kmsg",
            "/dev/vda",
            "/dev/sda",
            "/dev/fuse",
            "/dev/tty1",
        ] {
            let held = room.run(["sh", "-c", &format!(": < {device}")]).await;
            assert_ne!(held.exit, Exit::Code(0), "{device}");
        }
        // The kernel's settings belong to root, which these tests may run as.
        let kernel = "cat /proc/sys/kernel/domainname && echo x > /proc/sys/kernel/domainname";
        let kernel = room.run(["sh", "-c", kernel]).await;
        assert_ne!(kernel.exit, Exit::Code(0));
        let fine = "head -c 4 /dev/zero > /dev/null && head -c 4 /dev/urandom > /dev/null";
        let fine = room.run(["sh", "-c", fine]).await;
        assert_eq!(fine.exit, Exit::Code(0), "{}", fine.output.text);
    }
}

#[tokio::test]
async fn a_link_in_the_place_of_a_writable_folder_stops_the_next_command() {
    for room in Room::each().await {
        fs::remove_dir(room.temp()).unwrap();
        for target in [room.outside(), "home".into()] {
            symlink(target, room.temp()).unwrap();
            let refused = room.try_run(["true"]).await.unwrap_err();
            assert!(
                matches!(refused, CommandError::NotConfined { .. }),
                "{refused:?}"
            );
            fs::remove_file(room.temp()).unwrap();
        }
        assert_eq!(room.run(["true"]).await.exit, Exit::Code(0));
    }
}

#[tokio::test]
async fn temporary_files_and_the_home_are_the_projects_own() {
    for room in Room::each().await {
        let script = "echo a > $TMPDIR/a && echo b > $HOME/b && cat $TMPDIR/a $HOME/b";
        let outcome = room.run(["sh", "-c", script]).await;
        assert_eq!(outcome.output.text, "a\nb\n");
        assert!(room.temp().join("a").exists());
        assert!(room.cache().join("home/b").exists());
        if room.walls != Walls::Landlock {
            // Not the one below which the project itself lies.
            let usual = ["/tmp", "/var/tmp"];
            let shown = usual.into_iter().find(|at| !room.temp().starts_with(at));
            let script = shown
                .map(|at| format!("cat {at}/a; echo c > {at}/c"))
                .unwrap();
            let outcome = room.run(["sh", "-c", &script]).await;
            assert_eq!(outcome.output.text, "a\n");
            assert!(room.temp().join("c").exists());
        }
    }
}
