//! Councils of models behind fake servers, through the door.

use gavel_domain::{
    CouncilSeated, DebateClosed, DebateStopped, DecisionMade, LessonProposed, SeatFailed,
    StanceSpoke,
};
use gavel_testkit::{FakeReply, FakeServer, SeenRequest, fake_server};
use serde_json::{Value, json};

use crate::bench::run_id;
use crate::council::{Project, TOPIC, end_of};
use crate::seen::Seen;
use crate::studio::{Served, Speaks, Studio};

/// The name of the answer that a request asks for: not every wire carries it.
pub(crate) fn shape(seen: &SeenRequest) -> Option<&'static str> {
    let answer = seen.rebuilt().request.answer?;
    let fields = answer.schema.get("properties")?.as_object()?.clone();
    let named = [
        ("planned_rounds", "plan"),
        ("problem", "matter"),
        ("needed", "need"),
        ("go_on", "evaluation"),
        ("dissent_kept", "verdict"),
        ("readable", "synthesis"),
        ("ship", "customer"),
        ("assumptions", "opening"),
        ("choices", "turn"),
        ("text", "summary"),
    ];
    let mut named = named.into_iter();
    named.find_map(|(field, name)| fields.contains_key(field).then_some(name))
}

pub(crate) fn answers(rule: impl Fn(&str) -> Value + Send + 'static) -> FakeServer {
    let rule = move |seen: &SeenRequest| match shape(seen) {
        Some(name) => FakeReply::text(&rule(name).to_string()),
        None => FakeReply::text("nothing was found"),
    };
    fake_server().rule(rule).start()
}

/// A seat that keeps to its option and cites these.
pub(crate) fn seat(option: &'static str, cites: &[&str], words: &str) -> FakeServer {
    let tag = cites.first().map_or_else(
        || "[UNVERIFIED]".to_owned(),
        |cite| format!("[CONFIRMED via {cite}]"),
    );
    let text = format!("{words} {tag}");
    let choices = json!([{
        "decision": "storage", "option": option, "confidence": 80, "cites": cites,
    }]);
    answers(move |shape| match shape {
        "opening" => json!({"text": text, "choices": choices, "assumptions": []}),
        "turn" => json!({"text": text, "choices": choices}),
        "customer" => json!({"ship": true, "reasons": ["it works"], "objections": []}),
        // Whoever is furthest from the leader judges.
        "verdict" => leader_says("verdict"),
        other => json!({ "not_for_a_seat": other }),
    })
}

/// A leader with an answer for everything.
pub(crate) fn lead() -> FakeServer {
    answers(leader_says)
}

pub(crate) fn leader_says(shape: &str) -> Value {
    match shape {
        "matter" => json!({
            "problem": "Jobs of an embedded queue must be kept somewhere.",
            "constraints": ["it runs without an administrator"],
            "criteria": ["the choice of the store is made"],
            "scope": "the store alone",
            "gaps": ["how many workers write at once"],
        }),
        "plan" => json!({
            "intent_summary": "Which store shall hold the jobs?",
            "stances": [
                {"name": "Keeper", "lens": "You keep it simple.", "focus": ""},
                {"name": "Mover", "lens": "You look at growth.", "focus": ""},
            ],
            "decisions": [{
                "id": "storage", "question": "Which store?", "options": ["SQLite", "PostgreSQL"],
            }],
            "output_shape": {"kind": "decision", "sections": [], "guardrails": []},
            "planned_rounds": 1,
        }),
        "need" => json!({"needed": false, "why": "it is all there"}),
        "evaluation" => json!({
            "criteria": [{"number": 1, "met": true, "deferred": false, "evidence": ""}],
            "unresolved": ["how it grows"], "needs_research": false, "research_query": "",
            "go_on": false, "reason": "enough", "extend": 0, "next_focus": "",
        }),
        "summary" => json!({"text": "They differ about the store."}),
        "synthesis" => json!({
            "summary": "The council weighed two stores for an embedded queue.",
            "sections": [], "agreed": ["jobs must survive a crash"],
            "tradeoffs": ["one file against one server"],
            "recommendation": "Begin with what the vote says.",
            "action_items": [], "resolved_answer": "",
            "decisions": [{"id": "storage", "why": "its evidence was found, that of the other was not"}],
            "settled": [], "dissent": [], "assumptions": [], "readable": "",
        }),
        "verdict" => json!({
            "covered": [1], "dissent_kept": true, "evidence_used": true, "confidence": 83,
            "reason": "it answers the question",
        }),
        other => json!({ "not_for_a_leader": other }),
    }
}

