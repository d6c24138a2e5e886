//! The record of a debate, read from the journal, and what it answers.

use std::sync::Mutex;

use gavel_deliberation::{CouncilRecord, RecordError, Told, convene};
use gavel_domain::{
    Badge, ClarifiedMatter, Closed, DebatePart, DebateStop, MatterClarified, PhaseOutcome, RunId,
    StanceSpoke, SynthesisOutcome, Timestamp, Voices,
};
use gavel_run::Pure;
use gavel_testkit::ScriptedModel;
use serde_json::json;

use crate::chamber::{
    Chamber, Leader, Plan, TOPIC, council, leader, note, opening, plan, seat, stubborn, synthesis,
    turn,
};

const TRAP_TEXT: &str = "SQLite locked the whole queue when two workers wrote.";

/// Questions, and what their answers contain.
const ANSWERED: &[(&str, &str)] = &[
    (
        "who was against, and why?",
        "Mover on “Which store?”: Workers need PostgreSQL: the lock stalls them.",
    ),
    ("Ai phản đối?", "Mover on “Which store?”"),
    (
        "Who was against the decision in the end?",
        "Mover on “Which store?”",
    ),
    (
        "who disagreed about the outcome?",
        "Mover on “Which store?”",
    ),
    ("Was the Mover against SQLite?", "Mover on “Which store?”"),
    ("Who leads?", "test/leader leads."),
    ("Which models sat where?", "Seat 2: Mover, b/two."),
    (
        "What did the Keeper say?",
        "Keeper, in the end: One writer is enough for a nightly export.",
    ),
    (
        "What did the keeper say at the beginning?",
        "Keeper, at first: SQLite needs no server.",
    ),
    ("Which evidence was there?", "Keeper cites memory:trap-9"),
    ("What did the Mover cite?", "Mover, in the end"),
    (
        "how many rounds?",
        "2 rounds held. It ended because every round that was planned was held.",
    ),
    ("vì sao dừng?", "2 rounds held."),
    ("How sure are we?", "% of the tagged claims were checked"),
    ("độ tin cậy thế nào?", "The judge is"),
    ("what was decided?", "Which store? SQLite."),
    (
        "What is recommended?",
        "Recommended: Use SQLite and measure.",
    ),
    ("What is the plan?", "Step 1: Measure the lock."),
    ("Quyết định là gì?", "Which store? SQLite."),
    (
        "Who voted for what?",
        "Which store? SQLite. SQLite: Keeper; PostgreSQL: Mover",
    ),
    ("How long did it take?", "calls, "),
    (
        "Was a nightly export mentioned?",
        "Keeper, round 1: One writer is enough for a nightly export.",
    ),
];

/// Two rounds between two who stay apart: the keeper cites memory, the mover a file that is not there.
fn voices() -> (ScriptedModel, ScriptedModel) {
    let keeper = seat(
        opening(
            "A",
            "SQLite needs no server. [CONFIRMED via memory:trap-9]",
            &["memory:trap-9"],
        ),
        &[turn(
            "A",
            "One writer is enough for a nightly export. [CONFIRMED via memory:trap-9]",
            &["memory:trap-9"],
        )],
    );
    let mover = seat(
        opening("B", "I doubt the lock. [CONFIRMED via src/none.rs:3]", &[]),
        &[turn(
            "B",
            "Workers need PostgreSQL: the lock stalls them. [UNVERIFIED]",
            &[],
        )],
    );
    (keeper, mover)
}

async fn debated(leader: &ScriptedModel) -> Chamber {
    let (keeper, mover) = voices();
    let models = [
        ("a/one", &keeper),
        ("b/two", &mover),
        ("test/leader", leader),
    ];
    let mut chamber = Chamber::new(&models).await;
    chamber.plan = Plan {
        memory: vec![note("trap-9", "trap", TRAP_TEXT)],
        ..Plan::debate()
    };
    chamber.experience = gavel_rules::council::Experience::Off;
    chamber.held().await;
    chamber
}

