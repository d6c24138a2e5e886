//! The ideation protocol end to end, with critics that know nothing but their inbox.

use gavel_deliberation::loops::{Coordinate, Handed, LoopProblem, Verb};
use gavel_domain::{Digest, ExitWhen, LoopStatus, Schedule, Seq, TurnOutcome};
use gavel_rules::deliberation::artifact_name;

use crate::hall::{CHAMPION, Hall, agent, critique, hand, handed, ideation, loop_id};

const CRITICS: [&str; 3] = ["anna", "ben", "cleo"];

/// The items that a critic's brief holds.
async fn items(hall: &Hall, critic: &str) -> Vec<String> {
    let id = loop_id();
    let state = hall.desk.state(id).await.unwrap();
    let slot = state
        .slots
        .iter()
        .find(|slot| slot.agent == Some(agent(critic)))
        .unwrap();
    state.turn_of(slot).unwrap().given.items.clone()
}

/// Three critiques in all, whatever the number of critics.
async fn first_round(hall: &Hall, critics: &[&str]) {
    let share = 3_usize.div_ceil(critics.len());
    for critic in critics {
        let known = items(hall, critic).await;
        let say = |number: usize| {
            let body = format!("{critic} says {number}");
            critique(&body, &[known.get(number).unwrap()])
        };
        hall.answer(critic, (0..share).map(say).collect()).await;
    }
}

fn plan(addresses: &[u32]) -> Handed {
    let names = addresses.iter().map(|n| artifact_name(loop_id(), *n));
    Handed {
        addresses: names.collect(),
        ..handed("plan_draft", "Extract it behind a trait, then move it.")
    }
}

#[tokio::test(start_paused = true)]
async fn it_converges_by_saturation_in_round_two_with_one_two_and_three_critics() {
    for count in 1..=3 {
        let hall = Hall::new().await;
        let critics = &CRITICS[..count];
        let opened = hall.ideate(critics, ideation()).await;
        assert_eq!(opened.phase.as_str(), "critique");
        first_round(&hall, critics).await;
        let revision = handed("revision", "Extract it, but load plugins before the lock.");
        hall.answer(CHAMPION, vec![revision]).await;
        for critic in critics {
            hall.answer(critic, vec![handed("nothing_new", "")]).await;
        }
        let critiques = hall.desk.get(loop_id()).await.unwrap().artifacts;
        let numbers: Vec<u32> = (1..)
            .zip(&critiques)
            .filter(|(_, a)| a.kind.as_str() == "critique")
            .map(|(n, _)| n)
            .collect();
        let ended = hall.answer(CHAMPION, vec![plan(&numbers)]).await;
        assert_eq!(ended.status, LoopStatus::Completed);
        assert_eq!(ended.warnings, []);
        insta::assert_snapshot!(format!("saturation_{count}"), hall.story().await);
    }
}

#[tokio::test(start_paused = true)]
async fn it_converges_by_a_critics_signal() {
    let hall = Hall::new().await;
    let ask = Coordinate {
        exit_when: Some(ExitWhen::CriticSignal),
        ..ideation()
    };
    hall.ideate(&CRITICS[..1], ask).await;
    first_round(&hall, &CRITICS[..1]).await;
    hall.answer(CHAMPION, vec![handed("revision", "With a trait.")])
        .await;
    hall.answer("anna", vec![handed("critic_signal", "good enough")])
        .await;
    hall.answer(CHAMPION, vec![plan(&[2, 3, 4])]).await;
    insta::assert_snapshot!("critic_signal", hall.story().await);
}

#[tokio::test(start_paused = true)]
async fn it_ends_at_the_cap_and_says_so() {
    let hall = Hall::new().await;
    hall.ideate(
        &CRITICS[..1],
        Coordinate {
            max_iterations: Some(2),
            ..ideation()
        },
    )
    .await;
    for round in 0..2 {
        let known = items(&hall, "anna").await;
        let say = |n: usize| {
            critique(
                &format!("round {round}, point {n}"),
                &[known.get(n).unwrap()],
            )
        };
        hall.answer("anna", (0..3).map(say).collect()).await;
        hall.answer(
            CHAMPION,
            vec![handed("revision", &format!("Revision {round}."))],
        )
        .await;
    }
    let ended = hall.answer(CHAMPION, vec![plan(&[2, 3, 4, 6, 7, 8])]).await;
    assert_eq!(ended.warnings, []);
    insta::assert_snapshot!("cap", hall.story().await);
}