/// A project whose council has two different models, and one that leads.
pub(crate) fn convened(studio: &Studio, seats: [&FakeServer; 2], lead: &FakeServer) {
    let settings = "[models]\npaid = \"agreed\"\npatience_s = 2\n\n[models.slots]\n\
                    leader = \"lead/rules\"\nstances = [\"left/rules\", \"right/rules\"]\n";
    let served = |name, server, speaks| Served {
        name,
        server,
        speaks,
    };
    let [left, right] = seats;
    studio.set(
        settings,
        &[
            served("left", left, Speaks::Anthropic),
            served("right", right, Speaks::OpenAi),
            served("lead", lead, Speaks::OpenAi),
        ],
    );
}

/// A debate in which memory speaks for one side and nothing for the other.
fn debated() -> (Project, String, [FakeServer; 3]) {
    let project = Project::new();
    let item = project.remember(
        "decision",
        "SQLite is enough for the embedded job queue: one writer, one file.",
    );
    let cite = format!("memory:{item}");
    let left = seat("A", &[&cite], "One file is enough.");
    let right = seat("B", &["docs/nowhere.md:3"], "A server grows with us.");
    let lead = lead();
    convened(&project.studio, [&left, &right], &lead);
    (project, item, [left, right, lead])
}

fn asked(server: &FakeServer) -> usize {
    server.requests().len()
}

#[test]
fn two_models_debate_and_the_outcome_is_one_screen() {
    let (project, item, servers) = debated();
    let id = run_id().to_string();
    let ended = project.command(&["council", TOPIC, "--run", &id], 0);
    let page = &ended.stdout;
    assert!(page.starts_with(TOPIC), "{page}");
    // What it will take is said before anything is spent.
    assert!(
        ended.stderr.contains("expected 6 to 49 replies, ")
            && ended.stderr.contains("at most 234 replies"),
        "{ended:?}"
    );
    for told in [
        "✓ SQLite",
        "Keeper",
        "Mover",
        "left/rules",
        "right/rules",
        "Dissent    - Mover on storage: A server grows with us.",
        "Unknown    - how many workers write at once",
        "judged 83 %",
        "Cites ",
        "gavel council ask",
    ] {
        assert!(page.contains(told), "{told}\n{page}");
    }
    let end = end_of(&item);
    assert!(page.contains(&format!("memory:{end} (Keeper)")), "{page}");
    assert!(page.lines().count() < 45, "one screen: {page}");
    assert!(
        page.lines().all(|line| line.chars().count() <= 100),
        "{page}"
    );

    let seen = Seen::of(&project.studio.bench);
    let spoke = seen.facts::<StanceSpoke>();
    let turns: Vec<_> = spoke.iter().map(|one| (one.round, one.seat)).collect();
    assert_eq!(
        turns.len(),
        4,
        "two openings and a pair of turns: {turns:?}"
    );
    // The other seat reads what was checked, not what was claimed.
    let heard = servers[0].requests().iter().any(|seen| {
        let body = seen.body.to_string();
        body.contains("A server grows with us.") && body.contains("[UNVERIFIED: ")
    });
    assert!(
        heard,
        "a citation of nothing is unverified before anybody reads it"
    );
    let [made] = seen.facts::<DecisionMade>().try_into().unwrap();
    assert_eq!(
        (made.id.as_deref(), made.option),
        (Some("storage"), Some(0))
    );
    assert!(made.dissent, "{made:?}");
    let [closed] = seen.facts::<DebateClosed>().try_into().unwrap();
    assert_eq!(
        closed.density,
        Some(25),
        "an item that is there is half of a proof: {closed:?}"
    );
    let requests: usize = servers.iter().map(asked).sum();
    let bought: usize = seen.settled.values().sum();
    assert_eq!(requests, bought, "every request is in the ledger once");

    its_record_answers(&project, &id, &item);
    memory_may_keep_it(&project, &seen, &id);
    let after: usize = servers.iter().map(asked).sum();
    assert_eq!(requests, after, "nothing is asked again for any of it");
    servers.into_iter().for_each(FakeServer::finish);
}