async fn record(chamber: &Chamber) -> CouncilRecord {
    let store = chamber.bed.store();
    let read = CouncilRecord::read(store.as_ref(), chamber.run, None).await;
    read.unwrap().unwrap()
}

#[tokio::test]
async fn the_record_tells_a_debate_from_its_facts() {
    let chamber = debated(&leader()).await;
    let record = record(&chamber).await;
    assert_eq!((record.meeting, record.meetings), (1, 1));
    assert_eq!(record.room, "council-1");
    assert_eq!(record.topic, Some(Told::Kept(TOPIC.to_owned())));
    let seats: Vec<_> = record
        .participants
        .iter()
        .map(|seat| seat.stance.as_str())
        .collect();
    assert_eq!(seats, ["Keeper", "Mover"]);
    assert_eq!(record.leader.as_ref().unwrap().model, "test/leader");
    let planned = record.plan.as_ref().unwrap();
    assert_eq!(planned.plan.kept().unwrap().decisions[0].id, "storage");

    let turns: Vec<_> = record
        .archive
        .iter()
        .map(|turn| (turn.round, turn.seat, turn.answers))
        .collect();
    assert_eq!(turns.first(), Some(&(0, 1, None)));
    assert!(turns.contains(&(1, 2, Some(1))), "{turns:?}");
    let mover = record
        .archive
        .iter()
        .find(|turn| turn.seat == 2 && turn.round == 0);
    let tags = mover.unwrap().tags.unwrap();
    assert_eq!((tags.confirmed, tags.broken), (0, 1));
    let Told::Kept(excerpt) = &mover.unwrap().excerpt else {
        panic!("{mover:?}");
    };
    assert!(excerpt.contains("[UNVERIFIED:"), "{excerpt}");

    let finals: Vec<_> = record
        .final_positions
        .iter()
        .map(|one| (one.seat, one.choices[0].option))
        .collect();
    assert_eq!(finals, [(1, 0), (2, 1)]);
    assert_eq!(record.stop.as_ref().unwrap().reason, DebateStop::Rounds);
    let synthesis = record.synthesis.as_ref().unwrap();
    assert_eq!(synthesis.how, SynthesisOutcome::Made);
    let outcome = synthesis.outcome.as_ref().unwrap().kept().unwrap();
    assert_eq!(outcome.decisions[0].option, Some(0));
    assert_eq!(outcome.dissent[0].who, "Mover");
    assert_eq!(record.decisions[0].id.as_deref(), Some("storage"));
    assert!(record.verdict.as_ref().unwrap().confidence.is_some());
    let confidence = record.confidence.as_ref().unwrap();
    assert_eq!(confidence.voices, Voices::Several);
    assert!(
        confidence
            .badge
            .is_some_and(|badge| badge != Badge::NotMeasured)
    );
    assert_eq!(confidence.dissenters, 1);
    assert_eq!(record.dropped, Vec::<String>::new());
}

#[tokio::test]
async fn the_record_counts_what_it_took() {
    let leader = leader();
    let chamber = debated(&leader).await;
    let record = record(&chamber).await;
    let replies = chamber.facts::<gavel_domain::ModelReplied>().await;
    let stats = &record.stats;
    assert_eq!(usize::try_from(stats.calls).unwrap(), replies.len());
    // One micro-dollar for each of ten input tokens, two for each of five output tokens.
    assert_eq!(stats.cost.0, u64::from(stats.calls) * 20);
    assert_eq!((stats.lost, stats.unpriced), (0, 0));
    let parts: Vec<DebatePart> = stats.phases.iter().map(|phase| phase.part).collect();
    for part in [
        DebatePart::Plan,
        DebatePart::Openings,
        DebatePart::Round,
        DebatePart::Synthesis,
        DebatePart::Judgement,
    ] {
        assert!(parts.contains(&part), "{parts:?}");
    }
    for phase in &stats.phases {
        assert!(
            phase.outcome.is_some() && phase.millis.is_some(),
            "{phase:?}"
        );
    }
}