#[tokio::test(start_paused = true)]
async fn a_stalled_critic_is_visible_and_holds_the_loop() {
    let hall = Hall::new().await;
    hall.ideate(&CRITICS[..2], ideation()).await;
    hall.answer("anna", vec![handed("nothing_new", "")]).await;
    tokio::time::advance(std::time::Duration::from_secs(7_200)).await;
    let refused = hall
        .desk
        .act(loop_id(), &hand(CHAMPION), Verb::Advance { to: None })
        .await
        .unwrap_err();
    assert_eq!(refused.code(), "phase_advance_blocked");
    let view = hall.desk.get(loop_id()).await.unwrap();
    let ben = view
        .slots
        .iter()
        .find(|slot| slot.agent == Some(agent("ben")))
        .unwrap();
    assert_eq!((ben.status.as_str(), ben.acts), ("assigned", true));
    assert!(ben.waiting_since.is_some());
    let next = view.next.iter().map(|step| {
        let agent = step.agent.as_ref().map(ToString::to_string);
        format!(
            "next: {} by {}: {}",
            step.intent,
            agent.unwrap_or_default(),
            step.when
        )
    });
    let next: Vec<String> = next.collect();
    insta::assert_snapshot!(
        "stalled",
        format!("{}\n{}", hall.story().await, next.join("\n"))
    );
    // Whoever opened it takes the turn back: then silence is no agreement, and the other decides.
    let back = Verb::Complete {
        slot: ben.slot_id.clone(),
        outcome: TurnOutcome::Cancelled,
        artifacts: Vec::new(),
        reason: Some("did not come".to_owned()),
    };
    let went_on = hall
        .desk
        .act(loop_id(), &hand(CHAMPION), back)
        .await
        .unwrap();
    assert_eq!(went_on.phase.as_str(), "synthesis");
}

#[tokio::test(start_paused = true)]
async fn silence_of_a_failed_critic_is_no_agreement() {
    let hall = Hall::new().await;
    hall.ideate(&CRITICS[..2], ideation()).await;
    hall.answer("anna", vec![handed("nothing_new", "")]).await;
    let waits = hall.turn_of("ben").await;
    let failed = Verb::Complete {
        slot: waits.slot_id,
        outcome: TurnOutcome::Failed,
        artifacts: Vec::new(),
        reason: Some("out of memory".to_owned()),
    };
    let answer = hall
        .desk
        .act(loop_id(), &hand("ben"), failed)
        .await
        .unwrap();
    assert_eq!(answer.phase.as_str(), "critique");
    assert_eq!(
        answer.next[0].intent, "complete_turn",
        "it is given out again"
    );
}

#[tokio::test(start_paused = true)]
async fn what_has_no_valid_citation_or_was_said_before_never_counts() {
    let hall = Hall::new().await;
    hall.ideate(&CRITICS[..1], ideation()).await;
    let known = items(&hall, "anna").await;
    let unknown = "trp_01890a5d-ac96-774b-bcce-b302099a8057".to_owned();
    let artifacts = vec![
        critique("it deadlocks", &[&known[0]]),
        critique("it deadlocks", &[&known[1]]),
        critique("made up", &[&unknown]),
        critique("no proof", &[]),
        critique("  ", &[&known[2]]),
    ];
    let answer = hall.answer("anna", artifacts).await;
    assert_eq!(answer.phase.as_str(), "critique");
    let counts: Vec<bool> = answer.artifacts.iter().map(|taken| taken.counts).collect();
    assert_eq!(counts, [true, false, false, false, false]);
    assert_eq!(answer.artifacts[2].refused_cites, [unknown]);
    insta::assert_snapshot!("discounted", hall.story().await);
}