/// Show, ask, stats and the data: from the record alone.
fn its_record_answers(project: &Project, id: &str, item: &str) {
    let bench = &project.studio.bench;
    let record = bench.json(&["council", "show", id]);
    assert_eq!(record["topic"], TOPIC, "{record}");
    assert_eq!(record["leader"]["model"], "lead/rules", "{record}");
    assert_eq!(record["archive"].as_array().unwrap().len(), 4, "{record}");
    let turns = project.command(&["council", "show", id, "--turns"], 0);
    assert!(
        turns.stdout.contains("A server grows with us."),
        "{turns:?}"
    );

    let data = project.studio.bench.json(&["resume", id]);
    assert_eq!(data["schema"], "gavel/council/v1", "{data}");
    assert_eq!(data["type"], "decision", "{data}");
    assert_eq!(data["decisions"][0]["option"], 0, "{data}");
    assert_eq!(data["dissent"][0]["who"], "Mover", "{data}");
    assert_eq!(data["confidence"], 0.83, "{data}");
    assert_eq!(data["density"], 0.25, "{data}");
    assert_eq!(data["badge"], "low", "{data}");
    assert_eq!(data["self_judged"], false, "{data}");
    assert_eq!(data["voices"], "several", "{data}");
    let fields = [
        "summary",
        "sections",
        "agreed",
        "tradeoffs",
        "recommendation",
        "action_items",
        "resolved_question",
        "plan",
    ];
    for field in fields {
        assert!(data.get(field).is_some(), "{field} {data}");
    }

    let against = bench.json(&["council", "ask", id, "who was against, and why?"]);
    assert_eq!(against["found"], true, "{against}");
    let line = &against["lines"][0];
    assert!(
        line["text"].as_str().unwrap().contains("Mover"),
        "{against}"
    );
    assert!(
        line["key"].as_str().unwrap().starts_with("council-1/"),
        "{against}"
    );
    let which = project.command(&["council", "ask", id, "which evidence was cited?"], 0);
    let end = end_of(item);
    assert!(which.stdout.contains(end), "{which:?}");
    let nothing = project.command(
        &["council", "ask", id, "who painted the zebra crossing?"],
        0,
    );
    assert!(nothing.stdout.contains("not in the record"), "{nothing:?}");

    let stats = bench.json(&["council", "stats"]);
    assert_eq!(stats["score"]["debates"], 1, "{stats}");
    assert_eq!(
        stats["score"]["unknown"], 1,
        "nothing is linked to it yet: {stats}"
    );
}

/// The verdict goes with what memory may keep, and a person says how it turned out.
fn memory_may_keep_it(project: &Project, seen: &Seen, id: &str) {
    assert_eq!(seen.facts::<LessonProposed>().len(), 1);
    let bench = &project.studio.bench;
    let proposed = bench.json(&["memory", "list", "--proposed"]);
    let text = proposed["items"][0]["text"].as_str().unwrap();
    assert!(text.contains("Which store? SQLite."), "{text}");
    assert!(text.contains("judged 83 %"), "{text}");
    project.does(&["memory", "accept", id]);
    let kept = bench.json(&["memory", "list"]);
    assert_eq!(kept["items"].as_array().unwrap().len(), 2, "{kept}");

    let unknown = project
        .studio
        .run(&["council", "proved", id, "colour", "right"]);
    assert_eq!(unknown.code, Some(2), "{unknown:?}");
    assert!(unknown.stderr.contains("it made: storage"), "{unknown:?}");
    for (how, right, wrong) in [("right", 1, 0), ("wrong", 0, 1)] {
        project.does(&["council", "proved", id, "storage", how]);
        let stats = bench.json(&["council", "stats"]);
        let score = &stats["score"];
        assert_eq!(score["right"], right, "{stats}");
        assert_eq!(score["wrong"], wrong, "the last word counts: {stats}");
    }
}

