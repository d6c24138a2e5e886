use std::process::Command;

use gavel_workspace::{CommandError, Exit, Walls};

use crate::room::Room;

/// Every other test passes with weaker walls too, so their loss must be seen here.
#[tokio::test]
async fn where_namespaces_can_be_had_commands_get_them() {
    #[expect(
        clippy::disallowed_methods,
        reason = "another program says what this machine allows"
    )]
    let asked = Command::new("unshare")
        .args(["--user", "--map-current-user", "--pid", "--net", "--ipc"])
        .args(["--mount", "--fork", "true"])
        .status();
    if !asked.is_ok_and(|status| status.success()) {
        println!("left out: namespaces cannot be had here");
        return;
    }
    let outcome = Room::new(Walls::Namespaces).try_run(["true"]).await;
    assert_eq!(outcome.unwrap().exit, Exit::Code(0));
}

#[tokio::test]
async fn a_command_runs_in_the_work_tree_and_its_outputs_come_in_order() {
    for room in Room::each().await {
        let outcome = room
            .run([
                "sh",
                "-c",
                "pwd; echo err >&2; cat inside; echo x > made; exit 3",
            ])
            .await;
        assert_eq!(outcome.exit, Exit::Code(3));
        let expected = format!("{}\nerr\ninside text\n", room.tree().display());
        assert_eq!(outcome.output.text, expected);
        assert!(room.tree().join("made").exists());
    }
}

#[tokio::test]
async fn a_missing_program_is_an_error_of_its_own() {
    for room in Room::each().await {
        let error = room.try_run(["no-such-program"]).await.unwrap_err();
        assert!(
            matches!(&error, CommandError::NotFound { program } if program == "no-such-program"),
            "{error:?}"
        );
        let error = room.try_run(["./inside"]).await.unwrap_err();
        assert!(
            matches!(error, CommandError::NotStarted { .. }),
            "{error:?}"
        );
    }
}

#[tokio::test]
async fn arguments_are_data() {
    for room in Room::each().await {
        let odd = "a\nb > made; $(touch made) `touch made` | & '\"";
        let outcome = room.run(["printf", "%s", odd]).await;
        assert_eq!(outcome.output.text, odd);
        assert!(!room.tree().join("made").exists());
    }
}