#[tokio::test]
async fn a_debate_that_was_cut_is_told_as_far_as_it_went() {
    // The second speaker of the first round is never heard of again.
    let (keeper, _) = voices();
    let draft = opening("B", "The lock stalls workers.", &[]);
    let silent = ScriptedModel::parking().text(&draft.to_string());
    let leader = leader();
    let models = [
        ("a/one", &keeper),
        ("b/two", &silent),
        ("test/leader", &leader),
    ];
    let chamber = Chamber::new(&models).await;
    let parked = Mutex::default();
    let end = chamber.bed.drive(chamber.run, async |run| {
        tokio::select! {
            convened = chamber.convene_in(&run) => panic!("it ended: {convened:?}"),
            request = silent.next_parked() => *parked.lock().unwrap() = Some(request),
        }
        Ok(())
    });
    end.await.unwrap();
    let record = record(&chamber).await;
    assert_eq!(record.archive.len(), 3, "two openings and half a pair");
    assert_eq!(
        (record.stop.as_ref(), record.synthesis.as_ref()),
        (None, None)
    );
    assert_eq!(
        (record.verdict.as_ref(), record.confidence.as_ref()),
        (None, None)
    );
    let last = record.stats.phases.last().unwrap();
    assert_eq!(
        (last.part, last.outcome, last.millis),
        (DebatePart::Round, None, None)
    );

    let said = record.ask("How many rounds were there?");
    assert!(said.lines[0].text.starts_with("It is not over"), "{said}");
    let said = record.ask("Who was against?");
    assert_eq!(said.to_string().lines().count(), 2, "{said}");
    assert!(
        said.to_string()
            .contains("Mover chose PostgreSQL on storage. [council-1/"),
        "{said}"
    );
    for nothing in ["What was decided?", "How sure is it?"] {
        let said = record.ask(nothing);
        assert_eq!(
            (said.found, said.to_string().as_str()),
            (false, "not in the record")
        );
    }
}

#[tokio::test]
async fn questions_are_answered_with_keys_or_not_at_all() {
    let mut said = synthesis();
    said["recommendation"] = json!("Use SQLite and measure.");
    said["action_items"] = json!(["Measure the lock.", "Write the table.", "Try two workers."]);
    let leader = Leader::new().with("council_synthesis", &[said]).model();
    let chamber = debated(&leader).await;
    let record = record(&chamber).await;
    let keys = chamber.keys().await;
    for (question, expected) in ANSWERED {
        let answer = record.ask(question);
        assert!(answer.found, "{question}");
        assert!(
            answer.to_string().contains(*expected),
            "{question}: {answer}"
        );
        for line in &answer.lines {
            let stands = keys
                .lines()
                .any(|known| known.starts_with(&format!("{} ", line.key)));
            assert!(stands, "{question}: {} is no key", line.key);
        }
    }
    for question in [
        "What did they say about blockchain?",
        "Who was against Napoleon?",
        "Is the moon made of cheese?",
        "",
        "???",
    ] {
        let answer = record.ask(question);
        assert!(
            !answer.found && answer.lines.is_empty(),
            "{question}: {answer}"
        );
    }
}