#[test]
fn a_debate_is_told_which_councils_on_its_subject_were_doubted() {
    let project = Project::new();
    // Whoever is furthest from the leader judges: here a seat that is not sure.
    let doubting = || {
        let text = json!("A server grows with us. [UNVERIFIED]");
        let choices =
            json!([{"decision": "storage", "option": "B", "confidence": 80, "cites": []}]);
        answers(move |shape| match shape {
            "opening" => json!({"text": text, "choices": choices, "assumptions": []}),
            "turn" => json!({"text": "Still so. [UNVERIFIED]", "choices": choices}),
            "verdict" => json!({
                "covered": [1], "dissent_kept": true, "evidence_used": false, "confidence": 20,
                "reason": "nobody measured how many writers there are",
            }),
            other => json!({ "not_for_a_seat": other }),
        })
    };
    let (left, right, lead) = (doubting(), doubting(), lead());
    convened(&project.studio, [&left, &right], &lead);
    let first = run_id().to_string();
    let ended = project.command(&["council", TOPIC, "--run", &first], 0);
    assert!(!ended.stdout.contains("Doubted"), "{}", ended.stdout);
    let before = right.requests().len();

    let second = "01890a5d-ac96-774b-bcce-b302099a0002";
    let ended = project.command(&["council", TOPIC, "--run", second], 0);
    let told = "came to PostgreSQL, judged 0 %: ";
    assert!(ended.stdout.contains("Doubted"), "{}", ended.stdout);
    let record = project.studio.bench.json(&["council", "show", second]);
    let doubted = record["doubted"].as_str().unwrap();
    assert!(
        doubted.contains(told) && doubted.contains("nobody measured"),
        "{doubted}"
    );
    let asked = right.requests();
    let heard = asked.iter().skip(before).filter(|seen| {
        let body = seen.body.to_string();
        body.contains("their outcome was doubted") && body.contains(told)
    });
    assert!(heard.count() > 0, "a seat reads it");

    // Another subject has nothing to do with it.
    let third = "01890a5d-ac96-774b-bcce-b302099a0003";
    let ended = project.command(
        &["council", "Which colour has the button?", "--run", third],
        0,
    );
    assert!(!ended.stdout.contains("Doubted"), "{}", ended.stdout);
    [left, right, lead].into_iter().for_each(FakeServer::finish);
}

/// Says what it wants to see, and speaks once it was shown that.
fn curious_seat() -> FakeServer {
    let choices = json!([{
        "decision": "storage", "option": "A", "confidence": 80,
        "cites": ["notes/load.md:2 \"one writer is all we ever have\""],
    }]);
    let rule = move |seen: &SeenRequest| {
        let body = seen.body.to_string();
        let Some(shape) = shape(seen) else {
            return FakeReply::text("nothing was found");
        };
        let text = "So it is. [CONFIRMED via notes/load.md:2 \"one writer is all we ever have\"]";
        let wanted = match (shape, body.contains("looked_up")) {
            ("opening", false) => json!([
                {"tool": "read_file", "what": "notes/load.md"},
                {"tool": "search_memory", "what": "queue writer"},
                {"tool": "read_file", "what": "a/third.md"},
            ]),
            _ => json!([]),
        };
        let answer = match shape {
            "opening" => {
                json!({"look_up": wanted, "text": text, "choices": choices, "assumptions": []})
            }
            "turn" => {
                json!({"look_up": wanted, "text": format!("Still: {text}"), "choices": choices})
            }
            "verdict" => leader_says("verdict"),
            other => json!({ "not_for_a_seat": other }),
        };
        FakeReply::text(&answer.to_string())
    };
    fake_server().rule(rule).start()
}