#[tokio::test(start_paused = true)]
async fn critics_one_after_another_see_the_earlier_ones_and_those_at_once_do_not() {
    for (schedule, sees) in [(Schedule::Sequential, true), (Schedule::Parallel, false)] {
        let hall = Hall::new().await;
        let ask = Coordinate {
            schedule: Some(schedule),
            ..ideation()
        };
        hall.ideate(&CRITICS[..2], ask).await;
        let waiting = hall.desk.inbox(&agent("ben")).await.unwrap().inbox;
        assert_eq!(waiting.is_empty(), sees);
        let known = items(&hall, "anna").await;
        hall.answer("anna", vec![critique("anna sees a knot", &[&known[0]])])
            .await;
        let brief = hall.turn_of("ben").await.brief;
        assert_eq!(brief.contains("anna sees a knot"), sees, "{brief}");
    }
}

#[tokio::test(start_paused = true)]
async fn everybody_sees_what_they_answer() {
    let hall = Hall::new().await;
    hall.ideate(&CRITICS[..1], ideation()).await;
    first_round(&hall, &CRITICS[..1]).await;
    let reviser = hall.turn_of(CHAMPION).await.brief;
    assert!(
        (0..3).all(|n| reviser.contains(&format!("anna says {n}"))),
        "{reviser}"
    );
    let revised = "Load plugins before the lock.";
    hall.answer(CHAMPION, vec![handed("revision", revised)])
        .await;
    let second = hall.turn_of("anna").await.brief;
    assert!(
        second.contains(revised) && second.contains("anna says 1"),
        "{second}"
    );
    hall.answer("anna", vec![handed("nothing_new", "")]).await;
    let last = hall.turn_of(CHAMPION).await.brief;
    assert!(
        (0..3).all(|n| last.contains(&format!("anna says {n}"))),
        "{last}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_reframer_sees_what_the_project_is_for_and_no_critique() {
    let hall = Hall::new().await;
    hall.ideate(
        &CRITICS[..1],
        Coordinate {
            reframe: true,
            ..ideation()
        },
    )
    .await;
    first_round(&hall, &CRITICS[..1]).await;
    hall.answer(CHAMPION, vec![handed("revision", "With a trait.")])
        .await;
    hall.answer("anna", vec![handed("nothing_new", "")]).await;
    let brief = hall.turn_of(CHAMPION).await;
    assert_eq!(brief.phase.as_str(), "reframe");
    assert!(
        brief.brief.contains("newcomer understands"),
        "{}",
        brief.brief
    );
    assert!(!brief.brief.contains("anna says"), "{}", brief.brief);
    hall.answer(
        CHAMPION,
        vec![handed("reframe", "Is a package simpler for a newcomer?")],
    )
    .await;
    let last = hall.turn_of(CHAMPION).await;
    assert!(
        last.brief.contains("simpler for a newcomer"),
        "{}",
        last.brief
    );
}

#[tokio::test(start_paused = true)]
async fn a_call_is_made_once_and_a_stale_one_not_at_all() {
    let hall = Hall::new().await;
    hall.ideate(&CRITICS[..1], ideation()).await;
    let waits = hall.turn_of("anna").await;
    let known = items(&hall, "anna").await;
    let verb = |body: &str| Verb::Complete {
        slot: waits.slot_id.clone(),
        outcome: TurnOutcome::Done,
        artifacts: vec![critique(body, &[&known[0]])],
        reason: None,
    };
    let asked = |body: &str| Digest::of(body);
    let with = |key: &str, body: &str| gavel_deliberation::loops::Hand {
        request: Some((key.to_owned(), asked(body))),
        ..hand("anna")
    };
    let stale = gavel_deliberation::loops::Hand {
        expected: Some(Seq(1)),
        ..hand("anna")
    };
    let refused = hall
        .desk
        .act(loop_id(), &stale, verb("x"))
        .await
        .unwrap_err();
    assert!(matches!(refused, LoopProblem::Version { .. }), "{refused}");
    let foreign = hall
        .desk
        .act(loop_id(), &hand("ben"), verb("x"))
        .await
        .unwrap_err();
    assert_eq!(foreign.code(), "unauthorized_slot_write");
    let owner = hall
        .desk
        .act(loop_id(), &hand(CHAMPION), verb("x"))
        .await
        .unwrap_err();
    assert_eq!(owner.code(), "unauthorized_slot_write");
    let first = hall
        .desk
        .act(loop_id(), &with("k", "one"), verb("one"))
        .await
        .unwrap();
    let again = hall
        .desk
        .act(loop_id(), &with("k", "one"), verb("one"))
        .await
        .unwrap();
    assert!(again.duplicate && !first.duplicate);
    assert_eq!(
        (again.version, &again.artifacts),
        (first.version, &first.artifacts)
    );
    let other = hall
        .desk
        .act(loop_id(), &with("k", "two"), verb("two"))
        .await
        .unwrap_err();
    assert_eq!(other.code(), "idempotency_key_reused_with_different_body");
    let view = hall.desk.get(loop_id()).await.unwrap();
    assert_eq!(
        view.artifacts
            .iter()
            .filter(|a| a.kind.as_str() == "critique")
            .count(),
        1
    );
    assert_eq!(view.version, first.version);
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_never_came_has_its_turn_and_a_warning_says_so() {
    let hall = Hall::new().await;
    hall.desk.see(&agent("anna")).await.unwrap();
    let ask = |targets: &[&str]| Coordinate {
        targets: targets.iter().map(|name| agent(name)).collect(),
        ..ideation()
    };
    let some = gavel_deliberation::loops::coordinate(
        &hall.desk,
        &hand(CHAMPION),
        ask(&["anna", "nobody"]),
    )
    .await
    .unwrap();
    assert_eq!(
        (some.outcome.as_str(), some.phase.as_str()),
        ("ok", "critique")
    );
    assert_eq!(some.warnings[0].code, "unknown_agent");
    assert_eq!(some.turns.len(), 2, "nobody is left out: {some:?}");
    let none = gavel_deliberation::loops::coordinate(&hall.desk, &hand(CHAMPION), ask(&["nobody"]))
        .await
        .unwrap();
    assert_eq!(
        (none.outcome.as_str(), none.phase.as_str()),
        ("ok", "critique")
    );
    let id = none.loop_id.parse().unwrap();
    assert_eq!(hall.desk.get(id).await.unwrap().phase.as_str(), "critique");
    assert_eq!(none.next[0].intent, "complete_turn");
    // Whenever it comes, its turns are there.
    let late = hall.desk.inbox(&agent("nobody")).await.unwrap().inbox;
    assert_eq!(late.len(), 2, "{late:?}");
}

#[tokio::test(start_paused = true)]
async fn alone_the_caller_is_handed_the_brief_and_plays_every_part() {
    let hall = Hall::new().await;
    let opened = hall.ideate(&[], ideation()).await;
    assert_eq!(opened.phase.as_str(), "critique");
    let brief = opened.turns[0].brief.as_deref().unwrap();
    assert!(brief.contains("holds the queue lock"), "{brief}");
    assert_eq!(opened.turns[0].items.len(), 4);
}

#[tokio::test]
async fn many_hands_at_once_lose_nothing() {
    let hall = Hall::new().await;
    let names: Vec<String> = (0..8).map(|n| format!("critic-{n}")).collect();
    let critics: Vec<&str> = names.iter().map(String::as_str).collect();
    hall.ideate(&critics, ideation()).await;
    let known = items(&hall, "critic-0").await;
    let all = critics.iter().map(|critic| {
        let (hall, known) = (&hall, &known);
        async move {
            hall.answer(critic, vec![critique(critic, &[&known[0]])])
                .await
        }
    });
    futures_util::future::join_all(all).await;
    let view = hall.desk.get(loop_id()).await.unwrap();
    let critiques = view
        .artifacts
        .iter()
        .filter(|a| a.kind.as_str() == "critique" && a.counts);
    assert_eq!(critiques.count(), 8);
    assert_eq!(view.phase.as_str(), "revision");
}

#[tokio::test(start_paused = true)]
async fn critics_who_brought_too_little_are_asked_again_and_may_mend_it() {
    let hall = Hall::new().await;
    hall.ideate(&CRITICS[..1], ideation()).await;
    let known = items(&hall, "anna").await;
    let first = hall
        .answer("anna", vec![critique("it deadlocks", &[])])
        .await;
    assert!(!first.artifacts[0].counts);
    assert_eq!(first.turns.len(), 1, "{first:?}");
    let brief = hall.turn_of("anna").await.brief;
    assert!(brief.contains("0 of 3 critique artifacts"), "{brief}");
    let mended = hall
        .answer(
            "anna",
            vec![
                critique("it deadlocks", &[&known[0]]),
                handed("nothing_new", ""),
            ],
        )
        .await;
    assert!(mended.artifacts[0].counts);
    assert_eq!(mended.phase.as_str(), "revision");
}

#[tokio::test(start_paused = true)]
async fn nobody_speaks_out_of_turn_and_strangers_move_nothing() {
    let hall = Hall::new().await;
    hall.ideate(&CRITICS[..1], ideation()).await;
    let add = |kind: &str| Verb::Add {
        slot: None,
        artifacts: vec![handed(kind, "x")],
    };
    let desk = &hall.desk;
    let champion = desk
        .act(loop_id(), &hand(CHAMPION), add("nothing_new"))
        .await;
    assert_eq!(champion.unwrap_err().code(), "slot_not_acting");
    let of_slot = Verb::Add {
        slot: Some("slot-1".to_owned()),
        artifacts: vec![handed("nothing_new", "")],
    };
    let champion = desk.act(loop_id(), &hand(CHAMPION), of_slot).await;
    assert_eq!(champion.unwrap_err().code(), "slot_not_acting");
    for verb in [
        Verb::Advance { to: None },
        Verb::Pause { reason: None },
        Verb::Turn {
            slot: "slot-2".to_owned(),
            note: None,
        },
    ] {
        let stranger = desk.act(loop_id(), &hand("mallory"), verb).await;
        assert_eq!(stranger.unwrap_err().code(), "not_a_participant");
    }
    let close = || Verb::Close {
        status: LoopStatus::Cancelled,
        reason: None,
    };
    let critic = desk.act(loop_id(), &hand("anna"), close()).await;
    assert_eq!(critic.unwrap_err().code(), "owner_only");
    let owner = desk.act(loop_id(), &hand(CHAMPION), close()).await.unwrap();
    assert_eq!(owner.status, LoopStatus::Cancelled);
}

#[tokio::test(start_paused = true)]
async fn a_consult_ends_once_each_adviser_was_heard_or_taken_back() {
    let hall = Hall::new().await;
    let ask = Coordinate::new(
        gavel_deliberation::loops::CoordinateIntent::Consult,
        "Which queue?",
    );
    hall.ideate(&CRITICS[..2], ask).await;
    let two = vec![
        handed("advice", "the small one"),
        handed("advice", "and a test"),
    ];
    let first = hall.answer("anna", two).await;
    assert_eq!(first.status, LoopStatus::Open);
    let waits = hall.turn_of("ben").await;
    let back = Verb::Complete {
        slot: waits.slot_id,
        outcome: TurnOutcome::Cancelled,
        artifacts: Vec::new(),
        reason: Some("did not come".to_owned()),
    };
    let ended = hall
        .desk
        .act(loop_id(), &hand(CHAMPION), back)
        .await
        .unwrap();
    assert_eq!(ended.status, LoopStatus::Completed);
}

#[tokio::test(start_paused = true)]
async fn a_review_is_green_when_every_reviewer_accepts() {
    let hall = Hall::new().await;
    let ask = Coordinate::new(
        gavel_deliberation::loops::CoordinateIntent::Review,
        "Moved the queue.",
    );
    hall.ideate(&CRITICS[..2], ask).await;
    let first = hall
        .answer("anna", vec![handed("verdict", "accepted")])
        .await;
    assert_eq!(first.status, LoopStatus::Open);
    let second = hall
        .answer("ben", vec![handed("verdict", "Accepted: it is fine")])
        .await;
    assert_eq!(second.status, LoopStatus::Completed);
}

#[tokio::test]
async fn the_same_request_twice_at_once_opens_one_loop() {
    let hall = Hall::new().await;
    let with_key = gavel_deliberation::loops::Hand {
        request: Some(("open-1".to_owned(), Digest::of("the same"))),
        ..hand(CHAMPION)
    };
    let open = || gavel_deliberation::loops::coordinate(&hall.desk, &with_key, ideation());
    let all = futures_util::future::join_all([open(), open(), open()]).await;
    let ids: Vec<String> = all
        .into_iter()
        .map(|answer| answer.unwrap().loop_id)
        .collect();
    assert!(ids.iter().all(|id| *id == ids[0]), "{ids:?}");
}
