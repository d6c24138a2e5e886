//! The verbs of loops over the command line: two agents, conflicts, somebody who does not answer.

use serde_json::{Value, json};

use crate::bench::{Ended, run_id};
use crate::council::{Project, end_of};
use crate::ideate::{PROPOSAL, counting, known};

/// Says something as JSON, with the exit code that it must have.
fn says(project: &Project, args: &[&str], code: i32) -> Value {
    let ended: Ended = project.command(&[&["--json"], args].concat(), code);
    let line = ended.stdout.lines().last().unwrap_or_default();
    serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {ended:?}"))
}

/// The first turn that waits for an agent.
fn turn_of(project: &Project, agent: &str) -> Value {
    let inbox = says(project, &["loop", "inbox", "--agent", agent], 0);
    let waiting = inbox["inbox"].as_array().unwrap();
    assert_eq!(waiting.len(), 1, "{agent}: {inbox}");
    waiting[0].clone()
}

/// Ends the turn of an agent with these artifacts.
fn completes(project: &Project, agent: &str, artifacts: &Value) -> Value {
    let turn = turn_of(project, agent);
    let (id, slot) = (&turn["loop_id"], &turn["slot_id"]);
    let file = project.folder().join("artifacts.json");
    std::fs::write(&file, artifacts.to_string()).unwrap();
    let args = [
        "loop",
        "complete",
        id.as_str().unwrap(),
        slot.as_str().unwrap(),
        "--agent",
        agent,
        "--artifacts",
        "artifacts.json",
    ];
    says(project, &args, 0)
}