#[test]
fn a_seat_looks_two_things_up_before_it_speaks() {
    let project = Project::new();
    let item = project.remember("decision", "The job queue has one writer and one file.");
    let notes = project.folder().join("notes");
    std::fs::create_dir_all(&notes).unwrap();
    let load = "# Load\none writer is all we ever have, said operations\n";
    std::fs::write(notes.join("load.md"), load).unwrap();
    let left = curious_seat();
    let right = seat("B", &[], "A server grows with us.");
    let lead = lead();
    convened(&project.studio, [&left, &right], &lead);
    let id = run_id().to_string();
    let ended = project.command(&["council", TOPIC, "--run", &id, "--force-rounds"], 0);

    let seen = Seen::of(&project.studio.bench);
    let spoke = seen.facts::<StanceSpoke>();
    let opened = spoke.iter().find(|one| one.round == 0 && one.seat == 1);
    assert_eq!(
        opened.unwrap().looked_up,
        ["read_file", "search_memory"],
        "two calls and no third: {spoke:?}"
    );
    let silent = spoke.iter().filter(|one| one.seat == 2);
    assert!(
        silent.clone().all(|one| one.looked_up.is_empty()),
        "{spoke:?}"
    );
    let shown = left.requests().iter().any(|seen| {
        let body = seen.body.to_string();
        body.contains("said operations") && body.contains(end_of(&item))
    });
    assert!(shown, "what was found reaches the seat");
    let offered = |server: &FakeServer| {
        let requests = server.requests();
        let offers = requests.iter().filter(|seen| {
            let schema = seen.rebuilt().request.answer.map(|answer| answer.schema);
            schema.is_some_and(|schema| schema.pointer("/properties/look_up").is_some())
        });
        offers.count()
    };
    assert_eq!(
        offered(&left),
        asked(&left) - 1 - usize::from(judged(&left)),
        "only the answer after a lookup offers none"
    );
    assert!(ended.stdout.contains("looked up 2"), "{}", ended.stdout);
    let requests: usize = [&left, &right, &lead].into_iter().map(asked).sum();
    let bought: usize = seen.settled.values().sum();
    assert_eq!(requests, bought, "every request is in the ledger once");
    [left, right, lead].into_iter().for_each(FakeServer::finish);
}

fn judged(server: &FakeServer) -> bool {
    server
        .requests()
        .iter()
        .any(|seen| shape(seen) == Some("verdict"))
}

#[test]
fn a_seat_that_hangs_is_left_out_and_the_debate_goes_on() {
    let project = Project::new();
    let left = seat("A", &["README.md:1"], "One file is enough.");
    let right = fake_server()
        .rule(|_: &SeenRequest| FakeReply::stall_before_headers())
        .start();
    let lead = lead();
    convened(&project.studio, [&left, &right], &lead);
    let id = run_id().to_string();
    let begin = std::time::Instant::now();
    let args = ["council", TOPIC, "--run", &id, "-c", "models.patience_s=1"];
    let ended = project.command(&args, 0);
    let took = begin.elapsed();
    assert!(took.as_secs() < 60, "its deadline ends it: {took:?}");

    let seen = Seen::of(&project.studio.bench);
    let failed = seen.facts::<SeatFailed>();
    assert!(failed.iter().all(|one| one.seat == 2), "{failed:?}");
    assert!(!failed.is_empty());
    let spoke = seen.facts::<StanceSpoke>();
    assert!(spoke.iter().all(|one| one.seat == 1), "{spoke:?}");
    let [stop] = seen.facts::<DebateStopped>().try_into().unwrap();
    assert_eq!(stop.reason, gavel_domain::DebateStop::OneOpening);
    let page = &ended.stdout;
    assert!(page.contains("said nothing"), "{page}");
    assert!(page.contains("only one seat spoke"), "{page}");
    // One voice is not told as a council, neither in the outcome nor in what memory may keep.
    let record = project.studio.bench.json(&["council", "show", &id]);
    let summary = record["synthesis"]["outcome"]["summary"].as_str().unwrap();
    assert!(summary.starts_with("ONE VOICE: only "), "{summary}");
    assert_eq!(record["verdict"]["needs_person"], true, "{record}");
    let proposed = project.studio.bench.json(&["memory", "list", "--proposed"]);
    let text = proposed["items"][0]["text"].as_str().unwrap();
    assert!(text.contains("(ONE VOICE, left/"), "{text}");
    assert!(ended.stderr.contains("seat 2 did not open"), "{ended:?}");
    left.finish();
    lead.finish();
}