#[tokio::test]
async fn a_failed_synthesis_is_told_as_one() {
    let leader = Leader::new().with("council_synthesis", &[json!("words"), json!("more words")]);
    let chamber = debated(&leader.model()).await;
    let record = record(&chamber).await;
    let synthesis = record.synthesis.as_ref().unwrap();
    assert_eq!(synthesis.how, SynthesisOutcome::Failed);
    // Votes and dissent are counted without a leader; only its words are missing.
    let counted = synthesis.outcome.as_ref().and_then(Told::kept).unwrap();
    assert_eq!(counted.dissent[0].who, "Mover");
    assert_eq!(counted.decisions[0].option, Some(0));
    let why = synthesis.text.kept().unwrap();
    assert!(why.starts_with("the leader's first answer"), "{why}");
    let phases = record.stats.phases.iter();
    let failed = phases.filter(|phase| phase.outcome == Some(PhaseOutcome::Failed));
    assert_eq!(
        failed.map(|phase| phase.part).collect::<Vec<_>>(),
        [DebatePart::Synthesis]
    );
    assert_eq!(record.confidence.as_ref().unwrap().badge, Some(Badge::Low));
    let told = record.ask("What was decided?").to_string();
    assert!(told.contains("There is no synthesis: "), "{told}");
    assert!(told.contains("Which store? SQLite."), "{told}");
    // Who was against it is told as after any synthesis, with the key of the turn.
    let told = record.ask("Who disagreed?").to_string();
    let mover = "Mover on “Which store?”: Workers need PostgreSQL";
    assert!(told.contains(mover), "{told}");
    assert!(told.contains("[council-1/round-2/turn-2/spoke]"), "{told}");
    let told = record.ask("Does it need a human review?").to_string();
    assert!(told.contains("NEEDS HUMAN REVIEW"), "{told}");
}

#[tokio::test]
async fn texts_that_retention_dropped_are_told_as_dropped() {
    let chamber = debated(&leader()).await;
    let end = chamber.bed.drive(chamber.run, async |run| {
        chamber.convene_in(&run).await?;
        let closed = Closed {
            how: "decided".to_owned(),
        };
        run.decide(run.scope("close", 1)?.key("closed")?, closed)
            .await?;
        Ok(())
    });
    end.await.unwrap();
    let kept = record(&chamber).await;
    let store = chamber.bed.store();
    store.retain(Timestamp::MAX).await.unwrap();

    let record = record(&chamber).await;
    assert_eq!(record.archive.len(), kept.archive.len());
    assert!(
        record
            .archive
            .iter()
            .all(|turn| turn.excerpt == Told::Dropped)
    );
    assert_eq!(record.archive[0].length, kept.archive[0].length);
    assert_eq!(record.final_positions[0].text, Told::Dropped);
    assert!(record.dropped.len() >= record.archive.len());
    let json = serde_json::to_value(&record).unwrap();
    assert_eq!(json["archive"][0]["excerpt"], json!({"dropped": true}));
    let said = record.ask("What did the Keeper say?").to_string();
    assert!(
        said.contains("Keeper, in the end: the text was dropped ["),
        "{said}"
    );
    let said = record.ask("How many rounds?").to_string();
    assert!(said.starts_with("2 rounds held."), "{said}");
}

#[tokio::test]
async fn a_run_may_hold_several_debates_or_none() {
    let (one, two, leader) = (stubborn("A"), stubborn("B"), leader());
    let models = [("a/one", &one), ("b/two", &two), ("test/leader", &leader)];
    let chamber = Chamber::new(&models).await;
    let store = chamber.bed.store();
    let none = CouncilRecord::read(store.as_ref(), chamber.run, None).await;
    assert_eq!(none.unwrap(), None);

    let matter = ClarifiedMatter {
        problem: "Where do jobs wait?".to_owned(),
        ..ClarifiedMatter::default()
    };
    let text = serde_json::to_string(&matter).unwrap();
    let end = chamber.bed.drive(chamber.run, async |run| {
        let key = run.scope("clarify", 1)?.key("clarified")?;
        let clarified = run.step(key, Pure, &text, |blobs| {
            let clarified = MatterClarified {
                matter: blobs.keep(text.as_str()),
                answered: 1,
                rounds: 1,
                approved: true,
            };
            async move { Ok(clarified) }
        });
        clarified.await?;
        chamber.convene_in(&run).await?;
        let key = run.scope("council", 2)?.key("opening-1/spoke")?;
        let said = json!({"position": "an older form", "stance": "Pragmatist"}).to_string();
        let spoke = run.step(key, Pure, &said, |blobs| {
            let fact = json!({"seat": 1, "model": "a/one", "round": 0, "text": blobs.keep(said.as_str()),
                "evidence_held": 0, "evidence_broken": 0});
            let spoke: StanceSpoke = serde_json::from_value(fact).unwrap();
            async move { Ok(spoke) }
        });
        spoke.await?;
        Ok(())
    });
    end.await.unwrap();
    let read = async |meeting| {
        let read = CouncilRecord::read(store.as_ref(), chamber.run, meeting).await;
        read.unwrap()
    };
    let last = read(None).await.unwrap();
    assert_eq!((last.meeting, last.meetings), (2, 2));
    assert_eq!(last.archive.len(), 1);
    assert_eq!(last.archive[0].stance, "Pragmatist");
    assert_eq!(
        last.archive[0].excerpt,
        Told::Kept("an older form".to_owned())
    );
    let first = read(Some(1)).await.unwrap();
    assert!(first.archive.len() >= 4);
    assert_eq!(first.matter, Some(Told::Kept(matter)));
    assert_eq!(read(Some(3)).await, None);
    assert_eq!(read(Some(0)).await, None);
    let stranger: RunId = "01980000-0000-7000-8000-000000000000".parse().unwrap();
    let stranger = CouncilRecord::read(store.as_ref(), stranger, None).await;
    assert!(
        matches!(stranger, Err(RecordError::NoRun(_))),
        "{stranger:?}"
    );
}

