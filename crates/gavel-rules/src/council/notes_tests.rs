use proptest::prelude::*;

use super::*;

fn note(id: &str, kind: &str, text: &str) -> MemoryNote {
    MemoryNote {
        id: id.to_owned(),
        kind: kind.to_owned(),
        text: text.to_owned(),
    }
}

fn ids(notes: &[&MemoryNote]) -> String {
    let ids = notes.iter().map(|note| note.id.as_str());
    ids.collect::<Vec<_>>().join(" ")
}

fn stance(lens: &str, focus: &str) -> Stance {
    Stance {
        name: "Operator".to_owned(),
        lens: lens.to_owned(),
        focus: focus.to_owned(),
        origin: StanceOrigin::Planned,
    }
}

const TOPIC: &str = "SQLite or PostgreSQL for an embedded job queue?";

#[test]
fn a_yes_or_no_is_warned_by_what_it_is_about() {
    let memory = [
        note("t1", "trap", "GraphQL timed out"),
        note("t2", "trap", "There is no way back"),
    ];
    let topic = "Should we add GraphQL to the public api of the shop?";
    assert_eq!(ids(&warnings(topic, &memory)), "t1");
}

#[test]
fn warnings_are_traps_and_feedback_that_fit() {
    let memory = [
        note("t1", "trap", "Postgres connections ran out in CI"),
        note("t2", "trap", "The login page breaks on old phones"),
        note(
            "t3",
            "trap",
            "A queue of jobs was embedded in the web process and died with it",
        ),
        note("d1", "decision", "SQLite for the job queue"),
        note("f1", "feedback", "The queue lost my mail"),
        note("f2", "feedback", "sqlite3 files are easy to copy"),
    ];
    assert_eq!(ids(&warnings(TOPIC, &memory)), "t3 f2 t1");
    assert_eq!(ids(&warnings("", &memory)), "");
    // A short topic has fewer words to share.
    assert_eq!(ids(&warnings("the queue", &memory)), "f1 t3");
}

#[test]
fn each_seat_gets_its_own_selection() {
    let memory = [
        note("n1", "note", "Backups run at night"),
        note("n2", "note", "The queue holds ten jobs a second"),
        note("n3", "note", "Support answers within a day"),
        note("t1", "trap", "A migration failed without a backup"),
    ];
    let none = BTreeSet::new();
    let operator = stance("Backups and restore", "");
    let speed = stance("How many jobs a second it holds", "");
    assert_eq!(
        ids(&memory_for(&operator, (TOPIC, &none), &memory, 2)),
        "n1 t1"
    );
    assert_eq!(ids(&memory_for(&speed, (TOPIC, &none), &memory, 1)), "n2");
    // Named by its id it comes first, and an id that only begins alike does not.
    let named = stance("Backups", "Think of n3, not of n11");
    assert_eq!(
        ids(&memory_for(&named, (TOPIC, &none), &memory, 2)),
        "n3 n1"
    );
    let auditor = Stance {
        origin: StanceOrigin::ExperienceAuditor,
        ..stance("", "")
    };
    assert_eq!(ids(&memory_for(&auditor, (TOPIC, &none), &memory, 1)), "t1");
    assert_eq!(ids(&memory_for(&operator, (TOPIC, &none), &memory, 0)), "");
    // Whatever a seat looks at, it sees the best note about each option.
    let memory = [
        &memory[..],
        &[
            note("d1", "decision", "SQLite for the mobile app"),
            note("d2", "decision", "pg for the reports"),
            note("d3", "decision", "SQLite in tests"),
        ],
    ]
    .concat();
    let best = best_of_each(&[read_options(TOPIC)], &memory);
    assert_eq!(best.iter().collect::<Vec<_>>(), ["d1", "d2"]);
    let seen = ids(&memory_for(&operator, (TOPIC, &best), &memory, 3));
    assert_eq!(seen, "d1 d2 n1");
}

proptest! {
    #[test]
    fn warnings_do_not_depend_on_the_order_of_memory(
        texts in prop::collection::vec("(sqlite|queue|job|night|postgres| ){1,5}", 0..9),
    ) {
        let all = texts.iter().enumerate();
        let mut memory: Vec<MemoryNote> =
            all.map(|(n, text)| note(&format!("t{n}"), "trap", text)).collect();
        let found = ids(&warnings(TOPIC, &memory));
        memory.reverse();
        prop_assert_eq!(ids(&warnings(TOPIC, &memory)), found);
    }
}
