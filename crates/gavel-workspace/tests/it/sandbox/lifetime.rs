use std::time::Duration;

use gavel_workspace::{
    CommandError, Commands, Confinement, Exit, Gap, OrphanError, SandboxDoor, Walls,
    WithoutSandbox, wait_for_orphans,
};

use crate::room::{Room, alive, door, kill_marked};

const SOON: Duration = Duration::from_secs(20);

/// A script that starts three orphans, two of them in sessions of their own.
fn orphans(mark: &str) -> String {
    format!(
        "setsid sh -c 'setsid sleep {mark} & exec setsid sleep {mark}' & sh -c '(sleep {mark} &)'; "
    )
}

/// Waits until they are up.
async fn up(mark: &str) {
    while alive(mark) < 3 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn orphans_do_not_outlive_the_command() {
    for room in Room::each().await {
        let mark = room.mark();
        let script = format!("mkfifo go; {} read line < go; exit 5", orphans(&mark));
        let commands = room.commands(room.walls);
        let spec = room.spec(["sh", "-c", &script]);
        let (outcome, written) = tokio::join!(commands.run(&spec), async {
            up(&mark).await;
            tokio::fs::write(room.tree().join("go"), "go\n").await
        });
        written.unwrap();
        assert_eq!(outcome.unwrap().exit, Exit::Code(5));
        assert_eq!(alive(&mark), 0);
    }
}

#[tokio::test]
async fn orphans_die_when_the_parent_is_killed() {
    for room in Room::each().await {
        let mark = room.mark();
        let script = format!("{} sleep {mark}", orphans(&mark));
        let nothing = room.outside();
        let mut parent = room.parent("exec \"$@\"", &nothing, ["sh", "-c", &script]);
        up(&mark).await;
        let held = wait_for_orphans(&room.lock(), Duration::ZERO).await;
        assert!(
            matches!(held, Err(OrphanError::StillAlive { .. })),
            "{held:?}"
        );
        let busy = room.try_run(["true"]).await.unwrap_err();
        assert!(matches!(busy, CommandError::Lock(_)), "{busy:?}");

        parent.kill();
        wait_for_orphans(&room.lock(), SOON).await.unwrap();
        assert_eq!(alive(&mark), 0, "{:?}", room.walls);
        assert_eq!(room.run(["true"]).await.exit, Exit::Code(0));
    }
}

#[tokio::test]
async fn a_killed_supervisor_takes_everything_along_or_the_gap_is_named() {
    for room in Room::each().await {
        let mark = room.mark();
        let script = format!("{} sleep {mark}", orphans(&mark));
        let nothing = room.outside();
        let parent = room.parent("exec \"$@\"", &nothing, ["sh", "-c", &script]);
        up(&mark).await;
        parent.kill_supervisor();
        assert_eq!(parent.finish(), "", "no outcome without a supervisor");
        let gap = room.run(["true"]).await.confinement.gaps();
        if gap.contains(&Gap::SupervisorKilled) {
            assert!(alive(&mark) > 0, "closed: take it off the list");
            kill_marked(&mark);
        }
        while alive(&mark) > 0 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}

#[tokio::test]
async fn running_a_command_can_move_between_threads() {
    fn is_send(_: &impl Send) {}
    let room = Room::new(Walls::Absent);
    let (commands, spec) = (room.commands(room.walls), room.spec(["true"]));
    let running = commands.run(&spec);
    is_send(&running);
    assert_eq!(running.await.unwrap().exit, Exit::Code(0));
}

#[tokio::test]
async fn cancelling_kills_everything() {
    for room in Room::each().await {
        let mark = room.mark();
        let script = format!("{} sleep {mark}", orphans(&mark));
        let commands = room.commands(room.walls);
        let spec = room.spec(["sh", "-c", &script]);
        let (outcome, ()) = tokio::join!(commands.run(&spec), async {
            up(&mark).await;
            spec.cancel.cancel();
        });
        let error = outcome.unwrap_err();
        assert!(matches!(error, CommandError::Cancelled), "{error:?}");
        assert_eq!(alive(&mark), 0);
    }
}

#[tokio::test]
async fn dropping_the_future_kills_everything() {
    for room in Room::each().await {
        let mark = room.mark();
        let script = format!("{} sleep {mark}", orphans(&mark));
        let commands = room.commands(room.walls);
        let spec = room.spec(["sh", "-c", &script]);
        tokio::select! {
            outcome = commands.run(&spec) => panic!("{outcome:?}"),
            () = up(&mark) => {}
        }
        wait_for_orphans(&room.lock(), SOON).await.unwrap();
        assert_eq!(alive(&mark), 0);
    }
}

#[tokio::test]
async fn without_a_lock_file_there_is_nothing_to_wait_for() {
    let room = Room::new(Walls::Absent);
    wait_for_orphans(&room.lock(), Duration::ZERO)
        .await
        .unwrap();
}

#[tokio::test]
async fn the_strongest_walls_are_found_by_trying() {
    let room = Room::new(Walls::Absent);
    let scratch = room.outside();
    let found = Commands::detect(door(), scratch.clone(), WithoutSandbox::Refuse).await;
    assert_eq!(found.confinement().walls, Room::each().await[0].walls);
    assert!(found.confinement().landlock_abi > 0);

    let broken = SandboxDoor("/bin/false".into());
    let none = Commands::detect(broken, scratch, WithoutSandbox::Refuse).await;
    assert_eq!(none.confinement().walls, Walls::Absent);
    assert_eq!(none.confinement().because.len(), 3);
}

#[tokio::test]
async fn without_walls_nothing_runs_unless_a_person_agreed() {
    let room = Room::new(Walls::Absent);
    let absent = Confinement::absent(vec!["no Landlock".to_owned()]);
    let commands = Commands::new(door(), absent.clone(), WithoutSandbox::Refuse);
    let spec = room.spec(["touch", "ran"]);
    let refused = commands.run(&spec).await.unwrap_err();
    assert!(matches!(refused, CommandError::NoSandbox { .. }));
    assert!(!room.tree().join("ran").exists());

    let commands = Commands::new(door(), absent, WithoutSandbox::AllowedByPerson);
    let outcome = commands.run(&spec).await.unwrap();
    assert_eq!(
        outcome.confinement.level(),
        gavel_domain::SandboxLevel::None
    );
    assert!(room.tree().join("ran").exists());
}