#[test]
fn without_any_opening_there_is_no_council_and_resuming_tries_again() {
    let project = Project::new();
    let dead = || {
        fake_server()
            .rule(|_: &SeenRequest| FakeReply::status(400, "gone"))
            .start()
    };
    let (left, right, leads) = (dead(), dead(), lead());
    convened(&project.studio, [&left, &right], &leads);
    let id = run_id().to_string();
    let stuck = project.command(&["council", TOPIC, "--run", &id, "--no-clarify"], 7);
    assert!(
        stuck.stdout.contains("The council could not meet"),
        "{stuck:?}"
    );
    assert!(
        stuck.stdout.contains("left/rules") && stuck.stdout.contains("right/rules"),
        "{stuck:?}"
    );
    assert!(
        Seen::of(&project.studio.bench)
            .facts::<DebateClosed>()
            .is_empty()
    );

    let shown = "docs/stores.md:1 \"SQLite holds the jobs in one file\"";
    std::fs::create_dir(project.folder().join("docs")).unwrap();
    let stores = project.folder().join("docs/stores.md");
    std::fs::write(stores, "SQLite holds the jobs in one file.\n").unwrap();
    let (left, right) = (
        seat("A", &[shown], "One file is enough."),
        seat("A", &[shown], "One file it is."),
    );
    convened(&project.studio, [&left, &right], &leads);
    let again = project.command(&["resume", &id], 0);
    assert!(again.stdout.contains("✓ SQLite"), "{again:?}");
    let seen = Seen::of(&project.studio.bench);
    let [closed] = seen.facts::<DebateClosed>().try_into().unwrap();
    assert_eq!(
        closed.rounds, 0,
        "two drafts agree, with evidence that holds"
    );
    assert!(
        again.stdout.contains("two blind drafts chose the same"),
        "{again:?}"
    );
}

#[test]
fn one_model_is_marked_and_seats_can_be_named() {
    let project = Project::new();
    let both = answers(|shape| match shape {
        "opening" | "turn" => json!({
            "text": "One file is enough. [CONFIRMED via README.md:1]",
            "choices": [{"decision": "storage", "option": "A", "confidence": 70, "cites": ["README.md:1"]}],
            "assumptions": [],
        }),
        other => leader_says(other),
    });
    let served = Served {
        name: "solo",
        server: &both,
        speaks: Speaks::OpenAi,
    };
    project
        .studio
        .set("[models]\npaid = \"agreed\"\n", &[served]);
    let id = run_id().to_string();
    let args = [
        "council",
        TOPIC,
        "--run",
        &id,
        "--model",
        "solo/rules",
        "--no-clarify",
    ];
    let ended = project.command(&args, 0);
    assert!(ended.stdout.contains("one model"), "{ended:?}");
    let seen = Seen::of(&project.studio.bench);
    let [seated] = seen.facts::<CouncilSeated>().try_into().unwrap();
    assert!(seated.one_model, "{seated:?}");
    let [stop] = seen.facts::<DebateStopped>().try_into().unwrap();
    assert_eq!(stop.rounds, 1, "one round of cross-examination");
    both.finish();
}

#[test]
fn what_is_open_cannot_be_proved() {
    let project = Project::new();
    let left = seat("A", &["README.md:1"], "One file is enough.");
    let right = seat("B", &["README.md:1"], "Many workers need a server.");
    let lead = lead();
    convened(&project.studio, [&left, &right], &lead);
    let id = run_id().to_string();
    project.does(&["council", TOPIC, "--run", &id]);
    let record = project.studio.bench.json(&["council", "show", &id]);
    assert_eq!(record["decisions"][0]["option"], Value::Null, "{record}");
    let proved = project.command(&["council", "proved", &id, "storage", "right"], 2);
    assert!(proved.stderr.contains("`storage` is open"), "{proved:?}");
    let kept = project.studio.bench.json(&["memory", "list"]);
    assert_eq!(kept["items"], json!([]), "{kept}");
}

#[test]
fn a_debate_that_nobody_drew_together_has_failed() {
    let project = Project::new();
    let left = seat("A", &["README.md:1"], "One file is enough.");
    let right = seat("B", &["README.md:1"], "Many workers need a server.");
    let lead = answers(|shape| match shape {
        "synthesis" => json!({"nothing": "to see"}),
        other => leader_says(other),
    });
    convened(&project.studio, [&left, &right], &lead);
    let id = run_id().to_string();
    let ended = project.command(&["council", TOPIC, "--run", &id], 1);
    assert!(ended.stdout.contains("not drawn together"), "{ended:?}");
    let shown = project.studio.run(&["resume", &id, "--json"]);
    assert_eq!(shown.code, Some(1), "{shown:?}");
    let data: Value = serde_json::from_str(&shown.stdout).unwrap();
    assert_eq!(data["code"], "synthesis_failed", "{data}");
    let openings = Seen::of(&project.studio.bench).facts::<StanceSpoke>();
    let opened = openings.iter().filter(|one| one.round == 0);
    assert_eq!(opened.count(), 2, "the synthesis alone was tried again");
    [left, right, lead].into_iter().for_each(FakeServer::finish);
}
