//! Lanes: tests that run at the same time, and know nothing of each other or of runs before.

use std::fs;
use std::time::Duration;

use gavel_workspace::{Lane, LoneVerdict, Walls, remove_lanes, run_alone, wait_for_lanes};

use super::{listed, plan, python, test_named, write};
use crate::room::Room;

/// Counts its runs wherever it can write, waits for the others, and reads the folder of the switch.
const COUNTS: &str = r#"
import os, pathlib, tempfile, time, unittest

class Counts(unittest.TestCase):
    def test_first(self):
        pathlib.Path('kept.txt').write_text('changed')
        os.remove('gone.txt')
        places = ['.', '/tmp', tempfile.gettempdir(), os.environ['HOME'], os.environ['CONTROL']]
        # Where the tree itself lies below /tmp, nobody may write there.
        places = [place for place in places if place != '/tmp' or os.access(place, os.W_OK)]
        marks = [pathlib.Path(place) / 'runs' for place in places]
        self.assertEqual([mark for mark in marks if mark.exists()], [])
        for mark in marks:
            mark.parent.mkdir(exist_ok=True)
            mark.write_text('1')

    def test_switch(self):
        place = pathlib.Path(os.environ['CONTROL'])
        own = (place / 'number').read_text()
        (place / 'seen').write_text(own)
        time.sleep(0.3)
        self.assertEqual((place / 'seen').read_text(), own)
"#;

#[tokio::test]
async fn a_run_in_a_lane_knows_nothing_of_runs_before() {
    for room in Room::each().await {
        let commands = room.commands(room.walls);
        write(&room, "test_counts.py", COUNTS);
        write(&room, "kept.txt", "as it was");
        write(&room, "gone.txt", "there");
        let recipe = python::UNITTEST;
        let tests = listed(&room, &recipe).await;
        let lanes = room.tree().with_file_name("lanes");
        let control = room.tree().with_file_name("control");
        let lane = Lane::new(lanes.join("0"), control.clone());
        let is_there = commands.has_lanes(&lane, plan(&room, &recipe)).await;
        assert_eq!(
            is_there,
            room.walls == Walls::Namespaces,
            "{:?}",
            room.walls
        );
        if !is_there {
            continue;
        }
        let test = test_named(&tests, "test_counts::Counts::test_first");
        let mut plan = lane.plan(plan(&room, &recipe));
        let place = control.display().to_string();
        plan.policy.env.insert("CONTROL".to_owned(), place);
        for _ in 0..2 {
            lane.clear().unwrap();
            let ran = run_alone(&commands, &plan, test, Duration::from_secs(20)).await;
            let ran = ran.unwrap();
            assert_eq!(ran.verdict, LoneVerdict::Passed, "{}", ran.output);
            let text = fs::read_to_string(room.tree().join("kept.txt")).unwrap();
            assert_eq!(text, "as it was");
            assert!(room.tree().join("gone.txt").exists());
            assert!(lane.switch_folder().join("runs").exists());
        }
        wait_for_lanes(&lanes, Duration::from_secs(5))
            .await
            .unwrap();
        remove_lanes(&lanes).unwrap();
        assert!(!lanes.exists());
    }
}

#[tokio::test]
async fn each_lane_has_a_switch_of_its_own_at_the_same_place() {
    let room = Room::each().await.remove(0);
    let commands = room.commands(room.walls);
    write(&room, "test_counts.py", COUNTS);
    let recipe = python::UNITTEST;
    let tests = listed(&room, &recipe).await;
    let test = test_named(&tests, "test_counts::Counts::test_switch");
    let control = room.tree().with_file_name("control");
    let lanes = room.tree().with_file_name("lanes");
    let lane = |number: usize| Lane::new(lanes.join(number.to_string()), control.clone());
    assert!(commands.has_lanes(&lane(0), plan(&room, &recipe)).await);
    let run = async |number: usize| {
        let lane = lane(number);
        lane.clear().unwrap();
        fs::write(lane.switch_folder().join("number"), number.to_string()).unwrap();
        let mut plan = lane.plan(plan(&room, &recipe));
        let place = control.display().to_string();
        plan.policy.env.insert("CONTROL".to_owned(), place);
        let wall = Duration::from_secs(20);
        let ran = run_alone(&commands, &plan, test, wall).await.unwrap();
        let seen = fs::read_to_string(lane.switch_folder().join("seen")).unwrap();
        (ran.verdict, seen)
    };
    let (one, two, three) = tokio::join!(run(1), run(2), run(3));
    let passed = |number: &str| (LoneVerdict::Passed, number.to_owned());
    assert_eq!([one, two, three], [passed("1"), passed("2"), passed("3")]);
}