#[tokio::test]
async fn the_record_has_every_seat_where_it_was_counted() {
    // Each of three seats speaks twice in a round; the second time it changes its mind.
    let flips = || {
        let words = "Hm. [UNVERIFIED]";
        let turns = [turn("A", words, &[]), turn("B", words, &[])];
        seat(opening("A", words, &[]), &turns)
    };
    let (one, two, three) = (flips(), flips(), flips());
    let leader = Leader::new()
        .with(
            "council_plan",
            &[plan("decision", 1, &["One", "Two", "Three"])],
        )
        .model();
    let chamber = Chamber::new(&[
        ("a/one", &one),
        ("b/two", &two),
        ("c/three", &three),
        ("test/leader", &leader),
    ])
    .await;
    let held = chamber.held().await;
    let record = CouncilRecord::read(chamber.bed.store().as_ref(), chamber.run, None).await;
    let record = record.unwrap().unwrap();
    let voters = &held.outcome.decisions.first().unwrap().voters;
    for position in &record.final_positions {
        let option = usize::try_from(position.choices.first().unwrap().option).unwrap();
        let there = voters.get(option).unwrap();
        assert!(there.contains(&position.stance), "{position:?} {voters:?}");
    }
}

#[tokio::test]
async fn a_debate_that_was_tried_again_has_a_record_of_its_own() {
    let (one, two, leader) = (stubborn("A"), stubborn("B"), leader());
    let models = [("a/one", &one), ("b/two", &two), ("test/leader", &leader)];
    let chamber = Chamber::new(&models).await;
    // As a stage does it that tries again: both in one room.
    let end = chamber.bed.drive(chamber.run, async |run| {
        let stage = run.scope("council", 1)?;
        for number in 1..=2 {
            let council = council(&chamber.seats, chamber.bed.folder());
            let scope = stage.scope("debate", number)?;
            convene(&run, &scope, &council, &chamber.plan.matter()).await?;
        }
        Ok(())
    });
    end.await.unwrap();
    let store = chamber.bed.store();
    for number in 1..=2 {
        let record = CouncilRecord::read(store.as_ref(), chamber.run, Some(number)).await;
        let record = record.unwrap().unwrap();
        assert_eq!((record.meeting, record.meetings), (number, 2));
        assert_eq!(record.decisions.len(), 1, "{number}");
        assert_eq!(record.final_positions.len(), 2, "{number}");
        let room = format!("council-1/debate-{number}/");
        assert!(
            record
                .archive
                .iter()
                .all(|turn| turn.key.starts_with(&room))
        );
    }
}
