use gavel_workspace::{CommandError, Exit};

use crate::room::Room;

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