/// An ideation loop of two agents that moves itself.
fn opened(project: &Project) -> String {
    std::fs::write(project.folder().join("auto.json"), r#"{"flow": "auto"}"#).unwrap();
    let opened = says(
        project,
        &[
            "loop",
            "open",
            "--title",
            "dispatcher",
            "--proposal",
            PROPOSAL,
            "--slot",
            "champion:ann",
            "--slot",
            "critic:bob:pessimist",
            "--protocol",
            "auto.json",
            "--agent",
            "ann",
        ],
        0,
    );
    opened["loop_id"].as_str().unwrap().to_owned()
}

#[test]
fn two_agents_finish_a_loop_and_nobody_tells_the_critic_an_id() {
    let (project, [deadlock, release, feedback]) = known();
    let id = opened(&project);
    // The critic asks what waits, and cites what its brief holds.
    let turn = turn_of(&project, "bob");
    assert_eq!(turn["phase"], "critique", "{turn}");
    let brief = turn["brief"].as_str().unwrap();
    for item in [&deadlock, &release, &feedback] {
        assert!(brief.contains(item.as_str()), "{brief}");
    }
    let critique =
        |text: &str, cite: &str| json!({"type": "critique", "body": text, "cites": [cite]});
    let done = completes(
        &project,
        "bob",
        &json!([
            critique("It will deadlock again.", &deadlock),
            critique("The release script knows the old path.", &release),
            critique("Tests must come first.", &feedback),
            {"type": "critique", "body": "I do not like it.", "cites": ["trp_made_up"]},
        ]),
    );
    let counts = |place: usize| done["artifacts"][place]["counts"].as_bool();
    assert_eq!((counts(0), counts(3)), (Some(true), Some(false)), "{done}");
    assert_eq!(
        done["artifacts"][3]["refused_cites"],
        json!(["trp_made_up"])
    );
    assert_eq!(done["phase"], "revision", "{done}");
    let revised = json!([{"type": "revision", "body": "Extract it behind a lock of its own."}]);
    assert_eq!(completes(&project, "ann", &revised)["phase"], "critique");
    // Round two: nothing new, so it goes on to the plan.
    let nothing = json!([{"type": "nothing_new", "body": ""}]);
    let done = completes(&project, "bob", &nothing);
    assert_eq!(done["phase"], "synthesis", "{done}");
    assert_eq!(done["moves"][0]["how"], "exit_cycle", "{done}");
    let looped = says(&project, &["loop", "get", &id], 0);
    let ids: Vec<&Value> = counting(&looped, "critique")
        .into_iter()
        .map(|critique| &critique["artifact_id"])
        .collect();
    let plan = json!([{
        "type": "plan_draft", "body": "Lock first, then move.",
        "addresses_critique": [ids[0], ids[1]],
        "waived": [{"id": ids[2], "reason": "tests are their own plan"}],
    }]);
    let done = completes(&project, "ann", &plan);
    assert_eq!(done["status"], "completed", "{done}");
    let page = project.command(&["loop", "get", &id], 0).stdout;
    assert!(page.contains("tests are their own plan"), "{page}");
    assert!(page.contains("pessimist bob"), "{page}");
    assert!(page.contains("does not count"), "{page}");
    // Over is over.
    let late = says(&project, &["loop", "advance", &id, "--agent", "ann"], 8);
    assert_eq!(late["error"]["reason"], "loop_not_open", "{late}");
}

#[test]
fn conflicts_have_their_code_and_the_next_command() {
    let (project, _) = known();
    let id = opened(&project);
    let at = |version: &str, code: i32| {
        let args = ["loop", "pause", &id, "--agent", "ann", "--expect", version];
        says(&project, &args, code)
    };
    let wrong = at("1", 8);
    assert_eq!(wrong["error"]["reason"], "version_conflict", "{wrong}");
    let hint = wrong["error"]["hint"].as_str().unwrap();
    assert!(hint.contains("gavel loop get"), "{wrong}");
    let now = says(&project, &["loop", "get", &id], 0)["version"].to_string();
    assert_eq!(at(&now, 0)["status"], "paused");
    // The same request is done once; another one under the same key is refused.
    let resume = [
        "loop",
        "resume",
        &id,
        "--agent",
        "ann",
        "--request-id",
        "r1",
    ];
    let first = says(&project, &resume, 0);
    let again = says(&project, &resume, 0);
    assert_eq!(first["version"], again["version"], "{again}");
    assert_eq!(again["duplicate"], true, "{again}");
    let close = ["loop", "close", &id, "--agent", "ann", "--request-id", "r1"];
    let reused = says(&project, &close, 8);
    let reason = "idempotency_key_reused_with_different_body";
    assert_eq!(reused["error"]["reason"], reason, "{reused}");
    // Nobody writes for somebody else.
    let foreign = [
        "loop",
        "complete",
        &id,
        "critic",
        "--agent",
        "eve",
        "--artifact",
        "nothing_new=",
    ];
    let foreign = says(&project, &foreign, 6);
    assert_eq!(foreign["error"]["reason"], "unauthorized_slot_write");
    let hint = foreign["error"]["hint"].as_str().unwrap();
    for told in ["gavel loop inbox --agent bob", "--outcome cancelled"] {
        assert!(hint.contains(told), "{told} {foreign}");
    }
    // A person may take a turn back, whoever they are in the loop.
    let back = [
        "loop",
        "complete",
        &id,
        "critic",
        "--agent",
        "eve",
        "--outcome",
        "cancelled",
    ];
    let why = ["--reason", "bob is gone"];
    assert_eq!(
        says(&project, &[&back[..], &why].concat(), 0)["loop_id"],
        id
    );
}

#[test]
fn refusals_say_what_lacks_and_who_is_missing() {
    let (project, _) = known();
    let id = opened(&project);
    // The gate says what it lacks.
    let blocked = says(&project, &["loop", "advance", &id, "--agent", "ann"], 5);
    assert_eq!(blocked["error"]["reason"], "phase_advance_blocked");
    assert!(
        blocked["error"]["message"]
            .as_str()
            .unwrap()
            .contains("0 of 3")
    );
    // And nothing is done in nobody's name.
    let nobody = says(&project, &["loop", "advance", &id], 2);
    assert_eq!(nobody["error"]["reason"], "agent_missing", "{nobody}");
    let mut named = project.studio.command(&["--json", "loop", "advance", &id]);
    named.env("GAVEL_AGENT", "ann");
    let named = crate::bench::ended(named.spawn().unwrap());
    assert_eq!(named.code, Some(5), "the variable names ann: {named:?}");
    for (args, reason) in [
        (&["loop", "get", "beef"][..], "not_found"),
        (
            &["loop", "turn", &id, "judge", "--agent", "ann"],
            "unknown_slot",
        ),
        (
            &["loop", "complete", &id, "critic", "--agent", "bob"],
            "nothing_produced",
        ),
        (
            &[
                "loop",
                "complete",
                &id,
                "critic",
                "--agent",
                "bob",
                "--outcome",
                "failed",
            ],
            "reason_missing",
        ),
    ] {
        let refused = says(&project, args, 2);
        assert_eq!(refused["error"]["reason"], reason, "{args:?} {refused}");
    }
}

#[test]
fn a_critic_that_does_not_answer_is_seen_and_can_be_passed_over() {
    let (project, _) = known();
    let id = run_id().to_string();
    let args = [
        "ideate",
        PROPOSAL,
        "--run",
        &id,
        "--agents",
        "cora",
        "--critics",
        "security",
    ];
    let waits = project.command(&args, 3);
    assert!(waits.stderr.contains("cora has never come"), "{waits:?}");
    assert!(
        waits.stderr.contains("the loop waits for security cora"),
        "{waits:?}"
    );
    let page = &waits.stdout;
    assert!(
        page.contains("Waits for  security cora (slot-2) since"),
        "{page}"
    );
    assert!(page.contains("gavel loop inbox --agent cora"), "{page}");
    assert!(page.contains("--outcome cancelled"), "{page}");
    let status = project.command(&["status", &id], 0).stdout;
    assert!(status.contains("waits for cora"), "{status}");
    assert!(!status.contains("interrupted"), "{status}");
    let rows = says(&project, &["loop", "list"], 0);
    assert_eq!(rows["loops"][0]["waits_for"], json!(["cora"]), "{rows}");
    // It goes on waiting, whoever looks.
    assert_eq!(project.studio.run(&["resume", &id]).code, Some(3));
    let turn = turn_of(&project, "cora");
    assert_eq!(turn["loop_id"], id.as_str(), "{turn}");
    let place = ["loop", "brief", &id, "slot-2", "--agent", "cora"];
    let brief = project.command(&place, 0).stdout;
    let hand_in = "slot-2 --agent cora --artifact";
    assert!(brief.contains(hand_in), "{brief}");
    let whose = project.command(&["loop", "inbox"], 2);
    assert!(whose.stderr.contains("an inbox of its own"), "{whose:?}");
    // Whoever opened it takes the turn back, and Gavel draws the plan.
    let back = [
        "loop",
        "complete",
        &id,
        "slot-2",
        "--agent",
        "gavel",
        "--outcome",
        "cancelled",
        "--reason",
        "on holiday",
    ];
    says(&project, &back, 0);
    let status = project.command(&["status", &id], 0).stdout;
    assert!(status.contains("waits for gavel"), "{status}");
    assert!(!status.contains("interrupted"), "{status}");
    let looped = project.studio.run(&["--json", "resume", &id]);
    let last: Value = serde_json::from_str(looped.stdout.lines().last().unwrap()).unwrap();
    assert_ne!(last["slots"][1]["status"], "assigned", "{last}");
    assert!(
        matches!(looped.code, Some(0 | 5)),
        "it ends in a typed way: {looped:?}"
    );
}

#[test]
fn an_agent_from_outside_and_gavel_finish_together() {
    let (project, [deadlock, release, feedback]) = known();
    let id = run_id().to_string();
    drop(project.command(&["ideate", PROPOSAL, "--run", &id, "--agents", "cora"], 3));
    let critique =
        |text: &str, cite: &str| json!({"type": "critique", "body": text, "cites": [cite]});
    completes(
        &project,
        "cora",
        &json!([
            critique("It deadlocks.", &deadlock),
            critique("The release breaks.", &release),
            critique("Tests are missing.", &feedback),
        ]),
    );
    // Gavel revises, then it is the critic's turn again.
    drop(project.command(&["resume", &id], 3));
    completes(
        &project,
        "cora",
        &json!([{"type": "nothing_new", "body": ""}]),
    );
    let done = project.command(&["resume", &id], 0);
    assert!(done.stdout.contains("saturated"), "{done:?}");
    assert!(done.stdout.contains("✓ addresses"), "{done:?}");
}

#[test]
fn a_paused_loop_stays_paused_until_somebody_lets_it_go_on() {
    let (project, _) = known();
    let id = run_id().to_string();
    drop(project.command(&["ideate", PROPOSAL, "--run", &id, "--agents", "cora"], 3));
    says(&project, &["loop", "pause", &id, "--agent", "gavel"], 0);
    let resumed = project.command(&["resume", &id], 8);
    assert!(resumed.stderr.contains("gavel loop resume"), "{resumed:?}");
    let status = says(&project, &["status", &id], 0);
    assert_eq!(status["loop"]["status"], "paused", "{status}");
    says(&project, &["loop", "resume", &id, "--agent", "gavel"], 0);
    assert_eq!(project.studio.run(&["resume", &id]).code, Some(3));
    // Given up for good: nothing more is taken.
    drop(project.command(&["abort", &id], 0));
    let late = [
        "loop",
        "complete",
        &id,
        "slot-2",
        "--agent",
        "cora",
        "--artifact",
        "nothing_new=",
    ];
    let late = says(&project, &late, 8);
    assert_eq!(late["error"]["reason"], "loop_not_open", "{late}");
}

#[test]
fn phases_of_ones_own_are_checked_before_anything_is_opened() {
    let project = Project::new();
    let write = |text: &str| std::fs::write(project.folder().join("own.json"), text).unwrap();
    let open = |code: i32| {
        says(
            &project,
            &[
                "loop",
                "open",
                "--kind",
                "custom",
                "--title",
                "names",
                "--protocol",
                "own.json",
                "--slot",
                "namer:ann",
                "--agent",
                "ann",
            ],
            code,
        )
    };
    write(r#"{"phases": [{"name": "names", "roles": ["namer"]}, {"name": "names"}]}"#);
    assert_eq!(open(2)["error"]["reason"], "invalid_protocol");
    write("not json");
    assert_eq!(open(2)["error"]["reason"], "invalid_protocol");
    write(r#"{"phases": [{"name": "names", "roles": ["namer"], "produces": ["name"]}]}"#);
    let opened = open(0);
    let id = opened["loop_id"].as_str().unwrap();
    says(
        &project,
        &["loop", "turn", id, "namer", "--agent", "ann"],
        0,
    );
    let named = [
        "loop",
        "complete",
        id,
        "namer",
        "--agent",
        "ann",
        "--artifact",
        "name=Relay",
    ];
    assert_eq!(says(&project, &named, 0)["artifacts"][0]["counts"], true);
    let closed = says(
        &project,
        &["loop", "close", id, "--agent", "ann", "--reason", "done"],
        0,
    );
    assert_eq!(closed["status"], "completed", "{closed}");
    let none = project.command(&["loop", "promote", id], 2);
    assert!(none.stderr.contains("no plan"), "{none:?}");
    let listed = says(&project, &["loop", "list"], 0);
    assert_eq!(listed["loops"], json!([]), "{listed}");
    let all = says(&project, &["loop", "list", "--all"], 0);
    assert_eq!(all["loops"][0]["title"], "names", "{all}");
}

#[test]
fn a_loop_of_agents_is_paused_and_given_up_in_its_own_words() {
    let (project, _) = known();
    let id = opened(&project);
    let short = end_of(&id);
    let paused = project.command(&["pause", &id], 8);
    let pause = format!("gavel loop pause {short} --agent ann");
    assert!(paused.stderr.contains(&pause), "{paused:?}");
    says(&project, &["loop", "pause", &id, "--agent", "ann"], 0);
    let gone = project.command(&["abort", &id, "--reason", "nobody wants it"], 0);
    assert!(gone.stdout.contains("loop"), "{gone:?}");
    assert!(
        !gone.stderr.contains("lesson"),
        "nobody could see it: {gone:?}"
    );
    for args in [&["abort", &id][..], &["pause", &id], &["say", &id, "hello"]] {
        let over = project.command(args, 8);
        let told = format!("loop {short} is over");
        assert!(over.stderr.contains(&told), "{args:?} {over:?}");
    }
}
